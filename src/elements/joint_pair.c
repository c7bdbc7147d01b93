/* Lower kinematic pairs. The joint point of the child moves relative to the joint point of the
 * parent along some of the axes m1, m2, n. The child rotates relative to the parent not at all,
 * about n, or freely. Spherical, revolute, cylindrical, prismatic, planar and rigid joints, sliding
 * bearings, and points on lines and planes are lower pairs, between two bodies or between a body
 * and the ground.
 *
 *     phi_c + rho_c = phi_p + rho_p + v,   v = sum_k U_k M_k,  M fixed in the parent
 *
 * Nodal update, from the parent's motion (dphi_p, a_p) and u = (dU_k, rotation), with g = a_p/2:
 *     rotation about n:   a_c = a_p + sigma n_m,   s = 2 tan(dtheta/2),
 *                         sigma = s (1 + g^2)/(1 - s g.n0/2)
 *     free rotation:      a_c = 2 (g + k + g x k)/(1 - g.k),  k half the relative Cayley vector
 *     translation:        w = v0 + sum u_k M_k,0
 *                         dphi_c = dphi_p + a_p x mid(rho_p + w) + sum u_k M_k,0 - a_c x mid(rho_c)
 *
 * Twists:
 *     A  = [I  (phi_p - phi_c)^; 0  I];  A^ is the same at the midpoint
 *     B:   along M_k [M_k; 0];  about n [rho_c x n; n];  free [rho_c^; I]
 *     B^:  along M_k [M_i x M_j; 0] with i, j, k cyclic and midpoint vectors;
 *          rotations as in B, at the midpoint
 * The columns of B^ along M_k are orthogonal to the constrained directions, although the triad at
 * the midpoint is not orthonormal. n and rho_c are fixed in the child, M in the parent. In a
 * reversed pair M is fixed in the child, and the child rotates about the joint point of the parent:
 * phi_p + rho_p replaces phi_c + rho_c. */
#include "elements/joint_pair.h"

#include "elements/joint_chart.h"
#include "linalg/rotation.h"
#include "linalg/row6.h"
#include "linalg/vec3.h"
#include "system/system.h"

static int count_bits(unsigned mask)
{
    return (int)((mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1));
}

static int dof(const olo_articulation *joint, const olo_system *system)
{
    bool frame = system->nodes[joint->child].type->spatial;
    return count_bits(joint->translations) + (frame ? joint->rotations : 0);
}

static bool child_is_frame(const olo_joint_view *x)
{
    return x->child_node->type->spatial;
}

static void child_arm(const olo_joint_view *x, const double *q, double rho[3])
{
    vec3_set(0, 0, 0, rho);
    if (child_is_frame(x))
        olo_body_vector(x->joint->child_point, q, rho);
}

/* translation axis k, fixed in the parent, or in the child of a reversed pair */
static void axis_at(const olo_joint_view *x, int k, const double *child, const double *parent,
                    double M[3])
{
    if (x->joint->reversed)
        olo_body_vector(x->joint->child_axes + 3 * k, child, M);
    else
        olo_body_vector(x->joint->parent_axes + 3 * k, parent, M);
}

static const double *child_cayley(const olo_joint_view *x, const double *motion)
{
    static const double none[3] = {0, 0, 0};
    return child_is_frame(x) ? motion + 3 : none;
}

void olo_joint_components(int count, const double *M, double remainder[3], double *u)
{
    for (int pass = 0; pass < 2; pass++) {
        double part[3] = {0, 0, 0};
        for (int k = 0; k < count; k++)
            part[k] = vec3_dot(M + 3 * k, remainder);
        for (int k = 0; k < count; k++) {
            u[k] += part[k];
            vec3_add(-part[k], M + 3 * k, remainder);
        }
    }
}

