/* Consistent velocities in the treatment `reduced`; see the header. */
#include "stepping/reduced_rates.h"

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/small.h"
#include "linalg/vector.h"
#include "stepping/balance.h"
#include "stepping/reduced_private.h"
#include "system/rate_interval.h"

/* Updates are compared as lengths: angles are multiplied by the length of the model. Those of joint
 * rates follow. */
static void set_weights(const olo_system *s, double *weight)
{
    for (int k = 0; k < s->node_count; k++)
        for (int i = 0; i < s->nodes[k].twist; i++) {
            const int turn = s->nodes[k].type->rotation;
            const bool angle = turn >= 0 && i >= turn && i < turn + 3;
            weight[s->nodes[k].motion + i] = angle ? s->length_scale * s->length_scale : 1.0;
        }
}

static void find_numbers(const olo_topology *topology, olo_elimination *balance,
                         olo_reduced_rates *rates)
{
    for (int k = 0; k < topology->system->node_count; k++)
        rates->node[k] = (olo_node_numbers){.right = olo_elimination_rhs(balance, k),
                                            .row = olo_elimination_row(balance, k),
                                            .twist = olo_elimination_twist(balance, k),
                                            .increment = olo_elimination_increment(balance, k),
                                            .balance = olo_elimination_joint(balance, k),
                                            .joint = olo_elimination_joint(rates->elimination, k)};
}

/* The nodes on which the rows of closures act. */
static void find_closed_nodes(const olo_topology *topology, bool *closed)
{
    const olo_system *s = topology->system;
    for (int u = 0; u < topology->closure_count; u++) {
        const olo_constraint *row = &s->constraints[topology->closures[u]];
        for (int i = 0; i < row->size; i++)
            closed[s->coordinates[row->index[i]].node] = true;
    }
}

olo_status olo_reduced_rates_create(const olo_topology *topology, olo_elimination *balance,
                                    olo_reduced_rates **rates, olo_error *error)
{
    const olo_system *s = topology->system;
    const size_t n = (size_t)s->n, twists = (size_t)s->twists;
    const int mixed = s->twists + topology->unknowns;
    olo_reduced_rates *x = *rates = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for velocities");
    const olo_array arrays[] = {{&x->free, n},
                                {&x->momentum, n},
                                {&x->mean, n},
                                {&x->r, n},
                                {&x->zero, n},
                                {&x->wrench, twists},
                                {&x->load, twists},
                                {&x->row, (size_t)topology->unknowns},
                                {&x->twist, twists},
                                {&x->nu, (size_t)topology->unknowns},
                                {&x->gamma, (size_t)topology->closure_count},
                                {&x->prescribed, (size_t)topology->closure_count},
                                {&x->rows, (size_t)topology->closure_count * OLO_FORM_SIZE_MAX}};
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) ||
        !olo_anderson_create(&x->mixing, mixed, OLO_ANDERSON_DEPTH, &x->pool))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for velocities");
    x->node = olo_pool_alloc(&x->pool, (size_t)s->node_count, sizeof *x->node);
    x->closed = olo_pool_alloc(&x->pool, (size_t)s->node_count, sizeof *x->closed);
    if (!x->node || !x->closed)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for velocities");
    find_closed_nodes(topology, x->closed);
    set_weights(s, x->mixing.weight);
    olo_status status = olo_elimination_create(topology->elimination, &x->elimination, error);
    if (status == OLO_OK)
        status = olo_projector_create(topology, x->elimination, &x->projector, error);
    if (status == OLO_OK)
        find_numbers(topology, balance, x);
    return status;
}

