/* The parts of reports: growing texts, JSON for a page, series with few points, plots as SVG,
 * whole pages. Failed allocations and failed changes of files are reported and leave no
 * incomplete file. */
#include <stdlib.h>
#include <unistd.h>

#include "hidden.h"
#include "scene.h"

#include "base/initialised.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/write.h"
#include "results/decimate.h"
#include "results/page.h"
#include "results/study_page.h"
#include "results/svg.h"

static const char *ended(olo_text *text)
{
    olo_text_add(text, "", 1);
    return text->bytes;
}

TEST(base64_as_of_rfc_4648)
{
    static const char *const cases[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        olo_text text = {0};
        olo_text_base64(&text, cases[i][0], strlen(cases[i][0]));
        check_text(cases[i][1], ended(&text));
        olo_text_free(&text);
    }
    const unsigned char high[3] = {0xfb, 0xff, 0xbf};
    olo_text text = {0};
    olo_text_base64(&text, high, sizeof high);
    check_text("+/+/", ended(&text));
    olo_text_free(&text);
}

TEST(words_in_html_are_escaped_and_valid)
{
    olo_text text = {0};
    olo_text_escaped(&text, "<b a=\"x\" c='y'> & \xc3\xa9 \xff\x01\n");
    check_text("&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt; &amp; \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\n",
               ended(&text));
    olo_text_free(&text);
}

TEST(json_in_a_page_cannot_end_its_element)
{
    olo_text text = {0};
    olo_json json = {.page = &text};
    const double numbers[3] = {1.5, NAN, -0.1};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "a</script>", "<!--\"\\\n\t\x01\xff");
    olo_json_numbers(&json, "n", numbers, 3);
    olo_json_bytes(&json, "b", "foo", 3);
    olo_json_close(&json);
    check_text("{\"a\\u003c/script>\":\"\\u003c!--\\\"\\\\\\n\\t\\u0001\\ufffd\","
               "\"n\":[1.5,null,-0.10000000000000001],\"b\":\"Zm9v\"}",
               ended(&text));
    olo_text_free(&text);
}

TEST(few_points_include_the_ends_and_every_extreme)
{
    enum { COUNT = 10000, MOST = 101 };
    static double values[COUNT];
    static size_t rows[MOST];
    for (int i = 0; i < COUNT; i++)
        values[i] = sin(0.001 * i);
    values[7777] = 5; /* spikes of a single row */
    values[1234] = -5;
    values[4321] = NAN;
    const size_t count = olo_decimate(values, COUNT, MOST, rows);
    check_true(count <= MOST && count > MOST / 2);
    check_equal(0, rows[0]);
    check_equal(COUNT - 1, rows[count - 1]);
    bool high = false, low = false, missing = false;
    for (size_t i = 0; i < count; i++) {
        check_true(i == 0 || rows[i] > rows[i - 1]);
        high = high || rows[i] == 7777;
        low = low || rows[i] == 1234;
        missing = missing || rows[i] == 4321;
    }
    check_true(high && low && missing);
    check_equal(50, olo_decimate(values, 50, MOST, rows));
    check_equal(0, olo_decimate(values, 0, MOST, rows));
}

static char *draw(const olo_svg *plot)
{
    olo_text text = {0};
    olo_svg_draw(&text, plot, true);
    (void)ended(&text);
    return text.bytes;
}

TEST(plots_of_anything_are_drawn)
{
    const double x[4] = {0, 1, 2, 3}, rising[4] = {1e-16, 1e-8, 0, 1}, constant[4] = {8, 8, 8, 8};
    const double nothing[4] = {NAN, INFINITY, NAN, -INFINITY};
    olo_svg plot = {
        .title = "a < b", .x_label = "t", .y_label = "", .y_log = true, .series_count = 1};
    plot.series[0] = (olo_svg_series){"one", x, rising, 4};
    char *picture = draw(&plot);
    check_contains("a &lt; b", picture);
    check_contains(">1e-10<", picture);
    olo_free(picture);
    /* on a logarithmic scale zero is a gap: two points before it, one after */
    picture = draw(&plot);
    const char *curve = strstr(picture, "stroke-linejoin");
    int starts = 0;
    for (const char *c = strstr(curve, " d=\""); *c != '/'; c++)
        starts += *c == 'M';
    check_equal(2, starts);
    olo_free(picture);
    plot.y_log = false;
    plot.series[0].y = constant;
    picture = draw(&plot);
    check_contains(">8<", picture);
    olo_free(picture);
    plot.series[0].y = nothing;
    plot.marks = true;
    picture = draw(&plot);
    check_contains("</svg>", picture);
    check_true(strstr(picture, "nan") == NULL && strstr(picture, "inf") == NULL);
    olo_free(picture);
}

/* --- whole reports --- */

static char folder[64], result[96], beams[96], page[96];

