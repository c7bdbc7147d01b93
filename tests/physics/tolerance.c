/* Steps that are chosen by a tolerance: the error of a run is proportional to it over decades, for
 * an orbit that is fast near its centre and slow far from it (Kepler's equation is the exact
 * solution), a nutating top and an elastic pendulum. Energy and momenta are conserved to round-off
 * with any step sizes. */
#include "scene.h"

#include "base/initialised.h"
#include "base/memory.h"

/* An orbit with eccentricity 0.8 and period 2 pi, from its farthest point. */
static const char KEPLER[] = "plane: [0, 0, 1]\n"
                             "points:\n"
                             "  - {name: a, mass: 1, position: [1.8, 0, 0],\n"
                             "     velocity: [0, 1/3, 0]}\n"
                             "springs: [{between: [[0, 0, 0], a], energy: -1/l}]\n"
                             "run: {step: 0.01, end: 5}\n";

/* Position by Kepler's equation, M = E - e sin E, M counted from the nearest point. */
static void kepler(double t, double x[2])
{
    const double e = 0.8, pi = 3.14159265358979323846, M = t + pi;
    double E = M;
    for (int i = 0; i < 50; i++)
        E -= (E - e * sin(E) - M) / (1 - e * cos(E));
    x[0] = -(cos(E) - e);
    x[1] = -sqrt(1 - e * e) * sin(E);
}

typedef struct outcome {
    double error, energy, momentum;
    olo_run_summary summary;
    double q[64];
    int n;
} outcome;

typedef struct watch {
    double start, drift, momentum, turn;
} watch;

static olo_status look(void *context, const olo_system *system, const olo_state *state, long step,
                       const olo_step_report *report, olo_error *error)
{
    (void)error, (void)report;
    watch *w = context;
    olo_ledger ledger;
    olo_system_ledger(system, state, &ledger);
    if (step == 0) {
        w->start = ledger.balance;
        w->turn = ledger.angular_momentum[2];
    }
    w->drift =
        larger(w->drift, fabs(ledger.balance - w->start) / (fabs(w->start) + ledger.kinetic));
    w->momentum = larger(w->momentum, fabs(ledger.angular_momentum[2] - w->turn) / fabs(w->turn));
    return OLO_OK;
}

static outcome run_with(const char *model, const char *order, const char *tolerance,
                        const char *step, const char *end)
{
    const olo_setting settings[] = {
        {"run.order", order}, {"run.tolerance", tolerance}, {"run.step", step}, {"run.end", end}};
    scene s = scene_open_set(model, "reduced", settings, 4);
    watch w = {0};
    outcome out = {.n = s.system->n};
    const olo_observer observer = {
        .initialised = OLO_INITIALISED_OBSERVER, .context = &w, .step = look};
    olo_error error = {0};
    check_true(out.n <= 64);
    check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, &out.summary, &error), &error);
    memcpy(out.q, olo_state_configuration(s.state), (size_t)out.n * sizeof *out.q);
    check_true(olo_state_time(s.state) == s.run.end);
    out.energy = w.drift;
    out.momentum = w.momentum;
    scene_close(&s);
    return out;
}

static outcome orbit(const char *order, const char *tolerance, const char *step)
{
    outcome out = run_with(KEPLER, order, tolerance, step, "5");
    double x[2];
    kepler(5.0, x);
    out.error = hypot(out.q[0] - x[0], out.q[1] - x[1]) / hypot(x[0], x[1]);
    return out;
}

/* Errors are below `worse` times the tolerance and proportional to it: the exponent is one. */
static void check_proportion(const char *name, const double *tolerances, const outcome *runs,
                             int count, double worse)
{
    for (int i = 0; i < count; i++) {
        print_message("%s, tolerance %.0e: error %.1e in %ld steps of %.1e to %.1e, %ld rejected, "
                      "energy %.1e\n",
                      name, tolerances[i], runs[i].error, runs[i].summary.steps,
                      runs[i].summary.smallest_step, runs[i].summary.largest_step,
                      runs[i].summary.rejections, runs[i].energy);
        check_below(runs[i].energy, 2e-12);
        check_below(runs[i].error, worse * tolerances[i]);
    }
    const double exponent =
        log(runs[0].error / runs[count - 1].error) / log(tolerances[0] / tolerances[count - 1]);
    print_message("%s: error ~ tolerance^%.2f\n", name, exponent);
    check_close(1.0, exponent, 0.2);
}

