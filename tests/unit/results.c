/* Thinning and files: the parts of recording without mechanics. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "full_disk.h"
#include "test.h"

#include "base/memory.h"
#include "results/hdf5_file.h"
#include "results/layout.h"
#include "results/thinning.h"

/* ---- thinning ---------------------------------------------------------------------------------
 */

TEST(steps_are_counted_with_a_last_shorter_one)
{
    check_equal(10, olo_thinning_steps(0.0, 1.0, 0.1));
    check_equal(11, olo_thinning_steps(0.0, 1.05, 0.1));
    check_equal(5, olo_thinning_steps(0.5, 1.0, 0.1));
    check_equal(3, olo_thinning_steps(0.0, 0.3, 0.1)); // 0.3/0.1 is just below 3
    check_equal(1000000, olo_thinning_steps(0.0, 1000.0, 1e-3));
}

TEST(senseless_times_have_no_steps)
{
    check_equal(0, olo_thinning_steps(1.0, 0.0, 0.1));
    check_equal(0, olo_thinning_steps(0.0, 1.0, 0.0));
    check_equal(0, olo_thinning_steps(0.0, 1.0, -0.1));
    check_equal(0, olo_thinning_steps(0.0, (double)NAN, 0.1));
    check_true(olo_thinning_steps(0.0, 1e300, 1e-300) > 1000000000L);
}

TEST(a_stride_limits_the_number_of_rows)
{
    check_equal(1, olo_thinning_stride(0, 10000));
    check_equal(1, olo_thinning_stride(10000, 10000));
    check_equal(2, olo_thinning_stride(10001, 10000));
    check_equal(100, olo_thinning_stride(1000000, 10000));
    check_equal(1, olo_thinning_stride(100, 0));
    for (long steps = 1; steps < 500; steps++) {
        for (long rows = 1; rows < 50; rows++) {
            const long stride = olo_thinning_stride(steps, rows);
            check_true((steps + stride - 1) / stride <= rows);
        }
    }
}

TEST(no_spike_is_lost_in_a_bucket)
{
    olo_thinning thin = {.columns = 2, .summed = {false, true}};
    const double rows[4][2] = {{1.0, 3.0}, {-7.0, 2.0}, {50.0, 9.0}, {2.0, 4.0}};
    for (int i = 0; i < 4; i++)
        olo_thinning_add(&thin, rows[i]);
    check_equal(4, thin.count);
    check_close(2.0, thin.value[0], 0.0);
    check_close(-7.0, thin.minimum[0], 0.0);
    check_close(50.0, thin.maximum[0], 0.0);
    check_close(18.0, thin.value[1], 0.0);
    check_close(2.0, thin.minimum[1], 0.0);
    check_close(9.0, thin.maximum[1], 0.0);
    olo_thinning_clear(&thin);
    olo_thinning_add(&thin, rows[0]);
    check_close(1.0, thin.maximum[0], 0.0);
    check_close(3.0, thin.value[1], 0.0);
}

TEST(a_number_that_is_none_is_not_lost_in_a_bucket)
{
    const double rows[3] = {1.0, (double)NAN, 2.0};
    for (int first = 0; first < 3; first++) {
        olo_thinning thin = {.columns = 1};
        for (int i = 0; i < 3; i++)
            olo_thinning_add(&thin, &rows[(first + i) % 3]);
        check_true(isnan(thin.minimum[0]) && isnan(thin.maximum[0]));
    }
}

/* ---- units ------------------------------------------------------------------------------------
 */

TEST(units_are_symbols_in_si_and_dimensions_otherwise)
{
    char text[OLO_UNITS_SIZE];
    olo_layout_units(OLO_DIMENSION_ENERGY, "SI", text);
    check_text("J", text);
    olo_layout_units(OLO_DIMENSION_MOMENTUM, "mm, t, s", text);
    check_text("mass length / time (mm, t, s)", text);
    olo_layout_units(OLO_DIMENSION_NONE, "mm, t, s", text);
    check_text("1", text);
}

