/* The linearised step; see the header. */
#include "stepping/linear_step.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "linalg/elimination.h"
#include "linalg/small.h"
#include "linalg/vec3.h"
#include "stepping/linear_hinges.h"
#include "stepping/linear_rows.h"

struct olo_linear_step {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool;
    olo_state *state; /* the start, as a step wants it */
    olo_step step;
    const olo_step_record *record;
    void *reduced; /* tangent of the step ... */
    void *ending;  /* ... and matrix of the projection of velocities at its end */
    bool projects; /* the scheme does that */
    bool ended;    /* that is there */
    bool turned;   /* forces vary, too: the momentum comes from multipliers */
    bool rows;     /* rows change, too: their numbers at the end and K1 are wanted */
    const olo_tree *tree;
    olo_linear_hinges *hinges; /* the way back where all joints are hinges, or NULL */
    double scale;              /* of velocities in that */
    const double *v_end;       /* [n] the velocity there */
    olo_linear_rows over, end;
    int rolling_count; /* velocity rows: d(q0, q1).dq = 0 */
    int *rolling;
    double *gap;      /* [m] by how much rows change at the end, with velocity rows */
    int curved_count; /* rows whose gradient changes with q, none of them internal */
    int *curved;
    int pieces;            /* terms that are not constant, and actions with a tangent: */
    int *piece;            /* [pieces] */
    size_t *place;         /* [pieces] where its matrices are */
    double *K0, *K1;       /* h d(dV)/dq0 or -h df/dq0, and the same by q1 */
    double *twists;        /* [twists] */
    double *x, *y, *z, *w; /* [n] workspaces */
    double *F;             /* [n], */
    double *mu;            /* [m], */
    double *Lambda;        /* [9 nodes]: balance over the step and multipliers of a variation */
};

/* --- creation --- */

/* What has no derivative in its start. */
static olo_status refuse(const olo_system *s, const olo_run *run, olo_error *error)
{
    if (strcmp(run->constraints, "reduced") != 0)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "derivatives of runs are those of exact constraints, and '%s' allows "
                        "errors: take reduced, multipliers or projected",
                        run->constraints);
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->motion_tangent)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "%s: a force that a function gives has no derivatives unless its "
                            "`slopes` are given, too",
                            s->actions[i].owner);
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first; c < s->groups[i].first + s->groups[i].count; c++)
            if (!s->constraints[c].type->start_tangent || !s->constraints[c].type->hessian)
                return olo_fail(error, OLO_UNSUPPORTED, "%s: '%s' has no derivatives of runs",
                                s->groups[i].where, s->groups[i].name);
    return OLO_OK;
}

static bool has_matrices(const olo_system *s, int piece)
{
    return piece < s->term_count + s->action_count && olo_piece_has_tangent(s, piece);
}

static bool plan_pieces(olo_linear_step *x)
{
    const olo_system *s = x->system;
    size_t size = 0, count = (size_t)(s->term_count + s->action_count);
    x->piece = olo_pool_alloc(&x->pool, count, sizeof *x->piece);
    x->place = olo_pool_alloc(&x->pool, count, sizeof *x->place);
    if (!x->piece || !x->place)
        return false;
    for (int i = 0; i < s->term_count + s->action_count; i++)
        if (has_matrices(s, i)) {
            x->piece[x->pieces] = i;
            x->place[x->pieces++] = size;
            size += (size_t)(olo_piece_size(s, i) * olo_piece_size(s, i));
        }
    x->K0 = olo_pool_alloc(&x->pool, size, sizeof *x->K0);
    x->K1 = olo_pool_alloc(&x->pool, size, sizeof *x->K1);
    return x->K0 && x->K1;
}

static bool list_rolling(olo_linear_step *x)
{
    const olo_system *s = x->system;
    x->rolling = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->rolling);
    x->gap = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->gap);
    for (int c = 0; x->rolling && c < s->m; c++)
        if (s->constraints[c].type->velocity)
            x->rolling[x->rolling_count++] = c;
    olo_linear_step_need_rows(x, false);
    return x->rolling && x->gap;
}

static bool list_curved(olo_linear_step *x)
{
    const olo_system *s = x->system;
    x->curved = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->curved);
    for (int i = 0; x->curved && i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++)
            if (s->constraints[s->groups[i].first + k].curved)
                x->curved[x->curved_count++] = s->groups[i].first + k;
    return x->curved != NULL;
}

static bool take_memory(olo_linear_step *x)
{
    size_t n = (size_t)x->system->n, twists = (size_t)x->system->twists;
    x->twists = olo_pool_alloc(&x->pool, twists, sizeof *x->twists);
    x->x = olo_pool_alloc(&x->pool, n, sizeof *x->x);
    x->y = olo_pool_alloc(&x->pool, n, sizeof *x->y);
    x->z = olo_pool_alloc(&x->pool, n, sizeof *x->z);
    x->w = olo_pool_alloc(&x->pool, n, sizeof *x->w);
    x->F = olo_pool_alloc(&x->pool, n, sizeof *x->F);
    x->mu = olo_pool_alloc(&x->pool, (size_t)x->system->m, sizeof *x->mu);
    x->Lambda = olo_pool_alloc(&x->pool, 9 * (size_t)x->system->node_count, sizeof *x->Lambda);
    return x->twists && x->x && x->y && x->z && x->w && x->F && x->mu && x->Lambda &&
           plan_pieces(x) && list_curved(x) && list_rolling(x) &&
           olo_linear_rows_create(x->tree, &x->pool, &x->over) &&
           olo_linear_rows_create(x->tree, &x->pool, &x->end);
}

