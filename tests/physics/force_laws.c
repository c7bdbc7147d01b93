/* Forces as expressions of length, rate, time and the motion of other bodies; and forces and
 * moments from functions of the whole motion of a body. They are compared with springs and dampers
 * whose discrete equations are the same, with analytic motions, equilibria and frequencies; momenta
 * of a free system and the balance of energy hold for any step. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};

/* Two bodies on a hinge and a point, with what connects them. */
#define PENDULUM(forces)                                                                           \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {k: 60, c: 0.4, l0: 0.5}\n"                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.3, 0, 0],\n"                 \
    "     angular_velocity: [0, 1.5, 0]}\n"                                                        \
    "  - {name: b, mass: 2, inertia: [0.02, 0.05, 0.03], position: [1.2, 0.3, 0.1],\n"             \
    "     angular_velocity: [1, 0, 2], velocity: [0, 0.5, 0.2]}\n"                                 \
    "joints: {name: hinge, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n" forces         \
    "run: {step: 0.02, end: 0.6}\n"

static void check_same(const char *one, const char *other, const char *treatment, double tolerance)
{
    scene x = scene_open(one, treatment), y = scene_open(other, treatment);
    scene_run(&x, 0.02, 30);
    scene_run(&y, 0.02, 30);
    check_equal(x.system->n, y.system->n);
    for (int i = 0; i < x.system->n; i++)
        check_close(x.state->q[i], y.state->q[i], tolerance);
    scene_close(&x);
    scene_close(&y);
}

/* With energy-momentum the discrete force of a distance spring is k ((l0 + l1)/2 - rest) along its
 * discrete gradient, and that of a damper c (l1 - l0)/h: the expressions give the same numbers. */
TEST(a_linear_law_is_a_spring_with_a_damper)
{
    static const char spring[] =
        PENDULUM("springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, {on: b, at: [0, 0.1, "
                 "0]}], stiffness: k, length: l0, damping: c}\n"),
                      law[] = PENDULUM(
                          "springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, {on: b, at: "
                          "[0, 0.1, 0]}], force: k*(l - l0) + c*v}\n"),
                      both[] = PENDULUM(
                          "springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, {on: b, at: "
                          "[0, 0.1, 0]}], stiffness: k, length: l0}\n"
                          "dampers: {name: d, between: [{on: a, at: [0.3, 0, 0.1]}, {on: b, at: "
                          "[0, 0.1, 0]}], force: c*v}\n");
    for (size_t i = 0; i < sizeof treatments / sizeof treatments[0]; i++) {
        check_same(spring, law, treatments[i], 1e-11);
        check_same(spring, both, treatments[i], 1e-11);
    }
}

/* The same along the angle of the hinge. */
TEST(a_law_along_a_joint_is_its_spring)
{
    static const char spring[] =
        PENDULUM("springs: {name: s, along: hinge, stiffness: k, length: 0.2, damping: c}\n"),
                      law[] = PENDULUM(
                          "springs: {name: s, along: hinge.angle, force: k*(l - 0.2) + c*v}\n");
    for (size_t i = 0; i < sizeof treatments / sizeof treatments[0]; i++)
        check_same(spring, law, treatments[i], 1e-11);
}

/* The variational scheme evaluates potentials at the midpoint and forces at the nodes: both
 * converge to the same motion with order two. */
TEST(a_linear_law_converges_to_the_spring_with_variational)
{
    const olo_setting scheme = {"run.scheme", "variational"};
    double off[2];
    for (int k = 0; k < 2; k++) {
        const double h = 0.01 / (1 << k);
        scene x = scene_open_set(
                  PENDULUM("springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, b], "
                           "stiffness: k, length: l0, damping: c}\n"),
                  NULL, &scheme, 1),
              y = scene_open_set(
                  PENDULUM("springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, b], force: "
                           "k*(l - l0) + c*v}\n"),
                  NULL, &scheme, 1);
        scene_run(&x, h, 40 << k);
        scene_run(&y, h, 40 << k);
        off[k] = 0;
        for (int i = 0; i < x.system->n; i++)
            off[k] = larger(off[k], fabs(x.state->q[i] - y.state->q[i]));
        scene_close(&x);
        scene_close(&y);
    }
    check_true(off[1] > 0);
    check_close(4.0, off[0] / off[1], 0.4);
}

