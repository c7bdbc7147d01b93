/* The loop of a run: observers that end it, runs that it refuses, warnings. */
#include "scene.h"

static const char point[] = "points:\n"
                            "  - {name: a, mass: 1, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
                            "run: {step: 0.25, end: 1}\n";

/* Rotates by 3 rad per step, of which the scheme resolves 2 atan(1.5) = 1.97 rad. */
static const char spinner[] =
    "bodies:\n"
    "  - {name: wheel, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 3]}\n"
    "run: {step: 1, end: 3}\n";

typedef struct watch {
    long steps;      /* calls of step, including the one at the start */
    long last;       /* number of the last step */
    long refuse_at;  /* step that returns an error, 0: never */
    long stop_after; /* step after which to stop, 0: never */
    int warnings;
    char text[256];
} watch;

static olo_status on_step(void *context, const olo_system *system, const olo_state *state,
                          long step, const olo_step_report *report, olo_error *error)
{
    watch *w = context;
    (void)system;
    (void)state;
    (void)error;
    check_true(report != NULL);
    w->steps++;
    w->last = step;
    return w->refuse_at > 0 && step == w->refuse_at ? OLO_IO : OLO_OK;
}

static bool on_stop(void *context)
{
    const watch *w = context;
    return w->stop_after > 0 && w->last >= w->stop_after;
}

static void on_warn(void *context, const char *text)
{
    watch *w = context;
    w->warnings++;
    snprintf(w->text, sizeof w->text, "%s", text);
}

static olo_status run_observed(scene *s, watch *w, olo_run_summary *summary, olo_error *error)
{
    /* an observer may have no functions */
    const olo_observer observers[] = {{.initialised = OLO_INITIALISED_OBSERVER, .context = NULL},
                                      {.initialised = OLO_INITIALISED_OBSERVER,
                                       .context = w,
                                       .step = on_step,
                                       .stop = on_stop,
                                       .warn = on_warn}};
    return olo_simulate(s->system, &s->run, s->state, observers, 2, summary, error);
}

TEST(observers_see_the_start_and_every_step)
{
    scene s = scene_open(point, NULL);
    watch w = {0};
    olo_run_summary summary;
    olo_error error = {0};
    check_ok(run_observed(&s, &w, &summary, &error), &error);
    check_equal(5, w.steps);
    check_equal(4, summary.steps);
    check_close(1.0, olo_state_time(s.state), 0.0);
    check_close(1.0, olo_state_configuration(s.state)[0], 1e-15);
    scene_close(&s);
}

TEST(an_observer_stops_a_run_after_the_step)
{
    scene s = scene_open(point, NULL);
    watch w = {.stop_after = 2};
    olo_run_summary summary;
    olo_error error = {0};
    check_status(OLO_INTERRUPTED, run_observed(&s, &w, &summary, &error));
    check_contains("interrupted at t = 0.5", error.text);
    check_equal(2, summary.steps);
    check_close(0.5, olo_state_time(s.state), 0.0);
    scene_close(&s);
}

TEST(a_wish_to_stop_after_the_last_step_comes_too_late)
{
    scene s = scene_open(point, NULL);
    watch w = {.stop_after = 4};
    olo_error error = {0};
    check_ok(run_observed(&s, &w, NULL, &error), &error);
    scene_close(&s);
}

TEST(the_error_of_an_observer_ends_the_run)
{
    scene s = scene_open(point, NULL);
    watch w = {.refuse_at = 3};
    olo_run_summary summary;
    check_status(OLO_IO, run_observed(&s, &w, &summary, NULL));
    check_equal(3, summary.steps);
    scene_close(&s);
}

TEST(a_rotation_near_half_a_turn_is_warned_of_once)
{
    scene s = scene_open(spinner, NULL);
    watch w = {0};
    olo_run_summary summary;
    olo_error error = {0};
    check_ok(run_observed(&s, &w, &summary, &error), &error);
    check_equal(1, w.warnings);
    check_contains("'wheel'", w.text);
    check_contains("half a turn", w.text);
    check_close(2 * atan(1.5), summary.largest_rotation, 1e-12);
    scene_close(&s);
}

TEST(the_last_step_is_shortened_to_the_end)
{
    scene s = scene_open(point, NULL);
    olo_run_summary summary;
    olo_error error = {0};
    s.run.step = 0.3;
    check_ok(olo_simulate(s.system, &s.run, s.state, NULL, 0, &summary, &error), &error);
    check_equal(4, summary.steps);
    check_close(1.0, olo_state_time(s.state), 0.0);
    check_close(1.0, olo_state_configuration(s.state)[0], 1e-15);
    scene_close(&s);
}

static void check_run_refused(scene *s, double step, double end, const char *part)
{
    olo_error error = {0};
    s->run.step = step;
    s->run.end = end;
    check_status(OLO_BAD_INPUT, olo_simulate(s->system, &s->run, s->state, NULL, 0, NULL, &error));
    check_contains(part, error.text);
    check_close(0.0, olo_state_time(s->state), 0.0);
}

TEST(impossible_runs_are_refused)
{
    scene s = scene_open(point, NULL);
    check_run_refused(&s, 0.0, 1.0, "run.step must be positive");
    check_run_refused(&s, -1.0, 1.0, "run.step must be positive");
    check_run_refused(&s, NAN, 1.0, "run.step must be positive");
    check_run_refused(&s, INFINITY, 1.0, "run.step must be positive");
    check_run_refused(&s, 0.1, -1.0, "before the start");
    check_run_refused(&s, 0.1, NAN, "before the start");
    check_run_refused(&s, 1e-12, 1e12, "too many");
    scene_close(&s);
}

