/* Steps with contacts in two forms: with joint increments and closures alone (reduced), and with
 * all multipliers. Both have the same equations; here they are compared. */
#include "scene.h"

#include <math.h>

typedef struct both {
    scene reduced, multipliers;
} both;

static both open_set(const char *text, const olo_setting *settings, int count)
{
    return (both){scene_open_set(text, "reduced", settings, count),
                  scene_open_set(text, "multipliers", settings, count)};
}

static both open_both(const char *text, const char *scheme)
{
    const olo_setting setting = {"run.scheme", scheme};
    return open_set(text, &setting, 1);
}

static void close_both(both *s)
{
    scene_close(&s->reduced);
    scene_close(&s->multipliers);
}

/* Largest difference of positions and velocities, relative to the largest of each. */
static double difference(const both *s)
{
    const olo_state *a = s->reduced.state, *b = s->multipliers.state;
    double q = 1, v = 1, worst = 0;
    for (int i = 0; i < s->reduced.system->n; i++) {
        q = fmax(q, fabs(b->q[i]));
        v = fmax(v, fabs(b->v[i]));
    }
    for (int i = 0; i < s->reduced.system->n; i++)
        worst = fmax(worst, fmax(fabs(a->q[i] - b->q[i]) / q, fabs(a->v[i] - b->v[i]) / v));
    return worst;
}

static void run_both(both *s, double h, long steps)
{
    scene_run(&s->reduced, h, steps);
    scene_run(&s->multipliers, h, steps);
}

/* All models of the catalogue with contacts and a constant mass. */
TEST(both_forms_agree_over_the_catalogue)
{
    static const struct {
        const char *model;
        double h;
        long steps;
    } row[] = {{"bouncing-ball", 0.01, 400},  {"newtons-cradle", 0.005, 200},
               {"oscillator", 1e-3, 300},     {"overbalanced-wheel", 2e-3, 60},
               {"rocking-block", 0.005, 120}, {"sliding-block", 2e-3, 300},
               {"woodpecker", 1e-4, 1000},    {"unilateral-double-pendulum", 0.01, 100}};
    static const char *const schemes[] = {"contact", "contact-captured"};
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 2; k++) {
            both s = open_both(row[i].model, schemes[k]);
            run_both(&s, row[i].h, row[i].steps);
            check_below(difference(&s), 1e-10);
            close_both(&s);
        }
}

/* A four-bar linkage of revolute joints in space, whose closure has three redundant rows, falls
 * with its coupler on a floor. */
static const char *const linkage =
    "parameters: {mu: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: [0.02, 0.02, 0.02], position: [-0.2, 0, 0.85]}\n"
    "  - {name: coupler, mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.1, 0, 0.7]}\n"
    "  - {name: rocker, mass: 1, inertia: [0.02, 0.02, 0.02], position: [0.8, 0, 0.85]}\n"
    "joints:\n"
    "  - {name: a, between: [ground, crank], at: [0, 0, 1], axis: [0, 1, 0]}\n"
    "  - {name: b, between: [crank, coupler], at: [-0.4, 0, 0.7], axis: [0, 1, 0]}\n"
    "  - {name: c, between: [coupler, rocker], at: [0.6, 0, 0.7], axis: [0, 1, 0]}\n"
    "  - {name: d, between: [ground, rocker], at: [1, 0, 1], axis: [0, 1, 0]}\n"
    "contacts: {point: {on: coupler, at: [0, 0, -0.05]}, origin: [0, 0, 0.5], friction: mu, "
    "restitution: 0.4}\n"
    "run: {step: 0.005}\n";

TEST(redundant_closures_work_with_contacts)
{
    static const char *const schemes[] = {"contact", "contact-captured"};
    for (int k = 0; k < 4; k++) {
        const olo_setting settings[] = {{"run.scheme", schemes[k % 2]},
                                        {"mu", k < 2 ? "0" : "0.3"}};
        both s = open_set(linkage, settings, 2);
        const double start = scene_ledger(&s.reduced).total;
        double energy = start, apart = 0;
        long closed = 0;
        for (int i = 0; i < 200; i++) {
            run_both(&s, 0.005, 1);
            const olo_ledger now = scene_ledger(&s.reduced);
            check_true(now.total - energy < 1e-13);
            check_close(start, now.balance, 1e-11);
            check_below(now.constraint_error, 1e-13);
            check_below(now.velocity_error, 1e-12);
            energy = now.total;
            closed += now.closed > 0;
            if (k < 2 || closed == 0)
                apart = fmax(apart, difference(&s));
        }
        /* friction of the closed contact is redundant: both forms find solutions of their own */
        check_below(apart, 1e-10);
        check_true(closed > 5 && energy < start - 0.1);
        close_both(&s);
    }
}

