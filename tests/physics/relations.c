/* Universal, screw and distance joints, relations between joint coordinates, prescribed motions:
 * comparison with analytic motions, and the laws that are satisfied for any step. */
#include "scene.h"

#include "linalg/vec3.h"
#include "stepping/step.h"

static const double pi = 3.14159265358979323846;
static const char *const exact_treatments[] = {"reduced", "multipliers", "projected"};

static double coordinate(const scene *s, const char *name)
{
    int i = olo_system_find_joint_coordinate(s->system, name);
    check_true(i >= 0);
    return olo_system_joint_coordinate_value(s->system, s->state, i);
}

static double rate(const scene *s, const char *name)
{
    int i = olo_system_find_joint_coordinate(s->system, name);
    check_true(i >= 0);
    return olo_system_joint_coordinate_rate(s->system, s->state, i);
}

static int dofs(const scene *s)
{
    olo_counts counts;
    olo_error error = {0};
    check_ok(olo_system_counts(s->system, &counts, &error), &error);
    return counts.degrees_of_freedom;
}

static double error_at(const char *text, const char *name, double end, int steps, double expected)
{
    scene s = scene_open(text, NULL);
    scene_run(&s, end / steps, steps);
    double error = fabs(coordinate(&s, name) - expected);
    scene_close(&s);
    return error;
}

/* Second order: each halving of the step divides the error by four. */
static void check_second_order(const char *text, const char *name, double end, int steps,
                               double expected, double tolerance)
{
    double coarse = error_at(text, name, end, steps, expected);
    double fine = error_at(text, name, end, 2 * steps, expected);
    check_close(2, log2(coarse / fine), 0.05);
    check_below(fine, tolerance);
}

/* Checks all laws of a scene: conserved quantities, constraints, and the number of degrees of
 * freedom. */
static void check_laws(const char *text, int mobility)
{
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_equal(mobility, dofs(&s));
        check_below(scene_drift(&s, 0.02, 250), 1e-12);
        check_below(scene_ledger(&s).constraint_relative, 1e-13);
        scene_close(&s);
    }
}

/* Compares the treatments with `reduced` after some steps; penalties within their errors. */
static void check_treatments_agree(const char *text)
{
    static const struct {
        const char *name;
        double tolerance;
    } others[] = {
        {"multipliers", 1e-9}, {"projected", 1e-9}, {"augmented", 1e-7}, {"penalty", 1e-3}};
    scene one = scene_open(text, "reduced");
    scene_run(&one, 0.01, 60);
    for (int i = 0; i < 4; i++) {
        olo_setting settings[] = {{"run.penalty", "1e8"}, {"run.augmented_tolerance", "1e-11"}};
        scene two = scene_open_set(text, others[i].name, settings, 2);
        scene_run(&two, 0.01, 60);
        check_below(scene_distance(one.system->n, olo_state_configuration(two.state),
                                   olo_state_configuration(one.state)),
                    others[i].tolerance);
        check_below(scene_distance(one.system->n, olo_state_velocity(two.state),
                                   olo_state_velocity(one.state)),
                    10 * others[i].tolerance);
        scene_close(&two);
    }
    scene_close(&one);
}

/* --- universal joints --- */

#define BODY_A                                                                                     \
    "bodies:\n  - {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], center: [0.1, 0.05, 0], "           \
    "angular_velocity: [1, -0.5, 2], velocity: [0.1, 0.2, 0.3]}\n"
#define BODY_B                                                                                     \
    "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.15], center: [0, 0.1, 0.02], "                   \
    "position: [1, 0.2, 0.3], rotation: {axis: [1, 2, 3], angle: 1}}\n"
#define UNIVERSAL "type: universal, axis: [0, 0, 1], axis2: [0, 1, 0], rate: 1.5, rate2: -2"

TEST(a_universal_joint_in_free_flight_and_on_the_ground)
{
    check_laws(BODY_A BODY_B "joints: {name: u, " UNIVERSAL ", between: [a, b], at: [0.5, 0, 0]}\n",
               8);
    check_laws(BODY_A BODY_B "joints: {name: u, " UNIVERSAL ", between: [b, a], at: [0.5, 0, 0]}\n",
               8);
    check_laws("gravity: [1, 0, -9.81]\nbodies:\n" BODY_B "joints: {name: u, " UNIVERSAL
               ", between: [ground, b], at: [0.5, 0, 0]}\n",
               2);
    check_laws("gravity: [1, 0, -9.81]\nbodies:\n" BODY_B "joints: {name: u, " UNIVERSAL
               ", between: [b, ground], at: [0.5, 0, 0]}\n",
               2);
}

TEST(treatments_agree_on_universal_joints)
{
    check_treatments_agree(BODY_A BODY_B
                           "gravity: [0, 0, -9.81]\njoints:\n"
                           "  - {type: revolute, between: [ground, a], axis: [1, 1, 0]}\n"
                           "  - {" UNIVERSAL ", between: [a, b], at: [0.5, 0, 0]}\n");
}

/* The orientation of the second body is that of the first, rotated by angle1 about m, then by
 * angle2 about n. */
