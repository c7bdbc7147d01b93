/* Failure injection: every allocation, and every change of a file, from the text of a model to its
 * result fails in turn. Each failure is reported by a status and a text, and leaks nothing. An old
 * result is unchanged or replaced by a complete one, and a run that had begun can be resumed. */
#include "journal.h"

#include "base/write.h"

/* Every allocation fails in turn (under the sanitizer every third), and every INJECTION_STRIDE-th
 * change of a file; injection_slow.c takes all changes. The run is resumed from some of the
 * different journals that remain. */
#ifndef INJECTION_STRIDE
#define INJECTION_STRIDE (SANITIZED ? 29 : 13)
#define INJECTION_RESUME (SANITIZED ? 4 : 1)
#define INJECTION_EVERY_ALLOCATION
#endif

/* The number of journals that were resumed. */
static int journals;

static const char OLD[] = "an older result";

static void put_old_result(void)
{
    FILE *file = fopen(FILE_NAME, "w");
    check_true(file != NULL);
    fputs(OLD, file);
    fclose(file);
}

static bool old_result_is_untouched(void)
{
    char text[sizeof OLD] = "";
    FILE *file = fopen(FILE_NAME, "r");
    const bool same = file != NULL && fread(text, 1, sizeof text, file) == sizeof OLD - 1 &&
                      strcmp(text, OLD) == 0;
    if (file != NULL)
        fclose(file);
    return same;
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

/* FNV-1a of the bytes of the journal and its size: 64 bits distinguish some thousands of
 * journals. */
static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = 14695981039346656037ULL ^ size;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211ULL;
    return hash;
}

/* Whether no failure has left a journal with these bytes before. The resumed run depends on nothing
 * else. */
static bool is_new(const unsigned char *bytes, size_t size)
{
    enum { CAPACITY = 1 << 14 };
    static uint64_t known[CAPACITY];
    const uint64_t hash = hash_of(bytes, size);
    size_t i = (size_t)hash % CAPACITY;
    for (; known[i] != 0; i = (i + 1) % CAPACITY)
        if (known[i] == hash)
            return false;
    known[i] = hash;
    check_true(++journals < CAPACITY / 2);
    return true;
}

static bool is_new_journal(void)
{
    // most failures leave the same journal as the failure before
    static unsigned char last[1 << 20];
    static size_t last_size;
    size_t size = 0;
    unsigned char *bytes = take_journal(&size);
    check_true(size <= sizeof last);
    const bool same = size == last_size && memcmp(bytes, last, size) == 0;
    memcpy(last, bytes, size);
    last_size = size;
    const bool new_one = !same && is_new(bytes, size);
    free(bytes);
    return new_one;
}

/* After a run that failed there is no incomplete file, and if it had begun, it continues with
 * the same bits. A journal that was interrupted before has a last row that the whole run does
 * not have. */
static void check_nothing_is_lost(const journal_contents *whole, bool interrupted)
{
    olo_error error = {0};
    check_true(old_result_is_untouched());
    check_equal(0, count_hidden("."));
    static int count;
    if (is_there(PARTIAL) && is_new_journal() && count++ % INJECTION_RESUME == 0) {
        if (!interrupted)
            journal_check_begin(whole, PARTIAL);
        check_ok(journal_all(true, 0, &error), &error);
        journal_check_same(whole, FILE_NAME);
    }
    unlink(FILE_NAME);
    unlink(PARTIAL);
}

static journal_contents undisturbed(void)
{
    olo_error error = {0};
    check_ok(journal_all(false, 0, &error), &error);
    journal_contents whole = journal_read(FILE_NAME);
    unlink(FILE_NAME);
    return whole;
}

#ifdef INJECTION_EVERY_ALLOCATION // else injection.c did this
TEST(every_allocation_of_a_run_may_fail)
{
    journal_contents whole = undisturbed();
    const size_t alive = olo_memory_alive();
    size_t n = 0;
    for (olo_status status = OLO_NO_MEMORY; status != OLO_OK;) {
        olo_error error = {0};
        put_old_result();
        olo_memory_fail_at(n += SANITIZED ? 3 : 1);
        status = journal_all(false, 0, &error);
        olo_memory_fail_at(0);
        check_equal(alive, olo_memory_alive());
        if (status != OLO_OK) {
            // if HDF5 allocates the memory, the failure is a file that cannot be opened
            check_true(status == OLO_NO_MEMORY || status == OLO_IO);
            check_equal(status, error.status);
            check_true(strstr(error.text, "memory") != NULL);
            check_nothing_is_lost(&whole, false);
        }
    }
    check_true(n > 300);
    journal_check_same(&whole, FILE_NAME);
    unlink(FILE_NAME);
    free(whole.values);
}

