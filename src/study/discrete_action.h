/* The discrete action of a run, from its configurations at the time nodes alone,
 *
 *     S_d = sum of h [1/2 v.M v - V(q_m)],   v = (q1 - q0)/h,
 *
 * and the largest |v|. Both remain bounded as h goes to zero where the motion converges. */
#ifndef OLO_STUDY_DISCRETE_ACTION_H
#define OLO_STUDY_DISCRETE_ACTION_H

#include "oloid/simulate.h"

typedef struct olo_discrete_action {
    double action, fastest;
    double *q; /* [n] the last node, then [3 n] workspace */
} olo_discrete_action;

/* Initialises with zeros and memory for a system; false when memory is exhausted. */
bool olo_discrete_action_open(olo_discrete_action *sum, const olo_system *system);
void olo_discrete_action_close(olo_discrete_action *sum);
/* The observer that sums over the steps of one run, from its start on. */
olo_observer olo_discrete_action_observer(olo_discrete_action *sum);

#endif
