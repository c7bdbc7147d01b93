/* The initial state: inconsistent data are projected onto the constraints with the least change,
 * which is reported. If a model cannot be assembled, the message names the constraints that remain
 * open. */
#include "scene.h"

#include "linalg/vec3.h"

TEST(consistent_starts_are_left_alone)
{
    olo_catalogue *catalogue = NULL;
    olo_error error = {0};
    check_ok(olo_catalogue_open(&catalogue, &error), &error);
    for (int i = 0; i < olo_catalogue_count(catalogue); i++) {
        scene s = scene_open(olo_catalogue_name(catalogue, i), NULL);
        check_close(0, s.projection.position, 0);
        check_close(0, s.projection.velocity, 0);
        check_below(s.projection.constraint_error, 1e-14);
        scene_close(&s);
    }
    olo_catalogue_free(catalogue);
}

TEST(velocity_along_a_rod_is_taken_away)
{
    scene s = scene_open("points: {name: a, mass: 1, position: [2, 0, 0], velocity: [3, 4, 5]}\n"
                         "rods: {name: rod, between: [ground, a]}\n",
                         "reduced");
    const double v[3] = {0, 4, 5};
    for (int i = 0; i < 3; i++)
        check_close(v[i], scene_v(&s, "a")[i], 1e-15);
    check_close(3, s.projection.velocity, 1e-14);
    check_close(0, s.projection.position, 0);
    check_below(scene_ledger(&s).velocity_error, 1e-14);
    scene_close(&s);
}

/* min m1 |dv1|^2 + m2 |dv2|^2: the momentum along the rod is conserved */
TEST(projection_is_an_impact_that_conserves_momentum)
{
    scene s = scene_open("points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [3, 1, 0]}, "
                         "{name: b, mass: 2, position: [1, 0, 0], velocity: [0, 0, 1]}]\n"
                         "rods: {name: rod, between: [a, b]}\n",
                         "reduced");
    check_close(1, scene_v(&s, "a")[0], 1e-5); /* the metric adds a millionth of the largest mass */
    check_close(1, scene_v(&s, "b")[0], 1e-5);
    check_close(scene_v(&s, "a")[0], scene_v(&s, "b")[0], 1e-14);
    check_close(1, scene_v(&s, "a")[1], 1e-14);
    check_close(2, s.projection.velocity, 1e-5);
    scene_close(&s);
}

TEST(positions_are_moved_onto_the_constraints_and_reported)
{
    scene s = scene_open("points: {name: a, mass: 1, position: [0, 0, -1.2]}\n"
                         "rods: {name: hanger, between: [ground, a], length: 1}\n",
                         "reduced");
    check_close(-1, scene_q(&s, "a")[2], 1e-14);
    check_close(0.2, s.projection.position, 1e-14);
    check_close(0.5 * (1.44 - 1), s.projection.constraint_error, 1e-15);
    check_text("hanger", s.projection.worst);
    check_below(scene_ledger(&s).constraint_error, 1e-15);
    scene_close(&s);
    /* a chain whose rods all have slightly wrong lengths */
    s = scene_open("gravity: [0, 1, -9.81]\npoints: [{name: a, mass: 1, position: [1.1, 0, 0]}, "
                   "{name: b, mass: 5, "
                   "position: [2.3, 0.1, 0]}, {name: c, mass: 1, position: [3, 0.3, 0.2]}]\n"
                   "rods: [{between: [ground, a], length: 1}, {between: [a, b], length: 1}, "
                   "{between: [b, c], length: 1}, {between: [c, ground], length: 2.9}]\n",
                   "reduced");
    check_below(scene_ledger(&s).constraint_error, 1e-14);
    check_true(s.projection.position > 0.05 && s.projection.position < 0.5);
    check_below(scene_drift(&s, 0.01, 100), 1e-12);
    scene_close(&s);
}

