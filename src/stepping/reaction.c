/* Reactions: constraint forces of the last step, or at an equilibrium.
 *
 * The force of group g on its child is -sum of lambda_b grad g_b(q_m); on a body this is the wrench
 *
 *     [f; m] = -P_int^T G^T lambda.
 *
 * With `reduced` the joint wrench is W/h, the same without multipliers; multipliers of closures and
 * of other treatments are in the state. If the tree has reversed a joint, its wrench acts on the
 * other body; that on the child is equal and opposite at the same point.
 *
 * The reaction of a composed step is the mean of its parts, sum c_i F_i, so that h times it is the
 * impulse over the step; if forces are those at the start of a step, it is the reaction of the
 * first part. That of a step with contacts is the sum of the impulses of its parts and jumps, each
 * about the joint point where it acts, by the length of the step. With consistent velocities it is
 * the reaction at the end of the step, from the accelerations there (accelerations.h), which has
 * the order of the step. Recorded reactions follow the same rules. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "stepping/accelerations.h"
#include "stepping/step.h"
#include "system/directors.h"

/* Wrench of the group's multipliers on a node, about the node's origin. */
static void from_multipliers(const olo_forces *x, const olo_group *group, int node,
                             double wrench[6])
{
    const olo_system *s = x->step->system;
    double g[OLO_FORM_SIZE_MAX];
    const double *left = olo_motion_left(&x->step->x);
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int row = group->first; row < group->first + group->count; row++) {
        const olo_constraint *constraint = &s->constraints[row];
        olo_step_row(x->step, constraint, g, NULL);
        for (int i = 0; i < constraint->size; i++) {
            const olo_coordinate *c = &s->coordinates[constraint->index[i]];
            if (c->node != node || c->slot == OLO_SLOT_SCALAR) /* it has no direction in space */
                continue;
            double force[3] = {0, 0, 0};
            force[c->axis] = -x->lambda[row] * g[i];
            if (c->slot == 0)
                vec3_add(1.0, force, wrench);
            else
                vec3_add_cross(left + constraint->index[i] - c->axis, force, wrench + 3);
        }
    }
}

/* The node on which the group acts: the child of its joint, or the last node of its first row; -1:
 * it is switched off. */
static int node_of(const olo_system *s, const olo_group *group)
{
    if (group->joint >= 0)
        return s->joints[group->joint].child;
    const olo_constraint *row = &s->constraints[group->first];
    return row->size > 0 ? s->coordinates[row->index[row->size - 1]].node : -1;
}

/* Takes a wrench on `node` about its origin to that on the child of the joint about the joint
 * point. */
static void move_to_joint_point(const olo_step *step, const olo_articulation *joint, int node,
                                double force[3], double moment[3])
{
    const olo_system *s = step->system;
    const double *left = olo_motion_left(&step->x), *child = left + s->nodes[joint->child].q;
    double arm[3];
    vec3_subtract(left + s->nodes[node].q, child, arm);
    for (int I = 0; s->nodes[joint->child].type->spatial && I < 3; I++)
        vec3_add(-joint->child_point[I], child + 3 * (I + 1), arm);
    vec3_add_cross(arm, force, moment);
    for (int i = 0; node != joint->child && i < 3; i++) {
        force[i] = -force[i];
        moment[i] = -moment[i];
    }
}

/* Force and moment of a group on its child. */
static olo_status reaction(const olo_forces *x, int group, double force[3], double moment[3],
                           olo_error *error)
{
    const olo_system *s = x->step->system;
    const olo_group *g = &s->groups[group];
    const int of_joint = x->topology ? olo_topology_node_of(x->topology, group) : -1,
              node = of_joint < 0 ? node_of(s, g) : of_joint;
    double wrench[6] = {0};
    if (x->topology && g->internal)
        return olo_fail(error, OLO_UNSUPPORTED, "use multipliers for forces inside '%s'", g->name);
    if (x->known) {
        vec3_copy(x->known + 6 * group, force);
        vec3_copy(x->known + 6 * group + 3, moment);
        return OLO_OK;
    }
    for (int i = 0; of_joint >= 0 && i < s->nodes[node].twist; i++)
        wrench[i] = x->wrench[s->nodes[node].motion + i] / x->unit;
    if (of_joint < 0)
        from_multipliers(x, g, node, wrench);
    vec3_copy(wrench, force);
    vec3_copy(wrench + 3, moment);
    if (g->joint >= 0)
        move_to_joint_point(x->step, &s->joints[g->joint], node, force, moment);
    return OLO_OK;
}

static const olo_topology *tree_of(const olo_stepper *x)
{
    const bool forest = x->contact ? x->contact_tree != NULL : x->treatment->forest;
    return forest ? x->system->topology : NULL;
}

static olo_forces forces_of(const olo_stepper *x, const olo_state *state)
{
    return (olo_forces){.step = &x->step,
                        .topology = tree_of(x),
                        .wrench = olo_last_wrenches(state),
                        .unit = state->h,
                        .lambda = state->lambda,
                        .known = x->contact_reactions};
}

void olo_stepper_add_reactions(olo_stepper *x, const double *wrench, const double *lambda)
{
    const olo_system *s = x->system;
    const olo_forces forces = {
        .step = &x->step, .topology = tree_of(x), .wrench = wrench, .unit = 1, .lambda = lambda};
    for (int g = 0; g < s->group_count; g++) {
        double force[3], moment[3], *sum = x->contact_impulses + 6 * g;
        if (reaction(&forces, g, force, moment, NULL) != OLO_OK)
            continue; /* inside a node */
        vec3_add(1, force, sum);
        vec3_add(1, moment, sum + 3);
    }
}

