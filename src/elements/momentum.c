/* Initial velocities of a body from its momentum p and its angular momentum L about the centre of
 * mass c, which is at R c from the origin:
 *
 *     omega = R J^-1 R^T L,     v = p/m - omega x R c,     J = tr(E) I - E about c.
 */
#include "elements/momentum.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vec3.h"

/* Moments of inertia below this fraction of the largest count as zero. */
static const double smallest = 1e-9;

bool olo_vector_is_given(const double x[3])
{
    return !isnan(x[0]) || !isnan(x[1]) || !isnan(x[2]);
}

static void complete(double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = isnan(x[i]) ? 0.0 : x[i];
}

/* omega from L, with the eigenvectors of E about the centre, which are those of J */
static olo_status set_spin(olo_builder *builder, const olo_moments *moments, olo_body *body)
{
    double E[9], value[3], L[3], omega[3] = {0, 0, 0}, in_body[3];
    if (olo_vector_is_given(body->angular_velocity))
        return olo_builder_fail(builder, "angular_momentum",
                                "give either angular_momentum or angular_velocity");
    complete(body->angular_momentum);
    for (int i = 0; i < 9; i++)
        E[i] = moments->second[i] - moments->first[i / 3] * moments->first[i % 3] / moments->mass;
    if (!olo_symmetric_eigenvectors(3, E, value))
        return olo_builder_fail(builder, "inertia", "is not a finite tensor");
    /* R^T L, then its components along the columns of E */
    for (int i = 0; i < 3; i++)
        in_body[i] = body->rotation[i] * body->angular_momentum[0] +
                     body->rotation[3 + i] * body->angular_momentum[1] +
                     body->rotation[6 + i] * body->angular_momentum[2];
    for (int k = 0; k < 3; k++) {
        const double J = value[(k + 1) % 3] + value[(k + 2) % 3];
        const double axis[3] = {E[k], E[3 + k], E[6 + k]};
        if (!(J > smallest * (value[1] + value[2])))
            return olo_builder_fail(builder, "angular_momentum",
                                    "the body has no moment of inertia about one of its axes, so "
                                    "that its angular velocity does not follow: give "
                                    "angular_velocity");
        vec3_add(vec3_dot(axis, in_body) / J, axis, omega);
    }
    mat3_times(body->rotation, omega, L);
    vec3_copy(L, body->angular_velocity);
    body->angular_velocity_in_body = false;
    return OLO_OK;
}

/* v of the origin from p */
static olo_status set_velocity(olo_builder *builder, const olo_moments *moments, olo_body *body)
{
    double omega[3] = {0, 0, 0}, lever[3], center[3];
    if (olo_vector_is_given(body->velocity))
        return olo_builder_fail(builder, "momentum", "give either momentum or velocity");
    complete(body->momentum);
    if (olo_vector_is_given(body->angular_velocity)) {
        complete(body->angular_velocity);
        if (body->angular_velocity_in_body)
            mat3_times(body->rotation, body->angular_velocity, omega);
        else
            vec3_copy(body->angular_velocity, omega);
    }
    for (int i = 0; i < 3; i++) {
        center[i] = moments->first[i] / moments->mass;
        body->velocity[i] = body->momentum[i] / moments->mass;
    }
    mat3_times(body->rotation, center, lever);
    vec3_add_cross(lever, omega, body->velocity); /* - omega x lever */
    return OLO_OK;
}

olo_status olo_body_set_velocities(olo_builder *builder, const olo_moments *moments, olo_body *body)
{
    const bool straight = olo_vector_is_given(body->momentum),
               turning = olo_vector_is_given(body->angular_momentum);
    if ((straight || turning) && !(moments->mass > 0))
        return olo_builder_fail(builder, straight ? "momentum" : "angular_momentum",
                                "the body has no mass of its own: give velocities");
    olo_status status = turning ? set_spin(builder, moments, body) : OLO_OK;
    return status == OLO_OK && straight ? set_velocity(builder, moments, body) : status;
}
