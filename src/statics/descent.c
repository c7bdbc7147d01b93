/* Descent to a stable equilibrium under the full load: (K + sigma M) dq = -r, the gradient flow of
 * the potential in the metric of the mass, by linearly implicit Euler steps of length 1/sigma.
 * sigma is large enough that K + sigma M is positive definite, so that every step decreases the
 * potential. It decreases where steps are short, until the iteration is that of Newton. */
#include <math.h>

#include "base/fail.h"
#include "statics/search.h"

/* Longest step in model lengths and radians. */
static const double longest = 0.2;
/* The smallest ratio of sigma to the largest stiffness: with it the iteration is practically that
 * of Newton, but directions without stiffness remain regular. */
static const double least = 1e-11;
/* A step below this is zero, whatever sigma is. */
static const double negligible = 1e-15;
static const double slower = 4, faster = 0.25;

/* Increases sigma until K + sigma M is positive definite. */
static olo_status factor(olo_search *x, double load, double *sigma, olo_error *error)
{
    const int attempts = 60;
    for (int i = 0; i < attempts; i++, *sigma *= slower) {
        olo_status status = olo_search_check_interrupt(x, error);
        if (status == OLO_INTERRUPTED)
            return status;
        status = olo_static_factor(x->balance, load, *sigma, error);
        if (status == OLO_OK && olo_elimination_count_negative(x->balance->elimination) == 0)
            return OLO_OK;
        if (status == OLO_NO_MEMORY)
            return status;
    }
    return olo_fail(error, OLO_SINGULAR, "no direction of descent found");
}

static olo_status descend(olo_search *x, double load, olo_error *error)
{
    const int iterations = 2000;
    double size, sigma = 0, before = HUGE_VAL, moved = 0;
    /* the scale of sigma, which is known also for a singular tangent */
    (void)olo_static_factor(x->balance, load, 0.0, NULL);
    sigma = x->balance->stiff;
    x->summary->stayed = true;
    if (!(sigma > 0))
        return OLO_OK; /* there are no forces */
    for (int i = 0; i < iterations; i++) {
        /* a step with K + sigma M positive definite, of bounded length */
        olo_status status = factor(x, load, &sigma, error);
        x->summary->iterations++;
        if (status == OLO_OK)
            status = olo_search_move(x, longest, &size, error);
        if (status != OLO_OK)
            return status;
        moved += fmin(size, longest);
        x->summary->stayed = moved <= x->options->tolerance;
        /* converged at a point without force, or with the smallest sigma */
        if (size <= negligible) /* also at a maximum of the potential */
            return OLO_OK;
        if (sigma <= slower * least * x->balance->stiff && olo_search_converged(x, size, before))
            return OLO_OK;
        /* adapt sigma to the length of the step */
        sigma = size > longest ? slower * sigma : fmax(faster * sigma, least * x->balance->stiff);
        before = size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED,
                    "the descent did not converge in %d steps, worst at '%s'", iterations,
                    x->system->nodes[x->balance->worst].name);
}

olo_status olo_search_relax(olo_search *x, double load, olo_error *error)
{
    olo_status status = descend(x, load, error);
    return status == OLO_OK ? olo_search_judge(x, load, error) : status;
}

olo_status olo_search_descend(olo_search *x, double load, olo_error *error)
{
    olo_error cause = {0};
    olo_status status = olo_search_relax(x, load, &cause);
    if (status == OLO_OK)
        return olo_search_accept(x, load, error);
    if (status == OLO_INTERRUPTED)
        return olo_fail(error, status, "interrupted during the descent: no equilibrium found yet");
    return olo_fail(error, cause.status,
                    "the system has no equilibrium near the initial state: %.400s", cause.text);
}
