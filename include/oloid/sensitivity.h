/** @file
 *  Sensitivity of an optimum: the derivative of its cost and of its motion and controls with
 * respect to a parameter of the model, by its multipliers and one solution with the matrix of its
 *  conditions of optimality.
 *
 *      olo_sensitivity *s;
 *      olo_sensitivity_create(optimum, model, NULL, "mass", &s, &error);
 *      printf("%g\n", olo_sensitivity_cost(s));
 *
 *  Controls and conditions that are at a bound remain there.
 */
#ifndef OLOID_SENSITIVITY_H
#define OLOID_SENSITIVITY_H

#include "oloid/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The derivative of an optimum with respect to a parameter. */
typedef struct olo_sensitivity olo_sensitivity;

/** `model` is that of the system of the optimum and was read from a file or text; the problem is
 * that of its section `optimize`, which may depend on the parameter, or, if `problem` is not NULL,
 * this one. Fails with OLO_SINGULAR if the optimum is not isolated. Free with olo_sensitivity_free.
 */
OLO_API olo_status olo_sensitivity_create(const olo_optimum *optimum, const olo_model *model,
                                          const olo_problem *problem, const char *parameter,
                                          olo_sensitivity **sensitivity, olo_error *error);
/** Frees a sensitivity; NULL is allowed. */
OLO_API void olo_sensitivity_free(olo_sensitivity *sensitivity);

/** Derivatives of the cost and of a free duration. */
OLO_API double olo_sensitivity_cost(const olo_sensitivity *sensitivity);
OLO_API double olo_sensitivity_duration(const olo_sensitivity *sensitivity);
/** Derivatives of an input in an interval, and of the configuration of a node, n numbers. */
OLO_API double olo_sensitivity_input(const olo_sensitivity *sensitivity, int input, int interval);
OLO_API const double *olo_sensitivity_configuration(const olo_sensitivity *sensitivity, int node);

#ifdef __cplusplus
}
#endif

#endif