/* Reactions: wrenches of the joints of the tree, multipliers of the closure; in every step, also in
 * those that impacts split into parts. With friction reactions are not determined: the linkage that
 * sticks is once more redundant. */
TEST(both_forms_have_the_same_reactions)
{
    const olo_setting settings[] = {{"run.scheme", "contact"}, {"mu", "0"}};
    both s = open_set(linkage, settings, 2);
    int free = 0, closed = 0, split = 0;
    for (int n = 0; n < 300; n++) {
        run_both(&s, 0.005, 1);
        split += olo_stepper_report(s.reduced.stepper)->passes > 1;
        for (const char *name = "a\0b\0c\0d\0"; *name; name += 2) {
            double f[2][3], m[2][3];
            scene_reaction(&s.reduced, name, f[0], m[0]);
            scene_reaction(&s.multipliers, name, f[1], m[1]);
            for (int i = 0; i < 3; i += 2) /* in the plane: across it they are not determined */
                check_close(f[1][i], f[0][i], 1e-8);
        }
        free += scene_ledger(&s.reduced).closed == 0;
        closed += scene_ledger(&s.reduced).closed > 0;
    }
    check_true(free > 20 && closed > 100 && split > 5);
    close_both(&s);
}

/* A step that impacts split has the impulse of its parts and jumps over its length: the forces on
 * the hand, weight, contacts and joint, are its change of momentum, in both forms. */
TEST(reactions_of_steps_with_impacts_are_impulses_over_the_step)
{
    static const char *const joints[] = {"spherical", "revolute, axis: [0.6, 0, 0.8]", "rigid",
                                         "universal, axis: [0.6, 0, 0.8], axis2: [0, 1, 0]"};
    static const char *const schemes[] = {"contact", "contact-captured"};
    const double h = 0.01, mass = 2, g = 9.81;
    for (int i = 0; i < 8; i++) {
        char text[1000];
        int impacts = 0, split = 0;
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
                 "  - {name: hand, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1.5, 0.1, 0], "
                 "angular_velocity: [0.3, 0.2, 0.5]}\n"
                 "joints:\n"
                 "  - {name: a, type: universal, between: [ground, arm], at: [0, 0, 0], "
                 "axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
                 "  - {name: b, between: [arm, hand], at: [1, 0, 0], type: %s}\n"
                 "contacts:\n"
                 "  - {point: {on: hand, at: [0.2, 0, 0]}, origin: [0, 0, -0.4], friction: 0.3, "
                 "restitution: 0.5}\n"
                 "  - {point: {on: hand, at: [-0.3, 0.1, 0]}, origin: [0, 0, -0.4], friction: 0.3, "
                 "restitution: 0.5}\n"
                 "run: {step: 0.01}\n",
                 joints[i / 2]);
        both s = open_both(text, schemes[i % 2]);
        for (int n = 0; n < 160; n++) {
            scene *form[] = {&s.reduced, &s.multipliers};
            double f[2][3], m[2][3];
            for (int k = 0; k < 2; k++) {
                double before[3], push[3] = {0};
                memcpy(before, scene_v(form[k], "hand"), sizeof before);
                scene_run(form[k], h, 1);
                scene_reaction(form[k], "b", f[k], m[k]);
                for (int c = 0; c < 2; c++) {
                    olo_contact_state contact;
                    olo_system_contact(form[k]->system, form[k]->state, c, &contact);
                    impacts += contact.impulse > 0;
                    for (int j = 0; j < 3; j++)
                        push[j] += contact.force[j];
                }
                for (int j = 0; j < 3; j++)
                    check_close(mass * (scene_v(form[k], "hand")[j] - before[j]) / h - push[j] +
                                    (j == 2 ? mass * g : 0),
                                f[k][j], 1e-9);
            }
            split += olo_stepper_report(s.reduced.stepper)->passes > 1;
            for (int j = 0; j < 3; j++) {
                check_close(f[1][j], f[0][j], 1e-8);
                check_close(m[1][j], m[0][j], 1e-8);
            }
        }
        check_true(impacts > 2 && (split > 2) == (i % 2 == 0));
        close_both(&s);
    }
}

