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
#include "linalg/elimination.h"
#include "stepping/balance.h"
#include "stepping/linear_rows.h"
#include "system/condition.h"

/* The short interval, relative to the step of the run: its square is below round-off. */
static const double short_interval = 1e-8;
/* The same for a second derivative of a function of time that is known by its rate only. */
static const double difference = 1e-3;

struct olo_accelerations {
    const olo_system *system;
    const olo_topology *topology;
    void *reduced; /* the treatment, as a scheme with momenta creates it */
    olo_step step; /* the short interval around the state */
    double h;      /* the step of the run */
    olo_linear_rows rows;
    olo_pool pool;
    double *values;       /* [n] a */
    double *force, *rest; /* [n] f; f - M b, then M a - f + G_c^T lambda_c */
    double *twists;       /* [twists] */
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
    x->topology = system->topology;
    x->h = h;
    const olo_array arrays[] = {{&x->values, n},
                                {&x->force, n},
                                {&x->rest, n},
                                {&x->twists, (size_t)system->twists},
                                {&x->gap, (size_t)system->m}};
    olo_status status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK && !(olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
                              olo_linear_rows_create(x->topology, &x->pool, &x->rows)))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for accelerations");
    if (status == OLO_OK)
        status =
            olo_treatment_reduced.create(system, &olo_scheme_variational, &run, &x->reduced, error);
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
    olo_treatment_reduced.free(x->reduced);
    olo_step_free(&x->step);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* --- the equations --- */

/* Factors the mass matrix of the motion, with closures. */
static bool factor(olo_accelerations *x, const olo_state *state, double *scale)
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
    return olo_reduced_linearise_end(x->reduced, step, scale, NULL) == OLO_OK;
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

/* Gradients of the rows and the derivatives of their rates. */
static void set_rows(olo_accelerations *x, const olo_state *state)
{
    const olo_system *s = x->system;
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first;
             !s->groups[i].internal && c < s->groups[i].first + s->groups[i].count; c++) {
            const olo_constraint *row = &s->constraints[c];
            olo_constraint_gradient(row, &at, olo_linear_row(&x->rows, c));
            x->gap[c] = rate_by_time(row, &at, x->h);
            if (row->curved)
                olo_rate_by_configuration(row, &at, state->v, x->rows.follow + x->rows.offset[c]);
        }
    olo_linear_rows_factor(&x->rows, state->q);
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

/* Right-hand sides: f - M b of the nodes, -(rate of G_c) v - G_c b of the closures. */
static void fill_right(olo_accelerations *x, const olo_state *state, olo_elimination *el,
                       double scale)
{
    const olo_system *s = x->system;
    const double *b = x->values;
    olo_system_mass_times(s, b, x->rest);
    for (int i = 0; i < s->n; i++)
        x->rest[i] = x->force[i] - x->rest[i];
    olo_twists_gather(s, state->q, x->rest, x->twists);
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; i < s->nodes[k].twist; i++)
            olo_elimination_rhs(el, k)[i] = -x->twists[s->nodes[k].motion + i];
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        double *right = olo_elimination_rhs(el, s->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            const int c = closure->first + j;
            const double *follow = x->rows.follow + x->rows.offset[c];
            right[j] = 2 / scale *
                       (olo_row_times(s, c, follow, state->v) +
                        olo_row_times(s, c, olo_linear_row(&x->rows, c), b) + x->gap[c]);
        }
    }
}

/* a = P nu + b, and the multipliers of closures */
static void read_solution(olo_accelerations *x, const olo_state *state, const olo_elimination *el,
                          double scale)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; i < s->nodes[k].twist; i++)
            x->twists[s->nodes[k].motion + i] = scale * olo_elimination_twist(el, k)[i];
    olo_twists_apply(s, state->q, x->twists, x->rest);
    for (int i = 0; i < s->n; i++)
        x->values[i] += x->rest[i];
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++)
            x->rows.mu[closure->first + j] = 2 * olo_elimination_twist(el, s->node_count + i)[j];
    }
}

/* The multipliers of the rows of the tree. */
static void balance_rows(olo_accelerations *x, const olo_state *state)
{
    const olo_system *s = x->system;
    olo_system_mass_times(s, x->values, x->rest);
    for (int i = 0; i < s->n; i++)
        x->rest[i] -= x->force[i];
    for (int i = 0; i < x->topology->closure_count; i++) {
        const int c = x->topology->closures[i];
        olo_row_add(s, c, x->rows.mu[c], olo_linear_row(&x->rows, c), x->rest);
    }
    olo_linear_rows_balance(&x->rows, state->q, x->rest);
}

bool olo_accelerations_at(olo_accelerations *x, const olo_state *state, const double *inputs)
{
    double scale;
    if (!factor(x, state, &scale))
        return false;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    set_rows(x, state);
    set_forces(x, state, inputs);
    olo_linear_rows_follow(&x->rows, state->q, state->v, state->v, x->gap, x->values);
    fill_right(x, state, el, scale);
    olo_elimination_solve_symmetric_again(el);
    read_solution(x, state, el, scale);
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
    return x->rows.mu;
}

olo_forces olo_accelerations_forces(const olo_accelerations *x)
{
    return (olo_forces){.step = &x->step, .unit = 1, .lambda = x->rows.mu};
}
