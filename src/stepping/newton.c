/* The Newton iteration of a step.
 *
 * It stops when the last scaled update is below
 *
 *       tolerance * min(size of the increment of the step, 1):
 *
 * the remaining error is then about its square. Near round-off, where updates no longer decrease, a
 * residual at the level of round-off of its terms is accepted. */
#include <math.h>

#include "base/fail.h"
#include "stepping/step.h"

/* A residual that is this small relative to its terms is round-off. */
static const double residual_floor = 1e-12;
/* With an incomplete tangent convergence is linear: the last update itself must be at round-off. */
static const double linear_tolerance = 1e-14;
/* Permitted error after an update with an older tangent. */
static const double rounding = 1e-16;
/* What moves by less in a step (model lengths, radians) is at rest. */
static const double smallest_motion = 1e-20;
/* After a larger update (model lengths, radians) the iteration has diverged. */
static const double largest_update = 1e8;

static void record_update(olo_stepper *x, double increment)
{
    const int capacity = (int)(sizeof x->history / sizeof *x->history);
    if (x->history_count < capacity)
        x->history[x->history_count++] = increment;
}

static bool converged(const olo_stepper *x, const olo_newton *now, double before)
{
    const double bound = fmin(fmax(now->size, smallest_motion), 1.0);
    if (now->unloaded)
        return false;
    if (now->left > 0 && now->left <= rounding * bound)
        return true;
    if (x->quadratic && now->left == 0 && now->increment <= x->tolerance * bound)
        return true;
    /* of a first update nothing is measured */
    const bool open = x->scheme->consistent && before == HUGE_VAL &&
                      now->turn * now->turn * now->increment > rounding * bound;
    if (now->increment <= linear_tolerance * bound && !open)
        return true;
    /* updates no longer decrease: this is round-off if the residual is small */
    return now->increment > 0.5 * before && now->residual <= residual_floor;
}

/* A Newton iteration whose updates are not finite, or too large to converge. */
static olo_status fail_divergence(const olo_stepper *x, double increment, olo_error *error)
{
    return olo_fail(error, OLO_NOT_FINITE, "Newton iteration %s at t = %.9g ('%s')",
                    isfinite(increment) ? "diverged" : "produced NaN", x->step.t,
                    x->system->nodes[x->worst].name);
}

static olo_status iterate(olo_stepper *x, olo_error *error)
{
    double before = HUGE_VAL, share_before = 0;
    olo_newton now = {0};
    x->history_count = 0;
    for (int i = 0; i < x->iterations; i++) {
        olo_status status = x->treatment->iterate(x->data, &x->step, &now, error);
        x->report.iterations++;
        x->report.residual = now.residual;
        x->worst = now.worst;
        if (status != OLO_OK)
            return status;
        record_update(x, now.increment);
        if (!isfinite(now.increment) || now.increment > largest_update)
            return fail_divergence(x, now.increment, error);
        if (now.turn > OLO_HALF_TURN)
            return olo_fail(error, OLO_NOT_CONVERGED,
                            "a body or rod turns by half a turn in the step");
        /* linear or quadratic convergence, as it is measured; by mixed updates it varies */
        if (x->scheme->consistent && i > 0) {
            const double share = olo_newton_share(&now, before, i == 1);
            now.left = (now.mixed && share < share_before ? share_before : share) * now.increment;
            share_before = now.increment / before;
        }
        if (converged(x, &now, before))
            return OLO_OK;
        before = now.increment;
    }
    return olo_fail(error, OLO_NOT_CONVERGED, "Newton iteration did not converge in %d iterations",
                    x->iterations);
}

olo_status olo_stepper_solve(olo_stepper *x, double predictor, olo_error *error)
{
    x->treatment->predict(x->data, &x->step, predictor);
    for (int count = 1;; count++) {
        olo_status status = iterate(x, error);
        x->report.passes++;
        if (status != OLO_OK || !x->treatment->pass)
            return status;
        olo_pass pass = x->treatment->pass(x->data, &x->step, count, error);
        if (pass == OLO_PASS_DONE)
            return OLO_OK;
        if (pass == OLO_PASS_FAILED)
            return OLO_NOT_CONVERGED;
        if (pass == OLO_PASS_NO_SOLUTION) {
            x->unsolvable = true;
            return OLO_NOT_CONVERGED;
        }
    }
}
