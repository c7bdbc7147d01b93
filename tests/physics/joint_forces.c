/* Forces along joint coordinates: springs, dampers, stops, torques, forces, controllers, C
 * functions. They are compared with analytic motions, and the laws hold for any step: balance of
 * energy, momenta of a free system. */
#include "test.h"

#include <stdlib.h>

#include "linalg/vec3.h"
#include "oloid/oloid.h"
#include "system/system.h"

static const double pi = 3.14159265358979323846;

/* --- runs --- */

typedef struct run {
    olo_system *system;
    olo_state *x;
    olo_stepper *stepper;
} run;

static run run_model(olo_model *model, const char *constraints)
{
    run r = {0};
    olo_error error = {0};
    olo_run options = olo_run_default();
    options.constraints = constraints;
    check_ok(olo_model_compile(model, &r.system, &error), &error);
    check_ok(olo_system_create_initial_state(r.system, &r.x, NULL, &error), &error);
    check_ok(olo_stepper_create(r.system, &options, &r.stepper, &error), &error);
    olo_model_free(model);
    return r;
}

static olo_model *model_of(const char *text)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test.yaml", NULL, 0, &model, &error), &error);
    return model;
}

static run run_text(const char *text)
{
    return run_model(model_of(text), "reduced");
}

static void run_free(run *r)
{
    olo_stepper_free(r->stepper);
    olo_state_free(r->x);
    olo_system_free(r->system);
}

static void advance(run *r, double h, int steps)
{
    olo_error error = {0};
    for (int i = 0; i < steps; i++)
        check_ok(olo_stepper_step(r->stepper, r->x, h, &error), &error);
}

static double value(const run *r, int i)
{
    return olo_system_joint_coordinate_value(r->system, r->x, i);
}

static double rate(const run *r, int i)
{
    return olo_system_joint_coordinate_rate(r->system, r->x, i);
}

static olo_ledger ledger_of(const run *r)
{
    olo_ledger ledger;
    olo_system_ledger(r->system, r->x, &ledger);
    return ledger;
}

/* The error of a coordinate at the end, with steps of h. */
static double error_at(const char *text, double end, int steps, double expected)
{
    run r = run_text(text);
    advance(&r, end / steps, steps);
    double error = fabs(value(&r, 0) - expected);
    run_free(&r);
    return error;
}

/* Second order: each halving of the step divides the error by four. */
static void check_second_order(const char *text, double end, int steps, double expected,
                               double tolerance)
{
    double coarse = error_at(text, end, steps, expected);
    double fine = error_at(text, end, 2 * steps, expected);
    check_close(2, log2(coarse / fine), 0.05);
    check_below(fine, tolerance);
}

/* --- one body on a hinge; J = 0.5 + 2 * 0.3^2 = 0.68 about it --- */

#define HINGED                                                                                     \
    "bodies: {name: a, mass: 2, inertia: [0.4, 0.3, 0.5], center: [0.3, 0, 0],\n"                  \
    "  rotation: {axis: [0, 0, 1], angle: 0.4}}\n"                                                 \
    "joints: {name: hinge, type: revolute, between: [ground, a], axis: [0, 0, 1], "
static const double J = 0.68;

TEST(a_torsional_oscillator_has_its_period)
{
    /* theta = omega0/Omega sin(Omega t), Omega = sqrt(k/J); k = 17: Omega = 5 */
    const double Omega = 5, end = 2.0;
    check_second_order(HINGED "rate: 1, stiffness: 17}\n", end, 800, sin(Omega * end) / Omega,
                       1e-5);
}

TEST(a_constant_torque_gives_a_parabola_over_many_turns)
{
    /* theta = tau t^2/(2 J) = 125 at t = 5: nearly twenty turns. A Cayley step rotates by 2 atan(h
     * omega/2), which is too little by h^3 omega^3/12: in total by h^2 (tau/J)^3 t^4/48 = 5e-3 */
    check_second_order(HINGED "torque: 6.8}\n", 5, 4000, 6.8 * 25 / (2 * J), 1e-2);
    run r = run_text(HINGED "torque: 6.8}\n");
    advance(&r, 0.01, 500);
    /* the work is torque times angle, and it is equal to the kinetic energy */
    olo_ledger ledger = ledger_of(&r);
    check_relative(6.8 * value(&r, 0), ledger.work, 1e-13);
    check_relative(ledger.work, ledger.kinetic, 1e-13);
    run_free(&r);
}

