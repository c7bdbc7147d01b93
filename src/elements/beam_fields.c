/* Beams and rods as an element of a model: defaults and keys. They are built in beam.c. */
#include <stddef.h>

#include "elements/beam_assembly.h"
#include "elements/build.h"

olo_beam olo_beam_default(void)
{
    return (olo_beam){.initialised = OLO_INITIALISED_BEAM,
                      .discretisation = "elements",
                      .interpolation = "linear",
                      .quadrature = "reduced",
                      .curve = "polyline",
                      .to = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .rest_curvature = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .angular_velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

olo_arc olo_arc_default(void)
{
    return (olo_arc){.initialised = OLO_INITIALISED_ARC};
}

olo_section olo_section_default(void)
{
    return (olo_section){.initialised = OLO_INITIALISED_SECTION, .shear_factor = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_beam *)element = olo_beam_default();
}

static void arc_defaults(void *part)
{
    *(olo_arc *)part = olo_arc_default();
}

static void section_defaults(void *part)
{
    *(olo_section *)part = olo_section_default();
}

static const olo_field arc_fields[] = {
    {.key = "center",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_arc, center),
     .help = "a point of the axis; default the origin"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_arc, axis),
     .required = true,
     .help = "direction of the axis"},
    {.key = "angle",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_arc, angle),
     .required = true,
     .help = "from start to end about the axis"},
    {.key = "rise",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_arc, rise),
     .help = "of a helix: along the axis from start to end; default 0"},
};

static const char *const shapes[] = {"rectangle", "circle", "tube", NULL};

static const olo_field section_fields[] = {
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_section, type),
     .choices = shapes,
     .required = true,
     .help = "rectangle, circle or tube"},
    {.key = "width",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, size[0]),
     .help = "of a rectangle along d1"},
    {.key = "height",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, size[1]),
     .help = "of a rectangle along d2"},
    {.key = "radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, radius),
     .help = "of a circle or tube"},
    {.key = "inner_radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, inner_radius),
     .help = "of a tube"},
    {.key = "young",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, young),
     .required = true,
     .help = "modulus of elasticity"},
    {.key = "poisson",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, poisson),
     .help = "ratio of lateral contraction; default 0"},
    {.key = "density",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, density),
     .required = true,
     .help = "mass per volume"},
    {.key = "shear_factor",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, shear_factor),
     .help = "of the area in shear; default 5/6 (rectangle), 9/10 (circle), 1/2 (tube)"},
};

static const olo_part_type arc_type = {.initialised = OLO_INITIALISED_ARC,
                                       .size = sizeof(olo_arc),
                                       .fields = arc_fields,
                                       .field_count = (int)(sizeof arc_fields / sizeof *arc_fields),
                                       .defaults = arc_defaults};
static const olo_part_type section_type = {
    .initialised = OLO_INITIALISED_SECTION,
    .size = sizeof(olo_section),
    .fields = section_fields,
    .field_count = (int)(sizeof section_fields / sizeof *section_fields),
    .defaults = section_defaults};

