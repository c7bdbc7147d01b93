/* A disc or ball that rolls on the ground (system/rolling.h). The body rotates freely about the
 * point of contact, which moves over the plane, so that three increments remain, as for a spherical
 * joint.
 *
 *     move    dphi = p x a,  p = rho_m + s^(a),  u = a, the Cayley vector itself
 *     B^ = [p^; I],   d(B^T) W = f x dp,   dp = J d_omega,   J = -1/2 rho1^ - ds/de1 e1^
 *     B  = [p^ C - a^ J; I],   C = I - a^/2 + a a^T/4,  d_a = C d_omega
 *
 * In a planar model a and d_omega are along the normal N of the model's plane, a = u N: one
 * increment remains, and the columns are B N and B^ N.
 *
 * The right pair is the derivative of `move` and not of constraint rows at q1, because rolling has
 * no function g(q1) whose gradient the rows would be. */
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/rotation.h"
#include "system/rate_interval.h"
#include "system/rolling.h"

static int dof(const olo_articulation *joint, const olo_system *system)
{
    (void)joint;
    return system->planar ? 1 : 3;
}

/* constants: number of increments, then their axes of rotation */
static void begin(const olo_joint_view *x, const olo_system *system)
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    x->constants[0] = dof(x->joint, system);
    memcpy(x->constants + 1, unit, sizeof unit);
    if (system->planar)
        vec3_copy(system->plane, x->constants + 1);
}

static int increments(const olo_joint_view *x)
{
    return (int)x->constants[0];
}

/* p = rho_m + s^ of a step with the rotation a */
static void pivot(const olo_joint_view *x, const double a[3], double p[3])
{
    const olo_rolling *rolling = x->joint->rolling;
    double e0[3], e_m[3], e1[3], de[3], rho0[3], drho[3], scale = cayley_scale(a);
    olo_rolling_arm arm;
    olo_rolling_vector(rolling->axis, x->child0, e0);
    olo_rolling_vector(rolling->center, x->child0, rho0);
    cayley_apply(a, scale, e0, e_m, de);
    cayley_apply(a, scale, rho0, p, drho);
    for (int i = 0; i < 3; i++)
        e1[i] = e0[i] + de[i];
    olo_rolling_over(rolling, e0, e_m, e1, &arm);
    vec3_add(1.0, arm.s, p);
}

static void move(const olo_joint_view *x, const double *u, double *motion)
{
    double p[3], *a = motion + 3;
    vec3_set(0, 0, 0, a);
    for (int k = 0; k < increments(x); k++)
        vec3_add(u[k], x->constants + 1 + 3 * k, a);
    pivot(x, a, p);
    vec3_cross(p, a, motion);
}

static void predict(const olo_joint_view *x, const double *motion, double *u)
{
    for (int k = 0; k < increments(x); k++)
        u[k] = vec3_dot(x->constants + 1 + 3 * k, motion + 3);
}

