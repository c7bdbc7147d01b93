/* Ordering of the block elimination: least degree first, children before parents, closures after all they touch. */
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
bool olo_elimination_order(olo_elimination *el, list *graph, olo_error *error)
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
                    ok = olo_block_list_add(&graph[a], graph[c].item[j]);
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
