/* Joints that are lower pairs (joint_pair.c), and the screw: a cylindrical pair whose coordinates belong together,
 *
 *     position - position at the start = pitch/(2 pi) (angle - angle at the start).
 */
#include <math.h>
#include <stdio.h>

#include "elements/joint_drive.h"
#include "elements/joint_ends.h"
#include "elements/joint_pair.h"
#include "elements/relation_row.h"
#include "linalg/vec3.h"

/* The child moves against the parent about n; the user counts the second against the first, about the axis given. */
static olo_joint_sense sense_of(const olo_joint *joint, const olo_pair_setup *setup, bool swapped)
{
    olo_joint_sense sense = {.turn = swapped ? -1 : 1, .slide = swapped ? -1 : 1};
    /* in a planar model n is the normal of the plane, which may point the other way */
    if (vec3_dot(joint->axis, setup->axes + 6) < 0)
        sense.turn = -sense.turn;
    return sense;
}

/* A motion that is prescribed moves at the start already. */
static olo_status start_motion(olo_builder *builder, const olo_joint *joint,
                               const olo_pair_setup *setup, double *rate, double sliding[3])
{
    double speed;
    bool slides = setup->translations == 4 || (setup->translations && setup->rotations == 0);
    bool angle = setup->rotations == 1 && !(joint->coordinate && joint->coordinate[0] == 'p');
    olo_status status = olo_motion_start_rate(builder, "motion", &joint->motion, &speed);
    if (status != OLO_OK)
        return status;
    if (angle)
        *rate += speed;
    else if (slides && !olo_build_system(builder)->planar)
        vec3_add(speed, setup->axes + 6, sliding);
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
    vec3_copy(ends.at[parent], setup.parent_point);
    vec3_copy(ends.at[child], setup.child_point);
    status = olo_pair_axes(builder, kind, joint->axis, &setup);
    if (status != OLO_OK)
        return status;
    olo_joint_sense sense = sense_of(joint, &setup, swapped);
    double rate = joint->rate, omega[3] = {0, 0, 0}, relative[3], sliding[3] = {0, 0, 0};
    vec3_copy(joint->sliding, relative);
    status = start_motion(builder, joint, &setup, &rate, relative);
    if (status != OLO_OK)
        return status;
    if (setup.rotations == 1)
        vec3_add(sense.turn * rate, setup.axes + 6, omega);
    vec3_add(sense.slide, relative, sliding);
    olo_joint_settle(olo_build_system(builder), &ends, omega, sliding);
    status = olo_build_pair(builder, &setup);
    return status == OLO_OK ? olo_build_joint_drives(builder, joint, sense) : status;
}

olo_status olo_build_screw(olo_builder *builder, const olo_joint *joint)
{
    const double two_pi = 6.283185307179586476925286766559;
    const olo_system *s = olo_build_system(builder);
    char name[160];
    if (isnan(joint->pitch))
        return olo_builder_fail(builder, "pitch",
                                "a screw needs its pitch: how far it goes in a turn");
    if (s->planar)
        return olo_builder_fail(builder, "type", "a screw does not move in a plane");
    /* what turns goes along; what a motion moves, the start's projection turns */
    olo_joint screw = *joint;
    double axis[3];
    vec3_copy(joint->axis, axis);
    if (vec3_normalise(axis) > 0)
        vec3_add(joint->rate * joint->pitch / two_pi, axis, screw.sliding);
    int position = s->joint_coordinate_count;
    olo_status status = olo_build_pair_joint(builder, &screw);
    if (status != OLO_OK)
        return status;
    /* its coordinates are the position, then the angle, which is zero at the start */
    const olo_term *x = s->joint_coordinates[position].term;
    olo_relation_row thread = {.count = 2,
                               .coordinate = {position, position + 1},
                               .factor = {1, -joint->pitch / two_pi},
                               .constant = -olo_term_energy(x, s->q0, NULL)};
    snprintf(name, sizeof name, "%s.thread", joint->name);
    return olo_build_relation_row(builder, name, &thread);
}
