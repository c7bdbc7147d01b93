/* Derivatives of actions over a step. Almost every action is a scalar times a vector,
 *
 *     f = F(x0, x1, h, t, u) p(q0, q1),      x_a = x(q_a) the measures of the action:
 *
 * a factor over time times the unit load, or a force times the discrete gradient of a coordinate.
 * With the derivatives F_a of F with respect to slot a (sum dF/dx_a grad x(q_a) for a
 * configuration)
 *
 *     df/da          = p (x) F_a + F dp/da
 *     d2(y.f)/da db  = (y.p) F_ab + F_a (x) (y.p)_b + (y.p)_a (x) F_b + F (y.p)_ab.
 *
 * For a = b a configuration, F_ab also contains the terms dF/dx_a Hess x(q_a).
 */
#include "system/action.h"

#include <stddef.h>
#include <string.h>

#include "system/coefficients.h"
#include "system/slot.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static const olo_action_type *const types[] = {
    &olo_action_dead_force,      &olo_action_body_force,     &olo_action_dead_moment,
    &olo_action_body_moment,     &olo_action_callback,       &olo_action_function,
    &olo_action_body_callback,   &olo_action_body_function,  &olo_action_drive,
    &olo_action_controller,      &olo_action_drive_callback, &olo_action_drive_function,
    &olo_action_law_force,       &olo_action_law_body_force, &olo_action_law_moment,
    &olo_action_law_body_moment, &olo_action_law_along,      &olo_action_wrench,
    &olo_action_body_wrench,
};

const olo_action_type *olo_action_type_number(int number)
{
    return number >= 0 && (size_t)number < sizeof types / sizeof types[0] ? types[number] : NULL;
}

void olo_action_factor_scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    *F = (olo_action_scalar){0};
    if (olo_action_has_input(action, x)) {
        F->value = x->inputs[action->number];
        F->first[OLO_SLOT_INPUT] = 1.0;
        return;
    }
    /* the function of time at the midpoint t + h/2 */
    double by[3];
    olo_time_derivatives(&action->time, olo_interval_middle(x), 1.0, by);
    F->value = by[0];
    F->first[OLO_SLOT_T] = by[1];
    F->first[OLO_SLOT_H] = 0.5 * by[1];
    F->second[OLO_SLOT_T][OLO_SLOT_T] = by[2];
    F->second[OLO_SLOT_T][OLO_SLOT_H] = F->second[OLO_SLOT_H][OLO_SLOT_T] = 0.5 * by[2];
    F->second[OLO_SLOT_H][OLO_SLOT_H] = 0.25 * by[2];
}

static const double *configuration(const olo_interval *x, olo_slot a)
{
    return a == OLO_SLOT_Q0 ? x->q0 : x->q1;
}

/* The measures of F: those of its law, or its coordinate, or none. */
static int measure_count(const olo_action *action)
{
    return action->law ? action->law->measures : action->coordinate ? 1 : 0;
}

static olo_action_measure measure_of(const olo_action *action, int i)
{
    return action->law ? action->measures[i] : (olo_action_measure){.term = action->coordinate};
}

static int local_of(const olo_action_measure *measure, int i)
{
    return measure->local ? measure->local[i] : i;
}

/* by[width] += factor times the gradient of measure i at a configuration, or times 1 for the other
 * slots */
static void add_direction(const olo_action *action, const olo_interval *x, olo_slot a, int i,
                          double factor, double *by)
{
    if (!olo_slot_is_configuration(a)) {
        by[0] += factor;
        return;
    }
    double gradient[SIZE];
    const olo_action_measure measure = measure_of(action, i);
    olo_term_gradient(measure.term, configuration(x, a), x->angles, gradient);
    for (int k = 0; k < measure.term->size; k++)
        by[local_of(&measure, k)] += factor * gradient[k];
}

/* The number of arguments of F that belong to a slot. */
static int arguments_of(const olo_action *action, olo_slot a)
{
    return olo_slot_is_configuration(a) ? measure_count(action) : 1;
}