void olo_reduced_rates_free(olo_reduced_rates *x)
{
    if (!x)
        return;
    olo_elimination_free(x->elimination);
    olo_projector_free(x->projector);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* --- the projection (1) --- */

/* The discrete gradients of the rows of closures at the iterate. */
static void evaluate_rows(const reduced *x, olo_step *step)
{
    for (int i = 0; i < x->topology->closure_count; i++)
        olo_step_row(step, &x->system->constraints[x->topology->closures[i]],
                     x->rates->rows + (size_t)i * OLO_FORM_SIZE_MAX, NULL);
}

/* That of the j-th row of a closure. */
static const double *row_of(const reduced *x, const olo_closure *closure, int j)
{
    return x->rates->rows + (size_t)(closure->u + j) * OLO_FORM_SIZE_MAX;
}

/* Rows of closures: the rate that the velocities lack; and columns of the discrete gradients and
 * rows of the gradients at q1 if the matrix is factored, with the scaling of a step. Unknowns are
 * velocities divided by the factor of the mass. */
static void add_closures(reduced *y, olo_step *step)
{
    const olo_system *s = y->system;
    const double a = 2 / step->h;
    const olo_at end = olo_step_end(step);
    for (int i = 0; i < y->topology->closure_block_count; i++) {
        const olo_closure *closure = &y->topology->closure_blocks[i];
        double *right = olo_elimination_rhs(y->elimination, closure_block(y, i));
        for (int j = 0; j < closure->count; j++) {
            const olo_constraint *c = &s->constraints[closure->first + j];
            const int piece = olo_piece_of_constraint(s, closure->first + j);
            if (!y->rates->factored)
                olo_projector_add_column(y->projector, piece, a, row_of(y, closure, j), step->x.qm);
            olo_constraint_gradient(c, &end, step->r);
            if (!y->rates->factored)
                olo_projector_add_row(y->projector, piece, a, step->r, step->x.q1);
            const double lacking =
                olo_constraint_along(c, step->r, step->v1) - y->rates->prescribed[closure->u + j];
            right[j] = -a * lacking / y->mass_factor;
        }
    }
}

static void copy(int count, const double *from, double *to)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i];
}

/* The pairs of the balance at this iterate; there is no variation. */
static void copy_joint(const reduced *x, int k)
{
    const olo_system *s = x->system;
    const olo_topology_node *t = &x->topology->nodes[k];
    const olo_joint_blocks *from = &x->rates->node[k].balance, *to = &x->rates->node[k].joint;
    const int twist = s->nodes[k].twist, own = twist * t->dof;
    copy(own, from->B, to->B);
    copy(own, from->B_hat, to->B_hat);
    if (to->spatial) {
        copy(6, from->spatial, to->spatial);
    } else if (t->parent >= 0) {
        const int above = twist * s->nodes[t->parent].twist;
        copy(above, from->A, to->A);
        copy(above, from->A_hat, to->A_hat);
    }
}

/* The right pair of velocities at the iterate. */
static void fill_right_pair(const reduced *x, const olo_step *step, int k)
{
    const olo_joint_type *type = x->topology->nodes[k].type;
    const olo_joint_view view = olo_motion_view(x->topology, k, &step->x);
    type->right(&view, &x->rates->node[k].joint);
}

/* That of a joint which constrains velocities (rolling) is not the derivative of its motion. */
static void fill_joint(const reduced *x, reduced *y, const olo_step *step, int k)
{
    const olo_joint_type *type = y->topology->nodes[k].type;
    if (!type)
        return;
    if (x->filled)
        copy_joint(x, k);
    else
        fill_blocks(y, &step->x, NULL, k, false);
    if (type->impulse_load)
        fill_right_pair(x, step, k);
}

/* The twist of node k from that of its parent and the joint rates. */
static void find_twist(const reduced *x, int k)
{
    const olo_system *s = x->system;
    const olo_topology_node *t = &x->topology->nodes[k];
    const olo_node *node = &s->nodes[k];
    const double *nu = x->rates->nu + t->u;
    double *twist = x->rates->twist + node->motion;
    if (!t->type) {
        copy(node->twist, nu, twist);
        return;
    }
    const olo_joint_blocks *b = &x->rates->node[k].joint;
    for (int i = 0; i < node->twist; i++) {
        twist[i] = 0;
        for (int j = 0; j < t->dof; j++)
            twist[i] += b->B[i * t->dof + j] * nu[j];
    }
    if (t->parent >= 0)
        olo_add_from_parent(x->topology, k, b, x->rates->twist + s->nodes[t->parent].motion, twist);
}