TEST(body_is_moved_to_its_support)
{
    scene s = scene_open("bodies: {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1], "
                         "points: {p: [0, 0, 1]}}\n"
                         "supports: {name: pin, on: b.p, type: point, at: [0.3, 0, 1]}\n",
                         "reduced");
    check_below(scene_ledger(&s).constraint_error, 1e-14);
    check_text("pin", s.projection.worst);
    check_close(0.3, s.projection.constraint_error, 1e-15);
    check_true(s.projection.position > 0.01);
    scene_close(&s);
}

/* In a plane all terms of d1.d3 vanish; the rounding error of that row must not cause further
 * iterations. */
TEST(planar_linkage_is_closed_from_a_rough_drawing)
{
    scene s = scene_open(
        "plane: xy\n"
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0, 1, 1], rotation: {axis: [0, 0, 1], angle: "
        "90*deg}}\n"
        "  - {name: coupler, mass: 2, inertia: [0, 1, 1], position: [0, 0.2], rotation: {axis: [0, "
        "0, "
        "1], angle: 25*deg}}\n"
        "  - {name: rocker, mass: 2, inertia: [0, 1, 1], position: [0.5, 0], rotation: {axis: [0, "
        "0, "
        "1], angle: 95*deg}}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank]}\n"
        "  - {name: B, between: [{on: crank, at: [0.2, 0]}, coupler]}\n"
        "  - {name: C, between: [{on: coupler, at: [0.5, 0]}, {on: rocker, at: [0.4, 0]}]}\n"
        "  - {name: D, between: [[0.5, 0], rocker]}\n",
        "reduced");
    check_text("C", s.projection.worst);
    check_true(s.projection.position > 1e-3 && s.projection.position < 0.1);
    check_below(scene_ledger(&s).constraint_error, 1e-15);
    const double *coupler = scene_q(&s, "coupler"), *rocker = scene_q(&s, "rocker");
    for (int i = 0; i < 3; i++)
        check_close(coupler[i] + 0.5 * coupler[3 + i], rocker[i] + 0.4 * rocker[3 + i], 1e-15);
    scene_close(&s);
}

static void check_refused(const char *text, const char *name)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *x = NULL;
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_status(OLO_INCONSISTENT, olo_system_create_initial_state(system, &x, NULL, &error));
    check_true(x == NULL);
    check_contains(name, error.text);
    olo_system_free(system);
    olo_model_free(model);
}

TEST(impossible_assemblies_are_refused_with_the_name_of_the_rod)
{
    /* two fixed points at distance three and two rods of length one: both are open by at least 1/2
     * (1.5^2 - 1) */
    check_refused("points: {name: a, mass: 1, position: [1, 0.5, 0]}\n"
                  "rods: [{name: left, between: [[0, 0, 0], a], length: 1}, {name: right, between: "
                  "[[3, 0, 0], a], length: 1}]\n",
                  "t' stays open by 0.625");
    /* a triangle that violates its inequality */
    check_refused("points: [{name: a, mass: 1, position: [0, 0, 0]}, {name: b, mass: 1, position: "
                  "[1, 0, 0]}, {name: c, mass: 1, position: [0, 1, 0]}]\n"
                  "rods: [{name: side-ab, between: [a, b], length: 1}, {name: side-bc, between: "
                  "[b, c], length: 1}, {name: side-ca, between: [a, c], length: 5}]\n",
                  "'side-");
    /* one body, two of whose points are fixed too far apart */
    check_refused("bodies: {name: b, mass: 1, inertia: [1, 1, 1], points: {p: [1, 0, 0]}}\n"
                  "supports: [{name: one, on: b, at: [0, 0, 0]}, {name: two, on: b.p, at: [2, 0, "
                  "0]}]\n",
                  "'");
    /* a rod inside one body, of the wrong length */
    check_refused("bodies: {name: b, mass: 1, inertia: [1, 1, 1], points: {p: [1, 0, 0]}}\n"
                  "rods: {name: inner, between: [b, b.p], length: 2}\n",
                  "'inner'");
}

