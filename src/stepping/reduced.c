/* The treatment `reduced`: discrete null space with nodal reparametrisation (thesis 3.2.44;
 * docs/theory.md).
 *
 *     r(u) = P(q0, q1)^T T(q1) = 0,   q1 = F(u)
 *
 * The balance of a node and its tangent are
 *
 *     w = P_int(q_m)^T T = [T_phi; sum d_I,m x T_I],
 *     S = P_int(q_m)^T DT P_int(q1) + 1/2 sum (d_I,1 (x) T_I - (d_I,1 . T_I) I),
 *
 * the last sum being the variation of P_int. Joints enter by the elimination on the tree. The
 * motion of every node and the wrench of every joint are iterated as separate unknowns (lifted), so
 * that long chains converge.
 *
 * Constraints that are not part of the tree are closures: rows 2/h g(q1) = 0 with multipliers in a
 * scaling in which no block depends on h. With a scheme that evaluates the left pair at q0
 * (variational) the left pair does not vary, and the momentum at the end is projected
 * (reduced_projection.c). Redundant closure rows are found at the start of every step, and the
 * multipliers stay in the space of the active directions. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/redundancy.h"
#include "linalg/elimination.h"
#include "linalg/vec3.h"
#include "stepping/packs.h"
#include "stepping/projector.h"
#include "stepping/reduced_matrix.h"
#include "stepping/reduced_private.h"
#include "stepping/tree_assembly.h"

/* --- creation --- */

static void destroy(void *data)
{
    reduced *x = data;
    if (!x)
        return;
    olo_elimination_free(x->elimination);
    olo_projector_free(x->projector);
    olo_packs_free(x->packs);
    olo_reduced_rates_free(x->rates);
    olo_free(x->wrench);
    olo_free(x->predicted);
    olo_free(x->lambda);
    olo_free(x->row_start);
    olo_free(x->rank_q);
    olo_free(x);
}

/* Whether closure rows are redundant, in all configurations, and where that is detected. */
static void find_redundancy(reduced *x)
{
    x->redundant = olo_system_is_redundant(x->system);
    x->rank_in_tangent = x->redundant && x->scheme->evaluation.at_start;
    for (int i = 0; x->rank_in_tangent && i < olo_piece_of_constraint(x->system, 0); i++)
        x->rank_in_tangent = !olo_piece_has_tangent(x->system, i);
    x->smallest_row =
        olo_smallest_row_size(x->system, x->topology->closure_count, x->topology->closures);
    x->compliance =
        olo_smallest_compliance(x->system, x->topology->closure_count, x->topology->closures);
}

static olo_status create_with(const olo_system *system, const olo_scheme *scheme, bool packed,
                              reduced **created, olo_error *error)
{
    reduced *x = olo_alloc(1, sizeof *x);
    *created = NULL;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
    x->system = system;
    x->scheme = scheme;
    x->varied = !scheme->evaluation.at_start;
    x->motion_pass = x->varied && !scheme->consistent ? NULL : olo_motion_pass_any;
    x->topology = system->topology;
    if (x->topology->closure_count > 0)
        find_redundancy(x);
    olo_status status = olo_elimination_create(x->topology->elimination, &x->elimination, error);
    if (status == OLO_OK)
        status = olo_projector_create(x->topology, x->elimination, &x->projector, error);
    if (status == OLO_OK && packed)
        status = olo_packs_create(system, scheme, x->topology, x->elimination, OLO_PACKS_BEST,
                                  &x->packs, error);
    if (status == OLO_OK && scheme->consistent)
        status = olo_reduced_rates_create(x->topology, x->elimination, &x->rates, error);
    if (x->packs && x->motion_pass)
        x->motion_pass = olo_packs_motion_pass(x->packs);
    if (status == OLO_OK) {
        x->tree_only =
            olo_elimination_is_tree(x->elimination) && olo_projector_is_empty(x->projector);
        x->per_length = 1 / system->length_scale;
        x->wrench = olo_alloc((size_t)system->twists, sizeof *x->wrench);
        x->predicted = olo_alloc((size_t)system->twists, sizeof *x->predicted);
        x->lambda = olo_alloc((size_t)x->topology->closure_count, sizeof *x->lambda);
        x->row_start = olo_alloc((size_t)x->topology->closure_count, sizeof *x->row_start);
        x->rank_q = olo_alloc((size_t)system->n, sizeof *x->rank_q);
        if (!x->wrench || !x->lambda || !x->row_start || !x->predicted || !x->rank_q)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the reduced treatment");
        if (status == OLO_OK && x->packs && olo_packs_have_closures(x->packs))
            olo_packs_set_multipliers(x->packs, x->lambda, x->row_start);
    }
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *created = x;
    return OLO_OK;
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    reduced *x;
    (void)run;
    const olo_status status = create_with(system, scheme, true, &x, error);
    *data = x;
    return status;
}

