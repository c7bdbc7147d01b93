/* The recorder and the reading of its files. States are set by the tests, so that every number in a
 * file is known; real runs are in tests/physics and tests/cli. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "full_disk.h"
#include "hidden.h"
#include "test.h"

#include "base/memory.h"
#include "oloid/oloid.h"
#include "system/system.h"

#define FILE_NAME "unit-recorder.h5"
#define PARTIAL   FILE_NAME ".partial"

static const double STEP = 0.01;

/* A free body, a free point, and one that is relative to it; an output on the body. */
typedef struct scene {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_run run;
} scene;

static scene make_scene(long steps, long frames)
{
    scene s = {.run = olo_run_default()};
    olo_error error = {0};
    s.run.step = STEP;
    s.run.end = STEP * (double)steps;
    s.run.frames = frames;
    check_ok(olo_model_create("scene", &s.model, &error), &error);
    olo_point a = olo_point_default(), b = olo_point_default();
    a.name = "a";
    a.mass = 2.0;
    a.position[0] = 10.0;
    check_ok(olo_model_add_point(s.model, &a, &error), &error);
    b.name = "b";
    b.mass = 3.0;
    b.position[1] = 1.0;
    b.relative_to = "a";
    check_ok(olo_model_add_point(s.model, &b, &error), &error);
    olo_body body = olo_body_default();
    body.name = "top";
    body.mass = 1.0;
    body.inertia[0] = body.inertia[4] = body.inertia[8] = 1.0;
    check_ok(olo_model_add_body(s.model, &body, &error), &error);
    olo_output tip = olo_output_default();
    tip.name = "tip";
    tip.on = (olo_point_on_body){.on = "top", .at = {0.0, 0.0, 1.0}};
    check_ok(olo_model_add_output(s.model, &tip, &error), &error);
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, NULL, &error), &error);
    return s;
}

static void free_scene(scene *s)
{
    olo_state_free(s->state);
    olo_system_free(s->system);
    olo_model_free(s->model);
}

/* Velocity of point a in step i: 1, with a spike in step 7. */
static double speed(long i)
{
    return i == 7 ? -40.0 : 1.0;
}

/* The state of step i: a moves along x, the body rotates about z with the rate 3. */
static void put_state(scene *s, long i)
{
    const double t = STEP * (double)i;
    double *q = s->state->q, *v = s->state->v;
    const int a = olo_system_node_offset(s->system, olo_system_find_node(s->system, "a"));
    const int b = olo_system_node_offset(s->system, olo_system_find_node(s->system, "b"));
    const int top = olo_system_node_offset(s->system, olo_system_find_node(s->system, "top"));
    olo_state_set_time(s->state, t);
    q[a] = 10.0 + t;
    v[a] = speed(i);
    q[b + 1] = 1.0;
    v[b + 1] = 0.5;
    const double c = cos(3.0 * t), d = sin(3.0 * t);
    const double frame[12] = {0, 0, 0, c, d, 0, -d, c, 0, 0, 0, 1};
    const double rate[12] = {0, 0, 0, -3 * d, 3 * c, 0, -3 * c, -3 * d, 0, 0, 0, 0};
    memcpy(q + top, frame, sizeof frame);
    memcpy(v + top, rate, sizeof rate);
}

static olo_recorder *new_recorder(const scene *s)
{
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    check_ok(olo_recorder_create(FILE_NAME, s->model, s->system, &s->run, "oloid run scene",
                                 &recorder, &error),
             &error);
    return recorder;
}

/* Steps `from` to `to`; stops at the first failure. */
static olo_status feed(scene *s, olo_recorder *recorder, long from, long to, olo_error *error)
{
    const olo_observer observer = olo_recorder_observer(recorder);
    olo_status status = OLO_OK;
    for (long i = from; status == OLO_OK && i <= to; i++) {
        const olo_step_report report = {.iterations = (int)(i % 5)};
        put_state(s, i);
        status = observer.step(observer.context, s->system, s->state, i, &report, error);
    }
    return status;
}

