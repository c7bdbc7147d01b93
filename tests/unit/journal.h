/* A small run with all kinds of data, whose files the tests damage in every way. It has 6 steps in
 * 3 rows and a checkpoint after every step, so that rows end at, before and after checkpoints. */
#ifndef OLO_TEST_JOURNAL_H
#define OLO_TEST_JOURNAL_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hidden.h"
#include "test.h"

#include "base/initialised.h"
#include "base/memory.h"
#include "oloid/oloid.h"

#define FILE_NAME "journal.h5"
#define PARTIAL   FILE_NAME ".partial"

/* The time is constant in these programs, for the library and for HDF5: two runs with the same
 * steps leave the same bytes, so that each journal must be resumed only once. */
enum { JOURNAL_SECONDS = 1700000000 };

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = JOURNAL_SECONDS};
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    *now = (struct timeval){.tv_sec = JOURNAL_SECONDS};
    return 0;
}

time_t time(time_t *now)
{
    if (now != NULL)
        *now = JOURNAL_SECONDS;
    return JOURNAL_SECONDS;
}

static const char JOURNAL_MODEL[] =
    "name: swing\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {l: 0.5, k: 2*l}\n"
    "points:\n"
    "  - {name: bob, mass: 2, position: [l, 0, 0], velocity: [0, 1, 0]}\n"
    "bodies:\n"
    "  - {name: top, mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [0, 0.1, 3]}\n"
    "rods:\n"
    "  - {name: arm, between: [ground, bob]}\n"
    "springs:\n"
    "  - {between: [bob, top], stiffness: k, length: 0.1}\n"
    "loads:\n"
    "  - {name: push, on: bob, force: [0, 1, 0], time: sin(3*t)}\n"
    "outputs:\n"
    "  - {name: nose, on: {on: top, at: [0, 0, 1]}}\n"
    "run: {step: 0.01, end: 0.055, frames: 3, forces: true}\n";

/* Everything that a run owns. */
typedef struct journal_run {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_recorder *recorder;
    long stop_after; /* steps; 0: never */
    long step;
    bool finishing; /* all steps are done: the result is being written */
} journal_run;

static olo_status journal_watch(void *context, const olo_system *system, const olo_state *state,
                                long step, const olo_step_report *report, olo_error *error)
{
    (void)system, (void)state, (void)report, (void)error;
    ((journal_run *)context)->step = step;
    return OLO_OK;
}

static bool journal_stop(void *context)
{
    const journal_run *run = context;
    return run->stop_after > 0 && run->step >= run->stop_after;
}

static void journal_free(journal_run *run)
{
    olo_recorder_free(run->recorder);
    olo_state_free(run->state);
    olo_system_free(run->system);
    olo_model_free(run->model);
}

