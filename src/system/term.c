/* Terms f(e_1(q) ... e_k(q)) of a law and quadratic forms. At a configuration, with g_k = grad e_k,
 * A_k the constant Hessian of e_k, and f_k, f_kl, f_klm the derivatives of the law,
 *
 *     gradient   f_k g_k
 *     Hessian    f_kl g_k (x) g_l + f_k A_k
 *     third . w  f_klm (g_m.w) g_k (x) g_l + f_kl ((g_l.w) A_k + A_k w (x) g_l + g_l (x) A_k w).
 *
 * Over a step, with the stress s(e0, e1) of the law and gm_k = grad e_k(qm) (thesis, 3.1.4),
 *
 *     r = s_k gm_k,           r.dq = s.de  exactly, since gm_k.dq = de_k,
 *     dr/dq_a = gm_k (x) s_a,kl g_l(q_a) + 1/2 s_k A_k                          (slot a = 0, 1),
 *
 * and, with v_k = 1/2 A_k w and u_k,a = ds_k/dq_a = s_a,kl g_l(q_a),
 *
 *     d2(w.r)/dq_a dq_b = (w.gm_k) (s_ab,klm g_l(q_a) (x) g_m(q_b) + [a = b] s_a,kl A_l)
 *                         + u_k,a (x) v_k + v_k (x) u_k,b.
 */
#include "system/term.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/small.h"

enum { K = OLO_LAW_INVARIANTS_MAX, SIZE = OLO_FORM_SIZE_MAX };

/* matrix += s a (x) b */
static void add_outer(int n, double s, const double *a, const double *b, double *matrix)
{
    if (s == 0.0)
        return; // many laws are linear or quadratic, many blocks vanish
    for (int i = 0; i < n; i++)
        small_add_row(n, s * a[i], b, matrix + i * n);
}

static void values(const olo_term *term, const double *q, double e[K])
{
    if (term->invariants != NULL) {
        term->invariants->values(term, q, NULL, e);
        return;
    }
    for (int k = 0; k < term->forms; k++)
        e[k] = olo_form_value(&term->form[k], q);
}

/* grad e_k(q) */
static void gradient(const olo_term *term, int k, const double *q, double *g)
{
    if (term->invariants == NULL) {
        olo_form_gradient(&term->form[k], q, g);
        return;
    }
    double unit[K] = {0};
    unit[k] = 1.0;
    term->invariants->combine(term, unit, q, g);
}

static void gradients(const olo_term *term, const double *q, double g[K][SIZE])
{
    for (int k = 0; k < term->forms; k++)
        gradient(term, k, q, g[k]);
}

/* matrix += s A_k */
static void add_hessian(const olo_term *term, int k, double s, double *matrix)
{
    if (term->invariants == NULL) {
        olo_form_add_hessian(&term->form[k], s, matrix);
        return;
    }
    double one[K] = {0};
    one[k] = s;
    term->invariants->add_hessian(term, one, matrix);
}

/* matrix += factor sum_k s_k A_k */
static void add_hessians(const olo_term *term, double factor, const double *s, double *matrix)
{
    double scaled[K];
    for (int k = 0; k < term->forms; k++)
        scaled[k] = factor * s[k];
    if (term->invariants != NULL) {
        term->invariants->add_hessian(term, scaled, matrix);
        return;
    }
    for (int k = 0; k < term->forms; k++)
        olo_form_add_hessian(&term->form[k], scaled[k], matrix);
}

/* v_k = A_k w for all forms. */
static void hessians_times(const olo_term *term, const double *w, double v[K][SIZE])
{
    for (int k = 0; k < term->forms; k++) {
        if (term->invariants == NULL) {
            olo_form_hessian_times(&term->form[k], w, v[k]);
            continue;
        }
        double A[SIZE * SIZE]; // only for derivatives that no step needs
        small_zero(term->size * term->size, A);
        add_hessian(term, k, 1.0, A);
        for (int i = 0; i < term->size; i++)
            v[k][i] = small_dot(term->size, A + i * term->size, w);
    }
}

// -- at a configuration ---------------------------------------------------------------------------

/* The angle of the joint coordinate that the law depends on, with full turns. */
static double angle_of(const olo_term *term, const double *angles)
{
    return term->law->angle && angles != NULL ? angles[term->coordinate] : 0.0;
}

