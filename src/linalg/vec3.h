/* 3-vectors and 3x3 matrices (row-major), inline. Results must not alias arguments unless
 * stated. */
#ifndef OLO_LINALG_VEC3_H
#define OLO_LINALG_VEC3_H

#include <math.h>
#include <string.h>

static inline void vec3_set(double x, double y, double z, double out[3])
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void vec3_copy(const double a[3], double out[3])
{
    out[0] = a[0];
    out[1] = a[1];
    out[2] = a[2];
}

static inline double vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void vec3_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += a x b */
static inline void vec3_add_cross(const double a[3], const double b[3], double out[3])
{
    out[0] += a[1] * b[2] - a[2] * b[1];
    out[1] += a[2] * b[0] - a[0] * b[2];
    out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out += s a */
static inline void vec3_add(double s, const double a[3], double out[3])
{
    out[0] += s * a[0];
    out[1] += s * a[1];
    out[2] += s * a[2];
}

static inline void vec3_subtract(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

static inline double vec3_norm(const double a[3])
{
    return sqrt(vec3_dot(a, a));
}

/* Scales to length one and returns the old length; a zero vector is unchanged. */
static inline double vec3_normalise(double a[3])
{
    double length = vec3_norm(a);
    if (length > 0)
        for (int i = 0; i < 3; i++)
            a[i] /= length;
    return length;
}

/* Two unit vectors that make {out1, out2, n} right-handed and orthonormal; n has length one. */
static inline void vec3_transversals(const double n[3], double out1[3], double out2[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    double e[3] = {0, 0, 0};
    e[least] = 1;
    vec3_cross(e, n, out2);
    vec3_normalise(out2);
    vec3_cross(out2, n, out1);
}

/* y = A x */
static inline void mat3_times(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}

/* y = A^T x */
static inline void mat3_transposed_times(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

/* C = A B */
static inline void mat3_product(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static inline double mat3_det(const double A[9])
{
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

#endif
