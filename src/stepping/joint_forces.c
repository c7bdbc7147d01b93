/* Forces along the coordinates of joints: which they are, and their sums. The formulas are in the
 * header, their evaluation for four joints at once in packs_local.h. */
#include "stepping/joint_forces.h"

#include "base/fail.h"
#include "base/memory.h"
#include "system/coefficients.h"
#include "system/system.h"

/* The coordinate along which a piece acts; -1: none. */
static int coordinate_of(const olo_system *s, int piece)
{
    const int action = piece - olo_piece_of_action(s, 0);
    if (action < 0)
        return !s->terms[piece].invariants && olo_term_shares_forms(s, &s->terms[piece])
                   ? s->terms[piece].coordinate
                   : -1;
    return s->actions[action].type->along ? s->actions[action].coordinate->coordinate : -1;
}

/* The child of the forest that moves along a coordinate, and in which sense; -1: none. */
static int child_of(const olo_topology *topology, const olo_joint_coordinate *x, double *sense)
{
    const olo_articulation *joint = &topology->system->joints[x->joint];
    for (int side = 0; x->sense != 0 && side < 2; side++) {
        const int node = side == 0 ? joint->child : joint->parent;
        if (node < 0 || !topology->nodes[node].type ||
            topology->nodes[node].joint.group != joint->group)
            continue;
        *sense = topology->nodes[node].joint.reversed == joint->reversed ? x->sense : -x->sense;
        return node;
    }
    return -1;
}

/* The law of a term in its coordinate. */
static const olo_law *law_along(const olo_term *term)
{
    return term->law->angle ? term->law->angle : term->law;
}

/* Whether a force is affine in the change of its coordinate; *fits is false if it reads more of the
 * step than its coordinate. */
static bool is_affine(const olo_system *s, int piece, bool *fits)
{
    const int action = piece - olo_piece_of_action(s, 0);
    if (action < 0)
        return law_along(&s->terms[piece])->affine != NULL;
    const olo_action *x = &s->actions[action];
    *fits = *fits && !(x->type->user && !x->coordinate->law->angle);
    return x->type->affine;
}

/* Adds a coordinate unless it is there; false: it is none of a joint of the forest. */
static bool add_coordinate(const olo_topology *topology, int coordinate, int *of_coordinate,
                           olo_joint_forces *x)
{
    const olo_joint_coordinate *of = &topology->system->joint_coordinates[coordinate];
    double sense = 0;
    const int node = child_of(topology, of, &sense);
    if (node < 0 || of_coordinate[coordinate] >= 0)
        return node >= 0;
    of_coordinate[coordinate] = x->count;
    x->coordinates[x->count++] = (olo_forced_coordinate){
        .node = node, .axis = of->axis, .coordinate = coordinate, .sense = sense};
    return true;
}

/* Adds the coordinates of the relations that are closures. */
static bool add_relations(const olo_topology *topology, int *of_coordinate, olo_joint_forces *x)
{
    const olo_system *s = topology->system;
    for (int i = 0; i < topology->closure_count; i++) {
        const olo_constraint *row = &s->constraints[topology->closures[i]];
        for (int k = 0; k < row->share_count; k++) {
            const int coordinate = row->shares[k].coordinate->coordinate;
            if (s->joint_coordinates[coordinate].term != row->shares[k].coordinate ||
                !add_coordinate(topology, coordinate, of_coordinate, x))
                return false;
        }
    }
    return true;
}

/* Adds a piece to its coordinate; false: it does not act along one. */
static bool add_piece(const olo_topology *topology, int piece, int *of_coordinate,
                      olo_joint_forces *x)
{
    const olo_system *s = topology->system;
    const int coordinate = coordinate_of(s, piece), action = piece - olo_piece_of_action(s, 0);
    bool fits = coordinate >= 0 && add_coordinate(topology, coordinate, of_coordinate, x);
    const bool affine = is_affine(s, piece, &fits);
    if (!fits)
        return false;
    x->coordinates[of_coordinate[coordinate]].count++;
    x->forces[x->force_count++] =
        (olo_joint_force){.term = action < 0 ? &s->terms[piece] : NULL,
                          .law = action < 0 ? law_along(&s->terms[piece]) : NULL,
                          .action = action < 0 ? NULL : &s->actions[action],
                          .piece = piece,
                          .affine = affine,
                          .coordinate = of_coordinate[coordinate]};
    return true;
}

/* Orders the forces by coordinates, and those that are affine first; `sorted` is memory for all of
 * them. */
static void sort_forces(olo_joint_forces *x, olo_joint_force *sorted)
{
    int first = 0;
    for (int i = 0; i < x->count; i++) {
        x->coordinates[i].first = first;
        first += x->coordinates[i].count;
        x->coordinates[i].count = 0;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < x->force_count; k++) {
            olo_forced_coordinate *c = &x->coordinates[x->forces[k].coordinate];
            if (x->forces[k].affine != (pass == 0))
                continue;
            sorted[c->first + c->count++] = x->forces[k];
            c->affine += pass == 0;
        }
    for (int k = 0; k < x->force_count; k++)
        x->forces[k] = sorted[k];
}

