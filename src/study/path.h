/* What the path of a run says as a whole, from its configurations at the nodes alone: the discrete
 * action
 *
 *     S_d = sum of h [1/2 v.M v - V(q_m)],   v = (q1 - q0)/h,
 *
 * and the largest |v| (both stay bounded as h goes to zero where the motion converges). */
#ifndef OLO_STUDY_PATH_H
#define OLO_STUDY_PATH_H

#include "oloid/simulate.h"

typedef struct olo_path {
    double action, fastest;
    double *q; /* [n] the last node, then [3 n] workspace */
} olo_path;

/* Zeroed, with memory for a system; false when there is none. */
bool olo_path_open(olo_path *path, const olo_system *system);
void olo_path_close(olo_path *path);
/* Adds up the steps of one run, from its start on. */
olo_observer olo_path_observer(olo_path *path);

#endif
