/* The six strains of a geometrically exact beam at a quadrature point,
 *
 *     Gamma_i = d_i . phi' - Gamma_i^0                              (1, 2 shear; 3 elongation)
 *     K_i     = 1/2 (d_k . d_j' - d_j . d_k') - K_i^0               (1, 2 bending; 3 torsion; i, j,
 *             k cyclic)
 *
 * with positions and directors interpolated alike, x = sum_a N_a x^a and x' = sum_a N'_a x^a. They
 * are quadratic forms of q, unchanged by rigid motions since sum N'_a = 0 and nothing but scalar
 * products enters (objective), and their Hessians are multiples of the unit matrix between the
 * 3-vectors of the nodes. This file evaluates all six together from the interpolated vectors; as
 * invariants of a term they serve wherever a law of forms does.
 */
#ifndef OLO_SYSTEM_STRAIN_H
#define OLO_SYSTEM_STRAIN_H

#include "system/term.h"

enum { OLO_STRAINS = 6, OLO_STRAIN_NODES_MAX = 3 };

typedef struct olo_strain {
    int nodes;                       /* 2 or 3 */
    int q[OLO_STRAIN_NODES_MAX];     /* first coordinate of the frame of each node */
    double N[OLO_STRAIN_NODES_MAX];  /* shape functions at the point ... */
    double dN[OLO_STRAIN_NODES_MAX]; /* ... and their derivatives by arc length */
    double reference[OLO_STRAINS];   /* what is taken off: the values of the state without stress */
    double weight;                   /* of the point in an integral over the length */
    /* The directors of the section in those of the node, row-major, d_i = sum_J turn[3 J + i] d_J
     * of the node: at corners and where beams share a node. NULL: they are the node's. */
    const double *turn[OLO_STRAIN_NODES_MAX];
} olo_strain;

/* e(q), or e(q + rest) where a rounding rest of q is given: far from the origin the difference of
 * positions is no better than their rounding, and a stiff law multiplies that. */
void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double e[OLO_STRAINS]);

/* The invariants of a term whose `data` is an olo_strain. */
extern const olo_invariants olo_strain_invariants;

#endif
