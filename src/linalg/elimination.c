/* Block elimination on a graph; the equations are in the header. Eliminating block c with parent p:
 *
 *     rows of the parent     K_pb += A^^T K_cb,  K_pp += Ep,  L_p = K_pc + A^^T K_cc + Ec,  z_p += A^^T z_c
 *     joint row              y = B^^T K_cc + kc,  Y_b = B^^T K_cb (+ kp + y A for b = p),
 *                            D = y B + ku,        rho = B^^T z_c + y e
 *     other rows a           K_ap += L_a A,  z_a += L_a e,  then with X = D^-1 Y, x = D^-1 rho
 *                            K_ab -= (L_a B) X_b,  z_a -= (L_a B) x
 *     on the way back        du = -x - sum_b X_b dt_b,  dt_c = A dt_p + B du + e
 *
 * with L_a = K_ac for a != p.
 */
#include "linalg/elimination.h"

#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/small.h"

typedef struct neighbour {
    int block;
    int upper; /* offset of K_cb in `numbers` */
    int lower; /* offset of K_bc */
    int X;     /* offset of X_b, dof x size_b */
    int LB;    /* offset of L_b B, size_b x dof */
} neighbour;

typedef struct node {
    olo_block shape;
    int first, degree; /* neighbours eliminated later */
    int parent_slot;   /* position of the parent among them, -1 */
    int target;        /* degree x degree offsets of K_ab */
    int diagonal, z, e, dt, du, x, D, y;
    int A, A_hat, B, B_hat, Ep, Ec, kp, kc, ku;
    int pivot;
} node;

struct olo_elimination {
    int count, unknowns;
    node *nodes;
    int *order; /* order[i] is eliminated i-th */
    int *rank;  /* inverse of order */
    neighbour *neighbours;
    int *targets;
    double *numbers;
    int *pivots;
    int K_size; /* numbers[0..K_size) are the K, then z, e up to `clear_size` */
    int clear_size;
    double closure_scale; /* largest diagonal entry of a closure block */
    bool has_gap; /* some e is not zero: set by the user asking for a gap */
};

/* --- ordering: least degree first, children before parents, closures after all they touch --- */

typedef struct list {
    int *item;
    int count;
    size_t capacity;
} list;

static bool list_has(const list *l, int value)
{
    for (int i = 0; i < l->count; i++)
        if (l->item[i] == value)
            return true;
    return false;
}

static bool list_add(list *l, int value)
{
    if (list_has(l, value))
        return true;
    int *item = olo_grow(l->item, (size_t)l->count, &l->capacity, sizeof *item);
    if (!item)
        return false;
    l->item = item;
    l->item[l->count++] = value;
    return true;
}

static void list_remove(list *l, int value)
{
    for (int i = 0; i < l->count; i++)
        if (l->item[i] == value) {
            l->item[i] = l->item[--l->count];
            return;
        }
}

/* binary heap of (degree, block), with stale entries skipped on the way out */
typedef struct heap {
    int64_t *key;
    int count;
    size_t capacity;
} heap;

static bool heap_push(heap *h, int degree, int block)
{
    int64_t *key = olo_grow(h->key, (size_t)h->count, &h->capacity, sizeof *key);
    if (!key)
        return false;
    h->key = key;
    int i = h->count++;
    int64_t value = ((int64_t)degree << 32) | block;
    while (i > 0 && h->key[(i - 1) / 2] > value) {
        h->key[i] = h->key[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->key[i] = value;
    return true;
}

static int64_t heap_pop(heap *h)
{
    int64_t top = h->key[0], value = h->key[--h->count];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->key[child + 1] < h->key[child])
            child++;
        if (h->key[child] >= value)
            break;
        h->key[i] = h->key[child];
        i = child;
    }
    h->key[i] = value;
    return top;
}

/* A block may go when its children are gone and, if it is a `last` block, all its neighbours that are
 * not `last` themselves. `waiting` counts what it waits for. */
