/* Block elimination on a graph: its structure. Order and fill are in elimination_order.c; here
 * the neighbours of each block, which of them nothing but a joint couples, and where the numbers
 * of a block are in memory. */
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"

/* ---- layout ---------------------------------------------------------------------------------- */

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

static void couple(olo_elimination_structure *el, int a, int b)
{
    if (a == b)
        return;
    int first = el->rank[a] < el->rank[b] ? a : b;
    int slot = find_slot(el, first, first == a ? b : a);
    if (slot >= 0)
        el->neighbours[el->nodes[first].first + slot].clean = false;
}

static int take(int *used, int size)
{
    int offset = *used;
    *used += size;
    return offset;
}

/* What a block and its neighbours start from: K, z and e, one after the other. */
static void lay_out_matrix(olo_elimination_structure *el, node *x, int *used)
{
    int d = x->shape.size;
    x->diagonal = take(used, d * d);
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        int s = el->nodes[b->block].shape.size;
        b->upper = x->light ? -1 : take(used, d * s);
        b->lower = x->light ? -1 : take(used, d * s);
    }
    x->z = take(used, d);
    x->e = x->shape.plain ? -1 : take(used, d);
    x->cleared = *used - x->diagonal;
}

/* A plain block, of which long beams have thousands, is factored in place and has no joint. */
static void lay_out_plain(olo_elimination_structure *el, node *x, int *used)
{
    x->dt = x->du = take(used, x->shape.size);
    x->x = take(used, x->shape.dof);
    x->D = x->diagonal;
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        b->X = b->upper;
        b->LB = b->lower;
    }
    x->end = *used;
}

static void lay_out_joint(olo_elimination_structure *el, node *x, int *used)
{
    int d = x->shape.size, r = x->shape.dof;
    int p = x->shape.parent < 0 ? 0 : el->nodes[x->shape.parent].shape.size;
    x->dt = take(used, d);
    x->du = take(used, r);
    x->x = take(used, r);
    x->D = take(used, r * r);
    x->y = take(used, r * d);
    for (int i = 0; i < x->degree; i++) {
        neighbour *b = &el->neighbours[x->first + i];
        int s = el->nodes[b->block].shape.size;
        b->X = take(used, r * s);
        b->LB = take(used, s * r);
    }
    x->spatial = take(used, x->light ? 9 : 0);
    x->A = take(used, x->light ? 0 : d * p);
    x->A_hat = take(used, x->light ? 0 : d * p);
    x->B = take(used, d * r);
    x->B_hat = take(used, d * r);
    x->Ep = take(used, x->light ? 0 : p * p);
    x->Ec = take(used, x->light ? 0 : p * d);
    x->kp = take(used, r * p);
    x->kc = take(used, r * d);
    x->end = x->ku = take(used, r * r);
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
        x->pivot = take(&pivots, x->shape.dof);
    }
    el->number_count = used;
    el->pivot_count = pivots;
}

static void mark_children(olo_elimination_structure *el)
{
    el->tree = true;
    for (int c = 0; c < el->count; c++)
        el->nodes[c].leaf = true;
    for (int i = 0; i < el->count; i++) {
        node *x = &el->nodes[el->order[i]];
        el->tree = el->tree && (x->light || x->root);
        if (x->shape.parent < 0)
            continue;
        x->first_child = el->nodes[x->shape.parent].leaf;
        el->nodes[x->shape.parent].leaf = false;
    }
}

/* Which pairs of neighbours anything but a joint couples: forces, and eliminations that both
 * take part in. */
static void mark_coupled(olo_elimination_structure *el, int edge_count, const int *edges)
{
    for (int c = 0; c < el->count; c++)
        for (int i = 0; i < el->nodes[c].degree; i++)
            el->neighbours[el->nodes[c].first + i].clean = true;
    for (int i = 0; i < edge_count; i++)
        couple(el, edges[2 * i], edges[2 * i + 1]);
    for (int c = 0; c < el->count; c++) {
        const neighbour *nb = el->neighbours + el->nodes[c].first;
        for (int i = 0; i < el->nodes[c].degree; i++)
            for (int j = 0; j < i; j++)
                couple(el, nb[i].block, nb[j].block);
    }
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        x->root = x->shape.size == 6 && x->degree == 0 && x->shape.parent < 0 && !x->shape.plain &&
                  !x->shape.last;
        x->light = x->shape.spatial && x->shape.size == 6 && x->degree == 1 &&
                   x->parent_slot == 0 && el->nodes[x->shape.parent].shape.size == 6 &&
                   el->neighbours[x->first].clean;
    }
    mark_children(el);
}

static bool fill_targets(olo_elimination_structure *el)
{
    size_t total = 0;
    for (int c = 0; c < el->count; c++)
        total += (size_t)el->nodes[c].degree * (size_t)el->nodes[c].degree;
    el->targets = olo_alloc(total, sizeof *el->targets);
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

static bool fill_neighbours(olo_elimination_structure *el, const list *graph)
{
    size_t total = 0;
    for (int c = 0; c < el->count; c++)
        total += (size_t)graph[c].count;
    el->neighbours = olo_alloc(total, sizeof *el->neighbours);
    if (!el->neighbours)
        return false;
    int used = 0;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        x->first = used;
        x->degree = graph[c].count;
        x->parent_slot = -1;
        for (int i = 0; i < graph[c].count; i++) {
            if (graph[c].item[i] == x->shape.parent)
                x->parent_slot = i;
            el->neighbours[used++].block = graph[c].item[i];
        }
    }
    return true;
}

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
    el->nodes = olo_alloc((size_t)count, sizeof *el->nodes);
    el->order = olo_alloc((size_t)count, sizeof *el->order);
    el->rank = olo_alloc((size_t)count, sizeof *el->rank);
    if (!el->nodes || !el->order || !el->rank)
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
    olo_free(el->nodes);
    olo_free(el->order);
    olo_free(el->rank);
    olo_free(el->neighbours);
    olo_free(el->targets);
    olo_free(el);
}
