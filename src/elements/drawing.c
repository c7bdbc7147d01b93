/* Drawables of elements. Solids are drawn with their shapes. A body with given mass, centre and
 * inertia only is drawn as the homogeneous ellipsoid with the same moments; its semi-axes a_i
 * follow from
 *
 *     E/m = diag(a_i^2)/5     (shape.c).
 *
 * A very thin ellipsoid is shortened to the joints of the body. Elements without a size (point
 * masses, joints, rods) are drawn as symbols, whose size follows from that of their bodies. */
#include "elements/drawing.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "elements/joint_pair.h"
#include "linalg/dense.h"
#include "linalg/vec3.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Smallest thickness of an ellipsoid, as a fraction of its largest axis. */
static const double thinnest = 0.02;

/* Ratio of thickness and length below which an ellipsoid is a needle. Symbols on a needle have the
 * size of those on a body with this ratio. */
static const double slender = 0.1;

/* Whether two words are equal; most differ in the first letter. */
static bool is(const char *word, const char *other)
{
    return word[0] == other[0] && strcmp(word, other) == 0;
}

/* --- drawables of elements --- */

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
    if (is(shape->type, "tetrahedron")) {
        memcpy(d->size, shape->vertices, sizeof d->size);
    } else if (is(shape->type, "box")) {
        vec3_copy(shape->size, d->size);
    } else if (is(shape->type, "sphere")) {
        d->primitive = "ellipsoid";
        vec3_set(r, r, r, d->size);
    } else {
        vec3_set(r, r, h, d->size);
        d->primitive = is(shape->type, "cone") ? "cone" : "cylinder";
    }
    return olo_draw(builder, d);
}

