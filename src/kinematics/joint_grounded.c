/* A node against the ground: its place rho moves along fixed directions T, the node turns about fixed axes R
 * (none, one, or all three, then those of space). Point fixed, centre fixed, sliding bearing, plane, hinge, fixed
 * (thesis 4.3.5), and free motion in a plane, in one:
 *
 *     phi1 = phi0 + T u_T - (rho1 - rho0),   rho1 - rho0 = a x rho_m,   a = R u_R
 *     B = [T  rho1 x R; 0  R],   B^ = [T  rho_m x R; 0  R]              (T, R constant: plain midpoint)
 *     d(B^T) W, axis r, W = [f; m]:   1/2 ((rho1.f) r - (r.rho1) f) . d_omega
 */
#include "kinematics/joint.h"
#include "linalg/rotation.h"

static int dof(const olo_joint *joint, const olo_system *system)
{
    (void)system;
    return joint->translations + joint->rotations;
}

/* rho = X_i d_i from twelve coordinates */
static void arm(const olo_joint_view *x, const double *q, double rho[3])
{
    vec3_set(0, 0, 0, rho);
    for (int I = 0; I < 3; I++)
        vec3_add(x->joint->child_point[I], q + 3 * (I + 1), rho);
}

static bool is_frame(const olo_joint_view *x)
{
    return x->child_node->kind == OLO_NODE_FRAME;
}

/* The constants of a step: rho0. */
static void begin(const olo_joint_view *x, const olo_system *system)
{
    (void)system;
    if (is_frame(x))
        arm(x, x->child0, x->constants);
}

static void cayley_vector(const olo_joint *joint, const double *u, double a[3])
{
    if (joint->rotations == 3) {
        vec3_copy(u + joint->translations, a);
        return;
    }
    vec3_set(0, 0, 0, a);
    for (int k = 0; k < joint->rotations; k++)
        vec3_add(u[joint->translations + k], joint->rotation + 3 * k, a);
}

static void move(const olo_joint_view *x, const double *u, double *motion)
{
    const olo_joint *joint = x->joint;
    vec3_set(0, 0, 0, motion);
    for (int k = 0; k < joint->translations; k++)
        vec3_add(u[k], joint->translation + 3 * k, motion);
    if (!is_frame(x))
        return;
    double rho_m[3], drho[3], *a = motion + 3;
    cayley_vector(joint, u, a);
    cayley_apply(a, cayley_scale(a), x->constants, rho_m, drho);
    vec3_add(-1.0, drho, motion);
}

static void update(const olo_joint_view *x, double *u, const double *du)
{
    const olo_joint *joint = x->joint;
    int t = joint->translations;
    for (int k = 0; k < t; k++)
        u[k] += du[k];
    if (joint->rotations == 0)
        return;
    double a[3], spin[3];
    cayley_vector(joint, u, a);
    cayley_vector(joint, du, spin);
    cayley_update(a, spin);
    for (int k = 0; k < joint->rotations; k++)
        u[t + k] = vec3_dot(joint->rotation + 3 * k, a);
}

static void predict(const olo_joint_view *x, const double *motion, double *u)
{
    const olo_joint *joint = x->joint;
    double place[3];
    vec3_copy(motion, place);
    if (is_frame(x)) {
        double rho_m[3], drho[3];
        cayley_apply(motion + 3, cayley_scale(motion + 3), x->constants, rho_m, drho);
        vec3_add(1.0, drho, place);
    }
    for (int k = 0; k < joint->translations; k++)
        u[k] = vec3_dot(joint->translation + 3 * k, place);
    for (int k = 0; k < joint->rotations; k++)
        u[joint->translations + k] = vec3_dot(joint->rotation + 3 * k, motion + 3);
}

static void blocks(const olo_joint_view *x, const double *u, const double *W, olo_joint_blocks *b)
{
    (void)u;
    const olo_joint *joint = x->joint;
    int t = joint->translations, rotations = joint->rotations, r = t + rotations;
    double *B = b->B, *B_hat = b->B_hat, *kc = b->kc;
    for (int k = 0; k < t; k++)
        for (int i = 0; i < 3; i++)
            B[i * r + k] = B_hat[i * r + k] = joint->translation[3 * k + i];
    if (!is_frame(x))
        return;
    double rho1[3], rho_m[3];
    arm(x, x->child1, rho1);
    arm(x, x->child_m, rho_m);
    double pull = 0.5 * vec3_dot(rho1, W);
    for (int k = 0; k < rotations; k++) {
        double axis[3], across1[3], across_m[3];
        vec3_copy(joint->rotation + 3 * k, axis);
        double along = 0.5 * vec3_dot(axis, rho1);
        vec3_cross(rho1, axis, across1);
        vec3_cross(rho_m, axis, across_m);
        for (int i = 0; i < 3; i++) {
            B[i * r + t + k] = across1[i];
            B_hat[i * r + t + k] = across_m[i];
            B[(3 + i) * r + t + k] = B_hat[(3 + i) * r + t + k] = axis[i];
            kc[(t + k) * 6 + 3 + i] = pull * axis[i] - along * W[i];
        }
    }
}

const olo_joint_type olo_joint_grounded = {.name = "grounded",
                                           .dof = dof,
                                           .begin = begin,
                                           .move = move,
                                           .update = update,
                                           .predict = predict,
                                           .blocks = blocks};
