/* Derivatives of runs with steps that a tolerance has chosen, of order 6, with other treatments of
 * constraints; how such computations are observed and interrupted. */
#include "probe.h"

#include "base/initialised.h"
#include "base/memory.h"

enum { STEPS_MAX = 2000 };

/* --- steps by a tolerance --- */

/* A pendulum with a mass on a spring, under a load over time: fast and slow in turn. The damper
 * removes the periodic part of the motion. */
static const char elastic[] =
    "name: elastic\n"
    "parameters: {k: 60, m: 1, w: 1.5, F: 2}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: m, inertia: [0.02, 0.05, 0.05], position: [0.3, 0, 0], angular_velocity: "
    "[0, w, 0]}\n"
    "points: {name: b, mass: 0.5*m, position: [1.2, 0.2, 0]}\n"
    "joints: {name: hinge, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "springs: {name: coil, between: [{on: a, at: [0.3, 0, 0]}, b], stiffness: k, length: 0.4, "
    "damping: 0.1}\n"
    "loads: {name: push, on: b, force: [0, F, 1], time: sin(3*t)}\n"
    "run: {step: 0.01, end: 0.8, grid: 0.3}\n";

static void open_with_tolerance(scene *x, int order)
{
    *x = scene_open(elastic, NULL);
    x->run.tolerance = 3e-3; /* few steps: rounding of derivatives grows with their number */
    x->run.order = order;
    x->run.scheme = schemes[0];
    probe_open_run(x);
}

/* Derivatives with respect to the initial state and to parameters, compared with differences of
 * runs with the steps that the tolerance has chosen. */
TEST(steps_by_a_tolerance)
{
    for (int order = 2; order <= 4; order += 2) {
        olo_error error = {0};
        double sizes[STEPS_MAX], again[STEPS_MAX], smallest = HUGE_VAL, largest = 0;
        scene x;
        open_with_tolerance(&x, order);
        olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq, .v = p.gv};
        check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
        long steps = olo_derivatives_step_sizes(p.d, NULL);
        check_true(steps == g.steps && steps < STEPS_MAX);
        olo_derivatives_step_sizes(p.d, sizes);
        for (long i = 0; i < steps; i++) {
            smallest = smaller(smallest, sizes[i]);
            largest = larger(largest, sizes[i]);
        }
        check_true(largest > 1.5 * smallest); /* so that the choice of the steps matters */
        check_ok(olo_derivatives_set_step_sizes(p.d, sizes, steps, &error), &error);
        double value = g.value;
        check_gradient(1e-2);
        check_relative(value, value_at(0), 1e-14);
        check_equal(steps, olo_derivatives_step_sizes(p.d, again));
        check_equal(0, memcmp(sizes, again, (size_t)steps * sizeof *sizes));
        check_ok(olo_derivatives_set_step_sizes(p.d, NULL, 0, &error), &error);
        check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
        check_true(g.value == value);
        probe_close();
        scene_close(&x);
    }
}

/* The integral of 1/2 t^2 (x - sin t)^2 by the trapezoidal rule, for a point with the motion x = 1
 * + t. */
TEST(a_goal_with_weight_and_target_over_time)
{
    static const char text[] =
        "name: free\n"
        "points: {name: a, mass: 2, position: [1, 0, 0], velocity: [1, 0, 0]}\n"
        "outputs: {name: p, on: a}\n"
        "run: {step: 0.1, end: 1}\n";
    const olo_goal goal = {.initialised = OLO_INITIALISED_GOAL,
                           .quantity = "p.position",
                           .direction = {1, 0, 0},
                           .squared = true,
                           .running = 1,
                           .factor_over_time = "t^2",
                           .target_over_time = "sin(t)"};
    olo_error error = {0};
    double value = 0, by_x = 0, by_v = 0;
    for (int i = 0; i <= 10; i++) {
        double t = 0.1 * i, off = 1 + t - sin(t), weight = (i % 10 == 0 ? 0.05 : 0.1) * t * t;
        value += weight * 0.5 * off * off;
        by_x += weight * off;
        by_v += weight * off * t;
    }
    scene x = scene_open(text, "reduced");
    probe_open_run(&x);
    p.J = (olo_functional){
        .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq, .v = p.gv};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    check_relative(value, g.value, 1e-13);
    check_relative(by_x, p.gq[0], 1e-13);
    check_relative(by_v, p.gv[0], 1e-13);
    probe_close();
    scene_close(&x);
}

typedef struct sizes_seen {
    long count;
    double size[STEPS_MAX];
} sizes_seen;

static olo_status see_size(void *context, const olo_system *system, const olo_state *state,
                           long step, const olo_step_report *report, olo_error *error)
{
    sizes_seen *seen = context;
    (void)system, (void)state, (void)error;
    if (step > 0 && seen->count < STEPS_MAX)
        seen->size[seen->count++] = report->size;
    return OLO_OK;
}

/* The steps are those of a run with the same tolerance, also where its grid shortens them. */
TEST(chosen_steps_are_those_of_the_run)
{
    static sizes_seen seen;
    olo_error error = {0};
    double sizes[STEPS_MAX];
    scene x;
    open_with_tolerance(&x, 2);
    check_ok(
        olo_derivatives_compute_gradient(
            p.d, x.state, &p.J, &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, &error),
        &error);
    const olo_observer observer = {
        .initialised = OLO_INITIALISED_OBSERVER, .context = &seen, .step = see_size};
    check_ok(olo_simulate(x.system, &x.run, x.state, &observer, 1, NULL, &error), &error);
    check_equal(seen.count, olo_derivatives_step_sizes(p.d, sizes));
    check_equal(0, memcmp(sizes, seen.size, (size_t)seen.count * sizeof *sizes));
    probe_close();
    scene_close(&x);
}

