/* The structure of the block elimination: the later neighbours of each block, which pairs are
 * coupled by a joint only, and the layout of the numbers in memory. Order and fill are computed in
 * elimination_order.c. */
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"

/* ---- layout ---------------------------------------------------------------------------------- */

/* The position of b among the later neighbours of c; -1: none. */
static int find_slot(const olo_elimination_structure *el, int c, int b)
{
    const node *x = &el->nodes[c];
    for (int i = 0; i < x->degree; i++)
        if (el->neighbours[x->first + i].block == b)
            return i;
    return -1;
}

int olo_elimination_offset(const olo_elimination_structure *el, int a, int b)
{
    if (a == b)
        return el->nodes[a].diagonal;
    if (el->rank[a] < el->rank[b]) {
        int slot = find_slot(el, a, b);
        return slot < 0 ? -1 : el->neighbours[el->nodes[a].first + slot].upper;
    }
    int slot = find_slot(el, b, a);
    return slot < 0 ? -1 : el->neighbours[el->nodes[b].first + slot].lower;
}

/* Marks blocks a and b as coupled by more than a joint. */
static void couple(olo_elimination_structure *el, int a, int b)
{
    if (a == b)
        return;
    int first = el->rank[a] < el->rank[b] ? a : b;
    int slot = find_slot(el, first, first == a ? b : a);
    if (slot >= 0)
        el->neighbours[el->nodes[first].first + slot].joint_only = false;
}

/* Reserves `size` numbers and returns their offset. */
static int reserve(int *used, int size)
{
    int offset = *used;
    *used += size;
    return offset;
}

/* The numbers that are zeroed for a new matrix, contiguous in memory: K, z and e. */
static void lay_out_matrix(olo_elimination_structure *el, node *x, int *used)
{
    int d = x->shape.size;
    x->diagonal = reserve(used, d * d);
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        int s = el->nodes[b->block].shape.size;
        bool stored = !(b->joint_only && x->spatial);
        b->upper = stored ? reserve(used, d * s) : -1;
        b->lower = stored ? reserve(used, d * s) : -1;
    }
    x->z = reserve(used, d);
    x->e = x->shape.plain ? -1 : reserve(used, d);
    x->cleared = *used - x->diagonal;
}

/* A plain block (long beams have thousands) is factored in place and has no joint. */
static void lay_out_plain(olo_elimination_structure *el, node *x, int *used)
{
    x->dt = x->du = reserve(used, x->shape.size);
    x->x = reserve(used, x->shape.dof);
    x->D = x->diagonal;
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        b->X = b->upper;
        b->LB = b->lower;
    }
    x->end = *used;
}

/* The numbers of a block with a joint: results, factors and joint matrices. */
static void lay_out_joint(olo_elimination_structure *el, node *x, int *used)
{
    int d = x->shape.size, r = x->shape.dof;
    int p = x->shape.parent < 0 ? 0 : el->nodes[x->shape.parent].shape.size;
    x->dt = reserve(used, d);
    x->du = reserve(used, r);
    x->x = reserve(used, r);
    x->D = reserve(used, r * r);
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        int s = el->nodes[b->block].shape.size;
        b->X = reserve(used, r * s);
        b->LB = reserve(used, s * r);
    }
    x->arms = reserve(used, x->spatial ? 9 : 0);
    x->A = reserve(used, x->spatial ? 0 : d * p);
    x->A_hat = reserve(used, x->spatial ? 0 : d * p);
    x->B = reserve(used, d * r);
    x->B_hat = reserve(used, d * r);
    x->Ep = reserve(used, x->spatial ? 0 : p * p);
    x->Ec = reserve(used, x->spatial ? 0 : p * d);
    x->kp = reserve(used, r * p);
    x->kc = reserve(used, r * d);
    x->end = x->ku = reserve(used, r * r);
}

