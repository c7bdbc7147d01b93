/* The initial velocity of a child c from that of its parent p, to which a joint connects it:
 *
 *     omega_c = omega_p + omega,
 *     v_c = v_p + omega_p x (x - phi_p) - omega_c x (x - phi_c) + sliding
 *
 * with the point x of the joint. The relative velocities omega and sliding are those of the body
 * relative to its base. If the child is the base and the parent the body, they change their signs.
 * They are fixed in the frame of the base, so that the rate of the joint does not depend on the
 * orientation in which the bodies are assembled.
 */
#include "system/implied_velocity.h"

#include "linalg/vec3.h"
#include "system/system.h"

/* Transforms a vector from the frame of a node into space. */
static void into_space(const olo_system *s, int node, const double *q, const double X[3],
                       double x[3])
{
    if (node < 0) {
        vec3_copy(X, x);
        return;
    }
    vec3_set(0, 0, 0, x);
    for (int I = 0; I < 3; I++)
        vec3_add(X[I], q + s->nodes[node].q + 3 * (I + 1), x);
}

/* omega = 1/2 sum d_I x d_I' */
static void spin_of(const olo_system *s, int node, const double *q, const double *v,
                    double omega[3])
{
    vec3_set(0, 0, 0, omega);
    for (int I = 3; node >= 0 && I < 12; I += 3)
        vec3_add_cross(q + s->nodes[node].q + I, v + s->nodes[node].q + I, omega);
    for (int i = 0; i < 3; i++)
        omega[i] *= 0.5;
}

/* From the origin of a node to the point of the joint; zero for the ground, which is fixed. */
static void find_arm(const olo_system *s, const olo_implied_velocity *x, int node, const double *q,
                     double arm[3])
{
    vec3_set(0, 0, 0, arm);
    if (node < 0)
        return;
    into_space(s, x->body, q, x->point, arm);
    if (node == x->body)
        return;
    const double *body = q + s->nodes[x->body].q, *other = q + s->nodes[node].q;
    for (int i = 0; i < 3; i++)
        arm[i] = body[i] + arm[i] - other[i];
}

void olo_imply_velocity(const olo_system *s, const olo_implied_velocity *x, const double *q,
                        double *v)
{
    int parent = x->child == x->body ? x->base : x->body;
    double sign = x->child == x->body ? 1 : -1;
    const double *q_c = q + s->nodes[x->child].q;
    double *v_c = v + s->nodes[x->child].q;
    double omega_p[3], omega[3], relative[3], arm[3], sum[3] = {0, 0, 0};
    spin_of(s, parent, q, v, omega_p);
    /* d_I' = omega_c x d_I */
    if (x->angular) {
        into_space(s, x->base, q, x->omega, relative);
        vec3_copy(omega_p, omega);
        vec3_add(sign, relative, omega);
        for (int I = 3; I < 12; I += 3)
            vec3_cross(omega, q_c + I, v_c + I);
    }
    if (!x->linear)
        return;
    /* the velocity of the joint point on the parent, and from it that of the origin of the child */
    into_space(s, x->base, q, x->sliding, relative);
    vec3_add(sign, relative, sum);
    if (parent >= 0)
        vec3_add(1.0, v + s->nodes[parent].q, sum);
    find_arm(s, x, parent, q, arm);
    vec3_add_cross(omega_p, arm, sum);
    spin_of(s, x->child, q, v, omega);
    find_arm(s, x, x->child, q, arm);
    vec3_add_cross(arm, omega, sum);
    vec3_copy(sum, v_c);
}
