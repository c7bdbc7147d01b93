/* Numbers and texts as one block of bytes: a list of fields that is written and read by the same
 * function, so that the two can never disagree. The bytes are those of this machine: meant for a
 * block that is read back where it was written. */
#ifndef OLO_BASE_BYTES_H
#define OLO_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum olo_bytes_way { OLO_BYTES_MEASURE, OLO_BYTES_SAVE, OLO_BYTES_LOAD } olo_bytes_way;

/* A place in a block. Starts as {way, block, size}; without a block it measures: `at` is the size
 * then. */
typedef struct olo_bytes {
    olo_bytes_way way;
    unsigned char *block;
    size_t size;
    size_t at;
    bool overrun; /* the block was too short */
} olo_bytes;

/* Passes a field of `size` bytes into the block or out of it. */
void olo_bytes_pass(olo_bytes *bytes, void *field, size_t size);

#endif
