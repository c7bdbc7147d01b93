/* The coefficients that depend on parameters; see the header. */
#include "stepping/parameter_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

static int compare(const void *a, const void *b)
{
    const olo_coefficient *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return (x->p > y->p) - (x->p < y->p);
}

void olo_parameter_set_free(olo_parameter_set *x)
{
    olo_free(x->coefficient);
    olo_free(x->sum);
    olo_free(x->own);
    olo_free(x->causes);
    olo_free(x->rows);
    *x = (olo_parameter_set){0};
}

/* Lists all coefficients that depend on some parameter, sorted, each once. */
static void list_coefficients(olo_parameter_set *x)
{
    int all = 0;
    for (int k = 0; k < x->count; k++)
        for (int i = 0; i < x->changes[k]->count; i++)
            x->coefficient[all++] = x->changes[k]->coefficient[i];
    qsort(x->coefficient, (size_t)all, sizeof *x->coefficient, compare);
    for (int i = 0; i < all; i++)
        if (x->active == 0 || compare(&x->coefficient[x->active - 1], &x->coefficient[i]) != 0)
            x->coefficient[x->active++] = x->coefficient[i];
}

static void mark_row(olo_parameter_set *x, int row)
{
    x->varied = x->rows[row] = true;
}

/* Lists what the equations of a step depend on, and the constraint rows among it. */
static void list_causes(olo_parameter_set *x)
{
    for (int i = 0; i < x->active; i++) {
        const olo_coefficient *c = &x->coefficient[i];
        if (olo_coefficient_acts(c))
            x->causes[x->cause_count++] = (olo_parameter_cause){{.coefficient = c}, &x->sum[i]};
        if (c->kind == OLO_COEFFICIENT_ROW)
            mark_row(x, c->index);
    }
    for (int k = 0; k < x->count; k++)
        for (int i = 0; i < x->changes[k]->function_count; i++) {
            const olo_function_derivative *f = &x->changes[k]->functions[i];
            x->causes[x->cause_count++] =
                (olo_parameter_cause){{.parameter = x->changes[k], .function = f}, &x->own[k]};
            if (f->row)
                mark_row(x, f->index);
        }
}

olo_status olo_parameter_set_assign(olo_parameter_set *x, const olo_system *s,
                                    const olo_parameter_derivative *const *changes, int count,
                                    olo_error *error)
{
    size_t capacity = 0, functions = 0;
    olo_parameter_set_free(x);
    for (int k = 0; k < count; k++) {
        capacity += (size_t)changes[k]->count;
        functions += (size_t)changes[k]->function_count;
        if (changes[k]->n != s->n)
            return olo_fail(error, OLO_BAD_INPUT, "parameter '%s' belongs to another model",
                            changes[k]->name);
    }
    x->coefficient = olo_alloc(capacity, sizeof *x->coefficient);
    x->sum = olo_alloc(capacity, sizeof *x->sum);
    x->own = olo_alloc((size_t)count, sizeof *x->own);
    x->causes = olo_alloc(capacity + functions, sizeof *x->causes);
    x->rows = olo_alloc((size_t)s->m, sizeof *x->rows);
    if (!x->coefficient || !x->sum || !x->own || !x->causes || !x->rows) {
        olo_parameter_set_free(x);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for parameters");
    }
    x->changes = changes;
    x->count = count;
    list_coefficients(x);
    list_causes(x);
    return OLO_OK;
}

void olo_parameter_set_begin(olo_parameter_set *x)
{
    if (x->active > 0)
        memset(x->sum, 0, (size_t)x->active * sizeof *x->sum);
    if (x->count > 0)
        memset(x->own, 0, (size_t)x->count * sizeof *x->own);
}

void olo_parameter_set_step(olo_parameter_set *x, const olo_step_view *view,
                            const olo_step_variation *by)
{
    for (int i = 0; i < x->cause_count; i++)
        *x->causes[i].sum += olo_step_view_times(view, &x->causes[i].of, by);
}

/* The derivative of J at a node with respect to a coefficient. */
static double node_derivative(const olo_coefficient *c, olo_objective *objective,
                              const olo_state *state, double weight, bool end)
{
    return weight * olo_objective_by_coefficient(objective, state, end, c);
}

void olo_parameter_set_node(olo_parameter_set *x, olo_objective *objective, const olo_state *state,
                            double weight, bool end)
{
    for (int i = 0; i < x->active; i++)
        x->sum[i] += node_derivative(&x->coefficient[i], objective, state, weight, end);
}

double olo_parameter_set_value(const olo_parameter_set *x, olo_objective *objective,
                               const olo_state *state, double weight, bool end)
{
    double sum = 0;
    for (int i = 0; i < x->active; i++)
        sum += x->sum[i] * node_derivative(&x->coefficient[i], objective, state, weight, end);
    return sum;
}

/* The sum of an active coefficient, NULL if it is not active. */
static double *sum_of(const olo_parameter_set *x, const olo_coefficient *c)
{
    const olo_coefficient *at = bsearch(c, x->coefficient, (size_t)x->active, sizeof *at, compare);
    return at ? x->sum + (at - x->coefficient) : NULL;
}

void olo_parameter_set_end(const olo_parameter_set *x, const double *gq, const double *gv,
                           double *gradient)
{
    for (int k = 0; k < x->count; k++) {
        const olo_parameter_derivative *change = x->changes[k];
        gradient[k] = x->own[k];
        for (int i = 0; i < change->n; i++)
            gradient[k] += gq[i] * change->dq[i] + gv[i] * change->dv[i];
        for (int i = 0; i < change->count; i++) {
            const double *sum = sum_of(x, &change->coefficient[i]);
            gradient[k] += sum ? change->derivative[i] * *sum : 0;
        }
    }
}

void olo_parameter_set_aim(olo_parameter_set *x, const double *direction, double *dq, double *dv)
{
    olo_parameter_set_begin(x);
    for (int k = 0; k < x->count; k++) {
        const olo_parameter_derivative *change = x->changes[k];
        x->own[k] = direction[k];
        for (int i = 0; i < change->n; i++) {
            dq[i] += direction[k] * change->dq[i];
            dv[i] += direction[k] * change->dv[i];
        }
        for (int i = 0; i < change->count; i++) {
            double *sum = sum_of(x, &change->coefficient[i]);
            if (sum)
                *sum += direction[k] * change->derivative[i];
        }
    }
}

void olo_parameter_set_add(const olo_parameter_set *x, const olo_step_view *view,
                           const olo_step_variation *change)
{
    for (int i = 0; i < x->cause_count; i++)
        olo_step_view_add(view, &x->causes[i].of, *x->causes[i].sum, change);
}
