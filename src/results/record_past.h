/* The journal of a run that broke off, as one that goes on with it sees it. Nothing is read from it
 * that has no checksum. */
#ifndef OLO_RESULTS_RECORD_PAST_H
#define OLO_RESULTS_RECORD_PAST_H

#include "results/checkpoint.h"
#include "results/hdf5_file.h"
#include "results/record_file.h"
#include "results/setup.h"

typedef struct olo_record_past {
    olo_hdf5 *hdf5;
    olo_setup setup;
    olo_checkpoint *checkpoint;
} olo_record_past;

/* Opens a journal and reads how the run was set up. Fails when it is no journal, or damaged, or
 * another version of the library wrote it. With `alone` no other process can open it meanwhile,
 * since it is to be replaced. Close in any case; starts as `{0}`. */
olo_status olo_record_past_open(olo_record_past *past, const char *path, bool alone,
                                olo_error *error);

/* Takes its last checkpoint. Fails when model or run are not those of `subject`, or there is none.
 */
olo_status olo_record_past_take(olo_record_past *past, const char *path,
                                const olo_record_subject *subject, olo_error *error);

void olo_record_past_close(olo_record_past *past);

#endif
