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

/* The body in which the axes of translation rows are fixed. */
typedef enum olo_ledger_carrier { IN_SPACE, IN_PARENT, IN_CHILD, CARRIERS } carrier;

/* The rows of four joints of frames: the span x_c + rho_c - x_p - rho_p along three axes, and
 * scalar products of vectors of the parent and of the child. */
typedef struct olo_ledger_simd_joints {
    carrier carrier;
    int count, dots;                      /* joints, and scalar products */
    int child[LANES], parent[LANES];      /* first coordinates; -1 for the ground */
    lane point[3], parent_point[3];       /* joint points in the frames */
    lane axes[3][3];                      /* in the frame of the carrier; none in space */
    lane of_parent[3][3], of_child[3][3]; /* vectors of the scalar products, in the frames ... */
    lane eta[3];                          /* ... and their values */
    lane per_size[6];                     /* 1/size of these rows; 0: no row */
} joints;

typedef struct olo_ledger_simd_kernels {
    void (*add_up)(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                   olo_ledger_simd_sums *sums);
} olo_ledger_simd_kernels;

struct olo_ledger_simd {
    const olo_ledger_simd_kernels *kernels;
    int fours;
    four *four;
    offsets *offsets;
    int joint_fours;
    joints *joints;
    double constant; /* energy of constant forces at q = 0 */
    int term_count, group_count;
    int *terms, *groups;
};

extern const olo_ledger_simd_kernels olo_ledger_simd_kernels_plain;
/* NULL if the library was built without AVX2. */
extern const olo_ledger_simd_kernels *const olo_ledger_simd_kernels_wide;

#endif
