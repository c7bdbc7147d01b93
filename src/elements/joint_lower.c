/* Joints that are lower pairs (joint_pair.c), and the screw: a cylindrical pair with one relation
 * between its coordinates,
 *
 *     position - initial position = pitch/(2 pi) (angle - initial angle). */
#include <math.h>
#include <stdio.h>

#include "elements/joint_drive.h"
#include "elements/joint_ends.h"
#include "elements/joint_initial_rates.h"
#include "elements/joint_pair.h"
#include "elements/relation_row.h"
#include "linalg/vec3.h"

/* The sign of the user's coordinates. Coordinates of the pair are those of the child relative to
 * the parent, about n; the user's are those of the second body relative to the first, about the
 * given axis. */
static olo_joint_sense sense_of(const olo_joint *joint, const olo_pair_setup *setup, bool swapped)
{
    olo_joint_sense sense = {.turn = swapped ? -1 : 1, .slide = swapped ? -1 : 1};
    /* in a planar model n is the normal of the plane, which may be opposite to the given axis */
    if (vec3_dot(joint->axis, setup->axes + 6) < 0)
        sense.turn = -sense.turn;
    return sense;
}

/* Finds the initial velocity of the child relative to the parent: the given one, with the rate of a
 * prescribed motion along its coordinate. The component of `sliding` along a free axis is the rate
 * of that position. */
static olo_status find_initial_motion(olo_builder *builder, const olo_joint *joint,
                                      const olo_pair_setup *setup, olo_joint_sense sense,
                                      olo_joint_initial_motion *motion)
{
    static const char *const numbered[] = {"position1", "position2"};
    bool several = (setup->translations & (setup->translations - 1)) != 0;
    olo_given_rate coordinate[3];
    olo_initial_rate initial[3];
    const double *axis[3];
    double relative[3];
    int positions = 0, count = 0;
    for (int k = 0; k < 3; k++)
        if (setup->translations >> k & 1) {
            axis[positions] = setup->axes + 3 * k;
            coordinate[positions] =
                (olo_given_rate){.kind = several ? numbered[positions] : "position",
                                 .key = "sliding",
                                 .given = olo_joint_sliding_along(joint, axis[positions])};
            positions++;
        }
    count = positions;
    if (setup->rotations == 1)
        coordinate[count++] =
            (olo_given_rate){.kind = "angle", .key = "rate", .given = joint->rate};
    olo_status status = olo_joint_find_initial_rates(builder, joint, count, coordinate, initial);
    if (status != OLO_OK)
        return status;
    bool slides = false, turns = setup->rotations == 1 && initial[count - 1].known;
    vec3_copy(joint->sliding, relative);
    for (int i = 0; i < positions; i++) {
        vec3_add(initial[i].rate - coordinate[i].given, axis[i], relative);
        slides = slides || initial[i].known;
    }
    *motion =
        (olo_joint_initial_motion){.rotation = olo_determination_of(setup->rotations, 3, turns),
                                   .translation = olo_determination_of(positions, 3, slides)};
    vec3_add(sense.slide, relative, motion->sliding);
    if (setup->rotations == 1)
        vec3_add(sense.turn * initial[count - 1].rate, setup->axes + 6, motion->omega);
    return OLO_OK;
}

olo_status olo_build_pair_joint(olo_builder *builder, const olo_joint *joint)
{
    const olo_pair_kind *kind = olo_pair_find(joint->type);
    olo_joint_ends ends;
    olo_status status = olo_joint_find_ends(builder, joint, &ends);
    if (status != OLO_OK)
        return status;
    int child = olo_joint_child_end(&ends), parent = 1 - child;
    bool swapped = child == 0;
    olo_pair_setup setup = {.name = joint->name,
                            .noun = "joint",
                            .type = joint->type,
                            .parent = ends.node[parent],
                            .child = ends.node[child],
                            .in_child = swapped && kind->rotations == 3};
    status = olo_pair_axes(builder, kind, joint->axis, &setup);
    if (status != OLO_OK)
        return status;
    olo_joint_join_in_place(builder, setup.translations, setup.axes, &ends);
    vec3_copy(ends.at[parent], setup.parent_point);
    vec3_copy(ends.at[child], setup.child_point);
    olo_joint_sense sense = sense_of(joint, &setup, swapped);
    olo_joint_initial_motion motion;
    status = find_initial_motion(builder, joint, &setup, sense, &motion);
    if (status == OLO_OK)
        status = olo_joint_set_initial_motion(builder, &ends, &motion);
    if (status == OLO_OK)
        status = olo_build_pair(builder, &setup);
    return status == OLO_OK ? olo_build_joint_drives(builder, joint, sense) : status;
}

/* A screw has one rate, position' = pitch/(2 pi) angle', which is given by `rate`, by `sliding` or
 * by a motion of either coordinate. */
static olo_status set_screw_rate(olo_builder *builder, const double axis[3], double lead,
                                 olo_joint *screw)
{
    double along = olo_joint_sliding_along(screw, axis);
    olo_initial_rate initial[2];
    double turn = screw->rate != 0 || lead == 0 ? screw->rate : along / lead;
    if (screw->rate != 0 && along != 0 && !olo_joint_rates_agree(lead * turn, along))
        return olo_builder_fail(builder, "sliding",
                                "of %.10g along the axis contradicts rate: with %.10g the screw "
                                "'%s' slides by %.10g; give one of them",
                                along, turn, screw->name, lead * turn);
    const char *key = screw->rate != 0 ? "rate" : "sliding";
    const olo_given_rate coordinate[2] = {{"position", key, lead * turn}, {"angle", key, turn}};
    olo_status status = olo_joint_find_initial_rates(builder, screw, 2, coordinate, initial);
    if (status != OLO_OK)
        return status;
    bool moved_along = screw->coordinate && screw->coordinate[0] == 'p' && lead != 0;
    screw->rate = moved_along ? initial[0].rate / lead : initial[1].rate;
    vec3_add(lead * screw->rate - along, axis, screw->sliding);
    return OLO_OK;
}

olo_status olo_build_screw(olo_builder *builder, const olo_joint *joint)
{
    const double two_pi = 6.283185307179586476925286766559;
    const olo_system *s = olo_build_system(builder);
    char name[160];
    if (isnan(joint->pitch))
        return olo_builder_fail(builder, "pitch", "a screw needs its pitch, the distance per turn");
    if (s->planar)
        return olo_builder_fail(builder, "type", "a screw is not possible in a planar model");
    olo_joint screw = *joint;
    double axis[3], lead = joint->pitch / two_pi;
    olo_status status = OLO_OK;
    vec3_copy(joint->axis, axis);
    if (vec3_normalise(axis) > 0)
        status = set_screw_rate(builder, axis, lead, &screw);
    if (status != OLO_OK)
        return status;
    int position = s->joint_coordinate_count;
    status = olo_build_pair_joint(builder, &screw);
    if (status != OLO_OK)
        return status;
    /* its coordinates are the position, then the angle, which is initially zero */
    const olo_term *x = s->joint_coordinates[position].term;
    olo_relation_row thread = {.count = 2,
                               .coordinate = {position, position + 1},
                               .factor = {1, -lead},
                               .constant = -olo_term_energy(x, s->q0, NULL)};
    snprintf(name, sizeof name, "%s.thread", joint->name);
    return olo_build_relation_row(builder, name, &thread);
}
