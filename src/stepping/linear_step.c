/* The linearised step: creation and linearisation; see the header. */
#include "stepping/linear_step_private.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/small.h"

/* --- creation --- */

/* Refuses treatments and forces without derivatives. */
static olo_status refuse(const olo_system *s, const olo_run *run, olo_error *error)
{
    const olo_treatment *treatment = olo_treatment_find(run->constraints);
    if (!treatment || !treatment->recorded)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "derivatives of runs need exact constraints, and '%s' permits "
                        "errors: take reduced, multipliers or projected",
                        run->constraints);
    const olo_scheme *scheme = olo_scheme_find(run->scheme);
    if (scheme && scheme->contact)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "derivatives of runs are not available with the scheme %s: impacts and "
                        "changes of contacts have no derivatives",
                        run->scheme);
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->motion_tangent)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "%s: a force by a C function has no derivatives unless its "
                            "`derivatives` are given, too",
                            s->actions[i].owner);
    return OLO_OK;
}

/* Terms and actions with a tangent; memory for the matrices of the latter. */
static bool plan_pieces(olo_linear_step *x)
{
    const olo_system *s = x->system;
    size_t size = 0;
    x->term = olo_pool_alloc(&x->pool, (size_t)s->term_count, sizeof *x->term);
    x->piece = olo_pool_alloc(&x->pool, (size_t)s->action_count, sizeof *x->piece);
    x->offset = olo_pool_alloc(&x->pool, (size_t)s->action_count, sizeof *x->offset);
    if (x->pool.failed)
        return false;
    for (int i = 0; i < s->term_count + s->action_count; i++) {
        if (!olo_piece_has_tangent(s, i))
            continue;
        if (i < s->term_count) {
            x->term[x->term_count++] = i;
            continue;
        }
        x->piece[x->pieces] = i;
        x->offset[x->pieces++] = size;
        size += (size_t)(olo_piece_size(s, i) * olo_piece_size(s, i));
    }
    x->terms = olo_pool_alloc(&x->pool, (size_t)x->term_count, sizeof *x->terms);
    const olo_array matrices[] = {{&x->K0, size}, {&x->K1, size}, {&x->D0, size}, {&x->D1, size}};
    return x->terms && olo_pool_arrays(&x->pool, matrices, sizeof matrices / sizeof *matrices);
}

static bool list_rolling(olo_linear_step *x)
{
    const olo_system *s = x->system;
    x->rolling = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->rolling);
    x->gap = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->gap);
    for (int c = 0; x->rolling && c < s->m; c++)
        if (s->constraints[c].type->velocity)
            x->rolling[x->rolling_count++] = c;
    olo_linear_step_need_rows(x, NULL);
    return x->rolling && x->gap;
}

static bool list_curved(olo_linear_step *x)
{
    const olo_system *s = x->system;
    x->curved = olo_pool_alloc(&x->pool, (size_t)s->m, sizeof *x->curved);
    for (int i = 0; x->curved && i < x->over.count; i++)
        if (s->constraints[x->over.all[i]].curved)
            x->curved[x->curved_count++] = x->over.all[i];
    return x->curved != NULL;
}

static bool allocate(olo_linear_step *x)
{
    size_t n = (size_t)x->system->n;
    const olo_array arrays[] = {{&x->x, n},
                                {&x->y, n},
                                {&x->z, n},
                                {&x->w, n},
                                {&x->F, n},
                                {&x->mu, (size_t)x->system->m},
                                {&x->force, 3 * (size_t)x->system->node_count},
                                {&x->end_force, 3 * (size_t)x->system->node_count},
                                {&x->Lambda, 9 * (size_t)x->system->node_count}};
    x->points = olo_pool_alloc(&x->pool, (size_t)x->system->m, sizeof *x->points);
    return x->points && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
           olo_linear_rows_create(x->topology, &x->pool, &x->over) && plan_pieces(x) &&
           list_curved(x) && list_rolling(x);
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
    x->step.evaluation = x->scheme->evaluation;
    const olo_treatment *treatment = &olo_treatment_reduced;
    status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK)
        status = olo_state_create(system, &x->state, error);
    if (status == OLO_OK)
        status = treatment->create(system, x->scheme, run, &x->reduced, error);
    if (status == OLO_OK)
        status = olo_linear_end_create(system, x->scheme, run, &x->pool, &x->end, error);
    if (status == OLO_OK) {
        x->topology = system->topology;
        if (!allocate(x))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the derivatives of a step");
        x->turned = x->projects && x->pieces + x->term_count > 0;
    }
    if (status == OLO_OK && x->scheme->consistent)
        status = olo_linear_rates_create(system, x->scheme, run, &x->rates, error);
    if (status == OLO_OK && !x->scheme->consistent)
        status = olo_linear_packs_create(system, x->scheme, x->topology, OLO_PACKS_BEST, &x->packs,
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
    olo_linear_end_free(&x->end);
    olo_linear_packs_free(x->packs);
    olo_linear_rates_free(x->rates);
    olo_state_free(x->state);
    olo_step_free(&x->step);
    olo_pool_free(&x->pool);
    olo_free(x);
}