olo_status olo_linear_step_create(const olo_system *system, const olo_run *run,
                                  olo_linear_step **linear, olo_error *error)
{
    *linear = NULL;
    olo_status status = refuse(system, run, error);
    if (status != OLO_OK)
        return status;
    olo_linear_step *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the derivatives of a step");
    x->system = system;
    x->scheme = olo_scheme_find(run->scheme);
    x->projects = x->scheme->momentum != NULL;
    const olo_treatment *treatment = &olo_treatment_reduced;
    status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK)
        status = olo_state_create(system, &x->state, error);
    if (status == OLO_OK)
        status = treatment->create(system, x->scheme, run, &x->reduced, error);
    if (status == OLO_OK)
        status = treatment->create(system, x->scheme, run, &x->ending, error);
    if (status == OLO_OK) {
        x->tree = olo_reduced_tree(x->reduced);
        if (!take_memory(x))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the derivatives of a step");
        x->turned = x->projects && x->pieces > 0;
    }
    if (status == OLO_OK)
        status = olo_linear_hinges_create(system, x->scheme, x->tree, OLO_HINGES_BEST, &x->hinges,
                                          error);
    if (status != OLO_OK) {
        olo_linear_step_free(x);
        return status;
    }
    *linear = x;
    return OLO_OK;
}

void olo_linear_step_free(olo_linear_step *x)
{
    if (!x)
        return;
    olo_treatment_reduced.free(x->reduced);
    olo_treatment_reduced.free(x->ending);
    olo_linear_hinges_free(x->hinges);
    olo_state_free(x->state);
    olo_step_free(&x->step);
    olo_pool_free(&x->pool);
    olo_free(x);
}

const olo_step *olo_linear_step_step(const olo_linear_step *x)
{
    return &x->step;
}

const double *olo_linear_step_end_velocity(const olo_linear_step *x)
{
    return x->v_end;
}

void olo_linear_step_leave_hinges(olo_linear_step *x)
{
    olo_linear_hinges_free(x->hinges);
    x->hinges = NULL;
}

void olo_linear_step_need_rows(olo_linear_step *x, bool need)
{
    x->rows = need || x->rolling_count > 0;
}

const double *olo_linear_step_multipliers(const olo_linear_step *x)
{
    return x->over.mu;
}

const double *olo_linear_step_end_multipliers(const olo_linear_step *x)
{
    return x->end.mu;
}

/* --- linearisation --- */

static void place_step(olo_linear_step *x, const olo_step_record *record)
{
    olo_step *step = &x->step;
    x->record = record;
    x->v_end = record->v1;
    step->t = record->t;
    step->h = record->h;
    step->state = x->state;
    memcpy(x->state->angles, record->angles,
           (size_t)x->system->joint_coordinate_count * sizeof *record->angles);
    size_t n = (size_t)x->system->n * sizeof *record->q0;
    memcpy(step->q0, record->q0, n);
    memcpy(step->v0, record->v0, n);
    step->bare = record->bare;
    if (record->bare)
        memcpy(step->Mv0, record->p0, n);
    memcpy(step->q_end, record->q1, n);
    if (record->rest)
        memcpy(x->state->q_rest, record->rest, n);
    step->inputs = record->inputs;
    step->x.q0 = step->q0;
    step->x.left = x->scheme->at_start ? step->q0 : NULL;
}

static void scale_matrix(int size, double factor, double *K)
{
    for (int i = 0; i < size * size; i++)
        K[i] *= factor;
}

/* The matrices of a term; of a scheme that takes gradients at the midpoint they are equal, but for what dissipates. */
static void term_matrices(olo_linear_step *x, const olo_term *term, const olo_interval *over,
                          double *K0, double *K1)
{
    size_t size = (size_t)(term->size * term->size);
    if (x->projects && !term->law->dissipative) {
        olo_term_midpoint(term, over, x->step.r, K0);
        memcpy(K1, K0, size * sizeof *K1);
        return;
    }
    olo_term_discrete_tangent(term, over, 0, K0);
    if (x->projects || x->rows)
        olo_term_discrete_tangent(term, over, 1, K1);
}

static void action_matrices(olo_linear_step *x, const olo_action *action, const olo_interval *over,
                            double *K0, double *K1)
{
    double t = x->step.t + 0.5 * x->step.h;
    action->type->force(action, over, t, x->step.r, K1);
    if (action->type->start_tangent)
        action->type->start_tangent(action, over, t, K0);
    else
        memcpy(K0, K1, (size_t)(action->size * action->size) * sizeof *K0);
}

static void fill_matrices(olo_linear_step *x)
{
    const olo_system *s = x->system;
    olo_interval over = olo_step_interval(&x->step);
    for (int i = 0; i < x->pieces; i++) {
        int piece = x->piece[i], size = olo_piece_size(s, piece);
        double *K0 = x->K0 + x->place[i], *K1 = x->K1 + x->place[i], h = x->step.h;
        bool term = piece < s->term_count;
        if (term)
            term_matrices(x, &s->terms[piece], &over, K0, K1);
        else
            action_matrices(x, &s->actions[piece - s->term_count], &over, K0, K1);
        scale_matrix(size, term ? h : -h, K0);
        if (x->projects || x->rows)
            scale_matrix(size, term ? h : -h, K1);
    }
}