/* The result of a model of the catalogue, up to a time. */
static void record(const char *model, double end, const char *path)
{
    scene s = scene_open(model, NULL);
    olo_run run = s.run;
    run.end = end;
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    check_ok(olo_recorder_create(path, s.model, s.system, &run, "test", &recorder, &error), &error);
    const olo_observer observer = olo_recorder_observer(recorder);
    check_ok(olo_simulate(s.system, &run, s.state, &observer, 1, &summary, &error), &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    scene_close(&s);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/oloid-report-test-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(result, sizeof result, "%s/r.h5", folder);
    snprintf(page, sizeof page, "%s/r.html", folder);
    snprintf(beams, sizeof beams, "%s/b.h5", folder);
    record("six-body-linkage", 0.1, result);
    record("flying-beam", 0.2, beams);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(page);
    unlink(result);
    unlink(beams);
    return rmdir(folder);
}

static const char *cell(const void *context, size_t row, int column)
{
    (void)context;
    return row == 0 ? "head" : column == 0 ? "<name>" : "-";
}

/* Calls every function that writes a page. */
static olo_status write_report(olo_error *error)
{
    return olo_report_write(result, page, NULL, error);
}

static olo_status write_beams(olo_error *error)
{
    return olo_report_write(beams, page, NULL, error);
}

static olo_status write_plain(olo_error *error)
{
    const olo_report_options plain = {.initialised = OLO_INITIALISED_REPORT_OPTIONS, .plain = true};
    return olo_report_write(result, page, &plain, error);
}

static olo_status write_svg(olo_error *error)
{
    return olo_report_write_svg(result, "three.velocity", page, error);
}

static olo_status write_study(olo_error *error)
{
    static const double x[2] = {1, 2};
    const olo_study_table table = {"table", 2, 2, cell, NULL};
    const olo_study_fact facts[] = {{"fact", "value"}, {"none", ""}, {"none", NULL}};
    const olo_svg plot = {.title = "p",
                          .x_label = "x",
                          .y_label = "y",
                          .series_count = 1,
                          .series = {{"s", x, x, 2}}};
    const olo_study_page study = {"title", "subtitle", "description", 3,    1,
                                  1,       facts,      &table,        &plot};
    return olo_study_page_write(&study, page, error);
}

static olo_status (*const writers[])(olo_error *error) = {write_report, write_beams, write_plain,
                                                          write_svg, write_study};
enum { WRITERS = sizeof writers / sizeof writers[0] };

TEST(running_out_of_memory_anywhere_is_reported_and_leaks_nothing)
{
    for (int k = 0; k < WRITERS; k++) {
        olo_status status = OLO_NO_MEMORY;
        int n = 1;
        for (; status != OLO_OK && n < 100000; n += SANITIZED ? 5 : 1) {
            olo_error error = {0};
            const size_t alive = olo_memory_alive();
            olo_memory_fail_at((size_t)n);
            status = writers[k](&error);
            olo_memory_fail_at(0);
            check_true(status == OLO_OK || status == OLO_NO_MEMORY);
            check_true(status == OLO_OK || error.text[0] != '\0');
            check_equal(alive, olo_memory_alive());
        }
        check_ok(status, NULL);
        check_true(n > 3);
    }
}

TEST(a_page_that_cannot_be_written_leaves_the_old_one)
{
    for (int k = 0; k < WRITERS; k++) {
        FILE *file = fopen(page, "w");
        fputs("old", file);
        fclose(file);
        olo_status status = OLO_IO;
        for (size_t n = 1; status != OLO_OK; n++) {
            olo_error error = {0};
            olo_write_fail_at(n);
            status = writers[k](&error);
            olo_write_fail_at(0);
            if (status != OLO_OK) {
                char text[8] = "";
                check_status(OLO_IO, status);
                check_contains(page, error.text);
                file = fopen(page, "r");
                check_true(fread(text, 1, 7, file) == 3 && strcmp(text, "old") == 0);
                fclose(file);
                check_equal(0, count_hidden(folder));
            }
        }
    }
}

TEST(what_is_no_result_has_no_report)
{
    olo_error error = {0};
    check_true(olo_report_write("/nonexistent.h5", page, NULL, &error) != OLO_OK);
    check_contains("/nonexistent.h5", error.text);
    check_status(OLO_NOT_FOUND, olo_report_write_svg(result, "nothing", page, &error));
    check_contains("nothing", error.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_as_of_rfc_4648),
        cmocka_unit_test(words_in_html_are_escaped_and_valid),
        cmocka_unit_test(json_in_a_page_cannot_end_its_element),
        cmocka_unit_test(few_points_include_the_ends_and_every_extreme),
        cmocka_unit_test(plots_of_anything_are_drawn),
        cmocka_unit_test(running_out_of_memory_anywhere_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_page_that_cannot_be_written_leaves_the_old_one),
        cmocka_unit_test(what_is_no_result_has_no_report)};
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    return cmocka_run_group_tests(tests, set_up, tear_down) == 0 ? 0 : 1;
}
