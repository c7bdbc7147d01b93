/* The picture of a system: every element has a drawable, with the size and position of the
 * mechanics. */
#include "scene.h"

#include "linalg/vec3.h"

/* A model with its scene. */
typedef struct picture {
    scene model;
    olo_scene drawn;
} picture;

static picture picture_open(const char *text)
{
    picture s = {.model = scene_open(text, NULL)};
    olo_error error = {0};
    check_ok(olo_scene_create(s.model.system, &s.drawn, &error), &error);
    return s;
}

static void picture_close(picture *s)
{
    olo_scene_free(&s->drawn);
    scene_close(&s->model);
}

static const olo_drawable *find(const picture *s, const char *name, const char *role, int which)
{
    for (int i = 0; i < s->drawn.count; i++) {
        const olo_drawable *d = &s->drawn.drawables[i];
        if (strcmp(d->name, name) == 0 && strcmp(d->role, role) == 0 && which-- == 0)
            return d;
    }
    return NULL;
}

static int count(const picture *s, const char *role)
{
    int number = 0;
    for (int i = 0; i < s->drawn.count; i++)
        number += strcmp(s->drawn.drawables[i].role, role) == 0;
    return number;
}

/* Column of the rotation: an axis of the drawable in the node's frame. */
static void axis_of(const olo_drawable *d, int column, double axis[3])
{
    for (int i = 0; i < 3; i++)
        axis[i] = d->rotation[3 * i + column];
}

TEST(a_body_of_numbers_is_the_ellipsoid_with_its_inertia)
{
    /* a homogeneous ellipsoid with semi-axes 1, 2, 3 has J = m/5 (b^2 + c^2, ...). Here it is
     * rotated by 90 degrees about z, so that the axis of length 2 is x */
    picture s = picture_open(
        "bodies:\n  - {name: egg, mass: 5, center: [0.5, 0, 1], inertia: [10, 13, 5]}\n");
    const olo_drawable *d = find(&s, "egg", "body", 0);
    check_true(d != NULL);
    check_text("ellipsoid", d->primitive);
    check_close(0.5, d->position[0], 1e-15);
    check_close(1.0, d->position[2], 1e-15);
    check_close(1.0, mat3_det(d->rotation), 1e-12);
    for (int k = 0; k < 3; k++) {
        static const double along[3] = {2, 1, 3};
        double axis[3];
        axis_of(d, k, axis);
        int nearest = fabs(axis[0]) > 0.5 ? 0 : fabs(axis[1]) > 0.5 ? 1 : 2;
        check_close(1.0, fabs(axis[nearest]), 1e-12);
        check_close(along[nearest], d->size[k], 1e-12);
    }
    picture_close(&s);
}

TEST(a_slender_body_is_thin_but_not_invisible)
{
    picture s = picture_open("bodies:\n  - {name: rod, mass: 3, inertia: [1, 1, 0]}\n");
    const olo_drawable *d = find(&s, "rod", "body", 0);
    /* E/m = diag(0, 0, 1/3): the semi-axis along z is sqrt(5/3) */
    check_close(sqrt(5.0 / 3.0), d->size[2], 1e-12);
    check_true(d->size[0] > 0 && d->size[0] < 0.1 * d->size[2]);
    picture_close(&s);
}

/* A bar of length 2 along x with the moments of a homogeneous rod, m l^2/12 = 1, or ten times
 * those. The ellipsoid of the rod has the semi-axis sqrt(5/12) l. */
static double bar_length(const char *moments, const char *joints)
{
    char text[700];
    (void)snprintf(text, sizeof text,
                   "bodies:\n  - {name: bar, mass: 3, inertia: %s, position: [1, 0, 0]}\n"
                   "  - {name: ball, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0]}\n%s",
                   moments, joints);
    picture s = picture_open(text);
    const olo_drawable *d = find(&s, "bar", "body", 0);
    check_text("ellipsoid", d->primitive);
    double length = d->size[2];
    picture_close(&s);
    return length;
}

