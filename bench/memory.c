/* Memory of a state and of the workspaces of a stepper: what the allocator has handed out for them
 * after one step. The model and the compiled system are not included.
 *
 *     memory MODEL N
 *
 * Prints the number of bytes, 0 where the C library cannot tell.
 */
#if defined(__linux__)
#include <malloc.h>
#endif

#include "scene.h"

static size_t allocated(void)
{
#if defined(__GLIBC__)
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: memory MODEL N\n");
        return 2;
    }
    scene x = {.model_name = argv[1], .n = argv[2], .steps = 1, .treatment = "reduced"};
    olo_error error = {0};
    olo_state *state = NULL;
    olo_stepper *stepper = NULL;
    olo_status status = scene_open(&x, &error);
    const size_t before = allocated();
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x.system, &state, NULL, &error);
    if (status == OLO_OK)
        status = olo_stepper_create(x.system, &x.run, &stepper, &error);
    if (status == OLO_OK)
        status = olo_stepper_step(stepper, state, x.run.step, &error);
    if (status == OLO_OK)
        printf("%zu\n", allocated() - before);
    else
        fprintf(stderr, "memory: %s\n", error.text);
    olo_stepper_free(stepper);
    olo_state_free(state);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status == OLO_OK ? 0 : 1;
}
