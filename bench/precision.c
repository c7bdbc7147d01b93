/* Work and precision of the schemes: CPU seconds of runs of a model against the errors of positions
 * and of velocities at the end.
 *
 *     precision MODEL N|- END STEP
 *
 * prints a line per run: scheme, order, step or tolerance, whether it is a tolerance, CPU seconds,
 * both errors. Steps are END over whole numbers near STEP times powers of two. Errors are the
 * largest of all positions (over the length of the model) and directors, and the same of their
 * velocities over the largest velocity. The reference is a run of order 6 with small steps of
 * `variational`; with rolling, of `energy-momentum`. CPU time is that of the steps
 * alone, the least of several runs. bench/precision makes tables of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "oloid/model.h"
#include "oloid/simulate.h"
#include "system/system.h"

/* A method: a scheme and an order, and whether its steps follow a tolerance. */
typedef struct method {
    const char *scheme;
    int order;
    bool adaptive;
} method;

static const method METHODS[] = {
    {"energy-momentum-2006", 2, false}, {"energy-momentum-2006", 4, false},
    {"energy-momentum-2006", 4, true},  {"energy-momentum", 2, false},
    {"energy-momentum", 4, false},      {"energy-momentum", 6, false},
    {"energy-momentum", 4, true},       {"energy-momentum", 6, true},
    {"variational", 2, false},          {"variational", 4, false},
    {"variational", 6, false}};

/* Numbers of halvings of the step STEP times 4, 8 or 16 of order 2, 4 or 6. */
enum { HALVINGS = 8, RUNS = 3 };

typedef struct bench {
    olo_model *model;
    olo_system *system;
    olo_state *start, *exact;
    double end;
} bench;

/* One run; fills `state`. */
static olo_status run_once(const bench *x, const method *m, double setting, olo_state *state,
                           double *seconds, olo_error *error)
{
    olo_run run = *olo_model_run(x->model);
    olo_stepper *stepper = NULL;
    const long steps = m->adaptive ? 0 : lround(fmax(x->end / setting, 1));
    run.scheme = m->scheme;
    run.order = m->order;
    run.constraints = "reduced";
    run.halvings = 0;
    run.tolerance = m->adaptive ? setting : 0;
    run.step = m->adaptive ? 1e-3 * x->end : x->end / (double)steps;
    olo_state_copy(x->start, state);
    olo_status status = olo_stepper_create(x->system, &run, &stepper, error);
    const double begin = olo_cpu_seconds();
    for (long i = 0; i < steps && status == OLO_OK; i++)
        status = olo_stepper_step(stepper, state, run.step, error);
    while (m->adaptive && status == OLO_OK && x->end - olo_state_time(state) > 1e-12 * x->end)
        status = olo_stepper_step_adaptive(stepper, state, x->end - olo_state_time(state), error);
    *seconds = olo_cpu_seconds() - begin;
    olo_stepper_free(stepper);
    return status;
}

/* Largest 3-vector of a - b; b may be NULL. */
static double largest(const olo_system *s, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < s->n; i += 3) {
        double square = 0;
        for (int k = i; k < i + 3; k++)
            square += pow(a[k] - (b ? b[k] : 0.0), 2);
        const double unit = s->coordinates[i].slot == 0 ? s->length_scale : 1.0;
        most = fmax(most, sqrt(square) / unit);
    }
    return most;
}

static void measure(const bench *x, const method *m, double setting)
{
    olo_error error = {0};
    olo_state *state = NULL;
    double least = HUGE_VAL;
    if (olo_state_clone(x->start, &state, &error) != OLO_OK)
        return;
    olo_status status = OLO_OK;
    for (int i = 0; i < RUNS && status == OLO_OK; i++) {
        double seconds;
        status = run_once(x, m, setting, state, &seconds, &error);
        least = fmin(least, seconds);
    }
    if (status == OLO_OK)
        printf("%s %d %.9g %d %.6g %.3g %.3g\n", m->scheme, m->order, setting, m->adaptive, least,
               largest(x->system, state->q, x->exact->q),
               largest(x->system, state->v, x->exact->v) / largest(x->system, x->exact->v, NULL));
    fflush(stdout);
    olo_state_free(state);
}

static olo_status open(bench *x, char **arguments, olo_error *error)
{
    const olo_setting n = {"n", arguments[2]};
    const int settings = strcmp(arguments[2], "-") != 0;
    const double step = atof(arguments[4]);
    double seconds;
    x->end = atof(arguments[3]);
    olo_status status = olo_model_read(arguments[1], &n, settings, &x->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x->system, &x->start, NULL, error);
    if (status == OLO_OK)
        status = olo_state_clone(x->start, &x->exact, error);
    if (status != OLO_OK)
        return status;
    const method first = {"variational", 6, false}, second = {"energy-momentum", 6, false};
    if (run_once(x, &first, step / 8, x->exact, &seconds, error) == OLO_OK)
        return OLO_OK;
    return run_once(x, &second, step / 8, x->exact, &seconds, error);
}

int main(int argc, char **argv)
{
    bench x = {0};
    olo_error error = {0};
    if (argc < 5) {
        fprintf(stderr, "usage: precision MODEL N|- END STEP\n");
        return 2;
    }
    const olo_status status = open(&x, argv, &error);
    if (status != OLO_OK)
        fprintf(stderr, "precision: %s\n", error.text);
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS && status == OLO_OK; i++)
        for (int k = 0; k < HALVINGS; k++)
            measure(&x, &METHODS[i],
                    METHODS[i].adaptive ? pow(10, -2 - k)
                                        : ldexp(atof(argv[4]), METHODS[i].order / 2 + 1 - k));
    olo_state_free(x.exact);
    olo_state_free(x.start);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status != OLO_OK;
}