TEST(a_torque_over_time_follows_its_law)
{
    /* J theta'' = 0.68 cos(2 t): theta = (1 - cos 2t)/4 */
    check_second_order(HINGED "torque: 0.68, time: cos(2*t)}\n", 3, 100, (1 - cos(6.0)) / 4, 1e-3);
}

TEST(a_spring_winds_up_over_several_turns)
{
    /* largest angle omega0 sqrt(J/k) = 40 rad, after a quarter period 2 pi/4 * 2; k = J/4 */
    run r = run_text(HINGED "rate: 20, stiffness: 0.17}\n");
    double start = ledger_of(&r).total, largest = 0, lowest = 0;
    for (int i = 0; i < 2600; i++) {
        advance(&r, 0.005, 1);
        largest = larger(largest, value(&r, 0));
        lowest = smaller(lowest, value(&r, 0));
        check_relative(start, ledger_of(&r).total, 1e-12);
    }
    check_relative(40, largest, 1e-3);
    check_relative(-40, lowest, 1e-3);
    run_free(&r);
    check_second_order(HINGED "rate: 20, stiffness: 0.17}\n", 2, 1600, 40 * sin(1.0), 5e-3);
}

TEST(a_spring_at_rest_elsewhere_pulls_there)
{
    /* about the rest angle of two turns: theta = r (1 - cos(Omega t)) */
    const double r = 12.5;
    check_second_order(HINGED "stiffness: 17, rest: 12.5}\n", 1, 1000, r * (1 - cos(5.0)), 5e-3);
}

TEST(a_hinge_damper_takes_what_it_takes)
{
    /* omega = omega0 exp(-c t/J), theta = omega0 J/c (1 - exp(-c t/J)), c = J */
    const char *text = HINGED "rate: 3, damping: 0.68}\n";
    check_second_order(text, 1.5, 50, 3 * (1 - exp(-1.5)), 1e-3);
    run r = run_text(text);
    olo_ledger before = ledger_of(&r);
    double lost = 0;
    for (int i = 0; i < 150; i++) {
        double angle = value(&r, 0);
        advance(&r, 0.01, 1);
        lost += 0.68 * (value(&r, 0) - angle) * (value(&r, 0) - angle) / 0.01;
        check_relative(before.balance, ledger_of(&r).balance, 1e-13);
    }
    check_relative(lost, ledger_of(&r).dissipation, 1e-12);
    check_relative(before.kinetic * (1 - exp(-3.0)), ledger_of(&r).dissipation, 1e-3);
    run_free(&r);
}

TEST(stops_reverse_the_motion_and_conserve_the_energy)
{
    /* between the stops the rate is 2; in a stop there is half an oscillation with Omega =
     * sqrt(k/J) = 100 and the amplitude 2/100 */
    run r = run_text(HINGED "rate: 2, lower: -1, upper: 0.5, stop_stiffness: 6800}\n");
    double start = ledger_of(&r).total, largest = 0, lowest = 0;
    int turns = 0;
    for (int i = 0; i < 4000; i++) {
        double before = rate(&r, 0);
        advance(&r, 1e-3, 1);
        largest = larger(largest, value(&r, 0));
        lowest = smaller(lowest, value(&r, 0));
        turns += before * rate(&r, 0) < 0;
        check_relative(start, ledger_of(&r).total, 1e-12);
    }
    check_close(0.52, largest, 2e-4);
    check_close(-1.02, lowest, 2e-4);
    /* the period is 2 * 1.5/2 + 2 pi/100 = 1.56: the first turn is at 0.25, the next ones every
     * 0.78 */
    check_equal(5, turns);
    run_free(&r);
    /* the same with steps that do not resolve the stop */
    r = run_text(HINGED "rate: 2, lower: -1, upper: 0.5, stop_stiffness: 6800}\n");
    for (int i = 0; i < 200; i++) {
        advance(&r, 0.05, 1);
        check_relative(start, ledger_of(&r).total, 1e-11);
        check_below(fabs(value(&r, 0)), 1.2);
    }
    run_free(&r);
}