/* components u_k of a vector along the free axes at q0, and their sum u_k M_k */
static void along_axes(const olo_joint_view *x, const double vector[3], double *u, double part[3])
{
    double M[9], remainder[3];
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (x->joint->translations >> k & 1) {
            u[count] = 0;
            axis_at(x, k, x->child0, x->parent0, M + 3 * count++);
        }
    vec3_copy(vector, remainder);
    olo_joint_components(count, M, remainder, u);
    vec3_subtract(vector, remainder, part);
}

/* v0: from the joint point of the parent to that of the child at q0, projected on the free axes */
static void offset0(const olo_joint_view *x, double v0[3])
{
    double span[3], rho_p[3], rho_c[3], u[3];
    olo_body_vector(x->joint->parent_point, x->parent0, rho_p);
    child_arm(x, x->child0, rho_c);
    for (int i = 0; i < 3; i++)
        span[i] = x->child0[i] + rho_c[i] - x->parent0[i] - rho_p[i];
    along_axes(x, span, u, v0);
}

/* rotation of the child's motion from the parent's Cayley vector and the rotational part of u */
static void turn(const olo_joint_view *x, const double *u, double a[3])
{
    const double *a_p = x->parent_motion + 3;
    vec3_copy(a_p, a);
    if (x->joint->rotations == 1) {
        double g[3] = {0.5 * a_p[0], 0.5 * a_p[1], 0.5 * a_p[2]}, n0[3], n_m[3], drop[3];
        olo_body_vector(x->joint->child_axes + 6, x->child0, n0);
        cayley_apply(a_p, cayley_scale(a_p), n0, n_m, drop);
        double sigma = u[0] * (1 + vec3_dot(g, g)) / (1 - 0.5 * u[0] * vec3_dot(g, n0));
        vec3_add(sigma, n_m, a);
    } else if (x->joint->rotations == 3) {
        cayley_compose(a_p, u, a);
    }
}

static void move(const olo_joint_view *x, const double *u, double *motion)
{
    const olo_articulation *joint = x->joint;
    double shift[3] = {0, 0, 0}, w[3], mid[3], dw[3], rho[3];
    int t = 0;
    /* translation along the free axes */
    for (int k = 0; joint->translations && k < 3; k++) {
        double M[3];
        if (!(joint->translations >> k & 1))
            continue;
        axis_at(x, k, x->child0, x->parent0, M);
        vec3_add(u[t++], M, shift);
    }
    /* rotation of the child */
    double a_c[3] = {0, 0, 0};
    if (child_is_frame(x)) {
        turn(x, u + t, a_c);
        vec3_copy(a_c, motion + 3);
    }
    /* the displacement of the joint point, which is fixed in the parent */
    const double *a_p = x->parent_motion + 3;
    for (int i = 0; i < 3; i++)
        motion[i] = x->parent_motion[i] + shift[i];
    if (x->parent_node) {
        olo_body_vector(joint->parent_point, x->parent0, rho);
        cayley_apply(a_p, cayley_scale(a_p), rho, mid, dw);
        vec3_add(1.0, dw, motion);
    }
    /* rotation of the offset, together with the body in which the axes are fixed */
    if (joint->translations) {
        const double *a = joint->reversed ? a_c : a_p;
        offset0(x, w);
        vec3_add(1.0, shift, w);
        cayley_apply(a, cayley_scale(a), w, mid, dw);
        vec3_add(1.0, dw, motion);
    }
    /* from the joint point to the origin of the child */
    child_arm(x, x->child0, rho);
    cayley_apply(a_c, cayley_scale(a_c), rho, mid, dw);
    vec3_add(-1.0, dw, motion);
}

