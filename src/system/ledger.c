/* The ledger of a state, and of its connected parts: energies, momenta, constraint errors.
 *
 *     T = 1/2 v.M v
 *     P = sum of (M v)_x over positions x
 *     L = sum of x x (M v)_x over all 3-vectors x
 *
 * L contains every 3-vector of q, including directors. P contains only those that a translation
 * moves: positions that are not relative to another node. Scalars have no momentum in space.
 * Special code evaluates frames and their orthonormality rows d_I.d_J = 0 and 1/2 (d_I.d_I - 1) =
 * 0; everything else is summed entry by entry and form by form.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "linalg/vec3.h"
#include "system/condition.h"
#include "system/diagnostics.h"
#include "system/mass_function.h"
#include "system/parts.h"
#include "system/system.h"

/* True if a translation of the whole system moves the 3-vector. */
static bool translates(const olo_system *system, int slot)
{
    const olo_coordinate *c = &system->coordinates[slot];
    return c->slot == 0 && system->nodes[c->node].base < 0;
}

/* Adds the momentum p of the 3-vector i, and its part of the kinetic energy. */
static void add_momentum(const olo_system *system, const olo_state *x, int i, const double p[3],
                         olo_ledger *ledger)
{
    if (translates(system, i))
        vec3_add(1.0, p, ledger->linear_momentum);
    vec3_add_cross(x->q + i, p, ledger->angular_momentum);
    ledger->kinetic += 0.5 * vec3_dot(x->v + i, p);
}

static void add_frames(const olo_system *system, const olo_state *x, olo_ledger *ledger)
{
    double kinetic = 0, linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0};
    for (int k = 0; k < system->frame_count; k++) {
        const olo_frame_mass *frame = &system->frames[k];
        const double *q = x->q + frame->q, *v = x->v + frame->q;
        double p[12], twice = 0;
        olo_frame_mass_times(frame, v, p);
        for (int i = 0; i < 12; i++)
            twice += v[i] * p[i];
        kinetic += 0.5 * twice;
        vec3_add(1.0, p, linear);
        for (int i = 0; i < 12; i += 3)
            vec3_add_cross(q + i, p + i, angular);
    }
    ledger->kinetic += kinetic;
    vec3_add(1.0, linear, ledger->linear_momentum);
    vec3_add(1.0, angular, ledger->angular_momentum);
}

/* Adds the errors of one constraint row, on position and velocity level. */
static inline void add_row(double g, double rate, double scale, olo_ledger *ledger)
{
    g = fabs(g);
    rate = fabs(rate);
    if (!(g <= ledger->constraint_error))
        olo_raise(&ledger->constraint_error, g);
    if (!(g <= ledger->constraint_relative * scale))
        olo_raise(&ledger->constraint_relative, g / scale);
    if (!(rate <= ledger->velocity_error))
        olo_raise(&ledger->velocity_error, rate);
}

static void add_orthonormality(const double *d, const double *w, const double *scale,
                               olo_ledger *ledger)
{
    for (int I = 0; I < 3; I++)
        add_row(0.5 * (vec3_dot(d + 3 * I, d + 3 * I) - 1), vec3_dot(d + 3 * I, w + 3 * I),
                scale[I], ledger);
    for (int I = 0, row = 3; I < 3; I++)
        for (int J = I + 1; J < 3; J++, row++)
            add_row(vec3_dot(d + 3 * I, d + 3 * J),
                    vec3_dot(d + 3 * I, w + 3 * J) + vec3_dot(w + 3 * I, d + 3 * J), scale[row],
                    ledger);
}

/* The value and rate of a row that is no form. */
static double row_value(const olo_constraint *row, const olo_state *x, double *rate)
{
    const olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    double gradient[OLO_FORM_SIZE_MAX];
    olo_constraint_gradient(row, &at, gradient);
    *rate = olo_rate_value(row, &at, gradient, x->v);
    return olo_constraint_value(row, &at);
}

/* The listed groups, or all if there is no list. */
static void add_constraints(const olo_system *system, const olo_state *x, int count,
                            const int *groups, olo_ledger *ledger)
{
    for (int k = 0; k < count; k++) {
        const olo_group *group = &system->groups[groups ? groups[k] : k];
        const double *scale = system->row_scale + group->first;
        if (group->frame >= 0) {
            const olo_node *node = &system->nodes[group->frame];
            int d = node->q + node->type->directors;
            add_orthonormality(x->q + d, x->v + d, scale, ledger);
            continue;
        }
        for (int i = 0; i < group->count; i++) {
            const olo_constraint *row = &system->constraints[group->first + i];
            double rate;
            const double g = row->form ? olo_form_value_and_rate(row->form, x->q, x->v, &rate)
                                       : row_value(row, x, &rate);
            add_row(g, rate, scale[i], ledger);
        }
    }
}

static void add_term(const olo_term *term, const olo_state *x, olo_ledger *ledger)
{
    if (term->role == OLO_ROLE_POTENTIAL)
        ledger->potential += olo_term_energy(term, x->q, x->angles);
    if (term->role == OLO_ROLE_STRAIN)
        ledger->strain += olo_term_energy_with_remainder(term, x->q, x->q_remainder, x->angles);
}

