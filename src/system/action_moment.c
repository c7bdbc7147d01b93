/* Moments m on a frame. In director coordinates a moment is the set of forces
 *
 *     f_I = 1/2 m x d^I,   d^I the reciprocal triad of the midpoint directors,
 *
 * since then sum_I d_I,m x f_I = m and the work sum_I f_I . (a x d_I,m) = m . a, for any Cayley
 * vector a. (At the midpoint the directors are not orthonormal, hence the reciprocal triad.)
 * Body-fixed moments are m = sum_I m_I d^I, so that their components along d_I are kept.
 */
#include <string.h>

#include "linalg/vec3.h"
#include "system/action.h"

/* Reciprocal triad, rows of R: d^1 = d2 x d3 / det, cyclic. */
static void reciprocal(const double *d, double R[9])
{
    for (int I = 0; I < 3; I++)
        vec3_cross(d + 3 * ((I + 1) % 3), d + 3 * ((I + 2) % 3), R + 3 * I);
    double det = vec3_dot(d, R);
    for (int i = 0; i < 9; i++)
        R[i] /= det;
}

/* Variation of the triad with delta d_J = e_c: delta d^I = -(d^I)_c d^J. */
static void moment(const olo_action *action, const olo_interval *x, double t, bool in_body,
                   double *f, double *tangent)
{
    double s = olo_action_factor(action, x, t), R[9], m[3] = {0, 0, 0};
    reciprocal(x->qm + action->frame + 3, R);
    for (int I = 0; I < 3; I++) {
        if (in_body)
            vec3_add(s * action->vector[I], R + 3 * I, m);
        else
            m[I] = s * action->vector[I];
    }
    memset(f, 0, 12 * sizeof *f);
    for (int I = 0; I < 3; I++) {
        vec3_cross(m, R + 3 * I, f + 3 * (I + 1));
        for (int i = 0; i < 3; i++)
            f[3 * (I + 1) + i] *= 0.5;
    }
    if (!tangent)
        return;
    memset(tangent, 0, 144 * sizeof *tangent);
    for (int J = 0; J < 3; J++)
        for (int c = 0; c < 3; c++) {
            /* the midpoint moves by half of the end */
            double dm[3] = {0, 0, 0};
            for (int K = 0; in_body && K < 3; K++)
                vec3_add(-0.5 * s * action->vector[K] * R[3 * K + c], R + 3 * J, dm);
            for (int I = 0; I < 3; I++) {
                double dR[3] = {0, 0, 0}, df[3] = {0, 0, 0};
                vec3_add(-0.5 * R[3 * I + c], R + 3 * J, dR);
                vec3_add_cross(m, dR, df);
                vec3_add_cross(dm, R + 3 * I, df);
                for (int i = 0; i < 3; i++)
                    tangent[(3 * (I + 1) + i) * 12 + 3 * (J + 1) + c] = 0.5 * df[i];
            }
        }
}

static void dead_moment(const olo_action *action, const olo_interval *x, double t, double *f,
                        double *tangent)
{
    moment(action, x, t, false, f, tangent);
}

static void body_moment(const olo_action *action, const olo_interval *x, double t, double *f,
                        double *tangent)
{
    moment(action, x, t, true, f, tangent);
}

const olo_action_type olo_action_dead_moment = {.name = "dead moment",
                                                .force = dead_moment,
                                                .input = olo_action_factor_input,
                                                .has_tangent = true,
                                                .dead = true,
                                                .moment = true};
const olo_action_type olo_action_body_moment = {.name = "body moment",
                                                .force = body_moment,
                                                .input = olo_action_factor_input,
                                                .has_tangent = true,
                                                .moment = true};
