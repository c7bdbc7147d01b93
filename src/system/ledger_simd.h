/* The ledger of frames, four frames at once: kinetic energy, momenta, the energy of constant
 * forces, and the errors of the orthonormality rows and of the rows of joints. All other parts of
 * the ledger are summed entry by entry (ledger.c). */
#ifndef OLO_SYSTEM_LEDGER_SIMD_H
#define OLO_SYSTEM_LEDGER_SIMD_H

#include <stdbool.h>

typedef struct olo_ledger_simd olo_ledger_simd;
typedef struct olo_system olo_system;

/* Sums over all frames; the angular momentum is about the origin. */
typedef struct olo_ledger_simd_sums {
    double kinetic, potential, linear[3], angular[3];
    double error, relative, rate; /* largest |g|, |g| over the size of the row, |G v| */
} olo_ledger_simd_sums;

/* For a system that is otherwise complete. *ledger_simd is NULL if the system has too few frames.
 * False: no memory. `plain` selects the kernels without AVX2. */
bool olo_ledger_simd_create(const olo_system *system, bool plain, olo_ledger_simd **ledger_simd);
void olo_ledger_simd_free(olo_ledger_simd *ledger_simd);

/* Evaluates the sums. False: a sum is not finite, and the ledger has to be summed entry by entry.
 */
bool olo_ledger_simd_sum(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                         olo_ledger_simd_sums *sums);
/* The terms and constraint groups that are not part of the sums. */
int olo_ledger_simd_terms(const olo_ledger_simd *ledger_simd, const int **terms);
int olo_ledger_simd_groups(const olo_ledger_simd *ledger_simd, const int **groups);

#endif
