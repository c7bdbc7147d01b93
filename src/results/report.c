/* Reports: a result as an HTML page. */
#include "oloid/report.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/json.h"
#include "base/memory.h"
#include "results/page.h"
#include "results/report_frames.h"
#include "results/report_optimum.h"
#include "results/report_plots.h"

/* Sizes of the parts in bytes. The page stays below 10 MB: script 1, animation 4, plots 4, and
 * texts. */
static const size_t FRAME_BYTES = 3800000, PLOT_BYTES = 3800000, TEXT_BYTES = 400000;

olo_report_options olo_report_options_default(void)
{
    return (olo_report_options){.initialised = OLO_INITIALISED_REPORT_OPTIONS};
}

bool olo_report_is_animated(void)
{
    return olo_page_is_animated();
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Facts with their names; facts that the file does not have are omitted. */
typedef struct fact {
    const char *label, *object, *name;
    bool number;
} fact;

static const fact FACTS[] = {
    {"Status", "/", "status", false},
    {"Command", "/", "command", false},
    {"Version", "/", "oloid_version", false},
    {"Created", "/", "created", false},
    {"Units", "/", "units", false},
    {"Points", "/model", "points", true},
    {"Bodies", "/model", "bodies", true},
    {"Coordinates", "/model", "coordinates", true},
    {"Constraints", "/model", "constraints", true},
    {"Rank", "/model", "rank", true},
    {"Degrees of freedom", "/model", "degrees_of_freedom", true},
    {"Scheme", "/run", "scheme", false},
    {"Order", "/run", "order", true},
    {"Treatment of constraints", "/run", "constraints", false},
    {"Unknowns", "/run", "unknowns", true},
    {"Time step", "/run", "step", true},
    {"End time", "/run", "end", true},
    {"Tolerance of steps (0: constant)", "/run", "tolerance", true},
    {"Newton tolerance", "/run", "newton_tolerance", true},
    {"Steps", "/run", "steps", true},
    {"Steps rejected", "/run", "rejections", true},
    {"Smallest step", "/run", "smallest_step", true},
    {"Largest step", "/run", "largest_step", true},
    {"Newton iterations", "/run", "newton_iterations", true},
    {"Steps halved", "/run", "halvings", true},
    {"Largest rotation in a step [rad]", "/run", "largest_rotation", true},
    {"Wall time [s]", "/run", "wall_seconds", true},
    {"Processor time [s]", "/run", "cpu_seconds", true},
};

/* A fact as text, formatted in `text` or read from the file; NULL if the file does not have it. */
static const char *read_fact(olo_result *result, const fact *f, char text[64])
{
    const char *words = NULL;
    double value = 0.0;
    if (!f->number) {
        const bool found =
            olo_result_attribute_text(result, f->object, f->name, &words, NULL) == OLO_OK;
        return found && words[0] != '\0' ? words : NULL;
    }
    if (olo_result_attribute_number(result, f->object, f->name, &value, NULL) != OLO_OK)
        return NULL;
    (void)snprintf(text, 64, "%.10g", value);
    return text;
}

static const char *text_of(olo_result *result, const char *object, const char *name)
{
    const char *text = NULL;
    return olo_result_attribute_text(result, object, name, &text, NULL) == OLO_OK ? text : "";
}

/* Reads the `count` verdicts. Free with olo_free. */
static olo_verdict *read_verdicts(olo_result *result, int *count, olo_status *status,
                                  olo_error *error)
{
    olo_verdict *verdicts = olo_alloc(OLO_VERDICTS_MAX, sizeof *verdicts);
    *status = verdicts != NULL ? olo_result_verdicts(result, verdicts, count, error)
                               : olo_fail(error, OLO_NO_MEMORY, "out of memory for a report");
    return verdicts;
}

/* ---- the animated page ----------------------------------------------------------------------- */

static void write_texts(olo_json *json, const char *key, olo_hdf5 *file, const char *object,
                        const char *name)
{
    char **texts = NULL;
    size_t count = 0;
    olo_json_open(json, key, '[');
    if (olo_hdf5_get_texts(file, object, name, &texts, &count, NULL) == OLO_OK) {
        for (size_t i = 0; i < count; i++)
            olo_json_text(json, NULL, texts[i]);
        olo_hdf5_texts_free(texts);
    }
    olo_json_close(json);
}

static void write_facts(olo_result *result, olo_json *json)
{
    olo_json_open(json, "facts", '[');
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        char text[64];
        const char *words = read_fact(result, &FACTS[i], text);
        if (words != NULL) {
            olo_json_open(json, NULL, '[');
            olo_json_text(json, NULL, FACTS[i].label);
            olo_json_text(json, NULL, words);
            olo_json_close(json);
        }
    }
    olo_json_close(json);
}