static const char *const TEXTS[] = {"1e-3", "1e-4", "1e-5", "1e-6", "1e-7", "1e-8"};
static const double TOLERANCES[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};

TEST(errors_of_an_orbit_follow_the_tolerance)
{
    outcome runs[6];
    for (int i = 0; i < 6; i++)
        runs[i] = orbit("4", TEXTS[i], "0.01");
    check_proportion("orbit, order 4", TOLERANCES, runs, 6, 30);
    for (int i = 0; i < 4; i++)
        runs[i] = orbit("2", TEXTS[i], "0.01");
    check_proportion("orbit, order 2", TOLERANCES, runs, 4, 30);
    for (int i = 0; i < 4; i++)
        check_below(runs[i].momentum, 1e-12);
}

/* Near the centre the orbit is 27 times as fast as far from it: small steps are needed only
 * there. */
TEST(chosen_steps_are_cheaper_than_constant_ones_where_time_scales_vary)
{
    const outcome chosen = orbit("4", "1e-6", "0.01");
    char step[32];
    snprintf(step, sizeof step, "%.17g", 5.0 / (double)chosen.summary.steps);
    const outcome constant = orbit("4", "0", step);
    check_true(chosen.summary.largest_step > 10 * chosen.summary.smallest_step);
    check_true(constant.error > 10 * chosen.error);
    check_equal(0, constant.summary.rejections);
}

static double distance_to(const outcome *a, const outcome *b)
{
    return scene_distance(a->n, a->q, b->q);
}

static void check_model(const char *name, const char *model, const char *end, double worse)
{
    outcome runs[4];
    const outcome reference = run_with(model, "4", "1e-11", "1e-4", end);
    for (int i = 0; i < 4; i++) {
        runs[i] = run_with(model, "4", TEXTS[i + 1], "1e-3", end);
        runs[i].error = distance_to(&runs[i], &reference);
    }
    check_proportion(name, TOLERANCES + 1, runs, 4, worse);
}

/* A heavy slow top that is released at rest: it falls and nutates. */
static const char TOP[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: top, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0.3, 0, 0.1],\n"
    "     rotation: {axis: [0, 1, 0], angle: 1.2}, angular_velocity: [4, 0, 2]}\n"
    "joints: [{name: tip, type: spherical, between: [ground, top], at: [0, 0, 0]}]\n"
    "run: {step: 0.01, end: 1}\n";

TEST(errors_of_a_nutating_top_follow_the_tolerance)
{
    check_model("top", TOP, "1", 30);
}

static const char ELASTIC[] =
    "gravity: [0, 0, -9.81]\n"
    "points: [{name: a, mass: 1, position: [1, 0, 0], velocity: [0, 0.5, 0]}]\n"
    "springs: [{between: [[0, 0, 0], a], stiffness: 400, length: 1}]\n"
    "run: {step: 0.01, end: 2}\n";

TEST(errors_of_an_elastic_pendulum_follow_the_tolerance)
{
    check_model("elastic pendulum", ELASTIC, "2", 30);
}

/* A force that begins at t = 0.3: x = (t - 0.3)^2/2 after it. */
static const char PUSHED[] = "points: [{name: a, mass: 1, position: [0, 1, 0]}]\n"
                             "loads: [{on: a, force: [1, 0, 0], time: 'if(t < 0.3, 0, 1)'}]\n"
                             "run: {step: 0.05, end: 1}\n";

/* A jump within a step causes an error c h of the velocity, while its estimate is c h^2: the error
 * is proportional to the square root of the tolerance. */
TEST(a_force_that_jumps_is_met_by_small_steps)
{
    for (int i = 0; i < 3; i++) {
        const outcome out = run_with(PUSHED, "4", TEXTS[2 * i], "0.05", "1");
        const double error = fabs(out.q[0] - 0.5 * 0.7 * 0.7);
        print_message("jump, tolerance %s: error %.1e, %ld steps, %ld rejected, smallest %.1e\n",
                      TEXTS[2 * i], error, out.summary.steps, out.summary.rejections,
                      out.summary.smallest_step);
        check_true(out.summary.rejections > 0);
        check_below(error, sqrt(TOLERANCES[2 * i]));
    }
}

