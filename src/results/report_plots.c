/* The plots of a report. A plot is a list of columns of the result. Its numbers are those of the
 * file: where there are too many, some are omitted (decimate.h), none is changed. */
#include "results/report_plots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "results/decimate.h"
#include "results/layout.h"
#include "results/report_contacts.h"
#include "results/result_lookup.h"
#include "system/node.h"

/* The largest and the smallest number of points per curve in a page. */
static const size_t POINTS_MAX = 10000, POINTS_MIN = 1000;
/* Points per curve in a picture, two per pixel. */
static const size_t PICTURE_POINTS = 1400;
/* Part of the space for the ledger, outputs and joints; the remainder is for single points and
 * bodies. */
static const double FIRST_PART = 0.65;

/* ---- finding --------------------------------------------------------------------------------- */

static const char *store_text(olo_report_plots *plots, const char *text)
{
    const char *copy = olo_pool_text(&plots->pool, text, strlen(text));
    plots->failed = plots->failed || copy == NULL;
    return copy != NULL ? copy : "";
}

/* Adds a plot to the list; NULL when memory is exhausted. The pointer is valid until the next plot
 * is added. */
static olo_report_plot *add(olo_report_plots *plots, const char *name, const char *title)
{
    olo_report_plot *items =
        olo_grow(plots->items, plots->count, &plots->capacity, sizeof *plots->items);
    if (items == NULL) {
        plots->failed = true;
        return NULL;
    }
    plots->items = items;
    olo_report_plot *plot = &items[plots->count++];
    *plot = (olo_report_plot){
        .name = store_text(plots, name), .title = store_text(plots, title), .units = ""};
    return plot;
}

static void add_column(olo_report_plots *plots, olo_report_plot *plot, const char *column,
                       const char *label, double scale)
{
    if (plot != NULL && plot->count < OLO_SVG_SERIES_MAX) {
        plot->columns[plot->count] = store_text(plots, column);
        plot->labels[plot->count] = store_text(plots, label);
        plot->scales[plot->count++] = scale;
    }
}

/* Plots of the ledger. Columns of energy that stay zero are omitted. A model without constraints
 * has no constraint errors, and an animated mode has no iterations. */
typedef struct ledger_plot {
    const char *name, *title;
    bool log, sparse;
    const char *columns[7], *labels[7];
    bool optional; /* omitted when all its columns stay zero */
    bool later;    /* not shown when the report opens */
} ledger_plot;

static const ledger_plot LEDGER[] = {
    {"energy",
     "Energy",
     false,
     true,
     {"energy.kinetic", "energy.potential", "energy.strain", "energy.constraint", "energy.total",
      "energy.work", "energy.dissipation"},
     {"kinetic", "potential", "strain", "constraint", "total", "work", "dissipation"},
     false,
     false},
    {"constraint_error",
     "Constraint errors",
     true,
     false,
     {"constraint_error", "velocity_error"},
     {"position", "velocity"},
     true,
     false},
    {"iterations", "Newton iterations", false, false, {"iterations"}, {"iterations"}, true, false},
    {"linear_momentum",
     "Linear momentum",
     false,
     false,
     {"linear_momentum.x", "linear_momentum.y", "linear_momentum.z"},
     {"x", "y", "z"},
     false,
     false},
    {"angular_momentum",
     "Angular momentum about the origin",
     false,
     false,
     {"angular_momentum.x", "angular_momentum.y", "angular_momentum.z"},
     {"x", "y", "z"},
     false,
     false},
    {"losses",
     "Energy lost in contacts",
     false,
     false,
     {"energy.impact", "energy.friction"},
     {"impacts", "friction"},
     true,
     false},
    {"impact_impulse",
     "Impulses of impacts",
     false,
     false,
     {"impact_impulse"},
     {"largest impulse"},
     true,
     true},
    {"closed_contacts",
     "Closed contacts",
     false,
     false,
     {"closed_contacts"},
     {"closed"},
     true,
     false},
    {"penetration", "Penetration", false, false, {"penetration"}, {"deepest contact"}, true, false},
    {"inclusion_residual",
     "Residuals of contact laws",
     true,
     false,
     {"inclusion_residual"},
     {"largest residual"},
     true,
     true}};