void olo_linear_step_disable_packs(olo_linear_step *x)
{
    olo_linear_packs_free(x->packs);
    x->packs = NULL;
}

void olo_linear_step_need_rows(olo_linear_step *x, const bool *wanted)
{
    int count = 0;
    for (int c = 0; wanted && c < x->system->m; c++)
        count += wanted[c];
    x->rows = count > 0 || x->rolling_count > 0;
    x->point_count = count > 0 ? olo_linear_rows_points(&x->over, wanted, x->points) : 0;
    if (x->point_count < count)
        x->point_count = 0;
}

/* --- linearisation --- */

void olo_linear_set_record(olo_linear_step *x, const olo_step_record *record)
{
    olo_step *step = &x->step;
    x->record = record;
    x->at_start = false;
    x->v_end = record->v1;
    step->t = record->t;
    step->h = record->h;
    step->state = x->state;
    memcpy(x->state->angles, record->angles,
           (size_t)x->system->joint_coordinate_count * sizeof *record->angles);
    size_t n = (size_t)x->system->n * sizeof *record->q0;
    memcpy(step->q0, record->q0, n);
    memcpy(step->v0, record->v0, n);
    step->from_momentum = record->from_momentum;
    if (record->from_momentum)
        memcpy(step->Mv0, record->p0, n);
    memcpy(step->q_end, record->q1, n);
    if (record->remainder)
        memcpy(x->state->q_remainder, record->remainder, n);
    step->inputs = record->inputs;
    step->x.q0 = step->q0;
    step->x.left = x->scheme->evaluation.at_start ? step->q0 : NULL;
}

/* D = h/2 df^+/dq - h/2 df^-/dq, from K = -h df^-/dq */
static void fill_node_forces(olo_linear_step *x, int i)
{
    const int piece = x->piece[i], size = olo_piece_size(x->system, piece);
    const olo_interval end = olo_step_actions(&x->step, true);
    const size_t at = x->offset[i];
    olo_piece_tangents(x->system, &x->scheme->evaluation, piece, &end, x->D0 + at, x->D1 + at);
    for (size_t k = at; k < at + (size_t)(size * size); k++) {
        x->D0[k] = 0.5 * (x->step.h * x->D0[k] + x->K0[k]);
        x->D1[k] = 0.5 * (x->step.h * x->D1[k] + x->K1[k]);
    }
}

/* Terms, and the matrices of actions: dT/dq0, and dT/dq1 if it is needed. */
static void linearise_pieces(olo_linear_step *x)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_step_interval(&x->step),
                       actions = olo_step_actions(&x->step, false);
    const bool end = x->projects || x->rows;
    for (int i = 0; i < x->term_count; i++)
        olo_term_linearise(&s->terms[x->term[i]], &over, x->scheme->evaluation.midpoint,
                           &x->terms[i]);
    for (int i = 0; i < x->pieces; i++) {
        const int piece = x->piece[i], size = olo_piece_size(s, piece);
        double *K0 = x->K0 + x->offset[i], *K1 = end ? x->K1 + x->offset[i] : NULL;
        olo_piece_tangents(s, &x->scheme->evaluation, piece, &actions, K0, K1);
        small_scale(size * size, -x->step.h, K0);
        if (end)
            small_scale(size * size, -x->step.h, K1);
        if (x->scheme->evaluation.at_nodes)
            fill_node_forces(x, i);
    }
}

void olo_linear_balance_step(olo_linear_step *x)
{
    const olo_system *s = x->system;
    const double *left = olo_motion_left(&x->step.x);
    for (int i = 0; i < x->over.count; i++) {
        const int c = x->over.all[i];
        olo_step_row(&x->step, &s->constraints[c], olo_linear_row(&x->over, c), NULL);
    }
    for (int u = 0; u < x->topology->closure_count; u++)
        x->over.mu[x->topology->closures[u]] = 2 / x->step.h * x->record->lambda[u];
    olo_linear_rows_factor(&x->over, left);
    memcpy(x->x, x->step.T, (size_t)s->n * sizeof *x->x);
    olo_linear_rows_multipliers(&x->over, left, x->x, x->over.mu, x->over.Lambda);
}