olo_status olo_reduced_create_unpacked(const olo_system *system, const olo_scheme *scheme,
                                       reduced **created, olo_error *error)
{
    return create_with(system, scheme, false, created, error);
}

/* --- one iteration --- */

static void sink_mass(void *context, double factor)
{
    reduced *x = context;
    x->mass_factor = factor;
    olo_projector_add_mass(x->projector, factor, olo_motion_left(&x->step->x), x->step->x.q1);
}

static void sink_local(void *context, int piece, double factor, const double *K)
{
    reduced *x = context;
    olo_projector_add(x->projector, piece, factor, K, olo_motion_left(&x->step->x), x->step->x.q1);
}

static void sink_stress(void *context, int piece, const olo_term *term, double factor,
                        const olo_law_over *law, const double *at)
{
    reduced *x = context;
    const olo_motion *m = &x->step->x;
    const olo_twist_configurations at_q = {
        .left = olo_motion_left(m), .qm = m->qm, .stress = at, .q1 = m->q1};
    olo_projector_add_stress(x->projector, piece, term, factor, law, &at_q);
}

static void sink_pack(void *context, const olo_term_pack *pack, double factor, olo_pack_step *at)
{
    reduced *x = context;
    olo_projector_add_pack(x->projector, pack, factor, x->step->x.left != NULL, at);
}

/* d of a row of joint coordinates, in step->r, and the variation of its force. */
static void add_shares(reduced *x, olo_step *step, int row, double factor)
{
    const olo_constraint *c = &x->system->constraints[row];
    const olo_interval over = olo_step_interval(step);
    const olo_motion *m = &step->x;
    const olo_twist_configurations at = {
        .left = olo_motion_left(m), .qm = m->qm, .stress = m->q1, .q1 = m->q1};
    memset(step->r, 0, (size_t)c->size * sizeof *step->r);
    for (int i = 0; i < c->share_count; i++) {
        olo_law_over law;
        olo_evaluate_share(c, &over, i, step->r, &law);
        olo_projector_add_share(x->projector, row, i, factor, &law, &at);
    }
}

/* With lambda = 2 lambda'/h^2 a row adds h lambda grad g = (2/h) lambda' grad g to T; rows are
 * (2/h) g(q1) = 0. */
static void add_closure_row(reduced *x, olo_step *step, int row, int u, double *right)
{
    const olo_system *s = x->system;
    const olo_constraint *c = &s->constraints[row];
    olo_interval interval = olo_step_interval(step);
    const double *left = olo_motion_left(&step->x);
    int piece = olo_piece_of_constraint(s, row);
    double a = 2 / step->h, lambda = x->lambda[u];
    const bool stressed = c->type->stress && c->curved && x->varied && !x->older && lambda != 0,
               matrix = !c->form && !stressed && !x->older;
    bool varies = false;
    if (stressed)
        add_shares(x, step, row, a * lambda);
    else
        varies =
            olo_evaluate_row(&step->evaluation, c, &interval, step->r, matrix ? step->K : NULL);
    /* force of the multiplier, column, and variation of the gradient */
    for (int k = 0; k < c->size; k++)
        step->T[c->index[k]] += a * lambda * step->r[k];
    if (!x->older)
        olo_projector_add_column(x->projector, piece, a, step->r, left);
    const bool curved = varies && lambda != 0 && !x->older;
    if (curved && c->form)
        olo_projector_add_hessian(x->projector, piece, 0.5 * a * lambda, left, step->x.q1);
    else if (curved)
        olo_projector_add(x->projector, piece, a * lambda, step->K, left, step->x.q1);
    /* row and its value at the end */
    double g = olo_row_increment(step, &interval, row, step->r) + x->row_start[u];
    olo_condition_by_end(c, &interval, step->r);
    if (!x->older)
        olo_projector_add_row(x->projector, piece, a, step->r, step->x.q1);
    *right = a * g;
}

static void add_closures(reduced *x, olo_step *step)
{
    for (int u = 0; u < x->topology->closure_count; u++)
        add_closure_row(x, step, x->topology->closures[u], u,
                        olo_closure_right(x->topology, x->elimination, u));
}

/* Raises the angle of rods to that of a joint at the iterate. */
static void measure_rod(reduced *x, const olo_joint_type *type, const olo_joint_view *view)
{
    if (type->turn)
        olo_raise(&x->rod_turn, type->turn(view));
}

