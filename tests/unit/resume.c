/* Resuming an interrupted run gives the same bits, from any journal. */
#include <sys/wait.h>

#include "journal.h"

#include "base/checksum.h"
#include "base/write.h"
#include "results/checkpoint.h"
#include "results/checksum_trailer.h"
#include "results/hdf5_file.h"
#include "system/system.h"

/* HDF5 leaks memory after a damaged file. */
#ifdef __SANITIZE_ADDRESS__
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}
#endif

/* The contents of the run without interruption. */
static journal_contents undisturbed(void)
{
    olo_error error = {0};
    check_ok(journal_all(false, 0, &error), &error);
    check_true(access(PARTIAL, F_OK) != 0);
    journal_contents whole = journal_read(FILE_NAME);
    check_equal(1 + 3, whole.rows);
    check_close(6.0, whole.numbers[0], 0.0);
    unlink(FILE_NAME);
    return whole;
}

/* ---- states -----------------------------------------------------------------------------------
 */

/* Saves a state to a new block. */
static void *save(const olo_state *x, size_t *size)
{
    *size = olo_state_saved_size(x);
    void *block = calloc(*size, 1);
    olo_state_save(x, block);
    return block;
}

static void step(const journal_run *run, olo_state *x, int steps)
{
    olo_error error = {0};
    olo_stepper *stepper = NULL;
    check_ok(olo_stepper_create(run->system, olo_model_run(run->model), &stepper, &error), &error);
    for (int i = 0; i < steps; i++)
        check_ok(olo_stepper_step(stepper, x, 0.01, &error), &error);
    olo_stepper_free(stepper);
}

TEST(a_saved_state_continues_to_the_last_bit)
{
    journal_run run = {0};
    olo_error error = {0};
    size_t size = 0, again = 0;
    check_ok(journal_prepare(&run, NULL, 0, &error), &error);
    step(&run, run.state, 5);
    void *block = save(run.state, &size);
    olo_state *other = NULL;
    check_ok(olo_state_create(run.system, &other, &error), &error);
    check_ok(olo_state_load(other, block, size, &error), &error);
    step(&run, run.state, 5);
    step(&run, other, 5);
    void *first = save(run.state, &size), *second = save(other, &again);
    check_equal(size, again);
    check_equal(0, memcmp(first, second, size));
    free(second);
    free(first);
    free(block);
    olo_state_free(other);
    journal_free(&run);
}

TEST(a_saved_state_holds_every_field)
{
    journal_run run = {0};
    olo_error error = {0};
    size_t size = 0;
    check_ok(journal_prepare(&run, NULL, 0, &error), &error);
    step(&run, run.state, 5);
    olo_state *x = run.state, *y = NULL;
    void *block = save(x, &size);
    check_ok(olo_state_create(run.system, &y, &error), &error);
    check_ok(olo_state_load(y, block, size, &error), &error);
    // from t to the last number of the last segment: everything in a state must be restored
    check_equal(0, memcmp(&x->t, &y->t, x->size));
    free(block);
    olo_state_free(y);
    journal_free(&run);
}

TEST(a_saved_state_of_an_earlier_version_is_refused)
{
    journal_run run = {0};
    olo_error error = {0};
    size_t size = 0;
    check_ok(journal_prepare(&run, NULL, 0, &error), &error);
    uint64_t *block = save(run.state, &size); /* magic, checksum, version, ... */
    check_equal(12, block[2]);
    block[2] = 11;
    check_status(OLO_UNSUPPORTED, olo_state_load(run.state, block, size, &error));
    check_true(
        strcmp(error.text, "the saved state has version 11; this version of Oloid reads 12") == 0);
    free(block);
    journal_free(&run);
}

