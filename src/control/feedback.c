/* Feedback gains along an optimum: the discrete linear quadratic regulator of its linearised steps
 * (Bryson and Ho 1975, 5.2, in discrete time). In coordinates of the tangent spaces at the nodes
 * (tangent_basis.h), x_k+1 = A_k x_k + B_k du_k; with P_N = S, backward from the end,
 *
 *     K_k = (h R + B^T P B)^-1 B^T P A,     P_k = h Q + A^T P (A - B K),
 *
 * and du = -K x. With x = (b.M dq, b.M dv) the gains of the coordinates are K_q = K_x (M b)^T. */
#include "control/feedback.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "base/text_file.h"
#include "control/optimum.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "stepping/step.h"
#include "stepping/tangent_basis.h"
#include "system/system.h"

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for feedback gains");
}

olo_status olo_feedback_allocate(int n, int intervals, int inputs, olo_feedback **feedback,
                                 olo_error *error)
{
    olo_feedback *x = *feedback = olo_alloc(1, sizeof *x);
    if (!x)
        return no_memory(error);
    x->n = n;
    x->intervals = intervals;
    x->inputs = inputs;
    const size_t N = (size_t)intervals, r = (size_t)inputs, width = 2 * (size_t)n;
    const olo_array arrays[] = {{&x->bounds, 2 * r},
                                {&x->states, (N + 1) * (width + 1)},
                                {&x->values, N * r},
                                {&x->gains, N * r * width}};
    x->names = olo_pool_alloc(&x->pool, r, sizeof *x->names);
    return x->names && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays)
               ? OLO_OK
               : no_memory(error);
}

void olo_feedback_free(olo_feedback *x)
{
    if (x)
        olo_pool_free(&x->pool);
    olo_free(x);
}

// -- the recursion --------------------------------------------------------------------------------

/* The linearised steps, and memory of the recursion; size = 2 dofs. */
typedef struct regulator {
    const olo_optimum *optimum;
    olo_problem_feedback weights;
    olo_feedback *feedback;
    olo_pool pool;
    olo_derivatives *derivatives;
    olo_state *moving;
    olo_tangent_basis start, end;
    int f, size, r;
    double *A, *B;           /* [intervals x size x size], [intervals x size x r] */
    double *Mb;              /* [intervals x f x n] at the starts of intervals */
    double *P, *PA, *PB;     /* [size x size], [size x size], [size x r] */
    double *G, *K;           /* [r x r], [r x size] */
    double *inputs, *change; /* [actions] */
    double *dq, *dv;         /* [dofs x n] */
    int *pivot;              /* [r] */
} regulator;

static double step_of(const regulator *x, int k)
{
    return olo_feedback_state(x->feedback, k + 1)[0] - olo_feedback_state(x->feedback, k)[0];
}

/* The coordinates of `count` variations at the end are columns of a matrix of this width. */
static void store_columns(const regulator *x, int count, int width, double *to)
{
    const int n = x->feedback->n;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < x->f; i++) {
            const double *Mb = olo_tangent_row(&x->end, x->end.Mb, i);
            to[i * width + j] = olo_dense_dot(n, Mb, x->dq + (size_t)j * (size_t)n);
            to[(x->f + i) * width + j] = olo_dense_dot(n, Mb, x->dv + (size_t)j * (size_t)n);
        }
}

/* A_k and B_k, the bases at both nodes being known. */
static olo_status linearise(regulator *x, int k, olo_error *error)
{
    const olo_control_problem *p = x->optimum->problem;
    const size_t n = (size_t)p->system->n, basis = (size_t)x->f * n, size = (size_t)x->size;
    double *A = x->A + (size_t)k * size * size, *B = x->B + (size_t)k * size * (size_t)x->r;
    /* columns of (b, f), then of (0, b) */
    memcpy(x->dq, x->start.b, basis * sizeof *x->dq);
    memcpy(x->dv, x->start.f, basis * sizeof *x->dv);
    olo_status status = olo_derivatives_step_forward_all(x->derivatives, x->f, x->dq, x->dv, error);
    store_columns(x, x->f, x->size, A);
    memset(x->dq, 0, basis * sizeof *x->dq);
    memcpy(x->dv, x->start.b, basis * sizeof *x->dv);
    if (status == OLO_OK)
        status = olo_derivatives_step_forward_all(x->derivatives, x->f, x->dq, x->dv, error);
    store_columns(x, x->f, x->size, A + x->f);
    /* columns of controls */
    for (int c = 0; status == OLO_OK && c < x->r; c++) {
        for (int i = 0; i < p->system->action_count; i++)
            x->change[i] = p->control_of[i] == c ? p->factor_of[i] : 0;
        status = olo_derivatives_step_by_inputs(x->derivatives, x->change, x->dq, x->dv, error);
        store_columns(x, 1, x->r, B + c);
    }
    return status;
}

