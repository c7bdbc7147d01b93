/* Friction between two moving bodies: exact solutions, and momenta that it does not change. */
#include "scene.h"

#include "stepping/step.h"

/* A block slides on a plank that slides freely: both have the same velocity after
 * v/(mu g (1 + m/M)), and the momentum is unchanged. */
TEST(a_block_takes_a_plank_along)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: plank, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "points: {name: block, mass: 1, position: [0.1, 0.2, 0.05], velocity: [2, 0, 0]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, plank], axis: [1, 0, 0]}\n"
        "contacts: {point: block, on: plank, origin: [0, 0, 0.05], friction: 0.3}\n"
        "run: {step: 0.01}\n";
    scene s = scene_open(text, NULL);
    const double slow = 0.3 * 9.81, meet = 2 / (1.5 * slow);
    const int steps = (int)floor(meet / 0.01);
    scene_run(&s, 0.01, steps);
    const double t = olo_state_time(s.state);
    check_close(2 - slow * t, scene_v(&s, "block")[0], 1e-12);
    check_close(0.5 * slow * t, scene_v(&s, "plank")[0], 1e-12);
    check_close(0.1 + 2 * t - 0.5 * slow * t * t, scene_q(&s, "block")[0], 1e-12);
    check_close(0.2, scene_q(&s, "block")[1], 1e-14);
    for (int i = 0; i < 20; i++) {
        scene_run(&s, 0.01, 1);
        check_close(2, scene_ledger(&s).linear_momentum[0], 1e-13);
    }
    check_close(2.0 / 3, scene_v(&s, "block")[0], 1e-13);
    check_close(2.0 / 3, scene_v(&s, "plank")[0], 1e-13);
    /* the lost energy is that of the relative motion, with what the settling impulse takes */
    check_close(0.5 * (2.0 / 3) * 4, scene_ledger(&s).dissipation, 1e-12);
    check_close(0.5 * (2.0 / 3) * 4, scene_ledger(&s).friction, 1e-12);
    check_close(0, scene_ledger(&s).impact, 1e-14);
    scene_close(&s);
}

/* A solid sphere rolls on a plank that a force pulls: its acceleration is 2/7 of the plank's, which
 * is F/(M + 2/7 m). The error is of second order. */
TEST(a_sphere_rolls_on_a_plank_that_is_pulled)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: plank, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.15]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, plank], axis: [1, 0, 0], force: "
        "3}\n"
        "contacts: {point: ball, radius: 0.1, on: plank, origin: [0, 0, 0.05], friction: 0.5}\n"
        "run: {step: 0.01}\n";
    const double a = 3 / (2 + 2.0 / 7);
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(text, NULL);
        scene_run(&s, k == 0 ? 0.02 : 0.01, k == 0 ? 25 : 50);
        error[k] = fabs(scene_v(&s, "ball")[0] - 2.0 / 7 * a * 0.5);
        check_close(a * 0.5, scene_v(&s, "plank")[0], 1e-2);
        check_below(error[k], 1e-2);
        check_close(0.15, scene_q(&s, "ball")[2], 1e-12);
        scene_close(&s);
    }
    check_close(2, log2(error[0] / error[1]), 0.1);
}

/* Two free bodies in space, a ball that a spring pulls to a plate, spinning and sliding on it:
 * friction and impacts between them change neither momentum nor angular momentum, and take energy.
 */
TEST(friction_between_bodies_conserves_momenta)
{
    static const char *const text =
        "parameters: {r: 0}\n"
        "bodies:\n"
        "  - {name: plate, mass: 2, inertia: [0.2, 0.25, 0.4], velocity: [0.1, 0.2, 0], "
        "angular_velocity: [0.3, -0.4, 0.5]}\n"
        "  - {name: ball, mass: 1, inertia: [0.004, 0.005, 0.006], position: [0.05, 0.1, 0.12], "
        "velocity: [1, 0.5, 0], angular_velocity: [3, -8, 12]}\n"
        "springs: {between: [plate, ball], stiffness: 60, length: 0}\n"
        "contacts:\n"
        "  - {name: top, point: ball, radius: 0.1, on: plate, friction: 0.3, restitution: r, "
        "law: contensou, patch: 0.02}\n"
        "run: {step: 0.01}\n";
    static const char *const restitution[] = {"0", "0.6"};
    for (int k = 0; k < 2; k++) {
        const olo_setting settings[] = {{"r", restitution[k]}};
        scene s = scene_open_set(text, NULL, settings, 1);
        const olo_ledger start = scene_ledger(&s);
        double energy = start.total;
        int sliding = 0;
        check_equal(7, s.system->invariant_count); /* energy and all momenta */
        for (int i = 0; i < 100; i++) {
            scene_run(&s, 0.01, 1);
            const olo_ledger now = scene_ledger(&s);
            for (int c = 0; c < 3; c++) {
                check_close(start.linear_momentum[c], now.linear_momentum[c], 1e-13);
                check_close(start.angular_momentum[c], now.angular_momentum[c], 1e-13);
            }
            check_true(now.total <= energy + 1e-12);
            check_close(start.balance, now.balance, 1e-11);
            energy = now.total;
            sliding += now.friction > 0;
        }
        check_true(sliding > 0 && energy < start.total - 0.01);
        scene_close(&s);
    }
}

