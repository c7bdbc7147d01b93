/* The file of a run. Each dataset that grows is a stream: a table of the file and a block of rows in memory.
 * All streams grow together: row i of every one belongs to the same state, and the ledger's row i to
 * the steps from row i - 1 (not included) to it. */
#include "results/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/progress.h"
#include "results/hdf5_file.h"
#include "results/layout.h"
#include "results/record_text.h"
#include "system/system.h"

/* Rows in memory: as many as fit here, at least one. */
static const size_t BLOCK_BYTES = (size_t)4 << 20;
static const size_t BLOCK_ROWS_MAX = 1024;

/* Results reach the disk this often, or more rarely so that flushing takes at most a tenth of the run. */
static const double FLUSH_SECONDS = 1.0;
static const double FLUSH_PAUSE = 9.0;

typedef struct stream {
    int table;
    size_t width;
    double *block; /* [block_rows * width] */
} stream;

/* The streams in their order: these, three for every output, three for every column of the ledger. */
enum { TIME, STEP, Q, V, POSITION, VELOCITY, MULTIPLIERS, JOINT, JOINT_RATE, OUTPUTS };

struct olo_record_file {
    const olo_system *system;
    char *path, *partial;
    olo_hdf5 *hdf5;
    int outputs;
    int stream_count;
    stream *streams;
    double *blocks;
    size_t block_rows, row; /* rows a block holds, rows in it */
    double next_flush;      /* clock */
    olo_error failure;      /* the first one; nothing is written after it */
};

/* ---- laying out ------------------------------------------------------------------------------- */

/* Adds a stream, or leaves its place empty when it has no columns. `columns` may be NULL. */
static void add_stream(olo_record_file *file, olo_writer *w, olo_hdf5_table table, bool vector,
                       const char *const *columns)
{
    stream *s = &file->streams[file->stream_count++];
    s->width = vector ? table.width : 1;
    if (w->status != OLO_OK || s->width == 0) {
        return;
    }
    w->status = olo_hdf5_add_table(file->hdf5, &table, &s->table, w->error);
    if (columns != NULL) {
        olo_writer_texts(w, table.path, "columns", columns, table.width);
    }
}

/* The head of a table; the units are a text in `units`. */
static olo_hdf5_table head(const olo_record_subject *subject, char units[OLO_UNITS_SIZE],
                           const char *path, size_t width, olo_dimension dimension,
                           const char *description)
{
    olo_layout_units(dimension, olo_model_units(subject->model), units);
    return (olo_hdf5_table){.path = path,
                            .width = width,
                            .rows = (size_t)subject->rows,
                            .units = units,
                            .description = description};
}