TEST(angles_of_a_universal_joint_are_those_of_its_cross)
{
    scene s =
        scene_open("gravity: [1, 0, -9.81]\nbodies:\n"
                   "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.15], center: [0, 0.1, 0.2]}\n"
                   "joints: {name: u, " UNIVERSAL ", between: [ground, b]}\n",
                   NULL);
    for (int k = 0; k < 400; k++) {
        scene_run(&s, 0.01, 1);
        double a = coordinate(&s, "u.angle1"), b = coordinate(&s, "u.angle2");
        const double *d = scene_q(&s, "b") + 3;
        /* R = Rz(a) Ry(b), whose columns are the directors */
        const double R[9] = {cos(a) * cos(b), sin(a) * cos(b), -sin(b), -sin(a), cos(a), 0,
                             cos(a) * sin(b), sin(a) * sin(b), cos(b)};
        for (int i = 0; i < 9; i++)
            check_close(R[i], d[i], 1e-13);
    }
    check_true(fabs(coordinate(&s, "u.angle1")) > 2 * pi || fabs(coordinate(&s, "u.angle2")) > pi);
    scene_close(&s);
}

/* Initial rates are those about the two axes. */
TEST(a_universal_joint_starts_with_its_rates)
{
    for (int i = 0; i < 2; i++) {
        scene s = scene_open(i ? "bodies:\n" BODY_B "joints: {name: u, " UNIVERSAL
                                 ", between: [b, ground], at: [0.5, 0, 0]}\n"
                               : "bodies:\n" BODY_B "joints: {name: u, " UNIVERSAL
                                 ", between: [ground, b], at: [0.5, 0, 0]}\n",
                             NULL);
        check_below(s.projection.velocity, 1e-14);
        check_close(1.5, rate(&s, "u.angle1"), 1e-14);
        check_close(-2, rate(&s, "u.angle2"), 1e-14);
        scene_close(&s);
    }
}

/* Two shafts whose axes intersect at an angle beta: tan b = tan a/cos beta for any step size. Three
 * rows of the loop are redundant. */
#define SHAFTS(MOTION)                                                                             \
    "parameters: {beta: 0.5}\nbodies:\n"                                                           \
    "  - {name: input, mass: 1, inertia: [0.2, 0.2, 0.3]}\n"                                       \
    "  - {name: output, mass: 1, inertia: [0.2, 0.3, 0.2]}\n"                                      \
    "joints:\n"                                                                                    \
    "  - {name: in, type: revolute, between: [ground, input], axis: [0, 0, 1], " MOTION "}\n"      \
    "  - {name: cross, type: universal, between: [input, output], axis: [1, 0, 0], axis2: [0, 1, " \
    "0]}\n"                                                                                        \
    "  - {name: out, type: revolute, between: [ground, output], axis: [sin(beta), 0, "             \
    "cos(beta)]}\n"

TEST(cardan_shafts_follow_their_relation)
{
    static const char *const texts[] = {SHAFTS("motion: 3*t + sin(2*t)"), SHAFTS("rate: 3")};
    for (int k = 0; k < 6; k++) {
        scene s = scene_open(texts[k % 2], exact_treatments[k / 2]);
        check_equal(k % 2, dofs(&s));
        for (int i = 0; i < 300; i++) {
            scene_run(&s, 0.02, 1);
            double a = coordinate(&s, "in.angle"), b = coordinate(&s, "out.angle");
            double turns = 2 * pi * nearbyint(a / (2 * pi));
            check_close(atan2(sin(a), cos(a) * cos(0.5)) + turns, b, 2e-11);
        }
        check_true(coordinate(&s, "in.angle") > 2 * pi);
        scene_close(&s);
    }
}

/* --- screws --- */

#define SCREW                                                                                      \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {name: a, mass: 2, inertia: [0.2, 0.3, 0.4]}\n"                                       \
    "joints: {name: s, type: screw, between: [ground, a], axis: [0, 0, 1], pitch: 0.6"

/* l = p/(2 pi): (m + J/l^2) z'' = -m g */
TEST(a_screw_falls_as_its_pitch_lets_it)
{
    const double l = 0.6 / (2 * pi), end = 1.0;
    double z = -0.5 * 9.81 * 2 / (2 + 0.4 / (l * l)) * end * end;
    check_second_order(SCREW "}\n", "s.position", end, 50, z, 1e-4);
    check_second_order(SCREW "}\n", "s.angle", end, 50, z / l, 1e-3);
    scene s = scene_open(SCREW ", rate: 2}\n", NULL);
    check_equal(1, dofs(&s));
    check_below(s.projection.velocity, 1e-15);
    for (int i = 0; i < 200; i++) {
        scene_run(&s, 0.02, 1);
        check_close(l * coordinate(&s, "s.angle"), coordinate(&s, "s.position"), 1e-12);
    }
    scene_close(&s);
}

TEST(a_screw_in_free_flight_and_its_treatments)
{
    check_laws(BODY_A BODY_B "joints: {name: s, type: screw, between: [a, b], at: [0.5, 0, 0], "
                             "axis: [1, 1, 0], pitch: -0.4, rate: 3}\n",
               7);
    check_laws(SCREW ", rate: 1}\n", 1);
    check_treatments_agree(
        BODY_A BODY_B "gravity: [0, 0, -9.81]\njoints: [{type: revolute, between: [ground, a], "
                      "axis: [1, 1, 0]}, {name: s, type: screw, between: [b, a], at: [0.5, 0, 0], "
                      "axis: [1, 0, 0], pitch: 0.4, rate: 3}]\n");
}

/* --- distances --- */

