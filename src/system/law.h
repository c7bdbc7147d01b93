/* Laws: scalar functions f(e; c) of k quadratic invariants e with coefficients c, and their
 * discrete gradients in the invariants, s(e0, e1), with
 *
 *     s . (e1 - e0) = f(e1) - f(e0)            (directionality: exact energy)
 *     s -> grad f   as e1 -> e0                (consistency)
 *
 * for a potential. For a dissipative law s is a stress with s . (e1 - e0) >= 0, the energy lost in
 * the step, and it is affine in 1/h: s = a(e0, e1)/h + b(e0, e1). The discrete derivative of
 * V(q) = f(e(q)) is G-equivariant because it is formed from the invariants:
 *
 *     dV(q0, q1) = sum_k s_k grad e_k(qm)      (thesis, 3.1.4).
 *
 * A law is a constant table of functions in its own file, registered by name in law.c.
 */
#ifndef OLO_SYSTEM_LAW_H
#define OLO_SYSTEM_LAW_H

#include <stdbool.h>

enum { OLO_LAW_INVARIANTS_MAX = 7, OLO_LAW_COEFFICIENTS_MAX = 26 };

/* f and its derivatives at one configuration. Row-major in the invariants; gc[k*C] is the
 * derivative of the gradient with respect to the coefficients, fc[C] that of the value. */
