/* The static balance and its tangent in the elimination of the tree (equations in the header). */
#include "statics/static_balance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "kinematics/redundancy.h"
#include "linalg/vec3.h"
#include "stepping/contact_scheme.h"
#include "stepping/events.h"
#include "stepping/tree_assembly.h"

static bool allocate(olo_static_balance *x)
{
    const olo_system *s = x->system;
    size_t n = (size_t)s->n, twists = (size_t)s->twists,
           closures = (size_t)x->topology->closure_count,
           stresses = (size_t)s->term_count * OLO_LAW_INVARIANTS_MAX,
           changes = (size_t)x->topology->unknowns + closures + twists;
    x->changes = (int)changes;
    x->memory =
        olo_alloc(4 * n + stresses + 2 * twists + closures + 2 * changes, sizeof *x->memory);
    if (!x->memory)
        return false;
    double *at = x->memory;
    x->loads = at;
    x->mixed = at += n;
    x->zero = at += n;
    x->vector = at += n;
    x->stress = at += n;
    x->wrench = at += stresses;
    x->mass = at += twists;
    x->lambda = at += twists;
    x->change = at += closures;
    x->by_load = at + changes;
    return true;
}

olo_status olo_static_create(const olo_system *system, olo_state *state,
                             olo_static_balance **balance, olo_error *error)
{
    *balance = NULL;
    olo_status status = olo_events_refuse(system, "statics", error);
    if (status == OLO_OK)
        status = olo_contacts_refuse(system, "statics", error);
    if (status != OLO_OK)
        return status;
    olo_static_balance *x = *balance = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    x->system = system;
    x->state = state;
    x->topology = system->topology;
    x->redundant = olo_system_is_redundant(system);
    status = olo_elimination_create(x->topology->elimination, &x->elimination, error);
    if (status == OLO_OK)
        status = olo_projector_create(x->topology, x->elimination, &x->projector, error);
    if (status == OLO_OK)
        status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK && !allocate(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    if (status == OLO_OK) {
        x->step.state = state;
        x->step.h = 1;
        x->step.closed = true;
        x->step.x.q0 = x->step.q0;
        return OLO_OK;
    }
    olo_static_free(x);
    *balance = NULL;
    return status;
}

void olo_static_free(olo_static_balance *balance)
{
    if (!balance)
        return;
    olo_elimination_free(balance->elimination);
    olo_projector_free(balance->projector);
    olo_step_free(&balance->step);
    olo_free(balance->memory);
    olo_free(balance);
}

/* ---- balance and tangent --------------------------------------------------------------------- */

void olo_static_set_configuration(olo_static_balance *x)
{
    memcpy(x->step.q0, x->state->q, (size_t)x->system->n * sizeof *x->step.q0);
    memset(x->step.x.u, 0, (size_t)x->topology->unknowns * sizeof *x->step.x.u);
    olo_motion_begin(x->topology, &x->step.x);
    olo_motion_move(x->topology, &x->step.x);
}

static void sink_mass(void *context, double factor)
{
    olo_static_balance *x = context;
    olo_projector_add_mass(x->projector, factor, x->step.x.qm, x->step.x.q1);
}

static void sink_local(void *context, int piece, double factor, const double *K)
{
    olo_static_balance *x = context;
    olo_projector_add(x->projector, piece, 2 * factor, K, x->step.x.qm, x->step.x.q1);
}

static void sink_stress(void *context, int piece, const olo_term *term, double factor,
                        const olo_law_over *law, const double *at)
{
    olo_static_balance *x = context;
    const olo_twist_configurations configurations = {
        .left = x->step.x.qm, .qm = x->step.x.qm, .stress = at, .q1 = x->step.x.q1};
    olo_projector_add_stress(x->projector, piece, term, 2 * factor, law, &configurations);
}

/* The stress of the iteration of a term of a pack. */
static double *stress_of(const olo_static_balance *x, const olo_term_pack *pack, int l)
{
    return x->stress + (size_t)pack->piece[l] * OLO_LAW_INVARIANTS_MAX;
}

/* Adds the tangent; that of terms with invariants with the stress of the iteration, and the
 * resulting change of the balance to `mixed`. */
static void sink_pack(void *context, const olo_term_pack *pack, double factor, olo_pack_step *at)
{
    olo_static_balance *x = context;
    const int forms = pack->term[0]->invariants ? pack->term[0]->forms : 0;
    if (forms > 0 && x->predicted) {
        double scale = 0;
        const olo_pack_balance mixed = {.factor = factor, .T = x->mixed, .scale = &scale};
        lane stress[OLO_LAW_INVARIANTS_MAX];
        for (int k = 0; k < forms; k++) {
            for (int l = 0; l < LANES; l++)
                stress[k][l] = stress_of(x, pack, l)[k];
            at->s[k] = stress[k] - at->s[k];
        }
        pack->kernels->push(pack, at, &mixed);
        memcpy(at->s, stress, (size_t)forms * sizeof *stress);
    }
    for (int l = 0; l < pack->count && !x->predicted; l++)
        for (int k = 0; k < forms; k++)
            stress_of(x, pack, l)[k] = at->s[k][l];
    olo_projector_add_pack(x->projector, pack, 2 * factor, false, at);
}

/* The balance of forces, and with a sink its tangent. */
static void add_balance(olo_static_balance *x, const olo_sink *sink)
{
    olo_scheme_static.balance(&x->step, sink);
    for (int i = 0; x->push && i < x->system->n; i++)
        x->step.T[i] -= x->push[i];
    if (!olo_rotating_frame_turns(&x->spin))
        return;
    olo_rotating_frame_add_force(x->system, &x->spin, x->step.load, x->step.x.q1, x->vector,
                                 x->step.T);
    if (sink)
        olo_rotating_frame_add_centrifugal(x->system, &x->spin, x->step.load, x->step.x.q1,
                                           x->elimination);
}

/* L = balance at load factor 1 minus balance at load factor 0; overwrites the balance */
static void assemble_loads(olo_static_balance *x)
{
    const olo_system *s = x->system;
    double load = x->step.load;
    x->step.load = 0;
    add_balance(x, NULL);
    for (int i = 0; i < s->n; i++)
        x->loads[i] = x->step.T[i];
    x->step.load = 1;
    add_balance(x, NULL);
    for (int i = 0; i < s->n; i++)
        x->loads[i] = x->step.T[i] - x->loads[i];
    x->step.load = load;
}

static void add_closure_row(olo_static_balance *x, int row, double lambda, double *right)
{
    const olo_constraint *c = &x->system->constraints[row];
    const olo_motion *m = &x->step.x;
    int piece = olo_piece_of_constraint(x->system, row);
    olo_at here = {.q = m->q1, .angles = x->state->angles, .t = x->step.t};
    const bool curved = olo_step_row(&x->step, c, x->step.r, c->form ? NULL : x->step.K);
    for (int k = 0; k < c->size; k++)
        x->step.T[c->index[k]] += lambda * x->step.r[k];
    olo_projector_add_column(x->projector, piece, 1.0, x->step.r, m->qm);
    if (curved && c->form)
        olo_projector_add_hessian(x->projector, piece, lambda, m->qm, m->q1);
    else if (curved)
        olo_projector_add(x->projector, piece, 2 * lambda, x->step.K, m->qm, m->q1);
    olo_constraint_gradient(c, &here, x->step.r);
    olo_projector_add_row(x->projector, piece, 1.0, x->step.r, m->q1);
    *right = olo_constraint_value(c, &here);
}

static void add_closures(olo_static_balance *x)
{
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        double *right =
            olo_elimination_rhs(x->elimination, olo_topology_closure_block(x->topology, i));
        for (int j = 0; j < closure->count; j++)
            add_closure_row(x, closure->first + j, x->lambda[closure->u + j], right + j);
    }
}