/* df/de_k at q, for all invariants. */
static void derivatives_at(const olo_term *term, const double *q, const double *angles,
                           olo_law_at *law)
{
    double e[K];
    values(term, q, e);
    const olo_law_input x = {.law = term->law,
                             .k = term->forms,
                             .e0 = e,
                             .c = term->coefficient,
                             .context = term->context,
                             .no_value = true,
                             .angle = angle_of(term, angles)};
    term->law->at(&x, OLO_LAW_VALUE, false, law);
}

/* The law at given invariants. */
static void law_of(const olo_term *term, const double *e, const double *angles, olo_law_order order,
                   bool coefficients, olo_law_at *law)
{
    const olo_law_input x = {.law = term->law,
                             .k = term->forms,
                             .e0 = e,
                             .c = term->coefficient,
                             .context = term->context,
                             .angle = angle_of(term, angles)};
    term->law->at(&x, order, coefficients, law);
}

static void law_at(const olo_term *term, const double *q, const double *angles, olo_law_order order,
                   bool coefficients, olo_law_at *law)
{
    double e[K];
    values(term, q, e);
    law_of(term, e, angles, order, coefficients, law);
}

/* The energy at given invariants. */
static double energy_of(const olo_term *term, const double *e, const double *angles)
{
    olo_law_at law;
    const olo_law_input x = {.law = term->law,
                             .k = term->forms,
                             .e0 = e,
                             .c = term->coefficient,
                             .context = term->context,
                             .value_only = true,
                             .angle = angle_of(term, angles)};
    term->law->at(&x, OLO_LAW_VALUE, false, &law);
    return law.f;
}

double olo_term_energy(const olo_term *term, const double *q, const double *angles)
{
    double e[K];
    if (term->law->linear)
        return term->coefficient[0] * olo_form_value(&term->form[0], q); // the fast case of gravity
    values(term, q, e);
    return energy_of(term, e, angles);
}

double olo_term_energy_with_remainder(const olo_term *term, const double *q,
                                      const double *remainder, const double *angles)
{
    double e[K];
    if (term->invariants == NULL)
        return olo_term_energy(term, q, angles);
    term->invariants->values(term, q, remainder, e);
    return energy_of(term, e, angles);
}

void olo_term_gradient(const olo_term *term, const double *q, const double *angles, double *sum)
{
    olo_law_at law;
    derivatives_at(term, q, angles, &law);
    small_zero(term->size, sum);
    for (int k = 0; k < term->forms; k++) {
        double g[SIZE];
        gradient(term, k, q, g);
        small_add_row(term->size, law.g[k], g, sum);
    }
}

void olo_term_derivatives(const olo_term *term, const double *q, const double *angles, double *by)
{
    olo_law_at law;
    derivatives_at(term, q, angles, &law);
    for (int k = 0; k < term->forms; k++)
        by[k] = law.g[k];
}

void olo_term_hessian(const olo_term *term, const double *q, const double *angles, double *hessian)
{
    const int n = term->size, forms = term->forms;
    olo_law_at law;
    double g[K][SIZE];
    law_at(term, q, angles, OLO_LAW_FIRST, false, &law);
    gradients(term, q, g);
    // f_kl g_k (x) g_l + f_k A_k
    small_zero(n * n, hessian);
    for (int k = 0; k < forms; k++) {
        add_hessian(term, k, law.g[k], hessian);
        for (int l = 0; l < forms; l++)
            add_outer(n, law.gg[k * forms + l], g[k], g[l], hessian);
    }
}

void olo_term_third(const olo_term *term, const double *q, const double *angles, const double *w,
                    double *matrix)
{
    const int n = term->size, forms = term->forms;
    olo_law_at law;
    double g[K][SIZE], aw[K][SIZE], gw[K];
    law_at(term, q, angles, OLO_LAW_SECOND, false, &law);
    // g_k, A_k w and g_k.w of all forms
    gradients(term, q, g);
    hessians_times(term, w, aw);
    for (int k = 0; k < forms; k++)
        gw[k] = small_dot(n, g[k], w);
    // the sum over all pairs of forms
    small_zero(n * n, matrix);
    for (int k = 0; k < forms; k++) {
        for (int l = 0; l < forms; l++) {
            const double f = law.gg[k * forms + l];
            add_hessian(term, k, f * gw[l], matrix);
            add_outer(n, f, aw[k], g[l], matrix);
            add_outer(n, f, g[l], aw[k], matrix);
            add_outer(n, small_dot(forms, &law.ggg[(k * forms + l) * forms], gw), g[k], g[l],
                      matrix);
        }
    }
}

