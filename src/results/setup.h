/* The setup of a run: all that is needed to start it again, as one block with a checksum. A result
 * has the same in attributes for people. A journal has this block too, since HDF5 does not detect
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
    olo_checkpoint
        *block;         /* with a checksum; its contents are all texts, each ended by a zero byte */
    size_t size;        /* bytes of the block with its header */
    const char **texts; /* [count], in the block */
    size_t count;
    size_t parameters; /* number of texts after the first ones; the options follow */
} olo_setup;

/* Makes the setup of a run. Free in any case; initialise with `{0}`. False when memory is
 * exhausted. */
bool olo_setup_make(olo_setup *setup, const olo_record_subject *subject);

/* Takes ownership of a block of `size` bytes that was read from a file and finds the texts in it.
 * OLO_BAD_INPUT when it is incomplete. */
olo_status olo_setup_parse(olo_setup *setup, olo_checkpoint *block, size_t size, olo_error *error);

void olo_setup_free(olo_setup *setup);

#endif
