/* The momentum balance of an optimum; see the header. */
#include "control/momentum_balance.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/pool.h"
#include "control/redundant_private.h"

enum { MOTIONS = 6 };

typedef struct balance {
    const olo_optimum *optimum;
    const olo_system *system;
    bool *internal; /* [pieces] */
    double *qm, *dq, *inputs;
    double *p;           /* [n] momentum at the end of an interval */
    double *external[2]; /* [n] impulses at both ends that are not internal */
    double *xi;          /* [n] */
    double L[MOTIONS];   /* at the last node visited */
} balance;

/* Adds an impulse of a piece at the start or the end of an interval. */
static void add_impulse(balance *x, int piece, int end, double factor, const double *r)
{
    const int *index = olo_piece_index(x->system, piece), size = olo_piece_size(x->system, piece);
    for (int j = 0; j < size; j++) {
        if (end)
            x->p[index[j]] += factor * r[j];
        if (!x->internal[piece])
            x->external[end][index[j]] += factor * r[j];
    }
}

/* The gradient of a row at node k. */
static void row_gradient(const balance *x, int row, int k, double *g)
{
    const olo_optimum *o = x->optimum;
    const olo_at at = {.q = olo_optimum_configuration(o, k),
                       .angles = olo_node_angles(o->transcription, k),
                       .t = olo_optimum_clock(o, k)};
    olo_constraint_gradient(&x->system->constraints[row], &at, g);
}

/* The impulses of a piece at both ends of interval k. */
static void add_piece(balance *x, int k, olo_interval *over, int piece)
{
    const olo_optimum *o = x->optimum;
    const bool between = o->problem->energy_momentum;
    const olo_evaluation how = {.midpoint = !between, .at_start = !between, .at_nodes = !between};
    double r[OLO_FORM_SIZE_MAX];
    int number;
    const olo_piece_kind kind = olo_piece_kind_of(x->system, piece, &number);
    for (int end = 0; end < 2; end++) {
        double factor = kind == OLO_PIECE_TERM ? -0.5 * over->h : 0.5 * over->h;
        if (kind == OLO_PIECE_ROW)
            factor = -0.5 * over->h * olo_optimum_multipliers(o, between ? k : k + end)[number];
        over->acting = between || kind != OLO_PIECE_ACTION ? OLO_ACT_BETWEEN
                       : end                               ? OLO_ACT_AT_END
                                                           : OLO_ACT_AT_START;
        if (kind == OLO_PIECE_ROW && !between)
            row_gradient(x, number, k + end, r);
        else
            olo_piece_value(x->system, &how, piece, over, r);
        add_impulse(x, piece, end, factor, r);
    }
}

/* Momentum and impulses of interval k. */
static void visit_interval(balance *x, int k)
{
    const olo_optimum *o = x->optimum;
    const olo_system *s = x->system;
    const double *q0 = olo_optimum_configuration(o, k), *q1 = olo_optimum_configuration(o, k + 1),
                 *u = olo_optimum_controls(o, k);
    olo_interval over = {.q0 = q0,
                         .q1 = q1,
                         .qm = x->qm,
                         .dq = x->dq,
                         .h = olo_optimum_duration(o) * o->problem->part[k],
                         .t = olo_optimum_clock(o, k),
                         .angles = olo_node_angles(o->transcription, k),
                         .inputs = x->inputs};
    for (int i = 0; i < s->n; i++) {
        x->qm[i] = 0.5 * (q0[i] + q1[i]);
        x->dq[i] = q1[i] - q0[i];
    }
    for (int i = 0; i < s->action_count; i++) {
        const int control = o->problem->control_of[i];
        x->inputs[i] = control < 0 ? NAN : o->problem->factor_of[i] * u[control];
    }
    olo_system_mass_times(s, x->dq, x->p);
    for (int i = 0; i < s->n; i++)
        x->p[i] /= over.h;
    for (int end = 0; end < 2; end++)
        memset(x->external[end], 0, (size_t)s->n * sizeof *x->external[end]);
    for (int i = 0; i < olo_pieces(s); i++)
        add_piece(x, k, &over, i);
}