static bool is_zero(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0.0)
            return false;
    return true;
}

/* True if all values are zero. */
static bool is_empty(olo_report_plots *plots, olo_result *result, const ledger_plot *x)
{
    double *values = olo_alloc(result->rows, sizeof *values);
    bool empty = values != NULL;
    plots->failed = plots->failed || values == NULL;
    for (int k = 0; empty && k < 7 && x->columns[k] != NULL; k++) {
        empty = olo_result_read_column(result, x->columns[k], values, NULL) == OLO_OK &&
                is_zero(values, result->rows);
    }
    olo_free(values);
    return empty;
}

static void add_ledger(olo_report_plots *plots, olo_result *result, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if ((LEDGER[i].optional || plots->still) && is_empty(plots, result, &LEDGER[i]))
            continue;
        olo_report_plot *plot = add(plots, LEDGER[i].name, LEDGER[i].title);
        for (int k = 0; plot != NULL && k < 7 && LEDGER[i].columns[k] != NULL; k++) {
            add_column(plots, plot, LEDGER[i].columns[k], LEDGER[i].labels[k], 1.0);
            plot->log = LEDGER[i].log;
            plot->sparse = LEDGER[i].sparse;
            plot->first = !LEDGER[i].later;
            plot->ledger = true;
        }
    }
}

/* "angular momentum z" is the column angular_momentum.z; "energy", or its balance,
 * energy.balance. */
static void column_of_quantity(const char *quantity, char column[160])
{
    (void)snprintf(column, 160, "%s", quantity);
    if (strncmp(quantity, "energy", 6) == 0) {
        (void)snprintf(column, 160, "energy.balance");
        return;
    }
    char *last = strrchr(column, ' ');
    if (last != NULL)
        *last = '.';
    for (char *c = column; *c != '\0'; c++)
        *c = *c == ' ' ? '_' : *c;
}

/* Adds the plot of the relative drift of all conserved quantities. */
static olo_status add_drift(olo_report_plots *plots, olo_result *result, olo_error *error)
{
    olo_verdict *verdicts = olo_alloc(OLO_VERDICTS_MAX, sizeof *verdicts);
    int count = 0;
    if (verdicts == NULL) {
        plots->failed = true;
        return OLO_OK;
    }
    const olo_status status = olo_result_verdicts(result, verdicts, &count, error);
    olo_report_plot *plot = NULL;
    for (int i = 0; status == OLO_OK && i < count; i++) {
        const olo_verdict *v = &verdicts[i];
        char column[160];
        column_of_quantity(v->quantity, column);
        if (olo_result_find(result, column) < 0 || v->kind > OLO_VERDICT_MOMENTUM)
            continue;
        if (plot == NULL)
            plot = add(plots, "drift", "Relative drift of what is conserved");
        const double scale = v->drift / v->relative_drift; // 0/0 without any drift
        add_column(plots, plot, column, v->quantity, isfinite(scale) && scale > 0.0 ? scale : 1.0);
    }
    if (plot != NULL)
        plot->log = plot->drift = plot->first = true;
    olo_free(verdicts);
    return status;
}

/* Joins two texts with a separator; the plots own the result. */
static const char *join(olo_report_plots *plots, const char *first, const char *between,
                        const char *second)
{
    const size_t size = strlen(first) + strlen(between) + strlen(second) + 1;
    char *text = olo_pool_alloc(&plots->pool, size, 1);
    if (text == NULL) {
        plots->failed = true;
        return "";
    }
    (void)snprintf(text, size, "%s%s%s", first, between, second);
    return text;
}

