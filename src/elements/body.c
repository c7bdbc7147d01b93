/* Rigid bodies: a frame (phi, d1, d2, d3) with the axes and the origin that the user gave.
 *
 *     M = [[m, (m c)^T], [m c, E]] (x) I3,   E the Euler tensor about the origin     (thesis 4.3)
 *     g = (1/2(d1.d1-1), 1/2(d2.d2-1), 1/2(d3.d3-1), d1.d2, d1.d3, d2.d3)
 *
 * E = 1/2 tr(J) I - J about the centre of mass. E may be singular (rods, plates); a negative
 * eigenvalue contradicts the triangle inequality of the moments of inertia and is an error. */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "elements/drawing.h"
#include "elements/momentum.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"

/* Rounding of user data: eigenvalues of E below this fraction of the largest count as zero. */
static const double euler_tolerance = 1e-6;

olo_body olo_body_default(void)
{
    return (olo_body){.initialised = OLO_INITIALISED_BODY,
                      .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .position = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .angular_velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .momentum = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .angular_momentum = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .opacity = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_body *)element = olo_body_default();
}

olo_status olo_build_mass_moments(olo_builder *builder, double mass, const double center[3],
                                  const double J[9], olo_moments *moments)
{
    double trace = J[0] + J[4] + J[8], euler[9], size = 0;
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(J[i]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (fabs(J[3 * i + j] - J[3 * j + i]) > 1e-9 * size)
                return olo_builder_fail(builder, "inertia",
                                        "is not symmetric: J%d%d = %g, J%d%d = %g", i + 1, j + 1,
                                        J[3 * i + j], j + 1, i + 1, J[3 * j + i]);
    for (int i = 0; i < 9; i++)
        euler[i] = (i % 4 == 0 ? 0.5 * trace : 0.0) - J[i];
    if (mass < 0)
        return olo_builder_fail(builder, "mass", "must not be negative, got %g", mass);
    olo_moments_add(moments, mass, center, euler);
    return OLO_OK;
}

/* Whether a symmetric matrix is certainly positive definite: its pivots exceed their rounding
 * errors. */
static bool is_positive(const double E[9])
{
    const double least = 1e-9;
    const double first = E[0], second = E[4] - E[1] * E[3] / first;
    const double mixed = E[5] - E[1] * E[6] / first;
    const double third = E[8] - E[2] * E[6] / first - mixed * mixed / second;
    return first > 0 && second > least * E[4] && third > least * E[8] && E[4] > 0 && E[8] > 0;
}

/* The Euler tensor is an integral of squares, so that its eigenvalues are not negative. */
olo_status olo_build_check_moments(olo_builder *builder, const char *key,
                                   const olo_moments *moments)
{
    const double rounding =
        8 * DBL_EPSILON; /* a mass off the origin may have no moments of its own */
    double E[9], value[3], largest = 0, second = 0;
    for (int i = 0; i < 9; i++) {
        E[i] = moments->second[i] - moments->first[i / 3] * moments->first[i % 3] / moments->mass;
        second = fmax(second, fabs(moments->second[i]));
    }
    if (is_positive(E) || olo_build_setup(builder)->trial)
        return OLO_OK;
    if (!olo_symmetric_eigenvalues(3, E, value))
        return olo_builder_fail(builder, "inertia", "is not a finite tensor");
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(value[i]));
    if (value[0] < -euler_tolerance * largest - rounding * second) {
        double trace = value[0] + value[1] + value[2];
        return olo_builder_fail(
            builder, key,
            "no body has these principal moments of inertia (%g, %g, %g): the largest exceeds the "
            "sum of the others",
            trace - value[2], trace - value[1], trace - value[0]);
    }
    return OLO_OK;
}

olo_status olo_build_moments(olo_builder *builder, int q, const olo_moments *moments)
{
    olo_status status = olo_build_mass(builder, q, q, moments->mass);
    for (int i = 0; status == OLO_OK && i < 3; i++) {
        status = olo_build_mass(builder, q, q + 3 * (i + 1), moments->first[i]);
        for (int j = i; status == OLO_OK && j < 3; j++)
            status =
                olo_build_mass(builder, q + 3 * (i + 1), q + 3 * (j + 1),
                               0.5 * (moments->second[3 * i + j] + moments->second[3 * j + i]));
    }
    return status;
}

/* Directors and their rates from rotation and angular velocity. */
static void initial_frame(const olo_body *body, double q[12], double v[12])
{
    double omega[3] = {0, 0, 0};
    if (isnan(body->angular_velocity[0]))
        ; /* zero, unless a joint implies another one */
    else if (body->angular_velocity_in_body)
        mat3_times(body->rotation, body->angular_velocity, omega);
    else
        vec3_copy(body->angular_velocity, omega);
    for (int i = 0; i < 3; i++) {
        q[i] = isnan(body->position[i]) ? 0.0 : body->position[i];
        v[i] = isnan(body->velocity[i]) ? 0.0 : body->velocity[i];
    }
    for (int I = 0; I < 3; I++) {
        for (int i = 0; i < 3; i++)
            q[3 * (I + 1) + i] = body->rotation[3 * i + I];
        vec3_cross(omega, q + 3 * (I + 1), v + 3 * (I + 1));
    }
}

static olo_status add_points(olo_builder *builder, const olo_body *body, int node)
{
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < body->point_count; i++)
        status = olo_build_body_point(builder, node, body->points[i].name, body->points[i].at);
    return status;
}

