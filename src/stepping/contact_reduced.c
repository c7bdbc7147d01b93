/* The reduced form of a step with contacts (contact-symmetric; energy_momentum.c).
 *
 * Smooth part. With P_m, P_1 the null spaces between q0 and q1 and at q1, and the constraint forces
 * of closures and contact pairs taken out of r,
 *
 *     r = M (dq - h v_m) - G_c^T Gamma - W^T kappa,                              q1 = F(u),
 *     P_m^T r = 0,                                                               v1 = P_1 nu,  (1)
 *     P_m^T [T + G_c^T mu + a_c^T Gamma - W^T (lambda + 2 kappa/h) + a_W^T kappa]
 *         - (dP_m[v_m])^T r = 0,                                                               (2)
 *     T = M ((2/h) dq - 2 v0) + h dV - h F,   Lambda = mu + 2 Gamma/h.
 *
 * (1) is linear in nu and kappa at given q1: velocities are computed at every iterate
 * (reduced_rates.h). What remains are joint increments, with the tangent of the treatment
 * `reduced`, which lacks the derivatives of the load (dP_m[v_m])^T r and of contact directions: the
 * iteration converges linearly, by about (h w)^2/4, w the largest rate of rotation. Contact rows
 * are applied through solves with this factored tangent, one per unknown impulse.
 *
 * Jumps at a frozen configuration have P^T M P, with the responses of contact rows on the tree. */
#include "stepping/contact_reduced.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/vector.h"
#include "stepping/reduced_private.h"
#include "system/rate_interval.h"

struct olo_contact_reduced {
    olo_pool pool;
    reduced *tree; /* the treatment, for energy-momentum */
    olo_step step;
    olo_state *start; /* angles and remainder, which pieces read */
    bool *touched;    /* [nodes] with rows of contacts */
    double *motion;   /* [twists] predicted */
    /* of the contact impulses: sum (lambda + 2 kappa/h) d, sum kappa d, sum kappa a */
    double *force, *pair, *lift; /* [n] */
    /* the update without a change of impulses */
    double *twist;                       /* [twists] */
    double *increment;                   /* [unknowns] */
    double *multiplier, *Gamma, *Lambda; /* [closures] */
    double *response;                    /* [2 n] */
    double *wrench;                      /* [twists] impulses of joints in a part or a jump */
    olo_motion rest;                     /* without motion, at a frozen configuration */
    double compliance;                   /* lower bound of independent closure rows, or 0 */
};

/* --- creation --- */

static void find_touched(olo_contact_reduced *x, const olo_system *s)
{
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]); i <= s->contacts[c].sliding_count;
             i++) {
            const olo_constraint *row = olo_contact_row(&s->contacts[c], i);
            for (int k = 0; k < row->size; k++)
                x->touched[s->coordinates[row->index[k]].node] = true;
        }
}

olo_status olo_contact_reduced_create(const olo_system *s, olo_contact_reduced **created,
                                      olo_error *error)
{
    olo_contact_reduced *x = *created = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    const olo_topology *topology = s->topology;
    const size_t n = (size_t)s->n, twists = (size_t)s->twists,
                 closures = (size_t)topology->closure_count;
    double *rest;
    const olo_array arrays[] = {{&x->motion, twists},
                                {&x->force, n},
                                {&x->pair, n},
                                {&x->lift, n},
                                {&x->twist, twists},
                                {&x->increment, (size_t)topology->unknowns},
                                {&x->multiplier, closures},
                                {&x->Gamma, closures},
                                {&x->Lambda, closures},
                                {&x->response, 2 * n},
                                {&x->wrench, twists},
                                {&rest, olo_motion_numbers(topology)}};
    x->start = olo_pool_alloc(&x->pool, 1, sizeof *x->start);
    x->touched = olo_pool_alloc(&x->pool, (size_t)s->node_count + 1, sizeof *x->touched);
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->rest = olo_motion_over(topology, s->q0, rest);
    find_touched(x, s);
    x->step.evaluation = olo_scheme_energy_momentum.evaluation;
    x->step.weight = 1;
    olo_status status = olo_step_create(s, &x->step, error);
    if (status == OLO_OK)
        status = olo_reduced_create_unpacked(s, &olo_scheme_energy_momentum, &x->tree, error);
    if (status == OLO_OK) {
        x->tree->outer = (olo_reduced_outer){x->force, x->pair, x->lift};
        x->compliance = x->tree->redundant ? x->tree->compliance : 0;
    }
    return status;
}