/* Multipliers of all rows over the step: T of the treatment has those of closures in it. */
static void balance_step(olo_linear_step *x)
{
    const olo_system *s = x->system;
    const double *left = olo_motion_left(&x->step.x);
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first;
             !s->groups[i].internal && c < s->groups[i].first + s->groups[i].count; c++)
            olo_step_row(&x->step, &s->constraints[c], olo_linear_row(&x->over, c), NULL);
    for (int i = 0; i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        for (int j = 0; j < closure->count; j++)
            x->over.mu[closure->first + j] = 2 / x->step.h * x->record->lambda[closure->u + j];
    }
    olo_linear_rows_factor(&x->over, left);
    memcpy(x->x, x->step.T, (size_t)s->n * sizeof *x->x);
    olo_linear_rows_balance(&x->over, left, x->x);
}

static olo_at end_of(const olo_linear_step *x)
{
    return olo_step_placed(&x->step);
}

/* out (local) = Hessian of row c at a configuration times w (local) */
static void hessian_times(const olo_linear_step *x, const olo_constraint *row, const olo_at *at,
                          const double *w, double *out)
{
    if (row->form) {
        olo_form_hessian_times(row->form, w, out);
        return;
    }
    row->type->hessian(row, at, x->step.K);
    memset(out, 0, (size_t)row->size * sizeof *out);
    small_add_times(row->size, row->size, 1.0, x->step.K, w, out);
}

static void take_local(const olo_constraint *row, const double *all, double *local)
{
    for (int i = 0; i < row->size; i++)
        local[i] = all[row->index[i]];
}

/* Rows at q_end, with what keeps their rates at a velocity; of a step velocity rows with what keeps d.dq, by both ends. */
static void place_end_rows(olo_linear_step *x, const double *v1, bool step)
{
    const olo_system *s = x->system;
    olo_at end = end_of(x);
    olo_interval over = olo_step_interval(&x->step);
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first;
             !s->groups[i].internal && c < s->groups[i].first + s->groups[i].count; c++) {
            const olo_constraint *row = &s->constraints[c];
            double v[OLO_FORM_SIZE_MAX];
            if (step && row->type->velocity) {
                olo_constraint_end(row, &over, olo_linear_row(&x->end, c));
                olo_constraint_start(row, &over, x->over.follow + x->over.place[c]);
                continue;
            }
            olo_constraint_gradient(row, &end, olo_linear_row(&x->end, c));
            if (!row->curved)
                continue; /* there it stays zero */
            take_local(row, v1, v);
            hessian_times(x, row, &end, v, x->end.follow + x->end.place[c]);
        }
    olo_linear_rows_factor(&x->end, end.q);
}

/* The same at the end: M v1 - p = -sum of all multipliers. */
static olo_status balance_end(olo_linear_step *x, olo_error *error)
{
    const olo_system *s = x->system;
    olo_step *step = &x->step;
    if (x->record->p1)
        memcpy(step->momentum, x->record->p1, (size_t)s->n * sizeof *step->momentum);
    else
        x->scheme->momentum(step);
    olo_status status = olo_reduced_linearise_end(x->ending, step, &x->scale, error);
    if (status != OLO_OK)
        return status;
    olo_system_mass_times(s, x->record->v1, x->x);
    for (int i = 0; i < s->n; i++)
        x->x[i] -= step->momentum[i];
    place_end_rows(x, x->record->v1, true);
    for (int i = 0; i < x->tree->closure_count; i++) {
        int c = x->tree->closures[i];
        const olo_constraint *row = &s->constraints[c];
        double mu = 0.5 * step->h * x->record->closing[i];
        x->end.mu[c] = mu;
        for (int k = 0; k < row->size; k++)
            x->x[row->index[k]] += mu * olo_linear_row(&x->end, c)[k];
    }
    olo_linear_rows_balance(&x->end, step->q_end, x->x);
    return OLO_OK;
}

olo_status olo_linear_step_at(olo_linear_step *x, const olo_step_record *record, bool velocity,
                              olo_error *error)
{
    place_step(x, record);
    x->ended = x->projects && velocity;
    olo_status status =
        olo_reduced_linearise(x->reduced, &x->step, record->motion, record->lambda, error);
    if (status != OLO_OK)
        return status;
    fill_matrices(x);
    balance_step(x);
    if (x->rows && !x->ended)
        place_end_rows(x, record->v1, true);
    return x->ended ? balance_end(x, error) : OLO_OK;
}

/* --- products --- */

/* out += factor K w of all pieces, or K^T w */
static void add_pieces(const olo_linear_step *x, const double *K, bool transposed, double factor,
                       const double *w, double *out)
{
    for (int i = 0; i < x->pieces; i++) {
        int size = olo_piece_size(x->system, x->piece[i]);
        const int *index = olo_piece_index(x->system, x->piece[i]);
        double in[OLO_FORM_SIZE_MAX], sum[OLO_FORM_SIZE_MAX] = {0};
        for (int k = 0; k < size; k++)
            in[k] = w[index[k]];
        if (transposed)
            small_add_transposed_times(size, size, factor, K + x->place[i], in, sum);
        else
            small_add_times(size, size, factor, K + x->place[i], in, sum);
        for (int k = 0; k < size; k++)
            out[index[k]] += sum[k];
    }
}

