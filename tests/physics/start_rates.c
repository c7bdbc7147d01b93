/* The initial rates of joints are those given or those of a prescribed motion, independent of the
 * bodies that are attached to the moved one. */
#include "scene.h"

#include <stdio.h>

static double rate(const scene *s, const char *name)
{
    int i = olo_system_find_joint_coordinate(s->system, name);
    check_true(i >= 0);
    return olo_system_joint_coordinate_rate(s->system, s->state, i);
}

static double value(const scene *s, const char *name)
{
    int i = olo_system_find_joint_coordinate(s->system, name);
    check_true(i >= 0);
    return olo_system_joint_coordinate_value(s->system, s->state, i);
}

/* A body that is moved by a joint, and an arm that is hinged to it: the arm moves with the body,
 * and its hinge does not rotate. */
static scene open_arm(const char *between, const char *road, const char *pin_axis)
{
    char text[1024];
    snprintf(text, sizeof text,
             "bodies:\n"
             "  - {name: axle, mass: 1, inertia: [1, 1, 1]}\n"
             "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
             "joints:\n"
             "  - {name: road, between: %s, at: [0, 0, 0], %s}\n"
             "  - {name: pin, between: [axle, arm], at: [1, 0, 0], axis: %s}\n",
             between, road, pin_axis);
    return scene_open(text, NULL);
}

typedef struct expectation {
    const char *road;
    const char *coordinate[3];
    double rate[3];
} expectation;

/* Rates in closed form: the derivative of the motion at 0; the position of a screw is pitch/(2 pi)
 * angle. */
static const expectation cases[] = {
    {"axis: [0, 0, 1], motion: 3*t", {"road.angle"}, {3}},
    {"axis: [0, 0, 1], rate: 3, motion: 3*t", {"road.angle"}, {3}},
    {"axis: [0, 0, 1], rate: 3, motion: sin(3*t)", {"road.angle"}, {3}},
    {"type: prismatic, axis: [1, 0, 0], motion: 2*t", {"road.position"}, {2}},
    {"type: prismatic, axis: [1, 0, 0], sliding: [2, 0, 0], motion: 2*t", {"road.position"}, {2}},
    {"type: prismatic, axis: [1, 1, 0], sliding: [1, 1, 0], motion: sqrt(2)*t",
     {"road.position"},
     {1.4142135623730951}},
    {"type: cylindrical, axis: [0, 0, 1], sliding: [0, 0, 2], rate: 5, coordinate: position, "
     "motion: 2*t",
     {"road.position", "road.angle"},
     {2, 5}},
    {"type: cylindrical, axis: [0, 0, 1], sliding: [0, 0, 2], rate: 5, coordinate: angle, "
     "motion: 5*t",
     {"road.position", "road.angle"},
     {2, 5}},
    {"type: screw, axis: [0, 0, 1], pitch: 4*pi, coordinate: position, motion: 5*t",
     {"road.position", "road.angle"},
     {5, 2.5}},
    {"type: screw, axis: [0, 0, 1], pitch: 4*pi, rate: 2.5, coordinate: angle, motion: 2.5*t",
     {"road.position", "road.angle"},
     {5, 2.5}},
    {"type: screw, axis: [0, 0, 1], pitch: 4*pi, rate: 2.5, sliding: [0, 0, 5]",
     {"road.position", "road.angle"},
     {5, 2.5}},
    /* for the axis z, position1 is along -x and position2 along -y */
    {"type: planar, axis: [0, 0, 1], sliding: [3, 0, 0], coordinate: position2, motion: 4*t",
     {"road.position1", "road.position2", "road.angle"},
     {-3, 4, 0}},
    {"type: planar, axis: [0, 0, 1], sliding: [-4, 1, 0], coordinate: position1, motion: 4*t",
     {"road.position1", "road.position2", "road.angle"},
     {4, -1, 0}},
    {"type: universal, axis: [0, 0, 1], axis2: [1, 0, 0], rate: 1, coordinate: angle2, motion: 5*t",
     {"road.angle1", "road.angle2"},
     {1, 5}},
    {"type: universal, axis: [0, 0, 1], axis2: [1, 0, 0], rate: 5, rate2: 2, coordinate: angle1, "
     "motion: 5*t",
     {"road.angle1", "road.angle2"},
     {5, 2}},
    {"type: point-on-line, axis: [1, 0, 0], sliding: [2, 0, 0], motion: 2*t",
     {"road.position"},
     {2}},
};