TEST(parameters_with_chosen_steps)
{
    olo_error error = {0};
    static const char *const names[] = {"k", "m", "w", "F"};
    static const double values[] = {60, 1, 1.5, 2};
    scene x;
    open_with_tolerance(&x, 2);
    check_ok(
        olo_derivatives_compute_gradient(
            p.d, x.state, &p.J, &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, &error),
        &error);
    static double sizes[STEPS_MAX];
    parameter_steps = olo_derivatives_step_sizes(p.d, sizes);
    parameter_sizes = sizes;
    parameter_tolerance = x.run.tolerance;
    probe_close();
    scene_close(&x);
    check_parameters(elastic, schemes[0], names, values, 4, NULL);
    parameter_steps = 0;
    parameter_tolerance = 0;
}

static const double few[] = {0.01, 0.02, 0.005, 0.01};

/* Controls are given per step: with a tolerance the steps must be given, too. */
TEST(controls_need_steps)
{
    olo_error error = {0};
    static const char *const name = "push";
    const double u[] = {1, 2, 3, 4};
    double gu[4];
    scene x;
    open_with_tolerance(&x, 2);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .controls = gu};
    check_ok(olo_derivatives_set_controls(p.d, &name, 1, u, 4, &error), &error);
    check_status(OLO_UNSUPPORTED, olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
    check_contains("controls belong to steps", error.text);
    check_ok(olo_derivatives_set_step_sizes(p.d, few, 4, &error), &error);
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    check_true(gu[0] != 0 && gu[3] != 0);
    check_status(OLO_BAD_INPUT,
                 olo_derivatives_set_step_sizes(p.d, (const double[]){0.1, -0.1}, 2, &error));
    check_contains("step 2 must be positive", error.text);
    probe_close();
    scene_close(&x);
}

/* --- orders and treatments --- */

/* A step has nine parts. With memory for few of them checkpoints are made. */
TEST(order_6)
{
    static const char *const models[] = {"humanoid-tree", "six-body-linkage", "three-bar-swing"};
    static const double h[] = {0.005, 0.01, 0.002};
    for (int i = 0; i < 6; i++) {
        scene x = scene_open(models[i % 3], "reduced");
        x.run.order = 6;
        probe_open(&x, schemes[i < 3 ? 1 : 2], h[i % 3], 3);
        check_gradient(1e-2);
        olo_derivatives_set_memory(p.d, 0);
        check_gradient(1e-2);
        probe_close();
        scene_close(&x);
    }
}

/* Other exact treatments compute the same motion, hence to round-off the same gradient as
 * `reduced`. */
TEST(exact_treatments_have_the_same_derivatives)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
    double first[NUMBERS_MAX];
    for (int scheme = 0; scheme < 3; scheme++)
        for (int i = 0; i < 4; i++) {
            olo_error error = {0};
            scene x = scene_open("six-body-linkage", treatments[i]);
            probe_open(&x, schemes[scheme], 0.01, 10);
            /* the run with its own treatment */
            olo_stepper *own;
            olo_state *end;
            check_ok(olo_stepper_create(x.system, &x.run, &own, &error), &error);
            check_ok(olo_state_clone(x.state, &end, &error), &error);
            for (int n = 0; n < 10; n++)
                check_ok(olo_stepper_step(own, end, 0.01, &error), &error);
            p.J.running = NULL;
            check_relative(at_end(&p.w, x.system, end, NULL, NULL), value_at(0), 1e-11);
            p.J.running = on_the_way;
            check_gradient(1e-2);
            if (i == 0)
                memcpy(first, p.gv, sizeof first);
            check_equal(0, memcmp(first, p.gv, (size_t)p.w.n * sizeof *first));
            olo_stepper_free(own);
            olo_state_free(end);
            probe_close();
            scene_close(&x);
        }
}

/* --- rolling --- */

/* A disc that is neither round nor balanced in its frame, with a pendulum on it and a spring to the
 * ground; a ball beside it. Parameters move the initial state, also along the plane in directions
 * in which nothing rolls. */
static const char rollers[] =
    "name: rollers\n"
    "parameters: {m: 0.3, r: 0.2, g: 9.81, w: 4, x: 0.1, z: 0.05, hub: 0.02, k: 8, lean: 0.4, R: "
    "0.1}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - {name: disc, mass: m, inertia: [0.004, 0.006, 0.003], center: [0.01, 0.02, -0.01],\n"
    "     position: [x, hub*cos(lean), z + r*cos(lean) + hub*sin(lean)], angular_velocity: [0.1, "
    "w*cos(lean), w*sin(lean) + 1]}\n"
    "  - {name: bob, mass: 0.1, inertia: [0.001, 0.001, 0.001], position: [x, 0.1, z + "
    "r*cos(lean)]}\n"
    "  - {name: ball, mass: 0.5, inertia: [0.002, 0.003, 0.002], center: [0, 0.01, 0.02], "
    "position: [1, 0, z + R],\n"
    "     angular_velocity: [w, 2, 1]}\n"
    "joints:\n"
    "  - {name: contact, type: rolling-disc, radius: r, axis: [0, cos(0.4), sin(0.4)],\n"
    "     between: [{at: [0, 0, z]}, {on: disc, at: [0, -hub*cos(lean), -hub*sin(lean)]}]}\n"
    "  - {name: ground2, type: rolling-ball, radius: R, between: [{at: [0, 0, z]}, ball]}\n"
    "  - {name: hang, type: spherical, between: [disc, {on: bob, at: [0, -0.08, 0]}]}\n"
    "springs:\n"
    "  - {name: s, type: linear, between: [[0, 0.3, 0], {on: disc, at: [0.05, 0, 0]}], stiffness: "
    "k}\n"
    "  - {name: s2, type: linear, between: [{on: ball, at: [0.05, 0, 0]}, bob], stiffness: k}\n"
    "loads: {name: push, on: bob, force: [0.1, 0.2, 0], time: cos(w*t)}\n"
    "run: {step: 0.01, end: 0.2}\n";

