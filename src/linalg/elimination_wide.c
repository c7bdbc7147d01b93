/* The elimination of a block once more, for processors with registers of four numbers (AVX2). The
 * same operations in the same order, and so the same bits. */
#ifdef __AVX2__
#define OLO_ELIMINATION_KERNELS olo_elimination_kernels_avx2
#include "linalg/elimination_sweep.c"
const olo_elimination_kernels *const olo_elimination_kernels_wide = &olo_elimination_kernels_avx2;
#else
#include "linalg/elimination_private.h"
const olo_elimination_kernels *const olo_elimination_kernels_wide = NULL;
#endif