// -- over a step ----------------------------------------------------------------------------------

/* Common data of all functions over a step: invariants, gradients at the midpoint, stress. */
typedef struct step {
    double de[K];
    double gm[K][SIZE];
    olo_law_over law;
} step;

/* The stress of the law over the step, from the invariants at both ends. */
static void law_over(const olo_term *term, const olo_interval *x, const double *e0,
                     const double *e1, const double *de, olo_law_order order, bool coefficients,
                     olo_law_over *law)
{
    const olo_law_input input = {.law = term->law,
                                 .k = term->forms,
                                 .e0 = e0,
                                 .e1 = e1,
                                 .de = de,
                                 .h = x->h,
                                 .c = term->coefficient,
                                 .context = term->context,
                                 .angle = angle_of(term, x->angles)};
    term->law->over(&input, order, coefficients, law);
}

/* The same if the invariants are evaluated together. Their end values are computed from the
 * increment: otherwise a stiff law would amplify the rounding of q1, which would limit the accuracy
 * of the iteration. */
static void law_over_invariants(const olo_term *term, const olo_interval *x, olo_law_order order,
                                bool coefficients, double de[K], olo_invariant_point *between,
                                olo_law_over *law)
{
    double e0[K], e1[K];
    term->invariants->over(term, x, e0, de, between);
    for (int k = 0; k < term->forms; k++)
        e1[k] = e0[k] + de[k];
    law_over(term, x, e0, e1, de, order, coefficients, law);
}

/* The same for forms, with their gradients at the midpoint. */
static void law_over_forms(const olo_term *term, const olo_interval *x, olo_law_order order,
                           bool coefficients, double de[K], double gm[K][SIZE], olo_law_over *law)
{
    double e0[K], e1[K];
    for (int k = 0; k < term->forms; k++) {
        const olo_form *form = &term->form[k];
        e0[k] = olo_form_value(form, x->q0);
        e1[k] = olo_form_value(form, x->q1);
        olo_form_gradient(form, x->qm, gm[k]);
        // the same gradient as in the residual, so that r.dq and s.de agree
        de[k] = 0.0;
        for (int i = 0; i < term->size; i++)
            de[k] += gm[k][i] * x->dq[term->index[i]];
    }
    law_over(term, x, e0, e1, de, order, coefficients, law);
}

/* r = s_k g_k */
static void put_force(const olo_term *term, const double *s, double g[K][SIZE], double *r)
{
    for (int i = 0; i < term->size; i++)
        r[i] = s[0] * g[0][i];
    for (int k = 1; k < term->forms; k++)
        small_add_row(term->size, s[k], g[k], r);
}

/* Invariants, gradients at the midpoint and stress of a step. */
static void step_init(const olo_term *term, const olo_interval *x, olo_law_order order,
                      bool coefficients, step *y)
{
    if (term->invariants != NULL) {
        olo_invariant_point between;
        law_over_invariants(term, x, order, coefficients, y->de, &between, &y->law);
        gradients(term, x->qm, y->gm);
        return;
    }
    law_over_forms(term, x, order, coefficients, y->de, y->gm, &y->law);
}

/* u_k = ds_k/dq_a = s_a,kl g_l(q_a), with the gradients g at q_a. */
static void stress_tangents(const olo_term *term, const double *sa, double g[K][SIZE],
                            double u[K][SIZE])
{
    const int forms = term->forms;
    for (int k = 0; k < forms; k++) {
        small_zero(term->size, u[k]);
        for (int l = 0; l < forms; l++)
            small_add_row(term->size, sa[k * forms + l], g[l], u[k]);
    }
}

/* tangent = dr/dq_a */
static void put_tangent(const olo_term *term, const step *y, const double *sa, const double *qa,
                        double *tangent)
{
    const int n = term->size;
    double g[K][SIZE], u[K][SIZE];
    gradients(term, qa, g);
    stress_tangents(term, sa, g, u);
    small_zero(n * n, tangent);
    for (int k = 0; k < term->forms; k++)
        add_outer(n, 1.0, y->gm[k], u[k], tangent);
    add_hessians(term, 0.5, y->law.s, tangent);
}

