/* What other languages need of the library: its declarations, kinds of elements, functions for
 * elements of a file, an observer that is called from time to time. */
#include "scene.h"

#include "base/progress.h"

TEST(the_declarations_have_every_function_and_no_preprocessor_line)
{
    const char *text = olo_declarations();
    check_contains("typedef enum olo_status {\nOLO_OK,\n", text);
    check_contains("OLO_INTERNAL,\n    OLO_STATUS_COUNT\n} olo_status;", text);
    check_contains("olo_body olo_body_default(void);", text);
    check_contains("const char *olo_declarations(void);", text);
    check_contains("double olo_unset(void);", text);
    check_contains("OLO_VERDICTS_MAX = ", text);
    check_contains("typedef struct olo_ledger {\n    double kinetic;", text);
    check_true(strchr(text, '#') == NULL);
    check_true(strstr(text, "/*") == NULL);
    check_true(strstr(text, "OLO_API") == NULL);
}

static int kind_of(const char *noun)
{
    for (int i = 0; i < olo_element_kind_count(); i++)
        if (strcmp(olo_element_noun(i), noun) == 0)
            return i;
    return -1;
}

TEST(the_number_that_is_not_given_is_a_function_too)
{
    check_true(isnan(OLO_UNSET) && isnan(olo_unset()));
    check_true(isnan(olo_joint_default().length));
}

TEST(kinds_of_elements_have_sections_and_keys_with_help)
{
    int body = kind_of("body"), mass = -1;
    check_true(body >= 0);
    check_text("bodies", olo_element_section(body));
    for (int i = 0; i < olo_element_key_count(body); i++) {
        check_true(olo_element_key_help(body, i) != NULL);
        if (strcmp(olo_element_key(body, i), "mass") == 0)
            mass = i;
    }
    check_true(mass >= 0);
    const int outside[] = {-1, olo_element_kind_count()};
    for (int i = 0; i < 2; i++) {
        check_true(olo_element_noun(outside[i]) == NULL);
        check_true(olo_element_section(outside[i]) == NULL);
        check_equal(0, olo_element_key_count(outside[i]));
        check_true(olo_element_key(outside[i], 0) == NULL);
    }
    check_true(olo_element_key(body, -1) == NULL);
    check_true(olo_element_key_help(body, olo_element_key_count(body)) == NULL);
}

/* ---- functions for elements of a file ---------------------------------------------------------
 */

static const char pulled[] = "points:\n"
                             "  - {name: a, mass: 2, position: [0, 0, 0]}\n"
                             "loads:\n"
                             "  - {name: pull, on: a}\n"
                             "run: {step: 0.1, end: 1}\n";

static const char hinged[] = "bodies:\n"
                             "  - {name: arm, mass: 1, inertia: [2, 2, 4]}\n"
                             "joints:\n"
                             "  - {name: hinge, between: [ground, arm], axis: [0, 0, 1]}\n"
                             "run: {step: 0.1, end: 1}\n";

static void constant_force(void *context, double t, const double position[3],
                           const double velocity[3], double force[3])
{
    (void)t;
    (void)position;
    (void)velocity;
    force[0] = *(const double *)context;
}

static double constant_torque(void *context, double t, double coordinate, double rate)
{
    (void)t;
    (void)coordinate;
    (void)rate;
    return *(const double *)context;
}

static olo_model *read_text(const char *text)
{
    olo_model *model = NULL;
    olo_error error = {0};
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    return model;
}

/* Runs the model to its end; the caller frees the state. */
static olo_state *run_model(const olo_model *model, olo_system **system)
{
    olo_state *state = NULL;
    olo_error error = {0};
    check_ok(olo_model_compile(model, system, &error), &error);
    check_ok(olo_system_create_initial_state(*system, &state, NULL, &error), &error);
    check_ok(olo_simulate(*system, olo_model_run(model), state, NULL, 0, NULL, &error), &error);
    return state;
}

TEST(a_load_of_a_file_takes_a_function)
{
    olo_model *model = read_text(pulled);
    olo_system *system = NULL;
    olo_error error = {0};
    double force = 6;
    check_text(pulled, olo_model_text(model));
    check_ok(olo_model_set_load_function(model, "pull", constant_force, &force, &error), &error);
    check_text("", olo_model_text(model));
    olo_state *end = run_model(model, &system);
    check_relative(6.0 / 2 * 1, olo_state_velocity(end)[0], 1e-14);
    check_relative(0.5 * 6.0 / 2 * 1, olo_state_configuration(end)[0], 1e-14);
    olo_state_free(end);
    olo_system_free(system);
    olo_model_free(model);
}

