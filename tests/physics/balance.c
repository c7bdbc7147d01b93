/* The energy balance with loads and dampers: energy - work + dissipation is constant for any step
 * size, and work and dissipation converge to those of the exact solution. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

#define BODY                                                                                       \
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [1, 2, 2.5, 0.1, 0.2, -0.1], "  \
    "velocity: [1, 0, 2], angular_velocity: [1, -2, 3]}\n"

static void check_balance(const char *text, double h, int steps, bool works)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(text, treatments[k]);
        double start = scene_ledger(&s).total;
        double drift = scene_drift(&s, h, steps);
        olo_ledger end = scene_ledger(&s);
        if (!(drift <= 1e-12))
            print_message("%s, %s", treatments[k], text);
        check_below(drift, 1e-12);
        check_text("energy balance", olo_system_invariant(s.system, 0)->name);
        check_close(end.total - end.work + end.dissipation, end.balance, 1e-12 * fabs(end.total));
        if (works) /* the work must not vanish */
            check_true(fabs(end.work) + end.dissipation > 1e-3 * fabs(start));
        scene_close(&s);
    }
}

TEST(balance_holds_with_every_kind_of_load_at_any_step)
{
    static const char *const loads[] = {
        "force: [3, -20, 10]",
        "force: [3, -20, 10], frame: body",
        "moment: [3, -20, 10]",
        "moment: [3, -20, 10], frame: body",
        "force: [3, -20, 10], time: sin(7*t)",
        "force: [3, -20, 10], moment: [3, -2, 1], frame: body, time: exp(-t)*cos(9*t)",
        "force: [3, -20, 10], time: {time: [0, 0.1, 0.2, 0.5], value: [0, 5, -5, 1]}",
        "moment: [3, -20, 10], frame: body, time: {time: [0, 0.1, 0.2, 0.5], value: [0, 5, -5, 1]}",
    };
    static const double steps[] = {1e-4, 0.01, 0.1};
    char text[1024];
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        for (int i = 0; i < 3; i++) {
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n" BODY
                     "loads: {on: {on: b, at: [0.5, 0, 0.2]}, %s}\n",
                     loads[k]);
            check_balance(text, steps[i], 50, i > 0);
            if (i == 2)
                continue; /* with a support the moments turn the body too fast */
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n" BODY "supports: {on: b, type: point}\n"
                     "loads: {on: {on: b, at: [0.5, 0, 0.2]}, %s}\n",
                     loads[k]);
            check_balance(text, steps[i], 50, i > 0);
        }
}

TEST(balance_holds_with_dampers)
{
    check_balance("points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [1, 2, 0]}, {name: "
                  "b, mass: 2, position: [1, 0, 0], velocity: [0, 0, -1]}]\n"
                  "springs: {between: [a, b], stiffness: 50, length: 0.8, damping: 2}\n",
                  0.05, 200, true);
    check_balance("points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [1, 2, 0]}, {name: "
                  "b, mass: 2, position: [1, 0, 0], velocity: [0, 0, -1]}]\n"
                  "dampers: [{between: [a, b], type: linear, damping: 0.5}, {between: [a, [0, 0, "
                  "1]], damping: 0.3}]\n",
                  0.05, 200, true);
    check_balance("gravity: [0, 0, -9.81]\n" BODY
                  "springs: {between: [[0, 0, 2], {on: b, at: [0.3, 0.2, 0.1]}], stiffness: 80, "
                  "length: 1, damping: 3}\n"
                  "dampers: {between: [{on: b, at: [1, 0, 0]}, [3, 0, 0]], type: linear, damping: "
                  "1}\nloads: {on: b, moment: [1, 2, 3], frame: body}\n",
                  0.02, 200, true);
}

TEST(dampers_never_give_energy)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\n" BODY
                         "springs: {between: [[0, 0, 2], {on: b, at: [0.3, 0.2, 0.1]}], stiffness: "
                         "80, length: 1, damping: 3}\n",
                         "reduced");
    double before = 0, total = scene_ledger(&s).total;
    for (int i = 0; i < 300; i++) {
        scene_run(&s, 0.05, 1);
        olo_ledger now = scene_ledger(&s);
        check_true(now.dissipation >= before);
        check_true(now.total <= total + 1e-12 * fabs(total));
        before = now.dissipation;
        total = now.total;
    }
    check_true(before > 1);
    scene_close(&s);
}

/* m x'' + c x' = 0: x' = v exp(-c t/m), and 1/2 m v^2 (1 - exp(-2 c t/m)) is dissipated */
TEST(damper_loses_what_the_exact_decay_loses)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("points: {name: a, mass: 2, position: [0, 0, 0], velocity: [3, 0, "
                             "0]}\ndampers: {between: [ground, a], type: linear, damping: 0.8}\n",
                             treatments[k]);
        double h = 0.02 / (1 + k);
        scene_run(&s, h, lround(2 / h));
        double expected = 0.5 * 2 * 9 * (1 - exp(-2 * 0.8 * 2 / 2));
        error[k] = fabs(scene_ledger(&s).dissipation - expected);
        check_relative(expected, scene_ledger(&s).dissipation, 1e-4);
        check_relative(9 - scene_ledger(&s).dissipation, scene_ledger(&s).kinetic, 1e-13);
        scene_close(&s);
    }
    check_close(2.0, log2(error[0] / error[1]), 0.02);
}

