/* The part of a report about an optimum; see the header. */
#include "results/report_optimum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "results/layout.h"

/* Controls of this many elements have plots; the file of controls has all of them. */
enum { CONTROL_PLOTS = 12, PLOTS = CONTROL_PLOTS + 3, TABLES = 2 };

/* What is being read. */
typedef struct reader {
    olo_report_optimum *to;
    olo_result *result;
    olo_status status;
    olo_error *error;
    olo_svg *plots;
    olo_study_table *tables;
    const char *time; /* label of the axis */
} reader;

/* A table of the file, row-major, with names of its columns. */
typedef struct numbers {
    size_t rows, columns;
    double *values;
    const char **names; /* [columns] */
} numbers;

static void *take(reader *x, size_t count, size_t size)
{
    void *made = olo_pool_alloc(&x->to->pool, count, size);
    if (!made && x->status == OLO_OK)
        x->status = olo_fail(x->error, OLO_NO_MEMORY, "out of memory for a report");
    return made;
}

static const char *store(reader *x, const char *text)
{
    const char *copy = olo_pool_text(&x->to->pool, text, strlen(text));
    if (!copy && x->status == OLO_OK)
        x->status = olo_fail(x->error, OLO_NO_MEMORY, "out of memory for a report");
    return copy ? copy : "";
}

/* Reads a dataset; nothing, if the file does not have it. */
static numbers read_numbers(reader *x, const char *path)
{
    numbers found = {0};
    char **texts = NULL;
    size_t count = 0;
    olo_hdf5 *file = x->result->file;
    if (x->status != OLO_OK || !olo_hdf5_has(file, path))
        return found;
    x->status = olo_hdf5_shape(file, path, &found.rows, &found.columns, x->error);
    if (x->status != OLO_OK || found.rows == 0)
        return (numbers){0};
    found.values = take(x, found.rows * found.columns, sizeof(double));
    found.names = take(x, found.columns, sizeof(char *));
    if (x->status == OLO_OK)
        x->status = olo_hdf5_read(file, path, (size_t[]){0, 0},
                                  (size_t[]){found.rows, found.columns}, found.values, x->error);
    if (x->status == OLO_OK)
        x->status = olo_hdf5_get_texts(file, path, "columns", &texts, &count, x->error);
    if (x->status == OLO_OK && count != found.columns)
        x->status = olo_fail(x->error, OLO_BAD_INPUT, "'%s': %s has %zu columns and %zu names",
                             x->result->path, path, found.columns, count);
    for (size_t i = 0; x->status == OLO_OK && i < count; i++)
        found.names[i] = store(x, texts[i]);
    olo_hdf5_texts_free(texts);
    return x->status == OLO_OK ? found : (numbers){0};
}

static olo_svg *add_plot(reader *x, const char *title, const char *x_label, const char *y_label)
{
    olo_svg *plot = &x->plots[x->to->page.plot_count++];
    *plot = (olo_svg){.title = store(x, title), .x_label = x_label, .y_label = y_label};
    return plot;
}

static void add_series(olo_svg *plot, const char *name, const double *at, const double *y,
                       size_t count)
{
    if (plot->series_count < OLO_SVG_SERIES_MAX)
        plot->series[plot->series_count++] =
            (olo_svg_series){.name = name, .x = at, .y = y, .count = count};
}

/* One column of a table as an array. */
static double *column(reader *x, const numbers *of, size_t index)
{
    double *values = take(x, of->rows, sizeof *values);
    for (size_t k = 0; values && k < of->rows; k++)
        values[k] = of->values[k * of->columns + index];
    return values;
}

// -- plots ----------------------------------------------------------------------------------------

