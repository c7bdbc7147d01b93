/* Objective functionals: weighted sums of measures m(q, v) of a state (system/quantity.h) at the
 * end and over time, with dm/dq and dm/dv. */
#include "stepping/objective.h"

#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "system/quantity.h"

/* A goal with its names resolved. */
typedef struct resolved_goal {
    olo_quantity measure;
    const olo_goal *given;
    olo_expression *factor, *target; /* functions of time, or NULL */
} resolved_goal;

struct olo_objective {
    const olo_system *system;
    const olo_functional *functional;
    olo_pool pool;
    resolved_goal *goals;
    double *local;   /* gradients of the largest measure */
    double *gq, *gv; /* [n] derivatives of the C functions */
};

/* --- goals --- */

static olo_status resolve(const olo_system *s, const olo_goal *given, olo_pool *pool,
                          resolved_goal *goal, olo_error *error)
{
    goal->given = given;
    if (olo_check_initialised(given->initialised, OLO_INITIALISED_GOAL, error) != OLO_OK)
        return OLO_BAD_INPUT;
    return olo_quantity_find(s, given->quantity ? given->quantity : "", given->direction, pool,
                             &goal->measure, error);
}

/* Compiles an expression of t. */
static olo_status compile(const olo_goal *given, const char *text, olo_expression **expression,
                          olo_error *error)
{
    static const char *const names[] = {"t"};
    if (!text)
        return OLO_OK;
    return olo_fail_context(error, olo_expression_compile(text, names, 1, expression, NULL, error),
                            "the goal '%s'", given->quantity);
}

/* The state as measures see it. */
static olo_quantity_at state_at(const olo_state *x)
{
    return (olo_quantity_at){.q = x->q, .v = x->v, .angles = x->angles};
}

/* m; adds `weight` times its derivatives unless they are NULL. */
static double measure(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                      double weight, double *gq, double *gv)
{
    const olo_quantity *m = &goal->measure;
    const olo_quantity_at at = state_at(x);
    double *by_q = o->local, *by_v = o->local + m->size;
    if (!gq)
        return olo_quantity_value(m, &at, NULL, NULL);
    const double value = olo_quantity_value(m, &at, by_q, by_v);
    for (int i = 0; i < m->size; i++) {
        gq[m->index[i]] += weight * by_q[i];
        gv[m->index[i]] += weight * by_v[i];
    }
    return value;
}

/* --- objectives --- */

olo_goal olo_goal_default(void)
{
    return (olo_goal){.initialised = OLO_INITIALISED_GOAL};
}

olo_functional olo_functional_default(void)
{
    return (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL};
}