/* The vector `owner.vector`. */
static void add_vector(olo_report_plots *plots, const char *owner, const char *vector, bool first)
{
    char words[32];
    (void)snprintf(words, sizeof words, "%s", vector);
    for (char *c = words; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    const char *name = join(plots, owner, ".", vector);
    olo_report_plot *plot = add(plots, name, join(plots, owner, ": ", words));
    for (int axis = 0; plot != NULL && axis < 3; axis++) {
        add_column(plots, plot, join(plots, name, ".", olo_layout_axes[axis]),
                   olo_layout_axes[axis], 1.0);
    }
    if (plot != NULL)
        plot->first = first;
}

static void add_outputs(olo_report_plots *plots, olo_result *result)
{
    char **names = NULL;
    size_t count = 0;
    if (olo_hdf5_get_texts(result->file, "/outputs", "names", &names, &count, NULL) != OLO_OK)
        return; // none
    for (size_t i = 0; i < count && !plots->failed; i++) {
        add_vector(plots, names[i], "position", i < 2);
        add_vector(plots, names[i], "velocity", false);
        add_vector(plots, names[i], "acceleration", false);
    }
    olo_hdf5_texts_free(names);
}

/* A joint's only angle or position is called after the joint, one of several by its whole name. */
static size_t label_length(const char *name)
{
    static const char *const only[] = {".angle", ".angle.rate", ".position", ".position.rate"};
    const size_t joint = strcspn(name, ".");
    for (int i = 0; i < 4; i++)
        if (strcmp(name + joint, only[i]) == 0)
            return joint;
    return name[joint] != '\0' ? joint + 1 + strcspn(name + joint + 1, ".") : joint;
}

/* Angles and lengths have separate plots with a bounded number of curves. */
static void add_joints_of(olo_report_plots *plots, const char *const *names, size_t count,
                          bool angles, bool rates)
{
    static const char *const TITLES[2][2] = {{"Joint positions", "Joint velocities"},
                                             {"Joint angles", "Joint rates"}};
    olo_report_plot *plot = NULL;
    int number = 0;
    for (size_t i = 0; i < count && !plots->failed; i++) {
        if ((strstr(names[i], ".angle") != NULL) != angles)
            continue;
        if (plot == NULL || plot->count == OLO_SVG_SERIES_MAX) {
            char name[64], title[64];
            const char *word = angles  ? rates ? "joint_rates" : "joint_angles"
                               : rates ? "joint_velocities"
                                       : "joint_positions";
            (void)snprintf(name, sizeof name, number > 0 ? "%s.%d" : "%s", word, number + 1);
            (void)snprintf(title, sizeof title, number > 0 ? "%s (%d)" : "%s",
                           TITLES[angles][rates], number + 1);
            plot = add(plots, name, title);
            if (plot == NULL)
                return;
            plot->first = number++ == 0 && !rates;
        }
        const char *label = olo_pool_text(&plots->pool, names[i], label_length(names[i]));
        add_column(plots, plot, names[i], label != NULL ? label : "", 1.0);
    }
}

static void add_joints(olo_report_plots *plots, olo_result *result)
{
    static const char *const PATHS[2] = {"/frames/joint", "/frames/joint_rate"};
    for (int rates = 0; rates < 2; rates++) {
        char **names = NULL;
        size_t count = 0;
        if (olo_hdf5_has(result->file, PATHS[rates]) &&
            olo_hdf5_get_texts(result->file, PATHS[rates], "columns", &names, &count, NULL) ==
                OLO_OK) {
            add_joints_of(plots, (const char *const *)names, count, true, rates == 1);
            add_joints_of(plots, (const char *const *)names, count, false, rates == 1);
            olo_hdf5_texts_free(names);
        }
    }
}

/* Columns of contacts, `floor.gap`, in plots with a bounded number of curves. */
static void add_contacts_of(olo_report_plots *plots, char *const *names, size_t count,
                            const char *part, const char *word, const char *words)
{
    olo_report_plot *plot = NULL;
    int number = 0;
    for (size_t i = 0; i < count && !plots->failed; i++) {
        const char *end = strrchr(names[i], '.');
        if (end == NULL || strcmp(end + 1, part) != 0)
            continue;
        if (plot == NULL || plot->count == OLO_SVG_SERIES_MAX) {
            char name[64], title[64];
            (void)snprintf(name, sizeof name, number > 0 ? "%s.%d" : "%s", word, number + 1);
            (void)snprintf(title, sizeof title, number > 0 ? "%s (%d)" : "%s", words, number + 1);
            plot = add(plots, name, title);
            if (plot == NULL)
                return;
            plot->first = number++ == 0 && strcmp(part, "normal") == 0;
            plot->sparse = strcmp(part, "gap") != 0;
        }
        const char *label = olo_pool_text(&plots->pool, names[i], (size_t)(end - names[i]));
        add_column(plots, plot, names[i], label != NULL ? label : "", 1.0);
    }
}

static void add_contacts(olo_report_plots *plots, olo_result *result)
{
    static const struct {
        const char *path, *part, *word, *words;
    } TABLES[] = {
        {"/frames/contact_load", "normal", "contact_normal", "Normal forces of contacts"},
        {"/frames/contact_load", "friction", "contact_friction", "Friction forces of contacts"},
        {"/frames/contact_load", "torque", "contact_torque", "Friction torques of contacts"},
        {"/frames/contact_gap", "gap", "contact_gap", "Gaps of contacts"}};
    for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; i++) {
        char **names = NULL;
        size_t count = 0;
        if (!olo_hdf5_has(result->file, TABLES[i].path) ||
            olo_hdf5_get_texts(result->file, TABLES[i].path, "columns", &names, &count, NULL) !=
                OLO_OK)
            continue;
        add_contacts_of(plots, names, count, TABLES[i].part, TABLES[i].word, TABLES[i].words);
        olo_hdf5_texts_free(names);
    }
}