/* Two wheels on an axle: the second contact closes a loop. */
static const char wheels[] =
    "name: wheels\n"
    "parameters: {r: 0.3, w: 3, half: 0.4, m: 1}\n"
    "gravity: [0.2, 0.5, -9.81]\n"
    "bodies:\n"
    "  - {name: axle, mass: 2, inertia: [0.1, 0.02, 0.1], center: [0.05, 0.03, 0], position: [0, "
    "0, r], velocity: [w*r, 0, 0]}\n"
    "  - {name: left, mass: m, inertia: [0.02, 0.04, 0.02], position: [0, half, r], velocity: "
    "[w*r, 0, 0], angular_velocity: [0, w, 0]}\n"
    "  - {name: right, mass: m, inertia: [0.02, 0.04, 0.02], position: [0, -half, r], velocity: "
    "[w*r, 0, 0], angular_velocity: [0, w, 0]}\n"
    "joints:\n"
    "  - {name: a, type: revolute, between: [{on: axle, at: [0, half, 0]}, left], axis: [0, 1, "
    "0]}\n"
    "  - {name: b, type: revolute, between: [{on: axle, at: [0, -half, 0]}, right], axis: [0, 1, "
    "0]}\n"
    "  - {name: on_left, type: rolling-disc, between: [ground, left], axis: [0, 1, 0], radius: r}\n"
    "  - {name: on_right, type: rolling-disc, between: [ground, right], axis: [0, 1, 0], radius: "
    "r}\n"
    "run: {step: 0.01, end: 0.2}\n";

TEST(rolling_discs_balls_and_wheels)
{
    static const char *const models[] = {"rolling-disc", "rolling-ball", rollers, wheels};
    for (int i = 0; i < 8; i++)
        for (int order = 2; order <= 4; order += 2) {
            const olo_setting scheme = {"run.scheme", schemes[i < 4 ? 0 : 2]};
            print_message("%.12s, %s, order %d\n", models[i % 4], scheme.value, order);
            scene x = scene_open_set(models[i % 4], "reduced", &scheme, 1);
            scene_run(&x, 0.01, 5);
            x.run.order = order;
            probe_open(&x, scheme.value, 0.01, 10);
            check_gradient(1e-2);
            probe_close();
            scene_close(&x);
        }
}

TEST(parameters_of_rolling)
{
    static const char *const names[] = {"m", "r", "g", "w", "x", "z", "hub", "k", "R"};
    static const double values[] = {0.3, 0.2, 9.81, 4, 0.1, 0.05, 0.02, 8, 0.1};
    static const char *const of_wheels[] = {"r", "w", "half", "m"};
    static const double their_values[] = {0.3, 3, 0.4, 1};
    for (int scheme = 0; scheme < 3; scheme += 2) {
        check_parameters(rollers, schemes[scheme], names, values, 9, NULL);
        check_parameters(wheels, schemes[scheme], of_wheels, their_values, 4, NULL);
    }
}

/* dJ/dp of an output of a model at t = 0.5. */
static double end_by_parameter(const char *model, const char *name, const olo_goal *goal, double h)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    double by;
    scene x = scene_open(model, "reduced");
    probe_open(&x, schemes[0], h, lround(0.5 / h));
    p.J =
        (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL, .goals = goal, .goal_count = 1};
    check_ok(olo_parameter_derivative_create(x.model, name, &change, &error), &error);
    check_ok(olo_derivatives_set_parameters(p.d, (const olo_parameter_derivative *const *)&change,
                                            1, &error),
             &error);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = &by};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    olo_parameter_derivative_free(change);
    probe_close();
    scene_close(&x);
    return by;
}

/* A ball rolls across an inclined plane with constant speed v and down it with the acceleration
 * 5/7 g sin(angle). After an even number of steps the error is of order h^4. */
TEST(a_ball_on_an_inclined_plane_in_closed_form)
{
    static const char *const names[] = {"v", "g"};
    const double T = 0.5, angle = 15 * acos(-1.0) / 180,
                 exact[] = {T, 2.5 / 7 * T * T * sin(angle) * cos(angle)};
    for (int k = 0; k < 2; k++) {
        const olo_goal goal = {.initialised = OLO_INITIALISED_GOAL,
                               .quantity = "center.position",
                               .direction = {k == 1, k == 0, 0},
                               .end = 1};
        double coarse = end_by_parameter("rolling-ball", names[k], &goal, 0.01) - exact[k],
               fine = end_by_parameter("rolling-ball", names[k], &goal, 0.005) - exact[k];
        print_message("by %s: %.3e, %.3e of %.6g\n", names[k], coarse, fine, exact[k]);
        check_below(fabs(fine), 1e-7 * exact[k]);
        check_true(fabs(fine) < 1e-12 || fabs(coarse / fine) > 15);
    }
}

