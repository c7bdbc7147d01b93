/* What all steps with contacts share: the workspace, the report, the start and the end of a step.
 */
#include "contact/contact_step.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"

/* Takes the form, or that with all multipliers, into the smooth part and the jumps. */
static olo_status use_form(olo_contact_step *x, olo_error *error)
{
    olo_smooth *smooth = &x->newton.smooth;
    olo_frozen *frozen = &x->impact.frozen;
    if (x->form.smooth) {
        smooth->form = x->form.smooth;
        frozen->form = x->form.frozen;
        smooth->data = frozen->data = x->form.data;
        return OLO_OK;
    }
    const olo_status status = olo_smooth_use_multipliers(smooth, error);
    return status == OLO_OK ? olo_frozen_use_multipliers(frozen, error) : status;
}

olo_status olo_contact_step_create(olo_contact_step *x, const olo_system *system,
                                   const olo_contact_form *form, const olo_contact_options *options,
                                   olo_error *error)
{
    const size_t n = (size_t)system->n, contacts = (size_t)system->contact_count,
                 rows = (size_t)form->row_count;
    *x = (olo_contact_step){.system = system, .options = *options, .form = *form};
    x->row = olo_pool_copy(&x->pool, form->row, rows, sizeof *x->row);
    x->form.row = x->row;
    const olo_array arrays[] = {{&x->q, n},
                                {&x->q_remainder, n},
                                {&x->v, n},
                                {&x->q_begin, n},
                                {&x->r_begin, n},
                                {&x->v_begin, n},
                                {&x->lambda, (size_t)system->m},
                                {&x->row_work, (size_t)system->m},
                                {&x->rows, rows},
                                {&x->force, n},
                                {&x->local, OLO_FORM_SIZE_MAX},
                                {&x->D, 2 * contacts}};
    x->account = olo_pool_alloc(&x->pool, contacts + 1, sizeof *x->account);
    x->met = olo_pool_alloc(&x->pool, contacts + 1, sizeof *x->met);
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    olo_status status =
        olo_smooth_newton_create(&x->newton, system, x->form.row_count, x->row, error);
    if (status == OLO_OK)
        status = olo_impact_create(&x->impact, system, x->form.row_count, x->row, error);
    return status == OLO_OK ? use_form(x, error) : status;
}

void olo_contact_step_free(olo_contact_step *x)
{
    if (!x->form.smooth) {
        olo_smooth_free_multipliers(&x->newton.smooth);
        olo_frozen_free_multipliers(&x->impact.frozen);
    }
    olo_smooth_newton_free(&x->newton);
    olo_impact_free(&x->impact);
    olo_pool_free(&x->pool);
}

double olo_contact_gap(const olo_contact_step *x, int c, const double *q, double t)
{
    const olo_contact_point *contact = &x->system->contacts[c];
    const olo_at at = {.q = q, .angles = x->angles, .t = t};
    if (contact->off)
        return INFINITY;
    return olo_contact_has_gap(contact) ? olo_constraint_value(&contact->gap, &at) : 0;
}

double olo_contact_relative_gap(const olo_contact_step *x, int c, const double *q, double t)
{
    return olo_contact_gap(x, c, q, t) /
           olo_contact_unit(&x->system->contacts[c], x->system->length_scale);
}

/* The impulses of bilateral rows with a prescribed motion do work. */
void olo_contact_step_report(olo_contact_step *x, const double *q, const olo_jump *jump)
{
    if (!jump->happened)
        return;
    if (x->observe_jump)
        x->observe_jump(x->context, q, x->rows);
    for (int r = 0; r < x->form.row_count; r++) {
        const olo_constraint *row = &x->system->constraints[x->row[r]];
        const double rate = olo_constraint_motion_rate(row, x->t);
        x->lambda[x->row[r]] -= x->rows[r];
        x->row_work[x->row[r]] += x->rows[r] * rate;
        x->rows[r] = 0;
    }
    x->report.impact -= jump->energy - jump->friction;
    x->report.friction -= jump->friction;
    olo_raise(&x->report.residual, jump->residual);
    if (jump->guard < x->report.guard)
        x->report.guard = jump->guard;
}

void olo_contact_step_move(olo_contact_step *x, const double *dq)
{
    for (int i = 0; i < x->system->n; i++) {
        const double sum = x->q[i] + dq[i], shift = sum - x->q[i];
        const double left = x->q_remainder[i] + ((x->q[i] - (sum - shift)) + (dq[i] - shift));
        x->q[i] = sum + left;
        x->q_remainder[i] = left - (x->q[i] - sum);
    }
}

void olo_contact_step_begin(olo_contact_step *x)
{
    const size_t size = (size_t)x->system->n * sizeof *x->q,
                 contacts = (size_t)x->system->contact_count;
    memcpy(x->q_begin, x->q, size);
    memcpy(x->r_begin, x->q_remainder, size);
    memcpy(x->v_begin, x->v, size);
    memset(x->met, 0, contacts * sizeof *x->met);
    memset(x->account, 0, contacts * sizeof *x->account);
    memset(x->rows, 0, (size_t)x->form.row_count * sizeof *x->rows);
    memset(x->lambda, 0, (size_t)x->system->m * sizeof *x->lambda);
    memset(x->row_work, 0, (size_t)x->system->m * sizeof *x->row_work);
    x->report = (olo_contact_report){.guard = 1};
}

void olo_contact_step_finish(olo_contact_step *x)
{
    for (int c = 0; c < x->system->contact_count; c++) {
        const double g = olo_contact_gap(x, c, x->q, x->t);
        olo_raise(&x->report.penetration, -g);
        x->report.closed += olo_contact_has_gap(&x->system->contacts[c]) &&
                            olo_contact_relative_gap(x, c, x->q, x->t) <= OLO_CLOSED_GAP;
    }
}

void olo_contact_step_restore(olo_contact_step *x, double t)
{
    const size_t size = (size_t)x->system->n * sizeof *x->q;
    memcpy(x->q, x->q_begin, size);
    memcpy(x->q_remainder, x->r_begin, size);
    memcpy(x->v, x->v_begin, size);
    x->t = t;
}
