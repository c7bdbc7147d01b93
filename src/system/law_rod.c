/* Laws of the strains of a discrete Cosserat rod: F(x), a law of six strains x = (v, u) such as
 * `elastic`, over seven quadratic invariants e = (Gamma, K, c). Of two neighbouring frames with the
 * relative rotation by phi about n, h K = sin(phi) n and c = (1 + cos(phi))/2, so that
 *
 *     u_k = K_k/c - u0_k = 2/h tan(phi/2) n_k - u0_k,        v = Gamma.
 *
 * u is the curvature of the Cayley transform; it is infinite for half a turn. K alone is that of
 * linear finite elements; it has a maximum at a quarter turn.
 *
 * Over a step, with means and differences of both ends,
 *
 *     du_k = a dK_k + b_k dc,    a = 1/2 (1/c_0 + 1/c_1),   b_k = -1/2 (K_k,0 + K_k,1)/(c_0 c_1)
 *
 * exactly: (dK mean(c) - mean(K) dc)/(c_0 c_1) is the difference of the quotients. So with the
 * stress m of F over the step, the stress of the invariants
 *
 *     s = (m_v, a m_u, sum_k b_k m_u,k)
 *
 * satisfies s.de = m.dx, the change of energy. The coefficients are those of F, then u0.
 */
#include "system/law.h"

#include <string.h>

#include "linalg/small.h"

#define NUMBER double
#include "system/law_rod_formulas.h"

/* Strains x, invariants e, the first curvature and the position of c among e. */
enum { X = 6, E = 7, U = 3, COS = 6, REFERENCES = 3 };

/* A polynomial factor of s or x with its derivatives; variables are K_0, c_0, K_1, c_1 of one
 * curvature, or K and c. */
typedef struct factor {
    double value, first[4], second[4][4];
} factor;

/* The invariants on which strain i depends: invariant i, and c for a curvature. */
static int variables_of(int i, int at[2])
{
    at[0] = i;
    at[1] = COS;
    return i < U ? 1 : 2;
}

/* dx_i/de of variable p of strain i */
static double first_of(const rod_strains *y, int i, int p)
{
    return i < U ? 1.0 : p == 0 ? y->w : y->by_c[i - U];
}

/* d2x_i/de de of variables p and q */
static double second_of(const rod_strains *y, int i, int p, int q)
{
    if (i < U || p + q == 0)
        return 0.0;
    return p + q == 1 ? -y->w * y->w : -2.0 * y->by_c[i - U] * y->w;
}

/* d3x_i/de de de */
static double third_of(const rod_strains *y, int i, int p, int q, int r)
{
    const double w2 = y->w * y->w;
    if (i < U || p + q + r < 2)
        return 0.0;
    return p + q + r == 2 ? 2.0 * w2 * y->w : 6.0 * y->by_c[i - U] * w2;
}

/* Of a law F without a fixed number of invariants (general) the coefficients are in the context. */
static const double *references(const olo_law_input *x)
{
    return x->c + x->law->strain->coefficients;
}

static olo_law_input inner_of(const olo_law_input *x)
{
    olo_law_input inner = *x;
    inner.law = x->law->strain;
    inner.k = X;
    return inner;
}

// -- at a configuration ---------------------------------------------------------------------------

/* gg += F_ij dx_i (x) dx_j, and F_i d2x_i */
static void add_second(const rod_strains *y, const olo_law_at *F, double *gg)
{
    for (int i = 0; i < X; i++) {
        int a[2], b[2];
        const int count = variables_of(i, a);
        for (int p = 0; p < count; p++)
            for (int q = 0; q < count; q++)
                gg[E * a[p] + a[q]] += F->g[i] * second_of(y, i, p, q);
        for (int j = 0; j < X; j++) {
            if (F->gg[X * i + j] == 0.0)
                continue; /* most laws couple no strains */
            const int others = variables_of(j, b);
            for (int p = 0; p < count; p++)
                for (int q = 0; q < others; q++)
                    gg[E * a[p] + b[q]] += F->gg[X * i + j] * first_of(y, i, p) * first_of(y, j, q);
        }
    }
}

