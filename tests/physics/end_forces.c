/* Reactions and forces of prescribed motions with consistent velocities: those at the end of a
 * step, from the accelerations there. They have the order of the steps, 2, 4 or 6; those of a
 * pendulum follow from its state alone; and all agree with the means over short steps, which are
 * computed by other equations. */
#include <unistd.h>

#include "scene.h"

#include "linalg/vec3.h"
#include "stepping/accelerations.h"
#include "stepping/linear_rows.h"

static scene open_order(const char *model, const char *treatment, const char *order)
{
    const olo_setting settings[] = {{"run.scheme", "energy-momentum"}, {"run.order", order}};
    return scene_open_set(model, treatment, settings, 2);
}

/* A pendulum that starts at rest from the horizontal has the tension 3 m g cos(angle): with exact
 * energy and length this holds at any step size. */
TEST(the_tension_of_a_pendulum_is_exact_at_any_step)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
    for (int i = 0; i < 4; i++)
        for (double h = 0.001; h < 0.1; h *= 4) {
            scene s = open_order("planar-pendulum", treatments[i], "2");
            double force[3], moment[3], along[3];
            scene_run(&s, h, 9);
            const double *bob = scene_q(&s, "bob");
            scene_reaction(&s, "rod", force, moment);
            for (int k = 0; k < 3; k++)
                along[k] = 3 * 9.81 * bob[1] * bob[k];
            for (int k = 0; k < 3; k++)
                check_close(along[k], force[k], 1e-10);
            scene_close(&s);
        }
}

/* --- orders --- */

/* A driven hinge, a spring with a damper, a load over time; reactions of both joints and the force
 * of the motion. */
