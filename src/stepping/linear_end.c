/* Velocities that satisfy linearised rows: the projection of momenta on the tree (reduced.c), and a
 * velocity that satisfies varied rows without it (linear_rows.h). */
#include "stepping/linear_end.h"

#include <string.h>

#include "base/fail.h"
#include "stepping/tree_assembly.h"

olo_status olo_linear_end_create(const olo_system *system, const olo_scheme *scheme,
                                 const olo_run *run, olo_pool *pool, olo_linear_end *x,
                                 olo_error *error)
{
    const size_t n = (size_t)system->n;
    const olo_array arrays[] = {{&x->follow, n}, {&x->work, n}};
    x->system = system;
    x->topology = system->topology;
    if (!olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays) ||
        !olo_linear_rows_create(x->topology, pool, &x->rows))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for linearised rows");
    return olo_treatment_reduced.create(system, scheme, run, &x->reduced, error);
}

void olo_linear_end_free(olo_linear_end *x)
{
    olo_treatment_reduced.free(x->reduced);
}

olo_status olo_linear_end_factor(olo_linear_end *x, olo_step *step, olo_error *error)
{
    x->q = step->q_end;
    const olo_status status = olo_reduced_linearise_end(x->reduced, step, &x->scale, error);
    x->closing = 2 / step->h / x->scale;
    return status;
}

void olo_linear_end_set_rows(olo_linear_end *x, const olo_at *at, const double *v,
                             const olo_interval *step)
{
    x->q = at->q;
    x->v = v;
    for (int i = 0; i < x->rows.count; i++) {
        const int c = x->rows.all[i];
        const olo_constraint *row = &x->system->constraints[c];
        if (step && row->type->velocity) {
            olo_condition_by_end(row, step, olo_linear_row(&x->rows, c));
            continue;
        }
        olo_constraint_gradient(row, at, olo_linear_row(&x->rows, c));
        if (v && row->curved)
            olo_rate_by_configuration(row, at, v, x->rows.follow + x->rows.offset[c]);
    }
    olo_linear_rows_factor(&x->rows, at->q);
}

void olo_linear_end_forward(olo_linear_end *x, const double *dq, const double *rate, double *eta,
                            double *dv)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    double *follow = x->follow;
    /* eta - M b with a velocity b that satisfies the rows of the tree */
    olo_linear_rows_follow(&x->rows, x->q, x->v, dq, rate, follow);
    olo_system_mass_times(s, follow, x->work);
    for (int i = 0; i < s->n; i++)
        eta[i] -= x->work[i];
    olo_tree_set_right(x->topology, el, x->q, -1.0, eta);
    for (int u = 0; u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        *olo_closure_right(x->topology, el, u) =
            x->closing *
            (olo_row_times(s, c, x->rows.follow + x->rows.offset[c], dq) +
             olo_row_times(s, c, olo_linear_row(&x->rows, c), follow) + (rate ? rate[c] : 0.0));
    }
    olo_elimination_solve_symmetric_again(el);
    olo_tree_get_motion(x->topology, el, x->q, x->scale, dv);
    for (int i = 0; i < s->n; i++)
        dv[i] += follow[i];
}

void olo_linear_end_adjoint(olo_linear_end *x, double *gv, double *gq, double *eta, double *rate)
{
    const olo_system *s = x->system;
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    olo_tree_set_right(x->topology, el, x->q, x->scale, gv);
    olo_elimination_solve_symmetric_again(el);
    olo_tree_get_motion(x->topology, el, x->q, -1.0, eta);
    olo_system_mass_times(s, eta, x->work);
    for (int i = 0; i < s->n; i++)
        gv[i] -= x->work[i];
    for (int u = 0; u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        const double gap = x->closing * olo_closure_solution(x->topology, el, u);
        olo_row_add(s, c, gap, x->rows.follow + x->rows.offset[c], gq);
        olo_row_add(s, c, gap, olo_linear_row(&x->rows, c), gv);
        if (rate)
            rate[c] = gap;
    }
    olo_linear_rows_follow_transposed(&x->rows, x->q, x->v, gv, gq, rate);
}

void olo_linear_end_project(olo_linear_end *x, double *dq)
{
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    olo_system_mass_times(x->system, dq, x->work);
    olo_tree_set_right(x->topology, el, x->q, -1.0, x->work);
    olo_elimination_solve_symmetric_again(el);
    olo_tree_get_motion(x->topology, el, x->q, x->scale, dq);
}

void olo_linear_end_project_transposed(olo_linear_end *x, double *gq)
{
    olo_elimination *el = olo_reduced_elimination(x->reduced);
    olo_tree_set_right(x->topology, el, x->q, x->scale, gq);
    olo_elimination_solve_symmetric_again(el);
    olo_tree_get_motion(x->topology, el, x->q, -1.0, x->work);
    olo_system_mass_times(x->system, x->work, gq);
}