/* A distance joint is a rod. */
TEST(a_distance_joint_is_a_rod)
{
    static const char *const texts[] = {
        BODY_A BODY_B "joints: {name: r, type: distance, between: [{on: a, at: [0.2, 0, 0]}, {on: "
                      "b, at: [0, 0.1, 0]}]}\n",
        BODY_A BODY_B "rods: {name: r, between: [{on: a, at: [0.2, 0, 0]}, {on: b, at: [0, 0.1, "
                      "0]}]}\n"};
    scene s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = scene_open(texts[i], NULL);
        check_equal(11, dofs(&s[i]));
        check_below(scene_drift(&s[i], 0.02, 100), 1e-13);
    }
    check_equal(0, memcmp(olo_state_configuration(s[0].state), olo_state_configuration(s[1].state),
                          (size_t)s[0].system->n * sizeof(double)));
    scene_close(&s[0]);
    scene_close(&s[1]);
}

/* --- gears, mimics, differentials --- */

#define WHEELS                                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.2]}\n"                                           \
    "  - {name: b, mass: 2, inertia: [0.3, 0.3, 0.5], position: [1, 0, 0]}\n"                      \
    "  - {name: c, mass: 1, inertia: [0.2, 0.2, 0.3], position: [2, 0, 0]}\n"                      \
    "joints:\n"                                                                                    \
    "  - {name: ha, type: revolute, between: [ground, a], axis: [0, 0, 1], torque: 1.5}\n"         \
    "  - {name: hb, type: revolute, between: [ground, b], axis: [0, 0, 1]}\n"                      \
    "  - {name: hc, type: revolute, between: [ground, c], axis: [0, 0, 1]}\n"

#define TRAIN                                                                                      \
    WHEELS "relations:\n"                                                                          \
           "  - {name: ab, coordinate: hb.angle, follows: ha.angle, ratio: -0.5}\n"                \
           "  - {name: bc, coordinate: hc, follows: hb, ratio: -2.5}\n"

/* J = Ja + (1/2)^2 Jb + (5/4)^2 Jc */
TEST(a_gear_train_has_its_effective_inertia)
{
    double J = 0.2 + 0.25 * 0.5 + 1.25 * 1.25 * 0.3, angle = 0.5 * 1.5 / J;
    check_second_order(TRAIN, "ha.angle", 1, 40, angle, 1e-3);
    scene s = scene_open(TRAIN, NULL);
    check_equal(1, dofs(&s));
    for (int i = 0; i < 500; i++) {
        scene_run(&s, 0.02, 1);
        check_close(-0.5 * coordinate(&s, "ha.angle"), coordinate(&s, "hb.angle"), 1e-11);
        check_close(1.25 * coordinate(&s, "ha.angle"), coordinate(&s, "hc.angle"), 1e-11);
    }
    check_true(coordinate(&s, "hc.angle") > 20 * pi);
    scene_close(&s);
    check_laws(TRAIN, 1);
    check_treatments_agree(TRAIN);
}

/* Willis: a = 0.4 b + 0.6 c */
TEST(a_differential_adds_two_motions)
{
    scene s = scene_open(WHEELS "relations: {coordinate: ha, follows: hb, ratio: 0.4, also: hc, "
                                "also_ratio: 0.6}\n",
                         NULL);
    check_equal(2, dofs(&s));
    check_below(scene_drift(&s, 0.002, 1000), 1e-12);
    check_close(0.4 * coordinate(&s, "hb.angle") + 0.6 * coordinate(&s, "hc.angle"),
                coordinate(&s, "ha.angle"), 1e-13);
    /* the torque of the row is shared: Jb b'' : Jc c'' = 0.4 : 0.6 */
    check_relative(0.4 / 0.6, 0.5 * rate(&s, "hb.angle") / (0.3 * rate(&s, "hc.angle")), 1e-5);
    scene_close(&s);
}

/* A rack and a wheel: position = r angle; and a mimic joint with an offset, to which the initial
 * state must be moved. */
TEST(a_mimic_takes_its_offset_and_a_rack_its_radius)
{
    const char *text =
        "bodies: [{name: w, mass: 1, inertia: [0.1, 0.1, 0.2]}, {name: r, mass: 3, inertia: [1, 1, "
        "1], "
        "position: [0, 0.5, 0]}]\n"
        "joints: [{name: h, type: revolute, between: [ground, w], axis: [0, 0, 1], torque: 2},\n"
        "  {name: x, type: prismatic, between: [ground, {on: r, at: [0, -0.5, 0]}], axis: [1, 0, "
        "0]}]\n"
        "relations: {coordinate: x, follows: h, ratio: -0.5, offset: 0.25}\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_true(s.projection.position > 0.01);
        double start = coordinate(&s, "h.angle");
        check_close(0.25, coordinate(&s, "x.position") + 0.5 * start, 1e-14);
        scene_run(&s, 0.001, 1000);
        check_close(0.25, coordinate(&s, "x.position") + 0.5 * coordinate(&s, "h.angle"), 1e-13);
        /* J + m r^2 */
        check_close(start + 0.5 * 2 / (0.2 + 3 * 0.25), coordinate(&s, "h.angle"), 1e-5);
        scene_close(&s);
    }
}

/* A relation that is given twice, and one that follows from two others: redundant rows are counted,
 * no message names them, and the model runs. */