/* Adds the plot of the moments at one quadrature point of a beam, whose first column is
 * names[first]: "upper.point3.m1". */
static void add_moments(olo_report_plots *plots, char *const *names, size_t first)
{
    char name[160], title[200];
    const char *number = strrchr(names[first], '.');
    const int length = (int)(number - names[first]), beam = (int)strcspn(names[first], ".");
    (void)snprintf(name, sizeof name, "%.*s.moments", length, names[first]);
    (void)snprintf(title, sizeof title, "%.*s: moments at point %.*s", beam, names[first],
                   (int)(length - beam - (int)strlen(".point")),
                   names[first] + beam + strlen(".point"));
    olo_report_plot *plot = add(plots, name, title);
    static const char *const LABELS[3] = {"bending about d1", "bending about d2", "torsion"};
    for (size_t k = 0; plot != NULL && k < 3; k++)
        add_column(plots, plot, names[first + k], LABELS[k], 1.0);
}

/* Plots of the moments of beams at their first, middle and last points. */
static void add_beams(olo_report_plots *plots, olo_result *result)
{
    enum { STRESSES = 6, MOMENTS = 3 }; /* per point: n1, n2, n3, m1, m2, m3 */
    char **names = NULL;
    size_t count = 0;
    if (!olo_hdf5_has(result->file, "/frames/stress") ||
        olo_hdf5_get_texts(result->file, "/frames/stress", "columns", &names, &count, NULL) !=
            OLO_OK)
        return;
    const size_t points = count / STRESSES;
    for (size_t first = 0, last; first < points; first = last + 1) {
        const size_t beam = strcspn(names[STRESSES * first], ".") + 1;
        for (last = first; last + 1 < points && strncmp(names[STRESSES * first],
                                                        names[STRESSES * (last + 1)], beam) == 0;
             last++) {
        }
        const size_t chosen[3] = {first, (first + last) / 2, last};
        for (int k = 0; k < 3 && !plots->failed; k++)
            if (k == 0 || chosen[k] != chosen[k - 1])
                add_moments(plots, names, STRESSES * chosen[k] + MOMENTS);
    }
    olo_hdf5_texts_free(names);
}

