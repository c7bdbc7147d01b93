/* Trees of rigid bodies: which systems these are, and their constants. The mass of a body in its
 * frame moved by X to the pivot, phi = x - X_I d_I:
 *
 *     m,   c' = c - m X,   E' = E - c (x) X - X (x) c + m X (x) X
 */
#include "base/fail.h"
#include "base/memory.h"
#include "stepping/packs_closures.h"
#include "stepping/packs_private.h"
#include "stepping/reduced_rates.h"
#include "system/system.h"

/* How node k moves relative to its parent. False: it is no frame, or moves otherwise. */
static bool motions_of(const olo_topology *topology, int k, olo_joint_motions *motions)
{
    const olo_topology_node *t = &topology->nodes[k];
    const olo_system *s = topology->system;
    *motions = (olo_joint_motions){0};
    if (s->nodes[k].frame < 0)
        return false;
    return !t->type || (t->type->motions && t->type->motions(&t->joint, motions));
}

static bool fits(const olo_system *s, const olo_scheme *scheme, const olo_topology *topology)
{
    bool fitting = scheme->inertial && s->loose_mass_count == 0;
    for (int k = 0; fitting && k < s->node_count; k++) {
        olo_joint_motions motions;
        fitting = motions_of(topology, k, &motions);
    }
    return fitting && s->node_count > 0;
}

/* Axes of translations without rotation are fixed in both bodies. */
static bool is_lever(const olo_joint_motions *motions)
{
    return motions->reversed && motions->translations && motions->rotation != OLO_ROTATION_NONE;
}

/* Whether the joint of a node is neither a hinge nor a ball joint; `count` is its number of stages.
 */
static bool is_staged(const olo_topology *topology, int k, int *count)
{
    olo_joint_motions motions;
    *count = 0;
    if (!topology->nodes[k].type || !motions_of(topology, k, &motions))
        return false;
    *count = stages_of_rotation(motions.rotation);
    for (int axis = 0; axis < 3; axis++)
        *count += (int)(motions.translations >> axis & 1);
    return motions.translations ||
           (motions.rotation != OLO_ROTATION_AXIS && motions.rotation != OLO_ROTATION_ALL);
}

static void set_mass(const olo_frame_mass *mass, const double X[3], lane_mass *to, int l)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    to->m[l] = mass->m;
    for (int I = 0; I < 3; I++)
        to->c[I][l] = mass->c[I] - mass->m * X[I];
    for (int k = 0; k < 6; k++) {
        int I = row[k], J = column[k];
        to->E[k][l] =
            mass->E[3 * I + J] - mass->c[I] * X[J] - X[I] * mass->c[J] + mass->m * X[I] * X[J];
    }
}

/* The axes of a joint that is staged; `above` is the parent's pivot. */
static void set_joint(const olo_joint_motions *motions, const double above[3], joints *to, int l)
{
    const bool lever = is_lever(motions);
    const double *axes = lever ? motions->child_axes : motions->parent_axes;
    to->slides[l] = motions->translations && !lever;
    to->levers[l] = lever;
    to->fixed[l] = motions->rotation == OLO_ROTATION_NONE;
    to->crosses[l] = motions->rotation == OLO_ROTATION_CROSS;
    to->balls[l] = motions->rotation == OLO_ROTATION_ALL;
    to->any |= motions->translations;
    for (int k = 0; k < 3; k++) {
        to->free[k][l] = motions->translations >> k & 1;
        to->above[k][l] = above[k];
        if (motions->rotation == OLO_ROTATION_CROSS)
            to->cross[k][l] = motions->parent_axis[k];
        for (int I = 0; I < 3; I++)
            to->axes[k][I][l] = motions->translations ? axes[3 * k + I] : 0;
    }
}

