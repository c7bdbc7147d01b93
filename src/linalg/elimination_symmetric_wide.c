/* The elimination of a symmetric block once more, for processors with registers of four numbers
 * (AVX2). The same operations in the same order, and so the same bits. */
#ifdef __AVX2__
#define OLO_SYMMETRIC_KERNELS olo_symmetric_kernels_avx2
#include "linalg/elimination_symmetric_sweep.c"
const olo_symmetric_kernels *const olo_symmetric_kernels_wide = &olo_symmetric_kernels_avx2;
#else
#include "linalg/elimination_private.h"
const olo_symmetric_kernels *const olo_symmetric_kernels_wide = NULL;
#endif