/* Plots of bodies and points while they are few; the command draws the others by name. */
static olo_status add_nodes(olo_report_plots *plots, olo_result *result, olo_error *error)
{
    enum { NODES_MAX = 100 };
    char **names = NULL, **kinds = NULL;
    size_t count = 0, kind_count = 0;
    olo_status status = olo_hdf5_read_texts(result->file, "/nodes/name", &names, &count, error);
    if (status == OLO_OK)
        status = olo_hdf5_read_texts(result->file, "/nodes/kind", &kinds, &kind_count, error);
    for (size_t i = 0; status == OLO_OK && i < count && i < kind_count && i < NODES_MAX; i++) {
        if (olo_node_type_find(kinds[i])->width == 1)
            continue; // a joint coordinate
        add_vector(plots, names[i], "position", false);
        add_vector(plots, names[i], "velocity", false);
        if (olo_node_type_find(kinds[i])->rotation >= 0)
            add_vector(plots, names[i], "angular_velocity", false);
    }
    plots->nodes_omitted = count > NODES_MAX ? count - NODES_MAX : 0;
    olo_hdf5_texts_free(names);
    olo_hdf5_texts_free(kinds);
    return status;
}

/* The units of a plot are those of its first column. A relative drift has no units, and constraint
 * rows have different ones. */
static void set_units(olo_report_plots *plots, olo_report_plot *plot, olo_result *result)
{
    const int column =
        plot != NULL && plot->count > 0 ? olo_result_find(result, plot->columns[0]) : -1;
    const char *units = column >= 0 ? olo_result_column_units(result, column) : NULL;
    const bool common =
        units != NULL && strcmp(units, "1") != 0 && strstr(units, "that of") == NULL;
    if (common && !plot->drift)
        plot->units = store_text(plots, units);
}

static olo_status no_memory(const olo_result *result, olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "cannot report '%s': out of memory", result->path);
}

olo_status olo_report_plots_find(olo_report_plots *plots, olo_result *result, olo_error *error)
{
    *plots =
        (olo_report_plots){.time_units = olo_result_column_units(result, 0)}; // time comes first
    double stride = 1.0;
    (void)olo_result_attribute_number(result, "/run", "stride", &stride, NULL);
    plots->extremes = stride > 1.0;
    plots->failed = !olo_report_find_impacts(result, &plots->pool, &plots->impact, &plots->impacts);
    const char *shows = NULL;
    plots->still =
        olo_result_attribute_text(result, "/", "shows", &shows, NULL) == OLO_OK && *shows != '\0';
    (void)olo_result_attribute_text(result, "/", "axis", &plots->axis, NULL);
    add_ledger(plots, result, 0, 1); // energy, followed by its drift
    olo_status status = add_drift(plots, result, error);
    add_ledger(plots, result, 1, sizeof LEDGER / sizeof LEDGER[0]);
    add_contacts(plots, result);
    add_outputs(plots, result);
    add_joints(plots, result);
    add_beams(plots, result);
    plots->first_part = plots->count;
    if (status == OLO_OK)
        status = add_nodes(plots, result, error);
    for (size_t i = 0; status == OLO_OK && i < plots->count; i++)
        set_units(plots, &plots->items[i], result);
    if (status == OLO_OK && plots->failed)
        status = no_memory(result, error);
    if (status != OLO_OK)
        olo_report_plots_free(plots);
    return status;
}

