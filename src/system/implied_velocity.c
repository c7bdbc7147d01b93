/* The initial velocity of a body from that of the body it is joined to:
 *
 *     omega_c = omega_p + omega,   v_c = v_p + omega_p x (x_c - phi_p) - omega_c x rho_c + sliding
 *
 * with the child's point x_c = phi_c + rho_c. The relative velocity turns with the parent, so that the joint has the same rate
 * wherever the bodies are assembled.
 */
#include "system/implied_velocity.h"

#include "linalg/vec3.h"
#include "system/system.h"

/* A vector in the frame of a node, in space. */
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

void olo_imply_velocity(const olo_system *s, const olo_implied_velocity *x, const double *q,
                        double *v)
{
    const double *q_c = q + s->nodes[x->child].q;
    double *v_c = v + s->nodes[x->child].q;
    double omega_p[3], omega[3], relative[3], arm[3], span[3], sum[3];
    spin_of(s, x->parent, q, v, omega_p);
    into_space(s, x->parent, q, x->omega, relative);
    for (int i = 0; i < 3; i++)
        omega[i] = omega_p[i] + relative[i];
    if (x->angular)
        for (int I = 3; I < 12; I += 3)
            vec3_cross(omega, q_c + I, v_c + I);
    if (!x->linear)
        return;
    spin_of(s, x->child, q, v, omega);
    into_space(s, x->child, q, x->child_point, arm);
    into_space(s, x->parent, q, x->sliding, sum);
    if (x->parent >= 0) {
        const double *q_p = q + s->nodes[x->parent].q;
        vec3_add(1.0, v + s->nodes[x->parent].q, sum);
        for (int i = 0; i < 3; i++)
            span[i] = q_c[i] + arm[i] - q_p[i];
        vec3_add_cross(omega_p, span, sum);
    }
    vec3_add_cross(arm, omega, sum);
    vec3_copy(sum, v_c);
}