TEST(a_prescribed_motion_gives_the_initial_rate_once_and_its_subtree_moves_along)
{
    static const char *const ends[] = {"[ground, axle]", "[axle, ground]"};
    static const char *const pins[] = {"[0, 0, 1]", "[0, 1, 0]"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 4; k++) {
            scene s = open_arm(ends[k / 2], cases[i].road, pins[k % 2]);
            for (int c = 0; c < 3 && cases[i].coordinate[c]; c++)
                check_close(cases[i].rate[c], rate(&s, cases[i].coordinate[c]), 1e-14);
            check_close(0, rate(&s, "pin.angle"), 1e-14);
            scene_close(&s);
        }
}

TEST(a_prescribed_motion_in_a_planar_model_moves_its_subtree)
{
    scene s = scene_open(
        "plane: xz\n"
        "bodies:\n"
        "  - {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: arm, mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
        "joints:\n"
        "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0], sliding: "
        "[2, 0, 0], motion: 2*t}\n"
        "  - {name: pin, between: [cart, arm], at: [0, 0, 0]}\n",
        NULL);
    check_close(2, rate(&s, "rail.position"), 1e-14);
    check_close(0, rate(&s, "pin.angle"), 1e-14);
    check_close(2, scene_v(&s, "arm")[0], 1e-14);
    scene_close(&s);
}

/* Two driven joints in series, and a free one at the end. */
TEST(driven_joints_in_series_start_with_the_rates_of_their_motions)
{
    scene s = scene_open(
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
        "  - {name: b, mass: 2, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"
        "  - {name: c, mass: 3, inertia: [1, 1, 1], position: [2.5, 0, 0]}\n"
        "joints:\n"
        "  - {name: one, between: [ground, a], axis: [0, 0, 1], rate: 3, motion: 3*t}\n"
        "  - {name: two, between: [a, b], at: [1, 0, 0], axis: [0, 1, 0], rate: -2, motion: "
        "-2*sin(t)}\n"
        "  - {name: free, between: [b, c], at: [2, 0, 0], axis: [0, 0, 1], rate: 0.5}\n",
        NULL);
    check_close(3, rate(&s, "one.angle"), 1e-14);
    check_close(-2, rate(&s, "two.angle"), 1e-14);
    check_close(0.5, rate(&s, "free.angle"), 1e-14);
    scene_close(&s);
}

/* A prescribed motion begins at another angle than the positions of the file: the bodies are moved,
 * and the rates of the joints do not change. */
TEST(rates_of_joints_are_those_at_the_assembled_positions)
{
    scene s = open_arm("[ground, axle]", "axis: [0, 0, 1], motion: 0.5 + 3*t", "[0, 0, 1]");
    check_close(0.5, value(&s, "road.angle"), 1e-14);
    check_close(3, rate(&s, "road.angle"), 1e-13);
    check_close(0, rate(&s, "pin.angle"), 1e-13);
    scene_close(&s);
}

/* Three bodies in a row, hinged to the ground: joints in any order, each with its bodies in both
 * orders. A rate is that of the second body relative to the first, so that it is the given one in
 * each case. */
static const char *const links[3][2] = {{"ground", "a"}, {"a", "b"}, {"b", "c"}};
static const char *const names[3] = {"one", "two", "three"};

static scene open_chain(const int order[3], int turned, const char *const start[3])
{
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "bodies:\n"
                          "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                          "  - {name: b, mass: 2, inertia: [1, 2, 2], position: [1.5, 0, 0]}\n"
                          "  - {name: c, mass: 3, inertia: [2, 1, 2], position: [2.5, 0, 0]}\n"
                          "joints:\n");
    for (int k = 0; k < 3; k++) {
        int j = order[k], first = turned >> j & 1;
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  - {name: %s, between: [%s, %s], at: [%d, 0, 0], axis: [%s]%s}\n",
                           names[j], links[j][first], links[j][1 - first], j,
                           j == 1 ? "0, 1, 1" : "0, 0, 1", start[j]);
    }
    return scene_open(text, NULL);
}

static void check_chain(const char *const start[3], const double expected[3])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 48; k++) {
        scene s = open_chain(orders[k % 6], k / 6, start);
        check_close(expected[0], rate(&s, "one.angle"), 1e-14);
        check_close(expected[1], rate(&s, "two.angle"), 1e-14);
        check_close(expected[2], rate(&s, "three.angle"), 1e-14);
        scene_close(&s);
    }
}

