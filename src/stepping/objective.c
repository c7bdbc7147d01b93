/* Objective functionals: the measure m(q, v) of a goal at a state, with dm/dq and dm/dv.
 *
 *     position, velocity   n.x(q), n.x'(v)          an output
 *     coordinate, rate     x(q), grad x(q).v        a joint coordinate
 *     kinetic              1/2 v.M v
 *     potential            V(q), strain included
 *
 * A measure is a constant table; a new one is a line of `measures`. */
#include "stepping/objective.h"
#include "linalg/vec3.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

#include "base/expression.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"

typedef struct resolved_goal resolved_goal;

/* A measure. `name` is that of a measure of the whole system, or the ending after the name of an
 * output or joint coordinate: ".position". */
typedef struct measure {
    const char *name;
    bool whole;
    bool rates; /* it depends on velocities */
    /* The index of the output or joint coordinate with this name, -1 if there is none. */
    int (*find)(const olo_system *system, const char *name);
    /* Returns m; adds `weight` times its derivatives unless they are NULL. */
    double (*value)(olo_objective *objective, const resolved_goal *goal, const olo_state *x,
                    double weight, double *gq, double *gv);
    /* Returns the derivative of m with respect to a coefficient of the system at this state. */
    double (*by)(const olo_objective *objective, const resolved_goal *goal, const olo_state *x,
                 const olo_coefficient *c);
} measure;

/* A goal with its names resolved. */
struct resolved_goal {
    const measure *measure;
    const olo_goal *given;
    int index;
    olo_expression *factor, *target; /* functions of time, or NULL */
};

struct olo_objective {
    const olo_system *system;
    const olo_functional *functional;
    olo_pool pool;
    resolved_goal *goals;
    double *local;   /* workspace: gradient and Hessian of the largest term */
    double *Mv;      /* [n] */
    double *gq, *gv; /* [n] derivatives of the C functions */
};

/* --- measures --- */

static int find_output(const olo_system *s, const char *name)
{
    for (int i = 0; i < s->output_count; i++)
        if (strcmp(s->outputs[i].name, name) == 0)
            return i;
    return -1;
}

/* The position of an output along the direction of the goal, or its velocity if `rate` is set;
 * linear in the coordinates or velocities x. */
static double along_direction(const olo_objective *o, const resolved_goal *goal, const double *x,
                              bool rate, double weight, double *g)
{
    const olo_position *position = &o->system->outputs[goal->index].position;
    const double *n = goal->given->direction;
    double at[3];
    if (rate)
        olo_position_linear(position, x, at);
    else
        olo_position_value(position, x, at);
    for (int k = 0; g && k < position->count; k++)
        for (int i = 0; i < 3; i++)
            g[position->slot[k] + i] += weight * position->weight[k] * n[i];
    return vec3_dot(n, at);
}

static double position(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                       double weight, double *gq, double *gv)
{
    (void)gv;
    return along_direction(o, goal, x->q, false, weight, gq);
}

static double velocity(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                       double weight, double *gq, double *gv)
{
    (void)gq;
    return along_direction(o, goal, x->v, true, weight, gv);
}

static double coordinate(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                         double weight, double *gq, double *gv)
{
    const olo_term *term = o->system->joint_coordinates[goal->index].term;
    (void)gv;
    if (gq) {
        olo_term_gradient(term, x->q, x->angles, o->local);
        for (int i = 0; i < term->size; i++)
            gq[term->index[i]] += weight * o->local[i];
    }
    return olo_term_energy(term, x->q, x->angles);
}

static double rate(olo_objective *o, const resolved_goal *goal, const olo_state *x, double weight,
                   double *gq, double *gv)
{
    const olo_term *term = o->system->joint_coordinates[goal->index].term;
    double *gradient = o->local, *hessian = o->local + term->size, sum = 0;
    olo_term_gradient(term, x->q, x->angles, gradient);
    if (gq)
        olo_term_hessian(term, x->q, x->angles, hessian);
    for (int i = 0; i < term->size; i++) {
        double v = x->v[term->index[i]];
        sum += gradient[i] * v;
        if (gv)
            gv[term->index[i]] += weight * gradient[i];
        for (int j = 0; gq && j < term->size; j++)
            gq[term->index[j]] += weight * v * hessian[i * term->size + j];
    }
    return sum;
}

static double kinetic(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                      double weight, double *gq, double *gv)
{
    double twice = 0;
    (void)goal;
    (void)gq;
    olo_system_mass_times(o->system, x->v, o->Mv);
    for (int i = 0; i < o->system->n; i++) {
        twice += x->v[i] * o->Mv[i];
        if (gv)
            gv[i] += weight * o->Mv[i];
    }
    return 0.5 * twice;
}

