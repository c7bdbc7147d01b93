/* The ellipsoid sum (x_k/a_k)^2 <= 1, a_k = rho axis_k. Outside of it
 *
 *     x_k = a_k^2 z_k/(a_k^2 + t),     phi(t) = sum (a_k z_k/(a_k^2 + t))^2 - 1 = 0,   t > 0.
 *
 * phi is convex and decreasing, so that Newton's method from t = 0 converges from one side. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/set.h"

/* Relative change of t at which the iteration ends; it is quadratic by then. */
static const double settled = 4 * DBL_EPSILON;
enum { ITERATIONS_MAX = 100 };

static bool is_inside(const double *a, int size, const double *z)
{
    double sum = 0;
    for (int k = 0; k < size; k++)
        sum += z[k] / a[k] * (z[k] / a[k]);
    return sum <= 1;
}

static double find_t(const double *a, int size, const double *z)
{
    double t = 0;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        double phi = -1, derivative_of_phi = 0;
        for (int k = 0; k < size; k++) {
            const double along = a[k] * z[k] / (a[k] * a[k] + t);
            phi += along * along;
            derivative_of_phi -= 2 * along * along / (a[k] * a[k] + t);
        }
        const double change = phi / derivative_of_phi;
        t -= change;
        if (fabs(change) <= settled * t)
            break;
    }
    return t;
}

static bool has_size(const olo_set_shape *shape, double rho, int size, double *a)
{
    bool any = rho > 0;
    for (int k = 0; k < size; k++) {
        a[k] = rho * shape->axis[k];
        any = any && a[k] > 0;
    }
    return any;
}

static void prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    double a[OLO_SET_SIZE_MAX];
    memset(x, 0, (size_t)size * sizeof *x);
    if (!has_size(shape, rho, size, a))
        return;
    const double t = is_inside(a, size, z) ? 0 : find_t(a, size, z);
    for (int k = 0; k < size; k++)
        x[k] = a[k] * a[k] * z[k] / (a[k] * a[k] + t);
}

/* Outside, with the normal w_k = x_k/a_k^2 and S_k = a_k^2/(a_k^2 + t):
 *
 *     dx = S dz - S w dt + 2 w S t drho/rho,    w.dx = drho/rho,
 *
 * the second equation because x/rho stays on the surface. */
static void derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                       double *by_z, double *by_rho)
{
    double a[OLO_SET_SIZE_MAX], w[OLO_SET_SIZE_MAX], S[OLO_SET_SIZE_MAX];
    memset(by_z, 0, (size_t)(size * size) * sizeof *by_z);
    memset(by_rho, 0, (size_t)size * sizeof *by_rho);
    if (!has_size(shape, rho, size, a))
        return;
    if (is_inside(a, size, z)) {
        for (int k = 0; k < size; k++)
            by_z[k * size + k] = 1;
        return;
    }
    const double t = find_t(a, size, z);
    double wSw = 0, wSSw = 0;
    for (int k = 0; k < size; k++) {
        S[k] = a[k] * a[k] / (a[k] * a[k] + t);
        w[k] = S[k] * z[k] / (a[k] * a[k]);
        wSw += w[k] * S[k] * w[k];
    }
    /* dx/drho of the formula at fixed t */
    for (int k = 0; k < size; k++)
        wSSw += w[k] * 2 * t / rho * S[k] * w[k];
    for (int i = 0; i < size; i++) {
        by_rho[i] = 2 * t / rho * S[i] * w[i] + S[i] * w[i] * (1 / rho - wSSw) / wSw;
        for (int j = 0; j < size; j++)
            by_z[i * size + j] = (i == j) * S[i] - S[i] * w[i] * w[j] * S[j] / wSw;
    }
}

const olo_set olo_set_ellipsoid = {"ellipsoid", 0, prox, derivative};