TEST(rates_do_not_depend_on_the_order_of_joints_or_of_their_bodies)
{
    check_chain((const char *const[3]){", rate: 3", "", ""}, (const double[3]){3, 0, 0});
    check_chain((const char *const[3]){"", ", rate: -2", ""}, (const double[3]){0, -2, 0});
    check_chain((const char *const[3]){", rate: 3", ", rate: -2", ", rate: 0.5"},
                (const double[3]){3, -2, 0.5});
}

TEST(motions_do_not_depend_on_the_order_of_joints_or_of_their_bodies)
{
    check_chain((const char *const[3]){", motion: 3*t", "", ""}, (const double[3]){3, 0, 0});
    check_chain((const char *const[3]){", motion: 3*t", ", motion: -2*t", ", rate: 0.5"},
                (const double[3]){3, -2, 0.5});
    check_chain((const char *const[3]){"", ", motion: 1 - cos(t)", ", rate: 0.5"},
                (const double[3]){0, 0, 0.5});
}

/* v_a = v_c - omega x (x_c - x_a) and so on: the positions at which bodies are given have no
 * influence */
TEST(velocities_of_a_chain_that_is_read_from_its_tip)
{
    const int order[3] = {2, 1, 0};
    scene s = open_chain(order, 6, (const char *const[3]){", rate: 3", "", ", rate: 0.5"});
    /* joint three measures b relative to c: c rotates with 3 - 0.5 */
    const double expected[3] = {1.5, 4.5, 6 + 0.5 * 2.5};
    check_close(expected[0], scene_v(&s, "a")[1], 1e-14);
    check_close(expected[1], scene_v(&s, "b")[1], 1e-14);
    check_close(expected[2], scene_v(&s, "c")[1], 1e-14);
    check_close(0, s.projection.velocity, 0);
    scene_close(&s);
}

/* A planar joint whose points are at a distance: the point of the second body slides relative to
 * the first, which rotates. */
TEST(sliding_is_the_same_from_either_side)
{
    static const char *const fixed[2] = {"a", "b"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "bodies:\n"
            "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
            "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [2, 3, 0]}\n"
            "joints:\n"
            "  - {name: table, type: planar, between: [a, b], axis: [0, 0, 1], "
            "sliding: [-4, 1, 0], rate: 5}\n"
            "  - {name: pin, between: [ground, %s], at: [0, 1, 0], axis: [0, 0, 1], rate: 2}\n",
            fixed[k]);
        scene s = scene_open(text, NULL);
        /* position1 is along -x and position2 along -y */
        check_close(4, rate(&s, "table.position1"), 1e-13);
        check_close(-1, rate(&s, "table.position2"), 1e-13);
        check_close(5, rate(&s, "table.angle"), 1e-13);
        check_close(2, rate(&s, "pin.angle"), 1e-13);
        scene_close(&s);
    }
}

/* A support or a joint that leaves rotations free does not determine their rates. */
TEST(a_rate_counts_beside_a_support)
{
    static const char *const holders[] = {
        "supports: {name: s, on: a, type: point}\njoints:\n",
        "supports: {name: s, on: a, type: center}\njoints:\n",
        "supports: {name: s, on: a, type: plane, axis: [0, 0, 1]}\njoints:\n",
        "joints:\n  - {name: s, type: spherical, between: [ground, a], at: [0, 0, 0]}\n",
    };
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "bodies: {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n%s"
                 "  - {name: r, type: cylindrical, between: [ground, a], at: [0, 0, 0], axis: [0, "
                 "0, 1], rate: 3}\n",
                 holders[i]);
        scene s = scene_open(text, NULL);
        check_close(3, rate(&s, "r.angle"), 1e-14);
        check_close(0, rate(&s, "r.position"), 1e-14);
        scene_close(&s);
    }
}

TEST(a_rate_counts_against_a_supported_body)
{
    static const char *const between[2] = {"[a, b]", "[b, a]"};
    static const char *const types[3] = {"point", "hinge, axis: [0, 0, 1]", "fixed"};
    for (int k = 0; k < 6; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"
                 "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"
                 "supports: {name: s, on: b, type: %s}\n"
                 "joints: {name: two, between: %s, at: [1, 0, 0], axis: [0, 0, 1], rate: -2}\n",
                 types[k / 2], between[k % 2]);
        scene s = scene_open(text, NULL);
        check_close(-2, rate(&s, "two.angle"), 1e-14);
        check_close(0, scene_v(&s, "b")[3 + 1], 1e-14);          /* b is at rest */
        check_close(k % 2 ? 1 : -1, scene_v(&s, "a")[1], 1e-14); /* a turns about x = 1 */
        scene_close(&s);
    }
}

