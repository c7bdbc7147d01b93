/* Blocks of bytes and their checksum, FNV-1a: h = (h xor byte) * prime for every byte. */
#include "base/bytes.h"

#include <string.h>

void olo_bytes_pass(olo_bytes *bytes, void *field, size_t size)
{
    if (bytes->way != OLO_BYTES_MEASURE) {
        if (bytes->overrun || size > bytes->size - bytes->at) {
            bytes->overrun = true;
            return;
        }
        if (size > 0 && bytes->way == OLO_BYTES_SAVE) {
            memcpy(bytes->block + bytes->at, field, size);
        } else if (size > 0) {
            memcpy(field, bytes->block + bytes->at, size);
        }
    }
    bytes->at += size;
}

uint64_t olo_checksum(uint64_t before, const void *block, size_t size)
{
    static const uint64_t PRIME = UINT64_C(0x100000001b3);
    const unsigned char *byte = block;
    uint64_t sum = before;
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ byte[i]) * PRIME;
    }
    return sum;
}