/* xi(q_k).p for each rigid motion */
static void project(balance *x, int k, const double *p, double sum[MOTIONS])
{
    for (int j = 0; j < MOTIONS; j++) {
        double motion[MOTIONS] = {0};
        motion[j] = 1;
        olo_rigid_motion(x->system, motion, olo_optimum_configuration(x->optimum, k), x->xi);
        sum[j] = 0;
        for (int i = 0; i < x->system->n; i++)
            sum[j] += x->xi[i] * p[i];
    }
}

/* Continues to node k with momentum p there, from the node before or from another momentum there.
 */
static void advance(balance *x, int k, const double *p, const double impulse[MOTIONS],
                    olo_momentum_balance *out)
{
    double L[MOTIONS];
    project(x, k, p, L);
    for (int j = 0; j < MOTIONS; j++) {
        const double change = L[j] - x->L[j];
        olo_raise(j < 3 ? &out->linear : &out->angular, fabs(change - impulse[j]));
        olo_raise(j < 3 ? &out->linear_change : &out->angular_change, fabs(change));
    }
    memcpy(x->L, L, sizeof x->L);
}

/* The momentum at the start: of a velocity that is a variable, or given. */
static void begin(balance *x)
{
    const olo_optimum *o = x->optimum;
    olo_system_mass_times(x->system,
                          o->problem->start_velocities
                              ? o->x + olo_redundant_start_velocity(o->transcription)
                              : o->state->v,
                          x->p);
    project(x, 0, x->p, x->L);
}

/* The momentum at the end: of rest, or of a velocity that is a variable. With energy-momentum-2006
 * multipliers of the last node project the momentum there. */
static void end(balance *x, olo_momentum_balance *out)
{
    const olo_optimum *o = x->optimum;
    const int N = o->problem->intervals;
    const double h = olo_optimum_duration(o) * olo_control_share(o->problem, N);
    double impulse[MOTIONS] = {0}, g[OLO_FORM_SIZE_MAX];
    memset(x->external[1], 0, (size_t)x->system->n * sizeof *x->external[1]);
    for (int c = 0; o->problem->energy_momentum && c < x->system->m; c++) {
        row_gradient(x, c, N, g);
        add_impulse(x, olo_piece_of_constraint(x->system, c), 1,
                    -h * olo_optimum_multipliers(o, N)[c], g);
    }
    project(x, N, x->external[1], impulse);
    memset(x->p, 0, (size_t)x->system->n * sizeof *x->p);
    if (o->problem->end_velocities)
        olo_system_mass_times(x->system, o->x + olo_redundant_end_velocity(o->transcription), x->p);
    advance(x, N, x->p, impulse, out);
}

static void visit_nodes(balance *x, olo_momentum_balance *out)
{
    double impulse[2][MOTIONS];
    begin(x);
    for (int k = 0; k < x->optimum->problem->intervals; k++) {
        visit_interval(x, k);
        for (int i = 0; i < 2; i++)
            project(x, k + i, x->external[i], impulse[i]);
        for (int j = 0; j < MOTIONS; j++)
            impulse[1][j] += impulse[0][j];
        advance(x, k + 1, x->p, impulse[1], out);
    }
    if (olo_control_has_end_balance(x->optimum->problem))
        end(x, out);
}

olo_status olo_momentum_balance_check(const olo_optimum *o, olo_momentum_balance *out,
                                      olo_error *error)
{
    balance x = {.optimum = o, .system = o->problem->system};
    const size_t n = (size_t)x.system->n;
    olo_pool pool = {0};
    const olo_array arrays[] = {
        {&x.qm, n}, {&x.dq, n},          {&x.inputs, (size_t)x.system->action_count},
        {&x.p, n},  {&x.external[0], n}, {&x.external[1], n},
        {&x.xi, n}};
    x.internal = olo_pool_alloc(&pool, (size_t)olo_pieces(x.system) + 1, sizeof *x.internal);
    const bool done = x.internal &&
                      olo_pool_arrays(&pool, arrays, sizeof arrays / sizeof *arrays) &&
                      olo_system_find_internal(x.system, x.internal);
    *out = (olo_momentum_balance){0};
    if (done)
        visit_nodes(&x, out);
    olo_pool_free(&pool);
    return done ? OLO_OK
                : olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
}
