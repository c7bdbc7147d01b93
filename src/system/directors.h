/* Three directors d_I, nine numbers that rotate together: the common part of all node types with
 * directors.
 *
 *     P_int:   v_I = w x d_I,     P_int^T:   moment = sum d_I x f_I
 *     rows:    1/2 d_I . d_I - 1/2 = 0 (11, 22, 33),   d_I . d_J = 0 (12, 13, 23)
 *     motion:  the Cayley vector a of a step, dd_I = a x d_I,m     (linalg/rotation.h)
 */
#ifndef OLO_SYSTEM_DIRECTORS_H
#define OLO_SYSTEM_DIRECTORS_H

#include "linalg/rotation.h"
#include "system/node.h"

extern const olo_internal_rows olo_directors_rows;

/* The reciprocal triad d^J[9]: d_I . d^J = 1 for I = J, else 0; d^1 = d2 x d3 / det, cyclic. */
void directors_reciprocal(const double *d, double *reciprocal);

/* The Cayley vector of directors with these midpoints and differences. */
void directors_cayley(const double *dm, const double *dd, double a[3]);

/* remainder += the correction that takes d to the nearest orthonormal triad, to first order, and a
 * small rotation `turn` */
void directors_settle(const double *d, const double turn[3], double *remainder);

/* S += 1/2 sum (d_I,1 (x) T_I - (d_I,1 . T_I) I), the variation of P_int(q_m)^T T, in a matrix with
 * `row` numbers per row */
void directors_add_variation(const double *d1, const double *T, int row, double *S);

static inline void directors_move(const double a[3], const double *d0, double *dd, double *dm,
                                  double *d1)
{
    const double scale = cayley_scale(a);
    for (int I = 0; I < 9; I += 3)
        cayley_apply(a, scale, d0 + I, dm + I, dd + I);
    for (int i = 0; i < 9; i++)
        d1[i] = d0[i] + dd[i];
}

static inline void directors_turn(const double *d, const double w[3], double *v)
{
    for (int I = 0; I < 9; I += 3)
        vec3_cross(w, d + I, v + I);
}

static inline void directors_add_moment(const double *d, const double *f, double moment[3])
{
    for (int I = 0; I < 9; I += 3)
        vec3_add_cross(d + I, f + I, moment);
}

/* The angular velocity of directors with the velocities v_I: w = 1/2 sum d_I x v_I. */
static inline void directors_spin(const double *d, const double *v, double w[3])
{
    vec3_set(0, 0, 0, w);
    directors_add_moment(d, v, w);
    for (int i = 0; i < 3; i++)
        w[i] *= 0.5;
}

#endif