/* The entry of F_ijk dx dx dx + F_ij (d2x dx + ...) + F_i d3x, for strain i in variable p. */
static void add_third(const rod_strains *y, const olo_law_at *F, double *ggg)
{
    for (int i = 0; i < X; i++) {
        int a[2], b[2], c[2];
        const int na = variables_of(i, a);
        for (int pqr = 0; pqr < na * na * na; pqr++) {
            const int p = pqr / (na * na), q = pqr / na % na, r = pqr % na;
            ggg[(E * a[p] + a[q]) * E + a[r]] += F->g[i] * third_of(y, i, p, q, r);
        }
        for (int j = 0; j < X; j++) {
            const int nb = variables_of(j, b);
            for (int pqr = 0; pqr < na * na * nb; pqr++) {
                const int p = pqr / (na * nb), q = pqr / nb % na, r = pqr % nb;
                const double f = F->gg[X * i + j] * second_of(y, i, p, q) * first_of(y, j, r);
                ggg[(E * a[p] + a[q]) * E + b[r]] += f;
                ggg[(E * a[p] + b[r]) * E + a[q]] += f;
                ggg[(E * b[r] + a[p]) * E + a[q]] += f;
            }
            for (int k = 0; k < X; k++) {
                const int nc = variables_of(k, c);
                for (int pqr = 0; pqr < na * nb * nc; pqr++) {
                    const int p = pqr / (nb * nc), q = pqr / nc % nb, r = pqr % nc;
                    ggg[(E * a[p] + b[q]) * E + c[r]] += F->ggg[(X * i + j) * X + k] *
                                                         first_of(y, i, p) * first_of(y, j, q) *
                                                         first_of(y, k, r);
                }
            }
        }
    }
}

/* The coefficients of F, then u0 with du_k/du0_k = -1. */
static void put_coefficients_at(const rod_strains *y, const olo_law_at *F, int count,
                                olo_law_at *out)
{
    const int all = count + REFERENCES;
    small_zero(E * all, out->gc);
    for (int i = 0; i < X; i++) {
        int a[2];
        for (int p = 0, variables = variables_of(i, a); p < variables; p++) {
            for (int c = 0; c < count; c++)
                out->gc[a[p] * all + c] += F->gc[i * count + c] * first_of(y, i, p);
            for (int k = 0; k < REFERENCES; k++)
                out->gc[a[p] * all + count + k] -= F->gg[X * i + U + k] * first_of(y, i, p);
        }
    }
    for (int c = 0; c < count; c++)
        out->fc[c] = F->fc[c];
    for (int k = 0; k < REFERENCES; k++)
        out->fc[count + k] = -F->g[U + k];
}

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const rod_strains y = rod_strains_at(x->e0, references(x));
    olo_law_input inner = inner_of(x);
    olo_law_at F;
    inner.e0 = y.x;
    inner.law->at(&inner, coefficients && order < OLO_LAW_FIRST ? OLO_LAW_FIRST : order,
                  coefficients, &F);
    out->f = F.f;
    rod_stress(y.w, y.by_c, F.g, out->g);
    if (order >= OLO_LAW_FIRST) {
        small_zero(E * E, out->gg);
        add_second(&y, &F, out->gg);
    }
    if (order >= OLO_LAW_SECOND) {
        small_zero(E * E * E, out->ggg);
        add_third(&y, &F, out->ggg);
    }
    if (coefficients)
        put_coefficients_at(&y, &F, inner.law->coefficients, out);
}

// -- over a step ----------------------------------------------------------------------------------

/* The strains of both ends, the factors of m in s, and for second derivatives the same factors with
 * their derivatives: entry 0 of `map[i]` is the factor of m_i in s of invariant i, entry 1 that in
 * s of c. */
typedef struct step {
    rod_strains end[2];
    rod_factors with;
    factor map[X][2];
} step;

/* a = 1/2 (w0 + w1) with w = 1/c, dw/dc = -w^2 */
static void set_a(double w0, double w1, factor *a)
{
    memset(a, 0, sizeof *a);
    a->value = 0.5 * (w0 + w1);
    a->first[1] = -0.5 * w0 * w0;
    a->first[3] = -0.5 * w1 * w1;
    a->second[1][1] = w0 * w0 * w0;
    a->second[3][3] = w1 * w1 * w1;
}

/* b = -1/2 (K0 + K1) w0 w1 */
static void set_b(double sum, double w0, double w1, factor *b)
{
    const double w = w0 * w1;
    memset(b, 0, sizeof *b);
    b->value = -0.5 * sum * w;
    b->first[0] = b->first[2] = -0.5 * w;
    b->first[1] = 0.5 * sum * w * w0;
    b->first[3] = 0.5 * sum * w * w1;
    for (int K = 0; K < 4; K += 2) {
        b->second[K][1] = b->second[1][K] = 0.5 * w * w0;
        b->second[K][3] = b->second[3][K] = 0.5 * w * w1;
    }
    b->second[1][1] = -sum * w * w0 * w0;
    b->second[3][3] = -sum * w * w1 * w1;
    b->second[1][3] = b->second[3][1] = -0.5 * sum * w * w;
}

