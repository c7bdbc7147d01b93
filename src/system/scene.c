/* The scene: the drawables of elements, those that follow from the joints of the whole system, and
 * the sizes of symbols. A very thin ellipsoid is shortened to the joints of its body. A symbol has
 * a fraction of the size of its bodies. */
#include "system/scene.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/vec3.h"
#include "system/system.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* Ratio of thickness and length below which an ellipsoid is a needle. Symbols on a needle have the
 * size of those on a body with this ratio. */
static const double slender = 0.1;

/* Most drawables that a joint adds: two struts, a guide, a foot and the joint itself. */
enum { PER_JOINT = 5 };

/* The bounding box of the drawables of a node, in its frame; empty if lower > upper. */
typedef struct box {
    double lower[3], upper[3];
} box;

/* The scene under construction. */
typedef struct painting {
    const olo_system *system;
    olo_scene *scene;
    box *boxes;     /* [nodes] */
    double typical; /* size of a body */
} painting;

static void draw(const painting *x, const olo_drawable *d)
{
    x->scene->drawables[x->scene->count++] = *d;
}

/* --- sizes of symbols --- */

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
    bool vertices = olo_word_is(d->primitive, "tetrahedron");
    bool cone = olo_word_is(d->primitive, "cone"), edges = olo_word_is(d->primitive, "box");
    bool cylinder = olo_word_is(d->primitive, "cylinder");
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

/* Radius of a symbol as a fraction of the size of its body. */
static const double symbol_part = 0.08;

static double symbol_of(const painting *x, const olo_drawable *d)
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
        const double *at = i == 0 ? d->position : d->end;
        const olo_node *node = d->node[i] < 0 ? NULL : &s->nodes[d->node[i]];
        olo_position p = !node                 ? olo_position_fixed(at)
                         : node->type->spatial ? olo_position_on_frame(node->q, at)
                                               : olo_position_slot(node->q);
        olo_position_value(&p, s->q0, x[i]);
    }
    vec3_subtract(x[1], x[0], span);
    return vec3_norm(span);
}

static bool is_link(const olo_drawable *d)
{
    static const char *const links[] = {"rod", "coil", "dashpot", "sweep"};
    for (int i = 0; i < 4; i++)
        if (olo_word_is(d->primitive, links[i]))
            return true;
    return false;
}

/* Computes the boxes of all nodes and the typical size: the mean size of the bodies, without bodies
 * the mean length of the links, without links the length scale of the model. */