static void set_slots(olo_packs *x, int i, int parent, const olo_joint_motions *motions)
{
    const olo_system *s = x->system;
    const int k = x->topology->order[i], l = i % LANES;
    slots *at = &x->slots[i / LANES];
    at->count = l + 1;
    for (int j = l; j < LANES && (l == 0 || j == l); j++) {
        at->q[j] = s->nodes[k].q;
        at->motion[j] = s->nodes[k].motion;
    }
    at->parent[l] = parent;
    at->free[l] = !x->topology->nodes[k].type;
    at->rotation[l] = motions->rotation;
    at->slides[l] = motions->translations;
    at->lever[l] = is_lever(motions);
    at->ball[l] = motions->rotation == OLO_ROTATION_ALL && !motions->translations;
    x->hinges_only = x->hinges_only && !at->ball[l] && !at->staged[l];
    if (parent >= 0) {
        at->above_q[l] = s->nodes[x->topology->order[parent]].q;
        at->above[l] = (const double *)&x->four[parent / LANES].x + parent % LANES;
    }
}

/* The body at position i of the tree's order, its parent's position known. */
static void set_body(olo_packs *x, int i, int parent)
{
    static const double none[3] = {0};
    const olo_system *s = x->system;
    const olo_topology *topology = x->topology;
    int k = topology->order[i], l = i % LANES;
    four *b = &x->four[i / LANES];
    const slots *at = &x->slots[i / LANES];
    olo_joint_motions motions, above = {0};
    motions_of(topology, k, &motions);
    if (parent >= 0)
        motions_of(topology, topology->order[parent], &above);
    set_mass(&s->frames[s->nodes[k].frame], motions.child_point, &b->mass, l);
    set_mass(&s->frames[s->nodes[k].frame], none, &b->origin_mass, l);
    set_slots(x, i, parent, &motions);
    if (at->staged[l])
        set_joint(&motions, above.child_point, at->joints, l);
    for (int I = 0; I < 3; I++) {
        b->axis[I][l] = motions.axis[I];
        b->pivot[I][l] = motions.child_point[I];
        b->parent_point[I][l] = motions.parent_point[I];
        b->parent_axis[I][l] = motions.parent_axis[I];
        b->reach[I][l] = parent >= 0 ? motions.parent_point[I] - above.child_point[I] : 0;
    }
}

/* Which joints are staged, with memory for them; false: none. */
static bool find_stages(olo_packs *x)
{
    int fours = 0, stages = 0;
    for (int i = 0; i < x->count; i++) {
        slots *at = &x->slots[i / LANES];
        int count, l = i % LANES;
        at->staged[l] = is_staged(x->topology, x->topology->order[i], &count);
        at->stage[l] = stages;
        stages += at->staged[l] ? count : 0;
    }
    x->joints = olo_alloc((size_t)x->fours, sizeof *x->joints);
    x->stages = olo_alloc((size_t)stages, sizeof *x->stages);
    x->stage_count = stages;
    for (int i = 0; x->joints && i < x->fours; i++) {
        const bool *staged = x->slots[i].staged;
        if (staged[0] || staged[1] || staged[2] || staged[3])
            x->slots[i].joints = &x->joints[fours++];
    }
    return x->joints && x->stages;
}

/* Lanes without a body are fixed to the ground. */
static void clear_slots(olo_packs *x)
{
    for (int i = 0; i < x->fours; i++)
        for (int l = 0; l < LANES; l++) {
            slots *at = &x->slots[i];
            at->parent[l] = at->above_q[l] = at->late[l] = at->waiting[l] = at->coupled[l] = -1;
            at->above[l] = x->ground;
        }
}

/* Where sums of children in later fours wait for their parents, from leaf to root; a slot is free
 * again when the turn of its parent has come. False: no memory. */
static bool find_waiting(olo_packs *x)
{
    int *vacant = olo_alloc((size_t)x->count, sizeof *vacant), vacancies = 0, count = 0;
    for (int i = x->count - 1; vacant && i >= 0; i--) {
        slots *at = &x->slots[i / LANES];
        if (i == x->count - 1 || i % LANES == LANES - 1)
            for (int l = 0; l < at->count; l++)
                if (at->late[l] >= 0)
                    vacant[vacancies++] = at->late[l];
        int parent = at->parent[i % LANES];
        if (parent < 0 || parent / LANES == i / LANES)
            continue;
        int *late = &x->slots[parent / LANES].late[parent % LANES];
        at->first[i % LANES] = *late < 0;
        if (*late < 0)
            *late = vacancies > 0 ? vacant[--vacancies] : count++;
        at->waiting[i % LANES] = *late;
    }
    x->waiting = vacant ? olo_alloc((size_t)count, sizeof *x->waiting) : NULL;
    x->waiting_count = count;
    olo_free(vacant);
    return x->waiting != NULL;
}