/* Linearises the interval that ends at a node, and builds the basis there. */
static olo_status visit(void *context, int node, const olo_state *state, olo_error *error)
{
    regulator *x = context;
    const olo_control_problem *p = x->optimum->problem;
    const size_t n = (size_t)p->system->n, basis = (size_t)x->f * n * sizeof(double);
    double *to = olo_feedback_state(x->feedback, node);
    olo_status status = OLO_OK;
    to[0] = state->t;
    memcpy(to + 1, state->q, n * sizeof *to);
    memcpy(to + 1 + n, state->v, n * sizeof *to);
    if (node > 0) {
        const double *u = olo_optimum_controls(x->optimum, node - 1);
        for (int i = 0; i < p->system->action_count; i++)
            x->inputs[i] = p->control_of[i] >= 0 ? u[p->control_of[i]] * p->factor_of[i] : NAN;
        status = olo_derivatives_step_with_inputs(x->derivatives, x->moving, step_of(x, node - 1),
                                                  x->inputs, error);
    }
    if (status == OLO_OK)
        status = olo_tangent_basis_build(&x->end, state, error);
    if (status == OLO_OK && node > 0)
        status = linearise(x, node - 1, error);
    if (status != OLO_OK || node == p->intervals)
        return status;
    /* the start of the next interval */
    memcpy(x->start.b, x->end.b, basis);
    memcpy(x->start.f, x->end.f, basis);
    memcpy(x->Mb + (size_t)node * (size_t)x->f * n, x->end.Mb, basis);
    olo_state_copy(state, x->moving);
    return OLO_OK;
}

/* C = A^T B with A[k x m], B[k x n]; or A B with A[m x k]. */
static void multiply(bool transposed, int m, int k, int n, const double *A, const double *B,
                     double *C)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (transposed ? A[l * m + i] : A[i * k + l]) * B[l * n + j];
            C[i * n + j] = sum;
        }
}

/* K = (h R + B^T P B)^-1 B^T P A */
static olo_status solve_gains(regulator *x, int k, const double *A, const double *B,
                              olo_error *error)
{
    const int s = x->size, r = x->r;
    multiply(false, s, s, s, x->P, A, x->PA);
    multiply(false, s, s, r, x->P, B, x->PB);
    multiply(true, r, s, r, B, x->PB, x->G);
    multiply(true, r, s, s, B, x->PA, x->K);
    for (int c = 0; c < r; c++)
        x->G[c * r + c] += step_of(x, k) * x->weights.control;
    if (!olo_lu_factor(r, x->G, x->pivot))
        return olo_fail(error, OLO_SINGULAR, "feedback: interval %d has no gains", k);
    for (int j = 0; j < s; j++) { /* columns */
        for (int c = 0; c < r; c++)
            x->PB[c] = x->K[c * s + j];
        olo_lu_solve(r, x->G, x->pivot, false, 1, x->PB);
        for (int c = 0; c < r; c++)
            x->K[c * s + j] = x->PB[c];
    }
    return OLO_OK;
}

/* P = h Q + A^T P (A - B K), symmetric; PA is that of the end, PB is overwritten. */
static void recur(regulator *x, int k, const double *A, const double *B)
{
    const int s = x->size, r = x->r;
    const double h = step_of(x, k);
    multiply(false, s, s, r, x->P, B, x->PB);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            for (int c = 0; c < r; c++)
                x->PA[i * s + j] -= x->PB[i * r + c] * x->K[c * s + j];
    multiply(true, s, s, s, A, x->PA, x->P);
    for (int i = 0; i < s; i++) {
        x->P[i * s + i] += h * (i < x->f ? x->weights.position : x->weights.velocity);
        for (int j = 0; j < i; j++)
            x->P[i * s + j] = x->P[j * s + i] = 0.5 * (x->P[i * s + j] + x->P[j * s + i]);
    }
}

/* The gains of all inputs over coordinates and velocities. */
static void store_gains(const regulator *x, int k)
{
    const olo_control_problem *p = x->optimum->problem;
    const int n = x->feedback->n;
    for (int i = 0; i < x->feedback->inputs; i++) {
        double *to = x->feedback->gains +
                     ((size_t)k * (size_t)x->feedback->inputs + (size_t)i) * 2 * (size_t)n;
        const double *K = x->K + p->input_control[i] * x->size;
        for (int d = 0; d < x->f; d++) {
            const double *Mb = x->Mb + ((size_t)k * (size_t)x->f + (size_t)d) * (size_t)n;
            olo_dense_add(n, p->input_factor[i] * K[d], Mb, to);
            olo_dense_add(n, p->input_factor[i] * K[x->f + d], Mb, to + n);
        }
    }
}

