/* The seal of a file: its last bytes, which tell whether all others are as they were written. HDF5
 * does not see them; they follow the end that its head tells. HDF5 opens a file only after its seal
 * has been checked, since HDF5 itself may crash or loop on damaged files.
 *
 *   ranges    count times offset, size     what the checksum covers; none: everything before the
 *             seal
 *   magic     8 bytes "oloidend"
 *   count     number of ranges
 *   length    bytes before the seal
 *   checksum  CRC-32 of the bytes covered, then of the ranges, magic, count and length
 *
 * All numbers have 64 bits, the least byte first. A file that is complete is covered as a whole; in
 * a journal only what stays as it is while the journal grows. Not covered there are the rows and
 * the checkpoints, which have checksums of their own (journal.h), and the object headers of the
 * tables that grow, with their numbers of rows, types and short attributes: these have only the
 * checksum that HDF5 itself keeps and verifies in every header. */
#ifndef OLO_RESULTS_SEAL_H
#define OLO_RESULTS_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "oloid/status.h"
#include "results/ranges.h"

/* Adds a seal to a file of `length` bytes over tidy ranges; NULL: over everything. False, with
 * errno, when that fails. */
bool olo_seal_write(int descriptor, uint64_t length, const olo_ranges *ranges);

/* Checks the seal. `length` gets the bytes before it, `journal` whether it covers parts only. The
 * text of a failure names `path`. */
olo_status olo_seal_check(int descriptor, const char *path, uint64_t *length, bool *journal,
                          olo_error *error);

#endif
