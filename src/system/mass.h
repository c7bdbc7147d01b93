/* The mass matrix. M couples 3-vectors of q by multiples of the identity and is a list of entries.
 * Almost all entries belong to frames that the mass couples to no other node. These are also stored
 * as the ten numbers of
 *
 *     M = [m c^T; c E] (x) I_3,     c the mass times its centre, E the Euler tensor,
 *
 * so that the products in every iteration are straight code.
 */
#ifndef OLO_SYSTEM_MASS_H
#define OLO_SYSTEM_MASS_H

#include <stdbool.h>

#include "linalg/row3.h"

typedef struct olo_system olo_system;

/* M couples the 3-vectors that start at q[i] and q[j] by m I; i <= j, M is symmetric. */
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

/* Fills system->frames, and sorts the entries that belong to no frame to the front of system->mass;
 * false: no memory. */
bool olo_system_gather_frames(olo_system *system);

/* p = M v of a frame, position and three directors each */
static inline void olo_frame_mass_rows(const olo_frame_mass *x, const row3 v[4], row3 p[4])
{
    const double *c = x->c, *E = x->E;
    p[0] = row3_times(x->m, v[0]);
    for (int I = 0; I < 3; I++) {
        p[0] = row3_add_times(p[0], c[I], v[1 + I]);
        p[1 + I] = row3_times(c[I], v[0]);
        for (int J = 0; J < 3; J++)
            p[1 + I] = row3_add_times(p[1 + I], E[3 * I + J], v[1 + J]);
    }
}

/* p (12) = M v (12) of a frame */
static inline void olo_frame_mass_times(const olo_frame_mass *x, const double *restrict v,
                                        double *restrict p)
{
    row3 from[4], to[4];
    for (int I = 0; I < 4; I++)
        from[I] = row3_load(v + 3 * I);
    olo_frame_mass_rows(x, from, to);
    for (int I = 0; I < 4; I++)
        row3_store(to[I], p + 3 * I);
}

#endif
