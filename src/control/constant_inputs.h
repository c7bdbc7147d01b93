/* Controls whose reduced force does not depend on the configuration: with the null space matrix P
 * of the tree and the force u p(q) of a control,
 *
 *     P(q)^T p(q) = constant
 *
 * at all configurations that the tree allows. Torques and forces along the own coordinate of a
 * joint of the tree are of this kind, since the coordinate changes with the rate of its screw, and
 * loads along a straight guide. A reduced programme needs no derivatives of such forces. */
#ifndef OLO_CONTROL_CONSTANT_INPUTS_H
#define OLO_CONTROL_CONSTANT_INPUTS_H

#include "control/problem.h"

/* Marks these actions, and adds their reduced forces for a unit of each control to
 * matrix[unknowns x controls]. The property is analytic in q: it holds everywhere if it holds at a
 * few configurations around q[n] that are taken at random. */
olo_status olo_constant_inputs_find(const olo_control_problem *problem, const double *q,
                                    bool *constant, double *matrix, olo_error *error);

#endif
