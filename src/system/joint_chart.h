/* A joint as a map of configurations, not of a step. A transcription with many time nodes needs it.
 *
 * Absolute chart. By objectivity a holonomic joint is a relative placement g(u) of the child in the
 * frame of the parent: origin t(u) and directors r_I(u), twelve numbers in the layout of a frame.
 * With the frame (phi, d_1, d_2, d_3) of the parent the child is
 *
 *     child = F(parent, u):   phi_c = phi + sum_J t_J d_J,   d_I,c = sum_J r_IJ d_J.
 *
 * The ground is a fixed frame; a parent that is a point has its position and the axes of space. F
 * is linear in the parent, hence
 *
 *     dF/dparent                   the placement g itself
 *     dF/du_k                      the same with g_k = dg/du_k instead of g, without phi
 *     d2(y.F)  (parent, parent)    0
 *              (parent, u_k)       g_k transposed, applied to y
 *              (u_k, u_l)          sum g_kl,IJ y_I . d_J
 *
 * and a joint type has to give only g and its first and second derivatives with respect to u. A
 * chart has a reference placement with u = 0. Translations are lengths along the axes from there. A
 * rotation about an axis is an angle (any number of turns). A free rotation is the Cayley vector
 * from the reference orientation in the axes of the parent, |u| = 2 tan(angle/2), less than half a
 * turn.
 *
 * Null space. The velocity of the child relative to the parent is a sum of screws with constant
 * data, one per degree of freedom: a translation along a direction n, or a rotation about an axis n
 * through a pivot z, each fixed in space, in the parent or in the child:
 *
 *     v_c = v_p + omega_p x (phi_c - phi_p) + sum nu_k s_k
 *     s_k = n_k of a translation,  n_k x (phi_c - z_k) of a rotation
 *     omega_c = omega_p + sum nu_k n_k over the rotations
 *
 * These are the columns A, B of system/joint.h at a configuration (for a rod linear combinations of
 * them, since its axes are fixed in the parent here). A rolling joint has a null space but no
 * chart.
 */
#ifndef OLO_SYSTEM_JOINT_CHART_H
#define OLO_SYSTEM_JOINT_CHART_H

#include <stdbool.h>

#include "system/joint.h"

enum { OLO_PLACEMENT = 12, OLO_CHART_DOF = 6 };

/* g and its derivatives. */
typedef struct olo_placement {
    double value[OLO_PLACEMENT];
    double first[OLO_CHART_DOF][OLO_PLACEMENT];
    double second[OLO_CHART_DOF][OLO_CHART_DOF][OLO_PLACEMENT]; /* symmetric, all stored */
} olo_placement;

/* The data of a chart that a joint reads. */
typedef struct olo_chart_view {
    const olo_system *system;
    const olo_articulation *joint;
    int dof;
    bool frame; /* the child has directors */
    double reference[OLO_PLACEMENT];
    double pivot[3]; /* the point on the parent about which the origin of the reference turns */
} olo_chart_view;

typedef struct olo_joint_chart {
    /* Moves a placement to the nearest one that the joint allows, closed to round-off. */
    void (*close)(const olo_chart_view *x, double placement[OLO_PLACEMENT]);
    /* g at u, with its derivatives by the degrees of freedom. */
    void (*evaluate)(const olo_chart_view *x, const double *u, olo_placement *g);
    /* u of a placement that the joint allows, angles within half a turn of the reference. False: it
     * is half a turn away, where the Cayley vector is infinite. */
    bool (*coordinates)(const olo_chart_view *x, const double placement[OLO_PLACEMENT], double *u);
    /* The angle from the reference in rad, of which half a turn is the limit of the chart; NULL:
     * the chart has no limit. */
    double (*turn)(const olo_chart_view *x, const double *u);
} olo_joint_chart;

typedef enum olo_carrier { OLO_IN_SPACE, OLO_IN_PARENT, OLO_IN_CHILD } olo_carrier;

/* A pivot that is not fixed in a body: z - phi_c as a function of the directors of the child. */
typedef struct olo_pivot {
    /* arm = z - phi_c at `child`, and its change along a variation `w` of the child. */
    void (*arm)(const olo_articulation *joint, const double *child, const double *w, double arm[3],
                double change[3]);
    /* by_child[12] += the gradient of force . arm, and change[12] += its change along `w` and along
     * a change of the force. */
    void (*pull)(const olo_articulation *joint, const double *child, const double *w,
                 const double force[3], const double force_change[3], double *by_child,
                 double *change);
} olo_pivot;

typedef struct olo_screw {
    bool turns; /* a rotation about the axis, else a translation along it */
    olo_carrier axis_in, pivot_in;
    double axis[3], pivot[3]; /* in the axes of their carriers */
    const olo_pivot *moving;  /* replaces `pivot` unless NULL */
} olo_screw;

#endif