typedef struct olo_law_at {
    double f;
    double g[OLO_LAW_INVARIANTS_MAX];
    double gg[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double ggg[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double fc[OLO_LAW_COEFFICIENTS_MAX];
    double gc[OLO_LAW_INVARIANTS_MAX * OLO_LAW_COEFFICIENTS_MAX];
} olo_law_at;

/* s and its derivatives over a step: s0 = ds/de0, s1 = ds/de1 (k*k, row = component of s),
 * s00, s01, s11 second derivatives (k*k*k; the first index is the component of s; in s01 the second
 * index is that of e0 and the third that of e1), sc = ds/dc (k*C). de is regarded as e1 - e0. */
typedef struct olo_law_over {
    double s[OLO_LAW_INVARIANTS_MAX];
    double s0[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double s1[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double s00[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double s01[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double s11[OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX * OLO_LAW_INVARIANTS_MAX];
    double sc[OLO_LAW_INVARIANTS_MAX * OLO_LAW_COEFFICIENTS_MAX];
} olo_law_over;

/* The arguments of a law. `de` is e1 - e0 formed from the increment, without cancellation. */
typedef struct olo_law_input {
    const struct olo_law *law; /* the law itself */
    int k;                     /* number of invariants */
    const double *e0;          /* the invariants of at() */
    const double *e1;
    const double *de;
    double h;            /* step, for dissipative laws */
    const double *c;     /* coefficients */
    const void *context; /* of `general` laws */
    bool no_value;       /* of at(): only derivatives are wanted, f may be anything */
    bool value_only;     /* of at(): only f is wanted, g may be anything */
    double angle; /* of laws of an angle: its value with full turns, at e0 or within half a turn of
                     it */
} olo_law_input;

/* The requested order of derivatives with respect to the invariants. */
typedef enum olo_law_order {
    OLO_LAW_VALUE = 0, /* at: f, g           over: s */
    OLO_LAW_FIRST = 1, /* at: also gg        over: also s0, s1 */
    OLO_LAW_SECOND = 2 /* at: also ggg       over: also s00, s01, s11 */
} olo_law_order;

typedef struct olo_law {
    const char *name;
    int invariants;   /* k, or 0 if the term determines it (general) */
    int coefficients; /* C */
    bool dissipative;
    bool linear;   /* f = c0 e of one invariant */
    bool diagonal; /* f = 1/2 sum c_k e_k^2, so that s_k depends on e_k alone */
    bool damps;    /* s = (c0/h + c1/2) C (e1 - e0) of six strains, C the other coefficients */
    /* Of a law of one invariant whose s is affine in e1, s = constant + gradient (e1 - e0); else
     * NULL. */
    void (*affine)(const double *c, double e0, double h, double *constant, double *gradient);
    /* Of a law of the angle theta = atan2(e[1], e[0]), with full turns: F(theta); else NULL. */
    const struct olo_law *angle;
    /* Of a law of the strains of a rod (law_rod.c): F(v, u); else NULL. */
    const struct olo_law *strain;
    /* With `coefficients` also fc, gc and sc are filled. */
    void (*at)(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out);
    void (*over)(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out);
    /* Visits sample values that distinguish laws given by functions; NULL: the coefficients
     * determine the law. */
    void (*samples)(const void *context, void *into, void (*visit)(void *into, double value));
} olo_law;

extern const olo_law olo_law_linear;   /* f = c0 e                           (gravity) */
extern const olo_law olo_law_distance; /* f = 1/2 c0 (l - c1)^2, l = sqrt(2 e) (distance spring) */
extern const olo_law olo_law_viscous;  /* dissipative, s = c0 (e1 - e0)/h    (linear damper) */
extern const olo_law olo_law_distance_viscous; /* dissipative along the line, s de = c0 dl^2/h */
extern const olo_law olo_law_length; /* f = c0 l, l = sqrt(2 e)     (a length as a coordinate) */
extern const olo_law olo_law_spring; /* f = 1/2 c0 (e - c1)^2       (spring with a rest length) */
extern const olo_law olo_law_stop;   /* f = 1/2 c0 (max(0, e - c2)^2 + max(0, c1 - e)^2) */
/* Laws of the six strains of a beam; a matrix C is its upper triangle, row by row. */
extern const olo_law olo_law_elastic;         /* f = 1/2 sum c_k e_k^2 */
extern const olo_law olo_law_elastic_coupled; /* f = 1/2 e.C e, c = C */
extern const olo_law
    olo_law_strain_rate; /* dissipative, s = (c0/h + c1/2) C (e1 - e0), c2... = C */
/* The same, and the general law, of the strains v, u of a discrete rod over the seven invariants
 * Gamma, K, c; the last three coefficients are the curvatures u0 without stress. */
extern const olo_law olo_law_rod_elastic, olo_law_rod_elastic_coupled, olo_law_rod_strain_rate,
    olo_law_rod_general;
/* The six strains of a law of strains at the invariants e with coefficients c, less those without
 * stress. */
void olo_law_strains(const olo_law *law, const double *e, const double *c, double strain[6]);
/* The change of the angle atan2(e[1], e[0]) over a step in which e changes from e0 by de, and the
 * direction d of its discrete gradient, d.de = that change. */
double olo_angle_change(const double e0[2], const double de[2], double d[2]);
/* Linear, spring, viscous and stop with the angle theta = atan2(e[1], e[0]) instead of e. */
extern const olo_law olo_law_angle_linear, olo_law_angle_spring, olo_law_angle_viscous,
    olo_law_angle_stop;
extern const olo_law olo_law_general; /* any smooth f of 1 to 6 invariants, see below */

/* at() of a law of one invariant without potential: all zero. */
void olo_law_no_potential(const olo_law_input *x, olo_law_order order, bool coefficients,
                          olo_law_at *out);

/* Context of olo_law_general: f with derivatives. The discrete gradient is Gonzalez' formula in the
 * invariants (thesis, 3.1.3), the difference quotient for one invariant. Where f(e1) - f(e0) would
 * cancel, the gradient is integrated along the segment instead; f must be smooth between e0 and e1.
 * `hessian` and `third` may be NULL if first and second derivatives are never requested. */
typedef struct olo_general_law {
    void *context;
    double (*value)(void *context, const double *e);
    void (*gradient)(void *context, const double *e, double *g);
    void (*hessian)(void *context, const double *e, double *gg);
    void (*third)(void *context, const double *e, double *ggg);
} olo_general_law;

/* atan2(s, c) plus the number of full turns that brings it closest to `near`. */
double olo_angle_near(double c, double s, double near);

/* All laws by number, NULL after the last. */
const olo_law *olo_law_number(int number);

#endif