/* Fills the blocks of nodes and joints with twice the balance `mixed`, since the variations of the
 * null space enter a step with the factor 1/2. */
static void fill_tree(olo_static_balance *x, double shift)
{
    const olo_system *s = x->system;
    olo_fill_nodes(x->projector, x->elimination, s, shift, true, x->mixed, &x->step.x);
    for (int k = 0; k < s->node_count; k++)
        memcpy(x->wrench + s->nodes[k].motion, olo_elimination_rhs(x->elimination, k),
               (size_t)s->nodes[k].twist * sizeof *x->wrench);
    for (int i = s->node_count - 1; i >= 0; i--) {
        int k = x->topology->order[i];
        if (!x->topology->nodes[k].type)
            continue;
        olo_joint_view view = olo_motion_view(x->topology, k, &x->step.x);
        olo_joint_blocks b = olo_elimination_joint(x->elimination, k);
        x->topology->nodes[k].type->blocks(&view, x->wrench + s->nodes[k].motion, &b, NULL);
        olo_add_wrench_to_parent(x->topology, k, &b, x->wrench);
    }
}

static void set_right(olo_static_balance *x, const double *T)
{
    for (int k = 0; k < x->system->node_count; k++)
        olo_node_wrench(&x->system->nodes[k], x->step.x.q1, T,
                        olo_elimination_rhs(x->elimination, k));
}

