/* The sweeps of closures once more, for processors with registers of four numbers (AVX2); see
 * packs_wide.c. */
#ifdef __AVX2__
#define OLO_PACKS_CLOSURE_KERNELS olo_packs_closure_kernels_avx2
#include "stepping/packs_closures_sweep.c"
const olo_packs_closure_kernels *const olo_packs_closure_kernels_wide =
    &olo_packs_closure_kernels_avx2;
#else
#include "stepping/packs_closures.h"
const olo_packs_closure_kernels *const olo_packs_closure_kernels_wide = NULL;
#endif
