/* Homogeneous solids. Second moments E = integral of x x^T dm about the centre of mass (Euler
 * tensor; inertia J = tr(E) I - E):
 *
 *     sphere       m r^2/5 I
 *     box          m/12 diag(a^2, b^2, c^2)
 *     cylinder     m diag(r^2/4, r^2/4, h^2/12)
 *     cone         m diag(3 r^2/20, 3 r^2/20, 3 h^2/80), centre at 3/4 h from the apex
 *     tetrahedron  m/20 sum over the vertices of (v - c)(v - c)^T
 */
#include "elements/shape.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/element.h"
#include "linalg/vec3.h"

olo_shape olo_shape_default(void)
{
    olo_shape shape = {.initialised = OLO_INITIALISED_SHAPE,
                       .density = OLO_UNSET,
                       .mass = OLO_UNSET,
                       .radius = OLO_UNSET,
                       .height = OLO_UNSET,
                       .size = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .opacity = OLO_UNSET,
                       .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < 12; i++)
        shape.vertices[i / 3][i % 3] = OLO_UNSET;
    return shape;
}

void olo_moments_add(olo_moments *moments, double mass, const double center[3],
                     const double euler[9])
{
    moments->mass += mass;
    vec3_add(mass, center, moments->first);
    for (int i = 0; i < 9; i++)
        moments->second[i] += euler[i] + mass * center[i / 3] * center[i % 3];
}

/* Volume, centre and Euler tensor per mass, in the shape's own frame. */
typedef struct solid {
    double volume, center[3], euler[9];
} solid;

static bool positive(double x)
{
    return x > 0;
}

static const char *sphere(const olo_shape *shape, solid *s)
{
    if (!positive(shape->radius))
        return "radius";
    s->volume = 4.0 / 3.0 * acos(-1) * pow(shape->radius, 3);
    for (int i = 0; i < 3; i++)
        s->euler[4 * i] = shape->radius * shape->radius / 5;
    return NULL;
}

static const char *box(const olo_shape *shape, solid *s)
{
    s->volume = 1;
    for (int i = 0; i < 3; i++) {
        if (!positive(shape->size[i]))
            return "size";
        s->volume *= shape->size[i];
        s->euler[4 * i] = shape->size[i] * shape->size[i] / 12;
    }
    return NULL;
}

static const char *round_solid(const olo_shape *shape, double volume, double across, double along,
                               double center, solid *s)
{
    if (!positive(shape->radius))
        return "radius";
    if (!positive(shape->height))
        return "height";
    double r = shape->radius, h = shape->height;
    s->volume = volume * acos(-1) * r * r * h;
    s->euler[0] = s->euler[4] = across * r * r;
    s->euler[8] = along * h * h;
    s->center[2] = center * h;
    return NULL;
}

static const char *cylinder(const olo_shape *shape, solid *s)
{
    return round_solid(shape, 1.0, 1.0 / 4, 1.0 / 12, 0.0, s);
}

static const char *cone(const olo_shape *shape, solid *s)
{
    return round_solid(shape, 1.0 / 3, 3.0 / 20, 3.0 / 80, 0.75, s);
}

static const char *tetrahedron(const olo_shape *shape, solid *s)
{
    double edges[9];
    for (int k = 0; k < 4; k++)
        vec3_add(0.25, shape->vertices[k], s->center);
    for (int k = 0; k < 3; k++)
        vec3_subtract(shape->vertices[k + 1], shape->vertices[0], edges + 3 * k);
    s->volume = fabs(mat3_det(edges)) / 6;
    if (!positive(s->volume))
        return "vertices";
    for (int k = 0; k < 4; k++) {
        double arm[3];
        vec3_subtract(shape->vertices[k], s->center, arm);
        for (int i = 0; i < 9; i++)
            s->euler[i] += arm[i / 3] * arm[i % 3] / 20;
    }
    return NULL;
}

static const struct {
    const char *name;
    const char *(*measure)(const olo_shape *shape, solid *s);
} shapes[] = {{"sphere", sphere},
              {"box", box},
              {"cylinder", cylinder},
              {"cone", cone},
              {"tetrahedron", tetrahedron}};

/* A centre that is this close to an axis of the body, relative to its distance in the shape, lies
 * on it. So the structure of a system does not depend on rounding. */
static const double rounding = 8 * DBL_EPSILON;

const char *olo_shape_add_moments(const olo_shape *shape, olo_moments *moments, const char **why)
{
    solid s = {0};
    const char *wrong = "type";
    *why = "is not a known shape";
    for (size_t i = 0; shape->type && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(shapes[i].name, shape->type) != 0)
            continue;
        wrong = shapes[i].measure(shape, &s);
        *why = shapes[i].measure == tetrahedron ? "must be given and span a volume"
                                                : "must be given and positive";
        break;
    }
    if (wrong)
        return wrong;
    bool dense = !isnan(shape->density), heavy = !isnan(shape->mass);
    *why = "or mass must be given, one of them and not both";
    if (dense == heavy)
        return "density";
    double mass = dense ? shape->density * s.volume : shape->mass;
    /* into the body's frame: x = position + R x_shape, E -> R E R^T */
    double center[3], RE[9], RT[9], euler[9];
    mat3_times(shape->rotation, s.center, center);
    for (int i = 0; i < 3; i++) {
        const double x = center[i] + shape->position[i];
        center[i] = fabs(x) > rounding * fabs(center[i]) ? x : 0.0;
    }
    for (int i = 0; i < 9; i++)
        RT[i] = shape->rotation[3 * (i % 3) + i / 3];
    mat3_product(shape->rotation, s.euler, RE);
    mat3_product(RE, RT, euler);
    for (int i = 0; i < 9; i++)
        euler[i] *= mass;
    olo_moments_add(moments, mass, center, euler);
    return NULL;
}

static const char *const types[] = {"sphere", "box", "cylinder", "cone", "tetrahedron", NULL};

static const olo_field fields[] = {
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_shape, type),
     .choices = types,
     .required = true,
     .help = "sphere, box, cylinder, cone or tetrahedron"},
    {.key = "density",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_shape, density),
     .help = "mass per volume; negative for a hole"},
    {.key = "mass",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_shape, mass),
     .help = "instead of density"},
    {.key = "radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_shape, radius),
     .help = "sphere, cylinder, base of the cone"},
    {.key = "height",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_shape, height),
     .help =
         "cylinder (centred) and cone (apex at the origin, base at +height), along the third axis"},
    {.key = "size",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_shape, size),
     .help = "edge lengths of the box, centred"},
    {.key = "vertices",
     .kind = OLO_FIELD_VERTICES,
     .offset = offsetof(olo_shape, vertices),
     .help = "four corners of the tetrahedron"},
    {.key = "position",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_shape, position),
     .help = "of the shape's origin in the body's frame; default 0"},
    {.key = "rotation",
     .kind = OLO_FIELD_ROTATION,
     .offset = offsetof(olo_shape, rotation),
     .help = "of the shape in the body's frame; default none"},
    {.key = "color",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_shape, color),
     .help = "in the report: #rrggbb or a name; default that of the body"},
    {.key = "opacity",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_shape, opacity),
     .help = "in the report: 1 (opaque) down to above 0 (transparent); default that of the body"},
};

static void defaults(void *part)
{
    *(olo_shape *)part = olo_shape_default();
}

const olo_part_type olo_part_shape = {.initialised = OLO_INITIALISED_SHAPE,
                                      .size = sizeof(olo_shape),
                                      .fields = fields,
                                      .field_count = (int)(sizeof fields / sizeof *fields),
                                      .defaults = defaults};