static olo_status regulate(regulator *x, olo_error *error)
{
    olo_status status = OLO_OK;
    for (int i = 0; i < x->size; i++)
        x->P[i * x->size + i] = i < x->f ? x->weights.end_position : x->weights.end_velocity;
    for (int k = x->optimum->problem->intervals - 1; status == OLO_OK && k >= 0; k--) {
        const double *A = x->A + (size_t)k * (size_t)x->size * (size_t)x->size,
                     *B = x->B + (size_t)k * (size_t)x->size * (size_t)x->r;
        status = solve_gains(x, k, A, B, error);
        if (status == OLO_OK) {
            store_gains(x, k);
            recur(x, k, A, B);
        }
    }
    return status;
}

// -- creation -------------------------------------------------------------------------------------

olo_status olo_feedback_check(const olo_problem_feedback *w, olo_error *error)
{
    const olo_status status =
        olo_check_initialised(w->initialised, OLO_INITIALISED_PROBLEM_FEEDBACK, error);
    if (status == OLO_OK && !(w->position >= 0 && w->velocity >= 0 && w->end_position >= 0 &&
                              w->end_velocity >= 0 && w->control > 0))
        return olo_fail(error, OLO_BAD_INPUT,
                        "feedback: weights of states must not be negative, that of controls must "
                        "be positive");
    return status;
}

static olo_status refuse_rolling(const olo_system *s, olo_error *error)
{
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first; c < s->groups[i].first + s->groups[i].count; c++)
            if (s->constraints[c].type->velocity)
                return olo_fail(error, OLO_UNSUPPORTED,
                                "%s: '%s' rolls: there are no feedback gains with rolling joints",
                                s->groups[i].where, s->groups[i].name);
    return OLO_OK;
}

static bool allocate(regulator *x)
{
    const olo_control_problem *p = x->optimum->problem;
    const size_t N = (size_t)p->intervals, n = (size_t)p->system->n, f = (size_t)x->f,
                 s = (size_t)x->size, r = (size_t)x->r, actions = (size_t)p->system->action_count;
    const olo_array arrays[] = {
        {&x->A, N * s * s},    {&x->B, N * s * r},    {&x->Mb, N * f * n},   {&x->P, s * s},
        {&x->PA, s * s},       {&x->PB, s * r},       {&x->G, r * r},        {&x->K, r * s},
        {&x->inputs, actions}, {&x->change, actions}, {&x->dq, (f + 1) * n}, {&x->dv, (f + 1) * n}};
    x->pivot = olo_pool_alloc(&x->pool, r, sizeof *x->pivot);
    return x->pivot && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
           olo_tangent_basis_allocate(&x->pool, &x->start) &&
           olo_tangent_basis_allocate(&x->pool, &x->end);
}

static olo_status open_regulator(regulator *x, olo_error *error)
{
    const olo_optimum *o = x->optimum;
    const olo_system *s = o->problem->system;
    olo_counts counts;
    olo_run run = olo_run_default();
    run.scheme = o->problem->scheme;
    olo_status status = olo_system_counts(s, &counts, error);
    if (status == OLO_OK)
        status = olo_derivatives_create(s, &run, &x->derivatives, error);
    if (status == OLO_OK)
        status = olo_state_clone(o->state, &x->moving, error);
    if (status != OLO_OK)
        return status;
    x->f = counts.degrees_of_freedom;
    x->size = 2 * x->f;
    x->r = o->problem->controls;
    x->start = x->end = (olo_tangent_basis){
        .system = s, .derivatives = x->derivatives, .dofs = counts.degrees_of_freedom};
    return allocate(x) ? OLO_OK : no_memory(error);
}

static olo_status copy_inputs(const olo_optimum *o, olo_feedback *x, olo_error *error)
{
    for (int i = 0; i < x->inputs; i++) {
        const char *name = olo_optimum_input_name(o, i);
        x->names[i] = olo_pool_text(&x->pool, name, strlen(name));
        if (!x->names[i])
            return no_memory(error);
        olo_optimum_input_bounds(o, i, &x->bounds[i], &x->bounds[x->inputs + i]);
        for (int k = 0; k < x->intervals; k++)
            x->values[k * x->inputs + i] = olo_optimum_input(o, i, k);
    }
    return OLO_OK;
}