/* ---- files ------------------------------------------------------------------------------------
 */

#define FILE_NAME "unit-results.h5"

static olo_hdf5 *create(void)
{
    olo_hdf5 *file = NULL;
    olo_error error = {0};
    check_ok(olo_hdf5_create(FILE_NAME, &file, &error), &error);
    return file;
}

static olo_hdf5 *reopen(olo_hdf5 *file)
{
    olo_error error = {0};
    check_ok(olo_hdf5_finish(file, &error), &error);
    check_ok(olo_hdf5_open(FILE_NAME, &file, &error), &error);
    return file;
}

static void finish(olo_hdf5 *file)
{
    check_ok(olo_hdf5_close(file, NULL), NULL);
    unlink(FILE_NAME);
}

TEST(attributes_come_back)
{
    olo_error error = {0};
    olo_hdf5 *file = create();
    check_ok(olo_hdf5_add_group(file, "/run", &error), &error);
    check_ok(olo_hdf5_set_text(file, "/", "name", "Kreisel \xC3\xBC", &error), &error);
    check_ok(olo_hdf5_set_text(file, "/", "empty", NULL, &error), &error);
    check_ok(olo_hdf5_set_number(file, "/run", "step", 0.1, &error), &error);
    check_ok(olo_hdf5_set_integer(file, "/run", "steps", 123456789012LL, &error), &error);
    // a second value replaces the first
    check_ok(olo_hdf5_set_text(file, "/run", "status", "running", &error), &error);
    check_ok(olo_hdf5_set_text(file, "/run", "status", "OK", &error), &error);
    file = reopen(file);
    char **texts = NULL;
    size_t count = 0;
    check_ok(olo_hdf5_get_texts(file, "/", "name", &texts, &count, &error), &error);
    check_equal(1, count);
    check_text("Kreisel \xC3\xBC", texts[0]);
    olo_hdf5_texts_free(texts);
    check_ok(olo_hdf5_get_texts(file, "/", "empty", &texts, &count, &error), &error);
    check_text("", texts[0]);
    olo_hdf5_texts_free(texts);
    check_ok(olo_hdf5_get_texts(file, "/run", "status", &texts, &count, &error), &error);
    check_text("OK", texts[0]);
    olo_hdf5_texts_free(texts);
    double value = 0.0;
    check_ok(olo_hdf5_get_number(file, "/run", "step", &value, &error), &error);
    check_close(0.1, value, 0.0);
    check_ok(olo_hdf5_get_number(file, "/run", "steps", &value, &error), &error);
    check_close(123456789012.0, value, 0.0);
    check_status(OLO_NOT_FOUND, olo_hdf5_get_number(file, "/run", "none", &value, &error));
    check_contains(FILE_NAME, error.text);
    check_contains("none", error.text);
    check_status(OLO_IO, olo_hdf5_get_number(file, "/", "name", &value, &error));
    check_status(OLO_IO, olo_hdf5_get_texts(file, "/run", "step", &texts, &count, &error));
    finish(file);
}

TEST(an_attribute_may_hold_the_names_of_ten_thousand_bodies)
{
    enum { COUNT = 120000 };
    const char **names = olo_alloc(COUNT, sizeof *names);
    for (int i = 0; i < COUNT; i++)
        names[i] = i % 2 == 0 ? "a.position.x" : "body.director.z";
    olo_error error = {0};
    olo_hdf5 *file = create();
    check_ok(olo_hdf5_set_texts(file, "/", "columns", names, COUNT, &error), &error);
    file = reopen(file);
    char **texts = NULL;
    size_t count = 0;
    check_ok(olo_hdf5_get_texts(file, "/", "columns", &texts, &count, &error), &error);
    check_equal(COUNT, count);
    check_text("body.director.z", texts[COUNT - 1]);
    check_true(texts[COUNT] == NULL);
    olo_hdf5_texts_free(texts);
    olo_free(names);
    finish(file);
}