TEST(a_saved_state_that_is_damaged_is_refused)
{
    journal_run run = {0};
    olo_error error = {0};
    size_t size = 0;
    check_ok(journal_prepare(&run, NULL, 0, &error), &error);
    unsigned char *block = save(run.state, &size);
    olo_state *other = NULL;
    check_ok(olo_state_clone(run.state, &other, &error), &error);
    step(&run, other, 1);
    size_t unchanged = 0;
    void *before = save(other, &unchanged);
    for (size_t i = 0; i < size; i++) {
        block[i] ^= 16;
        const olo_status status = olo_state_load(other, block, size, &error);
        check_true(status == OLO_BAD_INPUT || status == OLO_UNSUPPORTED);
        block[i] ^= 16;
    }
    check_status(OLO_BAD_INPUT, olo_state_load(other, block, size - 1, &error));
    check_status(OLO_BAD_INPUT, olo_state_load(other, block, 0, &error));
    void *after = save(other, &unchanged);
    check_equal(0, memcmp(before, after, unchanged));
    check_ok(olo_state_load(other, block, size, &error), &error);
    free(after);
    free(before);
    free(block);
    olo_state_free(other);
    journal_free(&run);
}

/* ---- checkpoints ------------------------------------------------------------------------------
 */

TEST(a_checkpoint_that_is_torn_anywhere_is_not_whole)
{
    enum { CONTENTS = 100 };
    unsigned char memory[sizeof(olo_checkpoint) + CONTENTS] = {0};
    olo_checkpoint *block = olo_alloc(1, sizeof memory);
    check_true(!olo_checkpoint_is_whole(block, sizeof memory));
    block->sequence = 7;
    block->rows = 3;
    memset(block + 1, 'x', CONTENTS);
    olo_checkpoint_set_checksum(block, CONTENTS);
    check_true(olo_checkpoint_is_whole(block, sizeof memory));
    check_true(!olo_checkpoint_is_whole(block, sizeof memory - 1));
    check_true(!olo_checkpoint_is_whole(block, 8));
    for (size_t i = 0; i < sizeof memory; i++) {
        ((unsigned char *)block)[i] ^= 1;
        check_true(!olo_checkpoint_is_whole(block, sizeof memory));
        ((unsigned char *)block)[i] ^= 1;
    }
    block->version++;
    check_true(olo_checkpoint_is_foreign(block, sizeof memory));
    olo_free(block);
}

TEST(a_checksum_is_that_of_crc_32)
{
    // the check value of CRC-32/ISO-HDLC in the catalogue of Williams and Cook, and that of no
    // bytes
    check_equal(0xcbf43926, olo_checksum(0, "123456789", 9));
    check_equal(0, olo_checksum(0, "", 0));
    check_equal(0xcbf43926, olo_checksum(olo_checksum(0, "1234", 4), "56789", 5));
}

/* ---- runs -------------------------------------------------------------------------------------
 */

TEST(an_interrupted_run_continues_to_the_same_bits)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    for (long stop = 1; stop < 6; stop++) {
        check_status(OLO_INTERRUPTED, journal_all(false, stop, &error));
        check_true(access(PARTIAL, F_OK) == 0 && access(FILE_NAME, F_OK) != 0);
        // interrupted again after the next step, and again
        for (long next = stop + 1; next < 6; next++)
            check_status(OLO_INTERRUPTED, journal_all(true, next, &error));
        check_ok(journal_all(true, 0, &error), &error);
        check_true(access(PARTIAL, F_OK) != 0);
        journal_check_same(&whole, FILE_NAME);
        unlink(FILE_NAME);
    }
    free(whole.values);
}

TEST(an_interrupted_run_is_a_result_up_to_there)
{
    olo_error error = {0};
    check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
    journal_contents part = journal_read(PARTIAL);
    check_equal(1 + 3, part.rows); // rows of two steps, the last of one
    check_close(0.05, part.values[part.rows - 1], 1e-15);
    check_close(5.0, part.numbers[0], 0.0);
    check_true(part.verdict_count > 0);
    olo_result *result = NULL;
    const char *text = NULL;
    check_ok(olo_result_open(PARTIAL, &result, &error), &error);
    check_ok(olo_result_attribute_text(result, "/", "status", &text, &error), &error);
    check_text("INTERRUPTED", text);
    check_ok(olo_result_attribute_text(result, "/", "error", &text, &error), &error);
    check_contains("interrupted at t = 0.05", text);
    olo_result_free(result);
    free(part.values);
    unlink(PARTIAL);
}

