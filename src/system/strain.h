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
 *
 * Discrete rods have a seventh invariant,
 *
 *     c = 1/2 sum_i d_i . d_i - 1/2 = 1/4 (1 + trace R^T R')
 *
 * of the mean d_i of two neighbouring frames R and R': the law divides K by it (law_rod.c). Rods
 * with positions at vertices and directors at edges have nodes that contribute one of both.
 */
#ifndef OLO_SYSTEM_STRAIN_H
#define OLO_SYSTEM_STRAIN_H

#include "system/term.h"

enum { OLO_STRAINS = 6, OLO_ROD_INVARIANTS = 7, OLO_STRAIN_NODES_MAX = 3 };

typedef struct olo_strain {
    int nodes;                            /* 2 or 3 */
    int count;                            /* of invariants: 6, or 7 */
    int position[OLO_STRAIN_NODES_MAX];   /* first coordinate of the position of each node ... */
    int directors[OLO_STRAIN_NODES_MAX];  /* ... and of its directors; -1: not used here */
    int twist[OLO_STRAIN_NODES_MAX];      /* size of its twist; the rotation is last */
    double N[OLO_STRAIN_NODES_MAX];       /* shape functions at the point ... */
    double dN[OLO_STRAIN_NODES_MAX];      /* ... and their derivatives by arc length */
    double reference[OLO_ROD_INVARIANTS]; /* Gamma^0 and K^0 without stress; 1/2 of c */
    double weight;                        /* of the point in an integral over the length */
    /* The directors of the section relative to those d_J of the node, row-major, d_i = sum_J
     * turn[3 J + i] d_J, at corners and where beams share a node. NULL: they are equal. */
    const double *turn[OLO_STRAIN_NODES_MAX];
} olo_strain;

/* Adds a node of which position and directors are used, a frame that starts at q[first]. */
void olo_strain_use_frame(olo_strain *strain, int first);

/* The number of coordinates, and their list: the position and the directors of each node. */
int olo_strain_size(const olo_strain *strain);
void olo_strain_index(const olo_strain *strain, int *index);

/* e(q)[count], or e(q + remainder) unless `remainder` is NULL. Far from the origin the rounding of
 * positions limits the accuracy of their differences, and a stiff law amplifies this error. */
void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double *e);

/* The invariants of a term whose `data` is an olo_strain. */
extern const olo_invariants olo_strain_invariants;

/* Their functions for four terms at once, in plain code and for AVX2; NULL if the library was built
 * without AVX2. */
extern const struct olo_pack_kernels olo_strain_kernels_plain;
extern const struct olo_pack_kernels *const olo_strain_kernels_wide;

#endif
