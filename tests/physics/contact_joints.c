/* Rigid stops and dry friction along joint coordinates, and ropes, against exact solutions. */
#include "scene.h"

#include "stepping/step.h"

static double coordinate(const scene *s, int i)
{
    return olo_system_joint_coordinate_value(s->system, s->state, i);
}

static double rate(const scene *s, int i)
{
    return olo_system_joint_coordinate_rate(s->system, s->state, i);
}

static scene open_with(const char *text, const char *name, const char *value)
{
    const olo_setting settings[] = {{name, value}};
    return scene_open_set(text, NULL, settings, 1);
}

/* --- stops --- */

/* A pendulum m = 2, l = 0.6, J about its centre, released at 1 rad beside a stop at its lowest
 * point. */
enum { MASS = 2 };
static const double length = 0.6, inertia = 0.1, amplitude = 1, g = 9.81;
static const char *const pendulum =
    "parameters: {r: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: bob, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.6*sin(1), 0, "
    "-0.6*cos(1)]}\n"
    "joints: {name: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], upper: 1, "
    "stop_restitution: r}\n"
    "run: {step: 0.01}\n";

/* A quarter of the period: K(sin(amplitude/2))/omega, by the arithmetic-geometric mean. */
static double quarter_period(void)
{
    const double omega = sqrt(MASS * g * length / (inertia + MASS * length * length));
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 10; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1) / (2 * a * omega);
}

/* Elastic: it returns to its start after half a period, and hits the stop after a quarter. The
 * error is of second order, energy is constant. */
TEST(a_pendulum_hits_its_stop_after_a_quarter_of_its_period)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = open_with(pendulum, "r", "1");
        const double energy = scene_ledger(&s).total;
        const int steps = k == 0 ? 51 : 102;
        const double h = 2 * quarter_period() / steps;
        scene_run(&s, h, steps / 2);
        check_text("contact", s.run.scheme);
        check_close(0, scene_ledger(&s).closed, 0);
        scene_run(&s, h, 1);
        check_close(0, scene_ledger(&s).impact, 1e-13);
        scene_run(&s, h, steps - steps / 2 - 1);
        error[k] = fabs(rate(&s, 0));
        check_close(0, coordinate(&s, 0), 1e-5);
        check_close(energy, scene_ledger(&s).total, 1e-12);
        check_true(rate(&s, 0) != 0);
        scene_close(&s);
    }
    check_close(2, log2(error[0] / error[1]), 0.1);
}

/* Each impact leaves e^2 of the kinetic energy, which at the lowest point is all of it. */
TEST(each_impact_on_a_stop_leaves_a_share_of_the_energy)
{
    scene s = open_with(pendulum, "r", "0.5");
    const double fall = MASS * g * length * (1 - cos(amplitude)), bottom = -MASS * g * length;
    double t = quarter_period() + 0.1;
    scene_run(&s, 0.01, lround(t / 0.01));
    check_close(bottom + 0.25 * fall, scene_ledger(&s).total, 1e-11);
    check_close(0.75 * fall, scene_ledger(&s).impact, 1e-11);
    /* the largest angle after it has this energy */
    double least = 1;
    for (int i = 0; i < 60; i++) {
        scene_run(&s, 0.01, 1);
        least = fmin(least, coordinate(&s, 0));
        check_true(coordinate(&s, 0) <= 1 + 1e-12);
    }
    check_close(1 - acos(1 - 0.25 * (1 - cos(1))), least, 1e-3);
    scene_close(&s);
}

/* A pendulum that rests on a plastic stop: the stop has the moment of its weight. */
TEST(a_stop_carries_a_pendulum_at_rest)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\n"
                         "bodies: {name: bob, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.6, "
                         "0, 0]}\n"
                         "joints: {name: hinge, between: [ground, bob], at: [0, 0, 0], axis: [0, "
                         "1, 0], lower: -1, upper: 30*deg, stop_restitution: 0}\n"
                         "run: {step: 0.01}\n",
                         NULL);
    const double angle = acos(-1) / 6;
    olo_contact_state lower, upper;
    scene_run(&s, 0.01, 100);
    check_close(angle, coordinate(&s, 0), 1e-12);
    check_close(0, rate(&s, 0), 1e-15);
    olo_system_contact(s.system, s.state, 0, &lower);
    olo_system_contact(s.system, s.state, 1, &upper);
    check_text("hinge.lower", olo_system_contact_name(s.system, 0));
    check_text("hinge.upper", olo_system_contact_name(s.system, 1));
    check_close(1 + angle, lower.gap, 1e-12);
    check_close(0, lower.force[0], 0);
    check_true(upper.closed && !lower.closed);
    check_close(MASS * g * length * cos(angle), upper.force[0], 1e-10);
    scene_close(&s);
}