static void predict(const olo_joint_view *x, const double *motion, double *u)
{
    const olo_articulation *joint = x->joint;
    const double *a_p = x->parent_motion + 3, *a_c = child_cayley(x, motion);
    int t = count_bits(joint->translations);
    /* relative rotation, or its component about n */
    if (joint->rotations && child_is_frame(x)) {
        double back[3] = {-a_p[0], -a_p[1], -a_p[2]}, relative[3], n0[3];
        cayley_compose(back, a_c, relative);
        if (joint->rotations == 3) {
            vec3_copy(relative, u + t);
        } else {
            olo_body_vector(joint->child_axes + 6, x->child0, n0);
            u[t] = 0;
            olo_joint_components(1, n0, relative, u + t);
        }
    }
    if (!joint->translations)
        return;
    /* change of the offset, relative to the body in which the axes are fixed */
    const double *a = joint->reversed ? a_c : a_p;
    double rho[3], mid[3], dv[3], drho[3], v[3], back[3] = {-a[0], -a[1], -a[2]};
    for (int i = 0; i < 3; i++)
        dv[i] = motion[i] - x->parent_motion[i];
    child_arm(x, x->child0, rho);
    cayley_apply(a_c, cayley_scale(a_c), rho, mid, drho);
    vec3_add(1.0, drho, dv);
    olo_body_vector(joint->parent_point, x->parent0, rho);
    cayley_apply(a_p, cayley_scale(a_p), rho, mid, drho);
    vec3_add(-1.0, drho, dv);
    offset0(x, v);
    vec3_add(1.0, dv, v);
    cayley_apply(back, cayley_scale(back), v, mid, drho);
    vec3_add(1.0, drho, dv);
    along_axes(x, dv, u, drho);
}

/* --- twists --- */

/* A = [I  (phi_p - phi_c)^; 0  I], d x 6, and the variation of A^T f: 6 x 6 and 6 x d */
void olo_joint_parent_blocks(const olo_joint_view *x, const double *f, olo_joint_blocks *b)
{
    int d = x->child_node->twist;
    double arm1[3], arm_m[3];
    vec3_subtract(x->parent1, x->child1, arm1);
    vec3_subtract(x->parent_left, x->child_left, arm_m);
    if (b->spatial) {
        for (int i = 0; i < 3; i++) {
            b->spatial[i] = arm1[i];
            b->spatial[3 + i] = arm_m[i];
            b->spatial[6 + i] = 0.5 * f[i];
        }
        return;
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        b->A[i * 6 + i] = b->A_hat[i * 6 + i] = 1;
        if (x->child_node->type->spatial)
            b->A[(3 + i) * 6 + 3 + i] = b->A_hat[(3 + i) * 6 + 3 + i] = 1;
        b->A[i * 6 + 3 + j] = -arm1[k];
        b->A[i * 6 + 3 + k] = arm1[j];
        b->A_hat[i * 6 + 3 + j] = -arm_m[k];
        b->A_hat[i * 6 + 3 + k] = arm_m[j];
        /* E = [0 0; f^/2 0] on dt_p - dt_c */
        b->Ep[(3 + i) * 6 + j] = -0.5 * f[k];
        b->Ep[(3 + i) * 6 + k] = 0.5 * f[j];
        b->Ec[(3 + i) * d + j] = 0.5 * f[k];
        b->Ec[(3 + i) * d + k] = -0.5 * f[j];
    }
}

/* Columns of B and B^ along the free axes, and the variation of B^T f. */
static void translation_blocks(const olo_joint_view *x, const double *f, int r, olo_joint_blocks *b)
{
    double M1[9], Mm[9];
    int column = 0;
    /* axes at q1 and at the midpoint */
    for (int k = 0; k < 3; k++) {
        axis_at(x, k, x->child1, x->parent1, M1 + 3 * k);
        axis_at(x, k, x->child_left, x->parent_left, Mm + 3 * k);
    }
    bool in_child = x->joint->reversed;
    double *k_rows = in_child ? b->kc : b->kp;
    int width = in_child ? x->child_node->twist : 6;
    /* one column per free axis */
    for (int k = 0; k < 3; k++) {
        if (!(x->joint->translations >> k & 1))
            continue;
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double hat[3], turn_i[3], turn_j[3], variation[3] = {0, 0, 0};
        vec3_cross(Mm + 3 * i, Mm + 3 * j, hat);
        vec3_cross(Mm + 3 * j, f, turn_i);
        vec3_cross(f, Mm + 3 * i, turn_j);
        vec3_add_cross(M1 + 3 * i, turn_i, variation);
        vec3_add_cross(M1 + 3 * j, turn_j, variation);
        for (int row = 0; row < 3; row++) {
            b->B[row * r + column] = M1[3 * k + row];
            b->B_hat[row * r + column] = hat[row];
            /* axes that are fixed in the ground do not rotate */
            if (in_child || x->parent_node)
                k_rows[column * width + 3 + row] = 0.5 * variation[row];
        }
        column++;
    }
}

