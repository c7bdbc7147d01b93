/* A checksum of bytes: the CRC-32 of zlib, PNG and Ethernet. It detects every damage within 32
 * neighbouring bits and all but one in 2^32 of the others. It detects accidents, not malice. */
#ifndef OLO_BASE_CHECKSUM_H
#define OLO_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of a block, continued from that of the bytes `before` it, 0 at the beginning. */
uint32_t olo_checksum(uint32_t before, const void *block, size_t size);

#endif