/* The coordinates with forces, by fours; `position` of nodes in the order of the tree. False: no
 * memory. */
static bool find_forced(olo_packs *x, const int *position)
{
    const olo_joint_forces *forces = &x->forces;
    if (forces->count == 0)
        return true;
    x->forced = olo_alloc((size_t)x->fours, sizeof *x->forced);
    for (int i = 0; x->forced && i < LANES * COLUMNS * x->fours; i++)
        x->forced[i / (LANES * COLUMNS)].coordinate[i / LANES % COLUMNS][i % LANES] = -1;
    for (int k = 0; x->forced && k < forces->count; k++) {
        const olo_forced_coordinate *c = &forces->coordinates[k];
        const int i = position[c->node], l = i % LANES;
        forced *to = &x->forced[i / LANES];
        olo_joint_motions motions;
        motions_of(x->topology, c->node, &motions);
        x->slots[i / LANES].forced = to;
        to->any |= 1u << c->axis;
        to->changing = to->changing || c->affine < c->count;
        to->coordinate[c->axis][l] = k;
        to->sense[c->axis][l] = c->sense;
        to->reversed[l] = motions.reversed;
        const double *axes = motions.reversed ? motions.child_axes : motions.parent_axes;
        for (int I = 0; I < 3; I++) {
            to->first[I][l] = (motions.reversed ? motions.parent_axes : motions.child_axes)[I];
            to->axes[0][I][l] = axes[I];
            to->axes[1][I][l] = axes[3 + I];
        }
    }
    return x->forced != NULL;
}

static const olo_packs_kernels *kernels_for(olo_packs_width width)
{
    bool wide = width == OLO_PACKS_BEST && olo_packs_kernels_wide && olo_lanes_are_wide();
    return wide ? olo_packs_kernels_wide : &olo_packs_kernels_plain;
}

bool olo_packs_store_tangents(olo_packs *x)
{
    if (!x->stored)
        x->stored = olo_alloc((size_t)x->fours * LANES, sizeof *x->stored);
    return x->stored != NULL;
}

static void find_parents_rates(olo_packs *x)
{
    static const double ground[sizeof(end_rates) / sizeof(double)] = {0};
    for (int i = 0; i < x->fours; i++)
        for (int l = 0; l < LANES; l++) {
            const int parent = x->slots[i].parent[l];
            x->slots[i].above_rate[l] =
                parent < 0 ? ground : (const double *)&x->rate[parent / LANES] + parent % LANES;
        }
}

/* Updates are compared with lengths over the model's length beside angles. False: no memory. */
static bool add_mixing(olo_packs *x)
{
    const int columns = 2; /* more of them saved no iterations */
    if (!olo_anderson_create(&x->mixing, UPDATE * x->fours, columns, &x->pool))
        return false;
    for (int i = 0; i < x->mixing.size; i++)
        x->mixing.weight[i] = i % UPDATE < UPDATE / 2 ? x->per_length * x->per_length : 1.0;
    return true;
}

/* Velocities that are unknowns: a second elimination over the same bodies. False: no memory. */
static bool add_rates(olo_packs *x)
{
    x->rate = olo_alloc((size_t)x->fours, sizeof *x->rate);
    x->turned = olo_alloc((size_t)x->fours, sizeof *x->turned);
    olo_packs *mass = x->mass = olo_alloc(1, sizeof *x->mass);
    if (!x->rate || !x->turned || !mass || !add_mixing(x))
        return false;
    find_parents_rates(x);
    mass->count = x->count;
    mass->fours = x->fours;
    mass->slots = x->slots;
    mass->system = x->system;
    mass->topology = x->topology;
    mass->forces = x->forces;
    mass->velocities = true;
    mass->at_start = true; /* nothing varies */
    mass->bodies = olo_alloc((size_t)x->fours * LANES, sizeof *mass->bodies);
    mass->stages = olo_alloc((size_t)x->stage_count, sizeof *mass->stages);
    mass->waiting = olo_alloc((size_t)x->waiting_count, sizeof *mass->waiting);
    return mass->bodies && mass->stages && mass->waiting && olo_packs_store_tangents(mass) &&
           olo_packs_store_tangents(x);
}