void olo_stepper_store_part(olo_stepper *x, const olo_state *state, double weight)
{
    const olo_motion *motion = &x->step.x;
    const size_t size = (size_t)x->system->n * sizeof *motion->dq;
    olo_part *part = &x->part[x->part_count++];
    part->weight = weight;
    part->t = x->step.t;
    part->h = x->step.h;
    memcpy(part->q0, motion->q0, size);
    memcpy(part->dq, motion->dq, size);
    memcpy(part->qm, motion->qm, size);
    memcpy(part->q1, motion->q1, size);
    memcpy(part->wrench, olo_last_wrenches(state), (size_t)state->twists * sizeof *part->wrench);
    memcpy(part->lambda, state->lambda, (size_t)state->m * sizeof *part->lambda);
}

/* The mean over the parts of a composed step. */
static olo_status mean_reaction(const olo_stepper *x, int group, double force[3], double moment[3],
                                olo_error *error)
{
    olo_status status = OLO_OK;
    vec3_set(0, 0, 0, force);
    vec3_set(0, 0, 0, moment);
    for (int i = 0; i < x->part_count && status == OLO_OK; i++) {
        const olo_part *part = &x->part[i];
        double f[3] = {0}, m[3] = {0};
        olo_step step = x->step;
        step.t = part->t;
        step.h = part->h;
        step.x.q0 = part->q0;
        step.x.dq = part->dq;
        step.x.qm = part->qm;
        step.x.q1 = part->q1;
        step.x.left = x->scheme->evaluation.at_start ? part->q0 : NULL;
        const olo_forces forces = {.step = &step,
                                   .topology = tree_of(x),
                                   .wrench = part->wrench,
                                   .unit = part->h,
                                   .lambda = part->lambda};
        status = reaction(&forces, group, f, m, error);
        vec3_add(part->weight, f, force);
        vec3_add(part->weight, m, moment);
    }
    return status;
}

olo_status olo_stepper_compute_reaction(olo_stepper *x, const olo_state *state, int group,
                                        double force[3], double moment[3], olo_error *error)
{
    const olo_system *s = x->system;
    if (group < 0 || group >= s->group_count)
        return olo_fail(error, OLO_NOT_FOUND, "there is no constraint group %d", group);
    if (x->scheme->consistent && !s->groups[group].internal) {
        olo_status status = OLO_OK;
        if (!x->accelerations)
            status = olo_accelerations_create(s, state->span != 0 ? fabs(state->span) : 1.0,
                                              &x->accelerations, error);
        if (status != OLO_OK)
            return status;
        if (olo_accelerations_at(x->accelerations, state, x->step.inputs)) {
            const olo_forces at_end = olo_accelerations_forces(x->accelerations);
            return reaction(&at_end, group, force, moment, error);
        }
    }
    if (state->h == 0)
        return olo_fail(error, OLO_UNSUPPORTED, "'%s' has no reaction before the first step",
                        s->groups[group].name);
    if (x->part_count > 0)
        return mean_reaction(x, group, force, moment, error);
    olo_forces forces = forces_of(x, state);
    return reaction(&forces, group, force, moment, error);
}

/* Directors in the middle of the step: rotated by half its rotation, hence orthonormal, unlike
 * those of qm; or those at its start if the scheme evaluates forces there. */
static void middle_directors(const olo_step *step, const olo_node *node, double d[9])
{
    double a[3], mid[3], change[3];
    const int directors = node->q + node->type->directors;
    if (step->x.left) {
        memcpy(d, step->x.left + directors, 9 * sizeof *d);
        return;
    }
    directors_cayley(step->x.qm + directors, step->x.dq + directors, a);
    double factor = 1 / (1 + sqrt(1 + 0.25 * vec3_dot(a, a)));
    for (int i = 0; i < 3; i++)
        a[i] *= factor;
    for (int I = 0; I < 9; I += 3) {
        const double *d0 = step->x.q0 + directors + I;
        cayley_apply(a, cayley_scale(a), d0, mid, change);
        for (int i = 0; i < 3; i++)
            d[I + i] = d0[i] + change[i];
    }
}

void olo_record_reactions(const olo_forces *x, olo_state *state)
{
    const olo_system *s = x->step->system;
    for (int i = 0; i < s->reaction_count; i++) {
        double wrench[6], *out = state->reactions + 6 * i;
        if (reaction(x, s->reactions[i].group, wrench, wrench + 3, NULL) != OLO_OK)
            memset(wrench, 0, sizeof wrench);
        memcpy(out, wrench, sizeof wrench);
        if (s->reactions[i].axes < 0)
            continue;
        double d[9];
        middle_directors(x->step, &s->nodes[s->reactions[i].axes], d);
        for (int I = 0; I < 3; I++) {
            out[I] = vec3_dot(d + 3 * I, wrench);
            out[3 + I] = vec3_dot(d + 3 * I, wrench + 3);
        }
    }
}

void olo_stepper_record_reactions(olo_stepper *x, olo_state *state)
{
    if (state->h == 0) {
        memset(state->reactions, 0, 6 * (size_t)x->system->reaction_count * sizeof(double));
        return;
    }
    olo_forces forces = forces_of(x, state);
    olo_record_reactions(&forces, state);
}

void olo_record_forces(const olo_accelerations *accelerations, olo_state *state)
{
    const olo_forces forces = olo_accelerations_forces(accelerations);
    olo_record_reactions(&forces, state);
    olo_state_set_drive_forces(forces.step->system, state, forces.lambda);
}

void olo_stepper_record_end_forces(olo_stepper *x, olo_state *state)
{
    if (!x->accelerations || x->system->reaction_count + x->system->drive_count == 0 ||
        !olo_accelerations_at(x->accelerations, state, x->step.inputs))
        return;
    olo_record_forces(x->accelerations, state);
}
