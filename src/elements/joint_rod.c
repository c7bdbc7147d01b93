/* A point mass at the end of a massless rod: r = x_c - x_p has constant length, x_p is a point on
 * the parent.
 *
 *     r1 - r0 = a x r_m,   a = b_1 u_1 + b_2 u_2
 *     b_k constant during the step, orthogonal to r0, |b_k| = 1/l
 *     B_k = b_k x r1,   B^_k = b_k x r_m               span the vectors orthogonal to r1 and r_m
 *     A = [I  -rho1^] (frame), I (point);   A^ is the same at the midpoint
 *     d(A^T) f = [0; 1/2 (rho1 f^T - (rho1.f) I) d_omega]
 *     d(B^T) f = 1/2 (f x b_k) . (dx_c - dx_p)
 *
 * In a planar model there is one b_k, along the normal. (The thesis, 4.2, uses the exponential map
 * of the sphere.) */
#include <math.h>

#include "base/extreme.h"
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/rotation.h"

/* constants: b_1, b_2, r0, number of axes */
static int axes_count(const olo_system *system)
{
    return system->planar ? 1 : 2;
}

static int dof(const olo_articulation *joint, const olo_system *system)
{
    (void)joint;
    return axes_count(system);
}

static bool on_frame(const olo_joint_view *x)
{
    return x->parent_node && x->parent_node->type->spatial;
}

/* rho: from the origin of the parent's frame to the end of the rod */
static void arm(const olo_joint_view *x, const double *q, double rho[3])
{
    vec3_set(0, 0, 0, rho);
    for (int I = 0; I < 3; I++)
        vec3_add(x->joint->parent_point[I], q + 3 * (I + 1), rho);
}

static void parent_end(const olo_joint_view *x, const double *q, double end[3])
{
    if (!x->parent_node) {
        vec3_copy(x->joint->parent_point, end);
        return;
    }
    vec3_copy(q, end);
    if (on_frame(x)) {
        double rho[3];
        arm(x, q, rho);
        vec3_add(1.0, rho, end);
    }
}

static void begin(const olo_joint_view *x, const olo_system *system)
{
    double *b = x->constants, *r0 = b + 6, unit[3], end[3];
    parent_end(x, x->parent0, end);
    vec3_subtract(x->child0, end, r0);
    if (system->planar) {
        vec3_copy(system->plane, b);
    } else {
        vec3_copy(r0, unit);
        vec3_normalise(unit);
        vec3_transversals(unit, b, b + 3);
    }
    for (int i = 0; i < 3 * axes_count(system); i++)
        b[i] /= x->joint->length;
    /* the number of axes is stored with the constants */
    b[9] = axes_count(system);
}

static int axes_of(const olo_joint_view *x)
{
    return (int)x->constants[9];
}

static void cayley_vector(const olo_joint_view *x, const double *u, double a[3])
{
    vec3_set(0, 0, 0, a);
    for (int k = 0; k < axes_of(x); k++)
        vec3_add(u[k], x->constants + 3 * k, a);
}

/* displacement of the rod's end on the parent, from the motion of the parent */
static void parent_displacement(const olo_joint_view *x, double dx[3])
{
    vec3_set(0, 0, 0, dx);
    if (!x->parent_node)
        return;
    vec3_copy(x->parent_motion, dx);
    if (!on_frame(x))
        return;
    double rho_m[3];
    arm(x, x->parent_m, rho_m);
    vec3_add_cross(x->parent_motion + 3, rho_m, dx);
}

static void move(const olo_joint_view *x, const double *u, double *motion)
{
    double a[3], r_m[3], dr[3];
    cayley_vector(x, u, a);
    cayley_apply(a, cayley_scale(a), x->constants + 6, r_m, dr);
    parent_displacement(x, motion);
    vec3_add(1.0, dr, motion);
}

static void predict(const olo_joint_view *x, const double *motion, double *u)
{
    /* the smallest rotation from r0 to the direction of r1: a = 2 r0 x (r1 - r0)/(|r0||r1| +
     * r0.r1); in a planar model of the components in the plane */
    double dr[3], dx_p[3], r1[3], a[3];
    const double *r0 = x->constants + 6, *b = x->constants;
    double length = x->joint->length, height0 = 0, height1 = 0;
    parent_displacement(x, dx_p);
    vec3_subtract(motion, dx_p, dr);
    for (int i = 0; i < 3; i++)
        r1[i] = r0[i] + dr[i];
    if (axes_of(x) == 1) {
        height0 = vec3_dot(b, r0) * length;
        height1 = vec3_dot(b, r1) * length;
    }
    double square0 = vec3_dot(r0, r0) - height0 * height0,
           square1 = vec3_dot(r1, r1) - height1 * height1;
    double along = vec3_dot(r0, r1) - height0 * height1;
    double sum = sqrt(olo_larger(square0 * square1, 0.0)) + along;
    vec3_cross(r0, dr, a);
    for (int k = 0; k < axes_of(x); k++)
        u[k] = 2 * length * length * vec3_dot(b + 3 * k, a) / olo_larger(sum, 1e-12 * square0);
}