olo_status olo_joint_forces_create(const olo_topology *topology, olo_joint_forces *x, bool *fits,
                                   olo_error *error)
{
    const olo_system *s = topology->system;
    const int pieces = olo_piece_of_constraint(s, 0), coordinates = s->joint_coordinate_count;
    *x = (olo_joint_forces){.coordinates = olo_alloc((size_t)coordinates, sizeof *x->coordinates),
                            .forces = olo_alloc((size_t)pieces, sizeof *x->forces)};
    int *of_coordinate = olo_alloc((size_t)coordinates, sizeof *of_coordinate);
    olo_joint_force *sorted = olo_alloc((size_t)pieces, sizeof *sorted);
    const bool ok = x->coordinates && x->forces && of_coordinate && sorted;
    *fits = ok;
    for (int k = 0; ok && k < coordinates; k++)
        of_coordinate[k] = -1;
    for (int i = 0; *fits && i < pieces; i++)
        if (i >= olo_piece_of_action(s, 0) || olo_piece_has_tangent(s, i))
            *fits = add_piece(topology, i, of_coordinate, x);
    *fits = *fits && add_relations(topology, of_coordinate, x);
    if (*fits)
        sort_forces(x, sorted);
    olo_free(of_coordinate);
    olo_free(sorted);
    if (ok)
        return OLO_OK;
    olo_joint_forces_free(x);
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for forces of joints");
}

int olo_joint_forces_find(const olo_joint_forces *x, const olo_share *share)
{
    int i = 0;
    while (x->coordinates[i].coordinate != share->coordinate->coordinate)
        i++;
    return i;
}

void olo_joint_forces_free(olo_joint_forces *x)
{
    olo_free(x->coordinates);
    olo_free(x->forces);
    *x = (olo_joint_forces){0};
}

/* The force of a term along its coordinate and its derivative, or minus that of an action. */
static double force_of(const olo_joint_force *force, const olo_interval *x, double start,
                       double change, double *by_dx)
{
    const olo_action *action = force->action;
    *by_dx = 0;
    if (action) {
        const double F =
            action->type->along(action, x, olo_coordinate_moves(start, change, x->h), by_dx);
        *by_dx = -*by_dx;
        return -F;
    }
    const double end = start + change;
    olo_law_over over;
    const olo_law_input input = {.law = force->law,
                                 .k = 1,
                                 .e0 = &start,
                                 .e1 = &end,
                                 .de = &change,
                                 .h = x->h,
                                 .c = force->term->coefficient,
                                 .context = force->term->context};
    force->law->over(&input, OLO_LAW_FIRST, false, &over);
    *by_dx = over.s1[0];
    return over.s[0];
}

void olo_joint_forces_begin(olo_joint_forces *x, int i, const olo_interval *over, double start,
                            double *constant, double *gradient)
{
    olo_forced_coordinate *c = &x->coordinates[i];
    olo_joint_force *force = x->forces + c->first;
    const olo_joint_force *const end = force + c->affine;
    double f = 0, f_1 = 0;
    c->start = start;
    for (; force < end; force++) {
        if (force->term)
            force->law->affine(force->term->coefficient, start, over->h, &force->constant,
                               &force->gradient);
        else
            force->constant = force_of(force, over, start, 0, &force->gradient);
        f += force->constant;
        f_1 += force->gradient;
    }
    *constant = f;
    *gradient = f_1;
}

double olo_joint_forces_sum(const olo_joint_forces *x, int i, const olo_step *step, double dx,
                            double *by_dx)
{
    const olo_forced_coordinate *c = &x->coordinates[i];
    const olo_interval interval = olo_step_interval(step);
    double sum = 0;
    *by_dx = 0;
    for (int k = c->first + c->affine; k < c->first + c->count; k++) {
        double by;
        sum += force_of(&x->forces[k], &interval, c->start, dx, &by);
        *by_dx += by;
    }
    return sum;
}

double olo_joint_forces_finish(const olo_joint_forces *x, int i, double dx, olo_step *step)
{
    const olo_forced_coordinate *c = &x->coordinates[i];
    const olo_joint_force *force = x->forces + c->first, *const end = force + c->count;
    double *const exchange = step->exchange, sum = 0;
    for (; force < end; force++) {
        double f = force->constant + force->gradient * dx, by;
        if (!force->affine) {
            const olo_interval over = olo_step_interval(step);
            f = force_of(force, &over, c->start, dx, &by);
        }
        sum += f;
        /* a dissipative term loses f dx, an action of force -f does the work -f dx */
        exchange[force->piece] = force->term ? f * dx : -f * dx;
    }
    return sum;
}
