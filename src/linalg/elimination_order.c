/* The order of the block elimination: minimum degree among the blocks that may be eliminated.
 * Children come before their parents, and closures after all blocks that affect them. */
#include <stdint.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"

static bool list_has(const list *l, int value)
{
    for (int i = 0; i < l->count; i++)
        if (l->item[i] == value)
            return true;
    return false;
}

bool olo_block_list_add(list *l, int value)
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

/* binary heap of (degree, block); outdated entries are skipped when they are popped */
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

/* ---- dependencies ---------------------------------------------------------------------------- */

typedef struct dependencies {
    olo_pool pool;
    int *count;  /* per block: number of blocks that must be eliminated before it */
    list *after; /* per block: closures that must be eliminated after it */
    int *below;  /* work space of a closure: how many of its neighbours are descendants of a block,
                    or the block itself */
} dependencies;

static void dependencies_free(dependencies *w, int n)
{
    for (int c = 0; w->after && c < n; c++)
        olo_free(w->after[c].item);
    olo_pool_free(&w->pool);
}

static bool dependencies_create(dependencies *w, int n)
{
    w->count = olo_pool_alloc(&w->pool, (size_t)n, sizeof *w->count);
    w->after = olo_pool_alloc(&w->pool, (size_t)n, sizeof *w->after);
    w->below = olo_pool_alloc(&w->pool, (size_t)n, sizeof *w->below);
    return !w->pool.failed;
}

/* All blocks that affect a closure come before it: its neighbours and their ancestors; for a
 * relative closure only those below their lowest common ancestor. So its diagonal block is complete
 * when it is eliminated, and has the rank of its rows. */
static bool add_closure_dependencies(const olo_elimination_structure *el, const list *neighbours,
                                     int c, dependencies *w)
{
    bool ok = true;
    /* count for every ancestor how many neighbours of the closure are below it */
    int all = 0;
    for (int i = 0; i < neighbours->count; i++) {
        if (el->nodes[neighbours->item[i]].shape.closure)
            continue;
        all++;
        for (int a = neighbours->item[i]; a >= 0; a = el->nodes[a].shape.parent)
            w->below[a]++;
    }
    /* the closure depends on these ancestors, without the common ones if it is relative */
    bool relative = el->nodes[c].shape.relative && all > 1;
    for (int i = 0; i < neighbours->count; i++)
        for (int a = neighbours->item[i]; a >= 0; a = el->nodes[a].shape.parent) {
            if (w->below[a] > 0 && !(relative && w->below[a] == all)) {
                ok = ok && olo_block_list_add(&w->after[a], c);
                w->count[c]++;
            }
            w->below[a] = 0;
        }
    return ok;
}

static bool find_dependencies(const olo_elimination_structure *el, const list *graph,
                              dependencies *w)
{
    bool ok = dependencies_create(w, el->count);
    for (int c = 0; ok && c < el->count; c++) {
        int parent = el->nodes[c].shape.parent;
        if (parent >= 0)
            w->count[parent]++;
        if (el->nodes[c].shape.closure)
            ok = add_closure_dependencies(el, &graph[c], c, w);
    }
    return ok;
}

/* ---- the order ------------------------------------------------------------------------------- */

/* Eliminates block c from the graph: couples its neighbours with each other. Its own list then
 * contains the neighbours that are eliminated later. */
static bool eliminate_from_graph(list *graph, int c)
{
    bool ok = true;
    for (int i = 0; ok && i < graph[c].count; i++) {
        int a = graph[c].item[i];
        list_remove(&graph[a], c);
        for (int j = 0; ok && j < graph[c].count; j++)
            if (graph[c].item[j] != a)
                ok = olo_block_list_add(&graph[a], graph[c].item[j]);
    }
    return ok;
}

/* Removes one dependency of a block; a block without dependencies is ready. */
static bool release(heap *ready, const list *graph, dependencies *w, int block)
{
    return --w->count[block] > 0 || heap_push(ready, graph[block].count, block);
}

bool olo_elimination_order(olo_elimination_structure *el, list *graph, olo_error *error)
{
    /* blocks without dependencies, ordered by degree */
    heap ready = {0};
    dependencies w = {0};
    int n = el->count, done = 0;
    bool ok = find_dependencies(el, graph, &w);
    for (int c = 0; ok && c < n; c++)
        if (w.count[c] == 0)
            ok = heap_push(&ready, graph[c].count, c);
    while (ok && ready.count > 0) {
        int64_t key = heap_pop(&ready);
        int c = (int)(key & 0xffffffff), degree = (int)(key >> 32);
        /* skip blocks that are done; the degree of a block may have changed since it was pushed */
        if (el->rank[c] >= 0)
            continue;
        if (degree != graph[c].count) {
            ok = heap_push(&ready, graph[c].count, c);
            continue;
        }
        /* eliminate the block, and release the blocks that depend on it */
        el->order[done] = c;
        el->rank[c] = done++;
        ok = eliminate_from_graph(graph, c);
        if (ok && el->nodes[c].shape.parent >= 0)
            ok = release(&ready, graph, &w, el->nodes[c].shape.parent);
        for (int i = 0; ok && i < w.after[c].count; i++)
            ok = release(&ready, graph, &w, w.after[c].item[i]);
    }
    dependencies_free(&w, n);
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
