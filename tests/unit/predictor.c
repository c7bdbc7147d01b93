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

/* Predicts a motion of size h to step->x.u. */
static void predict(olo_step *step, double h, bool first, const olo_state *state)
{
    step->state = state;
    step->h = h;
    const olo_motion_mix mix = olo_predictor_mix(step, first ? 0 : h / state->h);
    olo_predictor_motion(&mix, state->twists, step->x.u);
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
        predict(&step, 0.1, j == 0, state);
        largest = 0;
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
            predict(&step, h[j], j == 0, current);
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

/* The largest error of the parts of the last of some composed steps whose sizes change by this
 * share. The rate of each part is another polynomial in the time of its middle. */
static double composed_error(const olo_system *system, int order, int degree, double change)
{
    enum { STEPS = 16 };
    olo_error error = {0};
    olo_state *state = NULL;
    olo_step step = {0};
    double t = 0, largest = 0;
    check_ok(olo_state_create(system, &state, &error), &error);
    check_ok(olo_step_create(system, &step, &error), &error);
    const olo_composition *c = step.composition = olo_composition_find(order, false);
    for (int j = 0; j < STEPS; j++) {
        const double h = 1 + change * sin(2.0 * j);
        largest = 0;
        for (step.part = 0; step.part < c->parts; step.part++) {
            const double part = c->part[step.part] * h,
                         middle = t + olo_composition_middle(c, step.part) * h;
            predict(&step, part, j == 0 && step.part == 0, state);
            for (int i = 0; i < state->twists; i++) {
                double rate = 0, power = 1;
                for (int k = 0; k <= degree; k++, power *= 0.1 * middle)
                    rate += power * sin(1.0 + i + 3 * k + 5 * step.part);
                step.x.motion[i] = part * rate;
                largest = larger(largest, fabs(step.x.motion[i] - step.x.u[i]));
            }
            remember(&step, olo_motion_pass_any, part, state);
        }
        t += h;
    }
    olo_step_free(&step);
    olo_state_free(state);
    return largest;
}

TEST(parts_of_composed_steps_are_predicted_from_the_same_part)
{
    scene s = scene_open(points, "reduced");
    for (int order = 2; order <= 6; order += 2)
        for (int k = 0; k < 3; k++) {
            const int parts = olo_composition_find(order, false)->parts,
                      most = OLO_PREDICTOR_ROWS / parts,
                      motions = most < OLO_PREDICTOR_MOTIONS ? most : OLO_PREDICTOR_MOTIONS;
            for (int degree = 0; degree < motions; degree++)
                check_below(composed_error(s.system, order, degree, 0.1 * k), 1e-11);
            check_below(1e-6, composed_error(s.system, order, motions, 0.1 * k));
        }
    scene_close(&s);
}

/* Steps of size zero, back in time, or far longer than those before are predicted without
 * extrapolation. */
TEST(predictions_are_finite_for_any_steps)
{
    static const double h[] = {0.1, -0.1, 0.1, 0.1, 1e-9, 0.1, 1e3, -1e3, 0.1, 0.1, 0.1, 1e-300};
    scene s = scene_open(points, "reduced");
    olo_error error = {0};
    olo_state *current = NULL;
    olo_step step = {0};
    check_ok(olo_state_create(s.system, &current, &error), &error);
    check_ok(olo_step_create(s.system, &step, &error), &error);
    for (int j = 0; j < 12; j++) {
        predict(&step, h[j], j == 0, current);
        for (int i = 0; i < current->twists; i++) {
            check_true(isfinite(step.x.u[i]));
            step.x.motion[i] = h[j] * (1 + i);
            if (j > 0)
                check_below(fabs(step.x.motion[i] - step.x.u[i]),
                            1e-12 * fabs(step.x.motion[i]) + 1e-300);
        }
        remember(&step, olo_motion_pass_any, h[j], current);
    }
    olo_step_free(&step);
    olo_state_free(current);
    scene_close(&s);
}

/* A saved state whose predictor has numbers out of range is refused, whatever its checksum says. */
TEST(impossible_numbers_of_motions_are_refused)
{
    scene s = scene_open(points, "reduced");
    const size_t size = olo_state_saved_size(s.state);
    void *block = olo_alloc(size, 1);
    olo_state *other = NULL;
    olo_error error = {0};
    check_ok(olo_state_clone(s.state, &other, &error), &error);
    olo_predictor_segment *memory = olo_predictor_of(s.state);
    olo_predictor_part *last = &memory->part[8];
    for (int k = 0; k < 12; k++) {
        memset(memory, 0, sizeof *memory);
        memory->parts = 9;
        *last = (olo_predictor_part){.h = 0.1, .known = 4, .order = 4};
        memory->parts = k == 1 ? -1 : k == 2 ? 10 : memory->parts;
        last->known = k == 3 ? 5 : k == 4 ? -1 : last->known;
        last->order = k == 5 ? 5 : k == 6 ? -1 : last->order;
        last->h = k == 7 ? 0 : k == 8 ? NAN : last->h;
        memory->smooth = k == 9 ? 2 : 0;
        memory->lag = k == 10 ? -1 : k == 11 ? INFINITY : 0;
        if (k == 1 || k == 2) /* the copy would be of these numbers */
            check_true(!olo_segment_predictor.check(s.state));
        else {
            olo_state_save(s.state, block);
            check_status(k == 0 ? OLO_OK : OLO_BAD_INPUT,
                         olo_state_load(other, block, size, &error));
        }
    }
    memset(memory, 0, sizeof *memory);
    olo_free(block);
    olo_state_free(other);
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
        olo_motion_pass *const passes[3] = {olo_packs_motion_pass(hinges[0]),
                                            olo_packs_motion_pass(hinges[1]), olo_motion_pass_any};
        size_t twists = (size_t)s.system->twists, stored = OLO_PREDICTOR_MOTIONS * twists;
        double *now = olo_alloc(twists, sizeof *now), *rows[3];
        for (int k = 0; k < 3; k++) {
            rows[k] = olo_alloc(stored, sizeof *rows[k]);
            for (int j = 0; j < 12; j++) {
                for (int i = 0; i < (int)twists; i++)
                    now[i] = polynomial(10, i, j);
                passes[k](now, (int)twists, rows[k], OLO_PREDICTOR_MOTIONS, missed[k]);
            }
        }
        for (int k = 1; k < 3; k++)
            check_true(memcmp(rows[0], rows[k], stored * sizeof *now) == 0);
        check_true(memcmp(missed[0], missed[1], sizeof missed[0]) == 0);
        for (int k = 1; k <= OLO_PREDICTOR_MOTIONS; k++)
            check_below(fabs(missed[0][k] - missed[2][k]), 1e-14 * missed[2][k] + 1e-28);
        for (int k = 0; k < 3; k++)
            olo_free(rows[k]);
        for (int side = 0; side < 2; side++)
            olo_packs_free(hinges[side]);
        olo_free(now);
        scene_close(&s);
        joined_free(&x);
    }
}

TEST_MAIN(cmocka_unit_test(polynomials_in_time_are_predicted),
          cmocka_unit_test(rates_that_change_evenly_are_predicted_with_steps_of_any_size),
          cmocka_unit_test(parts_of_composed_steps_are_predicted_from_the_same_part),
          cmocka_unit_test(predictions_are_finite_for_any_steps),
          cmocka_unit_test(impossible_numbers_of_motions_are_refused),
          cmocka_unit_test(hinged_bodies_predict_the_same_bits_on_any_processor))
