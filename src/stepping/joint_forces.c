/* Forces along the angles of hinges: which they are, and their sums. The formulas are in the
 * header, their evaluation for four hinges at once in packs_local.h. */
#include "stepping/joint_forces.h"

#include "base/fail.h"
#include "base/memory.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"
#include "system/system.h"

/* The coordinate along which a piece acts; -1: none. */
static int coordinate_of(const olo_system *s, int piece)
{
    const int action = piece - olo_piece_of_action(s, 0);
    if (action < 0)
        return s->terms[piece].law->angle ? s->terms[piece].coordinate : -1;
    return s->actions[action].type->along && s->actions[action].coordinate->law->angle
               ? s->actions[action].coordinate->coordinate
               : -1;
}

/* The child of the forest whose joint has the coordinate as rotation about its axis; -1: none. */
static int child_of(const olo_topology *topology, const olo_joint_coordinate *x, double *turn)
{
    const olo_system *s = topology->system;
    const olo_articulation *joint = &s->joints[x->joint];
    for (int side = 0; x->turn != 0 && !joint->translations && side < 2; side++) {
        const int node = side == 0 ? joint->child : joint->parent;
        if (node < 0 || !topology->nodes[node].type ||
            topology->nodes[node].joint.group != joint->group)
            continue;
        *turn = topology->nodes[node].joint.reversed == joint->reversed ? x->turn : -x->turn;
        return node;
    }
    return -1;
}

/* Adds a piece to its hinge; false: it does not act along the angle of one. */
static bool add_piece(const olo_topology *topology, int piece, olo_joint_forces *x)
{
    const olo_system *s = topology->system;
    const int coordinate = coordinate_of(s, piece), action = piece - olo_piece_of_action(s, 0);
    double turn = 0;
    const int node =
        coordinate < 0 ? -1 : child_of(topology, &s->joint_coordinates[coordinate], &turn);
    if (node < 0)
        return false;
    if (x->of_node[node] < 0) {
        x->of_node[node] = x->hinge_count;
        x->hinges[x->hinge_count++] =
            (olo_forced_joint){.node = node,
                               .coordinate = coordinate,
                               .turn = turn,
                               .joint = &s->joints[s->joint_coordinates[coordinate].joint],
                               .sign = s->joint_coordinates[coordinate].turn};
    }
    x->hinges[x->of_node[node]].count++;
    x->forces[x->force_count++] =
        (olo_joint_force){.term = action < 0 ? &s->terms[piece] : NULL,
                          .action = action < 0 ? NULL : &s->actions[action],
                          .piece = piece,
                          .hinge = x->of_node[node]};
    return true;
}

/* Orders the forces by hinges; `sorted` is memory for all of them. */
static void sort_forces(olo_joint_forces *x, olo_joint_force *sorted)
{
    int first = 0;
    for (int i = 0; i < x->hinge_count; i++) {
        x->hinges[i].first = first;
        first += x->hinges[i].count;
        x->hinges[i].count = 0;
    }
    for (int k = 0; k < x->force_count; k++) {
        olo_forced_joint *hinge = &x->hinges[x->forces[k].hinge];
        sorted[hinge->first + hinge->count++] = x->forces[k];
    }
    for (int k = 0; k < x->force_count; k++)
        x->forces[k] = sorted[k];
}

olo_status olo_joint_forces_create(const olo_topology *topology, olo_joint_forces *x, bool *fits,
                                   olo_error *error)
{
    const olo_system *s = topology->system;
    const int pieces = olo_piece_of_constraint(s, 0);
    *x = (olo_joint_forces){.hinges = olo_alloc((size_t)s->node_count, sizeof *x->hinges),
                            .forces = olo_alloc((size_t)pieces, sizeof *x->forces),
                            .of_node = olo_alloc((size_t)s->node_count, sizeof *x->of_node)};
    olo_joint_force *sorted = olo_alloc((size_t)pieces, sizeof *sorted);
    *fits = true;
    if (!x->hinges || !x->forces || !x->of_node || !sorted) {
        olo_free(sorted);
        olo_joint_forces_free(x);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for forces of hinges");
    }
    for (int k = 0; k < s->node_count; k++)
        x->of_node[k] = -1;
    for (int i = 0; *fits && i < pieces; i++)
        if (i >= olo_piece_of_action(s, 0) || olo_piece_has_tangent(s, i))
            *fits = add_piece(topology, i, x);
    if (*fits)
        sort_forces(x, sorted);
    olo_free(sorted);
    return OLO_OK;
}

void olo_joint_forces_free(olo_joint_forces *x)
{
    olo_free(x->hinges);
    olo_free(x->forces);
    olo_free(x->of_node);
    *x = (olo_joint_forces){0};
}

/* C1, M1 and M2 of a hinge. */
typedef struct axes {
    double C1[3], M1[3], M2[3];
} axes;

/* At a configuration; with an increment instead their changes, in which what is fixed in space is
 * zero. */