static const char DRIVEN[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  - {name: bob, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  - {name: shoulder, type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     motion: sin(3*t)^2}\n"
    "  - {name: elbow, type: spherical, between: [arm, bob], at: [1, 0, 0]}\n"
    "springs: {name: coil, between: [[0, 1, 0], bob], stiffness: 20, length: 1, damping: 0.5}\n"
    "loads: {name: wind, on: bob, force: [0, 3, 0], time: cos(4*t)}\n"
    "outputs:\n"
    "  - {name: s, reaction: shoulder}\n"
    "  - {name: e, reaction: elbow, frame: child}\n"
    "run: {step: 0.01, end: 1}\n";

enum { FORCES = 13 };

static void run_driven(const char *order, long steps, double *forces)
{
    scene s = open_order(DRIVEN, "reduced", order);
    for (long i = 1; i <= steps; i++) {
        scene_run(&s, 0.5 / (double)steps, 1);
        olo_state_set_time(s.state, (double)i * 0.5 / (double)steps);
    }
    for (int i = 0; i < 2; i++)
        olo_system_reaction(s.system, s.state, i, forces + 6 * i, forces + 6 * i + 3);
    forces[12] = olo_system_drive_force(s.system, s.state, 0);
    scene_close(&s);
}

/* The exponent of h in the error, by least squares. */
static double fitted_order(int count, const long *steps, const double *error)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        const double a = -log((double)steps[i]), b = log(error[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

TEST(reactions_and_drives_have_orders_2_4_6)
{
    static const char *const orders[] = {"2", "4", "6"};
    static const long steps[3][4] = {{40, 57, 80, 113}, {20, 28, 40, 57}, {14, 20, 28, 40}};
    double exact[FORCES], forces[FORCES];
    run_driven("6", 320, exact);
    for (int k = 0; k < 3; k++) {
        double reaction[4], drive[4];
        for (int i = 0; i < 4; i++) {
            run_driven(orders[k], steps[k][i], forces);
            reaction[i] = scene_distance(12, forces, exact);
            drive[i] = fabs(forces[12] - exact[12]);
        }
        const double of_reactions = fitted_order(4, steps[k], reaction),
                     of_drive = fitted_order(4, steps[k], drive);
        print_message("order %s: reactions %.2f (%.1e), drive %.2f (%.1e)\n", orders[k],
                      of_reactions, reaction[3], of_drive, drive[3]);
        check_close(2 * (k + 1), of_reactions, k < 2 ? 0.1 : 0.2);
        check_close(2 * (k + 1), of_drive, k < 2 ? 0.1 : 0.2);
    }
}

/* --- all kinds of rows --- */

/* wrench += factor P_int^T G^T lambda: the constraint forces on all nodes, which are unique where
 * multipliers of redundant rows are not */
static void add_wrenches(const scene *s, double factor, const double *lambda, double *wrench)
{
    const olo_system *system = s->system;
    const olo_at at = {.q = olo_state_configuration(s->state),
                       .angles = s->state->angles,
                       .t = olo_state_time(s->state)};
    double *force = calloc((size_t)(system->n + system->twists), sizeof *force);
    double *own = force + system->n;
    for (int i = 0; i < system->group_count; i++) {
        const olo_group *group = &system->groups[i];
        for (int c = group->first; !group->internal && c < group->first + group->count; c++) {
            double g[OLO_FORM_SIZE_MAX];
            olo_constraint_gradient(&system->constraints[c], &at, g);
            olo_row_add(system, c, factor * lambda[c], g, force);
        }
    }
    for (int k = 0; k < system->node_count; k++)
        olo_node_wrench(&system->nodes[k], at.q, force, own + system->nodes[k].motion);
    for (int i = 0; i < system->twists; i++)
        wrench[i] += own[i];
    free(force);
}

/* The mean of the constraint forces at both ends of a short step is that of the step, to second
 * order: the error falls by 16 with a quarter of the step. */
static double distance_from_mean(const char *model, double h, double *size)
{
    scene s = open_order(model, "multipliers", "2");
    const int count = s.system->twists;
    double *ends = calloc(2 * (size_t)count, sizeof *ends), *mean = ends + count, wrong = 0;
    olo_accelerations *at = NULL;
    olo_state *before = NULL;
    olo_error error = {0};
    check_ok(olo_accelerations_create(s.system, h, &at, &error), &error);
    scene_run(&s, s.run.step, 3);
    check_ok(olo_state_clone(s.state, &before, &error), &error);
    check_true(olo_accelerations_at(at, s.state, NULL));
    add_wrenches(&s, 0.5, olo_accelerations_multipliers(at), ends);
    scene_run(&s, h, 1);
    check_true(olo_accelerations_at(at, s.state, NULL));
    add_wrenches(&s, 0.5, olo_accelerations_multipliers(at), ends);
    add_wrenches(&s, 0.5, olo_state_multipliers(s.state), mean);
    memcpy(before->lambda, s.state->lambda, (size_t)s.system->m * sizeof *before->lambda);
    olo_state_copy(before, s.state);
    add_wrenches(&s, 0.5, olo_state_multipliers(s.state), mean);
    *size = 0;
    for (int i = 0; i < count; i++) {
        *size = larger(*size, fabs(ends[i]));
        wrong = larger(wrong, fabs(ends[i] - mean[i]));
    }
    olo_accelerations_free(at);
    olo_state_free(before);
    free(ends);
    scene_close(&s);
    return wrong;
}

TEST(they_agree_with_the_means_of_short_steps)
{
    static const char *const models[] = {"heavy-top",     "six-body-linkage", "gear-train",
                                         "screw-press",   "cardan-shaft",     "rolling-disc",
                                         "rolling-ball",  "slider-crank",     "robot-6r-driven",
                                         "humanoid-tree", "sliding-top",      "cylindrical-pair"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        double size;
        const double coarse = distance_from_mean(models[i], 4e-4, &size),
                     fine = distance_from_mean(models[i], 1e-4, &size);
        print_message("%s: %.1e, %.1e of %.1e\n", models[i], coarse, fine, size);
        check_below(fine, larger(coarse / 14, 1e-9 * size));
    }
}

/* --- on demand --- */

/* What an observer sees after every step: force and moment in the elbow, and the force of the
 * motion. */
enum { STEPS = 20, SEEN = 7 };
typedef struct witness {
    double seen[STEPS + 1][SEEN];
} witness;

static void read_forces(const olo_system *system, const olo_state *state, double out[SEEN])
{
    olo_system_reaction(system, state, 1, out, out + 3);
    out[6] = olo_system_drive_force(system, state, 0);
}

static olo_status see(void *context, const olo_system *system, const olo_state *state, long step,
                      const olo_step_report *report, olo_error *error)
{
    (void)report, (void)error;
    read_forces(system, state, ((witness *)context)->seen[step]);
    return OLO_OK;
}

static const char *const columns[SEEN] = {"e.force.x",           "e.force.y",  "e.force.z",
                                          "e.moment.x",          "e.moment.y", "e.moment.z",
                                          "shoulder.angle.drive"};

/* Runs DRIVEN with an observer of forces, or one that ignores them, and a recorder. */
static void observe(bool ignores, witness *w, double end[SEEN], double rows[STEPS + 1][SEEN])
{
    const char *file = "end-forces.h5";
    scene s = open_order(DRIVEN, "reduced", "2");
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    olo_result *result = NULL;
    olo_run_summary summary = {0};
    s.run.end = STEPS * s.run.step;
    check_ok(olo_recorder_create(file, s.model, s.system, &s.run, "", &recorder, &error), &error);
    olo_observer observers[] = {olo_recorder_observer(recorder), olo_observer_default()};
    observers[1].context = w;
    observers[1].step = see;
    observers[1].ignores_forces = ignores;
    check_ok(olo_simulate(s.system, &s.run, s.state, observers, 2, &summary, &error), &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    read_forces(s.system, s.state, end);
    check_ok(olo_result_open(file, &result, &error), &error);
    check_equal(STEPS + 1, olo_result_row_count(result));
    for (int i = 0; i < SEEN; i++) {
        double column[STEPS + 1];
        check_ok(olo_result_read_column(result, columns[i], column, &error), &error);
        for (int k = 0; k <= STEPS; k++)
            rows[k][i] = column[k];
    }
    olo_result_free(result);
    unlink(file);
    scene_close(&s);
}

/* Where no observer reads them they are those of the end in the rows of a result and in the last
 * state; only between them the states have means over steps. */
TEST(forces_are_found_where_they_are_read)
{
    const double rounding = 1e-13; /* of forces of about 10; times differ by rounding, too */
    static witness reads, ignores;
    double end[2][SEEN], rows[2][STEPS + 1][SEEN];
    observe(false, &reads, end[0], rows[0]);
    observe(true, &ignores, end[1], rows[1]);
    for (int i = 0; i < SEEN; i++) {
        check_close(reads.seen[STEPS][i], end[0][i], rounding);
        check_close(reads.seen[STEPS][i], end[1][i], rounding);
        for (int k = 1; k <= STEPS; k++) {
            check_close(reads.seen[k][i], rows[0][k][i], rounding);
            check_close(reads.seen[k][i], rows[1][k][i], rounding);
        }
    }
    check_true(fabs(ignores.seen[STEPS][6] - reads.seen[STEPS][6]) > 1e-3);
}

static olo_status push(void *context, olo_stepper *stepper, const olo_state *state,
                       olo_error *error)
{
    (void)context, (void)state;
    return olo_stepper_set_control(stepper, "motor", 6, error);
}

/* A control of 6 times 1 N on 2 kg. */
TEST(accelerations_of_rows_have_the_controls_of_their_steps)
{
    static const char slider[] =
        "bodies: {name: m, mass: 2, inertia: [1, 1, 1]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, m], axis: [1, 0, 0]}\n"
        "loads: {name: motor, along: rail.position, magnitude: 1, time: 0}\n"
        "outputs: {name: m, on: m}\n"
        "run: {step: 0.01, end: 0.05}\n";
    const char *file = "end-forces.h5";
    scene s = open_order(slider, "reduced", "2");
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    olo_result *result = NULL;
    olo_run_summary summary = {0};
    double column[6];
    check_ok(olo_recorder_create(file, s.model, s.system, &s.run, "", &recorder, &error), &error);
    const olo_observer observer = olo_recorder_observer(recorder);
    check_ok(
        olo_simulate_with(s.system, &s.run, s.state, &observer, 1, push, NULL, &summary, &error),
        &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    check_ok(olo_result_open(file, &result, &error), &error);
    check_ok(olo_result_read_column(result, "m.acceleration.x", column, &error), &error);
    for (int k = 1; k <= 5; k++)
        check_close(3, column[k], 1e-12);
    olo_result_free(result);
    unlink(file);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(forces_are_found_where_they_are_read),
          cmocka_unit_test(accelerations_of_rows_have_the_controls_of_their_steps),
          cmocka_unit_test(the_tension_of_a_pendulum_is_exact_at_any_step),
          cmocka_unit_test(reactions_and_drives_have_orders_2_4_6),
          cmocka_unit_test(they_agree_with_the_means_of_short_steps))
