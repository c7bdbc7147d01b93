/* A checkpoint is a block of bytes from which a run can continue. Its header has a checksum, which
 * shows whether the block is complete. A journal has two checkpoint datasets, written alternately:
 * when writing one of them is interrupted, the other is still valid. */
#ifndef OLO_RESULTS_CHECKPOINT_H
#define OLO_RESULTS_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The paths of the two datasets in a file, and their group. */
#define OLO_CHECKPOINT_GROUP "/checkpoint"
extern const char *const olo_checkpoint_paths[2];

/* The header; the contents follow it in memory. */
typedef struct olo_checkpoint {
    uint64_t magic, checksum; /* of all bytes that follow */
    uint64_t version;
    uint64_t sequence; /* increases with every checkpoint, starting from 1 */
    uint64_t rows;     /* rows of the journal that belong to it; later rows are dropped */
    uint64_t row_sum;  /* checksum of these rows (journal.h) */
    uint64_t size;     /* size of the contents in bytes */
} olo_checkpoint;

/* Completes the header of a block whose contents, rows and sequence are set. */
void olo_checkpoint_set_checksum(olo_checkpoint *block, size_t size);

/* True if a block of `size` bytes is a complete checkpoint. */
bool olo_checkpoint_is_whole(const olo_checkpoint *block, size_t bytes);

/* True if the block is a checkpoint of a version that this program does not know. */
bool olo_checkpoint_is_foreign(const olo_checkpoint *block, size_t bytes);

#endif