TEST(what_rolling_has_no_derivatives_by)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    scene x = scene_open("rolling-ball", "reduced");
    check_status(OLO_UNSUPPORTED,
                 olo_parameter_derivative_create(x.model, "slope", &change, &error));
    check_contains("the plane on which it rolls", error.text);
    check_ok(olo_parameter_derivative_create(x.model, "r", &change, &error), &error);
    x.run.start = "equilibrium";
    check_status(OLO_UNSUPPORTED,
                 olo_differentiate_equilibrium(x.system, &x.run, x.state, &change, 1, &error));
    check_contains("'contact' rolls", error.text);
    olo_parameter_derivative_free(change);
    scene_close(&x);
}

/* --- forces from functions --- */

/* F = -k |x|^2 x - c v + a wind in which all components are coupled */
static void bend(void *context, double t, const double x[3], const double v[3], double force[3])
{
    const double k = *(const double *)context, square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int i = 0; i < 3; i++)
        force[i] = -k * square * x[i] - 0.3 * v[i] + 0.2 * cos(t) * v[(i + 1) % 3] * x[i];
}

static void bend_derivatives(void *context, double t, const double x[3], const double v[3],
                             double by_position[9], double by_velocity[9])
{
    const double k = *(const double *)context, square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            by_position[3 * i + j] = -2 * k * x[i] * x[j];
        by_position[4 * i] += -k * square + 0.2 * cos(t) * v[(i + 1) % 3];
        by_velocity[4 * i] = -0.3;
        by_velocity[3 * i + (i + 1) % 3] = 0.2 * cos(t) * x[i];
    }
}

/* the torque of a motor, with friction that saturates */
static double motor(void *context, double t, double angle, double rate)
{
    const double k = *(const double *)context;
    return k * sin(angle + t) - 0.5 * tanh(3 * rate);
}

static void motor_derivatives(void *context, double t, double angle, double rate, double by[2])
{
    const double k = *(const double *)context, slide = tanh(3 * rate);
    by[0] = k * cos(angle + t);
    by[1] = -1.5 * (1 - slide * slide);
}

/* The force of `jet` is a function, in space or along the directors of its body; it also
 * has a moment and a factor. */
static const char pushed[] =
    "name: pushed\n"
    "parameters: {m: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: m, inertia: [0.02, 0.05, 0.05], position: [0.3, 0, 0], angular_velocity: "
    "[0, 2, 0]}\n"
    "  - {name: b, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.9, 0, 0]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: elbow, type: spherical, between: [{on: a, at: [0.3, 0, 0]}, b], at: [0.6, 0, 0]}\n"
    "loads: {name: jet, on: {on: b, at: [0.3, 0.1, 0]}, moment: [0.1, 0, 0.2], time: 1 + t, frame: "
    "%s}\n"
    "run: {step: 0.01, end: 0.2}\n";

static const char *const frames[] = {"space", "body"};
static double strength = 2;

static void give_functions(olo_model *model, bool derivatives)
{
    olo_error error = {0};
    check_ok(olo_model_set_load_function(model, "jet", bend, &strength, &error), &error);
    check_ok(olo_model_set_joint_function(model, "hinge", motor, &strength, &error), &error);
    if (!derivatives)
        return;
    check_ok(olo_model_set_load_derivatives(model, "jet", bend_derivatives, &error), &error);
    check_ok(olo_model_set_joint_derivatives(model, "hinge", motor_derivatives, &error), &error);
    check_status(OLO_NOT_FOUND,
                 olo_model_set_load_derivatives(model, "hinge", bend_derivatives, &error));
    check_status(OLO_NOT_FOUND,
                 olo_model_set_joint_derivatives(model, "jet", motor_derivatives, &error));
}

/* The scene with its model compiled again. */
static scene open_pushed(const char *frame, bool derivatives)
{
    olo_error error = {0};
    char text[sizeof pushed + 8];
    snprintf(text, sizeof text, pushed, frame);
    scene x = scene_open(text, "reduced");
    give_functions(x.model, derivatives);
    olo_stepper_free(x.stepper);
    olo_state_free(x.state);
    olo_system_free(x.system);
    check_ok(olo_model_compile(x.model, &x.system, &error), &error);
    check_ok(olo_system_create_initial_state(x.system, &x.state, NULL, &error), &error);
    check_ok(olo_stepper_create(x.system, &x.run, &x.stepper, &error), &error);
    return x;
}

TEST(forces_from_functions_with_derivatives)
{
    for (int scheme = 0; scheme < 4; scheme++)
        for (int order = 2; order <= 4; order += 2) {
            scene x = open_pushed(frames[scheme / 2], true);
            x.run.order = order;
            probe_open(&x, schemes[scheme % 2], 0.01, 15);
            check_gradient(1e-2);
            probe_close();
            scene_close(&x);
        }
}

/* Derivatives of a function change the iterations of Newton's method, not its result. */
TEST(derivatives_of_functions_change_no_motion)
{
    for (int k = 0; k < 2; k++) {
        scene with = open_pushed(frames[k], true), without = open_pushed(frames[k], false);
        scene_run(&with, 0.01, 50);
        scene_run(&without, 0.01, 50);
        for (int i = 0; i < with.system->n; i++)
            check_close(without.state->q[i], with.state->q[i], 1e-12);
        print_message("%ld iterations with derivatives, %ld without\n", with.iterations,
                      without.iterations);
        check_true(with.iterations < without.iterations);
        scene_close(&with);
        scene_close(&without);
    }
}

TEST(functions_without_derivatives_are_refused)
{
    olo_error error = {0};
    olo_derivatives *d;
    olo_parameter_derivative *change;
    scene x = open_pushed("space", false);
    check_status(OLO_UNSUPPORTED, olo_derivatives_create(x.system, &x.run, &d, &error));
    check_contains("`derivatives`", error.text);
    check_status(OLO_UNSUPPORTED, olo_parameter_derivative_create(x.model, "m", &change, &error));
    check_contains("functions of a program", error.text);
    scene_close(&x);
}

