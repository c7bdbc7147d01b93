/* The equations of a step as dense matrices, row-major: for dense treatments and condition numbers.
 */
#ifndef OLO_STEPPING_DENSE_TANGENT_H
#define OLO_STEPPING_DENSE_TANGENT_H

#include "stepping/step.h"

/* Computes step->T, and DT = dT/dq1 as an n x n matrix. */
void olo_tangent_balance(const olo_scheme *scheme, olo_step *step, double *DT);

/* row[n] = gradient of constraint c at a configuration and time, with the turns of angles. */
void olo_tangent_row_at(const olo_system *system, int c, const olo_at *at, double *row);

/* row[n] = gradient d with which constraint c acts over the step; derivative with respect to q1 of
 * its condition at the end. */
void olo_tangent_discrete_row(const olo_step *step, int c, double *row);
void olo_tangent_end_row(const olo_step *step, int c, double *row);

/* A += factor dd/dq1 of constraint c over the step, A is rows x `stride` with the n x n part first.
 * Overwrites step->r and step->K. */
void olo_tangent_add_curvature(olo_step *step, int c, double factor, int stride, double *A);

/* A zeroed square matrix. */
olo_status olo_square_create(int size, olo_square *K, olo_error *error);

#endif
