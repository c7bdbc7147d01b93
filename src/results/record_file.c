/* The files of a run: a journal while it is running, a result when it is complete. Both are written
 * by the same code from the same streams. A journal also has checkpoints and is consistent at every
 * moment (hdf5_file.h). A file that replaces another one gets its name when it is complete and on
 * disk (base/new_file.h): when a journal begins, when it is continued after an interruption, and
 * when it becomes a result. */
#include "results/record_file.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/new_file.h"
#include "base/progress.h"
#include "results/checkpoint.h"
#include "results/hdf5_file.h"
#include "results/interrupted_run.h"
#include "results/journal.h"
#include "results/layout.h"
#include "results/record_streams.h"
#include "results/record_text.h"
#include "results/setup.h"
#include "system/system.h"

/* Size of the rows in memory; there is at least one row. */
static const size_t BLOCK_BYTES = (size_t)4 << 20;
static const size_t BLOCK_ROWS_MAX = 1024;

/* Initial space of a journal; a larger journal replaces a full one. Unused space is not written. */
static const size_t JOURNAL_BYTES = (size_t)2 << 30;

/* Interval between checkpoints, extended so that they take at most a tenth of the run time. */
static const double INTERVAL_SECONDS = 1.0;
static const double INTERVAL_PAUSE = 9.0;

struct olo_record_file {
    olo_record_subject subject;
    olo_pool pool;              /* memory of texts and arrays, except for `tables` */
    const char *path, *partial; /* names of the result and of the journal */
    bool named;                 /* the journal has its name */

    olo_streams streams;
    olo_hdf5 *journal;
    int *tables;                /* [streams] of the journal */
    size_t rows, capacity;      /* of the journal: present number, largest number */
    uint32_t *sums;             /* [streams] checksums of the rows written so far */
    double **block;             /* [streams] rows in memory, [block_rows * width] each */
    double *blocks;             /* memory of all blocks */
    size_t block_rows, row;     /* rows that a block can hold, rows that it holds now */
    olo_checkpoint *checkpoint; /* the latest checkpoint, with its contents */
    size_t contents;            /* bytes of the contents */
    double interval, next;      /* interval between checkpoints in s; time of the next one */
    olo_error failure;          /* the first failure; nothing is written after it */
};

/* ---- laying out ------------------------------------------------------------------------------ */

static void add_tables(olo_record_file *file, olo_writer *w, size_t capacity, int *tables)
{
    for (int i = 0; w->status == OLO_OK && i < file->streams.count; i++) {
        const olo_stream *stream = &file->streams.items[i];
        olo_hdf5_table table = stream->table;
        table.rows = capacity > 0 ? capacity : (size_t)file->subject.rows;
        table.capacity = capacity;
        if (stream->width > 0)
            w->status = olo_hdf5_add_table(w->file, &table, &tables[i], w->error);
        if (stream->columns != NULL)
            olo_writer_texts(w, table.path, "columns", stream->columns, stream->width);
    }
}

/* Writes the names of the streams that the checksum of a checkpoint covers. */
static void add_stream_names(const olo_record_file *file, olo_writer *w)
{
    const char **names = olo_alloc((size_t)file->streams.count, sizeof *names);
    size_t count = 0;
    if (names == NULL) {
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the names of streams");
        return;
    }
    for (int i = 0; i < file->streams.count; i++)
        if (file->streams.items[i].width > 0)
            names[count++] = file->streams.items[i].table.path;
    olo_writer_list(w, OLO_JOURNAL_STREAMS,
                    "datasets whose rows the checksum of a checkpoint covers", names, count);
    olo_free(names);
}

/* Adds two empty checkpoints, and the setup of the run. */
static void add_checkpoints(const olo_record_file *file, olo_writer *w)
{
    const size_t size = sizeof *file->checkpoint + file->contents;
    olo_setup setup = {0};
    if (!olo_setup_make(&setup, &file->subject))
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the setup of a run");
    olo_writer_group(w, OLO_CHECKPOINT_GROUP);
    for (int i = 0; w->status == OLO_OK && i < 2; i++) {
        w->status = olo_hdf5_add_bytes(w->file, olo_checkpoint_paths[i], size,
                                       "all that is needed to continue the run", w->error);
    }
    if (w->status == OLO_OK) {
        w->status = olo_hdf5_add_bytes(w->file, OLO_SETUP_PATH, setup.size,
                                       "all that is needed to start the run again", w->error);
    }
    if (w->status == OLO_OK)
        w->status = olo_hdf5_put_bytes(w->file, OLO_SETUP_PATH, setup.block, w->error);
    olo_setup_free(&setup);
    add_stream_names(file, w);
}

