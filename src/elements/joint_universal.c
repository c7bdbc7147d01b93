/* Universal joint (Cardan, Hooke): the joint points of parent and child coincide, and an axis m
 * fixed in the parent is perpendicular to an axis n fixed in the child. m and n are the arms of a
 * massless cross.
 *
 *     phi_c + rho_c = phi_p + rho_p,   m . n = 0
 *
 * Nodal update: the child rotates with the parent, then about m, then about n; u = 2 tan(angle/2):
 *     a_x = a_p o u1 m0,   a_c = a_x o u2 n0      (o: composition, axes at q0)
 *     dphi_c = dphi_p + a_p x mid(rho_p) - a_c x mid(rho_c)
 * Inverse: the relative Cayley vector is k = u1 m0 + u2 n0 + u1 u2/2 m0 x n0, hence
 *     u1 = m0.k,   u2 = n0.k
 *
 * Twists: over a step m.n changes by (w_c - w_p) . (n_m x m_m), so that the discrete null space is
 * spanned by the two midpoint axes:
 *     B = [rho x m, rho x n; m, n] at q1;   B^ is the same at the midpoint
 * A and A^ are those of all spatial joints. The joint is symmetric: parent and child can be
 * exchanged. */
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "system/system.h"

static int dof(const olo_articulation *joint, const olo_system *system)
{
    (void)joint;
    (void)system;
    return 2;
}

static const double *parent_axis(const olo_joint_view *x)
{
    return x->joint->parent_axes + 6;
}

static const double *child_axis(const olo_joint_view *x)
{
    return x->joint->child_axes + 6;
}

static void move(const olo_joint_view *x, const double *u, double *motion)
{
    const double *a_p = x->parent_motion + 3;
    double m[3], n[3], a_x[3], rho[3], mid[3], change[3], *a_c = motion + 3;
    olo_body_vector(parent_axis(x), x->parent0, m);
    olo_body_vector(child_axis(x), x->child0, n);
    for (int i = 0; i < 3; i++) {
        m[i] *= u[0];
        n[i] *= u[1];
    }
    cayley_compose(a_p, m, a_x);
    cayley_compose(a_x, n, a_c);
    vec3_copy(x->parent_motion, motion);
    olo_body_vector(x->joint->parent_point, x->parent0, rho);
    cayley_apply(a_p, cayley_scale(a_p), rho, mid, change);
    vec3_add(1.0, change, motion);
    olo_body_vector(x->joint->child_point, x->child0, rho);
    cayley_apply(a_c, cayley_scale(a_c), rho, mid, change);
    vec3_add(-1.0, change, motion);
}

static void predict(const olo_joint_view *x, const double *motion, double *u)
{
    const double *a_p = x->parent_motion + 3;
    double back[3] = {-a_p[0], -a_p[1], -a_p[2]}, relative[3], axes[6];
    cayley_compose(back, motion + 3, relative);
    olo_body_vector(parent_axis(x), x->parent0, axes);
    olo_body_vector(child_axis(x), x->child0, axes + 3);
    u[0] = u[1] = 0;
    olo_joint_components(2, axes, relative, u);
}

static void blocks(const olo_joint_view *x, const double *W, olo_joint_blocks *b, double *gap)
{
    olo_joint_axis a;
    double by_axis[3], by_arm[3];
    /* coupling with the parent */
    if (x->parent_node)
        olo_joint_parent_blocks(x, W, b);
    /* column of m, whose variation depends on the parent */
    olo_body_vector(x->joint->child_point, x->child1, a.rho1);
    olo_body_vector(x->joint->child_point, x->child_left, a.rho_m);
    olo_body_vector(parent_axis(x), x->parent1, a.n1);
    olo_body_vector(parent_axis(x), x->parent_left, a.n_m);
    olo_joint_axis_column(&a, W, 2, 0, b, by_axis, by_arm);
    for (int i = 0; i < 3; i++) {
        b->kc[3 + i] = by_arm[i];
        if (x->parent_node)
            b->kp[3 + i] = by_axis[i];
    }
    /* column of n, whose variation depends on the child alone */
    olo_body_vector(child_axis(x), x->child1, a.n1);
    olo_body_vector(child_axis(x), x->child_left, a.n_m);
    olo_joint_axis_column(&a, W, 2, 1, b, by_axis, by_arm);
    for (int i = 0; i < 3; i++)
        b->kc[6 + 3 + i] = by_axis[i] + by_arm[i];
    if (gap)
        olo_joint_find_gap(x, gap);
}

static void right(const olo_joint_view *x, const olo_joint_blocks *b)
{
    double rho[3], axis[3];
    if (x->parent_node)
        olo_joint_parent_right(x, b);
    olo_body_vector(x->joint->child_point, x->child1, rho);
    olo_body_vector(parent_axis(x), x->parent1, axis);
    olo_joint_axis_right(axis, rho, 2, 0, b);
    olo_body_vector(child_axis(x), x->child1, axis);
    olo_joint_axis_right(axis, rho, 2, 1, b);
}

static void left_rate(const olo_joint_view *x, const olo_joint_rates *v, const double *W,
                      double *parent, double *own)
{
    olo_joint_axis a;
    if (x->parent_node)
        olo_joint_parent_rate(v, W, parent);
    olo_body_vector(x->joint->child_point, x->child_left, a.rho_m);
    olo_body_vector(x->joint->child_point, v->child, a.rho1);
    olo_body_vector(parent_axis(x), x->parent_left, a.n_m);
    olo_body_vector(parent_axis(x), v->parent, a.n1);
    own[0] = olo_joint_axis_rate(&a, W);
    olo_body_vector(child_axis(x), x->child_left, a.n_m);
    olo_body_vector(child_axis(x), v->child, a.n1);
    own[1] = olo_joint_axis_rate(&a, W);
}

/* Closes the joint: n is rotated by -(m.n) about n x m, then the joint points are made to coincide.
 */
static void close_joint(const olo_joint_view *x, const double *parent, const double *child,
                        double shift[3], double turn[3])
{
    double m[3], n[3], across[3], rho_c[3], rho_p[3];
    olo_body_vector(parent_axis(x), parent, m);
    olo_body_vector(child_axis(x), child, n);
    vec3_cross(n, m, across);
    double amount = -vec3_dot(m, n) / vec3_dot(across, across);
    olo_body_vector(x->joint->child_point, child, rho_c);
    olo_body_vector(x->joint->parent_point, parent, rho_p);
    for (int i = 0; i < 3; i++) {
        turn[i] = amount * across[i];
        shift[i] = parent[i] + rho_p[i] - child[i] - rho_c[i];
    }
    vec3_add_cross(rho_c, turn, shift);
}

static bool motions(const olo_articulation *joint, olo_joint_motions *to)
{
    *to = (olo_joint_motions){.rotation = OLO_ROTATION_CROSS};
    vec3_copy(joint->parent_point, to->parent_point);
    vec3_copy(joint->child_point, to->child_point);
    vec3_copy(joint->parent_axes + 6, to->parent_axis);
    vec3_copy(joint->child_axes + 6, to->axis);
    return true;
}

const olo_joint_type olo_joint_universal = {.name = "universal",
                                            .spatial = true,
                                            .dof = dof,
                                            .predict = predict,
                                            .move = move,
                                            .blocks = blocks,
                                            .right = right,
                                            .left_rate = left_rate,
                                            .gap = olo_joint_find_gap,
                                            .close = close_joint,
                                            .motions = motions,
                                            .reverse = olo_joint_reverse,
                                            .chart = &olo_chart_universal,
                                            .screws = olo_screws_universal};
