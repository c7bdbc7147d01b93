/* Degenerate friction sets: of size zero, of redundant contacts, and larger than any impulse. A run
 * has the motion of the limit where there is one; else it solves the problem or ends with an error
 * that names time and body, after a bounded number of iterations and halved steps. */
#include "scene.h"

#include <math.h>

static const char *const schemes[] = {"contact", "contact-captured", "contact-two-step", "moreau"};
static const char *const forms[] = {"reduced", "multipliers"};

/* A plate falls on its four corners, with unequal restitution, also in the tangent plane: contacts
 * that stick are redundant, and the impulses of some impacts are not determined. */
static const char *const plate =
    "parameters: {mu: 0.5, rate: 3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: plate, mass: 1, inertia: [0.05, 0.05, 0.08], position: [0, 0, 0.3], "
    "velocity: [1, 0.3, 0], angular_velocity: [0.4, rate, 1]}\n"
    "contacts:\n"
    "  - {name: c1, point: {on: plate, at: [0.5, 0.5, -0.2]}, friction: mu, restitution: 0.2, "
    "tangential_restitution: 0.5}\n"
    "  - {name: c2, point: {on: plate, at: [-0.3, 0.5, -0.2]}, friction: mu, restitution: 0.9}\n"
    "  - {name: c3, point: {on: plate, at: [0.5, -0.3, -0.2]}, friction: mu, restitution: 0.5, "
    "tangential_restitution: 0.5}\n"
    "  - {name: c4, point: {on: plate, at: [-0.5, -0.5, -0.2]}, friction: mu}\n"
    "run: {step: 0.01}\n";

/* Friction sets whose radius is zero or vanishes: the momenta in the plane and the spin about its
 * normal stay those of the start, as without friction. */
TEST(a_friction_set_of_radius_zero_has_no_force)
{
    static const char *const mu[] = {"0", "1e-300", "1e-30"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            for (int f = 0; f < 2; f++) {
                const olo_setting settings[] = {{"run.scheme", schemes[k]}, {"mu", mu[i]}};
                scene s = scene_open_set(plate, forms[f], settings, 2);
                long closed = 0;
                for (int n = 0; n < 100; n++) {
                    scene_run(&s, 0.01, 1);
                    closed += scene_ledger(&s).closed > 0;
                }
                check_close(1, scene_v(&s, "plate")[0], 1e-13);
                check_close(0.3, scene_v(&s, "plate")[1], 1e-13);
                check_close(0, scene_ledger(&s).friction, 1e-13);
                check_true(closed > 5 && s.halvings == 0);
                scene_close(&s);
            }
}

/* The same contact three times, with patches that vanish: one normal and one friction impulse
 * are determined as sums only. The block slides as with one contact, x = v t - mu g t^2/2, and
 * stops. */
TEST(contacts_at_the_same_point_slide_as_one)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: ball, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0.1], "
        "velocity: [2, 0, 0]}\n"
        "contacts:\n"
        "  - {name: one, point: ball, friction: 0.3, origin: [0, 0, 0.1]}\n"
        "  - {name: two, point: ball, friction: 0.3, origin: [0, 0, 0.1], law: contensou, "
        "patch: 1e-200}\n"
        "  - {name: three, point: ball, friction: 0.3, origin: [0, 0, 0.1], law: contensou-exact, "
        "patch: 1e-200}\n"
        "run: {step: 0.01}\n";
    const double slowing = 0.3 * 9.81, stop = 2 / slowing;
    for (int k = 0; k < 2; k++)
        for (int f = 0; f < 2; f++) {
            const olo_setting setting = {"run.scheme", schemes[k]};
            scene s = scene_open_set(text, forms[f], &setting, 1);
            scene_run(&s, 0.01, 50);
            check_close(2 * 0.5 - 0.5 * slowing * 0.25, scene_q(&s, "ball")[0], 1e-12);
            check_close(2 - slowing * 0.5, scene_v(&s, "ball")[0], 1e-12);
            scene_run(&s, 0.01, 50);
            check_close(stop, scene_q(&s, "ball")[0], 1e-3); /* the last step is of first order */
            check_close(0, scene_v(&s, "ball")[0], 1e-12);
            scene_close(&s);
        }
}

/* The forces that are reported of the four contacts and the weight are the change of momentum over
 * the whole step, of mass 1, also if it was halved. */
static void check_forces(const scene *s, const double before[3])
{
    double push[3] = {0, 0, -9.81}, size = 9.81;
    for (int c = 0; c < 4; c++) {
        olo_contact_state contact;
        olo_system_contact(s->system, s->state, c, &contact);
        for (int j = 0; j < 3; j++) {
            push[j] += contact.force[j];
            size += fabs(contact.force[j]);
        }
    }
    for (int j = 0; j < 3; j++)
        check_close((scene_v(s, "plate")[j] - before[j]) / 0.01, push[j], 1e-11 * size);
}

/* A slider falls along an inclined rail onto the floor and hits it with a corner: on the rail
 * normal and friction force are redundant, and forces of least norm would have the ratio 1/0.3.
 * Friction stays in its set at every step, the forces along the rail are the weight along it, and
 * nothing moves. */