TEST(a_joint_of_a_file_takes_a_function)
{
    olo_model *model = read_text(hinged);
    olo_system *system = NULL;
    olo_error error = {0};
    double torque = 2;
    check_ok(olo_model_set_joint_function(model, "hinge", constant_torque, &torque, &error),
             &error);
    olo_state *end = run_model(model, &system);
    int angle = olo_system_find_joint_coordinate(system, "hinge.angle");
    double x = olo_system_joint_coordinate_value(system, end, angle);
    double rate = olo_system_joint_coordinate_rate(system, end, angle);
    olo_ledger ledger;
    olo_system_ledger(system, end, &ledger);
    check_relative(2.0 / 4 * 1, rate, 1e-3);
    check_relative(torque * x, ledger.kinetic, 1e-12); /* work is energy, for any step */
    olo_state_free(end);
    olo_system_free(system);
    olo_model_free(model);
}

/* The model with these keys of a load, or of a joint, is refused if it also has a function. */
static void check_contradiction(const char *load, const char *joint, const char *reason)
{
    char text[1024];
    olo_error error = {0};
    olo_system *system = NULL;
    double value = 2;
    snprintf(text, sizeof text,
             "bodies: {name: arm, mass: 1, inertia: [2, 2, 4]}\n"
             "joints: {name: rail, type: cylindrical, between: [ground, arm], axis: [0, 0, 1], "
             "coordinate: position%s}\n"
             "loads: {name: pull, on: arm%s}\n",
             joint, load);
    olo_model *model = read_text(text);
    check_ok(olo_model_set_load_function(model, "pull", constant_force, &value, &error), &error);
    check_ok(olo_model_set_joint_function(model, "rail", constant_torque, &value, &error), &error);
    if (reason) {
        check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
        check_contains(reason, error.text);
    } else {
        check_ok(olo_model_compile(model, &system, &error), &error);
    }
    olo_system_free(system);
    olo_model_free(model);
}

TEST(a_constant_beside_a_function_is_refused)
{
    check_contradiction("", "", NULL);
    check_contradiction(", moment: [0, 0, 1], frame: body, time: t", ", time: t", NULL);
    check_contradiction(", force: [1, 0, 0]", "",
                        "loads.force: the function of load 'pull' replaces a constant "
                        "force");
    check_contradiction("", ", force: 1",
                        "joints.force: the function of 'rail' replaces a constant "
                        "force");
    /* a torque acts along the other coordinate */
    check_contradiction("", ", torque: 1, time: t", NULL);
}

static void zero_derivatives(void *context, double t, double coordinate, double rate, double by[2])
{
    (void)context, (void)t, (void)coordinate, (void)rate, (void)by;
}

TEST(derivatives_without_a_function_are_refused)
{
    olo_error error = {0};
    olo_system *system = NULL;
    olo_model *model = read_text(hinged);
    check_ok(olo_model_set_joint_derivatives(model, "hinge", zero_derivatives, &error), &error);
    check_status(OLO_BAD_INPUT, olo_model_compile(model, &system, &error));
    check_contains("'hinge' has derivatives but no function", error.text);
    olo_model_free(model);
}

TEST(functions_of_elements_that_are_not_there_are_refused)
{
    olo_model *model = read_text(pulled);
    olo_error error = {0};
    check_status(OLO_NOT_FOUND,
                 olo_model_set_load_function(model, "push", constant_force, NULL, &error));
    check_contains("no load 'push'", error.text);
    check_status(OLO_NOT_FOUND,
                 olo_model_set_load_function(model, "a", constant_force, NULL, &error));
    check_status(OLO_NOT_FOUND,
                 olo_model_set_load_function(model, NULL, constant_force, NULL, &error));
    check_status(OLO_NOT_FOUND,
                 olo_model_set_joint_function(model, "pull", constant_torque, NULL, &error));
    check_contains("no joint 'pull'", error.text);
    check_text(pulled, olo_model_text(model));
    olo_model_free(model);
}

/* ---- an observer that is asked now and then ---------------------------------------------------
 */

typedef struct asked {
    int steps, stops, warnings;
    int stop_at; /* the number of the question that is answered with yes */
    double last; /* clock at the last call */
    double shortest;
} asked;

