/* The page of a study, animated page or plain. */
#include "results/study_page.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "results/page.h"

static const char *cell(const olo_study_table *table, size_t row, int column)
{
    return table->cell(table->context, row, column);
}

/* True if a column is empty below its heading. */
static bool is_idle(const olo_study_table *table, int column)
{
    for (size_t row = 1; row < table->rows; row++) {
        const char *words = cell(table, row, column);
        if (words[0] != '\0' && strcmp(words, "-") != 0)
            return false;
    }
    return true;
}

static bool is_empty(const olo_study_fact *fact)
{
    return fact->value == NULL || fact->value[0] == '\0';
}

/* ---- as data --------------------------------------------------------------------------------- */

static void write_row(olo_json *json, const char *key, const olo_study_table *table, size_t row)
{
    olo_json_open(json, key, '[');
    for (int column = 0; column < table->columns; column++)
        if (!is_idle(table, column))
            olo_json_text(json, NULL, cell(table, row, column));
    olo_json_close(json);
}

static void write_table(olo_json *json, const olo_study_table *table)
{
    olo_json_open(json, NULL, '{');
    olo_json_text(json, "title", table->title);
    write_row(json, "columns", table, 0);
    olo_json_open(json, "rows", '[');
    for (size_t row = 1; row < table->rows; row++)
        write_row(json, NULL, table, row);
    olo_json_close(json);
    olo_json_close(json);
}

static void write_plot(olo_json *json, const olo_svg *plot)
{
    olo_json_open(json, NULL, '{');
    olo_json_text(json, "title", plot->title);
    olo_json_text(json, "x", plot->x_label);
    olo_json_text(json, "y", plot->y_label);
    olo_json_bool(json, "x_log", plot->x_log);
    olo_json_bool(json, "y_log", plot->y_log);
    olo_json_open(json, "series", '[');
    for (int k = 0; k < plot->series_count; k++) {
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "name", plot->series[k].name);
        olo_json_numbers(json, "x", plot->series[k].x, plot->series[k].count);
        olo_json_numbers(json, "y", plot->series[k].y, plot->series[k].count);
        olo_json_close(json);
    }
    olo_json_close(json);
    olo_json_close(json);
}

void olo_study_page_json(const olo_study_page *study, olo_json *json)
{
    olo_json_open(json, "tables", '[');
    for (int i = 0; i < study->table_count; i++)
        write_table(json, &study->tables[i]);
    olo_json_close(json);
    olo_json_open(json, "study_plots", '[');
    for (int i = 0; i < study->plot_count; i++)
        write_plot(json, &study->plots[i]);
    olo_json_close(json);
}

static void write_data(const olo_study_page *study, olo_text *out)
{
    olo_json json = {.page = out};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "kind", "study");
    olo_json_text(&json, "title", study->title);
    olo_json_text(&json, "subtitle", study->subtitle);
    olo_json_text(&json, "description", study->description);
    olo_json_open(&json, "facts", '[');
    for (int i = 0; i < study->fact_count; i++) {
        if (!is_empty(&study->facts[i])) {
            olo_json_open(&json, NULL, '[');
            olo_json_text(&json, NULL, study->facts[i].label);
            olo_json_text(&json, NULL, study->facts[i].value);
            olo_json_close(&json);
        }
    }
    olo_json_close(&json);
    olo_study_page_json(study, &json);
    olo_json_close(&json);
}

/* ---- as plain HTML --------------------------------------------------------------------------- */

static void put_table(olo_text *page, const olo_study_table *table)
{
    olo_page_element(page, "h2", table->title);
    olo_text_put(page, "<div class=\"scroll\"><table>\n");
    for (size_t row = 0; row < table->rows; row++) {
        olo_text_put(page, "<tr>");
        for (int column = 0; column < table->columns; column++) {
            if (!is_idle(table, column)) {
                olo_page_element(page, row == 0 || column == 0 ? "th" : "td",
                                 cell(table, row, column));
            }
        }
        olo_text_put(page, "</tr>\n");
    }
    olo_text_put(page, "</table></div>\n");
}

void olo_study_page_plain(const olo_study_page *study, olo_text *page)
{
    for (int i = 0; i < study->plot_count; i++)
        olo_svg_draw(page, &study->plots[i], false);
    for (int i = 0; i < study->table_count; i++)
        put_table(page, &study->tables[i]);
}

static void write_plain(const olo_study_page *study, olo_text *page)
{
    olo_page_plain_begin(page, study->title);
    olo_page_element(page, "h1", study->title);
    olo_page_element(page, "p", study->subtitle);
    olo_page_element(page, "p", study->description);
    olo_study_page_plain(study, page);
    olo_text_put(page, "<h2>Facts</h2>\n<div class=\"scroll\"><table>\n");
    for (int i = 0; i < study->fact_count; i++)
        if (!is_empty(&study->facts[i]))
            olo_page_fact(page, study->facts[i].label, study->facts[i].value);
    olo_text_put(page, "</table></div>\n");
    olo_page_plain_end(page);
}

olo_status olo_study_page_write(const olo_study_page *study, const char *path, olo_error *error)
{
    olo_text page = {0}, json = {0};
    if (olo_page_is_animated()) {
        write_data(study, &json);
        olo_page_animated(&page, study->title, &json);
    } else {
        write_plain(study, &page);
    }
    olo_text_free(&json);
    return olo_page_write(path, &page, error);
}