static olo_status write_verdicts(olo_result *result, olo_json *json, olo_error *error)
{
    int count = 0;
    olo_status status = OLO_OK;
    olo_verdict *verdicts = read_verdicts(result, &count, &status, error);
    olo_json_open(json, "verdict", '[');
    for (int i = 0; status == OLO_OK && i < count; i++) {
        const olo_verdict *v = &verdicts[i];
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "quantity", v->quantity);
        olo_json_text(json, "words", v->text);
        olo_json_text(json, "why", v->why);
        olo_json_number(json, "start", v->start);
        olo_json_number(json, "drift", v->drift);
        olo_json_number(json, "relative_drift", v->relative_drift);
        olo_json_number(json, "tolerance", v->tolerance);
        olo_json_text(json, "level", olo_verdict_level_name(v->level));
        olo_json_close(json);
    }
    olo_json_close(json);
    olo_free(verdicts);
    return status;
}

/* Adds the text of the model file, unless it is very long. */
static void write_model(olo_result *result, olo_json *json, olo_text *thinned)
{
    const char *text = "";
    if (olo_result_model_text(result, &text, NULL) != OLO_OK || text == NULL)
        text = "";
    if (strlen(text) > TEXT_BYTES) {
        text = "";
        olo_text_put(thinned, "The model file is too long for this page; the result has it.\n");
    }
    olo_json_text(json, "model_text", text);
    write_texts(json, "parameters", result->file, "/model", "parameters");
    write_texts(json, "settings", result->file, "/run", "settings");
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The parts of a page that are read from the result. */
typedef struct contents {
    olo_report_plots plots;
    olo_report_optimum optimum;
} contents;

static olo_status write_json(olo_result *result, const contents *has, olo_text *out,
                             olo_error *error)
{
    olo_json json = {.page = out};
    olo_text thinned = {0};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "kind", "run");
    olo_json_text(&json, "title", text_of(result, "/", "model"));
    olo_json_text(&json, "description", text_of(result, "/", "description"));
    olo_json_text(&json, "status", text_of(result, "/", "status"));
    olo_json_text(&json, "error", text_of(result, "/", "error"));
    olo_json_text(&json, "warnings", text_of(result, "/", "warnings"));
    olo_json_text(&json, "findings", text_of(result, "/", "findings"));
    olo_json_text(&json, "axis", text_of(result, "/", "axis"));
    olo_json_text(&json, "level", text_of(result, "/verdict", "level"));
    olo_json_text(&json, "shows", text_of(result, "/", "shows"));
    olo_json_text(&json, "file", file_name(result->path));
    write_facts(result, &json);
    olo_status status = write_verdicts(result, &json, error);
    write_model(result, &json, &thinned);
    if (status == OLO_OK)
        status = olo_report_frames_json(result, FRAME_BYTES, &json, &thinned, error);
    if (status == OLO_OK)
        status = olo_report_plots_json(&has->plots, result, PLOT_BYTES, &json, &thinned, error);
    olo_study_page_json(&has->optimum.page, &json);
    olo_text_add(&thinned, "", 1);
    olo_json_text(&json, "thinned", thinned.failed ? "" : thinned.bytes);
    olo_json_close(&json);
    olo_text_free(&thinned);
    return status;
}

/* ---- the plain page -------------------------------------------------------------------------- */

static void put_facts(olo_result *result, olo_text *page)
{
    olo_text_put(page, "<h2>Facts</h2>\n<div class=\"scroll\"><table>\n");
    for (size_t i = 0; i < sizeof FACTS / sizeof FACTS[0]; i++) {
        char text[64];
        const char *words = read_fact(result, &FACTS[i], text);
        if (words != NULL)
            olo_page_fact(page, FACTS[i].label, words);
    }
    olo_text_put(page, "</table></div>\n");
}