/* out += sum mu_i (Dd_i/Dq0) w, or the transpose; the gradient at q0 varies by its Hessian */
static void add_start_rows(const olo_linear_step *x, bool transposed, const double *w, double *out)
{
    const olo_system *s = x->system;
    olo_at start = olo_step_start(&x->step);
    olo_interval over = olo_step_interval(&x->step);
    double factor = x->projects ? 1.0 : 0.5;
    for (int b = 0; b < x->curved_count; b++) {
        int c = x->curved[b];
        const olo_constraint *row = &s->constraints[c];
        double in[OLO_FORM_SIZE_MAX], product[OLO_FORM_SIZE_MAX];
        if (x->over.mu[c] == 0)
            continue;
        memset(product, 0, (size_t)row->size * sizeof *product);
        take_local(row, w, in);
        if (row->form || x->projects) {
            hessian_times(x, row, &start, in, product);
        } else {
            row->type->start_tangent(row, &over, x->step.K);
            if (transposed)
                small_add_transposed_times(row->size, row->size, 2.0, x->step.K, in, product);
            else
                small_add_times(row->size, row->size, 2.0, x->step.K, in, product);
        }
        for (int k = 0; k < row->size; k++)
            out[row->index[k]] += factor * x->over.mu[c] * product[k];
    }
    olo_linear_rows_add_frames(&x->over, factor, w, out);
}

/* out -= sum mu_i Hess g_i(q1) w at the end */
static void subtract_end_rows(const olo_linear_step *x, const double *w, double *out)
{
    const olo_system *s = x->system;
    olo_at end = end_of(x);
    for (int b = 0; b < x->curved_count; b++) {
        int c = x->curved[b];
        const olo_constraint *row = &s->constraints[c];
        double in[OLO_FORM_SIZE_MAX], product[OLO_FORM_SIZE_MAX];
        if (x->end.mu[c] == 0)
            continue;
        take_local(row, w, in);
        hessian_times(x, row, &end, in, product);
        for (int k = 0; k < row->size; k++)
            out[row->index[k]] -= x->end.mu[c] * product[k];
    }
    olo_linear_rows_add_frames(&x->end, -1.0, w, out);
}

/* out += factor M w; uses z */
static void add_mass(olo_linear_step *x, double factor, const double *w, double *out)
{
    olo_system_mass_times(x->system, w, x->z);
    for (int i = 0; i < x->system->n; i++)
        out[i] += factor * x->z[i];
}

/* Right-hand sides of nodes from row[n] at q, times factor; those of closures zero. */
static void fill_right(olo_linear_step *x, olo_elimination *el, const double *q, double factor,
                       const double *row)
{
    const olo_system *s = x->system;
    olo_twists_gather(s, q, row, x->twists);
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; i < s->nodes[k].twist; i++)
            olo_elimination_rhs(el, k)[i] = factor * x->twists[s->nodes[k].motion + i];
    for (int i = 0; i < x->tree->closure_block_count; i++)
        memset(olo_elimination_rhs(el, s->node_count + i), 0,
               (size_t)x->tree->closure_blocks[i].count * sizeof(double));
}

/* out[n] = factor P_int(q) of the solution */
static void take_solution(olo_linear_step *x, const olo_elimination *el, const double *q,
                          double factor, double *out)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; i < s->nodes[k].twist; i++)
            x->twists[s->nodes[k].motion + i] = factor * olo_elimination_twist(el, k)[i];
    olo_twists_apply(s, q, x->twists, out);
}

/* --- the projection at the end --- */

/* dv1 from the variation of the momentum, `eta` (changed), and dq1: M dv + G^T dmu = eta, G dv = -(d G) v1 - rate. */
static void end_forward(olo_linear_step *x, const double *dq1, const double *rate, double *eta,
                        double *dv1)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->ending);
    const double *q = x->step.q_end;
    double *follow = x->y;
    olo_linear_rows_follow(&x->end, q, x->v_end, dq1, rate, follow);
    add_mass(x, -1.0, follow, eta);
    fill_right(x, el, q, -1.0, eta);
    for (int i = 0; i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        double *right = olo_elimination_rhs(el, s->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            double gap = olo_row_times(s, c, x->end.follow + x->end.place[c], dq1) +
                         olo_row_times(s, c, olo_linear_row(&x->end, c), follow) +
                         (rate ? rate[c] : 0.0);
            right[j] = 2 / x->step.h / x->scale * gap;
        }
    }
    olo_elimination_solve(el);
    take_solution(x, el, q, x->scale, dv1);
    for (int i = 0; i < s->n; i++)
        dv1[i] += follow[i];
}

