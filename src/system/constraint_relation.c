/* Relations between joint coordinates x_i(q), and motions prescribed to them:
 *
 *     g(q, t) = c + sum a_i x_i(q) - f(t).
 *
 * With the exact discrete gradients d_i of the coordinates, d_i.dq = x_i(q1) - x_i(q0), a row has d = sum a_i d_i, and
 * a multiplier that holds g = 0 at both ends of a step does the work -lambda d.dq = -lambda (f(t1) - f(t0)): none in
 * a gear, that of its drive in a motion. Angles count their turns.
 */
#include <math.h>
#include <string.h>

#include "system/constraint.h"

static double motion(const olo_constraint *row, double t, double *rate)
{
    if (rate)
        *rate = olo_time_rate(&row->time, t);
    return row->time.value(row->time.context, t);
}

static double value(const olo_constraint *row, const olo_at *at)
{
    double g = row->constant;
    for (int i = 0; i < row->share_count; i++)
        g += row->shares[i].factor * olo_term_energy(row->shares[i].coordinate, at->q, at->angles);
    return olo_constraint_moves(row) ? g - motion(row, at->t, NULL) : g;
}

/* An angle is that of directors, whose rounding has the size one. */
static double magnitude(const olo_constraint *row, const olo_at *at)
{
    double sum = fabs(row->constant);
    for (int i = 0; i < row->share_count; i++) {
        const olo_term *x = row->shares[i].coordinate;
        double size = x->law->angle ? 1 + fabs(olo_term_energy(x, at->q, at->angles))
                                    : olo_form_magnitude(&x->form[0], at->q);
        sum += fabs(row->shares[i].factor) * size;
    }
    return olo_constraint_moves(row) ? sum + fabs(motion(row, at->t, NULL)) : sum;
}

static void gradient(const olo_constraint *row, const olo_at *at, double *g)
{
    memset(g, 0, (size_t)row->size * sizeof *g);
    for (int i = 0; i < row->share_count; i++) {
        const olo_share *share = &row->shares[i];
        double own[OLO_FORM_SIZE_MAX];
        olo_term_gradient(share->coordinate, at->q, at->angles, own);
        for (int k = 0; k < share->coordinate->size; k++)
            g[share->place[k]] += share->factor * own[k];
    }
}

static void discrete(const olo_constraint *row, const olo_interval *x, double *d, double *tangent)
{
    double own[OLO_FORM_SIZE_MAX], K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    memset(d, 0, (size_t)row->size * sizeof *d);
    if (tangent)
        memset(tangent, 0, (size_t)(row->size * row->size) * sizeof *tangent);
    for (int i = 0; i < row->share_count; i++) {
        const olo_share *share = &row->shares[i];
        int size = share->coordinate->size;
        olo_term_discrete(share->coordinate, x, own, tangent ? K : NULL);
        for (int k = 0; k < size; k++) {
            d[share->place[k]] += share->factor * own[k];
            for (int l = 0; tangent && l < size; l++)
                tangent[share->place[k] * row->size + share->place[l]] +=
                    share->factor * K[k * size + l];
        }
    }
}

const olo_constraint_type olo_constraint_relation = {.name = "relation",
                                                     .value = value,
                                                     .magnitude = magnitude,
                                                     .gradient = gradient,
                                                     .discrete = discrete,
                                                     .motion = motion};
