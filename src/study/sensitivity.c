/* Sensitivity of an optimum. With the Lagrangian L(x, y, p) = f + y.(c - b) of the programme, b the
 * values at which active rows are held, and variables that are at a bound following it, the
 * derivatives by a parameter p satisfy (Fiacco 1983)
 *
 *     [ H  A^T ] [ dx ]     [ d(grad_x L)/dp ]
 *     [ A   0  ] [ dy ] = - [ d(c - b)/dp    ],     dJ/dp = dL/dp,
 *
 * where d/dp is at constant x and y. It is evaluated from the programme at four other values of the
 * parameter, p + j delta, j = -2, -1, 1, 2:
 *
 *     df/dp = (8 (f_1 - f_-1) - (f_2 - f_-2))/(12 delta) + O(delta^4).
 *
 * The charts of the reduced transcription are centred at configurations that depend on p, too; that
 * of the motion is part of the same difference. */
#include "oloid/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/optimality.h"
#include "control/optimum.h"
#include "model/model.h"

enum { POINTS = 4, NUMBER = 40 };
static const int offset[POINTS] = {-2, -1, 1, 2};
static const double weight[POINTS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
/* delta relative to the parameter: its fourth power and the rounding errors over it are small */
static const double WIDTH = 1e-3;

struct olo_sensitivity {
    olo_pool pool;
    int inputs, intervals, n;
    double cost, duration;
    double *input; /* [intervals x inputs] */
    double *q;     /* [nodes x n] */
};

/* The programme at a value of the parameter, at the optimum. */
typedef struct branch {
    olo_model *model;
    olo_system *system;
    olo_optimum *optimum;
} branch;

typedef struct study {
    const olo_optimum *optimum;
    const olo_model *model;
    const olo_problem *problem;
    const char *parameter;
    olo_sensitivity *result;
    olo_pool pool;
    double delta;
    branch at, around[POINTS];
    olo_optimality conditions;
    double *G, *c, *g, *A; /* derivatives of grad L and of c - b; gradient and Jacobian */
    double *side;          /* of the system of equations */
} study;

// -- programmes -----------------------------------------------------------------------------------

/* The model with all parameters as numbers: those that depend on the changed one follow it. */
static olo_status read_model(const study *x, double value, olo_model **model, olo_error *error)
{
    const olo_parameters *of = x->model->parameters;
    const size_t count = olo_parameters_count(of);
    olo_setting *settings = olo_alloc(count, sizeof *settings);
    char *texts = olo_alloc(count * NUMBER, 1);
    olo_status status = OLO_OK;
    if (!settings || !texts)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a sensitivity");
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        const char *name = olo_parameters_names(of)[i];
        char *text = texts + i * NUMBER;
        (void)snprintf(text, NUMBER, "%.17g",
                       olo_model_parameter_with(x->model, 1, &x->parameter, &value, name));
        settings[i] = (olo_setting){name, text};
    }
    if (status == OLO_OK)
        status = olo_model_read_text(x->model->text, strlen(x->model->text),
                                     x->model->file ? x->model->file : "the model", settings,
                                     (int)count, model, error);
    olo_free(settings);
    olo_free(texts);
    return status;
}