/* The transpose: from gv on dv1 to `eta` and `rate` (written) and to what is added to gq1; gv is changed. */
static void end_adjoint(olo_linear_step *x, double *gv, double *gq1, double *eta, double *rate)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->ending);
    const double *q = x->step.q_end;
    fill_right(x, el, q, x->scale, gv);
    olo_elimination_solve_transposed(el);
    take_solution(x, el, q, -1.0, eta);
    add_mass(x, -1.0, eta, gv);
    for (int i = 0; i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        const double *right = olo_elimination_twist(el, s->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            double gap = 2 / x->step.h / x->scale * right[j];
            olo_row_add(s, c, gap, x->end.follow + x->end.place[c], gq1);
            olo_row_add(s, c, gap, olo_linear_row(&x->end, c), gv);
            if (rate)
                rate[c] = gap;
        }
    }
    olo_linear_rows_follow_transposed(&x->end, q, x->v_end, gv, gq1, rate);
}

/* --- the step --- */

/* rho += [DT/Dq0 + sum mu_i Dd_i/Dq0] w, or the transpose */
static void add_start(olo_linear_step *x, bool transposed, const double *w, double *rho)
{
    add_mass(x, -2 / x->step.h, w, rho);
    add_pieces(x, x->K0, transposed, 1.0, w, rho);
    add_start_rows(x, transposed, w, rho);
}

/* out += [DT/Dq1 + sum mu_i Dd_i/Dq1] w, or the transpose; gradients at q0 do not vary */
static void add_end(olo_linear_step *x, bool transposed, const double *w, double *out)
{
    const olo_system *s = x->system;
    olo_interval over = olo_step_interval(&x->step);
    add_mass(x, 2 / x->step.h, w, out);
    add_pieces(x, x->K1, transposed, 1.0, w, out);
    for (int b = 0; b < x->curved_count && !x->projects; b++) {
        int c = x->curved[b];
        const olo_constraint *row = &s->constraints[c];
        double in[OLO_FORM_SIZE_MAX], product[OLO_FORM_SIZE_MAX] = {0}, factor = x->over.mu[c];
        if (factor == 0)
            continue;
        take_local(row, w, in);
        if (row->form) { /* its gradient at the midpoint */
            olo_form_hessian_times(row->form, in, product);
            factor *= 0.5;
        } else {
            olo_constraint_discrete(row, &over, x->step.r, x->step.K);
            if (transposed)
                small_add_transposed_times(row->size, row->size, 1.0, x->step.K, in, product);
            else
                small_add_times(row->size, row->size, 1.0, x->step.K, in, product);
        }
        for (int k = 0; k < row->size; k++)
            out[row->index[k]] += factor * product[k];
    }
    if (!x->projects)
        olo_linear_rows_add_frames(&x->over, 0.5, w, out);
}

/* --- the momentum at the end ---
 *
 * p1 = M dq/h - h/2 dV, but where a step does not resolve a stiff mode, its variation is the small difference of large forces. The
 * balance T = 2 M dq/h - 2 p0 + h dV = -sum mu_i grad g_i(q0) gives, but for multiples of the gradients at q1, which the projection
 * takes away,
 *
 *     p1 = 2 M dq/h - p0 - 1/2 sum mu_i (grad g_i(q1) - grad g_i(q0)),
 *
 * in which forces appear with the turn of the step as a factor. Likewise its variation, with F = dT + sum mu_i Hess g_i(q0) dq0 =
 * -sum dmu_i grad g_i(q0).
 */

/* turn (local) = grad g(q1) - grad g(q0) of a row */
static void turn_of(olo_linear_step *x, const olo_constraint *row, double *turn)
{
    double start[OLO_FORM_SIZE_MAX];
    if (row->form) {
        take_local(row, x->step.x.dq, start);
        olo_form_hessian_times(row->form, start, turn);
        return;
    }
    olo_at before = olo_step_start(&x->step), after = end_of(x);
    olo_constraint_gradient(row, &before, start);
    olo_constraint_gradient(row, &after, turn);
    for (int i = 0; i < row->size; i++)
        turn[i] -= start[i];
}

/* eta += 1/2 sum dmu_i (grad g_i(q0) - grad g_i(q1)) from F (changed) and the multipliers of closures, which the solution has. */
static void add_turned(olo_linear_step *x, double *F, double *eta)
{
    const olo_system *s = x->system;
    const olo_elimination *el = olo_reduced_elimination(x->reduced);
    double turn[OLO_FORM_SIZE_MAX];
    for (int i = 0; i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            x->mu[c] = 2 / x->step.h * olo_elimination_twist(el, s->node_count + i)[j];
            olo_row_add(s, c, x->mu[c], olo_linear_row(&x->over, c), F);
        }
    }
    olo_linear_rows_multipliers(&x->over, x->step.q0, F, x->mu, x->Lambda);
    for (int b = 0; b < x->curved_count; b++) {
        turn_of(x, &s->constraints[x->curved[b]], turn);
        olo_row_add(s, x->curved[b], -0.5 * x->mu[x->curved[b]], turn, eta);
    }
    olo_frames_add(s, x->Lambda, -0.5, x->step.x.dq, eta);
}