/* A complete recording of `steps` steps, of which `done` are made. */
static void record(long steps, long frames, long done, olo_status how)
{
    scene s = make_scene(steps, frames);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, done, &error), &error);
    const olo_run_summary summary = {.steps = done, .iterations = 11, .wall_seconds = 0.5};
    if (how != OLO_OK)
        error = (olo_error){.status = how, .text = "t = 0.05: Newton gave up"};
    check_ok(olo_recorder_finish(recorder, &summary, how, &error), &error);
    check_true((access(FILE_NAME, F_OK) == 0) == (how == OLO_OK));
    check_true((access(PARTIAL, F_OK) == 0) == (how != OLO_OK));
    check_equal(0, count_hidden("."));
    olo_recorder_free(recorder);
    free_scene(&s);
}

static olo_result *open_file(const char *path)
{
    olo_result *result = NULL;
    olo_error error = {0};
    check_ok(olo_result_open(path, &result, &error), &error);
    return result;
}

static olo_result *open_result(void)
{
    return open_file(FILE_NAME);
}

static double *read_column(olo_result *result, const char *name)
{
    olo_error error = {0};
    double *values = olo_alloc((size_t)olo_result_row_count(result) + 1, sizeof *values);
    check_ok(olo_result_read_column(result, name, values, &error), &error);
    return values;
}

/* Value of a column in a row. */
static double value(olo_result *result, const char *name, long row)
{
    double *values = read_column(result, name);
    const double x = values[row];
    olo_free(values);
    return x;
}

/* ---- what is recorded -------------------------------------------------------------------------
 */

