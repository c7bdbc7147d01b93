/* The rates with which joints start: those given, or that of a prescribed motion, whatever hangs on the moved body. */
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

/* A body that a joint moves, and an arm that turns freely on it: the arm goes along, its pin does not turn. */
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

/* Rates by hand: the motion's derivative at 0, a screw's position = pitch/(2 pi) angle. */
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

TEST(a_motion_gives_the_initial_rate_once_and_what_hangs_on_it_goes_along)
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

TEST(a_motion_in_a_planar_model_takes_along_what_hangs_on_it)
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

/* A motion that begins elsewhere than the file: bodies are moved there, and joints keep their rates. */
TEST(rates_of_joints_are_those_at_the_assembled_positions)
{
    scene s = open_arm("[ground, axle]", "axis: [0, 0, 1], motion: 0.5 + 3*t", "[0, 0, 1]");
    check_close(0.5, value(&s, "road.angle"), 1e-14);
    check_close(3, rate(&s, "road.angle"), 1e-13);
    check_close(0, rate(&s, "pin.angle"), 1e-13);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_motion_gives_the_initial_rate_once_and_what_hangs_on_it_goes_along),
          cmocka_unit_test(a_motion_in_a_planar_model_takes_along_what_hangs_on_it),
          cmocka_unit_test(driven_joints_in_series_start_with_the_rates_of_their_motions),
          cmocka_unit_test(rates_of_joints_are_those_at_the_assembled_positions))