/* Two bodies away from each other, rotated, with a joint of some type and its ends. */
static scene open_pair(const char *type, const char *between)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "bodies:\n"
        "  - {name: hull, mass: 2, inertia: [1, 2, 3], position: [1, 2, 3], points: {hub: [0.5, "
        "0.6, 0.7]}, rotation: {axis: [1, 2, 3], angle: 0.4}}\n"
        "  - {name: wheel, mass: 1, inertia: [1, 2, 3], position: [4, -1, 0.5], "
        "points: {axle: [0, 0.1, 0]}, rotation: {axis: [3, 1, 0], angle: 1.1}}\n"
        "joints: {name: j, type: %s, between: [%s], axis: [0, 1, 0]%s}\n",
        type, between, strcmp(type, "universal") == 0 ? ", axis2: [1, 0, 0]" : "");
    return scene_open(text, "reduced");
}

/* A body that is named without a point is not moved, whatever the joint and the other end. */
TEST(joints_leave_bodies_where_they_are)
{
    const char *const types[] = {"spherical",      "revolute", "cylindrical",
                                 "prismatic",      "planar",   "point-on-line",
                                 "point-on-plane", "rigid",    "universal"};
    const char *const between[] = {"hull, wheel",      "wheel, hull",     "ground, wheel",
                                   "wheel, ground",    "hull.hub, wheel", "hull, wheel.axle",
                                   "[1, 1, 1], wheel", "hull, [0, 0, 0]"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t k = 0; k < sizeof between / sizeof *between; k++) {
            scene s = open_pair(types[i], between[k]);
            check_close(0, s.projection.position, 0);
            check_text("", s.projection.warning);
            check_below(s.projection.constraint_error, 1e-14);
            scene_close(&s);
        }
}

/* Without points the joint is at the origin of the second body: there the relative velocity of the
 * bodies vanishes, and the joint carries a force without a moment. Here the first body rotates
 * about the fixed second origin. */
TEST(joint_without_points_is_at_the_origin_of_the_second_body)
{
    scene s = scene_open("bodies:\n"
                         "  - {name: hull, mass: 2, inertia: [1, 2, 3], position: [1, 0, 0], "
                         "angular_velocity: [0, 0, 2]}\n"
                         "  - {name: wheel, mass: 1, inertia: [1, 1, 1], position: [3, 1, 0]}\n"
                         "supports: {on: wheel, type: fixed}\n"
                         "joints: {name: j, type: spherical, between: [hull, wheel]}\n",
                         "reduced");
    /* omega x (hull - wheel) = 2 e3 x (-2, -1, 0) */
    check_close(2, scene_v(&s, "hull")[0], 1e-14);
    check_close(-4, scene_v(&s, "hull")[1], 1e-14);
    check_close(0, s.projection.position, 0);
    scene_close(&s);
}

/* The position of a sliding joint is measured from the first end along the axis, as far as the
 * other directions allow it. */
TEST(position_of_a_slide_counts_from_the_first_end)
{
    const char *const between[] = {"ground, cart", "[1, 0, 0], cart", "rail, cart",
                                   "rail.end, cart"};
    const double expected[] = {3, 2, 2.5, 1.5};
    for (int i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: rail, mass: 1, inertia: [1, 1, 1], position: [0.5, 0.25, 0], points: "
                 "{end: [1, 0, 0]}}\n"
                 "  - {name: cart, mass: 1, inertia: [1, 1, 1], position: [3, 1, 0]}\n"
                 "joints: {name: j, type: prismatic, between: [%s], axis: [1, 0, 0]}\n",
                 between[i]);
        scene s = scene_open(text, "reduced");
        check_close(expected[i], olo_system_joint_coordinate_value(s.system, s.state, 0), 1e-15);
        check_close(0, s.projection.position, 0);
        scene_close(&s);
    }
}