TEST(a_controller_brings_a_hinge_to_its_target)
{
    /* critical: kp = J w^2, kd = 2 J w; theta = T (1 - (1 + w t) exp(-w t)), T = 9 rad, w = 5 */
    char text[500];
    snprintf(text, sizeof text, "%scontroller: {kp: %.17g, kd: %.17g, target: 9}}\n", HINGED,
             J * 25, J * 10);
    check_second_order(text, 0.5, 400, 9 * (1 - 3.5 * exp(-2.5)), 1e-3);
    run r = run_text(text);
    advance(&r, 0.01, 800);
    check_close(9, value(&r, 0), 1e-9);
    check_close(0, rate(&r, 0), 1e-9);
    check_close(0, ledger_of(&r).balance, 1e-10);
    run_free(&r);
}

TEST(a_controller_follows_a_moving_target_by_its_rate)
{
    /* the error obeys J e'' + kd e' + kp e = J target'': for a target with constant rate it decays
     * to zero */
    run r = run_text(HINGED "controller: {kp: 17, kd: 6.8, target: 1 + 2*t}}\n");
    advance(&r, 0.01, 1000);
    check_close(21, value(&r, 0), 1e-9);
    run_free(&r);
}

/* --- one body on a slide: the scheme is the midpoint rule, whose solution is known in closed form
 * --- */

TEST(a_spring_on_a_slide_swings_as_the_midpoint_rule_says)
{
    /* u_n = u_0 cos(n phi) about the equilibrium, tan(phi/2) = h Omega/2, Omega = sqrt(50/2) */
    run r =
        run_text("bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [0.3, 0, 0]}\n"
                 "joints: {name: slide, type: prismatic, between: [ground, a], axis: [2, 0, 0],\n"
                 "  stiffness: 50, rest: -0.2}\n");
    const double h = 0.1, phi = 2 * atan(h * 5 / 2);
    for (int n = 1; n <= 100; n++) {
        advance(&r, h, 1);
        check_close(-0.2 + 0.5 * cos(n * phi), value(&r, 0), 1e-12);
    }
    run_free(&r);
}

TEST(a_spring_on_a_slide_rests_where_it_starts)
{
    run r =
        run_text("bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [0.3, 0, 0]}\n"
                 "joints: {name: slide, type: prismatic, between: [ground, a], axis: [1, 0, 0],\n"
                 "  stiffness: 50}\n");
    advance(&r, 0.1, 20);
    check_close(0.3, value(&r, 0), 1e-15);
    run_free(&r);
}

TEST(a_force_on_a_slide_accelerates)
{
    run r =
        run_text("bodies: {name: a, mass: 2, inertia: [1, 1, 1]}\n"
                 "joints: {name: slide, type: prismatic, between: [a, ground], axis: [1, 0, 0],\n"
                 "  force: 3}\n");
    advance(&r, 0.1, 20);
    /* the force acts on the second body, the ground: the first moves in the opposite direction, and
     * the coordinate increases */
    check_close(0.5 * 1.5 * 4, value(&r, 0), 1e-13);
    check_close(-0.5 * 1.5 * 4, olo_state_configuration(r.x)[0], 1e-13);
    run_free(&r);
}

/* --- two bodies in free flight with everything at once --- */

static double push(void *context, double t, double coordinate, double speed)
{
    (void)context;
    return 2 * sin(3 * t) - 1.5 * coordinate - 0.2 * speed * fabs(speed);
}

