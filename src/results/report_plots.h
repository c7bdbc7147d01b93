/* The plots of a report: their names, columns and numbers. */
#ifndef OLO_RESULTS_REPORT_PLOTS_H
#define OLO_RESULTS_REPORT_PLOTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "base/pool.h"
#include "results/result_private.h"
#include "results/svg.h"

/* Columns of the result in one diagram over time. */
typedef struct olo_report_plot {
    const char *name;  /* for the command: "energy", "tip.position" */
    const char *title; /* for people */
    const char *units;
    bool log;    /* logarithmic scale */
    bool drift;  /* the change since the start, |x - x(0)| */
    bool first;  /* shown when the report opens */
    bool sparse; /* curves that stay zero are omitted */
    bool ledger; /* the file also has the extremes between recorded states */
    int count;
    const char *columns[OLO_SVG_SERIES_MAX];
    const char *labels[OLO_SVG_SERIES_MAX];
    double scales[OLO_SVG_SERIES_MAX]; /* scale of a drift */
} olo_report_plot;

typedef struct olo_report_plots {
    olo_pool pool;
    olo_report_plot *items;
    size_t count, capacity;
    bool failed; /* memory was exhausted */
    const char *time_units;
    const char *axis;     /* what the time is, or NULL */
    bool still;           /* the states are no motion: what is always zero has no plot */
    size_t first_part;    /* number of plots of the ledger, outputs and joints */
    size_t nodes_omitted; /* points and bodies without plots */
    bool extremes;        /* not every step was recorded: extremes of the ledger are shown */
    double *impact;       /* [impacts] times of impacts, which every plot marks */
    size_t impacts;
} olo_report_plots;

/* Finds all plots of a result, the most important ones first. */
olo_status olo_report_plots_find(olo_report_plots *plots, olo_result *result, olo_error *error);
void olo_report_plots_free(olo_report_plots *plots);

/* Adds "plots" and "columns" to the page's data within the given number of bytes. Series are
 * decimated with their extremes, and what does not fit is omitted. Sentences about that are added
 * to `thinned`, one per line. */
olo_status olo_report_plots_json(const olo_report_plots *plots, olo_result *result, size_t bytes,
                                 olo_json *json, olo_text *thinned, olo_error *error);

/* Draws a plot as SVG. */
olo_status olo_report_plots_svg(const olo_report_plots *plots, olo_result *result,
                                const olo_report_plot *plot, bool standalone, olo_text *out,
                                olo_error *error);

/* Finds a plot by its name, or by that of a column or a vector; OLO_NOT_FOUND, with a suggestion,
 * if there is none. */
olo_status olo_report_plots_by_name(olo_report_plots *plots, olo_result *result, const char *name,
                                    const olo_report_plot **plot, olo_error *error);

#endif
