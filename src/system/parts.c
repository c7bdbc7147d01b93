/* Connected parts, found by union-find over all couplings, and the energy and momenta of each part:
 *
 *     E_p = T_p + V_p - (energy received from outside),   P_p, L_p: sums over the nodes of part p.
 */
#include "system/parts.h"

#include <string.h>

#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/system.h"

/* ---- which nodes belong together --------------------------------------------------------------
 */

static int root_of(int *parent, int node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* The smaller number becomes the root, so that parts are numbered in the order of their first
 * nodes. */
static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void join_coordinates(const olo_system *s, int *parent, int size, const int *index)
{
    for (int k = 1; k < size; k++)
        join(parent, s->coordinates[index[0]].node, s->coordinates[index[k]].node);
}

static void join_all(const olo_system *s, int *parent)
{
    for (int k = 0; k < s->node_count; k++) {
        parent[k] = k;
        if (s->nodes[k].base >= 0)
            join(parent, k, s->nodes[k].base);
    }
    for (int e = 0; e < s->mass_count; e++)
        join(parent, s->coordinates[s->mass[e].i].node, s->coordinates[s->mass[e].j].node);
    for (int i = 0; i < s->term_count; i++)
        join_coordinates(s, parent, s->terms[i].size, s->terms[i].index);
    for (int c = 0; c < s->m; c++)
        join_coordinates(s, parent, s->constraints[c].size, s->constraints[c].index);
    for (int i = 0; i < s->action_count; i++)
        join_coordinates(s, parent, s->actions[i].size, s->actions[i].index);
}

bool olo_system_find_parts(olo_system *s)
{
    int *parent = olo_alloc((size_t)s->node_count, sizeof *parent);
    s->node_part = olo_alloc((size_t)s->node_count, sizeof *s->node_part);
    const bool ok = parent && s->node_part;
    s->part_count = 0;
    if (ok)
        join_all(s, parent);
    for (int k = 0; ok && k < s->node_count; k++) {
        const int root = root_of(parent, k);
        s->node_part[k] = root == k ? s->part_count++ : s->node_part[root];
    }
    olo_free(parent);
    return ok;
}

int olo_system_part(const olo_system *s, int coordinate)
{
    return s->node_part[s->coordinates[coordinate].node];
}

const char *olo_system_part_name(const olo_system *s, int part)
{
    for (int k = 0; k < s->node_count; k++)
        if (s->node_part[k] == part)
            return s->nodes[k].name;
    return "";
}

/* ---- ledgers ----------------------------------------------------------------------------------
 */

void olo_state_add_received_energy(const olo_system *s, olo_state *x, int coordinate, double energy)
{
    if (x->parts > 0)
        olo_sum_add(&x->received[olo_system_part(s, coordinate)], energy);
}

void olo_system_part_masses(const olo_system *s, double *masses)
{
    memset(masses, 0, (size_t)s->part_count * sizeof *masses);
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        if (s->coordinates[entry->i].slot == 0 && s->coordinates[entry->j].slot == 0)
            masses[olo_system_part(s, entry->i)] += (entry->i == entry->j ? 1 : 2) * entry->m;
    }
}

/* Adds the momentum p of the 3-vector at coordinate i, and its part of the kinetic energy. */
static void add_momentum(const olo_system *s, const olo_state *x, int i, const double p[3],
                         olo_ledger *ledger)
{
    const olo_coordinate *c = &s->coordinates[i];
    if (c->slot == 0 && s->nodes[c->node].base < 0)
        vec3_add(1.0, p, ledger->linear_momentum);
    vec3_add_cross(x->q + i, p, ledger->angular_momentum);
    ledger->kinetic += 0.5 * vec3_dot(x->v + i, p);
}

static void add_masses(const olo_system *s, const olo_state *x, olo_ledger *ledgers)
{
    for (int k = 0; k < s->frame_count; k++) {
        const olo_frame_mass *frame = &s->frames[k];
        double p[12];
        olo_frame_mass_times(frame, x->v + frame->q, p);
        for (int i = 0; i < 12; i += 3)
            add_momentum(s, x, frame->q + i, p + i, &ledgers[s->node_part[frame->node]]);
    }
    for (int e = 0; e < s->loose_mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        for (int side = 0; side < (entry->i == entry->j ? 1 : 2); side++) {
            const int to = side ? entry->j : entry->i, from = side ? entry->i : entry->j;
            const double *v = x->v + from;
            const double p[3] = {entry->m * v[0], entry->m * v[1], entry->m * v[2]};
            add_momentum(s, x, to, p, &ledgers[olo_system_part(s, to)]);
        }
    }
}

static void add_terms(const olo_system *s, const olo_state *x, olo_ledger *ledgers)
{
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        if (term->size == 0)
            continue;
        olo_ledger *ledger = &ledgers[olo_system_part(s, term->index[0])];
        if (term->role == OLO_ROLE_POTENTIAL)
            ledger->potential += olo_term_energy(term, x->q, x->angles);
        if (term->role == OLO_ROLE_STRAIN)
            ledger->strain += olo_term_energy_with_remainder(term, x->q, x->q_remainder, x->angles);
    }
}

void olo_system_part_ledgers(const olo_system *s, const olo_state *x, olo_ledger *ledgers)
{
    memset(ledgers, 0, (size_t)s->part_count * sizeof *ledgers);
    add_masses(s, x, ledgers);
    add_terms(s, x, ledgers);
    for (int p = 0; p < s->part_count; p++) {
        olo_ledger *ledger = &ledgers[p];
        ledger->work = p < x->parts ? olo_sum_value(&x->received[p]) : 0.0;
        ledger->total = ledger->kinetic + ledger->potential + ledger->strain;
        ledger->balance = ledger->total - ledger->work;
    }
}
