/* The journal of a run that broke off, as one that goes on with it sees it. */
#ifndef OLO_RESULTS_RECORD_PAST_H
#define OLO_RESULTS_RECORD_PAST_H

#include "results/checkpoint.h"
#include "results/hdf5_file.h"
#include "results/record_file.h"

typedef struct olo_record_past {
    olo_hdf5 *hdf5;
    char **created, **command; /* lists of one */
    olo_checkpoint *checkpoint;
} olo_record_past;

/* Opens a journal and takes its last checkpoint. Fails when it is no journal, or damaged, or another program
 * wrote it, and when model or run are not those of `subject`. Close in any case; starts as `{0}`. */
olo_status olo_record_past_open(olo_record_past *past, const char *path,
                                const olo_record_subject *subject, olo_error *error);
void olo_record_past_close(olo_record_past *past);

#endif
