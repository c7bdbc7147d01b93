/* The ledger of a state: energies, momenta, constraint errors.
 *
 *     T = 1/2 v.M v,   P = sum of M v over the position slots,   L = sum over all 3-vectors x x (M v)
 *
 * L needs every 3-vector of q, directors included; P only those that a translation moves: positions that
 * are not relative to another node.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "linalg/vec3.h"
#include "system/system.h"

/* Moved by a translation of the whole system? */
static bool translates(const olo_system *system, int slot)
{
    const olo_coordinate *c = &system->coordinates[slot];
    return c->slot == 0 && system->nodes[c->node].base < 0;
}

/* p = M v of a mass entry, booked at slot `i` */
static void book_momentum(const olo_system *system, const olo_state *x, int i, double m, int j,
                          olo_ledger *ledger)
{
    double p[3] = {m * x->v[j], m * x->v[j + 1], m * x->v[j + 2]};
    if (translates(system, i))
        vec3_add(1.0, p, ledger->linear_momentum);
    vec3_add_cross(x->q + i, p, ledger->angular_momentum);
    ledger->kinetic += 0.5 * vec3_dot(x->v + i, p);
}

void olo_system_ledger(const olo_system *system, const olo_state *x, olo_ledger *ledger)
{
    olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    memset(ledger, 0, sizeof *ledger);
    for (int e = 0; e < system->mass_count; e++) {
        const olo_mass_entry *entry = &system->mass[e];
        book_momentum(system, x, entry->i, entry->m, entry->j, ledger);
        if (entry->i != entry->j)
            book_momentum(system, x, entry->j, entry->m, entry->i, ledger);
    }
    for (int i = 0; i < system->term_count; i++) {
        const olo_term *term = &system->terms[i];
        if (term->role == OLO_ROLE_POTENTIAL)
            ledger->potential += olo_term_energy(term, x->q, x->angles);
        if (term->role == OLO_ROLE_STRAIN)
            ledger->strain += olo_term_energy(term, x->q, x->angles);
    }
    for (int i = 0; i < system->m; i++) {
        const olo_constraint *row = &system->constraints[i];
        double gradient[OLO_FORM_SIZE_MAX], g = fabs(olo_constraint_value(row, &at));
        olo_raise(&ledger->constraint_error, g);
        olo_raise(&ledger->constraint_relative, g / system->row_scale[i]);
        olo_constraint_gradient(row, &at, gradient);
        olo_raise(&ledger->velocity_error, fabs(olo_constraint_rate(row, &at, gradient, x->v)));
    }
    ledger->work = olo_sum_value(&x->work);
    ledger->dissipation = olo_sum_value(&x->dissipation);
    ledger->constraint = olo_sum_value(&x->constraint);
    ledger->total = ledger->kinetic + ledger->potential + ledger->strain + ledger->constraint;
    ledger->balance = ledger->total - ledger->work + ledger->dissipation;
}

double olo_invariant_value(const olo_invariant *invariant, const olo_ledger *ledger)
{
    if (invariant->energy)
        return ledger->balance;
    return vec3_dot(invariant->rotation, ledger->angular_momentum) +
           vec3_dot(invariant->translation, ledger->linear_momentum);
}