/* Whether the child rotates about the joint point of the parent instead of its own. */
static bool turns_about_parent(const olo_joint_view *x)
{
    return x->joint->reversed && x->joint->translations;
}

/* from the origin of the child to the point about which it rotates */
static void pivot_arm(const olo_joint_view *x, const double *child, const double *parent,
                      double rho[3])
{
    if (!turns_about_parent(x)) {
        child_arm(x, child, rho);
        return;
    }
    olo_body_vector(x->joint->parent_point, parent, rho);
    for (int i = 0; i < 3; i++)
        rho[i] += parent[i] - child[i];
}

/* The pivot moves with the parent: for a rotation about the axis n_m,
 * d(B^T) W has the additional part 1/2 (n_m x f) . (d_x_p - d_phi_c). */
static void pivot_variation(const olo_joint_view *x, const double n_m[3], const double *f,
                            double *kp, double *kc)
{
    double across[3], rho_p[3], turned[3];
    vec3_cross(n_m, f, across);
    olo_body_vector(x->joint->parent_point, x->parent1, rho_p);
    vec3_cross(rho_p, across, turned);
    for (int i = 0; i < 3; i++)
        kc[i] = -0.5 * across[i];
    for (int i = 0; x->parent_node && i < 3; i++) { /* the ground is fixed */
        kp[i] = 0.5 * across[i];
        kp[3 + i] = 0.5 * turned[i];
    }
}

void olo_joint_axis_column(const olo_joint_axis *a, const double *W, int r, int column,
                           olo_joint_blocks *b, double by_axis[3], double by_arm[3])
{
    double lever1[3], lever_m[3], moment[3], pull[3];
    /* levers rho x n at q1 and at the midpoint */
    vec3_cross(a->rho1, a->n1, lever1);
    vec3_cross(a->rho_m, a->n_m, lever_m);
    /* variation 1/2 (n1 x (m - rho_m x f) - rho1 x (f x n_m)) */
    vec3_cross(a->rho_m, W, moment);
    vec3_subtract(W + 3, moment, moment);
    vec3_cross(a->n_m, W, pull);
    vec3_cross(a->n1, moment, by_axis);
    vec3_cross(a->rho1, pull, by_arm);
    /* the column of B and of B^ */
    for (int i = 0; i < 3; i++) {
        by_axis[i] *= 0.5;
        by_arm[i] *= 0.5;
        b->B[i * r + column] = lever1[i];
        b->B_hat[i * r + column] = lever_m[i];
        b->B[(3 + i) * r + column] = a->n1[i];
        b->B_hat[(3 + i) * r + column] = a->n_m[i];
    }
}

/* Rotation about n. */
static void axis_blocks(const olo_joint_view *x, const double *W, int r, int column,
                        olo_joint_blocks *b)
{
    olo_joint_axis a;
    double by_axis[3], by_arm[3];
    bool about_parent = turns_about_parent(x);
    olo_body_vector(x->joint->child_axes + 6, x->child1, a.n1);
    olo_body_vector(x->joint->child_axes + 6, x->child_left, a.n_m);
    pivot_arm(x, x->child1, x->parent1, a.rho1);
    pivot_arm(x, x->child_left, x->parent_left, a.rho_m);
    olo_joint_axis_column(&a, W, r, column, b, by_axis, by_arm);
    if (about_parent)
        pivot_variation(x, a.n_m, W, b->kp + column * 6, b->kc + column * 6);
    for (int i = 0; i < 3; i++)
        b->kc[column * 6 + 3 + i] = about_parent ? by_axis[i] : by_axis[i] + by_arm[i];
}

