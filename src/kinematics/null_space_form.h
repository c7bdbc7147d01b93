/* The null space matrix P(q) of the forest as a function of the configuration, without a step. The
 * form
 *
 *     s(q; y, nu) = y^T P(q) nu
 *
 * and its derivatives serve the reduced equations P(q)^T y = 0 of a transcription and the Hessian
 * of their Lagrangian (nu are the multipliers of these equations):
 *
 *     first     ds/dy = P nu,   ds/dnu = P^T y,   ds/dq = d(P nu)^T y
 *     second    along a variation w of q: d(P nu) w, d(P^T y) w, d2(y^T P nu)/dq2 w
 *
 * On a chart q = Q(u) with J = dQ/du (chart.h), with g = ds/dq and H = d2s/dq2,
 *
 *     d/du s(Q(u)) = J^T g,     d2/du2 s(Q(u)) w = J^T H J w + d2(g.Q)/du2 w.
 *
 * P maps the rates nu of the screws of all joints (system/joint_chart.h) to velocities of all
 * coordinates, root to leaf:
 *
 *     v_c = v_p + omega_p x (phi_c - phi_p) + sum nu_k s_k
 *     s_k = n_k of a translation,  n_k x (phi_c - z_k) of a rotation
 *     omega_c = omega_p + sum nu_k n_k over the rotations
 *     P nu = (v, omega x d_I) per node
 *
 * G(q) P(q) = 0 for all rows of the joints of the forest, at every q that satisfies them. The
 * derivatives are those of this polynomial with respect to all coordinates of q. Points have no
 * spin and transmit none. Rolling joints are included, although they have no chart.
 *
 * The cost is linear in the number of bodies. A form is the workspace of one thread and allocates
 * nothing after its creation.
 */
#ifndef OLO_KINEMATICS_NULL_SPACE_FORM_H
#define OLO_KINEMATICS_NULL_SPACE_FORM_H

#include "kinematics/topology.h"

typedef struct olo_null_form olo_null_form;

/* The axes of a rod are orthogonal to the rod at `reference`[n]; other joints do not depend on the
 * reference. The topology must outlive the form. */
olo_status olo_null_form_create(const olo_topology *topology, const double *reference,
                                olo_null_form **form, olo_error *error);
void olo_null_form_free(olo_null_form *form);
/* Whether a joint of the forest has axes that depend on the reference. */
bool olo_null_form_depends_on_reference(const olo_topology *topology);
/* Sets another reference. */
void olo_null_form_refer(olo_null_form *form, const double *reference);
/* The same in another system of the same structure, whose joints the form has from now on. */
void olo_null_form_use(olo_null_form *form, const olo_topology *topology, const double *reference);

/* P(q)[n x unknowns]. Only entries of the subtree that a degree of freedom moves are written: P
 * must be zero before the first call. */
void olo_null_form_matrix(olo_null_form *form, const double *q, double *P);

/* The arguments of a form. y and nu may be NULL: then they are zero. */
typedef struct olo_null_point {
    const double *q;  /* [n] */
    const double *y;  /* [n] */
    const double *nu; /* [unknowns] */
    const double *w;  /* [n x directions] variations of q */
    int directions;
} olo_null_point;

/* Derivatives of s; those with NULL are not computed. Changes have one column per direction. */
typedef struct olo_null_derivatives {
    double *by_y;  /* [n] P nu */
    double *by_nu; /* [unknowns] P^T y */
    double *by_q;  /* [n] */
} olo_null_derivatives;

/* The first derivatives and their changes along all w. */
void olo_null_form_at(olo_null_form *form, const olo_null_point *at,
                      const olo_null_derivatives *first, const olo_null_derivatives *change);

#endif