/* Copies the first rows of all streams from one file to the end of another, block by block, and
 * computes their checksums again. */
static void copy_rows(olo_record_file *file, olo_hdf5 *from, size_t rows, olo_writer *w,
                      const int *tables)
{
    for (int i = 0; i < file->streams.count; i++) {
        const olo_stream *stream = &file->streams.items[i];
        file->sums[i] = 0;
        for (size_t at = 0; stream->width > 0 && w->status == OLO_OK && at < rows;) {
            const size_t remaining = rows - at;
            const size_t first[2] = {at, 0};
            const size_t count[2] = {remaining < file->block_rows ? remaining : file->block_rows,
                                     stream->width};
            w->status =
                olo_hdf5_read(from, stream->table.path, first, count, file->block[i], w->error);
            if (w->status == OLO_OK) {
                w->status = olo_hdf5_append(w->file, tables[i], count[0], file->block[i], w->error);
                file->sums[i] = olo_checksum(file->sums[i], file->block[i],
                                             count[0] * count[1] * sizeof(double));
            }
            at += count[0];
        }
    }
}

/* ---- journals -------------------------------------------------------------------------------- */

/* Writes a journal with a capacity of `capacity` rows, the first `rows` of which are copied from a
 * file. It receives the end of the run unless `end` is NULL, and the latest checkpoint if there is
 * one. It has no name yet. */
static olo_status write_journal(olo_record_file *file, olo_hdf5 *from, size_t rows, size_t capacity,
                                const olo_record_end *end, olo_hdf5 **journal, int *tables,
                                olo_error *error)
{
    olo_writer w = {.error = error};
    w.status = olo_hdf5_create_journal(file->partial, journal, error);
    if (w.status != OLO_OK)
        return w.status;
    w.file = *journal;
    olo_writer_head(&w, &file->subject);
    add_tables(file, &w, capacity, tables);
    add_checkpoints(file, &w);
    if (w.status == OLO_OK && end == NULL)
        w.status = olo_hdf5_end_layout(w.file, error);
    copy_rows(file, from, rows, &w, tables);
    if (end != NULL)
        olo_writer_tail(&w, end);
    if (w.status == OLO_OK && file->checkpoint->sequence > 0) {
        w.status = olo_hdf5_put_bytes(w.file, olo_checkpoint_paths[file->checkpoint->sequence % 2],
                                      file->checkpoint, error);
    }
    if (w.status == OLO_OK && end == NULL) {
        // a journal without a checkpoint has nothing to protect
        w.status = (file->checkpoint->sequence > 0 ? olo_hdf5_sync : olo_hdf5_flush)(w.file, error);
    }
    if (w.status != OLO_OK) {
        olo_hdf5_close(*journal, NULL);
        *journal = NULL;
    }
    return w.status;
}

/* Replaces the journal by another one, under its name if there is a checkpoint. With `end` it is
 * the final journal and is closed. On failure the old journal and `from` are unchanged. */
static olo_status replace_journal(olo_record_file *file, olo_hdf5 *from, size_t rows,
                                  size_t capacity, const olo_record_end *end, olo_error *error)
{
    int *tables = olo_alloc((size_t)file->streams.count, sizeof *tables);
    olo_hdf5 *journal = NULL;
    olo_status status =
        tables != NULL
            ? write_journal(file, from, rows, capacity, end, &journal, tables, error)
            : olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", file->partial);
    const bool naming = status == OLO_OK && file->checkpoint->sequence > 0;
    if (naming && end != NULL) {
        status = olo_hdf5_finish_journal(journal, from, error);
        journal = NULL;
    } else if (naming) {
        status = olo_hdf5_publish(journal, from, error);
    }
    if (status == OLO_OK) {
        olo_hdf5_close(file->journal, NULL);
        file->named = naming;
        file->journal = journal;
        file->rows = rows;
        file->capacity = capacity;
        int *old = file->tables;
        file->tables = tables;
        tables = old;
    } else {
        olo_hdf5_close(journal, NULL);
    }
    olo_free(tables);
    return status;
}

