/* Schemes with impacts in the stepper: the step of contact/contact_step.h applied to a state. The
 * step knows no state; this file copies configuration and velocity, and enters work, dissipation,
 * multipliers and reactions of its parts. */
#include "stepping/contact_scheme.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/span.h"
#include "linalg/vec3.h"
#include "stepping/balance.h"
#include "stepping/contact_reduced.h"
#include "stepping/step.h"
#include "system/mass_function.h"

/* Largest residual of a redundant row, rows normalised in the units of coordinates. */
static const double redundant_residual = 1e-9;

static const olo_contact_options located = {.make = olo_contact_make_consistent,
                                            .located = true,
                                            .pairs = true,
                                            .reduced = true,
                                            .closed_gap = OLO_CLOSED_GAP,
                                            .law = {.guard = true}},
                                 captured = {.make = olo_contact_make_consistent,
                                             .pairs = true,
                                             .reduced = true,
                                             .closed_gap = OLO_CLOSED_GAP,
                                             .law = {.guard = true}},
                                 two_step = {.make = olo_contact_make_consistent,
                                             .published = true,
                                             .varying_mass = true},
                                 one_step = {.make = olo_contact_make_consistent,
                                             .published = true,
                                             .elastic = true,
                                             .varying_mass = true,
                                             .law = {.none = true}},
                                 moreau = {.make = olo_contact_make_moreau, .varying_mass = true};

const olo_scheme olo_scheme_contact = {
    .name = "contact",
    .conserves = "energy never rises and is constant without losses; constraints, velocities and "
                 "momenta that contacts do not change hold to round-off, impacts are located",
    .highest_order = 2,
    .contact = &located};

const olo_scheme olo_scheme_contact_captured = {
    .name = "contact-captured",
    .conserves = "energy never rises and is constant without losses; constraints, velocities and "
                 "momenta that contacts do not change hold to round-off",
    .highest_order = 2,
    .contact = &captured};

const olo_scheme olo_scheme_contact_two_step = {
    .name = "contact-two-step",
    .conserves =
        "energy does not rise if all coefficients of restitution are equal, and is constant "
        "without losses; constraints and their rates hold to round-off",
    .highest_order = 2,
    .contact = &two_step};

const olo_scheme olo_scheme_contact_one_step = {
    .name = "contact-one-step",
    .conserves = "energy is constant; constraints and their rates hold to round-off; only elastic "
                 "contacts without friction",
    .highest_order = 2,
    .contact = &one_step};

const olo_scheme olo_scheme_moreau = {
    .name = "moreau",
    .conserves = "nothing exactly: constraints hold on velocities, positions drift, the error of "
                 "energy is of first order",
    .highest_order = 2,
    .energy_error = INFINITY,
    .contact = &moreau};

olo_status olo_contacts_refuse(const olo_system *system, const char *what, olo_error *error)
{
    if (system->contact_count == 0)
        return OLO_OK;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "%s: %s cannot handle contacts, rigid stops and dry friction; only runs can",
                    system->contacts[0].where, what);
}

olo_status olo_contact_scheme_check(const olo_stepper *x, const olo_run *run, olo_error *error)
{
    const olo_system *s = x->system;
    if (s->contact_count > 0 && !x->scheme->contact)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "%s: the scheme %s has no contacts; take the scheme contact",
                        s->contacts[0].where, x->scheme->name);
    if (!x->scheme->contact || !x->scheme->contact->varying_mass) {
        char what[160];
        (void)snprintf(what, sizeof what,
                       "take the scheme contact-two-step or moreau, since %s needs",
                       x->scheme->name);
        const olo_status status = olo_system_need_constant_mass(s, what, error);
        if (status != OLO_OK)
            return status;
    }
    if (!x->scheme->contact)
        return OLO_OK;
    if (!x->treatment->contacts)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s has no constraints by %s; take reduced or multipliers",
                        x->scheme->name, x->treatment->name);
    for (int i = 0; i < s->contact_count && x->scheme->contact->elastic; i++)
        if (s->contacts[i].restitution != 1 || s->contacts[i].sliding_count > 0)
            return olo_fail(
                error, OLO_UNSUPPORTED,
                "%s: the scheme %s has elastic contacts without friction only; take the "
                "scheme contact",
                s->contacts[i].where, x->scheme->name);
    if (run->tolerance > 0)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s has constant steps: leave out run.tolerance",
                        x->scheme->name);
    return OLO_OK;
}

