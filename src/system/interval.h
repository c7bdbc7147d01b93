/* The interval kernel: all derivatives of a step. Over an interval (q0, q1, h, t, inputs) every
 * piece of a system has a local vector r:
 *
 *     term      its force: the discrete gradient dV(q0, q1) or the gradient at the midpoint; of a
 *               dissipative term the force that dissipates energy
 *     action    its force f at the middle t + h/2, between both configurations or at one of them
 *     row       the gradient d along which its multiplier acts, over the interval or at q0
 *     mass      m dq of one entry of M
 *
 * The kernel gives the first derivatives of r with respect to all arguments (olo_slot) and to
 * coefficients, and the second derivatives of y.r for all pairs of arguments. olo_piece_structure
 * reports which of them are structurally zero, and which are not known because they belong to a
 * user function.
 *
 * A scheme selects r by an olo_evaluation and sums its balance from these vectors. Stepping needs
 * the derivative with respect to q1, an adjoint the transposed derivative with respect to q0, a
 * transcription all of them. Vectors are local, over the coordinates of the piece; matrices are
 * row-major. The width of a slot is the size of the piece for a configuration, else 1.
 */
#ifndef OLO_SYSTEM_INTERVAL_H
#define OLO_SYSTEM_INTERVAL_H

#include "system/condition.h"
#include "system/piece.h"
#include "system/slot.h"

/* The configuration at which a scheme evaluates pieces. */
typedef struct olo_evaluation {
    bool midpoint; /* terms: the gradient at the midpoint, not the discrete one over the interval */
    bool at_start; /* rows: the gradient at q0, not the discrete one over the interval */
    bool at_nodes; /* actions: one half at q0 and one at q1, not between them */
} olo_evaluation;

/* --- single pieces, for steps and equilibria --- */

/* r and, unless NULL, its tangent dr/dq1. Returns the energy difference, the energy at the midpoint
 * or the dissipated energy, as the functions of term.h do. */
static inline double olo_evaluate_term(const olo_evaluation *how, const olo_term *term,
                                       const olo_interval *x, double *r, double *tangent)
{
    return how->midpoint ? olo_term_midpoint(term, x, r, tangent)
                         : olo_term_discrete(term, x, r, tangent);
}

/* The same with the stress in `law` instead of the tangent; the energy goes to `energy`. Returns
 * the configuration to which the derivative ds/de1 belongs. */
const double *olo_evaluate_stress(const olo_evaluation *how, const olo_term *term,
                                  const olo_interval *x, double *r, olo_law_over *law,
                                  double *energy);

/* f and, unless NULL, its tangent df/dq1, where x->acting says. */
static inline void olo_evaluate_action(const olo_action *action, const olo_interval *x, double *f,
                                       double *tangent)
{
    action->type->force(action, x, f, tangent);
}

/* The part of d of joint coordinate i, added to d, with its stress in `law` instead of the tangent;
 * for rows with such coordinates over the interval. */
static inline void olo_evaluate_share(const olo_constraint *row, const olo_interval *x, int i,
                                      double *d, olo_law_over *law)
{
    row->type->stress(row, x, i, d, law);
}

/* d and, unless NULL, dd/dq1. True if d changes with q1; only then is the tangent written. */
bool olo_evaluate_row(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                      double *d, double *tangent);

/* --- all pieces --- */

/* Mass entries follow the pieces of piece.h: entry e of system->mass. */
static inline int olo_piece_of_mass(const olo_system *system, int e)
{
    return olo_pieces(system) + e;
}
static inline int olo_interval_pieces(const olo_system *system)
{
    return olo_piece_of_mass(system, system->mass_count);
}
/* The kind of a piece, and its index among the pieces of this kind. */
olo_piece_kind olo_piece_kind_of(const olo_system *system, int piece, int *number);
/* Number of coordinates of a piece; writes them to `index` unless that is NULL. */
int olo_piece_coordinates(const olo_system *system, int piece, int *index);
olo_structure olo_piece_structure(const olo_system *system, const olo_evaluation *how, int piece);

/* r[size], dr/da[size x width], d2(y.r)/da db[width x width]. The caller must not request
 * derivatives that are not known. */
void olo_piece_value(const olo_system *system, const olo_evaluation *how, int piece,
                     const olo_interval *x, double *r);
void olo_piece_first(const olo_system *system, const olo_evaluation *how, int piece,
                     const olo_interval *x, olo_slot a, double *matrix);
void olo_piece_second(const olo_system *system, const olo_evaluation *how, int piece,
                      const olo_interval *x, const double *y, olo_slot a, olo_slot b,
                      double *matrix);

/* dr/dq0 and dr/dq1 of a term or an action together; K1 may be NULL. */
void olo_piece_tangents(const olo_system *system, const olo_evaluation *how, int piece,
                        const olo_interval *x, double *K0, double *K1);

/* Coefficients of a piece, in the order of coefficients.h, and dr/dc of one. */
int olo_piece_coefficients(const olo_system *system, int piece);
void olo_piece_by_coefficient(const olo_system *system, const olo_evaluation *how, int piece,
                              const olo_interval *x, int p, double *dr);

#endif