/* Momenta of a free system, and energy: what the force gives is in the ledger. */
TEST(a_force_between_bodies_conserves_momenta_and_balances_energy)
{
    static const char text[] =
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [0.02, 0.05, 0.05], velocity: [0, 0.4, 0.1],\n"
        "     angular_velocity: [0.3, 1.5, 0]}\n"
        "  - {name: b, mass: 2, inertia: [0.02, 0.05, 0.03], position: [1.2, 0.3, 0.1],\n"
        "     angular_velocity: [1, 0, 2]}\n"
        "springs: {name: s, between: [{on: a, at: [0.3, 0, 0.1]}, {on: b, at: [0, 0.1, 0]}],\n"
        "  force: 4*sin(3*t) + 2*l^2 + 0.3*v^3}\n"
        "run: {step: 0.05, end: 1}\n";
    scene s = scene_open(text, "reduced");
    const olo_ledger start = scene_ledger(&s);
    scene_watch watch = scene_watch_begin(&s, false);
    check_equal(7, olo_system_invariant_count(s.system)); /* with the balance of energy */
    for (int i = 0; i < 40; i++) {
        scene_run(&s, 0.05, 1);
        scene_watch_look(&watch, &s);
    }
    const olo_ledger end = scene_ledger(&s);
    check_close(0, watch.drift, 1e-12);
    check_true(fabs(end.work) > 0.1);
    check_close(start.kinetic + end.work, end.kinetic, 1e-12 * end.kinetic);
    scene_close(&s);
}

/* m x'' = k v t: with the midpoint rule x(t) = k v (t^3/6 + h^2 t/12)/m at the nodes. */
TEST(a_load_depends_on_the_motion_of_another_body)
{
    static const char text[] =
        "parameters: {k: 3}\n"
        "points:\n"
        "  - {name: a, mass: 1, position: [0, 1, 0], velocity: [0.5, 0, 0]}\n"
        "  - {name: b, mass: 2, position: [0, 0, 0]}\n"
        "outputs: {name: probe, on: a}\n"
        "loads: {name: push, on: b, force: [k, 0, 0], time: probe.x}\n"
        "run: {step: 0.1, end: 1}\n";
    for (size_t i = 0; i < 2; i++) {
        scene s = scene_open(text, treatments[i]);
        const double h = 0.1, t = 1;
        scene_run(&s, h, 10);
        check_close(3 * 0.5 * (t * t * t / 6 + h * h * t / 12) / 2, scene_q(&s, "b")[0], 1e-14);
        check_close(0.5, scene_q(&s, "a")[0], 1e-15); /* nothing acts on it */
        scene_close(&s);
    }
}

/* A load that feeds back the position and velocity of its own point is a linear spring with a
 * linear damper along x; in a body, too. */
TEST(feedback_of_the_own_position_is_a_spring)
{
    check_same(
        "points: {name: b, mass: 2, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
        "loads: {name: f, on: b, force: [-1, 0, 0], time: 30*b.x + 2*b.vx}\n",
        "points: {name: b, mass: 2, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
        "springs: {name: f, between: [[0, 0, 0], b], type: linear, stiffness: 30, damping: "
        "2}\nloads: {name: g, on: b, force: [0, 1, 0], time: 30*b.position.y + 2*b.velocity.y}\n",
        "reduced", 1e-12);
}

static double value_of(const scene *s, const char *node, int i)
{
    return scene_q(s, node)[i];
}

/* k (l - l0)^3 = m g, omega^2 = 3 k (l - l0)^2/m, damping c/(2 m). */
TEST(equilibrium_and_frequency_of_a_cubic_spring_with_damping)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "points: {name: b, mass: 2, position: [0, 0, -1.2]}\n"
        "supports: {name: guide, on: b, type: slide, axis: [0, 0, 1]}\n"
        "springs: {name: s, between: [[0, 0, 0], b], force: 500*(l - 1)^3 + 0.6*v}\n";
    scene s = scene_open(text, NULL);
    olo_error error = {0};
    olo_linear *x = NULL;
    check_ok(olo_find_equilibrium(s.system, NULL, s.state, NULL, 0, NULL, &error), &error);
    const double d = cbrt(2 * 9.81 / 500);
    check_close(-1 - d, value_of(&s, "b", 2), 1e-10);
    check_ok(olo_linear_create(s.system, s.state, NULL, &x, &error), &error);
    const double *A = olo_linear_matrix(x, 'A'), *B = olo_linear_matrix(x, 'B');
    check_relative(-3 * 500 * d * d / 2, A[2], 1e-9);
    check_relative(-0.6 / 2, A[3], 1e-9);
    check_equal(1, olo_linear_input_count(x));
    check_text("s.force", olo_linear_input_name(x, 0));
    check_relative(1.0 / 2, fabs(B[1]), 1e-12);
    olo_linear_free(x);
    scene_close(&s);
}