/* A body without a position is put at the given point of the other one. */
TEST(body_without_a_position_is_put_at_the_point_of_its_joint)
{
    scene s =
        scene_open("bodies:\n"
                   "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2], points: "
                   "{elbow: [1, 0, 0]}}\n"
                   "  - {name: forearm, mass: 1, inertia: [1, 1, 1], points: {wrist: [0, 1, "
                   "0]}}\n"
                   "  - {name: hand, mass: 1, inertia: [1, 1, 1]}\n"
                   "joints:\n"
                   "  - {name: elbow, type: spherical, between: [arm.elbow, forearm]}\n"
                   "  - {name: wrist, type: spherical, between: [hand, forearm.wrist]}\n",
                   "reduced");
    const double forearm[3] = {1, 0, 2}, hand[3] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        check_close(forearm[i], scene_q(&s, "forearm")[i], 1e-15);
        check_close(hand[i], scene_q(&s, "hand")[i], 1e-15);
    }
    check_close(0, s.projection.position, 0);
    scene_close(&s);
}

/* Two given points must meet, also where one of them is an origin that is written out. */
TEST(given_points_meet_and_a_far_move_is_a_warning)
{
    const char *const between[] = {"hull.hub, wheel.axle", "{on: hull, at: [0, 0, 0]}, wheel.axle",
                                   "[0, 0, 0], {on: wheel, at: [0, 0, 0]}"};
    for (int i = 0; i < 3; i++) {
        scene s = open_pair("spherical", between[i]);
        check_true(s.projection.position > 1);
        check_text("j", s.projection.worst);
        check_contains("'j' was off by", s.projection.warning);
        scene_close(&s);
    }
    /* 0.9 percent of the length of the rod */
    scene s = scene_open("points: {name: a, mass: 1, position: [0, 0, -1.009]}\n"
                         "rods: {name: hanger, between: [ground, a], length: 1}\n",
                         "reduced");
    check_close(0.009, s.projection.position, 1e-14);
    check_text("", s.projection.warning);
    scene_close(&s);
}

/* A prescribed motion that begins elsewhere moves the model on purpose. */
TEST(prescribed_motion_moves_the_model_without_a_warning)
{
    scene s = scene_open("bodies: {name: arm, mass: 1, inertia: [1, 1, 1]}\n"
                         "joints: {name: j, between: [ground, arm], axis: [0, 0, 1], motion: 0.5 + "
                         "t}\n",
                         "reduced");
    check_close(sin(0.5), s.projection.position, 1e-14);
    check_text("", s.projection.warning);
    scene_close(&s);
}

/* Positions fit, velocities do not: the constraint that changes them is named. */
TEST(changed_velocities_have_a_cause_of_their_own)
{
    scene s = scene_open("bodies:\n"
                         "  - {name: hull, mass: 1, inertia: [1, 1, 1]}\n"
                         "  - {name: wheel, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], "
                         "angular_velocity: [0, 3, 0], velocity: [0, 0, 0]}\n"
                         "supports: {name: floor, on: hull, type: fixed}\n"
                         "joints: {name: axle, between: [hull, wheel], axis: [1, 0, 0]}\n",
                         "reduced");
    check_text("axle", s.projection.worst_rate);
    check_close(3, s.projection.rate_error, 1e-14);
    check_close(0, s.projection.position, 0);
    check_close(3, s.projection.velocity, 1e-9);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(consistent_starts_are_left_alone),
          cmocka_unit_test(velocity_along_a_rod_is_taken_away),
          cmocka_unit_test(projection_is_an_impact_that_conserves_momentum),
          cmocka_unit_test(positions_are_moved_onto_the_constraints_and_reported),
          cmocka_unit_test(body_is_moved_to_its_support),
          cmocka_unit_test(planar_linkage_is_closed_from_a_rough_drawing),
          cmocka_unit_test(impossible_assemblies_are_refused_with_the_name_of_the_rod),
          cmocka_unit_test(joints_leave_bodies_where_they_are),
          cmocka_unit_test(joint_without_points_is_at_the_origin_of_the_second_body),
          cmocka_unit_test(position_of_a_slide_counts_from_the_first_end),
          cmocka_unit_test(body_without_a_position_is_put_at_the_point_of_its_joint),
          cmocka_unit_test(given_points_meet_and_a_far_move_is_a_warning),
          cmocka_unit_test(prescribed_motion_moves_the_model_without_a_warning),
          cmocka_unit_test(changed_velocities_have_a_cause_of_their_own))
