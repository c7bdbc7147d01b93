/* The absolute chart of a system: all joint coordinates u to all configurations q = Q(u), composed
 * along the spanning forest of a topology, parents first (system/joint_chart.h):
 *
 *     q_c = F_c(q_p, u_c)
 *     J w        root to leaf     dq_c = F_c,p dq_p + F_c,u w_c
 *     J^T y      leaf to root     y_p += F_c,p^T y_c,   reduced_c = F_c,u^T y_c
 *     d2(y.Q) w  leaf to root     dy_p += F_c,p^T dy_c + (d F_c,p^T) y_c,
 *                                 product_c = F_c,u^T dy_c + (d F_c,u^T) y_c
 *
 * with d along w, all at a cost that is linear in the number of bodies. A free body has its
 * position from the reference and a Cayley vector as coordinates, a free point its position, a free
 * body in the plane of a model two lengths and an angle. Rows that close loops are not satisfied by
 * a chart: they stay constraints g(Q(u)) = 0.
 *
 * The coordinates are zero at a reference configuration, near which rotations are small. A chart is
 * the workspace of one thread; it allocates nothing after it is made.
 */
#ifndef OLO_KINEMATICS_CHART_H
#define OLO_KINEMATICS_CHART_H

#include "kinematics/topology.h"
#include "system/joint_chart.h"

typedef struct olo_chart olo_chart;

/* The chart around q[n], at u = 0. Fails with the joint's name where one has no chart: those that
 * roll. The topology must outlive the chart. */
olo_status olo_chart_create(const olo_topology *topology, const double *q, olo_chart **chart,
                            olo_error *error);
void olo_chart_free(olo_chart *chart);
/* Another reference; the chart is then at u = 0. Joints that are slightly open at q are closed. */
void olo_chart_refer(olo_chart *chart, const double *q);

/* Coordinates u[unknowns] of a configuration whose joints are closed; angles are within half a turn
 * of the reference. Fails with the body's name at half a turn of a free
 * rotation or rod. */
olo_status olo_chart_coordinates(const olo_chart *chart, const double *q, double *u,
                                 olo_error *error);

/* Moves the chart to u[unknowns]: what follows is taken there. Returns Q(u)[n], which the chart
 * owns. */
const double *olo_chart_at(olo_chart *chart, const double *u);
/* dq[n] = J w[unknowns] */
void olo_chart_move(const olo_chart *chart, const double *w, double *dq);
/* reduced[unknowns] = J^T y[n] */
void olo_chart_reduce(olo_chart *chart, const double *y, double *reduced);
/* product[unknowns] = d2(y.Q)/du2 w, the derivative of J^T y along w. */
void olo_chart_second(olo_chart *chart, const double *y, const double *w, double *product);

/* The joint of node k, of a free node one that moves in all directions, and what it sees with the
 * reference at q. */
const olo_articulation *olo_chart_joint(const olo_topology *topology, int k);
olo_chart_view olo_chart_view_at(const olo_topology *topology, int k, const double *q);

#endif
