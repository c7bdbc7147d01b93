/* Rotations as functions of up to three coordinates, with first and second derivatives:
 *
 *     angle      E = cos u I + (1 - cos u) n n^T + sin u n^,              n a unit vector
 *     Cayley     E = I + s (a^ + 1/2 a^ a^),  s = 1/(1 + |a|^2/4),        a = sum u_k a_k
 *     product    E = A B, the coordinates of A first
 *
 * Matrices are row-major and turn vectors: y = E x.
 */
#ifndef OLO_LINALG_ROTATION_JET_H
#define OLO_LINALG_ROTATION_JET_H

typedef struct rotation_jet {
    int count; /* coordinates */
    double value[9];
    double first[3][9];     /* dE/du_k */
    double second[3][3][9]; /* d2E/du_k du_l, both halves */
} rotation_jet;

/* No coordinates: the unit matrix. */
void rotation_jet_none(rotation_jet *E);
void rotation_jet_angle(const double n[3], double angle, rotation_jet *E);
/* `axes` are the a_k, three numbers each. */
void rotation_jet_cayley(int count, const double *axes, const double *u, rotation_jet *E);
void rotation_jet_product(const rotation_jet *A, const rotation_jet *B, rotation_jet *E);

#endif