/* Fills the joint matrices and the gap of a joint. Lifted iterates use the wrench of the last
 * iteration; closed ones the sum from leaf to root, so that their tangent is that of the joint
 * increments alone. */
static void fill_joint(reduced *x, olo_step *step, int k)
{
    const double *W = x->varied ? x->wrench + x->system->nodes[k].motion : NULL;
    const olo_joint_view view = olo_motion_view(x->topology, k, &step->x);
    fill_blocks_at(x, &view, W, k, !x->closed);
    measure_rod(x, x->topology->nodes[k].type, &view);
    if (step->closed && x->varied) {
        olo_joint_blocks b = olo_elimination_joint(x->elimination, k);
        olo_add_wrench_to_parent(x->topology, k, &b, x->wrench);
    }
}

/* Joints at the iterate for the balance and for velocities, before either is eliminated; those of
 * closed steps wait for the sums of their wrenches. */
static void fill_joints(reduced *x, olo_step *step)
{
    x->rod_turn = 0;
    x->filled = !step->closed;
    for (int k = 0; x->filled && k < x->system->node_count; k++)
        if (x->topology->nodes[k].type)
            fill_joint(x, step, k);
}

/* Whether redundant rows are known for this configuration. */
static bool is_rank_known(const reduced *x, const olo_step *step)
{
    return x->rank_known &&
           memcmp(x->rank_q, step->x.q0, (size_t)x->system->n * sizeof *x->rank_q) == 0;
}

/* Finds the redundant closure rows at the start of the step. */
static void find_redundant_rows(reduced *x, olo_step *step)
{
    const olo_at start = olo_step_start(step);
    x->rank_known = true;
    memcpy(x->rank_q, start.q, (size_t)x->system->n * sizeof *x->rank_q);
    if (x->packed)
        olo_packs_find_redundant(x->packs, step, x->smallest_row, x->elimination);
    else
        olo_find_redundant_rows(x->topology, x->projector, x->elimination, &step->x, &start,
                                x->smallest_row);
}

/* The same for the matrix of velocities and for packs. */
static void share_redundant_rows(reduced *x)
{
    for (int i = 0; x->rates && i < x->topology->closure_block_count; i++)
        olo_elimination_copy_directions(x->elimination, closure_block(x, i), x->rates->elimination,
                                        closure_block(x, i));
    if (x->packs && !x->packed)
        olo_packs_take_rank(x->packs, x->elimination);
}

/* Begins a step, and finds redundant closure rows unless the first tangent does that. */
static void begin(reduced *x, olo_step *step)
{
    olo_motion_begin(x->topology, &step->x);
    for (int u = 0; u < x->topology->closure_count; u++)
        x->row_start[u] = olo_row_start_value(step, x->topology->closures[u]);
    x->finding_rank = x->rank_in_tangent;
    if (x->redundant && !x->rank_in_tangent && !is_rank_known(x, step)) {
        find_redundant_rows(x, step);
        share_redundant_rows(x);
    }
}

/* Predicts the multipliers of closures, in the space of active directions. */
static void predict_multipliers(reduced *x, const olo_step *step, double scale)
{
    const double factor = scale != 0 ? 0.5 * step->h * step->h : 0;
    for (int u = 0; u < x->topology->closure_count; u++)
        x->lambda[u] = factor != 0
                           ? factor * olo_step_predicted_multiplier(step, x->topology->closures[u])
                           : 0;
    for (int i = 0; x->redundant && !x->rank_in_tangent && i < x->topology->closure_block_count;
         i++)
        olo_elimination_project_multipliers(x->elimination, closure_block(x, i),
                                            x->lambda + x->topology->closure_blocks[i].u);
}

/* Nothing is known of the iteration of this step. */
static void forget(reduced *x)
{
    x->packed = x->older = x->skips_load = false;
    x->update = 0;
    x->measured_lag = -1;
    x->measured_share = 0;
    x->count = 0;
    x->lagging = false;
    x->update_before = 0;
    if (x->rates)
        olo_reduced_rates_begin(x->rates);
}

