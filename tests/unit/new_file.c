/* Files that replace others, and their checksum trailers. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hidden.h"
#include "test.h"

#include "base/new_file.h"
#include "base/write.h"
#include "results/checksum_trailer.h"
#include "results/ranges.h"

#define NAME "unit-files.txt"

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    check_true(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void check_holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path, "r");
    check_true(file != NULL);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    check_text(text, got);
}

/* ---- fresh files ------------------------------------------------------------------------------
 */

TEST(a_file_has_its_name_when_it_is_whole)
{
    olo_error error = {0};
    for (int names_only = 0; names_only < 2; names_only++) {
        for (int old = 0; old < 2; old++) {
            olo_new_file fresh;
            olo_write_with_names_only(names_only);
            if (old)
                put(NAME, "old");
            check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
            check_true(olo_write_bytes(fresh.descriptor, "new", 3, 0));
            check_true(is_there(NAME) == old && !olo_new_file_is_there(&fresh));
            check_true(count_hidden(".") == names_only);
            check_ok(olo_new_file_publish(&fresh, &error), &error);
            check_true(olo_new_file_is_there(&fresh) && count_hidden(".") == 0);
            olo_new_file_close(&fresh);
            check_holds(NAME, "new");
            unlink(NAME);
        }
    }
    olo_write_with_names_only(false);
}

TEST(a_file_that_is_discarded_is_gone_and_the_old_one_stays)
{
    olo_error error = {0};
    for (int names_only = 0; names_only < 2; names_only++) {
        olo_new_file fresh;
        olo_write_with_names_only(names_only);
        put(NAME, "old");
        check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
        check_true(olo_write_bytes(fresh.descriptor, "new", 3, 0));
        olo_new_file_close(&fresh);
        check_holds(NAME, "old");
        check_true(count_hidden(".") == 0);
        unlink(NAME);
    }
    olo_write_with_names_only(false);
}

TEST(any_failure_leaves_the_old_file)
{
    for (int names_only = 0; names_only < 2; names_only++) {
        olo_write_with_names_only(names_only);
        olo_status status = OLO_IO;
        for (size_t n = 1; status != OLO_OK; n++) {
            olo_error error = {0};
            olo_new_file fresh;
            put(NAME, "old");
            olo_write_fail_at(n);
            status = olo_new_file_open(&fresh, NAME, &error);
            if (status == OLO_OK) {
                status = olo_new_file_publish(&fresh, &error);
                olo_new_file_close(&fresh);
            }
            olo_write_fail_at(0);
            if (status != OLO_OK) {
                check_status(OLO_IO, status);
                check_contains("cannot create '" NAME "'", error.text);
                check_holds(NAME, "old");
            }
            check_true(count_hidden(".") == 0);
        }
    }
    olo_write_with_names_only(false);
    unlink(NAME);
}

/* Starts a process that ends before its n-th change of a file while it replaces NAME; returns its
 * number. */
static pid_t replace_and_end_at(size_t n)
{
    const pid_t child = fork();
    check_true(child >= 0);
    if (child == 0) {
        olo_new_file fresh;
        olo_write_end_at(n);
        if (olo_new_file_open(&fresh, NAME, NULL) == OLO_OK)
            (void)olo_new_file_publish(&fresh, NULL);
        _exit(0);
    }
    int how = 0;
    check_true(waitpid(child, &how, 0) == child && WIFEXITED(how));
    check_equal(OLO_WRITE_ENDED, WEXITSTATUS(how));
    return child;
}

TEST(what_a_killed_process_left_is_removed)
{
    for (int names_only = 0; names_only < 2; names_only++) {
        olo_error error = {0};
        olo_new_file fresh;
        olo_write_with_names_only(names_only);
        put(NAME, "old");
        (void)replace_and_end_at(names_only ? 2 : 4); // before the file is renamed
        check_equal(1, count_hidden("."));
        check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
        check_ok(olo_new_file_publish(&fresh, &error), &error);
        olo_new_file_close(&fresh);
        check_equal(0, count_hidden("."));
        unlink(NAME);
    }
    olo_write_with_names_only(false);
}