TEST(tables_grow_by_blocks_and_are_read_by_rectangles)
{
    olo_error error = {0};
    olo_hdf5 *file = create();
    int wide = 0, thin = 0, whole = 0;
    check_ok(
        olo_hdf5_add_table(
            file,
            &(olo_hdf5_table){
                .path = "/q", .width = 5, .rows = 3000, .units = "m", .description = "positions"},
            &wide, &error),
        &error);
    check_ok(olo_hdf5_add_table(file, &(olo_hdf5_table){.path = "/t", .rows = 3000}, &thin, &error),
             &error);
    check_ok(
        olo_hdf5_add_table(file, &(olo_hdf5_table){.path = "/n", .integer = true}, &whole, &error),
        &error);
    double block[1000][5], time[1000];
    const size_t sizes[4] = {1, 999, 0, 1000};
    size_t rows = 0;
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizes[k]; i++, rows++) {
            time[i] = (double)rows;
            for (size_t j = 0; j < 5; j++)
                block[i][j] = (double)rows + 0.1 * (double)j;
        }
        check_ok(olo_hdf5_append(file, wide, sizes[k], &block[0][0], &error), &error);
        check_ok(olo_hdf5_append(file, thin, sizes[k], time, &error), &error);
        check_ok(olo_hdf5_append(file, whole, sizes[k], time, &error), &error);
        check_ok(olo_hdf5_flush(file, &error), &error);
    }
    file = reopen(file);
    size_t columns = 0;
    check_ok(olo_hdf5_shape(file, "/q", &rows, &columns, &error), &error);
    check_true(rows == 2000 && columns == 5);
    check_ok(olo_hdf5_shape(file, "/t", &rows, &columns, &error), &error);
    check_true(rows == 2000 && columns == 1);
    double got[4];
    check_ok(olo_hdf5_read(file, "/q", (size_t[2]){998, 2}, (size_t[2]){2, 2}, got, &error),
             &error);
    check_close(998.0 + 0.1 * 2.0, got[0], 0.0);
    check_close(998.0 + 0.1 * 3.0, got[1], 0.0);
    check_close(999.0 + 0.1 * 3.0, got[3], 0.0);
    check_ok(olo_hdf5_read(file, "/t", (size_t[2]){1999, 0}, (size_t[2]){1, 1}, got, &error),
             &error);
    check_close(1999.0, got[0], 0.0);
    check_ok(olo_hdf5_read(file, "/n", (size_t[2]){1234, 0}, (size_t[2]){1, 1}, got, &error),
             &error);
    check_close(1234.0, got[0], 0.0);
    check_true(olo_hdf5_has(file, "/q") && !olo_hdf5_has(file, "/nothing/there"));
    check_status(OLO_IO,
                 olo_hdf5_read(file, "/none", (size_t[2]){0, 0}, (size_t[2]){1, 1}, got, &error));
    check_contains("/none", error.text);
    check_contains(FILE_NAME, error.text);
    check_status(OLO_IO,
                 olo_hdf5_read(file, "/q", (size_t[2]){1999, 0}, (size_t[2]){2, 5}, got, &error));
    finish(file);
}

TEST(texts_of_a_dataset_come_back)
{
    olo_error error = {0};
    olo_hdf5 *file = create();
    const char *const names[3] = {"a", "", "long name with a few words"};
    check_ok(olo_hdf5_write_texts(file, "/names", "three", names, 3, &error), &error);
    check_ok(olo_hdf5_write_texts(file, "/none", "none", names, 0, &error), &error);
    check_ok(olo_hdf5_write_text(file, "/text", "one", "line 1\nline 2\n", &error), &error);
    file = reopen(file);
    char **texts = NULL;
    size_t count = 0;
    check_ok(olo_hdf5_read_texts(file, "/names", &texts, &count, &error), &error);
    check_equal(3, count);
    check_text("a", texts[0]);
    check_text("", texts[1]);
    check_text(names[2], texts[2]);
    olo_hdf5_texts_free(texts);
    check_ok(olo_hdf5_read_texts(file, "/none", &texts, &count, &error), &error);
    check_equal(0, count);
    olo_hdf5_texts_free(texts);
    check_ok(olo_hdf5_read_texts(file, "/text", &texts, &count, &error), &error);
    check_text("line 1\nline 2\n", texts[0]);
    olo_hdf5_texts_free(texts);
    check_status(OLO_IO, olo_hdf5_read_texts(file, "/nothing", &texts, &count, &error));
    check_true(texts == NULL);
    finish(file);
}

