/* Checksums by zlib. */
#include "base/checksum.h"

#include <zlib.h>

uint32_t olo_checksum(uint32_t before, const void *block, size_t size)
{
    return (uint32_t)crc32_z(before, block, size);
}