/* A control belongs to the middle of its interval; bounds reach from the first to the last. */
static void plot_controls(reader *x)
{
    const numbers of = read_numbers(x, "/optimum/controls"),
                  bounds = read_numbers(x, "/optimum/bounds");
    double *middle = of.rows > 0 ? take(x, of.rows, sizeof *middle) : NULL;
    if (!middle || of.columns < 3 || bounds.columns + 2 != of.columns || bounds.rows != 2)
        return;
    for (size_t k = 0; k < of.rows; k++)
        middle[k] = 0.5 * (of.values[k * of.columns] + of.values[k * of.columns + 1]);
    double *ends = take(x, 2, sizeof *ends);
    for (size_t i = 2; x->status == OLO_OK && i < of.columns && i < CONTROL_PLOTS + 2; i++) {
        char title[200];
        (void)snprintf(title, sizeof title, "Control of %s", of.names[i]);
        olo_svg *plot = add_plot(x, title, x->time, "");
        add_series(plot, of.names[i], middle, column(x, &of, i), of.rows);
        ends[0] = of.values[0];
        ends[1] = of.values[(of.rows - 1) * of.columns + 1];
        for (size_t side = 0; x->status == OLO_OK && side < 2; side++) {
            double *level = take(x, 2, sizeof *level);
            const double bound = bounds.values[side * bounds.columns + i - 2];
            if (!level || !isfinite(bound))
                continue;
            level[0] = level[1] = bound;
            add_series(plot, side ? "upper bound" : "lower bound", ends, level, 2);
        }
    }
}

/* The norm of the multipliers of each joint. */
static void plot_multipliers(reader *x)
{
    const numbers of = read_numbers(x, "/optimum/multipliers");
    double internal = 0;
    (void)olo_hdf5_get_number(x->result->file, "/optimum/multipliers", "internal", &internal, NULL);
    /* the rows of the result are the nodes */
    const bool all = of.rows > 1 && of.rows == x->result->rows;
    double *time = all ? take(x, of.rows, sizeof *time) : NULL;
    if (!time || !(internal >= 0) || (double)of.columns <= internal)
        return;
    x->status = olo_result_read_column(x->result, "time", time, x->error);
    olo_svg *plot = add_plot(x, "Multipliers of constraints (norm per joint)", x->time, "");
    for (size_t i = (size_t)internal; x->status == OLO_OK && i < of.columns;) {
        double *norm = take(x, of.rows, sizeof *norm);
        size_t end = i;
        while (end < of.columns && strcmp(of.names[end], of.names[i]) == 0)
            end++;
        for (size_t k = 0; norm && k < of.rows; k++) {
            for (size_t j = i; j < end; j++)
                norm[k] += of.values[k * of.columns + j] * of.values[k * of.columns + j];
            norm[k] = sqrt(norm[k]);
        }
        if (norm)
            add_series(plot, of.names[i], time, norm, of.rows);
        i = end;
    }
}

static void plot_iterations(reader *x)
{
    const numbers of = read_numbers(x, "/optimum/iterations");
    if (of.columns != 4)
        return;
    double *iteration = column(x, &of, 0);
    olo_svg *plot = add_plot(x, "Convergence of the solver", "iteration", "");
    plot->y_log = true;
    add_series(plot, "violation of constraints", iteration, column(x, &of, 2), of.rows);
    add_series(plot, "optimality", iteration, column(x, &of, 3), of.rows);
    plot = add_plot(x, "Cost during the solution", "iteration", "");
    add_series(plot, "cost", iteration, column(x, &of, 1), of.rows);
}

// -- tables ---------------------------------------------------------------------------------------

/* Cells of a table with two columns, row by row. */
typedef struct cells {
    const char **text; /* [rows x 2] */
    size_t rows;
} cells;

static const char *cell_of(const void *context, size_t row, int column)
{
    const cells *of = context;
    return of->text[2 * row + (size_t)column];
}

static cells *open_cells(reader *x, size_t rows)
{
    cells *made = take(x, 1, sizeof *made);
    if (made)
        made->text = take(x, 2 * rows, sizeof *made->text);
    return made && made->text ? made : NULL;
}

static void add_row(reader *x, cells *to, const char *name, const char *value)
{
    to->text[2 * to->rows] = store(x, name);
    to->text[2 * to->rows++ + 1] = store(x, value);
}

