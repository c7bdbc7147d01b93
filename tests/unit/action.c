/* Forces and moments over a step: virtual work, exact work, tangents in the end configuration; the
 * signals that scale them. */
#include "scene.h"

#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "system/interval.h"

/* A body with one load, and a step with a large random motion. */
typedef struct bench {
    scene s;
    double q0[12], dq[12], qm[12], q1[12], a[3], move[3];
    olo_interval x;
} bench;

static void take_step(bench *b)
{
    for (int i = 0; i < 12; i++) {
        b->qm[i] = b->q0[i] + 0.5 * b->dq[i];
        b->q1[i] = b->q0[i] + b->dq[i];
    }
}

static void bench_open(bench *b, const char *load, unsigned long long *seed)
{
    char text[512];
    snprintf(text, sizeof text,
             "bodies: {name: b, mass: 1, inertia: [1, 1, 1]}\nloads: {on: {on: b, at: [0.3, -0.2, "
             "0.5]}, %s}\n",
             load);
    b->s = scene_open(text, "reduced");
    check_equal(1, b->s.system->action_count);
    double turn[3], R[9];
    for (int i = 0; i < 3; i++) {
        turn[i] = 2 * scene_random(seed);
        b->a[i] = 1.5 * scene_random(seed);
        b->q0[i] = scene_random(seed);
        b->dq[i] = b->move[i] = scene_random(seed);
    }
    rotation_exponential(turn, R);
    for (int i = 0; i < 9; i++)
        b->q0[3 + i] = R[i];
    for (int I = 3; I < 12; I += 3)
        cayley_apply(b->a, cayley_scale(b->a), b->q0 + I, b->qm + I, b->dq + I);
    take_step(b);
    b->x = (olo_interval){.q0 = b->q0, .q1 = b->q1, .qm = b->qm, .dq = b->dq, .h = 0.1};
}

static const olo_action *action_of(const bench *b)
{
    return &b->s.system->actions[0];
}

/* Wrench about the origin of the frame at the midpoint: P_int(qm)^T f. */
static void wrench_of(const bench *b, const double *f, double force[3], double moment[3])
{
    const olo_action *action = action_of(b);
    vec3_set(0, 0, 0, force);
    vec3_set(0, 0, 0, moment);
    for (int k = 0; k < action->size; k += 3)
        if (action->index[k] == 0)
            vec3_add(1.0, f + k, force);
        else
            vec3_add_cross(b->qm + action->index[k], f + k, moment);
}

static double work_of(const bench *b, const double *f)
{
    double work = 0;
    for (int k = 0; k < action_of(b)->size; k++)
        work += f[k] * b->dq[action_of(b)->index[k]];
    return work;
}

TEST(dead_force_does_force_times_displacement)
{
    unsigned long long seed = 31;
    for (int k = 0; k < 20; k++) {
        bench b = {0};
        double f[OLO_ACTION_SIZE_MAX], force[3], moment[3], arm[3] = {0, 0, 0}, expected[3];
        const double F[3] = {3, -2, 5}, at[3] = {0.3, -0.2, 0.5};
        bench_open(&b, "force: [3, -2, 5]", &seed);
        olo_evaluate_action(action_of(&b), &b.x, f, NULL);
        wrench_of(&b, f, force, moment);
        double displacement[3];
        vec3_copy(b.dq, displacement);
        for (int I = 0; I < 3; I++) {
            vec3_add(at[I], b.qm + 3 * (I + 1), arm);
            vec3_add(at[I], b.dq + 3 * (I + 1), displacement);
        }
        vec3_cross(arm, F, expected);
        for (int i = 0; i < 3; i++) {
            check_close(F[i], force[i], 1e-15);
            check_close(expected[i], moment[i], 1e-14);
        }
        check_close(vec3_dot(F, displacement), work_of(&b, f), 1e-14);
        scene_close(&b.s);
    }
}

TEST(body_fixed_force_follows_the_midpoint_directors)
{
    unsigned long long seed = 32;
    for (int k = 0; k < 20; k++) {
        bench b = {0};
        double f[OLO_ACTION_SIZE_MAX], force[3], moment[3], F[3] = {0, 0, 0}, arm[3] = {0, 0, 0};
        const double components[3] = {3, -2, 5}, at[3] = {0.3, -0.2, 0.5};
        bench_open(&b, "force: [3, -2, 5], frame: body", &seed);
        olo_evaluate_action(action_of(&b), &b.x, f, NULL);
        wrench_of(&b, f, force, moment);
        for (int I = 0; I < 3; I++) {
            vec3_add(components[I], b.qm + 3 * (I + 1), F);
            vec3_add(at[I], b.qm + 3 * (I + 1), arm);
        }
        double expected[3];
        vec3_cross(arm, F, expected);
        for (int i = 0; i < 3; i++) {
            check_close(F[i], force[i], 1e-15);
            check_close(expected[i], moment[i], 1e-14);
        }
        scene_close(&b.s);
    }
}

