/* Optimal control: the certificate of the momentum balance. Linear and angular momentum change by
 * the impulses of gravity, loads, controls and supports, and by nothing else. */
#include "optimal_task.h"

#include <string.h>

#include "control/optimum.h"
#include "system/system.h"

static const char links[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: upper, mass: 1, inertia: [1/12, 0.001, 1/12], position: [0, -0.5, 0]}\n"
    "  - {name: lower, mass: 1, inertia: [1/12, 0.001, 1/12], position: [0, -1.5, 0]}\n"
    "joints:\n"
    "  - {name: base, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1], torque: 1}\n"
    "  - {name: elbow, between: [upper, lower], at: [0, -1, 0], axis: [0, 0, 1], torque: 1}\n";

static const char carried[] =
    "plane: xz\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: a, mass: 2, inertia: [1, 1, 1], velocity: [0.3, 0, 0]}\n"
    "loads:\n"
    "  - {name: push, on: a, force: [1, 0, 0]}\n"
    "  - {name: lift, on: a, force: [0, 0, 1]}\n"
    "  - {name: twist, on: a, moment: [0, 1, 0]}\n";

/* Springs and dampers between bodies, one of them along the axes of space, so that it has a moment,
 * gears between two shafts on the ground, and a point in coordinates relative to another one. */
