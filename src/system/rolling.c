/* The contact of a disc or a ball with a plane; the equations are in the header. */
#include "system/rolling.h"

#include <float.h>
#include <stdbool.h>

#include "linalg/vec3.h"

static bool is_ball(const olo_rolling *x)
{
    return x->axis[0] == 0 && x->axis[1] == 0 && x->axis[2] == 0;
}

double olo_rolling_sine(const olo_rolling *x, const double e[3])
{
    double across[3];
    if (is_ball(x))
        return 1.0;
    vec3_cross(x->normal, e, across);
    return vec3_norm(across);
}

/* sigma, and its derivative by e */
static double sine_by_axis(const olo_rolling *x, const double e[3], double by[3])
{
    const double sigma = olo_rolling_sine(x, e), gamma = vec3_dot(x->normal, e),
                 factor = 1 / fmax(sigma, DBL_MIN);
    for (int i = 0; i < 3; i++)
        by[i] = factor * (e[i] - gamma * x->normal[i]);
    return sigma;
}

void olo_rolling_over(const olo_rolling *x, const double e0[3], const double e_m[3],
                      const double e1[3], olo_rolling_arm *arm)
{
    const double *n = x->normal;
    arm->sigma0 = sine_by_axis(x, e0, arm->sigma_by_e0);
    arm->sigma1 = sine_by_axis(x, e1, arm->sigma_by_e1);
    arm->sigma_a = 0.5 * (arm->sigma0 + arm->sigma1);
    arm->gamma_m = vec3_dot(n, e_m);
    double lever = x->radius / arm->sigma_a;
    vec3_copy(e_m, arm->e_m);
    for (int i = 0; i < 3; i++)
        arm->s[i] = lever * (arm->gamma_m * e_m[i] - n[i]);
}

void olo_rolling_arm_at_rest(const olo_rolling *x, const double e[3], double s[3])
{
    const double lever = x->radius / olo_rolling_sine(x, e), gamma = vec3_dot(x->normal, e);
    for (int i = 0; i < 3; i++)
        s[i] = lever * (gamma * e[i] - x->normal[i]);
}

void olo_rolling_arm_by_end(const olo_rolling *x, const olo_rolling_arm *arm, double by_e1[9])
{
    const double lever = x->radius / arm->sigma_a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            by_e1[3 * i + j] =
                0.5 * (lever * (arm->e_m[i] * x->normal[j] + (i == j ? arm->gamma_m : 0.0)) -
                       arm->s[i] * arm->sigma_by_e1[j] / arm->sigma_a);
}

double olo_rolling_height(const olo_rolling *x, const double *frame)
{
    double e[3], rho[3];
    olo_rolling_vector(x->axis, frame, e);
    olo_rolling_vector(x->center, frame, rho);
    return vec3_dot(x->normal, frame) + vec3_dot(x->normal, rho) - x->offset -
           x->radius * olo_rolling_sine(x, e);
}
