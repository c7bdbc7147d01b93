/* Drawables of elements. Solids are drawn with their shapes. A body with given mass, centre and
 * inertia only is drawn as the homogeneous ellipsoid with the same moments; its semi-axes a_i
 * follow from
 *
 *     E/m = diag(a_i^2)/5     (shape.c).
 *
 * Elements without a size (point masses, rods) are drawn as symbols. */
#include "elements/drawing.h"

#include <math.h>
#include <string.h>

#include "elements/color.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Smallest thickness of an ellipsoid, as a fraction of its largest axis. */
static const double thinnest = 0.02;

/* The components of a position in the frame of its node; x0 for the ground and point masses. */
static void local_point(const olo_system *s, int node, const olo_position *position, double at[3])
{
    vec3_copy(position->x0, at);
    for (int k = 0; node >= 0 && k < position->count; k++) {
        int slot = s->coordinates[position->slot[k]].slot;
        if (slot > 0)
            at[slot - 1] = position->weight[k];
    }
}

static olo_status draw_shape(olo_builder *builder, const olo_shape *shape, olo_drawable *d)
{
    double r = shape->radius, h = shape->height;
    vec3_copy(shape->position, d->position);
    memcpy(d->rotation, shape->rotation, sizeof d->rotation);
    d->primitive = shape->type;
    if (olo_word_is(shape->type, "tetrahedron")) {
        memcpy(d->size, shape->vertices, sizeof d->size);
    } else if (olo_word_is(shape->type, "box")) {
        vec3_copy(shape->size, d->size);
    } else if (olo_word_is(shape->type, "sphere")) {
        d->primitive = "ellipsoid";
        vec3_set(r, r, r, d->size);
    } else {
        vec3_set(r, r, h, d->size);
        d->primitive = olo_word_is(shape->type, "cone") ? "cone" : "cylinder";
    }
    return olo_draw(builder, d);
}

/* Sets the homogeneous ellipsoid with these moments, or a symbol for a body without size. */
static void set_ellipsoid(const olo_moments *moments, olo_drawable *d)
{
    double E[9], value[3], largest;
    d->primitive = "ellipsoid";
    d->assumed = true;
    for (int i = 0; i < 3; i++)
        d->position[i] = moments->mass > 0 ? moments->first[i] / moments->mass : 0;
    for (int i = 0; i < 9; i++)
        E[i] = moments->mass == 0
                   ? 0
                   : moments->second[i] / moments->mass - d->position[i / 3] * d->position[i % 3];
    if (!olo_symmetric_eigenvectors(3, E, value) || !(value[2] > 0)) {
        d->symbol = true;
        vec3_set(1, 1, 1, d->size);
        return;
    }
    largest = sqrt(5 * value[2]);
    for (int i = 0; i < 3; i++)
        d->size[i] = fmax(sqrt(5 * fmax(value[i], 0)), thinnest * largest);
    memcpy(d->rotation, E, sizeof d->rotation);
    if (mat3_det(E) < 0) /* right-handed */
        for (int i = 0; i < 9; i += 3)
            d->rotation[i] = -d->rotation[i];
}

/* Sets colour and opacity where they are given. */
static olo_status paint(olo_builder *builder, const char *key, const char *color, double opacity,
                        olo_drawable *d)
{
    if (color && !olo_color_parse(color, d->color))
        return olo_builder_fail(builder, key, "'%s' is no color: write '#rrggbb' or one of %s",
                                color, olo_color_names());
    if (!isnan(opacity) && !(opacity > 0 && opacity <= 1))
        return olo_builder_fail(builder, key, "an opacity is above 0 and at most 1, got %g",
                                opacity);
    d->colored = d->colored || color;
    d->opacity = isnan(opacity) ? d->opacity : opacity;
    return OLO_OK;
}