TEST(a_force_that_jumps_on_the_grid_costs_nothing)
{
    const olo_setting settings[] = {
        {"run.order", "4"}, {"run.tolerance", "1e-4"}, {"run.grid", "0.1"}};
    scene s = scene_open_set(PUSHED, "reduced", settings, 3);
    olo_error error = {0};
    olo_run_summary summary;
    check_ok(olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error), &error);
    check_close(0.5 * 0.7 * 0.7, olo_state_configuration(s.state)[0], 1e-14);
    check_equal(0, summary.rejections);
    scene_close(&s);
}

/* A first step that is far too large is rejected, not taken. */
TEST(rejected_steps_are_counted)
{
    const outcome good = orbit("4", "1e-6", "0.01"), bad = orbit("4", "1e-6", "4");
    check_true(bad.summary.rejections > good.summary.rejections);
    check_true(bad.summary.iterations > bad.summary.steps * 5);
    check_below(bad.error, 30 * 1e-6);
}

/* A run that stops after some steps and continues from a saved state has the same bits. */
typedef struct stopper {
    long at, step;
} stopper;

static olo_status count(void *context, const olo_system *system, const olo_state *state, long step,
                        const olo_step_report *report, olo_error *error)
{
    (void)system, (void)state, (void)report, (void)error;
    ((stopper *)context)->step = step;
    return OLO_OK;
}

static bool stop(void *context)
{
    const stopper *s = context;
    return s->step == s->at;
}

TEST(a_run_with_chosen_steps_continues_to_the_same_bits)
{
    const olo_setting settings[] = {
        {"run.order", "4"}, {"run.tolerance", "1e-5"}, {"run.grid", "0.5"}};
    scene whole = scene_open_set(KEPLER, "reduced", settings, 3);
    scene parted = scene_open_set(KEPLER, "reduced", settings, 3);
    scene again = scene_open_set(KEPLER, "reduced", settings, 3);
    olo_error error = {0};
    olo_run_summary all, sum;
    check_ok(olo_simulate(whole.system, &whole.run, whole.state, NULL, 0, &all, &error), &error);
    stopper s = {.at = 20};
    const olo_observer observer = {
        .initialised = OLO_INITIALISED_OBSERVER, .context = &s, .step = count, .stop = stop};
    check_status(OLO_INTERRUPTED, olo_simulate(parted.system, &parted.run, parted.state, &observer,
                                               1, &sum, &error));
    const size_t size = olo_state_saved_size(parted.state);
    void *block = malloc(size);
    olo_state_save(parted.state, block);
    check_ok(olo_state_load(again.state, block, size, &error), &error);
    free(block);
    check_ok(olo_simulate_resume(again.system, &again.run, again.state, NULL, 0, &sum, &error),
             &error);
    check_equal(all.steps, sum.steps);
    check_equal(all.rejections, sum.rejections);
    check_true(all.smallest_step == sum.smallest_step && all.largest_step == sum.largest_step);
    check_true(memcmp(olo_state_configuration(whole.state), olo_state_configuration(again.state),
                      3 * sizeof(double)) == 0);
    check_true(memcmp(olo_state_velocity(whole.state), olo_state_velocity(again.state),
                      3 * sizeof(double)) == 0);
    scene_close(&whole);
    scene_close(&parted);
    scene_close(&again);
}

/* Every line of the grid is the end of a step. */
typedef struct grid {
    double line;
    long met;
} grid;

static olo_status meet(void *context, const olo_system *system, const olo_state *state, long step,
                       const olo_step_report *report, olo_error *error)
{
    (void)system, (void)step, (void)report, (void)error;
    grid *g = context;
    if (olo_state_time(state) == (double)(g->met + 1) * g->line)
        g->met++;
    return OLO_OK;
}

TEST(steps_end_on_the_grid)
{
    const olo_setting settings[] = {
        {"run.order", "4"}, {"run.tolerance", "1e-4"}, {"run.grid", "0.25"}};
    scene s = scene_open_set(KEPLER, "reduced", settings, 3);
    grid g = {.line = 0.25};
    const olo_observer observer = {
        .initialised = OLO_INITIALISED_OBSERVER, .context = &g, .step = meet};
    olo_error error = {0};
    olo_run_summary summary;
    check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, &summary, &error), &error);
    check_equal(20, g.met);
    /* no tiny steps before the lines of the grid */
    check_true(summary.smallest_step > 1e-3);
    scene_close(&s);
}

