/* The files of a run that is being recorded. While it goes on this is a journal, `path`.partial:
 * rows are appended in blocks, and about once a second they reach the disk together with a
 * checkpoint, from which the run can go on. At the end the journal is copied into a file of its
 * own, which gets the name `path`. What to record, and when, is the recorder's business. */
#ifndef OLO_RESULTS_RECORD_FILE_H
#define OLO_RESULTS_RECORD_FILE_H

#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/status.h"
#include "results/thin.h"

typedef struct olo_record_file olo_record_file;

/* What a file is about. Everything must outlive the file. */
typedef struct olo_record_subject {
    const olo_model *model;
    const olo_system *system;
    const olo_run *run;
    const char *command;
    const char *created; /* date */
    long rows;           /* that will come, about */
} olo_record_subject;

/* How a run ended. */
typedef struct olo_record_end {
    const olo_run_summary *summary; /* NULL: not known */
    olo_status status;
    const char *error;       /* text of a failure */
    const char *warnings;    /* lines */
    const char *shows;       /* what the states are, "" of a motion */
    long stride;             /* steps per row */
    olo_verdict_level level; /* of the run as a whole */
    const olo_verdict *verdicts;
    int verdict_count;
} olo_record_end;

/* What a checkpoint holds beside the rows: bytes that the recorder knows to read. */
typedef struct olo_record_contents {
    void *bytes;
    size_t size;
} olo_record_contents;

/* Begins a journal. It has no name until the first checkpoint, so that a file with the name
 * `path`.partial can always be resumed; an older one stays until then. Checkpoints have `size`
 * bytes. */
olo_status olo_record_file_create(const char *path, const olo_record_subject *subject, size_t size,
                                  olo_record_file **result, olo_error *error);

/* Goes on with the journal `path`.partial of the same model and run: what was recorded after its
 * last checkpoint is dropped, and `contents` gets what the checkpoint holds. */
olo_status olo_record_file_resume(const char *path, const olo_record_subject *subject,
                                  olo_record_contents contents, olo_record_file **result,
                                  olo_error *error);

/* Seconds between two checkpoints; 1 at first. More when writing them takes more than a tenth of
 * the time; 0: always due. */
void olo_record_file_set_interval(olo_record_file *file, double seconds);

/* Adds a row: the state and the ledger of the steps since the last row. Allocates nothing itself,
 * unless many more rows come than the subject said. */
olo_status olo_record_file_row(olo_record_file *file, const olo_state *state, long step,
                               const olo_thin *ledger, olo_error *error);

/* Whether it is time for a checkpoint. */
bool olo_record_file_is_due(const olo_record_file *file);

/* Writes everything: rows, then the checkpoint, to which all of them belong. This survives the end
 * of the process; with `sync` it waits for the disk, and survives the end of the power too. */
olo_status olo_record_file_checkpoint(olo_record_file *file, olo_record_contents contents,
                                      bool sync, olo_error *error);

/* Ends, after a checkpoint. A run that came to its end becomes the file `path`, and the journal
 * goes; one that did not stays `path`.partial with everything that is known. On failure the journal
 * is as before. */
olo_status olo_record_file_finish(olo_record_file *file, const olo_record_end *end,
                                  olo_error *error);

/* Frees; a journal with a checkpoint stays. NULL is fine. */
void olo_record_file_free(olo_record_file *file);

#endif