olo_status olo_feedback_create(const olo_optimum *optimum, const olo_problem_feedback *weights,
                               olo_feedback **feedback, olo_error *error)
{
    regulator x = {.optimum = optimum,
                   .weights = weights ? *weights : olo_problem_feedback_default()};
    const olo_system *s = optimum->problem->system;
    *feedback = NULL;
    olo_status status = olo_feedback_check(&x.weights, error);
    if (status == OLO_OK)
        status = refuse_rolling(s, error);
    if (status == OLO_OK)
        status = olo_feedback_allocate(s->n, optimum->problem->intervals,
                                       optimum->problem->input_count, &x.feedback, error);
    if (status == OLO_OK)
        status = copy_inputs(optimum, x.feedback, error);
    if (status == OLO_OK)
        status = open_regulator(&x, error);
    if (status == OLO_OK)
        status = olo_optimum_visit_states(optimum, visit, &x, error);
    if (status == OLO_OK)
        status = regulate(&x, error);
    olo_derivatives_free(x.derivatives);
    olo_state_free(x.moving);
    olo_pool_free(&x.pool);
    if (status != OLO_OK)
        olo_feedback_free(x.feedback);
    else
        *feedback = x.feedback;
    return status;
}

// -- use ------------------------------------------------------------------------------------------

int olo_feedback_intervals(const olo_feedback *x)
{
    return x->intervals;
}

int olo_feedback_input_count(const olo_feedback *x)
{
    return x->inputs;
}

const char *olo_feedback_input_name(const olo_feedback *x, int input)
{
    return x->names[input];
}

const double *olo_feedback_gains(const olo_feedback *x, int interval, int input)
{
    return x->gains + ((size_t)interval * (size_t)x->inputs + (size_t)input) * 2 * (size_t)x->n;
}

/* The interval of a time; times that differ by rounding belong to the node. */
static int find_interval(const olo_feedback *x, double t)
{
    const double slack = 1e-9 * (olo_feedback_state(x, x->intervals)[0] - x->states[0]);
    int low = 0, high = x->intervals;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(olo_feedback_state(x, middle)[0] <= t + slack ? &low : &high) = middle;
    }
    return low;
}

double olo_feedback_input(const olo_feedback *x, int input, const olo_state *state)
{
    const int k = find_interval(x, state->t), n = x->n;
    const double *a = olo_feedback_state(x, k), *b = olo_feedback_state(x, k + 1),
                 *K = olo_feedback_gains(x, k, input);
    const double part = fmin(fmax((state->t - a[0]) / (b[0] - a[0]), 0), 1);
    double u = x->values[k * x->inputs + input];
    for (int i = 0; i < n; i++) {
        u -= K[i] * (state->q[i] - a[1 + i] - part * (b[1 + i] - a[1 + i]));
        u -= K[n + i] * (state->v[i] - a[1 + n + i] - part * (b[1 + n + i] - a[1 + n + i]));
    }
    return fmin(fmax(u, x->bounds[input]), x->bounds[x->inputs + input]);
}

olo_status olo_feedback_apply(const olo_feedback *x, olo_stepper *stepper, const olo_state *state,
                              olo_error *error)
{
    olo_status status = OLO_OK;
    if (state->n != x->n)
        return olo_fail(error, OLO_BAD_INPUT,
                        "the gains belong to another model, with %d coordinates instead of %d",
                        x->n, state->n);
    for (int i = 0; status == OLO_OK && i < x->inputs; i++)
        status =
            olo_stepper_set_control(stepper, x->names[i], olo_feedback_input(x, i, state), error);
    return status;
}

static olo_status before_step(void *context, olo_stepper *stepper, const olo_state *state,
                              olo_error *error)
{
    return olo_feedback_apply(context, stepper, state, error);
}

olo_status olo_feedback_simulate(const olo_feedback *x, const olo_system *system,
                                 const olo_run *run, olo_state *state,
                                 const olo_observer *observers, int observer_count,
                                 olo_run_summary *summary, olo_error *error)
{
    return olo_simulate_with(system, run, state, observers, observer_count, before_step, (void *)x,
                             summary, error);
}

olo_status olo_feedback_write_csv(const olo_feedback *x, const olo_system *s, const char *path,
                                  olo_error *error)
{
    olo_text text = {0};
    if (s->n != x->n)
        return olo_fail(error, OLO_BAD_INPUT, "the gains belong to another model");
    olo_text_put(&text, "start,end,input");
    for (int part = 0; part < 2; part++)
        for (int i = 0; i < s->node_count; i++)
            for (int j = 1; j <= s->nodes[i].type->size; j++)
                olo_text_format(&text, ",%s.%c%d", s->nodes[i].name, part == 0 ? 'q' : 'v', j);
    olo_text_put(&text, "\n");
    for (int k = 0; k < x->intervals; k++)
        for (int i = 0; i < x->inputs; i++) {
            const double *K = olo_feedback_gains(x, k, i);
            olo_text_format(&text, "%.17g,%.17g,%s", olo_feedback_state(x, k)[0],
                            olo_feedback_state(x, k + 1)[0], x->names[i]);
            for (int j = 0; j < 2 * x->n; j++)
                olo_text_format(&text, ",%.17g", K[j]);
            olo_text_put(&text, "\n");
        }
    const olo_status status = olo_text_save(&text, path, error);
    olo_text_free(&text);
    return status;
}
