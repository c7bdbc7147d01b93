/* Recording real runs: the recorder changes nothing, and its verdict is right. */
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

#include "oloid/oloid.h"

#define FILE_NAME "physics-recording.h5"

/* A free pair of masses and a spring; without `throwing` their total momentum is zero. */
static olo_model *pair(bool throwing)
{
    olo_error error = {0};
    olo_model *model = NULL;
    check_ok(olo_model_create("pair", &model, &error), &error);
    olo_point a = olo_point_default(), b = olo_point_default();
    a.name = "a";
    a.mass = 1.0;
    a.position[0] = 2.0;
    a.velocity[1] = 0.5;
    check_ok(olo_model_add_point(model, &a, &error), &error);
    b.name = "b";
    b.mass = 2.0;
    b.position[0] = 3.0;
    b.velocity[1] = -0.25;
    b.velocity[2] = throwing ? 1.0 : 0.0;
    check_ok(olo_model_add_point(model, &b, &error), &error);
    olo_spring spring = olo_spring_default();
    spring.name = "spring";
    spring.between[0] = (olo_point_on_body){.on = "a"};
    spring.between[1] = (olo_point_on_body){.on = "b"};
    spring.type = "distance";
    spring.stiffness = 50.0;
    spring.length = 0.8;
    check_ok(olo_model_add_spring(model, &spring, &error), &error);
    return model;
}

/* Runs a model to `end` with steps of 0.01; returns the state and the verdicts at the end. */
static olo_state *run(const olo_model *model, double end, long frames, bool record,
                      olo_verdict verdicts[OLO_VERDICTS_MAX], int *count, int *coordinates)
{
    olo_error error = {0};
    olo_system *system = NULL;
    olo_state *state = NULL;
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    olo_run how = olo_run_default();
    how.step = 0.01;
    how.end = end;
    how.frames = frames;
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_ok(olo_system_create_initial_state(system, &state, NULL, &error), &error);
    check_ok(
        olo_recorder_create(record ? FILE_NAME : NULL, model, system, &how, "", &recorder, &error),
        &error);
    const olo_observer observer = olo_recorder_observer(recorder);
    check_ok(olo_simulate(system, &how, state, &observer, record ? 1 : 0, &summary, &error),
             &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    *count = olo_recorder_verdicts(recorder, verdicts);
    olo_counts counts = {0};
    check_ok(olo_system_counts(system, &counts, &error), &error);
    *coordinates = counts.coordinates;
    olo_recorder_free(recorder);
    olo_system_free(system);
    return state;
}

TEST(recording_does_not_change_a_bit_of_a_run)
{
    olo_model *model = pair(true);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int count = 0, n = 0;
    olo_state *recorded = run(model, 5.0, 37, true, verdicts, &count, &n);
    olo_state *alone = run(model, 5.0, 37, false, verdicts, &count, &n);
    check_equal(0, memcmp(olo_state_configuration(recorded), olo_state_configuration(alone),
                          (size_t)n * sizeof(double)));
    check_equal(0, memcmp(olo_state_velocity(recorded), olo_state_velocity(alone),
                          (size_t)n * sizeof(double)));
    olo_state_free(alone);
    olo_state_free(recorded);
    olo_model_free(model);
    unlink(FILE_NAME);
}

TEST(energy_and_all_momenta_of_a_free_pair_are_ok_also_when_they_are_zero)
{
    for (int throwing = 0; throwing < 2; throwing++) {
        olo_model *model = pair(throwing != 0);
        olo_verdict verdicts[OLO_VERDICTS_MAX];
        int count = 0, n = 0;
        olo_state *last = run(model, 20.0, 100, true, verdicts, &count, &n);
        check_equal(7, count); // energy, three linear, three angular momenta; no constraints
        for (int i = 0; i < count; i++) {
            check_below(verdicts[i].relative_drift, 1e-12);
            check_equal(OLO_VERDICT_OK, verdicts[i].level);
        }
        olo_state_free(last);
        olo_model_free(model);
        unlink(FILE_NAME);
    }
}

TEST(the_file_ends_with_the_state_of_the_end)
{
    olo_model *model = pair(true);
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int count = 0, n = 0;
    olo_state *last = run(model, 10.005, 90, true, verdicts, &count, &n); // 1001 steps, 12 a row
    olo_error error = {0};
    olo_result *result = NULL;
    check_ok(olo_result_open(FILE_NAME, &result, &error), &error);
    const long rows = olo_result_row_count(result);
    check_equal(1 + 84, rows);
    double *values = calloc((size_t)rows, sizeof *values);
    check_ok(olo_result_read_column(result, "time", values, &error), &error);
    check_close(10.005, values[rows - 1], 1e-12);
    check_ok(olo_result_read_column(result, "a.position.x", values, &error), &error);
    check_close(olo_state_configuration(last)[0], values[rows - 1], 0.0);
    check_ok(olo_result_read_column(result, "energy.total", values, &error), &error);
    for (long i = 0; i < rows; i++)
        check_relative(values[0], values[i], 1e-12);
    free(values);
    olo_result_free(result);
    olo_state_free(last);
    olo_model_free(model);
    unlink(FILE_NAME);
}

TEST_MAIN(cmocka_unit_test(recording_does_not_change_a_bit_of_a_run),
          cmocka_unit_test(energy_and_all_momenta_of_a_free_pair_are_ok_also_when_they_are_zero),
          cmocka_unit_test(the_file_ends_with_the_state_of_the_end))