TEST(steps_stay_within_their_bounds)
{
    const olo_setting settings[] = {{"run.tolerance", "1e-4"}, {"run.largest_step", "0.02"}};
    scene s = scene_open_set(KEPLER, "reduced", settings, 2);
    olo_error error = {0};
    olo_run_summary summary;
    check_ok(olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error), &error);
    check_true(summary.largest_step <= 0.02);
    scene_close(&s);
    const olo_setting small[] = {{"run.tolerance", "1e-6"}, {"run.smallest_step", "0.01"}};
    s = scene_open_set(KEPLER, "reduced", small, 2);
    check_status(OLO_NOT_CONVERGED,
                 olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error));
    check_contains("would have to be smaller than 0.01", error.text);
    scene_close(&s);
}

/* A step for which Newton does not converge is too large. */
TEST(steps_that_fail_are_rejected)
{
    const olo_setting settings[] = {
        {"run.tolerance", "1e-2"}, {"run.order", "4"}, {"run.iterations", "3"}};
    scene s = scene_open_set("double-spherical-pendulum", "reduced", settings, 3);
    olo_error error = {0};
    olo_run_summary summary;
    s.run.step = 1;
    s.run.end = 2;
    check_ok(olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error), &error);
    check_true(summary.rejections > 0);
    check_equal(0, summary.halvings);
    scene_close(&s);
    /* if no step is small enough, this is reported with the reason */
    const olo_setting hopeless[] = {
        {"run.tolerance", "1e-2"}, {"run.iterations", "1"}, {"run.smallest_step", "1e-3"}};
    s = scene_open_set("double-spherical-pendulum", "reduced", hopeless, 3);
    check_status(OLO_NOT_CONVERGED,
                 olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error));
    check_contains("did not converge in 1 iterations", error.text);
    check_true(olo_state_time(s.state) == 0);
    scene_close(&s);
}

TEST(running_out_of_memory_is_reported)
{
    const olo_setting settings[] = {{"run.tolerance", "1e-4"}, {"run.order", "4"}};
    scene s = scene_open_set("double-spherical-pendulum", "reduced", settings, 2);
    const size_t alive = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status == OLO_NO_MEMORY; n++) {
        olo_stepper *stepper = NULL;
        olo_error error = {0};
        olo_memory_fail_at(n);
        status = olo_stepper_create(s.system, &s.run, &stepper, &error);
        olo_memory_fail_at(0);
        if (status != OLO_OK)
            check_contains("out of memory", error.text);
        olo_stepper_free(stepper);
        check_equal(alive, olo_memory_alive());
    }
    check_status(OLO_OK, status);
    scene_close(&s);
}

TEST(a_step_is_chosen_only_with_a_tolerance)
{
    scene s = scene_open(KEPLER, "reduced");
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_stepper_step_adaptive(s.stepper, s.state, 1.0, &error));
    check_contains("run.tolerance", error.text);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(errors_of_an_orbit_follow_the_tolerance),
          cmocka_unit_test(chosen_steps_are_cheaper_than_constant_ones_where_time_scales_vary),
          cmocka_unit_test(errors_of_a_nutating_top_follow_the_tolerance),
          cmocka_unit_test(errors_of_an_elastic_pendulum_follow_the_tolerance),
          cmocka_unit_test(a_force_that_jumps_is_met_by_small_steps),
          cmocka_unit_test(a_force_that_jumps_on_the_grid_costs_nothing),
          cmocka_unit_test(rejected_steps_are_counted),
          cmocka_unit_test(a_run_with_chosen_steps_continues_to_the_same_bits),
          cmocka_unit_test(steps_end_on_the_grid), cmocka_unit_test(steps_stay_within_their_bounds),
          cmocka_unit_test(steps_that_fail_are_rejected),
          cmocka_unit_test(running_out_of_memory_is_reported),
          cmocka_unit_test(a_step_is_chosen_only_with_a_tolerance))