static bool order_blocks(olo_elimination *el, list *graph, olo_error *error)
{
    heap ready = {0};
    int n = el->count, done = 0;
    int *waiting = olo_alloc((size_t)n, sizeof *waiting);
    bool ok = waiting != NULL;
    for (int c = 0; ok && c < n; c++) {
        int parent = el->nodes[c].shape.parent;
        if (parent >= 0)
            waiting[parent]++;
        if (el->nodes[c].shape.last)
            for (int i = 0; i < graph[c].count; i++)
                waiting[c] += !el->nodes[graph[c].item[i]].shape.last;
    }
    for (int c = 0; ok && c < n; c++)
        if (waiting[c] == 0)
            ok = heap_push(&ready, graph[c].count, c);
    /* the graph shrinks as blocks go; what remains of a list at that moment are the later neighbours */
    while (ok && ready.count > 0) {
        int64_t key = heap_pop(&ready);
        int c = (int)(key & 0xffffffff), degree = (int)(key >> 32);
        if (el->rank[c] >= 0)
            continue;
        if (degree != graph[c].count) {
            ok = heap_push(&ready, graph[c].count, c);
            continue;
        }
        el->order[done] = c;
        el->rank[c] = done++;
        int parent = el->nodes[c].shape.parent;
        for (int i = 0; ok && i < graph[c].count; i++) {
            int a = graph[c].item[i];
            list_remove(&graph[a], c);
            for (int j = 0; ok && j < graph[c].count; j++)
                if (graph[c].item[j] != a) {
                    bool fresh = !list_has(&graph[a], graph[c].item[j]);
                    ok = list_add(&graph[a], graph[c].item[j]);
                    /* a closure that gains a neighbour by fill must wait for it too */
                    if (ok && fresh && el->nodes[a].shape.last && el->rank[a] < 0 &&
                        !el->nodes[graph[c].item[j]].shape.last)
                        waiting[a]++;
                }
        }
        for (int i = 0; ok && i < graph[c].count; i++) {
            int a = graph[c].item[i];
            if (a == parent || (el->nodes[a].shape.last && !el->nodes[c].shape.last)) {
                waiting[a] -= (a == parent) + (el->nodes[a].shape.last && !el->nodes[c].shape.last);
                if (waiting[a] == 0)
                    ok = heap_push(&ready, graph[a].count, a);
            }
        }
    }
    olo_free(waiting);
    olo_free(ready.key);
    if (!ok) {
        olo_fail(error, OLO_NO_MEMORY, "out of memory while ordering %d blocks", n);
        return false;
    }
    if (done != n) {
        olo_fail(error, OLO_INTERNAL, "%d of %d blocks cannot be ordered: the tree has a cycle",
                 n - done, n);
        return false;
    }
    return true;
}

static void open_closures(olo_elimination *el);

/* --- layout --- */

static int find_slot(const olo_elimination *el, int c, int b)
{
    const node *x = &el->nodes[c];
    for (int i = 0; i < x->degree; i++)
        if (el->neighbours[x->first + i].block == b)
            return i;
    return -1;
}

static int matrix_offset(const olo_elimination *el, int a, int b)
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

static int take(int *used, int size)
{
    int offset = *used;
    *used += size;
    return offset;
}

static void lay_out(olo_elimination *el)
{
    int used = 0, pivots = 0;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        int d = x->shape.size;
        x->diagonal = take(&used, d * d);
        for (int i = 0; i < x->degree; i++) {
            neighbour *b = &el->neighbours[x->first + i];
            int s = el->nodes[b->block].shape.size;
            b->upper = take(&used, d * s);
            b->lower = take(&used, d * s);
        }
    }
    el->K_size = used;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        x->z = take(&used, x->shape.size);
        x->e = take(&used, x->shape.size);
    }
    el->clear_size = used;
    for (int c = 0; c < el->count; c++) {
        node *x = &el->nodes[c];
        int d = x->shape.size, r = x->shape.dof;
        int p = x->shape.parent < 0 ? 0 : el->nodes[x->shape.parent].shape.size;
        x->dt = take(&used, d);
        x->du = take(&used, r);
        x->x = take(&used, r);
        x->D = take(&used, r * r);
        x->y = take(&used, r * d);
        for (int i = 0; i < x->degree; i++) {
            neighbour *b = &el->neighbours[x->first + i];
            int s = el->nodes[b->block].shape.size;
            b->X = take(&used, r * s);
            b->LB = take(&used, s * r);
        }
        x->A = take(&used, d * p);
        x->A_hat = take(&used, d * p);
        x->B = take(&used, d * r);
        x->B_hat = take(&used, d * r);
        x->Ep = take(&used, p * p);
        x->Ec = take(&used, p * d);
        x->kp = take(&used, r * p);
        x->kc = take(&used, r * d);
        x->ku = take(&used, r * r);
        x->pivot = take(&pivots, r);
    }
    el->numbers = olo_alloc((size_t)used, sizeof *el->numbers);
    el->pivots = olo_alloc((size_t)pivots, sizeof *el->pivots);
}

