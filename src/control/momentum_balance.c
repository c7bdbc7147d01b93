/* The momentum balance of an optimum; see the header. */
#include "control/momentum_balance.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/pool.h"
#include "control/redundant_private.h"

typedef struct balance {
    const olo_optimum *optimum;
    const olo_system *system;
    double *qm, *dq, *inputs;
    double *v[2];       /* [n] velocities before and after a node */
    double *impulse[2]; /* [n] of forces at a node and at the next one */
    double *change, *p; /* [n] */
    double *xi;         /* [n] */
} balance;

static double length_of(const olo_optimum *o, int k)
{
    return olo_optimum_duration(o) * o->problem->part[k];
}

/* Interval k: the velocity dq/h, and the impulses h/2 f of terms and actions at both ends. */
static void add_interval(balance *x, int k, double *v)
{
    const olo_optimum *o = x->optimum;
    const olo_system *s = x->system;
    const olo_evaluation how = {.midpoint = true, .at_start = true, .at_nodes = true};
    const double h = length_of(o, k), *q0 = olo_optimum_configuration(o, k),
                 *q1 = olo_optimum_configuration(o, k + 1), *u = olo_optimum_controls(o, k);
    double r[OLO_FORM_SIZE_MAX];
    olo_interval over = {.q0 = q0,
                         .q1 = q1,
                         .qm = x->qm,
                         .dq = x->dq,
                         .h = h,
                         .t = olo_optimum_time(o, k),
                         .angles = olo_node_angles(o->transcription, k),
                         .inputs = x->inputs};
    for (int i = 0; i < s->n; i++) {
        x->qm[i] = 0.5 * (q0[i] + q1[i]);
        x->dq[i] = q1[i] - q0[i];
        v[i] = x->dq[i] / h;
    }
    for (int i = 0; i < s->action_count; i++) {
        const int control = o->problem->control_of[i];
        x->inputs[i] = control < 0 ? NAN : o->problem->factor_of[i] * u[control];
    }
    for (int i = 0; i < olo_pieces(s); i++) {
        int number;
        const olo_piece_kind kind = olo_piece_kind_of(s, i, &number);
        const int *index = olo_piece_index(s, i), size = olo_piece_size(s, i);
        if (kind != OLO_PIECE_TERM && kind != OLO_PIECE_ACTION)
            continue;
        for (int end = 0; end < 2; end++) {
            over.acting = kind == OLO_PIECE_TERM ? OLO_ACT_BETWEEN
                          : end                  ? OLO_ACT_AT_END
                                                 : OLO_ACT_AT_START;
            olo_piece_value(s, &how, i, &over, r);
            for (int j = 0; j < size; j++)
                x->impulse[end][index[j]] += (kind == OLO_PIECE_TERM ? -0.5 : 0.5) * h * r[j];
        }
    }
}

/* The reactions -h G^T lambda of node k. */
static void add_reactions(balance *x, int k)
{
    const olo_optimum *o = x->optimum;
    const olo_system *s = x->system;
    const double h = olo_control_share(o->problem, k) * olo_optimum_duration(o);
    const double *lambda = olo_optimum_multipliers(o, k);
    const olo_at at = {.q = olo_optimum_configuration(o, k),
                       .angles = olo_node_angles(o->transcription, k),
                       .t = olo_optimum_time(o, k)};
    double g[OLO_FORM_SIZE_MAX];
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        olo_constraint_gradient(row, &at, g);
        for (int j = 0; j < row->size; j++)
            x->impulse[0][row->index[j]] -= h * lambda[c] * g[j];
    }
}

/* Compares the change of momentum at node k with the impulses. */
static void compare(balance *x, int k, olo_momentum_balance *out)
{
    const olo_system *s = x->system;
    olo_system_mass_times(s, x->v[1], x->change);
    olo_system_mass_times(s, x->v[0], x->p);
    for (int j = 0; j < 6; j++) {
        double motion[6] = {0}, change = 0, impulse = 0;
        motion[j] = 1;
        olo_rigid_motion(s, motion, olo_optimum_configuration(x->optimum, k), x->xi);
        for (int i = 0; i < s->n; i++) {
            change += x->xi[i] * (x->change[i] - x->p[i]);
            impulse += x->xi[i] * x->impulse[0][i];
        }
        olo_raise(j < 3 ? &out->linear : &out->angular, fabs(change - impulse));
        olo_raise(j < 3 ? &out->linear_change : &out->angular_change, fabs(change));
    }
}

/* The velocities at the start and at the end: variables, or those that are given. */
static void set_first(balance *x)
{
    const olo_optimum *o = x->optimum;
    const double *v = o->problem->start_velocities
                          ? o->x + olo_redundant_start_velocity(o->transcription)
                          : o->state->v;
    memcpy(x->v[0], v, (size_t)x->system->n * sizeof *v);
}

static void set_last(balance *x)
{
    const olo_optimum *o = x->optimum;
    const size_t size = (size_t)x->system->n * sizeof(double);
    if (o->problem->end_velocities)
        memcpy(x->v[1], o->x + olo_redundant_end_velocity(o->transcription), size);
    else
        memset(x->v[1], 0, size); /* rest */
}

static void visit_nodes(balance *x, olo_momentum_balance *out)
{
    const olo_optimum *o = x->optimum;
    const int N = o->problem->intervals, last = olo_control_has_end_balance(o->problem) ? N : N - 1;
    const size_t size = (size_t)x->system->n * sizeof(double);
    set_first(x);
    for (int k = 0; k <= last; k++) {
        memcpy(x->impulse[0], x->impulse[1], size);
        memset(x->impulse[1], 0, size);
        if (k < N)
            add_interval(x, k, x->v[1]);
        else
            set_last(x);
        add_reactions(x, k);
        compare(x, k, out);
        memcpy(x->v[0], x->v[1], size);
    }
}

olo_status olo_momentum_balance_check(const olo_optimum *o, olo_momentum_balance *out,
                                      olo_error *error)
{
    balance x = {.optimum = o, .system = o->problem->system};
    const size_t n = (size_t)x.system->n;
    olo_pool pool = {0};
    const olo_array arrays[] = {
        {&x.qm, n},     {&x.dq, n},         {&x.inputs, (size_t)x.system->action_count},
        {&x.v[0], n},   {&x.v[1], n},       {&x.impulse[0], n},
        {&x.change, n}, {&x.impulse[1], n}, {&x.p, n},
        {&x.xi, n}};
    const bool done = olo_pool_arrays(&pool, arrays, sizeof arrays / sizeof *arrays);
    *out = (olo_momentum_balance){0};
    if (done)
        visit_nodes(&x, out);
    olo_pool_free(&pool);
    return done ? OLO_OK
                : olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
}