TEST(a_needle_ends_at_the_farthest_of_its_joints)
{
    static const char *const one =
        "joints:\n  - {name: a, type: revolute, between: [ground, bar], axis: [0, 0, 1]}\n";
    static const char *const two =
        "joints:\n  - {name: a, type: revolute, between: [ground, bar], axis: [0, 0, 1]}\n"
        "  - {name: b, type: revolute, between: [bar, ball], at: [2, 0, 0], axis: [0, 0, 1]}\n";
    static const char *const linked =
        "joints:\n  - {name: a, type: revolute, between: [ground, bar], axis: [0, 0, 1]}\n"
        "springs:\n  - {name: c, between: [{on: bar, at: [1.2, 0, 0]}, ball], stiffness: 1}\n";
    check_close(1.0, bar_length("[0, 1, 1]", two), 1e-12);
    check_close(1.0, bar_length("[0, 10, 10]", two), 1e-12);
    check_close(1.2, bar_length("[0, 10, 10]", linked), 1e-12);
    /* bodies that are shorter, or that have their joint at the centre, are not changed; a disc with
     * J_x = 10, J_y = J_z = 5 is no needle and shrinks as a whole */
    check_close(sqrt(5 * 0.1 / 3), bar_length("[0, 0.1, 0.1]", two), 1e-12);
    check_close(sqrt(5 / 3.0), bar_length("[0, 1, 1]", one), 1e-12);
    check_close(1.0, bar_length("[10, 5, 5]", two), 1e-12);
}

TEST(an_added_mass_is_a_ball_where_it_is)
{
    picture s =
        picture_open("bodies:\n  - {name: plate, shapes: {type: box, size: [1, 1, 1], mass: 1}}\n"
                     "masses:\n  - {name: weight, on: {on: plate, at: [0.5, 0.25, 0]}, mass: 2}\n");
    const olo_drawable *d = find(&s, "weight", "point", 0);
    check_true(d != NULL);
    check_text("ellipsoid", d->primitive);
    check_equal(0, d->node[0]);
    check_close(0.5, d->position[0], 1e-15);
    check_close(0.25, d->position[1], 1e-15);
    check_true(d->size[0] > 0 && d->size[0] < 0.25);
    picture_close(&s);
}

TEST(solids_are_drawn_as_given_and_holes_are_not)
{
    picture s =
        picture_open("bodies:\n"
                     "  - name: part\n"
                     "    shapes:\n"
                     "      - {type: box, size: [1, 2, 3], density: 1, position: [4, 5, 6]}\n"
                     "      - {type: cylinder, radius: 0.1, height: 3, density: -1}\n"
                     "      - {type: sphere, radius: 0.5, mass: 1}\n"
                     "      - {type: cone, radius: 0.5, height: 2, mass: 1}\n");
    check_equal(3, count(&s, "body"));
    const olo_drawable *box = find(&s, "part", "body", 0), *ball = find(&s, "part", "body", 1);
    const olo_drawable *cone = find(&s, "part", "body", 2);
    check_text("box", box->primitive);
    check_close(3.0, box->size[2], 0);
    check_close(5.0, box->position[1], 0);
    check_text("ellipsoid", ball->primitive);
    check_close(0.5, ball->size[1], 0);
    check_text("cone", cone->primitive);
    check_close(2.0, cone->size[2], 0);
    picture_close(&s);
}

TEST(a_hinge_is_a_pin_along_its_axis)
{
    picture s =
        picture_open("gravity: [0, -9.81, 0]\n"
                     "bodies:\n"
                     "  - name: arm\n"
                     "    shapes: {type: box, size: [1, 0.1, 0.1], mass: 1}\n"
                     "    rotation: {axis: [1, 0, 0], angle: pi/2}\n"
                     "joints:\n"
                     "  - {name: hinge, type: revolute, between: [ground, arm], at: [-0.5, 0, "
                     "0], axis: [0, 0, 2]}\n");
    const olo_drawable *foot = find(&s, "hinge", "support", 0),
                       *pin = find(&s, "hinge", "support", 1);
    check_true(foot != NULL && pin != NULL);
    /* the foot is fixed in space, downwards along gravity */
    double axis[3];
    axis_of(foot, 2, axis);
    check_text("cone", foot->primitive);
    check_equal(-1, foot->node[0]);
    check_close(-1.0, axis[1], 1e-12);
    /* the pin moves with the arm; its axis z is the y axis of the arm */
    axis_of(pin, 2, axis);
    check_text("cylinder", pin->primitive);
    check_equal(0, pin->node[0]);
    check_close(1.0, fabs(axis[1]), 1e-12);
    check_close(-0.5, pin->position[0], 1e-12);
    check_true(pin->size[0] > 0 && pin->size[0] < 0.1 && !pin->symbol);
    picture_close(&s);
}