/* The same for a single invariant: a rank-one matrix and a Hessian. */
static void put_tangent_single(const olo_term *term, const step *y, double sa, const double *qa,
                               double *tangent)
{
    const int n = term->size;
    if (sa == 0.0) {
        small_zero(n * n, tangent);
    } else {
        double g[SIZE];
        olo_form_gradient(&term->form[0], qa, g);
        for (int i = 0; i < n; i++) {
            const double a = sa * y->gm[0][i];
            for (int j = 0; j < n; j++)
                tangent[i * n + j] = a * g[j];
        }
    }
    olo_form_add_hessian(&term->form[0], 0.5 * y->law.s[0], tangent);
}

double olo_term_discrete(const olo_term *term, const olo_interval *x, double *r, double *tangent)
{
    step y;
    step_init(term, x, tangent != NULL ? OLO_LAW_FIRST : OLO_LAW_VALUE, false, &y);
    put_force(term, y.law.s, y.gm, r);
    if (tangent != NULL && term->forms == 1)
        put_tangent_single(term, &y, y.law.s1[0], x->q1, tangent);
    else if (tangent != NULL)
        put_tangent(term, &y, y.law.s1, x->q1, tangent);
    return small_dot(term->forms, y.law.s, y.de);
}

double olo_term_stress(const olo_term *term, const olo_interval *x, double *r, olo_law_over *law)
{
    double de[K];
    if (term->invariants != NULL) {
        olo_invariant_point between;
        law_over_invariants(term, x, OLO_LAW_FIRST, false, de, &between, law);
        term->invariants->push(term, law->s, &between, r);
    } else {
        double gm[K][SIZE];
        law_over_forms(term, x, OLO_LAW_FIRST, false, de, gm, law);
        put_force(term, law->s, gm, r);
    }
    return small_dot(term->forms, law->s, de);
}

/* Invariants at the midpoint. Those that are evaluated together are computed from the increment,
 * because stiff laws would amplify the rounding of qm. */
static void values_between(const olo_term *term, const olo_interval *x, double e[K],
                           olo_invariant_point *between)
{
    if (term->invariants == NULL) {
        values(term, x->qm, e);
        return;
    }
    term->invariants->middle(term, x, e, between);
}

/* Half the Hessian, from gradients and law at the midpoint. */
static void put_half_hessian(const olo_term *term, const olo_law_at *law, double g[K][SIZE],
                             double *tangent)
{
    const int n = term->size, forms = term->forms;
    small_zero(n * n, tangent);
    add_hessians(term, 0.5, law->g, tangent);
    for (int k = 0; k < forms; k++) {
        double u[SIZE];
        small_zero(n, u);
        for (int l = 0; l < forms; l++)
            small_add_row(n, 0.5 * law->gg[k * forms + l], g[l], u);
        add_outer(n, 1.0, g[k], u, tangent);
    }
}

/* The law at the midpoint of a step. */
static void law_between(const olo_term *term, const olo_interval *x, olo_law_order order,
                        olo_law_at *law, olo_invariant_point *between)
{
    double e[K];
    values_between(term, x, e, between);
    law_of(term, e, x->angles, order, false, law);
}

double olo_term_midpoint_stress(const olo_term *term, const olo_interval *x, double *r,
                                olo_law_over *law)
{
    olo_law_at at;
    olo_invariant_point between;
    law_between(term, x, OLO_LAW_FIRST, &at, &between);
    for (int k = 0; k < term->forms; k++)
        law->s[k] = at.g[k];
    for (int k = 0; k < term->forms * term->forms; k++)
        law->s1[k] = 0.5 * at.gg[k];
    if (term->invariants != NULL) {
        term->invariants->push(term, law->s, &between, r);
    } else {
        double gm[K][SIZE];
        gradients(term, x->qm, gm);
        put_force(term, law->s, gm, r);
    }
    return at.f;
}