static const char *const discretisations[] = {"elements", "vertices", "edges", NULL};
static const char *const curvatures[] = {"tangent", "sine", NULL};
static const char *const interpolations[] = {"linear", "quadratic", NULL};
static const char *const quadratures[] = {"reduced", "full", NULL};
static const char *const curves[] = {"polyline", "spline", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_beam, name),
     .required = true,
     .help =
         "name of the beam; its nodes are name.1, name.2, ..., name.start, name.middle, name.end"},
    {.key = "elements",
     .kind = OLO_FIELD_COUNT,
     .offset = offsetof(olo_beam, elements),
     .required = true,
     .help = "number of finite elements, or of edges of a discrete rod"},
    {.key = "discretisation",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, discretisation),
     .choices = discretisations,
     .help =
         "elements (default: finite elements), or a discrete Cosserat rod with its directors at "
         "the vertices or at the edges"},
    {.key = "curvature",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, curvature),
     .choices = curvatures,
     .help = "of a discrete rod with the angle phi between frames at the distance h: tangent "
             "(default), 2/h tan(phi/2), or sine, sin(phi)/h, that of finite elements"},
    {.key = "interpolation",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, interpolation),
     .choices = interpolations,
     .help = "linear (default, two nodes per element) or quadratic (three)"},
    {.key = "quadrature",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, quadrature),
     .choices = quadratures,
     .help = "reduced (default) or full, which locks"},
    {.key = "from",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, from),
     .help = "where it starts; default the origin"},
    {.key = "to",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, to),
     .help = "where a straight beam ends"},
    {.key = "arc",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_beam, arc),
     .part = &arc_type,
     .help = "instead of `to`: {center, axis, angle, rise} of a circle or helix"},
    {.key = "points",
     .kind = OLO_FIELD_VECTORS,
     .offset = offsetof(olo_beam, points),
     .count_offset = offsetof(olo_beam, point_count),
     .help = "instead of `from` and `to`: points on the centre line"},
    {.key = "curve",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, curve),
     .choices = curves,
     .help = "through `points`: polyline (default, with rigid corners) or spline"},
    {.key = "d1",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, d1),
     .help =
         "direction of d1 at the first point; default the axis of space after that of the beam"},
    {.key = "tangents",
     .kind = OLO_FIELD_VECTORS,
     .offset = offsetof(olo_beam, tangents),
     .count_offset = offsetof(olo_beam, tangent_count),
     .help = "two directions of a spline, at its start and its end; default: it is not curved "
             "there"},
    {.key = "d1_end",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, d1_end),
     .help = "direction of d1 at the last point, reached by less than half a turn beyond `twist`; "
             "default: `twist` alone"},
    {.key = "twist",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, twist),
     .help = "angle by which the section rotates about the beam from start to end; default 0"},
    {.key = "start_on",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_beam, start_on),
     .help = "body or node of another beam that its first node is"},
    {.key = "end_on",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_beam, end_on),
     .help = "body or node of another beam that its last node is"},
    {.key = "rest_length",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, rest_length),
     .help = "length without stress; default that of the line, if rest_curvature is given"},
    {.key = "rest_curvature",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, rest_curvature),
     .help = "curvatures about d1 and d2 and torsion without stress; default 0 if rest_length is "
             "given. Without both, the initial shape is free of stress"},
    {.key = "stiffness",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_beam, stiffness),
     .count_offset = offsetof(olo_beam, stiffness_count),
     .help = "[GA1, GA2, EA, EI1, EI2, GJ] or 6x6 numbers"},
    {.key = "unshearable",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_beam, unshearable),
     .help = "no shear, by constraint rows; default false"},
    {.key = "inextensible",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_beam, inextensible),
     .help = "no elongation, by constraint rows; default false"},
    {.key = "energy",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_beam, energy),
     .help = "stored energy per length as an expression of the strains g1, g2, g3, k1, k2, k3 and "
             "of the "
             "arc length s, instead of stiffness"},
    {.key = "taper",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_beam, taper),
     .help = "size of the section at the arc length s relative to the given one, an expression of "
             "s; default 1"},
    {.key = "inertia",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_beam, inertia),
     .count_offset = offsetof(olo_beam, inertia_count),
     .help = "[A, M1, M2]: mass per length and its second moments along d1 and d2, or [A, S1, S2, "
             "M11, M22, M12]"},
    {.key = "section",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_beam, section),
     .part = &section_type,
     .help = "shape and material, instead of stiffness and inertia"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, damping),
     .help = "relaxation time of the material; default 0"},
    {.key = "dissipation",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, dissipation),
     .help =
         "fraction of algorithmic dissipation of motions faster than the step, 0 to 1; default 0"},
    {.key = "velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, velocity),
     .help = "of its start; default 0"},
    {.key = "angular_velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, angular_velocity),
     .help = "about its start, in space axes; default 0"},
};

const olo_element_type olo_element_beam = {.initialised = OLO_INITIALISED_BEAM,
                                           .section = "beams",
                                           .noun = "beam",
                                           .size = sizeof(olo_beam),
                                           .fields = fields,
                                           .field_count = (int)(sizeof fields / sizeof *fields),
                                           .defaults = defaults,
                                           .build = olo_beam_build};