/* Free rotation about axes fixed in space: d(B^T) W = 1/2 ((rho1.f) e_k - (rho1)_k f) . d_omega */
static void free_blocks(const olo_joint_view *x, const double *f, int r, int column,
                        olo_joint_blocks *b)
{
    double rho1[3], rho_m[3];
    bool about_parent = turns_about_parent(x);
    pivot_arm(x, x->child1, x->parent1, rho1);
    pivot_arm(x, x->child_left, x->parent_left, rho_m);
    double pull = 0.5 * vec3_dot(rho1, f);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        /* rho x e_k: component i is rho_j, component j is -rho_i */
        b->B[i * r + column + k] = rho1[j];
        b->B[j * r + column + k] = -rho1[i];
        b->B_hat[i * r + column + k] = rho_m[j];
        b->B_hat[j * r + column + k] = -rho_m[i];
        b->B[(3 + k) * r + column + k] = b->B_hat[(3 + k) * r + column + k] = 1;
        const double e_k[3] = {k == 0, k == 1, k == 2};
        if (about_parent)
            pivot_variation(x, e_k, f, b->kp + (column + k) * 6, b->kc + (column + k) * 6);
        for (int l = 0; l < 3 && !about_parent; l++)
            b->kc[(column + k) * 6 + 3 + l] = (k == l ? pull : 0.0) - 0.5 * rho1[k] * f[l];
    }
}

/* Closes the joint: first n of the child is rotated to n of the parent, or all axes are; then the
 * joint points are made to coincide, except along the free directions. */
static void close_pair(const olo_joint_view *x, const double *parent, const double *child,
                       double shift[3], double turn_by[3])
{
    const olo_articulation *joint = x->joint;
    double rho_c[3], rho_p[3], span[3];
    vec3_set(0, 0, 0, turn_by);
    vec3_set(0, 0, 0, shift);
    /* rotation that aligns the axes */
    if (child_is_frame(x) && joint->rotations < 3) {
        for (int k = joint->rotations == 1 ? 2 : 0; k < 3; k++) {
            double C[3], M[3];
            olo_body_vector(joint->child_axes + 3 * k, child, C);
            olo_body_vector(joint->parent_axes + 3 * k, parent, M);
            vec3_add_cross(C, M, turn_by);
        }
        for (int i = 0; i < 3 && joint->rotations == 0; i++)
            turn_by[i] *= 0.5;
    }
    /* distance between the joint points, after this rotation */
    child_arm(x, child, rho_c);
    olo_body_vector(joint->parent_point, parent, rho_p);
    for (int i = 0; i < 3; i++)
        span[i] = parent[i] + rho_p[i] - child[i] - rho_c[i];
    vec3_add_cross(rho_c, turn_by, span);
    /* translation along the constrained axes */
    for (int k = 0; k < 3; k++) {
        double M[3];
        if (joint->translations >> k & 1)
            continue;
        axis_at(x, k, child, parent, M);
        vec3_add(vec3_dot(M, span), M, shift);
    }
}

void olo_joint_find_gap(const olo_joint_view *x, double *gap)
{
    double u[6], allowed[6];
    x->joint->type->predict(x, x->child_motion, u);
    x->joint->type->move(x, u, allowed);
    vec3_subtract(allowed, x->child_motion, gap);
    if (!child_is_frame(x))
        return;
    /* the spin that takes one Cayley vector to the other: (I + a^/2)/(1 + |a|^2/4) of their
     * difference */
    const double *a = x->child_motion + 3;
    double change[3], across[3], scale = cayley_scale(a);
    vec3_subtract(allowed + 3, a, change);
    vec3_cross(a, change, across);
    for (int i = 0; i < 3; i++)
        gap[3 + i] = scale * (change[i] + 0.5 * across[i]);
}

