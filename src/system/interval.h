/* The interval kernel: the one place that differentiates a step. Over an interval (q0, q1, h, t,
 * inputs) every piece of a system gives a local vector r,
 *
 *     term      its force, the discrete gradient dV(q0, q1) or the gradient at the midpoint; of a
 *               dissipative term what it loses its energy with
 *     action    its force f, sampled at the midpoint t + h/2
 *     row       the gradient d with which its multiplier acts, over the interval or at q0
 *     mass      m dq, of one entry of M
 *
 * the first derivatives of r in all arguments (olo_slot), by coefficients, and the second
 * derivatives of y.r for all pairs of arguments. Which of them are structurally zero, and which are
 * not known since they are those of a user's function, is told once by olo_piece_structure.
 *
 * A scheme says by an olo_evaluation which r it takes, and adds up its balance from these. Stepping
 * is the derivative by q1, an adjoint the transposed derivative by q0, a transcription all of them.
 * Vectors are local, over the coordinates of the piece; matrices are row-major. A slot is as wide
 * as the piece where it is a configuration, else 1.
 */
#ifndef OLO_SYSTEM_INTERVAL_H
#define OLO_SYSTEM_INTERVAL_H

#include "system/piece.h"
#include "system/slot.h"

/* Where a scheme evaluates pieces. */
typedef struct olo_evaluation {
    bool midpoint; /* terms: the gradient at the midpoint, not the discrete one over the interval */
    bool at_start; /* rows: the gradient at q0, not the discrete one over the interval */
} olo_evaluation;

/* --- terms and rows by themselves: what steps consist of --- */

/* r and, unless NULL, its tangent dr/dq1. Returns the energy difference, that at the midpoint or
 * the energy lost, as the kernels of term.h do. */
static inline double olo_evaluate_term(const olo_evaluation *how, const olo_term *term,
                                       const olo_interval *x, double *r, double *tangent)
{
    return how->midpoint ? olo_term_midpoint(term, x, r, tangent)
                         : olo_term_discrete(term, x, r, tangent);
}

/* The same of a term with `invariants`, whose stress goes to `law` in place of the tangent. Returns
 * the configuration at which the invariants of ds/de1 are taken. */
const double *olo_evaluate_stress(const olo_evaluation *how, const olo_term *term,
                                  const olo_interval *x, double *r, olo_law_over *law);

/* d and, unless NULL, dd/dq1. True if d changes with q1; only then is the tangent written. */
bool olo_evaluate_row(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                      double *d, double *tangent);

/* --- all pieces --- */

/* Masses follow the pieces that are coupled (piece.h): entry e of system->mass. */
static inline int olo_piece_of_mass(const olo_system *system, int e)
{
    return olo_pieces(system) + e;
}
static inline int olo_interval_pieces(const olo_system *system)
{
    return olo_piece_of_mass(system, system->mass_count);
}
/* The kind of a piece, and its number among these. */
olo_piece_kind olo_piece_kind_of(const olo_system *system, int piece, int *number);
/* Number of coordinates of a piece, which go to index unless that is NULL. */
int olo_piece_coordinates(const olo_system *system, int piece, int *index);
olo_structure olo_piece_structure(const olo_system *system, const olo_evaluation *how, int piece);

/* r[size], dr/da[size x width], d2(y.r)/da db[width x width]. Derivatives that are not known are
 * not to be asked for. */
void olo_piece_value(const olo_system *system, const olo_evaluation *how, int piece,
                     const olo_interval *x, double *r);
void olo_piece_first(const olo_system *system, const olo_evaluation *how, int piece,
                     const olo_interval *x, olo_slot a, double *matrix);
void olo_piece_second(const olo_system *system, const olo_evaluation *how, int piece,
                      const olo_interval *x, const double *y, olo_slot a, olo_slot b,
                      double *matrix);

/* dr/dq0 and dr/dq1 of a term or an action at once; K1 may be NULL. */
void olo_piece_tangents(const olo_system *system, const olo_evaluation *how, int piece,
                        const olo_interval *x, double *K0, double *K1);

/* Coefficients of a piece, in the order of coefficients.h, and dr/dc of one. */
int olo_piece_coefficients(const olo_system *system, int piece);
void olo_piece_by_coefficient(const olo_system *system, const olo_evaluation *how, int piece,
                              const olo_interval *x, int p, double *dr);

#endif
