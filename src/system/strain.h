/* The six strains of a geometrically exact beam at a quadrature point,
 *
 *     Gamma_i = d_i . phi' - Gamma_i^0                       (1, 2 shear; 3 elongation)
 *     K_i     = 1/2 (d_k . d_j' - d_j . d_k') - K_i^0        (1, 2 bending; 3 torsion)
 *
 * with i, j, k cyclic. Positions and directors are interpolated in the same way,
 * x = sum_a N_a x^a and x' = sum_a N'_a x^a. The strains are quadratic forms of q. They are
 * invariant under rigid motions (objective), because sum N'_a = 0 and only scalar products occur.
 * Their Hessians are multiples of the unit matrix between the 3-vectors of the nodes. This file
 * evaluates all six strains together from the interpolated vectors, as invariants of a term.
 */
#ifndef OLO_SYSTEM_STRAIN_H
#define OLO_SYSTEM_STRAIN_H

#include "system/term.h"

enum { OLO_STRAINS = 6, OLO_STRAIN_NODES_MAX = 3 };

typedef struct olo_strain {
    int nodes;                       /* 2 or 3 */
    int q[OLO_STRAIN_NODES_MAX];     /* first coordinate of the frame of each node */
    double N[OLO_STRAIN_NODES_MAX];  /* shape functions at the point ... */
    double dN[OLO_STRAIN_NODES_MAX]; /* ... and their derivatives with respect to arc length */
    double reference[OLO_STRAINS];   /* Gamma^0 and K^0, of the configuration without stress */
    double weight;                   /* of the point in an integral over the length */
    /* The directors of the section relative to those d_J of the node, row-major, d_i = sum_J
     * turn[3 J + i] d_J, at corners and where beams share a node. NULL: they are equal. */
    const double *turn[OLO_STRAIN_NODES_MAX];
} olo_strain;

/* e(q), or e(q + remainder) unless `remainder` is NULL. Far from the origin the rounding of
 * positions limits the accuracy of their differences, and a stiff law amplifies this error. */
void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double e[OLO_STRAINS]);

/* The invariants of a term whose `data` is an olo_strain. */
extern const olo_invariants olo_strain_invariants;

/* Their functions for four terms at once, in plain code and for AVX2; NULL if the library was built
 * without AVX2. */
extern const struct olo_pack_kernels olo_strain_kernels_plain;
extern const struct olo_pack_kernels *const olo_strain_kernels_wide;

#endif
