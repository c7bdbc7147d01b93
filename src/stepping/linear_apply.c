/* Application of the linearised step: takes a variation of its start to that of its end, and the
 * transpose, with special code for packs of bodies; the equations are in linear_step.h. */
#include "stepping/linear_step_private.h"

#include <string.h>

#include "stepping/tree_assembly.h"

/* --- the step --- */

/* Solves for dq1 from rho, which becomes F if that is needed, and from the variation `end` of rows
 * at the end. If rows of the tree vary, dq1 is the sum of a displacement that satisfies these rows
 * and a motion of the joints. */
static void solve_step(olo_linear_step *x, double *rho, const double *end, double *dq1)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double *shift = x->w, a = 2 / x->step.h;
    if (end) {
        olo_linear_rows_displace(&x->end.rows, x->step.q_end, end, shift);
        olo_linear_add_end(x, false, shift, rho);
    }
    olo_tree_set_right(x->topology, el, olo_motion_left(&x->step.x), 1.0, rho);
    for (int u = 0; end && u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        *olo_closure_right(x->topology, el, u) =
            a * (end[c] + olo_row_times(s, c, olo_linear_row(&x->end.rows, c), shift));
    }
    olo_elimination_solve(el);
    olo_tree_get_motion(x->topology, el, x->step.x.q1, 1.0, dq1);
    if (x->turned)
        olo_linear_add_end(x, false, dq1, rho);
    for (int i = 0; end && i < s->n; i++)
        dq1[i] += shift[i];
}

/* The transpose: y from gq, which is overwritten. */
static void solve_step_transposed(olo_linear_step *x, double *gq, double *end, double *y)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double a = 2 / x->step.h;
    olo_tree_set_right(x->topology, el, x->step.x.q1, 1.0, gq);
    for (int u = 0; x->turned && u < x->topology->closure_count; u++)
        *olo_closure_right(x->topology, el, u) = a * x->mu[x->topology->closures[u]];
    olo_elimination_solve_transposed(el);
    olo_tree_get_motion(x->topology, el, olo_motion_left(&x->step.x), 1.0, y);
    if (!end)
        return;
    olo_linear_add_end(x, true, y, gq);
    for (int u = 0; u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        end[c] = a * olo_closure_solution(x->topology, el, u);
        olo_row_add(s, c, end[c], olo_linear_row(&x->end.rows, c), gq);
    }
    olo_linear_rows_displace_transposed(&x->end.rows, x->step.q_end, gq, end);
}

/* The variation of rows at the end; that of velocity rows depends also on the start. */
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
        x->gap[c] += olo_row_times(x->system, c, x->over.follow + x->over.offset[c], dq);
    }
    return x->gap;
}

/* The transpose, from x->gap of solve_step_transposed. */
static void gaps_transposed(const olo_linear_step *x, double *gq, double *end)
{
    for (int i = 0; i < x->rolling_count; i++) {
        int c = x->rolling[i];
        olo_row_add(x->system, c, x->gap[c], x->over.follow + x->over.offset[c], gq);
    }
    if (x->rolling_count > 0 && end)
        memcpy(end, x->gap, (size_t)x->system->m * sizeof *end);
}