/* Points of a box on a plate that both fly: sticking pairs change no momentum either. */
TEST(a_box_that_sticks_to_a_plate_conserves_momenta)
{
    static const char *const text =
        "bodies:\n"
        "  - {name: plate, mass: 2, inertia: [0.2, 0.25, 0.4], angular_velocity: [0.2, 0.3, 2]}\n"
        "  - {name: box, mass: 1, inertia: [0.01, 0.012, 0.015], position: [0.3, 0, 0.05], "
        "velocity: [0.015, 0.6, -0.09], angular_velocity: [0.2, 0.3, 2]}\n"
        "springs: {between: [{on: plate, at: [0.3, 0, 0]}, box], stiffness: 200, length: 0}\n"
        "contacts:\n"
        "  - {point: {on: box, at: [0.1, 0.1, -0.05]}, on: plate, friction: 0.8}\n"
        "  - {point: {on: box, at: [-0.1, 0.1, -0.05]}, on: plate, friction: 0.8}\n"
        "  - {point: {on: box, at: [0, -0.1, -0.05]}, on: plate, friction: 0.8}\n"
        "run: {step: 0.01}\n";
    scene s = scene_open(text, NULL);
    const olo_ledger start = scene_ledger(&s);
    double energy = start.total;
    for (int i = 0; i < 50; i++) {
        scene_run(&s, 0.01, 1);
        const olo_ledger now = scene_ledger(&s);
        for (int c = 0; c < 3; c++) {
            check_close(start.linear_momentum[c], now.linear_momentum[c], 1e-13);
            check_close(start.angular_momentum[c], now.angular_momentum[c], 1e-13);
        }
        check_true(now.total <= energy + 1e-12);
        energy = now.total;
        check_close(0, now.penetration, 1e-10);
    }
    scene_close(&s);
}

/* A beam falls flat onto the floor, where each node has a contact: it stops at the exact time with
 * all its energy lost, its nodes carry the weight of their parts, and it sticks. */