/* out = v^ */
static void hat(const double v[3], double out[9])
{
    const double values[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
    memcpy(out, values, sizeof values);
}

/* p and J at the current iterate */
static void find_pivot(const olo_joint_view *x, double p[3], double J[9])
{
    const olo_rolling *rolling = x->joint->rolling;
    double e0[3], e_m[3], e1[3], rho1[3], e_hat[9], rho_hat[9], by_e1[9];
    olo_rolling_arm arm;
    olo_rolling_vector(rolling->axis, x->child0, e0);
    olo_rolling_vector(rolling->axis, x->child_m, e_m);
    olo_rolling_vector(rolling->axis, x->child1, e1);
    olo_rolling_vector(rolling->center, x->child_m, p);
    olo_rolling_vector(rolling->center, x->child1, rho1);
    olo_rolling_over(rolling, e0, e_m, e1, &arm);
    vec3_add(1.0, arm.s, p);
    hat(e1, e_hat);
    hat(rho1, rho_hat);
    olo_rolling_arm_by_end(rolling, &arm, by_e1);
    mat3_product(by_e1, e_hat, J);
    for (int k = 0; k < 9; k++)
        J[k] = -J[k] - 0.5 * rho_hat[k];
}

static void blocks(const olo_joint_view *x, const double *W, olo_joint_blocks *b, double *gap)
{
    const double *a = x->child_motion + 3;
    double p[3], J[9], C[9], p_hat[9], a_hat[9], f_hat[9], column[9], turned[9], variation[9];
    /* p, J and C */
    find_pivot(x, p, J);
    hat(p, p_hat);
    hat(a, a_hat);
    hat(W, f_hat);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = (i == j) - 0.5 * a_hat[3 * i + j] + 0.25 * a[i] * a[j];
    /* p^ C - a^ J and f^ J */
    mat3_product(p_hat, C, column);
    mat3_product(a_hat, J, turned);
    mat3_product(f_hat, J, variation);
    for (int k = 0; k < 9; k++)
        column[k] -= turned[k];
    /* one column per increment */
    for (int k = 0, r = increments(x); k < r; k++) {
        const double *axis = x->constants + 1 + 3 * k;
        for (int i = 0; i < 3; i++) {
            b->B[i * r + k] = vec3_dot(column + 3 * i, axis);
            b->B_hat[i * r + k] = vec3_dot(p_hat + 3 * i, axis);
            b->B[(3 + i) * r + k] = b->B_hat[(3 + i) * r + k] = axis[i];
        }
        mat3_transposed_times(variation, axis, b->kc + 6 * k + 3);
    }
    if (gap)
        olo_joint_find_gap(x, gap);
}

/* At rest: [rho + s; I] at q1 */
static void right(const olo_joint_view *x, const olo_joint_blocks *b)
{
    const olo_rolling *rolling = x->joint->rolling;
    const int r = increments(x);
    double e[3], s[3], p[3];
    olo_rolling_vector(rolling->axis, x->child1, e);
    olo_rolling_vector(rolling->center, x->child1, p);
    olo_rolling_arm_at_rest(rolling, e, s);
    vec3_add(1.0, s, p);
    for (int k = 0; k < r; k++) {
        const double *axis = x->constants + 1 + 3 * k;
        double lever[3];
        vec3_cross(p, axis, lever);
        for (int i = 0; i < 3; i++) {
            b->B[i * r + k] = lever[i];
            b->B[(3 + i) * r + k] = axis[i];
        }
    }
}

/* Forces at the point of contact have the wrench [F; p x F]: W has F itself. */
static void impulse_load(const olo_joint_view *x, const olo_end_velocities *v, const double *W,
                         double *load)
{
    const olo_rolling_step step = {.q0 = x->child0,
                                   .qm = x->child_m,
                                   .q1 = x->child1,
                                   .turn = x->child_motion + 3,
                                   .v0 = v->v0,
                                   .v1 = v->v1};
    olo_rolling_load(x->joint->rolling, &step, W, load + 3);
}

/* Removes the rounding error of the height. Positions along the plane are not constrained. */
static void close_height(const olo_joint_view *x, const double *parent, const double *child,
                         double shift[3], double turn_by[3])
{
    (void)parent;
    double height = olo_rolling_height(x->joint->rolling, child);
    for (int i = 0; i < 3; i++)
        shift[i] = -height * x->joint->rolling->normal[i];
    vec3_set(0, 0, 0, turn_by);
}

const olo_joint_type olo_joint_rolling = {.name = "rolling",
                                          .spatial = true,
                                          .dof = dof,
                                          .begin = begin,
                                          .predict = predict,
                                          .move = move,
                                          .blocks = blocks,
                                          .right = right,
                                          .impulse_load = impulse_load,
                                          .gap = olo_joint_find_gap,
                                          .close = close_height,
                                          .screws = olo_screws_rolling};