/* Sets the homogeneous ellipsoid with these moments, or a symbol for a body without size. */
static void set_ellipsoid(const olo_moments *moments, olo_drawable *d)
{
    double E[9], value[3], largest;
    d->primitive = "ellipsoid";
    for (int i = 0; i < 3; i++)
        d->position[i] = moments->first[i] / moments->mass;
    for (int i = 0; i < 9; i++)
        E[i] = moments->second[i] / moments->mass - d->position[i / 3] * d->position[i % 3];
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

olo_status olo_draw_body(olo_builder *builder, const olo_body *body, int node,
                         const olo_moments *moments)
{
    olo_status status = OLO_OK;
    bool solid = false;
    olo_drawable start = {.name = body->name, .role = "body", .node = {node, node}};
    memcpy(start.rotation, identity, sizeof identity);
    for (int i = 0; status == OLO_OK && i < body->shape_count; i++) {
        olo_drawable d = start;
        if (body->shapes[i].density < 0 || body->shapes[i].mass < 0)
            continue; /* a hole */
        solid = true;
        status = draw_shape(builder, &body->shapes[i], &d);
    }
    if (solid || status != OLO_OK)
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
    d.size[0] = is(d.primitive, "rod") ? 0.3 : 0.8;
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

/* --- sizes of symbols --- */

/* The bounding box of the drawables of a node, in its frame; empty if lower > upper. */
typedef struct box {
    double lower[3], upper[3];
} box;

static void add_to_box(box *b, const double x[3], double margin)
{
    for (int i = 0; i < 3; i++) {
        if (x[i] - margin < b->lower[i])
            b->lower[i] = x[i] - margin;
        if (x[i] + margin > b->upper[i])
            b->upper[i] = x[i] + margin;
    }
}

/* Adds the corners of the box around a primitive, or the vertices of a tetrahedron. */
static void add_drawable(box *b, const olo_drawable *d)
{
    bool vertices = is(d->primitive, "tetrahedron");
    bool cone = is(d->primitive, "cone"), edges = is(d->primitive, "box");
    bool cylinder = is(d->primitive, "cylinder");
    for (int corner = 0; corner < (vertices ? 4 : 8); corner++) {
        double at[3], x[3];
        for (int i = 0; i < 3; i++) {
            double sign = corner >> i & 1 ? 1 : -1;
            bool whole = edges || (i == 2 && cylinder);
            at[i] = vertices         ? d->size[3 * corner + i]
                    : i == 2 && cone ? (sign > 0) * d->size[2]
                                     : sign * d->size[i] * (whole ? 0.5 : 1);
        }
        mat3_times(d->rotation, at, x);
        vec3_add(1.0, d->position, x);
        add_to_box(b, x, 0);
    }
}

/* The apparent size of a body: the geometric mean of its largest and second largest extents; 0 if
 * it is not drawn. */
static double box_size(const box *b)
{
    double edge[3], largest = 0, smallest = HUGE_VAL, sum = 0;
    for (int i = 0; i < 3; i++) {
        edge[i] = fmax(b->upper[i] - b->lower[i], 0);
        largest = fmax(largest, edge[i]);
        smallest = fmin(smallest, edge[i]);
        sum += edge[i];
    }
    return sqrt(largest * fmax(sum - largest - smallest, slender * largest));
}

typedef struct sizes {
    box *boxes; /* [nodes] */
    double typical;
} sizes;

/* Radius of a symbol as a fraction of the size of its body. */
static const double symbol_part = 0.08;

static double symbol_of(const sizes *x, const olo_drawable *d)
{
    double size = HUGE_VAL;
    for (int i = 0; i < 2; i++) {
        double one = d->node[i] >= 0 ? box_size(&x->boxes[d->node[i]]) : 0;
        if (one > 0)
            size = fmin(size, one);
    }
    return symbol_part * (isfinite(size) ? size : x->typical);
}

/* The initial length of a link. */
static double link_length(const olo_system *s, const olo_drawable *d)
{
    double x[2][3], span[3];
    for (int i = 0; i < 2; i++) {
        olo_position p = olo_pair_point(s, d->node[i], i == 0 ? d->position : d->end);
        olo_position_value(&p, s->q0, x[i]);
    }
    vec3_subtract(x[1], x[0], span);
    return vec3_norm(span);
}

static bool is_link(const olo_drawable *d)
{
    static const char *const links[] = {"rod", "coil", "dashpot", "sweep"};
    for (int i = 0; i < 4; i++)
        if (is(d->primitive, links[i]))
            return true;
    return false;
}

/* Computes the boxes of all nodes and the typical size: the mean size of the bodies, without bodies
 * the mean length of the links, without links the length scale of the model. */
static void measure(const olo_system *s, sizes *x)
{
    double sum = 0, link_sum = 0;
    int count = 0, links = 0;
    for (int i = 0; i < s->node_count; i++)
        for (int k = 0; k < 3; k++) {
            x->boxes[i].lower[k] = HUGE_VAL;
            x->boxes[i].upper[k] = -HUGE_VAL;
        }
    for (int i = 0; i < s->drawable_count; i++) {
        const olo_drawable *d = &s->drawables[i];
        if (is_link(d)) {
            link_sum += link_length(s, d);
            links++;
        } else if (!d->symbol && is(d->role, "body")) {
            add_drawable(&x->boxes[d->node[0]], d);
        }
    }
    for (int i = 0; i < s->node_count; i++) {
        double size = box_size(&x->boxes[i]);
        sum += size;
        count += size > 0;
    }
    x->typical = count ? sum / count : links && link_sum > 0 ? link_sum / links : s->length_scale;
}

/* --- needles --- */

/* The largest distance of the joints and links of a node from its centre. */
typedef struct extent {
    double first[3], largest;
    int point_count; /* number of different points; 2: two or more */
} extent;

static void add_to_extent(const olo_system *s, extent *all, int node, const double at[3])
{
    const double same = 1e-6;
    double d[3];
    if (node < 0 || !s->nodes[node].type->spatial)
        return;
    extent *r = &all[node];
    if (r->point_count == 0)
        vec3_copy(at, r->first);
    vec3_subtract(at, r->first, d);
    if (r->point_count == 0 || (r->point_count == 1 && vec3_norm(d) > same * s->length_scale))
        r->point_count++;
    vec3_subtract(at, s->nodes[node].center, d);
    r->largest = fmax(r->largest, vec3_norm(d));
}

/* Shortens needles with several joints or links to the farthest of them. The moments of inertia of
 * a link are often approximate, and a homogeneous needle is longer than the rod with the same
 * moment. */
static void shorten_needles(const olo_system *s, extent *all)
{
    for (int i = 0; i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        if (joint->length > 0)
            continue; /* a rod, which is among the drawables, or a rolling joint */
        add_to_extent(s, all, joint->parent, joint->parent_point);
        add_to_extent(s, all, joint->child, joint->child_point);
    }
    for (int i = 0; i < s->drawable_count; i++) {
        const olo_drawable *d = &s->drawables[i];
        if (is_link(d)) {
            add_to_extent(s, all, d->node[0], d->position);
            add_to_extent(s, all, d->node[1], d->end);
        }
    }
    for (int i = 0; i < s->drawable_count; i++) {
        olo_drawable *d = &s->drawables[i];
        const extent *r = d->node[0] >= 0 ? &all[d->node[0]] : NULL;
        bool needle = r && r->point_count > 1 && is(d->role, "body") &&
                      is(d->primitive, "ellipsoid") && d->size[1] < slender * d->size[2];
        for (int k = 0; needle && k < 3;
             k++) /* the thickness is the smallest visible one and does not change */
            d->size[k] = fmin(d->size[k], r->largest);
    }
}

/* --- joints and supports --- */

/* Draws a box, cylinder or ellipsoid at a point on a node; its third axis is row k of `axes`. */
static olo_status draw_symbol(olo_builder *builder, const olo_drawable *style, int node,
                              const double at[3], const double axes[9], int k, const double size[3])
{
    olo_drawable d = *style;
    d.symbol = true;
    d.node[0] = node;
    vec3_copy(at, d.position);
    vec3_copy(size, d.size);
    for (int column = 0; column < 3; column++) /* the k-th row becomes the third axis */
        for (int i = 0; i < 3; i++)
            d.rotation[3 * i + column] = axes[3 * ((k + 1 + column) % 3) + i];
    return olo_draw(builder, &d);
}

/* Draws the guide of a sliding joint: a rail or a plate, fixed in the parent. */
static olo_status draw_guide(olo_builder *builder, const olo_drawable *style,
                             const olo_articulation *joint)
{
    static const double rail[3] = {0.2, 0.2, 16}, plate[3] = {14, 14, 0.15};
    olo_drawable d = *style;
    bool line = joint->translations == 1 || joint->translations == 2 || joint->translations == 4;
    unsigned axis = line ? joint->translations : 7 & ~joint->translations;
    int k = axis == 1 ? 0 : axis == 2 ? 1 : 2;
    if (joint->translations == 0 || joint->translations == 7)
        return OLO_OK;
    d.primitive = line ? "cylinder" : "box";
    return draw_symbol(builder, &d, joint->parent, joint->parent_point, joint->parent_axes, k,
                       line ? rail : plate);
}

/* Draws the foot of a support on the ground, pointing down. */
static olo_status draw_foot(olo_builder *builder, const olo_drawable *style,
                            const olo_articulation *joint)
{
    static const double size[3] = {1.1, 1.1, 1.8};
    const olo_system *s = olo_build_system(builder);
    olo_drawable d = *style;
    double axes[9] = {0}, *down = axes + 6;
    vec3_set(0, 0, -1, down);
    if (vec3_norm(s->gravity) > 0)
        vec3_copy(s->gravity, down);
    vec3_normalise(down);
    vec3_transversals(down, axes, axes + 3);
    d.primitive = "cone";
    return joint->translations ? OLO_OK
                               : draw_symbol(builder, &d, -1, joint->parent_point, axes, 2, size);
}

/* Draws a joint, fixed in the child: a pin for a rotation about an axis, a ball for free rotation,
 * or a block without rotation. */
static olo_status draw_joint(olo_builder *builder, const olo_articulation *joint)
{
    static const double pin[3] = {0.6, 0.6, 2.6}, ball[3] = {0.9, 0.9, 0.9},
                        block[3] = {1.2, 1.2, 1.2};
    const olo_system *s = olo_build_system(builder);
    bool ground = joint->parent < 0;
    olo_drawable style = {.name = s->groups[joint->group].name,
                          .role = ground ? "support" : "joint",
                          .node = {joint->parent, joint->child}};
    const double *size = joint->rotations == 1 ? pin : joint->rotations == 0 ? block : ball;
    olo_status status = draw_guide(builder, &style, joint);
    if (status == OLO_OK && ground)
        status = draw_foot(builder, &style, joint);
    if (status != OLO_OK)
        return status;
    style.primitive = joint->rotations == 1   ? "cylinder"
                      : joint->rotations == 0 ? "box"
                                              : "ellipsoid";
    style.node[1] = joint->parent >= 0 ? joint->parent : joint->child;
    return draw_symbol(builder, &style, joint->child, joint->child_point, joint->child_axes, 2,
                       size);
}

/* Draws a strut from the centre of a body to a joint outside of its bounding box. */
static olo_status draw_strut(olo_builder *builder, const sizes *x, int node, const double at[3])
{
    const olo_system *s = olo_build_system(builder);
    olo_drawable d = {
        .role = "body", .primitive = "rod", .node = {node, node}, .size = {0.35}, .symbol = true};
    if (node < 0 || !s->nodes[node].type->spatial)
        return OLO_OK;
    d.name = s->nodes[node].name;
    double outside = 0, margin = symbol_of(x, &d);
    for (int i = 0; i < 3; i++)
        outside =
            fmax(outside, fmax(x->boxes[node].lower[i] - at[i], at[i] - x->boxes[node].upper[i]));
    if (!(outside > margin))
        return OLO_OK;
    vec3_copy(s->nodes[node].center, d.position);
    vec3_copy(at, d.end);
    memcpy(d.rotation, identity, sizeof identity);
    return olo_draw(builder, &d);
}

static olo_status draw_joints(olo_builder *builder, const sizes *x)
{
    const olo_system *s = olo_build_system(builder);
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        if (joint->length > 0)
            continue; /* rods and rolling joints have their own drawables */
        status = draw_strut(builder, x, joint->parent, joint->parent_point);
        if (status == OLO_OK)
            status = draw_strut(builder, x, joint->child, joint->child_point);
        if (status == OLO_OK && s->nodes[joint->child].type->spatial)
            status = draw_joint(builder, joint);
    }
    return status;
}

/* Traces the centre of the last node if the model has no trace. */
static olo_status draw_default_trace(olo_builder *builder)
{
    const olo_system *s = olo_build_system(builder);
    int last = s->node_count - 1;
    for (int i = 0; i < s->drawable_count; i++)
        if (is(s->drawables[i].role, "trace"))
            return OLO_OK;
    if (s->output_count > 0 || s->nodes[last].type->position < 0)
        return OLO_OK; /* the user disabled the traces, or the node has no position */
    olo_drawable d = {
        .name = s->nodes[last].name, .role = "trace", .primitive = "trace", .node = {last, last}};
    vec3_copy(s->nodes[last].center, d.position);
    memcpy(d.rotation, identity, sizeof identity);
    return olo_draw(builder, &d);
}

olo_status olo_draw_remaining(olo_builder *builder)
{
    olo_system *s = olo_build_system(builder);
    sizes x = {.boxes = olo_alloc((size_t)s->node_count, sizeof *x.boxes)};
    extent *extents = olo_alloc((size_t)s->node_count, sizeof *extents);
    if (!x.boxes || !extents) {
        olo_free(extents);
        olo_free(x.boxes);
        return olo_build_out_of_memory(builder);
    }
    shorten_needles(s, extents);
    olo_free(extents);
    measure(s, &x);
    olo_status status = draw_joints(builder, &x);
    if (status == OLO_OK)
        status = draw_default_trace(builder);
    for (int i = 0; status == OLO_OK && i < s->drawable_count; i++) {
        olo_drawable *d = &s->drawables[i];
        const double unit = d->symbol ? symbol_of(&x, d) : 1;
        for (int k = 0; d->symbol && k < OLO_DRAWABLE_SIZES; k++)
            d->size[k] *= unit;
        d->symbol = false;
    }
    olo_free(x.boxes);
    return status;
}