void olo_contact_reduced_free(olo_contact_reduced *x)
{
    if (!x)
        return;
    olo_treatment_reduced.free(x->tree);
    olo_step_free(&x->step);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* --- right-hand sides and solutions --- */

/* z += factor P_int^T d of a row, at the configuration q. */
static void add_row(const olo_system *s, olo_elimination *elimination, const double *q,
                    const olo_constraint *row, double factor, const double *d)
{
    for (int k = 0; k < row->size;) {
        const olo_node *node = &s->nodes[s->coordinates[row->index[k]].node];
        double local[OLO_NODE_SIZE_MAX] = {0};
        for (; k < row->size && row->index[k] >= node->q && row->index[k] < node->q + node->size;
             k++)
            local[row->index[k] - node->q] += factor * d[k];
        node->type->add_wrench(q + node->q, local,
                               olo_elimination_rhs(elimination, (int)(node - s->nodes)));
    }
}

/* out += factor P_int(q) dt at the nodes that contacts touch; at all of them if `all`. */
static void add_velocities(const olo_contact_reduced *x, olo_elimination *elimination,
                           const double *q, bool all, double factor, double *out)
{
    const olo_system *s = x->tree->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        const double *dt = olo_elimination_twist(elimination, k);
        double twist[OLO_NODE_TWIST_MAX], v[OLO_NODE_SIZE_MAX];
        if (!all && !x->touched[k])
            continue;
        for (int i = 0; i < node->twist; i++)
            twist[i] = factor * dt[i];
        node->type->velocity(q + node->q, twist, v);
        for (int i = 0; i < node->size; i++)
            out[node->q + i] += v[i];
    }
}

/* The twists of nodes that contacts touch are those of a response: no others are read. */
static void clear_response(olo_contact_reduced *x)
{
    memset(x->response, 0, 2 * (size_t)x->tree->system->n * sizeof *x->response);
}

/* --- smooth part --- */

static void begin(olo_smooth *smooth)
{
    olo_contact_reduced *x = smooth->data;
    const olo_system *s = smooth->system;
    olo_step *step = &x->step;
    const size_t size = (size_t)s->n * sizeof *smooth->q0;
    x->start->angles = (double *)smooth->angles;
    x->start->q_remainder = (double *)smooth->remainder;
    step->state = x->start;
    step->t = smooth->t;
    step->h = smooth->h;
    step->inputs = smooth->inputs;
    step->closed = true;
    memcpy(step->q0, smooth->q0, size);
    memcpy(step->v0, smooth->v0, size);
    memset(x->pair, 0, size);
    memset(x->lift, 0, size);
    step->x.q0 = step->q0;
    step->x.left = NULL;
    olo_motion_of_velocity(s, step->q0, step->v0, smooth->h, x->motion);
    olo_reduced_start(x->tree, step, x->motion);
    smooth->dq = step->x.dq;
    smooth->qm = step->x.qm;
    smooth->q1 = step->x.q1;
    smooth->v1 = step->v1;
    smooth->Gamma = x->Gamma;
    smooth->Lambda = x->Lambda;
}

/* out += factor_lambda lambda d + factor_kappa kappa d of all active contacts; or with the lifts a.
 */
static void add_impulses(const olo_smooth *smooth, double of_lambda, double of_kappa, bool lifts,
                         double *out)
{
    const olo_system *s = smooth->system;
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]);
             smooth->active[c] && i <= s->contacts[c].sliding_count; i++) {
            const olo_constraint *row = olo_contact_row(&s->contacts[c], i);
            const olo_row_over *at = olo_smooth_over(smooth, c, i);
            const double factor =
                of_lambda * smooth->impulse[c].lambda[i] + of_kappa * smooth->impulse[c].kappa[i];
            const double *d = lifts ? at->a : at->d;
            for (int k = 0; factor != 0 && k < row->size; k++)
                out[row->index[k]] += factor * d[k];
        }
}

/* A size of a motion, relative to that of the update of a solution; infinite if a body rotates so
 * far that the iterate belongs to the spurious root of half a turn. */
