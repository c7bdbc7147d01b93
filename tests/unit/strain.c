/* The strains of beams and rods as invariants of a term, compared with the same strains as sparse
 * forms and with the numbers of the beam sheet (18.1) and the rod sheet (5.2); their invariance
 * under rigid motions. */
#include "test.h"

#include <stdlib.h>

#include "base/pool.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"
#include "system/form_builder.h"
#include "system/strain.h"
#include "system/term_pack.h"

enum { NODES = OLO_STRAIN_NODES_MAX, SIZE = 12 * NODES, STRAINS = OLO_STRAINS };
enum { INVARIANTS = OLO_ROD_INVARIANTS };

static double any(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* A term of strains, the same with forms, and a step; coordinates are arbitrary, not only
 * orthonormal directors. */
typedef struct sample {
    olo_pool pool;
    olo_strain strain;
    olo_form forms[INVARIANTS];
    int index[SIZE];
    double c[OLO_LAW_COEFFICIENTS_MAX], turn[NODES][9];
    olo_term strains, by_forms;
    double q0[SIZE], q1[SIZE], qm[SIZE], dq[SIZE], w[SIZE];
    olo_interval step;
} sample;

/* d_i of the section at a node */
static olo_position director(const olo_strain *s, int a, int i)
{
    double X[3] = {i == 0, i == 1, i == 2};
    for (int J = 0; s->turn[a] && J < 3; J++)
        X[J] = s->turn[a][3 * J + i];
    return olo_position_along_frame(s->directors[a] - 3, X);
}

/* All coordinates of the term, with the coefficient zero, so that the lists of all forms are equal.
 */
static void mention_all(const sample *x, olo_form_builder *form)
{
    for (int i = 0; i < x->strains.size; i++) {
        olo_form_add_linear(form, x->index[i], 1.0);
        olo_form_add_linear(form, x->index[i], -1.0);
    }
}

static void finish(sample *x, olo_form_builder *form, int k)
{
    mention_all(x, form);
    olo_form_add_constant(form, -x->strain.reference[k]);
    check_true(olo_forms_finish(1, form, &x->pool, &x->forms[k]));
}

/* 1/2 sum_i d_i.d_i */
static void write_cosine(sample *x)
{
    const olo_strain *s = &x->strain;
    static olo_form_builder cosine;
    memset(&cosine, 0, sizeof cosine);
    for (int a = 0; a < s->nodes; a++)
        for (int b = 0; b < s->nodes; b++)
            for (int i = 0; i < 3 && s->directors[a] >= 0 && s->directors[b] >= 0; i++) {
                olo_position da = director(s, a, i), db = director(s, b, i);
                olo_form_add_dot(&cosine, 0.5 * s->N[a] * s->N[b], &da, &db);
            }
    finish(x, &cosine, STRAINS);
}

static void write_forms(sample *x)
{
    const olo_strain *s = &x->strain;
    for (int i = 0; i < 3; i++) {
        static olo_form_builder gamma, kappa;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        memset(&gamma, 0, sizeof gamma);
        memset(&kappa, 0, sizeof kappa);
        for (int a = 0; a < s->nodes; a++)
            for (int b = 0; b < s->nodes; b++) {
                if (s->directors[b] < 0)
                    continue;
                olo_position di = director(s, b, i), dj = director(s, b, j);
                if (s->position[a] >= 0) {
                    olo_position phi = olo_position_slot(s->position[a]);
                    olo_form_add_dot(&gamma, s->dN[a] * s->N[b], &phi, &di);
                }
                if (s->directors[a] >= 0) {
                    olo_position dk = director(s, a, k);
                    olo_form_add_dot(&kappa, 0.5 * (s->N[a] * s->dN[b] - s->dN[a] * s->N[b]), &dk,
                                     &dj);
                }
            }
        finish(x, &gamma, i);
        finish(x, &kappa, 3 + i);
    }
    if (s->count > STRAINS)
        write_cosine(x);
}

/* Which nodes there are: frames of linear and quadratic elements; directors of two neighbouring
 * edges; two positions and the directors between them. 6 or 3 is the size of the twist. */
typedef struct layout {
    int nodes;
    bool position[NODES], directors[NODES];
    int twist[NODES];
} layout;

static const layout layouts[] = {
    {2, {true, true}, {true, true}, {6, 6}},
    {3, {true, true, true}, {true, true, true}, {6, 6, 6}},
    {2, {false, false}, {true, true}, {6, 3}},
    {3, {true, true, false}, {false, false, true}, {3, 6, 3}},
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static sample *sample_create(const layout *nodes, bool turned, const olo_law *law,
                             unsigned long long seed)
{
    sample *x = calloc(1, sizeof *x);
    check_true(x != NULL);
    x->strain.nodes = nodes->nodes;
    x->strain.count = law->invariants > 0 ? law->invariants : STRAINS;
    x->strain.weight = 0.3;
    for (int a = 0; a < nodes->nodes; a++) {
        double theta[3] = {any(&seed), any(&seed), any(&seed)};
        x->strain.position[a] = nodes->position[a] ? 12 * a : -1;
        x->strain.directors[a] = nodes->directors[a] ? 12 * a + 3 : -1;
        x->strain.twist[a] = nodes->twist[a];
        x->strain.N[a] = any(&seed);
        x->strain.dN[a] = any(&seed);
        if (!nodes->directors[a])
            x->strain.N[a] = 0;
        rotation_exponential(theta, x->turn[a]);
        x->strain.turn[a] = turned && a != 1 && nodes->directors[a] ? x->turn[a] : NULL;
    }
    for (int k = 0; k < INVARIANTS; k++)
        x->strain.reference[k] = any(&seed);
    x->strain.reference[STRAINS] -= 4; /* the law divides by this invariant */
    /* positive and, as a matrix, diagonally dominant */
    for (int k = 0; k < OLO_LAW_COEFFICIENTS_MAX; k++)
        x->c[k] = 1.5 + any(&seed);
    olo_strain_index(&x->strain, x->index);
    for (int i = 0; i < SIZE; i++) {
        x->q0[i] = any(&seed);
        x->q1[i] = x->q0[i] + 0.3 * any(&seed);
        x->qm[i] = 0.5 * (x->q0[i] + x->q1[i]);
        x->dq[i] = x->q1[i] - x->q0[i];
        x->w[i] = any(&seed);
    }
    x->strains = (olo_term){.law = law,
                            .coefficient = x->c,
                            .forms = x->strain.count,
                            .invariants = &olo_strain_invariants,
                            .data = &x->strain,
                            .size = olo_strain_size(&x->strain),
                            .index = x->index};
    write_forms(x);
    x->by_forms = x->strains;
    x->by_forms.invariants = NULL;
    x->by_forms.form = x->forms;
    x->step = (olo_interval){.q0 = x->q0, .q1 = x->q1, .qm = x->qm, .dq = x->dq, .h = 0.1};
    return x;
}

static void sample_free(sample *x)
{
    olo_pool_free(&x->pool);
    free(x);
}

static double largest(int n, const double *a)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = larger(most, fabs(a[i]));
    return most;
}

static void check_same(int n, const double *expected, const double *got, double tolerance)
{
    double size = larger(1.0, largest(n, expected)), apart = 0;
    for (int i = 0; i < n; i++)
        apart = larger(apart, fabs(expected[i] - got[i]));
    check_below(apart, tolerance * size);
}

static const olo_law *const laws[] = {
    &olo_law_elastic,     &olo_law_elastic_coupled,     &olo_law_strain_rate,
    &olo_law_rod_elastic, &olo_law_rod_elastic_coupled, &olo_law_rod_strain_rate};
enum { LAWS = sizeof laws / sizeof *laws };

/* Checks all kernels of a term, for all kinds of nodes, with corners and without. Rods have two
 * nodes. */
static void each_sample(void (*check)(sample *x))
{
    for (int k = 0; k < LAYOUTS; k++)
        for (int turned = 0; turned < 2; turned++)
            for (int law = 0; law < LAWS; law++)
                for (unsigned long long seed = 1; seed <= 5; seed++) {
                    if (layouts[k].nodes > 2 && laws[law]->strain)
                        continue;
                    sample *x = sample_create(&layouts[k], turned, laws[law], seed);
                    check(x);
                    sample_free(x);
                }
}

static double ours[SIZE * SIZE], theirs[SIZE * SIZE];

static void same_at(sample *x)
{
    int n = x->strains.size;
    check_relative(1 + olo_term_energy(&x->by_forms, x->q0, NULL),
                   1 + olo_term_energy(&x->strains, x->q0, NULL), 1e-13);
    olo_term_gradient(&x->by_forms, x->q0, NULL, theirs);
    olo_term_gradient(&x->strains, x->q0, NULL, ours);
    check_same(n, theirs, ours, 1e-13);
    olo_term_hessian(&x->by_forms, x->q0, NULL, theirs);
    olo_term_hessian(&x->strains, x->q0, NULL, ours);
    check_same(n * n, theirs, ours, 1e-13);
    olo_term_third(&x->by_forms, x->q0, NULL, x->w, theirs);
    olo_term_third(&x->strains, x->q0, NULL, x->w, ours);
    check_same(n * n, theirs, ours, 1e-13);
}

/* Products with dr/dq_a and its transpose, w over all coordinates. */
static void same_products(const sample *x)
{
    for (int which = 0; which < 8; which++) {
        const bool midpoint = which & 1, transposed = which & 2;
        const int slot = which >> 2;
        double by_forms[SIZE] = {0}, by_strains[SIZE] = {0};
        olo_term_linear linear;
        olo_term_linearise(&x->by_forms, &x->step, midpoint, &linear);
        olo_term_linear_times(&x->by_forms, &x->step, &linear, slot, transposed, 2.0, x->w,
                              by_forms);
        olo_term_linearise(&x->strains, &x->step, midpoint, &linear);
        olo_term_linear_times(&x->strains, &x->step, &linear, slot, transposed, 2.0, x->w,
                              by_strains);
        check_same(SIZE, by_forms, by_strains, 1e-13);
    }
}

static void same_over(sample *x)
{
    int n = x->strains.size;
    double r[SIZE], s[SIZE];
    olo_law_over law;
    check_close(olo_term_discrete(&x->by_forms, &x->step, r, theirs),
                olo_term_discrete(&x->strains, &x->step, s, ours), 1e-12);
    check_same(n, r, s, 1e-13);
    check_same(n * n, theirs, ours, 1e-13);
    olo_term_stress(&x->strains, &x->step, s, &law);
    check_same(n, r, s, 1e-13);
    check_close(olo_term_midpoint(&x->by_forms, &x->step, r, theirs),
                olo_term_midpoint(&x->strains, &x->step, s, ours), 1e-12);
    check_same(n, r, s, 1e-13);
    check_same(n * n, theirs, ours, 1e-13);
    same_products(x);
    for (int a = 0; a < 2; a++) {
        olo_term_discrete_tangent(&x->by_forms, &x->step, a, theirs);
        olo_term_discrete_tangent(&x->strains, &x->step, a, ours);
        check_same(n * n, theirs, ours, 1e-13);
        for (int b = 0; b < 2; b++) {
            olo_term_discrete_second(&x->by_forms, &x->step, x->w, a, b, theirs);
            olo_term_discrete_second(&x->strains, &x->step, x->w, a, b, ours);
            check_same(n * n, theirs, ours, 1e-13);
        }
    }
}

/* 12 x 6: delta x = P (delta phi, delta omega) */
static void null_space(const double *q, double P[12][6])
{
    memset(P, 0, 12 * sizeof *P);
    for (int i = 0; i < 3; i++)
        P[i][i] = 1;
    for (int I = 3; I < 12; I += 3)
        for (int c = 0; c < 3; c++) {
            double e[3] = {c == 0, c == 1, c == 2}, column[3];
            vec3_cross(e, q + I, column);
            for (int i = 0; i < 3; i++)
                P[I + i][3 + c] = column[i];
        }
}

/* The column of P of a frame that is entry i of the twist of node a; -1: the term does not depend
 * on it. */
static int column_of(const olo_strain *s, int a, int i)
{
    const int column = s->twist[a] == 3 && s->position[a] < 0 ? 3 + i : i;
    return (column < 3 ? s->position : s->directors)[a] < 0 ? -1 : column;
}

/* expected[t x t] = P(left)^T K P(q1) over the twists of all nodes */
static void project(const sample *x, const double *at_left, const double *K, double *expected)
{
    const olo_strain *s = &x->strain;
    int n = x->strains.size, t = 0, first[NODES];
    double left[NODES][12][6], right[NODES][12][6];
    for (int a = 0; a < s->nodes; a++) {
        first[a] = t;
        t += s->twist[a];
        null_space(at_left + 12 * a, left[a]);
        null_space(x->q1 + 12 * a, right[a]);
    }
    memset(expected, 0, (size_t)(t * t) * sizeof *expected);
    for (int ij = 0; ij < n * n; ij++) {
        const int i = x->index[ij / n], j = x->index[ij % n], a = i / 12, b = j / 12;
        for (int u = 0; u < s->twist[a]; u++)
            for (int v = 0; v < s->twist[b]; v++)
                if (column_of(s, a, u) >= 0 && column_of(s, b, v) >= 0)
                    expected[(first[a] + u) * t + first[b] + v] +=
                        left[a][i % 12][column_of(s, a, u)] * K[ij] *
                        right[b][j % 12][column_of(s, b, v)];
    }
}

/* Both evaluations of schemes: the discrete gradient with rows at the midpoint, and the gradient at
 * the midpoint with rows at q0. */
static void same_in_twists_of(sample *x, bool middle)
{
    const olo_strain *strain = &x->strain;
    int n = x->strains.size, nodes = strain->nodes, t = 0, first[NODES];
    double r[SIZE] = {0}, other[SIZE], local[SIZE], expected[36 * NODES * NODES], scale = 0;
    const double *at_left = middle ? x->q0 : x->qm;
    const olo_evaluation how = {.midpoint = middle};
    const olo_pack_balance balance = {.factor = 1, .T = r, .scale = &scale};
    const olo_system system = {.terms = &x->strains, .term_count = 1};
    olo_term_pack pack;
    static olo_pack_step over;
    (middle ? olo_term_midpoint : olo_term_discrete)(&x->by_forms, &x->step, other, theirs);
    check_equal(1, olo_term_packs(&system, 1, (int[]){0}, NULL, &pack));
    olo_term_pack_evaluate(&pack, &how, &x->step, true, &balance, &over);
    for (int i = 0; i < n; i++)
        local[i] = r[x->index[i]];
    check_same(n, other, local, 1e-13);
    check_relative(largest(n, other), scale, 1e-13);
    static double storage[NODES * NODES][36];
    double *block[NODES * NODES];
    memset(storage, 0, sizeof storage);
    for (int k = 0; k < nodes * nodes; k++)
        block[k] = storage[k];
    double *const *const blocks[LANES] = {block, block, block, block};
    pack.kernels->add_twist_tangent(&pack, &over, 0.5, middle, blocks);
    for (int a = 0; a < nodes; t += strain->twist[a++])
        first[a] = t;
    for (int k = 0; k < nodes * nodes; k++)
        for (int i = 0, a = k / nodes, b = k % nodes; i < strain->twist[a]; i++)
            for (int j = 0; j < strain->twist[b]; j++)
                ours[(first[a] + i) * t + first[b] + j] = 2 * storage[k][i * strain->twist[b] + j];
    project(x, at_left, theirs, expected);
    check_same(t * t, expected, ours, 1e-13);
}

static void same_in_twists(sample *x)
{
    same_in_twists_of(x, false);
    if (!x->strains.law->dissipative)
        same_in_twists_of(x, true);
}

TEST(strains_at_a_configuration_are_those_of_the_forms)
{
    each_sample(same_at);
}

TEST(discrete_gradients_and_their_derivatives_are_those_of_the_forms)
{
    each_sample(same_over);
}

TEST(tangent_in_twists_is_the_projected_one)
{
    each_sample(same_in_twists);
}

/* Derivatives with respect to reference values and shape functions, compared with differences. The
 * strains are linear in each of them. */
static void by_coefficients(sample *x)
{
    const double d = 1e-6;
    int n = x->strains.size, law = x->strains.law->coefficients;
    const int count = x->strain.count, nodes = x->strain.nodes;
    check_equal(law + count + 2 * nodes, olo_term_coefficients(&x->strains));
    for (int p = 0; p < olo_term_coefficients(&x->strains); p++) {
        int k = p - law;
        double *number = k < 0               ? &x->c[p]
                         : k < count         ? &x->strain.reference[k]
                         : k < count + nodes ? &x->strain.N[k - count]
                                             : &x->strain.dN[k - count - nodes];
        double old = *number, plus[2][SIZE], minus[2][SIZE], got[SIZE];
        *number = old + d;
        olo_term_gradient(&x->strains, x->q0, NULL, plus[0]);
        olo_term_discrete(&x->strains, &x->step, plus[1], NULL);
        *number = old - d;
        olo_term_gradient(&x->strains, x->q0, NULL, minus[0]);
        olo_term_discrete(&x->strains, &x->step, minus[1], NULL);
        *number = old;
        for (int over = 0; over < 2; over++) {
            if (over)
                olo_term_discrete_by_coefficient(&x->strains, &x->step, p, got);
            else
                olo_term_gradient_by_coefficient(&x->strains, x->q0, NULL, p, got);
            for (int i = 0; i < n; i++)
                plus[over][i] = (plus[over][i] - minus[over][i]) / (2 * d);
            check_same(n, plus[over], got, 1e-8);
        }
    }
}

TEST(derivatives_by_coefficients_are_those_of_differences)
{
    each_sample(by_coefficients);
}

/* Gradient and Hessian of the energy, compared with differences of fourth order of the energy and
 * of the gradient. */
static void follow_differences(sample *x)
{
    static const double weights[2] = {2.0 / 3, -1.0 / 12}, d = 2e-3;
    int n = x->strains.size;
    double expected[SIZE] = {0}, row[SIZE];
    if (x->strains.law->dissipative)
        return;
    olo_term_gradient(&x->strains, x->q0, NULL, ours);
    memset(theirs, 0, sizeof theirs);
    for (int i = 0; i < n; i++) {
        double *const number = &x->q0[x->index[i]], old = *number;
        for (int k = -2; k <= 2; k++) {
            if (k == 0)
                continue;
            const double w = (k < 0 ? -1 : 1) * weights[abs(k) - 1] / d;
            *number = old + k * d;
            expected[i] += w * olo_term_energy(&x->strains, x->q0, NULL);
            olo_term_gradient(&x->strains, x->q0, NULL, row);
            for (int j = 0; j < n; j++)
                theirs[i * n + j] += w * row[j];
        }
        *number = old;
    }
    check_same(n, expected, ours, 1e-9);
    olo_term_hessian(&x->strains, x->q0, NULL, ours);
    check_same(n * n, theirs, ours, 1e-9);
}

TEST(gradient_and_hessian_of_the_energy_are_those_of_differences)
{
    each_sample(follow_differences);
}

/* --- beam sheet, 18.1: one linear element of length 0.5 --- */

static const double stiffness[STRAINS] = {2, 3, 5, 7, 11, 13};

static void frame(const double phi[3], const double theta[3], double *q)
{
    static const double reference[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    double R[9];
    rotation_exponential(theta, R);
    vec3_copy(phi, q);
    for (int I = 0; I < 3; I++)
        mat3_times(R, reference[I], q + 3 + 3 * I);
}

/* The step of the sheet with a law over 0.5 times the density. */
static sample *sheet(const olo_law *law)
{
    sample *x = sample_create(&layouts[0], false, law, 1);
    olo_strain *s = &x->strain;
    *s = (olo_strain){.nodes = 2,
                      .count = law->strain ? INVARIANTS : STRAINS,
                      .position = {0, 12},
                      .directors = {3, 15},
                      .twist = {6, 6},
                      .N = {0.5, 0.5},
                      .dN = {-2, 2},
                      .reference = {0, 0, 1, 0, 0, 0, 0.5},
                      .weight = 0.5};
    frame((double[]){0, 0, 0}, (double[]){0, 0, 0}, x->q0);
    frame((double[]){0.5, 0.02, -0.01}, (double[]){0.1, -0.2, 0.3}, x->q0 + 12);
    frame((double[]){0.01, -0.02, 0.03}, (double[]){-0.1, 0.05, 0.2}, x->q1);
    frame((double[]){0.52, 0.04, 0.02}, (double[]){0.25, -0.15, 0.35}, x->q1 + 12);
    for (int i = 0; i < 24; i++) {
        x->qm[i] = 0.5 * (x->q0[i] + x->q1[i]);
        x->dq[i] = x->q1[i] - x->q0[i];
    }
    memset(x->c, 0, sizeof x->c);
    for (int k = 0; k < STRAINS; k++)
        x->c[k] = s->weight * stiffness[k];
    return x;
}

static void check_all(int n, const double *expected, const double *got, double tolerance)
{
    for (int i = 0; i < n; i++)
        check_close(expected[i], got[i], tolerance);
}

TEST(one_element_has_the_forces_of_the_sheet)
{
    static const double e0[6] = {-0.11313505750725, -0.11256963293508, -0.02856121620925,
                                 -0.39073178264514, 0.58609767396771,  0.19536589132257};
    static const double e1[6] = {-0.17233125735065, -0.06106091892553, 0.00250783398875,
                                 -0.46581501619034, 0.29128519977283,  0.62518343969742};
    static const double N[6] = {-0.28546631485789, -0.26044582779091, -0.06513345555125,
                                -2.99791379592418, 4.82560580557298,  5.33357065162991};
    static const double f[24] = {
        -0.01461071480715, 0.26776460925572,  0.27475042079873,  2.55381502646271,
        1.24758485929691,  -2.09649834163066, 0.45242536774377,  2.92621411983015,
        0.67788782738006,  0.99069091234900,  -1.94908301593287, -1.79103256783707,
        0.01461071480715,  -0.26776460925572, -0.27475042079873, -2.40654696742054,
        -0.10306766447033, 2.73172033186632,  -1.28119247247461, -2.78552703873268,
        0.17144892673178,  -0.22893881878618, 2.45949671348418,  1.38103713465792};
    static const double row[6] = {4.70767856119218, 0.84762872281544, 0.10444004056911,
                                  0.18103254094039, 0.01290187790893, -0.00215031298482};
    sample *x = sheet(&olo_law_elastic);
    double e[6], r[SIZE], K[SIZE * SIZE], square = 0, trace = 0;
    olo_law_over law;
    olo_strain_values(&x->strain, x->q0, NULL, e);
    check_all(6, e0, e, 1e-13);
    olo_strain_values(&x->strain, x->q1, NULL, e);
    check_all(6, e1, e, 1e-13);
    double work = olo_term_stress(&x->strains, &x->step, r, &law);
    for (int k = 0; k < 6; k++)
        check_close(N[k], law.s[k] / x->strain.weight, 1e-12);
    check_all(24, f, r, 1e-12);
    check_close(1.35279749338131, olo_term_energy(&x->strains, x->q0, NULL), 1e-12);
    check_close(1.90098058987597, olo_term_energy(&x->strains, x->q1, NULL), 1e-12);
    check_close(0.54818309649466, work, 1e-12);
    olo_term_discrete(&x->strains, &x->step, r, K);
    for (int i = 0; i < 24 * 24; i++)
        square += K[i] * K[i];
    for (int i = 0; i < 24; i++)
        trace += K[25 * i];
    check_close(23.7087739187355, sqrt(square), 1e-11);
    check_close(51.4816307151935, trace, 1e-11);
    check_all(6, row, K, 1e-12);
    sample_free(x);
}

TEST(moments_on_nodes_are_those_of_the_sheet)
{
    static const double first[3] = {-5.12681665913306, 1.84954694311132, -4.63829036871012};
    static const double second[3] = {5.14048432205757, -1.98814979846660, 4.77409592497654};
    sample *x = sheet(&olo_law_elastic);
    double r[SIZE];
    olo_law_over law;
    olo_term_stress(&x->strains, &x->step, r, &law);
    for (int a = 0; a < 2; a++) {
        double moment[3] = {0, 0, 0};
        for (int I = 3; I < 12; I += 3)
            vec3_add_cross(x->qm + 12 * a + I, r + 12 * a + I, moment);
        check_all(3, a ? second : first, moment, 1e-12);
    }
    sample_free(x);
}

/* W = sum D (e^2/2 + e^4/4), through the general discrete gradient in the six strains. */
static double quartic(void *context, const double *e)
{
    double sum = 0;
    for (int k = 0; k < STRAINS; k++)
        sum += 0.5 * stiffness[k] * (0.5 * pow(e[k], 2) + 0.25 * pow(e[k], 4));
    (void)context;
    return sum;
}

static void quartic_gradient(void *context, const double *e, double *g)
{
    (void)context;
    for (int k = 0; k < STRAINS; k++)
        g[k] = 0.5 * stiffness[k] * (e[k] + pow(e[k], 3));
}

static void quartic_hessian(void *context, const double *e, double *gg)
{
    (void)context;
    for (int k = 0; k < STRAINS; k++)
        for (int l = 0; l < STRAINS; l++)
            gg[6 * k + l] = k == l ? 0.5 * stiffness[k] * (1 + 3 * e[k] * e[k]) : 0;
}

TEST(a_hyperelastic_energy_has_the_stress_of_the_sheet)
{
    static const double N[6] = {-0.30695218008786, -0.24877364361178, -0.05692006046993,
                                -3.56766113073395, 5.67625317142083,  6.34512474906018};
    sample *x = sheet(&olo_law_general);
    const olo_general_law energy = {
        .value = quartic, .gradient = quartic_gradient, .hessian = quartic_hessian};
    double r[SIZE], sum[3] = {0, 0, 0};
    olo_law_over law;
    x->strains.context = &energy;
    double work = olo_term_stress(&x->strains, &x->step, r, &law);
    for (int k = 0; k < 6; k++)
        check_close(N[k], law.s[k] / x->strain.weight, 1e-12);
    check_close(0.66263759797822, work, 1e-12);
    check_close(olo_term_energy(&x->strains, x->q1, NULL) -
                    olo_term_energy(&x->strains, x->q0, NULL),
                work, 1e-13);
    for (int a = 0; a < 2; a++)
        vec3_add(1.0, r + 12 * a, sum);
    check_below(vec3_norm(sum), 1e-14);
    sample_free(x);
}

/* --- invariance --- */

/* A random frame, rotated from that of the sheet. */
static void random_frame(unsigned long long *seed, double *q)
{
    double phi[3] = {any(seed), any(seed), any(seed)};
    double theta[3] = {2 * any(seed), 2 * any(seed), 2 * any(seed)};
    frame(phi, theta, q);
}

TEST(rigid_motions_leave_the_strains_alone)
{
    unsigned long long seed = 3;
    for (int k = 0; k < 200; k++) {
        sample *x = sheet(&olo_law_elastic);
        double theta[3] = {3 * any(&seed), 3 * any(&seed), 3 * any(&seed)}, R[9], e[6], moved[6];
        double shift[3] = {3 * any(&seed), 3 * any(&seed), 3 * any(&seed)};
        random_frame(&seed, x->q0);
        random_frame(&seed, x->q0 + 12);
        rotation_exponential(theta, R);
        for (int i = 0; i < 24; i += 3) {
            mat3_times(R, x->q0 + i, x->q1 + i);
            if (i % 12 == 0)
                vec3_add(1.0, shift, x->q1 + i);
        }
        olo_strain_values(&x->strain, x->q0, NULL, e);
        olo_strain_values(&x->strain, x->q1, NULL, moved);
        check_all(6, e, moved, 1e-13);
        check_relative(olo_term_energy(&x->strains, x->q0, NULL),
                       olo_term_energy(&x->strains, x->q1, NULL), 1e-12);
        sample_free(x);
    }
}

/* A million lengths from the origin, positions are rounded to 1e-10. With the remainders of
 * rounding, strains and their change over a step are those at the origin. */
TEST(strains_do_not_depend_on_the_position)
{
    static const double far[3] = {1e6, -3e5, 7e5};
    unsigned long long seed = 5;
    olo_strain strain = {
        .count = STRAINS, .N = {0.5, 0.5}, .dN = {-2, 2}, .reference = {0, 0, 1, 0, 0, 0}};
    olo_strain_use_frame(&strain, 0);
    olo_strain_use_frame(&strain, 12);
    double q[24], away[24], rest[24] = {0}, dq[24], qm[24], near[3][6], there[3][6];
    for (int i = 0; i < 24; i++) {
        int slot = i % 12;
        q[i] = slot < 3 ? 0.5 * (i / 12) * (slot == 0) + 0.01 * any(&seed) : slot % 4 == 3;
        dq[i] = 0.01 * any(&seed);
        away[i] = slot < 3 ? q[i] + far[slot] : q[i];
        if (slot < 3)
            rest[i] = q[i] - (away[i] - far[slot]);
    }
    for (int k = 0; k < 2; k++) {
        olo_invariant_point between;
        olo_term term = {.data = &strain};
        const double *start = k ? away : q;
        for (int i = 0; i < 24; i++)
            qm[i] = start[i] + 0.5 * dq[i];
        olo_interval x = {.q0 = start, .qm = qm, .dq = dq, .remainder = k ? rest : NULL};
        olo_strain_values(&strain, start, x.remainder, (k ? there : near)[0]);
        olo_strain_invariants.over(&term, &x, (k ? there : near)[1], (k ? there : near)[2],
                                   &between);
    }
    for (int i = 0; i < 3; i++)
        check_same(6, near[i], there[i], 1e-14);
    olo_strain_values(&strain, away, NULL, there[0]);
    check_true(fabs(there[0][2] - near[0][2]) > 1e-12); /* positions alone do not determine it */
}

TEST(a_rigid_motion_strains_nothing)
{
    unsigned long long seed = 5;
    for (int k = 0; k < 200; k++) {
        sample *x = sheet(&olo_law_elastic);
        double q[12], e[6];
        random_frame(&seed, q);
        memcpy(x->q0, q, sizeof q);
        memcpy(x->q0 + 12, q, sizeof q);
        vec3_add(0.5, q + 9, x->q0 + 12); /* along d3 */
        olo_strain_values(&x->strain, x->q0, NULL, e);
        check_below(largest(6, e), 1e-14);
        sample_free(x);
    }
}

/* 1/4 (1 + trace of the relative rotation) of two frames */
static double cosine(const double *q)
{
    double trace = 0;
    for (int i = 3; i < 12; i++)
        trace += q[i] * q[12 + i];
    return 0.25 * (1 + trace);
}

TEST(forces_balance_and_do_the_work_of_the_energy)
{
    unsigned long long seed = 7;
    for (int k = 0; k < 400; k++) {
        sample *x = sheet(k % 2 ? &olo_law_rod_elastic : &olo_law_elastic);
        double r[SIZE], force[3] = {0, 0, 0}, moment[3] = {0, 0, 0}, work = 0;
        olo_law_over law;
        for (int a = 0; a < 24; a += 12) {
            random_frame(&seed, x->q0 + a);
            random_frame(&seed, x->q1 + a);
        }
        if (fmin(cosine(x->q0), cosine(x->q1)) < 0.1) { /* close to half a turn */
            sample_free(x);
            continue;
        }
        for (int i = 0; i < 24; i++) {
            x->qm[i] = 0.5 * (x->q0[i] + x->q1[i]);
            x->dq[i] = x->q1[i] - x->q0[i];
        }
        olo_term_stress(&x->strains, &x->step, r, &law);
        double size = largest(24, r);
        for (int i = 0; i < 24; i += 3) {
            if (i % 12 == 0)
                vec3_add(1.0, r + i, force);
            vec3_add_cross(x->qm + i, r + i, moment);
            work += vec3_dot(r + i, x->dq + i);
        }
        check_below(vec3_norm(force), 1e-14 * size);
        check_below(vec3_norm(moment), 1e-14 * size * 12);
        double V0 = olo_term_energy(&x->strains, x->q0, NULL),
               V1 = olo_term_energy(&x->strains, x->q1, NULL);
        check_close(V1 - V0, work, 1e-14 * (V0 + V1) * 12);
        sample_free(x);
    }
}

/* Negative control (check 15): the stress of the averaged configuration satisfies the balance of
 * momenta, but its work is not the change of energy. */
TEST(stress_of_the_averaged_configuration_does_other_work)
{
    sample *x = sheet(&olo_law_elastic);
    double e[6], s[6], r[SIZE], work = 0, moment[3] = {0, 0, 0};
    olo_strain_values(&x->strain, x->qm, NULL, e);
    for (int k = 0; k < 6; k++)
        s[k] = x->c[k] * e[k];
    x->strains.invariants->combine(&x->strains, s, x->qm, r);
    for (int i = 0; i < 24; i += 3) {
        work += vec3_dot(r + i, x->dq + i);
        vec3_add_cross(x->qm + i, r + i, moment);
    }
    check_below(vec3_norm(moment), 1e-13);
    check_true(fabs(work - 0.54818309649466) > 1e-3);
    sample_free(x);
}

TEST_MAIN(cmocka_unit_test(strains_at_a_configuration_are_those_of_the_forms),
          cmocka_unit_test(discrete_gradients_and_their_derivatives_are_those_of_the_forms),
          cmocka_unit_test(tangent_in_twists_is_the_projected_one),
          cmocka_unit_test(derivatives_by_coefficients_are_those_of_differences),
          cmocka_unit_test(gradient_and_hessian_of_the_energy_are_those_of_differences),
          cmocka_unit_test(one_element_has_the_forces_of_the_sheet),
          cmocka_unit_test(moments_on_nodes_are_those_of_the_sheet),
          cmocka_unit_test(a_hyperelastic_energy_has_the_stress_of_the_sheet),
          cmocka_unit_test(rigid_motions_leave_the_strains_alone),
          cmocka_unit_test(strains_do_not_depend_on_the_position),
          cmocka_unit_test(a_rigid_motion_strains_nothing),
          cmocka_unit_test(forces_balance_and_do_the_work_of_the_energy),
          cmocka_unit_test(stress_of_the_averaged_configuration_does_other_work))