static void add_frames(olo_record_file *file, olo_writer *w, const olo_record_subject *subject)
{
    const olo_system *system = subject->system;
    const size_t n = (size_t)system->n, nodes = (size_t)system->node_count;
    const size_t m = subject->run->forces ? (size_t)system->m : 0;
    char units[OLO_UNITS_SIZE];
    olo_pool pool = {0};
    olo_hdf5_table table =
        head(subject, units, "/frames/time", 0, OLO_DIMENSION_TIME, "time of the recorded states");
    add_stream(file, w, table, false, NULL);
    table = head(subject, units, "/frames/step", 0, OLO_DIMENSION_NONE, "number of the step");
    table.integer = true;
    add_stream(file, w, table, false, NULL);

    const char *const *names[] = {
        olo_layout_configuration(&pool, system, false),
        olo_layout_configuration(&pool, system, true), olo_layout_positions(&pool, system, false),
        olo_layout_positions(&pool, system, true), olo_layout_multipliers(&pool, system, m),
        olo_layout_joint_coordinates(&pool, system, false),
        olo_layout_joint_coordinates(&pool, system, true)};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] == NULL) {
            olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the names of columns");
        }
    }
    table = head(subject, units, "/frames/q", n, OLO_DIMENSION_CONFIGURATION,
                 "configuration: positions of points, or differences of positions of points in "
                 "relative coordinates; positions and directors of bodies");
    add_stream(file, w, table, true, names[0]);
    table = head(subject, units, "/frames/v", n, OLO_DIMENSION_CONFIGURATION_RATE,
                 "rates of the configuration");
    add_stream(file, w, table, true, names[1]);
    table = head(subject, units, "/frames/position", 3 * nodes, OLO_DIMENSION_LENGTH,
                 "positions in space of all points and of the origins of all bodies");
    add_stream(file, w, table, true, names[2]);
    table = head(subject, units, "/frames/velocity", 3 * nodes, OLO_DIMENSION_VELOCITY,
                 "velocities in space of all points and of the origins of all bodies");
    add_stream(file, w, table, true, names[3]);
    table = head(subject, units, "/frames/multipliers", m, OLO_DIMENSION_MULTIPLIER,
                 "multipliers of the constraints over the last step");
    add_stream(file, w, table, true, names[4]);
    const size_t joints = (size_t)system->joint_coordinate_count;
    table = head(subject, units, "/frames/joint", joints, OLO_DIMENSION_JOINT,
                 "joint coordinates: angles, turns counted from the start, and positions");
    add_stream(file, w, table, true, names[5]);
    table = head(subject, units, "/frames/joint_rate", joints, OLO_DIMENSION_JOINT_RATE,
                 "rates of the joint coordinates");
    add_stream(file, w, table, true, names[6]);
    olo_pool_free(&pool);
}

static void add_outputs(olo_record_file *file, olo_writer *w, const olo_record_subject *subject)
{
    static const struct {
        const char *name;
        olo_dimension dimension;
        const char *description;
    } VECTORS[3] = {
        {"position", OLO_DIMENSION_LENGTH, "position in space"},
        {"velocity", OLO_DIMENSION_VELOCITY, "velocity in space"},
        {"acceleration", OLO_DIMENSION_ACCELERATION,
         "change of velocity over the last step by time"},
    };
    for (int i = 0; i < file->outputs; i++) {
        const char *name = olo_system_output_name(subject->system, i);
        char path[512], units[OLO_UNITS_SIZE];
        snprintf(path, sizeof path, "/outputs/%s", name);
        olo_writer_group(w, path);
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "/outputs/%s/%s", name, VECTORS[k].name);
            const olo_hdf5_table table =
                head(subject, units, path, 3, VECTORS[k].dimension, VECTORS[k].description);
            add_stream(file, w, table, true, olo_layout_axes);
        }
    }
}

static void add_ledger(olo_record_file *file, olo_writer *w, const olo_record_subject *subject)
{
    static const char *const GROUPS[3] = {"/ledger", "/ledger_min", "/ledger_max"};
    static const char *const WHICH[3] = {"", ": minimum over the row's steps",
                                         ": maximum over the row's steps"};
    for (int k = 0; k < 3; k++) {
        olo_writer_group(w, GROUPS[k]);
        for (int i = 0; i < OLO_LEDGER_COLUMNS; i++) {
            const olo_ledger_column *column = &olo_ledger_columns[i];
            char path[64], units[OLO_UNITS_SIZE], description[128];
            snprintf(path, sizeof path, "%s/%s", GROUPS[k], column->dataset);
            snprintf(description, sizeof description, "%s%s", column->description,
                     k == 0 && column->integer ? ": sum over the row's steps" : WHICH[k]);
            olo_hdf5_table table = head(subject, units, path, 0, column->dimension, description);
            table.integer = column->integer;
            add_stream(file, w, table, false, NULL);
        }
    }
}

/* ---- creating --------------------------------------------------------------------------------- */