static axes axes_of(const olo_system *s, const olo_forced_joint *hinge, const double *q,
                    bool configuration)
{
    const olo_articulation *joint = hinge->joint;
    axes at = {{0}, {0}, {0}};
    if (joint->child >= 0)
        olo_body_vector(joint->child_axes, q + s->nodes[joint->child].q, at.C1);
    else if (configuration)
        vec3_copy(joint->child_axes, at.C1);
    if (joint->parent >= 0) {
        olo_body_vector(joint->parent_axes, q + s->nodes[joint->parent].q, at.M1);
        olo_body_vector(joint->parent_axes + 3, q + s->nodes[joint->parent].q, at.M2);
    } else if (configuration) {
        vec3_copy(joint->parent_axes, at.M1);
        vec3_copy(joint->parent_axes + 3, at.M2);
    }
    return at;
}

void olo_joint_forces_begin(olo_joint_forces *x, const olo_step *step)
{
    const olo_system *s = step->system;
    const olo_interval interval = olo_step_interval(step);
    const olo_coordinate_motion none = {0, 0, 0};
    for (int i = 0; i < x->hinge_count; i++) {
        olo_forced_joint *hinge = &x->hinges[i];
        const axes at = axes_of(s, hinge, step->x.q0, true);
        hinge->e0[0] = vec3_dot(at.C1, at.M1);
        hinge->e0[1] = hinge->sign * vec3_dot(at.C1, at.M2);
        hinge->start =
            olo_angle_near(hinge->e0[0], hinge->e0[1], step->state->angles[hinge->coordinate]);
    }
    for (int k = 0; k < x->force_count; k++) {
        const olo_action *action = x->forces[k].action;
        if (action && action->type->steady)
            x->forces[k].steady = action->type->along(action, &interval, none, NULL);
    }
}

/* The force of a term along its coordinate and its derivative, or minus that of an action. */
static double force_of(const olo_joint_force *force, const olo_interval *x, double start,
                       double change, double *f_1)
{
    const olo_action *action = force->action;
    *f_1 = 0;
    if (action && action->type->steady)
        return -force->steady;
    if (action) {
        const double F =
            action->type->along(action, x, olo_coordinate_moves(start, change, x->h), f_1);
        *f_1 = -*f_1;
        return -F;
    }
    const double end = start + change;
    const olo_law *scalar = force->term->law->angle;
    olo_law_over law;
    const olo_law_input input = {.law = scalar,
                                 .k = 1,
                                 .e0 = &start,
                                 .e1 = &end,
                                 .de = &change,
                                 .h = x->h,
                                 .c = force->term->coefficient,
                                 .context = force->term->context};
    scalar->over(&input, OLO_LAW_FIRST, false, &law);
    *f_1 = law.s1[0];
    return law.s[0];
}

double olo_joint_forces_sum(const olo_joint_forces *x, int i, const olo_step *step, double dtheta,
                            double *f_1)
{
    const olo_forced_joint *hinge = &x->hinges[i];
    const olo_interval interval = olo_step_interval(step);
    double sum = 0;
    *f_1 = 0;
    for (int k = hinge->first; k < hinge->first + hinge->count; k++) {
        double by;
        sum += force_of(&x->forces[k], &interval, hinge->start, hinge->turn * dtheta, &by);
        *f_1 += by;
    }
    return hinge->turn * sum;
}

/* The change of the angle over the step, and the moment m = d_1 C1 x M1 + d_2 C1 x M2, at the
 * midpoint, of its discrete gradient d on the child. */
static double child_moment(const olo_system *s, const olo_forced_joint *hinge,
                           const olo_interval *x, double m[3])
{
    const axes at = axes_of(s, hinge, x->qm, true), by = axes_of(s, hinge, x->dq, false);
    const double de[2] = {vec3_dot(at.C1, by.M1) + vec3_dot(by.C1, at.M1),
                          hinge->sign * (vec3_dot(at.C1, by.M2) + vec3_dot(by.C1, at.M2))};
    const double side = hinge->node == hinge->joint->child ? 1 : -1;
    double d[2], N[3];
    const double change = olo_angle_change(hinge->e0, de, d);
    for (int i = 0; i < 3; i++)
        N[i] = side * (d[0] * at.M1[i] + hinge->sign * d[1] * at.M2[i]);
    vec3_cross(at.C1, N, m);
    return change;
}

void olo_joint_forces_finish(const olo_joint_forces *x, olo_step *step, double *wrench)
{
    const olo_system *s = step->system;
    const olo_interval interval = olo_step_interval(step);
    for (int i = 0; i < x->hinge_count; i++) {
        const olo_forced_joint *hinge = &x->hinges[i];
        double m[3], sum = 0;
        const double change = child_moment(s, hinge, &interval, m);
        for (int k = hinge->first; k < hinge->first + hinge->count; k++) {
            double by, f = force_of(&x->forces[k], &interval, hinge->start, change, &by);
            sum += f;
            /* a dissipative term loses f dx, an action of force -f does the work -f dx */
            step->exchange[x->forces[k].piece] = x->forces[k].term ? f * change : -f * change;
        }
        vec3_add(step->h * sum, m, wrench + s->nodes[hinge->node].motion + 3);
    }
}
