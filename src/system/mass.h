/* The mass matrix. M couples vectors of q, 3-vectors or scalars, by multiples of the identity and
 * is a list of entries. Almost all entries belong to frames that the mass couples to no other node.
 * These are also stored as the ten numbers of
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

/* M couples the vectors of `width` numbers that start at q[i] and q[j] by m I; i <= j, M is
 * symmetric. */
typedef struct olo_mass_entry {
    int i, j, width;
    double m;
} olo_mass_entry;

/* A part of M that depends on q: M_ij = M_ji has f(q) - reference beside its entry, which is the
 * value at the initial configuration. Only scalars have it, and only some schemes (step.h). */
typedef struct olo_term olo_term;
typedef struct olo_mass_function {
    int i, j;
    double reference;
    const olo_term *f;
} olo_mass_function;

typedef struct olo_frame_mass {
    int node;
    int q; /* its first coordinate */
    double m, c[3];
    double E[9];
} olo_frame_mass;

/* The number of blocks of an entry in M: two if it couples different vectors. */
static inline int olo_mass_blocks(const olo_mass_entry *entry)
{
    return entry->i == entry->j ? 1 : 2;
}

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
