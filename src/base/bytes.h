/* Serialisation of numbers and texts into one block of bytes. A list of fields is written and read
 * by the same function, so that the two always agree. The byte order is that of the machine: a
 * block must be read on the machine where it was written. */
#ifndef OLO_BASE_BYTES_H
#define OLO_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum olo_bytes_mode { OLO_BYTES_MEASURE, OLO_BYTES_SAVE, OLO_BYTES_LOAD } olo_bytes_mode;

/* A position in a block. Initialise with {mode, block, size}. OLO_BYTES_MEASURE needs no block:
 * `at` is the size afterwards. */
typedef struct olo_bytes {
    olo_bytes_mode mode;
    unsigned char *block;
    size_t size;
    size_t at;
    bool overrun; /* the block was too short */
} olo_bytes;

/* Writes a field of `size` bytes into the block or reads it from the block. */
void olo_bytes_pass(olo_bytes *bytes, void *field, size_t size);

#endif