/* F_a[width] */
static void scalar_first(const olo_action *action, const olo_interval *x,
                         const olo_action_scalar *F, olo_slot a, double *by)
{
    memset(by, 0, (size_t)olo_slot_width(a, action->size) * sizeof *by);
    for (int i = 0; i < arguments_of(action, a); i++)
        if (F->first[olo_scalar_index(a, i)] != 0)
            add_direction(action, x, a, i, F->first[olo_scalar_index(a, i)], by);
}

/* by[size x width] = dp/da */
static void pattern_first(const olo_action *action, const olo_interval *x, olo_slot a, double *by)
{
    if (olo_slot_is_configuration(a) && action->type->pattern->first)
        action->type->pattern->first(action, x, (int)a, by);
    else
        memset(by, 0, (size_t)(action->size * olo_slot_width(a, action->size)) * sizeof *by);
}

/* df/da of a product f = F p */
static void product_first(const olo_action *action, const olo_interval *x, olo_slot a,
                          double *matrix)
{
    const int size = action->size, columns = olo_slot_width(a, action->size);
    olo_action_scalar F;
    double p[SIZE], F_a[SIZE];
    action->type->scalar(action, x, &F);
    action->type->pattern->value(action, x, p);
    scalar_first(action, x, &F, a, F_a);
    pattern_first(action, x, a, matrix);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < columns; j++)
            matrix[i * columns + j] = F.value * matrix[i * columns + j] + p[i] * F_a[j];
}

void olo_action_first(const olo_action *action, const olo_interval *x, olo_slot a, double *matrix)
{
    if (action->type->pattern)
        product_first(action, x, a, matrix);
    else
        action->type->first(action, x, a, matrix);
}

/* by[width] = (y.p)_a */
static void contracted_first(const olo_action *action, const olo_interval *x, const double *y,
                             olo_slot a, double *by)
{
    const int size = action->size, columns = olo_slot_width(a, action->size);
    double matrix[SIZE * SIZE];
    pattern_first(action, x, a, matrix);
    for (int j = 0; j < columns; j++) {
        by[j] = 0;
        for (int i = 0; i < size; i++)
            by[j] += y[i] * matrix[i * columns + j];
    }
}

/* matrix = F (y.p)_ab + (y.p) dF/dx_a Hess x(q_a) */
static void put_curvature(const olo_action *action, const olo_interval *x, const double *y,
                          const olo_action_scalar *F, double along, olo_slot a, olo_slot b,
                          double *matrix)
{
    const int count = olo_slot_width(a, action->size) * olo_slot_width(b, action->size);
    const olo_action_pattern *pattern = action->type->pattern;
    memset(matrix, 0, (size_t)count * sizeof *matrix);
    if (!olo_slot_is_configuration(a) || !olo_slot_is_configuration(b))
        return;
    if (pattern->second)
        pattern->second(action, x, y, (int)a, (int)b, matrix);
    for (int i = 0; i < count; i++)
        matrix[i] *= F->value;
    for (int i = 0; a == b && i < measure_count(action); i++) {
        const double factor = along * F->first[olo_scalar_index(a, i)];
        const olo_action_measure measure = measure_of(action, i);
        const int n = measure.term->size;
        double hessian[SIZE * SIZE];
        if (factor == 0)
            continue;
        olo_term_hessian(measure.term, configuration(x, a), x->angles, hessian);
        for (int k = 0; k < n * n; k++)
            matrix[local_of(&measure, k / n) * action->size + local_of(&measure, k % n)] +=
                factor * hessian[k];
    }
}

/* matrix += factor sum_ij F_ij e_i (x) e_j over the arguments of both slots, e_i the gradient of
 * measure i */
static void add_scalar_second(const olo_action *action, const olo_interval *x,
                              const olo_action_scalar *F, double factor, olo_slot a, olo_slot b,
                              double *matrix)
{
    const int rows = olo_slot_width(a, action->size), columns = olo_slot_width(b, action->size);
    for (int i = 0; i < arguments_of(action, a); i++) {
        double e_i[SIZE], F_i[SIZE];
        bool any = false;
        memset(e_i, 0, (size_t)rows * sizeof *e_i);
        memset(F_i, 0, (size_t)columns * sizeof *F_i);
        for (int j = 0; j < arguments_of(action, b); j++) {
            const double F_ij = F->second[olo_scalar_index(a, i)][olo_scalar_index(b, j)];
            any = any || F_ij != 0;
            if (F_ij != 0)
                add_direction(action, x, b, j, factor * F_ij, F_i);
        }
        if (!any)
            continue;
        add_direction(action, x, a, i, 1.0, e_i);
        for (int k = 0; k < rows * columns; k++)
            matrix[k] += e_i[k / columns] * F_i[k % columns];
    }
}

