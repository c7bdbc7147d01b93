/* The variation of the momentum at the end of a step of the variational scheme,
 *
 *     p1 = M dq/h - h/2 dV + h/2 f^+.
 *
 * If a step does not resolve a stiff mode, the variation of this expression is a small difference
 * of large forces. The balance
 *
 *     T = 2 M dq/h - 2 p0 + h dV - h f^- = -sum mu_i grad g_i(q0)
 *
 * gives, except for multiples of the gradients at q1, which the projection removes,
 *
 *     p1 = 2 M dq/h - p0 - 1/2 sum mu_i (grad g_i(q1) - grad g_i(q0)) + h/2 (f^+ - f^-).
 *
 * Here forces are multiplied by the rotation of the gradients over the step. The same holds for its
 * variation, with F = dT + sum mu_i Hess g_i(q0) dq0 = -sum dmu_i grad g_i(q0). */
#include "stepping/linear_step_private.h"

#include <string.h>

#include "stepping/tree_assembly.h"

/* turn (local) = grad g(q1) - grad g(q0) of a row */
static void turn_of(olo_linear_step *x, const olo_constraint *row, double *turn)
{
    double start[OLO_FORM_SIZE_MAX];
    if (row->form) {
        olo_constraint_gather(row, x->step.x.dq, start);
        olo_form_hessian_times(row->form, start, turn);
        return;
    }
    olo_at before = olo_step_start(&x->step), after = olo_step_solved_end(&x->step);
    olo_constraint_gradient(row, &before, start);
    olo_constraint_gradient(row, &after, turn);
    for (int i = 0; i < row->size; i++)
        turn[i] -= start[i];
}

/* eta += 1/2 sum dmu_i (grad g_i(q0) - grad g_i(q1)), from F, which is overwritten, and the
 * multipliers of closures, which are part of the solution. */
static void add_turned(olo_linear_step *x, double *F, double *eta)
{
    const olo_system *s = x->system;
    const olo_elimination *el = olo_reduced_elimination(x->reduced);
    double turn[OLO_FORM_SIZE_MAX];
    for (int u = 0; u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        x->mu[c] = 2 / x->step.h * olo_closure_solution(x->topology, el, u);
        olo_row_add(s, c, x->mu[c], olo_linear_row(&x->over, c), F);
    }
    olo_linear_rows_multipliers(&x->over, x->step.q0, F, x->mu, x->Lambda);
    for (int b = 0; b < x->curved_count; b++) {
        turn_of(x, &s->constraints[x->curved[b]], turn);
        olo_row_add(s, x->curved[b], -0.5 * x->mu[x->curved[b]], turn, eta);
    }
    olo_frames_add(s, x->Lambda, -0.5, x->step.x.dq, eta);
}

/* The transpose: writes F from eta, and the right-hand sides of closures to x->mu. */
static void add_turned_transposed(olo_linear_step *x, const double *eta, double *F)
{
    const olo_system *s = x->system;
    double turn[OLO_FORM_SIZE_MAX];
    memset(x->mu, 0, (size_t)s->m * sizeof *x->mu);
    for (int b = 0; b < x->curved_count; b++) {
        turn_of(x, &s->constraints[x->curved[b]], turn);
        x->mu[x->curved[b]] = -0.5 * olo_row_times(s, x->curved[b], turn, eta);
    }
    for (int k = 0; k < s->node_count; k++) {
        const olo_node_type *type = s->nodes[k].type;
        const int first = s->nodes[k].q + type->directors;
        if (type->rows)
            type->rows->hessian_transposed(-0.5, eta + first, x->step.x.dq + first,
                                           x->Lambda + OLO_NODE_MULTIPLIERS * (size_t)k);
    }
    olo_linear_rows_multipliers_transposed(&x->over, x->step.q0, x->mu, x->Lambda, F, x->z);
    for (int i = 0; i < x->topology->closure_count; i++) {
        int c = x->topology->closures[i];
        x->mu[c] += olo_row_times(s, c, olo_linear_row(&x->over, c), F);
    }
}

void olo_linear_momentum_forward(olo_linear_step *x, const double *dq, const double *dq1,
                                 double *dv, double *F, const olo_step_variation *change,
                                 double *eta)
{
    int n = x->system->n;
    double a = (x->turned ? 2 : 1) / x->step.h;
    memset(eta, 0, (size_t)n * sizeof *eta);
    if (x->turned)
        olo_linear_add_start_rows(x, false, dq, eta);
    for (int i = 0; i < n; i++) {
        double T = x->turned && change->T ? change->T[i] : 0.0;
        eta[i] = 0.5 * (eta[i] + T) + (change->p ? change->p[i] : 0.0);
        dv[i] = a * (dq1[i] - dq[i]) - (x->turned ? dv[i] : 0.0);
    }
    olo_linear_add_mass(x, 1.0, dv, eta);
    if (x->turned) {
        olo_linear_add_node_forces(x, 0, false, dq, eta);
        olo_linear_add_node_forces(x, 1, false, dq1, eta);
        add_turned(x, F, eta);
    }
}

void olo_linear_momentum_adjoint(olo_linear_step *x, const double *eta, double *gq, double *start)
{
    double a = (x->turned ? 2 : 1) / x->step.h, *half = x->w;
    olo_system_mass_times(x->system, eta, x->z);
    for (int i = 0; i < x->system->n; i++) {
        gq[i] += a * x->z[i];
        start[i] -= a * x->z[i];
    }
    if (!x->turned)
        return;
    olo_linear_add_node_forces(x, 0, true, eta, start);
    olo_linear_add_node_forces(x, 1, true, eta, gq);
    for (int i = 0; i < x->system->n; i++)
        half[i] = 0.5 * eta[i];
    olo_linear_add_start_rows(x, true, half, start);
    add_turned_transposed(x, eta, x->F);
    olo_linear_add_end(x, true, x->F, gq);
}