static void measure(painting *x)
{
    const olo_system *s = x->system;
    double sum = 0, link_sum = 0;
    int count = 0, links = 0;
    for (int i = 0; i < s->node_count; i++)
        for (int k = 0; k < 3; k++) {
            x->boxes[i].lower[k] = HUGE_VAL;
            x->boxes[i].upper[k] = -HUGE_VAL;
        }
    for (int i = 0; i < x->scene->count; i++) {
        const olo_drawable *d = &x->scene->drawables[i];
        if (is_link(d)) {
            link_sum += link_length(s, d);
            links++;
        } else if (!d->symbol && olo_word_is(d->role, "body")) {
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

/* Shrinks the ellipsoid of a body without shapes to the distance of its farthest joint or link: the
 * moments of inertia of a model are often those of something larger than its mechanism. */
static void shrink(const extent *r, olo_drawable *d)
{
    const double least = 0.25; /* of its size: joints near the centre say nothing about the size */
    const double largest = fmax(fmax(d->size[0], d->size[1]), d->size[2]);
    const double factor = r->largest / largest;
    for (int k = 0; d->assumed && !d->symbol && factor >= least && factor < 1 && k < 3; k++)
        d->size[k] *= factor;
}

/* Shortens needles with several joints or links to the farthest of them. The moments of inertia of
 * a link are often approximate, and a homogeneous needle is longer than the rod with the same
 * moment. */
static void shorten_needles(const painting *x, extent *all)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        if (joint->length > 0)
            continue; /* a rod, which is among the drawables, or a rolling joint */
        add_to_extent(s, all, joint->parent, joint->parent_point);
        add_to_extent(s, all, joint->child, joint->child_point);
    }
    for (int i = 0; i < x->scene->count; i++) {
        const olo_drawable *d = &x->scene->drawables[i];
        if (is_link(d)) {
            add_to_extent(s, all, d->node[0], d->position);
            add_to_extent(s, all, d->node[1], d->end);
        }
    }
    for (int i = 0; i < x->scene->count; i++) {
        olo_drawable *d = &x->scene->drawables[i];
        const extent *r = d->node[0] >= 0 ? &all[d->node[0]] : NULL;
        bool needle = r && r->point_count > 1 && olo_word_is(d->role, "body") &&
                      olo_word_is(d->primitive, "ellipsoid") && d->size[1] < slender * d->size[2];
        /* the thickness is the smallest visible one and does not change */
        for (int k = 0; needle && k < 3; k++)
            d->size[k] = fmin(d->size[k], r->largest);
        if (r && !needle)
            shrink(r, d);
    }
}

/* --- joints and supports --- */

/* Draws a box, cylinder or ellipsoid at a point on a node; its third axis is row k of `axes`. */
static void draw_symbol(const painting *x, const olo_drawable *style, int node, const double at[3],
                        const double axes[9], int k, const double size[3])
{
    olo_drawable d = *style;
    d.symbol = true;
    d.node[0] = node;
    vec3_copy(at, d.position);
    vec3_copy(size, d.size);
    for (int column = 0; column < 3; column++) /* the k-th row becomes the third axis */
        for (int i = 0; i < 3; i++)
            d.rotation[3 * i + column] = axes[3 * ((k + 1 + column) % 3) + i];
    draw(x, &d);
}

/* Draws the guide of a sliding joint: a rail or a plate, fixed in the parent. */
static void draw_guide(const painting *x, const olo_drawable *style, const olo_articulation *joint)
{
    static const double rail[3] = {0.2, 0.2, 16}, plate[3] = {14, 14, 0.15};
    olo_drawable d = *style;
    bool line = joint->translations == 1 || joint->translations == 2 || joint->translations == 4;
    unsigned axis = line ? joint->translations : 7 & ~joint->translations;
    int k = axis == 1 ? 0 : axis == 2 ? 1 : 2;
    if (joint->translations == 0 || joint->translations == 7)
        return;
    d.primitive = line ? "cylinder" : "box";
    draw_symbol(x, &d, joint->parent, joint->parent_point, joint->parent_axes, k,
                line ? rail : plate);
}

/* Draws the foot of a support on the ground, pointing down. */
static void draw_foot(const painting *x, const olo_drawable *style, const olo_articulation *joint)
{
    static const double size[3] = {1.1, 1.1, 1.8};
    const olo_system *s = x->system;
    olo_drawable d = *style;
    double axes[9] = {0}, *down = axes + 6;
    vec3_set(0, 0, -1, down);
    if (vec3_norm(s->gravity) > 0)
        vec3_copy(s->gravity, down);
    vec3_normalise(down);
    vec3_transversals(down, axes, axes + 3);
    d.primitive = "cone";
    if (!joint->translations)
        draw_symbol(x, &d, -1, joint->parent_point, axes, 2, size);
}

/* Draws a joint, fixed in the child: a pin for a rotation about an axis, a ball for free rotation,
 * or a block without rotation. */
static void draw_joint(const painting *x, const olo_articulation *joint)
{
    static const double pin[3] = {0.6, 0.6, 2.6}, ball[3] = {0.9, 0.9, 0.9},
                        block[3] = {1.2, 1.2, 1.2};
    const olo_system *s = x->system;
    bool ground = joint->parent < 0;
    olo_drawable style = {.name = s->groups[joint->group].name,
                          .role = ground ? "support" : "joint",
                          .node = {joint->parent, joint->child}};
    const double *size = joint->rotations == 1 ? pin : joint->rotations == 0 ? block : ball;
    draw_guide(x, &style, joint);
    if (ground)
        draw_foot(x, &style, joint);
    style.primitive = joint->rotations == 1   ? "cylinder"
                      : joint->rotations == 0 ? "box"
                                              : "ellipsoid";
    style.node[1] = joint->parent >= 0 ? joint->parent : joint->child;
    draw_symbol(x, &style, joint->child, joint->child_point, joint->child_axes, 2, size);
}

/* Draws a strut from the centre of a body to a joint outside of its bounding box. */
static void draw_strut(const painting *x, int node, const double at[3])
{
    const olo_system *s = x->system;
    olo_drawable d = {
        .role = "body", .primitive = "rod", .node = {node, node}, .size = {0.35}, .symbol = true};
    if (node < 0 || !s->nodes[node].type->spatial)
        return;
    d.name = s->nodes[node].name;
    double outside = 0, margin = symbol_of(x, &d);
    for (int i = 0; i < 3; i++)
        outside =
            fmax(outside, fmax(x->boxes[node].lower[i] - at[i], at[i] - x->boxes[node].upper[i]));
    if (!(outside > margin))
        return;
    vec3_copy(s->nodes[node].center, d.position);
    vec3_copy(at, d.end);
    memcpy(d.rotation, identity, sizeof identity);
    draw(x, &d);
}

static void draw_joints(const painting *x)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        if (joint->length > 0)
            continue; /* rods and rolling joints have their own drawables */
        draw_strut(x, joint->parent, joint->parent_point);
        draw_strut(x, joint->child, joint->child_point);
        if (s->nodes[joint->child].type->spatial)
            draw_joint(x, joint);
    }
}