TEST(every_allocation_of_a_resumed_run_may_fail)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    size_t size = 0, n = 0, stride = SANITIZED ? 3 : 1;
    check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
    unsigned char *bytes = take_journal(&size);
    const size_t alive = olo_memory_alive();
    for (olo_status status = OLO_NO_MEMORY; status != OLO_OK;) {
        error = (olo_error){0};
        put_old_result();
        put_journal(bytes, size);
        // reading the model and finishing the result are covered by the test above
        journal_run run = {0};
        check_ok(journal_prepare(&run, NULL, 0, &error), &error);
        olo_memory_fail_at(n += stride);
        status = journal_go(&run, true, &error);
        olo_memory_fail_at(0);
        stride = (SANITIZED ? 3 : 1) * (run.finishing ? 16 : 1);
        journal_free(&run);
        check_equal(alive, olo_memory_alive());
        if (status != OLO_OK) {
            check_true(status == OLO_NO_MEMORY || status == OLO_IO);
            check_true(strstr(error.text, "memory") != NULL);
            check_true(is_there(PARTIAL));
            check_nothing_is_lost(&whole, true);
        }
    }
    check_true(n > 300);
    journal_check_same(&whole, FILE_NAME);
    unlink(FILE_NAME);
    free(bytes);
    free(whole.values);
}
#endif

/* Makes every `stride`-th change of a file fail in turn, in a run from its initial state or in a
 * resumed one. */
static void fail_writes(const journal_contents *whole, size_t stride, const unsigned char *journal,
                        size_t size)
{
    const bool resume = journal != NULL;
    const size_t alive = olo_memory_alive();
    size_t changes = stride, failed = 0;
    for (size_t n = 1; n <= changes; n += stride) {
        olo_error error = {0};
        put_old_result();
        if (resume)
            put_journal(journal, size);
        const size_t before = olo_write_count();
        olo_write_fail_at(n);
        const olo_status status = journal_all(resume, 0, &error);
        olo_write_fail_at(0);
        check_equal(alive, olo_memory_alive());
        if (status == OLO_OK) { // a file that is no longer needed was not removed
            changes = olo_write_count() - before;
            journal_check_same(whole, FILE_NAME);
            unlink(FILE_NAME);
            unlink(PARTIAL);
            continue;
        }
        changes = n + stride; // more changes follow
        failed++;
        check_status(OLO_IO, status);
        check_equal(OLO_IO, error.status);
        check_contains("No space left on device", error.text);
        check_true(!resume || is_there(PARTIAL));
        check_nothing_is_lost(whole, resume);
    }
    check_true(failed > 10);
}

TEST(every_write_of_a_run_may_fail)
{
    journal_contents whole = undisturbed();
    fail_writes(&whole, INJECTION_STRIDE, NULL, 0);
    free(whole.values);
}

TEST(every_write_of_a_resumed_run_may_fail)
{
    journal_contents whole = undisturbed();
    olo_error error = {0};
    size_t size = 0;
    check_status(OLO_INTERRUPTED, journal_all(false, 5, &error));
    unsigned char *bytes = take_journal(&size);
    fail_writes(&whole, INJECTION_STRIDE + 4, bytes, size); // the same code as above
    free(bytes);
    free(whole.values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef INJECTION_EVERY_ALLOCATION
        cmocka_unit_test(every_allocation_of_a_run_may_fail),
        cmocka_unit_test(every_allocation_of_a_resumed_run_may_fail),
#endif
        cmocka_unit_test(every_write_of_a_run_may_fail),
        cmocka_unit_test(every_write_of_a_resumed_run_may_fail)};
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, journal_enter, journal_leave) == 0 ? 0 : 1;
}
