/* Functions of the hot sweeps, which are inlined whatever their size: their callers know sizes and
 * kinds when they are compiled. */
#ifndef OLO_BASE_INLINE_H
#define OLO_BASE_INLINE_H

/* Copies of the sweeps that hardly any processor runs (CMakeLists.txt) are compiled without. */
#ifdef OLO_INLINE_LESS
#define OLO_INLINE static inline
#else
#define OLO_INLINE static inline __attribute__((always_inline))
#endif

#endif
