/* A joint as a map of configurations, not of a step: what a transcription of many time nodes needs.
 *
 * Absolute chart. By objectivity a holonomic joint is a relative placement g(u) of the child in the
 * frame of the parent: origin t(u) and directors r_I(u), twelve numbers in the layout of a frame.
 * With the parent's frame (phi, d_1, d_2, d_3), of the ground the frame at rest, of a point its
 * position and the axes of space, the child is
 *
 *     child = F(parent, u):   phi_c = phi + sum_J t_J d_J,   d_I,c = sum_J r_IJ d_J
 *
 * F is linear in the parent, hence
 *     dF/dparent  the placement itself             dF/du_k       g_k in place of g, without phi
 *     d2(y.F)     (parent, parent)  0,             (parent, u_k) g_k transposed on y,
 *                 (u_k, u_l)        sum g_kl,IJ y_I . d_J
 * and a joint type has to give only g and its first and second derivatives in u. A chart has a
 * reference placement at which u = 0: slides are lengths along the axes from there, a rotation
 * about an axis is an angle (any number of turns), a free rotation the Cayley vector from the
 * reference orientation in the parent's axes, |u| = 2 tan(angle/2), less than half a turn.
 *
 * Null space. The child's velocity against the parent is a sum of screws with constant data, one
 * per degree of freedom: a direction that the child slides along, or an axis n that it turns about
 * through a pivot z, each fixed in space, the parent or the child:
 *
 *     v_c = v_p + omega_p x (phi_c - phi_p) + sum nu_k (slide n_k, turn n_k x (phi_c - z_k))
 *     omega_c = omega_p + sum nu_k n_k of those that turn
 *
 * These are the columns A, B of system/joint.h at a configuration (for a rod combinations of
 * them: its axes are fixed in the parent here). A joint that rolls has a null space and no chart.
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
    double second[OLO_CHART_DOF][OLO_CHART_DOF][OLO_PLACEMENT]; /* both halves */
} olo_placement;

/* What a joint sees of its chart. */
typedef struct olo_chart_view {
    const olo_system *system;
    const olo_articulation *joint;
    int dof;
    bool frame; /* the child has directors */
    double reference[OLO_PLACEMENT];
} olo_chart_view;

typedef struct olo_joint_chart {
    /* Takes a placement to the nearest one that the joint allows, closed to round-off. */
    void (*close)(const olo_chart_view *x, double placement[OLO_PLACEMENT]);
    /* g at u; zero where it has no entry. */
    void (*place)(const olo_chart_view *x, const double *u, olo_placement *g);
    /* u of a placement that the joint allows: angles within half a turn of the reference. False: it
     * is half a turn away, where a Cayley vector has no value. */
    bool (*coordinates)(const olo_chart_view *x, const double placement[OLO_PLACEMENT], double *u);
} olo_joint_chart;

typedef enum olo_carrier { OLO_IN_SPACE, OLO_IN_PARENT, OLO_IN_CHILD } olo_carrier;

/* A pivot that is no fixed point of a body: z - phi_c as a function of the child's directors. */
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
    bool turns; /* about the axis, else slides along it */
    olo_carrier axis_in, pivot_in;
    double axis[3], pivot[3]; /* in the axes of their carriers */
    const olo_pivot *moving;  /* instead of `pivot` unless NULL */
} olo_screw;

#endif
