/* Terms: a law of quadratic forms, f(e_1(q) ... e_k(q)). Potentials, strains, penalties and dampers
 * are terms. At a configuration a term has a value, a gradient, a Hessian and a contracted third
 * derivative. Over a step it has the discrete gradient
 *
 *     r = sum_k s_k(e(q0), e(q1)) grad e_k(qm),
 *
 * or the gradient at the midpoint, with the derivatives with respect to both time slots, the second
 * derivatives contracted with a vector, and the derivatives with respect to every coefficient.
 * Stepping, adjoints and transcription use them.
 *
 * All forms of a term are dense over the same coordinates, `index[size]`; results are local. The
 * invariants can also be evaluated together by special functions, as for the strains of a beam.
 */
#ifndef OLO_SYSTEM_TERM_H
#define OLO_SYSTEM_TERM_H

#include "oloid/interval.h"
#include "system/form.h"
#include "system/law.h"

/* The entry of the ledger to which the energy of a term is added. */
typedef enum olo_term_role {
    OLO_ROLE_POTENTIAL,
    OLO_ROLE_STRAIN,
    OLO_ROLE_DISSIPATION
} olo_term_role;

typedef struct olo_term olo_term;

/* The configurations at which the parts of a tangent in twists are evaluated: `left` its rows, `qm`
 * the forces r = sum_k s_k grad e_k(qm), `stress` the invariants of the stress (q1, or qm where s
 * is that of the midpoint), `q1` its columns. */
typedef struct olo_twist_configurations {
    const double *left, *qm, *stress, *q1;
} olo_twist_configurations;

/* Memory for intermediate results of a term with invariants at a configuration. */
typedef struct olo_invariant_point {
    double number[60];
} olo_invariant_point;

/* The invariants of a term without forms: functions that evaluate all of them together. The
 * invariants are quadratic in q, like forms, but without linear parts, grad e_k(q) = A_k q, and
 * invariant under rigid motions of the system. Local vectors are over `index` of the term. */
typedef struct olo_invariants {
    /* e(q), or e(q + remainder) with the rounding remainder of q unless that is NULL */
    void (*values)(const olo_term *term, const double *q, const double *remainder, double *e);
    /* The data of a configuration q or increment w, from which follow grad e_k(q).w and
     * r = sum_k (c_k grad e_k(q) + s_k A_k w) */
    void (*at)(const olo_term *term, const double *q, void *point);
    void (*rates)(const olo_term *term, const void *q, const void *w, double *rate);
    void (*vary)(const olo_term *term, const double *c, const void *q, const double *s,
                 const void *w, double *r);
    /* e(q0) and e(q1) - e(q0) of a step, and in `between` the data of its midpoint, from which
     * `push` computes r = sum_k s_k grad e_k. Then r.dq = s.de holds to round-off, also far from
     * the origin. */
    void (*over)(const olo_term *term, const olo_interval *x, double *e0, double *de,
                 void *between);
    void (*push)(const olo_term *term, const double *s, const void *between, double *r);
    /* e at the midpoint of a step, also from the increment */
    void (*middle)(const olo_term *term, const olo_interval *x, double *e, void *between);
    /* r = sum_k s_k grad e_k(q) */
    void (*combine)(const olo_term *term, const double *s, const double *q, double *r);
    /* matrix += sum_k s_k A_k, the constant Hessians */
    void (*add_hessian)(const olo_term *term, const double *s, double *matrix);
    /* Functions that evaluate four terms at once (term_pack.h), for this processor; or `plain`,
     * without registers of four numbers, to the same bits. */
    const struct olo_pack_kernels *(*kernels)(bool plain);
    /* Coefficients: how many, and the derivatives of all values and gradients with respect to one
     * of them. */
    int (*coefficients)(const olo_term *term);
    void (*by_coefficient)(const olo_term *term, const double *q, int p, double *e,
                           double g[][OLO_FORM_SIZE_MAX]);
} olo_invariants;

struct olo_term {
    const olo_law *law;
    const void *context;       /* of a general law */
    const double *coefficient; /* [law->coefficients] */
    int forms;
    const olo_form *form; /* [forms], all on the same index list; NULL with `invariants` */
    const olo_invariants *invariants; /* instead of forms; their number is `forms` */
    const void *data;                 /* of `invariants` */
    int size;
    const int *index;
    int coordinate; /* of a law of an angle: the index of this joint coordinate */
    olo_term_role role;
    const char *owner; /* name of the element, for messages and outputs */
};