/* Draws a list of shapes; `drawn` says whether one of them is solid. */
static olo_status draw_shapes(olo_builder *builder, const char *key, const olo_shape *shapes,
                              int count, const olo_drawable *start, bool *drawn)
{
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < count; i++) {
        olo_drawable d = *start;
        if (shapes[i].density < 0 || shapes[i].mass < 0)
            continue; /* a hole */
        *drawn = true;
        status = paint(builder, key, shapes[i].color, shapes[i].opacity, &d);
        if (status == OLO_OK)
            status = draw_shape(builder, &shapes[i], &d);
    }
    return status;
}

/* A visual shape has a geometry, but no mass. */
static olo_status check_visual(olo_builder *builder, const olo_body *body)
{
    for (int i = 0; i < body->visual_count; i++) {
        olo_shape shape = body->visual[i];
        olo_moments moments = {0};
        const char *why, *wrong;
        if (!isnan(shape.density) || !isnan(shape.mass))
            return olo_builder_fail(builder, "visual",
                                    "shape %d has a mass: a shape with mass belongs to `shapes`",
                                    i + 1);
        shape.density = 1;
        wrong = olo_shape_add_moments(&shape, &moments, &why);
        if (wrong)
            return olo_builder_fail(builder, "visual", "shape %d: %s %s", i + 1, wrong, why);
    }
    return OLO_OK;
}

olo_status olo_draw_body(olo_builder *builder, const olo_body *body, int node,
                         const olo_moments *moments)
{
    bool drawn = false;
    olo_drawable start = {.name = body->name, .role = "body", .node = {node, node}};
    memcpy(start.rotation, identity, sizeof identity);
    olo_status status = check_visual(builder, body);
    if (status == OLO_OK)
        status =
            paint(builder, body->color ? "color" : "opacity", body->color, body->opacity, &start);
    if (status == OLO_OK && body->visual_count > 0)
        return draw_shapes(builder, "visual", body->visual, body->visual_count, &start, &drawn);
    if (status == OLO_OK)
        status = draw_shapes(builder, "shapes", body->shapes, body->shape_count, &start, &drawn);
    if (drawn || status != OLO_OK)
        return status;
    set_ellipsoid(moments, &start);
    return olo_draw(builder, &start);
}

/* Draws a ball, `size` times as large as that of a point mass. */
static olo_status draw_ball(olo_builder *builder, const char *name, int node, const double at[3],
                            double size)
{
    olo_drawable d = {.name = name,
                      .role = "point",
                      .primitive = "ellipsoid",
                      .node = {node, node},
                      .size = {size, size, size},
                      .symbol = true};
    vec3_copy(at, d.position);
    memcpy(d.rotation, identity, sizeof identity);
    return olo_draw(builder, &d);
}

olo_status olo_draw_point(olo_builder *builder, const char *name, int node)
{
    static const double origin[3] = {0, 0, 0};
    return draw_ball(builder, name, node, origin, 1);
}

olo_status olo_draw_mass(olo_builder *builder, const char *name, int node,
                         const olo_position *point)
{
    double at[3];
    local_point(olo_build_system(builder), node, point, at);
    return draw_ball(builder, name, node, at, 2);
}

olo_status olo_draw_link(olo_builder *builder, const olo_drawable *style, const int node[2],
                         const olo_position point[2])
{
    const olo_system *s = olo_build_system(builder);
    olo_drawable d = *style;
    d.node[0] = node[0];
    d.node[1] = node[1];
    local_point(s, node[0], &point[0], d.position);
    local_point(s, node[1], &point[1], d.end);
    memcpy(d.rotation, identity, sizeof identity);
    d.size[0] = olo_word_is(d.primitive, "rod") ? 0.3 : 0.8;
    d.symbol = true;
    return olo_draw(builder, &d);
}

olo_status olo_draw_trace(olo_builder *builder, const char *name, int node,
                          const olo_position *point)
{
    olo_drawable d = {.name = name, .role = "trace", .primitive = "trace", .node = {node, node}};
    if (node < 0)
        return OLO_OK; /* a point on the ground has no path */
    memcpy(d.rotation, identity, sizeof identity);
    local_point(olo_build_system(builder), node, point, d.position);
    return olo_draw(builder, &d);
}