static olo_status on_step(void *context, const olo_system *system, const olo_state *state,
                          long step, const olo_step_report *report, olo_error *error)
{
    asked *a = context;
    (void)system;
    (void)state;
    (void)step;
    (void)report;
    (void)error;
    double now = olo_clock_seconds();
    a->shortest = a->steps == 0 ? HUGE_VAL : smaller(a->shortest, now - a->last);
    a->last = now;
    a->steps++;
    return OLO_OK;
}

static bool on_stop(void *context)
{
    asked *a = context;
    return ++a->stops == a->stop_at;
}

static void on_warn(void *context, const char *text)
{
    (void)text;
    ((asked *)context)->warnings++;
}

static const char endless[] = "bodies:\n"
                              "  - {name: wheel, mass: 1, inertia: [1, 1, 1],"
                              " angular_velocity: [0, 0, 3]}\n"
                              "run: {step: 1, end: 1e9}\n";

/* A throttle that asks `a`, or no observer, at most every `seconds`. */
static olo_throttle *throttle_of(asked *a, double seconds)
{
    olo_observer observer = olo_observer_default();
    olo_throttle *throttle;
    olo_error error = {0};
    if (a) {
        observer.context = a;
        observer.step = on_step;
        observer.stop = on_stop;
        observer.warn = on_warn;
    }
    check_ok(olo_throttle_create(&observer, seconds, &throttle, &error), &error);
    return throttle;
}

static olo_status run_asked(asked *a, double seconds, olo_run_summary *summary)
{
    scene s = scene_open(endless, NULL);
    olo_throttle *throttle = throttle_of(a, seconds);
    olo_observer observer = olo_throttle_observer(throttle);
    olo_status status =
        olo_simulate(s.system, &s.run, s.state, &observer, 1, summary, &(olo_error){0});
    olo_throttle_free(throttle);
    scene_close(&s);
    return status;
}

TEST(a_throttled_observer_is_called_rarely_and_can_stop_the_run)
{
    asked a = {.stop_at = 3};
    olo_run_summary summary;
    check_status(OLO_INTERRUPTED, run_asked(&a, 0.02, &summary));
    check_equal(3, a.steps);
    check_equal(3, a.stops);
    check_equal(1, a.warnings);
    check_true(summary.steps > 3);
    check_true(a.shortest >= 0.01); /* the clock of this test is read a little later or earlier */
}

/* The observer is also asked between long steps. */
TEST(a_throttled_observer_is_asked_between_steps_when_it_is_time)
{
    asked a = {.stop_at = 2};
    olo_throttle *throttle = throttle_of(&a, 0.02);
    olo_observer observer = olo_throttle_observer(throttle);
    double begin = olo_clock_seconds();
    while (!observer.stop(observer.context))
        check_true(olo_clock_seconds() - begin < 60);
    check_equal(2, a.stops);
    check_true(olo_clock_seconds() - begin >= 0.03);
    olo_throttle_free(throttle);
}

TEST(a_pace_of_nothing_is_every_step)
{
    asked a = {.stop_at = 5};
    olo_run_summary summary;
    check_status(OLO_INTERRUPTED, run_asked(&a, 0.0, &summary));
    check_equal(5, summary.steps);
    check_equal(6, a.steps); /* with the initial state */
}

TEST(a_throttled_observer_without_functions_does_nothing)
{
    scene s = scene_open(hinged, NULL);
    olo_throttle *throttle = throttle_of(NULL, 0.0);
    olo_observer observer = olo_throttle_observer(throttle);
    olo_error error = {0};
    check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, NULL, &error), &error);
    observer.warn(observer.context, "nobody hears this");
    olo_throttle_free(throttle);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(the_declarations_have_every_function_and_no_preprocessor_line),
          cmocka_unit_test(the_number_that_is_not_given_is_a_function_too),
          cmocka_unit_test(kinds_of_elements_have_sections_and_keys_with_help),
          cmocka_unit_test(a_load_of_a_file_takes_a_function),
          cmocka_unit_test(a_joint_of_a_file_takes_a_function),
          cmocka_unit_test(a_constant_beside_a_function_is_refused),
          cmocka_unit_test(derivatives_without_a_function_are_refused),
          cmocka_unit_test(functions_of_elements_that_are_not_there_are_refused),
          cmocka_unit_test(a_throttled_observer_is_called_rarely_and_can_stop_the_run),
          cmocka_unit_test(a_pace_of_nothing_is_every_step),
          cmocka_unit_test(a_throttled_observer_is_asked_between_steps_when_it_is_time),
          cmocka_unit_test(a_throttled_observer_without_functions_does_nothing))
