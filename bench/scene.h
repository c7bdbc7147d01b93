/* Common part of the benchmarks of models: runs a model of the catalogue for a number of steps and
 * prints steps, Newton iterations and CPU seconds.
 *
 * Mode `step` performs steps only; `ledger` also evaluates the ledger and the verdict after every
 * step; `record` also writes a result file, as `oloid run` does. */
#ifndef OLO_BENCH_SCENE_H
#define OLO_BENCH_SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"

typedef struct scene {
    const char *model_name, *mode, *treatment;
    const char *n;      /* parameter n, or NULL */
    const char *scheme; /* or NULL: the model's */
    double step;        /* or 0: the model's */
    long steps;
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_run run;
    olo_run_summary summary;
} scene;

static olo_status scene_open(scene *x, olo_error *error)
{
    const olo_setting setting = {"n", x->n};
    olo_status status = olo_model_read(x->model_name, &setting, x->n ? 1 : 0, &x->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x->system, &x->state, NULL, error);
    if (status != OLO_OK)
        return status;
    x->run = *olo_model_run(x->model);
    x->run.constraints = x->treatment;
    if (x->scheme)
        x->run.scheme = x->scheme;
    if (x->step > 0)
        x->run.step = x->step;
    x->run.end = x->run.step * (double)x->steps;
    return OLO_OK;
}

static inline olo_status scene_measure(scene *x, olo_error *error)
{
    static const char path[] = "bench.h5";
    olo_recorder *recorder = NULL;
    if (strcmp(x->mode, "step") == 0)
        return olo_simulate(x->system, &x->run, x->state, NULL, 0, &x->summary, error);
    olo_status status = olo_recorder_create(strcmp(x->mode, "record") == 0 ? path : NULL, x->model,
                                            x->system, &x->run, "", &recorder, error);
    if (status != OLO_OK)
        return status;
    olo_observer observer = olo_recorder_observer(recorder);
    status = olo_simulate(x->system, &x->run, x->state, &observer, 1, &x->summary, error);
    if (status == OLO_OK)
        status = olo_recorder_finish(recorder, &x->summary, status, error);
    olo_recorder_free(recorder);
    (void)remove(path);
    return status;
}

/* Runs the scene, prints the measurement and frees everything. Returns the exit code of main. */
static inline int scene_run(scene *x)
{
    olo_error error = {0};
    olo_status status = scene_open(x, &error);
    double cpu = olo_cpu_seconds();
    if (status == OLO_OK)
        status = scene_measure(x, &error);
    cpu = olo_cpu_seconds() - cpu;
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", x->summary.steps, x->summary.iterations, cpu);
    else
        fprintf(stderr, "%s: %s\n", x->model_name, error.text);
    olo_state_free(x->state);
    olo_system_free(x->system);
    olo_model_free(x->model);
    return status == OLO_OK ? 0 : 1;
}

#endif