/* the type of the joint, and the forces along its coordinate */
static olo_model *free_flight(const char *type, const char *coordinate, unsigned parts)
{
    olo_error error = {0};
    olo_model *model =
        model_of("bodies:\n"
                 "  - {name: a, mass: 2, inertia: [1, 2, 2.5], position: [1, -1, 0.5],\n"
                 "     rotation: {axis: [1, 2, 3], angle: 0.7}, velocity: [1, 2, 3],\n"
                 "     angular_velocity: [0.4, -1, 2]}\n"
                 "  - {name: b, mass: 1, inertia: [0.5, 0.6, 0.7], position: [2, 0.5, -1],\n"
                 "     rotation: {axis: [-2, 1, 1], angle: 1.9}}\n");
    olo_joint joint = olo_joint_default();
    joint.name = "j";
    joint.type = type;
    joint.coordinate = coordinate;
    joint.between[0].on = "a";
    joint.between[1].on = "b";
    vec3_set(1.5, 0.2, 0.1, joint.at);
    vec3_set(2, -1, 2, joint.axis);
    joint.rate = 4;
    bool slides = coordinate[0] == 'p';
    if (slides)
        vec3_set(2, -1, 2, joint.sliding);
    olo_signal signal = olo_signal_default(), target = olo_signal_default();
    olo_controller controller = olo_controller_default();
    if (parts & 1) {
        joint.stiffness = 3;
        joint.rest = 0.7;
    }
    if (parts & 2)
        joint.damping = 0.4;
    if (parts & 4) {
        joint.lower = -0.6;
        joint.upper = 0.8;
        joint.stop_stiffness = 300;
    }
    if (parts & 8 && !(parts & 32)) { /* a function replaces it */
        *(slides ? &joint.force : &joint.torque) = 5;
        signal.expression = "cos(7*t)";
        joint.signal = &signal;
    }
    if (parts & 16) {
        controller.kp = 6;
        controller.kd = 0.5;
        target.expression = "sin(2*t)";
        controller.target = &target;
        joint.controller = &controller;
    }
    if (parts & 32) {
        joint.function = push;
        signal.expression = "1 + 0.3*sin(3*t)";
        joint.signal = &signal;
    }
    check_ok(olo_model_add_joint(model, &joint, &error), &error);
    return model;
}

static const struct {
    const char *type, *coordinate;
} flights[] = {{"revolute", "angle"},        {"cylindrical", "angle"}, {"cylindrical", "position"},
               {"prismatic", "position"},    {"planar", "angle"},      {"planar", "position2"},
               {"point-on-line", "position"}};
enum { FLIGHTS = sizeof flights / sizeof *flights, PARTS = 6, ALL = (1 << PARTS) - 1 };

static void check_free_flight(run *r, double h, int steps)
{
    olo_ledger start = ledger_of(r);
    double scale = start.kinetic + start.strain;
    double momentum = vec3_norm(start.linear_momentum), spin = vec3_norm(start.angular_momentum);
    check_equal(7, olo_system_invariant_count(r->system));
    for (int i = 0; i < steps; i++) {
        advance(r, h, 1);
        olo_ledger now = ledger_of(r);
        scale = larger(scale, now.kinetic + now.strain);
        check_close(start.balance, now.balance, 1e-12 * scale);
        for (int k = 0; k < 3; k++) {
            check_close(start.linear_momentum[k], now.linear_momentum[k], 1e-12 * momentum);
            check_close(start.angular_momentum[k], now.angular_momentum[k], 1e-12 * spin);
        }
        check_below(now.constraint_error, 1e-12);
    }
}

/* Each kind of force alone, then all together. They are internal, so that the momenta are
 * constant. */
TEST(energy_balances_and_momenta_stay_in_free_flight_at_any_step)
{
    for (int i = 0; i < FLIGHTS; i++)
        for (int part = 0; part <= PARTS; part++)
            for (double h = 0.08; h > 1e-3; h /= 5) {
                unsigned parts = part < PARTS ? 1u << part : (unsigned)ALL;
                run r = run_model(free_flight(flights[i].type, flights[i].coordinate, parts),
                                  "reduced");
                check_free_flight(&r, h, 40);
                run_free(&r);
            }
}