static void pull(void *context, double t, const double x[3], const double v[3], double force[3])
{
    const double k = *(const double *)context;
    (void)t, (void)v;
    for (int i = 0; i < 3; i++)
        force[i] = -k * x[i];
}

static void pull_derivatives(void *context, double t, const double x[3], const double v[3],
                             double by_position[9], double by_velocity[9])
{
    (void)t, (void)x, (void)v, (void)by_velocity;
    for (int i = 0; i < 3; i++)
        by_position[4 * i] = -*(const double *)context;
}

/* Derivatives of a function enter the stiffness of vibrations, too: a mass on a spring that is a
 * function has the frequency sqrt(2/0.5) = 2. */
TEST(derivatives_of_functions_in_vibrations)
{
    static const char text[] = "name: hung\n"
                               "points: {name: a, mass: 0.5, position: [0, 0, 0]}\n"
                               "loads: {name: pull, on: a}\n"
                               "run: {step: 0.1, end: 1}\n";
    olo_error error = {0};
    olo_model *model;
    olo_system *system;
    olo_state *rest;
    olo_modes *modes;
    check_ok(olo_model_read_text(text, strlen(text), "hung", NULL, 0, &model, &error), &error);
    check_ok(olo_model_set_load_function(model, "pull", pull, &strength, &error), &error);
    check_ok(olo_model_set_load_derivatives(model, "pull", pull_derivatives, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_ok(olo_system_create_initial_state(system, &rest, NULL, &error), &error);
    check_ok(olo_modes_create(system, rest, NULL, &modes, &error), &error);
    check_equal(3, olo_modes_count(modes));
    for (int i = 0; i < 3; i++)
        check_relative(2.0, olo_modes_omega(modes, i), 1e-9);
    olo_modes_free(modes);
    olo_state_free(rest);
    olo_system_free(system);
    olo_model_free(model);
}

/* --- starts at an equilibrium --- */

/* A pendulum on a spring with a controller, whose equilibrium is changed by loads; parameters
 * change the lengths of its links. */
static const char hanging[] =
    "name: hanging\n"
    "parameters: {m: 1, k: 40, l: 0.6, F: 3, kp: 12, kd: 2, rest: 0.3, g: 9.81, y: 0.4, tilt: "
    "0.3}\n"
    "gravity: [0, 0, -g]\n"
    "bodies:\n"
    "  - {name: a, mass: m, inertia: [0.02, 0.05, 0.05], center: [0.1, 0.02, 0], position: [0, 0, "
    "0]}\n"
    "  - {name: b, mass: 0.5, inertia: [0.02, 0.05, 0.05], position: [l, 0, 0]}\n"
    "points: {name: c, mass: 0.5*m, position: [l + 0.5, y, 0]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     controller: {target: tilt*cos(4*t) + t, kp: kp, kd: kd}}\n"
    "  - {name: ball, type: spherical, between: [{on: a, at: [l, 0, 0]}, b]}\n"
    "rods: {between: [{on: b, at: [0.2, 0, 0]}, c]}\n"
    "springs:\n"
    "  - {name: coil, between: [[1, y, 0.5], {on: b, at: [0.1, 0, 0.1]}], stiffness: k, length: "
    "rest}\n"
    "  - {name: stay, type: linear, between: [[1.2, 0, 0], {on: b, at: [0, 0.2, 0]}], stiffness: "
    "0.5*k}\n"
    "  - {name: tie, type: linear, between: [[1.2, 0.6, -0.6], c], stiffness: k}\n"
    "dampers: {name: oil, type: linear, between: [[0, 0, 0], c], damping: 0.4}\n"
    "loads: {name: push, on: c, force: [0, F, 1], time: cos(6*t)}\n"
    "run: {step: 0.01, end: 0.15, start: equilibrium}\n";

TEST(parameters_move_the_equilibrium_of_a_tree)
{
    static const char *const names[] = {"m", "k", "l", "F", "kp", "kd", "rest", "g", "y", "tilt"};
    static const double values[] = {1, 40, 0.6, 3, 12, 2, 0.3, 9.81, 0.4, 0.3};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(hanging, schemes[scheme], names, values, 10, NULL);
}

/* A four-bar linkage on springs: its closure has multipliers, and parameters are in the rows of
 * tree and closure. */
static const char window[] =
    "name: window\n"
    "parameters: {b: 0.8, c: 1.2, m: 1, k: 80, F: 2}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: left, mass: m, center: [0, 0, b/2], inertia: [0.05, 0.05, 0.05], position: [0, 0, "
    "0]}\n"
    "  - {name: top, mass: 1, inertia: [0.05, 0.05, 0.05], position: [0, 0, b], center: [0.3, 0, "
    "0.1]}\n"
    "  - {name: right, mass: m, inertia: [0.05, 0.05, 0.05], position: [c, 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, left], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {name: B, type: revolute, between: [{on: left, at: [0, 0, b]}, top], axis: [0, 1, 0]}\n"
    "  - {name: C, type: spherical, between: [{on: top, at: [c, 0, 0]}, {on: right, at: [0, 0, "
    "b]}]}\n"
    "  - {name: D, type: revolute, between: [ground, right], at: [c, 0, 0], axis: [0, 1, 0]}\n"
    "springs: {name: s, type: linear, between: [[1.5, 0, 1], {on: top, at: [c/2, 0, 0]}], "
    "stiffness: k}\n"
    "loads: {name: push, on: top, force: [F, 0, 0], time: cos(6*t)}\n"
    "run: {step: 0.01, end: 0.15, start: equilibrium}\n";

TEST(parameters_move_the_equilibrium_of_a_loop)
{
    static const char *const names[] = {"b", "c", "m", "k", "F"};
    static const double values[] = {0.8, 1.2, 1, 80, 2};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(window, schemes[scheme], names, values, 5, NULL);
}

/* A hinge with a prescribed motion: the run starts at the initial value of the motion. */
static const char tilted[] =
    "name: tilted\n"
    "parameters: {tilt: 0.4, w: 5, k: 30, l: 0.5}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0, 0, 0]}\n"
    "  - {name: b, mass: 0.5, inertia: [0.02, 0.05, 0.05], center: [0.1, 0, 0], position: "
    "[l*cos(tilt), 0, "
    "-l*sin(tilt)]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], "
    "motion: tilt*cos(w*t)}\n"
    "  - {name: elbow, type: revolute, between: [{on: a, at: [l, 0, 0]}, b], axis: [0, 1, 0]}\n"
    "springs: {name: s, type: linear, between: [[1, 0, 0.2], {on: b, at: [0.2, 0, 0]}], stiffness: "
    "k}\n"
    "run: {step: 0.01, end: 0.15, start: equilibrium}\n";

TEST(parameters_move_the_equilibrium_of_what_is_driven)
{
    static const char *const names[] = {"tilt", "w", "k", "l"};
    static const double values[] = {0.4, 5, 30, 0.5};
    for (int scheme = 0; scheme < 3; scheme++) {
        scene x = open_with(tilted, schemes[scheme], NULL, 0);
        int angle = olo_system_find_joint_coordinate(x.system, "hinge.angle");
        double at = olo_system_joint_coordinate_value(x.system, x.state, angle);
        check_close(0.4, at, 1e-14); /* not 0.4 cos(5), the value at the load factor 1 as time */
        scene_close(&x);
        check_parameters(tilted, schemes[scheme], names, values, 4, NULL);
    }
}

static const char sagging[] =
    "name: sagging\n"
    "parameters: {E: 1e6, rho: 300, tip: 4, L: 1, F: 20}\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  - {name: arm, elements: 5, from: [0, 0, 0], to: [L, 0, 0], d1: [0, 1, 0],\n"
    "     section: {type: rectangle, width: 0.2, height: 0.2, young: E, poisson: 0.3, density: "
    "rho}}\n"
    "masses: {name: load, on: arm.end, mass: tip}\n"
    "supports: {name: clamp, type: fixed, on: arm.start}\n"
    "loads: {name: push, on: arm.end, force: [0, F, 0], time: cos(20*t)}\n"
    "run: {step: 0.01, end: 0.1, start: equilibrium}\n";

TEST(parameters_move_the_equilibrium_of_a_beam)
{
    static const char *const names[] = {"E", "rho", "tip", "L", "F"};
    static const double values[] = {1e6, 300, 4, 1, 20};
    for (int scheme = 0; scheme < 3; scheme++)
        check_parameters(sagging, schemes[scheme], names, values, 5, NULL);
}

/* The weight of a mass extends its spring by m g/k: in closed form dz/dm = -g/k, dz/dk = m
 * g/k^2. */
TEST(equilibrium_of_a_mass_on_a_spring)
{
    static const char text[] =
        "name: hung\n"
        "parameters: {m: 2, k: 50}\n"
        "gravity: [0, 0, -10]\n"
        "points: {name: a, mass: m, position: [0, 0, 0]}\n"
        "springs: {name: s, type: linear, between: [[0, 0, 0], a], stiffness: k}\n"
        "run: {step: 0.1, end: 0, start: equilibrium}\n";
    static const char *const names[] = {"m", "k"};
    const double z = -2 * 10.0 / 50, expected[] = {-10.0 / 50, 2 * 10.0 / 2500};
    olo_error error = {0};
    olo_parameter_derivative *changes[2];
    scene x = open_with(text, schemes[0], NULL, 0);
    check_close(z, olo_state_configuration(x.state)[2], 1e-14);
    for (int k = 0; k < 2; k++)
        check_ok(olo_parameter_derivative_create(x.model, names[k], &changes[k], &error), &error);
    probe_open_run(&x);
    check_status(OLO_BAD_INPUT,
                 olo_derivatives_set_parameters(
                     p.d, (const olo_parameter_derivative *const *)changes, 2, &error));
    check_contains("olo_differentiate_equilibrium", error.text);
    size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_memory_fail_at(n);
        status = olo_differentiate_equilibrium(x.system, &x.run, x.state, changes, 2, &error);
        olo_memory_fail_at(0);
        check_true(status == OLO_OK || status == OLO_NO_MEMORY);
        check_equal(alive, olo_memory_alive());
    }
    for (int k = 0; k < 2; k++) {
        check_relative(expected[k], changes[k]->dq[2], 1e-11);
        check_true(changes[k]->dq[0] == 0 && changes[k]->dv[2] == 0);
    }
    x.run.start = "given";
    probe_close();
    probe_open_run(&x);
    check_status(OLO_BAD_INPUT,
                 olo_derivatives_set_parameters(
                     p.d, (const olo_parameter_derivative *const *)changes, 2, &error));
    check_contains("does not start at one", error.text);
    for (int k = 0; k < 2; k++)
        olo_parameter_derivative_free(changes[k]);
    probe_close();
    scene_close(&x);
}

/* A ball on a spring may rotate freely about it: its equilibrium is not unique. */
TEST(neutral_equilibria_have_no_derivatives)
{
    static const char text[] =
        "name: loose\n"
        "parameters: {k: 50}\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
        "springs: {name: s, type: linear, between: [[0, 0, 0], a], stiffness: k}\n"
        "run: {step: 0.1, end: 1, start: equilibrium}\n";
    olo_error error = {0};
    olo_parameter_derivative *change;
    scene x = open_with(text, schemes[0], NULL, 0);
    check_ok(olo_parameter_derivative_create(x.model, "k", &change, &error), &error);
    check_status(OLO_SINGULAR,
                 olo_differentiate_equilibrium(x.system, &x.run, x.state, &change, 1, &error));
    check_contains("can move without forces", error.text);
    olo_parameter_derivative_free(change);
    scene_close(&x);
}

/* --- functions of time --- */

/* Parameters in a load, a torque, the target of a controller, and prescribed motions of a chain and
 * of a crank in a loop, one of them by another parameter. */
static const char driven[] =
    "name: driven\n"
    "parameters: {w: 5, amp: 0.4, tilt: 0.3, speed: 3, gain: 2*tilt, a: 0.5}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: one, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.25, 0, 0]}\n"
    "  - {name: two, mass: 0.5, inertia: [0.02, 0.05, 0.05], position: [0.75, 0, 0]}\n"
    "  - {name: three, mass: 0.5, inertia: [0.02, 0.05, 0.05], position: [1.25, 0, 0]}\n"
    "  - {name: crank, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 2, 0]}\n"
    "  - {name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], position: [a, 2, 0], center: [0.5, 0, 0]}\n"
    "  - {name: slide, mass: 1, inertia: [0.1, 0.1, 0.1], position: [a + 1, 2, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, one], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     motion: amp*sin(w*t)}\n"
    "  - {name: B, type: revolute, between: [{on: one, at: [0.25, 0, 0]}, two], at: [0.5, 0, 0], "
    "axis: [0, 1, 0],\n"
    "     torque: 2, time: exp(-gain*t)}\n"
    "  - {name: C, type: revolute, between: [{on: two, at: [0.25, 0, 0]}, three], at: [1, 0, 0], "
    "axis: [0, 1, 0],\n"
    "     controller: {target: tilt*cos(w*t), kp: 5, kd: 0.3}}\n"
    "  - {name: O, type: revolute, between: [ground, crank], at: [0, 2, 0], axis: [0, 1, 0],\n"
    "     motion: speed*t + 0.5*amp*t^2}\n"
    "  - {name: P, type: revolute, between: [{on: crank, at: [a, 0, 0]}, rod], axis: [0, 1, 0]}\n"
    "  - {name: Q, type: spherical, between: [{on: rod, at: [1, 0, 0]}, slide]}\n"
    "  - {name: R, type: prismatic, between: [ground, slide], at: [a + 1, 2, 0], axis: [1, 0, 0]}\n"
    "loads: {name: push, on: three, force: [0, 1, 1], time: \"if(t < 0.1, sin(w*t), tilt)\"}\n"
    "outputs: {name: tip, on: {on: three, at: [0.25, 0, 0]}}\n"
    "run: {step: 0.01, end: 0.2}\n";

TEST(parameters_in_functions_of_time_and_motions)
{
    static const char *const names[] = {"w", "amp", "tilt", "speed", "a", "gain"};
    static const double values[] = {5, 0.4, 0.3, 3, 0.5, 0.6};
    const olo_goal goal = {
        .initialised = OLO_INITIALISED_GOAL, .quantity = "A.angle.rate", .end = 1, .running = 1};
    for (int scheme = 0; scheme < 2; scheme++) {
        check_parameters(driven, schemes[scheme], names, values, 6, NULL);
        /* goals of the driven joint itself */
        check_parameters(driven, schemes[scheme], names, values, 2, &goal);
    }
}

/* amp sin(w t) at the end, in closed form. */
TEST(a_prescribed_angle_follows_its_parameters)
{
    static const char *const names[] = {"w", "amp"};
    const double T = 0.2, exact[] = {0.4 * T * cos(5 * T), sin(5 * T)};
    olo_error error = {0};
    olo_parameter_derivative *changes[2];
    double gradient[2];
    for (int scheme = 0; scheme < 2; scheme++) {
        scene x = open_with(driven, schemes[scheme], NULL, 0);
        const olo_goal goal = {
            .initialised = OLO_INITIALISED_GOAL, .quantity = "A.angle", .end = 1};
        probe_open_run(&x);
        p.J = (olo_functional){
            .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
        for (int k = 0; k < 2; k++)
            check_ok(olo_parameter_derivative_create(x.model, names[k], &changes[k], &error),
                     &error);
        check_ok(olo_derivatives_set_parameters(
                     p.d, (const olo_parameter_derivative *const *)changes, 2, &error),
                 &error);
        olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = gradient};
        check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
        for (int k = 0; k < 2; k++) {
            check_relative(exact[k], gradient[k], 1e-12);
            olo_parameter_derivative_free(changes[k]);
        }
        probe_close();
        scene_close(&x);
    }
}

/* --- numbers that are none, and ends --- */

static double not_a_number(void *context, const olo_system *system, const olo_state *state,
                           double *gq, double *gv)
{
    (void)context, (void)system, (void)gq, (void)gv;
    return state->t > 0.055 ? NAN : 1.0;
}

static double steep(void *context, const olo_system *system, const olo_state *state, double *gq,
                    double *gv)
{
    (void)context, (void)system, (void)state, (void)gv;
    if (gq)
        gq[0] += INFINITY;
    return 1.0;
}

TEST(functionals_that_are_not_finite_are_reported)
{
    olo_error error = {0};
    scene x = scene_open("heavy-top", "reduced");
    probe_open(&x, schemes[0], 0.01, 10);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq};
    p.J = (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL, .running = not_a_number};
    check_status(OLO_NOT_FINITE, olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
    check_contains("not finite at t = 0.06", error.text);
    p.J = (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL, .end = steep};
    check_status(OLO_NOT_FINITE, olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
    check_contains("derivatives are not finite", error.text);
    const olo_goal far = {.initialised = OLO_INITIALISED_GOAL,
                          .quantity = "kinetic",
                          .squared = true,
                          .target = 1e200,
                          .end = 1};
    p.J =
        (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &far, .goal_count = 1};
    check_status(OLO_NOT_FINITE, olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
    check_contains("too large", error.text);
    const olo_goal none = {.initialised = OLO_INITIALISED_GOAL,
                           .quantity = "kinetic",
                           .squared = true,
                           .target = NAN,
                           .running = 1};
    p.J = (olo_functional){
        .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &none, .goal_count = 1};
    check_status(OLO_NOT_FINITE, olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
    check_contains("goal 'kinetic' is not finite at t = 0", error.text);
    double dq[NUMBERS_MAX] = {0}, dv[NUMBERS_MAX] = {0};
    olo_direction along = {.initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv};
    check_status(OLO_NOT_FINITE,
                 olo_derivatives_compute_forward(p.d, x.state, &p.J, &along, NULL, NULL, &error));
    probe_close();
    scene_close(&x);
}

/* A run whose checkpoints alone need more memory than there is. */
TEST(endless_runs_are_refused)
{
    olo_error error = {0};
    scene x = scene_open("heavy-top", "reduced");
    probe_open(&x, schemes[0], 1e-12, 1);
    probe_close();
    x.run.end = 1e5;
    check_ok(olo_derivatives_create(x.system, &x.run, &p.d, &error), &error);
    check_status(
        OLO_BAD_INPUT,
        olo_derivatives_compute_gradient(
            p.d, x.state, &p.J, &(olo_gradient){.initialised = OLO_INITIALISED_GRADIENT}, &error));
    check_contains("too many", error.text);
    probe_close();
    scene_close(&x);
}

typedef struct patience {
    long asked, until, last;
    bool back; /* the step number has decreased */
} patience;

static olo_status count_steps(void *context, const olo_system *system, const olo_state *state,
                              long step, const olo_step_report *report, olo_error *error)
{
    patience *x = context;
    (void)system, (void)state, (void)report, (void)error;
    x->back = x->back || step < x->last;
    x->last = step;
    return OLO_OK;
}

static bool is_over(void *context)
{
    patience *x = context;
    return ++x->asked == x->until;
}

/* Interrupted in the forward and in the backward pass, in forward derivatives, and while steps are
 * chosen. */
TEST(gradients_can_be_interrupted)
{
    olo_error error = {0};
    scene x;
    open_with_tolerance(&x, 2);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    double value = g.value;
    for (int part = 0; part < 3; part++) {
        patience one = {.until = part * g.steps + 5};
        const olo_observer observer = {.initialised = OLO_INITIALISED_OBSERVER,
                                       .context = &one,
                                       .step = count_steps,
                                       .stop = is_over};
        check_ok(olo_derivatives_set_observer(p.d, &observer, &error), &error);
        check_status(OLO_INTERRUPTED,
                     olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error));
        check_contains("interrupted at t", error.text);
        check_equal(one.until, one.asked);
        check_true(one.back == (part > 0));
    }
    check_ok(olo_derivatives_set_observer(p.d, NULL, &error), &error);
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    check_true(g.value == value);
    probe_close();
    scene_close(&x);
}

TEST_MAIN(cmocka_unit_test(parameters_move_the_equilibrium_of_what_is_driven),
          cmocka_unit_test(a_goal_with_weight_and_target_over_time),
          cmocka_unit_test(forces_from_functions_with_derivatives),
          cmocka_unit_test(derivatives_of_functions_change_no_motion),
          cmocka_unit_test(functions_without_derivatives_are_refused),
          cmocka_unit_test(derivatives_of_functions_in_vibrations),
          cmocka_unit_test(rolling_discs_balls_and_wheels), cmocka_unit_test(parameters_of_rolling),
          cmocka_unit_test(a_ball_on_an_inclined_plane_in_closed_form),
          cmocka_unit_test(what_rolling_has_no_derivatives_by),
          cmocka_unit_test(parameters_in_functions_of_time_and_motions),
          cmocka_unit_test(a_prescribed_angle_follows_its_parameters),
          cmocka_unit_test(parameters_move_the_equilibrium_of_a_tree),
          cmocka_unit_test(parameters_move_the_equilibrium_of_a_loop),
          cmocka_unit_test(parameters_move_the_equilibrium_of_a_beam),
          cmocka_unit_test(equilibrium_of_a_mass_on_a_spring),
          cmocka_unit_test(neutral_equilibria_have_no_derivatives),
          cmocka_unit_test(steps_by_a_tolerance),
          cmocka_unit_test(chosen_steps_are_those_of_the_run),
          cmocka_unit_test(parameters_with_chosen_steps), cmocka_unit_test(controls_need_steps),
          cmocka_unit_test(order_6), cmocka_unit_test(exact_treatments_have_the_same_derivatives),
          cmocka_unit_test(functionals_that_are_not_finite_are_reported),
          cmocka_unit_test(endless_runs_are_refused),
          cmocka_unit_test(gradients_can_be_interrupted))