TEST(redundant_relations_are_counted_and_run)
{
    const char *text = TRAIN "  - {coordinate: hc, follows: ha, ratio: 1.25}\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_equal(1, dofs(&s));
        check_below(scene_drift(&s, 0.02, 100), 1e-11);
        check_close(1.25 * coordinate(&s, "ha.angle"), coordinate(&s, "hc.angle"), 1e-11);
        scene_close(&s);
    }
}

/* Inside a free system relations and drives change no momentum. */
TEST(relations_and_motions_in_free_flight_conserve_the_momenta)
{
    const char *text = BODY_A BODY_B
        "  - {name: c, mass: 1, inertia: [0.2, 0.2, 0.3], position: [0, 1, 0]}\n"
        "joints:\n"
        "  - {name: h, type: revolute, between: [a, b], at: [0.5, 0, 0], axis: [1, 0, 1], rate: "
        "1}\n"
        "  - {name: k, type: cylindrical, between: [a, c], at: [0, 0.5, 0], axis: [0, 1, 0], "
        "coordinate: position, motion: 0.3*sin(2*t)}\n"
        "relations: {coordinate: k.angle, follows: h, ratio: 2}\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_equal(7, dofs(&s));
        check_equal(7, olo_system_invariant_count(s.system)); /* balance, P, L */
        check_below(scene_drift(&s, 0.02, 200), 1e-12);
        scene_close(&s);
    }
    check_treatments_agree(text);
}

/* --- motions over time --- */

#define PENDULUM                                                                                   \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], center: [0.3, 0, 0]}\n"                  \
    "joints: {name: h, type: revolute, between: [ground, a], axis: [0, -1, 0], "

/* The mean of two neighbouring values, which belongs to the time between them. Single values
 * oscillate about the drive with an amplitude of first order, because a step compensates the
 * velocity error of the last one. */
static double mean_drive(scene *s, double t, double h)
{
    int steps = (int)lround(t / h);
    scene_run(s, h, steps);
    double sum = olo_system_drive_force(s->system, s->state, 0);
    scene_run(s, h, 1);
    return 0.5 * (sum + olo_system_drive_force(s->system, s->state, 0));
}

/* J theta'' + m g r cos theta, with J = 0.3 + 2 0.3^2 */
TEST(inverse_dynamics_of_a_pendulum)
{
    const double t = 0.8, J = 0.48;
    double theta = 1.5 * sin(2 * t), torque = -J * 4 * theta + 2 * 9.81 * 0.3 * cos(theta);
    for (int i = 0; i < 3; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            scene s = scene_open(PENDULUM "motion: 1.5*sin(2*t)}\n", exact_treatments[i]);
            check_equal(0, dofs(&s));
            check_below(s.projection.velocity, 1e-14);
            error[k] = fabs(mean_drive(&s, t, k ? 0.005 : 0.01) - torque);
            scene_close(&s);
        }
        check_below(error[1], 1e-3);
        check_close(2, log2(error[0] / error[1]), 0.1);
    }
}

/* dE is the sum of torque times change of angle, to round-off, for any step size; angle and rate
 * are the prescribed ones. */
TEST(the_work_of_a_drive_is_the_change_of_energy)
{
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(PENDULUM "motion: t + 1.5*sin(2*t)}\n", exact_treatments[i]);
        olo_ledger start = scene_ledger(&s);
        double energy = start.total, sum = 0, before = 0;
        for (int k = 1; k <= 200; k++) {
            scene_run(&s, 0.05, 1);
            double t = 0.05 * k, now = t + 1.5 * sin(2 * t);
            sum += olo_system_drive_force(s.system, s.state, 0) * (now - before);
            before = now;
            olo_ledger ledger = scene_ledger(&s);
            check_close(energy + sum, ledger.total, 1e-11);
            check_close(sum, ledger.work, 1e-11);
            check_close(now, coordinate(&s, "h.angle"), 1e-13);
        }
        scene_close(&s);
    }
}

static double swing(void *context, double t)
{
    const double *amplitude = context;
    return *amplitude * sin(2 * t);
}

/* The derivative of a C function is not known: the initial rate is computed by differences. */
TEST(a_motion_from_a_c_function_is_that_of_the_expression)
{
    double amplitude = 1.5;
    olo_error error = {0};
    scene given = scene_open(PENDULUM "motion: 1.5*sin(2*t)}\n", NULL);
    scene s = {0};
    olo_body body = olo_body_default();
    olo_joint joint = olo_joint_default();
    check_ok(olo_model_create("pendulum", &s.model, &error), &error);
    olo_model_set_gravity(s.model, (const double[3]){0, 0, -9.81});
    body.name = joint.between[1].on = "a";
    body.mass = 2;
    body.center[0] = 0.3;
    vec3_set(0.4, 0, 0, body.inertia);
    vec3_set(0, 0.3, 0, body.inertia + 3);
    vec3_set(0, 0, 0.5, body.inertia + 6);
    vec3_set(0, -1, 0, joint.axis);
    olo_signal motion = olo_signal_default();
    motion.function = swing;
    motion.context = &amplitude;
    joint.motion = &motion;
    check_ok(olo_model_add_body(s.model, &body, &error), &error);
    check_ok(olo_model_add_joint(s.model, &joint, &error), &error);
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = olo_run_default();
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    scene_run(&s, 0.01, 100);
    scene_run(&given, 0.01, 100);
    check_below(
        scene_distance(12, olo_state_configuration(s.state), olo_state_configuration(given.state)),
        1e-15);
    check_below(scene_distance(12, olo_state_velocity(s.state), olo_state_velocity(given.state)),
                1e-9);
    scene_close(&s);
    scene_close(&given);
}

