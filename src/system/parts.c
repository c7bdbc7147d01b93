/* Connected parts, found by union-find over all couplings, and what each of them received. */
#include "system/parts.h"

#include <string.h>

#include "base/memory.h"
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
    for (int e = 0; e < s->mass_function_count; e++) {
        const olo_mass_function *x = &s->mass_functions[e];
        join_coordinates(s, parent, x->f->size, x->f->index);
        join_coordinates(s, parent, 2, (const int[]){x->i, x->j});
        join_coordinates(s, parent, 2, (const int[]){x->i, x->f->index[0]});
    }
    for (int i = 0; i < s->term_count; i++)
        join_coordinates(s, parent, s->terms[i].size, s->terms[i].index);
    for (int c = 0; c < s->m; c++)
        join_coordinates(s, parent, s->constraints[c].size, s->constraints[c].index);
    for (int i = 0; i < s->contact_count; i++) {
        const olo_contact_point *contact = &s->contacts[i];
        const int first = olo_contact_first_row(contact);
        const int *own = olo_contact_row(contact, first)->index;
        for (int k = first; k <= contact->sliding_count; k++) {
            const olo_constraint *row = olo_contact_row(contact, k);
            join_coordinates(s, parent, row->size, row->index);
            join(parent, s->coordinates[own[0]].node, s->coordinates[row->index[0]].node);
        }
    }
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