/* The same for a pair without translation, from vectors that are known already. Parent and child
 * must give the same displacement of the joint point, and of the axis n from its direction at q0.
 * `a` has the axis, if there is one. */
static void find_turning_gap(const olo_joint_view *x, const olo_joint_axis *a, double *gap)
{
    const double *a_p = x->parent_motion + 3, *a_c = x->child_motion + 3;
    double rho_p[3], apart[3], by[3] = {0, 0, 0};
    /* difference of the displacements of the joint point */
    for (int i = 0; i < 3; i++)
        apart[i] = x->parent_motion[i] - x->child_motion[i];
    vec3_add_cross(a->rho_m, a_c, apart);
    if (x->parent_node) {
        olo_body_vector(x->joint->parent_point, x->parent_m, rho_p);
        vec3_add_cross(a_p, rho_p, apart);
    }
    /* difference of the displacements of the axis */
    if (x->joint->rotations == 1) {
        double n0[3], n_m[3], away[3] = {0, 0, 0};
        if (x->parent_node) {
            olo_body_vector(x->joint->child_axes + 6, x->child0, n0);
            cayley_apply(a_p, cayley_scale(a_p), n0, n_m, away);
        }
        vec3_add_cross(a->n_m, a_c, away);
        vec3_cross(a->n1, away, by);
        vec3_add_cross(a->rho1, by, apart);
    }
    row6_store(row6_make(apart[0], apart[1], apart[2], by[0], by[1], by[2]), gap);
}

/* Arm and axis at the midpoint. */
static void find_middle(const olo_joint_view *x, olo_joint_axis *a)
{
    olo_body_vector(x->joint->child_point, x->child_m, a->rho_m);
    olo_body_vector(x->joint->child_axes + 6, x->child_m, a->n_m);
}

/* All blocks of a pair without translation. */
static void turning_blocks(const olo_joint_view *x, const double *W, olo_joint_blocks *b,
                           double *gap)
{
    const olo_articulation *joint = x->joint;
    olo_joint_axis a;
    olo_body_vector(joint->child_point, x->child1, a.rho1);
    olo_body_vector(joint->child_point, x->child_left, a.rho_m);
    if (joint->rotations == 1) {
        double by_axis[3], by_arm[3];
        olo_body_vector(joint->child_axes + 6, x->child1, a.n1);
        olo_body_vector(joint->child_axes + 6, x->child_left, a.n_m);
        olo_joint_axis_column(&a, W, 1, 0, b, by_axis, by_arm);
        vec3_add(1.0, by_arm, by_axis);
        row6_store(row6_make(0, 0, 0, by_axis[0], by_axis[1], by_axis[2]), b->kc);
    } else {
        free_blocks(x, W, 3, 0, b);
    }
    if (gap && x->child_left != x->child_m) /* the gap is evaluated at the midpoint of the motion */
        find_middle(x, &a);
    if (gap)
        find_turning_gap(x, &a, gap);
}

/* Whether the joint is a hinge or ball joint of bodies, as most joints are. */
static bool only_turns(const olo_joint_view *x)
{
    return child_is_frame(x) && !x->joint->translations && x->joint->rotations;
}

/* The gap without the blocks. */
static void gap_alone(const olo_joint_view *x, double *gap)
{
    olo_joint_axis a;
    if (!only_turns(x)) {
        olo_joint_find_gap(x, gap);
        return;
    }
    olo_body_vector(x->joint->child_point, x->child1, a.rho1);
    olo_body_vector(x->joint->child_axes + 6, x->child1, a.n1);
    find_middle(x, &a);
    find_turning_gap(x, &a, gap);
}