void olo_linear_set_end_rows(olo_linear_step *x)
{
    const olo_at end = olo_step_solved_end(&x->step);
    const olo_interval over = olo_step_interval(&x->step);
    olo_linear_end_set_rows(&x->end, &end, x->projects ? x->v_end : NULL, &over);
    for (int i = 0; i < x->rolling_count; i++) {
        const int c = x->rolling[i];
        olo_condition_first(&x->system->constraints[c], &over, OLO_SLOT_Q0,
                            x->over.follow + x->over.offset[c]);
    }
}

/* Projects the momentum at the end, with factors for other right-hand sides. */
static olo_status project_end(olo_linear_step *x, olo_error *error)
{
    olo_step *step = &x->step;
    if (x->projected == x->record)
        return OLO_OK;
    if (x->record->p1)
        memcpy(step->momentum, x->record->p1, (size_t)x->system->n * sizeof *step->momentum);
    else
        x->scheme->momentum(step);
    return olo_linear_end_factor(&x->end, step, error);
}

/* Computes the multipliers of all rows at the end: M v1 - p = -sum mu_i grad g_i(q1). */
static olo_status balance_end(olo_linear_step *x, olo_error *error)
{
    const olo_system *s = x->system;
    olo_step *step = &x->step;
    olo_status status = project_end(x, error);
    if (status != OLO_OK)
        return status;
    olo_system_mass_times(s, x->record->v1, x->x);
    for (int i = 0; i < s->n; i++)
        x->x[i] -= step->momentum[i];
    olo_linear_set_end_rows(x);
    for (int i = 0; i < x->topology->closure_count; i++) {
        int c = x->topology->closures[i];
        double mu = 0.5 * step->h * x->record->closing[i];
        x->end.rows.mu[c] = mu;
        olo_row_add(s, c, mu, olo_linear_row(&x->end.rows, c), x->x);
    }
    olo_linear_rows_multipliers(&x->end.rows, step->q_end, x->x, x->end.rows.mu,
                                x->end.rows.Lambda);
    return OLO_OK;
}

bool olo_linear_step_may_project(const olo_linear_step *x)
{
    return x->projects && !x->packs;
}

olo_status olo_linear_step_project(olo_linear_step *x, const olo_step_record *record, double *v,
                                   olo_error *error)
{
    x->projected = NULL;
    olo_linear_set_record(x, record);
    const olo_status status = project_end(x, error);
    if (status != OLO_OK)
        return status;
    x->projected = record;
    memcpy(v, x->step.v1, (size_t)x->system->n * sizeof *v);
    for (int i = 0; i < x->topology->closure_count; i++)
        record->closing[i] = x->step.lambda_end[x->topology->closures[i]];
    return OLO_OK;
}

olo_status olo_linear_step_at(olo_linear_step *x, const olo_step_record *record, bool velocity,
                              olo_error *error)
{
    olo_linear_set_record(x, record);
    x->ended = x->projects && velocity;
    if (x->rates) {
        memcpy(olo_last_motion(x->state), record->motion,
               (size_t)x->system->twists * sizeof *record->motion);
        return olo_linear_rates_at(x->rates, &x->step, record->v1, x->over.mu, &x->gamma, error);
    }
    olo_status status =
        olo_reduced_linearise(x->reduced, &x->step, record->motion, record->lambda, error);
    if (status == OLO_OK) {
        linearise_pieces(x);
        olo_linear_balance_step(x);
        if (x->rows && !x->ended)
            olo_linear_set_end_rows(x);
        if (x->ended)
            status = balance_end(x, error);
    }
    x->projected = NULL;
    return status;
}

/* --- a state instead of a step --- */

olo_status olo_linear_step_state(olo_linear_step *x, const olo_state *state, olo_error *error)
{
    olo_step *step = &x->step;
    size_t n = (size_t)x->system->n * sizeof *state->q;
    x->projected = NULL;
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
    const olo_at end = olo_step_solved_end(step);
    olo_linear_end_set_rows(&x->end, &end, x->v_end, NULL);
    step->h = 1; /* any value serves as scale of the closures */
    return olo_linear_end_factor(&x->end, step, error);
}
