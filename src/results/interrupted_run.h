/* The journal of an interrupted run, opened to continue the run. Only data with a checksum are read
 * from it. */
#ifndef OLO_RESULTS_INTERRUPTED_RUN_H
#define OLO_RESULTS_INTERRUPTED_RUN_H

#include "results/checkpoint.h"
#include "results/hdf5_file.h"
#include "results/record_file.h"
#include "results/setup.h"

typedef struct olo_interrupted_run {
    olo_hdf5 *hdf5;
    olo_setup setup;
    olo_checkpoint *checkpoint;
} olo_interrupted_run;

/* Opens a journal and reads the setup of the run. Fails when the file is no journal, or damaged, or
 * written by another version of the library. With `exclusive` no other process can open it until it
 * is closed, since it will be replaced. Close in any case; initialise with `{0}`. */
olo_status olo_interrupted_run_open(olo_interrupted_run *interrupted, const char *path,
                                    bool exclusive, olo_error *error);

/* Loads its last checkpoint. Fails when model or run differ from those of `subject`, or when there
 * is none. */
olo_status olo_interrupted_run_load_checkpoint(olo_interrupted_run *interrupted, const char *path,
                                               const olo_record_subject *subject, olo_error *error);

void olo_interrupted_run_close(olo_interrupted_run *interrupted);

#endif