static bool allocate_blocks(olo_record_file *file, long rows)
{
    size_t width = 0;
    for (int i = 0; i < file->stream_count; i++) {
        width += file->streams[i].width;
    }
    size_t count = width > 0 ? BLOCK_BYTES / (width * sizeof(double)) : 1;
    count = count < BLOCK_ROWS_MAX ? count : BLOCK_ROWS_MAX;
    count = rows >= 0 && count > (size_t)rows + 1 ? (size_t)rows + 1 : count;
    file->block_rows = count > 0 ? count : 1;
    file->blocks = olo_alloc(file->block_rows * width, sizeof(double));
    double *at = file->blocks;
    for (int i = 0; at != NULL && i < file->stream_count; i++) {
        file->streams[i].block = at;
        at += file->block_rows * file->streams[i].width;
    }
    return file->blocks != NULL;
}

static olo_record_file *file_new(const char *path, const olo_record_subject *subject)
{
    olo_record_file *file = olo_alloc(1, sizeof *file);
    if (file == NULL) {
        return NULL;
    }
    const size_t size = strlen(path) + sizeof ".partial";
    file->system = subject->system;
    file->outputs = olo_system_outputs(subject->system);
    file->path = olo_strdup(path);
    file->partial = olo_alloc(size, 1);
    const size_t streams = OUTPUTS + 3 * (size_t)file->outputs + 3 * OLO_LEDGER_COLUMNS;
    file->streams = olo_alloc(streams, sizeof *file->streams);
    if (file->path == NULL || file->partial == NULL || file->streams == NULL) {
        olo_record_file_free(file);
        return NULL;
    }
    snprintf(file->partial, size, "%s.partial", path);
    return file;
}

olo_status olo_record_file_create(const char *path, const olo_record_subject *subject,
                                  olo_record_file **result, olo_error *error)
{
    *result = NULL;
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        return olo_fail(error, OLO_IO, "cannot create '%s': %s", path, strerror(EISDIR));
    }
    olo_record_file *file = file_new(path, subject);
    if (file == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    }
    olo_writer w = {.error = error};
    w.status = olo_hdf5_create(file->partial, &file->hdf5, error);
    if (w.status != OLO_OK) {
        olo_record_file_free(file);
        return w.status;
    }
    w.file = file->hdf5;
    olo_writer_head(&w, subject);
    add_frames(file, &w, subject);
    add_outputs(file, &w, subject);
    add_ledger(file, &w, subject);
    if (w.status == OLO_OK && !allocate_blocks(file, subject->rows)) {
        olo_writer_fail(&w, OLO_NO_MEMORY, "out of memory for recorded rows");
    }
    if (w.status == OLO_OK) {
        w.status = olo_hdf5_flush(file->hdf5, error);
    }
    if (w.status != OLO_OK) {
        unlink(file->partial); // there is nothing in it yet
        olo_record_file_free(file);
        return w.status;
    }
    file->next_flush = olo_clock_seconds() + FLUSH_SECONDS;
    *result = file;
    return OLO_OK;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static double *row_of(const olo_record_file *file, int stream_index)
{
    const stream *s = &file->streams[stream_index];
    return s->block + file->row * s->width;
}

static void fill_frame(olo_record_file *file, const olo_state *state, long step)
{
    const olo_system *system = file->system;
    *row_of(file, TIME) = state->t;
    *row_of(file, STEP) = (double)step;
    memcpy(row_of(file, Q), state->q, file->streams[Q].width * sizeof(double));
    memcpy(row_of(file, V), state->v, file->streams[V].width * sizeof(double));
    memcpy(row_of(file, MULTIPLIERS), state->lambda,
           file->streams[MULTIPLIERS].width * sizeof(double));

    for (int i = 0; i < system->joint_coordinate_count; i++) {
        row_of(file, JOINT)[i] = olo_system_joint_coordinate_value(system, state, i);
        row_of(file, JOINT_RATE)[i] = olo_system_joint_coordinate_rate(system, state, i);
    }

    // a node in relative coordinates counts from an earlier one, whose place is known then
    double *position = row_of(file, POSITION), *velocity = row_of(file, VELOCITY);
    for (int i = 0; i < system->node_count; i++) {
        const olo_node *node = &system->nodes[i];
        for (int axis = 0; axis < 3; axis++) {
            const bool relative = node->base >= 0;
            position[3 * i + axis] =
                state->q[node->q + axis] + (relative ? position[3 * node->base + axis] : 0.0);
            velocity[3 * i + axis] =
                state->v[node->q + axis] + (relative ? velocity[3 * node->base + axis] : 0.0);
        }
    }
    for (int i = 0; i < file->outputs; i++) {
        const int first = OUTPUTS + 3 * i;
        olo_system_output(system, state, i, row_of(file, first), row_of(file, first + 1),
                          row_of(file, first + 2));
    }
}