static olo_status journal_prepare(journal_run *run, const olo_setting *settings, int count,
                                  olo_error *error)
{
    olo_status status = olo_model_read_text(JOURNAL_MODEL, strlen(JOURNAL_MODEL), "swing", settings,
                                            count, &run->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(run->model, &run->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(run->system, &run->state, NULL, error);
    return status;
}

/* The run, from its initial state or from its journal, to its end or until it is stopped. */
static olo_status journal_go(journal_run *run, bool resume, olo_error *error)
{
    olo_run_summary summary = {0};
    const olo_run *how = olo_model_run(run->model);
    olo_status status = resume ? olo_recorder_resume(FILE_NAME, run->model, run->system, how,
                                                     &run->recorder, run->state, &summary, error)
                               : olo_recorder_create(FILE_NAME, run->model, run->system, how,
                                                     "oloid run swing", &run->recorder, error);
    if (status != OLO_OK)
        return status;
    olo_recorder_set_checkpoint(run->recorder, 0.0);
    const olo_observer observers[2] = {olo_recorder_observer(run->recorder),
                                       {.initialised = OLO_INITIALISED_OBSERVER,
                                        .context = run,
                                        .step = journal_watch,
                                        .stop = journal_stop}};
    status = (resume ? olo_simulate_resume : olo_simulate)(run->system, how, run->state, observers,
                                                           2, &summary, error);
    run->finishing = status == OLO_OK;
    const olo_status finished = olo_recorder_finish(run->recorder, &summary, status, error);
    return status == OLO_OK ? finished : status;
}

/* A complete run with its preparations; `stop_after` 0: to the end. */
static olo_status journal_all(bool resume, long stop_after, olo_error *error)
{
    journal_run run = {.stop_after = stop_after};
    olo_status status = journal_prepare(&run, NULL, 0, error);
    if (status == OLO_OK)
        status = journal_go(&run, resume, error);
    journal_free(&run);
    return status;
}

/* The contents of a result: every column, the verdicts, the summary of the run. */
typedef struct journal_contents {
    long rows;
    int columns;
    double *values; /* [columns][rows] */
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int verdict_count;
    double numbers[5];
} journal_contents;

static journal_contents journal_read(const char *path)
{
    static const char *const NUMBERS[5] = {"steps", "newton_iterations", "halvings",
                                           "largest_rotation", "stride"};
    journal_contents c = {0};
    olo_error error = {0};
    olo_result *result = NULL;
    check_ok(olo_result_open(path, &result, &error), &error);
    c.rows = olo_result_row_count(result);
    c.columns = olo_result_column_count(result);
    c.values = calloc((size_t)(c.rows * c.columns) + 1, sizeof *c.values);
    for (int i = 0; i < c.columns; i++) {
        check_ok(olo_result_read_column(result, olo_result_column_name(result, i),
                                        c.values + i * c.rows, &error),
                 &error);
    }
    check_ok(olo_result_verdicts(result, c.verdicts, &c.verdict_count, &error), &error);
    for (int i = 0; i < 5; i++)
        (void)olo_result_attribute_number(result, "/run", NUMBERS[i], &c.numbers[i], NULL);
    olo_result_free(result);
    return c;
}

/* Both are the same to the last bit. */
static void journal_check_same(const journal_contents *expected, const char *path)
{
    journal_contents got = journal_read(path);
    check_equal(expected->rows, got.rows);
    check_equal(expected->columns, got.columns);
    check_equal(
        0, memcmp(expected->values, got.values, (size_t)(got.rows * got.columns) * sizeof(double)));
    check_equal(expected->verdict_count, got.verdict_count);
    check_equal(0, memcmp(expected->verdicts, got.verdicts, sizeof got.verdicts));
    check_equal(0, memcmp(expected->numbers, got.numbers, sizeof got.numbers));
    free(got.values);
}

/* The rows of an interrupted run are the first ones of the whole run. */
static void journal_check_begin(const journal_contents *whole, const char *path)
{
    journal_contents got = journal_read(path);
    check_true(got.rows >= 1 && got.rows <= whole->rows);
    check_equal(whole->columns, got.columns);
    for (int i = 0; i < got.columns; i++) {
        check_equal(0, memcmp(whole->values + i * whole->rows, got.values + i * got.rows,
                              (size_t)got.rows * sizeof(double)));
    }
    free(got.values);
}

/* The bytes of the journal; to be freed. */
static unsigned char *take_journal(size_t *size)
{
    const int file = open(PARTIAL, O_RDONLY);
    *size = (size_t)lseek(file, 0, SEEK_END);
    unsigned char *bytes = malloc(*size);
    check_true(pread(file, bytes, *size, 0) == (ssize_t)*size);
    close(file);
    return bytes;
}

/* Replaces the journal by these bytes. */
static void put_journal(const unsigned char *bytes, size_t size)
{
    const int file = open(PARTIAL, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    check_true(write(file, bytes, size) == (ssize_t)size);
    close(file);
}

static char journal_folder[64];

/* Before the tests: uses a folder in memory, without the delays of a disk. */
static int journal_enter(void **state)
{
    (void)state;
    strcpy(journal_folder, "/dev/shm/oloid-test-XXXXXX");
    if (mkdtemp(journal_folder) == NULL || chdir(journal_folder) != 0)
        journal_folder[0] = '\0';
    return 0;
}

/* After the tests: no other file remains. */
static int journal_leave(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    unlink(PARTIAL);
    check_equal(0, count_hidden("."));
    if (journal_folder[0] != '\0')
        check_equal(0, rmdir(journal_folder));
    return 0;
}

#endif
