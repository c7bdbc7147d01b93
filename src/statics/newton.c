/* Newton's iteration with a line search from a rough guess, at one load. The increment dq of the
 * iteration is its own measure: a step of length s is accepted if the next increment is shorter,
 *
 *     |dq(q + s dq)| <= (1 - s/4) |dq(q)|,        s = 1, 1/2, 1/4, ...
 *
 * This measure does not depend on the units of forces. The equilibrium may be unstable: Newton's
 * iteration finds minima and saddle points of the potential alike. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "statics/search.h"

/* Longest step in model lengths and radians. */
static const double longest = 0.5;
static const double shortest = 1e-5; /* of s */

/* Factors the tangent at the state and solves for the increment. */
static olo_status solve(olo_search *x, double load, double *size, olo_error *error)
{
    olo_status status = olo_search_check_interrupt(x, error);
    if (status == OLO_OK)
        status = olo_search_factor(x, load, error);
    if (status != OLO_OK)
        return status;
    x->summary->iterations++;
    olo_static_solve(x->balance);
    *size = x->balance->size;
    return isfinite(*size) ? OLO_OK
                           : olo_fail(error, OLO_NOT_FINITE, "the increment is not finite");
}

/* One accepted step along `direction`; `size` becomes the size of the next increment, which is in
 * the balance. */
static olo_status search_line(olo_search *x, double load, const double *direction, double *size,
                              olo_error *error)
{
    const size_t bytes = (size_t)x->balance->changes * sizeof *direction;
    const double whole = *size;
    olo_status status = OLO_NOT_CONVERGED;
    for (double s = whole > longest ? longest / whole : 1; s >= shortest; s *= 0.5) {
        memcpy(x->balance->change, direction, bytes);
        olo_static_move(x->balance, s);
        status = solve(x, load, size, error);
        if (status == OLO_INTERRUPTED || (status == OLO_OK && *size <= (1 - 0.25 * s) * whole))
            return status;
        if (status == OLO_OK && olo_search_converged(x, *size, whole))
            return OLO_OK;
        olo_search_restore(x);
        olo_static_set_configuration(x->balance);
        x->summary->cutbacks++;
    }
    *size = whole;
    return olo_fail(
        error, OLO_NOT_CONVERGED,
        "no equilibrium found near this guess: the last increment is %.3g model lengths "
        "or radians, at '%s'",
        whole, x->system->nodes[x->balance->worst].name);
}

olo_status olo_search_newton(olo_search *x, double load, olo_error *error)
{
    const int iterations = 500;
    double *direction = olo_alloc((size_t)x->balance->changes, sizeof *direction), size = 0;
    if (!direction)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    x->balance->predicted = false;
    olo_status status = solve(x, load, &size, error);
    double before = HUGE_VAL;
    bool found = false;
    for (int i = 0; status == OLO_OK && !found && i < iterations; i++) {
        memcpy(direction, x->balance->change, (size_t)x->balance->changes * sizeof *direction);
        found = olo_search_converged(x, size, before);
        before = size;
        olo_search_save(x);
        if (found)
            olo_static_move(x->balance, 1.0);
        else
            status = search_line(x, load, direction, &size, error);
    }
    olo_free(direction);
    if (status == OLO_OK && !found)
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "no equilibrium found in %d iterations: the last increment is %.3g model "
                        "lengths or radians, at '%s'",
                        iterations, size, x->system->nodes[x->balance->worst].name);
    return status == OLO_OK ? olo_search_judge(x, load, error) : status;
}
