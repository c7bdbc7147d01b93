/* All numbers of a system, in one walk. Parameters of a model change these numbers. Blocks of
 * numbers (kinematics/analysis.h) contain all of them. Derivatives of runs are taken with respect
 * to the coefficients, the kinds before OLO_COEFFICIENT_OTHER:
 *
 *     masses        entries of M
 *     terms         coefficients of the law, then those of its forms or invariants
 *                   (olo_term_coefficients)
 *     actions       force or moment, gains, weights of the point of application
 *     rows          coefficients of a form; the constant and the factors of a relation; or the
 *                   numbers in which another kind of constraint row is affine
 *     coordinates   coefficients of the forms of joint coordinates
 *     measures      coefficients of the forms of measures on which forces depend
 *     corners       rotations between the sections of a beam and its nodes
 *     contacts      the other numbers of constraint rows: axes and planes of rolling contacts
 *     outputs       weights and origins of recorded points
 *     others        joints, points, drawables, beams, the initial state as given, gravity
 *
 * Two systems of one structure differ only in these numbers, in functions of time and in energies
 * given as expressions. */
#ifndef OLO_SYSTEM_COEFFICIENTS_H
#define OLO_SYSTEM_COEFFICIENTS_H

#include "system/system.h"

typedef enum olo_coefficient_kind {
    OLO_COEFFICIENT_MASS,
    OLO_COEFFICIENT_TERM,
    OLO_COEFFICIENT_ACTION,
    OLO_COEFFICIENT_ROW,
    OLO_COEFFICIENT_COORDINATE,
    OLO_COEFFICIENT_MEASURE,
    OLO_COEFFICIENT_CORNER,
    OLO_COEFFICIENT_CONTACT,
    OLO_COEFFICIENT_OUTPUT,
    OLO_COEFFICIENT_OTHER
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

/* Numbers that lie one after the other: coefficients p, p + 1, ... of a piece. */
typedef struct olo_numbers {
    olo_coefficient_kind kind;
    int index, p, count;
    double *values;
    bool shared; /* they belong to another piece, too, where they are not shared */
} olo_numbers;

/* Visits all numbers, in an order that is the same for all systems of one structure. */
typedef void olo_number_visitor(void *context, const olo_numbers *numbers);
void olo_system_visit_numbers(olo_system *system, olo_number_visitor *visit, void *context);

/* Terms of a joint coordinate share its forms. */
bool olo_term_shares_forms(const olo_system *system, const olo_term *term);

/* The number of rows of a group that have numbers of the model. The internal rows of a frame have
 * none. */
int olo_group_own_rows(const olo_group *group);

/* Coefficients of an action, in the order vector, kp, kd, weights of the point of application: how
 * many, and a pointer to one. */
int olo_action_coefficients(const olo_action *action);
double *olo_action_coefficient(olo_action *action, int p);

#endif
