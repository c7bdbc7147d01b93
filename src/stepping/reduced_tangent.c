/* Which tangent the next iteration of the treatment `reduced` uses, and what the iteration leaves.
 *
 * An iteration with the tangent of an earlier one costs about half. It leaves of its update the
 * share
 *
 *     (h w)^2/4 + lag * reach,
 *
 * the first term with consistent velocities only, whose load the tangent lacks (reduced_rates.h),
 * `reach` the sum of the updates since the tangent. The lag is measured and remembered. */
#include <math.h>

#include "base/extreme.h"
#include "stepping/reduced_private.h"

/* The errors that this iteration leaves in the velocities: they follow the update, but not its
 * rotation, and their last correction was by factors of an iterate that is `behind` by the updates
 * since then. What it has left is at most its ratio to the correction before it. */
static void find_errors_of_rates(reduced *x, olo_newton *newton)
{
    const double change_of_mass = 100; /* of the factors, relative to such an update */
    olo_reduced_rates *rates = x->rates;
    double share = change_of_mass * rates->behind;
    if (rates->correction_before > 0)
        share = olo_smaller(share, rates->correction / rates->correction_before);
    x->turned = x->packed || rates->known
                    ? newton->turn * newton->increment + share * rates->correction
                    : HUGE_VAL;
    rates->behind += newton->increment;
    x->behind = newton->increment + (x->older ? x->behind : 0);
    newton->behind = x->packed ? 0 : x->behind;
    newton->unloaded = !x->packed && !rates->known;
}

/* The contraction that the tangent at the solution would have: it lacks the variation of the load
 * (reduced_rates.h). */
static double least_contraction(double turn)
{
    return 0.25 * turn * turn;
}

static double round_off_of(double size)
{
    return 1e-16 * olo_smaller(size, 1.0);
}

/* The number of further iterations until an error is round-off, at most `many_iterations`. */
static const int many_iterations = 20;
static int iterations_left(double error, double contraction, double round_off)
{
    int count = 0;
    while (error > round_off && count < many_iterations) {
        error *= contraction;
        count++;
    }
    return count;
}

/* Whether the contraction by an older tangent can be measured: not where updates are too small to
 * change it, or no longer decrease because they are round-off. */
static bool measures_lag(const reduced *x, const olo_newton *newton)
{
    /* smaller reaches change no contraction that matters; faster than `slow` is no round-off */
    const double least_reach = 1e-8, noise = 1e-13 * olo_smaller(newton->size, 1.0), slow = 0.01;
    return x->lagging && x->behind > least_reach &&
           newton->increment > round_off_of(newton->size) &&
           (newton->increment > noise || newton->increment < slow * x->update);
}

/* Measures what the last iteration left of its update: the share of a first one; and the
 * contraction by an older tangent, which grows with the updates since. If it is hardly that of any
 * tangent, this is a bound. */
static void measure_contraction(reduced *x, const olo_newton *newton)
{
    const double clear = 4; /* times that of any tangent: not its own variation */
    if (!(x->update > 0))
        return;
    const double contraction = newton->increment / x->update,
                 least = least_contraction(newton->turn);
    if (x->update_before == 0) {
        x->measured_share = contraction;
    } else if (measures_lag(x, newton)) {
        if (contraction > clear * least)
            olo_raise(&x->measured_lag, (contraction - least) / x->behind);
        else
            x->lag = olo_smaller(x->lag, contraction / x->behind);
    }
}

/* Chooses what saves iterations: a new tangent, if that is one at least, which costs more than the
 * tangent does; and extrapolated updates, if the next one is not the last. */
static void plan(reduced *x, const olo_newton *newton)
{
    const double round_off = round_off_of(newton->size), least = least_contraction(newton->turn),
                 lag = olo_larger(x->lag, x->measured_lag), older = least + lag * x->behind,
                 share = x->update_before == 0 && x->share > 0 ? x->share : older,
                 error = share * newton->increment;
    const int with_older = iterations_left(error, older, round_off),
              with_new = iterations_left(error, least + lag * error, round_off);
    x->older = with_older <= with_new && with_older < many_iterations;
    x->rates->slow = (x->older ? with_older : with_new) > 1;
}

/* Decides whether the next iteration uses the present tangent, at about half the cost, by a plan
 * with consistent velocities in the general elimination, otherwise by bounds. Its residual and its
 * joint matrices are those of the new iterate, so that the solution does not change. If the left
 * pair is constant, the tangent changes only with the right pair; otherwise it is used in the last
 * iteration alone. The error after an update with an older tangent is the update times its ratio to
 * the previous update; the iteration ends when that is negligible. */
void olo_reduced_choose_tangent(reduced *x, const olo_step *step, olo_newton *newton)
{
    const double small = x->varied && !x->rates ? 1e-7 : 1e-3, largest_ratio = 0.05;
    const bool linear = x->older || (x->rates && x->update > 0);
    const bool older = x->older, planned = x->rates && !x->packed;
    double ratio = linear ? newton->increment / x->update : 0;
    if (planned)
        measure_contraction(x, newton);
    if (x->rates)
        find_errors_of_rates(x, newton);
    if (x->rates && linear)
        ratio = olo_newton_share(newton, x->update, x->update_before == 0);
    newton->left = ratio * newton->increment;
    x->update_before = x->update;
    x->update = newton->increment;
    x->moved = newton->size;
    x->count++;
    x->lagging = older;
    if (planned) {
        plan(x, newton);
        x->older = x->older && !step->closed;
        return;
    }
    if (x->rates)
        x->rates->slow = linear && newton->increment > largest_ratio * x->update_before;
    x->older = (x->rates || !(x->packed && (x->varied || olo_packs_have_closures(x->packs)))) &&
               !step->closed && newton->increment <= small && ratio <= largest_ratio;
}

/* Whether the first iterate of the next step does without its load: that is tried every `period`
 * steps, and done for as many if it took no more iterations than the last step with a load. */
static void decide_on_load(const reduced *x, olo_predictor_segment *memory)
{
    const int period = 16;
    if (x->skips_load && x->count > memory->count) {
        memory->skip_load = false;
        memory->waiting = period;
    } else if (x->skips_load) {
        memory->skip_load = --memory->waiting > 0;
    } else {
        memory->count = x->count;
        memory->skip_load = --memory->waiting <= 0;
        if (memory->skip_load)
            memory->waiting = period;
    }
}

/* Remembers what the iteration has shown of its convergence. Without older tangents the lag is not
 * measured: it fades, so that they are tried again. */
void olo_reduced_remember(const reduced *x, olo_predictor_segment *memory)
{
    const double fading = 0.9;
    memory->lag = x->measured_lag >= 0 ? x->measured_lag : fading * x->lag;
    memory->share = x->measured_share;
    if (!x->packs)
        decide_on_load(x, memory);
}