TEST(a_complete_run_that_could_not_be_named_is_finished_by_resuming)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    const size_t before = olo_write_count();
    check_ok(journal_all(false, 0, &error), &error);
    size_t n = olo_write_count() - before;
    unlink(FILE_NAME);
    // only the removal of the journal, and closing it, come after the renaming
    for (olo_write_fail_at(n); journal_all(false, 0, &error) == OLO_OK; olo_write_fail_at(--n)) {
        unlink(FILE_NAME);
        unlink(PARTIAL);
    }
    check_equal(OLO_IO, error.status);
    check_contains("cannot create '" FILE_NAME "'", error.text);
    check_true(access(FILE_NAME, F_OK) != 0);
    check_ok(journal_all(true, 0, &error), &error);
    journal_check_same(&whole, FILE_NAME);
    unlink(FILE_NAME);
    free(whole.values);
}

/* A run in another process that ends before its n-th change of a file; false if it came to its
 * end. */
static bool run_and_end_at(size_t n, bool resume)
{
    (void)fflush(stdout);
    const pid_t child = fork();
    check_true(child >= 0);
    if (child == 0) {
        olo_error error = {0};
        olo_write_end_at(n);
        _exit(journal_all(resume, 0, &error) == OLO_OK ? 0 : 1);
    }
    int how = 0;
    check_true(waitpid(child, &how, 0) == child && WIFEXITED(how));
    check_true(WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == OLO_WRITE_ENDED);
    return WEXITSTATUS(how) == OLO_WRITE_ENDED;
}

TEST(a_run_that_ends_at_any_write_is_readable_and_continues_to_the_same_bits)
{
    // some 900 writes; with a stride of 1 this takes half a minute
    enum { FIRST = 1, STRIDE = SANITIZED ? 31 : 11 };
    journal_contents whole = undisturbed();
    olo_error error = {0};
    int begun = 0, complete = 0;
    for (size_t n = FIRST; run_and_end_at(n, false); n += STRIDE) {
        const bool resumable = access(PARTIAL, F_OK) == 0;
        check_equal(0, count_hidden("."));
        if (access(FILE_NAME, F_OK) == 0) {
            journal_check_same(&whole, FILE_NAME); // never an incomplete one
            complete++;
        }
        if (resumable) {
            journal_check_begin(&whole, PARTIAL);
            // the resumed run is interrupted, too, at another write
            if (run_and_end_at(1 + (n * 7) % 600, true) && access(PARTIAL, F_OK) == 0)
                journal_check_begin(&whole, PARTIAL);
            begun++;
        }
        if (access(PARTIAL, F_OK) == 0)
            check_ok(journal_all(true, 0, &error), &error);
        else if (access(FILE_NAME, F_OK) != 0)
            check_ok(journal_all(false, 0, &error), &error);
        journal_check_same(&whole, FILE_NAME);
        check_true(access(PARTIAL, F_OK) != 0);
        unlink(FILE_NAME);
    }
    check_true(begun > 10);
    unlink(FILE_NAME);
    free(whole.values);
}

/* ---- damaged files ----------------------------------------------------------------------------
 */

/* Changes a byte in the contents of every checkpoint of a file whose sequence number is at least
 * `least`; returns how many. */
static int damage(uint64_t least)
{
    const int file = open(PARTIAL, O_RDWR);
    const off_t size = lseek(file, 0, SEEK_END);
    olo_checkpoint head, like = {0};
    olo_checkpoint_set_checksum(&like, 0);
    int count = 0;
    for (off_t at = 0; at + (off_t)sizeof head < size; at += 8) {
        check_true(pread(file, &head, sizeof head, at) == (ssize_t)sizeof head);
        if (head.magic == like.magic && head.sequence > 0 && head.sequence >= least) {
            const unsigned char strange = 0xA5;
            check_true(pwrite(file, &strange, 1, at + (off_t)sizeof head + 11) == 1);
            count++;
        }
    }
    close(file);
    return count;
}