/* Traces the centre of the last node if the model has no trace. */
static void draw_default_trace(const painting *x)
{
    const olo_system *s = x->system;
    int last = s->node_count - 1;
    for (int i = 0; i < x->scene->count; i++)
        if (olo_word_is(x->scene->drawables[i].role, "trace"))
            return;
    if (s->output_count > 0 || s->nodes[last].type->position < 0)
        return; /* the user disabled the traces, or the node has no position */
    olo_drawable d = {
        .name = s->nodes[last].name, .role = "trace", .primitive = "trace", .node = {last, last}};
    vec3_copy(s->nodes[last].center, d.position);
    memcpy(d.rotation, identity, sizeof identity);
    draw(x, &d);
}

/* Sets the sizes of symbols. */
static void size_symbols(const painting *x)
{
    for (int i = 0; i < x->scene->count; i++) {
        olo_drawable *d = &x->scene->drawables[i];
        const double unit = d->symbol ? symbol_of(x, d) : 1;
        for (int k = 0; d->symbol && k < OLO_DRAWABLE_SIZES; k++)
            d->size[k] *= unit;
        d->symbol = false;
    }
}

olo_status olo_scene_create(const olo_system *system, olo_scene *scene, olo_error *error)
{
    const size_t nodes = (size_t)system->node_count, drawn = (size_t)system->drawable_count,
                 most = drawn + PER_JOINT * (size_t)system->joint_count + 1;
    painting x = {.system = system, .scene = scene, .boxes = olo_alloc(nodes, sizeof *x.boxes)};
    extent *extents = olo_alloc(nodes, sizeof *extents);
    *scene = (olo_scene){.drawables = olo_alloc(most, sizeof *scene->drawables)};
    const bool ok = x.boxes && extents && scene->drawables;
    if (ok) {
        for (; scene->count < system->drawable_count; scene->count++)
            scene->drawables[scene->count] = system->drawables[scene->count];
        shorten_needles(&x, extents);
        measure(&x);
        draw_joints(&x);
        draw_default_trace(&x);
        size_symbols(&x);
    } else {
        olo_scene_free(scene);
    }
    olo_free(extents);
    olo_free(x.boxes);
    return ok ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for the scene");
}

void olo_scene_free(olo_scene *scene)
{
    scene->drawables = olo_free(scene->drawables);
    scene->count = 0;
}