TEST(nodes_of_a_beam_lie_on_the_floor)
{
    static const char *const text =

        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  - {name: beam, elements: 4, from: [0, 0, 0.2], to: [1, 0, 0.2], d1: [0, 1, 0], section: "
        "{type: rectangle, width: 0.05, height: 0.02, young: 1e9, poisson: 0.3, density: 1000}}\n"
        "contacts:\n"
        "  - {name: \"node{i}\", repeat: {i: [1, 5]}, point: \"beam.{i}\", friction: 0.3}\n"
        "run: {step: 0.01}\n";
    const double mass = 1000 * 0.05 * 0.02;
    scene s = scene_open(text, NULL);
    scene_run(&s, 0.01, 50);
    const olo_ledger now = scene_ledger(&s);
    double sum = 0;
    check_close(mass * 9.81 * 0.2, now.impact, 1e-10);
    check_close(0, now.kinetic, 1e-20);
    check_equal(5, now.closed);
    for (int c = 0; c < 5; c++) {
        olo_contact_state contact;
        olo_system_contact(s.system, s.state, c, &contact);
        check_close(0, contact.gap, 1e-12);
        check_close(mass * 9.81 * (c == 0 || c == 4 ? 0.125 : 0.25), contact.normal, 1e-8);
        check_true(contact.sticking);
        sum += contact.normal;
    }
    check_close(mass * 9.81, sum, 1e-10);
    scene_close(&s);
}

/* A soft beam falls obliquely and bounces on its nodes. The end gap is no smooth function of the
 * length of a part: it has kinks where contacts change their status, gaps of nodes that almost
 * touch begin at rounding errors, and long parts have no solution. All impacts are located
 * nevertheless: no node is below the floor by more than a closed gap. */
TEST(an_oblique_beam_does_not_penetrate_the_floor)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  - {name: beam, elements: 6, from: [0, 0, 0.3], to: [1, 0, 0.6], d1: [0, 1, 0], section: "
        "{type: rectangle, width: 0.05, height: 0.02, young: 1e8, poisson: 0.3, density: 1000}}\n"
        "contacts:\n"
        "  - {name: \"node{i}\", repeat: {i: [1, 7]}, point: \"beam.{i}\", friction: 0.4, "
        "restitution: 0.3}\n"
        "run: {step: 0.005}\n";
    scene s = scene_open(text, NULL);
    const double balance = scene_ledger(&s).balance;
    double energy = balance;
    for (int i = 0; i < 200; i++) {
        scene_run(&s, 0.005, 1);
        const olo_ledger now = scene_ledger(&s);
        check_below(now.penetration, 1e-10);
        check_true(now.total <= energy + 1e-12);
        check_close(balance, now.balance, 1e-11);
        energy = now.total;
    }
    check_true(scene_ledger(&s).impact > 4);
    scene_close(&s);
}

/* A box that slides and turns about a heavy ball, on its corners, with steps so long that the
 * tangent of the step is indefinite and a contact has a negative mobility. A force without contact
 * is no solution then either: energy does not rise. */
TEST(energy_does_not_rise_where_a_mobility_is_negative)
{
    static const char *const text =
        "parameters: {a: 0.2665, c: 0.136}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: ball, shapes: {type: sphere, radius: 0.28, density: 1000}, position: [-0.107, "
        "0.111, 0.500015], rotation: {axis: [1, 0.7492755253334762, 0.4127695718583895], angle: "
        "1.7164741185192804}}\n"
        "  - {name: box, shapes: {type: box, size: [2*a, 2*a, 2*c], density: 100}, position: "
        "[-0.056, -0.193, 1.2], rotation: {axis: [1, 0.9862001291087547, 0.825066309651885], "
        "angle: 0.30842551126988227}}\n"
        "joints: {name: j, type: cylindrical, between: [ball, box], at: [0, 0, 0.85], axis: [1, "
        "0.2, 0.3]}\n"
        "contacts:\n"
        "  - {point: ball, radius: 0.28, restitution: 0.3, friction: 1.5, tangential_restitution: "
        "0.5}\n"
        "  - {point: {on: box, at: [-a, -a, -c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [a, -a, -c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [-a, a, -c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [a, a, -c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [-a, -a, c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [a, -a, c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [-a, a, c]}, restitution: 1}\n"
        "  - {point: {on: box, at: [a, a, c]}, restitution: 1}\n"
        "run: {step: 0.3}\n";
    scene s = scene_open(text, "reduced");
    double energy = scene_ledger(&s).total;
    const double balance = energy;
    for (int i = 0; i < 60; i++) {
        scene_run(&s, 0.3, 1);
        const olo_ledger now = scene_ledger(&s);
        check_true(now.total <= energy + 1e-10);
        check_close(balance, now.balance, 1e-9);
        energy = now.total;
    }
    scene_close(&s);
}

/* It falls onto a sphere instead, bends and jumps: energy does not rise, the balance is closed. */
TEST(a_beam_bounces_on_a_sphere)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "beams:\n"
        "  - {name: beam, elements: 4, from: [0, 0, 0.2], to: [1, 0, 0.25], d1: [0, 1, 0], "
        "section: "
        "{type: rectangle, width: 0.05, height: 0.02, young: 1e8, poisson: 0.3, density: 1000}}\n"
        "contacts:\n"
        "  - {name: \"node{i}\", repeat: {i: [1, 5]}, type: distance, between: [[0.45, 0.01, "
        "-0.5], "
        "\"beam.{i}\"], radii: [0.6, 0.01], friction: 0.3, restitution: 0.3}\n"
        "run: {step: 0.005}\n";
    scene s = scene_open(text, NULL);
    const double balance = scene_ledger(&s).balance;
    double energy = balance;
    for (int i = 0; i < 80; i++) {
        scene_run(&s, 0.005, 1);
        const olo_ledger now = scene_ledger(&s);
        check_true(now.total <= energy + 1e-11);
        check_close(balance, now.balance, 1e-10);
        check_below(now.constraint_error, 1e-12);
        energy = now.total;
    }
    check_true(scene_ledger(&s).impact > 1e-3);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_block_takes_a_plank_along),
          cmocka_unit_test(a_sphere_rolls_on_a_plank_that_is_pulled),
          cmocka_unit_test(friction_between_bodies_conserves_momenta),
          cmocka_unit_test(a_box_that_sticks_to_a_plate_conserves_momenta),
          cmocka_unit_test(nodes_of_a_beam_lie_on_the_floor),
          cmocka_unit_test(an_oblique_beam_does_not_penetrate_the_floor),
          cmocka_unit_test(energy_does_not_rise_where_a_mobility_is_negative),
          cmocka_unit_test(a_beam_bounces_on_a_sphere))