static void step_init(const olo_law_input *x, step *y)
{
    const double *u0 = references(x);
    y->end[0] = rod_strains_at(x->e0, u0);
    y->end[1] = rod_strains_at(x->e1, u0);
    y->with = rod_factors_of(x->e0, x->e1, y->end[0].w, y->end[1].w);
}

static void set_factors(step *y)
{
    const double w0 = y->end[0].w, w1 = y->end[1].w;
    for (int k = 0; k < U; k++) {
        memset(y->map[k], 0, sizeof y->map[k]);
        y->map[k][0].value = 1.0;
        set_a(w0, w1, &y->map[U + k][0]);
        set_b(y->with.sum[k], w0, w1, &y->map[U + k][1]);
    }
}

/* s_a = ds/de_a from the derivatives `ma` of m by the strains of end a: the rows of m become those
 * of s by the factors 1, a and b_k, the columns of strains those of invariants by 1, w and du/dc;
 * then the derivatives of a and b_k times m. */
static void set_first(const step *y, const olo_law_over *m, int end, const double *ma, double *sa)
{
    const rod_strains *z = &y->end[end];
    const double w0 = y->end[0].w, w1 = y->end[1].w;
    double *c = sa + E * COS, at_c = 0.0;
    for (int j = 0; j < E; j++)
        c[j] = 0.0;
    for (int i = 0; i < X; i++) {
        const double *from = ma + X * i, scale = i < U ? 1.0 : y->with.a;
        double row[E];
        for (int j = 0; j < U; j++) {
            row[j] = from[j];
            row[U + j] = from[U + j] * z->w;
        }
        row[COS] = from[U] * z->by_c[0] + from[U + 1] * z->by_c[1] + from[U + 2] * z->by_c[2];
        for (int j = 0; j < E; j++)
            sa[E * i + j] = scale * row[j];
        for (int j = 0; i >= U && j < E; j++)
            c[j] += y->with.b[i - U] * row[j];
    }
    for (int k = 0; k < U; k++) {
        sa[E * (U + k) + COS] -= 0.5 * z->w * z->w * m->s[U + k];
        c[U + k] -= 0.5 * w0 * w1 * m->s[U + k];
        at_c -= y->with.b[k] * m->s[U + k];
    }
    c[COS] += z->w * at_c;
}

/* d2m_i/de_a de_b B_i + dm_i/de_a dB_i/de_b + dm_i/de_b dB_i/de_a + m_i d2B_i, into sab */
static void add_mixed(const step *y, const olo_law_over *m, int a, int b, const double *mab,
                      double *sab)
{
    const rod_strains *za = &y->end[a], *zb = &y->end[b];
    const double *ma = a == 0 ? m->s0 : m->s1, *mb = b == 0 ? m->s0 : m->s1;
    for (int i = 0; i < X; i++) {
        int at[2], by[2], to[2];
        const int count = variables_of(i, at);
        for (int pqr = 0; pqr < count * count * count; pqr++) {
            const int p = pqr / (count * count), q = pqr / count % count, r = pqr % count;
            sab[(E * at[p] + at[q]) * E + at[r]] +=
                m->s[i] * y->map[i][p].second[2 * a + q][2 * b + r];
        }
        for (int j = 0; j < X; j++) {
            const int nj = variables_of(j, by);
            for (int pqr = 0; pqr < count * nj * count; pqr++) {
                const int p = pqr / (nj * count), q = pqr / count % nj, r = pqr % count;
                const factor *B = &y->map[i][p];
                sab[(E * at[p] + by[q]) * E + at[r]] +=
                    ma[X * i + j] * first_of(za, j, q) * B->first[2 * b + r];
                sab[(E * at[p] + at[r]) * E + by[q]] +=
                    mb[X * i + j] * first_of(zb, j, q) * B->first[2 * a + r];
            }
            for (int pqr = 0; a == b && pqr < count * nj * nj; pqr++) {
                const int p = pqr / (nj * nj), q = pqr / nj % nj, r = pqr % nj;
                sab[(E * at[p] + by[q]) * E + by[r]] +=
                    y->map[i][p].value * ma[X * i + j] * second_of(za, j, q, r);
            }
            for (int k = 0; k < X; k++) {
                const int nk = variables_of(k, to);
                for (int pqr = 0; pqr < count * nj * nk; pqr++) {
                    const int p = pqr / (nj * nk), q = pqr / nk % nj, r = pqr % nk;
                    sab[(E * at[p] + by[q]) * E + to[r]] += y->map[i][p].value *
                                                            mab[(X * i + j) * X + k] *
                                                            first_of(za, j, q) * first_of(zb, k, r);
                }
            }
        }
    }
}

