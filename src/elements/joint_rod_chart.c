/* Chart and null space of a point mass at the end of a rod (joint_rod.c). In the parent's axes,
 * with r0 the rod at the reference and b_k orthogonal to it, |b_k| = 1/l:
 *
 *     t = X_p + E r0,   E the Cayley rotation of a = b_1 u_1 + b_2 u_2
 *
 * so that u is a length, and |u| = 2 l tan(angle/2). In a planar model there is one b_k, along the
 * normal. The screws are rotations about b_k, fixed in the parent, through X_p. The chart is
 * regular up to half a turn from the reference; the screws span all motions of the point up to a
 * quarter turn. */
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"

static void rod_of(const olo_chart_view *x, const double *placement, double r[3])
{
    vec3_subtract(placement, x->joint->parent_point, r);
}

/* The normal of a planar model in the parent's axes, where it is constant; zero in a spatial model.
 */
static void normal_of(const olo_chart_view *x, double normal[3])
{
    vec3_set(0, 0, 0, normal);
    if (x->system->planar)
        olo_pair_into_body(x->system, x->joint->parent, x->system->plane, normal);
}

/* b_k */
static void find_axes(const olo_chart_view *x, double axes[6])
{
    double unit[3];
    rod_of(x, x->reference, unit);
    vec3_normalise(unit);
    vec3_transversals(unit, axes, axes + 3);
    if (x->system->planar)
        normal_of(x, axes);
    for (int i = 0; i < 6; i++)
        axes[i] /= x->joint->length;
}

/* Scales the rod to its length; the component along the normal of a planar model is unchanged. */
static void close_rod(const olo_chart_view *x, double *placement)
{
    double r[3], normal[3], length = x->joint->length;
    rod_of(x, placement, r);
    normal_of(x, normal);
    double height = vec3_dot(normal, r);
    vec3_add(-height, normal, r);
    double scale = sqrt(length * length - height * height) / vec3_norm(r);
    vec3_copy(x->joint->parent_point, placement);
    vec3_add(height, normal, placement);
    vec3_add(scale, r, placement);
}

static void evaluate(const olo_chart_view *x, const double *u, olo_placement *g)
{
    rotation_jet E;
    double axes[6];
    find_axes(x, axes);
    rotation_jet_cayley(x->dof, axes, u, &E);
    olo_chart_turned_placement(x, u, &E, g);
}

/* The smallest rotation from r0 to r, in a planar model of their components in the plane:
 * a = 2 r0 x r/(r0^2 + r0.r) */
static bool coordinates(const olo_chart_view *x, const double *placement, double *u)
{
    const double least = 1e-12; /* of cos^2(angle/2) */
    double r0[3], r[3], normal[3], a[3], axes[6];
    double square = x->joint->length * x->joint->length;
    rod_of(x, x->reference, r0);
    rod_of(x, placement, r);
    normal_of(x, normal);
    vec3_add(-vec3_dot(normal, r0), normal, r0);
    vec3_add(-vec3_dot(normal, r), normal, r);
    find_axes(x, axes);
    vec3_cross(r0, r, a);
    double sum = vec3_dot(r0, r0) + vec3_dot(r0, r);
    bool defined = sum > 2 * least * vec3_dot(r0, r0);
    for (int k = 0; k < x->dof; k++)
        u[k] = defined ? 2 * square * vec3_dot(axes + 3 * k, a) / sum : 0.0;
    return defined;
}

static double turn(const olo_chart_view *x, const double *u)
{
    double a[3] = {0};
    for (int k = 0; k < x->dof; k++)
        a[k] = u[k] / x->joint->length;
    return cayley_angle(a);
}

const olo_joint_chart olo_chart_rod = {
    .close = close_rod, .evaluate = evaluate, .coordinates = coordinates, .turn = turn};

void olo_screws_rod(const olo_chart_view *x, olo_screw *screws)
{
    double axes[6];
    find_axes(x, axes);
    for (int k = 0; k < x->dof; k++) {
        screws[k] = (olo_screw){.turns = true, .axis_in = OLO_IN_PARENT, .pivot_in = OLO_IN_PARENT};
        vec3_copy(axes + 3 * k, screws[k].axis);
        vec3_copy(x->joint->parent_point, screws[k].pivot);
    }
}
