/* The strains of four quadrature points compiled for AVX2 (registers of four numbers); the results
 * are bit-identical. */
#ifdef __AVX2__
#define OLO_STRAIN_KERNELS olo_strain_kernels_avx2
#include "system/strain_pack.c"
const olo_pack_kernels *const olo_strain_kernels_wide = &olo_strain_kernels_avx2;
#else
#include "system/strain.h"
#include "system/term_pack.h"
const olo_pack_kernels *const olo_strain_kernels_wide = NULL;
#endif
