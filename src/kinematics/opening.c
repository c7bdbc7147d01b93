/* The opening of a joint at a configuration. Constraint rows and articulation are two descriptions
 * of the same joint. A configuration that satisfies the rows must also close the articulation,
 * because every step closes it (olo_motion_settle). */
#include <math.h>

#include "kinematics/topology.h"
#include "linalg/vec3.h"

double olo_joint_opening(const olo_system *s, int joint, const double *q, double *size)
{
    static const double ground[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const olo_articulation *a = &s->joints[joint];
    const olo_joint_view view = {.joint = a,
                                 .child_node = &s->nodes[a->child],
                                 .parent_node = a->parent < 0 ? NULL : &s->nodes[a->parent]};
    const double *child = q + s->nodes[a->child].q;
    const double *parent = a->parent < 0 ? ground : q + s->nodes[a->parent].q;
    double shift[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
    if (a->type->close)
        a->type->close(&view, parent, child, shift, turn);
    *size = fmax(s->length_scale, vec3_norm(parent) + vec3_norm(a->parent_point) +
                                      vec3_norm(child) + vec3_norm(a->child_point));
    return vec3_norm(shift) + vec3_norm(turn) * s->length_scale;
}
