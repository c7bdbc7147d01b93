/* Springs between two points, with laws of the invariant e = 1/2 |x2 - x1|^2:
 *
 *     distance   1/2 k (l - l0)^2, l = sqrt(2 e)              closed-form discrete gradient
 *     linear     1/2 k |x2 - x1 - offset|^2 = k e              the form itself
 *     energy     W(l), any expression of the length           general discrete gradient
 *
 * and forces F(l, v, t) that need not have a potential, as expressions (force_law.h). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "elements/force_law.h"
#include "elements/relation_row.h"
#include "elements/span.h"
#include "linalg/vec3.h"

olo_spring olo_spring_default(void)
{
    return (olo_spring){.initialised = OLO_INITIALISED_SPRING,
                        .type = "distance",
                        .stiffness = OLO_UNSET,
                        .length = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_spring *)element = olo_spring_default();
}

/* --- W(l) as a law of e: with l = sqrt(2 e), l' = 1/l, l'' = -1/l^3, l''' = 3/l^5 --- */

typedef struct energy_law {
    olo_general_law law; /* first, so that the term's context is this struct */
    olo_curve *curve;
} energy_law;

static double law_value(void *context, const double *e)
{
    double W;
    olo_curve_derivatives(((energy_law *)context)->curve, sqrt(2 * *e), 0, &W);
    return W;
}

static void law_gradient(void *context, const double *e, double *g)
{
    double W[2], l = sqrt(2 * *e);
    olo_curve_derivatives(((energy_law *)context)->curve, l, 1, W);
    *g = W[1] / l;
}

static void law_hessian(void *context, const double *e, double *gg)
{
    double W[3], l = sqrt(2 * *e);
    olo_curve_derivatives(((energy_law *)context)->curve, l, 2, W);
    *gg = (W[2] - W[1] / l) / (l * l);
}

static void law_third(void *context, const double *e, double *ggg)
{
    double W[4], l = sqrt(2 * *e);
    olo_curve_derivatives(((energy_law *)context)->curve, l, 3, W);
    *ggg = (W[3] - 3 * (W[2] - W[1] / l) / l) / (l * l * l);
}

static void law_free(void *context)
{
    olo_curve_free(((energy_law *)context)->curve);
    olo_free(context);
}

static olo_status build_energy(olo_builder *builder, const olo_spring *spring,
                               const olo_form_builder *form, double initial)
{
    energy_law *law = olo_alloc(1, sizeof *law);
    if (!law)
        return olo_build_out_of_memory(builder);
    law->law = (olo_general_law){.context = law,
                                 .value = law_value,
                                 .gradient = law_gradient,
                                 .hessian = law_hessian,
                                 .third = law_third};
    olo_status status = olo_build_curve(builder, "energy", "l", spring->energy, &law->curve);
    if (status != OLO_OK) {
        law_free(law);
        return status;
    }
    status = olo_build_own(builder, law, law_free);
    if (status != OLO_OK)
        return status;
    double W[2];
    olo_curve_derivatives(law->curve, initial, 1, W);
    if (!isfinite(W[0]) || !isfinite(W[1]))
        return olo_builder_fail(builder, "energy",
                                "energy or force is not finite at the initial length %g", initial);
    return olo_build_term(builder, spring->name, OLO_ROLE_STRAIN, &olo_law_general, &law->law, NULL,
                          1, form);
}

static olo_status build_distance(olo_builder *builder, const olo_spring *spring,
                                 const olo_position *span, double initial)
{
    olo_form_builder form;
    olo_form_begin(&form);
    olo_form_add_dot(&form, 0.5, span, span);
    if (!(initial > 0))
        return olo_builder_fail(builder, "between",
                                "the ends of a distance spring coincide, so its direction is not "
                                "defined; use type linear");
    if (vec3_norm(spring->offset) > 0)
        return olo_builder_fail(builder, "offset", "is for springs of type linear");
    if (spring->energy)
        return build_energy(builder, spring, &form, initial);
    if (isnan(spring->stiffness))
        return OLO_OK; /* only a force */
    double c[2] = {spring->stiffness, isnan(spring->length) ? initial : spring->length};
    if (c[1] < 0)
        return olo_builder_fail(builder, "length", "must not be negative, got %g", c[1]);
    return olo_build_term(builder, spring->name, OLO_ROLE_STRAIN, &olo_law_distance, NULL, c, 1,
                          &form);
}

static olo_status build_linear(olo_builder *builder, const olo_spring *spring,
                               const olo_position *span)
{
    olo_position stretch = *span, offset = olo_position_fixed(spring->offset);
    if (spring->energy)
        return olo_builder_fail(builder, "energy", "is for springs of type distance");
    if (!isnan(spring->length))
        return olo_builder_fail(builder, "length", "is for springs of type distance");
    if (!olo_position_add(&stretch, -1.0, &offset))
        return olo_builder_fail(builder, "between", "the chain of relative_to is too long");
    olo_form_builder form;
    olo_form_begin(&form);
    olo_form_add_dot(&form, 0.5, &stretch, &stretch);
    return olo_build_term(builder, spring->name, OLO_ROLE_STRAIN, &olo_law_linear, NULL,
                          &spring->stiffness, 1, &form);
}

