/** @file
 *  The interval kernel. It evaluates every piece of a system (mass entry, term, action, constraint
 *  row) over one interval between two configurations, with first derivatives and contracted second
 *  derivatives with respect to all arguments. Steps, derivatives of runs and transcriptions of
 *  optimal control are assembled from these numbers.
 */
#ifndef OLOID_INTERVAL_H
#define OLOID_INTERVAL_H

#include <stdbool.h>

#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The arguments of a piece over an interval. */
typedef enum olo_slot {
    OLO_SLOT_Q0,    /**< configuration at the start */
    OLO_SLOT_Q1,    /**< configuration at the end */
    OLO_SLOT_H,     /**< length of the interval in time */
    OLO_SLOT_T,     /**< time at the start */
    OLO_SLOT_INPUT, /**< the input of an action, if it has one */
    OLO_SLOTS       /**< number of arguments */
} olo_slot;

/** The configuration at which the vectors of actions are evaluated: the direction of a body-fixed
 * force, the lever of a moment, the gradient of a joint coordinate. */
typedef enum olo_acting {
    OLO_ACT_BETWEEN,  /**< between both configurations, so that the work is exact */
    OLO_ACT_AT_START, /**< at q0: f^- of the scheme variational */
    OLO_ACT_AT_END    /**< at q1: f^+ of the scheme variational */
} olo_acting;

/** An interval. All arrays belong to the caller. `qm` and `dq` are separate from `q0` and `q1`
 * because a stepper forms them from the increment, without cancellation; olo_interval_set forms
 * them by subtraction. */
typedef struct olo_interval {
    const double *q0; /**< [coordinates] configuration at the start */
    const double *q1; /**< [coordinates] configuration at the end */
    const double *qm; /**< [coordinates] (q0 + q1)/2 */
    const double *dq; /**< [coordinates] q1 - q0 */
    double h;         /**< length in time */
    /** [joint coordinates] the angles among them, with full turns, at q0 or at a configuration
     * within half a turn of it; NULL: all angles are within half a turn of zero. Derivatives
     * regard them as constant. */
    const double *angles;
    double t; /**< time at q0 */
    /** [actions] constant over the interval, NaN for an action without input; NULL: no inputs */
    const double *inputs;
    /** [coordinates] rounding remainder of q0, regarded as constant; NULL: none */
    const double *remainder;
    /** where actions act. The balance of energy-momentum has h f between the configurations, that
     * of variational h/2 f at the start, in the equation of q0, and h/2 f at the end, in that of
     * q1 */
    olo_acting acting;
} olo_interval;

/** Fills an interval from both configurations, without angles, inputs and remainder, with actions
 * between them. `work` has 2 n numbers; qm and dq are stored there. */
OLO_API void olo_interval_set(olo_interval *interval, int n, const double *q0, const double *q1,
                              double h, double t, double *work);

/** Evaluates the pieces of a system as a given scheme does. Immutable: it may be shared between
 * threads. */
typedef struct olo_kernel olo_kernel;

/** Creates the kernel of a scheme, given by name ("energy-momentum", "energy-momentum-2006",
 * "variational"). The system must outlive the kernel. On success the caller owns the kernel. */
OLO_API olo_status olo_kernel_create(const olo_system *system, const char *scheme,
                                     olo_kernel **kernel, olo_error *error);
/** Frees a kernel; NULL is allowed. */
OLO_API void olo_kernel_free(olo_kernel *kernel);

/** @name Pieces
 *  @{ */
/** The kind of a piece. */
typedef enum olo_piece_kind {
    OLO_PIECE_TERM,   /**< potential, strain or damper */
    OLO_PIECE_ACTION, /**< load, drive or controller */
    OLO_PIECE_ROW,    /**< constraint row */
    OLO_PIECE_MASS    /**< entry of the mass matrix, constant */
} olo_piece_kind;

/** Number of pieces. */
OLO_API int olo_kernel_pieces(const olo_kernel *kernel);
/** Kind of a piece, and its index among the pieces of its kind. The index of an action addresses
 * its input, the index of a row its multiplier. */
OLO_API olo_piece_kind olo_kernel_piece_kind(const olo_kernel *kernel, int piece);
OLO_API int olo_kernel_piece_number(const olo_kernel *kernel, int piece);
/** Name of the element in the model that a piece comes from; lives as long as the system. */
OLO_API const char *olo_kernel_piece_name(const olo_kernel *kernel, int piece);
/** The coordinates of a piece: their number, and their indices in q. */
OLO_API int olo_kernel_piece_size(const olo_kernel *kernel, int piece);
OLO_API const int *olo_kernel_piece_coordinates(const olo_kernel *kernel, int piece);
/** Number of coefficients of a piece (masses, stiffnesses, gains, coefficients of forms, ...). */
OLO_API int olo_kernel_piece_coefficients(const olo_kernel *kernel, int piece);
/** The sparsity, which is the same for all intervals: whether the first derivative with respect to
 * slot a, or the second derivative with respect to slots a and b, may differ from zero. */
OLO_API bool olo_kernel_depends(const olo_kernel *kernel, int piece, olo_slot a);
OLO_API bool olo_kernel_couples(const olo_kernel *kernel, int piece, olo_slot a, olo_slot b);
/** @} */

/** @name Evaluation
 *  All vectors and matrices are local, over the coordinates of the piece. Matrices are row-major.
 *  The width of a slot is the size of the piece for configurations and 1 for the others. User
 *  functions give no derivatives with respect to time and no second derivatives; a request for
 *  these fails with an error that names the element.
 *  @{ */
/** The vector r of a piece, size numbers. */
OLO_API void olo_kernel_value(const olo_kernel *kernel, int piece, const olo_interval *x,
                              double *r);
/** dr/da, size x width. */
OLO_API olo_status olo_kernel_first(const olo_kernel *kernel, int piece, const olo_interval *x,
                                    olo_slot a, double *matrix, olo_error *error);
/** d2(y.r)/da db, width of a x width of b, with y of size numbers. */
OLO_API olo_status olo_kernel_second(const olo_kernel *kernel, int piece, const olo_interval *x,
                                     const double *y, olo_slot a, olo_slot b, double *matrix,
                                     olo_error *error);
/** dr/dc with respect to one coefficient, size numbers. */
OLO_API void olo_kernel_by_coefficient(const olo_kernel *kernel, int piece, const olo_interval *x,
                                       int coefficient, double *dr);
/** @} */

/** @name Conditions of constraint rows
 *  The expression that must vanish: g(q1, t + h) of a row, or d.dq of a row that constrains
 *  velocities only. Derivatives are local, over the coordinates of the piece of the row.
 *  @{ */
/** Value of the condition of a row. */
OLO_API double olo_kernel_condition(const olo_kernel *kernel, int row, const olo_interval *x);
/** Its derivative with respect to a slot, width numbers. */
OLO_API olo_status olo_kernel_condition_first(const olo_kernel *kernel, int row,
                                              const olo_interval *x, olo_slot a, double *by,
                                              olo_error *error);
/** Its second derivative with respect to two slots, width of a x width of b. */
OLO_API olo_status olo_kernel_condition_second(const olo_kernel *kernel, int row,
                                               const olo_interval *x, olo_slot a, olo_slot b,
                                               double *matrix, olo_error *error);
/** The piece of a row. */
OLO_API int olo_kernel_row_piece(const olo_kernel *kernel, int row);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