/* The transpose: F (written) from eta; x->mu keeps what is to come to closures. */
static void add_turned_transposed(olo_linear_step *x, const double *eta, double *F)
{
    const olo_system *s = x->system;
    double turn[OLO_FORM_SIZE_MAX];
    memset(x->mu, 0, (size_t)s->m * sizeof *x->mu);
    for (int b = 0; b < x->curved_count; b++) {
        turn_of(x, &s->constraints[x->curved[b]], turn);
        x->mu[x->curved[b]] = -0.5 * olo_row_times(s, x->curved[b], turn, eta);
    }
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; s->nodes[k].kind == OLO_NODE_FRAME && i < 9; i++)
            x->Lambda[9 * k + i] = -0.5 * vec3_dot(eta + s->nodes[k].q + 3 + 3 * (i / 3),
                                                   x->step.x.dq + s->nodes[k].q + 3 + 3 * (i % 3));
    olo_linear_rows_multipliers_transposed(&x->over, x->step.q0, x->mu, x->Lambda, F, x->z);
    for (int i = 0; i < x->tree->closure_count; i++) {
        int c = x->tree->closures[i];
        x->mu[c] += olo_row_times(s, c, olo_linear_row(&x->over, c), F);
    }
}

/* The step itself: dq1 (written) from rho, which becomes F where that is wanted, and rows that change at the end. Where these belong to the tree, dq1 is a displacement that
 * takes them there and a motion of the joints. */
static void solve_step(olo_linear_step *x, double *rho, const double *end, double *dq1)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double *open = x->w, a = 2 / x->step.h;
    if (end) {
        olo_linear_rows_open(&x->end, x->step.q_end, end, open);
        add_end(x, false, open, rho);
    }
    fill_right(x, el, olo_motion_left(&x->step.x), 1.0, rho);
    for (int i = 0; end && i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            olo_elimination_rhs(el, s->node_count + i)[j] =
                a * (end[c] + olo_row_times(s, c, olo_linear_row(&x->end, c), open));
        }
    }
    olo_elimination_solve(el);
    take_solution(x, el, x->step.x.q1, 1.0, dq1);
    if (x->turned)
        add_end(x, false, dq1, rho);
    for (int i = 0; end && i < s->n; i++)
        dq1[i] += open[i];
}

/* The transpose: y (written) from gq (changed). */
static void solve_step_transposed(olo_linear_step *x, double *gq, double *end, double *y)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double a = 2 / x->step.h;
    fill_right(x, el, x->step.x.q1, 1.0, gq);
    for (int i = 0; x->turned && i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        for (int j = 0; j < closure->count; j++)
            olo_elimination_rhs(el, s->node_count + i)[j] = a * x->mu[closure->first + j];
    }
    olo_elimination_solve_transposed(el);
    take_solution(x, el, olo_motion_left(&x->step.x), 1.0, y);
    if (!end)
        return;
    add_end(x, true, y, gq);
    for (int i = 0; i < x->tree->closure_block_count; i++) {
        const olo_closure *closure = &x->tree->closure_blocks[i];
        const double *right = olo_elimination_twist(el, s->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            end[c] = a * right[j];
            olo_row_add(s, c, end[c], olo_linear_row(&x->end, c), gq);
        }
    }
    olo_linear_rows_open_transposed(&x->end, x->step.q_end, gq, end);
}

/* eta (written), that of p1, given F (changed); dv becomes something else. */
static void momentum_forward(olo_linear_step *x, const double *dq, const double *dq1, double *dv,
                             double *F, const olo_step_change *change, double *eta)
{
    int n = x->system->n;
    double a = (x->turned ? 2 : 1) / x->step.h;
    memset(eta, 0, (size_t)n * sizeof *eta);
    if (x->turned)
        add_start_rows(x, false, dq, eta);
    for (int i = 0; i < n; i++) {
        double T = x->turned && change->T ? change->T[i] : 0.0;
        eta[i] = 0.5 * (eta[i] + T) + (change->p ? change->p[i] : 0.0);
        dv[i] = a * (dq1[i] - dq[i]) - (x->turned ? dv[i] : 0.0);
    }
    add_mass(x, 1.0, dv, eta);
    if (x->turned)
        add_turned(x, F, eta);
}

/* The transpose: adds what eta gives to gq and `start`; x->F is to come to y, and half of eta, too, for what is beside forces. */
static void momentum_adjoint(olo_linear_step *x, const double *eta, double *gq, double *start)
{
    double a = (x->turned ? 2 : 1) / x->step.h, *half = x->w;
    add_mass(x, a, eta, gq);
    add_mass(x, -a, eta, start);
    if (!x->turned)
        return;
    for (int i = 0; i < x->system->n; i++)
        half[i] = 0.5 * eta[i];
    add_start_rows(x, true, half, start);
    add_turned_transposed(x, eta, x->F);
    add_end(x, true, x->F, gq);
}

/* By how much rows change at the end: velocity rows also with the start. */
static const double *gaps_of(olo_linear_step *x, const double *dq, const double *end)
{
    size_t rows = (size_t)x->system->m * sizeof *x->gap;
    if (x->rolling_count == 0)
        return end;
    if (end)
        memcpy(x->gap, end, rows);
    else
        memset(x->gap, 0, rows);
    for (int i = 0; i < x->rolling_count; i++) {
        int c = x->rolling[i];
        x->gap[c] += olo_row_times(x->system, c, x->over.follow + x->over.place[c], dq);
    }
    return x->gap;
}

