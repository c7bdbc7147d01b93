/* Conditions and rates of constraint rows with their derivatives; the equations are in the header.
 */
#include "system/condition.h"

#include "linalg/small.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static olo_at end_of(const olo_interval *x)
{
    return (olo_at){.q = x->q1, .angles = x->angles, .t = x->t + x->h};
}

/* First and second time derivative of -f(t), the part of g that depends on time. */
static void motion_derivatives(const olo_constraint *row, double t, double by[2])
{
    double f[3];
    olo_time_derivatives(&row->time, t, 0.0, f);
    by[0] = -f[1];
    by[1] = -f[2];
}

double olo_constraint_along(const olo_constraint *row, const double *d, const double *v)
{
    double sum = 0;
    for (int i = 0; i < row->size; i++)
        sum += d[i] * v[row->index[i]];
    return sum;
}

double olo_constraint_advance(const olo_constraint *row, const olo_interval *x)
{
    return olo_constraint_motion(row, x->t + x->h) - olo_constraint_motion(row, x->t);
}

double olo_constraint_difference(const olo_constraint *row, const olo_interval *x, const double *d)
{
    return olo_constraint_along(row, d, x->dq) - olo_constraint_advance(row, x);
}

double olo_condition_value(const olo_constraint *row, const olo_interval *x)
{
    double d[SIZE];
    const olo_at end = end_of(x);
    if (!row->type->velocity)
        return row->type->value(row, &end);
    row->type->discrete(row, x, d, NULL);
    return olo_constraint_along(row, d, x->dq);
}

/* d and dd/dq_a */
static void gradient_by(const olo_constraint *row, const olo_interval *x, olo_slot a, double *d,
                        double *matrix)
{
    row->type->discrete(row, x, d, a == OLO_SLOT_Q1 ? matrix : NULL);
    if (a == OLO_SLOT_Q0)
        row->type->start_tangent(row, x, matrix);
}

/* d(d.dq)/dq_a = -+d + (dd/dq_a)^T dq */
static void velocity_first(const olo_constraint *row, const olo_interval *x, olo_slot a, double *by)
{
    double K[SIZE * SIZE];
    gradient_by(row, x, a, by, K);
    for (int i = 0; a == OLO_SLOT_Q0 && i < row->size; i++)
        by[i] = -by[i];
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            by[j] += x->dq[row->index[i]] * K[i * row->size + j];
}

void olo_condition_by_end(const olo_constraint *row, const olo_interval *x, double *by)
{
    const olo_at end = end_of(x);
    if (row->type->velocity)
        velocity_first(row, x, OLO_SLOT_Q1, by);
    else
        row->type->gradient(row, &end, by);
}

void olo_condition_first(const olo_constraint *row, const olo_interval *x, olo_slot a, double *by)
{
    double motion[2];
    small_zero(olo_slot_width(a, row->size), by);
    if (a == OLO_SLOT_Q1) {
        olo_condition_by_end(row, x, by);
    } else if (a == OLO_SLOT_Q0 && row->type->velocity) {
        velocity_first(row, x, a, by);
    } else if (a == OLO_SLOT_H || a == OLO_SLOT_T) {
        motion_derivatives(row, x->t + x->h, motion);
        by[0] = motion[0];
    }
}

/* Second derivative of d.dq: (dq.d)_ab + s_a d_a,b + s_b d_b,a with s = -1 at q0 and 1 at q1. */
static void velocity_second(const olo_constraint *row, const olo_interval *x, olo_slot a,
                            olo_slot b, double *matrix)
{
    const int size = row->size;
    const double s_a = a == OLO_SLOT_Q0 ? -1 : 1, s_b = b == OLO_SLOT_Q0 ? -1 : 1;
    double y[SIZE], d[SIZE], A[SIZE * SIZE], B[SIZE * SIZE];
    olo_constraint_gather(row, x->dq, y);
    row->type->second(row, x, y, (int)a, (int)b, matrix);
    gradient_by(row, x, a, d, A);
    gradient_by(row, x, b, d, B);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            matrix[i * size + j] += s_a * B[i * size + j] + s_b * A[j * size + i];
}

