/* The cost of a system with another value of a parameter, compared with steps of the model.
 *
 *     parameters MODEL N|- TIMES PARAMETER
 *
 * makes TIMES systems with other values, then as many steps. */
#include "scene.h"

/* Makes systems with values near that of the model. */
static olo_status change(const scene *x, const char *parameter, olo_error *error)
{
    const double value = olo_model_parameter(x->model, parameter);
    olo_status status = OLO_OK;
    for (long i = 0; status == OLO_OK && i < x->steps; i++) {
        const double other_value = value * (1 + 0.001 * (double)(i + 1));
        olo_system *other = NULL;
        status = olo_system_with_parameters(x->model, x->system, 1, &parameter, &other_value,
                                            &other, error);
        olo_system_free(other);
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: parameters MODEL N|- TIMES PARAMETER\n");
        return 2;
    }
    scene x = {.model_name = argv[1],
               .n = strcmp(argv[2], "-") == 0 ? NULL : argv[2],
               .steps = atol(argv[3]),
               .mode = "step",
               .treatment = "reduced"};
    olo_error error = {0};
    double cpu = 0;
    olo_status status = scene_open(&x, &error);
    if (status == OLO_OK) {
        cpu = olo_cpu_seconds();
        status = change(&x, argv[4], &error);
        cpu = olo_cpu_seconds() - cpu;
    }
    if (status == OLO_OK)
        status = scene_measure(&x, &error);
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", x.summary.steps, x.summary.iterations, cpu);
    else
        fprintf(stderr, "%s: %s\n", x.model_name, error.text);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status == OLO_OK ? 0 : 1;
}