TEST(friction_beside_a_redundant_normal_force_stays_in_its_set)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: a, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.05]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0.3]}\n"
        "contacts: {name: floor, point: {on: a, at: [0.1, 0.05, -0.02]}, friction: 0.6}\n"
        "run: {step: 0.01}\n";
    for (int k = 0; k < 4; k++)
        for (int f = 0; f < 2; f++) {
            const olo_setting setting = {"run.scheme", schemes[k]};
            scene s = scene_open_set(text, forms[f], &setting, 1);
            olo_contact_state contact = {0};
            for (int n = 0; n < 100; n++) {
                scene_run(&s, 0.01, 1);
                olo_system_contact(s.system, s.state, 0, &contact);
                check_true(contact.friction <= 0.6 * contact.normal * (1 + 1e-8));
            }
            check_true(contact.closed && contact.normal > 0);
            check_close(0.3 * 2 * 9.81, contact.force[0] + 0.3 * contact.force[2], 1e-8);
            check_close(0, norm3(scene_v(&s, "a")), 1e-11);
            scene_close(&s);
        }
}

/* Friction that no impulse exceeds: nothing may slide, whatever jams. A step that fails is halved
 * ten times; the error says when, how small the step was, why, and which body. Energy does not rise
 * with the symmetric schemes. Iterations and halved steps of one step are bounded, about three
 * times and twice the largest numbers that occur. */
TEST(redundant_sticking_contacts_end_or_are_solved)
{
    static const char *const mu[] = {"0.5", "50", "1e30"}, *const rate[] = {"3", "0"};
    int failed = 0, solved = 0, halved = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            for (int f = 0; f < 2; f++) {
                const olo_setting settings[] = {
                    {"run.scheme", schemes[k]}, {"mu", mu[i]}, {"rate", rate[i % 2]}};
                scene s = scene_open_set(plate, forms[f], settings, 3);
                olo_status status = OLO_OK;
                double energy = scene_ledger(&s).total, time = 0;
                for (int n = 0; n < 150 && status == OLO_OK; n++) {
                    olo_error error = {0};
                    double before[3];
                    memcpy(before, scene_v(&s, "plate"), sizeof before);
                    status = olo_stepper_step(s.stepper, s.state, 0.01, &error);
                    const olo_step_report *report = olo_stepper_report(s.stepper);
                    const olo_ledger now = scene_ledger(&s);
                    check_true(report->iterations < 5000 && report->halvings <= 100);
                    if (k < 2)
                        check_true(now.total <= energy + 1e-12);
                    energy = now.total;
                    if (status == OLO_OK) {
                        check_forces(&s, before);
                        halved += report->halvings > 0;
                        time = olo_state_time(s.state);
                        continue;
                    }
                    check_equal(OLO_NOT_CONVERGED, status);
                    check_contains("the step at t = ", error.text);
                    check_contains("worst at 'plate'", error.text);
                    check_close(time, olo_state_time(s.state), 0);
                }
                failed += status != OLO_OK;
                solved += status == OLO_OK;
                scene_close(&s);
            }
    check_true(failed > 0 && solved > 0 && halved > 0); /* all ends are tested */
}

/* A rod in a hinge hits the floor at an angle of 45 degrees. With e > 0 it would have to turn back
 * and its tip to slide back, against a friction force mu lambda_N whose moment is larger than that
 * of lambda_N if mu > 1: Newton's law has no solution. The impact is plastic, which is reported,
 * and the rod stays where it is. With mu < 1 it bounces, omega' = -e omega. */
TEST(a_rod_that_friction_jams_stops)
{
    static const char *const text =
        "parameters: {mu: 1.5, c: sqrt(0.5)}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: rod, mass: 1, inertia: [0.02, 0.02, 0.02], "
        "position: [0.3*cos(0.2), 0, 0.6*c - 0.3*sin(0.2)], "
        "rotation: {axis: [0, 1, 0], angle: 0.2}}\n"
        "joints: {type: revolute, between: [ground, rod], at: [0, 0, 0.6*c], axis: [0, 1, 0]}\n"
        "contacts: {name: floor, point: {on: rod, at: [0.3, 0, 0]}, friction: mu, restitution: "
        "0.5}\n"
        "run: {step: 0.01}\n";
    static const char *const mu[] = {"1.5", "0.9"};
    const double fall = 9.81 * 0.3 * (sqrt(0.5) - sin(0.2));
    for (int jams = 1; jams >= 0; jams--)
        for (int f = 0; f < 2; f++) {
            const olo_setting setting = {"mu", mu[jams ? 0 : 1]};
            scene s = scene_open_set(text, forms[f], &setting, 1);
            const double start = scene_ledger(&s).total;
            olo_contact_state contact = {0};
            for (int n = 0; n < 100 && scene_ledger(&s).impact == 0; n++) {
                scene_run(&s, 0.01, 1);
                olo_system_contact(s.system, s.state, 0, &contact);
            }
            check_close((jams ? 1 : 0.75) * fall, start - scene_ledger(&s).total, 1e-11);
            check_equal(jams, contact.guarded);
            if (jams) {
                scene_run(&s, 0.01, 100);
                check_close(0.3 * sqrt(0.5), scene_q(&s, "rod")[2], 1e-12);
                check_close(0, scene_v(&s, "rod")[2], 1e-12);
            }
            scene_close(&s);
        }
}

TEST_MAIN(cmocka_unit_test(a_friction_set_of_radius_zero_has_no_force),
          cmocka_unit_test(contacts_at_the_same_point_slide_as_one),
          cmocka_unit_test(friction_beside_a_redundant_normal_force_stays_in_its_set),
          cmocka_unit_test(redundant_sticking_contacts_end_or_are_solved),
          cmocka_unit_test(a_rod_that_friction_jams_stops))
