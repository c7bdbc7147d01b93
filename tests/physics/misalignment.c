/* Joints that are nearly redundant. If they are aligned to round-off, the system can move. A large
 * misalignment is intended and locks the motion. One in between is refused, and its size is
 * reported. A mechanism near a singular position is not misaligned. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

/* The offset delta of a hinge of a door about z, its part that the message must report, and the
 * joints that conflict. */
static const struct {
    const char *what, *names, *text;
} misaligned[] = {
    {"two hinges, along the door", "'h2' and 'h1' fight",
     "bodies: {name: door, mass: 30, inertia: [10, 12, 2], position: [0.45, 0, 1], "
     "angular_velocity: [0, 0, 2]}\n"
     "joints:\n"
     "  - {name: h1, between: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
     "  - {name: h2, between: [ground, door], at: [%.17g, 0, 1.8], axis: [0, 0, 1]}\n"},
    {"three hinges, across the door", "'h3' and 'h1' fight",
     "bodies: {name: door, mass: 30, inertia: [10, 12, 2], position: [0.45, 0, 1], "
     "angular_velocity: [0, 0, 2]}\n"
     "joints:\n"
     "  - {name: h1, between: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
     "  - {name: h2, between: [ground, door], at: [0, 0, 1], axis: [0, 0, 1]}\n"
     "  - {name: h3, between: [ground, door], at: [0, %.17g, 1.8], axis: [0, 0, 1]}\n"},
    {"an axis that is tilted", "'h2' and 'h1' fight",
     "bodies: {name: door, mass: 30, inertia: [10, 12, 2], position: [0.45, 0, 1], "
     "angular_velocity: [0, 0, 2]}\n"
     "joints:\n"
     "  - {name: h1, between: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
     "  - {name: h2, between: [ground, door], at: [0, 0, 1.8], axis: [0, %.17g, 1]}\n"},
    {"a door of a cabin that flies", "'h2' and 'h1' fight",
     "bodies:\n"
     "  - {name: cabin, mass: 300, inertia: [100, 120, 200], position: [40, 3, 1], velocity: [5, "
     "0, "
     "0]}\n"
     "  - {name: door, mass: 30, inertia: [10, 12, 2], position: [40.45, 3, 1]}\n"
     "joints:\n"
     "  - {name: h1, between: [cabin, door], at: [40, 3, 0.2], axis: [0, 0, 1], rate: 2}\n"
     "  - {name: h2, between: [cabin, door], at: [40, 3, 1.8], axis: [0, %.17g, 1]}\n"},
    {"a four-bar linkage in space", "fight each other",
     "bodies:\n"
     "  - {name: crank, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0.25, 0]}\n"
     "  - {name: coupler, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.5, 0.6, 0]}\n"
     "  - {name: rocker, mass: 1, inertia: [0.01, 0.1, 0.1], position: [1, 0.3, 0]}\n"
     "joints:\n"
     "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], rate: 1}\n"
     "  - {name: B, between: [crank, coupler], at: [0, 0.5, 0], axis: [0, 0, 1]}\n"
     "  - {name: C, between: [coupler, rocker], at: [1.1, 0.7, 0], axis: [0, %.17g, 1]}\n"
     "  - {name: D, between: [rocker, ground], at: [1, 0, 0], axis: [0, 0, 1]}\n"},
};
enum { MISALIGNED = sizeof misaligned / sizeof *misaligned };

/* Whether the model has an initial state; else `error` has the reason. */
static bool starts(const char *text, olo_error *error)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *state = NULL;
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, error), error);
    check_ok(olo_model_compile(model, &system, error), error);
    const olo_status status = olo_system_create_initial_state(system, &state, NULL, error);
    check_true(status == OLO_OK || status == OLO_INCONSISTENT);
    olo_state_free(state);
    olo_system_free(system);
    olo_model_free(model);
    return status == OLO_OK;
}

static void write_model(int k, double delta, char text[2048])
{
    snprintf(text, 2048, misaligned[k].text, delta);
}

