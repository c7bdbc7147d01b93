/* Momenta of the variational scheme: discrete Legendre transforms without constraints, with
 * constraint forces, and projected; half of the forces of loads, dampers and drives acts at each
 * end of a step; runs that start from momenta (variational sheet, 2.3 to 2.6; 5.13 and 5.14 of the
 * source). */
#include "linkage.h"

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
enum { TREATMENTS = 4, SIZE = 320 };

/* All kinds of forces: springs, dampers, loads, a motor, a controller, a beam; in a tree and in a
 * loop. */
static const char FORCED[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3], center: [0.5, 0, 0]}\n"
    "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [1, 0, 0], center: [0.4, 0, 0.1]}\n"
    "points: {name: p, mass: 0.3, position: [2, 0, -1], velocity: [0, 1, 0]}\n"
    "joints:\n"
    "  - {name: one, type: revolute, between: [ground, a], axis: [0, -1, 0], torque: 2, rate: 1}\n"
    "  - {name: two, type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, -1, 0],\n"
    "     stiffness: 5, damping: 0.3}\n"
    "springs: {name: pull, between: [b, p], stiffness: 20, length: 0.8}\n"
    "dampers: {name: drag, between: [b, p], damping: 0.4}\n"
    "loads:\n"
    "  - {on: b, moment: [0.1, 0.2, 0.3], frame: body, time: cos(t)}\n"
    "  - {on: p, force: [1, 0, 2]}\n";
static const char BEAM[] =
    "gravity: [0, 0, -9.81]\n"
    "beams: {name: arm, to: [1, 0, 0], d1: [0, 1, 0], elements: 3,\n"
    "  section: {type: circle, radius: 0.1, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "supports: {name: pivot, on: arm.start, type: point}\n";
static const char *const models[] = {FORCED, BEAM, LINKAGE, "heavy-top", DOUBLE_PENDULUM};
enum { MODELS = sizeof models / sizeof *models };

static double size_of(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = larger(most, fabs(x[i]));
    return most;
}

static void check_same(int n, const double *a, const double *b, double tolerance)
{
    double size = size_of(n, a);
    for (int i = 0; i < n; i++)
        check_close(a[i], b[i], tolerance * size);
}

/* Three states of a run at distances h, and the transforms of the two steps between them. */
typedef struct two_steps {
    scene s;
    int n;
    olo_state *first, *middle;
    double plus[SIZE], minus[SIZE]; /* both at the node in the middle */
    double lambda[SIZE];
} two_steps;

static two_steps walk(const char *model, const char *treatment, double h, int steps)
{
    two_steps x = {.s = variational_open(model, treatment)};
    olo_error error = {0};
    x.n = x.s.system->n;
    check_true(x.n <= SIZE && x.s.system->m <= SIZE);
    scene_run(&x.s, h, steps);
    check_ok(olo_state_clone(x.s.state, &x.first, &error), &error);
    scene_run(&x.s, h, 1);
    check_ok(olo_state_clone(x.s.state, &x.middle, &error), &error);
    scene_run(&x.s, h, 1);
    check_equal(0, x.s.halvings);
    memcpy(x.lambda, olo_state_multipliers(x.s.state), (size_t)x.s.system->m * sizeof(double));
    check_ok(olo_stepper_compute_legendre(x.s.stepper, x.first, x.middle, NULL, x.plus, &error),
             &error);
    check_ok(olo_stepper_compute_legendre(x.s.stepper, x.middle, x.s.state, x.minus, NULL, &error),
             &error);
    return x;
}

static void end_walk(two_steps *x)
{
    olo_state_free(x->first);
    olo_state_free(x->middle);
    scene_close(&x->s);
}

/* Q(q) p at a state, whose velocities are not changed. */
static void project(two_steps *x, const olo_state *at, const double *p, double *out)
{
    olo_state *copy = NULL;
    olo_error error = {0};
    check_ok(olo_state_clone(at, &copy, &error), &error);
    check_ok(olo_stepper_set_momenta(x->s.stepper, copy, p, &error), &error);
    olo_system_momenta(x->s.system, copy, out);
    olo_state_free(copy);
}

