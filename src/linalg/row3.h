/* Vectors of three numbers, held as a pair and a single number: the operations of kernels of
 * frames. As in row6.h, the bits are those of plain code. */
#ifndef OLO_LINALG_ROW3_H
#define OLO_LINALG_ROW3_H

#include "linalg/row6.h"

typedef struct row3 {
    row6_pair a;
    double b;
} row3;

static inline row3 row3_load(const double *x)
{
    row3 row;
    memcpy(&row.a, x, sizeof row.a);
    row.b = x[2];
    return row;
}

static inline void row3_store(row3 row, double *x)
{
    memcpy(x, &row.a, sizeof row.a);
    x[2] = row.b;
}

static inline row3 row3_times(double s, row3 x)
{
    const row6_pair f = {s, s};
    return (row3){f * x.a, s * x.b};
}

static inline row3 row3_add(row3 x, row3 y)
{
    return (row3){x.a + y.a, x.b + y.b};
}

static inline row3 row3_subtract(row3 x, row3 y)
{
    return (row3){x.a - y.a, x.b - y.b};
}

/* x + s y */
static inline row3 row3_add_times(row3 x, double s, row3 y)
{
    return row3_add(x, row3_times(s, y));
}

#endif