void olo_report_plots_free(olo_report_plots *plots)
{
    olo_free(plots->items);
    olo_pool_free(&plots->pool);
    *plots = (olo_report_plots){0};
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Memory for one curve: all rows of a column, their times, and the selected points. */
typedef struct curve {
    olo_result *result;
    size_t rows;
    olo_pool pool; /* memory of the arrays below */
    double *time, *values;
    size_t *chosen;
    double *x, *y;
} curve;

static olo_status curve_open(curve *c, olo_result *result, size_t points, olo_error *error)
{
    *c = (curve){.result = result, .rows = result->rows};
    c->time = olo_pool_alloc(&c->pool, c->rows, sizeof *c->time);
    c->values = olo_pool_alloc(&c->pool, c->rows, sizeof *c->values);
    c->chosen = olo_pool_alloc(&c->pool, points, sizeof *c->chosen);
    c->x = olo_pool_alloc(&c->pool, points, sizeof *c->x);
    c->y = olo_pool_alloc(&c->pool, points, sizeof *c->y);
    if (c->pool.failed)
        return no_memory(result, error);
    return olo_result_read_column(result, "time", c->time, error);
}

static void curve_close(curve *c)
{
    olo_pool_free(&c->pool);
}

/* Reads at most `points` points of a column. */
static olo_status curve_read(curve *c, const char *column, size_t points, size_t *count,
                             olo_error *error)
{
    const olo_status status = olo_result_read_column(c->result, column, c->values, error);
    *count = status == OLO_OK ? olo_decimate(c->values, c->rows, points, c->chosen) : 0;
    for (size_t i = 0; i < *count; i++) {
        c->x[i] = c->time[c->chosen[i]];
        c->y[i] = c->values[c->chosen[i]];
    }
    return status;
}

/* ---- for the page ---------------------------------------------------------------------------- */

/* Bytes of a column in base64, with its times when some points are omitted. */
static size_t column_bytes(size_t points, bool whole)
{
    return 100 + points * (whole ? 8 : 16) / 3 * 4;
}

/* The plots that the page contains, and their points per column. */
typedef struct share {
    size_t begin, end; /* of the plots */
    size_t points;
} share;

static size_t count_columns(const olo_report_plots *plots, const share *s)
{
    size_t count = 0;
    for (size_t i = s->begin; i < s->end; i++) {
        const int each = plots->extremes && plots->items[i].ledger ? 3 : 1;
        count += (size_t)(plots->items[i].count * each);
    }
    return count;
}

/* Chooses as many points as fit, at least POINTS_MIN; if these are too many, plots at the end are
 * omitted. */
static void fit(const olo_report_plots *plots, size_t rows, size_t bytes, share *s)
{
    const size_t columns = count_columns(plots, s);
    const size_t limit = rows < POINTS_MAX ? rows : POINTS_MAX;
    s->points = limit;
    if (columns * column_bytes(limit, limit == rows) <= bytes)
        return;
    const size_t each = bytes / (columns > 0 ? columns : 1);
    s->points = each > column_bytes(POINTS_MIN, false) ? (each - 100) / 64 * 3 : POINTS_MIN;
    s->points = s->points < limit ? s->points : limit;
    while (s->end > s->begin &&
           count_columns(plots, s) * column_bytes(s->points, s->points == rows) > bytes)
        s->end--;
}

static olo_status write_column(curve *c, const char *column, size_t points, olo_json *json,
                               olo_error *error)
{
    size_t count = 0;
    const olo_status status = curve_read(c, column, points, &count, error);
    if (status != OLO_OK)
        return status;
    olo_json_open(json, column, '{');
    if (count < c->rows)
        olo_json_bytes(json, "time", c->x, count * sizeof(double));
    olo_json_bytes(json, "values", c->y, count * sizeof(double));
    olo_json_close(json);
    return status;
}

/* Writes the columns of a plot that no earlier plot has. */
static olo_status write_columns(const olo_report_plots *plots, size_t index, curve *c,
                                size_t points, olo_json *json, olo_error *error)
{
    const olo_report_plot *plot = &plots->items[index];
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < plot->count; k++) {
        // only the drift shows columns of other plots, which are columns of the ledger
        bool known = false;
        for (size_t i = 0; (plot->drift || plot->ledger) && i < index; i++)
            for (int other = 0; other < plots->items[i].count; other++)
                known = known || strcmp(plots->items[i].columns[other], plot->columns[k]) == 0;
        if (!known)
            status = write_column(c, plot->columns[k], points, json, error);
        for (int side = 0; status == OLO_OK && plots->extremes && plot->ledger && side < 2;
             side++) {
            char name[64]; // columns of the ledger have short names
            (void)snprintf(name, sizeof name, "%s.%s", plot->columns[k], side ? "max" : "min");
            status = write_column(c, name, points, json, error);
        }
    }
    return status;
}