static double relative_size(olo_smooth *smooth, double size)
{
    const olo_contact_reduced *x = smooth->data;
    const olo_system *s = x->tree->system;
    double whole = 0;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        const double *motion = x->step.x.motion + node->motion;
        const double turn = olo_node_turn_size(node, motion);
        if (node->type->rotation >= 0 && !(turn <= x->tree->scheme->turn))
            return INFINITY;
        olo_raise(&whole, olo_node_shift_size(node, motion) * x->tree->per_length + turn);
    }
    smooth->ratio = whole * whole;
    return size / (OLO_SMOOTH_ACCURATE * whole + OLO_SMOOTH_ROUNDING);
}

static double find_velocities(olo_smooth *smooth)
{
    olo_contact_reduced *x = smooth->data;
    add_impulses(smooth, 0, 1, false, x->pair);
    x->tree->rates->factored = false;
    if (olo_reduced_rates_project(x->tree, &x->step) >= 0)
        return INFINITY; /* the matrix of velocities is singular */
    return relative_size(smooth, x->tree->rates->correction);
}

static olo_status linearise(olo_smooth *smooth, olo_error *error)
{
    olo_contact_reduced *x = smooth->data;
    add_impulses(smooth, 1, 2 / smooth->h, false, x->force);
    add_impulses(smooth, 0, 1, true, x->lift);
    olo_reduced_rates_load(x->tree, &x->step);
    return olo_reduced_assemble(x->tree, &x->step, error);
}

/* Adds a solution of the linearised equations to the update. */
static void add_solution(olo_contact_reduced *x)
{
    const olo_topology *topology = x->tree->topology;
    const olo_system *s = x->tree->system;
    const olo_elimination *elimination = x->tree->elimination;
    for (int k = 0; k < s->node_count; k++) {
        olo_dense_add(s->nodes[k].twist, 1, olo_elimination_twist(elimination, k),
                      x->twist + s->nodes[k].motion);
        olo_dense_add(topology->nodes[k].dof, 1, olo_elimination_increment(elimination, k),
                      x->increment + topology->nodes[k].u);
    }
    for (int i = 0; i < topology->closure_block_count; i++)
        olo_dense_add(topology->closure_blocks[i].count, 1,
                      olo_elimination_twist(elimination, closure_block(x->tree, i)),
                      x->multiplier + topology->closure_blocks[i].u);
}

/* The update without a change of impulses. */
static void respond_to_residual(olo_contact_reduced *x)
{
    const olo_topology *topology = x->tree->topology;
    olo_elimination *elimination = x->tree->elimination;
    const int *order = olo_elimination_sequence(elimination);
    for (int i = olo_elimination_count(elimination) - 1; i >= 0; i--)
        olo_elimination_substitute(elimination, order[i]);
    memset(x->twist, 0, (size_t)x->tree->system->twists * sizeof *x->twist);
    memset(x->increment, 0, (size_t)topology->unknowns * sizeof *x->increment);
    memset(x->multiplier, 0, (size_t)topology->closure_count * sizeof *x->multiplier);
    add_solution(x);
}

/* z of a change of an impulse. */
static void add_impulse(const olo_smooth *smooth, const olo_contact_unknown *of, double change)
{
    const olo_contact_reduced *x = smooth->data;
    const olo_constraint *row = olo_contact_row(&smooth->system->contacts[of->contact], of->row);
    const olo_row_over *at = olo_smooth_over(smooth, of->contact, of->row);
    add_row(smooth->system, x->tree->elimination, smooth->qm, row,
            -(of->pair ? 2 / smooth->h : 1) * change, at->d);
    if (of->pair)
        add_row(smooth->system, x->tree->elimination, smooth->qm, row, change, at->a);
}

static void respond(olo_smooth *smooth, const olo_contact_unknown *to)
{
    olo_contact_reduced *x = smooth->data;
    reduced *tree = x->tree;
    const int n = smooth->system->n;
    const double a = 2 / smooth->h;
    clear_response(x);
    if (to) {
        olo_elimination_clear_right(tree->elimination);
        add_impulse(smooth, to, 1);
        olo_elimination_solve(tree->elimination);
    } else {
        respond_to_residual(x);
    }
    add_velocities(x, tree->elimination, smooth->q1, false, 1, x->response);
    /* velocities at given q1, by (1) */
    if (to && to->pair) {
        olo_elimination *of_rates = tree->rates->elimination;
        const olo_constraint *row =
            olo_contact_row(&smooth->system->contacts[to->contact], to->row);
        olo_elimination_clear_right(of_rates);
        add_row(smooth->system, of_rates, smooth->qm, row, a,
                olo_smooth_over(smooth, to->contact, to->row)->d);
        olo_elimination_solve(of_rates);
        add_velocities(x, of_rates, smooth->q1, false, mass_scale(tree, smooth->h),
                       x->response + n);
    }
    smooth->response = x->response;
}

