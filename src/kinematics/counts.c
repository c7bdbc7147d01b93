/* Counting coordinates, constraints, rank and unknowns. Rows that the tree carries are independent by
 * construction; the rank of the others is that of G P, a small dense matrix. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/dense.h"

/* Singular values below this, relative to the size of the rows, belong to redundant rows. */
static const double rank_tolerance = 1e-9;

/* What a row changes by when its coordinates move: positions by the model's length, directors by one. Rows that
 * all repeat others leave nothing but the round-off of this. */
static double row_size(const olo_system *s, const olo_constraint *row, const double *gradient)
{
    double size = 0;
    for (int k = 0; k < row->size; k++)
        size = fmax(size, fabs(gradient[k]) *
                              (s->coordinates[row->index[k]].slot == 0 ? s->length_scale : 1.0));
    return size;
}

double *olo_closure_matrix(olo_tree *tree, olo_null_space *space, double *size)
{
    const olo_system *s = tree->system;
    size_t n = (size_t)s->n, rows = (size_t)tree->closure_count, columns = (size_t)tree->unknowns;
    double *matrix = olo_alloc(rows * columns + 1, sizeof *matrix);
    double *numbers = olo_alloc(4 * n + 2 * (size_t)s->twists, sizeof *numbers);
    if (!matrix || !numbers) {
        olo_free(numbers);
        return olo_free(matrix);
    }
    double *dense = numbers + 3 * n, gradient[OLO_FORM_SIZE_MAX];
    olo_at at = {.q = s->q0};
    olo_motion x = {.q0 = s->q0,
                    .dq = numbers,
                    .qm = numbers + n,
                    .q1 = numbers + 2 * n,
                    .motion = numbers + 4 * n,
                    .u = numbers + 4 * n + s->twists};
    olo_tree_begin(tree, &x);
    olo_tree_move(tree, &x);
    olo_null_space_at(space, &x, false);
    for (int i = 0; i < tree->closure_block_count; i++) {
        const olo_closure *closure = &tree->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            const olo_constraint *row = &s->constraints[closure->first + j];
            olo_constraint_gradient(row, &at, gradient);
            *size = fmax(*size, row_size(s, row, gradient));
            memset(dense, 0, n * sizeof *dense);
            for (int k = 0; k < row->size; k++)
                dense[row->index[k]] = gradient[k];
            olo_null_space_apply(space, dense, matrix + (size_t)(closure->u + j) * columns);
        }
    }
    olo_free(numbers);
    return matrix;
}

static olo_status closure_rank(olo_tree *tree, int *rank, olo_error *error)
{
    *rank = 0;
    if (tree->closure_block_count == 0)
        return OLO_OK;
    olo_null_space *space = NULL;
    olo_status status = olo_null_space_create(tree, &space, error);
    if (status != OLO_OK)
        return status;
    int count = tree->closure_count < tree->unknowns ? tree->closure_count : tree->unknowns;
    double size = 0, *matrix = olo_closure_matrix(tree, space, &size);
    double *values = olo_alloc((size_t)count + 1, sizeof *values);
    if (!matrix || !values ||
        !olo_singular_values(tree->closure_count, tree->unknowns, matrix, values))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
    else
        while (*rank < count && values[*rank] > rank_tolerance * fmax(values[0], size))
            (*rank)++;
    olo_free(values);
    olo_free(matrix);
    olo_null_space_free(space);
    return status;
}

olo_status olo_system_counts(const olo_system *s, olo_counts *counts, olo_error *error)
{
    memset(counts, 0, sizeof *counts);
    olo_tree *tree = NULL;
    int rank = 0;
    olo_status status = olo_tree_create(s, &tree, error);
    if (status == OLO_OK)
        status = closure_rank(tree, &rank, error);
    if (status != OLO_OK) {
        olo_tree_free(tree);
        return status;
    }
    for (int k = 0; k < s->node_count; k++) {
        counts->points += s->nodes[k].kind == OLO_NODE_POINT;
        counts->bodies += s->nodes[k].kind == OLO_NODE_FRAME && !s->nodes[k].section;
        counts->sections += s->nodes[k].section;
    }
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].internal)
            counts->internal += s->groups[i].count;
    for (int c = 0; c < s->m; c++)
        counts->velocity_rows += s->constraints[c].type->velocity;
    counts->beams = s->beam_count;
    counts->coordinates = s->n;
    counts->constraints = s->m;
    counts->closures = tree->closure_count;
    counts->rank = s->m - tree->closure_count + rank;
    counts->degrees_of_freedom = s->n - counts->rank;
    counts->unknowns_reduced = tree->unknowns + tree->closure_count;
    counts->unknowns_multipliers = s->n + s->m;
    olo_tree_free(tree);
    return OLO_OK;
}
