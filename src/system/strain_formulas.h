/* The strains of a beam at a quadrature point over a number type: NUMBER is `double` for one point
 * (strain.c) or `lane` for four points at once (strain_pack.c), with the same operations in the
 * same order.
 *
 * With the stress s = (n, m) of the strains, the 3-vectors conjugate to phi', d_i and d_i' are
 *
 *     R    = sum n_i d_i,
 *     R_j  = n_j phi' + 1/2 (m_k d_i' - m_i d_k'),
 *     R'_j = 1/2 (m_i d_k - m_k d_i)                       (i, j, k cyclic).
 *
 * The invariant c of rods with its stress s_c adds s_c d_j to R_j.
 *
 * Node a has the force N'_a R on its position and N_a R_j + N'_a R'_j on its directors.
 *
 * What the nodes have in common is a `shape`, known when the formulas are compiled for four points:
 * invariants that vanish for every configuration are left out then. */
#ifndef OLO_SYSTEM_STRAIN_FORMULAS_H
#define OLO_SYSTEM_STRAIN_FORMULAS_H

#include "base/inline.h"
#include "system/strain.h"

enum { A = OLO_STRAIN_NODES_MAX, FRAME = 12, COS = OLO_STRAINS };

#define FORMULA OLO_INLINE

static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};

/* Invariants: Gamma, K, c. */
enum { STRETCH = 1, BENDING = 2, COSINE = 4 };

/* The nodes of a point and the invariants that they have: frames with Gamma and K; or positions of
 * the first two nodes and directors of the third one, with Gamma; or directors with K. Points of
 * rods have c as well. */
typedef struct shape {
    int nodes;
    bool frames;
    int parts; /* STRETCH, BENDING, COSINE */
} shape;

FORMULA bool has_position(const shape of, int a)
{
    return of.frames || ((of.parts & STRETCH) && a < 2);
}

FORMULA bool has_directors(const shape of, int a)
{
    return of.frames || !(of.parts & STRETCH) || a == 2;
}

/* The number of invariants with those left out, and whether invariant k is one of `parts`. */
FORMULA int count_of(const int parts)
{
    return parts & COSINE ? OLO_ROD_INVARIANTS : OLO_STRAINS;
}

FORMULA bool is_part(const int parts, int k)
{
    return parts & (k < 3 ? STRETCH : k < COS ? BENDING : COSINE);
}

typedef struct vector {
    NUMBER x[3];
} vector;

/* Position and directors of the section, interpolated at the quadrature point. */
typedef struct point {
    vector f;           /* phi' */
    vector d[3], dd[3]; /* d_i, d_i' */
} point;