static void write_plot(const olo_report_plots *plots, const olo_report_plot *plot, olo_json *json)
{
    olo_json_open(json, NULL, '{');
    olo_json_text(json, "name", plot->name);
    olo_json_text(json, "title", plot->title);
    olo_json_text(json, "units", plot->units);
    olo_json_bool(json, "log", plot->log);
    olo_json_bool(json, "drift", plot->drift);
    olo_json_bool(json, "first", plot->first);
    olo_json_bool(json, "sparse", plot->sparse);
    olo_json_bool(json, "extremes", plots->extremes && plot->ledger);
    olo_json_open(json, "columns", '[');
    for (int k = 0; k < plot->count; k++)
        olo_json_text(json, NULL, plot->columns[k]);
    olo_json_close(json);
    olo_json_open(json, "labels", '[');
    for (int k = 0; k < plot->count; k++)
        olo_json_text(json, NULL, plot->labels[k]);
    olo_json_close(json);
    olo_json_numbers(json, "scales", plot->scales, (size_t)plot->count);
    olo_json_close(json);
}

static void describe_thinning(const olo_report_plots *plots, const share shares[2], size_t rows,
                              olo_text *thinned)
{
    if (shares[0].points < rows) {
        olo_text_format(thinned,
                        "Plots show up to %zu of %zu recorded states: of every section the "
                        "minimum and the maximum.\n",
                        shares[0].points, rows);
    }
    const size_t omitted =
        plots->count - shares[0].end + shares[0].begin - shares[1].end + shares[1].begin;
    if (omitted > 0 || plots->nodes_omitted > 0) {
        olo_text_put(thinned, "Not all quantities are in this page; oloid report --svg NAME draws "
                              "any of them.\n");
    }
}

olo_status olo_report_plots_json(const olo_report_plots *plots, olo_result *result, size_t bytes,
                                 olo_json *json, olo_text *thinned, olo_error *error)
{
    const size_t first_bytes = (size_t)(FIRST_PART * (double)bytes);
    share shares[2] = {{0, plots->first_part, 0}, {plots->first_part, plots->count, 0}};
    fit(plots, result->rows, first_bytes, &shares[0]);
    fit(plots, result->rows, bytes - first_bytes, &shares[1]);
    describe_thinning(plots, shares, result->rows, thinned);
    olo_json_open(json, "plots", '[');
    for (int s = 0; s < 2; s++)
        for (size_t i = shares[s].begin; i < shares[s].end; i++)
            write_plot(plots, &plots->items[i], json);
    olo_json_close(json);
    if (plots->impacts > 0)
        olo_json_bytes(json, "impacts", plots->impact, plots->impacts * sizeof *plots->impact);
    curve c = {0};
    const size_t limit = shares[0].points > shares[1].points ? shares[0].points : shares[1].points;
    olo_status status = curve_open(&c, result, limit, error);
    olo_json_text(json, "time_units", plots->time_units);
    if (status == OLO_OK && (shares[0].points == c.rows || shares[1].points == c.rows))
        olo_json_bytes(json, "time", c.time, c.rows * sizeof(double));
    olo_json_open(json, "columns", '{');
    for (int s = 0; s < 2; s++)
        for (size_t i = shares[s].begin; status == OLO_OK && i < shares[s].end; i++)
            status = write_columns(plots, i, &c, shares[s].points, json, error);
    olo_json_close(json);
    curve_close(&c);
    return status;
}

/* ---- as pictures ----------------------------------------------------------------------------- */

/* All curves of a plot, [count][PICTURE_POINTS] times and values. */
typedef struct picture {
    double *x, *y;
    olo_svg svg;
} picture;

static void add_curve(picture *p, const olo_report_plot *plot, int k, const curve *c, size_t count)
{
    if (plot->sparse && plot->count > 1 && is_zero(c->y, count))
        return;
    double *x = p->x + (size_t)k * PICTURE_POINTS, *y = p->y + (size_t)k * PICTURE_POINTS;
    for (size_t i = 0; i < count; i++) {
        x[i] = c->x[i];
        y[i] = plot->drift ? fabs(c->y[i] - c->values[0]) / plot->scales[k] : c->y[i];
    }
    p->svg.series[p->svg.series_count++] =
        (olo_svg_series){.name = plot->labels[k], .x = x, .y = y, .count = count};
}

