/* Bodies on hinges: which systems these are, and their constants. The mass of a body in its frame
 * moved by X to the pivot, phi = x - X_I d_I:
 *
 *     m,   c' = c - m X,   E' = E - c (x) X - X (x) c + m X (x) X
 */
#include "base/fail.h"
#include "base/memory.h"
#include "stepping/packs_private.h"
#include "system/system.h"

/* How node k hangs on its parent; false if otherwise than by a hinge, or free. */
static bool hinge_of(const olo_topology *topology, int k, olo_hinge *hinge)
{
    const olo_topology_node *t = &topology->nodes[k];
    const olo_system *s = topology->system;
    *hinge = (olo_hinge){0};
    if (s->nodes[k].frame < 0)
        return false;
    return !t->type || (t->type->hinge && t->type->hinge(&t->joint, hinge));
}

enum { FEW = 2 }; /* with fewer bodies the evaluation of four at once gains nothing */

static bool is_hinged(const olo_system *s, const olo_scheme *scheme, const olo_topology *topology)
{
    bool hinged = scheme->inertial && topology->closure_count == 0 && s->drive_count == 0 &&
                  s->loose_mass_count == 0;
    for (int k = 0; hinged && k < s->node_count; k++) {
        olo_hinge hinge;
        hinged = hinge_of(topology, k, &hinge);
    }
    return hinged && s->node_count >= FEW;
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

/* The body at position i of the tree's order, its parent's position known. */
static void set_body(olo_packs *x, int i, int parent)
{
    static const double none[3] = {0};
    const olo_system *s = x->system;
    const olo_topology *topology = x->topology;
    int k = topology->order[i], l = i % LANES;
    four *b = &x->four[i / LANES];
    slots *at = &x->slots[i / LANES];
    olo_hinge hinge, above = {0};
    hinge_of(topology, k, &hinge);
    set_mass(&s->frames[s->nodes[k].frame], hinge.child_point, &b->mass, l);
    set_mass(&s->frames[s->nodes[k].frame], none, &b->origin_mass, l);
    at->count = l + 1;
    for (int j = l; j < LANES && (l == 0 || j == l); j++) {
        at->q[j] = s->nodes[k].q;
        at->motion[j] = s->nodes[k].motion;
    }
    at->parent[l] = parent;
    at->free[l] = !topology->nodes[k].type;
    at->ball[l] = hinge.ball;
    x->hinges_only = x->hinges_only && !hinge.ball;
    if (parent >= 0) {
        hinge_of(topology, topology->order[parent], &above);
        at->above_q[l] = s->nodes[topology->order[parent]].q;
        at->above[l] = (const double *)&x->four[parent / LANES].x + parent % LANES;
    }
    for (int I = 0; I < 3; I++) {
        b->axis[I][l] = hinge.axis[I];
        b->pivot[I][l] = hinge.child_point[I];
        b->parent_point[I][l] = hinge.parent_point[I];
        b->parent_axis[I][l] = hinge.parent_axis[I];
        b->reach[I][l] = parent >= 0 ? hinge.parent_point[I] - above.child_point[I] : 0;
    }
}

/* Lanes without a body are fixed to the ground. */
static void clear_slots(olo_packs *x)
{
    for (int i = 0; i < x->fours; i++)
        for (int l = 0; l < LANES; l++) {
            slots *at = &x->slots[i];
            at->parent[l] = at->above_q[l] = at->late[l] = at->waiting[l] = -1;
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
    olo_free(vacant);
    return x->waiting != NULL;
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

static olo_status set_up(olo_packs *x, const olo_system *system, const olo_topology *topology,
                         olo_error *error)
{
    x->system = system;
    x->topology = topology;
    x->count = system->node_count;
    x->fours = (x->count + LANES - 1) / LANES;
    x->per_length = 1 / system->length_scale;
    size_t fours = (size_t)x->fours;
    x->four = olo_alloc(fours, sizeof *x->four);
    x->slots = olo_alloc(fours, sizeof *x->slots);
    x->bodies = olo_alloc(fours * LANES, sizeof *x->bodies);
    int *position = olo_alloc((size_t)x->count, sizeof *position);
    x->forced = olo_alloc(fours * LANES, sizeof *x->forced);
    x->forced_four = olo_alloc(fours, sizeof *x->forced_four);
    bool ok = x->four && x->slots && x->bodies && position && x->forced && x->forced_four &&
              (!x->at_start || olo_packs_store_tangents(x));
    if (ok) {
        clear_slots(x);
        for (int i = 0; i < x->count; i++) {
            int parent = topology->nodes[topology->order[i]].parent;
            position[topology->order[i]] = i;
            x->forced[i] = x->forces.of_node[topology->order[i]];
            x->forced_four[i / LANES] = x->forced_four[i / LANES] || x->forced[i] >= 0;
            set_body(x, i, parent >= 0 ? position[parent] : -1);
        }
        ok = find_waiting(x);
    }
    olo_free(position);
    return ok ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for bodies on hinges");
}

olo_status olo_packs_create(const olo_system *system, const olo_scheme *scheme,
                            const olo_topology *topology, olo_packs_width width, olo_packs **packs,
                            olo_error *error)
{
    *packs = NULL;
    if (!is_hinged(system, scheme, topology))
        return OLO_OK;
    olo_packs *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for bodies on hinges");
    x->kernels = kernels_for(width);
    x->at_start = scheme->evaluation.at_start;
    bool fits = true;
    olo_status status = olo_joint_forces_create(topology, &x->forces, &fits, error);
    x->hinges_only = x->forces.force_count == 0;
    fits = fits && (!x->at_start || x->forces.force_count == 0);
    if (status == OLO_OK && fits)
        status = set_up(x, system, topology, error);
    if (status == OLO_OK && fits)
        *packs = x;
    else
        olo_packs_free(x);
    return status;
}

void olo_packs_free(olo_packs *x)
{
    if (!x)
        return;
    olo_free(x->four);
    olo_free(x->slots);
    olo_free(x->bodies);
    olo_free(x->waiting);
    olo_free(x->stored);
    olo_free(x->forced);
    olo_free(x->forced_four);
    olo_joint_forces_free(&x->forces);
    olo_free(x);
}

void olo_packs_predict(olo_packs *x, const olo_step *step, double scale, olo_motion_mix mix)
{
    const size_t size = (size_t)x->system->n * sizeof *step->q_end;
    const bool framed = x->framed && memcmp(step->q_end, step->x.q0, size) == 0;
    olo_joint_forces_begin(&x->forces, step);
    x->kernels->predict(x, step, scale, &mix, framed);
    x->framed = false;
}

bool olo_packs_iterate(olo_packs *x, const olo_step *step, bool older, olo_newton *newton)
{
    int singular = -1;
    if (older)
        x->kernels->forward(x, 2 / step->h);
    else
        singular = x->kernels->eliminate(x, step);
    if (singular < 0)
        x->kernels->substitute(x, newton);
    newton->worst = x->topology->order[singular < 0 ? newton->worst : singular];
    return singular < 0;
}

bool olo_packs_have_forces(const olo_packs *x)
{
    return x->forces.force_count > 0;
}

bool olo_packs_alone(const olo_packs *x)
{
    return x->hinges_only;
}

void olo_packs_finish(olo_packs *x, olo_step *step, double *wrench)
{
    x->kernels->finish(x, step, wrench);
    olo_joint_forces_finish(&x->forces, step, wrench);
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

void olo_packs_settle(const olo_packs *x, double *q, double *remainder)
{
    x->kernels->settle(x, q, remainder);
}
