/* The file of a run that is being recorded: laid out at the start, rows appended in blocks, closed and
 * renamed at the end. What to record, and when, is the recorder's business. */
#ifndef OLO_RESULTS_RECORD_FILE_H
#define OLO_RESULTS_RECORD_FILE_H

#include "oloid/model.h"
#include "oloid/results.h"
#include "oloid/simulate.h"
#include "oloid/status.h"
#include "results/thin.h"

typedef struct olo_record_file olo_record_file;

/* What a file is about. */
typedef struct olo_record_subject {
    const olo_model *model;
    const olo_system *system;
    const olo_run *run;
    const char *command;
    long rows; /* that will come, about */
} olo_record_subject;

/* How a run ended. */
typedef struct olo_record_end {
    const olo_run_summary *summary; /* NULL: not known */
    olo_status status;
    const char *error;    /* text of a failure */
    const char *warnings; /* lines */
    long stride;          /* steps a row */
    const olo_verdict *verdicts;
    int verdict_count;
} olo_record_end;

/* Creates `path`.partial with everything but rows. Model and system must outlive it. */
olo_status olo_record_file_create(const char *path, const olo_record_subject *subject,
                                  olo_record_file **result, olo_error *error);

/* Adds a row: the state and the ledger of the steps since the last row. Rows reach the disk when a block is
 * full, and at least about once a second. Allocates nothing itself. */
olo_status olo_record_file_row(olo_record_file *file, const olo_state *state, long step,
                               const olo_thin *ledger, olo_error *error);

/* Writes the end, closes, and gives the file its name. On failure `path`.partial is left. */
olo_status olo_record_file_finish(olo_record_file *file, const olo_record_end *end,
                                  olo_error *error);

/* Frees; closes a file that is not finished and leaves it as `path`.partial. NULL is fine. */
void olo_record_file_free(olo_record_file *file);

#endif