/* The transpose, from the gaps that solve_step_transposed has left. */
static void gaps_transposed(const olo_linear_step *x, double *gq, double *end)
{
    for (int i = 0; i < x->rolling_count; i++) {
        int c = x->rolling[i];
        olo_row_add(x->system, c, x->gap[c], x->over.follow + x->over.place[c], gq);
    }
    if (x->rolling_count > 0 && end)
        memcpy(end, x->gap, (size_t)x->system->m * sizeof *end);
}

void olo_linear_step_forward(olo_linear_step *x, double *dq, double *dv,
                             const olo_step_change *change)
{
    int n = x->system->n;
    double *rho = x->x, *dq1 = x->y, a = 2 / x->step.h;
    for (int i = 0; i < n; i++)
        rho[i] = change->T ? change->T[i] : 0.0;
    add_mass(x, -2.0, dv, rho);
    add_start(x, false, dq, rho);
    solve_step(x, rho, gaps_of(x, dq, change->end), dq1);
    if (!x->projects) {
        for (int i = 0; i < n; i++) {
            dv[i] = a * (dq1[i] - dq[i]) - dv[i];
            dq[i] = dq1[i];
        }
        return;
    }
    double *eta = x->F;
    momentum_forward(x, dq, dq1, dv, rho, change, eta);
    memcpy(dq, dq1, (size_t)n * sizeof *dq);
    subtract_end_rows(x, dq, eta);
    end_forward(x, dq, change->rate, eta, dv);
}

static void copy_if(int n, const double *from, double *to)
{
    if (to)
        memcpy(to, from, (size_t)n * sizeof *to);
}