/* Every coordinate of every joint stays between its stops; energy never rises, the balance is
 * closed. */
TEST(every_joint_coordinate_has_stops_and_friction)
{
    static const struct {
        const char *type, *coordinate;
        int number;
    } row[] = {{"revolute", "angle", 0},         {"prismatic", "position", 0},
               {"cylindrical", "position", 0},   {"cylindrical", "angle", 1},
               {"planar", "position1", 0},       {"planar", "position2", 1},
               {"planar, rate: 2", "angle", 2},  {"universal", "angle1", 0},
               {"universal", "angle2", 1},       {"screw, pitch: 0.3", "angle", 1},
               {"point-on-line", "position", 0}, {"point-on-plane", "position1", 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: [1, 3, -5]\n"
                 "bodies: {name: a, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.2, 0.1, "
                 "-0.1]}\n"
                 "joints: {name: j, type: %s, between: [ground, a], at: [0, 0, 0], axis: [1, 2, "
                 "0.5], %s coordinate: %s, lower: -0.1, upper: 0.15, stop_restitution: 0.5, "
                 "friction: 0.02}\n"
                 "run: {step: 0.01}\n",
                 row[i].type, strcmp(row[i].type, "universal") == 0 ? "axis2: [2, -1, 0]," : "",
                 row[i].coordinate);
        scene s = scene_open(text, NULL);
        double energy = scene_ledger(&s).total;
        const double balance = energy;
        for (int k = 0; k < 100; k++) {
            scene_run(&s, 0.01, 1);
            const olo_ledger ledger = scene_ledger(&s);
            check_true(ledger.total <= energy + 1e-12);
            check_close(balance, ledger.balance, 1e-11);
            check_true(coordinate(&s, row[i].number) <= 0.15 + 1e-9);
            check_true(coordinate(&s, row[i].number) >= -0.1 - 1e-9);
            energy = ledger.total;
        }
        check_true(scene_ledger(&s).friction > 1e-4);
        check_true(scene_ledger(&s).impact > 1e-4);
        scene_close(&s);
    }
}

/* --- ropes --- */

/* Two masses fly apart until their rope is taut: the relative velocity along the rope is reversed
 * times e, that across it is unchanged. Then they fly freely. */
TEST(a_rope_that_becomes_taut_has_the_exact_jump)
{
    static const char *const text =
        "points:\n"
        "  - {name: a, mass: 1, position: [0, 0, 0], velocity: [-0.4, 0.1, 0]}\n"
        "  - {name: b, mass: 3, position: [0.5, 0, 0], velocity: [1, 0.5, 0.2]}\n"
        "contacts: {type: rope, between: [a, b], length: 1, restitution: 0.5}\n"
        "run: {step: 0.01}\n";
    const double x[3] = {0.5, 0, 0}, v[3] = {1.4, 0.4, 0.2};
    scene s = scene_open(text, NULL);
    /* |x + v t| = 1 */
    double xx = 0, xv = 0, vv = 0, n[3], along = 0;
    for (int k = 0; k < 3; k++) {
        xx += x[k] * x[k];
        xv += x[k] * v[k];
        vv += v[k] * v[k];
    }
    const double t = (-xv + sqrt(xv * xv - vv * (xx - 1))) / vv;
    for (int k = 0; k < 3; k++) {
        n[k] = x[k] + v[k] * t;
        along += n[k] * v[k];
    }
    scene_run(&s, 0.01, 50);
    const double *a = scene_v(&s, "a"), *b = scene_v(&s, "b"), *qa = scene_q(&s, "a"),
                 *qb = scene_q(&s, "b");
    const double before[2][3] = {{-0.4, 0.1, 0}, {1, 0.5, 0.2}};
    for (int k = 0; k < 3; k++) {
        const double impulse = 0.75 * 1.5 * along * n[k]; /* reduced mass 3/4, 1 + e */
        check_close(before[0][k] + impulse, a[k], 1e-12);
        check_close(before[1][k] - impulse / 3, b[k], 1e-12);
        check_close(n[k] + (0.5 - t) * (v[k] - 1.5 * along * n[k]), qb[k] - qa[k], 1e-12);
    }
    check_close(0.5 * 0.75 * 0.75 * along * along, scene_ledger(&s).impact, 1e-12);
    scene_close(&s);
}

/* --- friction --- */

