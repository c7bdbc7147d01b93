/* The cost of one rigid body: steps a model of the catalogue and prints steps, Newton iterations and CPU seconds.
 *
 *     rigid_body MODEL STEPS step|watch|record [TREATMENT]
 *
 * `step` only steps; `watch` also evaluates the ledger and judges what is conserved after every step; `record` is
 * what `oloid run` does: it records every step into a file as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"

typedef struct scene {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_run run;
} scene;

static olo_status open_scene(const char *name, const char *treatment, long steps, scene *x,
                             olo_error *error)
{
    olo_status status = olo_model_read(name, NULL, 0, &x->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, error);
    if (status == OLO_OK)
        status = olo_system_initial_state(x->system, &x->state, NULL, error);
    if (status != OLO_OK)
        return status;
    x->run = *olo_model_run(x->model);
    x->run.constraints = treatment;
    x->run.end = x->run.step * (double)steps;
    return OLO_OK;
}

static void close_scene(scene *x)
{
    olo_state_free(x->state);
    olo_system_free(x->system);
    olo_model_free(x->model);
}

static olo_status measure(scene *x, const char *mode, olo_run_summary *summary, olo_error *error)
{
    static const char path[] = "bench-rigid-body.h5";
    olo_recorder *recorder = NULL;
    if (strcmp(mode, "step") == 0)
        return olo_simulate(x->system, &x->run, x->state, NULL, 0, summary, error);
    olo_status status = olo_recorder_create(strcmp(mode, "record") == 0 ? path : NULL, x->model,
                                            x->system, &x->run, "", &recorder, error);
    if (status != OLO_OK)
        return status;
    olo_observer observer = olo_recorder_observer(recorder);
    status = olo_simulate(x->system, &x->run, x->state, &observer, 1, summary, error);
    if (status == OLO_OK)
        status = olo_recorder_finish(recorder, summary, status, error);
    olo_recorder_free(recorder);
    (void)remove(path);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: rigid_body MODEL STEPS step|watch|record [TREATMENT]\n");
        return 2;
    }
    scene x = {0};
    olo_error error = {0};
    olo_run_summary summary = {0};
    olo_status status =
        open_scene(argv[1], argc > 4 ? argv[4] : "reduced", atol(argv[2]), &x, &error);
    double cpu = olo_cpu_seconds();
    if (status == OLO_OK)
        status = measure(&x, argv[3], &summary, &error);
    cpu = olo_cpu_seconds() - cpu;
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", summary.steps, summary.iterations, cpu);
    else
        fprintf(stderr, "rigid_body: %s\n", error.text);
    close_scene(&x);
    return status == OLO_OK ? 0 : 1;
}
