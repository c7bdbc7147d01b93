/* Memory of a model of the catalogue with parameter n, in kB: of a state and the workspaces of a
 * stepper after one step, and the peak of the whole program after a step with ledger and verdict.
 *
 *     memory MODEL N
 *
 * Prints 0 for what the system does not report. (The peak is not that of getrusage, which includes
 * the memory of the process that started this one.)
 */
#if defined(__linux__)
#include <malloc.h>
#endif

#include "scene.h"

/* what the allocator has handed out */
static double allocated(void)
{
#if defined(__GLIBC__)
    const struct mallinfo2 heap = mallinfo2();
    return (double)(heap.uordblks + heap.hblkhd) / 1e3;
#else
    return 0;
#endif
}

static double peak(void)
{
    double kilobytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
            break;
    if (status)
        fclose(status);
    return kilobytes;
}

static olo_status measure_stepper(const scene *x, double *used, olo_error *error)
{
    olo_state *state = NULL;
    olo_stepper *stepper = NULL;
    const double before = allocated();
    olo_status status = olo_system_create_initial_state(x->system, &state, NULL, error);
    if (status == OLO_OK)
        status = olo_stepper_create(x->system, &x->run, &stepper, error);
    if (status == OLO_OK)
        status = olo_stepper_step(stepper, state, x->run.step, error);
    *used = allocated() - before;
    olo_stepper_free(stepper);
    olo_state_free(state);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: memory MODEL N\n");
        return 2;
    }
    scene x = {
        .model_name = argv[1], .n = argv[2], .steps = 1, .mode = "ledger", .treatment = "reduced"};
    olo_error error = {0};
    double used = 0;
    olo_status status = scene_open(&x, &error);
    if (status == OLO_OK)
        status = scene_measure(&x, &error);
    const double whole = peak();
    if (status == OLO_OK)
        status = measure_stepper(&x, &used, &error);
    if (status == OLO_OK)
        printf("%.1f %.1f\n", used, whole);
    else
        fprintf(stderr, "memory: %s\n", error.text);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status == OLO_OK ? 0 : 1;
}
