/* Prediction from the last motions: with equal steps a polynomial in time of a degree below the
 * number of motions is predicted exactly, and with any steps a motion whose rate is linear in
 * time. */
#include "joined.h"

#include "base/memory.h"
#include "stepping/packs.h"
#include "stepping/predictor.h"

static const char points[] = "points:\n"
                             "  - {name: a, mass: 1, position: [0, 0, 0]}\n"
                             "  - {name: b, mass: 1, position: [1, 0, 0]}\n"
                             "  - {name: c, mass: 1, position: [2, 0, 0]}\n";

/* Number i of the motion of step j: a polynomial of this degree with coefficients of size one. */
static double polynomial(int degree, int i, int j)
{
    double sum = 0, power = 1;
    for (int k = 0; k <= degree; k++) {
        sum += power * sin(1.0 + i + 3 * k);
        power *= 0.1 * j;
    }
    return sum;
}

static void remember(olo_step *step, olo_motion_pass *pass, double h, olo_state *state)
{
    step->h = h;
    if (state->h == 0)
        state->h = h;
    olo_predictor_update(step, pass, state);
    state->h = h;
}

/* The largest error of the last of fourteen motions. */
static double polynomial_error(const olo_system *system, olo_motion_pass *pass, int degree)
{
    enum { STEPS = 14 };
    olo_error error = {0};
    olo_state *state = NULL;
    olo_step step = {0};
    double largest = 0;
    check_ok(olo_state_create(system, &state, &error), &error);
    check_ok(olo_step_create(system, &step, &error), &error);
    for (int j = 0; j < STEPS; j++) {
        olo_motion_mix mix = olo_predictor_mix(state, 0.1, j > 0 ? 1 : 0);
        largest = 0;
        olo_predictor_motion(state, mix, step.x.u);
        for (int i = 0; i < state->twists; i++) {
            step.x.motion[i] = polynomial(degree, i, j);
            largest = larger(largest, fabs(step.x.motion[i] - step.x.u[i]));
        }
        remember(&step, pass, 0.1, state);
    }
    olo_step_free(&step);
    olo_state_free(state);
    return largest;
}

TEST(polynomials_in_time_are_predicted)
{
    scene s = scene_open(points, "reduced");
    check_equal(s.system->twists % 2, 1);
    for (int degree = 0; degree < OLO_PREDICTOR_MOTIONS; degree++)
        check_below(polynomial_error(s.system, olo_motion_pass_any, degree), 1e-12);
    check_below(1e-6, polynomial_error(s.system, olo_motion_pass_any, OLO_PREDICTOR_MOTIONS));
    check_below(polynomial_error(s.system, NULL, 1), 1e-12);
    check_below(1e-3, polynomial_error(s.system, NULL, 2));
    scene_close(&s);
}

TEST(rates_that_change_evenly_are_predicted_with_steps_of_any_size)
{
    static const double h[] = {0.1, 0.15, 0.05, 0.2, 0.1, 0.12};
    scene s = scene_open(points, "reduced");
    olo_motion_pass *const passes[] = {NULL, olo_motion_pass_any};
    for (int side = 0; side < 2; side++) {
        olo_error error = {0};
        olo_state *current = NULL;
        olo_step step = {0};
        double t = 0;
        check_ok(olo_state_create(s.system, &current, &error), &error);
        check_ok(olo_step_create(s.system, &step, &error), &error);
        for (int j = 0; j < 6; j++) {
            olo_motion_mix mix = olo_predictor_mix(current, h[j], j > 0 ? h[j] / current->h : 0);
            olo_predictor_motion(current, mix, step.x.u);
            for (int i = 0; i < current->twists; i++) {
                /* the integral of 1 + i t over the step */
                step.x.motion[i] = h[j] * (1 + i * (t + 0.5 * h[j]));
                if (j > 2)
                    check_below(fabs(step.x.motion[i] - step.x.u[i]), 1e-13);
            }
            remember(&step, passes[side], h[j], current);
            t += h[j];
        }
        olo_step_free(&step);
        olo_state_free(current);
    }
    scene_close(&s);
}

TEST(hinged_bodies_predict_the_same_bits_on_any_processor)
{
    for (int bodies = 2; bodies < 9; bodies++) {
        joined x = joined_hinges((unsigned)bodies, bodies, JOINED_HINGES);
        scene s = joined_open_scheme(&x, "variational", "reduced");
        olo_error error = {0};
        const olo_topology *tree = s.system->topology;
        olo_packs *hinges[2] = {NULL, NULL};
        double missed[3][OLO_PREDICTOR_MOTIONS + 1] = {{0}};
        for (int side = 0; side < 2; side++)
            check_ok(olo_packs_create(s.system, s.stepper->scheme, tree, NULL,
                                      side ? OLO_PACKS_PLAIN : OLO_PACKS_BEST, &hinges[side],
                                      &error),
                     &error);
        olo_state *states[3] = {NULL, NULL, NULL};
        olo_motion_pass *const passes[3] = {olo_packs_motion_pass(hinges[0]),
                                            olo_packs_motion_pass(hinges[1]), olo_motion_pass_any};
        size_t twists = (size_t)s.system->twists, stored = (OLO_PREDICTOR_MOTIONS - 1) * twists;
        double *now = olo_alloc(twists, sizeof *now);
        for (int k = 0; k < 3; k++) {
            check_ok(olo_state_create(s.system, &states[k], &error), &error);
            for (int j = 0; j < 12; j++) {
                for (int i = 0; i < (int)twists; i++)
                    now[i] = polynomial(10, i, j);
                passes[k](now, states[k], OLO_PREDICTOR_MOTIONS, missed[k]);
            }
        }
        for (int k = 1; k < 3; k++) {
            check_true(memcmp(olo_last_motion(states[0]), olo_last_motion(states[k]),
                              twists * sizeof *now) == 0);
            check_true(memcmp(olo_predictor_differences(states[0]),
                              olo_predictor_differences(states[k]), stored * sizeof *now) == 0);
        }
        check_true(memcmp(missed[0], missed[1], sizeof missed[0]) == 0);
        for (int k = 1; k <= OLO_PREDICTOR_MOTIONS; k++)
            check_below(fabs(missed[0][k] - missed[2][k]), 1e-14 * missed[2][k] + 1e-28);
        for (int k = 0; k < 3; k++)
            olo_state_free(states[k]);
        for (int side = 0; side < 2; side++)
            olo_packs_free(hinges[side]);
        olo_free(now);
        scene_close(&s);
        joined_free(&x);
    }
}

TEST_MAIN(cmocka_unit_test(polynomials_in_time_are_predicted),
          cmocka_unit_test(rates_that_change_evenly_are_predicted_with_steps_of_any_size),
          cmocka_unit_test(hinged_bodies_predict_the_same_bits_on_any_processor))