/* A body with a given velocity. Through a joint with a rate the velocity of the other body follows.
 * Through a joint without a rate the housing of a rotor does not rotate, but its position moves
 * with the rotor. */
TEST(bodies_with_velocities_of_their_own_take_others_along)
{
    static const struct {
        const char *rotor, *joint;
        double housing, rate, velocity;
    } known[] = {
        {"angular_velocity: [0, 0, 50]", "between: [housing, rotor]", 0, 50, 0},
        {"angular_velocity: [0, 0, 50], velocity: [0, 0, 7]", "between: [housing, rotor]", 0, 50,
         7},
        {"angular_velocity: [0, 0, 50]", "between: [housing, rotor], rate: 40", 10, 40, 0},
        {"angular_velocity: [0, 0, 50]", "between: [rotor, housing]", 50, 0, 0},
        {"angular_velocity: [0, 0, 50]", "between: [rotor, housing], rate: 40", 90, 40, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "bodies:\n"
                 "  - {name: housing, mass: 1, inertia: [1, 1, 1]}\n"
                 "  - {name: rotor, mass: 1, inertia: [1, 1, 1], %s}\n"
                 "joints: {name: axle, %s, axis: [0, 0, 1]}\n",
                 known[i].rotor, known[i].joint);
        scene s = scene_open(text, NULL);
        check_close(known[i].rate, rate(&s, "axle.angle"), 1e-13);
        check_close(known[i].housing, scene_v(&s, "housing")[3 + 1], 1e-13); /* d1' = omega x d1 */
        check_close(known[i].velocity, scene_v(&s, "housing")[2], 1e-14);
        scene_close(&s);
    }
}

/* The rates of a parallelogram, whose coupler does not rotate. Three of its joints have given
 * rates, the fourth follows. */
TEST(rates_of_a_loop_go_before_a_joint_without_one)
{
    scene s = scene_open("plane: xy\n"
                         "bodies:\n"
                         "  - {name: crank, mass: 1, inertia: [1, 1, 1], position: [0, 0.5, 0]}\n"
                         "  - {name: coupler, mass: 1, inertia: [1, 1, 1], position: [1, 1, 0]}\n"
                         "  - {name: rocker, mass: 1, inertia: [1, 1, 1], position: [2, 0.5, 0]}\n"
                         "joints:\n"
                         "  - {name: D, between: [ground, rocker], at: [2, 0, 0]}\n"
                         "  - {name: C, between: [coupler, rocker], at: [2, 1, 0], rate: 2}\n"
                         "  - {name: B, between: [crank, coupler], at: [0, 1, 0], rate: -2}\n"
                         "  - {name: A, between: [ground, crank], at: [0, 0, 0], rate: 2}\n",
                         NULL);
    check_close(2, rate(&s, "A.angle"), 1e-14);
    check_close(-2, rate(&s, "B.angle"), 1e-14);
    check_close(2, rate(&s, "D.angle"), 1e-14);
    check_close(0, s.projection.velocity, 1e-14);
    scene_close(&s);
}

TEST_MAIN(
    cmocka_unit_test(a_prescribed_motion_gives_the_initial_rate_once_and_its_subtree_moves_along),
    cmocka_unit_test(a_prescribed_motion_in_a_planar_model_moves_its_subtree),
    cmocka_unit_test(driven_joints_in_series_start_with_the_rates_of_their_motions),
    cmocka_unit_test(rates_of_joints_are_those_at_the_assembled_positions),
    cmocka_unit_test(rates_do_not_depend_on_the_order_of_joints_or_of_their_bodies),
    cmocka_unit_test(motions_do_not_depend_on_the_order_of_joints_or_of_their_bodies),
    cmocka_unit_test(velocities_of_a_chain_that_is_read_from_its_tip),
    cmocka_unit_test(sliding_is_the_same_from_either_side),
    cmocka_unit_test(a_rate_counts_beside_a_support),
    cmocka_unit_test(a_rate_counts_against_a_supported_body),
    cmocka_unit_test(bodies_with_velocities_of_their_own_take_others_along),
    cmocka_unit_test(rates_of_a_loop_go_before_a_joint_without_one))