/* Whether a plain block and its neighbours, at most two, have three numbers each. */
static bool has_threes(const olo_elimination_structure *el, const node *x)
{
    bool threes = x->shape.plain && x->shape.size == 3 && x->degree <= 2;
    for (int i = 0; threes && i < x->degree; i++)
        threes = el->neighbours[x->first + i].size == 3;
    return threes;
}

static void lay_out(olo_elimination_structure *el)
{
    int used = 0, pivots = 0;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        lay_out_matrix(el, x, &used);
        if (x->shape.plain)
            lay_out_plain(el, x, &used);
        else
            lay_out_joint(el, x, &used);
        x->pivot = reserve(&pivots, x->shape.dof);
    }
    for (int c = 0; c < el->count; c++)
        for (int i = 0; i < el->nodes[c].degree; i++) {
            neighbour *b = &el->neighbours[el->nodes[c].first + i];
            b->size = el->nodes[b->block].shape.size;
            b->z = el->nodes[b->block].z;
            b->dt = el->nodes[b->block].dt;
            b->closure = el->nodes[b->block].shape.closure;
            b->fixed = el->nodes[b->block].fixed;
        }
    for (int c = 0; c < el->count; c++)
        el->nodes[c].threes = has_threes(el, &el->nodes[c]);
    el->number_count = used;
    el->pivot_count = pivots;
}

/* The graph is a tree if every block is a frame without neighbours, or with its parent only, to
 * which it is coupled by its joint only. */
static bool is_tree(const olo_elimination_structure *el)
{
    bool tree = true;
    for (int c = 0; tree && c < el->count; c++) {
        const node *x = &el->nodes[c];
        tree = x->frame && (x->degree == 0 ||
                            (x->spatial && x->degree == 1 && el->neighbours[x->first].joint_only));
    }
    return tree;
}

/* Finds the blocks into which closures are eliminated. */
static void mark_loaded(olo_elimination_structure *el)
{
    for (int i = 0; i < el->count; i++) {
        const node *x = &el->nodes[el->order[i]];
        if (x->shape.closure)
            el->last_closure = i;
        for (int j = 0; (x->loaded || x->shape.closure) && j < x->degree; j++)
            el->nodes[el->neighbours[x->first + j].block].loaded = true;
    }
}

/* Marks the pairs of neighbours that are coupled by more than a joint: by forces, or by fill of a
 * common earlier neighbour. */
static void mark_coupled(olo_elimination_structure *el, int edge_count, const int *edges)
{
    for (int c = 0; c < el->count; c++)
        for (int i = 0; i < el->nodes[c].degree; i++)
            el->neighbours[el->nodes[c].first + i].joint_only = true;
    for (int i = 0; i < edge_count; i++)
        couple(el, edges[2 * i], edges[2 * i + 1]);
    for (int c = 0; c < el->count; c++) {
        const neighbour *nb = el->neighbours + el->nodes[c].first;
        for (int i = 0; i < el->nodes[c].degree; i++)
            for (int j = 0; j < i; j++)
                couple(el, nb[i].block, nb[j].block);
    }
    el->tree = is_tree(el);
    mark_loaded(el);
}

/* Stores the offsets of K_ab for all pairs of later neighbours of each block. */
static bool fill_targets(olo_elimination_structure *el)
{
    size_t total = 0;
    for (int c = 0; c < el->count; c++)
        total += (size_t)el->nodes[c].degree * (size_t)el->nodes[c].degree;
    el->targets = olo_pool_alloc(&el->pool, total, sizeof *el->targets);
    if (!el->targets)
        return false;
    int used = 0;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        x->target = used;
        const neighbour *nb = el->neighbours + x->first;
        for (int i = 0; i < x->degree; i++)
            for (int j = 0; j < x->degree; j++)
                el->targets[used++] = olo_elimination_offset(el, nb[i].block, nb[j].block);
    }
    return true;
}