static void check_stepper_refused(const scene *s, olo_run run, olo_status expected,
                                  const char *part)
{
    olo_stepper *stepper = NULL;
    olo_error error = {0};
    check_status(expected, olo_stepper_create(s->system, &run, &stepper, &error));
    check_true(stepper == NULL);
    check_contains(part, error.text);
}

TEST(steppers_that_do_not_exist_are_refused)
{
    scene s = scene_open(point, NULL);
    olo_run run = s.run;
    run.scheme = "euler";
    check_stepper_refused(&s, run, OLO_UNSUPPORTED, "no scheme 'euler'");
    run = s.run;
    run.constraints = "wishes";
    check_stepper_refused(&s, run, OLO_UNSUPPORTED, "'wishes'");
    run = s.run;
    run.newton_tolerance = 0;
    check_stepper_refused(&s, run, OLO_BAD_INPUT, "tolerance");
    run = s.run;
    run.iterations = 0;
    check_stepper_refused(&s, run, OLO_BAD_INPUT, "iteration");
    scene_close(&s);
}

TEST(steps_of_no_size_are_refused_and_change_nothing)
{
    scene s = scene_open(point, NULL);
    const double sizes[] = {0.0, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        olo_error error = {0};
        check_status(OLO_BAD_INPUT, olo_stepper_step(s.stepper, s.state, sizes[i], &error));
        check_contains("step", error.text);
        check_close(0.0, olo_state_configuration(s.state)[0], 0.0);
    }
    scene_close(&s);
}

TEST(reactions_exist_only_for_groups_and_after_a_step)
{
    scene s = scene_open("heavy-top", "reduced");
    double force[3], moment[3];
    olo_error error = {0};
    check_status(OLO_UNSUPPORTED,
                 olo_stepper_compute_reaction(s.stepper, s.state, 1, force, moment, &error));
    check_contains("before the first step", error.text);
    check_ok(olo_stepper_step(s.stepper, s.state, 1e-3, &error), &error);
    check_ok(olo_stepper_compute_reaction(s.stepper, s.state, 1, force, moment, &error), &error);
    check_status(OLO_NOT_FOUND,
                 olo_stepper_compute_reaction(s.stepper, s.state, -1, force, moment, &error));
    check_status(OLO_NOT_FOUND,
                 olo_stepper_compute_reaction(s.stepper, s.state, olo_system_group_count(s.system),
                                              force, moment, &error));
    check_true(olo_system_group_internal(s.system, 0));
    check_status(OLO_UNSUPPORTED,
                 olo_stepper_compute_reaction(s.stepper, s.state, 0, force, moment, &error));
    check_contains("inside 'top'", error.text);
    scene_close(&s);
}

/* After configuration and velocity are set, the next step has the same bits as from a new state
 * with these numbers, for any history of the state. */
TEST(a_state_that_is_set_has_no_history)
{
    static const char *const schemes[] = {"energy-momentum-2006", "variational"};
    for (int k = 0; k < 2; k++) {
        const olo_setting scheme = {"run.scheme", schemes[k]};
        scene old = scene_open_set("six-body-linkage", "reduced", &scheme, 1);
        scene new = scene_open_set("six-body-linkage", "reduced", &scheme, 1);
        const size_t n = (size_t)olo_system_coordinate_count(old.system);
        scene_run(&old, 0.01, 20);
        double *numbers = calloc(2 * n, sizeof *numbers);
        memcpy(numbers, olo_state_configuration(old.state), n * sizeof *numbers);
        memcpy(numbers + n, olo_state_velocity(old.state), n * sizeof *numbers);
        olo_state_set_configuration(old.system, old.state, numbers);
        olo_state_set_velocity(old.state, numbers + n);
        olo_state_set_configuration(new.system, new.state, numbers);
        olo_state_set_velocity(new.state, numbers + n);
        olo_state_set_time(new.state, olo_state_time(old.state));
        scene_run(&old, 0.01, 3);
        scene_run(&new, 0.01, 3);
        check_true(memcmp(olo_state_configuration(old.state), olo_state_configuration(new.state),
                          n * sizeof(double)) == 0);
        check_true(memcmp(olo_state_velocity(old.state), olo_state_velocity(new.state),
                          n * sizeof(double)) == 0);
        check_true(memcmp(olo_state_configuration(old.state), numbers, n * sizeof(double)) != 0);
        free(numbers);
        scene_close(&old);
        scene_close(&new);
    }
}

TEST_MAIN(cmocka_unit_test(observers_see_the_start_and_every_step),
          cmocka_unit_test(an_observer_stops_a_run_after_the_step),
          cmocka_unit_test(a_wish_to_stop_after_the_last_step_comes_too_late),
          cmocka_unit_test(the_error_of_an_observer_ends_the_run),
          cmocka_unit_test(a_rotation_near_half_a_turn_is_warned_of_once),
          cmocka_unit_test(the_last_step_is_shortened_to_the_end),
          cmocka_unit_test(impossible_runs_are_refused),
          cmocka_unit_test(steppers_that_do_not_exist_are_refused),
          cmocka_unit_test(steps_of_no_size_are_refused_and_change_nothing),
          cmocka_unit_test(reactions_exist_only_for_groups_and_after_a_step),
          cmocka_unit_test(a_state_that_is_set_has_no_history))