olo_status olo_report_plots_svg(const olo_report_plots *plots, olo_result *result,
                                const olo_report_plot *plot, bool standalone, olo_text *out,
                                olo_error *error)
{
    char x_label[OLO_UNITS_SIZE + 80];
    if (plots->axis != NULL)
        (void)snprintf(x_label, sizeof x_label, "%s", plots->axis);
    else
        (void)snprintf(x_label, sizeof x_label, "time [%s]", plots->time_units);
    const size_t size = OLO_SVG_SERIES_MAX * PICTURE_POINTS;
    picture p = {.x = olo_alloc(size, sizeof(double)),
                 .y = olo_alloc(size, sizeof(double)),
                 .svg = {.title = plot->title,
                         .x_label = x_label,
                         .y_label = plot->units,
                         .y_log = plot->log,
                         .impact = plots->impact,
                         .impacts = plots->impacts}};
    curve c = {0};
    olo_status status = p.x != NULL && p.y != NULL ? curve_open(&c, result, PICTURE_POINTS, error)
                                                   : no_memory(result, error);
    for (int k = 0; status == OLO_OK && k < plot->count; k++) {
        size_t count = 0;
        status = curve_read(&c, plot->columns[k], PICTURE_POINTS, &count, error);
        if (status == OLO_OK)
            add_curve(&p, plot, k, &c, count);
    }
    if (status == OLO_OK)
        olo_svg_draw(out, &p.svg, standalone);
    curve_close(&c);
    olo_free(p.x);
    olo_free(p.y);
    return status;
}

/* ---- by name --------------------------------------------------------------------------------- */

static olo_status unknown_plot(const olo_report_plots *plots, const olo_result *result,
                               const char *name, olo_error *error)
{
    const size_t count = plots->count + result->column_count;
    const char **names = olo_alloc(count, sizeof *names);
    const char *near = NULL;
    for (size_t i = 0; names != NULL && i < count; i++)
        names[i] = i < plots->count ? plots->items[i].name : result->columns[i - plots->count].name;
    if (names != NULL)
        near = olo_suggest(name, names, count);
    olo_text known = {0};
    for (size_t i = 0; near == NULL && i < plots->count; i++)
        olo_text_format(&known, "%s%s", i > 0 ? ", " : "; plots are ", plots->items[i].name);
    if (near != NULL)
        olo_text_format(&known, ", did you mean '%s'?", near);
    olo_text_add(&known, "", 1);
    const olo_status status =
        olo_fail(error, OLO_NOT_FOUND, "'%s' has no plot and no column '%s'%s", result->path, name,
                 known.failed ? "" : known.bytes);
    olo_text_free(&known);
    olo_free(names);
    return status;
}

/* Makes a plot of one column, or of `name`.x|y|z, that is not in the list. */
static const olo_report_plot *make_plot(olo_report_plots *plots, olo_result *result,
                                        const char *name)
{
    const bool one = olo_result_find(result, name) >= 0;
    const int column = olo_result_find(result, one ? name : join(plots, name, ".", "x"));
    if (column < 0)
        return NULL;
    olo_report_plot *plot = add(plots, name, name);
    for (int axis = 0; axis < (one ? 1 : 3); axis++) {
        const char *label = one ? name : olo_layout_axes[axis];
        add_column(plots, plot, one ? name : join(plots, name, ".", label), label, 1.0);
    }
    set_units(plots, plot, result);
    return plots->failed ? NULL : plot;
}

olo_status olo_report_plots_by_name(olo_report_plots *plots, olo_result *result, const char *name,
                                    const olo_report_plot **plot, olo_error *error)
{
    for (size_t i = 0; i < plots->count; i++) {
        if (strcmp(plots->items[i].name, name) == 0) {
            *plot = &plots->items[i];
            return OLO_OK;
        }
    }
    *plot = make_plot(plots, result, name);
    if (*plot != NULL)
        return OLO_OK;
    return plots->failed ? no_memory(result, error) : unknown_plot(plots, result, name, error);
}