static bool fill_targets(olo_elimination *el)
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
                el->targets[used++] = matrix_offset(el, nb[i].block, nb[j].block);
    }
    return true;
}

static bool fill_neighbours(olo_elimination *el, const list *graph)
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
            ok = list_add(&graph[c], blocks[c].parent) && list_add(&graph[blocks[c].parent], c);
    for (int i = 0; ok && i < edge_count; i++) {
        int a = edges[2 * i], b = edges[2 * i + 1];
        if (a != b)
            ok = list_add(&graph[a], b) && list_add(&graph[b], a);
    }
    if (ok)
        return graph;
    for (int c = 0; graph && c < count; c++)
        olo_free(graph[c].item);
    return olo_free(graph);
}

olo_status olo_elimination_create(int count, const olo_block *blocks, int edge_count,
                                  const int *edges, olo_elimination **elimination, olo_error *error)
{
    *elimination = NULL;
    olo_elimination *el = olo_alloc(1, sizeof *el);
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
        el->rank[c] = -1;
        el->unknowns += blocks[c].dof;
    }
    olo_error reason = {0};
    if (!order_blocks(el, graph, &reason)) {
        status = reason.status;
        if (status != OLO_NO_MEMORY)
            olo_fail(error, status, "%s", reason.text);
        goto done;
    }
    if (!fill_neighbours(el, graph))
        goto done;
    lay_out(el);
    if (!el->numbers || !el->pivots || !fill_targets(el))
        goto done;
    open_closures(el);
    status = OLO_OK;
done:
    for (int c = 0; graph && c < count; c++)
        olo_free(graph[c].item);
    olo_free(graph);
    if (status == OLO_NO_MEMORY)
        olo_fail(error, status, "out of memory while analysing %d blocks", count);
    if (status != OLO_OK) {
        olo_elimination_free(el);
        return status;
    }
    *elimination = el;
    return OLO_OK;
}

void olo_elimination_free(olo_elimination *el)
{
    if (!el)
        return;
    olo_free(el->nodes);
    olo_free(el->order);
    olo_free(el->rank);
    olo_free(el->neighbours);
    olo_free(el->targets);
    olo_free(el->numbers);
    olo_free(el->pivots);
    olo_free(el);
}

int olo_elimination_unknowns(const olo_elimination *el)
{
    return el->unknowns;
}

void olo_elimination_clear(olo_elimination *el)
{
    memset(el->numbers, 0, (size_t)el->clear_size * sizeof *el->numbers);
    el->has_gap = false;
}

double *olo_elimination_matrix(olo_elimination *el, int a, int b)
{
    int offset = matrix_offset(el, a, b);
    return offset < 0 ? NULL : el->numbers + offset;
}

double *olo_elimination_rhs(olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].z;
}

double *olo_elimination_gap(olo_elimination *el, int c)
{
    el->has_gap = true;
    return el->numbers + el->nodes[c].e;
}

olo_joint_blocks olo_elimination_joint(olo_elimination *el, int c)
{
    const node *x = &el->nodes[c];
    double *n = el->numbers;
    return (olo_joint_blocks){.A = n + x->A,
                              .A_hat = n + x->A_hat,
                              .B = n + x->B,
                              .B_hat = n + x->B_hat,
                              .Ep = n + x->Ep,
                              .Ec = n + x->Ec,
                              .kp = n + x->kp,
                              .kc = n + x->kc,
                              .ku = n + x->ku};
}

/* --- numbers --- */

static void add(int size, const double *from, double *to)
{
    for (int i = 0; i < size; i++)
        to[i] += from[i];
}

/* rows of the parent: K_pb += A^^T K_cb and L_p in the place of K_pc */
static void pass_to_parent(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target + c->parent_slot * c->degree;
    int d = c->shape.size, p = el->nodes[c->shape.parent].shape.size;
    const double *A_hat = n + c->A_hat;
    for (int j = 0; j < c->degree; j++)
        small_add_transposed_product(d, p, el->nodes[nb[j].block].shape.size, 1.0, A_hat,
                                     n + nb[j].upper, n + target[j]);
    double *L = n + nb[c->parent_slot].lower;
    small_add_transposed_product(d, p, d, 1.0, A_hat, n + c->diagonal, L);
    add(p * d, n + c->Ec, L);
    add(p * p, n + c->Ep, n + target[c->parent_slot]);
}