TEST(when_one_checkpoint_is_damaged_the_other_holds)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    // a journal as a killed process leaves it has two; the first is of the start, one for every
    // step follows
    for (size_t n = 1; access(PARTIAL, F_OK) != 0; n += 50)
        run_and_end_at(n + 400, false);
    uint64_t last = 6;
    while (last > 0 && damage(last) == 0)
        last--;
    check_true(last >= 2);
    check_ok(journal_all(true, 0, &error), &error);
    journal_check_same(&whole, FILE_NAME);
    unlink(FILE_NAME);
    free(whole.values);
}

/* Writes the checksum trailer of a changed journal again. */
static void write_trailer_again(void)
{
    const int file = open(PARTIAL, O_RDWR);
    uint64_t length = 0;
    bool journal = true;
    (void)olo_checksum_trailer_check(file, PARTIAL, &length, &journal, NULL);
    check_true(length > 0 && !journal);
    check_true(olo_checksum_trailer_write(file, length, NULL));
    close(file);
}

TEST(without_a_whole_checkpoint_a_run_cannot_continue_and_the_file_stays)
{
    olo_error error = {0};
    check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
    check_true(damage(1) >= 1);
    check_status(OLO_IO, journal_all(true, 0, &error));
    check_contains("'" PARTIAL "': it is damaged", error.text);
    write_trailer_again();
    check_status(OLO_IO, journal_all(true, 0, &error));
    check_text("'" PARTIAL "' is damaged: it has no complete checkpoint", error.text);
    journal_contents part = journal_read(PARTIAL); // still readable
    check_equal(1 + 3, part.rows);
    free(part.values);
    unlink(PARTIAL);
}

TEST(a_truncated_file_is_an_error)
{
    olo_error error = {0};
    for (off_t size = 0; size < 200000; size += 20011) {
        check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
        check_equal(0, truncate(PARTIAL, size));
        check_status(OLO_IO, journal_all(true, 0, &error));
        check_contains(PARTIAL, error.text);
        check_true(access(FILE_NAME, F_OK) != 0);
        unlink(PARTIAL);
    }
}

/* Restores the journal with its byte `at` changed. */
static void put_damaged(unsigned char *bytes, size_t size, size_t at)
{
    bytes[at] ^= 0x55;
    put_journal(bytes, size);
    bytes[at] ^= 0x55;
}

TEST(any_damaged_byte_of_an_interrupted_run_is_an_error)
{
    olo_error error = {0};
    size_t size = 0;
    check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
    unsigned char *bytes = take_journal(&size);
    for (size_t at = 5; at < size; at += 2003) {
        put_damaged(bytes, size, at);
        check_status(OLO_IO, journal_all(true, 0, &error));
        check_contains("'" PARTIAL "'", error.text);
        check_true(access(FILE_NAME, F_OK) != 0);
    }
    unlink(PARTIAL);
    free(bytes);
}

/* The journal has no checksum trailer over its rows and checkpoints then; these have separate
 * checksums. */
TEST(any_damaged_byte_of_a_killed_run_is_an_error_or_does_not_matter)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    size_t size = 0, refused = 0, tried = 0;
    for (size_t n = 400; access(PARTIAL, F_OK) != 0; n += 50)
        run_and_end_at(n, false);
    // most bytes are zeros, of rows that are not yet written: few of them are tested
    enum { STRIDE = SANITIZED ? 2003 : 503, STRIDE_OF_ZEROS = SANITIZED ? 40009 : 20011 };
    unsigned char *bytes = take_journal(&size);
    size_t zeros = 0;
    for (size_t at = 0; at < size; at++) {
        zeros += bytes[at] == 0;
        if (bytes[at] != 0 ? (at - zeros) % STRIDE != 5 : zeros % STRIDE_OF_ZEROS != 5)
            continue;
        tried++;
        put_damaged(bytes, size, at);
        olo_result *result = NULL;
        const olo_status reading = olo_result_open(PARTIAL, &result, &error);
        olo_result_free(result);
        if (reading == OLO_OK)
            journal_check_begin(&whole, PARTIAL);
        const olo_status status = journal_all(true, 0, &error);
        check_true(status == OLO_OK || status == OLO_IO || status == OLO_BAD_INPUT ||
                   status == OLO_UNSUPPORTED);
        check_true((access(FILE_NAME, F_OK) == 0) == (status == OLO_OK));
        if (status == OLO_OK) {
            journal_check_same(&whole, FILE_NAME);
        } else {
            check_contains(PARTIAL, error.text);
            refused++;
        }
        unlink(FILE_NAME);
        unlink(PARTIAL);
    }
    check_true(4 * refused > tried);
    free(bytes);
    free(whole.values);
}

