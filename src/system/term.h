/* Terms: a law of quadratic forms, f(e_1(q) ... e_k(q)). Potentials, strains, penalties and dampers are
 * terms. The kernel gives value, gradient, Hessian and contracted third derivative at a
 * configuration, and over a step the discrete gradient
 *
 *     r = sum_k s_k(e(q0), e(q1)) grad e_k(qm),
 *
 * its derivatives in both time slots, the second derivatives contracted with a vector, and the
 * derivatives with respect to every coefficient: what stepping, adjoints and transcription consume.
 *
 * All forms of a term are dense over the same coordinates, `index[size]`; results are local.
 */
#ifndef OLO_SYSTEM_TERM_H
#define OLO_SYSTEM_TERM_H

#include "system/form.h"
#include "system/law.h"

/* Where the energy of a term is booked in the ledger. */
typedef enum olo_term_role {
    OLO_ROLE_POTENTIAL,
    OLO_ROLE_STRAIN,
    OLO_ROLE_DISSIPATION
} olo_term_role;

typedef struct olo_term {
    const olo_law *law;
    const void *context;       /* of a general law */
    const double *coefficient; /* [law->coefficients] */
    int forms;
    const olo_form *form; /* [forms], all on the same index list */
    int size;
    const int *index;
    int coordinate; /* of a law of an angle: the joint coordinate that it is */
    olo_term_role role;
    const char *owner; /* name of the element, for messages and outputs */
} olo_term;

/* A step: configurations, midpoint and increment. qm and dq come from the increment. */
typedef struct olo_interval {
    const double *q0, *q1, *qm, *dq;
    double h;
    const double *
        angles; /* joint coordinates that are angles, turns counted, at q0; NULL: within half a turn of 0 */
    double t; /* at q0 */
} olo_interval;

/* At a configuration. A dissipative term has no energy and no gradient: zero. `angles` tells the turns of angles, as in an
 * interval: values at q, or within half a turn of them; may be NULL. */
double olo_term_energy(const olo_term *term, const double *q, const double *angles);
void olo_term_gradient(const olo_term *term, const double *q, const double *angles,
                       double *gradient);
void olo_term_hessian(const olo_term *term, const double *q, const double *angles, double *hessian);
/* sum_c d^3 V / dq_a dq_b dq_c w_c, w local */
void olo_term_third(const olo_term *term, const double *q, const double *angles, const double *w,
                    double *matrix);

/* Over a step. r[size]; tangent[size*size] = dr/dq1 unless NULL. Returns s . de: the energy difference,
 * or the energy lost by a dissipative term. */
double olo_term_discrete(const olo_term *term, const olo_interval *x, double *r, double *tangent);

/* dr/dq0 (slot 0) or dr/dq1 (slot 1), row-major [size*size]. */
void olo_term_discrete_tangent(const olo_term *term, const olo_interval *x, int slot,
                               double *tangent);

/* d^2 (w.r) / dq_a dq_b, a and b slots 0 or 1, row index in slot a. */
void olo_term_discrete_second(const olo_term *term, const olo_interval *x, const double *w, int a,
                              int b, double *matrix);

/* Coefficients: those of the law first, then those of each form in turn. */
int olo_term_coefficients(const olo_term *term);
void olo_term_gradient_by_coefficient(const olo_term *term, const double *q, const double *angles,
                                      int p, double *dg);
void olo_term_discrete_by_coefficient(const olo_term *term, const olo_interval *x, int p,
                                      double *dr);

#endif
