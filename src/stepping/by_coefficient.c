/* Derivatives of the balance of a step, and of the momentum at its end, with respect to the coefficients of a system,
 *
 *     masses     dT = dM (2 dq/h - 2 v0),     dp = dM (dq/h - v1)
 *     terms      dT = h d(dV),                dp = -h/2 d(dV)
 *     actions    dT = -h df,                  dp = h/2 df
 *     rows       dT = mu d(d),                dp = -mu_end d(grad g(q1)),    and g(q1) and grad g(q1).v1 themselves
 *
 * where dp belongs to the variational scheme alone. */
#include "stepping/by_coefficient.h"

#include <string.h>

#include "linalg/vec3.h"

/* What a coefficient does to some coordinates. */
typedef struct share {
    int size;
    int index[OLO_FORM_SIZE_MAX];
    double T[OLO_FORM_SIZE_MAX], p[OLO_FORM_SIZE_MAX];
    int row; /* a constraint row that changes, or -1: by how much at the end, and its rate there */
    double end, rate;
} share;

static void by_mass(const olo_step *step, const double *v1, const olo_mass_entry *entry, share *x)
{
    const int to[2] = {entry->i, entry->j}, from[2] = {entry->j, entry->i};
    int vectors = entry->i == entry->j ? 1 : 2;
    x->size = 3 * vectors;
    for (int k = 0; k < vectors; k++)
        for (int i = 0; i < 3; i++) {
            int at = from[k] + i;
            x->index[3 * k + i] = to[k] + i;
            x->T[3 * k + i] = 2 / step->h * step->x.dq[at] - 2 * step->v0[at];
            x->p[3 * k + i] = step->x.dq[at] / step->h - v1[at];
        }
}

static void scale_share(const double *r, double factor, share *x)
{
    for (int i = 0; i < x->size; i++) {
        x->T[i] = factor * r[i];
        x->p[i] = -0.5 * factor * r[i];
    }
}

static void by_term(const olo_step *step, bool midpoint, const olo_term *term, int p, share *x)
{
    double r[OLO_FORM_SIZE_MAX];
    olo_interval over = olo_step_interval(step);
    x->size = term->size;
    memcpy(x->index, term->index, (size_t)term->size * sizeof *x->index);
    if (midpoint && !term->law->dissipative)
        olo_term_gradient_by_coefficient(term, over.qm, over.angles, p, r);
    else
        olo_term_discrete_by_coefficient(term, &over, p, r);
    scale_share(r, step->h, x);
}

/* f is affine in each of the coefficients of an action: the difference of two values is the derivative. */
static void by_action(const olo_step *step, const olo_action *given, int p, share *x)
{
    double zero[OLO_FORM_SIZE_MAX], one[OLO_FORM_SIZE_MAX], t = step->t + 0.5 * step->h;
    olo_interval over = olo_step_interval(step);
    olo_action action = *given;
    *olo_action_coefficient(&action, p) = 0;
    action.type->force(&action, &over, t, zero, NULL);
    *olo_action_coefficient(&action, p) = 1;
    action.type->force(&action, &over, t, one, NULL);
    x->size = action.size;
    memcpy(x->index, action.index, (size_t)action.size * sizeof *x->index);
    for (int i = 0; i < x->size; i++)
        one[i] -= zero[i];
    scale_share(one, -step->h, x);
}

/* Gradients of one share of a row: that over the step, and at the end, with the value there. */
typedef struct row_share {
    double over[OLO_FORM_SIZE_MAX], end[OLO_FORM_SIZE_MAX], value;
} row_share;

static void by_form(const olo_step *step, const olo_form *form, int p, row_share *x)
{
    olo_form_gradient_by_coefficient(form, olo_motion_left(&step->x), p, x->over);
    olo_form_gradient_by_coefficient(form, step->q_end, p, x->end);
    x->value = olo_form_value_by_coefficient(form, step->q_end, p);
}

/* The constant of a relation (p = 0), or the factor of one of its coordinates. */
static void by_relation(const olo_step *step, const olo_constraint *row, int p, row_share *x)
{
    double own[OLO_FORM_SIZE_MAX];
    olo_interval over = olo_step_interval(step);
    memset(x, 0, sizeof *x);
    x->value = 1;
    if (p == 0)
        return;
    const olo_share *one = &row->shares[p - 1];
    if (step->x.left)
        olo_term_gradient(one->coordinate, step->x.left, over.angles, own);
    else
        olo_term_discrete(one->coordinate, &over, own, NULL);
    for (int k = 0; k < one->coordinate->size; k++)
        x->over[one->place[k]] = own[k];
    olo_term_gradient(one->coordinate, step->q_end, over.angles, own);
    for (int k = 0; k < one->coordinate->size; k++)
        x->end[one->place[k]] = own[k];
    x->value = olo_term_energy(one->coordinate, step->q_end, over.angles);
}

static void by_row(const olo_linear_step *linear, int c, int p, share *x)
{
    const olo_step *step = olo_linear_step_step(linear);
    const olo_constraint *row = &step->system->constraints[c];
    const double *v1 = olo_linear_step_end_velocity(linear);
    double mu = olo_linear_step_multipliers(linear)[c];
    double mu_end = olo_linear_step_end_multipliers(linear)[c];
    row_share y;
    if (row->form)
        by_form(step, row->form, p, &y);
    else
        by_relation(step, row, p, &y);
    x->size = row->size;
    memcpy(x->index, row->index, (size_t)row->size * sizeof *x->index);
    x->row = c;
    x->end = y.value;
    x->rate = 0;
    for (int i = 0; i < row->size; i++) {
        x->T[i] = mu * y.over[i];
        x->p[i] = -mu_end * y.end[i];
        x->rate += y.end[i] * v1[row->index[i]];
    }
}

static void share_of(const olo_linear_step *linear, const olo_coefficient *c, share *x)
{
    const olo_step *step = olo_linear_step_step(linear);
    const olo_system *s = step->system;
    x->row = -1;
    if (c->kind == OLO_COEFFICIENT_ROW)
        by_row(linear, c->index, c->p, x);
    else if (c->kind == OLO_COEFFICIENT_MASS)
        by_mass(step, olo_linear_step_end_velocity(linear), &s->mass[c->index], x);
    else if (c->kind == OLO_COEFFICIENT_TERM)
        by_term(step, step->x.left != NULL, &s->terms[c->index], c->p, x);
    else
        by_action(step, &s->actions[c->index], c->p, x);
}

void olo_linear_step_add_coefficient(const olo_linear_step *linear, const olo_coefficient *c,
                                     double factor, const olo_step_change *change)
{
    share x;
    share_of(linear, c, &x);
    for (int i = 0; i < x.size; i++) {
        change->T[x.index[i]] += factor * x.T[i];
        change->p[x.index[i]] += factor * x.p[i];
    }
    if (x.row >= 0) {
        change->end[x.row] += factor * x.end;
        change->rate[x.row] += factor * x.rate;
    }
}

double olo_linear_step_times_coefficient(const olo_linear_step *linear, const olo_coefficient *c,
                                         const olo_step_change *by)
{
    share x;
    double sum = 0;
    share_of(linear, c, &x);
    for (int i = 0; i < x.size; i++)
        sum += by->T[x.index[i]] * x.T[i] + by->p[x.index[i]] * x.p[i];
    if (x.row >= 0)
        sum += by->end[x.row] * x.end + by->rate[x.row] * x.rate;
    return sum;
}
