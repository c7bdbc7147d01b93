/* Constraint rows in a step: sizes, residuals and gradients. */
#include <math.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "stepping/step.h"

double olo_row_weight(const olo_system *s, int row)
{
    const olo_constraint *c = &s->constraints[row];
    olo_at at = {.q = s->q0};
    double gradient[OLO_FORM_SIZE_MAX], sum = 0;
    olo_constraint_gradient(c, &at, gradient);
    for (int i = 0; i < c->size; i++) {
        double entry = gradient[i] * olo_coordinate_unit(s, c->index[i]) / s->length_scale;
        sum += entry * entry;
    }
    if (sum > 0)
        return sum;
    /* a rod whose ends initially coincide: l^2 */
    return c->form && c->form->c != 0 ? 2 * fabs(c->form->c) : 1.0;
}

double olo_row_size(const olo_system *s, int row)
{
    return sqrt(olo_row_weight(s, row)) * s->length_scale;
}

double olo_row_residual(const olo_system *s, int row, const double *gradient, double g,
                        const double *q)
{
    const olo_constraint *c = &s->constraints[row];
    double parts = fabs(c->form ? c->form->c : c->constant);
    for (int i = 0; i < c->size; i++)
        parts += fabs(gradient[i]) * (fabs(q[c->index[i]]) + olo_coordinate_unit(s, c->index[i]));
    return parts > 0 ? fabs(g) / parts : fabs(g);
}

double olo_row_start_value(const olo_step *step, int row)
{
    const double noise = 2e-15;
    const olo_constraint *c = &step->system->constraints[row];
    const olo_interval over = olo_step_interval(step);
    olo_at start = olo_step_start(step);
    double g = olo_constraint_value(c, &start);
    const bool significant = fabs(g) > noise * olo_constraint_magnitude(c, &start);
    return (significant ? g : 0.0) - olo_constraint_advance(c, &over);
}

double olo_row_increment(const olo_step *step, const olo_interval *over, int row, const double *d)
{
    const olo_constraint *c = &step->system->constraints[row];
    double own[OLO_FORM_SIZE_MAX];
    if (step->evaluation.at_start) { /* the row acts with the gradient at the start */
        olo_evaluate_row(&(olo_evaluation){0}, c, over, own, NULL);
        d = own;
    }
    return olo_constraint_along(c, d, over->dq);
}

double olo_row_end_value(const olo_step *step, int row, const double *d)
{
    const olo_interval over = olo_step_interval(step);
    return olo_row_increment(step, &over, row, d) + olo_row_start_value(step, row);
}

double olo_rows_largest_residual(const olo_step *step, int count, const int *rows)
{
    double open = 0;
    olo_interval over = olo_step_interval(step);
    for (int i = 0; i < count; i++) {
        int row = rows ? rows[i] : i;
        const olo_constraint *c = &step->system->constraints[row];
        double g = olo_condition_value(c, &over);
        olo_condition_by_end(c, &over, step->r);
        olo_raise(&open, olo_row_residual(step->system, row, step->r, g, step->x.q1));
    }
    return open;
}

olo_pass olo_pass_closed(const olo_step *step, int count, const int *rows, olo_error *error)
{
    double open = olo_rows_largest_residual(step, count, rows);
    if (open <= OLO_ROW_TOLERANCE)
        return OLO_PASS_DONE;
    olo_fail(error, OLO_NOT_CONVERGED, "a loop stays open by %.1e of its size", open);
    return OLO_PASS_FAILED;
}

bool olo_step_row(const olo_step *step, const olo_constraint *row, double *d, double *tangent)
{
    const olo_interval x = olo_step_interval(step);
    return olo_evaluate_row(&step->evaluation, row, &x, d, tangent);
}

double olo_largest_mass(const olo_system *s)
{
    double largest[2] = {0, 0}; /* of positions, and of directors divided by the squared length */
    for (int e = 0; e < s->mass_count; e++) {
        const bool director = s->coordinates[s->mass[e].i].slot > 0;
        const double length = director ? s->length_scale : 1.0;
        if (s->mass[e].i == s->mass[e].j)
            largest[director] = fmax(largest[director], fabs(s->mass[e].m) / (length * length));
    }
    return largest[0] > 0 ? largest[0] : largest[1];
}

double olo_smallest_row_size(const olo_system *s, int count, const int *rows)
{
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++)
        least = fmin(least, olo_row_size(s, rows[i]));
    return least;
}

double olo_smallest_compliance(const olo_system *s, int count, const int *rows)
{
    const double least = olo_smallest_row_size(s, count, rows) / s->length_scale;
    return least * least / olo_largest_mass(s);
}
