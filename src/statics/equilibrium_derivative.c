/* The derivative of an equilibrium by a parameter p, from r(q, p) = 0, g(q, p) = 0:
 *
 *     P^T K dq = -P^T dr/dp,    G dq = -dg/dp,
 *
 * where K is the tangent of the balance with the multipliers mu of all rows. Where p changes rows
 * of the tree, dq is the sum of a displacement w that satisfies the changed rows, node by node, and
 * of joint increments under the forces K w (as in a step, stepping/linear_step.c). dr/dp and dg/dp
 * are sums over the changed coefficients, by the kernels of a step
 * (stepping/coefficient_derivatives.c). */
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "kinematics/null_space.h"
#include "linalg/small.h"
#include "statics/static_balance.h"
#include "stepping/coefficient_derivatives.h"
#include "stepping/linear_rows.h"
#include "system/parameter_derivative.h"

typedef struct mover {
    const olo_system *system;
    olo_state *state;
    olo_static_balance *balance;
    olo_pool pool;
    olo_linear_rows rows;
    double shift;       /* multiple of the mass in the factored matrix */
    double *T, *p;      /* [n] dr/dp; the other is not used */
    double *end, *rate; /* [m] dg/dp; the other is not used */
    double *open;       /* [n] w */
    double *twists, *wrench;
    double *none; /* [n] no velocity */
} mover;

static olo_status create(mover *x, const olo_state *start, olo_error *error)
{
    const olo_system *s = x->system;
    size_t n = (size_t)s->n, m = (size_t)s->m, twists = (size_t)s->twists;
    olo_status status = olo_state_clone(start, &x->state, error);
    if (status == OLO_OK)
        status = olo_static_create(s, x->state, &x->balance, error);
    if (status != OLO_OK)
        return status;
    x->balance->hold = true;
    status = olo_static_verify(x->balance, 1.0, error);
    if (status != OLO_OK)
        return status;
    const olo_array arrays[] = {{&x->T, n},           {&x->p, n},    {&x->end, m},
                                {&x->rate, m},        {&x->open, n}, {&x->twists, twists},
                                {&x->wrench, twists}, {&x->none, n}};
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) ||
        !olo_linear_rows_create(x->balance->topology, &x->pool, &x->rows))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the change of an equilibrium");
    return OLO_OK;
}

static void destroy(mover *x)
{
    olo_static_free(x->balance);
    olo_state_free(x->state);
    olo_pool_free(&x->pool);
}

/* Factors the tangent; with loops the tree without closures may have no stiffness, and a small
 * multiple of the mass is added. */
static olo_status factor(mover *x, olo_error *error)
{
    const double full = 1, little = 1e-10;
    int unstable, neutral;
    olo_static_balance *balance = x->balance;
    olo_status status = olo_static_find_stability(balance, full, &unstable, &neutral, error);
    if (status == OLO_OK && neutral > 0)
        return olo_fail(
            error, OLO_SINGULAR,
            "the equilibrium can move without forces, so that parameters do not determine "
            "it: constrain the free motions, or start the run as it is given");
    if (status != OLO_OK)
        return status;
    x->shift = 0;
    status = olo_static_factor(balance, full, 0.0, error);
    if (status == OLO_SINGULAR && balance->topology->closure_count > 0) {
        x->shift = little * balance->stiff;
        status = olo_static_factor(balance, full, x->shift, error);
    }
    return status;
}

/* Gradients and multipliers of all rows. */
static void evaluate_rows(mover *x)
{
    const olo_system *s = x->system;
    const olo_topology *topology = x->balance->topology;
    const olo_at here = {.q = x->state->q, .angles = x->state->angles, .t = x->balance->step.t};
    for (int i = 0; i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++)
            olo_constraint_gradient(&s->constraints[s->groups[i].first + k], &here,
                                    olo_linear_row(&x->rows, s->groups[i].first + k));
    for (int i = 0; i < topology->closure_count; i++)
        x->rows.mu[topology->closures[i]] = x->balance->lambda[i];
    olo_linear_rows_factor(&x->rows, here.q);
    memcpy(x->T, x->balance->step.T, (size_t)s->n * sizeof *x->T); /* with closures */
    olo_linear_rows_multipliers(&x->rows, here.q, x->T, x->rows.mu, x->rows.Lambda);
}

/* dr/dp and dg/dp */
static void gather(mover *x, const olo_parameter_derivative *change)
{
    const olo_step_view view = {.step = &x->balance->step,
                                .v1 = x->none,
                                .mu = x->rows.mu,
                                .mu_end = x->rows.mu,
                                .still = true};
    const olo_step_variation all = {.T = x->T, .p = x->p, .end = x->end, .rate = x->rate};
    memset(x->T, 0, (size_t)x->system->n * sizeof *x->T);
    if (x->system->m > 0)
        memset(x->end, 0, (size_t)x->system->m * sizeof *x->end);
    for (int i = 0; i < change->count; i++) {
        const olo_step_cause of = {.coefficient = &change->coefficient[i]};
        if (olo_coefficient_acts(of.coefficient))
            olo_step_view_add(&view, &of, change->derivative[i], &all);
    }
    for (int i = 0; i < change->function_count; i++) {
        const olo_step_cause of = {.parameter = change, .function = &change->functions[i]};
        olo_step_view_add(&view, &of, 1.0, &all);
    }
}