static void predict(void *data, olo_step *step, double scale)
{
    reduced *x = data;
    const olo_state *state = step->state;
    const olo_motion_mix mix = olo_predictor_mix(step, scale);
    forget(x);
    x->lag = olo_predictor_of(state)->lag;
    x->share = olo_predictor_of(state)->share;
    x->skips_load =
        scale == 1 && step->h == state->h && !step->closed && olo_predictor_of(state)->skip_load;
    x->packed = x->packs && !step->closed;
    if (x->packed) {
        olo_packs_predict(x->packs, step, scale, &mix);
        if (olo_packs_have_closures(x->packs)) {
            begin(x, step);
            olo_packs_clear_variations(x->packs);
            olo_packs_write_motion(x->packs, step);
            predict_multipliers(x, step, scale);
        }
        return;
    }
    /* predict motions and joint wrenches */
    begin(x, step);
    olo_predictor_motion(&mix, state->twists, x->predicted);
    for (int i = 0; x->varied && i < x->system->twists; i++)
        x->wrench[i] = scale * olo_last_wrenches(state)[i];
    x->closed = x->varied || step->closed || !x->tree_only;
    if (x->closed)
        olo_motion_predict(x->topology, &step->x, x->predicted, 1.0);
    else
        olo_motion_set(x->topology, &step->x, x->predicted);
    predict_multipliers(x, step, scale);
}

/* The size of a motion: lengths divided by the model's length, plus angles; not finite if any is.
 */
static double motion_size(const olo_system *s, int node, const double *motion)
{
    return olo_node_shift_size(&s->nodes[node], motion) / s->length_scale +
           olo_node_turn_size(&s->nodes[node], motion);
}

/* The largest Cayley vector of a body or rod. */
static double largest_turn(reduced *x, const olo_step *step)
{
    const olo_system *s = x->system;
    double largest = 0;
    for (int k = 0; k < s->node_count; k++) {
        const olo_topology_node *t = &x->topology->nodes[k];
        olo_raise(&largest, olo_node_turn_size(&s->nodes[k], step->x.motion + s->nodes[k].motion));
        if (t->type && t->type->turn) {
            olo_joint_view view = olo_motion_view(x->topology, k, &step->x);
            olo_raise(&largest, t->type->turn(&view));
        }
    }
    return largest;
}

/* Enters the change of a node by an update, the size of its motion, and the angle of that. */
static void enter(olo_newton *newton, int k, double change, double size, double turn)
{
    if (!(change <= newton->increment)) {
        newton->increment = change;
        newton->worst = k;
    }
    olo_raise(&newton->size, size);
    olo_raise(&newton->turn, turn);
}

/* Measures the update of a node and its whole motion. */
static void measure(const reduced *x, const olo_step *step, int k, const double *twist,
                    olo_newton *newton)
{
    const olo_node *node = &x->system->nodes[k];
    const double *motion = step->x.motion + node->motion;
    double turn = olo_node_turn_size(node, motion);
    enter(newton, k,
          olo_node_shift_size(node, twist) * x->per_length + olo_node_turn_size(node, twist),
          olo_node_shift_size(node, motion) * x->per_length + turn, turn);
}

/* Stores the wrench of the joint of a node after the update. */
static void store_wrench(reduced *x, int k)
{
    const olo_node *node = &x->system->nodes[k];
    double mu[OLO_NODE_TWIST_MAX], *W = x->wrench + node->motion;
    if (!x->topology->nodes[k].type)
        return;
    olo_elimination_wrench(x->elimination, k, mu);
    for (int i = 0; i < node->twist; i++)
        W[i] = -mu[i];
}

/* Stores the wrenches of all joints of a solved step, times `factor`. */
static void store_wrenches(reduced *x, double factor)
{
    for (int k = 0; k < x->system->node_count; k++)
        store_wrench(x, k);
    for (int i = 0; i < x->system->twists; i++)
        x->wrench[i] *= factor;
}

/* The update of a node. */
static const double *update_of(const reduced *x, int k)
{
    return x->rates ? x->rates->update + x->system->nodes[k].motion
                    : olo_elimination_twist(x->elimination, k);
}

/* Measures the updates of all nodes and moves them; of frames four at once. */
static void update_nodes(reduced *x, olo_step *step, olo_newton *newton)
{
    const olo_frame_packs *frames = &step->frames;
    for (int i = 0; i < frames->count; i++) {
        const olo_frame_pack *pack = &frames->pack[i];
        const double *twist[LANES];
        olo_frame_measures m;
        for (int l = 0; l < LANES; l++)
            twist[l] = update_of(x, pack->node[l]);
        frames->kernels->update(pack, twist, x->per_length, &step->x, &m);
        for (int l = 0; l < pack->count; l++)
            enter(newton, pack->node[l], m.change[l], m.size[l], m.turn[l]);
    }
    for (int i = 0; i < frames->rest_count; i++) {
        const double *twist = update_of(x, frames->rest[i]);
        measure(x, step, frames->rest[i], twist, newton);
        olo_motion_update(x->topology, frames->rest[i], &step->x, twist);
    }
}

/* Prefetches the data of a block that follows soon: there are too many streams for the hardware
 * prefetcher. Systems that fit into the cache would only lose time. */
