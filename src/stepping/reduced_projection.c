/* Projection of the momentum at the end of a step in the treatment `reduced`, for schemes with
 * momenta (variational): the velocity that satisfies the constraints has the same momentum along
 * the null space,
 *
 *     P(q1)^T M P(q1) nu = P(q1)^T p,   v1 = P(q1) nu.
 *
 * This is a solve with the mass matrix on the tree of the step; closures and prescribed motions are
 * rows G v1 = -dg/dt with multipliers. */
#include <math.h>

#include "base/fail.h"
#include "linalg/vec3.h"
#include "stepping/reduced_private.h"

/* Adds rows and columns (2/h) grad g, and the rates of prescribed motions; the scaling of
 * multipliers is that of a step. */
static void add_end_closures(reduced *x, olo_step *step)
{
    double a = 2 / step->h;
    const olo_system *s = x->system;
    olo_at end = olo_step_solved_end(step);
    for (int u = 0; u < x->topology->closure_count; u++) {
        const olo_constraint *c = &s->constraints[x->topology->closures[u]];
        const int piece = olo_piece_of_constraint(s, x->topology->closures[u]);
        olo_constraint_gradient(c, &end, step->r);
        olo_projector_add_column(x->projector, piece, a, step->r, end.q);
        olo_projector_add_row(x->projector, piece, a, step->r, end.q);
        *olo_closure_right(x->topology, x->elimination, u) =
            a * olo_constraint_motion_rate(c, end.t) / x->mass_factor;
    }
}

/* v1 = -P_int dt times the scale of the mass; the sign is that of the elimination, which solves K
 * dt + w = 0. */
static void write_end(reduced *x, olo_step *step)
{
    const double a = 2 / step->h;
    olo_tree_get_motion(x->topology, x->elimination, step->q_end, -x->mass_factor, step->v1);
    for (int u = 0; u < x->topology->closure_count; u++)
        step->lambda_end[x->topology->closures[u]] =
            -a * a * olo_closure_solution(x->topology, x->elimination, u);
}

static olo_status fail_massless(const reduced *x, int block, olo_status status, olo_error *error)
{
    return olo_fail(error, status, "the mass matrix is singular at '%s'",
                    block < x->system->node_count ? x->system->nodes[block].name : "a closure");
}

/* Assembles P^T M P nu = P^T p at the end; dt is nu divided by the scale of the mass, so that
 * closures have nearly the same scale as in a step. */
static void assemble_end(reduced *x, olo_step *step)
{
    const olo_motion end = {.q0 = step->q_end,
                            .dq = step->x.dq,
                            .qm = step->q_end,
                            .q1 = step->q_end,
                            .motion = step->x.motion,
                            .u = step->x.u,
                            .constants = step->x.constants};
    olo_motion_begin(x->topology, &end);
    olo_elimination_clear(x->elimination);
    x->mass_factor = mass_scale(x, step->h);
    olo_projector_add_mass(x->projector, x->mass_factor, end.q1, end.q1);
    fill_nodes(x, &end, step->momentum, false);
    for (int k = 0; k < x->system->node_count; k++)
        fill_blocks(x, &end, NULL, k, false);
    add_end_closures(x, step);
    x->rank_known = false; /* the projection finds redundant rows of its own */
}

/* The smallest compliance of independent closures; steps may go backward. */
static double end_compliance(const reduced *x, const olo_step *step)
{
    return x->redundant ? 2 / fabs(step->h) * x->compliance : 0;
}

/* The projection and its factors, for other right-hand sides; the matrix is symmetric. */
olo_status olo_reduced_linearise_end(void *data, olo_step *step, double *scale, olo_error *error)
{
    reduced *x = data;
    int block = 0;
    assemble_end(x, step);
    *scale = x->mass_factor;
    olo_status status =
        olo_elimination_solve_symmetric(x->elimination, end_compliance(x, step), &block);
    if (status != OLO_OK)
        return fail_massless(x, block, status, error);
    write_end(x, step);
    return OLO_OK;
}

olo_status olo_reduced_project(void *data, olo_step *step, olo_error *error)
{
    reduced *x = data;
    double scale;
    if (!x->packs || olo_packs_have_closures(x->packs))
        return olo_reduced_linearise_end(x, step, &scale, error);
    const int block = olo_packs_project(x->packs, step);
    return block < 0 ? OLO_OK : fail_massless(x, block, OLO_SINGULAR, error);
}
