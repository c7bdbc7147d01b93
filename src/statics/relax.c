/* Sliding down into a stable equilibrium under the full load: (K + sigma M) dq = -r, the gradient
 * flow of the potential in the metric of the mass, by linearly implicit Euler steps of length
 * 1/sigma. sigma keeps K + sigma M positive, so that every step goes down; it falls where steps are
 * short, until Newton is left. */
#include <math.h>

#include "base/fail.h"
#include "statics/search.h"

/* Longest step in model lengths and radians. */
static const double longest = 0.2;
/* sigma over the largest stiffness: the least, which leaves Newton but holds directions that
 * nothing else does. */
static const double least = 1e-11;
/* A step below this is none, whatever sigma is. */
static const double standing = 1e-15;
static const double slower = 4, faster = 0.25;

/* A sigma, from the given one on, with which no direction goes up. */
static olo_status factor(olo_search *x, double load, double *sigma, olo_error *error)
{
    const int attempts = 60;
    for (int i = 0; i < attempts; i++, *sigma *= slower) {
        olo_status status = olo_search_ask(x, error);
        if (status == OLO_INTERRUPTED)
            return status;
        status = olo_static_factor(x->rest, load, *sigma, error);
        if (status == OLO_OK && olo_elimination_count_negative(x->rest->elimination) == 0)
            return OLO_OK;
        if (status == OLO_NO_MEMORY)
            return status;
    }
    return olo_fail(error, OLO_SINGULAR, "no way down from here");
}

static olo_status slide(olo_search *x, double load, olo_error *error)
{
    const int iterations = 2000;
    double size, sigma = 0, before = HUGE_VAL, moved = 0;
    /* the scale of sigma; a tangent that is singular has one all the same */
    (void)olo_static_factor(x->rest, load, 0.0, NULL);
    sigma = x->rest->stiff;
    x->summary->stayed = true;
    if (!(sigma > 0))
        return OLO_OK; /* no force at all */
    for (int i = 0; i < iterations; i++) {
        olo_status status = factor(x, load, &sigma, error);
        x->summary->iterations++;
        if (status == OLO_OK)
            status = olo_search_move(x, longest, &size, error);
        if (status != OLO_OK)
            return status;
        moved += fmin(size, longest);
        x->summary->stayed = moved <= x->options->tolerance;
        if (size <= standing) /* on a summit, too */
            return OLO_OK;
        if (sigma <= slower * least * x->rest->stiff && olo_search_converged(x, size, before))
            return OLO_OK;
        sigma = size > longest ? slower * sigma : fmax(faster * sigma, least * x->rest->stiff);
        before = size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED, "it still slides after %d steps, most at '%s'",
                    iterations, x->system->nodes[x->rest->worst].name);
}

olo_status olo_search_relax(olo_search *x, double load, olo_error *error)
{
    olo_status status = slide(x, load, error);
    if (status == OLO_OK)
        status = olo_search_judge(x, load, error);
    if (status == OLO_OK)
        return olo_search_accept(x, load, error);
    if (status == OLO_INTERRUPTED)
        return olo_fail(error, status, "interrupted while it slides down: no equilibrium yet");
    olo_error cause = *error;
    return olo_fail(error, cause.status, "the system has no equilibrium near the start: %.400s",
                    cause.text);
}