TEST(hidden_files_of_processes_that_live_stay)
{
    olo_error error = {0};
    olo_new_file first, second;
    olo_write_with_names_only(true);
    check_ok(olo_new_file_open(&first, NAME, &error), &error);
    check_ok(olo_new_file_open(&second, NAME, &error), &error); // also by the same process
    check_equal(2, count_hidden("."));
    check_ok(olo_new_file_publish(&second, &error), &error);
    check_ok(olo_new_file_publish(&first, &error), &error);
    check_true(olo_new_file_is_there(&first) && !olo_new_file_is_there(&second));
    olo_new_file_close(&first);
    olo_new_file_close(&second);
    check_equal(0, count_hidden("."));

    // the process has ended, but the file is locked, as from another machine
    char hidden[128];
    put(NAME, "old");
    const pid_t ended = replace_and_end_at(2);
    snprintf(hidden, sizeof hidden, "." NAME ".oloid-%ld-0", (long)ended);
    const int other = open(hidden, O_RDWR);
    check_equal(0, flock(other, LOCK_EX));
    check_ok(olo_new_file_open(&first, NAME, &error), &error);
    olo_new_file_close(&first);
    check_equal(1, count_hidden("."));
    close(other);
    unlink(hidden);
    unlink(NAME);
    olo_write_with_names_only(false);
}

TEST(files_of_the_user_with_similar_names_stay)
{
    static const char *const SIMILAR[] = {NAME ".new",
                                          "." NAME ".new",
                                          "." NAME ".oloid-",
                                          "." NAME ".oloid-999999999",
                                          "." NAME ".oloid-999999999-0x",
                                          "." NAME ".oloid-x-0"};
    enum { COUNT = sizeof SIMILAR / sizeof SIMILAR[0] };
    for (int names_only = 0; names_only < 2; names_only++) {
        olo_error error = {0};
        olo_new_file fresh;
        olo_write_with_names_only(names_only);
        put(NAME, "old");
        for (int i = 0; i < COUNT; i++)
            put(SIMILAR[i], "mine");
        check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
        check_ok(olo_new_file_publish(&fresh, &error), &error);
        olo_new_file_close(&fresh);
        for (int i = 0; i < COUNT; i++) {
            check_holds(SIMILAR[i], "mine");
            unlink(SIMILAR[i]);
        }
        unlink(NAME);
    }
    olo_write_with_names_only(false);
}

TEST(a_name_of_the_greatest_length_can_be_replaced)
{
    char name[256] = "";
    memset(name, 'x', 255);
    for (int names_only = 0; names_only < 2; names_only++) {
        olo_error error = {0};
        olo_new_file fresh;
        olo_write_with_names_only(names_only);
        put(name, "old");
        check_ok(olo_new_file_open(&fresh, name, &error), &error);
        check_true(olo_write_bytes(fresh.descriptor, "new", 3, 0));
        check_ok(olo_new_file_publish(&fresh, &error), &error);
        olo_new_file_close(&fresh);
        check_holds(name, "new");
        unlink(name);
    }
    olo_write_with_names_only(false);
}

/* Several processes give a file the same name at the same moment, and hold it until all have tried.
 * Returns how many of them had success. */
static int count_winners(int processes)
{
    int begin[2], tried[2], end[2], winners = 0;
    char answer = 0;
    check_true(pipe(begin) == 0 && pipe(tried) == 0 && pipe(end) == 0);
    for (int i = 0; i < processes; i++) {
        const pid_t child = fork();
        check_true(child >= 0);
        if (child == 0) {
            olo_new_file fresh;
            close(begin[1]);
            close(end[1]);
            const bool open = olo_new_file_open(&fresh, NAME, NULL) == OLO_OK;
            (void)!read(begin[0], &answer, 1);
            answer = open && olo_new_file_publish_exclusive(&fresh, -1, NULL) == OLO_OK;
            (void)!write(tried[1], &answer, 1);
            (void)!read(end[0], &answer, 1);
            olo_new_file_close(&fresh);
            _exit(0);
        }
    }
    close(begin[1]); // go
    for (int i = 0; i < processes; i++) {
        check_equal(1, read(tried[0], &answer, 1));
        winners += answer;
    }
    close(end[1]);
    while (wait(NULL) > 0) {
    }
    close(begin[0]);
    close(tried[0]);
    close(tried[1]);
    close(end[0]);
    return winners;
}