/* A constant moment m about the axis of a hinge, J the inertia about it: L = m t and energy = work
 * for any step size. The angle 1/2 m/J t^2 is found with second order, the work m * angle with
 * second order or better. */
TEST(constant_moment_on_a_hinged_body_gives_the_analytic_rate_angle_and_work)
{
    static const char *const frames[] = {"space", "body"};
    const double axis[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, m = 1.5, J = 2, t = 2;
    const double angle = 0.5 * m / J * t * t;
    for (int k = 0; k < 4; k++) {
        double off[2], lost[2];
        for (int i = 0; i < 2; i++) {
            char text[512];
            snprintf(text, sizeof text,
                     "bodies: {name: b, mass: 3, inertia: [2, 2, 2]}\n"
                     "supports: {name: hinge, on: b, type: hinge, axis: [1, 2, 2]}\n"
                     "loads: {on: b, moment: [0.5, 1, 1], frame: %s}\n",
                     frames[k / 2]);
            scene s = scene_open(text, treatments[k % 2]);
            double h = 0.02 / (1 + i);
            for (int n = 1; n <= lround(t / h); n++) {
                scene_run(&s, h, 1);
                olo_ledger now = scene_ledger(&s);
                check_relative(m * n * h, vec3_dot(now.angular_momentum, axis), 1e-12);
                check_relative(now.kinetic, now.work, 1e-12);
            }
            /* the rotation of e1, which has the part (2/3, ...) normal to the axis */
            const double *d1 = scene_q(&s, "b") + 3;
            double along = axis[0], across = 1 - along * along;
            off[i] = acos((d1[0] - along * along) / across) - angle;
            lost[i] = scene_ledger(&s).work - m * angle;
            check_close(0, off[i], 2e-4);
            check_close(0, lost[i], 2e-4);
            scene_close(&s);
        }
        check_close(2.0, log2(off[0] / off[1]), 0.05);
        check_true(log2(lost[0] / lost[1]) >
                   1.95); /* it is the kinetic energy of a known L, in fact of fourth order */
    }
}

TEST(constant_force_throws_a_point_on_the_exact_parabola)
{
    scene s = scene_open("gravity: [0, 0, -9.81]\npoints: {name: a, mass: 2, position: [1, 2, 3], "
                         "velocity: [4, 5, 6]}\nloads: {on: a, force: [1, 0, 2]}\n",
                         "reduced");
    scene_run(&s, 0.1, 30);
    const double t = 3;
    check_relative(1 + 4 * t + 0.25 * t * t, scene_q(&s, "a")[0], 1e-14);
    check_relative(2 + 5 * t, scene_q(&s, "a")[1], 1e-14);
    check_relative(3 + 6 * t - 0.5 * 8.81 * t * t, scene_q(&s, "a")[2], 1e-14);
    scene_close(&s);
}

/* 1/2 m w^2 x^2: period of the scheme 2 pi h/(2 atan(w h/2)) */
TEST(linear_spring_oscillates_with_the_known_discrete_frequency)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("points: {name: a, mass: 2, position: [1, 0, 0]}\nsprings: {between: "
                             "[ground, a], type: linear, stiffness: 50}\n",
                             treatments[k]);
        const double h = 0.1;
        for (int n = 1; n <= 100; n++) {
            scene_run(&s, h, 1);
            check_close(cos(2 * n * atan(5 * h / 2)), scene_q(&s, "a")[0], 1e-12);
        }
        scene_close(&s);
    }
}

/* A callback is evaluated at midpoints, and its work is recorded. A drag -c v acts as a damper to
 * the ground does. */
static void drag(void *context, double t, const double position[3], const double velocity[3],
                 double force[3])
{
    (void)t;
    (void)position;
    for (int i = 0; i < 3; i++)
        force[i] = -*(const double *)context * velocity[i];
}