void olo_condition_second(const olo_constraint *row, const olo_interval *x, olo_slot a, olo_slot b,
                          double *matrix)
{
    const olo_at end = end_of(x);
    double motion[2];
    small_zero(olo_slot_width(a, row->size) * olo_slot_width(b, row->size), matrix);
    if (olo_slot_is_configuration(a) != olo_slot_is_configuration(b))
        return;
    if (olo_slot_is_configuration(a) && row->type->velocity) {
        velocity_second(row, x, a, b, matrix);
    } else if (a == OLO_SLOT_Q1 && b == OLO_SLOT_Q1) {
        row->type->hessian(row, &end, matrix);
    } else if (!olo_slot_is_configuration(a) && a != OLO_SLOT_INPUT && b != OLO_SLOT_INPUT) {
        motion_derivatives(row, x->t + x->h, motion);
        matrix[0] = motion[1];
    }
}

olo_structure olo_condition_structure(const olo_constraint *row)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_H) | olo_slot_bit(OLO_SLOT_T);
    const unsigned ends = row->type->velocity ? OLO_BOTH_ENDS : olo_slot_bit(OLO_SLOT_Q1);
    const bool moves = olo_constraint_moves(row);
    olo_structure x = {.first = ends | (moves ? time : 0)};
    x.second = (row->curved || row->type->velocity ? olo_pair_bits(ends, ends) : 0) |
               (moves ? olo_pair_bits(time, time) : 0);
    if (moves && !row->time.rate)
        x.unknown_first = time;
    if (moves && !row->time.curvature)
        x.unknown_second = olo_pair_bits(time, time);
    return x;
}

double olo_condition_by_coefficient(const olo_constraint *row, const olo_interval *x, int p)
{
    if (row->form)
        return olo_form_value_by_coefficient(row->form, x->q1, p);
    if (row->type->affine > 0) { /* affine in it: the difference is the derivative */
        double memory[2][OLO_CONSTRAINT_NUMBERS];
        const olo_constraint at_zero = olo_constraint_with(row, p, 0.0, memory[0]),
                             at_one = olo_constraint_with(row, p, 1.0, memory[1]);
        return olo_condition_value(&at_one, x) - olo_condition_value(&at_zero, x);
    }
    /* the constant of a relation, or the factor of a joint coordinate */
    return p > 0 ? olo_term_energy(row->shares[p - 1].coordinate, x->q1, x->angles) : 1.0;
}

double olo_rate_value(const olo_constraint *row, const olo_at *at, const double *gradient,
                      const double *v)
{
    return olo_constraint_along(row, gradient, v) - olo_constraint_motion_rate(row, at->t);
}

void olo_rate_by_configuration(const olo_constraint *row, const olo_at *at, const double *v,
                               double *by)
{
    const int size = row->size;
    double own[SIZE], matrix[SIZE * SIZE];
    olo_constraint_gather(row, v, own);
    if (row->form) { /* its Hessian is constant: no matrix */
        olo_form_hessian_times(row->form, own, by);
        return;
    }
    row->type->hessian(row, at, matrix);
    for (int i = 0; i < size; i++) {
        by[i] = 0;
        for (int j = 0; j < size; j++)
            by[i] += matrix[i * size + j] * own[j];
    }
}

double olo_rate_by_time(const olo_constraint *row, const olo_at *at)
{
    const olo_time_function *time = &row->time;
    return time->value && time->curvature ? -time->curvature(time->context, at->t) : 0.0;
}

void olo_rate_second(const olo_constraint *row, const olo_at *at, const double *v, bool by_velocity,
                     double *matrix)
{
    double own[SIZE];
    if (by_velocity) {
        row->type->hessian(row, at, matrix);
        return;
    }
    small_zero(row->size * row->size, matrix);
    olo_constraint_gather(row, v, own);
    if (row->type->third)
        row->type->third(row, at, own, matrix);
}