/* T += 2 by K w of a piece; the sink receives half of its tangent */
static void sink_open(void *context, int piece, double by, const double *K)
{
    mover *x = context;
    small_add_indexed(olo_piece_size(x->system, piece), olo_piece_index(x->system, piece), K,
                      2 * by, false, x->open, x->T);
}

/* T += K w */
static void add_open(mover *x)
{
    const olo_system *s = x->system;
    const olo_sink sink = {.context = x, .local = sink_open};
    olo_step *step = &x->balance->step;
    olo_scheme_static.balance(step, &sink);
    for (int i = 0; i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++) {
            const int c = s->groups[i].first + k;
            if (x->rows.mu[c] != 0 && olo_step_row(step, &s->constraints[c], step->r, step->K))
                sink_open(x, olo_piece_of_constraint(s, c), x->rows.mu[c], step->K);
        }
    olo_frames_add(x->system, x->rows.Lambda, 1.0, x->open, x->T);
}

/* Right-hand sides; the shift of the matrix is corrected by iteration: (K + s M) t = -b + s M t. */
static void solve(mover *x)
{
    const olo_system *s = x->system;
    const olo_topology *topology = x->balance->topology;
    olo_elimination *el = x->balance->elimination;
    const int rounds = x->shift > 0 ? 3 : 1;
    memset(x->twists, 0, (size_t)s->twists * sizeof *x->twists);
    for (int round = 0; round < rounds; round++) {
        if (round > 0)
            olo_static_mass_times(x->balance, x->twists, x->wrench);
        for (int k = 0; k < s->node_count; k++) {
            double *right = olo_elimination_rhs(el, k);
            olo_node_wrench(&s->nodes[k], x->state->q, x->T, right);
            for (int i = 0; round > 0 && i < s->nodes[k].twist; i++)
                right[i] -= x->shift * x->wrench[s->nodes[k].motion + i];
        }
        for (int i = 0; i < topology->closure_block_count; i++)
            for (int j = 0; j < topology->closure_blocks[i].count; j++) {
                const int c = topology->closure_blocks[i].first + j;
                olo_elimination_rhs(el, s->node_count + i)[j] =
                    x->end[c] + olo_row_times(s, c, olo_linear_row(&x->rows, c), x->open);
            }
        olo_elimination_solve(el);
        for (int k = 0; k < s->node_count; k++)
            memcpy(x->twists + s->nodes[k].motion, olo_elimination_twist(el, k),
                   (size_t)s->nodes[k].twist * sizeof *x->twists);
    }
}

/* The initial state of a parameter derivative becomes the derivative of the equilibrium. */
static void move(mover *x, olo_parameter_derivative *change)
{
    const int n = x->system->n;
    gather(x, change);
    olo_linear_rows_displace(&x->rows, x->state->q, x->end, x->open);
    add_open(x);
    solve(x);
    olo_static_expand_twists(x->balance, x->twists, 1.0, change->dq);
    for (int i = 0; i < n; i++) {
        change->dq[i] += x->open[i];
        change->dv[i] = 0;
    }
    change->rest = true;
}

/* Rolling joints are refused: their equilibrium depends on the path of the motion. */
static olo_status check_rows(const olo_system *s, olo_error *error)
{
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].count > 0 &&
            s->constraints[s->groups[i].first + s->groups[i].count - 1].type->velocity)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "%s: '%s' rolls, and its equilibrium depends on the path of the motion",
                            s->groups[i].where, s->groups[i].name);
    return OLO_OK;
}

olo_status olo_differentiate_equilibrium(const olo_system *system, const olo_run *run,
                                         const olo_state *start,
                                         olo_parameter_derivative *const *changes, int count,
                                         olo_error *error)
{
    mover x = {.system = system};
    olo_status status = olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error);
    if (status != OLO_OK || !run->start || strcmp(run->start, "equilibrium") != 0 || count == 0)
        return status;
    for (int k = 0; k < count; k++)
        if (changes[k]->n != system->n)
            return olo_fail(error, OLO_BAD_INPUT, "parameter '%s' is of another model",
                            changes[k]->name);
    status = check_rows(system, error);
    if (status == OLO_OK)
        status = create(&x, start, error);
    if (status == OLO_OK)
        status = factor(&x, error);
    if (status == OLO_OK) {
        evaluate_rows(&x);
        memcpy(x.balance->step.q_end, x.state->q, (size_t)system->n * sizeof *x.state->q);
        for (int k = 0; k < count; k++)
            move(&x, changes[k]);
    }
    destroy(&x);
    return olo_fail_context(error, status, "derivative of the initial equilibrium");
}
