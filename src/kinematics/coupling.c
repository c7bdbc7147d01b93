/* The coupled linear system of a topology: the nodes that each piece couples, and from them the
 * structure of the elimination. It has one block per node, then the blocks of closures. Joints,
 * forces, masses and closure rows couple them. */
#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/topology.h"

enum { NODES_MAX = 32 }; /* largest number of nodes of one piece */

/* Lists the nodes of a piece, and the offset of the twist of the node for each coordinate. */
static bool couple_piece(olo_topology *t, int piece)
{
    const olo_system *s = t->system;
    const int *index = olo_piece_index(s, piece);
    int size = olo_piece_size(s, piece), node[NODES_MAX], offset[NODES_MAX], nodes = 0, twists = 0;
    int *twist = olo_pool_alloc(&t->pool, (size_t)size, sizeof *twist);
    for (int i = 0; twist && i < size; i++) {
        int k = 0;
        while (k < nodes && node[k] != s->coordinates[index[i]].node)
            k++;
        if (k == nodes) {
            node[nodes] = s->coordinates[index[i]].node;
            offset[nodes++] = twists;
            twists += s->nodes[node[k]].twist;
        }
        twist[i] = offset[k];
    }
    olo_coupling *x = t->couplings[piece] = olo_pool_alloc(&t->pool, 1, sizeof *x);
    if (!twist || !x)
        return false;
    *x = (olo_coupling){.nodes = nodes,
                        .twists = twists,
                        .node = olo_pool_copy(&t->pool, node, (size_t)nodes, sizeof *node),
                        .offset = olo_pool_copy(&t->pool, offset, (size_t)nodes, sizeof *offset),
                        .twist = twist};
    return x->node && x->offset;
}

/* All pieces that have a tangent, and the closure rows. */
static bool couple_pieces(olo_topology *t)
{
    const olo_system *s = t->system;
    const int rows = olo_piece_of_constraint(s, 0);
    t->couplings = olo_pool_alloc(&t->pool, (size_t)olo_pieces(s), sizeof(olo_coupling *));
    bool ok = t->couplings != NULL;
    for (int i = 0; ok && i < rows; i++)
        if (olo_piece_has_tangent(s, i))
            ok = couple_piece(t, i);
    for (int i = 0; ok && i < t->closure_count; i++)
        ok = couple_piece(t, olo_piece_of_constraint(s, t->closures[i]));
    return ok;
}

/* --- the graph of the blocks --- */

typedef struct edge_list {
    int *pair;
    size_t count, capacity;
} edge_list;

static bool add_edge(edge_list *list, int a, int b)
{
    if (a == b)
        return true;
    int *pair = olo_grow(list->pair, list->count, &list->capacity, 2 * sizeof *pair);
    if (!pair)
        return false;
    list->pair = pair;
    pair[2 * list->count] = a;
    pair[2 * list->count + 1] = b;
    list->count++;
    return true;
}

/* Edges between the nodes of a piece; a linear closure row has no tangent and adds none. */
static bool add_piece(const olo_topology *t, int piece, edge_list *list)
{
    const olo_system *s = t->system;
    const olo_coupling *x = t->couplings[piece];
    const int row = piece - olo_piece_of_constraint(s, 0);
    bool ok = true;
    if (!x || (row >= 0 && !s->constraints[row].curved))
        return true;
    for (int a = 0; ok && a < x->nodes; a++)
        for (int b = 0; ok && b < a; b++)
            ok = add_edge(list, x->node[a], x->node[b]);
    return ok;
}

/* Edges between a closure and the nodes of its rows. */
static bool add_closure(const olo_topology *t, int i, edge_list *list)
{
    const olo_closure *closure = &t->closure_blocks[i];
    bool ok = true;
    for (int j = 0; ok && j < closure->count; j++) {
        const olo_coupling *x =
            t->couplings[olo_piece_of_constraint(t->system, closure->first + j)];
        for (int a = 0; ok && a < x->nodes; a++)
            ok = add_edge(list, olo_topology_closure_block(t, i), x->node[a]);
    }
    return ok;
}

static bool find_edges(const olo_topology *t, edge_list *list)
{
    const olo_system *s = t->system;
    bool ok = true;
    for (int i = 0; ok && i < olo_pieces(s); i++)
        ok = add_piece(t, i, list);
    for (int e = 0; ok && e < s->loose_mass_count; e++)
        ok = add_edge(list, s->coordinates[s->mass[e].i].node, s->coordinates[s->mass[e].j].node);
    for (int i = 0; ok && i < t->closure_block_count; i++)
        ok = add_closure(t, i, list);
    return ok;
}

static void shape_blocks(const olo_topology *t, olo_block *blocks)
{
    const olo_system *s = t->system;
    for (int k = 0; k < s->node_count; k++)
        blocks[k] = (olo_block){.size = s->nodes[k].twist,
                                .dof = t->nodes[k].dof,
                                .parent = t->nodes[k].parent,
                                .plain = !t->nodes[k].type,
                                .spatial = t->nodes[k].type && t->nodes[k].type->spatial};
    for (int i = 0; i < t->closure_block_count; i++)
        blocks[olo_topology_closure_block(t, i)] =
            (olo_block){.size = t->closure_blocks[i].count,
                        .dof = t->closure_blocks[i].count,
                        .parent = -1,
                        .closure = true,
                        .relative = olo_closure_is_relative(s, &t->closure_blocks[i])};
}

olo_status olo_topology_couple(olo_topology *t, olo_error *error)
{
    const int count = t->system->node_count + t->closure_block_count;
    olo_block *blocks = olo_alloc((size_t)count, sizeof *blocks);
    edge_list edges = {0};
    olo_status status = OLO_NO_MEMORY;
    if (blocks && couple_pieces(t) && find_edges(t, &edges)) {
        shape_blocks(t, blocks);
        status = olo_elimination_structure_create(count, blocks, (int)edges.count, edges.pair,
                                                  &t->elimination, error);
    } else {
        olo_fail(error, status, "out of memory for the elimination of a tree");
    }
    olo_free(blocks);
    olo_free(edges.pair);
    return status;
}