static olo_status put_verdicts(olo_result *result, olo_text *page, olo_error *error)
{
    int count = 0;
    olo_status status = OLO_OK;
    olo_verdict *verdicts = read_verdicts(result, &count, &status, error);
    olo_text_put(page, "<h2>Verdict</h2>\n<div class=\"scroll\"><table>\n");
    for (int i = 0; status == OLO_OK && i < count; i++) {
        static const char *const classes[] = {"good", "warn", "bad"};
        const char *level = olo_verdict_level_name(verdicts[i].level);
        olo_text_put(page, "<tr>");
        olo_page_element(page, "th", verdicts[i].quantity);
        olo_page_element(page, "td", verdicts[i].text);
        olo_text_format(page, "<td class=\"%s\">%s</td>", classes[verdicts[i].level], level);
        olo_page_element(page, "td", verdicts[i].why);
        olo_text_put(page, "</tr>\n");
    }
    olo_text_put(page, "</table></div>\n");
    const char *const notes[] = {text_of(result, "/", "warnings"),
                                 text_of(result, "/", "findings")};
    for (int i = 0; i < 2; i++)
        if (*notes[i] != '\0')
            olo_page_element(page, "p", notes[i]);
    const char *shows = text_of(result, "/", "shows");
    if (*shows != '\0')
        olo_page_element(page, "p", shows);
    else if (count == 0)
        olo_text_put(page, "<p>The run did not reach its end.</p>\n");
    olo_free(verdicts);
    return status;
}

static olo_status write_plain(olo_result *result, const contents *has, bool wanted, olo_text *page,
                              olo_error *error)
{
    const olo_report_plots *plots = &has->plots;
    const char *title = text_of(result, "/", "model");
    olo_page_plain_begin(page, title);
    olo_page_element(page, "h1", title);
    olo_page_element(page, "p", text_of(result, "/", "description"));
    if (!wanted) {
        olo_text_put(page,
                     "<p class=\"note\">The animation is missing: this oloid was built without its "
                     "page, which needs npm. Install Node.js and npm, build again, and <code>oloid "
                     "report</code> makes the animated page from the same result.</p>\n");
    }
    olo_status status = put_verdicts(result, page, error);
    olo_text_put(page, "<h2>Plots</h2>\n");
    for (size_t i = 0; status == OLO_OK && i < plots->count; i++)
        if (plots->items[i].first)
            status = olo_report_plots_svg(plots, result, &plots->items[i], false, page, error);
    olo_study_page_plain(&has->optimum.page, page);
    olo_text_put(page, "<p class=\"muted\">Of long runs every section shows its minimum and its "
                       "maximum. <code>oloid report --svg NAME</code> draws any "
                       "quantity.</p>\n");
    put_facts(result, page);
    olo_page_plain_end(page);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Opens a result and finds its plots. */
static olo_status open_result(const char *path, olo_result **result, olo_report_plots *plots,
                              olo_error *error)
{
    olo_status status = olo_result_open(path, result, error);
    if (status == OLO_OK)
        status = olo_report_plots_find(plots, *result, error);
    return status;
}

olo_status olo_report_write(const char *path, const char *to, const olo_report_options *options,
                            olo_error *error)
{
    const olo_report_options how = options != NULL ? *options : olo_report_options_default();
    if (olo_check_initialised(how.initialised, OLO_INITIALISED_REPORT_OPTIONS, error) != OLO_OK)
        return OLO_BAD_INPUT;
    const bool plain = how.plain;
    olo_result *result = NULL;
    contents has = {0};
    olo_text page = {0}, json = {0};
    olo_status status = open_result(path, &result, &has.plots, error);
    if (status == OLO_OK)
        status = olo_report_optimum_read(&has.optimum, result, error);
    if (status == OLO_OK && (plain || !olo_page_is_animated())) {
        status = write_plain(result, &has, plain, &page, error);
    } else if (status == OLO_OK) {
        status = write_json(result, &has, &json, error);
        olo_page_animated(&page, text_of(result, "/", "model"), &json);
    }
    olo_text_free(&json);
    olo_report_plots_free(&has.plots);
    olo_report_optimum_free(&has.optimum);
    olo_result_free(result);
    if (status == OLO_OK)
        return olo_page_write(to, &page, error);
    olo_text_free(&page);
    return status;
}

olo_status olo_report_write_svg(const char *path, const char *name, const char *to,
                                olo_error *error)
{
    olo_result *result = NULL;
    olo_report_plots plots = {0};
    olo_text picture = {0};
    olo_status status = open_result(path, &result, &plots, error);
    if (status == OLO_OK) {
        const olo_report_plot *plot = NULL;
        status = olo_report_plots_by_name(&plots, result, name, &plot, error);
        if (status == OLO_OK)
            status = olo_report_plots_svg(&plots, result, plot, true, &picture, error);
    }
    olo_report_plots_free(&plots);
    olo_result_free(result);
    if (status == OLO_OK)
        return olo_page_write(to, &picture, error);
    olo_text_free(&picture);
    return status;
}