TEST(a_slide_has_a_rail_and_a_far_joint_a_strut)
{
    picture s = picture_open(
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [9, 0, 0]}\n"
        "joints:\n"
        "  - {name: slide, type: prismatic, between: [a, b], at: [4.5, 0, 0], axis: [1, 0, 0]}\n");
    const olo_drawable *rail = find(&s, "slide", "joint", 0),
                       *block = find(&s, "slide", "joint", 1);
    double axis[3];
    axis_of(rail, 2, axis);
    check_text("cylinder", rail->primitive);
    check_equal(0, rail->node[0]);
    check_close(1.0, fabs(axis[0]), 1e-12);
    check_text("box", block->primitive);
    check_equal(1, block->node[0]);
    /* the joint is at 4.5, both ellipsoids end within 1.3 of their centres */
    const olo_drawable *strut = find(&s, "b", "body", 1);
    check_text("rod", strut->primitive);
    check_close(-4.5, strut->end[0], 1e-12);
    picture_close(&s);
}

TEST(links_run_between_their_points)
{
    picture s =
        picture_open("points:\n"
                     "  - {name: p, mass: 1, position: [1, 0, 0]}\n"
                     "bodies:\n"
                     "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], points: "
                     "{eye: [0, 1, 0]}}\n"
                     "rods:\n"
                     "  - {name: rod, between: [[0, 0, 7], p]}\n"
                     "springs:\n"
                     "  - {name: spring, between: [p, b.eye], stiffness: 1}\n"
                     "dampers:\n"
                     "  - {name: damper, between: [{on: b, at: [0, 0, 2]}, p], damping: 1}\n");
    const olo_drawable *rod = find(&s, "rod", "rod", 0), *spring = find(&s, "spring", "spring", 0);
    const olo_drawable *damper = find(&s, "damper", "damper", 0);
    check_equal(-1, rod->node[0]);
    check_equal(0, rod->node[1]);
    check_close(7.0, rod->position[2], 0);
    check_text("coil", spring->primitive);
    check_equal(0, spring->node[0]);
    check_equal(1, spring->node[1]);
    check_close(1.0, spring->end[1], 0);
    check_text("dashpot", damper->primitive);
    check_close(2.0, damper->position[2], 0);
    check_equal(1, count(&s, "point"));
    check_text("b", find(&s, "b", "trace", 0)->name);
    picture_close(&s);
}

TEST(outputs_are_traced_unless_they_say_otherwise)
{
    static const char *const text = "points:\n"
                                    "  - {name: p, mass: 1, position: [0, 0, 0]}\n"
                                    "  - {name: q, mass: 1, position: [1, 0, 0]}\n"
                                    "outputs:\n"
                                    "  - {name: first, on: p, trace: false}\n";
    picture s = picture_open(text);
    check_equal(0, count(&s, "trace"));
    picture_close(&s);
    char more[512];
    snprintf(more, sizeof more, "%s  - {name: second, on: p}\n", text);
    s = picture_open(more);
    check_equal(1, count(&s, "trace"));
    check_equal(0, find(&s, "second", "trace", 0)->node[0]);
    picture_close(&s);
}

