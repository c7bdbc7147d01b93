/* Rotations of a step by their Cayley vector a:
 *
 *     d1 - d0 = a x dm,   dm = 1/2 (d0 + d1) = (I - a^/2)^-1 d0
 *             = (d0 + 1/2 a x d0 + 1/4 (a.d0) a) / (1 + |a|^2/4),
 *
 * a rotation by 2 atan(|a|/2) about a. The midpoint and the difference are computed from a, never
 * by subtracting states. A rotation by pi is at infinity. A spin variation at the end, delta d1 =
 * delta_omega x d1, changes a by
 *     delta a = (I - a^/2 + a a^T/4) delta_omega. */
#ifndef OLO_LINALG_ROTATION_H
#define OLO_LINALG_ROTATION_H

#include "linalg/vec3.h"

/* dm and dd = d1 - d0 of a vector that rotates with Cayley vector a. `scale` = 1/(1 + |a|^2/4). */
static inline void cayley_apply(const double a[3], double scale, const double d0[3], double dm[3],
                                double dd[3])
{
    double along = 0.25 * vec3_dot(a, d0);
    double turn[3];
    vec3_cross(a, d0, turn);
    for (int i = 0; i < 3; i++)
        dm[i] = scale * (d0[i] + 0.5 * turn[i] + along * a[i]);
    vec3_cross(a, dm, dd);
}

static inline double cayley_scale(const double a[3])
{
    return 1.0 / (1.0 + 0.25 * vec3_dot(a, a));
}

/* a += (I - a^/2 + a a^T/4) delta_omega */
static inline void cayley_update(double a[3], const double delta_omega[3])
{
    double along = 0.25 * vec3_dot(a, delta_omega);
    double turn[3];
    vec3_cross(a, delta_omega, turn);
    for (int i = 0; i < 3; i++)
        a[i] += delta_omega[i] - 0.5 * turn[i] + along * a[i];
}

/* Cayley vector of "first b, then a": c/2 = (g + k + g x k)/(1 - g.k), g = a/2, k = b/2 */
static inline void cayley_compose(const double a[3], const double b[3], double c[3])
{
    double cross[3], scale = 1.0 / (1.0 - 0.25 * vec3_dot(a, b));
    vec3_cross(a, b, cross);
    for (int i = 0; i < 3; i++)
        c[i] = scale * (a[i] + b[i] + 0.5 * cross[i]);
}

/* Angle of the rotation, in [0, pi). */
static inline double cayley_angle(const double a[3])
{
    return 2.0 * atan(0.5 * vec3_norm(a));
}

/* The exponential map exp(theta^) as a matrix, with a series near zero, for initial
 * orientations. */
void rotation_exponential(const double theta[3], double R[9]);

/* The unit quaternion (w, x, y, z) of a rotation with columns d1, d2, d3, nine numbers in a row. */
void rotation_quaternion(const double d[9], double w[4]);

/* theta with exp(theta^) = [d1 d2 d3] and an angle of at most half a turn. */
void rotation_logarithm(const double d[9], double theta[3]);

/* Nearest rotation to a nearly orthonormal matrix, by the polar Newton iteration. */
void rotation_orthonormalise(double R[9]);

#endif
