/* The cost of a gradient relative to a run. A model of the catalogue is run, or the gradient of its
 * kinetic energy with respect to the initial state and to parameters is computed, with all steps in
 * memory or with checkpoints.
 *
 *     derivatives MODEL STEPS N SCHEME run|ledger|memory|checkpoints [end|running [PARAMETER ...]]
 *
 * N is the parameter n, or -. The energy is that at the end, or its integral over time. `run`
 * performs steps only, `ledger` also evaluates the ledger. Prints the number of steps, the number
 * of steps made again from checkpoints, and CPU seconds.
 *
 *     derivatives MODEL STEPS [N [SCHEME]]
 *
 * measures a run and both gradients and prints their ratios. */
#include "oloid/derivatives.h"
#include "scene.h"

enum { PARAMETERS_MAX = 64 };

typedef struct bench {
    scene s;
    olo_goal goal;
    olo_derivatives *d;
    int parameters;
    olo_parameter_derivative *change[PARAMETERS_MAX];
    double gradient[PARAMETERS_MAX];
} bench;

static olo_status bench_open(bench *x, int count, char **names, olo_error *error)
{
    olo_status status = scene_open(&x->s, error);
    if (status == OLO_OK)
        status = olo_derivatives_create(x->s.system, &x->s.run, &x->d, error);
    for (int i = 0; status == OLO_OK && i < count && i < PARAMETERS_MAX; i++) {
        status = olo_parameter_derivative_create(x->s.model, names[i], &x->change[i], error);
        x->parameters += status == OLO_OK;
    }
    if (status == OLO_OK && x->parameters > 0)
        status = olo_derivatives_set_parameters(
            x->d, (const olo_parameter_derivative *const *)x->change, x->parameters, error);
    return status;
}

static void bench_close(bench *x)
{
    olo_derivatives_free(x->d);
    for (int i = 0; i < x->parameters; i++)
        olo_parameter_derivative_free(x->change[i]);
    olo_state_free(x->s.state);
    olo_system_free(x->s.system);
    olo_model_free(x->s.model);
}

static olo_status run(bench *x, olo_error *error)
{
    olo_state *state;
    olo_status status = olo_state_clone(x->s.state, &state, error);
    if (status == OLO_OK)
        status = olo_simulate(x->s.system, &x->s.run, state, NULL, 0, &x->s.summary, error);
    olo_state_free(state);
    return status;
}

static olo_status differentiate(bench *x, bool memory, olo_gradient *g, olo_error *error)
{
    olo_functional J = olo_functional_default();
    J.goals = &x->goal;
    J.goal_count = 1;
    *g = olo_gradient_default();
    g->parameters = x->parameters > 0 ? x->gradient : NULL;
    olo_derivatives_set_memory(x->d, memory ? (size_t)-1 : 0);
    return olo_derivatives_compute_gradient(x->d, x->s.state, &J, g, error);
}

/* Measures CPU seconds of a run or of one of the gradients: the minimum of several tries. */
static olo_status measure(bench *x, const char *what, int tries, double *seconds, olo_gradient *g,
                          olo_error *error)
{
    olo_status status = OLO_OK;
    *seconds = 1e300;
    for (int i = 0; status == OLO_OK && i < tries; i++) {
        double start = olo_cpu_seconds();
        if (strcmp(what, "run") == 0)
            status = run(x, error);
        else if (strcmp(what, "ledger") == 0)
            status = scene_measure(&x->s, error);
        else
            status = differentiate(x, strcmp(what, "memory") == 0, g, error);
        double taken = olo_cpu_seconds() - start;
        *seconds = taken < *seconds ? taken : *seconds;
    }
    return status;
}

static olo_status compare(bench *x, olo_error *error)
{
    static const char *const all[] = {"run", "memory", "checkpoints"};
    double seconds[3] = {0};
    olo_gradient g = olo_gradient_default();
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < 3; i++)
        status = measure(x, all[i], 5, &seconds[i], &g, error);
    if (status == OLO_OK)
        printf("%s, %ld steps: a run %.4g s, a gradient %.2f runs, with checkpoints %.2f runs\n",
               x->s.model_name, x->s.steps, seconds[0], seconds[1] / seconds[0],
               seconds[2] / seconds[0]);
    return status;
}

static olo_status print_one(bench *x, const char *what, olo_error *error)
{
    double seconds;
    olo_gradient g = olo_gradient_default();
    olo_status status = measure(x, what, 1, &seconds, &g, error);
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", x->s.steps, g.again, seconds);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: derivatives MODEL STEPS [N [SCHEME [run|ledger|memory|checkpoints "
                        "[end|running [PARAMETER ...]]]]]\n");
        return 2;
    }
    bool running = argc > 6 && strcmp(argv[6], "running") == 0;
    bench x = {.s = {.model_name = argv[1],
                     .mode = "ledger",
                     .steps = atol(argv[2]),
                     .n = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : NULL,
                     .scheme = argc > 4 ? argv[4] : NULL,
                     .treatment = "reduced"},
               .goal = olo_goal_default()};
    x.goal.quantity = "kinetic";
    x.goal.end = !running;
    x.goal.running = running;
    olo_error error = {0};
    olo_status status = bench_open(&x, argc - 7, argv + 7, &error);
    if (status == OLO_OK)
        status = argc > 5 ? print_one(&x, argv[5], &error) : compare(&x, &error);
    if (status != OLO_OK)
        fprintf(stderr, "%s\n", error.text);
    bench_close(&x);
    return status == OLO_OK ? 0 : 1;
}
