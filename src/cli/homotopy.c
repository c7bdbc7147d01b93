/* A problem with several values of a parameter; see the header. */
#include "cli/homotopy.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

bool cli_homotopy_read(const char *text, cli_homotopy *x)
{
    *x = (cli_homotopy){0};
    if (!text)
        return true;
    x->text = olo_strdup(text);
    x->steps = olo_alloc(CLI_HOMOTOPY_MAX, sizeof *x->steps);
    char *next = x->text && x->steps ? strchr(x->text, '=') : NULL;
    x->name = x->text;
    while (next && x->count < CLI_HOMOTOPY_MAX) {
        *next++ = '\0';
        x->values[x->count++] = next;
        next = strchr(next, ',');
    }
    for (int i = 0; i < x->count; i++)
        if (x->values[i][0] == '\0')
            return false;
    return x->count > 0 && x->name[0] != '\0' && !next;
}

static olo_status solve_step(const cli_homotopy *x, int i, const olo_optimize_observer *observer,
                             const olo_problem *options, olo_error *error)
{
    cli_homotopy_step *step = &x->steps[i];
    olo_problem problem = *olo_model_problem(step->loaded.model);
    olo_status status = OLO_OK;
    problem.intervals = options->intervals;
    problem.iterations = options->iterations;
    problem.seconds = options->seconds;
    problem.linear_solver = options->linear_solver;
    problem.refinement_count = 0;
    if (i == 0)
        status = olo_model_read_guess(step->loaded.model, step->loaded.system, &problem,
                                      &step->guess, error);
    problem.guess_file = NULL;
    problem.start = i > 0 ? x->steps[i - 1].optimum : NULL;
    problem.warm = i > 0;
    if (status == OLO_OK)
        status = olo_optimize(step->loaded.system, &problem, observer, &step->optimum, error);
    if (status == OLO_OK && olo_optimum_ended(step->optimum) > OLO_OPTIMUM_NEARLY)
        status = olo_fail(
            error,
            olo_optimum_ended(step->optimum) == OLO_OPTIMUM_STOPPED ? OLO_INTERRUPTED
                                                                    : OLO_NOT_CONVERGED,
            "homotopy: %s = %s: %s", x->name, x->values[i], olo_optimum_explanation(step->optimum));
    return status;
}

olo_status cli_homotopy_solve(cli_homotopy *x, const char *file, const cli_list *set,
                              const olo_optimize_observer *observer, bool quiet,
                              olo_problem *problem, olo_error *error)
{
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < x->count - 1; i++) {
        const olo_setting setting = {x->name, x->values[i]};
        status = cli_load(file, set, &setting, 1, &x->steps[i].loaded, error);
        if (status == OLO_OK)
            status = solve_step(x, i, observer, problem, error);
        if (status != OLO_OK)
            break;
        const olo_optimum *o = x->steps[i].optimum;
        if (!quiet)
            (void)printf("  %s = %-10s  cost %.12g, %d iterations\n", x->name, x->values[i],
                         olo_optimum_cost(o), olo_optimum_iterations(o));
        problem->start = o;
        problem->warm = true;
    }
    return status;
}

void cli_homotopy_free(cli_homotopy *x)
{
    for (int i = 0; i < x->count; i++) {
        olo_optimum_free(x->steps[i].optimum);
        olo_guess_free(x->steps[i].guess);
        cli_unload(&x->steps[i].loaded);
    }
    olo_free(x->steps);
    olo_free(x->text);
}
