/* Orthogonal factors of rows that come one by one (George and Heath 1980, the rank as in Heath
 * 1982): a row goes through the columns from left to right. Where the triangle R has a row that
 * begins there, a Givens rotation of both takes the entry away; where it has none, an entry that is
 * not round-off makes what is left of the row the one that begins there. Rotations leave lengths as
 * they are, so that what is left of a row that repeats others is round-off.
 *
 * Columns are taken in the order in which rows first have them, and R keeps a row from its first to
 * its last: rows that share columns with few others cost little, however many they are and wherever
 * their columns lie. */
#include "linalg/span.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Values of the columns from `first`, which is the row's place in the list; none: count 0. */
typedef struct span_row {
    size_t count, capacity;
    double *values;
} span_row;

struct olo_span {
    size_t columns, seen;
    size_t *place;  /* [columns] of a column among those seen, from one; 0: not yet */
    int *column;    /* [columns] the column at a place */
    double left;    /* of the last row that repeats others: its largest entry outside */
    span_row *rows; /* [columns] */
    double *x;      /* [columns] the row that is added; zero outside of an addition */
    double *y;      /* [columns] to solve with */
};

olo_span *olo_span_create(int columns)
{
    olo_span *span = olo_alloc(1, sizeof *span);
    if (!span)
        return NULL;
    span->columns = (size_t)columns;
    span->place = olo_alloc(span->columns, sizeof *span->place);
    span->rows = olo_alloc(span->columns, sizeof *span->rows);
    span->x = olo_alloc(span->columns, sizeof *span->x);
    span->y = olo_alloc(span->columns, sizeof *span->y);
    span->column = olo_alloc(span->columns, sizeof *span->column);
    if (span->place && span->rows && span->x && span->y && span->column)
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
    olo_free(span->place);
    olo_free(span->rows);
    olo_free(span->x);
    olo_free(span->y);
    olo_free(span->column);
    olo_free(span);
}

/* Room for `count` values; those that are new are zero. */
static bool reach(span_row *row, size_t count)
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

/* Turns x and a row of R so that the first entry of x vanishes. */
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

static size_t place_of(olo_span *span, int column)
{
    size_t *place = &span->place[column];
    if (*place == 0) {
        span->column[span->seen] = column;
        *place = ++span->seen;
    }
    return *place - 1;
}

olo_status olo_span_add(olo_span *span, int count, const int *column, const double *value,
                        double least, bool *repeats, olo_error *error)
{
    size_t from = span->columns, to = 0; // all of x is in between
    for (int i = 0; i < count; i++) {
        const size_t c = place_of(span, column[i]);
        span->x[c] = value[i];
        from = c < from ? c : from;
        to = c + 1 > to ? c + 1 : to;
    }
    *repeats = true;
    span->left = 0;
    for (size_t c = from; c < to && *repeats; c++) {
        span_row *row = &span->rows[c];
        const bool begins = row->count == 0 && fabs(span->x[c]) > least;
        if (row->count == 0)
            span->left = fmax(span->left, fabs(span->x[c]));
        if (span->x[c] == 0 || (row->count == 0 && !begins))
            continue;
        if (!reach(row, to - c)) {
            memset(span->x, 0, span->columns * sizeof *span->x);
            return olo_fail(error, OLO_NO_MEMORY, "out of memory while counting constraints");
        }
        if (begins) {
            memcpy(row->values, span->x + c, (to - c) * sizeof *row->values);
            *repeats = false;
        } else {
            to = c + row->count > to ? c + row->count : to;
            rotate(row, span->x + c);
        }
    }
    if (from < to)
        memset(span->x + from, 0, (to - from) * sizeof *span->x);
    return OLO_OK;
}

double olo_span_left(const olo_span *span)
{
    return span->left;
}

/* R x = y from the last place to the first; x is what y is where no row begins. */
static void substitute(const olo_span *span, double *y)
{
    for (size_t c = span->seen; c-- > 0;) {
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
    return span->place[column] == 0 || span->rows[span->place[column] - 1].count == 0;
}

void olo_span_null(const olo_span *span, double *x)
{
    for (size_t c = 0; c < span->seen; c++)
        span->y[c] = span->rows[c].count == 0 ? x[span->column[c]] : 0;
    substitute(span, span->y);
    for (size_t c = 0; c < span->seen; c++)
        x[span->column[c]] = span->y[c];
}

int olo_span_outside(const olo_span *span, int count, const int *column, const double *value)
{
    double *y = span->y, most = 0;
    int best = -1;
    memset(y, 0, span->columns * sizeof *y);
    for (int i = 0; i < count; i++) {
        const size_t place = span->place[column[i]];
        if (place > 0) {
            y[place - 1] = value[i];
        } else if (fabs(value[i]) > most) { /* no row has this column */
            most = fabs(value[i]);
            best = column[i];
        }
    }
    /* less the rows that take away its entries where they begin */
    for (size_t c = 0; c < span->seen; c++) {
        const span_row *row = &span->rows[c];
        const double factor = row->count > 0 ? y[c] / row->values[0] : 0;
        for (size_t k = 0; factor != 0 && k < row->count; k++)
            y[c + k] -= factor * row->values[k];
        if (row->count == 0 && fabs(y[c]) > most) {
            most = fabs(y[c]);
            best = span->column[c];
        }
    }
    return best;
}

void olo_span_solve(const olo_span *span, double *b)
{
    double *y = span->y;
    for (size_t c = 0; c < span->seen; c++)
        y[c] = b[span->column[c]];
    /* R^T y = b, then R x = y */
    for (size_t c = 0; c < span->seen; c++) {
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
    for (size_t c = 0; c < span->seen; c++)
        b[span->column[c]] = y[c];
}