void olo_linear_step_forward(olo_linear_step *x, double *dq, double *dv,
                             const olo_step_variation *change)
{
    int n = x->system->n;
    double *rho = x->x, *dq1 = x->y, a = 2 / x->step.h;
    if (x->rates) {
        olo_linear_rates_forward(x->rates, change, dq, dv);
        return;
    }
    /* rho = [DT/Dq0 + sum mu_i Dd_i/Dq0] dq - 2 M dv, and the variation of T */
    for (int i = 0; i < n; i++)
        rho[i] = change->T ? change->T[i] : 0.0;
    olo_linear_add_mass(x, -2.0, dv, rho);
    olo_linear_add_start(x, false, dq, rho);
    solve_step(x, rho, gaps_of(x, dq, change->end), dq1);
    /* energy-momentum-2006: dv1 = (2/h)(dq1 - dq0) - dv0 */
    if (!x->projects) {
        for (int i = 0; i < n; i++) {
            dv[i] = a * (dq1[i] - dq[i]) - dv[i];
            dq[i] = dq1[i];
        }
        return;
    }
    /* variational: momentum at the end, then its projection */
    double *eta = x->F;
    olo_linear_momentum_forward(x, dq, dq1, dv, rho, change, eta);
    memcpy(dq, dq1, (size_t)n * sizeof *dq);
    olo_linear_subtract_end_rows(x, dq, eta);
    olo_linear_end_forward(&x->end, dq, change->rate, eta, dv);
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

/* v1 = (2/h)(q1 - q0) - v0: gv becomes the derivative with respect to v0, `start` that to q0 */
static void velocity_adjoint(const olo_linear_step *x, double *gq, double *gv, double *start)
{
    const double a = 2 / x->step.h;
    for (int i = 0; i < x->system->n; i++) {
        gq[i] += a * gv[i];
        start[i] = -a * gv[i];
        gv[i] = -gv[i];
    }
}

/* The transpose of p1 = D2 L_d + f^+, from which the next step starts, and of the projection to v1
 * if that is read. */
static void end_momentum_adjoint(olo_linear_step *x, double *gq, double *gv, double *gp,
                                 double *start, const olo_step_variation *change)
{
    const int n = x->system->n;
    double *eta = x->x;
    memset(start, 0, (size_t)n * sizeof *start);
    memset(eta, 0, (size_t)n * sizeof *eta);
    if (x->ended) {
        olo_linear_end_adjoint(&x->end, gv, gq, eta, change->rate);
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

/* The transpose of the step: from the derivatives with respect to the end to those with respect to
 * the start; overwrites them. */
static void apply_transposed(olo_linear_step *x, double *gq, double *gv, double *gp,
                             const olo_step_variation *change)
{
    int n = x->system->n;
    double *y = x->x, *start = x->y;
    /* velocity or momentum at the end */
    if (x->projects)
        end_momentum_adjoint(x, gq, gv, gp, start, change);
    else
        velocity_adjoint(x, gq, gv, start);
    /* y of the balance */
    solve_step_transposed(x, gq, x->rolling_count > 0 ? x->gap : change->end, y);
    if (x->turned)
        add_to(n, x->F, y);
    /* derivatives with respect to the start */
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

/* --- the transpose for packs of bodies --- */

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Takes the derivative with respect to the velocity at the end to those with respect to
 * configuration and momentum there. */
static bool velocity_over_packs(olo_linear_step *x, const olo_step_record *record,
                                const olo_packs_adjoint *by, double *w)
{
    const olo_packs_velocity of = {
        .v = record->v1, .p = record->p1, .gv = by->gv, .gq = by->gq, .gp = by->gp, .w = w};
    if (!record->p1 || !olo_linear_packs_velocity(x->packs, &x->step, &of))
        return false;
    memset(by->gv, 0, (size_t)x->system->n * sizeof *by->gv);
    return true;
}

/* The total derivative with respect to q1: G[n] = gq and the contribution of velocity or momentum.
 */
static void gather_end(olo_linear_step *x, const olo_packs_adjoint *by, double *G)
{
    const double a = 2 / x->step.h;
    const int n = x->system->n;
    memcpy(G, by->gq, (size_t)n * sizeof *G);
    if (x->projects)
        olo_linear_add_mass(x, 0.5 * a, by->gp, G);
    for (int i = 0; i < n && !x->projects; i++)
        G[i] += a * by->gv[i];
}

/* Derivatives with respect to rows, after a backward step over packs: they balance the remaining
 * part of G after y. The rows at the end are `known` if the backward sweep has just computed them
 * as the rows at the start of the next step. */
static void rows_over_packs(olo_linear_step *x, bool known, const double *y, double *G,
                            const olo_step_variation *change)
{
    if (known)
        olo_linear_rows_exchange(&x->over, &x->end.rows);
    if (change->rate)
        memset(change->rate, 0, (size_t)x->system->m * sizeof *change->rate);
    x->scheme->balance(&x->step, NULL);
    olo_linear_balance_step(x);
    if (!known)
        olo_linear_set_end_rows(x);
    x->at_start = x->projects;
    olo_linear_add_end(x, true, y, G);
    olo_linear_rows_displace_transposed(&x->end.rows, x->step.q_end, G, change->end);
}

/* The same where only rows vary that fix points: each balances one force. */
static void points_over_packs(olo_linear_step *x, const olo_step_variation *change)
{
    for (int i = 0; i < x->point_count; i++) {
        const olo_point_row *point = &x->points[i];
        x->over.mu[point->row] = -x->force[point->force] / point->entry;
        change->end[point->row] = -x->end_force[point->force] / point->entry;
        if (change->rate)
            change->rate[point->row] = 0;
    }
}

/* The transpose for packs of bodies. Returns false if the general code must complete the step: a
 * block is singular, or rows and the velocity vary both. */
static bool back_over_packs(olo_linear_step *x, const olo_step_record *record, bool *velocity,
                            const olo_packs_adjoint *by, const olo_step_variation *change)
{
    const int n = x->system->n;
    const bool all_rows = x->rows && x->point_count == 0;
    if (x->rows && *velocity)
        return false;
    bool known = x->at_start && memcmp(record->q1, x->step.q0, (size_t)n * sizeof *record->q1) == 0;
    olo_linear_set_record(x, record);
    memcpy(olo_last_motion(x->state), record->motion,
           (size_t)x->system->twists * sizeof *record->motion);
    if (x->projects && change->v)
        memset(change->v, 0, (size_t)n * sizeof *change->v);
    if (*velocity && !velocity_over_packs(x, record, by, change->v))
        return false;
    *velocity = false;
    if (x->projects)
        copy_if(n, by->gp, change->p);
    if (all_rows)
        gather_end(x, by, x->F);
    if (!olo_linear_packs_back(x->packs, &x->step, by))
        return false;
    if (all_rows)
        rows_over_packs(x, known, by->y, x->F, change);
    else
        points_over_packs(x, change);
    return true;
}

olo_status olo_linear_step_back(olo_linear_step *x, const olo_step_record *record, double *gq,
                                double *gv, double *gp, const olo_step_variation *change,
                                olo_error *error)
{
    bool velocity = x->projects && !is_zero(x->system->n, gv);
    const bool points = x->point_count > 0 && change->end;
    const olo_packs_adjoint by = {.gq = gq,
                                  .gv = gv,
                                  .gp = gp,
                                  .y = change->T,
                                  .motion = change->T != NULL,
                                  .force = points ? x->force : NULL,
                                  .end_force = x->end_force};
    if (x->packs && back_over_packs(x, record, &velocity, &by, change))
        return OLO_OK;
    olo_status status = olo_linear_step_at(x, record, velocity, error);
    if (status == OLO_OK && x->rates)
        olo_linear_rates_back(x->rates, gq, gv, change);
    else if (status == OLO_OK)
        apply_transposed(x, gq, gv, gp, change);
    return status;
}

/* --- variations of a state --- */

void olo_linear_step_admit(olo_linear_step *x, double *dq, double *dv)
{
    olo_linear_end_project(&x->end, dq);
    olo_system_mass_times(x->system, dv, x->x);
    olo_linear_end_forward(&x->end, dq, NULL, x->x, dv);
}

void olo_linear_step_admit_transposed(olo_linear_step *x, double *gq, double *gv)
{
    olo_linear_end_adjoint(&x->end, gv, gq, x->x, NULL);
    olo_system_mass_times(x->system, x->x, gv);
    olo_linear_end_project_transposed(&x->end, gq);
}
