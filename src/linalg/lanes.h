/* Four numbers at once, one of each of four bodies, and 3-vectors of them: operations that are the
 * same for every body are done for four bodies together. Also a vector of one body in three of the
 * four lanes. Operations are elementwise, so the result is that of plain code to the last bit on
 * every processor.
 *
 * All functions are inline: no function passes four numbers in a register to another file. */
#ifndef OLO_LINALG_LANES_H
#define OLO_LINALG_LANES_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"

/* True if the processor has registers of four numbers (AVX2), for which code on lanes may be
 * compiled a second time. */
bool olo_lanes_are_wide(void);

#define LANES_INLINE OLO_INLINE

enum { LANES = 4 };
typedef double lane __attribute__((vector_size(32)));
typedef long long lane_mask __attribute__((vector_size(32)));
typedef struct lane3 {
    lane x[3];
} lane3;

LANES_INLINE lane lane_all(double s)
{
    return (lane){s, s, s, s};
}

LANES_INLINE lane lane_load(const double *x)
{
    lane v;
    memcpy(&v, x, sizeof v);
    return v;
}

LANES_INLINE void lane_store(lane v, double *x)
{
    memcpy(x, &v, sizeof v);
}

/* a where the mask of a comparison is true, else b */
LANES_INLINE lane lane_choose(lane_mask mask, lane a, lane b)
{
    return (lane)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
}

LANES_INLINE lane lane_larger(lane a, lane b)
{
    return lane_choose(a > b, a, b);
}

/* |a|: without the bit of the sign */
LANES_INLINE lane lane_size(lane a)
{
    const long long all = 0x7fffffffffffffffLL;
    return (lane)((lane_mask)a & (lane_mask){all, all, all, all});
}

/* The transpose of four by four numbers: out[l] has the l-th number of each. */
LANES_INLINE void lanes_transpose(lane a, lane b, lane c, lane d, lane out[4])
{
    const lane ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6),
               ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7),
               cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6),
               cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/* ---- 3-vectors of four bodies ---------------------------------------------------------------- */

LANES_INLINE lane3 lane3_add(lane3 a, lane3 b)
{
    return (lane3){{a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]}};
}