/* Lists the rows that do not follow from earlier ones at the initial configuration. */
static olo_status find_independent(const olo_system *s, int *row, int *count, olo_error *error)
{
    const olo_at at = {.q = s->q0};
    double gradient[OLO_FORM_SIZE_MAX];
    olo_span *span = olo_span_create(s->n);
    olo_status status =
        span ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    for (int i = 0; status == OLO_OK && i < s->m; i++) {
        const olo_constraint *c = &s->constraints[i];
        bool redundant = false;
        double size = 0;
        olo_constraint_gradient(c, &at, gradient);
        for (int k = 0; k < c->size; k++) {
            gradient[k] *= olo_coordinate_unit(s, c->index[k]);
            size += gradient[k] * gradient[k];
        }
        for (int k = 0; size > 0 && k < c->size; k++)
            gradient[k] /= sqrt(size);
        status =
            olo_span_add(span, c->size, c->index, gradient, redundant_residual, &redundant, error);
        if (!redundant)
            row[(*count)++] = i;
    }
    olo_span_free(span);
    return status;
}

/* Creates the step with all multipliers. */
static olo_status create_with_multipliers(olo_stepper *x, olo_error *error)
{
    int *row = olo_alloc((size_t)x->system->m + 1, sizeof *row), count = 0;
    olo_status status = row ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    if (status == OLO_OK)
        status = find_independent(x->system, row, &count, error);
    if (status == OLO_OK)
        status = olo_contact_step_create(x->contact, x->system,
                                         &(olo_contact_form){.row_count = count, .row = row},
                                         x->scheme->contact, error);
    olo_free(row);
    return status;
}

/* Creates the step on the spanning tree. */
static olo_status create_reduced(olo_stepper *x, olo_error *error)
{
    const olo_status status = olo_contact_reduced_create(x->system, &x->contact_tree, error);
    if (status != OLO_OK)
        return status;
    const olo_contact_form form = olo_contact_reduced_form(x->contact_tree);
    return olo_contact_step_create(x->contact, x->system, &form, x->scheme->contact, error);
}

const olo_treatment *olo_contact_scheme_treatment(const olo_stepper *x)
{
    const bool reduced = x->scheme->contact->reduced;
    return x->treatment->forest && !reduced ? &olo_treatment_multipliers : x->treatment;
}

olo_status olo_contact_scheme_create(olo_stepper *x, olo_error *error)
{
    const bool on_tree = olo_contact_scheme_treatment(x) == x->treatment && x->treatment->forest;
    const size_t reactions = 6 * (size_t)x->system->group_count;
    const olo_array arrays[] = {{&x->contact_reactions, reactions},
                                {&x->contact_impulses, reactions},
                                {&x->contact_rows, (size_t)x->system->m}};
    x->contact = olo_pool_alloc(&x->pool, 1, sizeof *x->contact);
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    olo_status status = on_tree ? create_reduced(x, error) : create_with_multipliers(x, error);
    if (status == OLO_OK)
        status = olo_state_create(x->system, &x->begin, error);
    return status;
}

void olo_contact_scheme_free(olo_stepper *x)
{
    if (x->contact)
        olo_contact_step_free(x->contact);
    olo_contact_reduced_free(x->contact_tree);
}