/* Factor of m_i in s of invariant i (p = 0) or of c (p = 1). */
static double factor_of(const step *y, int i, int p)
{
    return i < U ? 1.0 : p == 0 ? y->with.a : y->with.b[i - U];
}

static void put_coefficients_over(const step *y, const olo_law_over *m, int count,
                                  olo_law_over *out)
{
    const int all = count + REFERENCES;
    small_zero(E * all, out->sc);
    for (int i = 0; i < X; i++) {
        int at[2];
        for (int p = 0, variables = variables_of(i, at); p < variables; p++) {
            double *row = out->sc + at[p] * all;
            for (int c = 0; c < count; c++)
                row[c] += m->sc[i * count + c] * factor_of(y, i, p);
            for (int k = 0; k < REFERENCES; k++) /* u0 changes both ends alike */
                row[count + k] -=
                    (m->s0[X * i + U + k] + m->s1[X * i + U + k]) * factor_of(y, i, p);
        }
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    olo_law_input inner = inner_of(x);
    olo_law_over m;
    double dx[X];
    step y;
    step_init(x, &y);
    rod_strain_change(&y.with, x->de, dx);
    inner.e0 = y.end[0].x;
    inner.e1 = y.end[1].x;
    inner.de = dx;
    inner.law->over(&inner, coefficients && order < OLO_LAW_FIRST ? OLO_LAW_FIRST : order,
                    coefficients, &m);
    rod_stress(y.with.a, y.with.b, m.s, out->s);
    if (order >= OLO_LAW_FIRST) {
        set_first(&y, &m, 0, m.s0, out->s0);
        set_first(&y, &m, 1, m.s1, out->s1);
    }
    if (order >= OLO_LAW_SECOND) {
        set_factors(&y);
        small_zero(E * E * E, out->s00);
        small_zero(E * E * E, out->s01);
        small_zero(E * E * E, out->s11);
        add_mixed(&y, &m, 0, 0, m.s00, out->s00);
        add_mixed(&y, &m, 0, 1, m.s01, out->s01);
        add_mixed(&y, &m, 1, 1, m.s11, out->s11);
    }
    if (coefficients)
        put_coefficients_over(&y, &m, inner.law->coefficients, out);
}

static void samples(const void *context, void *into, void (*visit)(void *into, double value))
{
    olo_law_general.samples(context, into, visit);
}

void olo_law_strains(const olo_law *law, const double *e, const double *c, double strain[X])
{
    if (!law->strain) {
        memcpy(strain, e, X * sizeof *e);
        return;
    }
    const rod_strains y = rod_strains_at(e, c + law->strain->coefficients);
    memcpy(strain, y.x, sizeof y.x);
}

// -- the laws F(v, u) -----------------------------------------------------------------------------

const olo_law olo_law_rod_elastic = {.name = "rod-elastic",
                                     .invariants = E,
                                     .coefficients = 6 + REFERENCES,
                                     .strain = &olo_law_elastic,
                                     .at = at,
                                     .over = over};
const olo_law olo_law_rod_elastic_coupled = {.name = "rod-elastic-coupled",
                                             .invariants = E,
                                             .coefficients = 21 + REFERENCES,
                                             .strain = &olo_law_elastic_coupled,
                                             .at = at,
                                             .over = over};
const olo_law olo_law_rod_strain_rate = {.name = "rod-strain-rate",
                                         .invariants = E,
                                         .coefficients = 23 + REFERENCES,
                                         .dissipative = true,
                                         .strain = &olo_law_strain_rate,
                                         .at = at,
                                         .over = over};
const olo_law olo_law_rod_general = {.name = "rod-general",
                                     .invariants = E,
                                     .coefficients = REFERENCES,
                                     .strain = &olo_law_general,
                                     .at = at,
                                     .over = over,
                                     .samples = samples};
