/* Coulomb-Contensou friction: tangential force T and drilling torque tau of a patch with a Hertz
 * pressure that slides and spins (Moeller 2011, 3.118 to 3.120),
 *
 *     |T| <= rho b_T(u),  |tau| <= rho r b_tau(u)   for some u in [0, inf),
 *
 * with the mean radius r = 3 pi R/16 of a patch of radius R. The outward normal at u is (u R, 1) in
 * the half plane of (|T|, |tau|), so that the nearest point of the surface is where
 *
 *     phi(u) = (|z_T| - b_T) - u R (|z_tau| - r b_tau) = 0.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/set.h"

/* 16/(3 pi): radius of the patch over the mean radius */
static const double patch = 1.6976527263135504;
/* Above this ratio the closed form cancels; the series has an error of 1e-15 there. */
static const double far = 5;

static double polynomial(int count, const double *c, double w)
{
    double sum = 0;
    for (int i = count - 1; i >= 0; i--)
        sum = sum * w + c[i];
    return sum;
}

void olo_contensou_support(double u, double *force, double *torque)
{
    static const double series_force[] = {1,
                                          -1.0 / 10,
                                          -3.0 / 280,
                                          -1.0 / 336,
                                          -5.0 / 4224,
                                          -21.0 / 36608,
                                          -21.0 / 66560,
                                          -33.0 / 174080,
                                          -1287.0 / 10584064};
    static const double series_torque[] = {1.0 / 5,         1.0 / 70,       1.0 / 280,
                                           5.0 / 3696,      35.0 / 54912,   63.0 / 183040,
                                           231.0 / 1131520, 429.0 / 3307520};
    const double pi = 3.14159265358979323846, u2 = u * u;
    if (u > far) {
        *force = polynomial(9, series_force, 1 / u2);
        *torque = patch * polynomial(8, series_torque, 1 / u2) / u;
    } else if (u > 1) {
        const double s = sqrt(u2 - 1), a = asin(1 / u);
        *force = 3.0 / 16 * ((4 - u2) * u * a + (u2 + 2) * s / u);
        *torque = ((3 * u2 * u2 - 8 * u2 + 8) * a + (6 - 3 * u2) * s) / (4 * pi);
    } else {
        *force = 3 * pi / 32 * (4 - u2) * u;
        *torque = (3 * u2 * u2 - 8 * u2 + 8) / 8;
    }
}

/* phi, or Z - b_T(u) if S is negative. Z is the tangential part, S the torque over the mean radius
 * `mean`; both are relative to rho. */
static double phi(double u, double Z, double S, double mean)
{
    double force, torque;
    olo_contensou_support(u, &force, &torque);
    return S < 0 ? Z - force : (Z - force) - u * patch * mean * mean * (S - torque);
}

/* The root of phi, which is positive below it: bisection of a bracket that is found by doubling. */
static double find_u(double Z, double S, double mean)
{
    double low = 0, high = 1;
    while (phi(high, Z, S, mean) > 0 && high < 0.25 * DBL_MAX) {
        low = high;
        high *= 2;
    }
    for (double u = 0.5 * (low + high); u > low && u < high; u = 0.5 * (low + high))
        *(phi(u, Z, S, mean) > 0 ? &low : &high) = u;
    return high;
}

static bool is_inside(double Z, double S)
{
    double force, torque;
    if (!(Z < 1) || !(S < 1))
        return false;
    olo_contensou_support(find_u(Z, -1, 1), &force, &torque);
    return S <= torque;
}

static void prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    const double mean = shape->radius;
    memset(x, 0, (size_t)size * sizeof *x);
    if (!(rho > 0) || !(mean > 0))
        return;
    const double Z = hypot(z[0], z[1]) / rho, S = fabs(z[2]) / (rho * mean);
    if (is_inside(Z, S)) {
        memcpy(x, z, (size_t)size * sizeof *x);
        return;
    }
    double force = 1, torque = 0;
    if (S > 0)
        olo_contensou_support(find_u(Z, S, mean), &force, &torque);
    for (int i = 0; i < 2 && Z > 0; i++)
        x[i] = force * z[i] / Z;
    x[2] = copysign(rho * mean * torque, z[2]);
}

/* Central differences: the surface has no simple curvature, and the derivative is only the matrix
 * of an iteration. */
static void derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                       double *by_z, double *by_rho)
{
    double up[OLO_SET_SIZE_MAX], down[OLO_SET_SIZE_MAX], moved[OLO_SET_SIZE_MAX];
    const double share = 1e-6;
    for (int j = 0; j <= size; j++) {
        const double unit = j < size ? rho * (j == 2 ? shape->radius : 1) : rho;
        const double step = share * fmax(unit, DBL_MIN / share);
        memcpy(moved, z, (size_t)size * sizeof *moved);
        if (j < size)
            moved[j] = z[j] + step;
        prox(shape, j == size ? rho + step : rho, size, moved, up);
        if (j < size)
            moved[j] = z[j] - step;
        prox(shape, j == size ? rho - step : rho, size, moved, down);
        for (int i = 0; i < size; i++)
            *(j < size ? &by_z[i * size + j] : &by_rho[i]) = (up[i] - down[i]) / (2 * step);
    }
}

const olo_set olo_set_contensou = {"contensou", 3, prox, derivative};
