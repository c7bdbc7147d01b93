/* Which joints, supports and rods say again what others say already: closures one after the other, each by the part of
 * its rows G P that lies outside of the space of those before it. Rows that the tree carries repeat nothing by
 * construction. A row has entries for the joints around its loop only, so that many small loops cost in proportion to
 * their number. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/span.h"

/* What is left of a row below this, relative to the size of the rows, is nothing. */
static const double rank_tolerance = 1e-9;

typedef struct counter {
    olo_tree *tree;
    olo_null_space *space;
    olo_span *span;
    double *numbers; /* of the motion */
    double *value;   /* [unknowns] a row G P, its entries and their columns */
    int *column;
} counter;

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

/* Row c of the constraints times P; *size grows to what it is made of and to what it is. */
static int form_row(counter *x, int c, double *size)
{
    const olo_system *s = x->tree->system;
    const olo_constraint *row = &s->constraints[c];
    const olo_at at = {.q = s->q0};
    double gradient[OLO_FORM_SIZE_MAX], square = 0;
    olo_constraint_gradient(row, &at, gradient);
    int count =
        olo_null_space_apply_sparse(x->space, row->size, row->index, gradient, x->column, x->value);
    for (int i = 0; i < count; i++)
        square += x->value[i] * x->value[i];
    *size = fmax(*size, fmax(sqrt(square), row_size(s, row, gradient)));
    return count;
}

static olo_status open_counter(counter *x, olo_error *error)
{
    const olo_system *s = x->tree->system;
    const size_t n = (size_t)s->n, unknowns = (size_t)x->tree->unknowns;
    olo_status status = olo_null_space_create(x->tree, &x->space, error);
    if (status != OLO_OK)
        return status;
    x->span = olo_span_create(x->tree->unknowns);
    x->numbers = olo_alloc(3 * n + (size_t)s->twists + unknowns, sizeof *x->numbers);
    x->value = olo_alloc(unknowns, sizeof *x->value);
    x->column = olo_alloc(unknowns, sizeof *x->column);
    if (!x->span || !x->numbers || !x->value || !x->column)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
    olo_motion motion = {.q0 = s->q0,
                         .dq = x->numbers,
                         .qm = x->numbers + n,
                         .q1 = x->numbers + 2 * n,
                         .motion = x->numbers + 3 * n,
                         .u = x->numbers + 3 * n + s->twists};
    olo_tree_begin(x->tree, &motion);
    olo_tree_move(x->tree, &motion);
    olo_null_space_at(x->space, &motion, false);
    return OLO_OK;
}

static void close_counter(counter *x)
{
    olo_null_space_free(x->space);
    olo_span_free(x->span);
    olo_free(x->numbers);
    olo_free(x->value);
    olo_free(x->column);
}

static int group_of(const olo_system *s, int row)
{
    int i = 0;
    while (row >= s->groups[i].first + s->groups[i].count)
        i++;
    return i;
}

static olo_status count_all(counter *x, int *repeated, int *rank, olo_error *error)
{
    const olo_tree *tree = x->tree;
    double size = 0;
    for (int i = 0; i < tree->closure_count; i++)
        form_row(x, tree->closures[i], &size);
    for (int i = 0; i < tree->closure_count; i++) {
        bool again = false;
        const int c = tree->closures[i], count = form_row(x, c, &size);
        const olo_status status =
            olo_span_add(x->span, count, x->column, x->value, rank_tolerance * size, &again, error);
        if (status != OLO_OK)
            return status;
        *rank += !again;
        if (repeated && again)
            repeated[group_of(tree->system, c)]++;
    }
    return OLO_OK;
}

olo_status olo_tree_repeated_rows(olo_tree *tree, int *repeated, int *rank, olo_error *error)
{
    *rank = 0;
    if (tree->closure_count == 0)
        return OLO_OK;
    counter x = {.tree = tree};
    olo_status status = open_counter(&x, error);
    if (status == OLO_OK)
        status = count_all(&x, repeated, rank, error);
    close_counter(&x);
    return status;
}

olo_status olo_system_repeated_rows(const olo_system *system, int *repeated, olo_error *error)
{
    olo_tree *tree = NULL;
    int rank;
    memset(repeated, 0, (size_t)system->group_count * sizeof *repeated);
    olo_status status = olo_tree_create(system, &tree, error);
    if (status == OLO_OK)
        status = olo_tree_repeated_rows(tree, repeated, &rank, error);
    olo_tree_free(tree);
    return status;
}
