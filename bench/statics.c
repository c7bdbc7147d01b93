/* Cost of an equilibrium: the model with n elements under its full load, by Newton's iteration from
 * its initial state or along the path. Prints equilibria, Newton iterations and CPU seconds.
 *
 *     statics MODEL N newton|path|arc LOAD
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "oloid/model.h"
#include "oloid/statics.h"

typedef struct search {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_equilibrium_summary summary;
    double cpu;
} search;

static olo_status find(search *x, char **argv, olo_error *error)
{
    const olo_setting setting = {"n", argv[2]};
    const bool arc = strcmp(argv[3], "arc") == 0;
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.method = arc ? "path" : argv[3];
    options.arc = arc;
    options.end = atof(argv[4]);
    options.steps = 10000;
    olo_status status = olo_model_read(argv[1], &setting, 1, &x->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x->system, &x->state, NULL, error);
    if (status != OLO_OK)
        return status;
    const double begin = olo_cpu_seconds();
    status = olo_find_equilibrium(x->system, &options, x->state, NULL, 0, &x->summary, error);
    x->cpu = olo_cpu_seconds() - begin;
    return status;
}

int main(int argc, char **argv)
{
    search x = {0};
    olo_error error = {0};
    if (argc < 5) {
        fprintf(stderr, "usage: statics MODEL N newton|path|arc LOAD\n");
        return 2;
    }
    const olo_status status = find(&x, argv, &error);
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", x.summary.steps, x.summary.iterations, x.cpu);
    else
        fprintf(stderr, "%s: %s\n", argv[1], error.text);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
    return status == OLO_OK ? 0 : 1;
}