static olo_status measure(olo_builder *builder, const olo_body *body, olo_moments *moments)
{
    olo_status status =
        olo_build_mass_moments(builder, body->mass, body->center, body->inertia, moments);
    for (int i = 0; status == OLO_OK && i < body->shape_count; i++) {
        const char *why, *wrong = olo_shape_add_moments(&body->shapes[i], moments, &why);
        if (wrong)
            status = olo_builder_fail(builder, "shapes", "shape %d: %s %s", i + 1, wrong, why);
    }
    if (status != OLO_OK)
        return status;
    if (moments->mass == 0 && body->shape_count == 0)
        return OLO_OK; /* masses or beams on the body may have all of it: builder_checks.c */
    if (!(moments->mass > 0))
        return olo_builder_fail(builder, body->mass != 0 ? "mass" : NULL,
                                "the mass must be positive, got %g: give `mass` or `shapes`",
                                moments->mass);
    return olo_build_check_moments(builder, body->shape_count ? "shapes" : "inertia", moments);
}

static olo_status build(olo_builder *builder, const void *element)
{
    olo_body moving = *(const olo_body *)element;
    const olo_body *body = &moving;
    olo_moments moments = {0};
    olo_status status = measure(builder, body, &moments);
    if (status == OLO_OK)
        status = olo_body_set_velocities(builder, &moments, &moving);
    if (status != OLO_OK)
        return status;
    double q[12], v[12], center[3];
    int node;
    initial_frame(body, q, v);
    status = olo_build_node(builder, body->name, &olo_node_frame, -1, q, v,
                            olo_vector_is_given(body->velocity), &node);
    if (status != OLO_OK)
        return status;
    olo_system *s = olo_build_system(builder);
    int first = s->nodes[node].q;
    s->nodes[node].placed = olo_vector_is_given(body->position);
    for (int i = 3; i < 12; i++)
        s->v0_given[first + i] = olo_vector_is_given(body->angular_velocity);
    for (int i = 0; i < 3; i++)
        center[i] = s->nodes[node].center[i] =
            moments.mass > 0 ? moments.first[i] / moments.mass : 0;
    olo_position x = olo_position_on_frame(first, center);
    status = olo_build_moments(builder, first, &moments);
    if (status == OLO_OK)
        status = olo_build_gravity(builder, body->name, moments.mass, &x);
    if (status == OLO_OK)
        status = olo_build_plane(builder, body->name, node);
    if (status == OLO_OK)
        status = add_points(builder, body, node);
    return status == OLO_OK ? olo_draw_body(builder, body, node, &moments) : status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_body, name),
     .required = true,
     .help = "name of the body"},
    {.key = "mass",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_body, mass),
     .help = "mass, added to that of the shapes"},
    {.key = "center",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, center),
     .help = "centre of `mass` in the body's frame; default the origin"},
    {.key = "inertia",
     .kind = OLO_FIELD_INERTIA,
     .offset = offsetof(olo_body, inertia),
     .help = "[J1, J2, J3], [J11, J22, J33, J12, J13, J23] or 3x3 about `center`, along the "
             "frame's axes"},
    {.key = "shapes",
     .kind = OLO_FIELD_SHAPES,
     .offset = offsetof(olo_body, shapes),
     .count_offset = offsetof(olo_body, shape_count),
     .help = "one solid or a list of solids"},
    {.key = "position",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, position),
     .help = "of the frame's origin; default 0, or where a support with `at` puts it"},
    {.key = "rotation",
     .kind = OLO_FIELD_ROTATION,
     .offset = offsetof(olo_body, rotation),
     .help = "of the frame; default none"},
    {.key = "velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, velocity),
     .help = "of the frame's origin; default what supports, joints and angular velocity imply, "
             "else 0"},
    {.key = "angular_velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, angular_velocity),
     .help = "in space axes; default what joints imply, else 0"},
    {.key = "angular_velocity_in_body",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_body, angular_velocity_in_body),
     .help = "true: the angular velocity is given along the body's axes"},
    {.key = "momentum",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, momentum),
     .help = "instead of velocity: mass times velocity of the centre of mass"},
    {.key = "angular_momentum",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_body, angular_momentum),
     .help = "instead of angular_velocity: about the centre of mass, in space axes"},
    {.key = "points",
     .kind = OLO_FIELD_POINTS,
     .offset = offsetof(olo_body, points),
     .count_offset = offsetof(olo_body, point_count),
     .help = "named points in the body's frame"},
    {.key = "visual",
     .kind = OLO_FIELD_SHAPES,
     .offset = offsetof(olo_body, visual),
     .count_offset = offsetof(olo_body, visual_count),
     .help = "one shape without mass or a list, drawn instead of `shapes`"},
    {.key = "color",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_body, color),
     .help = "in the report: #rrggbb or a name"},
    {.key = "opacity",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_body, opacity),
     .help = "in the report: 1 (opaque) down to above 0 (transparent)"},
};

const olo_element_type olo_element_body = {.initialised = OLO_INITIALISED_BODY,
                                           .section = "bodies",
                                           .noun = "body",
                                           .size = sizeof(olo_body),
                                           .fields = fields,
                                           .field_count = (int)(sizeof fields / sizeof *fields),
                                           .defaults = defaults,
                                           .build = build};