double olo_term_midpoint(const olo_term *term, const olo_interval *x, double *r, double *tangent)
{
    if (term->law->dissipative)
        return olo_term_discrete(term, x, r, tangent);
    olo_law_at law;
    olo_invariant_point between;
    double g[K][SIZE];
    law_between(term, x, tangent != NULL ? OLO_LAW_FIRST : OLO_LAW_VALUE, &law, &between);
    if (term->invariants != NULL && tangent == NULL) {
        term->invariants->push(term, law.g, &between, r);
        return law.f;
    }
    gradients(term, x->qm, g);
    small_zero(term->size, r);
    for (int k = 0; k < term->forms; k++)
        small_add_row(term->size, law.g[k], g[k], r);
    if (tangent != NULL)
        put_half_hessian(term, &law, g, tangent);
    return law.f;
}

void olo_term_discrete_tangent(const olo_term *term, const olo_interval *x, int slot,
                               double *tangent)
{
    step y;
    step_init(term, x, OLO_LAW_FIRST, false, &y);
    const double *sa = slot == 0 ? y.law.s0 : y.law.s1;
    const double *qa = slot == 0 ? x->q0 : x->q1;
    if (term->forms == 1)
        put_tangent_single(term, &y, sa[0], qa, tangent);
    else
        put_tangent(term, &y, sa, qa, tangent);
}

void olo_term_linearise(const olo_term *term, const olo_interval *x, bool midpoint,
                        olo_term_linear *linear)
{
    const size_t forms = (size_t)term->forms, count = forms * forms;
    linear->midpoint = midpoint && !term->law->dissipative;
    if (linear->midpoint) {
        olo_law_at at;
        olo_invariant_point between;
        law_between(term, x, OLO_LAW_FIRST, &at, &between);
        memcpy(linear->s, at.g, forms * sizeof *linear->s);
        for (size_t k = 0; k < count; k++)
            linear->by[0][k] = linear->by[1][k] = 0.5 * at.gg[k];
        return;
    }
    step y;
    if (term->invariants != NULL) {
        olo_invariant_point between;
        law_over_invariants(term, x, OLO_LAW_FIRST, false, y.de, &between, &y.law);
    } else {
        law_over_forms(term, x, OLO_LAW_FIRST, false, y.de, y.gm, &y.law);
    }
    memcpy(linear->s, y.law.s, forms * sizeof *linear->s);
    memcpy(linear->by[0], y.law.s0, count * sizeof *linear->s);
    memcpy(linear->by[1], y.law.s1, count * sizeof *linear->s);
}

/* along[k] = grad e_k(q).w */
static void rates_along(const olo_term *term, const double *q, const double *w, double along[K])
{
    for (int k = 0; k < term->forms; k++) {
        double g[SIZE];
        olo_form_gradient(&term->form[k], q, g);
        along[k] = 0.0;
        for (int i = 0; i < term->size; i++)
            along[k] += g[i] * w[term->index[i]];
    }
}

/* r = c_k grad e_k(q) + s_k A_k w */
static void combine(const olo_term *term, const double *c, const double *q, const double *s,
                    const double *w, double *r)
{
    const int n = term->size;
    double g[SIZE], local[SIZE];
    small_zero(n, r);
    for (int i = 0; i < n; i++)
        local[i] = w[term->index[i]];
    for (int k = 0; k < term->forms; k++) {
        olo_form_gradient(&term->form[k], q, g);
        small_add_row(n, c[k], g, r);
        olo_form_hessian_times(&term->form[k], local, g);
        small_add_row(n, s[k], g, r);
    }
}

void olo_term_linear_times(const olo_term *term, const olo_interval *x,
                           const olo_term_linear *linear, int slot, bool transposed, double factor,
                           const double *w, double *out)
{
    const int forms = term->forms;
    const olo_invariants *of = term->invariants;
    const double *q_a = linear->midpoint ? x->qm : slot == 0 ? x->q0 : x->q1;
    const double *by = linear->by[slot], *left = transposed ? q_a : x->qm,
                 *right = transposed ? x->qm : q_a;
    const int row = transposed ? 1 : forms, column = transposed ? forms : 1;
    olo_invariant_point of_q, of_w;
    double along[K], c[K], half[K], r[SIZE];
    if (of != NULL) {
        of->at(term, right, &of_q);
        of->at(term, w, &of_w);
        of->rates(term, &of_q, &of_w, along);
    } else {
        rates_along(term, right, w, along);
    }
    for (int k = 0; k < forms; k++) {
        c[k] = 0.0;
        for (int l = 0; l < forms; l++)
            c[k] += along[l] * by[k * row + l * column];
        half[k] = 0.5 * linear->s[k];
    }
    if (of != NULL && left != right)
        of->at(term, left, &of_q);
    if (of != NULL)
        of->vary(term, c, &of_q, half, &of_w, r);
    else
        combine(term, c, left, half, w, r);
    for (int i = 0; i < term->size; i++)
        out[term->index[i]] += factor * r[i];
}

