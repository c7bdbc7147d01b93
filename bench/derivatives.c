/* The cost of a gradient in runs: a model of the catalogue is run, then the gradient of its kinetic energy at the end with
 * respect to the whole start is computed, with all steps in memory and with checkpoints.
 *
 *     derivatives MODEL STEPS [N [SCHEME]]
 */
#include "oloid/derivatives.h"
#include "scene.h"

static double best(double a, double b)
{
    return a < b ? a : b;
}

/* CPU seconds of a run and of both gradients, the best of some tries. */
static olo_status measure(scene *x, double seconds[3], olo_error *error)
{
    const int tries = 5;
    const olo_goal goal = {.quantity = "kinetic", .end = 1};
    const olo_functional kinetic = {.goals = &goal, .goal_count = 1};
    olo_derivatives *d;
    olo_gradient g = {0};
    olo_status status = olo_derivatives_create(x->system, &x->run, &d, error);
    for (int i = 0; status == OLO_OK && i < tries; i++) {
        olo_state *state;
        status = olo_state_clone(x->state, &state, error);
        double start = olo_cpu_seconds();
        if (status == OLO_OK)
            status = olo_simulate(x->system, &x->run, state, NULL, 0, &x->summary, error);
        seconds[0] = best(seconds[0], olo_cpu_seconds() - start);
        olo_state_free(state);
        for (int k = 0; status == OLO_OK && k < 2; k++) {
            olo_derivatives_set_memory(d, k == 0 ? (size_t)-1 : 0);
            start = olo_cpu_seconds();
            status = olo_derivatives_gradient(d, x->state, &kinetic, &g, error);
            seconds[1 + k] = best(seconds[1 + k], olo_cpu_seconds() - start);
        }
    }
    olo_derivatives_free(d);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: derivatives MODEL STEPS [N [SCHEME]]\n");
        return 2;
    }
    scene x = {.model_name = argv[1],
               .steps = atol(argv[2]),
               .n = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL,
               .treatment = "reduced"};
    olo_error error = {0};
    double seconds[3] = {1e300, 1e300, 1e300};
    olo_status status = scene_open(&x, &error);
    if (status == OLO_OK && argc > 4)
        x.run.scheme = argv[4];
    if (status == OLO_OK)
        status = measure(&x, seconds, &error);
    if (status == OLO_OK)
        printf("%s, %ld steps: a run %.4g s, a gradient %.2f runs, with checkpoints %.2f runs\n",
               x.model_name, x.steps, seconds[0], seconds[1] / seconds[0], seconds[2] / seconds[0]);
    else
        fprintf(stderr, "%s\n", error.text);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status == OLO_OK ? 0 : 1;
}
