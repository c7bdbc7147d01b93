/* All coefficients of a system in one list. Parameters of a model change these numbers, and
 * derivatives of runs are taken with respect to them.
 *
 *     masses        entries of M
 *     terms         coefficients of the law, then those of its forms or invariants
 *                   (olo_term_coefficients)
 *     actions       force or moment, gains, weights of the point of application
 *     rows          coefficients of a form; the constant and the factors of a relation; or the
 *                   numbers of another kind of constraint row
 *     coordinates   coefficients of the terms of joint coordinates
 *     corners       rotations between the sections of a beam and its nodes
 *     contacts      axes and planes of rolling contacts
 *     outputs       weights and origins of recorded points
 *
 * Two systems with the same names, sizes and indices differ only in these coefficients, in
 * functions of time and in energies given as expressions. A function of time may know its own
 * derivatives with respect to parameters; tables over time and energies are compared by samples.
 */
#ifndef OLO_SYSTEM_COEFFICIENTS_H
#define OLO_SYSTEM_COEFFICIENTS_H

#include "system/system.h"

typedef enum olo_coefficient_kind {
    OLO_COEFFICIENT_MASS,
    OLO_COEFFICIENT_TERM,
    OLO_COEFFICIENT_ACTION,
    OLO_COEFFICIENT_ROW,
    OLO_COEFFICIENT_COORDINATE,
    OLO_COEFFICIENT_CORNER,
    OLO_COEFFICIENT_CONTACT,
    OLO_COEFFICIENT_OUTPUT,
    OLO_COEFFICIENT_FUNCTION /* samples of functions */
} olo_coefficient_kind;

/* Coefficient p of the mass entry, term, action, constraint row, joint coordinate or output with
 * this index. */
typedef struct olo_coefficient {
    olo_coefficient_kind kind;
    int index, p;
    double value;
} olo_coefficient;

/* True if the motion depends on the coefficient; false if only outputs depend on it. */
static inline bool olo_coefficient_acts(const olo_coefficient *c)
{
    return c->kind == OLO_COEFFICIENT_MASS || c->kind == OLO_COEFFICIENT_TERM ||
           c->kind == OLO_COEFFICIENT_ACTION || c->kind == OLO_COEFFICIENT_ROW;
}

/* Visits all coefficients, in an order that is the same for all systems of one structure. */
typedef void olo_coefficient_visitor(void *context, const olo_coefficient *coefficient);
void olo_system_visit_coefficients(const olo_system *system, olo_coefficient_visitor *visit,
                                   void *context);

/* Coefficients of an action, in the order vector, kp, kd, weights of the point of application: how
 * many, and a pointer to one. */
int olo_action_coefficients(const olo_action *action);
double *olo_action_coefficient(olo_action *action, int p);

#endif
