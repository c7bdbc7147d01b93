/* Moreau's midpoint rule (Moeller 2011, 5.3 to 5.8):
 *
 *     q_M = q0 + h/2 v0,
 *     M (v1 - v0) = h f(q_M, v0) + G^T s + W^T Lambda,     G(q_M) v1 = 0,
 *     gamma_1 + e gamma_0 in N(-Lambda) for contacts with g_N(q_M) <= 0,
 *     q1 = q_M + h/2 v1.
 *
 * Forces are explicit; constraints and contacts hold on velocities only, so that positions drift.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "contact/contact_step.h"
#include "system/interval.h"
#include "system/mass_function.h"

/* The impulse of all forces over the step, at its explicit midpoint, into f[n]. */
static void add_forces(olo_contact_step *x, const olo_interval *over, double *f)
{
    const olo_system *s = x->system;
    double *r = x->local;
    for (int p = 0; p < s->term_count + s->action_count; p++) {
        const bool term = p < s->term_count;
        const int *index = olo_piece_index(s, p);
        if (term)
            (void)olo_evaluate_term(&(olo_evaluation){.midpoint = true}, &s->terms[p], over, r,
                                    NULL);
        else
            olo_evaluate_action(&s->actions[p - s->term_count], over, r, NULL);
        for (int k = 0; k < olo_piece_size(s, p); k++)
            f[index[k]] += (term ? -over->h : over->h) * r[k];
    }
    for (int e = 0; e < s->mass_function_count; e++)
        olo_mass_function_add_inertia(&s->mass_functions[e], -over->h, over->qm, x->v, f);
}

/* The interval with the velocity of the start; its midpoint is q_M. */
static olo_interval explicit_interval(olo_contact_step *x, double h)
{
    olo_smooth *s = &x->newton.smooth;
    for (int i = 0; i < x->system->n; i++) {
        s->dq[i] = h * x->v[i];
        s->qm[i] = x->q[i] + 0.5 * s->dq[i];
        s->q1[i] = x->q[i] + s->dq[i];
    }
    s->t = x->t;
    s->h = h;
    s->q0 = x->q;
    s->angles = x->angles;
    s->inputs = x->inputs;
    s->remainder = x->q_remainder;
    return olo_smooth_interval(s);
}

/* Which contacts slide or stick, for the record. */
static void set_status(olo_contact_step *x, const olo_at *at)
{
    const double zero = olo_contact_zero(x->system, x->v);
    for (int c = 0; c < x->system->contact_count; c++) {
        const olo_contact_point *contact = &x->system->contacts[c];
        bool still = true;
        for (int i = 0; i < contact->sliding_count; i++)
            still = still && fabs(olo_frozen_rate(at, &contact->sliding[i], x->v)) <= zero;
        const bool open = olo_contact_has_gap(contact) && x->account[c].lambda[0] <= 0;
        x->newton.mode[c].status = open    ? OLO_CONTACT_OPEN
                                   : still ? OLO_CONTACT_STICKING
                                           : OLO_CONTACT_SLIDING;
    }
}

olo_status olo_contact_make_moreau(olo_contact_step *x, double h, olo_error *error)
{
    const olo_system *s = x->system;
    const int n = s->n;
    olo_smooth *smooth = &x->newton.smooth;
    olo_jump jump;
    olo_contact_step_begin(x);
    const olo_interval over = explicit_interval(x, h);
    const olo_at middle = {.q = smooth->qm, .angles = x->angles, .t = x->t + 0.5 * h};
    for (int c = 0; c < s->contact_count; c++)
        smooth->active[c] = olo_contact_gap(x, c, smooth->qm, middle.t) <= 0;
    /* forces and bilateral rows */
    double *f = x->force;
    memset(f, 0, (size_t)n * sizeof *f);
    add_forces(x, &over, f);
    olo_status status = olo_impact_reserve(&x->impact, smooth->active, error);
    if (status == OLO_OK)
        status = olo_frozen_begin(&x->impact.frozen, &middle, error);
    if (status != OLO_OK)
        return status;
    x->impact.frozen.form->push(&x->impact.frozen, &middle, f, x->v, x->rows);
    /* contacts */
    olo_impact_with_forces(&x->impact, &middle, h, smooth->active, x->v_begin, x->v, x->account,
                           x->rows, &jump);
    if (!jump.converged) {
        olo_contact_step_restore(x, x->t);
        return olo_fail(error, OLO_NOT_CONVERGED, "contact impulses were not found");
    }
    set_status(x, &middle);
    jump.happened = true; /* the bilateral rows, too */
    olo_contact_step_report(x, smooth->qm, &jump);
    if (x->observe)
        x->observe(x->context, smooth);
    for (int i = 0; i < n; i++)
        smooth->dq[i] = 0.5 * h * (x->v_begin[i] + x->v[i]);
    olo_contact_step_move(x, smooth->dq);
    x->t += h;
    x->report.iterations = x->report.parts = 1;
    olo_contact_step_finish(x);
    return OLO_OK;
}
