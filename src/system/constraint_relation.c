/* Relations between joint coordinates x_i(q), and prescribed motions:
 *
 *     g(q, t) = c + sum a_i x_i(q) - f(t).
 *
 * The coordinates have exact discrete gradients d_i with d_i.dq = x_i(q1) - x_i(q0). Hence a row
 * has the discrete gradient d = sum a_i d_i. If g = 0 at both ends of a step, its multiplier does
 * the work
 *
 *     -lambda d.dq = -lambda (f(t1) - f(t0)),
 *
 * which is zero for a gear and the work of the drive for a prescribed motion. Angles include full
 * turns.
 */
#include <math.h>

#include "linalg/small.h"
#include "system/constraint.h"

static double value(const olo_constraint *row, const olo_at *at)
{
    double g = row->constant;
    for (int i = 0; i < row->share_count; i++)
        g += row->shares[i].factor * olo_term_energy(row->shares[i].coordinate, at->q, at->angles);
    return g - olo_constraint_motion(row, at->t);
}

/* An angle is computed from directors, whose magnitude is one; a function from its arguments. */
static double coordinate_magnitude(const olo_term *x, const olo_at *at)
{
    double by[OLO_LAW_INVARIANTS_MAX], sum;
    if (x->law->linear)
        return olo_form_magnitude(&x->form[0], at->q);
    sum = fabs(olo_term_energy(x, at->q, at->angles));
    if (x->law->angle)
        return 1 + sum;
    olo_term_derivatives(x, at->q, at->angles, by);
    for (int k = 0; k < x->forms; k++)
        sum += fabs(by[k]) * olo_form_magnitude(&x->form[k], at->q);
    return sum;
}

static double magnitude(const olo_constraint *row, const olo_at *at)
{
    double sum = fabs(row->constant);
    for (int i = 0; i < row->share_count; i++) {
        const double size = coordinate_magnitude(row->shares[i].coordinate, at);
        sum += fabs(row->shares[i].factor) * size;
    }
    return sum + fabs(olo_constraint_motion(row, at->t));
}

static void gradient(const olo_constraint *row, const olo_at *at, double *g)
{
    small_zero(row->size, g);
    for (int i = 0; i < row->share_count; i++) {
        const olo_share *share = &row->shares[i];
        double own[OLO_FORM_SIZE_MAX];
        olo_term_gradient(share->coordinate, at->q, at->angles, own);
        for (int k = 0; k < share->coordinate->size; k++)
            g[share->slot[k]] += share->factor * own[k];
    }
}

/* matrix += a_i K of one share, K over the coordinates of the share */
static void add_share(const olo_constraint *row, const olo_share *share, const double *K,
                      double *matrix)
{
    int size = share->coordinate->size;
    for (int k = 0; k < size; k++)
        for (int l = 0; l < size; l++)
            matrix[share->slot[k] * row->size + share->slot[l]] += share->factor * K[k * size + l];
}

static void discrete(const olo_constraint *row, const olo_interval *x, double *d, double *tangent)
{
    double own[OLO_FORM_SIZE_MAX], K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    small_zero(row->size, d);
    if (tangent)
        small_zero(row->size * row->size, tangent);
    for (int i = 0; i < row->share_count; i++) {
        const olo_share *share = &row->shares[i];
        olo_term_discrete(share->coordinate, x, own, tangent ? K : NULL);
        for (int k = 0; k < share->coordinate->size; k++)
            d[share->slot[k]] += share->factor * own[k];
        if (tangent)
            add_share(row, share, K, tangent);
    }
}

static void stress(const olo_constraint *row, const olo_interval *x, int i, double *d,
                   olo_law_over *law)
{
    const olo_share *share = &row->shares[i];
    const int forms = share->coordinate->forms;
    double own[OLO_FORM_SIZE_MAX];
    olo_term_stress(share->coordinate, x, own, law);
    for (int k = 0; k < share->coordinate->size; k++)
        d[share->slot[k]] += share->factor * own[k];
    small_scale(forms, share->factor, law->s);
    small_scale(forms * forms, share->factor, law->s1);
}

static void start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    double K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    small_zero(row->size * row->size, tangent);
    for (int i = 0; i < row->share_count; i++) {
        olo_term_discrete_tangent(row->shares[i].coordinate, x, 0, K);
        add_share(row, &row->shares[i], K, tangent);
    }
}

static void hessian(const olo_constraint *row, const olo_at *at, double *matrix)
{
    double K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    small_zero(row->size * row->size, matrix);
    for (int i = 0; i < row->share_count; i++) {
        olo_term_hessian(row->shares[i].coordinate, at->q, at->angles, K);
        add_share(row, &row->shares[i], K, matrix);
    }
}

/* y over the coordinates of one share */
static void take_share(const olo_share *share, const double *y, double *own)
{
    for (int k = 0; k < share->coordinate->size; k++)
        own[k] = y[share->slot[k]];
}

static void second(const olo_constraint *row, const olo_interval *x, const double *y, int a, int b,
                   double *matrix)
{
    double own[OLO_FORM_SIZE_MAX], K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    small_zero(row->size * row->size, matrix);
    for (int i = 0; i < row->share_count; i++) {
        take_share(&row->shares[i], y, own);
        olo_term_discrete_second(row->shares[i].coordinate, x, own, a, b, K);
        add_share(row, &row->shares[i], K, matrix);
    }
}

static void third(const olo_constraint *row, const olo_at *at, const double *y, double *matrix)
{
    double own[OLO_FORM_SIZE_MAX], K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    small_zero(row->size * row->size, matrix);
    for (int i = 0; i < row->share_count; i++) {
        take_share(&row->shares[i], y, own);
        olo_term_third(row->shares[i].coordinate, at->q, at->angles, own, K);
        add_share(row, &row->shares[i], K, matrix);
    }
}

const olo_constraint_type olo_constraint_relation = {.name = "relation",
                                                     .value = value,
                                                     .magnitude = magnitude,
                                                     .gradient = gradient,
                                                     .discrete = discrete,
                                                     .stress = stress,
                                                     .start_tangent = start_tangent,
                                                     .hessian = hessian,
                                                     .second = second,
                                                     .third = third};
