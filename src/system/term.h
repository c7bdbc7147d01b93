/* Terms: a law of quadratic forms, f(e_1(q) ... e_k(q)). Potentials, strains, penalties and dampers
 * are terms. The kernel gives value, gradient, Hessian and contracted third derivative at a
 * configuration, and over a step the discrete gradient
 *
 *     r = sum_k s_k(e(q0), e(q1)) grad e_k(qm),
 *
 * (or the gradient at the midpoint,) its derivatives in both time slots, the second derivatives
 * contracted with a vector, and the derivatives with respect to every coefficient: what stepping,
 * adjoints and transcription consume.
 *
 * All forms of a term are dense over the same coordinates, `index[size]`; results are local. The
 * invariants may also be evaluated together by functions of their own: the strains of a beam are.
 */
#ifndef OLO_SYSTEM_TERM_H
#define OLO_SYSTEM_TERM_H

#include "oloid/interval.h"
#include "system/form.h"
#include "system/law.h"

/* Where the energy of a term is booked in the ledger. */
typedef enum olo_term_role {
    OLO_ROLE_POTENTIAL,
    OLO_ROLE_STRAIN,
    OLO_ROLE_DISSIPATION
} olo_term_role;

typedef struct olo_term olo_term;

/* Where the parts of a tangent in twists are taken: its rows, forces r = sum_k s_k grad e_k(qm),
 * the invariants whose change is that of the stress (q1, or qm where s is that of the midpoint),
 * its columns. */
typedef struct olo_twist_places {
    const double *left, *qm, *stress, *q1;
} olo_twist_places;

/* Room for what a term with invariants evaluates at a point. */
typedef struct olo_invariant_point {
    double number[60];
} olo_invariant_point;

/* Where the invariants of a term come from, if not from forms: functions that evaluate all of them
 * together, quadratic in q like forms and unchanged by rigid motions of the whole. Local vectors
 * are over `index` of the term. */
typedef struct olo_invariants {
    /* at q, or at q + rest unless that is NULL: what rounding left of q */
    void (*values)(const olo_term *term, const double *q, const double *remainder, double *e);
    /* e(q1) - e(q0), from midpoint and increment */
    void (*differences)(const olo_term *term, const double *qm, const double *dq, double *de);
    /* e(q0) and e(q1) - e(q0) of a step, and what `push` reads at its midpoint: r = sum_k s_k grad
     * e_k there, with which r.dq = s.de holds to the last digits wherever in space it is */
    void (*over)(const olo_term *term, const olo_interval *x, double *e0, double *de,
                 void *between);
    void (*push)(const olo_term *term, const double *s, const void *between, double *r);
    /* e at the midpoint of a step, from the increment, too */
    void (*middle)(const olo_term *term, const olo_interval *x, double *e, void *between);
    /* r = sum_k s_k grad e_k(q) */
    void (*combine)(const olo_term *term, const double *s, const double *q, double *r);
    /* matrix += sum_k s_k A_k, the constant Hessians */
    void (*add_hessian)(const olo_term *term, const double *s, double *matrix);
    /* += factor P_int(left)^T dr/dq1 P_int(q1) in the twists of the nodes of `index`, which are
     * frames, with the stress s and its derivative s1 by the invariants at `stress`: 6 x 6 blocks,
     * that of nodes a and b at block[a nodes + b]. */
    void (*add_twist_tangent)(const olo_term *term, double factor, const double *s,
                              const double *s1, const olo_twist_places *at, double *const *block);
    /* Coefficients: how many, and the derivatives of all values and gradients with respect to one.
     */
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
    const olo_invariants *invariants; /* instead of forms; as many as `forms` says */
    const void *data;                 /* of `invariants` */
    int size;
    const int *index;
    int coordinate; /* of a law of an angle: the joint coordinate that it is */
    olo_term_role role;
    const char *owner; /* name of the element, for messages and outputs */
};

/* At a configuration. A dissipative term has no energy and no gradient: zero. `angles` tells the
 * turns of angles, as in an interval: values at q, or within half a turn of them; may be NULL. */
double olo_term_energy(const olo_term *term, const double *q, const double *angles);
/* The same at q + rest, which a term with invariants feels. */
double olo_term_energy_with_remainder(const olo_term *term, const double *q,
                                      const double *remainder, const double *angles);
void olo_term_gradient(const olo_term *term, const double *q, const double *angles,
                       double *gradient);
void olo_term_hessian(const olo_term *term, const double *q, const double *angles, double *hessian);
/* sum_c d^3 V / dq_a dq_b dq_c w_c, w local */
void olo_term_third(const olo_term *term, const double *q, const double *angles, const double *w,
                    double *matrix);

/* Over a step. r[size]; tangent[size*size] = dr/dq1 unless NULL. Returns s . de: the energy
 * difference, or the energy lost by a dissipative term. */
double olo_term_discrete(const olo_term *term, const olo_interval *x, double *r, double *tangent);

/* The same without the tangent of a term with `invariants`: its stress s and ds/de1 go to `law`,
 * for add_twist_tangent. */
double olo_term_stress(const olo_term *term, const olo_interval *x, double *r, olo_law_over *law);

/* The gradient at the midpoint instead, r = grad V(qm) and tangent = 1/2 Hess V(qm), and V(qm); of
 * a dissipative term all is as above. */
double olo_term_midpoint(const olo_term *term, const olo_interval *x, double *r, double *tangent);

/* The same without the tangent of a term with `invariants`: its stress and half of ds/de, which is
 * ds/de1, go to `law`. */
double olo_term_midpoint_stress(const olo_term *term, const olo_interval *x, double *r,
                                olo_law_over *law);

/* dr/dq0 (slot 0) or dr/dq1 (slot 1), row-major [size*size]. */
void olo_term_discrete_tangent(const olo_term *term, const olo_interval *x, int slot,
                               double *tangent);

/* d^2 (w.r) / dq_a dq_b, a and b slots 0 or 1, row index in slot a. */
void olo_term_discrete_second(const olo_term *term, const olo_interval *x, const double *w, int a,
                              int b, double *matrix);

/* By the length h of the step, on which dissipative terms depend: dr/dh[size]; the vector
 * d^2(w.r)/dh dq_a[size]; d^2(w.r)/dh^2. */
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