TEST(beams_are_sections_swept_from_node_to_node)
{
    picture s =
        picture_open("beams:\n"
                     "  - {name: flat, elements: 3, to: [3, 0, 0], section: {type: rectangle, "
                     "width: 0.2, height: "
                     "0.1, young: 1e6, density: 1}}\n"
                     "  - {name: pipe, elements: 1, interpolation: quadratic, quadrature: "
                     "full, from: [0, 1, 0], "
                     "to: [3, 1, 0], section: {type: tube, radius: 0.1, inner_radius: 0.08, "
                     "young: 1e6, density: "
                     "1}}\n");
    check_equal(5, count(&s, "beam"));
    for (int i = 0; i < 3; i++) {
        const olo_drawable *d = find(&s, "flat", "beam", i);
        check_text("sweep", d->primitive);
        check_equal(i, d->node[0]);
        check_equal(i + 1, d->node[1]);
        check_close(0.1, d->size[0], 1e-15);
        check_close(0.05, d->size[1], 1e-15);
        check_close(0, d->size[2], 0);
        check_equal(i + 1, d->point[0]);
        check_equal(i + 1, d->point[1]);
    }
    /* three points for two pieces, after the three of the other beam */
    for (int i = 0; i < 2; i++) {
        const olo_drawable *d = find(&s, "pipe", "beam", i);
        check_close(0.1, d->size[1], 0);
        check_close(1, d->size[2], 0);
        check_equal(4 + i, d->point[0]);
        check_equal(5 + i, d->point[1]);
    }
    picture_close(&s);
}

TEST(a_section_of_numbers_is_the_rectangle_that_bends_alike)
{
    /* for any material, E I1 = E w h^3/12 and E I2 = E h w^3/12 with w = 0.3 along d1, h = 0.2
     * along d2 and E = 1e5 */
    picture s =
        picture_open("beams: [{name: a, elements: 2, to: [10, 0, 0], stiffness: [1e3, 1e3, 6e3, "
                     "20, 45, 10], inertia: [1, 1, 1]}]\n");
    const olo_drawable *d = find(&s, "a", "beam", 1);
    check_close(0.15, d->size[0], 1e-14);
    check_close(0.10, d->size[1], 1e-14);
    check_close(0, d->size[2], 0);
    picture_close(&s);
    /* a stiffness that belongs to no section: the picture is visible, but not too thick */
    s = picture_open(
        "beams: [{name: a, elements: 2, to: [16, 0, 0], stiffness: [1e3, 1e3, 1, 1e-9, "
        "1e9, 10], inertia: [1, 1, 1]}]\n");
    d = find(&s, "a", "beam", 0);
    check_close(1.0, d->size[0], 1e-12);
    check_close(0.04, d->size[1], 1e-12);
    picture_close(&s);
}

/* After a corner the axes of the section are not those of its node but those of the element, whose
 * third axis is along it. */
TEST(sections_turn_at_a_corner)
{
    static const double along[2][3] = {{1, 0, 0}, {0, 1, 0}};
    picture s =
        picture_open("beams: [{name: a, elements: 2, points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "
                     "stiffness: [1e3, 1e3, 6e3, 20, 45, 10], inertia: [1, 1, 1]}]\n");
    for (int i = 0; i < 2; i++) {
        const olo_drawable *d = find(&s, "a", "beam", i);
        for (int end = 0; end < 2; end++) {
            const double *R = end == 0 ? d->rotation : d->size + 3;
            const double *own = s.model.system->q0 + s.model.system->nodes[d->node[end]].q + 3;
            double third[3] = {0, 0, 0};
            for (int J = 0; J < 3; J++)
                vec3_add(R[3 * J + 2], own + 3 * J, third);
            for (int k = 0; k < 3; k++)
                check_close(along[i][k], third[k], 1e-14);
        }
    }
    picture_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_body_of_numbers_is_the_ellipsoid_with_its_inertia),
          cmocka_unit_test(a_slender_body_is_thin_but_not_invisible),
          cmocka_unit_test(a_needle_ends_at_the_farthest_of_its_joints),
          cmocka_unit_test(an_added_mass_is_a_ball_where_it_is),
          cmocka_unit_test(solids_are_drawn_as_given_and_holes_are_not),
          cmocka_unit_test(a_hinge_is_a_pin_along_its_axis),
          cmocka_unit_test(a_slide_has_a_rail_and_a_far_joint_a_strut),
          cmocka_unit_test(links_run_between_their_points),
          cmocka_unit_test(beams_are_sections_swept_from_node_to_node),
          cmocka_unit_test(a_section_of_numbers_is_the_rectangle_that_bends_alike),
          cmocka_unit_test(sections_turn_at_a_corner),
          cmocka_unit_test(outputs_are_traced_unless_they_say_otherwise))