/* Entry k, l, m of the second derivatives of s_k with respect to slots a (index l) and b (m). */
static double second_entry(const olo_law_over *law, int forms, int a, int b, int k, int l, int m)
{
    if (a != b)
        return law->s01[a == 0 ? (k * forms + l) * forms + m : (k * forms + m) * forms + l];
    return (a == 0 ? law->s00 : law->s11)[(k * forms + l) * forms + m];
}

void olo_term_discrete_second(const olo_term *term, const olo_interval *x, const double *w, int a,
                              int b, double *matrix)
{
    const int n = term->size, forms = term->forms;
    step y;
    double ga[K][SIZE], gb[K][SIZE], ua[K][SIZE], ub[K][SIZE], aw[K][SIZE], wg[K];
    step_init(term, x, OLO_LAW_SECOND, false, &y);
    // gradients at both configurations, derivatives u of the stress, A_k w and w.gm_k
    const double *sa = a == 0 ? y.law.s0 : y.law.s1;
    const double *sb = b == 0 ? y.law.s0 : y.law.s1;
    gradients(term, a == 0 ? x->q0 : x->q1, ga);
    gradients(term, b == 0 ? x->q0 : x->q1, gb);
    stress_tangents(term, sa, ga, ua);
    stress_tangents(term, sb, gb, ub);
    hessians_times(term, w, aw);
    for (int k = 0; k < forms; k++)
        wg[k] = small_dot(n, w, y.gm[k]);

    small_zero(n * n, matrix);
    for (int l = 0; l < forms; l++) {
        // u (x) v + v (x) u: derivative of the stress times derivative of the gradient
        add_outer(n, 0.5, ua[l], aw[l], matrix);
        add_outer(n, 0.5, aw[l], ub[l], matrix);
        // second derivative of the stress with respect to the invariants
        for (int m = 0; m < forms; m++) {
            double s = 0.0;
            for (int k = 0; k < forms; k++)
                s += wg[k] * second_entry(&y.law, forms, a, b, k, l, m);
            add_outer(n, s, ga[l], gb[m], matrix);
        }
        // second derivative of the invariants
        if (a == b) {
            double s = 0.0;
            for (int k = 0; k < forms; k++)
                s += wg[k] * sa[k * forms + l];
            add_hessian(term, l, s, matrix);
        }
    }
}

/* The stress of a dissipative law is s = a/h + b. For a step of infinite length s = b, so that
 *
 *     ds/dh = -(s(h) - s(inf))/h,    d2s/dh2 = 2 (s(h) - s(inf))/h^2     exactly,
 *
 * and the same holds for r and its derivatives, which are linear in s. */
static olo_interval with_infinite_length(const olo_interval *x)
{
    olo_interval y = *x;
    y.h = INFINITY;
    return y;
}

void olo_term_by_length(const olo_term *term, const olo_interval *x, double *dr)
{
    const olo_interval y = with_infinite_length(x);
    double r[SIZE];
    olo_term_discrete(term, x, dr, NULL);
    olo_term_discrete(term, &y, r, NULL);
    for (int i = 0; i < term->size; i++)
        dr[i] = -(dr[i] - r[i]) / x->h;
}

void olo_term_tangent_by_length(const olo_term *term, const olo_interval *x, const double *w, int a,
                                double *by)
{
    const int n = term->size;
    const olo_interval y = with_infinite_length(x);
    double tangent[SIZE * SIZE];
    small_zero(n, by);
    olo_term_discrete_tangent(term, x, a, tangent);
    for (int i = 0; i < n; i++)
        small_add_row(n, -w[i] / x->h, tangent + i * n, by);
    olo_term_discrete_tangent(term, &y, a, tangent);
    for (int i = 0; i < n; i++)
        small_add_row(n, w[i] / x->h, tangent + i * n, by);
}

