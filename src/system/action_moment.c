/* Moments m on a frame. In director coordinates a moment is the set of forces
 *
 *     f_I = 1/2 m x d^I,   d^I the reciprocal triad of the directors
 *
 * at the midpoint or at a node, where the interval says. Then sum_I d_I x f_I = m, and at the
 * midpoint the work is sum_I f_I . (a x d_I,m) = m . a for any Cayley vector a. The directors at
 * the midpoint are not orthonormal, hence the reciprocal triad. A body-fixed moment is m = sum_I
 * m_I d^I, so that its components along d_I are constant.
 *
 * The derivatives of the reciprocal triad with respect to component c of director J are
 *
 *     d(d^I)/d(d_J)_c           = -(d^I)_c d^J,
 *     d2(d^I)/d(d_J)_c d(d_K)_e = (d^I)_e (d^K)_c d^J + (d^I)_c (d^J)_e d^K.
 */
#include <string.h>

#include "linalg/vec3.h"
#include "system/action.h"
#include "system/directors.h"

/* f and, unless NULL, df/dq_a of the moment times the factor s. */
static void moment(const olo_action *action, const olo_interval *x, double s, double *f, int a,
                   double *tangent)
{
    const bool in_body = !action->type->dead;
    const int n = action->size; /* those of the frame come first */
    const double share = olo_acting_share(x, a);
    double R[9], m[3] = {0, 0, 0};
    directors_reciprocal(olo_acting_configuration(x) + action->frame + 3, R);
    /* the moment in space */
    for (int I = 0; I < 3; I++)
        if (in_body)
            vec3_add(s * action->vector[I], R + 3 * I, m);
        else
            m[I] = s * action->vector[I];
    /* f_I = 1/2 m x d^I */
    memset(f, 0, (size_t)n * sizeof *f);
    for (int I = 0; I < 3; I++) {
        vec3_cross(m, R + 3 * I, f + 3 * (I + 1));
        for (int i = 0; i < 3; i++)
            f[3 * (I + 1) + i] *= 0.5;
    }
    if (!tangent)
        return;
    /* the derivative with respect to component c of director J */
    memset(tangent, 0, (size_t)(n * n) * sizeof *tangent);
    for (int J = 0; J < 3; J++)
        for (int c = 0; c < 3; c++) {
            double dm[3] = {0, 0, 0};
            for (int K = 0; in_body && K < 3; K++)
                vec3_add(-share * s * action->vector[K] * R[3 * K + c], R + 3 * J, dm);
            for (int I = 0; I < 3; I++) {
                double dR[3] = {0, 0, 0}, df[3] = {0, 0, 0};
                vec3_add(-share * R[3 * I + c], R + 3 * J, dR);
                vec3_add_cross(m, dR, df);
                vec3_add_cross(dm, R + 3 * I, df);
                for (int i = 0; i < 3; i++)
                    tangent[(3 * (I + 1) + i) * n + 3 * (J + 1) + c] = 0.5 * df[i];
            }
        }
}

/* --- the unit load and its second derivatives --- */

/* sum += factor m.(a x y) */
static void triple(double factor, const double m[3], const double a[3], const double y[3],
                   double *sum)
{
    double across[3];
    vec3_cross(a, y, across);
    *sum += factor * vec3_dot(m, across);
}

/* First and second derivatives of d^I with respect to the nine numbers j, k of the directors. */
static void triad_first(const double R[9], int I, int j, double out[3])
{
    vec3_set(0, 0, 0, out);
    vec3_add(-R[3 * I + j % 3], R + 3 * (j / 3), out);
}

static void triad_second(const double R[9], int I, int j, int k, double out[3])
{
    const int J = j / 3, c = j % 3, K = k / 3, e = k % 3;
    vec3_set(0, 0, 0, out);
    vec3_add(R[3 * I + e] * R[3 * K + c], R + 3 * J, out);
    vec3_add(R[3 * I + c] * R[3 * J + e], R + 3 * K, out);
}

/* The moment, its derivatives with respect to j and to k, and its second derivative. A dead moment
 * is constant, a body-fixed one is m_L d^L. */
static void moment_derivatives(const olo_action *action, const double R[9], int j, int k,
                               double m[4][3])
{
    memset(m, 0, 12 * sizeof(double));
    if (action->type->dead) {
        vec3_copy(action->vector, m[0]);
        return;
    }
    for (int L = 0; L < 3; L++) {
        double by[3];
        vec3_add(action->vector[L], R + 3 * L, m[0]);
        triad_first(R, L, j, by);
        vec3_add(action->vector[L], by, m[1]);
        triad_first(R, L, k, by);
        vec3_add(action->vector[L], by, m[2]);
        triad_second(R, L, j, k, by);
        vec3_add(action->vector[L], by, m[3]);
    }
}

/* d2(y.p)/dq_a dq_b with y.p = 1/2 sum_I m.(d^I x y_I) */
static void second(const olo_action *action, const olo_interval *x, const double *y, int a, int b,
                   double *matrix)
{
    const double share = olo_acting_share(x, a) * olo_acting_share(x, b);
    const int n = action->size;
    double R[9];
    directors_reciprocal(olo_acting_configuration(x) + action->frame + 3, R);
    memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
    for (int jk = 0; jk < 81; jk++) {
        const int j = jk / 9, k = jk % 9;
        double m[4][3], sum = 0;
        moment_derivatives(action, R, j, k, m);
        for (int I = 0; I < 3; I++) {
            const double *y_I = y + 3 * (I + 1);
            double by_j[3], by_k[3], by_both[3];
            triad_first(R, I, j, by_j);
            triad_first(R, I, k, by_k);
            triad_second(R, I, j, k, by_both);
            triple(0.5, m[0], by_both, y_I, &sum);
            triple(0.5, m[1], by_k, y_I, &sum);
            triple(0.5, m[2], by_j, y_I, &sum);
            triple(0.5, m[3], R + 3 * I, y_I, &sum);
        }
        matrix[(3 + j) * n + 3 + k] = share * sum;
    }
}

static void value(const olo_action *action, const olo_interval *x, double *p)
{
    moment(action, x, 1.0, p, 0, NULL);
}

static void first(const olo_action *action, const olo_interval *x, int a, double *matrix)
{
    double p[OLO_ACTION_SIZE_MAX];
    moment(action, x, 1.0, p, a, matrix);
}

const olo_action_pattern olo_pattern_moment = {.value = value, .first = first, .second = second};

static void force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    moment(action, x, olo_action_factor(action, x), f, 1, tangent);
}

const olo_action_type olo_action_dead_moment = {.name = "dead moment",
                                                .force = force,
                                                .scalar = olo_action_factor_scalar,
                                                .pattern = &olo_pattern_moment,
                                                .input = olo_action_factor_input,
                                                .with_law = &olo_action_law_moment,
                                                .has_tangent = true,
                                                .dead = true,
                                                .moment = true};
const olo_action_type olo_action_body_moment = {.name = "body moment",
                                                .force = force,
                                                .scalar = olo_action_factor_scalar,
                                                .pattern = &olo_pattern_moment,
                                                .input = olo_action_factor_input,
                                                .with_law = &olo_action_law_body_moment,
                                                .has_tangent = true,
                                                .moment = true};
