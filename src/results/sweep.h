/* A section swept between the frames of two nodes: its points, and its stress resultants. */
#ifndef OLO_RESULTS_SWEEP_H
#define OLO_RESULTS_SWEEP_H

#include "results/result_scene.h"

/* A position and three directors. */
typedef struct olo_sweep_frame {
    double position[3], d[9];
} olo_sweep_frame;

/* The frame of the section in that of its node; rotation is row-major, its axes in the node's
 * frame. */
olo_sweep_frame olo_sweep_turn(const olo_sweep_frame *node, const double rotation[9]);

/* The point X1, X2 of the section at X3, from 0 at the first end to 1 at the second. */
void olo_sweep_point(const olo_sweep_frame *first, const olo_sweep_frame *second, const double X[3],
                     double x[3]);

/* The columns of /frames/stress in the table: the number of the first one and their count; 0:
 * none. */
typedef struct olo_sweep_stress {
    size_t column, width;
} olo_sweep_stress;

olo_sweep_stress olo_sweep_find_stress(const olo_result *result);

/* The resultants n1, n2, n3, m1, m2, m3 of a sweep, the mean of those at its points, from a row of
 * /frames/stress; false, and zeros, when it has none. */
bool olo_sweep_resultants(const olo_drawable *sweep, const double *row, size_t width,
                          double resultants[6]);

#endif
