/* Mass. M couples 3-vectors of q by multiples of the identity; a list of entries says which. Nearly all of them belong
 * to frames that nothing couples to another node, and these are kept once more as the ten numbers of
 *
 *     M = [m c^T; c E] (x) I_3,     c the mass times its centre, E the Euler tensor,
 *
 * because what is done with them in every iteration is then straight code.
 */
#ifndef OLO_SYSTEM_MASS_H
#define OLO_SYSTEM_MASS_H

#include <stdbool.h>

typedef struct olo_system olo_system;

/* M couples the 3-vectors that start at q[i] and q[j] by m I; i <= j, the other half is implied. */
typedef struct olo_mass_entry {
    int i, j;
    double m;
} olo_mass_entry;

typedef struct olo_frame_mass {
    int node;
    int q; /* its first coordinate */
    double m, c[3];
    double E[9];
} olo_frame_mass;

/* y = M x, all n. */
void olo_system_mass_times(const olo_system *system, const double *x, double *y);

/* Fills system->frames and puts the entries that do not belong to them first; false: no memory. */
bool olo_system_gather_frames(olo_system *system);

/* p (12) = M v (12) of a frame */
static inline void olo_frame_mass_times(const olo_frame_mass *x, const double *restrict v,
                                        double *restrict p)
{
    const double *E = x->E;
    for (int i = 0; i < 3; i++) {
        double v0 = v[i], v1 = v[3 + i], v2 = v[6 + i], v3 = v[9 + i];
        p[i] = x->m * v0 + x->c[0] * v1 + x->c[1] * v2 + x->c[2] * v3;
        p[3 + i] = x->c[0] * v0 + E[0] * v1 + E[1] * v2 + E[2] * v3;
        p[6 + i] = x->c[1] * v0 + E[3] * v1 + E[4] * v2 + E[5] * v3;
        p[9 + i] = x->c[2] * v0 + E[6] * v1 + E[7] * v2 + E[8] * v3;
    }
}

#endif
