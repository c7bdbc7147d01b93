/* Four terms of one square compiled for AVX2 (registers of four numbers); the results are
 * bit-identical. */
#ifdef __AVX2__
#define OLO_SQUARE_KERNELS olo_square_kernels_avx2
#include "system/vector_square_pack.c"
const olo_pack_kernels *const olo_square_kernels_wide = &olo_square_kernels_avx2;
#else
#include "system/term_pack.h"
#include "system/vector_square.h"
const olo_pack_kernels *const olo_square_kernels_wide = NULL;
#endif