TEST(reduced_and_multipliers_go_the_same_way)
{
    for (int i = 0; i < FLIGHTS; i++) {
        run a = run_model(free_flight(flights[i].type, flights[i].coordinate, ALL), "reduced");
        run b = run_model(free_flight(flights[i].type, flights[i].coordinate, ALL), "multipliers");
        advance(&a, 0.01, 60);
        advance(&b, 0.01, 60);
        for (int k = 0; k < a.system->n; k++)
            check_close(olo_state_configuration(a.x)[k], olo_state_configuration(b.x)[k], 1e-9);
        for (int k = 0; k < olo_system_joint_coordinate_count(a.system); k++)
            check_close(value(&a, k), value(&b, k), 1e-9);
        run_free(&a);
        run_free(&b);
    }
}

/* Newton has the exact tangent: a few iterations per step suffice although the forces are stiff. */
TEST(stiff_parts_cost_few_iterations)
{
    for (int part = 0; part < PARTS; part++) {
        run r = run_model(free_flight("revolute", "angle", 1u << part), "reduced");
        int most = 0;
        for (int i = 0; i < 50; i++) {
            advance(&r, 0.02, 1);
            most = olo_stepper_report(r.stepper)->iterations > most
                       ? olo_stepper_report(r.stepper)->iterations
                       : most;
        }
        check_equal(0, olo_stepper_report(r.stepper)->halvings);
        check_below(most, 7);
        run_free(&r);
    }
}

/* --- a C function is a controller when it computes what a controller does --- */

static double regulate(void *context, double t, double coordinate, double speed)
{
    const double *gains = context;
    return gains[0] * (1.5 + 0.5 * t - coordinate) + gains[1] * (0.5 - speed);
}

TEST(a_function_that_regulates_equals_the_controller)
{
    double gains[2] = {40, 3};
    olo_error error = {0};
    run r[2];
    for (int i = 0; i < 2; i++) {
        olo_model *model = model_of("bodies: {name: a, mass: 2, inertia: [1, 1, 1]}\n");
        olo_joint joint = olo_joint_default();
        olo_controller controller = olo_controller_default();
        olo_signal target = olo_signal_default();
        joint.name = "hinge";
        joint.between[1].on = "a";
        vec3_set(0, 1, 1, joint.axis);
        if (i == 0) {
            target.expression = "1.5 + 0.5*t";
            controller.kp = 40;
            controller.kd = 3;
            controller.target = &target;
            joint.controller = &controller;
        } else {
            joint.function = regulate;
            joint.context = gains;
        }
        check_ok(olo_model_add_joint(model, &joint, &error), &error);
        r[i] = run_model(model, "reduced");
        advance(&r[i], 0.02, 100);
    }
    check_close(value(&r[0], 0), value(&r[1], 0), 1e-12);
    check_close(ledger_of(&r[0]).work, ledger_of(&r[1]).work, 1e-11);
    /* the work oscillates by up to kp 1.5^2/2 = 45 */
    check_close(ledger_of(&r[0]).kinetic, ledger_of(&r[0]).work, 45e-13);
    check_true(value(&r[0], 0) > 2);
    run_free(&r[0]);
    run_free(&r[1]);
}

/* --- turns in a state that continues --- */

TEST(a_copied_state_continues_with_its_turns_to_the_same_bits)
{
    olo_error error = {0};
    run r = run_text(HINGED "rate: 20, stiffness: 0.17}\n");
    olo_state *copy = NULL;
    advance(&r, 0.01, 150);
    check_true(value(&r, 0) > 4 * pi);
    check_ok(olo_state_clone(r.x, &copy, &error), &error);
    advance(&r, 0.01, 100);
    for (int i = 0; i < 100; i++)
        check_ok(olo_stepper_step(r.stepper, copy, 0.01, &error), &error);
    check_true(memcmp(olo_state_configuration(r.x), olo_state_configuration(copy),
                      12 * sizeof(double)) == 0);
    check_true(value(&r, 0) == olo_system_joint_coordinate_value(r.system, copy, 0));
    olo_state_free(copy);
    run_free(&r);
}

/* --- in a tree --- */

