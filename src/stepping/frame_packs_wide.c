/* The kernels for four frames compiled for AVX2 (registers of four numbers); the results are
 * bit-identical. */
#ifdef __AVX2__
#define OLO_FRAME_KERNELS olo_frame_kernels_avx2
#include "stepping/frame_packs_sweep.c"
const olo_frame_kernels *const olo_frame_kernels_wide = &olo_frame_kernels_avx2;
#else
#include "stepping/frame_packs.h"
const olo_frame_kernels *const olo_frame_kernels_wide = NULL;
#endif