/* A slider m = 2 with friction 3 N stops after m v/F at m v^2/(2 F) and stays there. */
TEST(a_slider_with_dry_friction_stops_at_the_exact_time)
{
    static const char *const text =
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [1.5, 0, 0]}\n"
        "joints: {name: j, type: prismatic, between: [ground, a], axis: [1, 0, 0], friction: 3}\n"
        "run: {step: 0.01}\n";
    static const char *const schemes[] = {"contact", "contact-captured", "contact-two-step",
                                          "moreau"};
    for (int i = 0; i < 4; i++) {
        scene s = open_with(text, "run.scheme", schemes[i]);
        scene_run(&s, 0.01, 60);
        check_close(1.5 - 1.5 * 0.6, rate(&s, 0), 1e-13);
        check_close(1.5 * 0.6 - 0.5 * 1.5 * 0.36, coordinate(&s, 0), 1e-13);
        scene_run(&s, 0.01, 40);
        check_close(0, rate(&s, 0), 1e-13);
        check_close(0.75, coordinate(&s, 0), 1e-12);
        if (i < 3)
            check_close(2.25, scene_ledger(&s).friction, 1e-12);
        scene_run(&s, 0.01, 2);
        const double x = coordinate(&s, 0);
        scene_run(&s, 0.01, 20);
        check_close(x, coordinate(&s, 0), i == 2 ? 1e-14 : 0); /* two-step does not settle */
        scene_close(&s);
    }
}

/* A rotor loses the torque times the angle, and stands still within a step of J omega/T. */
TEST(a_rotor_with_dry_friction_spins_down)
{
    static const char *const text =
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.2]}\n"
        "joints: {name: j, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], rate: 8.03, "
        "friction: 0.7}\n"
        "run: {step: 0.01}\n";
    scene s = scene_open(text, NULL);
    const double start = scene_ledger(&s).total, stop = 0.2 * 8.03 / 0.7;
    olo_contact_state contact;
    scene_run(&s, 0.01, lround(floor(stop / 0.01)) - 1);
    check_close(0.7 * coordinate(&s, 0), scene_ledger(&s).friction, 1e-12);
    check_close(start, scene_ledger(&s).balance, 1e-12);
    check_close(8.03 - 3.5 * olo_state_time(s.state), rate(&s, 0), 2e-3);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_text("j.friction", olo_system_contact_name(s.system, 0));
    check_close(-0.7, contact.force[0], 1e-12);
    check_true(!contact.sticking);
    scene_run(&s, 0.01, 4);
    check_close(0, rate(&s, 0), 1e-16);
    check_close(0.5 * 8.03 * stop, coordinate(&s, 0), 2e-3);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_true(contact.sticking);
    check_close(0, scene_ledger(&s).closed, 0); /* it is no contact with a gap */
    scene_close(&s);
}

/* A slider on an incline: below the friction it does not move at all, and friction has the weight;
 * beyond, the difference accelerates it. */
TEST(dry_friction_holds_or_subtracts_its_force)
{
    static const char *const text =
        "parameters: {f: 0}\n"
        "gravity: [4, 0, -9]\n"
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "joints: {name: j, type: prismatic, between: [ground, a], axis: [1, 0, 0], friction: f}\n"
        "run: {step: 0.01}\n";
    olo_contact_state contact;
    scene s = open_with(text, "f", "8.5");
    scene_run(&s, 0.01, 50);
    check_close(0, coordinate(&s, 0), 0);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_close(-8, contact.force[0], 1e-12);
    scene_close(&s);
    s = open_with(text, "f", "7");
    scene_run(&s, 0.01, 50);
    check_close(0.25, rate(&s, 0), 1e-13);
    check_close(0.5 * 0.5 * 0.25, coordinate(&s, 0), 1e-13);
    scene_close(&s);
}

/* Dry friction has no impulse: an elastic stop reverses the velocity, and all energy is lost on the
 * way, F times the path. */
TEST(dry_friction_takes_no_part_in_impacts)
{
    scene s = scene_open("bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], velocity: [1.5, 0, "
                         "0]}\n"
                         "joints: {name: j, type: prismatic, between: [ground, a], axis: [1, 0, "
                         "0], friction: 1.2, upper: 0.3, stop_restitution: 1}\n"
                         "run: {step: 0.01}\n",
                         NULL);
    const double v = sqrt(1.5 * 1.5 - 2 * 0.6 * 0.3), t = (1.5 - v) / 0.6;
    scene_run(&s, 0.01, 100);
    check_close(-v + 0.6 * (1 - t), rate(&s, 0), 1e-12);
    check_close(0.3 - v * (1 - t) + 0.3 * (1 - t) * (1 - t), coordinate(&s, 0), 1e-12);
    check_close(0, scene_ledger(&s).impact, 1e-13);
    check_close(1.2 * (0.6 - coordinate(&s, 0)), scene_ledger(&s).friction, 1e-12);
    scene_close(&s);
}