static void add_to(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

/* v1 = (2/h)(q1 - q0) - v0: gv becomes the derivative by v0, and `start` that by q0 */
static void velocity_adjoint(const olo_linear_step *x, double *gq, double *gv, double *start)
{
    const double a = 2 / x->step.h;
    for (int i = 0; i < x->system->n; i++) {
        gq[i] += a * gv[i];
        start[i] = -a * gv[i];
        gv[i] = -gv[i];
    }
}

/* p1 = D2 L_d + f^+, with which the next step starts; v1, where somebody looks at it, is projected from it. */
static void end_momentum_adjoint(olo_linear_step *x, double *gq, double *gv, double *gp,
                                 double *start, const olo_step_change *change)
{
    const int n = x->system->n;
    double *eta = x->x;
    memset(start, 0, (size_t)n * sizeof *start);
    memset(eta, 0, (size_t)n * sizeof *eta);
    if (x->ended) {
        end_adjoint(x, gv, gq, eta, change->rate);
        subtract_end_rows(x, eta, gq);
    } else if (change->rate) {
        memset(change->rate, 0, (size_t)x->system->m * sizeof *change->rate);
    }
    copy_if(n, eta, change->v);
    add_to(n, gp, eta);
    copy_if(n, eta, change->p);
    momentum_adjoint(x, eta, gq, start);
    memset(gv, 0, (size_t)n * sizeof *gv);
    memset(gp, 0, (size_t)n * sizeof *gp);
}

/* The transpose: from the derivatives by the end to those by the start, in place. */
static void go_back(olo_linear_step *x, double *gq, double *gv, double *gp,
                    const olo_step_change *change)
{
    int n = x->system->n;
    double *y = x->x, *start = x->y;
    if (x->projects)
        end_momentum_adjoint(x, gq, gv, gp, start, change);
    else
        velocity_adjoint(x, gq, gv, start);
    solve_step_transposed(x, gq, x->rolling_count > 0 ? x->gap : change->end, y);
    if (x->turned)
        add_to(n, x->F, y);
    memcpy(gq, start, (size_t)n * sizeof *gq);
    add_start(x, true, y, gq);
    gaps_transposed(x, gq, change->end);
    if (x->turned)
        add_to(n, x->w, y);
    if (x->step.bare)
        for (int i = 0; i < n; i++)
            gp[i] = -2 * y[i];
    else
        add_mass(x, -2.0, y, gv);
    copy_if(n, y, change->T);
}

/* --- the way back --- */

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* The derivative by the velocity at the end becomes one by configuration and momentum there. */
static bool velocity_over_hinges(olo_linear_step *x, const olo_step_record *record,
                                 const olo_hinges_adjoint *by, double *w)
{
    const olo_hinges_velocity of = {
        .v = record->v1, .p = record->p1, .gv = by->gv, .gq = by->gq, .gp = by->gp, .w = w};
    if (!record->p1 || !olo_linear_hinges_velocity(x->hinges, &x->step, &of))
        return false;
    memset(by->gv, 0, (size_t)x->system->n * sizeof *by->gv);
    return true;
}

/* All that is worth something at q1: G[n] = gq and what velocity or momentum add. */
static void gather_end(olo_linear_step *x, const olo_hinges_adjoint *by, double *G)
{
    const double a = 2 / x->step.h;
    const int n = x->system->n;
    memcpy(G, by->gq, (size_t)n * sizeof *G);
    if (x->projects)
        add_mass(x, 0.5 * a, by->gp, G);
    for (int i = 0; i < n && !x->projects; i++)
        G[i] += a * by->gv[i];
}

/* Rows that change, beside a step back over hinges: what y leaves of G is theirs. */
static void rows_over_hinges(olo_linear_step *x, const double *y, double *G,
                             const olo_step_change *change)
{
    if (change->rate)
        memset(change->rate, 0, (size_t)x->system->m * sizeof *change->rate);
    x->scheme->balance(&x->step, NULL);
    balance_step(x);
    place_end_rows(x, x->record->v1, true);
    add_end(x, true, y, G);
    olo_linear_rows_open_transposed(&x->end, x->step.q_end, G, change->end);
}

/* Where bodies on hinges are all there is. False: the rest is to be done by the general way, since something is singular, or since
 * rows and the velocity change both. */
static bool back_over_hinges(olo_linear_step *x, const olo_step_record *record, bool *velocity,
                             const olo_hinges_adjoint *by, const olo_step_change *change)
{
    const int n = x->system->n;
    if (x->rows && *velocity)
        return false;
    place_step(x, record);
    memcpy(x->state->motion, record->motion, (size_t)x->system->twists * sizeof *record->motion);
    if (x->projects && change->v)
        memset(change->v, 0, (size_t)n * sizeof *change->v);
    if (*velocity && !velocity_over_hinges(x, record, by, change->v))
        return false;
    *velocity = false;
    if (x->projects)
        copy_if(n, by->gp, change->p);
    if (x->rows)
        gather_end(x, by, x->F);
    if (!olo_linear_hinges_back(x->hinges, &x->step, by))
        return false;
    if (x->rows)
        rows_over_hinges(x, by->y, x->F, change);
    return true;
}

olo_status olo_linear_step_back(olo_linear_step *x, const olo_step_record *record, double *gq,
                                double *gv, double *gp, const olo_step_change *change,
                                olo_error *error)
{
    bool velocity = x->projects && !is_zero(x->system->n, gv);
    const olo_hinges_adjoint by = {
        .gq = gq, .gv = gv, .gp = gp, .y = change->T, .place = change->T != NULL};
    if (x->hinges && back_over_hinges(x, record, &velocity, &by, change))
        return OLO_OK;
    olo_status status = olo_linear_step_at(x, record, velocity, error);
    if (status == OLO_OK)
        go_back(x, gq, gv, gp, change);
    return status;
}

/* --- inputs --- */

/* x->step.r = df/d(input), f being affine in it: the difference of two values is the derivative. */
static const olo_action *by_input(olo_linear_step *x, int number)
{
    const olo_action *action = &x->system->actions[number];
    olo_interval over = olo_step_interval(&x->step);
    double t = x->step.t + 0.5 * x->step.h, zero[OLO_FORM_SIZE_MAX], *one = x->step.r;
    double *input = &x->record->inputs[number], kept = *input;
    *input = 0;
    action->type->force(action, &over, t, zero, NULL);
    *input = 1;
    action->type->force(action, &over, t, one, NULL);
    *input = kept;
    for (int i = 0; i < action->size; i++)
        one[i] -= zero[i];
    return action;
}

void olo_linear_step_add_input(olo_linear_step *x, int number, double factor, double *df)
{
    const olo_action *action = by_input(x, number);
    for (int i = 0; i < action->size; i++)
        df[action->index[i]] += factor * x->step.r[i];
}

double olo_linear_step_times_input(olo_linear_step *x, int number, const double *y)
{
    const olo_action *action = by_input(x, number);
    double sum = 0;
    for (int i = 0; i < action->size; i++)
        sum += y[action->index[i]] * x->step.r[i];
    return sum;
}

/* --- variations of a state --- */

olo_status olo_linear_step_state(olo_linear_step *x, const olo_state *state, olo_error *error)
{
    olo_step *step = &x->step;
    size_t n = (size_t)x->system->n * sizeof *state->q;
    step->t = state->t;
    step->h = 0; /* the end is the state itself */
    step->state = x->state;
    memcpy(x->state->angles, state->angles,
           (size_t)x->system->joint_coordinate_count * sizeof *state->angles);
    memcpy(x->state->v, state->v, n);
    memcpy(step->q_end, state->q, n);
    memset(step->momentum, 0, n);
    memset(step->x.motion, 0, (size_t)x->system->twists * sizeof *step->x.motion);
    x->v_end = x->state->v;
    place_end_rows(x, state->v, false);
    step->h = 1; /* any will do for the scale of closures */
    return olo_reduced_linearise_end(x->ending, step, &x->scale, error);
}

void olo_linear_step_admit(olo_linear_step *x, double *dq, double *dv)
{
    olo_elimination *el = olo_reduced_elimination(x->ending);
    size_t n = (size_t)x->system->n * sizeof *x->x;
    olo_system_mass_times(x->system, dq, x->x);
    fill_right(x, el, x->step.q_end, -1.0, x->x);
    olo_elimination_solve(el);
    take_solution(x, el, x->step.q_end, x->scale, dq);
    memset(x->x, 0, n);
    add_mass(x, 1.0, dv, x->x);
    end_forward(x, dq, NULL, x->x, dv);
}

void olo_linear_step_admit_transposed(olo_linear_step *x, double *gq, double *gv)
{
    olo_elimination *el = olo_reduced_elimination(x->ending);
    end_adjoint(x, gv, gq, x->x, NULL);
    olo_system_mass_times(x->system, x->x, gv);
    fill_right(x, el, x->step.q_end, x->scale, gq);
    olo_elimination_solve_transposed(el);
    take_solution(x, el, x->step.q_end, -1.0, x->x);
    olo_system_mass_times(x->system, x->x, gq);
}
