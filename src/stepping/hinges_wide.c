/* The sweeps over hinged bodies once more, for processors with registers of four numbers (AVX2).
 * The same operations in the same order, and so the same bits. */
#ifdef __AVX2__
#define OLO_HINGE_KERNELS olo_hinge_kernels_avx2
#include "stepping/hinges_sweep.c"
const olo_hinge_kernels *const olo_hinge_kernels_wide = &olo_hinge_kernels_avx2;
#else
#include "stepping/hinges_private.h"
const olo_hinge_kernels *const olo_hinge_kernels_wide = NULL;
#endif