static void prefetch(const reduced *x, const olo_step *step, int c)
{
    const int large = 3000; /* bodies; an iteration reads about 2 kB per body */
    if (x->system->node_count < large)
        return;
    olo_elimination_prefetch(x->elimination, c);
    if (c >= x->system->node_count)
        return;
    const olo_node *node = &x->system->nodes[c];
    const char *t = (const char *)&x->topology->nodes[c];
    for (int i = 0; i < node->size; i += 8) {
        __builtin_prefetch(step->x.q0 + node->q + i);
        __builtin_prefetch(step->x.qm + node->q + i);
        __builtin_prefetch(step->x.q1 + node->q + i);
    }
    for (size_t i = 0; i < sizeof *x->topology->nodes; i += 64)
        __builtin_prefetch(t + i);
}

/* Adds the load of consistent velocities to the balance of nodes and to the rows of joints. */
static void add_loads(reduced *x)
{
    const olo_system *s = x->system;
    bool rows = false;
    for (int k = 0; k < s->node_count; k++) {
        const olo_topology_node *t = &x->topology->nodes[k];
        const olo_node_numbers *of = &x->rates->node[k];
        const double *load = x->rates->load + s->nodes[k].motion, *row = x->rates->row + t->u;
        for (int i = 0; i < s->nodes[k].twist; i++)
            of->right[i] += load[i];
        if (t->type && !rows) /* those of all other blocks are zero */
            (void)olo_elimination_row(x->elimination, k);
        rows |= t->type != NULL;
        for (int i = 0; t->type && i < t->dof; i++)
            of->row[i] = row[i];
    }
}

/* Fills and eliminates, block by block. Returns the singular block, or -1. */
static int eliminate(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    int count = olo_elimination_count(x->elimination);
    const int *order = olo_elimination_sequence(x->elimination);
    fill_nodes(x, &step->x, step->T, x->varied);
    /* closed joints: sum wrenches from the balance of the nodes */
    if (x->rates && x->rates->known)
        add_loads(x);
    for (int k = 0; step->closed && k < s->node_count; k++)
        memcpy(x->wrench + s->nodes[k].motion, olo_elimination_rhs(x->elimination, k),
               (size_t)s->nodes[k].twist * sizeof *x->wrench);
    for (int i = 0; i < count; i++) {
        int c = order[i];
        if (i + 3 < count)
            prefetch(x, step, order[i + 3]);
        if (c < s->node_count && x->topology->nodes[c].type && !x->filled)
            fill_joint(x, step, c);
        if (!(x->finding_rank ? olo_elimination_eliminate_with_rank
                              : olo_elimination_eliminate)(x->elimination, c))
            return c;
    }
    return -1;
}

/* Back substitution and update, block by block. */
static void substitute(reduced *x, olo_step *step, olo_newton *newton)
{
    const int *order = olo_elimination_sequence(x->elimination);
    newton->increment = newton->size = 0;
    newton->turn = x->rod_turn;
    newton->worst = 0;
    /* root to leaf: solve, store wrenches, update multipliers */
    for (int i = olo_elimination_count(x->elimination) - 1; i >= 0; i--) {
        int c = order[i];
        if (i >= 3)
            prefetch(x, step, order[i - 3]);
        olo_elimination_substitute(x->elimination, c);
        if (c < x->system->node_count) {
            if (x->varied && x->topology->nodes[c].type)
                store_wrench(x, c);
        } else {
            const olo_closure *closure = &x->topology->closure_blocks[c - x->system->node_count];
            const double *change = olo_elimination_twist(x->elimination, c);
            if (x->finding_rank)
                olo_elimination_update_multipliers(x->elimination, c, x->lambda + closure->u);
            else
                for (int j = 0; j < closure->count; j++)
                    x->lambda[closure->u + j] += change[j];
        }
    }
    if (x->rates) {
        olo_reduced_rates_update(x, step);
        newton->mixed |= x->rates->slow && x->rates->mixing.count > 1;
    }
    update_nodes(x, step, newton);
    /* close the joints if wanted */
    x->finding_rank = false;
    x->closed = step->closed;
    if (x->closed)
        olo_motion_predict(x->topology, &step->x, step->x.motion, 1.0);
}

/* The residual that Newton's stagnation test uses. Lifted iterates have no residual in the joints
 * alone. Updates that no longer decrease are round-off if they are small relative to the step or in
 * absolute terms, and all closures are satisfied; as long as they decrease nobody asks. */
