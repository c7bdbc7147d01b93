/* The files of a run that is being recorded. During the run this is a journal, `path`.partial: rows
 * are appended in blocks, and about once per second they are written to disk together with a
 * checkpoint, from which the run can continue. At the end the journal is copied into a new file,
 * which gets the name `path`. The recorder decides what is recorded, and when. */
#ifndef OLO_RESULTS_RECORD_FILE_H
#define OLO_RESULTS_RECORD_FILE_H

#include "oloid/feedback.h"
#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/status.h"
#include "results/thinning.h"

typedef struct olo_record_file olo_record_file;

/* The model and the run that a file describes. All members must outlive the file. */
typedef struct olo_record_subject {
    const olo_model *model;
    const olo_system *system;
    const olo_run *run;
    const char *command;
    const char *created; /* date */
    long rows;           /* expected number */
} olo_record_subject;

/* An optimum that is recorded. */
typedef struct olo_record_optimum {
    const olo_optimum *optimum;
    olo_certificate certificate;
    olo_resimulation resimulation; /* substeps 0: none */
} olo_record_optimum;

/* How a run ended. */
typedef struct olo_record_end {
    const olo_run_summary *summary; /* NULL: unknown */
    olo_status status;
    const char *error;       /* error text */
    const char *warnings;    /* lines */
    const char *findings;    /* lines: level, space, sentence; NULL or "": none */
    const char *axis;        /* what the time is if it is no time; NULL or "": a time */
    const char *shows;       /* meaning of the states when they are no motion in time, else "" */
    long stride;             /* steps per row */
    olo_verdict_level level; /* of the whole run */
    const olo_verdict *verdicts;
    int verdict_count;
    const olo_record_optimum *optimum; /* NULL: none */
    const olo_feedback *feedback;      /* NULL: none */
} olo_record_end;

/* The contents of a checkpoint: bytes that the recorder writes and reads. */
typedef struct olo_record_contents {
    void *bytes;
    size_t size;
} olo_record_contents;

/* Creates a journal. It has no name until the first checkpoint, so that a file with the name
 * `path`.partial can always be resumed; an older one remains until then. Checkpoints have `size`
 * bytes. */
olo_status olo_record_file_create(const char *path, const olo_record_subject *subject, size_t size,
                                  olo_record_file **result, olo_error *error);

/* Continues the journal `path`.partial of the same model and run. Rows recorded after its last
 * checkpoint are dropped, and `contents` receives the contents of the checkpoint. */
olo_status olo_record_file_resume(const char *path, const olo_record_subject *subject,
                                  olo_record_contents contents, olo_record_file **result,
                                  olo_error *error);

/* Sets the seconds between two checkpoints; the default is 1. The interval is extended when writing
 * takes more than a tenth of the time; 0: a checkpoint is always due. */
void olo_record_file_set_interval(olo_record_file *file, double seconds);

/* Adds a row: the state, the ledger of the steps since the last row, and outputs with the
 * accelerations of all coordinates, or with those of the last step if it is NULL. Allocates
 * nothing, unless there are many more rows than the subject expects. */
olo_status olo_record_file_row(olo_record_file *file, const olo_state *state,
                               const double *accelerations, long step, const olo_thinning *ledger,
                               olo_error *error);

/* True if a checkpoint is due. */
bool olo_record_file_is_due(const olo_record_file *file);

/* Writes the rows, then the checkpoint that refers to them. The data survive the end of the
 * process; with `sync` the call waits for the disk, and the data survive a power failure too. */
olo_status olo_record_file_checkpoint(olo_record_file *file, olo_record_contents contents,
                                      bool sync, olo_error *error);

/* Ends the recording, after a checkpoint. A complete run becomes the file `path`, and the journal
 * is removed. An incomplete run remains `path`.partial, with its status and verdict. On failure the
 * journal is unchanged. */
olo_status olo_record_file_finish(olo_record_file *file, const olo_record_end *end,
                                  olo_error *error);

/* Frees the memory; a journal with a checkpoint remains on disk. NULL is allowed. */
void olo_record_file_free(olo_record_file *file);

#endif
