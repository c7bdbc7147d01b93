/* Functions that the charts of all joints use (system/joint_chart.h): slides along axes of parent
 * or child, and a rotation E(u) in the parent's axes. With the reference t0, R0,
 *
 *     R = E R0,   t = p + sum U_k m_k + E (t0 - p + sum U_k c_k)
 *
 * m_k are the free axes fixed in the parent, c_k those fixed in the child at the reference. p is
 * the joint point of the parent, moved along the m_k to that of the child at the reference. */
#ifndef OLO_ELEMENTS_JOINT_CHART_H
#define OLO_ELEMENTS_JOINT_CHART_H

#include "linalg/rotation_jet.h"
#include "system/joint_chart.h"

extern const olo_joint_chart olo_chart_pair, olo_chart_universal, olo_chart_rod;
extern const olo_pivot olo_pivot_rolling;

void olo_screws_pair(const olo_chart_view *x, olo_screw *screws);
void olo_screws_universal(const olo_chart_view *x, olo_screw *screws);
void olo_screws_rod(const olo_chart_view *x, olo_screw *screws);
void olo_screws_rolling(const olo_chart_view *x, olo_screw *screws);

/* Indices of the free translation axes in the triad of the joint; returns their number. */
int olo_chart_slides(const olo_articulation *joint, int axes[3]);

/* Computes the placement g from E and the slides, which are the first entries of u. */
void olo_chart_turned_placement(const olo_chart_view *x, const double *u, const rotation_jet *E,
                                olo_placement *g);

/* p of the joint point, for slides that are zero. */
void olo_chart_pivot(const olo_chart_view *x, double p[3]);

/* The slides of a placement. */
void olo_chart_slide_coordinates(const olo_chart_view *x, const double *placement, double *u);

/* Translates a placement such that the joint points coincide, except along the slides. */
void olo_chart_close_points(const olo_chart_view *x, double *placement);

/* Rotates the directors of a placement by the smallest rotation from the direction of `from` to
 * that of `to`, which must not be opposite. */
void olo_chart_turn(double *placement, const double from[3], const double to[3]);

/* Replaces the directors of a placement by the nearest rotation. */
void olo_chart_orthonormalise(double *placement);

/* S = R R0^T of a placement. */
void olo_chart_rotation(const olo_chart_view *x, const double *placement, double S[9]);

/* Cayley vector of a rotation; false at half a turn. */
bool olo_chart_cayley(const double S[9], double a[3]);

#endif
