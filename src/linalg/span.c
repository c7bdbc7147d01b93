/* Orthogonal factorisation of rows that are added one by one (George and Heath 1980, the rank as in
 * Heath 1982). A new row passes through the columns from left to right. Where the triangle R has a
 * row that begins in a column, a Givens rotation of both rows eliminates the entry. Where it has
 * none, an entry above the tolerance makes the residual of the new row the row of R that begins
 * there. Rotations preserve lengths, so the residual of a redundant row is round-off.
 *
 * Columns are numbered in the order in which rows first use them, and R stores a row from its first
 * to its last column: rows that share columns with few others cost little, however many there are
 * and wherever their columns lie. */
#include "linalg/span.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"

/* A row of R: values of consecutive columns from its diagonal on; count 0: no such row. */
typedef struct span_row {
    size_t count, capacity;
    double *values;
} span_row;

struct olo_span {
    size_t columns, used;
    olo_pool pool;    /* memory of the arrays below */
    size_t *position; /* [columns] position of a column among the used ones, from 1; 0: unused */
    int *column;      /* [columns] the column at a position */
    double residual;  /* of the last redundant row: the largest entry of its residual */
    span_row *rows;   /* [columns] */
    double *x;        /* [columns] the row that is being added; zero otherwise */
    double *y;        /* [columns] work space of solves */
};

olo_span *olo_span_create(int columns)
{
    olo_span *span = olo_alloc(1, sizeof *span);
    if (!span)
        return NULL;
    span->columns = (size_t)columns;
    span->position = olo_pool_alloc(&span->pool, span->columns, sizeof *span->position);
    span->rows = olo_pool_alloc(&span->pool, span->columns, sizeof *span->rows);
    span->x = olo_pool_alloc(&span->pool, span->columns, sizeof *span->x);
    span->y = olo_pool_alloc(&span->pool, span->columns, sizeof *span->y);
    span->column = olo_pool_alloc(&span->pool, span->columns, sizeof *span->column);
    if (!span->pool.failed)
        return span;
    olo_span_free(span);
    return NULL;
}

void olo_span_free(olo_span *span)
{
    if (!span)
        return;
    for (size_t i = 0; span->rows && i < span->columns; i++)
        olo_free(span->rows[i].values);
    olo_pool_free(&span->pool);
    olo_free(span);
}

/* Extends a row to `count` values; new values are zero. */
static bool extend(span_row *row, size_t count)
{
    if (count > row->capacity) {
        size_t capacity = count + row->capacity / 2;
        double *values = olo_realloc(row->values, row->capacity, capacity, sizeof *values);
        if (!values)
            return false;
        row->values = values;
        row->capacity = capacity;
    }
    if (count > row->count)
        row->count = count;
    return true;
}

/* Rotates x and a row of R so that the first entry of x vanishes. */
static void rotate(span_row *row, double *x)
{
    const double size = hypot(row->values[0], x[0]);
    const double c = row->values[0] / size, s = x[0] / size;
    for (size_t i = 0; i < row->count; i++) {
        const double r = row->values[i];
        row->values[i] = c * r + s * x[i];
        x[i] = c * x[i] - s * r;
    }
    x[0] = 0;
}

static size_t position_of(olo_span *span, int column)
{
    size_t *position = &span->position[column];
    if (*position == 0) {
        span->column[span->used] = column;
        *position = ++span->used;
    }
    return *position - 1;
}

olo_status olo_span_add(olo_span *span, int count, const int *column, const double *value,
                        double tolerance, bool *redundant, olo_error *error)
{
    /* copy the row to x in the order of used columns */
    size_t from = span->columns, to = 0; // the non-zero entries of x are in [from, to)
    for (int i = 0; i < count; i++) {
        const size_t c = position_of(span, column[i]);
        span->x[c] = value[i];
        from = c < from ? c : from;
        to = c + 1 > to ? c + 1 : to;
    }
    /* eliminate its entries by rotations with the rows of R, until a new row of R begins */
    *redundant = true;
    span->residual = 0;
    for (size_t c = from; c < to && *redundant; c++) {
        span_row *row = &span->rows[c];
        const bool begins = row->count == 0 && fabs(span->x[c]) > tolerance;
        if (row->count == 0)
            span->residual = fmax(span->residual, fabs(span->x[c]));
        if (span->x[c] == 0 || (row->count == 0 && !begins))
            continue;
        if (!extend(row, to - c)) {
            memset(span->x, 0, span->columns * sizeof *span->x);
            return olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
        }
        if (begins) {
            memcpy(row->values, span->x + c, (to - c) * sizeof *row->values);
            *redundant = false;
        } else {
            to = c + row->count > to ? c + row->count : to;
            rotate(row, span->x + c);
        }
    }
    if (from < to)
        memset(span->x + from, 0, (to - from) * sizeof *span->x);
    return OLO_OK;
}

double olo_span_residual(const olo_span *span)
{
    return span->residual;
}

/* Solves R x = y from the last position to the first; x = y in columns without a row of R. */
static void substitute(const olo_span *span, double *y)
{
    for (size_t c = span->used; c-- > 0;) {
        const span_row *row = &span->rows[c];
        if (row->count == 0)
            continue;
        for (size_t k = 1; k < row->count; k++)
            y[c] -= row->values[k] * y[c + k];
        y[c] /= row->values[0];
    }
}

bool olo_span_is_free(const olo_span *span, int column)
{
    return span->position[column] == 0 || span->rows[span->position[column] - 1].count == 0;
}

void olo_span_complete_null_vector(const olo_span *span, double *x)
{
    for (size_t c = 0; c < span->used; c++)
        span->y[c] = span->rows[c].count == 0 ? x[span->column[c]] : 0;
    substitute(span, span->y);
    for (size_t c = 0; c < span->used; c++)
        x[span->column[c]] = span->y[c];
}

int olo_span_find_free_column(const olo_span *span, int count, const int *column,
                              const double *value)
{
    double *y = span->y, largest = 0;
    int best = -1;
    memset(y, 0, span->columns * sizeof *y);
    for (int i = 0; i < count; i++) {
        const size_t position = span->position[column[i]];
        if (position > 0) {
            y[position - 1] = value[i];
        } else if (fabs(value[i]) > largest) { /* no row has used this column */
            largest = fabs(value[i]);
            best = column[i];
        }
    }
    /* subtract multiples of the rows of R that eliminate its entries */
    for (size_t c = 0; c < span->used; c++) {
        const span_row *row = &span->rows[c];
        const double factor = row->count > 0 ? y[c] / row->values[0] : 0;
        for (size_t k = 0; factor != 0 && k < row->count; k++)
            y[c + k] -= factor * row->values[k];
        if (row->count == 0 && fabs(y[c]) > largest) {
            largest = fabs(y[c]);
            best = span->column[c];
        }
    }
    return best;
}

void olo_span_solve(const olo_span *span, double *b)
{
    double *y = span->y;
    for (size_t c = 0; c < span->used; c++)
        y[c] = b[span->column[c]];
    /* R^T y = b, then R x = y */
    for (size_t c = 0; c < span->used; c++) {
        const span_row *row = &span->rows[c];
        if (row->count == 0) {
            y[c] = 0;
            continue;
        }
        y[c] /= row->values[0];
        for (size_t k = 1; k < row->count; k++)
            y[c + k] -= row->values[k] * y[c];
    }
    substitute(span, y);
    memset(b, 0, span->columns * sizeof *b);
    for (size_t c = 0; c < span->used; c++)
        b[span->column[c]] = y[c];
}