static void blocks(const olo_joint_view *x, const double *W, olo_joint_blocks *b, double *gap)
{
    const olo_articulation *joint = x->joint;
    bool frame = child_is_frame(x);
    if (only_turns(x)) {
        if (x->parent_node)
            olo_joint_parent_blocks(x, W, b);
        turning_blocks(x, W, b, gap);
        return;
    }
    int t = count_bits(joint->translations), r = t + (frame ? joint->rotations : 0);
    if (x->parent_node)
        olo_joint_parent_blocks(x, W, b);
    if (t)
        translation_blocks(x, W, r, b);
    if (frame && joint->rotations == 1)
        axis_blocks(x, W, r, t, b);
    if (frame && joint->rotations == 3)
        free_blocks(x, W, r, t, b);
    if (gap)
        olo_joint_find_gap(x, gap);
}

/* --- the right pair alone --- */

void olo_joint_parent_right(const olo_joint_view *x, const olo_joint_blocks *b)
{
    double arm[3];
    vec3_subtract(x->parent1, x->child1, arm);
    if (b->spatial) {
        vec3_copy(arm, b->spatial);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        b->A[i * 6 + i] = 1;
        if (child_is_frame(x))
            b->A[(3 + i) * 6 + 3 + i] = 1;
        b->A[i * 6 + 3 + j] = -arm[k];
        b->A[i * 6 + 3 + k] = arm[j];
    }
}

void olo_joint_axis_right(const double n[3], const double rho[3], int r, int column,
                          const olo_joint_blocks *b)
{
    double lever[3];
    vec3_cross(rho, n, lever);
    for (int i = 0; i < 3; i++) {
        b->B[i * r + column] = lever[i];
        b->B[(3 + i) * r + column] = n[i];
    }
}

/* rho x e_k above e_k */
static void free_right(const double rho[3], int r, int column, const olo_joint_blocks *b)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        b->B[i * r + column + k] = rho[j];
        b->B[j * r + column + k] = -rho[i];
        b->B[(3 + k) * r + column + k] = 1;
    }
}

static void right(const olo_joint_view *x, const olo_joint_blocks *b)
{
    const olo_articulation *joint = x->joint;
    const int rotations = child_is_frame(x) ? joint->rotations : 0,
              r = count_bits(joint->translations) + rotations;
    double axis[3], rho[3];
    int column = 0;
    if (x->parent_node)
        olo_joint_parent_right(x, b);
    for (int k = 0; joint->translations && k < 3; k++) {
        if (!(joint->translations >> k & 1))
            continue;
        axis_at(x, k, x->child1, x->parent1, axis);
        for (int row = 0; row < 3; row++)
            b->B[row * r + column] = axis[row];
        column++;
    }
    if (rotations == 0)
        return;
    pivot_arm(x, x->child1, x->parent1, rho);
    if (rotations == 1) {
        olo_body_vector(joint->child_axes + 6, x->child1, axis);
        olo_joint_axis_right(axis, rho, r, column, b);
    } else {
        free_right(rho, r, column, b);
    }
}

/* --- the rate of the left pair; all vectors are linear in coordinates, so that those of the
 * velocities are their rates --- */

void olo_joint_parent_rate(const olo_joint_rates *v, const double *f, double *parent)
{
    double arm[3];
    vec3_subtract(v->parent, v->child, arm);
    vec3_add_cross(f, arm, parent + 3);
}

double olo_joint_axis_rate(const olo_joint_axis *a, const double *W)
{
    /* a->rho1 and a->n1 are the rates of a->rho_m and a->n_m */
    double lever[3] = {0, 0, 0};
    vec3_add_cross(a->rho1, a->n_m, lever);
    vec3_add_cross(a->rho_m, a->n1, lever);
    return vec3_dot(lever, W) + vec3_dot(a->n1, W + 3);
}

/* (M_i x M_j)' . f of every free axis; returns their number. */
static int translation_rate(const olo_joint_view *x, const olo_joint_rates *v, const double *f,
                            double *own)
{
    double M[9], rate[9];
    int column = 0;
    for (int k = 0; k < 3; k++) {
        axis_at(x, k, x->child_left, x->parent_left, M + 3 * k);
        axis_at(x, k, v->child, v->parent, rate + 3 * k);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double hat[3] = {0, 0, 0};
        if (!(x->joint->translations >> k & 1))
            continue;
        vec3_add_cross(rate + 3 * i, M + 3 * j, hat);
        vec3_add_cross(M + 3 * i, rate + 3 * j, hat);
        own[column++] = vec3_dot(hat, f);
    }
    return column;
}

