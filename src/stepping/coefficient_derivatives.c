/* Derivatives of the equations of a step with respect to the coefficients of a system: of the
 * balance T, of the momentum p at the end, and of the projection M v1 + sum mu_end grad g = p
 * (column dv):
 *
 *     masses     dT = dM (2 dq/h - 2 v0),    dp = dM dq/h,       dv = -dM v1
 *     terms      dT = h d(dV),               dp = -h/2 d(dV)
 *     actions    dT = -h df,                 dp = h/2 df
 *     rows       dT = mu d(d),               dv = -mu_end d(grad g(q1)),
 *                and of g(q1) and grad g(q1).v1
 *
 * The columns dp and dv apply to the variational scheme only. A step that starts from a momentum
 * does not depend on v0. With consistent velocities rows also have dT = gamma d(a), and the
 * equation of the velocity (linear_rates.h) varies by
 *
 *     masses     dM ((h/2)(v0 + v1) - dq),   rows   gamma d(d). */
#include "stepping/coefficient_derivatives.h"

#include <string.h>

#include "stepping/linear_step_private.h"
#include "system/rate_interval.h"

/* The derivatives with respect to one coefficient, on some coordinates. */
typedef struct contribution {
    int size;
    int index[OLO_FORM_SIZE_MAX];
    double T[OLO_FORM_SIZE_MAX], p[OLO_FORM_SIZE_MAX], v[OLO_FORM_SIZE_MAX];
    bool coupled; /* the equation of the velocity depends on it: */
    double velocity[OLO_FORM_SIZE_MAX];
    int row;          /* the constraint row that depends on it, or -1: */
    double end, rate; /* derivatives of its value and its rate at the end */
} contribution;

static void by_mass(const olo_step *step, const double *v1, const olo_mass_entry *entry,
                    contribution *x)
{
    const int to[2] = {entry->i, entry->j}, from[2] = {entry->j, entry->i};
    const int width = entry->width;
    double start = step->from_momentum ? 0 : 2;
    x->size = width * olo_mass_blocks(entry);
    for (int k = 0; k < x->size; k++) {
        const int at = from[k / width] + k % width;
        x->index[k] = to[k / width] + k % width;
        x->T[k] = 2 / step->h * step->x.dq[at] - start * step->v0[at];
        x->p[k] = step->x.dq[at] / step->h;
        x->v[k] = -v1[at];
        x->velocity[k] = 0.5 * step->h * (step->v0[at] + v1[at]) - step->x.dq[at];
    }
}

static void scale_contribution(const double *r, double factor, contribution *x)
{
    for (int i = 0; i < x->size; i++) {
        x->T[i] = factor * r[i];
        x->p[i] = -0.5 * factor * r[i];
        x->v[i] = 0;
    }
}

/* Linear terms, such as weights: h c grad e(q_m). */
static void by_weight(const olo_step *step, const olo_term *term, int p, contribution *x)
{
    const olo_form_entries y = olo_form_entries_by_coefficient(&term->form[0], step->x.qm, p - 1);
    x->size = y.count;
    for (int k = 0; k < y.count; k++) {
        x->index[k] = term->index[y.index[k]];
        x->T[k] = step->h * term->coefficient[0] * y.value[k];
        x->p[k] = -0.5 * x->T[k];
        x->v[k] = 0;
    }
}

static void by_term(const olo_step *step, int i, int p, contribution *x)
{
    double r[OLO_FORM_SIZE_MAX];
    const olo_term *term = &step->system->terms[i];
    const olo_interval over = olo_step_interval(step);
    if (term->law->linear && p > 0) {
        by_weight(step, term, p, x);
        return;
    }
    x->size = term->size;
    memcpy(x->index, term->index, (size_t)term->size * sizeof *x->index);
    olo_piece_by_coefficient(step->system, &step->evaluation, i, &over, p, r);
    scale_contribution(r, step->h, x);
}