static olo_status open_branch(const study *x, double value, branch *to, olo_error *error)
{
    olo_status status = read_model(x, value, &to->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(to->model, &to->system, error);
    const olo_problem *given = x->problem         ? x->problem
                               : status == OLO_OK ? olo_model_problem(to->model)
                                                  : NULL;
    if (status == OLO_OK && !given)
        status = olo_fail(error, OLO_BAD_INPUT, "sensitivity: the model has no problem");
    if (status != OLO_OK)
        return status;
    olo_problem problem = *given;
    problem.intervals = olo_optimum_intervals(x->optimum);
    problem.grid = x->optimum->problem->part;
    problem.grid_count = problem.intervals;
    problem.grading = 1;
    problem.transcription = x->optimum->reduced ? "reduced" : "redundant";
    problem.scheme = olo_optimum_scheme(x->optimum);
    problem.start = x->optimum;
    problem.warm = true;
    problem.shift = 0;
    problem.guess_file = NULL;
    status = olo_optimum_prepare(to->system, &problem, &to->optimum, error);
    if (status != OLO_OK)
        return status;
    const olo_nlp *nlp = olo_presolve_nlp(to->optimum->presolve),
                  *own = olo_presolve_nlp(x->optimum->presolve);
    return to->optimum->warm && nlp->variables == own->variables && nlp->rows == own->rows &&
                   nlp->jacobian.count == own->jacobian.count
               ? OLO_OK
               : olo_fail(error, OLO_UNSUPPORTED,
                          "sensitivity: the structure of the problem depends on '%s', or it is not "
                          "the problem of the optimum",
                          x->parameter);
}

static void close_branch(branch *x)
{
    olo_optimum_free(x->optimum);
    olo_system_free(x->system);
    olo_model_free(x->model);
}

static olo_status open_branches(study *x, olo_error *error)
{
    const double value = olo_model_parameter(x->model, x->parameter);
    if (isnan(value))
        return olo_fail(error, OLO_NOT_FOUND, "there is no parameter '%s'", x->parameter);
    if (!x->model->text || x->model->text[0] == '\0')
        return olo_fail(error, OLO_UNSUPPORTED,
                        "sensitivity: the model was not read from a file or text");
    x->delta = WIDTH * (value != 0 ? fabs(value) : 1);
    if (x->optimum->design)
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "sensitivity: not available for a problem with parameters as variables: fix "
            "them at their optimum with --set and solve again");
    olo_status status = open_branch(x, value, &x->at, error);
    for (int j = 0; status == OLO_OK && j < POINTS; j++)
        status = open_branch(x, value + offset[j] * x->delta, &x->around[j], error);
    return status;
}

// -- derivatives ----------------------------------------------------------------------------------

/* Variables that are held at a bound follow it. */
static void hold(const study *x, olo_optimum *o)
{
    const olo_nlp *nlp = olo_presolve_nlp(o->presolve);
    for (int i = 0; i < nlp->variables; i++)
        if (x->conditions.variable[i] < 0)
            o->point.x[i] =
                o->point.z_lower[i] > o->point.z_upper[i] ? nlp->lower[i] : nlp->upper[i];
}

/* Adds what one value of the parameter contributes to the differences. */
static void add_branch(study *x, olo_optimum *o, double factor)
{
    const olo_nlp *nlp = olo_presolve_nlp(o->presolve);
    const double *at = o->point.x, *y = x->at.optimum->point.y;
    hold(x, o);
    double L = nlp->objective(nlp->context, at);
    nlp->gradient(nlp->context, at, x->g);
    nlp->evaluate_jacobian(nlp->context, at, x->A);
    for (int i = 0; i < nlp->jacobian.count; i++)
        x->g[nlp->jacobian.column[i]] += x->A[i] * y[nlp->jacobian.row[i]];
    for (int i = 0; i < nlp->variables; i++)
        x->G[i] += factor * x->g[i];
    nlp->evaluate(nlp->context, at, x->g);
    for (int i = 0; i < nlp->rows; i++)
        if (x->conditions.row[i] >= 0) {
            const double held = y[i] > 0 ? nlp->row_upper[i] : nlp->row_lower[i];
            x->c[i] += factor * (x->g[i] - held);
            L += y[i] * (x->g[i] - held);
        }
    x->result->cost += factor * L;
}

static olo_status solve(study *x, olo_error *error)
{
    olo_optimality *m = &x->conditions;
    const olo_nlp *nlp = m->nlp;
    int below, dependent;
    olo_status status = olo_optimality_factor(m, 0, &below, &dependent, error);
    if (status == OLO_OK && dependent > 0)
        status = olo_fail(error, OLO_SINGULAR,
                          "the optimum is not isolated: %d direction%s of the problem change "
                          "nothing to second order",
                          dependent, dependent == 1 ? "" : "s");
    for (int i = 0; i < nlp->variables; i++)
        if (m->variable[i] >= 0)
            x->side[m->variable[i]] = -x->G[i];
    for (int i = 0; i < nlp->rows; i++)
        if (m->row[i] >= 0)
            x->side[m->variables + m->row[i]] = -x->c[i];
    return status == OLO_OK && m->variables + m->rows > 0
               ? olo_symmetric_solve(m->matrix, x->side, error)
               : status;
}