static void fail_to_compile(const char *text, const char *message)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    check_equal(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_contains(message, error.text);
    olo_model_free(model);
}

TEST(names_that_a_law_does_not_know_are_refused)
{
#define BALL "points: {name: b, mass: 1, position: [1, 0, 0]}\n"
    fail_to_compile(BALL "loads: {name: f, on: b, force: [1, 0, 0], time: c.x}\n", "'c'");
    fail_to_compile(BALL "loads: {name: f, on: b, force: [1, 0, 0], time: b.q}\n",
                    "'b.q' is no joint coordinate, no output and no point");
    fail_to_compile(BALL "loads: {name: f, on: b, force: [1, 0, 0], time: ground.x}\n",
                    "'ground' is fixed in space");
    fail_to_compile(BALL "dampers: {name: d, between: [[0, 0, 0], b]}\n",
                    "needs the key 'damping' or 'force'");
    fail_to_compile(BALL "dampers: {name: d, between: [[0, 0, 0], b], type: linear, force: v}\n",
                    "is for dampers of type distance");
}

/* --- functions of the whole motion --- */

static const olo_body_motion *seen;
static olo_body_motion last;

/* A torque against the angular velocity, a force against the velocity of the point. */
static void drag(void *context, const olo_body_motion *x, double force[3], double moment[3])
{
    (void)context;
    for (int i = 0; i < 3; i++) {
        force[i] = -0.8 * x->velocity[i];
        moment[i] = -0.3 * x->angular_velocity[i];
    }
    last = *x;
    seen = &last;
}

static scene open_with(const char *text, const char *constraints,
                       void (*wrench)(void *, const olo_body_motion *, double *, double *))
{
    scene s = {0};
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &s.model, &error), &error);
    check_ok(olo_model_set_load_wrench(s.model, "air", wrench, NULL, &error), &error);
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, NULL, &error), &error);
    s.run = *olo_model_run(s.model);
    s.run.constraints = constraints;
    check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

#define BALL_IN_AIR                                                                                \
    "bodies: {name: a, mass: 2, inertia: [0.4, 0.4, 0.4], velocity: [1, 0, 0],\n"                  \
    "  angular_velocity: [0, 0, 3]}\n"                                                             \
    "loads: {name: air, on: a}\nrun: {step: 0.01, end: 1}\n"

/* m v' = -0.8 v, J w' = -0.3 w: the midpoint rule gives the factor (1 - a h/2)/(1 + a h/2). */
TEST(a_function_of_the_whole_motion_gives_force_and_moment)
{
    for (size_t i = 0; i < 2; i++) {
        scene s = open_with(BALL_IN_AIR, treatments[i], drag);
        const double h = 0.01;
        const double v = pow((1 - 0.2 * h) / (1 + 0.2 * h), 50);
        scene_run(&s, h, 50);
        const double *q = scene_q(&s, "a"), *rate = scene_v(&s, "a");
        check_close(v, rate[0], 1e-12);
        /* exp(-0.3 t/J) up to the second order of the step */
        double w = q[3] * rate[4] - q[4] * rate[3];
        check_close(3 * exp(-0.75 * 0.5), w, 3e-4);
        check_true(seen != NULL);
        /* the rotation is one, at the midpoint of the last step */
        for (int I = 0; I < 3; I++)
            for (int J = 0; J < 3; J++) {
                double sum = 0;
                for (int k = 0; k < 3; k++)
                    sum += last.rotation[3 * k + I] * last.rotation[3 * k + J];
                check_close(I == J, sum, 1e-14);
            }
        check_close(0.495, last.t, 1e-12);
        check_close(4 * (1 - exp(-0.75 * 0.495)), atan2(last.rotation[3], last.rotation[0]), 1e-3);
        check_close(w, last.angular_velocity[2], 0.05);
        /* the work of both is the loss of kinetic energy */
        const olo_ledger ledger = scene_ledger(&s);
        check_close(0.5 * (2 * 1 + 0.4 * 9) + ledger.work, ledger.kinetic, 1e-12);
        check_true(ledger.work < -0.5);
        scene_close(&s);
    }
}

/* Along the axes of the body a constant force and moment are those of a load of the model. */
static void thrust(void *context, const olo_body_motion *x, double force[3], double moment[3])
{
    (void)context, (void)x;
    vec3_set(1, 2, -0.5, force);
    vec3_set(0.3, -0.2, 0.4, moment);
}

