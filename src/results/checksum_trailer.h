/* The checksum trailer of a file: its last bytes, which show whether all others are unchanged. HDF5
 * does not see them, since they follow the end of file that its superblock contains. A file is
 * opened by HDF5 only after the trailer has been checked, since HDF5 itself may crash or loop on
 * damaged files.
 *
 *   ranges    count times offset, size     what the checksum covers; none: everything before the
 *             trailer
 *   magic     8 bytes "oloidend"
 *   count     number of ranges
 *   length    bytes before the trailer
 *   checksum  CRC-32 of the bytes covered, then of the ranges, magic, count and length
 *
 * All numbers have 64 bits, little-endian. Of a complete file all bytes are covered, of a journal
 * only those that do not change while the journal grows. Not covered there are the rows and the
 * checkpoints, which have separate checksums (journal.h), and the object headers of the tables that
 * grow, with their numbers of rows, types and short attributes: these have only the checksum that
 * HDF5 itself stores and verifies in every header. */
#ifndef OLO_RESULTS_CHECKSUM_TRAILER_H
#define OLO_RESULTS_CHECKSUM_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#include "oloid/status.h"
#include "results/ranges.h"

/* Adds a trailer to a file of `length` bytes that covers normalized ranges; NULL: the whole file.
 * False, with errno, on failure. */
bool olo_checksum_trailer_write(int descriptor, uint64_t length, const olo_ranges *ranges);

/* Checks the trailer. `length` receives the number of bytes before it, `journal` whether it covers
 * only parts. The error text names `path`. */
olo_status olo_checksum_trailer_check(int descriptor, const char *path, uint64_t *length,
                                      bool *journal, olo_error *error);

#endif