/* Two bodies in motion in space, with every kind of joint between them. Both forms have the same
 * forces and moments to round-off. Where the rows of a joint do not turn the direction of its
 * force, the force is exactly the change of momentum in the step less the weight. */
TEST(reactions_in_motion_are_the_change_of_momentum)
{
    static const struct {
        const char *joint;
        bool fixed_force;
    } row[] = {{"spherical", true},
               {"revolute, axis: [0.6, 0, 0.8]", true},
               {"rigid", true},
               {"universal, axis: [0.6, 0, 0.8], axis2: [0, 1, 0]", true},
               {"cylindrical, axis: [0.6, 0, 0.8]", false},
               {"prismatic, axis: [0.6, 0, 0.8]", false},
               {"planar, axis: [0.6, 0, 0.8]", false},
               {"point-on-line, axis: [0.6, 0, 0.8]", false},
               {"point-on-plane, axis: [0.6, 0, 0.8]", false},
               {"screw, axis: [0.6, 0, 0.8], pitch: 0.1", false}};
    const double h = 0.01, mass = 2, g = 9.81;
    for (int i = 0; i < 10; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"
                 "  - {name: hand, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1.5, 0.1, 0], "
                 "angular_velocity: [0.3, 0.2, 0.5]}\n"
                 "joints:\n"
                 "  - {name: a, type: universal, between: [ground, arm], at: [0, 0, 0], "
                 "axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
                 "  - {name: b, between: [arm, hand], at: [1, 0, 0], type: %s}\n"
                 "contacts: {point: {on: hand, at: [0, 0, 0]}, origin: [0, 0, -50]}\n"
                 "run: {step: 0.01}\n",
                 row[i].joint);
        both s = open_both(text, "contact");
        for (int n = 0; n < 60; n++) {
            const char *const names[] = {"a", "b"};
            double before[3], f[2][3], m[2][3];
            memcpy(before, scene_v(&s.reduced, "hand"), sizeof before);
            run_both(&s, h, 1);
            for (int k = 0; k < 2; k++) {
                scene_reaction(&s.reduced, names[k], f[0], m[0]);
                scene_reaction(&s.multipliers, names[k], f[1], m[1]);
                for (int c = 0; c < 3; c++) {
                    check_close(f[1][c], f[0][c], 1e-11);
                    check_close(m[1][c], m[0][c], 1e-11);
                }
            }
            for (int c = 0; row[i].fixed_force && c < 3; c++) /* that of b */
                check_close(mass * (scene_v(&s.reduced, "hand")[c] - before[c]) / h +
                                (c == 2 ? mass * g : 0),
                            f[0][c], 1e-11);
        }
        close_both(&s);
    }
}

/* The reaction of a pendulum that falls from rest, at the angle a below the horizontal:
 * J a'' = m g l cos a, J a'^2 = 2 m g l sin a. It is of order 2 in the middle of a step. */
TEST(the_reaction_of_a_pendulum_has_order_2)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: rod, mass: 1.5, inertia: [0.1, 0.2, 0.1], position: [0.8, 0, 0]}\n"
        "joints: {name: pin, between: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "contacts: {point: {on: rod, at: [0.8, 0, 0]}, origin: [0, 0, -3]}\n"
        "run: {step: 0.01}\n";
    const double mass = 1.5, l = 0.8, g = 9.81, J = 0.2 + mass * l * l;
    double error[2][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const double h = 0.02 / (1 << i);
        both s = open_both(text, "contact");
        scene *form[] = {&s.reduced, &s.multipliers};
        const long steps = lround(0.3 / h);
        run_both(&s, h, steps - 1);
        for (int k = 0; k < 2; k++) {
            double expected[2] = {0}, f[3], m[3];
            for (int end = 0; end < 2; end++) { /* the mean of both ends is of order 2, too */
                const double *q = scene_q(form[k], "rod");
                const double x = q[0] / l, z = -q[2] / l, turn = mass * g * l * x / J,
                             square = 2 * mass * g * l * z / J;
                expected[0] += 0.5 * mass * l * (-turn * z - square * x);
                expected[1] += 0.5 * mass * (l * (-turn * x + square * z) + g);
                if (end == 0)
                    scene_run(form[k], h, 1);
            }
            scene_reaction(form[k], "pin", f, m);
            error[k][i] = hypot(f[0] - expected[0], f[2] - expected[1]);
        }
        close_both(&s);
    }
    for (int k = 0; k < 2; k++) {
        check_below(error[k][0], 0.05);
        check_close(4, error[k][0] / error[k][1], 0.2);
        check_close(4, error[k][1] / error[k][2], 0.1);
    }
}

