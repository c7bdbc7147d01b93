/* The packs of the nodes of a system; see the header. */
#include "stepping/frame_packs.h"

#include "base/memory.h"

/* The mass of a frame to lane l; NULL: none yet. */
static void set_mass(const olo_frame_mass *from, int l, lane_mass *to)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    to->m[l] = from ? from->m : 0;
    for (int I = 0; I < 3; I++)
        to->c[I][l] = from ? from->c[I] : 0;
    for (int k = 0; k < 6; k++)
        to->E[k][l] = from ? from->E[3 * row[k] + column[k]] : 0;
}

/* Node k at a position among all packs: lane `at` % 4 of pack `at` / 4. */
static void put(const olo_system *s, int k, int at, olo_frame_packs *x)
{
    olo_frame_pack *pack = &x->pack[at / LANES];
    const int first = at % LANES, last = first == 0 ? LANES - 1 : first;
    pack->count = first + 1;
    pack->position = s->nodes[k].type->position >= 0;
    pack->directors = s->nodes[k].type->directors >= 0;
    for (int l = first; l <= last; l++) {
        pack->node[l] = k;
        pack->q[l] = s->nodes[k].q;
        pack->motion[l] = s->nodes[k].motion;
        set_mass(s->nodes[k].frame >= 0 ? &s->frames[s->nodes[k].frame] : NULL, l, &pack->mass);
    }
}

/* The nodes of packs: with position, directors or both. */
typedef struct kind {
    bool position, directors;
} kind;

static bool is_of_kind(const olo_node_type *type, kind of)
{
    return type->packed && (type->position >= 0) == of.position &&
           (type->directors >= 0) == of.directors;
}

/* Appends packs of all nodes of a kind, and at[k], the position of node k among all packs; a single
 * one that is left joins the rest, unless the mass couples it to other frames. */
static void gather(const olo_system *s, kind of, int *at, olo_frame_packs *x)
{
    int nodes = 0, done = 0, last = 0;
    for (int k = 0; k < s->node_count; k++)
        if (is_of_kind(s->nodes[k].type, of)) {
            nodes++;
            last = k;
        }
    const bool frames = of.position && of.directors,
               leaves = nodes % LANES == 1 && !(frames && s->nodes[last].frame < 0);
    for (int k = 0; k < s->node_count; k++) {
        if (!is_of_kind(s->nodes[k].type, of))
            continue;
        if (leaves && k == last) {
            x->rest[x->rest_count++] = k;
            if (frames)
                x->single = k;
            else
                x->alone[x->alone_count++] = k;
            break;
        }
        at[k] = LANES * x->count + done++;
        put(s, k, at[k], x);
    }
    x->count += (done + LANES - 1) / LANES;
}

/* Adds an entry of the mass matrix, between two vectors of one node, to its lane. */
static void add_entry(const olo_system *s, const olo_mass_entry *entry, int l, lane_mass *to)
{
    static const int position[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int I = s->coordinates[entry->i].slot, J = s->coordinates[entry->j].slot;
    if (I == 0 && J == 0)
        to->m[l] += entry->m;
    else if (I == 0)
        to->c[J - 1][l] += entry->m;
    else
        to->E[position[I - 1][J - 1]][l] += entry->m;
}

/* Adds an entry between two frames to the pair of the last one or to a new pair. The other lanes of
 * a pack are copies of its first pair without a mass. */
static void add_to_pair(const olo_system *s, const olo_mass_entry *entry, int *count,
                        olo_frame_packs *x)
{
    const olo_coordinate *i = &s->coordinates[entry->i], *j = &s->coordinates[entry->j];
    const int node[2] = {i->node, j->node};
    olo_frame_pair *pair = &x->pair[*count > 0 ? (*count - 1) / LANES : 0];
    int l = *count > 0 ? (*count - 1) % LANES : 0;
    if (*count == 0 || pair->node[0][l] != node[0] || pair->node[1][l] != node[1]) {
        pair = &x->pair[*count / LANES];
        l = (*count)++ % LANES;
        pair->count = l + 1;
        for (int side = 0; side < 2; side++)
            for (int m = l; m < (l == 0 ? LANES : l + 1); m++) {
                pair->node[side][m] = node[side];
                pair->q[side][m] = s->nodes[node[side]].q;
            }
    }
    pair->filled[i->slot] |= 1u << j->slot;
    pair->M[i->slot][j->slot][l] += entry->m;
}

/* The masses of frames, points and triads in packs, those that couple frames, and the list of all
 * other entries. */
static void sort_entries(const olo_system *s, const int *position, olo_frame_packs *x)
{
    int pairs = 0;
    for (int e = 0; e < s->loose_mass_count; e++) {
        const int i = s->coordinates[s->mass[e].i].node, j = s->coordinates[s->mass[e].j].node,
                  at = i == j ? position[i] : -1;
        olo_frame_pack *pack = &x->pack[at < 0 ? 0 : at / LANES];
        if (i != j && s->nodes[i].type->spatial && s->nodes[j].type->spatial)
            add_to_pair(s, &s->mass[e], &pairs, x);
        else if (at < 0)
            x->loose[x->loose_count++] = s->mass[e];
        for (int l = at % LANES; at >= 0 && l < LANES; l++)
            if (l == at % LANES || (at % LANES == 0 && l >= pack->count))
                add_entry(s, &s->mass[e], l, &pack->mass);
    }
    x->pair_count = (pairs + LANES - 1) / LANES;
}

/* How many pairs of frames the mass may couple. */
static size_t most_pairs(const olo_system *s)
{
    size_t pairs = 0;
    for (int e = 0; e < s->loose_mass_count; e++)
        pairs += s->coordinates[s->mass[e].i].node != s->coordinates[s->mass[e].j].node;
    return pairs;
}

bool olo_frame_packs_create(const olo_system *s, bool plain, olo_frame_packs *x)
{
    static const kind kinds[] = {{true, true}, {true, false}, {false, true}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const bool wide = !plain && olo_frame_kernels_wide && olo_lanes_are_wide();
    const size_t nodes = (size_t)s->node_count;
    int *position = olo_alloc(nodes, sizeof *position);
    *x = (olo_frame_packs){.single = -1,
                           .kernels = wide ? olo_frame_kernels_wide : &olo_frame_kernels_plain};
    x->pack = olo_alloc(nodes / LANES + KINDS, sizeof *x->pack);
    x->pair = olo_alloc((most_pairs(s) + LANES - 1) / LANES, sizeof *x->pair);
    x->rest = olo_alloc(nodes, sizeof *x->rest);
    x->alone = olo_alloc(nodes, sizeof *x->alone);
    x->loose = olo_alloc((size_t)s->loose_mass_count, sizeof *x->loose);
    const bool ok = position && x->pack && x->pair && x->rest && x->alone && x->loose;
    for (int k = 0; ok && k < s->node_count; k++)
        position[k] = -1;
    for (int i = 0; ok && i < KINDS; i++)
        gather(s, kinds[i], position, x);
    for (int k = 0; ok && k < s->node_count; k++)
        if (!s->nodes[k].type->packed)
            x->rest[x->rest_count++] = x->alone[x->alone_count++] = k;
    if (ok)
        sort_entries(s, position, x);
    olo_free(position);
    return ok;
}

void olo_frame_packs_free(olo_frame_packs *x)
{
    olo_free(x->pack);
    olo_free(x->pair);
    olo_free(x->rest);
    olo_free(x->alone);
    olo_free(x->loose);
}