/* A driven slider-crank with a gear to a wheel, all in a plane: x = r cos a + sqrt(l^2 - r^2 sin^2
 * a) */
TEST(a_driven_slider_crank_in_a_plane)
{
    const char *text =
        "plane: xy\nbodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], center: [0.25, 0, 0]}\n"
        "  - {name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], center: [0.6, 0, 0], position: [0.5, "
        "0, 0]}\n"
        "  - {name: slider, mass: 2, inertia: [0.1, 0.1, 0.1], position: [1.7, 0, 0]}\n"
        "  - {name: wheel, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, -1, 0]}\n"
        "joints:\n"
        "  - {name: c, between: [ground, crank], motion: 2*t}\n"
        "  - {name: d, between: [crank, rod], at: [0.5, 0, 0]}\n"
        "  - {name: e, between: [rod, slider], at: [1.7, 0, 0]}\n"
        "  - {name: x, type: prismatic, between: [ground, slider], axis: [1, 0, 0]}\n"
        "  - {name: w, between: [[0, -1, 0], wheel]}\n"
        "relations: {coordinate: w, follows: x.position, ratio: 4}\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_equal(0, dofs(&s));
        olo_ledger start = scene_ledger(&s);
        for (int k = 1; k <= 200; k++) {
            scene_run(&s, 0.01, 1);
            double a = 0.02 * k, b = 0.5 * sin(a), x = 0.5 * cos(a) + sqrt(1.44 - b * b);
            check_close(x, coordinate(&s, "x.position"), 1e-12);
            check_close(4 * (x - 1.7), coordinate(&s, "w.angle"), 1e-11);
        }
        check_close(start.balance, scene_ledger(&s).balance, 1e-11);
        scene_close(&s);
    }
    check_treatments_agree(text);
}

TEST(rates_of_motions_are_second_order)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(PENDULUM "motion: t + 1.5*sin(2*t)}\n", NULL);
        int steps = k ? 200 : 100;
        scene_run(&s, 1.0 / steps, steps);
        error[k] = fabs(rate(&s, "h.angle") - (1 + 3 * cos(2.0)));
        check_true(scene_ledger(&s).velocity_error >= (1 - 1e-9) * error[k]);
        scene_close(&s);
    }
    check_close(2, log2(error[0] / error[1]), 0.1);
}

/* A cart with the acceleration a and a pendulum at rest relative to it, tan = a/g: the drive is (M
 * + m) a. */
TEST(a_driven_cart_carries_its_pendulum)
{
    const char *text =
        "parameters: {a: 3, g: 9.81}\ngravity: [0, 0, -g]\n"
        "bodies: [{name: cart, mass: 2, inertia: [1, 1, 1]}, {name: bob, mass: 1.5, inertia: [0.1, "
        "0.1, "
        "0.1], center: [0, 0, -0.7], rotation: {axis: [0, 1, 0], angle: atan(a/g)}}]\n"
        "joints: [{name: track, type: prismatic, between: [ground, cart], axis: [1, 0, 0], motion: "
        "a*t^2/2}, {name: pin, type: revolute, between: [cart, bob], axis: [0, 1, 0]}]\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        check_equal(1, dofs(&s));
        for (int k = 0; k < 100; k++) {
            scene_run(&s, 0.02, 1);
            check_close(0, coordinate(&s, "pin.angle"), 1e-12);
            check_close(3.5 * 3, olo_system_drive_force(s.system, s.state, 0), 1e-9);
        }
        scene_close(&s);
    }
    check_treatments_agree(text);
}

/* Two links in a vertical plane, both with prescribed motions: the closed form of textbooks,
 *
 *     t1 = (a + 2 b c2) q1'' + (d + b c2) q2'' - b s2 (2 q1' q2' + q2'^2) + g1,
 *     t2 = (d + b c2) q1'' + d q2'' + b s2 q1'^2 + g2. */
TEST(inverse_dynamics_of_two_links)
{
    const char *text =
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: a, mass: 2, inertia: [0.1, 0.2, 0.2], center: [0.4, 0, 0]}\n"
        "  - {name: b, mass: 1, inertia: [0.05, 0.1, 0.1], center: [0.3, 0, 0], position: [1, 0, "
        "0]}\n"
        "joints:\n"
        "  - {name: one, between: [ground, a], axis: [0, -1, 0], motion: t^2 - 0.5*t^4}\n"
        "  - {name: two, between: [a, b], at: [1, 0, 0], axis: [0, -1, 0], motion: sin(t)^3}\n";
    const double t = 0.6, g = 9.81;
    double q1 = t * t - 0.5 * pow(t, 4), v1 = 2 * t - 2 * t * t * t, a1 = 2 - 6 * t * t;
    double s = sin(t), c = cos(t), q2 = s * s * s, v2 = 3 * s * s * c,
           a2 = 6 * s * c * c - 3 * s * s * s;
    double d = 0.1 + 0.09, b = 1 * 1 * 0.3, a = 0.2 + 2 * 0.16 + 1 + d;
    double t1 = (a + 2 * b * cos(q2)) * a1 + (d + b * cos(q2)) * a2 -
                b * sin(q2) * (2 * v1 * v2 + v2 * v2) + (2 * 0.4 + 1) * g * cos(q1) +
                0.3 * g * cos(q1 + q2);
    double t2 = (d + b * cos(q2)) * a1 + d * a2 + b * sin(q2) * v1 * v1 + 0.3 * g * cos(q1 + q2);
    double error[2][2];
    for (int k = 0; k < 2; k++) {
        scene x = scene_open(text, NULL);
        double h = k ? 0.0025 : 0.005, sum[2] = {0, 0};
        scene_run(&x, h, (int)lround(t / h) - 1);
        for (int i = 0; i < 2; i++) {
            scene_run(&x, h, 1);
            for (int j = 0; j < 2; j++)
                sum[j] += 0.5 * olo_system_drive_force(x.system, x.state, j);
        }
        error[k][0] = fabs(sum[0] - t1);
        error[k][1] = fabs(sum[1] - t2);
        scene_close(&x);
    }
    for (int j = 0; j < 2; j++) {
        check_below(error[1][j], 1e-3);
        check_close(2, log2(error[0][j] / error[1][j]), 0.3);
    }
}

