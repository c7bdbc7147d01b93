/* Which joints, supports and rods say again what others say already: closures one after the other, each by the part of
 * its rows G P that lies outside of the space of those before it (Gram-Schmidt, the largest part first). Rows that the
 * tree carries repeat nothing by construction. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"

/* What is left of a row below this, relative to the size of the rows, is nothing (counts.c). */
static const double rank_tolerance = 1e-9;

/* An orthonormal basis that grows. */
typedef struct basis {
    size_t columns;
    int count;
    double *vectors;
} basis;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes what the basis spans out of a row, from vector `from` on; twice, since once leaves rounding. */
static void take_out(const basis *b, int from, double *row)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = from; k < b->count; k++) {
            const double *v = b->vectors + (size_t)k * b->columns;
            double along = dot(b->columns, v, row);
            for (size_t i = 0; i < b->columns; i++)
                row[i] -= along * v[i];
        }
}

/* How many of the rows lie in the space of the basis and of each other; the basis takes in the others. */
static int count_repeated(basis *b, int rows, double *matrix, double least)
{
    bool used[OLO_BLOCK_MAX] = {false};
    int left = rows, before = b->count;
    for (int j = 0; j < rows; j++)
        take_out(b, 0, matrix + (size_t)j * b->columns);
    while (left > 0) {
        int best = -1;
        double largest = least;
        for (int j = 0; j < rows; j++) {
            const double *row = matrix + (size_t)j * b->columns;
            double size = used[j] ? 0 : sqrt(dot(b->columns, row, row));
            if (size > largest) {
                largest = size;
                best = j;
            }
        }
        if (best < 0)
            return left;
        used[best] = true;
        left--;
        double *to = b->vectors + (size_t)b->count++ * b->columns;
        for (size_t i = 0; i < b->columns; i++)
            to[i] = matrix[(size_t)best * b->columns + i] / largest;
        for (int j = 0; j < rows; j++)
            take_out(b, before, matrix + (size_t)j * b->columns);
    }
    return 0;
}

static int group_of(const olo_system *s, int row)
{
    int i = 0;
    while (row >= s->groups[i].first + s->groups[i].count)
        i++;
    return i;
}

static void count_all(const olo_tree *tree, double *matrix, double size, basis *b, int *repeated)
{
    double largest = size;
    for (int c = 0; c < tree->closure_count; c++) {
        const double *row = matrix + (size_t)c * b->columns;
        largest = fmax(largest, sqrt(dot(b->columns, row, row)));
    }
    for (int i = 0; i < tree->closure_block_count; i++) {
        const olo_closure *closure = &tree->closure_blocks[i];
        repeated[group_of(tree->system, closure->first)] += count_repeated(
            b, closure->count, matrix + (size_t)closure->u * b->columns, rank_tolerance * largest);
    }
}

olo_status olo_system_repeated_rows(const olo_system *system, int *repeated, olo_error *error)
{
    olo_tree *tree = NULL;
    olo_null_space *space = NULL;
    memset(repeated, 0, (size_t)system->group_count * sizeof *repeated);
    olo_status status = olo_tree_create(system, &tree, error);
    if (status == OLO_OK)
        status = olo_null_space_create(tree, &space, error);
    if (status == OLO_OK && tree->closure_count > 0) {
        /* as many vectors as there are rows, or as many as fit into the space and one that rounding might add */
        int most = tree->closure_count < tree->unknowns ? tree->closure_count : tree->unknowns + 1;
        basis b = {.columns = (size_t)tree->unknowns};
        double size = 0, *matrix = olo_closure_matrix(tree, space, &size);
        b.vectors = olo_alloc((size_t)most * b.columns, sizeof *b.vectors);
        if (matrix && b.vectors)
            count_all(tree, matrix, size, &b, repeated);
        else
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
        olo_free(b.vectors);
        olo_free(matrix);
    }
    olo_null_space_free(space);
    olo_tree_free(tree);
    return status;
}
