/* The parts of a journal beside its rows, for readers: blocks whose header has a checksum of their
 * contents, and checkpoints with a checksum of all earlier rows.
 *
 * The checksum of rows is that of the checksums of the streams (olo_checksum of all numbers of a
 * stream up to a row, 32 bits each, in the order of the dataset of names). */
#ifndef OLO_RESULTS_JOURNAL_H
#define OLO_RESULTS_JOURNAL_H

#include <stddef.h>

#include "oloid/status.h"
#include "results/checkpoint.h"
#include "results/hdf5_file.h"

/* Names of the datasets that have rows. */
#define OLO_JOURNAL_STREAMS OLO_CHECKPOINT_GROUP "/streams"

/* Reads a block of bytes with its header; free it. OLO_NOT_FOUND when there is none. */
olo_status olo_journal_block(olo_hdf5 *file, const char *path, olo_checkpoint **block, size_t *size,
                             olo_error *error);

/* Reads the later of the two checkpoints that is complete and whose rows have their checksum; free
 * it. `path` is for messages. */
olo_status olo_journal_last(olo_hdf5 *file, const char *path, olo_checkpoint **checkpoint,
                            olo_error *error);

#endif