TEST(projected_transforms_agree_at_a_node_and_are_the_momenta_of_its_state)
{
    for (int m = 0; m < MODELS; m++)
        for (int k = 0; k < TREATMENTS; k++) {
            two_steps x = walk(models[m], treatments[k], 0.002, 20);
            double minus[SIZE], plus[SIZE], p[SIZE];
            project(&x, x.middle, x.minus, minus);
            project(&x, x.middle, x.plus, plus);
            olo_system_momenta(x.s.system, x.middle, p);
            check_same(x.n, plus, minus, 1e-11);
            check_same(x.n, p, plus, 1e-11);
            /* projecting again changes nothing; momenta without projection are not admissible */
            project(&x, x.middle, plus, minus);
            check_same(x.n, plus, minus, 1e-13);
            end_walk(&x);
        }
}

/* p^+ - (h/2) G^T lambda = p^- + (h/2) G^T lambda, where a treatment has multipliers. */
TEST(constrained_transforms_agree_at_a_node)
{
    for (int m = 0; m < MODELS; m++)
        for (int k = 1; k < TREATMENTS; k++) {
            const double h = 0.002;
            two_steps x = walk(models[m], treatments[k], h, 20);
            double force[SIZE], apart = 0;
            olo_system_constraint_forces(x.s.system, x.middle, x.lambda, force);
            for (int i = 0; i < x.n; i++) {
                apart = larger(apart, fabs(x.plus[i] - x.minus[i]));
                x.plus[i] -= 0.5 * h * force[i];
                x.minus[i] += 0.5 * h * force[i];
            }
            check_true(apart > 1e-4 * size_of(x.n, x.plus)); /* the part of the constraint forces */
            check_same(x.n, x.plus, x.minus, 1e-11);
            end_walk(&x);
        }
}

/* M dq/h -+ (h/2) grad V(q_m), from the configurations and terms alone. */
TEST(plain_transforms_are_those_of_the_discrete_lagrangian)
{
    const double h = 0.002;
    trajectory x = trajectory_of(LINKAGE, "reduced", h, 10);
    scene s = variational_open(LINKAGE, "reduced");
    olo_state *before = NULL;
    olo_error error = {0};
    double minus[SIZE], plus[SIZE], expected[SIZE];
    check_ok(olo_state_clone(s.state, &before, &error), &error);
    for (int i = 0; i < 10; i++) {
        olo_state_copy(s.state, before);
        scene_run(&s, h, 1);
        check_ok(olo_stepper_compute_legendre(s.stepper, before, s.state, minus, plus, &error),
                 &error);
        trajectory_legendre(&x, i, 1, expected);
        check_same(x.n, expected, minus, 1e-12);
        trajectory_legendre(&x, i, 2, expected);
        check_same(x.n, expected, plus, 1e-12);
    }
    olo_state_free(before);
    scene_close(&s);
    trajectory_free(&x);
}