/* Minimal unknowns: one per hinge. Published schemes have all multipliers. */
TEST(the_reduced_form_has_the_unknowns_of_the_joints)
{
    static const char *const text =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: 'b{i}', repeat: {i: [1, 20]}, mass: 1, inertia: [0.01, 0.1, 0.1], position: "
        "[i - 0.5, 0, 0]}\n"
        "joints:\n"
        "  - {name: j1, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: 'j{i}', repeat: {i: [2, 20]}, between: ['b{i - 1}', 'b{i}'], at: [i - 1, 0, "
        "0], axis: [0, 1, 0]}\n"
        "contacts: {name: floor, point: {on: b20, at: [0.5, 0, 0]}, origin: [0, 0, -0.05], "
        "restitution: 0.5, friction: 0.2}\n"
        "run: {step: 0.005}\n";
    both s = open_both(text, "contact");
    check_equal(20, olo_stepper_unknown_count(s.reduced.stepper));
    run_both(&s, 0.005, 60);
    check_below(difference(&s), 1e-10);
    close_both(&s);
    both published = open_both(text, "contact-two-step");
    check_equal(olo_stepper_unknown_count(published.multipliers.stepper),
                olo_stepper_unknown_count(published.reduced.stepper));
    run_both(&published, 0.005, 20);
    check_below(difference(&published), 0);
    close_both(&published);
}

/* A straight chain lies on its tip. The joints block the sliding of the tip to first order, so that
 * no friction can hold it: it slides by h^4, and a few iterations find it. Energy does not rise. */
TEST(the_tip_of_a_straight_chain_slides_at_once)
{
    static const int bodies[] = {2, 5, 20};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  - {name: 'b{i}', repeat: {i: [1, %d]}, mass: 1, inertia: [0.01, 0.1, 0.1], "
                 "position: [i - 0.5, 0, 0]}\n"
                 "joints:\n"
                 "  - {name: j1, between: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                 "  - {name: 'j{i}', repeat: {i: [2, %d]}, between: ['b{i - 1}', 'b{i}'], at: "
                 "[i - 1, 0, 0], axis: [0, 1, 0]}\n"
                 "contacts: {name: floor, point: {on: b%d, at: [0.5, 0, 0]}, friction: 0.5}\n"
                 "run: {step: 0.01}\n",
                 bodies[i], bodies[i], bodies[i]);
        both s = open_both(text, "contact");
        run_both(&s, 0.01, 1);
        check_true(s.reduced.iterations <= 8 && s.multipliers.iterations <= 8);
        olo_contact_state contact;
        olo_system_contact(s.reduced.system, s.reduced.state, 0, &contact);
        check_true(contact.closed && !contact.sticking && contact.normal > 0);
        check_close(0.5 * contact.normal, contact.friction, 1e-9);
        run_both(&s, 0.01, 19);
        check_true(s.reduced.iterations <= 20 * 8 && s.multipliers.iterations <= 20 * 8);
        check_below(difference(&s), 1e-10);
        check_close(0, scene_ledger(&s.reduced).balance, 1e-11);
        close_both(&s);
    }
}

TEST(other_treatments_are_refused)
{
    static const char *const treatments[] = {"projected", "minimal", "penalty", "augmented"};
    for (int i = 0; i < 4; i++) {
        olo_error error = {0};
        scene s = scene_open(linkage, "reduced");
        olo_run run = s.run;
        olo_stepper *stepper = NULL;
        run.scheme = "contact";
        run.constraints = treatments[i];
        check_equal(OLO_UNSUPPORTED, olo_stepper_create(s.system, &run, &stepper, &error));
        check_contains("take reduced or multipliers", error.text);
        olo_stepper_free(stepper);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(both_forms_agree_over_the_catalogue),
          cmocka_unit_test(redundant_closures_work_with_contacts),
          cmocka_unit_test(both_forms_have_the_same_reactions),
          cmocka_unit_test(reactions_of_steps_with_impacts_are_impulses_over_the_step),
          cmocka_unit_test(reactions_in_motion_are_the_change_of_momentum),
          cmocka_unit_test(the_reaction_of_a_pendulum_has_order_2),
          cmocka_unit_test(the_reduced_form_has_the_unknowns_of_the_joints),
          cmocka_unit_test(the_tip_of_a_straight_chain_slides_at_once),
          cmocka_unit_test(other_treatments_are_refused))