static void fill_ledger(olo_record_file *file, const olo_thin *ledger)
{
    const double *const rows[3] = {ledger->value, ledger->minimum, ledger->maximum};
    int at = OUTPUTS + 3 * file->outputs;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < OLO_LEDGER_COLUMNS; i++) {
            *row_of(file, at++) = rows[k][i];
        }
    }
}

static void append_block(olo_record_file *file)
{
    olo_error *failure = &file->failure;
    for (int i = 0; failure->status == OLO_OK && i < file->stream_count; i++) {
        const stream *s = &file->streams[i];
        if (s->width > 0) {
            olo_hdf5_append(file->hdf5, s->table, file->row, s->block, failure);
        }
    }
    file->row = 0;
}

static olo_status pass_on(const olo_error *failure, olo_error *error)
{
    return failure->status == OLO_OK ? OLO_OK
                                     : olo_fail(error, failure->status, "%s", failure->text);
}

olo_status olo_record_file_row(olo_record_file *file, const olo_state *state, long step,
                               const olo_thin *ledger, olo_error *error)
{
    fill_frame(file, state, step);
    fill_ledger(file, ledger);
    file->row++;
    const double now = olo_clock_seconds();
    const bool flush = now >= file->next_flush;
    if (flush || file->row == file->block_rows) {
        append_block(file);
    }
    if (flush && file->failure.status == OLO_OK) {
        olo_hdf5_flush(file->hdf5, &file->failure);
        const double after = olo_clock_seconds();
        const double pause = FLUSH_PAUSE * (after - now);
        file->next_flush = after + (pause > FLUSH_SECONDS ? pause : FLUSH_SECONDS);
    }
    return pass_on(&file->failure, error);
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* A renamed file is there after a power failure only when its directory has been synced too. Not every
 * file system can; the file itself is on disk, so this is no failure. */
static void sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[4096] = ".";
    if (slash != NULL) {
        snprintf(directory, sizeof directory, "%.*s", slash == path ? 1 : (int)(slash - path),
                 path);
    }
    const int descriptor = open(directory, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

olo_status olo_record_file_finish(olo_record_file *file, const olo_record_end *end,
                                  olo_error *error)
{
    append_block(file);
    olo_writer w = {.file = file->hdf5, .status = file->failure.status, .error = &file->failure};
    olo_writer_tail(&w, end);
    olo_error closing = {0};
    olo_hdf5_close(file->hdf5, true, &closing);
    file->hdf5 = NULL;
    if (w.status != OLO_OK || closing.status != OLO_OK) {
        return pass_on(w.status != OLO_OK ? &file->failure : &closing, error);
    }
    if (rename(file->partial, file->path) != 0) {
        return olo_fail(error, OLO_IO, "cannot rename '%s' to '%s': %s", file->partial, file->path,
                        strerror(errno));
    }
    sync_directory(file->path);
    return OLO_OK;
}

void olo_record_file_free(olo_record_file *file)
{
    if (file == NULL) {
        return;
    }
    if (file->hdf5 != NULL && file->blocks != NULL) {
        append_block(file);
    }
    olo_hdf5_close(file->hdf5, false, NULL);
    olo_free(file->blocks);
    olo_free(file->streams);
    olo_free(file->partial);
    olo_free(file->path);
    olo_free(file);
}