/* ---- other runs -------------------------------------------------------------------------------
 */

TEST(a_run_does_not_continue_as_another_one)
{
    static const struct {
        olo_setting setting;
        const char *text;
    } CASES[] = {
        {{"run.step", "0.02"}, "is a run with step=0.01"},
        {{"run.end", "1"}, "is a run with end=0.055; it cannot continue with end=1"},
        {{"run.constraints", "multipliers"}, "is a run with constraints=reduced"},
        {{"run.frames", "2"}, "it cannot continue with frames=2"},
        {{"l", "0.25"}, "is a run with l=0.5; it cannot continue with l=0.25"},
        {{"k", "2"}, "is a run with k=1; it cannot continue with k=2"},
    };
    olo_error error = {0};
    check_status(OLO_INTERRUPTED, journal_all(false, 3, &error));
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        journal_run run = {0};
        check_ok(journal_prepare(&run, &CASES[i].setting, 1, &error), &error);
        check_status(OLO_BAD_INPUT, journal_go(&run, true, &error));
        check_contains(CASES[i].text, error.text);
        check_contains("'" PARTIAL "'", error.text);
        journal_free(&run);
    }
    check_ok(journal_all(true, 0, &error), &error); // it is unchanged
    unlink(FILE_NAME);
}

TEST(a_run_knows_its_model)
{
    const olo_setting settings[2] = {{"l", "0.1*3"}, {"run.newton_tolerance", "1e-9"}};
    olo_error error = {0};
    journal_run run = {.stop_after = 3};
    check_ok(journal_prepare(&run, settings, 2, &error), &error);
    check_status(OLO_INTERRUPTED, journal_go(&run, false, &error));
    journal_free(&run);
    olo_model *model = NULL;
    check_ok(olo_recorder_read_model(FILE_NAME, NULL, 0, &model, &error), &error);
    check_text("swing", olo_model_name(model));
    check_close(0.1 * 3, olo_model_parameter(model, "l"), 0.0);
    check_close(0.6, olo_model_parameter(model, "k"), 1e-15);
    check_close(1e-9, olo_model_run(model)->newton_tolerance, 0.0);
    check_true(olo_model_run(model)->forces);
    olo_model_free(model);
    const olo_setting other = {"l", "2"};
    check_ok(olo_recorder_read_model(FILE_NAME, &other, 1, &model, &error), &error);
    check_close(2.0, olo_model_parameter(model, "l"), 0.0);
    olo_model_free(model);
    unlink(PARTIAL);
}

/* Changes a text in the setup of the journal to another of the same length, with a valid
 * checksum. */
static void forge(const char *text, const char *other)
{
    static unsigned char bytes[1 << 20];
    const int file = open(PARTIAL, O_RDWR);
    const ssize_t size = read(file, bytes, sizeof bytes);
    olo_checkpoint like = {0};
    olo_checkpoint_set_checksum(&like, 0);
    int count = 0;
    for (ssize_t at = 0; at + (ssize_t)sizeof like < size; at += 8) {
        olo_checkpoint *block = (olo_checkpoint *)(bytes + at);
        char *first = (char *)(block + 1) + 16; // after two numbers
        if (block->magic == like.magic && block->sequence == 0 && strcmp(first, text) == 0) {
            memcpy(first, other, strlen(other));
            olo_checkpoint_set_checksum(block, block->size);
            count++;
        }
    }
    check_equal(1, count);
    check_true(pwrite(file, bytes, (size_t)size, 0) == size);
    close(file);
    write_trailer_again();
}

