/* Refinement of an optimum; see the header. */
#include "control/refinement.h"

#include <math.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "control/optimum.h"

/* Small steps per interval of the comparison: its error is a thousandth of the distance. */
enum { SUBSTEPS = 32, LEVELS_MAX = 32 };

int olo_optimum_level_count(const olo_optimum *o)
{
    return o->level_count;
}

olo_refinement_level olo_optimum_level(const olo_optimum *o, int index)
{
    return o->levels[index];
}

static bool is_solved(const olo_optimum *o)
{
    return o->report.solved == OLO_SOLVED || o->report.solved == OLO_SOLVED_NEARLY;
}

static olo_refinement_level level_of(const olo_optimum *o)
{
    olo_resimulation fine;
    const olo_status status = olo_optimum_resimulate(o, SUBSTEPS, &fine, NULL);
    return (olo_refinement_level){.intervals = olo_optimum_intervals(o),
                                  .iterations = olo_optimum_iterations(o),
                                  .cost = olo_optimum_cost(o),
                                  .seconds = olo_optimum_seconds(o),
                                  .position = status == OLO_OK ? fine.position : NAN,
                                  .rotation = status == OLO_OK ? fine.rotation : NAN};
}

static bool is_close(const olo_refinement_level *level, double tolerance)
{
    return level->position <= tolerance && level->rotation <= tolerance;
}

/* Two halves of every interval; NULL without memory. */
static double *halve_grid(const olo_optimum *o)
{
    const int N = o->problem->intervals;
    double *halves = olo_alloc(2 * (size_t)N, sizeof *halves);
    for (int k = 0; halves && k < N; k++)
        halves[2 * k] = halves[2 * k + 1] = o->problem->part[k];
    return halves;
}

olo_status olo_refinement_check(const olo_problem_refinement *given, olo_error *error)
{
    const olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_REFINEMENT, error);
    if (status == OLO_OK && (!(given->tolerance > 0) || given->most < 1))
        return olo_fail(error, OLO_BAD_INPUT,
                        "refine: the tolerance and the most intervals must be positive");
    return status;
}

olo_status olo_optimum_refine(olo_optimum **optimum, const olo_system *system,
                              const olo_problem *problem, const olo_optimize_observer *observer,
                              olo_error *error)
{
    const olo_problem_refinement *given = problem->refine;
    olo_problem next = *problem;
    olo_status status = OLO_OK;
    olo_refinement_level *levels = olo_alloc(LEVELS_MAX, sizeof *levels);
    int count = 0;
    if (status == OLO_OK && !levels)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the refinement of an optimum");
    next.warm = true;
    next.shift = 0;
    while (status == OLO_OK && is_solved(*optimum)) {
        levels[count] = level_of(*optimum);
        next.intervals = 2 * levels[count].intervals;
        if (is_close(&levels[count++], given->tolerance) || next.intervals > given->most ||
            count == LEVELS_MAX)
            break;
        olo_optimum *fine;
        double *halves = halve_grid(*optimum);
        if (!halves) {
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a refinement");
            break;
        }
        next.grid = halves;
        next.grid_count = next.intervals;
        next.grading = 1;
        next.start = *optimum;
        status = olo_optimum_prepare(system, &next, &fine, error);
        olo_free(halves);
        if (status != OLO_OK)
            break;
        status = olo_optimum_solve(fine, &next, observer, error);
        const bool better = status == OLO_OK && is_solved(fine);
        olo_optimum_free(better ? *optimum : fine);
        if (!better)
            break;
        *optimum = fine;
    }
    if (status != OLO_OK) {
        olo_free(levels);
        return status;
    }
    (*optimum)->levels = levels;
    (*optimum)->level_count = count;
    return OLO_OK;
}