TEST(moment_is_a_pure_moment_and_does_moment_times_rotation)
{
    unsigned long long seed = 33;
    for (int k = 0; k < 20; k++) {
        bench b = {0};
        double f[OLO_ACTION_SIZE_MAX], force[3], moment[3];
        const double M[3] = {3, -2, 5};
        bench_open(&b, "moment: [3, -2, 5]", &seed);
        olo_evaluate_action(action_of(&b), &b.x, f, NULL);
        wrench_of(&b, f, force, moment);
        for (int i = 0; i < 3; i++) {
            check_close(0, force[i], 0);
            check_close(M[i], moment[i], 2e-14);
        }
        /* dd_I = a x d_I,m: the work is M . a */
        check_close(vec3_dot(M, b.a), work_of(&b, f), 2e-14);
        scene_close(&b.s);
        /* along the directors: the components d_I,m . m are constant */
        bench_open(&b, "moment: [3, -2, 5], frame: body", &seed);
        olo_evaluate_action(action_of(&b), &b.x, f, NULL);
        wrench_of(&b, f, force, moment);
        for (int I = 0; I < 3; I++)
            check_close(M[I], vec3_dot(b.qm + 3 * (I + 1), moment), 2e-14);
        scene_close(&b.s);
    }
}

TEST(tangents_against_differences)
{
    static const char *const loads[] = {"force: [3, -2, 5]", "force: [3, -2, 5], frame: body",
                                        "moment: [3, -2, 5]", "moment: [3, -2, 5], frame: body",
                                        "moment: [3, -2, 5], frame: body, time: 2 + sin(t)"};
    unsigned long long seed = 34;
    const double eps = 1e-4;
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++)
        for (int j = 0; j < 5; j++) {
            bench b = {0};
            double f[OLO_ACTION_SIZE_MAX], K[OLO_ACTION_SIZE_MAX * OLO_ACTION_SIZE_MAX];
            bench_open(&b, loads[k], &seed);
            const olo_action *action = action_of(&b);
            int n = action->size;
            olo_evaluate_action(action, &b.x, f, K);
            for (int c = 0; c < n; c++) {
                double derivative[OLO_ACTION_SIZE_MAX] = {0};
                for (int side = -2; side <= 2; side++) {
                    const double weight[5] = {1, -8, 0, 8, -1};
                    double saved = b.dq[action->index[c]];
                    b.dq[action->index[c]] += side * eps;
                    take_step(&b);
                    olo_evaluate_action(action, &b.x, f, NULL);
                    for (int i = 0; i < n; i++)
                        derivative[i] += weight[side + 2] * f[i] / (12 * eps);
                    b.dq[action->index[c]] = saved;
                    take_step(&b);
                }
                for (int i = 0; i < n; i++)
                    check_close(derivative[i], K[i * n + c], 1e-7 * (1 + fabs(derivative[i])));
            }
            scene_close(&b.s);
        }
}

/* The factor of a load at a time, from the impulse of a short step on a unit mass at rest. */
static double factor_at(const char *time, double t)
{
    char text[512];
    snprintf(text, sizeof text,
             "points: {name: a, mass: 1, position: [0, 0, 0]}\nloads: {on: a, force: [1, 0, 0], "
             "time: %s}\n",
             time);
    scene s = scene_open(text, "reduced");
    const olo_action *action = &s.system->actions[0];
    double factor = olo_action_factor(action, &(olo_interval){.t = t});
    /* the stepper evaluates the middle of the step */
    const double h = 0.25;
    olo_state_set_time(s.state, t - 0.5 * h);
    scene_run(&s, h, 1);
    check_close(h * factor, scene_v(&s, "a")[0], 1e-14);
    scene_close(&s);
    return factor;
}

TEST(signals_are_expressions_and_tables_sampled_at_midpoints)
{
    check_relative(sin(2 * M_PI * 0.3), factor_at("sin(2*pi*t)", 0.3), 1e-15);
    check_close(2.5, factor_at("2.5", 0.3), 0);
    check_close(0, factor_at("step(t - 1)", 0.3), 0);
    check_close(1, factor_at("step(t - 1)", 1.3), 0);
    const char *table = "{time: [0, 0.5, 1, 3], value: [1, 3, -1, 0]}";
    check_close(1, factor_at(table, -5), 0); /* constant outside */
    check_close(0, factor_at(table, 7), 0);
    check_close(2, factor_at(table, 0.25), 1e-15);
    check_close(3, factor_at(table, 0.5), 1e-15);
    check_close(1, factor_at(table, 0.75), 1e-15);
    check_close(-0.5, factor_at(table, 2), 1e-15);
    /* one entry is a constant */
    check_close(5, factor_at("{time: [1], value: [5]}", 3), 0);
}

TEST_MAIN(cmocka_unit_test(dead_force_does_force_times_displacement),
          cmocka_unit_test(body_fixed_force_follows_the_midpoint_directors),
          cmocka_unit_test(moment_is_a_pure_moment_and_does_moment_times_rotation),
          cmocka_unit_test(tangents_against_differences),
          cmocka_unit_test(signals_are_expressions_and_tables_sampled_at_midpoints))