/* The twists of all nodes from the joint rates. */
static void find_twists(const reduced *x)
{
    for (int i = 0; i < x->system->node_count; i++)
        find_twist(x, x->topology->order[i]);
}

/* The velocities at q1 of all nodes from their twists. */
static void set_velocities(const reduced *x, olo_step *step)
{
    const olo_frame_packs *frames = &step->frames;
    for (int i = 0; i < frames->count; i++)
        frames->kernels->velocity(&frames->pack[i], step->x.q1, x->rates->twist, step->v1);
    for (int i = 0; i < frames->rest_count; i++) {
        const olo_node *node = &x->system->nodes[frames->rest[i]];
        node->type->velocity(step->x.q1 + node->q, x->rates->twist + node->motion,
                             step->v1 + node->q);
    }
}

/* The joint rates, velocities and impulses of an iterate before their correction: zero where a step
 * begins. */
static void start_velocities(const reduced *x, olo_step *step)
{
    olo_reduced_rates *rates = x->rates;
    if (rates->known) {
        find_twists(x);
        set_velocities(x, step);
        return;
    }
    memset(rates->nu, 0, (size_t)x->topology->unknowns * sizeof *rates->nu);
    memset(rates->gamma, 0, (size_t)x->topology->closure_count * sizeof *rates->gamma);
    memset(rates->twist, 0, (size_t)x->system->twists * sizeof *rates->twist);
    memset(step->v1, 0, (size_t)x->system->n * sizeof *step->v1);
    for (int u = 0; u < x->topology->closure_count; u++)
        rates->prescribed[u] = olo_constraint_motion_rate(
            &x->system->constraints[x->topology->closures[u]], step->t + step->h);
}

/* momentum += factor sum gamma_c d_c */
static void add_impulses(const reduced *x, double factor, double *momentum)
{
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            const olo_constraint *c = &x->system->constraints[closure->first + j];
            const double impulse = factor * x->rates->gamma[closure->u + j];
            const double *row = row_of(x, closure, j);
            for (int k = 0; k < c->size; k++)
                momentum[c->index[k]] += impulse * row[k];
        }
    }
}

/* The same of pairs of others, whose impulses are given. */
static void add_pair(const reduced *x, double factor, double *momentum)
{
    for (int i = 0; x->outer.pair && i < x->system->n; i++)
        momentum[i] += factor * x->outer.pair[i];
}

/* v_m = (v0 + v1)/2, and the momentum M ((2/h) dq - 2 v_m) */
static void find_residual(const reduced *y, const olo_step *step)
{
    olo_reduced_rates *rates = y->rates;
    for (int i = 0; i < y->system->n; i++)
        rates->mean[i] = 0.5 * (step->v0[i] + step->v1[i]);
    const olo_frame_inertia inertia = {
        .h = step->h, .dq = step->x.dq, .start = rates->mean, .T = rates->momentum};
    olo_balance_inertia(step, &inertia);
}

/* Fills and factors the matrix, if it is not; returns the singular block, or -1. */
static int eliminate(reduced *y, olo_step *step)
{
    const int *order = olo_elimination_sequence(y->elimination);
    const bool factored = y->rates->factored;
    if (factored)
        olo_fill_right(y->projector, y->elimination, y->system, y->rates->momentum, step->x.qm);
    else
        fill_nodes(y, &step->x, y->rates->momentum, false);
    add_closures(y, step);
    for (int i = 0; i < olo_elimination_count(y->elimination); i++)
        if (factored)
            olo_elimination_forward(y->elimination, order[i]);
        else if (!olo_elimination_eliminate(y->elimination, order[i]))
            return order[i];
    return -1;
}