static double residual_of(const reduced *x, const olo_step *step, const olo_newton *newton)
{
    const double stagnation = x->rates ? 1e-13 : 1e-9, negligible = 1e-14, slow = 0.5;
    const bool small =
        newton->increment <= olo_larger(stagnation * olo_smaller(newton->size, 1.0), negligible);
    if (!small || newton->increment <= slow * x->update_before)
        return HUGE_VAL;
    return olo_rows_largest_residual(step, x->topology->closure_count, x->topology->closures);
}

/* Whether joints are closed to round-off after the update. An update leaves gaps of the size of its
 * square, or of its estimated error with an older tangent, unless bodies rotate so far that Cayley
 * vectors magnify it. */
static bool is_settled(const olo_newton *newton)
{
    const double update = 1e-8, rounding = 1e-16, round_off = 1e-14, moderate_turn = 1.0;
    double bound = olo_smaller(newton->size, 1.0);
    bool small = newton->left > 0
                     ? newton->left <= rounding * bound || newton->increment <= round_off * bound
                     : newton->increment <= update * bound;
    return small && newton->turn <= moderate_turn;
}

/* Whether this iterate needs velocities and their load: a first one does not if that adds no
 * iteration. */
static bool needs_rates(const reduced *x)
{
    return x->rates && !(x->skips_load && x->count == 0);
}

/* Velocities at the iterate and their load. */
static int update_rates(reduced *x, olo_step *step)
{
    fill_joints(x, step);
    const int singular = olo_reduced_rates_project(x, step);
    if (singular < 0)
        olo_reduced_rates_load(x, step);
    return singular;
}

/* Evaluates right-hand sides only, for the factors of the last tangent. The joint matrices are part
 * of them where they vary: wrenches are not increments. */
static void fill_rhs(reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    const int *order = olo_elimination_sequence(x->elimination);
    x->rod_turn = 0;
    olo_elimination_clear_right(x->elimination);
    if (needs_rates(x))
        (void)update_rates(x, step);
    x->scheme->balance(step, NULL);
    add_closures(x, step);
    olo_fill_right(x->projector, x->elimination, s, step->T, olo_motion_left(&step->x));
    if (x->rates && x->rates->known)
        add_loads(x);
    for (int i = 0; i < olo_elimination_count(x->elimination); i++) {
        int c = order[i];
        if (c < s->node_count) {
            const olo_joint_type *type = x->topology->nodes[c].type;
            if (type && x->varied && !x->filled) {
                fill_joint(x, step, c);
            } else if (type && !x->varied) {
                olo_joint_view view = olo_motion_view(x->topology, c, &step->x);
                type->gap(&view, olo_elimination_gap(x->elimination, c));
                measure_rod(x, type, &view);
            }
        }
        olo_elimination_forward(x->elimination, c);
    }
    x->filled = false;
}

/* Assembles and eliminates balance and tangent at the iterate, whose velocities are known. Returns
 * the singular block, or -1. */
static int assemble_balance(reduced *x, olo_step *step)
{
    olo_sink sink = {.context = x,
                     .mass = sink_mass,
                     .local = sink_local,
                     .stress = sink_stress,
                     .pack = sink_pack};
    x->step = step;
    if (x->finding_rank)
        olo_elimination_activate_all(x->elimination, 2 / fabs(step->h) * x->compliance);
    x->scheme->balance(step, &sink);
    for (int i = 0; x->outer.force && i < x->system->n; i++)
        step->T[i] -= x->outer.force[i];
    add_closures(x, step);
    return eliminate(x, step);
}

/* The same, with velocities. */
static int assemble(reduced *x, olo_step *step)
{
    x->rod_turn = 0;
    olo_elimination_clear(x->elimination);
    int singular = needs_rates(x) ? update_rates(x, step) : -1;
    if (singular < 0)
        singular = assemble_balance(x, step);
    x->filled = false;
    return singular;
}

/* Reports a singular block; writes its node to `worst`. */
static olo_status fail_singular(const reduced *x, int block, int *worst, olo_error *error)
{
    *worst = block < x->system->node_count ? block : 0;
    return olo_fail(error, OLO_SINGULAR, "the tangent is singular at '%s'",
                    x->system->nodes[*worst].name);
}

/* The status of an iteration; `singular` is the singular block, or negative. */
static olo_status conclude(reduced *x, const olo_step *step, int singular, olo_newton *newton,
                           olo_error *error)
{
    if (singular >= 0)
        return fail_singular(x, singular, &newton->worst, error);
    newton->residual = residual_of(x, step, newton);
    x->settled = is_settled(newton);
    return OLO_OK;
}