static void left_rate(const olo_joint_view *x, const olo_joint_rates *v, const double *W,
                      double *parent, double *own)
{
    olo_joint_axis a;
    if (x->parent_node)
        olo_joint_parent_rate(v, W, parent);
    own += x->joint->translations ? translation_rate(x, v, W, own) : 0;
    if (!child_is_frame(x) || x->joint->rotations == 0)
        return;
    pivot_arm(x, x->child_left, x->parent_left, a.rho_m);
    pivot_arm(x, v->child, v->parent, a.rho1);
    if (x->joint->rotations == 1) {
        olo_body_vector(x->joint->child_axes + 6, x->child_left, a.n_m);
        olo_body_vector(x->joint->child_axes + 6, v->child, a.n1);
        own[0] = olo_joint_axis_rate(&a, W);
    } else { /* rho' x e_k . f */
        vec3_cross(W, a.rho1, own);
    }
}

static bool motions(const olo_articulation *joint, olo_joint_motions *to)
{
    *to = (olo_joint_motions){.rotation = joint->rotations == 0   ? OLO_ROTATION_NONE
                                          : joint->rotations == 1 ? OLO_ROTATION_AXIS
                                                                  : OLO_ROTATION_ALL,
                              .translations = joint->translations,
                              .reversed = joint->reversed};
    vec3_copy(joint->parent_point, to->parent_point);
    vec3_copy(joint->child_point, to->child_point);
    if (joint->rotations == 1) {
        vec3_copy(joint->parent_axes + 6, to->parent_axis);
        vec3_copy(joint->child_axes + 6, to->axis);
    }
    for (int i = 0; i < 9; i++) {
        to->parent_axes[i] = joint->parent_axes[i];
        to->child_axes[i] = joint->child_axes[i];
    }
    return true;
}

static void swap(int count, double *a, double *b)
{
    for (int i = 0; i < count; i++) {
        double old = a[i];
        a[i] = b[i];
        b[i] = old;
    }
}

void olo_joint_reverse(olo_articulation *joint)
{
    int parent = joint->parent;
    joint->parent = joint->child;
    joint->child = parent;
    joint->reversed = !joint->reversed;
    swap(3, joint->parent_point, joint->child_point);
    swap(9, joint->parent_axes, joint->child_axes);
}

const olo_joint_type olo_joint_pair = {.name = "pair",
                                       .spatial = true,
                                       .dof = dof,
                                       .predict = predict,
                                       .move = move,
                                       .blocks = blocks,
                                       .right = right,
                                       .left_rate = left_rate,
                                       .gap = gap_alone,
                                       .close = close_pair,
                                       .motions = motions,
                                       .reverse = olo_joint_reverse,
                                       .chart = &olo_chart_pair,
                                       .screws = olo_screws_pair};

olo_articulation olo_joint_in_plane(const olo_system *s, int node)
{
    const double *q = s->q0 + s->nodes[node].q;
    olo_articulation joint = {.type = &olo_joint_pair,
                              .group = -1,
                              .parent = -1,
                              .child = node,
                              .translations = 3,
                              .rotations = 1};
    vec3_transversals(s->plane, joint.parent_axes, joint.parent_axes + 3);
    vec3_copy(s->plane, joint.parent_axes + 6);
    vec3_add(vec3_dot(s->plane, q), s->plane, joint.parent_point);
    /* the normal in the child, from which the columns of rotations are formed */
    for (int I = 0; s->nodes[node].type->spatial && I < 3; I++)
        joint.child_axes[6 + I] = vec3_dot(s->plane, q + 3 * (I + 1));
    return joint;
}