LANES_INLINE lane3 lane3_subtract(lane3 a, lane3 b)
{
    return (lane3){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

LANES_INLINE lane3 lane3_times(lane s, lane3 a)
{
    return (lane3){{s * a.x[0], s * a.x[1], s * a.x[2]}};
}

LANES_INLINE lane3 lane3_choose(lane_mask mask, lane3 a, lane3 b)
{
    return (lane3){{lane_choose(mask, a.x[0], b.x[0]), lane_choose(mask, a.x[1], b.x[1]),
                    lane_choose(mask, a.x[2], b.x[2])}};
}

LANES_INLINE lane lane3_dot(lane3 a, lane3 b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

LANES_INLINE lane lane3_norm(lane3 a)
{
    const lane square = lane3_dot(a, a);
    return (lane){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
}

LANES_INLINE lane3 lane3_cross(lane3 a, lane3 b)
{
    return (lane3){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

/* `count` numbers, four of each at once, from four arrays. */
LANES_INLINE void lanes_read(const int count, const double *const from[LANES], lane *number)
{
    const int whole = count - count % 4;
    for (int i = 0; i < whole; i += 4)
        lanes_transpose(lane_load(from[0] + i), lane_load(from[1] + i), lane_load(from[2] + i),
                        lane_load(from[3] + i), number + i);
    for (int i = whole; i < count; i++)
        number[i] = (lane){from[0][i], from[1][i], from[2][i], from[3][i]};
}

/* Writes them to four arrays. */
LANES_INLINE void lanes_write(const int count, const lane *number, double *const to[LANES])
{
    const int whole = count - count % 4;
    for (int i = 0; i < whole; i += 4) {
        lane row[LANES];
        lanes_transpose(number[i], number[i + 1], number[i + 2], number[i + 3], row);
        for (int l = 0; l < LANES; l++)
            lane_store(row[l], to[l] + i);
    }
    for (int i = whole; i < count; i++)
        for (int l = 0; l < LANES; l++)
            to[l][i] = number[i][l];
}

/* The twelve coordinates of four frames. */
LANES_INLINE void lanes_gather_frames(const double *const frame[LANES], lane3 out[4])
{
    lane number[12];
    lanes_read(12, frame, number);
    for (int i = 0; i < 12; i++)
        out[i / 3].x[i % 3] = number[i];
}

/* The same for parents, whose coordinates begin at `offset`; where that is negative, those of the
 * ground. */
LANES_INLINE void lanes_gather_parents(const double *array, const int offset[LANES],
                                       const double ground[12], lane3 out[4])
{
    const double *frame[LANES];
    for (int l = 0; l < LANES; l++)
        frame[l] = offset[l] < 0 ? ground : array + offset[l];
    lanes_gather_frames(frame, out);
}

/* X_I d_I */
LANES_INLINE lane3 lane3_combine(const lane X[3], const lane3 d[3])
{
    return lane3_add(lane3_add(lane3_times(X[0], d[0]), lane3_times(X[1], d[1])),
                     lane3_times(X[2], d[2]));
}

/* The mass of four frames: m, sum m x_I, and E as 11, 22, 33, 12, 13, 23. */
typedef struct lane_mass {
    lane m, c[3], E[6];
} lane_mass;

/* p = M v */
LANES_INLINE void lane_momenta(const lane_mass *b, const lane3 v[4], lane3 p[4])
{
    const lane M[4][4] = {{b->m, b->c[0], b->c[1], b->c[2]},
                          {b->c[0], b->E[0], b->E[3], b->E[4]},
                          {b->c[1], b->E[3], b->E[1], b->E[5]},
                          {b->c[2], b->E[4], b->E[5], b->E[2]}};
    for (int I = 0; I < 4; I++)
        p[I] = lane3_add(lane3_times(M[I][0], v[0]), lane3_combine(M[I] + 1, v + 1));
}

/* Midpoint and difference of a vector that rotates by a Cayley vector; `scale` = 1/(1 + |a|^2/4).
 * See linalg/rotation.h. */
typedef struct lane_turned {
    lane3 mid, change;
} lane_turned;

LANES_INLINE lane lane_cayley_scale(lane3 a)
{
    return 1.0 / (1.0 + 0.25 * lane3_dot(a, a));
}

LANES_INLINE lane_turned lane_cayley_apply(lane3 a, lane scale, lane3 v)
{
    const lane along = 0.25 * lane3_dot(a, v);
    const lane3 turn = lane3_cross(a, v);
    lane_turned out;
    for (int i = 0; i < 3; i++)
        out.mid.x[i] = scale * (v.x[i] + 0.5 * turn.x[i] + along * a.x[i]);
    out.change = lane3_cross(a, out.mid);
    return out;
}

/* Adds `count` numbers, four of each at once, to the first `used` of four arrays. */
LANES_INLINE void lanes_add_first(const int used, const int count, const lane *number,
                                  double *const to[LANES])
{
    const int whole = count - count % 4;
    for (int i = 0; i < whole; i += 4) {
        lane row[LANES];
        lanes_transpose(number[i], number[i + 1], number[i + 2], number[i + 3], row);
        for (int l = 0; l < used; l++)
            lane_store(lane_load(to[l] + i) + row[l], to[l] + i);
    }
    for (int i = whole; i < count; i++)
        for (int l = 0; l < used; l++)
            to[l][i] += number[i][l];
}

LANES_INLINE void lanes_add_to(const int count, const lane *number, double *const to[LANES])
{
    lanes_add_first(LANES, count, number, to);
}

/* ---- a 3-vector of one body, the fourth number zero ------------------------------------------ */

LANES_INLINE lane vector_cross(lane a, lane b)
{
    const lane a1 = __builtin_shufflevector(a, a, 1, 2, 0, 3),
               b1 = __builtin_shufflevector(b, b, 1, 2, 0, 3);
    const lane c = a * b1 - a1 * b;
    return __builtin_shufflevector(c, c, 1, 2, 0, 3);
}

LANES_INLINE double vector_sum(lane a)
{
    return (a[0] + a[2]) + a[1];
}

#endif
