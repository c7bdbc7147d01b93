/* Orthogonal factors of rows that come one by one (George and Heath 1980, the rank as in Heath 1982): a row goes
 * through the columns from left to right. Where the triangle R has a row that begins there, a Givens rotation of both
 * takes the entry away; where it has none, an entry that is not round-off makes what is left of the row the one that
 * begins there. Rotations leave lengths as they are, so that what is left of a row that repeats others is round-off.
 *
 * Columns are taken in the order in which rows first have them, and R keeps a row from its first to its last: rows that
 * share columns with few others cost little, however many they are and wherever their columns lie. */
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
    span_row *rows; /* [columns] */
    double *x;      /* [columns] the row that is added; zero outside of an addition */
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
    if (span->place && span->rows && span->x)
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
    if (*place == 0)
        *place = ++span->seen;
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
    for (size_t c = from; c < to && *repeats; c++) {
        span_row *row = &span->rows[c];
        const bool begins = row->count == 0 && fabs(span->x[c]) > least;
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