/* Moves all nodes and closes the joints; the size of the update. */
static double move(olo_contact_reduced *x)
{
    const olo_system *s = x->tree->system;
    const olo_topology *topology = x->tree->topology;
    double largest = 0;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        const double *twist = x->twist + node->motion;
        olo_raise(&largest, olo_node_shift_size(node, twist) * x->tree->per_length +
                                olo_node_turn_size(node, twist));
        olo_motion_update(topology, k, &x->step.x, twist);
    }
    olo_motion_predict(topology, &x->step.x, x->step.x.motion, 1.0);
    olo_dense_add(topology->unknowns, 2 / x->step.h, x->increment, x->tree->rates->nu);
    olo_dense_add(topology->closure_count, 1, x->multiplier, x->tree->lambda);
    return largest;
}

static double update(olo_smooth *smooth, int count, const olo_contact_unknown *of,
                     const double *change)
{
    olo_contact_reduced *x = smooth->data;
    if (count > 0) {
        olo_elimination_clear_right(x->tree->elimination);
        for (int j = 0; j < count; j++)
            add_impulse(smooth, &of[j], change[j]);
        olo_elimination_solve(x->tree->elimination);
        add_solution(x);
    }
    return relative_size(smooth, move(x));
}

/* Multipliers of closures, and impulses of joints that belong to lambda, as with all multipliers:
 * those of T at the solution less 2/h those of r. */
static void accept(olo_smooth *smooth)
{
    olo_contact_reduced *x = smooth->data;
    const reduced *tree = x->tree;
    olo_step *step = &x->step;
    const double h = smooth->h;
    add_impulses(smooth, 1, 2 / h, false, x->force);
    add_impulses(smooth, 0, 1, true, x->lift);
    tree->scheme->balance(step, NULL);
    olo_dense_add(smooth->system->n, -1, x->force, step->T);
    for (int i = 0; i < tree->topology->closure_count; i++) {
        const olo_constraint *row = &smooth->system->constraints[tree->topology->closures[i]];
        x->Gamma[i] = h * tree->rates->gamma[i];
        x->Lambda[i] = 2 / h * (tree->lambda[i] + x->Gamma[i]);
        olo_step_row(step, row, step->r, NULL);
        for (int k = 0; k < row->size; k++)
            step->T[row->index[k]] += 2 / h * tree->lambda[i] * step->r[k];
    }
    olo_reduced_rates_reactions(tree, step, x->wrench);
}

static const olo_smooth_form smooth_form = {.contraction = 0.9,
                                            .begin = begin,
                                            .find_velocities = find_velocities,
                                            .linearise = linearise,
                                            .respond = respond,
                                            .update = update,
                                            .accept = accept};

/* --- jumps at a frozen configuration --- */

/* Rows and columns of the closures; the prescribed motions do not matter for jumps. */
static void add_closures(olo_contact_reduced *x, reduced *frozen, const olo_at *at)
{
    for (int i = 0; i < frozen->topology->closure_count; i++) {
        const int row = frozen->topology->closures[i];
        const olo_constraint *c = &frozen->system->constraints[row];
        const int piece = olo_piece_of_constraint(frozen->system, row);
        olo_constraint_gradient(c, at, x->step.r);
        olo_projector_add_column(frozen->projector, piece, 1, x->step.r, at->q);
        olo_projector_add_row(frozen->projector, piece, 1, x->step.r, at->q);
    }
}

/* The treatment with the matrix of velocities. */
static reduced frozen_of(const olo_contact_reduced *x)
{
    reduced frozen = *x->tree;
    frozen.elimination = x->tree->rates->elimination;
    frozen.projector = x->tree->rates->projector;
    frozen.mass_factor = 1;
    return frozen;
}

