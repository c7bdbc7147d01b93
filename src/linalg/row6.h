/* Rows of six numbers, the size of a twist, held as four and two: the operations of the hot loops
 * on 6 x 6 blocks. They are added and multiplied elementwise, so the result is that of plain code
 * to the last bit, with fewer instructions where the processor has registers of two or four
 * numbers.
 */
#ifndef OLO_LINALG_ROW6_H
#define OLO_LINALG_ROW6_H

#include <string.h>

#include "base/inline.h"

typedef double row6_pair __attribute__((vector_size(16)));
typedef double row6_four __attribute__((vector_size(32)));

typedef struct row6 {
    row6_four a;
    row6_pair b;
} row6;

#define ROW6_INLINE OLO_INLINE

ROW6_INLINE row6 row6_load(const double *x)
{
    row6 row;
    memcpy(&row.a, x, sizeof row.a);
    memcpy(&row.b, x + 4, sizeof row.b);
    return row;
}

ROW6_INLINE void row6_store(row6 row, double *x)
{
    memcpy(x, &row.a, sizeof row.a);
    memcpy(x + 4, &row.b, sizeof row.b);
}

/* Use this for numbers that were just computed instead of loading six stored doubles: such a load
 * has to wait for narrower stores. */
ROW6_INLINE row6 row6_make(double x0, double x1, double x2, double x3, double x4, double x5)
{
    const row6_four a = {x0, x1, x2, x3};
    const row6_pair b = {x4, x5};
    return (row6){a, b};
}

ROW6_INLINE row6 row6_zero(void)
{
    return row6_make(0, 0, 0, 0, 0, 0);
}

ROW6_INLINE row6 row6_add(row6 x, row6 y)
{
    return (row6){x.a + y.a, x.b + y.b};
}

ROW6_INLINE row6 row6_times(double s, row6 x)
{
    return (row6){s * x.a, s * x.b};
}

/* x + s y */
ROW6_INLINE row6 row6_add_times(row6 x, double s, row6 y)
{
    return (row6){x.a + s * y.a, x.b + s * y.b};
}

ROW6_INLINE double row6_dot(row6 x, row6 y)
{
    const row6_four product = x.a * y.a;
    const row6_pair low = {product[0], product[1]}, high = {product[2], product[3]};
    const row6_pair sum = low + high + x.b * y.b;
    return sum[0] + sum[1];
}

/* a vector for row6_shift, prepared once for several rows */
typedef struct row6_arm {
    row6_four forth, back;
} row6_arm;

ROW6_INLINE row6_arm row6_arm_make(const double a[3])
{
    return (row6_arm){{a[0], a[1], 0, a[2]}, {a[2], a[0], 0, a[1]}};
}

/* x [I a^; 0 I] = [x_l, x_r + x_l x a]. The cross product is formed in the order 2, 3, -, 1 of its
 * components. */
ROW6_INLINE row6 row6_shift(row6 x, row6_arm a)
{
    const row6_four cross = __builtin_shufflevector(x.a, x.a, 2, 0, 0, 1) * a.forth -
                            __builtin_shufflevector(x.a, x.a, 0, 1, 0, 2) * a.back;
    const row6_pair right = {cross[0], cross[1]};
    return (row6){__builtin_shufflevector(x.a, x.a + cross, 0, 1, 2, 7), x.b + right};
}

#endif
