/* Forms that are half the square of a vector,
 *
 *     e(q) = 1/2 |r(q)|^2,     r = r_0 + sum_v c_v q_v,
 *
 * with the 3-vectors q_v of one or two nodes, points or frames: the invariant of springs and
 * dampers between points of bodies. Such terms are evaluated four at once (vector_square_pack.c).
 */
#ifndef OLO_SYSTEM_VECTOR_SQUARE_H
#define OLO_SYSTEM_VECTOR_SQUARE_H

#include "system/system.h"

enum { OLO_SQUARE_NODES = 2 };

typedef struct olo_vector_square {
    int nodes;
    int q[OLO_SQUARE_NODES];       /* the first coordinate of each node */
    bool turns[OLO_SQUARE_NODES];  /* it is a frame, not a point */
    double c[OLO_SQUARE_NODES][4]; /* of its position, and of its directors */
    double constant[3];            /* r_0 */
} olo_vector_square;

/* Whether the only form of a term is such a square, up to the rounding of its coefficients. */
bool olo_vector_square_of(const olo_system *system, const olo_term *term,
                          olo_vector_square *square);

struct olo_pack_kernels;
extern const struct olo_pack_kernels olo_square_kernels_plain;
/* NULL where there is no such compilation. */
extern const struct olo_pack_kernels *const olo_square_kernels_wide;

#endif
