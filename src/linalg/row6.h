/* Rows of six numbers, the size of a twist, held in three pairs: the operations of the hot loops on
 * 6 x 6 blocks. A pair is added and multiplied elementwise, so the result is that of plain code to
 * the last bit, with half the instructions where the processor has registers of two numbers. */
#ifndef OLO_LINALG_ROW6_H
#define OLO_LINALG_ROW6_H

#include <string.h>

typedef double row6_pair __attribute__((vector_size(16)));

typedef struct row6 {
    row6_pair a, b, c;
} row6;

static inline row6 row6_load(const double *x)
{
    row6 row;
    memcpy(&row.a, x, sizeof row.a);
    memcpy(&row.b, x + 2, sizeof row.b);
    memcpy(&row.c, x + 4, sizeof row.c);
    return row;
}

static inline void row6_store(row6 row, double *x)
{
    memcpy(x, &row.a, sizeof row.a);
    memcpy(x + 2, &row.b, sizeof row.b);
    memcpy(x + 4, &row.c, sizeof row.c);
}

/* Use this for numbers that were just computed instead of loading six stored doubles as pairs: such
 * a load has to wait for narrower stores. */
static inline row6 row6_make(double x0, double x1, double x2, double x3, double x4, double x5)
{
    const row6_pair a = {x0, x1}, b = {x2, x3}, c = {x4, x5};
    return (row6){a, b, c};
}

static inline row6 row6_zero(void)
{
    return row6_make(0, 0, 0, 0, 0, 0);
}

static inline row6 row6_add(row6 x, row6 y)
{
    return (row6){x.a + y.a, x.b + y.b, x.c + y.c};
}

/* x + s y */
static inline row6 row6_add_times(row6 x, double s, row6 y)
{
    const row6_pair f = {s, s};
    return (row6){x.a + f * y.a, x.b + f * y.b, x.c + f * y.c};
}

static inline double row6_dot(row6 x, row6 y)
{
    const row6_pair sum = x.a * y.a + x.b * y.b + x.c * y.c;
    return sum[0] + sum[1];
}

/* x [I a^; 0 I] = [x_l, x_r + x_l x a] */
static inline row6 row6_shift(row6 x, const double a[3])
{
    const double x0 = x.a[0], x1 = x.a[1], x2 = x.b[0];
    const row6_pair b = {x2, x.b[1] + (x1 * a[2] - x2 * a[1])};
    const row6_pair c = {x.c[0] + (x2 * a[0] - x0 * a[2]), x.c[1] + (x0 * a[1] - x1 * a[0])};
    return (row6){x.a, b, c};
}

#endif
