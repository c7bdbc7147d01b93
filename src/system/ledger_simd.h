/* The part of the ledger that belongs to frames, four at once: kinetic energy, momenta, the energy
 * of constant forces, and the errors of the rows that keep directors orthonormal and hinges closed.
 * The rest of the ledger goes on entry by entry. */
#ifndef OLO_SYSTEM_LEDGER_SIMD_H
#define OLO_SYSTEM_LEDGER_SIMD_H

#include <stdbool.h>

typedef struct olo_ledger_simd olo_ledger_simd;
typedef struct olo_system olo_system;

/* What frames add up to; angular momentum about the origin. */
typedef struct olo_ledger_simd_sums {
    double kinetic, potential, linear[3], angular[3];
    double error, relative, rate; /* largest |g|, |g| over the size of the row, |G v| */
} olo_ledger_simd_sums;

/* Of a system that is otherwise complete. NULL in *books: it has too few frames. False: no memory.
 */
bool olo_ledger_simd_create(const olo_system *system, bool plain, olo_ledger_simd **ledger_simd);
void olo_ledger_simd_free(olo_ledger_simd *ledger_simd);

/* False: something is not finite, and what is has to be found out entry by entry. */
bool olo_ledger_simd_sum(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                         olo_ledger_simd_sums *sums);
/* What is not in them: terms and constraint groups. */
int olo_ledger_simd_terms(const olo_ledger_simd *ledger_simd, const int **terms);
int olo_ledger_simd_groups(const olo_ledger_simd *ledger_simd, const int **groups);

#endif