/* --- inverse dynamics, fed back --- */

enum { AXES = 6, STEPS = 300 };
static const double feed_step = 0.01;

typedef struct feed {
    double torque[STEPS];
} feed;

static double give_back(void *context, double t, double x, double v)
{
    const feed *f = context;
    (void)x;
    (void)v;
    int k = (int)floor(t / feed_step);
    return f->torque[k < 0 ? 0 : k < STEPS ? k : STEPS - 1];
}

static const char *const motions[AXES] = {"0.8*sin(t)",  "0.5*t - 0.3*sin(2*t)", "1 - cos(1.5*t)",
                                          "t^2/(1 + t)", "0.4*sin(3*t)",         "2*t"};

/* An arm of six hinges: with prescribed motions if `given`, else with torques of `feeds`; the axis
 * `free_axis` has neither. */
static scene open_arm(bool given, feed *feeds, int free_axis)
{
    static const double axes[AXES][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0},
                                         {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    static const char *const names[AXES] = {"b1", "b2", "b3", "b4", "b5", "b6"};
    static const double rates[AXES] = {0.8, -0.1, 0, 0, 1.2, 2};
    scene s = {0};
    olo_error error = {0};
    const double gravity[3] = {0, 0, -9.81};
    check_ok(olo_model_create("arm", &s.model, &error), &error);
    olo_model_set_gravity(s.model, gravity);
    for (int i = 0; i < AXES; i++) {
        olo_body body = olo_body_default();
        body.name = names[i];
        body.mass = 4 - 0.5 * i;
        body.inertia[0] = 0.05;
        body.inertia[4] = body.inertia[8] = 0.1;
        body.center[0] = 0.15;
        body.center[2] = 0.02 * i;
        body.position[0] = 0.3 * i;
        check_ok(olo_model_add_body(s.model, &body, &error), &error);
        olo_joint joint = olo_joint_default();
        vec3_copy(axes[i], joint.axis);
        joint.between[1].on = names[i];
        if (i > 0) {
            joint.between[0].on = names[i - 1];
            joint.between[0].at[0] = 0.3;
        }
        olo_signal motion = olo_signal_default();
        motion.expression = motions[i];
        if (i == free_axis)
            joint.rate = 0;
        else if (given)
            joint.motion = &motion;
        else
            joint.rate = rates[i];
        if (!given && i != free_axis) {
            joint.function = give_back;
            joint.context = &feeds[i];
        }
        check_ok(olo_model_add_joint(s.model, &joint, &error), &error);
    }
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = olo_run_default();
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

/* The torques of inverse dynamics reproduce the motion: with all axes prescribed, then with all but
 * one, which moves freely. */
TEST(torques_of_inverse_dynamics_reproduce_the_motion)
{
    for (int free_axis = -1; free_axis < 5; free_axis += 5) {
        feed feeds[AXES] = {{{0}}};
        scene s = open_arm(true, NULL, free_axis), back = open_arm(false, feeds, free_axis);
        check_equal(free_axis < 0 ? 0 : 1, dofs(&s));
        check_equal(free_axis < 0 ? AXES : AXES - 1, olo_system_drive_count(s.system));
        check_below(scene_distance(s.system->n, olo_state_velocity(back.state),
                                   olo_state_velocity(s.state)),
                    1e-13);
        for (int k = 0; k < STEPS; k++) {
            scene_run(&s, feed_step, 1);
            for (int i = 0; i < olo_system_drive_count(s.system); i++)
                feeds[olo_system_drive_coordinate(s.system, i)].torque[k] =
                    olo_system_drive_force(s.system, s.state, i);
        }
        scene_run(&back, feed_step, STEPS);
        check_below(scene_distance(s.system->n, olo_state_configuration(back.state),
                                   olo_state_configuration(s.state)),
                    1e-9);
        check_below(scene_distance(s.system->n, olo_state_velocity(back.state),
                                   olo_state_velocity(s.state)),
                    1e-9);
        scene_close(&s);
        scene_close(&back);
    }
}

/* --- reactions as outputs --- */

/* A body that rotates about z with its centre at r: the reaction is m omega^2 r inwards, and its
 * weight; along the axes of the body it is constant. */
TEST(reactions_along_the_axes_of_space_and_of_the_bodies)
{
    const char *text =
        "gravity: [0, 0, -10]\n"
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], center: [0.5, 0, 0], rotation: "
        "{axis: [0, 0, "
        "1], angle: pi/2}}\n"
        "joints: {name: pin, between: [ground, a], axis: [0, 0, 1], rate: 3}\n"
        "outputs: [{name: s, reaction: pin}, {name: p, reaction: pin, frame: parent}, {name: c, "
        "reaction: pin, frame: child}]\n";
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(text, exact_treatments[i]);
        double f[3], m[3], pull = 2 * 9 * 0.5, h = 1e-3;
        check_equal(3, olo_system_reaction_count(s.system));
        check_text("p", olo_system_reaction_name(s.system, 1));
        olo_system_reaction(s.system, s.state, 0, f, m);
        check_close(0, norm3(f) + norm3(m), 0);
        for (int k = 0; k < 500; k++) {
            scene_run(&s, h, 1);
            double t = (k + 0.5) * h,
                   expected[3] = {-pull * cos(pi / 2 + 3 * t), -pull * sin(pi / 2 + 3 * t), 20};
            for (int frame = 0; frame < 3; frame++) {
                olo_system_reaction(s.system, s.state, frame, f, m);
                const double own[3] = {-pull, 0, 20}, moment[3] = {0, -10, 0};
                for (int j = 0; j < 3; j++)
                    check_close(frame < 2 ? expected[j] : own[j], f[j], 1e-4);
                for (int j = 0; frame == 2 && j < 3; j++)
                    check_close(moment[j], m[j], 1e-4);
            }
        }
        scene_close(&s);
    }
}