TEST(misaligned_joints_are_refused_with_names_and_amount)
{
    for (int k = 0; k < MISALIGNED; k++)
        for (int power = -6; power >= -11; power--) {
            char text[2048], amount[64];
            olo_error error = {0};
            write_model(k, pow(10, power), text);
            const bool started = starts(text, &error);
            if (started)
                print_message("%s, 1e%d is not refused\n", misaligned[k].what, power);
            check_true(!started);
            check_contains(misaligned[k].names, error.text);
            check_contains("test:", error.text);
            if (k == MISALIGNED - 1) /* the linkage changes the angle */
                continue;
            snprintf(amount, sizeof amount, "a misalignment of 1e-%02d ", -power);
            check_contains(amount, error.text);
        }
}

TEST(joints_that_are_aligned_within_rounding_leave_the_motion_free)
{
    static const char *const treatments[] = {"reduced", "minimal", "multipliers", "projected"};
    for (int k = 0; k < MISALIGNED; k++)
        for (int power = -13; power >= -17; power--)
            for (int t = 0; t < 4; t++) {
                char text[2048];
                write_model(k, power == -17 ? 0 : pow(10, power), text);
                scene s = scene_open(text, treatments[t]);
                const double energy = scene_ledger(&s).total;
                check_true(energy > 0.01);
                scene_run(&s, 0.01, 50);
                check_close(1, scene_ledger(&s).total / energy, 1e-12);
                check_below(scene_ledger(&s).constraint_error, 1e-12);
                scene_close(&s);
            }
}

/* An offset above 1e-5 of the size is intended: no degree of freedom remains, and gravity normal to
 * the door does not move it. The rows that lock it have a rate of 3e-5 and more, and enter the
 * elimination with the square of that, 1e-9. If a step treated them as redundant, the door would
 * swing. */
TEST(offsets_that_are_meant_lock_the_motion)
{
    static const double offsets[] = {3e-5, 1e-4, 1e-3};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            char text[2048] = "gravity: [6, -7, 0]\n";
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, misaligned[k].text, offsets[i]);
            scene s = scene_open(text, "reduced");
            check_below(scene_ledger(&s).kinetic, 1e-9);
            scene_run(&s, 0.01, 10);
            check_below(scene_ledger(&s).kinetic, 1e-9);
            check_below(scene_ledger(&s).constraint_error, 1e-13);
            scene_close(&s);
        }
}

/* A parallelogram near its flat position, and a slider-crank with crank and rod of equal length
 * near the position where these coincide: there the mechanisms have bifurcations. All of them run,
 * at any distance. The first step has an error of some 1e-11 of the energy, as from the singular
 * position itself. */
TEST(mechanisms_close_to_a_singular_position_run)
{
    static const char parallelogram[] =
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.01, 0.1, 0.1], position: [cos(turn)/2, "
        "sin(turn)/2, 0]}\n"
        "  - {name: coupler, mass: 1, inertia: [0.01, 0.1, 0.1], position: [1 + cos(turn), "
        "sin(turn), "
        "0]}\n"
        "  - {name: rocker, mass: 1, inertia: [0.01, 0.1, 0.1], position: [2 + cos(turn)/2, "
        "sin(turn)/2, "
        "0], angular_velocity: [0, 0, 1]}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], rate: 1}\n"
        "  - {name: B, between: [crank, coupler], at: [cos(turn), sin(turn), 0], axis: [0, 0, 1], "
        "rate: "
        "-1}\n"
        "  - {name: C, between: [coupler, rocker], at: [2 + cos(turn), sin(turn), 0], axis: [0, 0, "
        "1]}\n"
        "  - {name: D, between: [rocker, ground], at: [2, 0, 0], axis: [0, 0, 1]}\n";
    static const char slider[] =
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.01, 0.1, 0.1], position: [sin(turn)/2, "
        "cos(turn)/2, 0]}\n"
        "  - {name: rod, mass: 1, inertia: [0.01, 0.1, 0.1], position: [3*sin(turn)/2, "
        "cos(turn)/2, 0]}\n"
        "  - {name: block, mass: 1, inertia: [0.01, 0.1, 0.1], position: [2*sin(turn), 0, 0]}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], rate: -1}\n"
        "  - {name: B, between: [crank, rod], at: [sin(turn), cos(turn), 0], axis: [0, 0, 1], "
        "rate: 2}\n"
        "  - {name: C, between: [rod, block], at: [2*sin(turn), 0, 0], axis: [0, 0, 1], rate: -1}\n"
        "  - {name: D, type: prismatic, between: [ground, block], at: [2*sin(turn), 0, 0], axis: "
        "[1, "
        "0, 0]}\n";
    for (int k = 0; k < 2; k++)
        for (int power = -2; power >= -16; power--) {
            char text[2048];
            snprintf(text, sizeof text, "parameters: {turn: 1e%d}\n%s", power,
                     k == 0 ? parallelogram : slider);
            scene s = scene_open(text, "reduced");
            const double energy = scene_ledger(&s).total;
            scene_run(&s, 0.01, 20);
            check_close(1, scene_ledger(&s).total / energy, 1e-10);
            check_below(scene_ledger(&s).constraint_error, 1e-13);
            scene_close(&s);
        }
}

