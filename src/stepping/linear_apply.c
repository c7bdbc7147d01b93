/* What a linearised step does: from a variation of its start to that of its end, and the transpose,
 * also over bodies on hinges alone; the equations are in linear_step.h. */
#include "stepping/linear_step_private.h"

#include <string.h>

/* --- the projection at the end --- */

/* dv1 from the variation of the momentum, `eta` (changed), and dq1: M dv + G^T dmu = eta, G dv =
 * -(d G) v1 - rate. */
static void end_forward(olo_linear_step *x, const double *dq1, const double *rate, double *eta,
                        double *dv1)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->ending);
    const double *q = x->step.q_end;
    double *follow = x->y;
    olo_linear_rows_follow(&x->end, q, x->v_end, dq1, rate, follow);
    olo_linear_add_mass(x, -1.0, follow, eta);
    olo_linear_fill_right(x, el, q, -1.0, eta);
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
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
    olo_linear_take_solution(x, el, q, x->scale, dv1);
    for (int i = 0; i < s->n; i++)
        dv1[i] += follow[i];
}

/* The transpose: from gv on dv1 to `eta` and `rate` (written) and to what is added to gq1; gv is
 * changed. */
static void end_adjoint(olo_linear_step *x, double *gv, double *gq1, double *eta, double *rate)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->ending);
    const double *q = x->step.q_end;
    olo_linear_fill_right(x, el, q, x->scale, gv);
    olo_elimination_solve_transposed(el);
    olo_linear_take_solution(x, el, q, -1.0, eta);
    olo_linear_add_mass(x, -1.0, eta, gv);
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
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

/* The step itself: dq1 (written) from rho, which becomes F where that is wanted, and rows that
 * change at the end. Where these belong to the tree, dq1 is a displacement that takes them there
 * and a motion of the joints. */
static void solve_step(olo_linear_step *x, double *rho, const double *end, double *dq1)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double *open = x->w, a = 2 / x->step.h;
    if (end) {
        olo_linear_rows_open(&x->end, x->step.q_end, end, open);
        olo_linear_add_end(x, false, open, rho);
    }
    olo_linear_fill_right(x, el, olo_motion_left(&x->step.x), 1.0, rho);
    for (int i = 0; end && i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            olo_elimination_rhs(el, s->node_count + i)[j] =
                a * (end[c] + olo_row_times(s, c, olo_linear_row(&x->end, c), open));
        }
    }
    olo_elimination_solve(el);
    olo_linear_take_solution(x, el, x->step.x.q1, 1.0, dq1);
    if (x->turned)
        olo_linear_add_end(x, false, dq1, rho);
    for (int i = 0; end && i < s->n; i++)
        dq1[i] += open[i];
}

/* The transpose: y (written) from gq (changed). */
static void solve_step_transposed(olo_linear_step *x, double *gq, double *end, double *y)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double a = 2 / x->step.h;
    olo_linear_fill_right(x, el, x->step.x.q1, 1.0, gq);
    for (int i = 0; x->turned && i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++)
            olo_elimination_rhs(el, s->node_count + i)[j] = a * x->mu[closure->first + j];
    }
    olo_elimination_solve_transposed(el);
    olo_linear_take_solution(x, el, olo_motion_left(&x->step.x), 1.0, y);
    if (!end)
        return;
    olo_linear_add_end(x, true, y, gq);
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        const double *right = olo_elimination_twist(el, s->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            int c = closure->first + j;
            end[c] = a * right[j];
            olo_row_add(s, c, end[c], olo_linear_row(&x->end, c), gq);
        }
    }
    olo_linear_rows_open_transposed(&x->end, x->step.q_end, gq, end);
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
                             const olo_step_variation *change)
{
    int n = x->system->n;
    double *rho = x->x, *dq1 = x->y, a = 2 / x->step.h;
    for (int i = 0; i < n; i++)
        rho[i] = change->T ? change->T[i] : 0.0;
    olo_linear_add_mass(x, -2.0, dv, rho);
    olo_linear_add_start(x, false, dq, rho);
    solve_step(x, rho, gaps_of(x, dq, change->end), dq1);
    if (!x->projects) {
        for (int i = 0; i < n; i++) {
            dv[i] = a * (dq1[i] - dq[i]) - dv[i];
            dq[i] = dq1[i];
        }
        return;
    }
    double *eta = x->F;
    olo_linear_momentum_forward(x, dq, dq1, dv, rho, change, eta);
    memcpy(dq, dq1, (size_t)n * sizeof *dq);
    olo_linear_subtract_end_rows(x, dq, eta);
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

/* p1 = D2 L_d + f^+, with which the next step starts; v1, where somebody looks at it, is projected
 * from it. */
static void end_momentum_adjoint(olo_linear_step *x, double *gq, double *gv, double *gp,
                                 double *start, const olo_step_variation *change)
{
    const int n = x->system->n;
    double *eta = x->x;
    memset(start, 0, (size_t)n * sizeof *start);
    memset(eta, 0, (size_t)n * sizeof *eta);
    if (x->ended) {
        end_adjoint(x, gv, gq, eta, change->rate);
        olo_linear_subtract_end_rows(x, eta, gq);
    } else if (change->rate) {
        memset(change->rate, 0, (size_t)x->system->m * sizeof *change->rate);
    }
    copy_if(n, eta, change->v);
    add_to(n, gp, eta);
    copy_if(n, eta, change->p);
    olo_linear_momentum_adjoint(x, eta, gq, start);
    memset(gv, 0, (size_t)n * sizeof *gv);
    memset(gp, 0, (size_t)n * sizeof *gp);
}

/* The transpose: from the derivatives by the end to those by the start, in place. */
static void go_back(olo_linear_step *x, double *gq, double *gv, double *gp,
                    const olo_step_variation *change)
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
    olo_linear_add_start(x, true, y, gq);
    gaps_transposed(x, gq, change->end);
    if (x->turned)
        add_to(n, x->w, y);
    if (x->step.from_momentum)
        for (int i = 0; i < n; i++)
            gp[i] = -2 * y[i];
    else
        olo_linear_add_mass(x, -2.0, y, gv);
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
        olo_linear_add_mass(x, 0.5 * a, by->gp, G);
    for (int i = 0; i < n && !x->projects; i++)
        G[i] += a * by->gv[i];
}