olo_status olo_objective_create(const olo_system *s, const olo_functional *functional,
                                olo_objective **objective, olo_error *error)
{
    *objective = NULL;
    olo_status status =
        olo_check_initialised(functional->initialised, OLO_INITIALISED_FUNCTIONAL, error);
    if (status != OLO_OK)
        return status;
    olo_objective *o = olo_alloc(1, sizeof *o);
    const size_t n = (size_t)s->n;
    if (!o)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a functional");
    o->system = s;
    o->functional = functional;
    const olo_array arrays[] = {{&o->gq, n}, {&o->gv, n}};
    size_t largest = 0;
    o->goals = olo_pool_alloc(&o->pool, (size_t)functional->goal_count, sizeof *o->goals);
    if (!o->goals || !olo_pool_arrays(&o->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a functional");
    for (int i = 0; status == OLO_OK && i < functional->goal_count; i++) {
        status = resolve(s, &functional->goals[i], &o->pool, &o->goals[i], error);
        const olo_goal *given = o->goals[i].given;
        if (status == OLO_OK)
            status = compile(given, given->factor_over_time, &o->goals[i].factor, error);
        if (status == OLO_OK)
            status = compile(given, given->target_over_time, &o->goals[i].target, error);
        if ((size_t)o->goals[i].measure.size > largest)
            largest = (size_t)o->goals[i].measure.size;
    }
    const olo_array local = {&o->local, 2 * largest};
    if (status == OLO_OK && !olo_pool_arrays(&o->pool, &local, 1))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a functional");
    if (status != OLO_OK) {
        olo_objective_free(o);
        return status;
    }
    *objective = o;
    return OLO_OK;
}

void olo_objective_free(olo_objective *objective)
{
    if (!objective)
        return;
    for (int i = 0; objective->goals && i < objective->functional->goal_count; i++) {
        olo_expression_free(objective->goals[i].factor);
        olo_expression_free(objective->goals[i].target);
        olo_quantity_free(&objective->goals[i].measure);
    }
    olo_pool_free(&objective->pool);
    olo_free(objective);
}

/* The weight of a goal at the end or in the integral, and its target. */
static double weight_of(const resolved_goal *goal, const olo_state *x, bool end)
{
    if (end || goal->given->running == 0)
        return end ? goal->given->end : 0.0;
    return goal->factor ? goal->given->running * olo_expression_value(goal->factor, &x->t)
                        : goal->given->running;
}

static double target_of(const resolved_goal *goal, const olo_state *x)
{
    return goal->target ? olo_expression_value(goal->target, &x->t) : goal->given->target;
}

/* The sum of all goals with their weights at the end or in the integral. */
static double sum_goals(olo_objective *o, const olo_state *x, bool end, double weight, double *gq,
                        double *gv)
{
    double sum = 0;
    for (int i = 0; i < o->functional->goal_count; i++) {
        const resolved_goal *goal = &o->goals[i];
        double part = weight_of(goal, x, end);
        if (part == 0)
            continue;
        if (!goal->given->squared) {
            sum += part * measure(o, goal, x, weight * part, gq, gv);
            continue;
        }
        double distance = measure(o, goal, x, 0.0, NULL, NULL) - target_of(goal, x);
        if (gq)
            measure(o, goal, x, weight * part * distance, gq, gv);
        sum += part * 0.5 * distance * distance;
    }
    return sum;
}

/* The weight of a goal at the end or in the integral, times df/dm. */
static double weighted_derivative(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                                  bool end)
{
    double part = weight_of(goal, x, end);
    if (part == 0 || !goal->given->squared)
        return part;
    return part * (measure(o, goal, x, 0.0, NULL, NULL) - target_of(goal, x));
}

double olo_objective_by_coefficient(olo_objective *o, const olo_state *x, bool end,
                                    const olo_coefficient *c)
{
    double sum = 0;
    for (int i = 0; i < o->functional->goal_count; i++) {
        const resolved_goal *goal = &o->goals[i];
        const olo_quantity_at at = state_at(x);
        const double by = olo_quantity_by_coefficient(&goal->measure, &at, c);
        if (by != 0)
            sum += by * weighted_derivative(o, goal, x, end);
    }
    return sum;
}

double olo_objective_effort(olo_objective *o, double t, int count, const double *u, double weight,
                            double *gu)
{
    if (!o->functional->effort || count == 0)
        return 0;
    if (!gu)
        return o->functional->effort(o->functional->context, t, u, NULL);
    double one[OLO_CONTROLS_MAX] = {0};
    double value = o->functional->effort(o->functional->context, t, u, one);
    for (int i = 0; i < count; i++)
        gu[i] += weight * one[i];
    return value;
}

typedef double function(void *context, const olo_system *system, const olo_state *state, double *gq,
                        double *gv);

static double add_function(olo_objective *o, function *f, const olo_state *x, double weight,
                           double *gq, double *gv)
{
    size_t n = (size_t)o->system->n;
    if (!f)
        return 0;
    if (!gq)
        return f(o->functional->context, o->system, x, NULL, NULL);
    memset(o->gq, 0, n * sizeof *gq);
    memset(o->gv, 0, n * sizeof *gv);
    double value = f(o->functional->context, o->system, x, o->gq, o->gv);
    for (size_t i = 0; i < n; i++) {
        gq[i] += weight * o->gq[i];
        gv[i] += weight * o->gv[i];
    }
    return value;
}

double olo_objective_value(olo_objective *o, const olo_state *x, bool end, double weight,
                           double *gq, double *gv)
{
    double sum = sum_goals(o, x, end, weight, gq, gv);
    return sum +
           add_function(o, end ? o->functional->end : o->functional->running, x, weight, gq, gv);
}

bool olo_objective_has_integral(const olo_objective *o)
{
    bool runs = o->functional->running != NULL;
    for (int i = 0; i < o->functional->goal_count; i++)
        runs = runs || o->functional->goals[i].running != 0;
    return runs;
}

bool olo_objective_integral_uses_velocities(const olo_objective *o)
{
    bool rates = o->functional->running != NULL;
    for (int i = 0; i < o->functional->goal_count; i++)
        rates = rates || (o->goals[i].given->running != 0 && o->goals[i].measure.uses_v);
    return rates;
}

olo_status olo_objective_explain(olo_objective *o, const olo_state *x, olo_error *error)
{
    for (int i = 0; i < o->functional->goal_count; i++) {
        const olo_goal *given = o->goals[i].given;
        double m = measure(o, &o->goals[i], x, 0.0, NULL, NULL);
        double target = target_of(&o->goals[i], x), running = weight_of(&o->goals[i], x, false);
        if (!isfinite(m) || !isfinite(target) || !isfinite(given->end + running))
            return olo_fail(error, OLO_NOT_FINITE,
                            "the goal '%s' is not finite at t = %.9g: its value is %g, its target "
                            "%g, its weights are %g and %g",
                            given->quantity, x->t, m, target, given->end, running);
    }
    return olo_fail(error, OLO_NOT_FINITE,
                    "the functional is not finite at t = %.9g: one of its functions is not finite, "
                    "or the sum is too large",
                    x->t);
}