static void add_number(reader *x, cells *to, const char *name, double value)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.10g", value);
    add_row(x, to, name, text);
}

static void add_table(reader *x, const char *title, const cells *of)
{
    x->tables[x->to->page.table_count++] = (olo_study_table){
        .title = title, .rows = of->rows, .columns = 2, .cell = cell_of, .context = of};
}

static void tabulate_costs(reader *x)
{
    const numbers of = read_numbers(x, "/optimum/costs");
    cells *to = of.rows == 1 ? open_cells(x, of.columns + 2) : NULL;
    double total = 0;
    if (!to)
        return;
    add_row(x, to, "part of the cost", "value");
    for (size_t i = 0; i < of.columns; i++) {
        add_number(x, to, of.names[i], of.values[i]);
        total += of.values[i];
    }
    add_number(x, to, "sum", total);
    add_table(x, "Costs", to);
}

static const struct {
    const char *label, *name;
} CHECKS[] = {
    {"variables", "variables"},
    {"constraints", "constraints"},
    {"iterations", "iterations"},
    {"largest violation of a constraint", "violation"},
    {"residual of the conditions of optimality", "stationarity"},
    {"complementarity", "complementarity"},
    {"multiplier of the wrong sign", "sign"},
    {"active constraints", "active"},
    {"negative eigenvalues of the reduced Hessian (a minimum has none)", "negative"},
    {"zero eigenvalues of the reduced Hessian", "zero"},
    {"saddle points at which the solver ended", "saddles"},
    {"momenta that no control changes", "conserved"},
    {"largest change of one of them", "momentum"},
    {"defect of the balance of momentum [N s]", "linear_balance"},
    {"defect of the balance of angular momentum [N m s]", "angular_balance"},
    {"largest rotation of an interval [rad]", "turn"},
    {"small steps per interval", "resimulation_substeps"},
    {"largest distance from the motion with small steps", "resimulation_position"},
    {"largest angle from it [rad]", "resimulation_rotation"},
    {"distance at the end", "resimulation_end_position"},
    {"angle at the end [rad]", "resimulation_end_rotation"},
    {"seconds in total", "seconds"},
    {"seconds in the functions of the model", "own_seconds"},
};

static void tabulate_certificate(reader *x)
{
    const size_t count = sizeof CHECKS / sizeof *CHECKS;
    cells *to = open_cells(x, count + 1);
    if (!to)
        return;
    add_row(x, to, "checked after the solution", "value");
    for (size_t i = 0; i < count; i++) {
        double value;
        if (olo_hdf5_get_number(x->result->file, "/optimum", CHECKS[i].name, &value, NULL) ==
            OLO_OK)
            add_number(x, to, CHECKS[i].label, value);
    }
    add_table(x, "Certificate", to);
}

// -- all of it ------------------------------------------------------------------------------------

olo_status olo_report_optimum_read(olo_report_optimum *optimum, olo_result *result,
                                   olo_error *error)
{
    char label[OLO_UNITS_SIZE + 16];
    reader x = {.to = optimum, .result = result, .error = error};
    *optimum = (olo_report_optimum){0};
    if (!olo_hdf5_has(result->file, "/optimum"))
        return OLO_OK;
    (void)snprintf(label, sizeof label, "time [%s]", olo_result_column_units(result, 0));
    x.time = store(&x, label);
    x.plots = take(&x, PLOTS, sizeof *x.plots);
    x.tables = take(&x, TABLES, sizeof *x.tables);
    if (x.status != OLO_OK)
        return x.status;
    optimum->page.plots = x.plots;
    optimum->page.tables = x.tables;
    plot_controls(&x);
    plot_multipliers(&x);
    plot_iterations(&x);
    tabulate_costs(&x);
    tabulate_certificate(&x);
    return x.status;
}

void olo_report_optimum_free(olo_report_optimum *optimum)
{
    olo_pool_free(&optimum->pool);
    *optimum = (olo_report_optimum){0};
}