TEST(a_function_along_the_axes_of_the_body_is_a_load_of_the_body)
{
#define SHIP(load)                                                                                 \
    "bodies: {name: a, mass: 2, inertia: [0.4, 0.5, 0.6], angular_velocity: [1, 0.5, 3]}\n"        \
    "loads: {name: air, on: {on: a, at: [0.1, 0.2, 0.3]}, frame: body, time: cos(t)" load          \
    "}\nrun: {step: 0.01, end: 1}\n"
    scene x = open_with(SHIP(""), "reduced", thrust);
    scene y = scene_open(SHIP(", force: [1, 2, -0.5], moment: [0.3, -0.2, 0.4]"), "reduced");
    scene_run(&x, 0.02, 40);
    scene_run(&y, 0.02, 40);
    for (int i = 0; i < 12; i++)
        check_close(y.state->q[i], x.state->q[i], 1e-12);
    scene_close(&x);
    scene_close(&y);
}

TEST(a_function_of_the_motion_needs_a_body_and_no_other_force)
{
    static const char *const texts[] = {
        "points: {name: a, mass: 1, position: [0, 0, 0]}\nloads: {name: air, on: a}\n",
        "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\nloads: {name: air, on: a, force: [1, 0, "
        "0]}\n"};
    static const char *const messages[] = {"'a' is a point mass", "replaces a constant force"};
    for (int i = 0; i < 2; i++) {
        olo_model *model = NULL;
        olo_system *system = NULL;
        olo_error error = {0};
        check_ok(olo_model_read_text(texts[i], strlen(texts[i]), "test", NULL, 0, &model, &error),
                 &error);
        check_ok(olo_model_set_load_wrench(model, "air", drag, NULL, &error), &error);
        check_equal(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
        check_contains(messages[i], error.text);
        olo_model_free(model);
    }
}

/* --- momenta --- */

/* p = m v of the centre, L = R J R^T omega about it. */
TEST(initial_momenta_of_bodies_and_points)
{
    static const char text[] =
        "bodies: {name: a, mass: 2, center: [0.1, 0.2, -0.3], inertia: [0.4, 0.5, 0.6],\n"
        "  rotation: {axis: [1, 2, 3], angle: 0.7}, momentum: [1, -2, 0.5],\n"
        "  angular_momentum: [0.3, 0.2, -0.4]}\n"
        "points: {name: b, mass: 4, position: [5, 0, 0], momentum: [0, 2, 0]}\n";
    scene s = scene_open(text, NULL);
    const olo_ledger ledger = scene_ledger(&s);
    const double p[3] = {1, -2 + 2, 0.5};
    for (int i = 0; i < 3; i++)
        check_close(p[i], ledger.linear_momentum[i], 1e-14);
    /* about the origin: L + x_c x p of the body, x x p of the point */
    const double *q = scene_q(&s, "a"), body[3] = {1, -2, 0.5};
    double center[3] = {0, 0, 0}, L[3] = {0.3, 0.2, -0.4 + 5 * 2};
    for (int I = 0; I < 3; I++)
        vec3_add(((const double[]){0.1, 0.2, -0.3})[I], q + 3 * (I + 1), center);
    vec3_add_cross(center, body, L);
    for (int i = 0; i < 3; i++)
        check_close(L[i], ledger.angular_momentum[i], 1e-13);
    scene_close(&s);
    fail_to_compile("bodies: {name: a, mass: 2, inertia: [1, 1, 1], momentum: [1, 0, 0], velocity: "
                    "[1, 0, 0]}\n",
                    "give either momentum or velocity");
    fail_to_compile("bodies: {name: a, mass: 2, inertia: [0, 1, 1], angular_momentum: [1, 0, 0]}\n",
                    "no moment of inertia about one of its axes");
}

TEST_MAIN(cmocka_unit_test(a_linear_law_is_a_spring_with_a_damper),
          cmocka_unit_test(a_law_along_a_joint_is_its_spring),
          cmocka_unit_test(a_linear_law_converges_to_the_spring_with_variational),
          cmocka_unit_test(a_force_between_bodies_conserves_momenta_and_balances_energy),
          cmocka_unit_test(a_load_depends_on_the_motion_of_another_body),
          cmocka_unit_test(feedback_of_the_own_position_is_a_spring),
          cmocka_unit_test(equilibrium_and_frequency_of_a_cubic_spring_with_damping),
          cmocka_unit_test(names_that_a_law_does_not_know_are_refused),
          cmocka_unit_test(a_function_of_the_whole_motion_gives_force_and_moment),
          cmocka_unit_test(a_function_along_the_axes_of_the_body_is_a_load_of_the_body),
          cmocka_unit_test(a_function_of_the_motion_needs_a_body_and_no_other_force),
          cmocka_unit_test(initial_momenta_of_bodies_and_points))