/* The reaction is the force on the second body, at its point of the joint, also if the second body
 * is the parent in the tree. */
TEST(reactions_of_joints_named_from_either_side)
{
    static const char *const texts[] = {
        "gravity: [0, 0, -10]\n" BODY_A BODY_B "joints: [{name: root, type: spherical, between: "
        "[ground, a]}, {name: j, type: cylindrical, "
        "between: [b, a], at: [0.5, 0, 0], axis: [1, 0, 1], rate: 1}, {name: u, type: revolute, "
        "between: "
        "[ground, a], axis: [0, 0, 1]}]\noutputs: {reaction: j}\n",
        "gravity: [0, 0, -10]\n" BODY_A BODY_B
        "joints: [{name: root, type: spherical, between: [ground, a]}, {name: j, type: universal, "
        "between: [b, a], at: [0.5, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0], rate: 1}]\n"
        "outputs: {reaction: j}\n"};
    for (int k = 0; k < 2; k++) {
        scene one = scene_open(texts[k], "reduced"), two = scene_open(texts[k], "multipliers");
        for (int i = 0; i < 50; i++) {
            double f[2][3], m[2][3];
            scene_run(&one, 0.01, 1);
            scene_run(&two, 0.01, 1);
            olo_system_reaction(one.system, one.state, 0, f[0], m[0]);
            olo_system_reaction(two.system, two.state, 0, f[1], m[1]);
            for (int j = 0; j < 3; j++) {
                check_close(f[1][j], f[0][j], 1e-7);
                check_close(m[1][j], m[0][j], 1e-7);
            }
            check_true(norm3(f[0]) > 1);
        }
        scene_close(&one);
        scene_close(&two);
    }
}

/* --- models of the catalogue --- */

/* J1 + r1^2 J2 + (r1 r2)^2 (J3 + m R^2), driven by torque - r1 r2 m g R */
TEST(the_motor_of_the_gear_train_sees_the_inertia_of_all)
{
    double r = 1.0 / 12, J = 0.002 + 0.01 / 9 + r * r * (0.4 + 12 * 0.15 * 0.15);
    double angle = 0.5 * (2.5 - r * 12 * 9.81 * 0.15) / J, error[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("gear-train", NULL);
        check_equal(1, dofs(&s));
        check_below(s.projection.position, 1e-15);
        scene_run(&s, k ? 0.0005 : 0.001, k ? 400 : 200);
        error[k] = fabs(coordinate(&s, "first.angle") - angle * 0.04);
        check_close(r * 0.15 * coordinate(&s, "first.angle"), coordinate(&s, "rope.position"),
                    1e-13);
        scene_close(&s);
    }
    check_below(error[1], 1e-3 * angle);
    check_close(2, log2(error[0] / error[1]), 0.1);
}

TEST(the_cardan_shaft_of_the_catalogue_satisfies_its_relation)
{
    scene s = scene_open("cardan-shaft", NULL);
    check_below(s.projection.velocity, 1e-13);
    check_below(scene_drift(&s, 0.002, 500), 1e-11);
    double a = 10 * 1.0, b = coordinate(&s, "out.angle");
    check_close(a, coordinate(&s, "in.angle"), 1e-13);
    check_close(0, sin(b) * cos(a) * cos(pi / 6) - cos(b) * sin(a), 1e-12);
    scene_close(&s);
}

/* The oscillation of the screw press is that of the exact solution in its file, with second
 * order. */