TEST(a_run_does_not_continue_with_another_version)
{
    olo_error error = {0};
    char other[] = OLO_VERSION;
    other[0] = (char)(other[0] + 1);
    check_status(OLO_INTERRUPTED, journal_all(false, 3, &error));
    forge(OLO_VERSION, other);
    check_status(OLO_UNSUPPORTED, journal_all(true, 0, &error));
    check_contains("was begun by oloid", error.text);
    check_contains(other, error.text);
    unlink(PARTIAL);
}

TEST(nothing_to_resume_is_an_error)
{
    olo_error error = {0};
    check_status(OLO_IO, journal_all(true, 0, &error));
    check_text("cannot open '" PARTIAL "': No such file or directory", error.text);
    check_ok(journal_all(false, 0, &error), &error);
    check_equal(0, rename(FILE_NAME, PARTIAL));
    check_status(OLO_BAD_INPUT, journal_all(true, 0, &error));
    check_text("'" PARTIAL "' is a complete result: there is nothing to resume", error.text);
    unlink(PARTIAL);
}

TEST(a_file_that_vanishes_ends_the_run)
{
    journal_run run = {0};
    olo_error error = {0};
    check_ok(journal_prepare(&run, NULL, 0, &error), &error);
    check_ok(olo_recorder_create(FILE_NAME, run.model, run.system, olo_model_run(run.model), "",
                                 &run.recorder, &error),
             &error);
    olo_recorder_set_checkpoint(run.recorder, 0.0);
    const olo_observer observer = olo_recorder_observer(run.recorder);
    const olo_step_report report = {0};
    check_ok(observer.step(observer.context, run.system, run.state, 0, &report, &error), &error);
    unlink(PARTIAL);
    check_status(OLO_IO,
                 observer.step(observer.context, run.system, run.state, 1, &report, &error));
    check_text("'" PARTIAL "' was removed or replaced while it was being written", error.text);
    check_status(OLO_IO, olo_recorder_finish(run.recorder, NULL, OLO_IO, &error));
    journal_free(&run);
    check_true(access(FILE_NAME, F_OK) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_saved_state_continues_to_the_last_bit),
        cmocka_unit_test(a_saved_state_holds_every_field),
        cmocka_unit_test(a_saved_state_of_an_earlier_version_is_refused),
        cmocka_unit_test(a_saved_state_that_is_damaged_is_refused),
        cmocka_unit_test(a_checkpoint_that_is_torn_anywhere_is_not_whole),
        cmocka_unit_test(a_checksum_is_that_of_crc_32),
        cmocka_unit_test(an_interrupted_run_continues_to_the_same_bits),
        cmocka_unit_test(an_interrupted_run_is_a_result_up_to_there),
        cmocka_unit_test(a_complete_run_that_could_not_be_named_is_finished_by_resuming),
        cmocka_unit_test(a_run_that_ends_at_any_write_is_readable_and_continues_to_the_same_bits),
        cmocka_unit_test(when_one_checkpoint_is_damaged_the_other_holds),
        cmocka_unit_test(without_a_whole_checkpoint_a_run_cannot_continue_and_the_file_stays),
        cmocka_unit_test(a_truncated_file_is_an_error),
        cmocka_unit_test(any_damaged_byte_of_an_interrupted_run_is_an_error),
        cmocka_unit_test(any_damaged_byte_of_a_killed_run_is_an_error_or_does_not_matter),
        cmocka_unit_test(a_run_does_not_continue_as_another_one),
        cmocka_unit_test(a_run_knows_its_model),
        cmocka_unit_test(a_run_does_not_continue_with_another_version),
        cmocka_unit_test(nothing_to_resume_is_an_error),
        cmocka_unit_test(a_file_that_vanishes_ends_the_run)};
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    olo_hdf5_skip_exit(); // damaged files leave objects in the memory of HDF5
    return cmocka_run_group_tests(tests, journal_enter, journal_leave) == 0 ? 0 : 1;
}