/* The variation of the gradients of closure rows, for packs. */
static void vary_closures(reduced *x, const olo_step *step)
{
    const double a = 1 / step->h;
    if (x->finding_rank)
        olo_packs_find_rank(x->packs, 2 * fabs(a) * x->compliance);
    for (int i = 0; x->varied && i < x->topology->closure_count; i++) {
        const int row = x->topology->closures[i];
        if (x->system->constraints[row].form && x->system->constraints[row].curved &&
            x->lambda[i] != 0)
            olo_projector_add_hessian(x->projector, olo_piece_of_constraint(x->system, row),
                                      a * x->lambda[i], olo_motion_left(&step->x), step->x.q1);
    }
}

/* After an iteration over packs. */
static void update_closures(reduced *x, olo_step *step)
{
    olo_packs_update_multipliers(x->packs, x->lambda);
    olo_packs_write_motion(x->packs, step);
    x->finding_rank = false;
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    reduced *x = data;
    if (x->packed) {
        const bool closed = olo_packs_have_closures(x->packs);
        if (closed && !x->older)
            vary_closures(x, step);
        bool regular = olo_packs_iterate(x->packs, step, x->older, newton);
        if (regular && closed)
            update_closures(x, step);
        if (regular)
            olo_reduced_choose_tangent(x, step, newton);
        return conclude(x, step, regular ? -1 : newton->worst, newton, error);
    }
    int singular = -1;
    if (x->older)
        fill_rhs(x, step);
    else
        singular = assemble(x, step);
    if (singular < 0) {
        substitute(x, step, newton);
        olo_reduced_choose_tangent(x, step, newton);
    }
    return conclude(x, step, singular, newton, error);
}

/* Closes joints to the last bit: computes the motions again from the joint increments. Returns true
 * if they did not change, relative to the motion by less than `moved_bound`; a spurious lifted
 * solution does change. */
static bool rebuild(reduced *x, olo_step *step, double moved_bound)
{
    const olo_system *s = x->system;
    double moved = 0, size = 0;
    memcpy(x->predicted, step->x.motion, (size_t)s->twists * sizeof *x->predicted);
    olo_motion_predict(x->topology, &step->x, step->x.motion, 1.0);
    x->closed = true;
    for (int k = 0; k < s->node_count; k++) {
        double change[OLO_NODE_TWIST_MAX];
        const double *before = x->predicted + s->nodes[k].motion,
                     *now = step->x.motion + s->nodes[k].motion;
        for (int i = 0; i < s->nodes[k].twist; i++)
            change[i] = now[i] - before[i];
        olo_raise(&moved, motion_size(s, k, change));
        olo_raise(&size, motion_size(s, k, now));
    }
    return moved <= moved_bound * olo_smaller(size, 1.0) + 1e-14;
}

/* The velocities of the solution, and the joint wrenches that belong to lambda = mu + 2 gamma/h:
 * the balance has W = -h sum mu d, and W_r = h sum gamma d, hence W - (2/h) W_r. */
static void find_velocities(reduced *x, olo_step *step)
{
    olo_reduced_rates_conclude(x, step, x->settled ? x->turned : HUGE_VAL, x->moved);
    for (int i = 0; i < x->system->twists; i++)
        x->wrench[i] -= 2 / step->h * x->rates->wrench[i];
    for (int u = 0; u < x->topology->closure_count; u++)
        step->gamma[x->topology->closures[u]] = x->rates->gamma[u];
}

/* Motion, wrenches and velocities of packed bodies at the solution. */
static bool finish_packs(reduced *x, olo_step *step)
{
    const bool solved = !x->rates || olo_packs_velocities(x->packs, step) < 0;
    if (olo_packs_have_closures(x->packs))
        olo_packs_load(x->packs, step);
    for (int i = 0; x->rates && i < x->topology->closure_count; i++)
        step->gamma[x->topology->closures[i]] = olo_packs_gamma(x->packs)[i];
    olo_packs_finish(x->packs, step, x->wrench);
    step->exchanged = olo_packs_have_forces(x->packs);
    return solved;
}

/* The Newton iteration continues, without packs, if joints had to be closed. Velocities of packed
 * bodies belong to joints that are closed to round-off. A solution that leaves a closure open is
 * rejected. */