/* Keeps the directions of a closure block that are not repeated by others: eigenvectors of its symmetric part with
 * eigenvalues above a share of what the rows by themselves would give. */
static void reveal(olo_elimination *el, node *c)
{
    const double repeated = 1e-11; /* squares of singular values enter */
    double *n = el->numbers, *B = n + c->B, A[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    double V[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    int d = c->shape.size, kept[OLO_BLOCK_MAX], r = 0;
    for (int i = 0; i < d; i++) {
        el->closure_scale = fmax(el->closure_scale, fabs(n[c->diagonal + i * d + i]));
        for (int j = 0; j < d; j++)
            A[i * d + j] = 0.5 * (n[c->diagonal + i * d + j] + n[c->diagonal + j * d + i]);
    }
    small_symmetric_eigen(d, A, V);
    for (int i = 0; i < d; i++)
        if (fabs(A[i * d + i]) > repeated * el->closure_scale)
            kept[r++] = i;
    c->shape.dof = r;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < r; j++)
            B[i * r + j] = n[c->B_hat + i * r + j] = V[i * d + kept[j]];
}

/* the joint row: y, Y (in the place of X), D; factors D */
static bool joint_row(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = c->shape.dof;
    double *y = n + c->y, *D = n + c->D;
    if (c->shape.plain) {
        memcpy(D, n + c->diagonal, (size_t)(d * d) * sizeof *D);
        for (int j = 0; j < c->degree; j++)
            memcpy(n + nb[j].X, n + nb[j].upper,
                   (size_t)(d * el->nodes[nb[j].block].shape.size) * sizeof *D);
        return small_lu(r, D, el->pivots + c->pivot);
    }
    memcpy(y, n + c->kc, (size_t)(r * d) * sizeof *y);
    small_add_transposed_product(d, r, d, 1.0, n + c->B_hat, n + c->diagonal, y);
    memcpy(D, n + c->ku, (size_t)(r * r) * sizeof *D);
    small_add_product(r, d, r, 1.0, y, n + c->B, D);
    for (int j = 0; j < c->degree; j++) {
        int s = el->nodes[nb[j].block].shape.size;
        double *Y = n + nb[j].X;
        if (j == c->parent_slot) {
            memcpy(Y, n + c->kp, (size_t)(r * s) * sizeof *Y);
            small_add_product(r, d, s, 1.0, y, n + c->A, Y);
        } else {
            memset(Y, 0, (size_t)(r * s) * sizeof *Y);
        }
        small_add_transposed_product(d, r, s, 1.0, n + c->B_hat, n + nb[j].upper, Y);
    }
    return r == 0 || small_lu(r, D, el->pivots + c->pivot);
}

static bool eliminate(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = c->shape.dof;
    if (c->parent_slot >= 0)
        pass_to_parent(el, c);
    if (!joint_row(el, c))
        return false;
    for (int j = 0; j < c->degree; j++)
        small_lu_solve(r, n + c->D, el->pivots + c->pivot, el->nodes[nb[j].block].shape.size,
                       n + nb[j].X);
    for (int i = 0; i < c->degree; i++) {
        int a = el->nodes[nb[i].block].shape.size;
        const int *target = el->targets + c->target + i * c->degree;
        const double *L = n + nb[i].lower;
        double *LB = n + nb[i].LB;
        if (c->parent_slot >= 0)
            small_add_product(a, d, el->nodes[c->shape.parent].shape.size, 1.0, L, n + c->A,
                              n + target[c->parent_slot]);
        if (c->shape.plain) {
            memcpy(LB, L, (size_t)(a * d) * sizeof *LB);
        } else {
            memset(LB, 0, (size_t)(a * r) * sizeof *LB);
            small_add_product(a, d, r, 1.0, L, n + c->B, LB);
        }
        for (int j = 0; j < c->degree; j++)
            small_add_product(a, r, el->nodes[nb[j].block].shape.size, -1.0, LB, n + nb[j].X,
                              n + target[j]);
    }
    return true;
}

/* All rows of the closures active again. */
static void open_closures(olo_elimination *el)
{
    for (int k = 0; k < el->count; k++) {
        node *c = &el->nodes[k];
        int d = c->shape.size;
        if (!c->shape.last)
            continue;
        c->shape.dof = d;
        for (int i = 0; i < d * d; i++)
            el->numbers[c->B + i] = el->numbers[c->B_hat + i] = i % (d + 1) == 0;
    }
}

olo_status olo_elimination_reveal(olo_elimination *el, olo_error *error)
{
    el->closure_scale = 0;
    open_closures(el);
    for (int i = 0; i < el->count; i++) {
        node *c = &el->nodes[el->order[i]];
        if (c->shape.last)
            reveal(el, c);
        if (!eliminate(el, c))
            return olo_fail(error, OLO_SINGULAR, "singular block %d of %d", el->order[i],
                            el->count);
    }
    return OLO_OK;
}

void olo_elimination_restrict(const olo_elimination *el, int c, double *x)
{
    const node *k = &el->nodes[c];
    double part[OLO_BLOCK_MAX] = {0}, all[OLO_BLOCK_MAX] = {0};
    int d = k->shape.size, r = k->shape.dof;
    small_add_transposed_product(d, r, 1, 1.0, el->numbers + k->B, x, part);
    small_add_product(d, r, 1, 1.0, el->numbers + k->B, part, all);
    memcpy(x, all, (size_t)d * sizeof *x);
}

olo_status olo_elimination_factor(olo_elimination *el, int *block, olo_error *error)
{
    for (int i = 0; i < el->count; i++) {
        int c = el->order[i];
        if (!eliminate(el, &el->nodes[c])) {
            if (block)
                *block = c;
            return olo_fail(error, OLO_SINGULAR, "singular block %d of %d", c, el->count);
        }
    }
    return OLO_OK;
}

static void forward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = c->shape.dof;
    double *z = n + c->z, *e = n + c->e, *x = n + c->x;
    if (c->shape.plain) {
        memcpy(x, z, (size_t)r * sizeof *x);
    } else {
        memset(x, 0, (size_t)r * sizeof *x);
        small_add_transposed_product(d, r, 1, 1.0, n + c->B_hat, z, x);
        if (el->has_gap)
            small_add_product(r, d, 1, 1.0, n + c->y, e, x);
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    for (int i = 0; i < c->degree; i++) {
        int a = el->nodes[nb[i].block].shape.size;
        double *za = n + el->nodes[nb[i].block].z;
        if (i == c->parent_slot)
            small_add_transposed_product(d, a, 1, 1.0, n + c->A_hat, z, za);
        if (el->has_gap)
            small_add_product(a, d, 1, 1.0, n + nb[i].lower, e, za);
        small_add_product(a, r, 1, -1.0, n + nb[i].LB, x, za);
    }
}

static void backward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = c->shape.dof;
    double *du = n + c->du, *dt = n + c->dt;
    for (int i = 0; i < r; i++)
        du[i] = -n[c->x + i];
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        small_add_product(r, b->shape.size, 1, -1.0, n + nb[j].X, n + b->dt, du);
    }
    if (c->shape.plain) {
        memcpy(dt, du, (size_t)d * sizeof *dt);
        return;
    }
    memset(dt, 0, (size_t)d * sizeof *dt);
    if (el->has_gap)
        memcpy(dt, n + c->e, (size_t)d * sizeof *dt);
    small_add_product(d, r, 1, 1.0, n + c->B, du, dt);
    if (c->parent_slot >= 0) {
        const node *p = &el->nodes[c->shape.parent];
        small_add_product(d, p->shape.size, 1, 1.0, n + c->A, n + p->dt, dt);
    }
}

void olo_elimination_solve(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        forward(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        backward(el, &el->nodes[el->order[i]]);
}

const double *olo_elimination_twist(const olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].dt;
}

const double *olo_elimination_increment(const olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].du;
}

void olo_elimination_wrench(const olo_elimination *el, int c, double *mu)
{
    const double *n = el->numbers;
    const node *x = &el->nodes[c];
    int d = x->shape.size;
    for (int i = 0; i < d; i++)
        mu[i] = -n[x->z + i];
    small_add_product(d, d, 1, -1.0, n + x->diagonal, n + x->dt, mu);
    for (int j = 0; j < x->degree; j++) {
        const neighbour *b = &el->neighbours[x->first + j];
        const node *other = &el->nodes[b->block];
        small_add_product(d, other->shape.size, 1, -1.0, n + b->upper, n + other->dt, mu);
    }
}