/* nu -= du and twists -= dt, times the factor of the mass, and gamma -= x/h. */
static void substitute(reduced *y, olo_step *step)
{
    const int *order = olo_elimination_sequence(y->elimination);
    const int nodes = y->system->node_count;
    for (int i = olo_elimination_count(y->elimination) - 1; i >= 0; i--) {
        const int c = order[i];
        olo_elimination_substitute(y->elimination, c);
        if (c >= nodes) {
            const olo_closure *closure = &y->topology->closure_blocks[c - nodes];
            const double *change = olo_elimination_twist(y->elimination, c);
            for (int j = 0; j < closure->count; j++)
                y->rates->gamma[closure->u + j] -= change[j] / step->h;
            continue;
        }
        const double *du = olo_elimination_increment(y->elimination, c),
                     *dt = olo_elimination_twist(y->elimination, c);
        double *nu = y->rates->nu + y->topology->nodes[c].u,
               *twist = y->rates->twist + y->system->nodes[c].motion;
        for (int j = 0; j < y->topology->nodes[c].dof; j++)
            nu[j] -= y->mass_factor * du[j];
        for (int j = 0; j < y->system->nodes[c].twist; j++)
            twist[j] -= y->mass_factor * dt[j];
    }
    set_velocities(y, step);
}

/* The largest change of the motion of a node in half a step, at least its shift over the model's
 * length plus its turn. */
static double size_of_correction(const reduced *y, const olo_step *step)
{
    double largest = 0;
    for (int k = 0; k < y->system->node_count; k++) {
        const olo_node *node = &y->system->nodes[k];
        const double *dt = olo_elimination_twist(y->elimination, k),
                     *weight = y->rates->mixing.weight + node->motion;
        double square = 0;
        for (int i = 0; i < node->twist; i++)
            square += weight[i] * dt[i] * dt[i];
        olo_raise(&largest, square);
    }
    return 0.5 * fabs(step->h * y->mass_factor) * sqrt(2 * largest) * y->per_length;
}

int olo_reduced_rates_project(const reduced *x, olo_step *step)
{
    const double far = 0.01; /* updates after which the factors leave too much of a correction */
    olo_reduced_rates *rates = x->rates;
    reduced y = *x;
    if (!(rates->behind <= far))
        rates->factored = false;
    y.elimination = rates->elimination;
    y.projector = rates->projector;
    y.mass_factor = mass_scale(&y, step->h);
    /* joints at the iterate; a step begins with velocities of zero */
    if (rates->factored) {
        olo_elimination_clear_right(y.elimination);
    } else {
        olo_elimination_clear(y.elimination);
        olo_projector_add_mass(y.projector, y.mass_factor, step->x.qm, step->x.q1);
    }
    for (int k = 0; k < x->system->node_count; k++)
        fill_joint(x, &y, step, k);
    start_velocities(x, step);
    evaluate_rows(&y, step);
    /* p - M v1 without the impulses of closures, then the correction */
    find_residual(&y, step);
    add_impulses(&y, -2.0, rates->momentum);
    add_pair(&y, -2 / step->h, rates->momentum);
    const int singular = eliminate(&y, step);
    if (singular >= 0)
        return singular;
    rates->behind = rates->factored ? rates->behind : 0;
    rates->factored = true;
    substitute(&y, step);
    rates->correction_before = rates->correction;
    rates->correction = rates->known ? size_of_correction(&y, step) : 0;
    rates->known = true;
    return -1;
}

/* --- r and the wrenches of joints --- */

/* r = (h/2) M ((2/h) dq - 2 v_m) - h sum gamma_c d_c, and v_m */
static void find_r(const reduced *x, olo_step *step)
{
    olo_reduced_rates *rates = x->rates;
    find_residual(x, step);
    for (int i = 0; i < x->system->n; i++)
        rates->r[i] = 0.5 * step->h * rates->momentum[i];
    add_impulses(x, -step->h, rates->r);
    add_pair(x, -1.0, rates->r);
}

