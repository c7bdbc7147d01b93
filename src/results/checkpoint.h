/* A checkpoint: what a run needs to go on, as a block of bytes with a head that tells whether it is
 * whole. A journal has two places for it, written in turn: when one is torn, the other holds. */
#ifndef OLO_RESULTS_CHECKPOINT_H
#define OLO_RESULTS_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the two are in a file, and the group they are in. */
#define OLO_CHECKPOINT_GROUP "/checkpoint"
extern const char *const olo_checkpoint_paths[2];

/* Head and contents; the contents follow the head in memory. */
typedef struct olo_checkpoint {
    uint64_t magic, checksum; /* of all that follows */
    uint64_t version;
    uint64_t sequence; /* the larger one is the later one; from 1 */
    uint64_t rows;     /* that belong to it; later ones are to be dropped */
    uint64_t row_sum;  /* checksum of these rows, see journal.h */
    uint64_t size;     /* bytes of the contents */
} olo_checkpoint;

/* Completes the head of a block whose contents, rows and sequence are set. */
void olo_checkpoint_seal(olo_checkpoint *block, size_t size);

/* True if a block of so many bytes is a whole checkpoint. */
bool olo_checkpoint_is_whole(const olo_checkpoint *block, size_t bytes);

/* True if it is a checkpoint at all, of a version that this program does not know. */
bool olo_checkpoint_is_foreign(const olo_checkpoint *block, size_t bytes);

#endif