TEST(what_cannot_be_created_says_which_file_and_why)
{
    olo_hdf5 *file = NULL;
    olo_error error = {0};
    check_status(OLO_IO, olo_hdf5_create("no/such/directory/x.h5", &file, &error));
    check_text("cannot create 'no/such/directory/x.h5': No such file or directory", error.text);
    check_true(file == NULL);
    mkdir("unit-results.d", 0777);
    check_status(OLO_BAD_INPUT, olo_hdf5_create("unit-results.d", &file, &error));
    check_text(
        "cannot create 'unit-results.d': it is a folder, and only a regular file is replaced",
        error.text);
    rmdir("unit-results.d");
    check_status(OLO_IO, olo_hdf5_create("", &file, &error));
}

TEST(what_cannot_be_opened_says_which_file_and_why)
{
    olo_hdf5 *file = NULL;
    olo_error error = {0};
    check_status(OLO_IO, olo_hdf5_open("nothing.h5", &file, &error));
    check_text("cannot open 'nothing.h5': No such file or directory", error.text);
    check_status(OLO_IO, olo_hdf5_open(".", &file, &error));
    check_text("cannot open '.': Is a directory", error.text);
    FILE *text = fopen(FILE_NAME, "w");
    fprintf(text, "no HDF5 at all\n");
    fclose(text);
    check_status(OLO_IO, olo_hdf5_open(FILE_NAME, &file, &error));
    check_text("cannot read '" FILE_NAME "': it is not a result of oloid (no HDF5 file)",
               error.text);
    check_true(file == NULL);
    unlink(FILE_NAME);
}

TEST(a_file_that_another_process_writes_is_left_alone)
{
    olo_error error = {0};
    const int descriptor = open(FILE_NAME, O_RDWR | O_CREAT, 0666);
    check_equal(0, flock(descriptor, LOCK_EX));
    check_equal(5, write(descriptor, "hello", 5));
    olo_hdf5 *file = NULL;
    check_status(OLO_IO, olo_hdf5_create(FILE_NAME, &file, &error));
    check_text("cannot create '" FILE_NAME "': another process is writing it", error.text);
    check_equal(5, lseek(descriptor, 0, SEEK_END));
    close(descriptor);
    unlink(FILE_NAME);
}

TEST(a_full_disk_is_an_error_wherever_it_strikes_and_hdf5_lives_on)
{
    double block[512];
    for (size_t i = 0; i < 512; i++)
        block[i] = (double)i;
    for (rlim_t bytes = 0; bytes < 60000; bytes += 997) {
        olo_error error = {0};
        olo_hdf5 *file = NULL;
        int table = 0;
        limit_files(bytes);
        olo_status status = olo_hdf5_create(FILE_NAME, &file, &error);
        const olo_hdf5_table layout = {.path = "/t", .rows = 100000, .units = "s"};
        for (int i = 0; status == OLO_OK && i < 100; i++) {
            const char *const texts[2] = {"first.column", "second.column"};
            char name[16];
            snprintf(name, sizeof name, "text %d", i);
            status = i == 0 ? olo_hdf5_add_table(file, &layout, &table, &error)
                            : olo_hdf5_append(file, table, 512, block, &error);
            if (status == OLO_OK)
                status = olo_hdf5_set_texts(file, "/", name, texts, 2, &error);
            if (status == OLO_OK && i % 3 == 0)
                status = olo_hdf5_flush(file, &error);
        }
        const olo_status closed = olo_hdf5_finish(file, NULL);
        limit_files(RLIM_INFINITY);
        check_status(OLO_IO, status);
        check_true(closed == OLO_IO && access(FILE_NAME, F_OK) != 0);
        check_contains(FILE_NAME, error.text);
        check_contains("File too large", error.text);
    }
    finish(create()); // HDF5 works again
}

