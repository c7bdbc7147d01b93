/* The numbers that a system is made of, in one list: what parameters of a model change, and what
 * derivatives of runs are taken by.
 *
 *     masses        entries of M
 *     terms         coefficients of the law, then those of its forms or invariants
 *                   (olo_term_coefficients)
 *     actions       force or moment, gains, weights of the place it acts on
 *     rows          of constraints: those of a form, the constant and the factors of a relation, or
 *                   the numbers of their kind
 *     coordinates   those of the terms that joint coordinates are
 *     corners       of beams
 *     contacts      axes and planes of what rolls
 *     outputs       weights and origins of recorded places
 *
 * Two systems with the same names, sizes and indices differ in nothing else but functions of time,
 * which may tell their derivatives by parameters, and energies in words; tables over time and these
 * energies are compared by their values.
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

/* Coefficient p of mass entry, term, action, constraint row, joint coordinate or output `index`. */
typedef struct olo_coefficient {
    olo_coefficient_kind kind;
    int index, p;
    double value;
} olo_coefficient;

/* Whether motions depend on it; else only what is measured of them does. */
static inline bool olo_coefficient_acts(const olo_coefficient *c)
{
    return c->kind == OLO_COEFFICIENT_MASS || c->kind == OLO_COEFFICIENT_TERM ||
           c->kind == OLO_COEFFICIENT_ACTION || c->kind == OLO_COEFFICIENT_ROW;
}

/* Visits all, in an order that is the same for systems of one structure. */
typedef void olo_coefficient_visitor(void *context, const olo_coefficient *coefficient);
void olo_system_visit_coefficients(const olo_system *system, olo_coefficient_visitor *visit,
                                   void *context);

/* Coefficients of an action: its vector, kp, kd, then the weights of its place. The place of one,
 * to be changed. */
int olo_action_coefficients(const olo_action *action);
double *olo_action_coefficient(olo_action *action, int p);

#endif
