/* Accelerations and multipliers at a state; see the header.
 *
 * An acceleration b that satisfies the rows of the tree is known from the rows alone
 * (linear_rows.h). The rest is a motion of the joints: with the null space P and the closures G_c,
 *
 *     P^T M P nu + P^T G_c^T lambda_c = P^T (f - M b),   G_c (P nu + b) = ...,   a = P nu + b,
 *
 * the linear system of a projection of momenta. The multipliers of the rows of the tree then follow
 * from M a - f + G_c^T lambda_c, from leaf to root.
 *
 * Forces are those of the interval kernel over a short interval around the state, from q - e v/2 to
 * q + e v/2: their error is of the order e^2, and rates of dampers and controllers are exact, since
 * they are formed from the increment e v. */
#include "stepping/accelerations.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "stepping/balance.h"
#include "stepping/linear_end.h"
#include "stepping/tree_assembly.h"
#include "system/condition.h"

/* The short interval, relative to the step of the run: its square is below round-off. */
static const double short_interval = 1e-8;
/* The same for a second derivative of a function of time that is known by its rate only. */
static const double difference = 1e-3;

struct olo_accelerations {
    const olo_system *system;
    olo_step step;      /* the short interval around the state */
    double h;           /* the step of the run */
    olo_linear_end end; /* rows and the factors that project momenta */
    olo_pool pool;
    double *values;       /* [n] a */
    double *force, *rest; /* [n] f; M a - f + G_c^T lambda_c */
    double *gap;          /* [m] dr/dt */
};

olo_status olo_accelerations_create(const olo_system *system, double h,
                                    olo_accelerations **accelerations, olo_error *error)
{
    const olo_run run = olo_run_default();
    const size_t n = (size_t)system->n;
    olo_accelerations *x = *accelerations = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for accelerations");
    x->system = system;
    x->h = h;
    const olo_array arrays[] = {
        {&x->values, n}, {&x->force, n}, {&x->rest, n}, {&x->gap, (size_t)system->m}};
    olo_status status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK && !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for accelerations");
    if (status == OLO_OK)
        status =
            olo_linear_end_create(system, &olo_scheme_variational, &run, &x->pool, &x->end, error);
    if (status != OLO_OK) {
        olo_accelerations_free(x);
        *accelerations = NULL;
    }
    return status;
}

void olo_accelerations_free(olo_accelerations *x)
{
    if (!x)
        return;
    olo_linear_end_free(&x->end);
    olo_step_free(&x->step);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* --- the equations --- */

/* Factors the mass matrix of the motion, with closures. */
static bool factor(olo_accelerations *x, const olo_state *state)
{
    olo_step *step = &x->step;
    const size_t n = (size_t)x->system->n * sizeof *step->q_end;
    step->state = state;
    step->h = 1; /* sets the scale of closures */
    step->t = state->t - 1;
    memcpy(step->q_end, state->q, n);
    memset(step->momentum, 0, n);
    memset(step->x.dq, 0, n);
    memset(step->x.motion, 0, (size_t)x->system->twists * sizeof *step->x.motion);
    return olo_linear_end_factor(&x->end, step, NULL) == OLO_OK;
}

/* dr/dt = -f''(t) of a prescribed motion */
static double rate_by_time(const olo_constraint *row, const olo_at *at, double h)
{
    const double e = difference * h;
    if (!olo_constraint_moves(row) || row->time.curvature)
        return olo_rate_by_time(row, at);
    return (olo_constraint_motion_rate(row, at->t - e) -
            olo_constraint_motion_rate(row, at->t + e)) /
           (2 * e);
}

/* Gradients of the rows, the derivatives of their rates, and dr/dt. */
static void set_rows(olo_accelerations *x, const olo_state *state)
{
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    olo_linear_end_set_rows(&x->end, &at, state->v, NULL);
    for (int i = 0; i < x->end.rows.count; i++) {
        const int c = x->end.rows.all[i];
        x->gap[c] = rate_by_time(&x->system->constraints[c], &at, x->h);
    }
}

/* f at the state; sets the short interval. */
static void set_forces(olo_accelerations *x, const olo_state *state, const double *inputs)
{
    olo_step *step = &x->step;
    step->h = short_interval * x->h;
    step->t = state->t - 0.5 * step->h;
    step->inputs = inputs;
    step->x.q0 = step->q0;
    for (int i = 0; i < x->system->n; i++) {
        step->x.dq[i] = step->h * state->v[i];
        step->x.qm[i] = state->q[i];
        step->q0[i] = state->q[i] - 0.5 * step->x.dq[i];
        step->x.q1[i] = state->q[i] + 0.5 * step->x.dq[i];
    }
    (void)olo_balance_forces(step, false);
    for (int i = 0; i < x->system->n; i++)
        x->force[i] = -step->T[i] / step->h;
}

/* --- their solution --- */

/* The multipliers of closures, and those of the rows of the tree. */
static void balance_rows(olo_accelerations *x, const olo_state *state)
{
    const olo_system *s = x->system;
    const olo_elimination *el = olo_reduced_elimination(x->end.reduced);
    olo_linear_rows *rows = &x->end.rows;
    olo_system_mass_times(s, x->values, x->rest);
    for (int i = 0; i < s->n; i++)
        x->rest[i] -= x->force[i];
    for (int u = 0; u < s->topology->closure_count; u++) {
        const int c = s->topology->closures[u];
        rows->mu[c] = 2 * olo_closure_solution(s->topology, el, u);
        olo_row_add(s, c, rows->mu[c], olo_linear_row(rows, c), x->rest);
    }
    olo_linear_rows_multipliers(rows, state->q, x->rest, rows->mu, rows->Lambda);
}

bool olo_accelerations_at(olo_accelerations *x, const olo_state *state, const double *inputs)
{
    if (!factor(x, state))
        return false;
    set_rows(x, state);
    set_forces(x, state, inputs);
    memcpy(x->rest, x->force, (size_t)x->system->n * sizeof *x->rest);
    olo_linear_end_forward(&x->end, state->v, x->gap, x->rest, x->values);
    balance_rows(x, state);
    return true;
}

/* --- results --- */

const double *olo_accelerations_values(const olo_accelerations *x)
{
    return x->values;
}

const double *olo_accelerations_multipliers(const olo_accelerations *x)
{
    return x->end.rows.mu;
}

olo_forces olo_accelerations_forces(const olo_accelerations *x)
{
    return (olo_forces){.step = &x->step, .unit = 1, .lambda = x->end.rows.mu};
}