static double potential(olo_objective *o, const resolved_goal *goal, const olo_state *x,
                        double weight, double *gq, double *gv)
{
    const olo_system *s = o->system;
    double sum = 0;
    (void)goal;
    (void)gv;
    for (int k = 0; k < s->term_count; k++) {
        const olo_term *term = &s->terms[k];
        if (term->law->dissipative)
            continue;
        sum += olo_term_energy(term, x->q, x->angles);
        if (gq)
            olo_term_gradient(term, x->q, x->angles, o->local);
        for (int i = 0; gq && i < term->size; i++)
            gq[term->index[i]] += weight * o->local[i];
    }
    return sum;
}

static double energy(olo_objective *o, const resolved_goal *goal, const olo_state *x, double weight,
                     double *gq, double *gv)
{
    return kinetic(o, goal, x, weight, gq, gv) + potential(o, goal, x, weight, gq, gv);
}

static bool is_of(const olo_coefficient *c, olo_coefficient_kind kind, const resolved_goal *goal)
{
    return c->kind == kind && c->index == goal->index;
}

/* The coefficients of an output are its origin, then the weights of its position. */
static double position_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                          const olo_coefficient *c)
{
    const double *n = goal->given->direction;
    if (!is_of(c, OLO_COEFFICIENT_OUTPUT, goal))
        return 0;
    return c->p < 3 ? n[c->p]
                    : vec3_dot(n, x->q + o->system->outputs[goal->index].position.slot[c->p - 3]);
}

static double velocity_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                          const olo_coefficient *c)
{
    if (!is_of(c, OLO_COEFFICIENT_OUTPUT, goal) || c->p < 3)
        return 0;
    return vec3_dot(goal->given->direction,
                    x->v + o->system->outputs[goal->index].position.slot[c->p - 3]);
}

static double coordinate_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                            const olo_coefficient *c)
{
    const olo_term *term = o->system->joint_coordinates[goal->index].term;
    return is_of(c, OLO_COEFFICIENT_COORDINATE, goal)
               ? olo_term_energy_by_coefficient(term, x->q, x->angles, c->p)
               : 0.0;
}

static double rate_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                      const olo_coefficient *c)
{
    const olo_term *term = o->system->joint_coordinates[goal->index].term;
    double sum = 0;
    if (!is_of(c, OLO_COEFFICIENT_COORDINATE, goal))
        return 0;
    olo_term_gradient_by_coefficient(term, x->q, x->angles, c->p, o->local);
    for (int i = 0; i < term->size; i++)
        sum += o->local[i] * x->v[term->index[i]];
    return sum;
}

static double kinetic_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                         const olo_coefficient *c)
{
    (void)goal;
    if (c->kind != OLO_COEFFICIENT_MASS)
        return 0;
    const olo_mass_entry *entry = &o->system->mass[c->index];
    return 0.5 * olo_mass_blocks(entry) *
           olo_dense_dot(entry->width, x->v + entry->i, x->v + entry->j);
}

static double potential_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                           const olo_coefficient *c)
{
    (void)goal;
    if (c->kind != OLO_COEFFICIENT_TERM || o->system->terms[c->index].law->dissipative)
        return 0;
    return olo_term_energy_by_coefficient(&o->system->terms[c->index], x->q, x->angles, c->p);
}

static double energy_by(const olo_objective *o, const resolved_goal *goal, const olo_state *x,
                        const olo_coefficient *c)
{
    return kinetic_by(o, goal, x, c) + potential_by(o, goal, x, c);
}

static const measure measures[] = {
    {".position", false, false, find_output, position, position_by},
    {".velocity", false, true, find_output, velocity, velocity_by},
    {".rate", false, true, olo_system_find_joint_coordinate, rate, rate_by},
    {"kinetic", true, true, NULL, kinetic, kinetic_by},
    {"potential", true, false, NULL, potential, potential_by},
    {"energy", true, true, NULL, energy, energy_by},
    /* any other name: a joint coordinate */
    {"", false, false, olo_system_find_joint_coordinate, coordinate, coordinate_by},
};

/* --- names --- */

/* Whether a name belongs to the measure; if so, fills the goal. */
static bool matches(const olo_system *s, const measure *m, const char *name, resolved_goal *goal)
{
    char owner[256];
    size_t length = strlen(name), ending = strlen(m->name);
    goal->measure = m;
    if (m->whole)
        return strcmp(name, m->name) == 0;
    if (length <= ending || length - ending >= sizeof owner ||
        strcmp(name + length - ending, m->name) != 0)
        return false;
    memcpy(owner, name, length - ending);
    owner[length - ending] = '\0';
    goal->index = m->find(s, owner);
    return goal->index >= 0;
}