TEST(lack_of_memory_is_an_error_and_nothing_leaks)
{
    const size_t alive = olo_memory_alive();
    for (size_t n = 1; n < 30; n++) {
        olo_memory_fail_at(n);
        olo_hdf5 *file = NULL;
        char **texts = NULL;
        size_t count = 0;
        int table = 0;
        const char *const names[2] = {"a", "b"};
        olo_status status = olo_hdf5_create(FILE_NAME, &file, NULL);
        if (status == OLO_OK)
            status = olo_hdf5_add_table(file, &(olo_hdf5_table){.path = "/t"}, &table, NULL);
        if (status == OLO_OK)
            status = olo_hdf5_write_texts(file, "/names", "", names, 2, NULL);
        if (status == OLO_OK)
            status = olo_hdf5_finish(file, NULL);
        else
            olo_hdf5_close(file, NULL);
        file = NULL;
        if (status == OLO_OK && olo_hdf5_open(FILE_NAME, &file, NULL) == OLO_OK) {
            olo_hdf5_read_texts(file, "/names", &texts, &count, NULL);
            olo_hdf5_texts_free(texts);
            olo_hdf5_close(file, NULL);
        }
        olo_memory_fail_at(0);
        check_equal(alive, olo_memory_alive());
    }
    unlink(FILE_NAME);
}

/* Writes and reads a file that no other thread uses. */
static void *work_alone(void *context)
{
    const char *path = context;
    for (int round = 0; round < 20; round++) {
        olo_hdf5 *file = NULL;
        int table = 0;
        double values[100];
        for (int i = 0; i < 100; i++)
            values[i] = round + i;
        if (olo_hdf5_create(path, &file, NULL) != OLO_OK ||
            olo_hdf5_add_table(file, &(olo_hdf5_table){.path = "/t"}, &table, NULL) != OLO_OK ||
            olo_hdf5_append(file, table, 100, values, NULL) != OLO_OK ||
            olo_hdf5_read(file, "/t", (size_t[2]){50, 0}, (size_t[2]){1, 1}, values, NULL) !=
                OLO_OK ||
            values[0] != round + 50 || olo_hdf5_finish(file, NULL) != OLO_OK)
            return context;
    }
    unlink(path);
    return NULL;
}

TEST(threads_may_write_files_at_the_same_time)
{
    char paths[4][32];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "unit-results-%d.h5", i);
        check_equal(0, pthread_create(&threads[i], NULL, work_alone, paths[i]));
    }
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        check_true(failed == NULL);
    }
}

TEST_MAIN(cmocka_unit_test(steps_are_counted_with_a_last_shorter_one),
          cmocka_unit_test(senseless_times_have_no_steps),
          cmocka_unit_test(a_stride_limits_the_number_of_rows),
          cmocka_unit_test(no_spike_is_lost_in_a_bucket),
          cmocka_unit_test(a_number_that_is_none_is_not_lost_in_a_bucket),
          cmocka_unit_test(units_are_symbols_in_si_and_dimensions_otherwise),
          cmocka_unit_test(attributes_come_back),
          cmocka_unit_test(an_attribute_may_hold_the_names_of_ten_thousand_bodies),
          cmocka_unit_test(tables_grow_by_blocks_and_are_read_by_rectangles),
          cmocka_unit_test(texts_of_a_dataset_come_back),
          cmocka_unit_test(what_cannot_be_created_says_which_file_and_why),
          cmocka_unit_test(what_cannot_be_opened_says_which_file_and_why),
          cmocka_unit_test(a_file_that_another_process_writes_is_left_alone),
          cmocka_unit_test(a_full_disk_is_an_error_wherever_it_strikes_and_hdf5_lives_on),
          cmocka_unit_test(lack_of_memory_is_an_error_and_nothing_leaks),
          cmocka_unit_test(threads_may_write_files_at_the_same_time))