/* Copies the later neighbours of each block from the graph. */
static bool fill_neighbours(olo_elimination_structure *el, const list *graph)
{
    size_t total = 0;
    for (int c = 0; c < el->count; c++)
        total += (size_t)graph[c].count;
    el->neighbours = olo_pool_alloc(&el->pool, total, sizeof *el->neighbours);
    if (!el->neighbours)
        return false;
    int used = 0;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        x->first = used;
        x->degree = graph[c].count;
        x->parent_slot = -1;
        x->spatial = x->shape.spatial && x->shape.size == 6 && x->shape.parent >= 0 &&
                     el->nodes[x->shape.parent].shape.size == 6;
        x->frame = x->spatial || (x->shape.size == 6 && x->shape.parent < 0 && !x->shape.plain &&
                                  !x->shape.closure);
        x->fixed = x->frame && x->shape.parent < 0 && x->shape.dof == 0;
        for (int i = 0; i < graph[c].count; i++) {
            if (graph[c].item[i] == x->shape.parent)
                x->parent_slot = i;
            el->neighbours[used++].block = graph[c].item[i];
        }
    }
    return true;
}

/* The adjacency lists of joints and force couplings. */
static list *build_graph(int count, const olo_block *blocks, int edge_count, const int *edges)
{
    list *graph = olo_alloc((size_t)count, sizeof *graph);
    bool ok = graph != NULL;
    for (int c = 0; ok && c < count; c++)
        if (blocks[c].parent >= 0)
            ok = olo_block_list_add(&graph[c], blocks[c].parent) &&
                 olo_block_list_add(&graph[blocks[c].parent], c);
    for (int i = 0; ok && i < edge_count; i++) {
        int a = edges[2 * i], b = edges[2 * i + 1];
        if (a != b)
            ok = olo_block_list_add(&graph[a], b) && olo_block_list_add(&graph[b], a);
    }
    if (ok)
        return graph;
    for (int c = 0; graph && c < count; c++)
        olo_free(graph[c].item);
    return olo_free(graph);
}

olo_status olo_elimination_structure_create(int count, const olo_block *blocks, int edge_count,
                                            const int *edges, olo_elimination_structure **structure,
                                            olo_error *error)
{
    *structure = NULL;
    olo_elimination_structure *el = olo_alloc(1, sizeof *el);
    list *graph = el ? build_graph(count, blocks, edge_count, edges) : NULL;
    olo_status status = OLO_NO_MEMORY;
    if (!graph)
        goto done;
    el->count = count;
    el->nodes = olo_pool_alloc(&el->pool, (size_t)count, sizeof *el->nodes);
    el->order = olo_pool_alloc(&el->pool, (size_t)count, sizeof *el->order);
    el->rank = olo_pool_alloc(&el->pool, (size_t)count, sizeof *el->rank);
    if (el->pool.failed)
        goto done;
    for (int c = 0; c < count; c++) {
        el->nodes[c].shape = blocks[c];
        el->nodes[c].block = c;
        el->rank[c] = -1;
    }
    olo_error reason = {0};
    if (!olo_elimination_order(el, graph, &reason)) {
        status = reason.status;
        if (status != OLO_NO_MEMORY)
            olo_fail(error, status, "%s", reason.text);
        goto done;
    }
    if (!fill_neighbours(el, graph))
        goto done;
    mark_coupled(el, edge_count, edges);
    lay_out(el);
    status = fill_targets(el) ? OLO_OK : OLO_NO_MEMORY;
done:
    for (int c = 0; graph && c < count; c++)
        olo_free(graph[c].item);
    olo_free(graph);
    if (status == OLO_NO_MEMORY)
        olo_fail(error, status, "out of memory while analysing %d blocks", count);
    if (status != OLO_OK) {
        olo_elimination_structure_free(el);
        return status;
    }
    *structure = el;
    return OLO_OK;
}

void olo_elimination_structure_free(olo_elimination_structure *el)
{
    if (!el)
        return;
    olo_pool_free(&el->pool);
    olo_free(el);
}