/* The listed terms, or all if there is no list. */
static void add_terms(const olo_system *system, const olo_state *x, int count, const int *terms,
                      olo_ledger *ledger)
{
    for (int i = 0; i < count; i++)
        add_term(&system->terms[terms ? terms[i] : i], x, ledger);
}

/* Four frames at once, then the remaining terms and groups; false: a sum is not finite. */
static bool add_fours(const olo_system *system, const olo_state *x, olo_ledger *ledger)
{
    olo_ledger_simd_sums sums;
    const int *left;
    if (!system->ledger_simd || !olo_ledger_simd_sum(system->ledger_simd, x->q, x->v, &sums))
        return false;
    ledger->kinetic = sums.kinetic;
    ledger->potential = sums.potential;
    vec3_copy(sums.linear, ledger->linear_momentum);
    vec3_copy(sums.angular, ledger->angular_momentum);
    ledger->constraint_error = sums.error;
    ledger->constraint_relative = sums.relative;
    ledger->velocity_error = sums.rate;
    int count = olo_ledger_simd_terms(system->ledger_simd, &left);
    add_terms(system, x, count, left, ledger);
    count = olo_ledger_simd_groups(system->ledger_simd, &left);
    add_constraints(system, x, count, left, ledger);
    return true;
}

/* The mass entries that belong to no frame: to one ledger, or to those of their parts. */
static void add_loose_masses(const olo_system *s, const olo_state *x, bool parts,
                             olo_ledger *ledgers)
{
    for (int e = 0; e < s->loose_mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        for (int side = 0; side < olo_mass_blocks(entry); side++) {
            const int to = side ? entry->j : entry->i, from = side ? entry->i : entry->j;
            const double *v = x->v + from;
            olo_ledger *ledger = &ledgers[parts ? olo_system_part(s, to) : 0];
            if (entry->width == 1) {
                ledger->kinetic += 0.5 * entry->m * x->v[to] * v[0];
                continue;
            }
            const double p[3] = {entry->m * v[0], entry->m * v[1], entry->m * v[2]};
            add_momentum(s, x, to, p, ledger);
        }
    }
}

static void add_mass_functions(const olo_system *s, const olo_state *x, bool parts,
                               olo_ledger *ledgers)
{
    for (int e = 0; e < s->mass_function_count; e++) {
        const olo_mass_function *f = &s->mass_functions[e];
        ledgers[parts ? olo_system_part(s, f->i) : 0].kinetic +=
            olo_mass_function_energy(f, x->q, x->v);
    }
}

void olo_system_part_ledgers(const olo_system *s, const olo_state *x, olo_ledger *ledgers)
{
    memset(ledgers, 0, (size_t)s->part_count * sizeof *ledgers);
    for (int k = 0; k < s->frame_count; k++) {
        const olo_frame_mass *frame = &s->frames[k];
        double p[12];
        olo_frame_mass_times(frame, x->v + frame->q, p);
        for (int i = 0; i < 12; i += 3)
            add_momentum(s, x, frame->q + i, p + i, &ledgers[s->node_part[frame->node]]);
    }
    add_loose_masses(s, x, true, ledgers);
    add_mass_functions(s, x, true, ledgers);
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].size > 0)
            add_term(&s->terms[i], x, &ledgers[olo_system_part(s, s->terms[i].index[0])]);
    for (int p = 0; p < s->part_count; p++) {
        olo_ledger *ledger = &ledgers[p];
        ledger->work = p < x->parts ? olo_sum_value(&x->received[p]) : 0.0;
        ledger->total = ledger->kinetic + ledger->potential + ledger->strain;
        ledger->balance = ledger->total - ledger->work;
    }
}

void olo_system_ledger(const olo_system *system, const olo_state *x, olo_ledger *ledger)
{
    (void)olo_system_measure(system);
    memset(ledger, 0, sizeof *ledger);
    /* frames, terms and constraints */
    if (!add_fours(system, x, ledger)) {
        add_frames(system, x, ledger);
        add_terms(system, x, system->term_count, NULL, ledger);
        add_constraints(system, x, system->group_count, NULL, ledger);
    }
    add_loose_masses(system, x, false, ledger);
    add_mass_functions(system, x, false, ledger);
    /* sums over the steps, and the balance */
    ledger->work = olo_sum_value(&x->work);
    ledger->dissipation = olo_sum_value(&x->dissipation);
    ledger->impact = olo_sum_value(&x->impact);
    ledger->friction = olo_sum_value(&x->friction);
    for (int i = 0; i < system->contact_count; i++) {
        olo_contact_state contact;
        olo_system_contact(system, x, i, &contact);
        if (!contact.off)
            olo_raise(&ledger->penetration, -contact.gap);
        ledger->closed += contact.closed;
        olo_raise(&ledger->impulse, contact.impulse);
    }
    ledger->inclusion_residual = x->inclusion_residual;
    ledger->constraint = olo_sum_value(&x->constraint);
    ledger->total = ledger->kinetic + ledger->potential + ledger->strain + ledger->constraint;
    ledger->balance = ledger->total - ledger->work + ledger->dissipation;
    ledger->interval = x->has_interval_energy ? x->interval_energy : ledger->total;
}

double olo_invariant_value(const olo_invariant *invariant, const olo_ledger *ledger)
{
    if (invariant->energy)
        return ledger->balance;
    return vec3_dot(invariant->rotation, ledger->angular_momentum) +
           vec3_dot(invariant->translation, ledger->linear_momentum);
}