static olo_status frozen_begin(olo_frozen *of, const olo_at *at, olo_error *error)
{
    olo_contact_reduced *x = of->data;
    reduced frozen = frozen_of(x);
    olo_elimination *elimination = frozen.elimination;
    const int *order = olo_elimination_sequence(elimination);
    x->rest.q0 = at->q;
    memcpy(x->rest.qm, at->q, (size_t)of->system->n * sizeof *at->q);
    memcpy(x->rest.q1, at->q, (size_t)of->system->n * sizeof *at->q);
    memset(x->pair, 0, (size_t)of->system->n * sizeof *x->pair);
    olo_motion_begin(frozen.topology, &x->rest);
    olo_elimination_clear(elimination);
    olo_projector_add_mass(frozen.projector, 1, at->q, at->q);
    fill_nodes(&frozen, &x->rest, x->pair, false);
    for (int k = 0; k < of->system->node_count; k++)
        fill_blocks(&frozen, &x->rest, NULL, k, false);
    add_closures(x, &frozen, at);
    x->tree->rank_known = false; /* the directions below are those of this matrix */
    if (frozen.redundant)
        olo_elimination_activate_all(elimination, x->compliance);
    for (int i = 0; i < olo_elimination_count(elimination); i++)
        if (!(frozen.redundant ? olo_elimination_eliminate_with_rank
                               : olo_elimination_eliminate)(elimination, order[i]))
            return olo_fail(error, OLO_SINGULAR, "the mass matrix is singular at '%s'",
                            order[i] < of->system->node_count ? of->system->nodes[order[i]].name
                                                              : "a closure");
    return OLO_OK;
}

static const double *frozen_respond(olo_frozen *of, const olo_constraint *row,
                                    const double *gradient)
{
    olo_contact_reduced *x = of->data;
    olo_elimination *elimination = x->tree->rates->elimination;
    clear_response(x);
    olo_elimination_clear_right(elimination);
    add_row(of->system, elimination, x->rest.q0, row, -1, gradient);
    olo_elimination_solve(elimination);
    add_velocities(x, elimination, x->rest.q0, false, 1, x->response);
    return x->response;
}

static void frozen_jump(olo_frozen *of, const double *f, double *v, double *rows)
{
    olo_contact_reduced *x = of->data;
    const olo_system *s = of->system;
    const olo_topology *topology = x->tree->topology;
    olo_elimination *elimination = x->tree->rates->elimination;
    double mu[OLO_NODE_TWIST_MAX];
    olo_elimination_clear_right(elimination);
    for (int k = 0; k < s->node_count; k++) {
        double local[OLO_NODE_SIZE_MAX];
        for (int i = 0; i < s->nodes[k].size; i++)
            local[i] = -f[s->nodes[k].q + i];
        s->nodes[k].type->add_wrench(x->rest.q0 + s->nodes[k].q, local,
                                     olo_elimination_rhs(elimination, k));
    }
    olo_elimination_solve(elimination);
    add_velocities(x, elimination, x->rest.q0, true, 1, v);
    for (int i = 0; i < topology->closure_block_count; i++) {
        const olo_closure *closure = &topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++)
            rows[closure->u + j] -=
                olo_elimination_twist(elimination, closure_block(x->tree, i))[j];
    }
    memset(x->wrench, 0, (size_t)s->twists * sizeof *x->wrench);
    for (int k = 0; k < s->node_count; k++) {
        if (!topology->nodes[k].type)
            continue;
        olo_elimination_wrench(elimination, k, mu);
        olo_dense_add(s->nodes[k].twist, -1, mu, x->wrench + s->nodes[k].motion);
    }
}

static const olo_frozen_form frozen_form = {
    .begin = frozen_begin, .respond = frozen_respond, .jump = frozen_jump};

/* --- the form --- */

static void settle(void *data, double *q, double *remainder)
{
    const olo_contact_reduced *x = data;
    olo_motion_settle(x->tree->topology, &x->step.x, q, remainder);
}

olo_contact_form olo_contact_reduced_form(olo_contact_reduced *x)
{
    return (olo_contact_form){.row_count = x->tree->topology->closure_count,
                              .row = x->tree->topology->closures,
                              .smooth = &smooth_form,
                              .frozen = &frozen_form,
                              .data = x,
                              .settle = settle};
}

const double *olo_contact_reduced_wrenches(const olo_contact_reduced *x)
{
    return x->wrench;
}