/* The initial capacity of a journal in rows. */
static size_t first_capacity(const olo_record_file *file)
{
    const size_t limit = JOURNAL_BYTES / (file->streams.width * sizeof(double));
    const size_t wanted = file->subject.rows > 0 ? (size_t)file->subject.rows + 1 : 1;
    return wanted < limit ? wanted : limit > 0 ? limit : 1;
}

/* ---- creating -------------------------------------------------------------------------------- */

static bool allocate_blocks(olo_record_file *file)
{
    const size_t width = file->streams.width, wanted = (size_t)file->subject.rows + 1;
    size_t count = BLOCK_BYTES / (width * sizeof(double));
    count = count < BLOCK_ROWS_MAX ? count : BLOCK_ROWS_MAX;
    count = file->subject.rows >= 0 && count > wanted ? wanted : count;
    file->block_rows = count > 0 ? count : 1;
    file->blocks = olo_pool_alloc(&file->pool, file->block_rows * width, sizeof(double));
    file->block = olo_pool_alloc(&file->pool, (size_t)file->streams.count, sizeof *file->block);
    if (file->pool.failed)
        return false;
    double *at = file->blocks;
    for (int i = 0; i < file->streams.count; i++) {
        file->block[i] = at;
        at += file->block_rows * file->streams.items[i].width;
    }
    return true;
}