/* The closures of the bodies, and those of their velocities, which have the same ways and no
 * variations: their matrix is that of masses. */
static olo_status add_closures(olo_packs *x, olo_elimination *variations, const int *position,
                               bool *packed, olo_error *error)
{
    olo_status status = OLO_OK;
    for (olo_packs *to = x->mass ? x->mass : x; to && status == OLO_OK && *packed;
         to = to == x ? NULL : x) {
        status = olo_packs_closures_create(to, variations, position, packed, error);
        if (status != OLO_OK || !*packed)
            break;
        to->closures->kernels = x->kernels == olo_packs_kernels_wide
                                    ? olo_packs_closure_kernels_wide
                                    : &olo_packs_closure_kernels_plain;
        if (x->mass && !olo_packs_closures_store_rows(to->closures))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for closures");
    }
    return status;
}

static olo_status set_up(olo_packs *x, const olo_system *system, const olo_topology *topology,
                         bool consistent, olo_elimination *variations, bool *packed,
                         olo_error *error)
{
    const bool closed = topology->closure_count > 0;
    olo_status status = OLO_OK;
    x->system = system;
    x->topology = topology;
    x->count = system->node_count;
    x->fours = (x->count + LANES - 1) / LANES;
    x->per_length = 1 / system->length_scale;
    size_t fours = (size_t)x->fours;
    x->four = olo_alloc(fours, sizeof *x->four);
    x->slots = olo_alloc(fours, sizeof *x->slots);
    x->bodies = olo_alloc(fours * LANES, sizeof *x->bodies);
    x->predicted = olo_alloc((size_t)system->twists, sizeof *x->predicted);
    int *position = olo_alloc((size_t)x->count, sizeof *position);
    bool ok = x->four && x->slots && x->bodies && x->predicted && position &&
              (!(x->at_start || closed) || olo_packs_store_tangents(x)) && find_stages(x);
    if (ok) {
        clear_slots(x);
        for (int i = 0; i < x->count; i++) {
            int parent = topology->nodes[topology->order[i]].parent;
            position[topology->order[i]] = i;
            set_body(x, i, parent >= 0 ? position[parent] : -1);
        }
        ok = find_waiting(x) && find_forced(x, position) && (!consistent || add_rates(x));
    }
    if (!ok)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for packs of bodies");
    else if (closed)
        status = add_closures(x, variations, position, packed, error);
    olo_free(position);
    return status;
}

olo_status olo_packs_create(const olo_system *system, const olo_scheme *scheme,
                            const olo_topology *topology, olo_elimination *variations,
                            olo_packs_width width, olo_packs **packs, olo_error *error)
{
    *packs = NULL;
    if (!fits(system, scheme, topology) || (topology->closure_count > 0 && !variations))
        return OLO_OK;
    olo_packs *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for packs of bodies");
    x->kernels = kernels_for(width);
    x->at_start = scheme->evaluation.at_start;
    bool packed = true;
    /* without a balance momenta are projected, which no force enters */
    olo_status status = scheme->balance || topology->closure_count > 0
                            ? olo_joint_forces_create(topology, &x->forces, &packed, error)
                            : OLO_OK;
    x->hinges_only = x->forces.count == 0;
    packed = packed && (!x->at_start || x->forces.count == 0);
    if (status == OLO_OK && packed)
        status = set_up(x, system, topology, scheme->consistent, variations, &packed, error);
    if (status == OLO_OK && packed)
        *packs = x;
    else
        olo_packs_free(x);
    return status;
}

