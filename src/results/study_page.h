/* The page of a study: tables of numbers and plots, of the same kind as the report of a run. */
#ifndef OLO_RESULTS_STUDY_PAGE_H
#define OLO_RESULTS_STUDY_PAGE_H

#include <stddef.h>

#include "base/json.h"
#include "results/svg.h"

/* A table; the first row contains the headings. Columns that are empty below it are omitted. */
typedef struct olo_study_table {
    const char *title;
    size_t rows;
    int columns;
    const char *(*cell)(const void *context, size_t row, int column);
    const void *context;
} olo_study_table;

typedef struct olo_study_fact {
    const char *label, *value; /* omitted when the value is empty or NULL */
} olo_study_fact;

typedef struct olo_study_page {
    const char *title, *subtitle, *description;
    int fact_count, table_count, plot_count;
    const olo_study_fact *facts;
    const olo_study_table *tables;
    const olo_svg *plots;
} olo_study_page;

/* Tables and plots within another page: as members of its data, and as plain HTML. */
void olo_study_page_json(const olo_study_page *study, olo_json *json);
void olo_study_page_plain(const olo_study_page *study, olo_text *page);

olo_status olo_study_page_write(const olo_study_page *study, const char *path, olo_error *error);

#endif