/* Other values of parameters reach stops and friction. */
TEST(stops_and_friction_follow_parameters)
{
    static const char *const text =
        "parameters: {u: 0.3, r: 0.2, f: 1.2}\n"
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.2, 0, 0]}\n"
        "joints: {name: j, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], friction: f, "
        "upper: u, stop_restitution: r}\n";
    static const char *const names[] = {"u", "r", "f"};
    const double values[] = {0.4, 0.7, 0.5};
    olo_error error = {0};
    olo_system *other;
    scene s = scene_open(text, NULL);
    check_ok(olo_system_with_parameters(s.model, s.system, 3, names, values, &other, &error),
             &error);
    const olo_at at = {.q = olo_state_configuration(s.state), .angles = s.state->angles};
    check_close(0.5, other->contacts[0].friction, 0);
    check_close(0.7, other->contacts[1].restitution, 0);
    check_close(0.4, olo_constraint_value(&other->contacts[1].gap, &at), 1e-15);
    check_close(0.3, olo_constraint_value(&s.system->contacts[1].gap, &at), 1e-15);
    olo_system_free(other);
    scene_close(&s);
}

/* --- rolling --- */

/* An unbalanced disc rolls down an inclined plane, on which it is held by a wall without friction
 * and without loss: energy is constant at any step, in both forms and in the published scheme, but
 * for rounding of the kinetic energy in each step and what the solver leaves of an impact. */
TEST(a_rolling_disc_at_a_wall_conserves_its_energy)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: b, mass: 0.3, center: [0.01, -0.02, 0.015], inertia: [8e-4, 1.2e-3, "
        "1.5e-3, 5e-5, -4e-5, 3e-5], rotation: {axis: [1, 2, -1], angle: 0.7}, position: "
        "[0.357095659811149, 0.093969832544504, -0.094363654619], angular_velocity: [2, 9, -1]}\n"
        "joints: {type: rolling-disc, between: [[0.3, 0.1, -0.2], {on: b, at: [0.005, 0.01, "
        "-0.01]}], axis: [0.2, 0.9, 0.3], normal: [0.1, -0.2, 1], radius: 0.1}\n"
        "contacts: {point: b, origin: [0.4, 0, 0], normal: [-1, 0, 0], restitution: 1}\n"
        "run: {step: 0.005}\n";
    static const char *const forms[] = {"reduced", "multipliers"};
    static const char *const schemes[] = {"contact", "contact-captured", "contact-two-step"};
    static const double step[] = {0.005, 0.02}, rounding = 5e-15, left = 1e-12;
    for (int k = 0; k < 3; k++)
        for (int f = 0; f < 2; f++)
            for (int i = 0; i < 2; i++) {
                const olo_setting setting = {"run.scheme", schemes[k]};
                scene s = scene_open_set(text, forms[f], &setting, 1);
                const olo_ledger start = scene_ledger(&s);
                long impacts = 0;
                for (int n = 0; n < lround(1 / step[i]); n++) {
                    scene_run(&s, step[i], 1);
                    impacts += s.stepper->contact->report.impacts;
                    check_close(start.total, scene_ledger(&s).total,
                                ((double)(n + 1) * rounding + (double)impacts * left) *
                                    start.kinetic);
                    check_below(scene_ledger(&s).velocity_error, 1e-12);
                }
                check_true(impacts > 0);
                scene_close(&s);
            }
}

TEST_MAIN(cmocka_unit_test(a_pendulum_hits_its_stop_after_a_quarter_of_its_period),
          cmocka_unit_test(each_impact_on_a_stop_leaves_a_share_of_the_energy),
          cmocka_unit_test(a_stop_carries_a_pendulum_at_rest),
          cmocka_unit_test(every_joint_coordinate_has_stops_and_friction),
          cmocka_unit_test(a_rope_that_becomes_taut_has_the_exact_jump),
          cmocka_unit_test(a_slider_with_dry_friction_stops_at_the_exact_time),
          cmocka_unit_test(a_rotor_with_dry_friction_spins_down),
          cmocka_unit_test(dry_friction_holds_or_subtracts_its_force),
          cmocka_unit_test(dry_friction_takes_no_part_in_impacts),
          cmocka_unit_test(stops_and_friction_follow_parameters),
          cmocka_unit_test(a_rolling_disc_at_a_wall_conserves_its_energy))