/* A crank of a millionth of the size of the machine, a linkage of a millimetre beside a mast of a
 * kilometre, and a door far from the origin have small or large numbers, but no redundant rows. */
TEST(small_parts_of_large_models_are_meant)
{
    static const char *const texts[] = {
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, -1, 0]}\n"
        "  - {name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
        "  - {name: block, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0]}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], rate: 1}\n"
        "  - {name: B, between: [crank, rod], at: [0, 1e-6, 0], axis: [0, 0, 1], rate: -1}\n"
        "  - {name: C, between: [rod, block], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: D, type: prismatic, between: [ground, block], at: [1, 0, 0], axis: [1, 0, "
        "0]}\n",
        "points: {name: top, mass: 1, position: [0, 0, 1000]}\n"
        "bodies:\n"
        "  - {name: mast, mass: 1e3, inertia: [1e6, 1e6, 1e3], position: [0, 0, 500]}\n"
        "  - {name: a, mass: 1e-3, inertia: [1e-10, 1e-9, 1e-9], position: [0, 0, 1000]}\n"
        "  - {name: b, mass: 1e-3, inertia: [1e-10, 1e-9, 1e-9], position: [0.5e-3, 1e-3, 1000]}\n"
        "  - {name: c, mass: 1e-3, inertia: [1e-10, 1e-9, 1e-9], position: [1e-3, 0.5e-3, 1000]}\n"
        "supports: {on: mast, type: hinge, axis: [0, 1, 0], at: [0, 0, 500]}\n"
        "joints:\n"
        "  - {name: A, between: [mast, a], at: [0, 0, 1000], axis: [0, 0, 1], rate: 1}\n"
        "  - {name: B, between: [a, b], at: [0, 1e-3, 1000], axis: [0, 0, 1]}\n"
        "  - {name: C, between: [b, c], at: [1e-3, 1.2e-3, 1000], axis: [0, 0, 1]}\n"
        "  - {name: D, between: [c, mast], at: [1e-3, 0, 1000], axis: [0, 0, 1]}\n",
        "bodies: {name: door, mass: 30, inertia: [10, 12, 2], position: [400000.45, 5e6, 1], "
        "rotation: {axis: [1, 2, 3], angle: 0.7}}\n"
        "joints:\n"
        "  - {name: h1, between: [ground, door], at: [400000, 5e6, 0.2], axis: [0, 0, 1], rate: "
        "2}\n"
        "  - {name: h2, between: [ground, door], at: [400000, 5e6, 1.8], axis: [0, 0, 1]}\n"};
    for (int k = 0; k < 3; k++) {
        olo_error error = {0};
        const bool started = starts(texts[k], &error);
        if (!started)
            print_message("%s\n", error.text);
        check_true(started);
    }
}

TEST_MAIN(cmocka_unit_test(misaligned_joints_are_refused_with_names_and_amount),
          cmocka_unit_test(joints_that_are_aligned_within_rounding_leave_the_motion_free),
          cmocka_unit_test(offsets_that_are_meant_lock_the_motion),
          cmocka_unit_test(mechanisms_close_to_a_singular_position_run),
          cmocka_unit_test(small_parts_of_large_models_are_meant))
