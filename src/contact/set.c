/* The list of convex sets, and those whose proximal point is a formula (Moeller 2011, 2.2):
 *
 *     space       x = z
 *     half line   x = min(z, 0)
 *     box         x = max(min(z, upper), lower)
 *     ball        x = z if |z| <= rho, else rho z/|z|
 *     cylinder    a disc and an interval
 *     cone        the projection to a second-order cone
 */
#include "contact/set.h"

#include <math.h>
#include <string.h>

static double norm(int size, const double *z)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += z[i] * z[i];
    return sqrt(sum);
}

static void set_zero(int count, double *x)
{
    memset(x, 0, (size_t)count * sizeof *x);
}

/* --- space --- */

static void space_prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    (void)shape, (void)rho;
    memcpy(x, z, (size_t)size * sizeof *x);
}

static void space_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                             double *by_z, double *by_rho)
{
    (void)shape, (void)rho, (void)z;
    set_zero(size * size, by_z);
    set_zero(size, by_rho);
    for (int i = 0; i < size; i++)
        by_z[i * size + i] = 1;
}

const olo_set olo_set_space = {"space", 0, space_prox, space_derivative};

/* --- half line --- */

static void half_line_prox(const olo_set_shape *shape, double rho, int size, const double *z,
                           double *x)
{
    (void)shape, (void)rho, (void)size;
    x[0] = fmin(z[0], 0.0);
}

static void half_line_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                                 double *by_z, double *by_rho)
{
    (void)shape, (void)rho, (void)size;
    by_z[0] = z[0] < 0;
    by_rho[0] = 0;
}

const olo_set olo_set_half_line = {"half line", 1, half_line_prox, half_line_derivative};

/* --- box --- */

static void box_prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    (void)rho;
    for (int i = 0; i < size; i++)
        x[i] = fmax(fmin(z[i], shape->upper[i]), shape->lower[i]);
}

static void box_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                           double *by_z, double *by_rho)
{
    (void)rho;
    set_zero(size * size, by_z);
    set_zero(size, by_rho);
    for (int i = 0; i < size; i++)
        by_z[i * size + i] = z[i] > shape->lower[i] && z[i] < shape->upper[i];
}

const olo_set olo_set_box = {"box", 0, box_prox, box_derivative};

/* --- ball --- */

static void ball_prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    (void)shape;
    const double length = norm(size, z), r = fmax(rho, 0.0);
    for (int i = 0; i < size; i++)
        x[i] = length <= r ? z[i] : r * z[i] / length;
}

/* Outside: dx = rho (I - n n^T)/|z| dz + n drho, n = z/|z|. */
static void ball_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                            double *by_z, double *by_rho)
{
    const double length = norm(size, z), r = fmax(rho, 0.0);
    if (length <= r) {
        space_derivative(shape, rho, size, z, by_z, by_rho);
        return;
    }
    for (int i = 0; i < size; i++) {
        by_rho[i] = rho >= 0 ? z[i] / length : 0;
        for (int j = 0; j < size; j++)
            by_z[i * size + j] = r / length * ((i == j) - z[i] / length * z[j] / length);
    }
}

const olo_set olo_set_ball = {"ball", 0, ball_prox, ball_derivative};

/* --- cylinder --- */

static void cylinder_prox(const olo_set_shape *shape, double rho, int size, const double *z,
                          double *x)
{
    (void)size;
    const double height = shape->radius * fmax(rho, 0.0);
    ball_prox(shape, rho, 2, z, x);
    x[2] = fmax(fmin(z[2], height), -height);
}

static void cylinder_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                                double *by_z, double *by_rho)
{
    double disc[4];
    const double height = shape->radius * fmax(rho, 0.0);
    ball_derivative(shape, rho, 2, z, disc, by_rho);
    set_zero(size * size, by_z);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            by_z[3 * i + j] = disc[2 * i + j];
    const bool inside = fabs(z[2]) <= height;
    by_z[8] = inside;
    by_rho[2] = inside || rho < 0 ? 0 : copysign(shape->radius, z[2]);
}

const olo_set olo_set_cylinder = {"cylinder", 3, cylinder_prox, cylinder_derivative};

/* --- cone --- */

/* With the opening mu = axis_1, a = -z_1 and b the rest: inside if |b| <= mu a; the tip if
 * mu |b| <= -a; else the nearest point of the surface has the height (a + mu |b|)/(1 + mu^2). */
static void cone_prox(const olo_set_shape *shape, double rho, int size, const double *z, double *x)
{
    (void)rho;
    const double mu = shape->axis[0], a = -z[0], length = norm(size - 1, z + 1);
    if (length <= mu * a) {
        memcpy(x, z, (size_t)size * sizeof *x);
        return;
    }
    const double height = fmax((a + mu * length) / (1 + mu * mu), 0.0);
    x[0] = -height;
    for (int i = 1; i < size; i++)
        x[i] = length > 0 ? mu * height * z[i] / length : 0;
}

static void cone_derivative(const olo_set_shape *shape, double rho, int size, const double *z,
                            double *by_z, double *by_rho)
{
    const double mu = shape->axis[0], a = -z[0], length = norm(size - 1, z + 1);
    if (length <= mu * a) {
        space_derivative(shape, rho, size, z, by_z, by_rho);
        return;
    }
    set_zero(size * size, by_z);
    set_zero(size, by_rho);
    const double share = 1 / (1 + mu * mu), height = (a + mu * length) * share;
    if (height <= 0)
        return;
    by_z[0] = share;
    for (int i = 1; i < size; i++) {
        const double n_i = z[i] / length;
        by_z[i] = by_z[i * size] = -mu * share * n_i;
        for (int j = 1; j < size; j++) {
            const double n_j = z[j] / length;
            by_z[i * size + j] =
                mu * (height / length * ((i == j) - n_i * n_j) + mu * share * n_i * n_j);
        }
    }
}

const olo_set olo_set_cone = {"cone", 0, cone_prox, cone_derivative};

/* --- the list --- */

static const olo_set *const sets[] = {
    &olo_set_space,    &olo_set_half_line, &olo_set_box,       &olo_set_ball,
    &olo_set_cylinder, &olo_set_ellipsoid, &olo_set_contensou, &olo_set_cone,
};

const olo_set *olo_set_number(int number)
{
    return number >= 0 && (unsigned)number < sizeof sets / sizeof *sets ? sets[number] : 0;
}
