/* Controls with a constant reduced force; see the header. */
#include "control/constant_inputs.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "kinematics/chart.h"
#include "kinematics/null_space_form.h"
#include "system/interval.h"

/* Relative to the sum of the magnitudes of all products in P^T p. */
static const double TOLERANCE = 1e-12;

enum { SAMPLES = 3, SIZE = OLO_FORM_SIZE_MAX };

typedef struct finder {
    const olo_control_problem *problem;
    const olo_system *system;
    olo_pool pool;
    olo_chart *chart;
    olo_null_form *form;
    double *u;         /* [unknowns] of a configuration */
    double *q;         /* [n] */
    double *angles;    /* [joint coordinates] */
    double *inputs;    /* [actions] */
    double *p;         /* [n] force of a unit of the control */
    double *reduced;   /* [unknowns] P^T p ... */
    double *first;     /* [unknowns x actions] ... at the first configuration */
    double *magnitude; /* [unknowns] sum of the magnitudes of its products, of one column of P */
    double *column;    /* [n] */
} finder;

static bool allocate(finder *x)
{
    const olo_system *s = x->system;
    const size_t n = (size_t)s->n, unknowns = (size_t)s->topology->unknowns,
                 actions = (size_t)s->action_count;
    const olo_array arrays[] = {{&x->u, unknowns},
                                {&x->q, n},
                                {&x->angles, (size_t)s->joint_coordinate_count},
                                {&x->inputs, actions},
                                {&x->p, n},
                                {&x->reduced, unknowns},
                                {&x->first, unknowns * actions},
                                {&x->magnitude, unknowns},
                                {&x->column, n}};
    return olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

/* The force of an action with an input, at the present configuration; returns its size. */
static int force(const finder *x, int action, double input, double *f)
{
    const olo_evaluation how = {.midpoint = true, .at_start = true, .at_nodes = true};
    for (int i = 0; i < x->system->action_count; i++)
        x->inputs[i] = NAN;
    x->inputs[action] = input;
    const olo_interval here = {.q0 = x->q,
                               .q1 = x->q,
                               .qm = x->q,
                               .dq = x->column, /* zero */
                               .h = 1.0,
                               .angles = x->angles,
                               .inputs = x->inputs,
                               .acting = OLO_ACT_AT_START};
    memset(x->column, 0, (size_t)x->system->n * sizeof *x->column);
    olo_piece_value(x->system, &how, olo_piece_of_action(x->system, action), &here, f);
    return x->system->actions[action].size;
}

/* Whether the force is proportional to the input. */
static bool is_proportional(const finder *x, int action)
{
    double none[SIZE], one[SIZE], two[SIZE];
    const int size = force(x, action, 0.0, none);
    (void)force(x, action, 1.0, one);
    (void)force(x, action, 2.0, two);
    for (int i = 0; i < size; i++)
        if (none[i] != 0 || two[i] != 2 * one[i])
            return false;
    return true;
}

/* P^T p of an action with the magnitudes of its products. */
static void reduce(finder *x, int action)
{
    const olo_action *a = &x->system->actions[action];
    const int unknowns = x->system->topology->unknowns;
    const olo_null_derivatives none = {0};
    double f[SIZE];
    (void)force(x, action, x->problem->factor_of[action], f);
    memset(x->p, 0, (size_t)x->system->n * sizeof *x->p);
    for (int i = 0; i < a->size; i++)
        x->p[a->index[i]] += f[i];
    memset(x->u, 0, (size_t)unknowns * sizeof *x->u);
    for (int j = 0; j < unknowns; j++) {
        const olo_null_point point = {.q = x->q, .nu = x->u};
        const olo_null_derivatives first = {.by_y = x->column};
        x->u[j] = 1;
        olo_null_form_at(x->form, &point, &first, &none);
        x->u[j] = 0;
        x->reduced[j] = x->magnitude[j] = 0;
        for (int i = 0; i < x->system->n; i++) {
            x->reduced[j] += x->column[i] * x->p[i];
            x->magnitude[j] += fabs(x->column[i] * x->p[i]);
        }
    }
}

/* Compares with the first configuration. */
static bool is_same(const finder *x, int action)
{
    const int unknowns = x->system->topology->unknowns;
    double size = 0;
    for (int j = 0; j < unknowns; j++)
        size = fmax(size, x->magnitude[j]);
    for (int j = 0; j < unknowns; j++)
        if (!(fabs(x->reduced[j] - x->first[action * unknowns + j]) <= TOLERANCE * size))
            return false;
    return true;
}

/* A configuration in all generality near the reference; sample 0 is the reference. */
static void move(finder *x, int sample, unsigned *seed)
{
    for (int j = 0; j < x->system->topology->unknowns; j++) {
        *seed = *seed * 1664525u + 1013904223u;
        x->u[j] = sample == 0 ? 0 : (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
    }
    memcpy(x->q, olo_chart_at(x->chart, x->u), (size_t)x->system->n * sizeof *x->q);
}

static void find(finder *x, bool *constant)
{
    const olo_system *s = x->system;
    const int unknowns = s->topology->unknowns;
    unsigned seed = 7;
    for (int i = 0; i < s->action_count; i++)
        constant[i] = x->problem->control_of[i] >= 0 && !s->actions[i].type->rates;
    for (int k = 0; k <= SAMPLES; k++) {
        move(x, k, &seed);
        for (int i = 0; i < s->action_count; i++) {
            if (!constant[i])
                continue;
            reduce(x, i);
            if (k == 0)
                memcpy(x->first + i * unknowns, x->reduced, (size_t)unknowns * sizeof *x->first);
            constant[i] = is_proportional(x, i) && is_same(x, i);
        }
    }
}

olo_status olo_constant_inputs_find(const olo_control_problem *problem, const double *q,
                                    bool *constant, double *matrix, olo_error *error)
{
    finder x = {.problem = problem, .system = problem->system};
    const olo_topology *topology = problem->system->topology;
    olo_status status =
        allocate(&x) ? olo_chart_create(topology, q, &x.chart, error)
                     : olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK)
        status = olo_null_form_create(topology, q, &x.form, error);
    if (status == OLO_OK)
        find(&x, constant);
    for (int i = 0; status == OLO_OK && i < problem->system->action_count; i++)
        for (int j = 0; constant[i] && j < topology->unknowns; j++)
            matrix[j * problem->controls + problem->control_of[i]] +=
                x.first[i * topology->unknowns + j];
    olo_chart_free(x.chart);
    olo_null_form_free(x.form);
    olo_pool_free(&x.pool);
    return status;
}