TEST(the_screw_press_swings_as_its_equation_says)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("screw-press", NULL);
        check_equal(1, dofs(&s));
        check_below(s.projection.velocity, 1e-13);
        scene_run(&s, k ? 0.001 : 0.002, k ? 1000 : 500);
        double l = 0.1 / (2 * pi), M = 140, Omega = sqrt(4e5 * l * l / (3 + M * l * l));
        double theta = -M * 9.81 / (4e5 * l) * (1 - cos(Omega)) - 20 / Omega * sin(Omega);
        error[k] = fabs(coordinate(&s, "nut.angle") - theta);
        check_close(l * coordinate(&s, "nut.angle"), coordinate(&s, "guide.position"), 1e-13);
        scene_close(&s);
    }
    check_below(error[1], 1e-2);
    check_close(2, log2(error[0] / error[1]), 0.05);
}

/* If the ram is named first in its bearing, rows of the closure vanish up to rounding. */
TEST(projection_survives_closures_that_the_tree_makes_redundant)
{
    const char *text = "bodies: [{name: s, mass: 6, inertia: [2, 2, 3]}, {name: r, mass: 8, "
                       "inertia: [1, 1, 1], position: "
                       "[0, 0, -0.2]}]\n"
                       "joints: [{name: nut, type: screw, between: [ground, s], at: [0, 0, 0.5], "
                       "axis: [0, 0, 1], pitch: "
                       "0.1, rate: 5}, {name: b, between: [r, s], axis: [0, 0, 1], at: [0, 0, "
                       "-0.1]}, {name: g, type: "
                       "prismatic, between: [ground, r], axis: [0, 0, 1], at: [0, 0, -0.3]}]\n";
    scene s = scene_open(text, "projected");
    check_equal(1, dofs(&s));
    check_below(scene_drift(&s, 0.01, 100), 1e-12);
    scene_close(&s);
}

/* --- which body an axis belongs to --- */

/* The line is fixed in the body that is named first, the point of the ground is on it. */
TEST(the_line_of_a_body_on_a_point_of_the_ground_turns_with_the_body)
{
    const char *text =
        "gravity: [0, 0, -9.81]\nbodies:\n" BODY_B
        "joints: {name: l, type: point-on-line, between: [b, ground], at: [0.5, 0, 0], "
        "axis: [1, 1, 0]}\n";
    scene s = scene_open(text, NULL);
    double X[3] = {0}, A[3] = {0}, axis[3] = {1, 1, 0};
    const double *q = scene_q(&s, "b");
    for (int I = 0; I < 3; I++) {
        const double arm[3] = {0.5 - q[0], -q[1], -q[2]};
        X[I] = vec3_dot(q + 3 * I + 3, arm);
        A[I] = vec3_dot(q + 3 * I + 3, axis) / sqrt(2);
    }
    check_below(scene_drift(&s, 0.01, 200), 1e-12);
    double offset[3] = {0.5 - q[0], -q[1], -q[2]}, in_body[3], along = 0, away = 0;
    for (int I = 0; I < 3; I++) {
        in_body[I] = vec3_dot(q + 3 * I + 3, offset) - X[I];
        along += in_body[I] * A[I];
    }
    for (int I = 0; I < 3; I++)
        away = larger(away, fabs(in_body[I] - along * A[I]));
    check_true(fabs(along) > 0.1);
    check_below(away, 1e-13);
    check_close(along, coordinate(&s, "l.position"), 1e-13);
    scene_close(&s);
    check_treatments_agree(text);
}

TEST_MAIN(cmocka_unit_test(a_universal_joint_in_free_flight_and_on_the_ground),
          cmocka_unit_test(treatments_agree_on_universal_joints),
          cmocka_unit_test(angles_of_a_universal_joint_are_those_of_its_cross),
          cmocka_unit_test(a_universal_joint_starts_with_its_rates),
          cmocka_unit_test(cardan_shafts_follow_their_relation),
          cmocka_unit_test(a_screw_falls_as_its_pitch_lets_it),
          cmocka_unit_test(a_screw_in_free_flight_and_its_treatments),
          cmocka_unit_test(a_distance_joint_is_a_rod),
          cmocka_unit_test(a_gear_train_has_its_effective_inertia),
          cmocka_unit_test(a_differential_adds_two_motions),
          cmocka_unit_test(a_mimic_takes_its_offset_and_a_rack_its_radius),
          cmocka_unit_test(redundant_relations_are_counted_and_run),
          cmocka_unit_test(relations_and_motions_in_free_flight_conserve_the_momenta),
          cmocka_unit_test(inverse_dynamics_of_a_pendulum),
          cmocka_unit_test(the_work_of_a_drive_is_the_change_of_energy),
          cmocka_unit_test(a_motion_from_a_c_function_is_that_of_the_expression),
          cmocka_unit_test(a_driven_slider_crank_in_a_plane),
          cmocka_unit_test(rates_of_motions_are_second_order),
          cmocka_unit_test(a_driven_cart_carries_its_pendulum),
          cmocka_unit_test(inverse_dynamics_of_two_links),
          cmocka_unit_test(torques_of_inverse_dynamics_reproduce_the_motion),
          cmocka_unit_test(reactions_along_the_axes_of_space_and_of_the_bodies),
          cmocka_unit_test(reactions_of_joints_named_from_either_side),
          cmocka_unit_test(the_motor_of_the_gear_train_sees_the_inertia_of_all),
          cmocka_unit_test(the_cardan_shaft_of_the_catalogue_satisfies_its_relation),
          cmocka_unit_test(the_screw_press_swings_as_its_equation_says),
          cmocka_unit_test(projection_survives_closures_that_the_tree_makes_redundant),
          cmocka_unit_test(the_line_of_a_body_on_a_point_of_the_ground_turns_with_the_body))