TEST(of_processes_that_write_the_same_journal_at_once_one_wins)
{
    for (int i = 0; i < 200; i++) {
        olo_write_with_names_only(i % 2 == 1);
        if (i % 4 < 2)
            put(NAME, "old");
        check_equal(1, count_winners(4));
        check_equal(0, count_hidden("."));
        unlink(NAME);
    }
    olo_write_with_names_only(false);
}

TEST(a_file_that_another_process_writes_is_not_replaced_and_one_that_is_read_is)
{
    for (int reading = 0; reading < 2; reading++) {
        olo_error error = {0};
        olo_new_file fresh;
        put(NAME, "old");
        const int other = open(NAME, O_RDONLY);
        check_equal(0, flock(other, reading ? LOCK_SH : LOCK_EX));
        check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
        check_status(reading ? OLO_OK : OLO_IO, olo_new_file_publish_exclusive(&fresh, -1, &error));
        if (!reading) {
            check_text("cannot create '" NAME "': another process is writing it", error.text);
            check_holds(NAME, "old");
            check_ok(olo_new_file_publish_exclusive(&fresh, other, &error),
                     &error); // this process holds the lock
        }
        check_true(olo_new_file_is_there(&fresh));
        olo_new_file_close(&fresh);
        close(other);
        unlink(NAME);
    }
}

TEST(only_regular_files_may_be_written)
{
    static const struct {
        const char *text;
        mode_t mode;
    } KINDS[] = {{"a folder", S_IFDIR}, {"a pipe", S_IFIFO}};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        olo_error error = {0};
        olo_new_file fresh;
        check_equal(0, KINDS[i].mode == S_IFDIR ? mkdir(NAME, 0777) : mkfifo(NAME, 0666));
        check_status(OLO_BAD_INPUT, olo_new_file_check(NAME, &error));
        check_contains(KINDS[i].text, error.text);
        check_status(OLO_BAD_INPUT, olo_new_file_open(&fresh, NAME, &error));
        check_true(fresh.descriptor < 0);
        check_equal(0, KINDS[i].mode == S_IFDIR ? rmdir(NAME) : unlink(NAME));
    }
}

TEST(a_file_has_the_permissions_of_the_one_that_it_replaces)
{
    static const mode_t MODES[] = {0600, 0640, 0666, 0755};
    for (size_t i = 0; i < 2 * sizeof MODES / sizeof MODES[0]; i++) {
        olo_error error = {0};
        olo_new_file fresh;
        struct stat facts;
        olo_write_with_names_only(i % 2 == 1);
        put(NAME, "old");
        check_equal(0, chmod(NAME, MODES[i / 2]));
        check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
        // also before it has its name, so that nobody can read a part of it
        check_true(fstat(fresh.descriptor, &facts) == 0 && (facts.st_mode & 0777) == MODES[i / 2]);
        check_ok(olo_new_file_publish(&fresh, &error), &error);
        olo_new_file_close(&fresh);
        check_true(stat(NAME, &facts) == 0 && (facts.st_mode & 0777) == MODES[i / 2]);
        unlink(NAME);
    }
    olo_write_with_names_only(false);
}

TEST(links_into_folders_that_are_not_there_are_refused_at_once)
{
    olo_error error = {0};
    check_equal(0, symlink("unit-files.none/far.txt", NAME));
    check_status(OLO_IO, olo_new_file_check(NAME, &error));
    check_text("cannot create '" NAME "': No such file or directory", error.text);
    unlink(NAME);
}

