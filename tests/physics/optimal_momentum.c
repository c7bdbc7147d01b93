/* Optimal control: the certificate of the momentum balance. Linear and angular momentum change by
 * the impulses of gravity, loads, controls and supports, and by nothing else. */
#include "optimal_task.h"

#include "control/optimum.h"

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

static const char *const transcriptions[] = {"reduced", "redundant"};
/* Where the solver ends: the defects are those of its equations. */
static const double solved = 1e-11;

static void open_links(task *t, const char *transcription)
{
    open_task(t, links);
    control(t, "base");
    control(t, "elbow");
    reach(t, "base.angle", 1);
    reach(t, "elbow.angle", -0.5);
    t->problem.intervals = 12;
    t->problem.transcription = transcription;
    optimise(t);
}

static void open_carried(task *t, const char *transcription)
{
    open_task(t, carried);
    control(t, "push");
    control(t, "lift");
    control(t, "twist");
    reach(t, "a.position.x", 1);
    reach(t, "a.position.z", 0.5);
    t->problem.intervals = 12;
    t->problem.transcription = transcription;
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
    for (int i = 0; i < 2; i++) {
        task t;
        open_links(&t, transcriptions[i]);
        check_below(t.certificate.linear_balance, solved);
        check_below(t.certificate.angular_balance, solved);
        check_true(t.certificate.linear_change > 0.1 && t.certificate.angular_change > 0.1);
        close_task(&t);
        open_carried(&t, transcriptions[i]);
        check_below(t.certificate.linear_balance, solved);
        check_below(t.certificate.angular_balance, solved);
        close_task(&t);
    }
}

/* From rest over a distance: m dv = h (u_k-1 + u_k)/2 at inner nodes, h/2 u_0 at the first one. */
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
    for (int k = 1; k < 16; k++)
        largest = larger(largest, fabs(olo_optimum_controls(t.optimum, k - 1)[0] +
                                       olo_optimum_controls(t.optimum, k)[0]));
    check_relative(0.5 / 16 * largest, t.certificate.linear_change, 1e-12);
    close_task(&t);
}

/* A torque at the base that is wrong by 0.01 is an impulse of h/2 0.01 at both nodes. */
TEST(a_wrong_impulse_at_a_support_is_a_defect)
{
    skip_without_solver();
    for (int i = 0; i < 2; i++) {
        task t;
        open_links(&t, transcriptions[i]);
        const olo_certificate wrong = with_other_control(&t, 5, 0, 0.01);
        check_relative(0.5 / 12 * 0.01, wrong.angular_balance, 1e-9);
        check_below(wrong.linear_balance, solved);
        close_task(&t);
    }
}

/* Torques between bodies have no part in the balance. */
TEST(a_torque_between_bodies_changes_no_momentum)
{
    skip_without_solver();
    for (int i = 0; i < 2; i++) {
        task t;
        open_links(&t, transcriptions[i]);
        const olo_certificate wrong = with_other_control(&t, 5, 1, 10);
        check_below(wrong.angular_balance, solved);
        check_below(wrong.linear_balance, solved);
        close_task(&t);
    }
}

TEST(a_wrong_impulse_of_a_load_is_a_defect)
{
    skip_without_solver();
    for (int i = 0; i < 2; i++) {
        task t;
        open_carried(&t, transcriptions[i]);
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
          cmocka_unit_test(a_wrong_impulse_of_a_load_is_a_defect))