static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    const int passes = 4;
    const double moved_bound = 1e-8, round_off = 1e-14;
    reduced *x = data;
    const bool packed = x->packed, complete = !packed || finish_packs(x, step);
    step->exchanged = step->exchanged && packed;
    if (!packed && !x->varied)
        store_wrenches(x, 1 / step->weight);
    step->concluded = step->concluded && packed && x->settled;
    x->packed = false;
    x->older = false;
    const bool closed =
        x->settled || rebuild(x, step, packed && x->rates ? round_off : moved_bound);
    if (!closed || !complete) {
        step->closed = true;
        step->exchanged = false;
        x->finding_rank = x->rank_in_tangent;
        if (count < passes)
            return OLO_PASS_AGAIN;
        olo_fail(error, OLO_NOT_CONVERGED, "joints do not close");
        return OLO_PASS_FAILED;
    }
    if (!x->settled && largest_turn(x, step) > x->scheme->turn) {
        olo_fail(error, OLO_NOT_CONVERGED, "a body or rod rotates too far in the step");
        return OLO_PASS_FAILED;
    }
    if (x->rates && !packed)
        find_velocities(x, step);
    return olo_pass_closed(step, x->topology->closure_count, x->topology->closures, error);
}

static void finish(void *data, olo_step *step, olo_state *state)
{
    reduced *x = data;
    size_t twists = (size_t)x->system->twists;
    olo_predictor_update(step, x->motion_pass, state);
    if (x->rates)
        olo_reduced_remember(x, olo_predictor_of(state));
    memcpy(olo_last_wrenches(state), x->wrench, twists * sizeof *x->wrench);
    for (int u = 0; u < x->topology->closure_count; u++) {
        const int c = x->topology->closures[u];
        state->lambda[c] = 2 * x->lambda[u] / (step->weight * step->h * step->h);
        if (x->rates) /* lambda = mu + 2 gamma/h */
            state->lambda[c] += 2 / step->h * step->gamma[c];
    }
}

static void settle(void *data, olo_step *step)
{
    reduced *x = data;
    if (x->packs) {
        olo_packs_settle(x->packs, step);
        return;
    }
    olo_step_accumulate(step);
    olo_motion_settle(x->topology, &step->x, step->q_end, step->remainder_end);
}

void olo_reduced_find_redundant(void *data, olo_step *step)
{
    reduced *x = data;
    x->packed = false;
    olo_motion_begin(x->topology, &step->x);
    find_redundant_rows(x, step);
}

/* --- for contacts --- */

void olo_reduced_start(reduced *x, olo_step *step, const double *motion)
{
    forget(x);
    begin(x, step);
    olo_motion_predict(x->topology, &step->x, motion, 1.0);
    memset(x->lambda, 0, (size_t)x->topology->closure_count * sizeof *x->lambda);
    x->closed = step->closed = true;
}

olo_status olo_reduced_assemble(reduced *x, olo_step *step, olo_error *error)
{
    int worst = 0;
    x->rod_turn = 0;
    olo_elimination_clear(x->elimination);
    const int singular = assemble_balance(x, step);
    return singular < 0 ? OLO_OK : fail_singular(x, singular, &worst, error);
}

/* --- for derivatives --- */

olo_elimination *olo_reduced_elimination(void *data)
{
    return ((reduced *)data)->elimination;
}

void olo_reduced_multipliers(const void *data, double *lambda)
{
    const reduced *x = data;
    memcpy(lambda, x->lambda, (size_t)x->topology->closure_count * sizeof *lambda);
}

olo_status olo_reduced_linearise(void *data, olo_step *step, const double *motion,
                                 const double *lambda, olo_error *error)
{
    reduced *x = data;
    int worst = 0;
    forget(x);
    begin(x, step);
    olo_motion_predict(x->topology, &step->x, motion, 1.0);
    memcpy(x->lambda, lambda, (size_t)x->topology->closure_count * sizeof *lambda);
    x->closed = step->closed = true;
    int singular = assemble(x, step);
    return singular < 0 ? OLO_OK : fail_singular(x, singular, &worst, error);
}

void olo_reduced_redundant_projector(const void *data, int block, double *N)
{
    const reduced *x = data;
    int count = x->topology->closure_blocks[block].count;
    for (int j = 0; j < count; j++) {
        double unit[OLO_BLOCK_MAX] = {0};
        unit[j] = 1;
        olo_elimination_project_multipliers(x->elimination, closure_block(x, block), unit);
        for (int i = 0; i < count; i++)
            N[i * count + j] = (i == j) - unit[i];
    }
}

const double *olo_reduced_twist(const void *data, int node)
{
    return olo_elimination_twist(((const reduced *)data)->elimination, node);
}

static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    reduced *x = data;
    (void)kind;
    return olo_reduced_matrix(x->scheme, x->topology, step, K, error);
}

const olo_treatment olo_treatment_reduced = {.name = "reduced",
                                             .forest = true,
                                             .contacts = true,
                                             .consistent = true,
                                             .recorded = true,
                                             .create = create,
                                             .free = destroy,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .pass = pass,
                                             .project = olo_reduced_project,
                                             .finish = finish,
                                             .settle = settle,
                                             .matrix = matrix};