/* Adds a spring and a damper along a joint coordinate. */
static olo_status build_along(olo_builder *builder, const olo_spring *spring)
{
    int coordinate;
    olo_status status = olo_find_joint_coordinate(builder, "along", spring->along, &coordinate);
    if (status != OLO_OK)
        return status;
    if (spring->between[0].on || spring->between[1].on || spring->between[0].given ||
        spring->between[1].given)
        return olo_builder_fail(builder, "between", "give either two points or `along`");
    if (spring->energy || vec3_norm(spring->offset) > 0)
        return olo_builder_fail(builder, spring->energy ? "energy" : "offset",
                                "is for springs between two points");
    const bool only_force = spring->force && isnan(spring->stiffness);
    if (!only_force && !(spring->stiffness >= 0))
        return olo_builder_fail(builder, "stiffness",
                                "of a spring along a coordinate must not be negative or missing");
    if (!only_force)
        status = olo_build_spring_along(builder, spring->name, coordinate, spring->stiffness,
                                        spring->length);
    if (status == OLO_OK)
        status = olo_build_damper_along(builder, spring->name, coordinate, spring->damping);
    if (status != OLO_OK || !spring->force)
        return status;
    return olo_build_force_along(builder, spring->name, spring->force,
                                 olo_build_system(builder)->joint_coordinates[coordinate].term);
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_spring *spring = element;
    if (spring->along)
        return build_along(builder, spring);
    olo_position span;
    double initial;
    const olo_drawable style = {.name = spring->name, .role = "spring", .primitive = "coil"};
    olo_status status = olo_build_span(builder, &style, spring->between, &span, &initial);
    if (status != OLO_OK)
        return status;
    const bool stiff = !isnan(spring->stiffness);
    if (stiff ? spring->energy != NULL : !spring->energy && !spring->force)
        return olo_builder_fail(builder, spring->energy ? "energy" : "stiffness",
                                spring->energy ? "give either stiffness or energy"
                                               : "is missing: give stiffness, energy or force");
    if (spring->stiffness < 0)
        return olo_builder_fail(
            builder, "stiffness",
            "must not be negative, got %g; for a force away from the rest length use "
            "type distance with an energy",
            spring->stiffness);
    bool distance = strcmp(spring->type, "distance") == 0;
    if (spring->force && !distance)
        return olo_builder_fail(builder, "force", "is for springs of type distance");
    status = distance ? build_distance(builder, spring, &span, initial)
                      : build_linear(builder, spring, &span);
    if (status == OLO_OK)
        status = olo_build_damper(builder, spring->name, spring->type, &span, spring->damping);
    if (status == OLO_OK && spring->force)
        status = olo_build_force_between(builder, spring->name, spring->force, &span);
    return status;
}

static const char *const types[] = {"distance", "linear", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_spring, name),
     .help = "name of the spring"},
    {.key = "between",
     .kind = OLO_FIELD_POINTS_ON_BODIES,
     .offset = offsetof(olo_spring, between),
     .help = "its two ends; this or `along` is required"},
    {.key = "along",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_spring, along),
     .help = "instead of `between`: a joint coordinate, hinge.angle; length is its rest value"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_spring, type),
     .choices = types,
     .help = "distance (default): 1/2 k (l - length)^2; linear: 1/2 k |x2 - x1 - offset|^2"},
    {.key = "stiffness",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_spring, stiffness),
     .help = "force per length"},
    {.key = "length",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_spring, length),
     .help = "rest length of a distance spring; default the initial distance"},
    {.key = "offset",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_spring, offset),
     .help = "x2 - x1 of a linear spring without force; default 0"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_spring, damping),
     .help = "of a damper of the same type in parallel; default 0"},
    {.key = "energy",
     .kind = OLO_FIELD_ENERGY,
     .offset = offsetof(olo_spring, energy),
     .help = "stored energy as an expression of the length l, instead of stiffness"},
    {.key = "force",
     .kind = OLO_FIELD_LAW,
     .offset = offsetof(olo_spring, force),
     .help =
         "force that pulls the ends together, an expression of length l, rate v, time t, outputs "
         "and joint coordinates"},
};

const olo_element_type olo_element_spring = {.initialised = OLO_INITIALISED_SPRING,
                                             .section = "springs",
                                             .noun = "spring",
                                             .size = sizeof(olo_spring),
                                             .fields = fields,
                                             .field_count = (int)(sizeof fields / sizeof *fields),
                                             .defaults = defaults,
                                             .build = build};