void olo_static_assemble_mass(olo_static_balance *x)
{
    const olo_system *s = x->system;
    olo_elimination_clear(x->elimination);
    olo_projector_add_mass(x->projector, 1.0, x->step.x.qm, x->step.x.q1);
    memcpy(x->mixed, x->zero, (size_t)s->n * sizeof *x->mixed);
    memcpy(x->step.T, x->zero, (size_t)s->n * sizeof *x->mixed);
    fill_tree(x, 1.0);
    for (int k = 0; k < s->node_count; k++) {
        const double *M = olo_elimination_matrix(x->elimination, k, k);
        for (int i = 0; i < s->nodes[k].twist; i++)
            x->mass[s->nodes[k].motion + i] = M[i * s->nodes[k].twist + i];
    }
}

/* Finds redundant closure rows at this configuration. */
static void find_redundant_closures(olo_static_balance *x)
{
    const olo_at here = {.q = x->step.x.q1, .angles = x->state->angles, .t = x->step.t};
    const double smallest =
        olo_smallest_row_size(x->system, x->topology->closure_count, x->topology->closures);
    olo_find_redundant_rows(x->topology, x->projector, x->elimination, &x->step.x, &here, smallest);
    for (int i = 0; i < x->topology->closure_block_count; i++)
        olo_elimination_project_multipliers(x->elimination, x->system->node_count + i,
                                            x->lambda + x->topology->closure_blocks[i].u);
}

/* Measures the largest stiffness of forces, and of joints due to their wrenches, relative to the
 * mass. */
static void measure_stiffness(olo_static_balance *x)
{
    const olo_system *s = x->system;
    x->stiff = 0;
    for (int k = 0; k < s->node_count; k++) {
        const double *K = olo_elimination_matrix(x->elimination, k, k);
        const double *mass = x->mass + s->nodes[k].motion;
        for (int i = 0, size = s->nodes[k].twist; i < size; i++)
            if (mass[i] > 0)
                olo_raise(&x->stiff, fabs(K[i * size + i]) / mass[i]);
        const olo_node_type *type = s->nodes[k].type;
        const double *W = x->wrench + s->nodes[k].motion, *turns = mass + type->rotation;
        if (type->translation >= 0 && mass[type->translation] > 0)
            olo_raise(&x->stiff, vec3_norm(W + type->translation) /
                                     (mass[type->translation] * s->length_scale));
        if (type->rotation >= 0 && turns[0] + turns[1] + turns[2] > 0)
            olo_raise(&x->stiff, vec3_norm(W + type->rotation) / (turns[0] + turns[1] + turns[2]));
    }
}

void olo_static_assemble(olo_static_balance *x, double load, double shift)
{
    const olo_system *s = x->system;
    olo_sink sink = {.context = x,
                     .mass = sink_mass,
                     .local = sink_local,
                     .stress = sink_stress,
                     .pack = sink_pack};
    x->step.load = load;
    x->step.t = olo_rotating_frame_turns(&x->spin) || x->hold ? 0.0 : load;
    olo_static_set_configuration(x);
    /* redundant closure rows, and the diagonal of the mass */
    if (x->redundant)
        find_redundant_closures(x);
    if (!x->mass_known)
        olo_static_assemble_mass(x);
    x->mass_known = true;
    /* forces, closures and their tangents */
    olo_elimination_clear(x->elimination);
    memcpy(x->mixed, x->zero, (size_t)s->n * sizeof *x->mixed);
    add_balance(x, &sink);
    add_closures(x);
    if (shift != 0)
        sink_mass(x, shift);
    /* joints with the wrenches of the balance, then the right-hand side */
    for (int i = 0; i < s->n; i++)
        x->mixed[i] = 2 * (x->step.T[i] + x->mixed[i]);
    fill_tree(x, shift);
    set_right(x, x->step.T);
    measure_stiffness(x);
}