TEST(callback_force_equals_the_damper_it_imitates)
{
    olo_model *model = NULL;
    olo_error error = {0};
    olo_system *system = NULL;
    olo_state *x = NULL;
    olo_stepper *stepper = NULL;
    double c = 0.8;
    check_ok(olo_model_create("drag", &model, &error), &error);
    olo_point a = olo_point_default();
    a.name = "a";
    a.mass = 2;
    a.velocity[0] = 3;
    check_ok(olo_model_add_point(model, &a, &error), &error);
    olo_load load = olo_load_default();
    load.name = "drag";
    load.on = (olo_point_on_body){.on = "a"};
    load.function = drag;
    load.context = &c;
    check_ok(olo_model_add_load(model, &load, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_ok(olo_system_create_initial_state(system, &x, NULL, &error), &error);
    check_ok(olo_stepper_create(system, olo_model_run(model), &stepper, &error), &error);
    scene s = scene_open("points: {name: a, mass: 2, position: [0, 0, 0], velocity: [3, 0, "
                         "0]}\ndampers: {between: [ground, a], type: linear, damping: 0.8}\n",
                         "reduced");
    for (int i = 0; i < 100; i++) {
        check_ok(olo_stepper_step(stepper, x, 0.02, &error), &error);
        scene_run(&s, 0.02, 1);
        olo_ledger ledger;
        olo_system_ledger(system, x, &ledger);
        check_close(scene_q(&s, "a")[0], olo_state_configuration(x)[0], 1e-13);
        check_close(-scene_ledger(&s).dissipation, ledger.work, 1e-12);
        check_relative(9, ledger.balance, 1e-13);
    }
    scene_close(&s);
    olo_stepper_free(stepper);
    olo_state_free(x);
    olo_system_free(system);
    olo_model_free(model);
}

/* --- forces by functions act in the axes that `frame` names --- */

typedef enum thrust { CONSTANT, FUNCTION } thrust;

static void give_thrust(void *context, double t, const double position[3], const double velocity[3],
                        double force[3])
{
    (void)context, (void)t, (void)position, (void)velocity;
    vec3_set(3, -1, 2, force);
}

/* A body that rotates under an eccentric thrust. */
static olo_model *rocket(const char *frame, thrust kind)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(olo_model_create("rocket", &model, &error), &error);
    olo_body body = olo_body_default();
    body.name = "rocket";
    body.mass = 2;
    body.inertia[0] = 0.3;
    body.inertia[4] = 0.4;
    body.inertia[8] = 0.5;
    vec3_set(1, -2, 0.5, body.angular_velocity);
    check_ok(olo_model_add_body(model, &body, &error), &error);
    olo_load load = olo_load_default();
    load.name = "thrust";
    load.on = (olo_point_on_body){.on = "rocket", .at = {0.1, 0.2, -0.3}};
    load.frame = frame;
    olo_signal growing = olo_signal_default();
    growing.expression = "1 + t";
    load.signal = &growing;
    if (kind == FUNCTION)
        load.function = give_thrust;
    else
        vec3_set(3, -1, 2, load.force);
    check_ok(olo_model_add_load(model, &load, &error), &error);
    return model;
}

/* A function that returns a constant force acts as this force does, in space and in the body, and
 * its work is in the ledger. */
TEST(function_with_a_frame_equals_the_constant_force)
{
    static const char *const frames[] = {"space", "body"};
    double end[2][2][12];
    for (int f = 0; f < 2; f++)
        for (int kind = 0; kind < 2; kind++) {
            olo_model *model = rocket(frames[f], (thrust)kind);
            olo_error error = {0};
            olo_system *system = NULL;
            olo_state *x = NULL;
            olo_stepper *stepper = NULL;
            olo_ledger start, ledger;
            check_ok(olo_model_compile(model, &system, &error), &error);
            check_ok(olo_system_create_initial_state(system, &x, NULL, &error), &error);
            check_ok(olo_stepper_create(system, olo_model_run(model), &stepper, &error), &error);
            olo_system_ledger(system, x, &start);
            for (int i = 0; i < 50; i++)
                check_ok(olo_stepper_step(stepper, x, 0.02, &error), &error);
            olo_system_ledger(system, x, &ledger);
            check_relative(start.balance, ledger.balance, 1e-12);
            check_true(fabs(ledger.work) > 0.1);
            memcpy(end[f][kind], olo_state_configuration(x), sizeof end[f][kind]);
            olo_stepper_free(stepper);
            olo_state_free(x);
            olo_system_free(system);
            olo_model_free(model);
        }
    for (int i = 0; i < 12; i++) {
        check_close(end[0][CONSTANT][i], end[0][FUNCTION][i], 1e-11);
        check_close(end[1][CONSTANT][i], end[1][FUNCTION][i], 1e-11);
    }
    check_true(fabs(end[0][0][0] - end[1][0][0]) > 0.1);
}

TEST_MAIN(cmocka_unit_test(function_with_a_frame_equals_the_constant_force),
          cmocka_unit_test(balance_holds_with_every_kind_of_load_at_any_step),
          cmocka_unit_test(balance_holds_with_dampers), cmocka_unit_test(dampers_never_give_energy),
          cmocka_unit_test(damper_loses_what_the_exact_decay_loses),
          cmocka_unit_test(constant_moment_on_a_hinged_body_gives_the_analytic_rate_angle_and_work),
          cmocka_unit_test(constant_force_throws_a_point_on_the_exact_parabola),
          cmocka_unit_test(linear_spring_oscillates_with_the_known_discrete_frequency),
          cmocka_unit_test(callback_force_equals_the_damper_it_imitates))
