/* Force and moment on a body from a C function that receives the whole motion of the body:
 *
 *     f_k = w_k F          on the slots of the point x(q) = x0 + sum_k w_k q_k
 *     f_I = 1/2 m x d^I    on the directors, d^I the reciprocal triad   (action_moment.c)
 *
 * with (F, m) = s(t_m) W(t_m, x_m, v, R, omega) of the step: x_m the point at the midpoint, v =
 * dx/h, R the rotation nearest to the directors at the midpoint, and omega = a/h with the Cayley
 * vector a of the step, dd_I = a x d_I,m. With components in the body, F = sum_I F_I d_I and m =
 * sum_I m_I d^I.
 *
 * The function gives no derivatives. The tangent, which only affects the convergence of Newton's
 * method, is a difference quotient with respect to q1.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/rotation.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "system/action.h"
#include "system/directors.h"

enum { FRAME = 12 };

/* The frame over a step, and where its forces act. */
typedef struct frame_step {
    double qm[FRAME], dq[FRAME], acting[FRAME];
} frame_step;

static frame_step step_of(const olo_action *action, const olo_interval *x)
{
    frame_step s;
    memcpy(s.qm, x->qm + action->frame, sizeof s.qm);
    memcpy(s.dq, x->dq + action->frame, sizeof s.dq);
    memcpy(s.acting, olo_acting_configuration(x) + action->frame, sizeof s.acting);
    return s;
}

/* x[3] += sum_k w_k y_k for numbers of the frame */
static void add_point(const olo_action *action, const double *y, double x[3])
{
    const olo_position *p = &action->position;
    for (int k = 0; k < p->count; k++)
        vec3_add(p->weight[k], y + p->slot[k] - action->frame, x);
}

/* The motion that the user function receives. */
static olo_body_motion motion_of(const olo_action *action, const olo_interval *x,
                                 const frame_step *s)
{
    olo_body_motion motion = {.t = olo_interval_middle(x)};
    vec3_copy(action->position.x0, motion.position);
    add_point(action, s->qm, motion.position);
    add_point(action, s->dq, motion.velocity);
    directors_cayley(s->qm + 3, s->dq + 3, motion.angular_velocity);
    for (int i = 0; i < 3; i++) {
        motion.velocity[i] /= x->h;
        motion.angular_velocity[i] /= x->h;
    }
    for (int i = 0; i < 9; i++)
        motion.rotation[i] = s->qm[3 + 3 * (i % 3) + i / 3];
    rotation_orthonormalise(motion.rotation);
    return motion;
}

/* f of `factor` times the user function. */
static void evaluate(const olo_action *action, const olo_interval *x, const frame_step *s,
                     double factor, double *f)
{
    const olo_body_motion motion = motion_of(action, x, s);
    double F[3] = {0, 0, 0}, m[3] = {0, 0, 0}, R[9];
    action->wrench(action->context, &motion, F, m);
    directors_reciprocal(s->acting + 3, R);
    if (action->type->body) {
        double along[3], about[3];
        vec3_copy(F, along);
        vec3_copy(m, about);
        vec3_set(0, 0, 0, F);
        vec3_set(0, 0, 0, m);
        for (int I = 0; I < 3; I++) {
            vec3_add(along[I], s->acting + 3 * (I + 1), F);
            vec3_add(about[I], R + 3 * I, m);
        }
    }
    small_zero(FRAME, f);
    for (int I = 0; I < 3; I++) {
        double across[3];
        vec3_cross(m, R + 3 * I, across);
        vec3_add(0.5 * factor, across, f + 3 * (I + 1));
    }
    for (int k = 0; k < action->position.count; k++)
        vec3_add(factor * action->position.weight[k], F,
                 f + action->position.slot[k] - action->frame);
}

/* Column j of df/dq1 by a central difference. */
static void difference(const olo_action *action, const olo_interval *x, int j, double factor,
                       double *tangent)
{
    const double share = olo_acting_share(x, 1), *q1 = x->q1 + action->frame;
    double scale = 1.0, f[2][FRAME]; /* of a director */
    if (j < 3) {
        scale = fmax(fmax(fabs(q1[0]), fabs(q1[1])), fabs(q1[2]));
        scale = scale > 0 ? scale : 1.0;
    }
    const double step = cbrt(DBL_EPSILON) * scale;
    for (int side = 0; side < 2; side++) {
        frame_step s = step_of(action, x);
        const double change = side == 0 ? -step : step;
        s.qm[j] += 0.5 * change;
        s.dq[j] += change;
        s.acting[j] += share * change;
        evaluate(action, x, &s, factor, f[side]);
    }
    for (int i = 0; i < FRAME; i++) {
        const double by = (f[1][i] - f[0][i]) / (2 * step);
        tangent[i * FRAME + j] = isfinite(by) ? by : 0;
    }
}

static void force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    const frame_step s = step_of(action, x);
    const double factor = olo_action_factor(action, x);
    evaluate(action, x, &s, factor, f);
    for (int j = 0; tangent && j < FRAME; j++)
        difference(action, x, j, factor, tangent);
}

/* With respect to the input, on which f depends linearly; it is zero without one. */
static void first(const olo_action *action, const olo_interval *x, olo_slot a, double *matrix)
{
    const frame_step s = step_of(action, x);
    if (a == OLO_SLOT_INPUT)
        evaluate(action, x, &s, olo_action_has_input(action, x) ? 1.0 : 0.0, matrix);
}

const olo_action_type olo_action_wrench = {.name = "wrench",
                                           .force = force,
                                           .first = first,
                                           .has_tangent = true,
                                           .rates = true,
                                           .motion_tangent = true,
                                           .user = true};
const olo_action_type olo_action_body_wrench = {.name = "body wrench",
                                                .body = true,
                                                .force = force,
                                                .first = first,
                                                .has_tangent = true,
                                                .rates = true,
                                                .motion_tangent = true,
                                                .user = true};
