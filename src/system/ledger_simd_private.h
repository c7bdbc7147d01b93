/* Types that the files of the ledger of frames share. */
#ifndef OLO_SYSTEM_LEDGER_SIMD_PRIVATE_H
#define OLO_SYSTEM_LEDGER_SIMD_PRIVATE_H

#include "linalg/lanes.h"
#include "system/ledger_simd.h"

/* The constants of four frames. */
typedef struct olo_ledger_simd_four {
    lane_mass mass;
    lane3 force[4];                 /* gradient of the energy of constant forces */
    lane inner[6];                  /* 1/size of the rows 11, 22, 33, 12, 13, 23 */
    lane point[3], parent_point[3]; /* of the hinge, in the frame and in its parent */
    lane axis[3];                   /* n in the parent */
    lane eta[3];                    /* n.d_I at the initial state */
    lane outer[6];                  /* 1/size of the rows of the hinge: x, y, z, n.d_I; 0: no row */
} four;

/* The first coordinates of four frames and of their parents. */
typedef struct olo_ledger_simd_offsets {
    int q[LANES];
    int parent[LANES]; /* -1 for the ground */
} offsets;

typedef struct olo_ledger_simd_kernels {
    void (*add_up)(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                   olo_ledger_simd_sums *sums);
} olo_ledger_simd_kernels;

struct olo_ledger_simd {
    const olo_ledger_simd_kernels *kernels;
    int fours;
    four *four;
    offsets *offsets;
    double constant; /* energy of constant forces at q = 0 */
    int term_count, group_count;
    int *terms, *groups;
};

extern const olo_ledger_simd_kernels olo_ledger_simd_kernels_plain;
/* NULL if the library was built without AVX2. */
extern const olo_ledger_simd_kernels *const olo_ledger_simd_kernels_wide;

#endif
