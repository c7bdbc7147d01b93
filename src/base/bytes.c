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
        if (size > 0 && bytes->mode == OLO_BYTES_SAVE) {
            memcpy(bytes->block + bytes->at, field, size);
        } else if (size > 0) {
            memcpy(field, bytes->block + bytes->at, size);
        }
    }
    bytes->at += size;
}

void olo_bytes_pass_flag(olo_bytes *bytes, bool *flag)
{
    unsigned char byte = *flag ? 1 : 0;
    olo_bytes_pass(bytes, &byte, sizeof byte);
    if (bytes->mode == OLO_BYTES_LOAD) {
        bytes->invalid = bytes->invalid || byte > 1;
        *flag = byte != 0;
    }
}