void olo_packs_free(olo_packs *x)
{
    if (!x)
        return;
    if (x->mass) { /* slots and forces are those of x */
        olo_free(x->mass->bodies);
        olo_free(x->mass->stages);
        olo_free(x->mass->waiting);
        olo_free(x->mass->stored);
        olo_packs_closures_free(x->mass->closures);
    }
    olo_free(x->mass);
    olo_free(x->rate);
    olo_free(x->turned);
    olo_pool_free(&x->pool);
    olo_free(x->four);
    olo_free(x->slots);
    olo_free(x->bodies);
    olo_free(x->predicted);
    olo_free(x->waiting);
    olo_free(x->stored);
    olo_free(x->joints);
    olo_free(x->stages);
    olo_free(x->forced);
    olo_packs_closures_free(x->closures);
    olo_joint_forces_free(&x->forces);
    olo_free(x);
}

void olo_packs_predict(olo_packs *x, const olo_step *step, double scale, const olo_motion_mix *mix)
{
    const size_t size = (size_t)x->system->n * sizeof *step->q_end;
    const bool framed = x->framed && memcmp(step->q_end, step->x.q0, size) == 0;
    if (x->closures)
        x->h = 0; /* their forces have been added to the impulses */
    if (x->closures && x->rate)
        memset(x->mass->closures->gamma, 0,
               (size_t)x->topology->closure_count * sizeof *x->mass->closures->gamma);
    x->kernels->predict(x, step, scale, mix, framed);
    if (x->closures)
        x->closures->kernels->remember_balance(x);
    x->framed = x->factored = false;
}

/* Velocities at the iterate; position of a singular body, or -1. */
static int project_rates(olo_packs *x, const olo_step *step, double *v1)
{
    const int singular = x->kernels->project_rates(x, step, x->factored, v1);
    x->factored = singular < 0;
    for (int i = 0; x->closures && singular < 0 && i < x->closures->count; i++) {
        const closure *c = &x->mass->closures->closure[i];
        for (int k = 0; k < c->rows; k++)
            x->mass->closures->gamma[c->u + k] += c->x[k] / step->h;
    }
    return singular;
}

/* Factors S, if that has to be. Returns the position of a body with a singular closure, or -1. */
static int factor_closures(olo_packs *x)
{
    closures *all = x->closures;
    const int *order = olo_elimination_sequence(all->S), count = olo_elimination_count(all->S);
    if (x->rank_size > 0)
        olo_elimination_activate_all(all->S, x->rank_size);
    for (int i = 0; i < count; i++)
        if (!(x->rank_size > 0 ? olo_elimination_eliminate_with_rank
                               : olo_elimination_eliminate)(all->S, order[i]))
            return all->coupled[0].body;
    return -1;
}

int olo_packs_solve_closures(olo_packs *x, bool older)
{
    closures *all = x->closures;
    const int *order = olo_elimination_sequence(all->S), count = olo_elimination_count(all->S);
    if (older)
        all->kernels->forward(x);
    else
        all->kernels->sweep(x);
    const int singular = older ? -1 : factor_closures(x);
    if (singular >= 0)
        return singular;
    for (int i = 0; older && i < count; i++)
        olo_elimination_forward(all->S, order[i]);
    for (int i = count - 1; i >= 0; i--)
        olo_elimination_substitute(all->S, order[i]);
    for (int i = 0; i < all->count; i++) {
        closure *c = &all->closure[i];
        memcpy(c->x, olo_elimination_twist(all->S, c->block[0]), (size_t)c->rows * sizeof *c->x);
        if (c->relative > 0)
            memcpy(c->x + c->rows, olo_elimination_twist(all->S, c->block[1]),
                   (size_t)c->relative * sizeof *c->x);
    }
    all->kernels->apply(x);
    return -1;
}

bool olo_packs_iterate(olo_packs *x, const olo_step *step, bool older, olo_newton *newton)
{
    x->factored = x->factored && older;
    if (x->older && !older) /* updates by older tangents are not mixed with others */
        olo_anderson_restart(&x->mixing);
    x->older = older;
    if (x->closures)
        x->closures->kernels->load(x, step);
    int singular = x->rate ? project_rates(x, step, x->closures ? step->v1 : NULL) : -1;
    if (singular < 0 && x->rate && x->closures)
        x->closures->kernels->load_rates(x, step);
    if (singular < 0 && older)
        x->kernels->forward(x, step);
    else if (singular < 0)
        singular = x->kernels->eliminate(x, step);
    if (singular < 0 && x->closures)
        singular = olo_packs_solve_closures(x, older);
    if (singular < 0)
        x->kernels->substitute(x, newton);
    x->update = newton->turn * newton->increment;
    x->moved = newton->size;
    newton->worst = x->topology->order[singular < 0 ? newton->worst : singular];
    return singular < 0;
}