/* A point with a load and a damper: f^- + f^+ = h F(t_m) - d dq, half at each end. */
TEST(loads_and_dampers_act_half_at_either_end)
{
    static const char text[] =
        "points: {name: p, mass: 2, position: [1, 0, 0], velocity: [0.5, 1, 0]}\n"
        "dampers: {type: linear, between: [[0, 0, 0], p], damping: 3}\n"
        "loads: {on: p, force: [1, 0, 2], time: 1 + t}\n";
    const double h = 0.1, F[3] = {1, 0, 2};
    scene s = variational_open(text, "reduced");
    olo_state *before = NULL;
    olo_error error = {0};
    check_ok(olo_state_clone(s.state, &before, &error), &error);
    for (int k = 0; k < 5; k++) {
        double minus[3], plus[3], p0[3], p1[3], dq[3];
        olo_state_copy(s.state, before);
        olo_system_momenta(s.system, before, p0);
        scene_run(&s, h, 1);
        olo_system_momenta(s.system, s.state, p1);
        check_ok(olo_stepper_compute_legendre(s.stepper, before, s.state, minus, plus, &error),
                 &error);
        vec3_subtract(olo_state_configuration(s.state), olo_state_configuration(before), dq);
        for (int i = 0; i < 3; i++) {
            double impulse = h * F[i] * (1 + (k + 0.5) * h) - 3 * dq[i];
            check_close(2 * dq[i] / h - 0.5 * impulse, minus[i], 1e-13);
            check_close(2 * dq[i] / h + 0.5 * impulse, plus[i], 1e-13);
            check_close(p0[i], minus[i], 1e-13); /* no constraints */
            check_close(p1[i], plus[i], 1e-13);
        }
    }
    olo_state_free(before);
    scene_close(&s);
}

/* p = M v + G^T mu gives the same v and the same motion for any mu. */
TEST(a_run_starts_from_momenta)
{
    for (int m = 0; m < MODELS; m++)
        for (int k = 0; k < TREATMENTS; k++) {
            scene s = variational_open(models[m], treatments[k]);
            int n = s.system->n;
            double p[SIZE], force[SIZE], mu[SIZE], q[SIZE], v[SIZE];
            unsigned long long seed = 7;
            olo_error error = {0};
            scene_run(&s, 0.002, 5);
            olo_state_reset_history(s.state);
            memcpy(v, olo_state_velocity(s.state), (size_t)n * sizeof *v);
            olo_system_momenta(s.system, s.state, p);
            double size = size_of(n, p);
            for (int c = 0; c < s.system->m; c++)
                mu[c] = scene_random(&seed);
            olo_system_constraint_forces(s.system, s.state, mu, force);
            double part = size / size_of(n, force);
            for (int i = 0; i < n; i++)
                p[i] += part * force[i];
            olo_state *other = NULL;
            check_ok(olo_state_clone(s.state, &other, &error), &error);
            memset(other->v, 0, (size_t)n * sizeof *v);
            check_ok(olo_stepper_set_momenta(s.stepper, other, p, &error), &error);
            /* directors of beams have little mass, d3 has none: the momenta are compared */
            olo_system_momenta(s.system, other, force);
            olo_system_momenta(s.system, s.state, p);
            check_same(n, p, force, 1e-11);
            if (models[m] != BEAM)
                check_same(n, v, olo_state_velocity(other), 1e-11);
            scene_run(&s, 0.002, 5);
            memcpy(q, olo_state_configuration(s.state), (size_t)n * sizeof *q);
            olo_state_copy(other, s.state);
            scene_run(&s, 0.002, 5);
            check_same(n, q, olo_state_configuration(s.state), 1e-12);
            olo_state_free(other);
            scene_close(&s);
        }
}

TEST(what_has_no_momenta_is_reported)
{
    olo_error error = {0};
    double p[SIZE] = {0};
    scene s = scene_open("heavy-top", "reduced");
    check_status(OLO_UNSUPPORTED, olo_stepper_set_momenta(s.stepper, s.state, p, &error));
    check_contains("energy-momentum-2006 does not step from momenta; take variational", error.text);
    scene_close(&s);
    s = variational_open("heavy-top", "reduced");
    check_status(OLO_BAD_INPUT,
                 olo_stepper_compute_legendre(s.stepper, s.state, s.state, p, NULL, &error));
    check_contains("must have different times", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(projected_transforms_agree_at_a_node_and_are_the_momenta_of_its_state),
          cmocka_unit_test(constrained_transforms_agree_at_a_node),
          cmocka_unit_test(plain_transforms_are_those_of_the_discrete_lagrangian),
          cmocka_unit_test(loads_and_dampers_act_half_at_either_end),
          cmocka_unit_test(a_run_starts_from_momenta),
          cmocka_unit_test(what_has_no_momenta_is_reported))
