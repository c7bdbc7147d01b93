/* Consistent steps with contacts; see the header. */
#include "contact/contact_step.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"

/* A located gap, relative to its unit; bracket of the time, relative to the step. */
static const double located_gap = 1e-14, located_time = 1e-13;
enum { TRIALS_MAX = 60, STALLED = 2 };
/* A part that ends before a jump of the gap has at least this fraction of the rest of the step. */
static const double least_part = 1e-3;
/* Joints may block the motion along a row: the tip of a stretched chain slides only as the chain
 * bends. Its step r is that of a mobility of this fraction of the contact's largest one; with no
 * bound rounding would decide whether the contact sticks. */
static const double blocked = 1e-3;

/* --- parts of a step --- */

static void find_active(olo_contact_step *x)
{
    for (int c = 0; c < x->system->contact_count; c++)
        x->newton.smooth.active[c] =
            x->met[c] || olo_contact_relative_gap(x, c, x->q, x->t) <= x->options.closed_gap;
}

/* The smallest relative gap at the end of the smooth part among contacts that do not act in it. */
static double smallest_gap(const olo_contact_step *x)
{
    const olo_smooth *s = &x->newton.smooth;
    double smallest = INFINITY;
    for (int c = 0; c < x->system->contact_count; c++)
        if (!s->active[c])
            smallest = fmin(smallest, olo_contact_relative_gap(x, c, s->q1, s->t + s->h));
    return smallest;
}

/* Pairs where the rates after the impact vanish; steps r of the proximal points; the status as the
 * rates suggest it. Resting contacts begin closed, so that rounding decides nothing. */
static void set_modes(olo_contact_step *x, double h)
{
    const olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    const double zero = olo_contact_zero(x->system, x->v);
    for (int c = 0; c < x->system->contact_count; c++) {
        const olo_contact_point *contact = &x->system->contacts[c];
        olo_contact_mode *mode = &x->newton.mode[c];
        if (!x->newton.smooth.active[c])
            continue;
        const double rate =
            olo_contact_has_gap(contact) ? olo_frozen_rate(&at, &contact->gap, x->v) : 0;
        mode->normal_pair = x->options.pairs && fabs(rate) <= zero;
        bool still = mode->normal_pair;
        for (int i = 0; i < contact->sliding_count; i++)
            if (fabs(olo_frozen_rate(&at, &contact->sliding[i], x->v)) > zero)
                still = false;
        mode->sliding_pair = still && olo_contact_sliding_is_linear(contact);
        mode->status = rate > zero ? OLO_CONTACT_OPEN
                       : still     ? OLO_CONTACT_STICKING
                                   : OLO_CONTACT_SLIDING;
        for (int k = 0; k < 2; k++) {
            const double *D = x->D + 2 * c, least = blocked * fmax(D[0], D[1]);
            mode->r[k] = least > 0 ? 2 / (h * fmax(D[k], least)) : 0;
        }
    }
}

/* The smooth part of length h, from x->q and x->v. */
static olo_status solve_smooth(olo_contact_step *x, double h, olo_error *error)
{
    olo_smooth *s = &x->newton.smooth;
    s->t = x->t;
    s->h = h;
    s->q0 = x->q;
    s->v0 = x->v;
    s->angles = x->angles;
    s->inputs = x->inputs;
    s->remainder = x->q_remainder;
    s->published = x->options.published;
    set_modes(x, h);
    const olo_status status = olo_smooth_newton_solve(&x->newton, error);
    x->report.iterations += x->newton.iterations;
    return status;
}

/* The bracket of the length at which the first gap closes: the gap is positive at `low`; at `high`
 * it is negative, or there is no solution (NaN). */
typedef struct bracket {
    double low, high, f_low, f_high;
    int side;        /* of the last trial: 1 low, -1 high */
    double smallest; /* size of a gap of all trials ... */
    int stalled;     /* ... and how many trials followed that have not halved it */
} bracket;

/* The next length by the method of false position (Illinois), or the middle: where it is of no use,
 * and where it does not make progress, as beside a kink of the gap or from one that is almost
 * closed. */
static double next_length(const bracket *b)
{
    const double t = (b->low * b->f_high - b->high * b->f_low) / (b->f_high - b->f_low);
    return b->stalled < STALLED && t > b->low && t < b->high ? t : 0.5 * (b->low + b->high);
}

/* Illinois: the value of an end that stays is halved. */
static void narrow(bracket *b, double t, double f)
{
    b->stalled = fabs(f) <= 0.5 * b->smallest ? 0 : b->stalled + 1;
    b->smallest = fmin(b->smallest, fabs(f));
    if (f >= 0) {
        b->low = t;
        b->f_low = f;
        b->f_high *= b->side == 1 ? 0.5 : 1;
        b->side = 1;
    } else {
        b->high = t;
        b->f_high = f;
        b->f_low *= b->side == -1 ? 0.5 : 1;
        b->side = -1;
    }
}

/* Finds the length at which the first gap closes, and leaves the smooth part of that length. The
 * gap may jump with the length where contacts change their status, or a trial may fail: then the
 * part ends before, without a contact that closes, and the rest of the step begins there. False if
 * no such part is long enough. */
