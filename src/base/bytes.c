/* Serialisation into blocks of bytes. */
#include "base/bytes.h"

#include <string.h>

void olo_bytes_pass(olo_bytes *bytes, void *field, size_t size)
{
    if (bytes->mode != OLO_BYTES_MEASURE) {
        if (bytes->overrun || size > bytes->size - bytes->at) {
            bytes->overrun = true;
            return;
        }
        if (size > 0 && bytes->mode == OLO_BYTES_SAVE)
            memcpy(bytes->block + bytes->at, field, size);
        else if (size > 0)
            memcpy(field, bytes->block + bytes->at, size);
    }
    bytes->at += size;
}