/* load = -(dP_int[v_m])^T r, which is linear in v_m; wrench = P_int^T r */
static void load_nodes(const reduced *x, const olo_step *step)
{
    const olo_reduced_rates *rates = x->rates;
    const olo_frame_packs *frames = &step->frames;
    const olo_frame_load at = {.qm = step->x.qm,
                               .mean = rates->mean,
                               .r = rates->r,
                               .wrench = rates->wrench,
                               .load = rates->load};
    for (int i = 0; i < frames->count; i++)
        frames->kernels->load(&frames->pack[i], &at);
    for (int i = 0; i < frames->rest_count; i++) {
        const olo_node *node = &x->system->nodes[frames->rest[i]];
        double moving[OLO_NODE_TWIST_MAX], *load = rates->load + node->motion;
        olo_node_wrench(node, step->x.qm, rates->r, rates->wrench + node->motion);
        olo_node_wrench(node, rates->zero, rates->r, load);
        olo_node_wrench(node, rates->mean, rates->r, moving);
        for (int j = 0; j < node->twist; j++)
            load[j] -= moving[j];
    }
}

/* Sums the wrenches of nodes to those of joints, from leaf to root. */
static void sum_wrenches(const reduced *x, double *wrench)
{
    for (int i = x->system->node_count - 1; i >= 0; i--) {
        const int k = x->topology->order[i];
        if (x->topology->nodes[k].type)
            olo_add_wrench_to_parent(x->topology, k, &x->rates->node[k].joint, wrench);
    }
}

/* The joint wrenches of r. */
static void find_wrenches(const reduced *x, olo_step *step)
{
    olo_reduced_rates *rates = x->rates;
    find_r(x, step);
    load_nodes(x, step);
    sum_wrenches(x, rates->wrench);
}

void olo_reduced_rates_conclude(const reduced *x, olo_step *step, double update, double moved)
{
    if (olo_rates_follow(step, update, moved)) { /* and r is that of the last load */
        for (int k = 0; k < x->system->node_count; k++)
            if (x->topology->nodes[k].type)
                fill_right_pair(x, step, k);
        find_twists(x);
        set_velocities(x, step);
    } else {
        (void)olo_reduced_rates_project(x, step);
        find_wrenches(x, step);
    }
}

/* --- the load of (2) --- */

/* A joint adds -dA^T W to the balance of its parent, and -dB^T W to its own row. */
static void load_joint(const reduced *x, const olo_step *step, int k)
{
    static const double ground[OLO_NODE_SIZE_MAX] = {0};
    const olo_system *s = x->system;
    const olo_topology_node *t = &x->topology->nodes[k];
    const olo_node *node = &s->nodes[k];
    olo_reduced_rates *rates = x->rates;
    olo_joint_view view = olo_motion_view(x->topology, k, &step->x);
    const olo_joint_rates v = {.child = rates->mean + node->q,
                               .parent =
                                   t->parent < 0 ? ground : rates->mean + s->nodes[t->parent].q};
    const double *W = rates->wrench + node->motion;
    double above[OLO_NODE_TWIST_MAX] = {0}, *row = rates->row + t->u;
    t->type->left_rate(&view, &v, W, above, row);
    for (int i = 0; i < t->dof; i++)
        row[i] = -row[i];
    if (t->parent < 0)
        return;
    for (int i = 0; i < s->nodes[t->parent].twist; i++)
        rates->load[s->nodes[t->parent].motion + i] -= above[i];
    olo_add_wrench_to_parent(x->topology, k, &rates->node[k].joint, rates->wrench);
}

/* The coordinates of a node, times a factor, of a local vector of a row. */
static void add_local(const olo_constraint *row, const olo_node *node, double factor,
                      const double *local, double *own)
{
    for (int i = 0; i < row->size; i++)
        if (row->index[i] >= node->q && row->index[i] < node->q + node->size)
            own[row->index[i] - node->q] += factor * local[i];
}

/* The discrete gradients of the rows of a joint, and its impulses h gamma. */
typedef struct joint_impulses {
    double d[OLO_BLOCK_MAX][OLO_FORM_SIZE_MAX], impulse[OLO_BLOCK_MAX];
} joint_impulses;