/* A, A^ and Ep; kp follows from kc, because the rod depends on the difference of its ends only */
static void parent_blocks(const olo_joint_view *x, const double f[3], olo_joint_blocks *b)
{
    int p = x->parent_node->twist, r = axes_of(x);
    double rho1[3] = {0, 0, 0}, rho_m[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        b->A[i * p + i] = b->A_hat[i * p + i] = 1;
    for (int k = 0; k < r; k++)
        for (int i = 0; i < 3; i++)
            b->kp[k * p + i] = -b->kc[k * 3 + i];
    if (!on_frame(x))
        return;
    arm(x, x->parent1, rho1);
    arm(x, x->parent_left, rho_m);
    double pull = vec3_dot(rho1, f);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        /* -rho^: entry (i, j) = rho_k, (i, k) = -rho_j */
        b->A[i * 6 + 3 + j] = rho1[k];
        b->A[i * 6 + 3 + k] = -rho1[j];
        b->A_hat[i * 6 + 3 + j] = rho_m[k];
        b->A_hat[i * 6 + 3 + k] = -rho_m[j];
        for (int l = 0; l < 3; l++)
            b->Ep[(3 + i) * 6 + 3 + l] = 0.5 * (rho1[i] * f[l] - (i == l ? pull : 0.0));
    }
    for (int k = 0; k < r; k++) {
        double turn[3];
        vec3_cross(rho1, b->kc + 3 * k, turn);
        for (int i = 0; i < 3; i++)
            b->kp[k * 6 + 3 + i] = -turn[i];
    }
}

static void blocks(const olo_joint_view *x, const double *W, olo_joint_blocks *b, double *gap)
{
    int r = axes_of(x);
    double r1[3], r_m[3], end[3];
    parent_end(x, x->parent1, end);
    vec3_subtract(x->child1, end, r1);
    parent_end(x, x->parent_left, end);
    vec3_subtract(x->child_left, end, r_m);
    for (int k = 0; k < r; k++) {
        const double *axis = x->constants + 3 * k;
        double column[3], hat[3], turn[3];
        vec3_cross(axis, r1, column);
        vec3_cross(axis, r_m, hat);
        vec3_cross(W, axis, turn);
        for (int i = 0; i < 3; i++) {
            b->B[i * r + k] = column[i];
            b->B_hat[i * r + k] = hat[i];
            b->kc[k * 3 + i] = 0.5 * turn[i];
        }
    }
    if (x->parent_node)
        parent_blocks(x, W, b);
    if (gap)
        olo_joint_find_gap(x, gap);
}

static void right(const olo_joint_view *x, const olo_joint_blocks *b)
{
    const int r = axes_of(x);
    double end[3], r1[3], rho[3], column[3];
    parent_end(x, x->parent1, end);
    vec3_subtract(x->child1, end, r1);
    for (int k = 0; k < r; k++) {
        vec3_cross(x->constants + 3 * k, r1, column);
        for (int i = 0; i < 3; i++)
            b->B[i * r + k] = column[i];
    }
    for (int i = 0; x->parent_node && i < 3; i++)
        b->A[i * x->parent_node->twist + i] = 1;
    if (!on_frame(x))
        return;
    arm(x, x->parent1, rho);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        b->A[i * 6 + 3 + j] = rho[k];
        b->A[i * 6 + 3 + k] = -rho[j];
    }
}

/* (b_k x r_m)' . f, and [0; rho' x f] of a frame */
static void left_rate(const olo_joint_view *x, const olo_joint_rates *v, const double *W,
                      double *parent, double *own)
{
    double r[3], turn[3];
    vec3_copy(v->child, r);
    if (x->parent_node) {
        double end[3];
        parent_end(x, v->parent, end);
        vec3_subtract(r, end, r);
    }
    for (int k = 0; k < axes_of(x); k++) {
        vec3_cross(x->constants + 3 * k, r, turn);
        own[k] = vec3_dot(turn, W);
    }
    if (!on_frame(x))
        return;
    arm(x, v->parent, r);
    vec3_add_cross(r, W, parent + 3);
}

/* 2 tan of half the angle from r0 to r1, from r0 and the midpoint */
static double turn(const olo_joint_view *x)
{
    double end[3], r_m[3], across[3];
    const double *r0 = x->constants + 6;
    parent_end(x, x->parent_m, end);
    vec3_subtract(x->child_m, end, r_m);
    vec3_cross(r0, r_m, across);
    double along = vec3_dot(r0, r_m);
    return along > 0 ? 2 * vec3_norm(across) / along : HUGE_VAL;
}

/* Both ends are point masses. */
static void reverse(olo_articulation *joint)
{
    int parent = joint->parent;
    joint->parent = joint->child;
    joint->child = parent;
}

const olo_joint_type olo_joint_rod = {.name = "rod",
                                      .dof = dof,
                                      .begin = begin,
                                      .predict = predict,
                                      .move = move,
                                      .turn = turn,
                                      .blocks = blocks,
                                      .right = right,
                                      .left_rate = left_rate,
                                      .gap = olo_joint_find_gap,
                                      .reverse = reverse,
                                      .chart = &olo_chart_rod,
                                      .screws = olo_screws_rod,
                                      .screws_at_reference = true};
