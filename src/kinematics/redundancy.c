/* Redundant closure rows. The rows G P of the closures are added one after the other to a span; a
 * row is redundant if it lies in the span of the previous rows. Rows that joints of the forest
 * satisfy are independent by construction. A row has entries only for the joints of its loop, so
 * that the cost of many small loops is proportional to their number. */
#include "kinematics/redundancy.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/span.h"

/* A residual below this, relative to the size of the rows, is regarded as zero. */
static const double rank_tolerance = 1e-9;

typedef struct counter {
    const olo_topology *topology;
    olo_null_space *space;
    olo_span *span;
    double *numbers; /* of the motion */
    double *value;   /* [unknowns] a row G P, its entries and their columns */
    int *column;
} counter;

/* The change of a row when its coordinates change by their scales: positions by the length of the
 * model, directors by one. The residual of a redundant row is the round-off of this size. */
static double row_size(const olo_system *s, const olo_constraint *row, const double *gradient)
{
    double size = 0;
    for (int k = 0; k < row->size; k++)
        size = fmax(size, fabs(gradient[k]) * olo_coordinate_unit(s, row->index[k]));
    return size;
}

/* Row c of the constraints times P; *size is raised to the size of the row and to its norm. */
static int form_row(counter *x, int c, double *size)
{
    const olo_system *s = x->topology->system;
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
    const olo_system *s = x->topology->system;
    const size_t unknowns = (size_t)x->topology->unknowns;
    olo_status status = olo_null_space_create(x->topology, &x->space, error);
    if (status != OLO_OK)
        return status;
    x->span = olo_span_create(x->topology->unknowns);
    x->numbers = olo_alloc(olo_motion_numbers(x->topology), sizeof *x->numbers);
    x->value = olo_alloc(unknowns, sizeof *x->value);
    x->column = olo_alloc(unknowns, sizeof *x->column);
    if (!x->span || !x->numbers || !x->value || !x->column)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
    olo_motion motion = olo_motion_over(x->topology, s->q0, x->numbers);
    olo_motion_begin(x->topology, &motion);
    olo_motion_move(x->topology, &motion);
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

static olo_status count_rows(counter *x, olo_redundancy *found, olo_error *error)
{
    const olo_topology *topology = x->topology;
    double size = 0;
    /* the size of the largest row */
    for (int i = 0; i < topology->closure_count; i++)
        form_row(x, topology->closures[i], &size);
    /* add the rows one by one and count those that are redundant */
    for (int i = 0; i < topology->closure_count; i++) {
        bool redundant = false;
        const int c = topology->closures[i], count = form_row(x, c, &size);
        const olo_status status = olo_span_add(x->span, count, x->column, x->value,
                                               rank_tolerance * size, &redundant, error);
        if (status != OLO_OK)
            return status;
        found->rank += !redundant;
        found->rows[olo_system_group_of(topology->system, c)] += redundant;
    }
    return OLO_OK;
}

olo_status olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                 olo_error *error)
{
    olo_redundancy *found = *redundancy = olo_alloc(1, sizeof *found);
    counter x = {.topology = topology};
    olo_status status = OLO_OK;
    if (found)
        found->rows = olo_alloc((size_t)topology->system->group_count, sizeof *found->rows);
    if (!found || !found->rows)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
    if (status == OLO_OK && topology->closure_count > 0) {
        status = open_counter(&x, error);
        if (status == OLO_OK)
            status = count_rows(&x, found, error);
        close_counter(&x);
    }
    if (status != OLO_OK) {
        olo_redundancy_free(found);
        *redundancy = NULL;
    }
    return status;
}

void olo_redundancy_free(olo_redundancy *redundancy)
{
    if (!redundancy)
        return;
    olo_free(redundancy->rows);
    olo_free(redundancy);
}