void olo_action_second(const olo_action *action, const olo_interval *x, const double *y, olo_slot a,
                       olo_slot b, double *matrix)
{
    const int rows = olo_slot_width(a, action->size), columns = olo_slot_width(b, action->size);
    olo_action_scalar F;
    double p[SIZE], F_a[SIZE], F_b[SIZE], p_a[SIZE], p_b[SIZE], along = 0;
    if (!action->type->pattern) { /* f is linear in the input; no other pair is known */
        matrix[0] = 0;
        return;
    }
    /* the factors: F, y.p and their first derivatives */
    action->type->scalar(action, x, &F);
    action->type->pattern->value(action, x, p);
    for (int i = 0; i < action->size; i++)
        along += y[i] * p[i];
    scalar_first(action, x, &F, a, F_a);
    scalar_first(action, x, &F, b, F_b);
    contracted_first(action, x, y, a, p_a);
    contracted_first(action, x, y, b, p_b);
    /* F (y.p)_ab and the Hessians of the measures, then all outer products */
    put_curvature(action, x, y, &F, along, a, b, matrix);
    add_scalar_second(action, x, &F, along, a, b, matrix);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            matrix[i * columns + j] += F_a[i] * p_b[j] + p_a[i] * F_b[j];
}

/* df = f of `to` less f of `from`: where f is affine in a quantity that differs by one between
 * them, the derivative with respect to the quantity */
static void subtract(const olo_action *from, const olo_action *to, const olo_interval *x,
                     double *df)
{
    double f[SIZE];
    from->type->force(from, x, f, NULL);
    to->type->force(to, x, df, NULL);
    for (int i = 0; i < to->size; i++)
        df[i] -= f[i];
}

void olo_action_by_coefficient(const olo_action *action, const olo_interval *x, int p, double *df)
{
    const int weights = olo_action_coefficients(action) - action->position.count;
    if (p >= weights && action->type->by_weight) {
        action->type->by_weight(action, x, p - weights, df);
        return;
    }
    /* f is affine in the coefficient: its derivative is f(1) - f(0) */
    olo_action zero = *action, one = *action;
    *olo_action_coefficient(&zero, p) = 0;
    *olo_action_coefficient(&one, p) = 1;
    subtract(&zero, &one, x, df);
}

static double no_value(const void *context, double t)
{
    (void)context, (void)t;
    return 0.0;
}

/* The derivative of a function of time along a direction of the parameters, as a function of time.
 */
typedef struct function_derivative {
    const olo_time_function *of;
    const double *direction;
} function_derivative;

static double derivative_value(const void *context, double t)
{
    const function_derivative *x = context;
    double by[2] = {0, 0};
    x->of->by_parameters(x->of->context, t, x->direction, by);
    return by[0];
}

void olo_action_by_parameters(const olo_action *action, const olo_interval *x,
                              const double *direction, double *df)
{
    if (action->law) {
        if (!olo_law_by_parameters(action, x, direction, df))
            memset(df, 0, (size_t)action->size * sizeof *df);
        return;
    }
    /* f is affine in the function of time */
    function_derivative change = {&action->time, direction};
    olo_action zero = *action, one = *action;
    zero.time = (olo_time_function){.value = no_value};
    one.time = (olo_time_function){.value = derivative_value, .context = &change};
    subtract(&zero, &one, x, df);
}

bool olo_action_uses_parameters(const olo_action *action, const double *direction)
{
    double by[2], z[OLO_ACTION_ARGUMENTS_MAX] = {0};
    if (action->law)
        return action->law->by_parameters(action->law->context, z, direction, by);
    return action->time.by_parameters &&
           action->time.by_parameters(action->time.context, 0.0, direction, by);
}
