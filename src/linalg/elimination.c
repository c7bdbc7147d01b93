/* The numbers of the block elimination and access to them. The structure is in
 * elimination_structure.c, the elimination of a block in elimination_sweep.c, that of a symmetric
 * matrix in elimination_symmetric.c. */
#include "linalg/elimination.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"
#include "linalg/lanes.h"

olo_status olo_elimination_create(const olo_elimination_structure *structure,
                                  olo_elimination **elimination, olo_error *error)
{
    const size_t count = (size_t)structure->count;
    olo_elimination *el = *elimination = olo_alloc(1, sizeof *el);
    if (el) {
        const bool wide = olo_elimination_kernels_wide && olo_lanes_are_wide();
        *el = (olo_elimination){
            .structure = structure,
            .kernels = wide ? olo_elimination_kernels_wide : &olo_elimination_kernels_plain,
            .symmetric = wide ? olo_symmetric_kernels_wide : &olo_symmetric_kernels_plain,
            .count = structure->count,
            .tree = structure->tree,
            .nodes = structure->nodes,
            .order = structure->order,
            .rank = structure->rank,
            .neighbours = structure->neighbours,
            .targets = structure->targets};
        el->numbers = olo_alloc((size_t)structure->number_count + 1, sizeof *el->numbers);
        el->pivots = olo_alloc((size_t)structure->pivot_count, sizeof *el->pivots);
        el->active = olo_alloc(count, sizeof *el->active);
    }
    if (!el || !el->numbers || !el->pivots || !el->active) {
        olo_elimination_free(el);
        *elimination = NULL;
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for %zu blocks", count);
    }
    for (int c = 0; c < el->count; c++)
        el->active[c] = el->nodes[c].shape.dof;
    olo_elimination_activate_closures(el);
    return OLO_OK;
}

void olo_elimination_free(olo_elimination *el)
{
    if (!el)
        return;
    olo_free(el->numbers);
    olo_free(el->pivots);
    olo_free(el->active);
    olo_free(el);
}

void olo_elimination_clear(olo_elimination *el)
{
    for (int c = 0; c < el->count; c++)
        memset(el->numbers + el->nodes[c].diagonal, 0,
               (size_t)el->nodes[c].cleared * sizeof *el->numbers);
    el->has_gap = el->has_rows = false;
}

void olo_elimination_clear_right(olo_elimination *el)
{
    for (int c = 0; c < el->count; c++) {
        const node *x = &el->nodes[c];
        memset(el->numbers + x->z, 0, (size_t)x->shape.size * sizeof *el->numbers);
        if (!x->shape.plain)
            memset(el->numbers + x->e, 0, (size_t)x->shape.size * sizeof *el->numbers);
    }
    el->has_gap = el->has_rows = false;
}

bool olo_elimination_is_tree(const olo_elimination *el)
{
    return el->tree;
}

void olo_elimination_prefetch(const olo_elimination *el, int c)
{
    const node *x = &el->nodes[c];
    for (int i = x->diagonal; i < x->end; i += 8)
        __builtin_prefetch(el->numbers + i);
}

int olo_elimination_count(const olo_elimination *el)
{
    return el->count;
}

const int *olo_elimination_sequence(const olo_elimination *el)
{
    return el->order;
}

double *olo_elimination_matrix(olo_elimination *el, int a, int b)
{
    int offset = olo_elimination_offset(el->structure, a, b);
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

double *olo_elimination_row(olo_elimination *el, int c)
{
    for (int b = 0; !el->has_rows && b < el->count; b++)
        for (int i = 0; !el->nodes[b].shape.plain && i < el->nodes[b].shape.dof; i++)
            el->numbers[el->nodes[b].x + i] = 0;
    el->has_rows = true;
    return el->numbers + el->nodes[c].x;
}

olo_joint_blocks olo_elimination_joint(olo_elimination *el, int c)
{
    const node *x = &el->nodes[c];
    double *n = el->numbers;
    olo_joint_blocks blocks = {
        .B = n + x->B, .B_hat = n + x->B_hat, .kp = n + x->kp, .kc = n + x->kc, .ku = n + x->ku};
    if (x->spatial) {
        blocks.spatial = n + x->arms;
        return blocks;
    }
    blocks.A = n + x->A;
    blocks.A_hat = n + x->A_hat;
    blocks.Ep = n + x->Ep;
    blocks.Ec = n + x->Ec;
    return blocks;
}