double olo_term_second_by_length(const olo_term *term, const olo_interval *x, const double *w)
{
    double dr[SIZE];
    olo_term_by_length(term, x, dr);
    return -2.0 / x->h * small_dot(term->size, w, dr);
}

// -- coefficients ---------------------------------------------------------------------------------

int olo_term_coefficients(const olo_term *term)
{
    int count = term->law->coefficients;
    if (term->invariants != NULL)
        return count + term->invariants->coefficients(term);
    for (int k = 0; k < term->forms; k++)
        count += olo_form_coefficients(&term->form[k]);
    return count;
}

/* Derivatives of all invariants and their gradients with respect to coefficient p >=
 * law->coefficients; `e` may be NULL. */
static void invariants_by_coefficient(const olo_term *term, const double *q, int p, double *e,
                                      double g[K][SIZE])
{
    double unused[K];
    e = e != NULL ? e : unused;
    p -= term->law->coefficients;
    if (term->invariants != NULL) {
        term->invariants->by_coefficient(term, q, p, e, g);
        return;
    }
    // the coefficient belongs to one form; the derivatives of all others are zero
    for (int k = 0; k < term->forms; k++) {
        const int count = olo_form_coefficients(&term->form[k]);
        e[k] = 0.0;
        small_zero(term->size, g[k]);
        if (p >= 0 && p < count) {
            e[k] = olo_form_value_by_coefficient(&term->form[k], q, p);
            olo_form_gradient_by_coefficient(&term->form[k], q, p, g[k]);
        }
        p -= count;
    }
}

double olo_term_energy_by_coefficient(const olo_term *term, const double *q, const double *angles,
                                      int p)
{
    olo_law_at law;
    double de[K], change[K][SIZE];
    law_at(term, q, angles, OLO_LAW_VALUE, true, &law);
    if (p < term->law->coefficients)
        return law.fc[p];
    invariants_by_coefficient(term, q, p, de, change);
    return small_dot(term->forms, law.g, de);
}

void olo_term_gradient_by_coefficient(const olo_term *term, const double *q, const double *angles,
                                      int p, double *dg)
{
    const int n = term->size, forms = term->forms, count = term->law->coefficients;
    olo_law_at law;
    double g[K][SIZE];
    law_at(term, q, angles, OLO_LAW_FIRST, true, &law);
    gradients(term, q, g);
    small_zero(n, dg);
    if (p < count) {
        for (int k = 0; k < forms; k++)
            small_add_row(n, law.gc[k * count + p], g[k], dg);
        return;
    }
    double de[K], change[K][SIZE];
    invariants_by_coefficient(term, q, p, de, change);
    for (int l = 0; l < forms; l++) {
        small_add_row(n, law.g[l], change[l], dg);
        for (int k = 0; k < forms; k++)
            small_add_row(n, law.gg[k * forms + l] * de[l], g[k], dg);
    }
}

void olo_term_discrete_by_coefficient(const olo_term *term, const olo_interval *x, int p,
                                      double *dr)
{
    const int n = term->size, forms = term->forms, count = term->law->coefficients;
    step y;
    step_init(term, x, OLO_LAW_FIRST, true, &y);
    small_zero(n, dr);
    if (p < count) {
        for (int k = 0; k < forms; k++)
            small_add_row(n, y.law.sc[k * count + p], y.gm[k], dr);
        return;
    }
    double e0[K], e1[K], change[K][SIZE];
    invariants_by_coefficient(term, x->q0, p, e0, change);
    invariants_by_coefficient(term, x->q1, p, e1, change);
    invariants_by_coefficient(term, x->qm, p, NULL, change);
    for (int l = 0; l < forms; l++) {
        small_add_row(n, y.law.s[l], change[l], dr);
        // the change of the invariant at both ends: its mean, and its difference from the increment
        const double mean = 0.5 * (e0[l] + e1[l]);
        double difference = 0.0;
        for (int i = 0; i < n; i++)
            difference += change[l][i] * x->dq[term->index[i]];
        for (int k = 0; k < forms; k++) {
            const double s0 = y.law.s0[k * forms + l], s1 = y.law.s1[k * forms + l];
            small_add_row(n, (s0 + s1) * mean + 0.5 * (s1 - s0) * difference, y.gm[k], dr);
        }
    }
}