void olo_static_record(olo_static_balance *x, double load)
{
    const double twice = 2; /* the factor of fill_tree */
    if (x->system->reaction_count == 0)
        return;
    x->predicted = false;
    olo_static_assemble(x, load, 0.0);
    olo_forces forces = {.step = &x->step,
                         .topology = x->topology,
                         .wrench = x->wrench,
                         .unit = twice,
                         .lambda = x->state->lambda};
    olo_record_reactions(&forces, x->state);
}

olo_status olo_static_eliminate(olo_static_balance *x, olo_error *error)
{
    const olo_system *s = x->system;
    int block = 0;
    olo_status status = olo_elimination_factor(x->elimination, &block, NULL);
    if (status != OLO_OK) {
        x->worst = block < s->node_count ? block : 0;
        return olo_fail(error, status, "'%s' can move freely: it has no stiffness",
                        s->nodes[x->worst].name);
    }
    return OLO_OK;
}

olo_status olo_static_factor(olo_static_balance *x, double load, double shift, olo_error *error)
{
    olo_static_assemble(x, load, shift);
    return olo_static_eliminate(x, error);
}

/* ---- increments ------------------------------------------------------------------------------ */

void olo_static_expand_twists(const olo_static_balance *x, const double *twists, double scale,
                              double *dq)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double *at = dq + node->q;
        node->type->velocity(x->step.x.q1 + node->q, twists + node->motion, at);
        for (int i = 0; i < node->size; i++)
            at[i] *= scale;
    }
}

void olo_static_read(const olo_static_balance *x, double *change)
{
    const olo_topology *topology = x->topology;
    for (int k = 0; k < x->system->node_count; k++) {
        memcpy(change + topology->nodes[k].u, olo_elimination_increment(x->elimination, k),
               (size_t)topology->nodes[k].dof * sizeof *change);
        memcpy(change + olo_static_twist(x, k), olo_elimination_twist(x->elimination, k),
               (size_t)x->system->nodes[k].twist * sizeof *change);
    }
    for (int i = 0; i < topology->closure_block_count; i++)
        memcpy(change + topology->unknowns + topology->closure_blocks[i].u,
               olo_elimination_twist(x->elimination, x->system->node_count + i),
               (size_t)topology->closure_blocks[i].count * sizeof *change);
}

double olo_static_measure_node(const olo_static_balance *x, int node, const double *twist)
{
    const olo_node *n = &x->system->nodes[node];
    return olo_node_shift_size(n, twist) / x->system->length_scale + olo_node_turn_size(n, twist);
}

double olo_static_measure(const olo_static_balance *x, const double *change, int *worst)
{
    double largest = 0;
    for (int k = 0; k < x->system->node_count; k++) {
        double size = olo_static_measure_node(x, k, change + olo_static_twist(x, k));
        if (!(size <= largest)) {
            largest = size;
            if (worst)
                *worst = k;
        }
    }
    return largest;
}

void olo_static_solve(olo_static_balance *x)
{
    olo_elimination_solve(x->elimination);
    olo_static_read(x, x->change);
    x->size = olo_static_measure(x, x->change, &x->worst);
}

/* Finds the multipliers for which the accelerations satisfy the closures: [M G^T; G 0] with the
 * balance on the right. */
static olo_status find_multipliers(olo_static_balance *x, double load, olo_error *error)
{
    const int count = x->topology->closure_count;
    memset(x->lambda, 0, (size_t)count * sizeof *x->lambda);
    olo_static_assemble(x, load, 0.0); /* the balance, and the redundant rows */
    memcpy(x->vector, x->step.T, (size_t)x->system->n * sizeof *x->vector);
    olo_static_assemble_mass(x);
    add_closures(x);
    set_right(x, x->vector);
    for (int i = 0; i < x->topology->closure_block_count; i++)
        memset(olo_elimination_rhs(x->elimination, x->system->node_count + i), 0,
               (size_t)x->topology->closure_blocks[i].count * sizeof *x->lambda);
    olo_status status = olo_static_eliminate(x, error);
    if (status != OLO_OK)
        return status;
    olo_elimination_solve(x->elimination);
    olo_static_read(x, x->change);
    memcpy(x->lambda, x->change + x->topology->unknowns, (size_t)count * sizeof *x->lambda);
    return OLO_OK;
}