TEST(a_chain_with_springs_dampers_and_torques_balances_its_energy)
{
    run r = run_text(
        "parameters: {n: 6}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: \"link{i}\", repeat: {i: [1, n]}, mass: 1,\n"
        "  inertia: [0.1, 0.1, 0.1], position: [i - 0.5, 0, 0]}\n"
        "joints:\n"
        "  - {name: hinge1, between: [ground, link1], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "     torque: 4, time: sin(t)}\n"
        "  - {name: \"hinge{i}\", repeat: {i: [2, n]}, between: [\"link{i - 1}\", \"link{i}\"],\n"
        "     at: [i - 1, 0, 0], axis: [0, 1, 1], stiffness: 20, damping: 0.5,\n"
        "     controller: {kp: 1, kd: 0.1, target: sin(3*t)}}\n");
    double start = ledger_of(&r).balance, scale = 0;
    for (int i = 0; i < 100; i++) {
        advance(&r, 0.02, 1);
        scale = larger(scale, ledger_of(&r).kinetic);
        check_close(start, ledger_of(&r).balance, 1e-12 * (scale + 60));
    }
    check_equal(6, olo_system_joint_coordinate_count(r.system));
    run_free(&r);
}

/* --- on record --- */

TEST(coordinates_and_rates_are_columns_of_the_result)
{
    olo_error error = {0};
    const char *path = "joint_forces.h5";
    olo_model *model = model_of(HINGED "torque: 6.8}\nrun: {step: 0.01, end: 1}\n");
    olo_system *system = NULL;
    olo_state *x = NULL;
    olo_recorder *recorder = NULL;
    olo_result *result = NULL;
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_ok(olo_system_create_initial_state(system, &x, NULL, &error), &error);
    check_ok(olo_recorder_create(path, model, system, olo_model_run(model), "", &recorder, &error),
             &error);
    olo_observer observer = olo_recorder_observer(recorder);
    olo_run_summary summary;
    check_ok(olo_simulate(system, olo_model_run(model), x, &observer, 1, &summary, &error), &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    check_ok(olo_result_open(path, &result, &error), &error);
    double angle[101], rates[101];
    check_equal(101, olo_result_row_count(result));
    check_ok(olo_result_read_column(result, "hinge.angle", angle, &error), &error);
    check_ok(olo_result_read_column(result, "hinge.angle.rate", rates, &error), &error);
    check_close(0, angle[0], 0);
    check_close(0, rates[0], 0);
    check_close(olo_system_joint_coordinate_value(system, x, 0), angle[100], 0);
    check_close(olo_system_joint_coordinate_rate(system, x, 0), rates[100], 0);
    check_close(5, angle[100], 1e-2); /* tau t^2/(2 J) */
    check_close(10, rates[100], 1e-1);
    olo_result_free(result);
    remove(path);
    olo_state_free(x);
    olo_system_free(system);
    olo_model_free(model);
}

TEST_MAIN(cmocka_unit_test(a_torsional_oscillator_has_its_period),
          cmocka_unit_test(a_constant_torque_gives_a_parabola_over_many_turns),
          cmocka_unit_test(a_torque_over_time_follows_its_law),
          cmocka_unit_test(a_spring_winds_up_over_several_turns),
          cmocka_unit_test(a_spring_at_rest_elsewhere_pulls_there),
          cmocka_unit_test(a_hinge_damper_takes_what_it_takes),
          cmocka_unit_test(stops_reverse_the_motion_and_conserve_the_energy),
          cmocka_unit_test(a_controller_brings_a_hinge_to_its_target),
          cmocka_unit_test(a_controller_follows_a_moving_target_by_its_rate),
          cmocka_unit_test(a_spring_on_a_slide_swings_as_the_midpoint_rule_says),
          cmocka_unit_test(a_spring_on_a_slide_rests_where_it_starts),
          cmocka_unit_test(a_force_on_a_slide_accelerates),
          cmocka_unit_test(energy_balances_and_momenta_stay_in_free_flight_at_any_step),
          cmocka_unit_test(reduced_and_multipliers_go_the_same_way),
          cmocka_unit_test(stiff_parts_cost_few_iterations),
          cmocka_unit_test(a_function_that_regulates_equals_the_controller),
          cmocka_unit_test(a_copied_state_continues_with_its_turns_to_the_same_bits),
          cmocka_unit_test(a_chain_with_springs_dampers_and_torques_balances_its_energy),
          cmocka_unit_test(coordinates_and_rates_are_columns_of_the_result))