TEST(links_are_followed_to_files_that_are_not_there)
{
    olo_error error = {0};
    olo_new_file fresh;
    check_equal(0, mkdir("unit-files.d", 0777));
    check_equal(0, symlink("far.txt", "unit-files.d/near.txt"));
    check_equal(0, symlink("unit-files.d/near.txt", NAME));
    check_ok(olo_new_file_open(&fresh, NAME, &error), &error);
    check_true(olo_write_bytes(fresh.descriptor, "new", 3, 0));
    check_ok(olo_new_file_publish(&fresh, &error), &error);
    olo_new_file_close(&fresh);
    check_holds("unit-files.d/far.txt", "new");
    struct stat facts;
    check_true(lstat(NAME, &facts) == 0 && S_ISLNK(facts.st_mode));
    unlink("unit-files.d/far.txt");
    unlink("unit-files.d/near.txt");
    unlink(NAME);
    rmdir("unit-files.d");
}

/* ---- ranges -----------------------------------------------------------------------------------
 */

/* The bytes of a set below 64 as the bits of a number, for comparison. */
static uint64_t bits_of(const olo_ranges *ranges)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < ranges->count; i++)
        for (uint64_t k = 0; k < ranges->items[i].size; k++)
            bits |= UINT64_C(1) << (ranges->items[i].offset + k);
    return bits;
}

static olo_ranges random_ranges(int count)
{
    olo_ranges ranges = {0};
    for (int i = 0; i < count; i++) {
        const uint64_t offset = (uint64_t)(rand() % 56);
        olo_ranges_add(&ranges, offset, (uint64_t)(1 + rand() % 8));
    }
    return ranges;
}

TEST(ranges_are_sets_of_bytes)
{
    srand(5);
    for (int i = 0; i < 2000; i++) {
        olo_ranges first = random_ranges(i % 9), second = random_ranges(i % 7);
        const uint64_t expected = bits_of(&first) & ~bits_of(&second), all = bits_of(&first);
        olo_ranges_normalize(&first);
        olo_ranges_normalize(&second);
        check_true(bits_of(&first) == all);
        olo_ranges_subtract(&first, &second);
        check_true(bits_of(&first) == expected && !first.failed);
        for (size_t k = 1; k < first.count; k++) // in order, with gaps
            check_true(first.items[k - 1].offset + first.items[k - 1].size < first.items[k].offset);
        olo_ranges_free(&first);
        olo_ranges_free(&second);
    }
}

/* ---- checksum trailers
 * ------------------------------------------------------------------------------------
 */

enum { LENGTH = 3000 };

static int write_with_trailer(const unsigned char bytes[LENGTH], const olo_ranges *ranges)
{
    const int file = open(NAME, O_RDWR | O_CREAT | O_TRUNC, 0666);
    check_true(olo_write_bytes(file, bytes, LENGTH, 0));
    check_true(olo_checksum_trailer_write(file, LENGTH, ranges));
    return file;
}

static int file_with_trailer(const olo_ranges *ranges)
{
    unsigned char bytes[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char)(i * i / 7);
    return write_with_trailer(bytes, ranges);
}

static olo_status check_trailer(int file, olo_error *error)
{
    uint64_t length = 0;
    bool journal = false;
    const olo_status status = olo_checksum_trailer_check(file, NAME, &length, &journal, error);
    if (status == OLO_OK) {
        check_equal(LENGTH, length);
    } else {
        check_status(OLO_IO, status);
        check_contains(NAME, error->text);
    }
    return status;
}

static void flip(int file, off_t at, int bit)
{
    unsigned char byte = 0;
    check_equal(1, pread(file, &byte, 1, at));
    byte = (unsigned char)(byte ^ (1 << bit));
    check_equal(1, pwrite(file, &byte, 1, at));
}

TEST(every_bit_of_a_file_has_a_checksum)
{
    olo_error error = {0};
    const int file = file_with_trailer(NULL);
    const off_t end = lseek(file, 0, SEEK_END);
    check_equal(LENGTH + 32, end);
    check_ok(check_trailer(file, &error), &error);
    for (off_t at = 0; at < end; at++) {
        flip(file, at, (int)(at % 8));
        check_status(OLO_IO, check_trailer(file, &error));
        flip(file, at, (int)(at % 8));
    }
    check_ok(check_trailer(file, &error), &error);
    close(file);
    unlink(NAME);
}