/* Those of the joint of node k, from its wrench P_int^T h sum gamma d, by least squares. */
static void find_impulses(const reduced *x, const olo_step *step, int k, joint_impulses *to)
{
    const olo_system *s = x->system;
    const olo_node *node = &s->nodes[k];
    const olo_group *group = &s->groups[x->topology->nodes[k].joint.group];
    double D[OLO_BLOCK_MAX][OLO_NODE_TWIST_MAX] = {{0}}, square[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    int pivot[OLO_BLOCK_MAX] = {0};
    for (int i = 0; i < group->count; i++) {
        const olo_constraint *c = &s->constraints[group->first + i];
        double own[OLO_NODE_SIZE_MAX] = {0};
        olo_step_row(step, c, to->d[i], NULL);
        add_local(c, node, 1.0, to->d[i], own);
        node->type->add_wrench(step->x.qm + node->q, own, D[i]);
        to->impulse[i] = small_dot(node->twist, D[i], x->rates->wrench + node->motion);
    }
    for (int i = 0; i < group->count; i++)
        for (int j = 0; j < group->count; j++)
            square[i * group->count + j] = small_dot(node->twist, D[i], D[j]);
    if (small_lu(group->count, square, pivot))
        small_lu_solve(group->count, square, pivot, 1, to->impulse);
}

/* load += P_int^T sum h gamma a + (dP_int[v_m])^T sum h gamma d of the rows of a group at a node.
 */
static void load_impulses(const reduced *x, const olo_step *step, const olo_group *group, int k,
                          const joint_impulses *of)
{
    const olo_system *s = x->system;
    const olo_node *node = &s->nodes[k];
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = step->v0, .v1 = step->v1};
    const olo_reduced_rates *rates = x->rates;
    double a[OLO_FORM_SIZE_MAX], still[OLO_NODE_TWIST_MAX] = {0};
    double along[OLO_NODE_SIZE_MAX] = {0}, across[OLO_NODE_SIZE_MAX] = {0};
    double *load = rates->load + node->motion;
    for (int i = 0; i < group->count; i++) {
        const olo_constraint *c = &s->constraints[group->first + i];
        add_local(c, node, of->impulse[i], of->d[i], along);
        olo_rate_gradient(c, &over, &v, a);
        add_local(c, node, of->impulse[i], a, across);
    }
    node->type->add_wrench(step->x.qm + node->q, across, load);
    node->type->add_wrench(rates->mean + node->q, along, load);
    node->type->add_wrench(rates->zero + node->q, along, still);
    for (int i = 0; i < node->twist; i++)
        load[i] -= still[i];
}

/* The rows of a joint that constrains velocities act as closures do: they are left out of r, which
 * adds (dP_int[v_m])^T h sum gamma d to the load, and their force is P_int^T h sum gamma a. */
static void load_rows(const reduced *x, const olo_step *step, int k)
{
    const olo_node *node = &x->system->nodes[k];
    const olo_joint_view view = olo_motion_view(x->topology, k, &step->x);
    const olo_end_velocities v = {.v0 = step->v0 + node->q, .v1 = step->v1 + node->q};
    x->topology->nodes[k].type->impulse_load(&view, &v, x->rates->wrench + node->motion,
                                             x->rates->load + node->motion);
}

/* The forces h sum gamma a of closures, and those of others. */
static void load_closures(const reduced *x, olo_step *step)
{
    const olo_system *s = x->system;
    olo_reduced_rates *rates = x->rates;
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = step->v0, .v1 = step->v1};
    double *force = rates->free;
    for (int i = 0; i < s->n; i++)
        force[i] = x->outer.lift ? x->outer.lift[i] : 0;
    for (int i = 0; i < x->topology->closure_block_count; i++) {
        const olo_closure *closure = &x->topology->closure_blocks[i];
        for (int j = 0; j < closure->count; j++) {
            const olo_constraint *c = &s->constraints[closure->first + j];
            olo_rate_gradient(c, &over, &v, step->r);
            for (int k = 0; k < c->size; k++)
                force[c->index[k]] += step->h * rates->gamma[closure->u + j] * step->r[k];
        }
    }
    for (int k = 0; k < s->node_count; k++)
        if (rates->closed[k] || x->outer.lift)
            s->nodes[k].type->add_wrench(step->x.qm + s->nodes[k].q, force + s->nodes[k].q,
                                         rates->load + s->nodes[k].motion);
}

