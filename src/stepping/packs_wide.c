/* The sweeps over packed bodies once more, for processors with registers of four numbers (AVX2).
 * The same operations in the same order, and so the same bits. */
#ifdef __AVX2__
#define OLO_PACKS_KERNELS olo_packs_kernels_avx2
#include "stepping/packs_sweep.c"
const olo_packs_kernels *const olo_packs_kernels_wide = &olo_packs_kernels_avx2;
#else
#include "stepping/packs_private.h"
const olo_packs_kernels *const olo_packs_kernels_wide = NULL;
#endif