static olo_status file_new(const char *path, const olo_record_subject *subject, size_t contents,
                           olo_record_file **result, olo_error *error)
{
    olo_record_file *file = olo_alloc(1, sizeof *file);
    *result = file;
    if (file == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    file->subject = *subject;
    file->contents = contents;
    file->interval = INTERVAL_SECONDS;
    file->next = olo_clock_seconds() + file->interval;
    char *partial = olo_pool_alloc(&file->pool, strlen(path) + sizeof ".partial", 1);
    if (partial != NULL)
        (void)snprintf(partial, strlen(path) + sizeof ".partial", "%s.partial", path);
    file->partial = partial;
    file->path = olo_pool_text(&file->pool, path, strlen(path));
    file->checkpoint = olo_pool_alloc(&file->pool, sizeof *file->checkpoint + contents, 1);
    const olo_status status = olo_streams_create(&file->streams, subject, error);
    file->sums = olo_pool_alloc(&file->pool, (size_t)file->streams.count, sizeof *file->sums);
    if (status == OLO_OK && (file->pool.failed || !allocate_blocks(file)))
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    return status;
}

/* Copies texts that need not outlive this call. */
static olo_status copy_texts(olo_record_file *file, const char *command, const char *created,
                             olo_error *error)
{
    const char *line = command != NULL ? command : "";
    file->subject.command = olo_pool_text(&file->pool, line, strlen(line));
    file->subject.created = olo_pool_text(&file->pool, created, strlen(created));
    return file->pool.failed
               ? olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", file->path)
               : OLO_OK;
}

olo_status olo_record_file_create(const char *path, const olo_record_subject *subject, size_t size,
                                  olo_record_file **result, olo_error *error)
{
    olo_status status = file_new(path, subject, size, result, error);
    olo_record_file *file = *result;
    if (status == OLO_OK)
        status = olo_new_file_check(path, error);
    if (status == OLO_OK)
        status = olo_new_file_check_is_free(file->partial, error);
    if (status == OLO_OK)
        status = copy_texts(file, subject->command, subject->created, error);
    if (status == OLO_OK)
        status = replace_journal(file, NULL, 0, first_capacity(file), NULL, error);
    if (status != OLO_OK) {
        olo_record_file_free(file);
        *result = NULL;
    }
    return status;
}

/* Continues with the rows and the checkpoint of an interrupted run. */
static olo_status continue_journal(olo_record_file *file, const olo_interrupted_run *interrupted,
                                   olo_record_contents contents, olo_error *error)
{
    const olo_checkpoint *checkpoint = interrupted->checkpoint;
    if (checkpoint->size != contents.size)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is the run of another system", file->partial);
    memcpy(file->checkpoint, checkpoint, sizeof *checkpoint + contents.size);
    memcpy(contents.bytes, checkpoint + 1, contents.size);
    const size_t rows = (size_t)checkpoint->rows;
    const size_t wanted = first_capacity(file);
    const size_t capacity = wanted > rows ? wanted : 2 * rows;
    olo_status status = copy_texts(file, interrupted->setup.texts[OLO_SETUP_COMMAND],
                                   interrupted->setup.texts[OLO_SETUP_CREATED], error);
    if (status == OLO_OK)
        status = replace_journal(file, interrupted->hdf5, rows, capacity, NULL, error);
    return status;
}

olo_status olo_record_file_resume(const char *path, const olo_record_subject *subject,
                                  olo_record_contents contents, olo_record_file **result,
                                  olo_error *error)
{
    olo_interrupted_run interrupted = {0};
    olo_status status = file_new(path, subject, contents.size, result, error);
    if (status == OLO_OK)
        status = olo_new_file_check(path, error);
    if (status == OLO_OK)
        status = olo_interrupted_run_open(&interrupted, (*result)->partial, true, error);
    if (status == OLO_OK) {
        status =
            olo_interrupted_run_load_checkpoint(&interrupted, (*result)->partial, subject, error);
    }
    if (status == OLO_OK)
        status = continue_journal(*result, &interrupted, contents, error);
    olo_interrupted_run_close(&interrupted);
    if (status != OLO_OK) {
        olo_record_file_free(*result);
        *result = NULL;
    }
    return status;
}

void olo_record_file_set_interval(olo_record_file *file, double seconds)
{
    file->next += seconds - file->interval;
    file->interval = seconds;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double *row_of(const olo_record_file *file, int stream)
{
    return file->block[stream] + file->row * file->streams.items[stream].width;
}

static void copy_into(const olo_record_file *file, int stream, const double *values)
{
    memcpy(row_of(file, stream), values, file->streams.items[stream].width * sizeof(double));
}

static void fill_contacts(olo_record_file *file, const olo_state *state)
{
    const olo_system *system = file->subject.system;
    double *position = row_of(file, OLO_STREAM_CONTACT_POINT);
    for (int i = 0; i < system->contact_count; i++) {
        olo_contact_state contact;
        olo_system_contact(system, state, i, &contact);
        const double load[3] = {contact.normal, contact.friction, contact.torque};
        row_of(file, OLO_STREAM_CONTACT_GAP)[i] = contact.gap;
        memcpy(row_of(file, OLO_STREAM_CONTACT_FORCE) + 3 * i, contact.force, sizeof contact.force);
        memcpy(row_of(file, OLO_STREAM_CONTACT_LOAD) + 3 * i, load, sizeof load);
        const bool open =
            contact.off || (olo_contact_has_gap(&system->contacts[i]) && !contact.closed);
        row_of(file, OLO_STREAM_CONTACT_STATUS)[i] = open                  ? 0
                                                     : !contact.frictional ? 1
                                                     : contact.sticking    ? 3
                                                                           : 2;
        if (system->contacts[i].geometry != NULL) {
            memcpy(position, contact.position, sizeof contact.position);
            position += 3;
        }
    }
}

static void fill_frame(olo_record_file *file, const olo_state *state, const double *accelerations,
                       long step)
{
    const olo_system *system = file->subject.system;
    *row_of(file, OLO_STREAM_TIME) = state->t;
    *row_of(file, OLO_STREAM_STEP) = (double)step;
    copy_into(file, OLO_STREAM_Q, state->q);
    copy_into(file, OLO_STREAM_V, state->v);
    copy_into(file, OLO_STREAM_MULTIPLIERS, state->lambda);
    for (int i = 0; i < system->joint_coordinate_count; i++) {
        row_of(file, OLO_STREAM_JOINT)[i] = olo_system_joint_coordinate_value(system, state, i);
        row_of(file, OLO_STREAM_JOINT_RATE)[i] = olo_system_joint_coordinate_rate(system, state, i);
    }
    for (int i = 0; i < system->drive_count; i++)
        row_of(file, OLO_STREAM_DRIVE)[i] = olo_system_drive_force(system, state, i);
    copy_into(file, OLO_STREAM_REACTION, state->reactions);
    fill_contacts(file, state);

    for (int i = 0, at = 0; i < system->beam_count; i++) {
        for (int p = 0; p < olo_system_beam_point_count(system, i); p++, at += 6) {
            olo_system_beam_stress(system, state, i, p, row_of(file, OLO_STREAM_STRAIN) + at,
                                   row_of(file, OLO_STREAM_STRESS) + at);
        }
    }

    for (int i = 0, at = 0; i < system->beam_count; i++) {
        for (int e = 0; system->beams[i].discrete && e < system->beams[i].elements; e++, at += 7) {
            double *row = row_of(file, OLO_STREAM_MOMENTUM) + at;
            olo_system_beam_momentum(system, state, i, e, row, row + 3, row + 6);
        }
    }

    // relative coordinates refer to an earlier node, whose position is already known
    double *position = row_of(file, OLO_STREAM_POSITION);
    double *velocity = row_of(file, OLO_STREAM_VELOCITY);
    for (int i = 0; i < system->node_count; i++) {
        const olo_node *node = &system->nodes[i];
        const double *x = olo_node_position(node, state->q), *v = olo_node_position(node, state->v);
        for (int axis = 0; axis < 3 && x != NULL; axis++) {
            const bool relative = node->base >= 0;
            position[3 * i + axis] = x[axis] + (relative ? position[3 * node->base + axis] : 0.0);
            velocity[3 * i + axis] = v[axis] + (relative ? velocity[3 * node->base + axis] : 0.0);
        }
    }
    for (int i = 0; i < file->streams.outputs; i++) {
        const int first = OLO_STREAM_OUTPUTS + 3 * i;
        olo_system_output(system, state, i, row_of(file, first), row_of(file, first + 1),
                          row_of(file, first + 2));
        if (accelerations)
            olo_position_linear(&system->outputs[i].position, accelerations,
                                row_of(file, first + 2));
    }
}

static void fill_ledger(olo_record_file *file, const olo_thinning *ledger)
{
    const double *const rows[3] = {ledger->value, ledger->minimum, ledger->maximum};
    int at = OLO_STREAM_OUTPUTS + 3 * file->streams.outputs;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < OLO_LEDGER_COLUMNS; i++)
            *row_of(file, at++) = rows[k][i];
}

static void append_block(olo_record_file *file)
{
    olo_error *failure = &file->failure;
    for (int i = 0; failure->status == OLO_OK && i < file->streams.count; i++) {
        if (file->streams.items[i].width > 0) {
            olo_hdf5_append(file->journal, file->tables[i], file->row, file->block[i], failure);
            file->sums[i] = olo_checksum(file->sums[i], file->block[i],
                                         file->row * file->streams.items[i].width * sizeof(double));
        }
    }
    file->rows += file->row;
    file->row = 0;
}

static olo_status pass_on(const olo_error *failure, olo_error *error)
{
    return failure->status == OLO_OK ? OLO_OK
                                     : olo_fail(error, failure->status, "%s", failure->text);
}

olo_status olo_record_file_row(olo_record_file *file, const olo_state *state,
                               const double *accelerations, long step, const olo_thinning *ledger,
                               olo_error *error)
{
    if (file->failure.status == OLO_OK && file->rows + file->row == file->capacity)
        append_block(file);
    if (file->failure.status == OLO_OK && file->rows == file->capacity)
        replace_journal(file, file->journal, file->rows, 2 * file->capacity, NULL, &file->failure);
    fill_frame(file, state, accelerations, step);
    fill_ledger(file, ledger);
    file->row++;
    if (file->row == file->block_rows)
        append_block(file);
    return pass_on(&file->failure, error);
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

bool olo_record_file_is_due(const olo_record_file *file)
{
    return olo_clock_seconds() >= file->next;
}

/* Fails when the journal was removed: rows written to it would be lost. */
static void check_is_there(olo_record_file *file)
{
    if (file->failure.status == OLO_OK && file->named && !olo_hdf5_is_there(file->journal)) {
        olo_fail(&file->failure, OLO_IO, "'%s' was removed or replaced while it was being written",
                 file->partial);
    }
}

/* Gives the journal its name with the first checkpoint: from then on it can be resumed. */
static void name_journal(olo_record_file *file)
{
    file->named = olo_hdf5_publish(file->journal, NULL, &file->failure) == OLO_OK;
}

/* The checksum of all rows written so far. */
static uint32_t sum_of_rows(const olo_record_file *file)
{
    uint32_t sum = 0;
    for (int i = 0; i < file->streams.count; i++)
        if (file->streams.items[i].width > 0)
            sum = olo_checksum(sum, &file->sums[i], sizeof file->sums[i]);
    return sum;
}

/* Writes the rows first, then the checkpoint that refers to them, over the older of the two
 * checkpoints. With `sync` the rows are on disk before the checkpoint is written, so that they
 * agree also after a power failure. The new checkpoint may then be lost; the previous one remains
 * valid. */
static void write_checkpoint(olo_record_file *file, const void *contents, bool sync)
{
    olo_error *failure = &file->failure;
    append_block(file);
    if (failure->status == OLO_OK)
        (sync ? olo_hdf5_sync : olo_hdf5_flush)(file->journal, failure);
    if (failure->status != OLO_OK)
        return;
    olo_checkpoint *checkpoint = file->checkpoint;
    checkpoint->sequence++;
    checkpoint->rows = file->rows;
    checkpoint->row_sum = sum_of_rows(file);
    memcpy(checkpoint + 1, contents, file->contents);
    olo_checkpoint_set_checksum(checkpoint, file->contents);
    if (olo_hdf5_put_bytes(file->journal, olo_checkpoint_paths[checkpoint->sequence % 2],
                           checkpoint, failure) == OLO_OK)
        olo_hdf5_flush(file->journal, failure);
}

olo_status olo_record_file_checkpoint(olo_record_file *file, olo_record_contents contents,
                                      bool sync, olo_error *error)
{
    const double before = olo_clock_seconds();
    check_is_there(file);
    write_checkpoint(file, contents.bytes, sync);
    if (!file->named && file->failure.status == OLO_OK)
        name_journal(file);
    const double now = olo_clock_seconds();
    const double pause = INTERVAL_PAUSE * (now - before);
    // an interval of 0 means every step, without the bound on time
    const bool stretch = file->interval > 0.0 && pause > file->interval;
    file->next = now + (stretch ? pause : file->interval);
    return pass_on(&file->failure, error);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Writes the result: the contents of the journal without checkpoints. */
static olo_status finish_result(olo_record_file *file, const olo_record_end *end, olo_error *error)
{
    olo_writer w = {.error = error};
    int *tables = olo_alloc((size_t)file->streams.count, sizeof *tables);
    if (tables == NULL)
        olo_writer_fail(&w, OLO_NO_MEMORY, "out of memory for the tables of a result");
    else
        w.status = olo_hdf5_create(file->path, &w.file, error);
    if (w.status == OLO_OK) {
        olo_writer_head(&w, &file->subject);
        add_tables(file, &w, 0, tables);
        copy_rows(file, file->journal, file->rows, &w, tables);
        olo_writer_tail(&w, end);
        if (w.status == OLO_OK)
            w.status = olo_hdf5_finish(w.file, error);
        else
            olo_hdf5_close(w.file, NULL);
    }
    olo_free(tables);
    return w.status;
}

olo_status olo_record_file_finish(olo_record_file *file, const olo_record_end *end,
                                  olo_error *error)
{
    append_block(file);
    if (file->failure.status != OLO_OK)
        return pass_on(&file->failure, error);
    if (end->status != OLO_OK && file->named)
        return replace_journal(file, file->journal, file->rows, file->rows, end, error);
    const olo_status status = end->status == OLO_OK ? finish_result(file, end, error) : OLO_OK;
    if (status == OLO_OK && file->named)
        olo_hdf5_remove(file->journal);
    return status;
}

void olo_record_file_free(olo_record_file *file)
{
    if (file == NULL)
        return;
    olo_hdf5_close(file->journal, NULL); // deletes a journal without a name
    olo_streams_free(&file->streams);
    olo_free(file->tables);
    olo_pool_free(&file->pool);
    olo_free(file);
}