void olo_reduced_rates_load(const reduced *x, olo_step *step)
{
    find_r(x, step);
    load_nodes(x, step);
    for (int i = x->system->node_count - 1; i >= 0; i--) {
        const int k = x->topology->order[i];
        const olo_joint_type *type = x->topology->nodes[k].type;
        if (type && type->left_rate)
            load_joint(x, step, k);
        else if (type)
            load_rows(x, step, k);
    }
    if (x->topology->closure_count > 0 || x->outer.lift)
        load_closures(x, step);
}

/* --- updates --- */

void olo_reduced_rates_begin(olo_reduced_rates *rates)
{
    rates->known = rates->slow = rates->factored = false;
    rates->update_count = 0;
    rates->correction = rates->correction_before = 0;
}

/* Updates by one tangent are mixed, and all of them where new tangents do not help. */
void olo_reduced_rates_update(const reduced *x, const olo_step *step)
{
    const olo_system *s = x->system;
    olo_reduced_rates *rates = x->rates;
    const int many = 8;
    if (!x->older && rates->update_count < many)
        olo_anderson_restart(&rates->mixing);
    double *found = olo_anderson_found(&rates->mixing);
    for (int k = 0; k < s->node_count; k++) {
        const olo_topology_node *t = &x->topology->nodes[k];
        const olo_node_numbers *of = &rates->node[k];
        double *twist = found + s->nodes[k].motion, *increment = found + s->twists + t->u;
        for (int i = 0; i < s->nodes[k].twist; i++)
            twist[i] = of->twist[i];
        for (int i = 0; i < t->dof; i++)
            increment[i] = of->increment[i];
    }
    rates->update_count++;
    rates->update = olo_anderson_next(&rates->mixing, rates->slow);
    /* v1 = (2/h) dq - v0 up to the projection */
    olo_dense_add(x->topology->unknowns, 2 / step->h, rates->update + s->twists, rates->nu);
}

/* --- joint wrenches of lambda --- */

/* The impulses h gamma of a joint act on its child and its parent. */
static void load_joint_impulses(const reduced *x, const olo_step *step, int k)
{
    const olo_topology_node *t = &x->topology->nodes[k];
    joint_impulses of;
    if (t->joint.group < 0)
        return; /* a body in the plane: its rows are linear */
    find_impulses(x, step, k, &of);
    load_impulses(x, step, &x->system->groups[t->joint.group], k, &of);
    if (t->parent >= 0)
        load_impulses(x, step, &x->system->groups[t->joint.group], t->parent, &of);
}

void olo_reduced_rates_reactions(const reduced *x, olo_step *step, double *wrench)
{
    const olo_system *s = x->system;
    olo_reduced_rates *rates = x->rates;
    /* nodes: T - (2/h) r, and the lifts of internal rows */
    find_r(x, step);
    load_nodes(x, step);
    for (int k = 0; k < s->node_count; k++) {
        const int first = s->nodes[k].motion;
        olo_node_wrench(&s->nodes[k], step->x.qm, step->T, wrench + first);
        olo_dense_add(s->nodes[k].twist, -2 / step->h, rates->wrench + first, wrench + first);
    }
    /* lifts of joints, from leaf to root, and of closures */
    for (int i = s->node_count - 1; i >= 0; i--) {
        const int k = x->topology->order[i];
        if (!x->topology->nodes[k].type)
            continue;
        load_joint_impulses(x, step, k);
        olo_add_wrench_to_parent(x->topology, k, &rates->node[k].joint, rates->wrench);
    }
    if (x->topology->closure_count > 0 || x->outer.lift)
        load_closures(x, step);
    olo_dense_add(s->twists, 1, rates->load, wrench);
    sum_wrenches(x, wrench);
}