static bool locate(olo_contact_step *x, double longest, double end_gap, double *length)
{
    bracket b = {.high = longest, .f_low = INFINITY, .f_high = end_gap};
    double f = end_gap;
    olo_error ignored;
    for (int c = 0; c < x->system->contact_count; c++)
        if (!x->newton.smooth.active[c])
            b.f_low = fmin(b.f_low, olo_contact_relative_gap(x, c, x->q, x->t));
    b.smallest = fmin(fabs(b.f_low), fabs(end_gap));
    *length = longest;
    for (int i = 0; i < TRIALS_MAX && b.high - b.low > located_time * longest; i++) {
        *length = next_length(&b);
        f = solve_smooth(x, *length, &ignored) == OLO_OK ? smallest_gap(x) : (double)NAN;
        if (fabs(f) <= located_gap)
            return true;
        narrow(&b, *length, f);
    }
    if (fabs(f) <= OLO_CLOSED_GAP)
        return true;
    if (b.low < least_part * longest)
        return false;
    const bool again = *length != b.low;
    *length = b.low;
    return !again || solve_smooth(x, b.low, &ignored) == OLO_OK;
}

/* Work of prescribed motions over the smooth part: -lambda (f1 - f0) - gamma (f1' - f0'). */
static void add_row_work(olo_contact_step *x)
{
    const olo_smooth *part = &x->newton.smooth;
    for (int r = 0; r < x->form.row_count; r++) {
        const olo_constraint *row = &x->system->constraints[x->row[r]];
        const double start = part->t, end = part->t + part->h;
        const double motion = olo_constraint_motion(row, end) - olo_constraint_motion(row, start);
        const double rate =
            olo_constraint_motion_rate(row, end) - olo_constraint_motion_rate(row, start);
        x->row_work[x->row[r]] -= (part->Lambda[r] * motion + part->Gamma[r] * rate) / part->h;
    }
}

/* Takes the end of the smooth part: configuration with its remainder, impulses, friction. */
static void accept(olo_contact_step *x)
{
    const olo_system *s = x->system;
    const olo_smooth *part = &x->newton.smooth;
    if (part->form->accept)
        part->form->accept(&x->newton.smooth);
    if (x->observe)
        x->observe(x->context, part);
    olo_contact_step_move(x, part->dq);
    if (x->form.settle)
        x->form.settle(x->form.data, x->q, x->q_remainder);
    memcpy(x->v, part->v1, (size_t)s->n * sizeof *x->v);
    add_row_work(x);
    for (int r = 0; r < x->form.row_count; r++)
        x->lambda[x->row[r]] += part->Lambda[r];
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]);
             part->active[c] && i <= s->contacts[c].sliding_count; i++) {
            x->account[c].lambda[i] += part->impulse[c].lambda[i];
            if (i > 0) {
                const double work =
                    part->impulse[c].lambda[i] * olo_smooth_over(part, c, i)->s / part->h;
                x->account[c].friction += work;
                x->report.friction -= work;
            }
        }
    x->t += part->h;
    x->report.parts++;
}

/* One part: impact, smooth part up to `longest` or to the first gap that closes, settling. */
static olo_status make_part(olo_contact_step *x, double longest, bool may_locate, double *length,
                            olo_error *error)
{
    const olo_at start = {.q = x->q, .angles = x->angles, .t = x->t};
    olo_jump jump;
    *length = longest;
    find_active(x);
    olo_status status =
        olo_impact_solve(&x->impact, &start, x->newton.smooth.active, &x->options.law, x->v,
                         x->account, x->rows, x->D, &jump, error);
    if (status != OLO_OK)
        return status;
    if (!jump.converged)
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "the impulses of an impact were not found, residual %.1e%s", jump.residual,
                        x->options.law.guard ? ""
                                             : "; Newton's law may have no solution, for "
                                               "which the scheme contact has a plastic impact");
    olo_contact_step_report(x, x->q, &jump);
    x->report.impacts += jump.happened;
    status = solve_smooth(x, longest, error);
    if (status != OLO_OK)
        return status;
    const double end_gap = smallest_gap(x);
    if (end_gap < -OLO_CLOSED_GAP && may_locate && locate(x, longest, end_gap, length)) {
        for (int c = 0; c < x->system->contact_count; c++)
            if (!x->newton.smooth.active[c] &&
                olo_contact_relative_gap(x, c, x->newton.smooth.q1, x->t + *length) <=
                    OLO_CLOSED_GAP)
                x->met[c] = true;
    } else if (end_gap < -OLO_CLOSED_GAP) {
        *length = longest;
        status = may_locate ? solve_smooth(x, longest, error) : OLO_OK;
    }
    if (status != OLO_OK)
        return status;
    accept(x);
    const olo_at end = {.q = x->q, .angles = x->angles, .t = x->t};
    if (x->options.pairs)
        status = olo_impact_settle(&x->impact, &end, &x->newton, x->v, x->account, x->rows, &jump,
                                   error);
    if (x->options.pairs)
        olo_contact_step_report(x, x->q, &jump);
    return status;
}

/* --- the step --- */

olo_status olo_contact_make_consistent(olo_contact_step *x, double h, olo_error *error)
{
    const double t_begin = x->t;
    const int events = x->options.located ? x->system->contact_count + 2 : 0;
    double left = h;
    olo_status status = OLO_OK;
    olo_contact_step_begin(x);
    for (int i = 0; status == OLO_OK && left > located_time * h; i++) {
        double length;
        status = make_part(x, left, i < events, &length, error);
        left = length < left ? left - length : 0;
    }
    if (status == OLO_OK)
        olo_contact_step_finish(x);
    else
        olo_contact_step_restore(x, t_begin);
    return status;
}
