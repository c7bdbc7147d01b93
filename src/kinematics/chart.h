/* The absolute chart of a system: the map q = Q(u) from joint coordinates to configurations,
 * composed along the spanning forest of a topology, parents first (system/joint_chart.h):
 *
 *     q_c = F_c(q_p, u_c)
 *     J w        root to leaf     dq_c = F_c,p dq_p + F_c,u w_c
 *     J^T y      leaf to root     y_p += F_c,p^T y_c,   reduced_c = F_c,u^T y_c
 *     d2(y.Q) w  leaf to root     dy_p += F_c,p^T dy_c + (d F_c,p^T) y_c,
 *                                 product_c = F_c,u^T dy_c + (d F_c,u^T) y_c
 *
 * where d denotes the derivative along w. The cost of all of them is linear in the number of
 * bodies. The coordinates of a free body are its displacement from the reference and a Cayley
 * vector, those of a free point its displacement, those of a free body in a planar model two
 * lengths and an angle. A chart does not satisfy the rows that close loops: they remain constraints
 * g(Q(u)) = 0.
 *
 * The coordinates are zero at a reference configuration. A chart is the workspace of one thread; it
 * allocates nothing after its creation.
 */
#ifndef OLO_KINEMATICS_CHART_H
#define OLO_KINEMATICS_CHART_H

#include "kinematics/topology.h"
#include "system/joint_chart.h"

typedef struct olo_chart olo_chart;

/* Creates the chart with the reference q[n], at u = 0. Fails with the name of a joint that has no
 * chart (rolling). The topology must outlive the chart. */
olo_status olo_chart_create(const olo_topology *topology, const double *q, olo_chart **chart,
                            olo_error *error);
/* Another chart of the same thread, which shares memory with `other` that only calls of its
 * functions use. `other` must outlive it. */
olo_status olo_chart_create_beside(const olo_chart *other, const double *q, olo_chart **chart,
                                   olo_error *error);
void olo_chart_free(olo_chart *chart);
/* Brings the memory of `next` to the processor ahead of its use, without waiting for it; `like` is
 * another chart of the same topology. */
void olo_chart_fetch(const olo_chart *next, const olo_chart *like);
/* Sets another reference; the chart is then at u = 0. Joints that are slightly open at q are
 * closed. */
void olo_chart_refer(olo_chart *chart, const double *q);

/* The same in another system of the same structure, whose joints the chart has from now on. */
void olo_chart_use(olo_chart *chart, const olo_topology *topology, const double *q);

/* Coordinates u[unknowns] of a configuration with closed joints; angles are within half a turn of
 * the reference. Fails with the name of the body if a free rotation or a rod is half a turn away.
 */
olo_status olo_chart_coordinates(const olo_chart *chart, const double *q, double *u,
                                 olo_error *error);

/* Q(u) is in q[n] of the caller from now on, which must outlive the chart and change only by it. */
void olo_chart_write_to(olo_chart *chart, double *q);
/* Moves the chart to u[unknowns], at which the derivatives below are evaluated. Returns Q(u)[n],
 * which the chart owns unless it writes to memory of the caller. */
const double *olo_chart_at(olo_chart *chart, const double *u);
/* The largest angle of a joint or a free body from its reference, in rad, of those whose
 * coordinates are infinite at half a turn. */
double olo_chart_turn_from_reference(const olo_chart *chart);
/* dq[n] = J w[unknowns] */
void olo_chart_move(const olo_chart *chart, const double *w, double *dq);
/* J[n x unknowns]. Only entries of the subtree that a coordinate moves are written: J must be zero
 * before the first call. */
void olo_chart_matrix(olo_chart *chart, double *J);
/* reduced[unknowns] = J^T y[n] */
void olo_chart_reduce(olo_chart *chart, const double *y, double *reduced);
/* After a load y[n]: product[unknowns x directions] = d2(y.Q)/du2 w, the derivatives of J^T y along
 * w[unknowns x directions]; dq[n x directions] = J w. Functions above end a load. */
void olo_chart_load(olo_chart *chart, const double *y);
void olo_chart_second(olo_chart *chart, int directions, const double *w, const double *dq,
                      double *product);

/* The joint of node k (for a free node a joint with all degrees of freedom), and its chart view
 * with the reference at q. */
const olo_articulation *olo_chart_joint(const olo_topology *topology, int k);
olo_chart_view olo_chart_view_at(const olo_topology *topology, int k, const double *q);

#endif