/* a + s b */
FORMULA vector add_times(vector a, NUMBER s, vector b)
{
    return (vector){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}

FORMULA vector times(NUMBER s, vector a)
{
    return (vector){{s * a.x[0], s * a.x[1], s * a.x[2]}};
}

FORMULA vector difference(vector a, vector b)
{
    return (vector){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

FORMULA NUMBER dot(vector a, vector b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

/* s_1 a_1 + s_2 a_2 + s_3 a_3 */
FORMULA vector combination(NUMBER s1, vector a1, NUMBER s2, vector a2, NUMBER s3, vector a3)
{
    return add_times(add_times(times(s1, a1), s2, a2), s3, a3);
}

/* The directors x[1..3] of a node become those of the section, see `turn` of olo_strain. */
FORMULA void turn_directors(const NUMBER turn[9], vector x[4])
{
    const vector d[3] = {x[1], x[2], x[3]};
    for (int i = 0; i < 3; i++)
        x[1 + i] = combination(turn[i], d[0], turn[3 + i], d[1], turn[6 + i], d[2]);
}

/* Interpolates q, or an increment of q, from position and directors at the nodes; what the points
 * do not have is not set. phi' is computed from differences of nodes, which are as accurate far
 * from the origin as near it. The sum of N'_a is exactly zero, except where one N'_a is varied. */
FORMULA void interpolate(const shape of, const NUMBER *N, const NUMBER *dN, vector x[A][4],
                         point *p)
{
    if (of.parts & STRETCH)
        p->f =
            times(dN[0] + (has_position(of, 2) && of.nodes > 2 ? dN[1] + dN[2] : dN[1]), x[0][0]);
    for (int a = 1; a < of.nodes; a++)
        if (has_position(of, a))
            p->f = add_times(p->f, dN[a], difference(x[a][0], x[0][0]));
    for (int a = 0, first = 1; a < of.nodes; a++) {
        if (!has_directors(of, a))
            continue;
        for (int i = 0; i < 3; i++) {
            p->d[i] = first ? times(N[a], x[a][1 + i]) : add_times(p->d[i], N[a], x[a][1 + i]);
            if (of.parts & BENDING)
                p->dd[i] =
                    first ? times(dN[a], x[a][1 + i]) : add_times(p->dd[i], dN[a], x[a][1 + i]);
        }
        first = 0;
    }
}

/* The bilinear form of two points whose diagonal is d_i.phi', the curvatures, and c + 1/2. */
FORMULA void products(const int parts, const point *p, const point *y, NUMBER *e)
{
    for (int i = 0; i < 3; i++) {
        const int j = next[i], k = last[i];
        e[i] = e[3 + i] = (NUMBER){0};
        if (parts & STRETCH)
            e[i] = dot(p->d[i], y->f);
        if (parts & BENDING)
            e[3 + i] = 0.5 * (dot(p->d[k], y->dd[j]) - dot(p->d[j], y->dd[k]));
    }
    if (parts & COSINE)
        e[COS] = 0.5 * (dot(p->d[0], y->d[0]) + dot(p->d[1], y->d[1]) + dot(p->d[2], y->d[2]));
}

FORMULA void strains_of(const int parts, const NUMBER *reference, const point *p, NUMBER *e)
{
    products(parts, p, p, e);
    for (int k = 0; k < count_of(parts); k++)
        e[k] -= reference[k];
}

/* grad e(p).d */
FORMULA void changes(const int parts, const point *p, const point *d, NUMBER *e)
{
    NUMBER other[OLO_ROD_INVARIANTS];
    products(parts, p, d, e);
    products(parts, d, p, other);
    for (int k = 0; k < count_of(parts); k++)
        if (is_part(parts, k))
            e[k] += other[k];
}

/* p + share d */
FORMULA point advance(const int parts, const point *p, NUMBER share, const point *d)
{
    point m;
    if (parts & STRETCH)
        m.f = add_times(p->f, share, d->f);
    for (int i = 0; i < 3; i++) {
        m.d[i] = add_times(p->d[i], share, d->d[i]);
        if (parts & BENDING)
            m.dd[i] = add_times(p->dd[i], share, d->dd[i]);
    }
    return m;
}

/* The vectors conjugate to phi', d_i and d_i' for a stress s. */
FORMULA point conjugate(const int parts, const point *p, const NUMBER *s)
{
    const NUMBER *n = s, *m = s + 3;
    point R;
    if (parts & STRETCH)
        R.f = combination(n[0], p->d[0], n[1], p->d[1], n[2], p->d[2]);
    for (int j = 0; j < 3; j++) {
        /* d_j occurs in the curvature about i = last (as first) and about k = next (as second) */
        const int i = last[j], k = next[j];
        if (parts & STRETCH)
            R.d[j] = times(n[j], p->f);
        for (int c = 0; (parts & BENDING) && c < 3; c++) {
            const NUMBER bending = 0.5 * (m[k] * p->dd[i].x[c] - m[i] * p->dd[k].x[c]);
            R.d[j].x[c] = parts & STRETCH ? R.d[j].x[c] + bending : bending;
            R.dd[j].x[c] = 0.5 * (m[i] * p->d[k].x[c] - m[k] * p->d[i].x[c]);
        }
        if (parts & COSINE)
            R.d[j] = add_times(R.d[j], s[COS], p->d[j]);
    }
    return R;
}

/* The force on the directors of a node with shape functions N and N'; `turn` may be NULL. */
FORMULA void directors_force(const int parts, NUMBER N, NUMBER dN, const NUMBER *turn,
                             const point *R, vector r[3])
{
    vector d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = times(N, R->d[i]);
        if (parts & BENDING)
            d[i] = add_times(d[i], dN, R->dd[i]);
        r[i] = d[i];
    }
    for (int J = 0; turn && J < 3; J++)
        r[J] = combination(turn[3 * J], d[0], turn[3 * J + 1], d[1], turn[3 * J + 2], d[2]);
}

#endif