static olo_status resolve(const olo_system *s, const olo_goal *given, resolved_goal *goal,
                          olo_error *error)
{
    goal->given = given;
    if (olo_check_initialised(given->initialised, OLO_INITIALISED_GOAL, error) != OLO_OK)
        return OLO_BAD_INPUT;
    for (size_t i = 0; given->quantity && i < sizeof measures / sizeof *measures; i++)
        if (matches(s, &measures[i], given->quantity, goal))
            return OLO_OK;
    return olo_fail(
        error, OLO_NOT_FOUND,
        "there is no quantity '%s': a goal is <output>.position, <output>.velocity, a "
        "joint coordinate such as <joint>.angle, its .rate, kinetic, potential or energy",
        given->quantity ? given->quantity : "");
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

/* Fails if a goal needs a direction and has none. */
static olo_status check(const resolved_goal *goal, olo_error *error)
{
    const double *n = goal->given->direction;
    bool needs_direction = goal->measure->find == find_output;
    if (!needs_direction || vec3_dot(n, n) > 0)
        return OLO_OK;
    return olo_fail(error, OLO_BAD_INPUT, "the goal '%s' needs a direction", goal->given->quantity);
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
    size_t largest = 1, n = (size_t)s->n;
    if (!o)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a functional");
    o->system = s;
    o->functional = functional;
    for (int i = 0; i < s->term_count; i++)
        if ((size_t)s->terms[i].size > largest)
            largest = (size_t)s->terms[i].size;
    for (int i = 0; i < s->joint_coordinate_count; i++)
        if ((size_t)s->joint_coordinates[i].term->size > largest)
            largest = (size_t)s->joint_coordinates[i].term->size;
    const olo_array arrays[] = {
        {&o->local, largest * (largest + 1)}, {&o->Mv, n}, {&o->gq, n}, {&o->gv, n}};
    o->goals = olo_pool_alloc(&o->pool, (size_t)functional->goal_count, sizeof *o->goals);
    if (!o->goals || !olo_pool_arrays(&o->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a functional");
    for (int i = 0; status == OLO_OK && i < functional->goal_count; i++) {
        status = resolve(s, &functional->goals[i], &o->goals[i], error);
        if (status == OLO_OK)
            status = check(&o->goals[i], error);
        const olo_goal *given = o->goals[i].given;
        if (status == OLO_OK)
            status = compile(given, given->factor_over_time, &o->goals[i].factor, error);
        if (status == OLO_OK)
            status = compile(given, given->target_over_time, &o->goals[i].target, error);
    }
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
        double part = weight_of(goal, x, end), derivative = 1;
        if (part == 0)
            continue;
        double m = goal->measure->value(o, goal, x, 0.0, NULL, NULL);
        double distance = m - target_of(goal, x);
        if (goal->given->squared)
            derivative = distance;
        if (gq)
            goal->measure->value(o, goal, x, weight * part * derivative, gq, gv);
        sum += part * (goal->given->squared ? 0.5 * distance * distance : m);
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
    return part * (goal->measure->value(o, goal, x, 0.0, NULL, NULL) - target_of(goal, x));
}

double olo_objective_by_coefficient(olo_objective *o, const olo_state *x, bool end,
                                    const olo_coefficient *c)
{
    double sum = 0;
    for (int i = 0; i < o->functional->goal_count; i++) {
        const resolved_goal *goal = &o->goals[i];
        double by = goal->measure->by(o, goal, x, c);
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

double olo_objective_end(olo_objective *o, const olo_state *x, double weight, double *gq,
                         double *gv)
{
    double sum = sum_goals(o, x, true, weight, gq, gv);
    return sum + add_function(o, o->functional->end, x, weight, gq, gv);
}

double olo_objective_running(olo_objective *o, const olo_state *x, double weight, double *gq,
                             double *gv)
{
    double sum = sum_goals(o, x, false, weight, gq, gv);
    return sum + add_function(o, o->functional->running, x, weight, gq, gv);
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
        rates = rates || (o->goals[i].given->running != 0 && o->goals[i].measure->rates);
    return rates;
}

olo_status olo_objective_explain(olo_objective *o, const olo_state *x, olo_error *error)
{
    for (int i = 0; i < o->functional->goal_count; i++) {
        const olo_goal *given = o->goals[i].given;
        double m = o->goals[i].measure->value(o, &o->goals[i], x, 0.0, NULL, NULL);
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
