/* The books once more, for processors with registers of four numbers (AVX2), to the same bits. */
#ifdef __AVX2__
#define OLO_BOOKS_KERNELS olo_books_kernels_avx2
#include "system/books_sweep.c"
const olo_books_kernels *const olo_books_kernels_wide = &olo_books_kernels_avx2;
#else
#include "system/books_private.h"
const olo_books_kernels *const olo_books_kernels_wide = NULL;
#endif