/* The interval over which actions are evaluated, in the balance or in the momentum at the end: the
 * step; in statics around time 0. */
static olo_interval interval_of_actions(const olo_step_view *view, bool end)
{
    olo_interval x = olo_step_actions(view->step, end);
    if (view->still)
        x.t = -0.5 * x.h;
    return x;
}

/* T = -h df as it acts in the balance, p = h/2 df as it acts in the momentum at the end. */
static void by_action(const olo_step_view *view, const olo_action *given, const olo_step_cause *of,
                      contribution *x)
{
    const olo_system *s = view->step->system;
    const double h = view->step->h;
    double df[2][OLO_FORM_SIZE_MAX];
    olo_action action = *given;
    x->size = 0;
    if (view->still) { /* in statics targets have no rates */
        action.kd = 0;
        if (of->coefficient && olo_action_coefficient(&action, of->coefficient->p) == &action.kd)
            return;
    }
    for (int end = 0; end < 2; end++) {
        const olo_interval over = interval_of_actions(view, end);
        if (of->coefficient)
            olo_action_by_coefficient(&action, &over, of->coefficient->p, df[end]);
        else if (of->function)
            olo_action_by_parameters(&action, &over, of->parameter->direction, df[end]);
        else
            olo_piece_first(s, &view->step->evaluation,
                            olo_piece_of_action(s, (int)(given - s->actions)), &over,
                            OLO_SLOT_INPUT, df[end]);
    }
    x->size = action.size;
    memcpy(x->index, action.index, (size_t)action.size * sizeof *x->index);
    for (int i = 0; i < x->size; i++) {
        x->T[i] = -h * df[0][i];
        x->p[i] = 0.5 * h * df[1][i];
        x->v[i] = 0;
    }
}

/* The derivative of the gradient with which a row acts over the step, or of that at its end, by
 * coefficient p: values at the coordinates `index` that are not zero, whose number is returned. */
static int gradient_by(const olo_step *step, int c, int p, bool end, int *index, double *value)
{
    const olo_system *s = step->system;
    const olo_constraint *row = &s->constraints[c];
    if (row->form) {
        const olo_form_entries x = olo_form_entries_by_coefficient(
            row->form, end ? step->q_end : olo_motion_left(&step->x), p);
        for (int k = 0; k < x.count; k++) {
            index[k] = row->form->index[x.index[k]];
            value[k] = x.value[k];
        }
        return x.count;
    }
    const olo_evaluation at_start = {.at_start = true};
    olo_interval over = olo_step_interval(step);
    if (end)
        over.q0 = step->q_end;
    memcpy(index, row->index, (size_t)row->size * sizeof *index);
    olo_piece_by_coefficient(s, end ? &at_start : &step->evaluation, olo_piece_of_constraint(s, c),
                             &over, p, value);
    return row->size;
}

/* Adds gamma da to the balance. */
static void add_rate_gradient(const olo_step_view *view, int c, int p, contribution *x)
{
    const olo_constraint *row = &view->step->system->constraints[c];
    const olo_interval over = olo_step_interval(view->step);
    const olo_end_velocities v = {.v0 = view->step->v0, .v1 = view->v1};
    double da[OLO_FORM_SIZE_MAX];
    olo_rate_gradient_by_coefficient(row, &over, &v, p, da);
    for (int k = 0, i = 0; k < x->size; k++) {
        while (row->index[i] != x->index[k])
            i = (i + 1) % row->size;
        x->T[k] += view->gamma[c] * da[i];
        da[i] = 0; /* an index may occur twice */
    }
}