TEST(every_state_of_a_short_run_is_recorded)
{
    record(20, 100, 20, OLO_OK);
    olo_result *result = open_result();
    check_equal(21, olo_result_row_count(result));
    for (long i = 0; i <= 20; i++) {
        const double t = STEP * (double)i;
        check_close(t, value(result, "time", i), 0.0);
        check_close(10.0 + t, value(result, "a.position.x", i), 1e-15);
        check_close(speed(i), value(result, "a.velocity.x", i), 0.0);
        check_close((double)(i % 5), value(result, "iterations", i), 0.0);
        check_close(cos(3.0 * t), value(result, "top.d1.x", i), 1e-15);
        check_close(3.0, value(result, "top.angular_velocity.z", i), 1e-14);
        check_close(0.0, value(result, "top.angular_velocity.x", i), 1e-14);
        check_close(1.0, value(result, "tip.position.z", i), 1e-15);
    }
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(positions_in_a_table_are_those_in_space)
{
    record(3, 100, 3, OLO_OK);
    olo_result *result = open_result();
    check_close(10.03, value(result, "b.position.x", 3), 1e-14);
    check_close(1.0, value(result, "b.position.y", 3), 1e-14);
    check_close(1.0, value(result, "b.velocity.x", 3), 1e-14);
    check_close(0.5, value(result, "b.velocity.y", 3), 1e-14);
    check_close(0.0, value(result, "b.q.1", 3), 0.0); // the coordinates themselves
    check_close(0.5, value(result, "b.v.2", 3), 0.0);
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(a_long_run_is_thinned_but_not_of_first_last_and_spikes)
{
    record(103, 10, 103, OLO_OK); // 11 steps per row
    olo_result *result = open_result();
    check_equal(11, olo_result_row_count(result));
    check_close(0.0, value(result, "time", 0), 0.0);
    check_close(0.11, value(result, "time", 1), 1e-15);
    check_close(0.99, value(result, "time", 9), 1e-15);
    check_close(1.03, value(result, "time", 10), 1e-15);
    // the spike is in no recorded state, but in the extremes of its row
    const double quiet = value(result, "linear_momentum.x", 1);
    check_close(5.0, quiet, 1e-14);
    check_close(-200.0, value(result, "linear_momentum.x.min", 1), 1e-12);
    check_close(5.0, value(result, "linear_momentum.x.max", 1), 1e-14);
    check_close(5.0, value(result, "linear_momentum.x.min", 2), 1e-14);
    check_close(1.0 + 2 + 3 + 4 + 0 + 1 + 2 + 3 + 4 + 0 + 1, value(result, "iterations", 1), 0.0);
    check_close(4.0, value(result, "iterations.max", 1), 0.0);
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(rows_of_frames_and_ledger_belong_to_the_same_state)
{
    for (long done = 1; done <= 45; done += 2) {
        record(45, 10, done, done < 45 ? OLO_INTERRUPTED : OLO_OK);
        olo_result *result = open_file(done < 45 ? PARTIAL : FILE_NAME);
        const long rows = olo_result_row_count(result);
        check_equal(1 + (done + 4) / 5, rows);
        check_close(STEP * (double)done, value(result, "time", rows - 1), 1e-15);
        double *v = read_column(result, "a.velocity.x");
        double *p = read_column(result, "linear_momentum.x");
        for (long i = 0; i < rows; i++)
            check_relative(5.0 * v[i], p[i], 1e-14);
        olo_free(p);
        olo_free(v);
        olo_result_free(result);
        unlink(FILE_NAME);
        unlink(PARTIAL);
    }
}

TEST(more_rows_may_come_than_the_run_has_steps)
{
    scene s = make_scene(3, 100);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, 500, &error), &error);
    check_ok(olo_recorder_finish(recorder, NULL, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    free_scene(&s);
    olo_result *result = open_result();
    check_equal(501, olo_result_row_count(result));
    double *x = read_column(result, "a.position.x");
    for (long i = 0; i <= 500; i++)
        check_close(10.0 + STEP * (double)i, x[i], 1e-14);
    olo_free(x);
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(many_rows_are_written_in_blocks)
{
    record(5000, 10000, 5000, OLO_OK);
    olo_result *result = open_result();
    check_equal(5001, olo_result_row_count(result));
    double *x = read_column(result, "a.position.x"),
           *omega = read_column(result, "top.angular_velocity.z");
    for (long i = 0; i <= 5000; i++) {
        check_close(10.0 + STEP * (double)i, x[i], 1e-13);
        check_close(3.0, omega[i], 1e-13);
    }
    olo_free(omega);
    olo_free(x);
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(a_step_allocates_nothing)
{
    scene s = make_scene(1000, 100);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, 1, &error), &error);
    const size_t before = olo_memory_count();
    check_ok(feed(&s, recorder, 2, 1000, &error), &error);
    check_equal(before, olo_memory_count());
    check_ok(olo_recorder_finish(recorder, NULL, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    free_scene(&s);
    unlink(FILE_NAME);
}

/* ---- texts, verdicts --------------------------------------------------------------------------
 */

TEST(the_file_describes_itself)
{
    record(20, 100, 12, OLO_NOT_CONVERGED);
    olo_result *result = open_file(PARTIAL);
    olo_error error = {0};
    const char *text = NULL;
    static const char *const EXPECTED[][3] = {
        {"/", "format", "oloid-result"},
        {"/", "command", "oloid run scene"},
        {"/", "model", "scene"},
        {"/", "status", "NOT_CONVERGED"},
        {"/", "error", "t = 0.05: Newton gave up"},
        {"/", "oloid_version", OLO_VERSION},
        {"/run", "scheme", "energy-momentum-2006"},
        {"/ledger/total", "description", "kinetic + potential + strain + constraint energy"},
    };
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; i++) {
        check_ok(olo_result_attribute_text(result, EXPECTED[i][0], EXPECTED[i][1], &text, &error),
                 &error);
        check_text(EXPECTED[i][2], text);
    }
    double number = 0.0;
    check_ok(olo_result_attribute_number(result, "/run", "steps", &number, &error), &error);
    check_close(12.0, number, 0.0);
    check_ok(olo_result_attribute_number(result, "/run", "step", &number, &error), &error);
    check_close(STEP, number, 0.0);
    check_ok(olo_result_model_text(result, &text, &error), &error);
    check_text("", text);
    check_status(OLO_NOT_FOUND, olo_result_attribute_text(result, "/", "none", &text, &error));
    olo_result_free(result);
    unlink(PARTIAL);
}

TEST(the_verdict_sees_steps_that_are_not_recorded)
{
    scene s = make_scene(100, 5);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, 100, &error), &error);
    olo_verdict now[OLO_VERDICTS_MAX], then[OLO_VERDICTS_MAX];
    const int count = olo_recorder_verdicts(recorder, now);
    check_ok(olo_recorder_finish(recorder, NULL, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    free_scene(&s);
    int found = 0;
    olo_result *result = open_result();
    check_ok(olo_result_verdicts(result, then, &found, &error), &error);
    check_equal(count, found);
    bool energy = false;
    for (int i = 0; i < count; i++) {
        check_text(now[i].quantity, then[i].quantity);
        check_text(now[i].why, then[i].why);
        check_close(now[i].start, then[i].start, 0.0);
        check_close(now[i].drift, then[i].drift, 0.0);
        check_close(now[i].relative_drift, then[i].relative_drift, 0.0);
        check_close(now[i].tolerance, then[i].tolerance, 0.0);
        check_true(now[i].level == then[i].level);
        if (strcmp(now[i].quantity, "energy") == 0) {
            energy = true; // the spike is in one step that is not recorded
            check_true(now[i].drift > 1000.0 && now[i].level == OLO_VERDICT_BROKEN);
        }
    }
    check_true(energy);
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(without_a_file_there_is_still_a_verdict)
{
    scene s = make_scene(100, 5);
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    check_ok(olo_recorder_create(NULL, s.model, s.system, &s.run, "", &recorder, &error), &error);
    check_ok(feed(&s, recorder, 0, 100, &error), &error);
    check_ok(olo_recorder_finish(recorder, NULL, OLO_OK, &error), &error);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    check_true(olo_recorder_verdicts(recorder, verdicts) > 1);
    olo_recorder_free(recorder);
    free_scene(&s);
}

/* ---- CSV and columns --------------------------------------------------------------------------
 */

TEST(csv_has_a_header_and_full_precision)
{
    record(2, 100, 2, OLO_OK);
    olo_error error = {0};
    FILE *out = tmpfile();
    check_ok(olo_result_write_csv(FILE_NAME, out, &error), &error);
    rewind(out);
    static char line[8192];
    check_true(fgets(line, sizeof line, out) != NULL);
    check_text(
        "time,a.position.x,a.position.y,a.position.z,a.velocity.x,a.velocity.y,a.velocity.z,"
        "b.position.x,b.position.y,b.position.z,b.velocity.x,b.velocity.y,b.velocity.z,"
        "top.position.x,top.position.y,top.position.z,"
        "top.velocity.x,top.velocity.y,top.velocity.z,top.d1.x,top.d1.y,top.d1.z,"
        "top.d2.x,top.d2.y,top.d2.z,top.d3.x,top.d3.y,top.d3.z,top.angular_velocity.x,"
        "top.angular_velocity.y,top.angular_velocity.z,tip.position.x,tip.position.y,"
        "tip.position.z,tip.velocity.x,tip.velocity.y,tip.velocity.z,tip.acceleration.x,"
        "tip.acceleration.y,tip.acceleration.z,energy.kinetic,energy.potential,energy.strain,"
        "energy.constraint,energy.total,energy.work,energy.dissipation,energy.impact,"
        "energy.friction,energy.balance,energy."
        "interval,"
        "linear_momentum.x,"
        "linear_momentum.y,linear_momentum.z,angular_momentum.x,angular_momentum.y,"
        "angular_momentum.z,constraint_error,velocity_error,penetration,closed_contacts,"
        "impact_impulse,inclusion_residual,iterations\n",
        line);
    for (int i = 0; i <= 2; i++) {
        double t = 0.0, x = 0.0;
        check_true(fgets(line, sizeof line, out) != NULL);
        check_equal(2, sscanf(line, "%lf,%lf", &t, &x));
        check_close(STEP * i, t, 0.0);
        check_close(10.0 + STEP * i, x, 0.0);
    }
    check_true(fgets(line, sizeof line, out) == NULL);
    fclose(out);
    unlink(FILE_NAME);
}

TEST(an_unknown_column_gets_a_suggestion)
{
    record(2, 100, 2, OLO_OK);
    olo_result *result = open_result();
    olo_error error = {0};
    double values[3];
    check_status(OLO_NOT_FOUND, olo_result_read_column(result, "top.positon.x", values, &error));
    check_contains("did you mean 'top.position.x'?", error.text);
    check_contains(FILE_NAME, error.text);
    check_text("time", olo_result_column_name(result, 0));
    check_true(olo_result_column_name(result, -1) == NULL);
    check_true(olo_result_column_name(result, olo_result_column_count(result)) == NULL);
    for (int i = 0; i < olo_result_column_count(result); i++) {
        check_ok(olo_result_read_column(result, olo_result_column_name(result, i), values, &error),
                 &error);
    }
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST(csv_of_a_full_disk_or_a_strange_file_is_an_error)
{
    olo_error error = {0};
    check_status(OLO_IO, olo_result_write_csv("nothing.h5", stdout, &error));
    check_contains("nothing.h5", error.text);
    record(2, 100, 2, OLO_OK);
    FILE *full = fopen("/dev/full", "w");
    if (full != NULL) {
        check_status(OLO_IO, olo_result_write_csv(FILE_NAME, full, &error));
        check_contains("No space left", error.text);
        fclose(full);
    }
    unlink(FILE_NAME);
}

/* ---- failures ---------------------------------------------------------------------------------
 */

TEST(a_file_that_cannot_be_created_is_an_error_at_once)
{
    scene s = make_scene(10, 10);
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    check_status(OLO_IO, olo_recorder_create("no/such/folder.h5", s.model, s.system, &s.run, "",
                                             &recorder, &error));
    check_text("cannot create 'no/such/folder.h5': No such file or directory", error.text);
    mkdir("unit-recorder.d", 0777);
    check_status(OLO_BAD_INPUT, olo_recorder_create("unit-recorder.d", s.model, s.system, &s.run,
                                                    "", &recorder, &error));
    check_contains("cannot create 'unit-recorder.d': it is a folder", error.text);
    check_true(access("unit-recorder.d.partial", F_OK) != 0);
    rmdir("unit-recorder.d");
    check_true(recorder == NULL);
    free_scene(&s);
}

TEST(an_old_result_stays_until_the_new_one_is_complete)
{
    record(5, 100, 5, OLO_OK);
    scene s = make_scene(50, 100);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, 20, &error), &error);
    olo_recorder_free(recorder); // never finished
    olo_result *result = open_result();
    check_equal(6, olo_result_row_count(result));
    olo_result_free(result);
    // the recorded rows are available, as those of a run without end
    check_ok(olo_result_open(PARTIAL, &result, &error), &error);
    check_equal(21, olo_result_row_count(result));
    const char *text = NULL;
    check_ok(olo_result_attribute_text(result, "/", "status", &text, &error), &error);
    check_text("running", text);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int count = 7;
    check_ok(olo_result_verdicts(result, verdicts, &count, &error), &error);
    check_equal(0, count);
    olo_result_free(result);
    free_scene(&s);
    unlink(FILE_NAME);
    unlink(PARTIAL);
}

TEST(a_full_disk_ends_a_run_and_leaves_no_half_result)
{
    for (rlim_t bytes = 400000; bytes < 1500000; bytes += 300000) {
        scene s = make_scene(20000, 20000);
        olo_recorder *recorder = new_recorder(&s);
        olo_error error = {0};
        limit_files(bytes);
        const olo_status status = feed(&s, recorder, 0, 20000, &error);
        const olo_status finished = olo_recorder_finish(recorder, NULL, status, &error);
        limit_files(RLIM_INFINITY);
        check_status(OLO_IO, status);
        check_status(OLO_IO, finished);
        check_text("cannot write '" PARTIAL "': File too large", error.text);
        check_true(access(FILE_NAME, F_OK) != 0);
        olo_recorder_free(recorder);
        free_scene(&s);
        unlink(PARTIAL);
    }
}

TEST(lack_of_memory_leaves_no_file_and_no_memory)
{
    scene s = make_scene(10, 10);
    const size_t alive = olo_memory_alive();
    bool enough = false;
    for (size_t n = 1; !enough; n++) {
        olo_recorder *recorder = NULL;
        olo_error error = {0};
        olo_memory_fail_at(n);
        const olo_status status =
            olo_recorder_create(FILE_NAME, s.model, s.system, &s.run, "", &recorder, &error);
        olo_memory_fail_at(0);
        enough = status == OLO_OK;
        if (!enough) {
            check_true(recorder == NULL && error.text[0] != '\0');
            check_equal(alive, olo_memory_alive());
        }
        olo_recorder_free(recorder);
    }
    check_equal(alive, olo_memory_alive());
    free_scene(&s);
    unlink(PARTIAL);
    record(5, 10, 5, OLO_OK);
    const size_t before = olo_memory_alive();
    enough = false;
    for (size_t n = 1; !enough; n++) {
        olo_memory_fail_at(n);
        olo_result *result = NULL;
        olo_error error = {0};
        const olo_status status = olo_result_open(FILE_NAME, &result, &error);
        olo_memory_fail_at(0);
        enough = status == OLO_OK;
        check_true(enough || (result == NULL && error.text[0] != '\0'));
        olo_result_free(result);
        check_equal(before, olo_memory_alive());
    }
    unlink(FILE_NAME);
}

TEST(numbers_that_are_none_are_recorded_and_not_ok)
{
    scene s = make_scene(10, 10);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    check_ok(feed(&s, recorder, 0, 4, &error), &error);
    put_state(&s, 5);
    s.state->v[0] = (double)NAN;
    const olo_observer observer = olo_recorder_observer(recorder);
    const olo_step_report report = {.iterations = 1};
    check_ok(observer.step(observer.context, s.system, s.state, 5, &report, &error), &error);
    check_ok(feed(&s, recorder, 6, 10, &error), &error);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    check_true(olo_recorder_verdicts(recorder, verdicts) > 0);
    check_equal(OLO_VERDICT_BROKEN, verdicts[0].level);
    check_ok(olo_recorder_finish(recorder, NULL, OLO_NOT_FINITE, &error), &error);
    olo_recorder_free(recorder);
    free_scene(&s);
    olo_result *result = open_file(PARTIAL);
    check_true(isnan(value(result, "energy.kinetic", 5)));
    olo_result_free(result);
    unlink(PARTIAL);
}

TEST(warnings_are_stored)
{
    scene s = make_scene(10, 10);
    olo_recorder *recorder = new_recorder(&s);
    olo_error error = {0};
    const olo_observer observer = olo_recorder_observer(recorder);
    observer.warn(observer.context, "body 'top' turns far in a step");
    observer.warn(observer.context, "second");
    check_ok(olo_recorder_finish(recorder, NULL, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    free_scene(&s);
    olo_result *result = open_result();
    const char *text = NULL;
    check_ok(olo_result_attribute_text(result, "/", "warnings", &text, &error), &error);
    check_text("body 'top' turns far in a step\nsecond", text);
    check_equal(0, olo_result_row_count(result)); // no state was recorded
    olo_result_free(result);
    unlink(FILE_NAME);
}

TEST_MAIN(cmocka_unit_test(every_state_of_a_short_run_is_recorded),
          cmocka_unit_test(positions_in_a_table_are_those_in_space),
          cmocka_unit_test(a_long_run_is_thinned_but_not_of_first_last_and_spikes),
          cmocka_unit_test(rows_of_frames_and_ledger_belong_to_the_same_state),
          cmocka_unit_test(more_rows_may_come_than_the_run_has_steps),
          cmocka_unit_test(many_rows_are_written_in_blocks),
          cmocka_unit_test(a_step_allocates_nothing), cmocka_unit_test(the_file_describes_itself),
          cmocka_unit_test(the_verdict_sees_steps_that_are_not_recorded),
          cmocka_unit_test(without_a_file_there_is_still_a_verdict),
          cmocka_unit_test(csv_has_a_header_and_full_precision),
          cmocka_unit_test(an_unknown_column_gets_a_suggestion),
          cmocka_unit_test(csv_of_a_full_disk_or_a_strange_file_is_an_error),
          cmocka_unit_test(a_file_that_cannot_be_created_is_an_error_at_once),
          cmocka_unit_test(an_old_result_stays_until_the_new_one_is_complete),
          cmocka_unit_test(a_full_disk_ends_a_run_and_leaves_no_half_result),
          cmocka_unit_test(lack_of_memory_leaves_no_file_and_no_memory),
          cmocka_unit_test(numbers_that_are_none_are_recorded_and_not_ok),
          cmocka_unit_test(warnings_are_stored))