int olo_packs_velocities(olo_packs *x, olo_step *step)
{
    x->following = olo_rates_follow(step, x->update, x->moved);
    if (x->following && x->closures) /* loads need them */
        x->kernels->write_rates(x, step->v1);
    if (x->following)
        return -1;
    if (x->closures)
        x->closures->kernels->load(x, step);
    const int singular = project_rates(x, step, step->v1);
    return singular < 0 ? -1 : x->topology->order[singular];
}

bool olo_packs_have_closures(const olo_packs *x)
{
    return x->closures != NULL;
}

void olo_packs_clear_variations(olo_packs *x)
{
    const closures *all = x->closures;
    for (int k = 0; k < all->coupled_count; k++)
        if (all->coupled[k].K)
            memset(all->coupled[k].K, 0, LOWER * LOWER * sizeof(double));
    for (int i = 0; i < all->count; i++)
        for (int k = 0; all->closure[i].relative > 0 && k < 2; k++)
            memset(all->closure[i].cross[k], 0, LOWER * LOWER * sizeof(double));
}

void olo_packs_write_motion(const olo_packs *x, olo_step *step)
{
    x->closures->kernels->write_motion(x, step);
}

void olo_packs_load(olo_packs *x, const olo_step *step)
{
    x->closures->kernels->load_multipliers(x, step);
}

void olo_packs_set_multipliers(olo_packs *x, const double *lambda, const double *row_start)
{
    x->closures->lambda = lambda;
    x->closures->row_start = row_start;
}

void olo_packs_find_rank(olo_packs *x, double size)
{
    x->rank_size = size;
}

void olo_packs_find_redundant(olo_packs *x, const olo_step *step, double smallest,
                              olo_elimination *to)
{
    x->closures->kernels->sweep_start(x, step);
    /* it is regular: it has no blocks but those of closures */
    (void)olo_elimination_find_redundant(x->closures->rank, 1.0, smallest * smallest, NULL);
    for (int i = 0; i < x->closures->count; i++)
        olo_elimination_copy_directions(x->closures->rank, i, to,
                                        olo_topology_closure_block(x->topology, i));
    olo_packs_take_rank(x, to);
}

void olo_packs_take_rank(olo_packs *x, const olo_elimination *from)
{
    for (int i = 0; i < x->closures->count; i++)
        for (const olo_packs *to = x; to; to = to->mass)
            olo_elimination_copy_directions(from, olo_topology_closure_block(x->topology, i),
                                            to->closures->S, to->closures->closure[i].block[0]);
}

void olo_packs_update_multipliers(olo_packs *x, double *lambda)
{
    for (int i = 0; i < x->closures->count; i++) {
        const closure *c = &x->closures->closure[i];
        double *of = lambda + x->topology->closure_blocks[i].u;
        if (x->rank_size > 0)
            olo_elimination_update_multipliers(x->closures->S, c->block[0], of);
        else
            for (int k = 0; k < c->rows; k++)
                of[k] += c->x[k];
    }
    x->rank_size = 0;
}

const double *olo_packs_gamma(const olo_packs *x)
{
    return x->mass->closures->gamma;
}

bool olo_packs_have_forces(const olo_packs *x)
{
    return x->forces.force_count > 0;
}

void olo_packs_finish(olo_packs *x, olo_step *step, double *wrench)
{
    x->kernels->finish(x, step, wrench);
}

int olo_packs_project(olo_packs *x, olo_step *step)
{
    int singular = x->kernels->project(x, step);
    x->framed = singular < 0;
    return singular < 0 ? -1 : x->topology->order[singular];
}

olo_motion_pass *olo_packs_motion_pass(const olo_packs *x)
{
    return x->kernels->motion_pass;
}

void olo_packs_settle(const olo_packs *x, const olo_step *step)
{
    x->kernels->settle(x, step);
}