olo_status olo_static_verify(olo_static_balance *x, double load, olo_error *error)
{
    const double near = 1e-4;    /* model lengths, radians */
    const double little = 1e-10; /* of the mass, where a direction has no stiffness */
    olo_status status = OLO_OK;
    x->predicted = false;
    if (x->topology->closure_count > 0)
        status = find_multipliers(x, load, error);
    if (status != OLO_OK)
        return status;
    /* the Newton increment must be small; directions without stiffness need a shift */
    status = olo_static_factor(x, load, 0.0, NULL);
    if (status == OLO_OK)
        olo_static_solve(x);
    if (status != OLO_OK || !(x->size <= near)) {
        double shift = x->stiff > 0 ? little * x->stiff : 1.0;
        status = olo_static_factor(x, load, shift, error);
        if (status != OLO_OK)
            return status;
        olo_static_solve(x);
    }
    if (!(x->size <= near))
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the state is no equilibrium: '%s' would move; find the equilibrium first",
                        x->system->nodes[x->worst].name);
    return OLO_OK;
}

void olo_static_solve_load(olo_static_balance *x)
{
    assemble_loads(x);
    set_right(x, x->loads);
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        double *right = olo_elimination_rhs(x->elimination, x->system->node_count + i);
        for (int j = 0; j < closure->count; j++) {
            const olo_constraint *row = &x->system->constraints[closure->first + j];
            bool moves =
                olo_constraint_moves(row) && !olo_rotating_frame_turns(&x->spin) && !x->hold;
            right[j] = moves ? -olo_time_rate(&row->time, x->step.t) : 0.0;
        }
    }
    olo_elimination_solve(x->elimination);
    olo_static_read(x, x->by_load);
}

/* Predicts the stresses s + C grad e . dq of every term with invariants after a move by dq. */
static void predict_stresses(olo_static_balance *x, const double *dq)
{
    const olo_interval here = olo_step_interval(&x->step);
    for (int i = 0; i < x->step.pack_count; i++) {
        const olo_term_pack *pack = &x->step.packs[i];
        const int forms = pack->term[0]->forms;
        lane de[OLO_LAW_INVARIANTS_MAX];
        olo_pack_step at;
        if (!pack->term[0]->invariants || pack->term[0]->law->dissipative)
            continue;
        memset(at.s1, 0, (size_t)(forms * forms) * sizeof *at.s1); /* laws set what they couple */
        olo_term_pack_stress(pack, &x->step.evaluation, &here, true, &at);
        pack->kernels->differences(pack, &at, dq, de);
        for (int k = 0; k < forms; k++) {
            for (int l = 0; l < forms; l++)
                at.s[k] += 2.0 * at.s1[k * forms + l] * de[l];
            for (int l = 0; l < pack->count; l++)
                stress_of(x, pack, l)[k] = at.s[k][l];
        }
    }
    x->predicted = true;
}

void olo_static_move(olo_static_balance *x, double scale)
{
    /* `mixed` is work space here; a factorisation overwrites it */
    olo_static_expand_twists(x, x->change + olo_static_twist(x, 0), scale, x->mixed);
    predict_stresses(x, x->mixed);
    for (int i = 0; i < x->topology->unknowns; i++)
        x->step.x.u[i] = scale * x->change[i];
    olo_motion_move(x->topology, &x->step.x);
    memcpy(x->state->q, x->step.x.q1, (size_t)x->system->n * sizeof *x->state->q);
    memset(x->state->q_remainder, 0, (size_t)x->system->n * sizeof *x->state->q_remainder);
    olo_motion_settle(x->topology, &x->step.x, x->state->q, x->state->q_remainder);
    olo_state_follow_angles(x->system, x->state);
    for (int i = 0; i < x->topology->closure_count; i++)
        x->lambda[i] += scale * x->change[x->topology->unknowns + i];
}
