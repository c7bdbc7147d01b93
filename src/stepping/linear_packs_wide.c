/* The way back over packed bodies once more, for processors with registers of four numbers (AVX2);
 * see packs_wide.c. */
#ifdef __AVX2__
#define OLO_LINEAR_PACKS_KERNELS olo_linear_packs_kernels_avx2
#include "stepping/linear_packs_sweep.c"
const olo_linear_packs_kernels *const olo_linear_packs_kernels_wide =
    &olo_linear_packs_kernels_avx2;
#else
#include "stepping/linear_packs_private.h"
const olo_linear_packs_kernels *const olo_linear_packs_kernels_wide = NULL;
#endif
