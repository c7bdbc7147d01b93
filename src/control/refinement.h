/* Refinement of an optimum: N intervals, then 2 N, each from the one before with its multipliers,
 * until the motion with small steps and the same controls is within the tolerance. */
#ifndef OLO_CONTROL_REFINEMENT_H
#define OLO_CONTROL_REFINEMENT_H

#include "oloid/optimize.h"

olo_status olo_refinement_check(const olo_problem_refinement *given, olo_error *error);
/* Replaces the optimum by refined ones, and records the levels. One that is not solved ends the
 * refinement at the level before. */
olo_status olo_optimum_refine(olo_optimum **optimum, const olo_system *system,
                              const olo_problem *problem, const olo_optimize_observer *observer,
                              olo_error *error);

#endif