/* Rows that change, beside a step back over hinges: what y leaves of G is theirs. Those at the end
 * may be `known`: the step after this one, which was gone back over before, has had them at its
 * start. */
static void rows_over_hinges(olo_linear_step *x, bool known, const double *y, double *G,
                             const olo_step_variation *change)
{
    if (known)
        olo_linear_rows_exchange(&x->over, &x->end);
    if (change->rate)
        memset(change->rate, 0, (size_t)x->system->m * sizeof *change->rate);
    x->scheme->balance(&x->step, NULL);
    olo_linear_balance_step(x);
    if (!known)
        olo_linear_place_end_rows(x, x->record->v1, true);
    x->at_start = x->projects;
    olo_linear_add_end(x, true, y, G);
    olo_linear_rows_open_transposed(&x->end, x->step.q_end, G, change->end);
}

/* Where bodies on hinges are all there is. False: the rest is to be done by the general way, since
 * something is singular, or since rows and the velocity change both. */
static bool back_over_hinges(olo_linear_step *x, const olo_step_record *record, bool *velocity,
                             const olo_hinges_adjoint *by, const olo_step_variation *change)
{
    const int n = x->system->n;
    if (x->rows && *velocity)
        return false;
    bool known = x->at_start && memcmp(record->q1, x->step.q0, (size_t)n * sizeof *record->q1) == 0;
    olo_linear_place(x, record);
    memcpy(olo_last_motion(x->state), record->motion,
           (size_t)x->system->twists * sizeof *record->motion);
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
        rows_over_hinges(x, known, by->y, x->F, change);
    return true;
}

olo_status olo_linear_step_back(olo_linear_step *x, const olo_step_record *record, double *gq,
                                double *gv, double *gp, const olo_step_variation *change,
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

/* --- variations of a state --- */

void olo_linear_step_admit(olo_linear_step *x, double *dq, double *dv)
{
    olo_elimination *el = olo_reduced_elimination(x->ending);
    size_t n = (size_t)x->system->n * sizeof *x->x;
    olo_system_mass_times(x->system, dq, x->x);
    olo_linear_fill_right(x, el, x->step.q_end, -1.0, x->x);
    olo_elimination_solve(el);
    olo_linear_take_solution(x, el, x->step.q_end, x->scale, dq);
    memset(x->x, 0, n);
    olo_linear_add_mass(x, 1.0, dv, x->x);
    end_forward(x, dq, NULL, x->x, dv);
}

void olo_linear_step_admit_transposed(olo_linear_step *x, double *gq, double *gv)
{
    olo_elimination *el = olo_reduced_elimination(x->ending);
    end_adjoint(x, gv, gq, x->x, NULL);
    olo_system_mass_times(x->system, x->x, gv);
    olo_linear_fill_right(x, el, x->step.q_end, x->scale, gq);
    olo_elimination_solve_transposed(el);
    olo_linear_take_solution(x, el, x->step.q_end, -1.0, x->x);
    olo_system_mass_times(x->system, x->x, gq);
}