static const char coupled[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [1, 2, 1.5], position: [0, 0, 1], angular_velocity: [0.3, 0, "
    "0]}\n"
    "  - {name: b, mass: 1, inertia: [0.5, 1, 1], position: [1, 0.5, 1], velocity: [0, 0.2, 0]}\n"
    "  - {name: wheel, mass: 1, inertia: [0.1, 0.1, 0.2], position: [4, 0, 0]}\n"
    "  - {name: pinion, mass: 1, inertia: [0.1, 0.1, 0.1], position: [5, 0, 0]}\n"
    "points:\n"
    "  - {name: p, mass: 0.5, position: [0, 3, 0]}\n"
    "  - {name: r, mass: 0.3, position: [0.5, 0, 0], relative_to: p}\n"
    "joints:\n"
    "  - {name: shaft, between: [ground, wheel], at: [4, 0, 0], axis: [0, 0, 1], torque: 1}\n"
    "  - {name: axle, between: [ground, pinion], at: [5, 0, 0], axis: [0, 0, 1]}\n"
    "relations: {coordinate: axle.angle, follows: shaft.angle, ratio: -2}\n"
    "springs:\n"
    "  - {name: s, between: [{on: a, at: [0.5, 0, 0]}, {on: b, at: [0, 0.1, 0]}], stiffness: 30}\n"
    "  - {name: t, between: [{on: r}, {on: b}], stiffness: 5}\n"
    "dampers:\n"
    "  - {name: c, type: linear, between: [{on: a}, {on: b, at: [0, 0, 0.2]}], damping: 3}\n"
    "loads:\n"
    "  - {name: push, on: a, force: [1, 0, 0]}\n"
    "  - {name: twist, on: b, moment: [0, 1, 0], frame: body}\n";

typedef struct method {
    const char *transcription, *scheme;
} method;
static const method methods[] = {{"reduced", "variational"},
                                 {"redundant", "variational"},
                                 {"redundant", "energy-momentum-2006"}};
enum { METHODS = 3 };
/* Where the solver ends: the defects are those of its equations. */
static const double solved = 1e-11;

static void prepare_links(task *t, const method *by)
{
    open_task(t, links);
    control(t, "base");
    control(t, "elbow");
    reach(t, "base.angle", 1);
    reach(t, "elbow.angle", -0.5);
    t->problem.intervals = 12;
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
}

static void open_links(task *t, const method *by)
{
    prepare_links(t, by);
    optimise(t);
}

static void open_carried(task *t, const method *by)
{
    open_task(t, carried);
    control(t, "push");
    control(t, "lift");
    control(t, "twist");
    reach(t, "a.position.x", 1);
    reach(t, "a.position.z", 0.5);
    t->problem.intervals = 12;
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
    optimise(t);
}

static void open_coupled(task *t, const method *by)
{
    open_task(t, coupled);
    control(t, "push");
    control(t, "twist");
    control(t, "shaft");
    reach(t, "a.position.x", 1);
    reach(t, "axle.angle", 0.5);
    t->problem.end_velocity = "free";
    t->problem.intervals = 8;
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
    optimise(t);
}

/* The certificate with another value of a control in one interval, of which the motion knows
 * nothing. */
static olo_certificate with_other_control(task *t, int interval, int control, double change)
{
    olo_error error = {0};
    olo_certificate certificate;
    double *u = t->optimum->x + olo_redundant_controls(t->optimum->transcription, interval);
    u[control] += change;
    check_ok(olo_optimum_certify(t->optimum, &certificate, &error), &error);
    u[control] -= change;
    return certificate;
}

TEST(momentum_changes_by_the_impulses_of_forces)
{
    skip_without_solver();
    for (int i = 0; i < METHODS; i++) {
        task t;
        open_links(&t, &methods[i]);
        check_below(t.certificate.linear_balance, solved);
        check_below(t.certificate.angular_balance, solved);
        check_true(t.certificate.linear_change > 0.1 && t.certificate.angular_change > 0.1);
        close_task(&t);
        open_carried(&t, &methods[i]);
        check_below(t.certificate.linear_balance, solved);
        check_below(t.certificate.angular_balance, solved);
        close_task(&t);
    }
}

/* What refers to space has a part in the balance, what acts between bodies has none: with a damper
 * that has a moment, gears on the ground and relative coordinates. */
TEST(springs_gears_and_relative_points_do_not_disturb_the_balance)
{
    skip_without_solver();
    for (int i = 0; i < METHODS; i++) {
        task t;
        open_coupled(&t, &methods[i]);
        check_below(t.certificate.linear_balance, solved);
        check_below(t.certificate.angular_balance, solved);
        check_true(t.certificate.linear_change > 0.1 && t.certificate.angular_change > 0.1);
        close_task(&t);
    }
}

/* m dv = h u_k */
TEST(the_largest_change_is_that_of_the_controls)
{
    skip_without_solver();
    task t;
    open_task(&t, "bodies: {name: a, mass: 3, inertia: [1, 1, 1]}\n"
                  "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0],\n"
                  "         force: 1}\n");
    control(&t, "rail");
    reach(&t, "rail.position", 1);
    t.problem.intervals = 16;
    optimise(&t);
    double largest = 0;
    for (int k = 0; k < 16; k++)
        largest = larger(largest, fabs(olo_optimum_controls(t.optimum, k)[0]));
    check_relative(largest / 16, t.certificate.linear_change, 1e-12);
    close_task(&t);
}

/* The moment of a unit torque along the angle of the base over an interval. With energy-momentum
 * its work is that of the angle, so its moment is (a/2)/tan(a/2) with the rotation a of the
 * interval.
 */
static double moment_of_base(const task *t, int interval)
{
    const double *before = olo_optimum_configuration(t->optimum, interval) + 3,
                 *after = olo_optimum_configuration(t->optimum, interval + 1) + 3;
    const double a = atan2(before[0] * after[1] - before[1] * after[0],
                           before[0] * after[0] + before[1] * after[1]);
    return strcmp(t->problem.scheme, "variational") == 0 ? 1 : 0.5 * a / tan(0.5 * a);
}

/* A torque at the base that is wrong by 0.01 is an impulse of h/2 0.01 at both nodes. */
TEST(a_wrong_impulse_at_a_support_is_a_defect)
{
    skip_without_solver();
    for (int i = 0; i < METHODS; i++) {
        task t;
        open_links(&t, &methods[i]);
        const olo_certificate wrong = with_other_control(&t, 5, 0, 0.01);
        check_relative(0.5 / 12 * 0.01 * moment_of_base(&t, 5), wrong.angular_balance, 1e-9);
        check_below(wrong.linear_balance, solved);
        close_task(&t);
    }
}

/* Torques between bodies have no part in the balance. */
TEST(a_torque_between_bodies_changes_no_momentum)
{
    skip_without_solver();
    for (int i = 0; i < METHODS; i++) {
        task t;
        open_links(&t, &methods[i]);
        const olo_certificate wrong = with_other_control(&t, 5, 1, 10);
        check_below(wrong.angular_balance, solved);
        check_below(wrong.linear_balance, solved);
        close_task(&t);
    }
}

/* A point in coordinates relative to another one does not hide the symmetry of space. */
TEST(momenta_of_relative_points_are_conserved)
{
    skip_without_solver();
    task t;
    open_task(&t,
              "bodies:\n"
              "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
              "  - {name: b, mass: 2, inertia: [1, 2, 1], position: [1, 0, 0]}\n"
              "points:\n"
              "  - {name: p, mass: 0.5, position: [0, 1, 0]}\n"
              "  - {name: r, mass: 0.3, position: [0.5, 0, 0], relative_to: p}\n"
              "joints: {name: pin, between: [a, b], at: [0.5, 0, 0], axis: [0, 0, 1], torque: 1}\n"
              "springs: {name: s, between: [{on: r}, {on: b}], stiffness: 5}\n");
    control(&t, "pin");
    reach(&t, "pin.angle", 0.3);
    t.problem.end_velocity = "free";
    t.problem.intervals = 8;
    optimise(&t);
    assert_int_equal(6, t.certificate.conserved);
    check_below(t.certificate.momentum, solved);
    check_below(t.certificate.linear_balance, solved);
    check_below(t.certificate.angular_balance, solved);
    close_task(&t);
}

/* The torque of the elbow without its reaction on the upper body, as an error in the force of a
 * joint would have it. */
static const olo_system *the_system;
static const olo_action_type *whole;

static void clear_upper(const olo_action *action, int columns, double *rows)
{
    for (int i = 0; i < action->size; i++)
        if (the_system->coordinates[action->index[i]].node == 0)
            memset(rows + i * columns, 0, (size_t)columns * sizeof *rows);
}
static void half_force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    whole->force(action, x, f, tangent);
    clear_upper(action, 1, f);
    if (tangent)
        clear_upper(action, action->size, tangent);
}
static void half_vector(const olo_action *action, const olo_interval *x, double *p)
{
    whole->pattern->value(action, x, p);
    clear_upper(action, 1, p);
}
static void half_first(const olo_action *action, const olo_interval *x, int a, double *matrix)
{
    whole->pattern->first(action, x, a, matrix);
    clear_upper(action, action->size, matrix);
}
static void half_second(const olo_action *action, const olo_interval *x, const double *y, int a,
                        int b, double *matrix)
{
    double own[OLO_FORM_SIZE_MAX];
    memcpy(own, y, (size_t)action->size * sizeof *y);
    clear_upper(action, 1, own);
    whole->pattern->second(action, x, own, a, b, matrix);
}

/* Then the motion found satisfies all equations with this torque, but momentum changes by it. */
TEST(a_torque_without_its_reaction_is_a_defect)
{
    skip_without_solver();
    static const olo_action_pattern pattern = {half_vector, half_first, half_second};
    for (int i = 0; i < METHODS; i++) {
        task t;
        double largest = 0;
        prepare_links(&t, &methods[i]);
        the_system = t.s.system;
        olo_action *elbow = &the_system->actions[1];
        whole = elbow->type;
        olo_action_type half = *whole;
        half.force = half_force;
        half.pattern = &pattern;
        elbow->type = &half;
        optimise(&t);
        elbow->type = whole;
        for (int k = 0; k < 12; k++)
            largest = larger(largest, fabs(olo_optimum_controls(t.optimum, k)[1]));
        check_true(largest > 0.1);
        if (i < 2) /* the torque of an interval of energy-momentum depends on its rotation */
            check_relative(largest / 12, t.certificate.angular_balance, 1e-9);
        check_true(t.certificate.angular_balance > 0.01);
        check_below(t.certificate.linear_balance, solved);
        close_task(&t);
    }
}

TEST(a_wrong_impulse_of_a_load_is_a_defect)
{
    skip_without_solver();
    for (int i = 0; i < METHODS; i++) {
        task t;
        open_carried(&t, &methods[i]);
        check_relative(0.5 / 12 * 0.02, with_other_control(&t, 0, 0, 0.02).linear_balance, 1e-9);
        check_relative(0.5 / 12 * 0.03, with_other_control(&t, 11, 1, -0.03).linear_balance, 1e-9);
        check_relative(0.5 / 12 * 0.04, with_other_control(&t, 6, 2, 0.04).angular_balance, 1e-9);
        close_task(&t);
    }
}

TEST_MAIN(cmocka_unit_test(momentum_changes_by_the_impulses_of_forces),
          cmocka_unit_test(the_largest_change_is_that_of_the_controls),
          cmocka_unit_test(a_wrong_impulse_at_a_support_is_a_defect),
          cmocka_unit_test(a_torque_between_bodies_changes_no_momentum),
          cmocka_unit_test(springs_gears_and_relative_points_do_not_disturb_the_balance),
          cmocka_unit_test(momenta_of_relative_points_are_conserved),
          cmocka_unit_test(a_torque_without_its_reaction_is_a_defect),
          cmocka_unit_test(a_wrong_impulse_of_a_load_is_a_defect))