/* The interval of forces: a part of the step, a jump (dq is NULL), or the step. */
static void set_interval(olo_stepper *x, const double *q0, const double *dq, const double *qm,
                         const double *q1)
{
    const size_t size = (size_t)x->system->n * sizeof *q0;
    memcpy(x->step.q0, q0, size);
    memcpy(x->step.x.qm, qm, size);
    memcpy(x->step.x.q1, q1, size);
    if (dq)
        memcpy(x->step.x.dq, dq, size);
    else
        memset(x->step.x.dq, 0, size);
    x->step.x.q0 = x->step.q0;
    x->step.x.left = NULL;
}

/* Adds the impulses of joints and rows over this interval to the reactions. */
static void add_reactions(olo_stepper *x, double sign, const double *rows)
{
    const olo_contact_form *form = &x->contact->form;
    for (int r = 0; r < form->row_count; r++)
        x->contact_rows[form->row[r]] = sign * rows[r];
    olo_stepper_add_reactions(
        x, x->contact_tree ? olo_contact_reduced_wrenches(x->contact_tree) : NULL, x->contact_rows);
}

/* Work of actions and energy lost in dissipative terms over a part. */
static void enter_part(void *context, const olo_smooth *part)
{
    olo_stepper *x = context;
    olo_state *state = (olo_state *)x->step.state;
    const olo_system *s = x->system;
    const olo_interval over = olo_smooth_interval(part);
    const olo_evaluation discrete = {0};
    for (int i = 0; i < s->term_count; i++) {
        if (!s->terms[i].law->dissipative)
            continue;
        const double lost = olo_evaluate_term(&discrete, &s->terms[i], &over, x->step.r, NULL);
        olo_sum_add(&state->dissipation, lost);
        olo_state_add_received_energy(s, state, s->terms[i].index[0], -lost);
    }
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        double work = 0;
        olo_evaluate_action(action, &over, x->step.r, NULL);
        for (int k = 0; k < action->size; k++)
            work += x->step.r[k] * over.dq[action->index[k]];
        olo_sum_add(&state->work, work);
        olo_state_add_received_energy(s, state, action->index[0], work);
    }
    set_interval(x, part->q0, part->dq, part->qm, part->q1);
    add_reactions(x, 1, part->Lambda);
}

/* Impulses of constraints in a jump at q. */
static void enter_jump(void *context, const double *q, const double *rows)
{
    olo_stepper *x = context;
    set_interval(x, q, NULL, q, q);
    add_reactions(x, -1, rows);
}

/* The mean over what has been made of a step that is halved, with the mean `before`, and a part of
 * length h. */
static double mean(const olo_stepper *x, double h, double before, double now)
{
    const double made = x->contact_time;
    return made > 0 ? (made * before + h * now) / (made + h) : now;
}

/* The mean force of a contact over the step, and whether it sticks. Without geometry it is the
 * force along the gap, if there is one, then those along the sliding distances. */
static void record_contact(const olo_stepper *x, int i, double h, olo_contact_record *record)
{
    const olo_contact_step *c = x->contact;
    const olo_contact_point *contact = &x->system->contacts[i];
    const olo_contact_account *account = &c->account[i];
    const olo_contact_geometry *geometry = contact->geometry;
    double normal[3], tangent[3], square = 0;
    const int first = olo_contact_first_row(contact);
    *record = (olo_contact_record){.normal = account->lambda[0] / h,
                                   .impulse = account->impulse,
                                   .guarded = account->guarded,
                                   .off = contact->off};
    for (int k = first; !geometry && k <= contact->sliding_count; k++)
        record->force[k - first] = account->lambda[k] / h;
    if (geometry) {
        olo_contact_normal(contact, c->q, normal);
        vec3_add(record->normal, normal, record->force);
    }
    for (int k = 0; k < contact->sliding_count; k++) {
        const double force = account->lambda[1 + k] / h;
        const double spin = geometry ? geometry->sliding[k].spin : 0;
        square += spin > 0 ? 0 : force * force;
        record->torque += spin * force;
        if (geometry) {
            olo_contact_tangent(contact, k, c->q, tangent);
            vec3_add(force, tangent, record->force);
        }
    }
    const olo_contact_record *before = &x->begin->contacts[i];
    record->normal = mean(x, h, before->normal, record->normal);
    record->friction = mean(x, h, before->friction, sqrt(square));
    record->torque = mean(x, h, before->torque, record->torque);
    for (int k = 0; k < 3; k++)
        record->force[k] = mean(x, h, before->force[k], record->force[k]);
    record->impulse += x->contact_time > 0 ? before->impulse : 0;
    record->guarded = fmax(record->guarded, x->contact_time > 0 ? before->guarded : 0);
    record->sticking = c->newton.smooth.active[i] && contact->sliding_count > 0 &&
                       c->newton.mode[i].status == OLO_CONTACT_STICKING;
}

