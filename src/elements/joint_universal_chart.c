/* Chart and null space of the universal joint (joint_universal.c). The child rotates by u_1 about
 * m, fixed in the parent, and by u_2 about n, fixed in the child; n' = R0 n at the reference:
 *
 *     E = exp(u_1 m^) exp(u_2 n'^),   t = X_p - R X_c
 *
 * Inverse: E n' is n' rotated by u_1 about m, and E^T m is m rotated by -u_2 about n'. */
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"

static const double *axis_m(const olo_chart_view *x)
{
    return x->joint->parent_axes + 6;
}

static void close_joint(const olo_chart_view *x, double *placement)
{
    /* rotates n in the plane of m and n until it is perpendicular to m */
    double n[3], across[3];
    olo_chart_orthonormalise(placement);
    olo_body_vector(x->joint->child_axes + 6, placement, n);
    vec3_copy(n, across);
    vec3_add(-vec3_dot(axis_m(x), n), axis_m(x), across);
    olo_chart_turn(placement, n, across);
    olo_chart_close_points(x, placement);
}

static void evaluate(const olo_chart_view *x, const double *u, olo_placement *g)
{
    rotation_jet about_m, about_n, E;
    double n[3];
    olo_body_vector(x->joint->child_axes + 6, x->reference, n);
    rotation_jet_angle(axis_m(x), u[0], &about_m);
    rotation_jet_angle(n, u[1], &about_n);
    rotation_jet_product(&about_m, &about_n, &E);
    olo_chart_turned_placement(x, u, &E, g);
}

/* The angle about an axis from `from` to `to`, both perpendicular to it. */
static double angle(const double axis[3], const double from[3], const double to[3])
{
    double across[3];
    vec3_cross(from, to, across);
    return atan2(vec3_dot(axis, across), vec3_dot(from, to));
}

static bool coordinates(const olo_chart_view *x, const double *placement, double *u)
{
    double S[9], n[3], n_turned[3], m_back[3];
    olo_chart_rotation(x, placement, S);
    olo_body_vector(x->joint->child_axes + 6, x->reference, n);
    mat3_times(S, n, n_turned);
    mat3_transposed_times(S, axis_m(x), m_back);
    u[0] = angle(axis_m(x), n, n_turned);
    u[1] = angle(n, m_back, axis_m(x));
    return true;
}

const olo_joint_chart olo_chart_universal = {
    .close = close_joint, .evaluate = evaluate, .coordinates = coordinates};

void olo_screws_universal(const olo_chart_view *x, olo_screw *screws)
{
    for (int k = 0; k < 2; k++) {
        screws[k] = (olo_screw){.turns = true,
                                .axis_in = k == 0 ? OLO_IN_PARENT : OLO_IN_CHILD,
                                .pivot_in = OLO_IN_CHILD};
        vec3_copy(k == 0 ? axis_m(x) : x->joint->child_axes + 6, screws[k].axis);
        vec3_copy(x->joint->child_point, screws[k].pivot);
    }
}
