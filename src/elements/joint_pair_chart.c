/* Chart and null space of lower pairs (joint_pair.c), of free bodies and points, and of bodies that
 * move freely in the plane of a planar model: translations along the free axes, then a rotation E,
 * which is the identity, a rotation about n by an angle, or a Cayley rotation.
 *
 * The screws are translations along the free axes, and rotations about n, fixed in the child, or
 * about the axes of space, through the joint point of the child. If the free axes are fixed in the
 * child, it rotates about the joint point of the parent. */
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"

static int turns_of(const olo_chart_view *x)
{
    return x->frame ? x->joint->rotations : 0;
}

static const double *axis_n(const olo_chart_view *x)
{
    return x->joint->parent_axes + 6;
}

static void close_pair(const olo_chart_view *x, double *placement)
{
    const olo_articulation *joint = x->joint;
    if (x->frame && joint->rotations == 0) {
        /* the triads coincide: r_I = sum_k c_kI p_k */
        for (int I = 0; I < 3; I++) {
            vec3_set(0, 0, 0, placement + 3 * (I + 1));
            for (int k = 0; k < 3; k++)
                vec3_add(joint->child_axes[3 * k + I], joint->parent_axes + 3 * k,
                         placement + 3 * (I + 1));
        }
    } else if (x->frame) {
        olo_chart_orthonormalise(placement);
    }
    if (turns_of(x) == 1) {
        double n[3];
        olo_body_vector(joint->child_axes + 6, placement, n);
        olo_chart_turn(placement, n, axis_n(x));
    }
    olo_chart_close_points(x, placement);
}

static void evaluate(const olo_chart_view *x, const double *u, olo_placement *g)
{
    static const double space[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    rotation_jet E;
    int axes[3], slides = olo_chart_slides(x->joint, axes);
    if (turns_of(x) == 0)
        rotation_jet_none(&E);
    else if (turns_of(x) == 1)
        rotation_jet_angle(axis_n(x), u[slides], &E);
    else
        rotation_jet_cayley(3, space, u + slides, &E);
    olo_chart_turned_placement(x, u, &E, g);
}

static bool coordinates(const olo_chart_view *x, const double *placement, double *u)
{
    double S[9];
    int axes[3], slides = olo_chart_slides(x->joint, axes);
    olo_chart_slide_coordinates(x, placement, u);
    if (turns_of(x) == 0)
        return true;
    olo_chart_rotation(x, placement, S);
    if (turns_of(x) == 3)
        return olo_chart_cayley(S, u + slides);
    /* 2 sin and 2 cos of the angle: twice the axial vector along n, the trace less one */
    const double *n = axis_n(x), axial[3] = {S[7] - S[5], S[2] - S[6], S[3] - S[1]};
    u[slides] = atan2(vec3_dot(n, axial), S[0] + S[4] + S[8] - 1);
    return true;
}

static double turn(const olo_chart_view *x, const double *u)
{
    int axes[3], slides = olo_chart_slides(x->joint, axes);
    return turns_of(x) == 3 ? cayley_angle(u + slides) : 0.0;
}

const olo_joint_chart olo_chart_pair = {
    .close = close_pair, .evaluate = evaluate, .coordinates = coordinates, .turn = turn};

void olo_screws_pair(const olo_chart_view *x, olo_screw *screws)
{
    const olo_articulation *joint = x->joint;
    int axes[3], slides = olo_chart_slides(joint, axes);
    for (int k = 0; k < slides; k++) {
        const double *triad = joint->reversed ? joint->child_axes : joint->parent_axes;
        screws[k] = (olo_screw){.axis_in = joint->reversed ? OLO_IN_CHILD : OLO_IN_PARENT};
        vec3_copy(triad + 3 * axes[k], screws[k].axis);
    }
    bool about_parent = joint->reversed && slides;
    for (int k = 0; k < turns_of(x); k++) {
        olo_screw *screw = screws + slides + k;
        *screw = (olo_screw){.turns = true,
                             .axis_in = joint->rotations == 1 ? OLO_IN_CHILD : OLO_IN_SPACE,
                             .pivot_in = about_parent ? OLO_IN_PARENT : OLO_IN_CHILD};
        vec3_copy(about_parent ? joint->parent_point : joint->child_point, screw->pivot);
        if (joint->rotations == 1)
            vec3_copy(joint->child_axes + 6, screw->axis);
        else
            screw->axis[k] = 1;
    }
}