/* Energy that contacts have lost, multipliers and reactions. */
static void enter_step(olo_stepper *x, olo_state *state, double h)
{
    const olo_system *s = x->system;
    const olo_contact_step *c = x->contact;
    for (int i = 0; i < s->contact_count; i++) {
        const olo_contact_point *contact = &s->contacts[i];
        const int *index = olo_contact_row(contact, olo_contact_first_row(contact))->index;
        const double lost = -c->account[i].impact - c->account[i].friction;
        olo_sum_add(&state->dissipation, lost);
        olo_sum_add(&state->impact, -c->account[i].impact);
        olo_sum_add(&state->friction, -c->account[i].friction);
        olo_state_add_received_energy(s, state, index[0], -lost);
    }
    for (int i = 0; i < s->contact_count; i++)
        record_contact(x, i, h, &state->contacts[i]);
    state->inclusion_residual = c->report.residual;
    for (int i = 0; i < s->m; i++)
        state->lambda[i] = mean(x, h, x->begin->lambda[i], c->lambda[i] / h);
    for (int i = 0; i < s->drive_count; i++)
        olo_balance_add_drive_work(&x->step, state, i, c->row_work[s->drives[i].row]);
    olo_state_set_drive_forces(s, state, state->lambda);
    for (int i = 0; i < 6 * s->group_count; i++)
        x->contact_reactions[i] = mean(x, h, x->contact_reactions[i], x->contact_impulses[i] / h);
    x->contact_time += h;
    set_interval(x, c->q_begin, NULL, c->q, c->q);
    for (int i = 0; i < s->n; i++) {
        x->step.x.dq[i] = c->q[i] - c->q_begin[i];
        x->step.x.qm[i] = 0.5 * (c->q[i] + c->q_begin[i]);
    }
    state->h = h;
    olo_stepper_record_reactions(x, state);
    x->report.iterations += c->report.iterations;
    x->report.residual = fmax(x->report.residual, c->report.residual);
    x->report.passes += c->report.parts;
}

olo_status olo_contact_scheme_step(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    olo_contact_step *c = x->contact;
    const size_t size = (size_t)x->system->n * sizeof *c->q;
    olo_state_copy(state, x->begin); /* parts enter their work before the step has succeeded */
    memcpy(c->q, state->q, size);
    memcpy(c->q_remainder, state->q_remainder, size);
    memcpy(c->v, state->v, size);
    c->t = state->t;
    c->angles = state->angles;
    c->inputs = x->step.inputs;
    c->observe = enter_part;
    c->observe_jump = enter_jump;
    c->context = x;
    x->step.state = state;
    memset(x->contact_impulses, 0, 6 * (size_t)x->system->group_count * sizeof(double));
    const olo_status status = c->options.make(c, h, error);
    if (status != OLO_OK) {
        olo_state_copy(x->begin, state);
        return status;
    }
    enter_step(x, state, h);
    memcpy(state->v_before, state->v, size);
    memcpy(state->q, c->q, size);
    memcpy(state->q_remainder, c->q_remainder, size);
    memcpy(state->v, c->v, size);
    state->t += h;
    state->h = state->span = h;
    olo_state_follow_angles(x->system, state);
    return OLO_OK;
}
