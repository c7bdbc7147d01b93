/* Parameters p of the model as variables of a transcription: a programme over the variables x of
 * this transcription and p,
 *
 *     minimise f(x, p) + w(p)   with   c(x, p),   q_0 = q0(p),
 *
 * with the initial configuration q0(p) of the model; its momentum is in the first balance. In the
 * redundant transcription the first configuration is a variable, and its constraint rows follow
 * from q0(p). In the reduced one q0(p) is the reference of the first chart, which needs no rows;
 * all charts have the joints of the system at p, with fixed references.
 *
 * At given p everything is that of the system at p (system/variants.h). Derivatives by p come from
 * the systems at neighbouring values p + j d e, j = -4 to 4, along each parameter and each pair of
 * parameters: differences of eighth order of the functions and their exact derivatives by x, for
 * example
 *
 *     c_p = 1/d sum_j a_j c(x, p + j d e),     (y.c)_xp = 1/d sum_j a_j J(x, p + j d e)^T y.
 *
 * Everything that depends on a parameter is differentiated in the same way: coefficients of forces,
 * constraints and masses, functions of time, quantities, the initial state. With d = |p|/64 and
 * functions that are analytic for p > 0 the errors are below 1e-11, relative to the terms of a sum,
 * and 1e-13 of first derivatives: as small as those of the derivatives of coefficients that runs
 * use (model/parameter_derivative.c), which also come from compiled models, and which charts,
 * energies of springs and tables over time do not have. The model is compiled at new values only,
 * not per interval. */
#ifndef OLO_CONTROL_DESIGN_H
#define OLO_CONTROL_DESIGN_H

#include "control/reduced.h"

typedef struct olo_design olo_design;

/* Takes bounds from the transcription, which must outlive it and is then evaluated through it:
 * `reduced`, or `full` if that is NULL. */
olo_status olo_design_create(const olo_control_problem *problem, olo_redundant *full,
                             olo_reduced *reduced, olo_design **design, olo_error *error);
void olo_design_free(olo_design *design);

const olo_nlp *olo_design_nlp(const olo_design *design);
/* Lets the transcription be that at the parameters of x, the variables of this programme. */
olo_status olo_design_move(olo_design *design, const double *x, olo_error *error);
/* The same, and gives the problem in the system there and its initial state; they live until other
 * parameters are evaluated. */
olo_status olo_design_settle(olo_design *design, const double *x,
                             const olo_control_problem **problem, const olo_state **state,
                             olo_error *error);
void olo_design_describe(const olo_design *design, int row, char *text, size_t size);

#endif