/* The motion and controls at one value of the parameter, to first order. */
static void follow(study *x, int j, branch *to)
{
    olo_optimum *o = to->optimum;
    const olo_nlp *nlp = olo_presolve_nlp(o->presolve);
    for (int i = 0; i < nlp->variables; i++)
        if (x->conditions.variable[i] >= 0)
            o->point.x[i] += offset[j] * x->delta * x->side[x->conditions.variable[i]];
    olo_presolve_expand(o->presolve, o->point.x, olo_optimum_solved(o));
    if (o->reduced)
        olo_reduced_expand(o->reduced, o->solved, o->x);
}

static void gather(study *x)
{
    olo_sensitivity *r = x->result;
    for (int j = 0; j < POINTS; j++) {
        olo_optimum *o = x->around[j].optimum;
        const double factor = weight[j] / x->delta;
        follow(x, j, &x->around[j]);
        r->duration += factor * olo_optimum_duration(o);
        for (int k = 0; k < r->intervals; k++)
            for (int i = 0; i < r->inputs; i++)
                r->input[k * r->inputs + i] += factor * olo_optimum_input(o, i, k);
        for (int k = 0; k <= r->intervals; k++)
            for (int i = 0; i < r->n; i++)
                r->q[k * r->n + i] += factor * olo_optimum_configuration(o, k)[i];
    }
}

static olo_status allocate(study *x, olo_error *error)
{
    const olo_optimum *o = x->optimum;
    const olo_nlp *nlp = olo_presolve_nlp(o->presolve);
    olo_sensitivity *r = x->result = olo_alloc(1, sizeof *r);
    const size_t variables = (size_t)nlp->variables, rows = (size_t)nlp->rows;
    if (!r)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a sensitivity");
    r->inputs = olo_optimum_input_count(o);
    r->intervals = olo_optimum_intervals(o);
    r->n = o->problem->system->n;
    const size_t N = (size_t)r->intervals;
    const olo_array own[] = {{&r->input, N * (size_t)r->inputs}, {&r->q, (N + 1) * (size_t)r->n}};
    const olo_array arrays[] = {{&x->G, variables},
                                {&x->c, rows},
                                {&x->g, variables > rows ? variables : rows},
                                {&x->A, (size_t)nlp->jacobian.count},
                                {&x->side, variables + rows}};
    return olo_pool_arrays(&r->pool, own, 2) && olo_pool_arrays(&x->pool, arrays, 5)
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for a sensitivity");
}

static olo_status differentiate(study *x, olo_error *error)
{
    olo_optimum *o = x->at.optimum;
    olo_status status =
        olo_optimality_open(&x->conditions, olo_presolve_nlp(o->presolve), &o->point, error);
    if (status == OLO_OK)
        status = olo_optimality_make_matrix(&x->conditions, error);
    for (int j = 0; status == OLO_OK && j < POINTS; j++)
        add_branch(x, x->around[j].optimum, weight[j] / x->delta);
    if (status == OLO_OK)
        status = solve(x, error);
    if (status == OLO_OK)
        gather(x);
    olo_optimality_close(&x->conditions);
    return status;
}

olo_status olo_sensitivity_create(const olo_optimum *optimum, const olo_model *model,
                                  const olo_problem *problem, const char *parameter,
                                  olo_sensitivity **sensitivity, olo_error *error)
{
    study x = {.optimum = optimum, .model = model, .problem = problem, .parameter = parameter};
    *sensitivity = NULL;
    olo_status status = allocate(&x, error);
    if (status == OLO_OK)
        status = open_branches(&x, error);
    if (status == OLO_OK)
        status = differentiate(&x, error);
    close_branch(&x.at);
    for (int j = 0; j < POINTS; j++)
        close_branch(&x.around[j]);
    olo_pool_free(&x.pool);
    if (status != OLO_OK)
        olo_sensitivity_free(x.result);
    else
        *sensitivity = x.result;
    return status;
}

void olo_sensitivity_free(olo_sensitivity *x)
{
    if (x)
        olo_pool_free(&x->pool);
    olo_free(x);
}

double olo_sensitivity_cost(const olo_sensitivity *x)
{
    return x->cost;
}

double olo_sensitivity_duration(const olo_sensitivity *x)
{
    return x->duration;
}

double olo_sensitivity_input(const olo_sensitivity *x, int input, int interval)
{
    return x->input[interval * x->inputs + input];
}

const double *olo_sensitivity_configuration(const olo_sensitivity *x, int node)
{
    return x->q + (size_t)node * (size_t)x->n;
}