static void by_row(const olo_step_view *view, int c, int p, contribution *x)
{
    const olo_constraint *row = &view->step->system->constraints[c];
    olo_interval end = olo_step_interval(view->step);
    double d[OLO_FORM_SIZE_MAX], d_end[OLO_FORM_SIZE_MAX];
    end.q1 = view->step->q_end;
    x->row = c;
    x->rate = 0;
    x->end = olo_condition_by_coefficient(row, &end, p);
    x->size = gradient_by(view->step, c, p, false, x->index, d);
    gradient_by(view->step, c, p, true, x->index, d_end);
    for (int k = 0; k < x->size; k++) {
        x->T[k] = view->mu[c] * d[k];
        x->p[k] = 0;
        x->v[k] = -view->mu_end[c] * d_end[k];
        x->velocity[k] = view->gamma ? view->gamma[c] * d[k] : 0;
        x->rate += d_end[k] * view->v1[x->index[k]];
    }
    x->coupled = view->gamma != NULL;
    if (x->coupled)
        add_rate_gradient(view, c, p, x);
}

static void by_coefficient(const olo_step_view *view, const olo_step_cause *of, contribution *x)
{
    const olo_coefficient *c = of->coefficient;
    const olo_step *step = view->step;
    const olo_system *s = step->system;
    x->coupled = view->gamma && c->kind == OLO_COEFFICIENT_MASS;
    if (c->kind == OLO_COEFFICIENT_ROW)
        by_row(view, c->index, c->p, x);
    else if (c->kind == OLO_COEFFICIENT_MASS)
        by_mass(step, view->v1, &s->mass[c->index], x);
    else if (c->kind == OLO_COEFFICIENT_TERM)
        by_term(step, c->index, c->p, x);
    else
        by_action(view, &s->actions[c->index], of, x);
}

/* A prescribed motion is subtracted from its row. */
static void by_motion(const olo_step_view *view, int row, const double *direction, contribution *x)
{
    const olo_step *step = view->step;
    const olo_time_function *time = &step->system->constraints[row].time;
    double by[2] = {0, 0};
    time->by_parameters(time->context, view->still ? step->t : step->t + step->h, direction, by);
    x->size = 0;
    x->row = row;
    x->end = -by[0];
    x->rate = -by[1];
}

static void contribution_of(const olo_step_view *view, const olo_step_cause *of, contribution *x)
{
    x->row = -1;
    x->coupled = false;
    if (of->coefficient)
        by_coefficient(view, of, x);
    else if (of->input)
        by_action(view, of->input, of, x);
    else if (of->function->row)
        by_motion(view, of->function->index, of->parameter->direction, x);
    else
        by_action(view, &view->step->system->actions[of->function->index], of, x);
}

void olo_step_view_add(const olo_step_view *view, const olo_step_cause *of, double factor,
                       const olo_step_variation *change)
{
    contribution x;
    contribution_of(view, of, &x);
    for (int i = 0; i < x.size; i++) {
        change->T[x.index[i]] += factor * x.T[i];
        change->p[x.index[i]] += factor * (x.p[i] + x.v[i]);
    }
    for (int i = 0; i < x.size && x.coupled; i++)
        change->velocity[x.index[i]] += factor * x.velocity[i];
    if (x.row >= 0) {
        change->end[x.row] += factor * x.end;
        change->rate[x.row] += factor * x.rate;
    }
}

double olo_step_view_times(const olo_step_view *view, const olo_step_cause *of,
                           const olo_step_variation *by)
{
    contribution x;
    double sum = 0;
    contribution_of(view, of, &x);
    for (int i = 0; i < x.size; i++)
        sum += by->T[x.index[i]] * x.T[i] + by->p[x.index[i]] * x.p[i] + by->v[x.index[i]] * x.v[i];
    for (int i = 0; i < x.size && x.coupled; i++)
        sum += by->velocity[x.index[i]] * x.velocity[i];
    if (x.row >= 0)
        sum += by->end[x.row] * x.end + by->rate[x.row] * x.rate;
    return sum;
}

olo_step_view olo_linear_step_view(const olo_linear_step *x)
{
    return (olo_step_view){.step = &x->step,
                           .v1 = x->v_end,
                           .mu = x->over.mu,
                           .mu_end = x->end.rows.mu,
                           .gamma = x->gamma};
}