TEST(a_file_that_is_too_short_or_too_long_has_no_trailer)
{
    olo_error error = {0};
    const int file = file_with_trailer(NULL);
    for (off_t size = LENGTH + 31; size >= 0; size -= 97) {
        check_equal(0, ftruncate(file, size));
        check_status(OLO_IO, check_trailer(file, &error));
        check_contains("it has no checksum at its end", error.text);
    }
    close(file_with_trailer(NULL));
    check_equal(1, pwrite(file, "x", 1, LENGTH + 32));
    check_status(OLO_IO, check_trailer(file, &error));
    close(file);
    unlink(NAME);
}

TEST(the_trailer_of_a_journal_covers_its_ranges_and_itself)
{
    olo_error error = {0};
    olo_ranges ranges = {0};
    olo_ranges_add(&ranges, 0, 100);
    olo_ranges_add(&ranges, 700, 1);
    olo_ranges_add(&ranges, 2900, 100);
    const int file = file_with_trailer(&ranges);
    const off_t end = lseek(file, 0, SEEK_END);
    check_equal(LENGTH + 3 * 16 + 32, end);
    for (off_t at = 0; at < end; at++) {
        const bool covered = at < 100 || at == 700 || at >= 2900;
        flip(file, at, 3);
        check_status(covered ? OLO_IO : OLO_OK, check_trailer(file, &error));
        flip(file, at, 3);
    }
    olo_ranges_free(&ranges);
    close(file);
    unlink(NAME);
}

/* In a file of zeros, ranges of equal size have equal contents: only the checksum of the ranges
 * themselves shows that one of them was moved. */
TEST(the_trailer_of_a_journal_covers_where_its_ranges_are)
{
    static const unsigned char zeros[LENGTH];
    olo_error error = {0};
    olo_ranges ranges = {0};
    olo_ranges_add(&ranges, 16, 16);
    olo_ranges_add(&ranges, 512, 16);
    olo_ranges_add(&ranges, 1024, 16);
    const int file = write_with_trailer(zeros, &ranges);
    const off_t end = lseek(file, 0, SEEK_END);
    check_ok(check_trailer(file, &error), &error);
    for (off_t at = LENGTH; at < end; at++) {
        for (int bit = 0; bit < 8; bit++) {
            flip(file, at, bit);
            check_status(OLO_IO, check_trailer(file, &error));
            flip(file, at, bit);
        }
    }
    olo_ranges_free(&ranges);
    close(file);
    unlink(NAME);
}

TEST_MAIN(
    cmocka_unit_test(a_file_has_its_name_when_it_is_whole),
    cmocka_unit_test(a_file_that_is_discarded_is_gone_and_the_old_one_stays),
    cmocka_unit_test(any_failure_leaves_the_old_file),
    cmocka_unit_test(what_a_killed_process_left_is_removed),
    cmocka_unit_test(hidden_files_of_processes_that_live_stay),
    cmocka_unit_test(files_of_the_user_with_similar_names_stay),
    cmocka_unit_test(a_name_of_the_greatest_length_can_be_replaced),
    cmocka_unit_test(of_processes_that_write_the_same_journal_at_once_one_wins),
    cmocka_unit_test(a_file_that_another_process_writes_is_not_replaced_and_one_that_is_read_is),
    cmocka_unit_test(only_regular_files_may_be_written),
    cmocka_unit_test(a_file_has_the_permissions_of_the_one_that_it_replaces),
    cmocka_unit_test(links_into_folders_that_are_not_there_are_refused_at_once),
    cmocka_unit_test(links_are_followed_to_files_that_are_not_there),
    cmocka_unit_test(ranges_are_sets_of_bytes),
    cmocka_unit_test(every_bit_of_a_file_has_a_checksum),
    cmocka_unit_test(a_file_that_is_too_short_or_too_long_has_no_trailer),
    cmocka_unit_test(the_trailer_of_a_journal_covers_its_ranges_and_itself),
    cmocka_unit_test(the_trailer_of_a_journal_covers_where_its_ranges_are))
