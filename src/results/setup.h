/* How a run was set up: all that it takes to start it again, as one block with a checksum. A result
 * tells the same in attributes for people; a journal has this too, since HDF5 does not notice
 * damage in texts. */
#ifndef OLO_RESULTS_SETUP_H
#define OLO_RESULTS_SETUP_H

#include <stdbool.h>
#include <stddef.h>

#include "results/checkpoint.h"
#include "results/record_file.h"

#define OLO_SETUP_PATH OLO_CHECKPOINT_GROUP "/setup"

/* The texts in their order: these, then parameters and options of the run as "name=value". */
enum {
    OLO_SETUP_VERSION, /* of the library */
    OLO_SETUP_CREATED,
    OLO_SETUP_COMMAND,
    OLO_SETUP_NAME, /* of the model */
    OLO_SETUP_TEXT, /* the model */
    OLO_SETUP_LISTS
};

typedef struct olo_setup {
    olo_checkpoint *block; /* sealed; its contents are all texts, each ended by a zero byte */
    size_t size;           /* bytes of the block with its head */
    const char **texts;    /* [count], in the block */
    size_t count;
    size_t parameters; /* that many come after the first ones, then the options */
} olo_setup;

/* The setup of a run. Free in any case; starts as `{0}`. False when memory is out. */
bool olo_setup_make(olo_setup *setup, const olo_record_subject *subject);

/* Takes over a block of so many bytes that was read from a file and finds the texts in it.
 * OLO_BAD_INPUT when it is not whole. */
olo_status olo_setup_take(olo_setup *setup, olo_checkpoint *block, size_t size, olo_error *error);

void olo_setup_free(olo_setup *setup);

#endif