/* At a configuration. Energy and gradient of a dissipative term are zero. `angles` has the joint
 * angles with full turns, as in an interval: at q, or within half a turn of it; may be NULL. */
double olo_term_energy(const olo_term *term, const double *q, const double *angles);
/* The same at q + remainder, for terms with invariants; others ignore the remainder. */
double olo_term_energy_with_remainder(const olo_term *term, const double *q,
                                      const double *remainder, const double *angles);
void olo_term_gradient(const olo_term *term, const double *q, const double *angles,
                       double *gradient);
void olo_term_hessian(const olo_term *term, const double *q, const double *angles, double *hessian);
/* sum_c d^3 V / dq_a dq_b dq_c w_c, w local */
void olo_term_third(const olo_term *term, const double *q, const double *angles, const double *w,
                    double *matrix);

/* df/de_k at q, for all invariants. */
void olo_term_derivatives(const olo_term *term, const double *q, const double *angles, double *by);

/* Over a step: r[size], and tangent[size*size] = dr/dq1 unless NULL. Returns s . de: the energy
 * difference, or the energy that a dissipative term loses. */
double olo_term_discrete(const olo_term *term, const olo_interval *x, double *r, double *tangent);

/* The same without the tangent: the stress s and ds/de1 go to `law`, from which the tangent in
 * twists is formed. */
double olo_term_stress(const olo_term *term, const olo_interval *x, double *r, olo_law_over *law);

/* The gradient at the midpoint instead: r = grad V(qm), tangent = 1/2 Hess V(qm); returns V(qm). A
 * dissipative term is evaluated as above. */
double olo_term_midpoint(const olo_term *term, const olo_interval *x, double *r, double *tangent);

/* The same without the tangent: the stress and half of ds/de, which is ds/de1, go to `law`. */
double olo_term_midpoint_stress(const olo_term *term, const olo_interval *x, double *r,
                                olo_law_over *law);

/* dr/dq0 (slot 0) or dr/dq1 (slot 1), row-major [size*size]. */
void olo_term_discrete_tangent(const olo_term *term, const olo_interval *x, int slot,
                               double *tangent);

/* A term over a step, linearised without a matrix: its stress s, and ds/de_a of both slots; all at
 * the midpoint if `midpoint`. */
typedef struct olo_term_linear {
    bool midpoint;
    double s[OLO_LAW_INVARIANTS_MAX];
    double by[2][OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
} olo_term_linear;

/* Of the discrete gradient, or the gradient at the midpoint (not of a dissipative term). */
void olo_term_linearise(const olo_term *term, const olo_interval *x, bool midpoint,
                        olo_term_linear *linear);
/* out += factor (dr/dq_a) w for slot a, or its transpose; w and out over all coordinates. */
void olo_term_linear_times(const olo_term *term, const olo_interval *x,
                           const olo_term_linear *linear, int slot, bool transposed, double factor,
                           const double *w, double *out);

/* d^2 (w.r) / dq_a dq_b, a and b slots 0 or 1, row index in slot a. */
void olo_term_discrete_second(const olo_term *term, const olo_interval *x, const double *w, int a,
                              int b, double *matrix);

/* Derivatives with respect to the length h of the step, on which dissipative terms depend:
 * dr/dh[size]; the vector d^2(w.r)/dh dq_a[size]; d^2(w.r)/dh^2. */
void olo_term_by_length(const olo_term *term, const olo_interval *x, double *dr);
void olo_term_tangent_by_length(const olo_term *term, const olo_interval *x, const double *w, int a,
                                double *by);
double olo_term_second_by_length(const olo_term *term, const olo_interval *x, const double *w);

/* Coefficients: those of the law first, then those of each form in turn, or those of the
 * invariants. */
int olo_term_coefficients(const olo_term *term);
double olo_term_energy_by_coefficient(const olo_term *term, const double *q, const double *angles,
                                      int p);
void olo_term_gradient_by_coefficient(const olo_term *term, const double *q, const double *angles,
                                      int p, double *dg);
void olo_term_discrete_by_coefficient(const olo_term *term, const olo_interval *x, int p,
                                      double *dr);

#endif
