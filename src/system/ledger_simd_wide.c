/* The kernels of the ledger compiled for AVX2 (registers of four numbers); their results are
 * bit-identical. */
#ifdef __AVX2__
#define OLO_LEDGER_KERNELS olo_ledger_simd_kernels_avx2
#include "system/ledger_simd_sweep.c"
const olo_ledger_simd_kernels *const olo_ledger_simd_kernels_wide = &olo_ledger_simd_kernels_avx2;
#else
#include "system/ledger_simd_private.h"
const olo_ledger_simd_kernels *const olo_ledger_simd_kernels_wide = NULL;
#endif
