/** @file
 *  The interval kernel: what every piece of a system (mass entry, term, action, constraint row)
 * gives over one interval between two configurations, with first derivatives and contracted second
 *  derivatives in all arguments. Steps, derivatives of runs and transcriptions of optimal control
 * are made of these numbers.
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
    OLO_SLOT_INPUT, /**< the input of an action, where there is one */
    OLO_SLOTS       /**< how many there are */
} olo_slot;

/** An interval. All arrays belong to the caller. `qm` and `dq` are separate from `q0` and `q1`
 * because a stepper forms them from the increment, free of cancellation; olo_interval_set forms
 * them by subtraction. */
typedef struct olo_interval {
    const double *q0; /**< [coordinates] configuration at the start */
    const double *q1; /**< [coordinates] configuration at the end */
    const double *qm; /**< [coordinates] (q0 + q1)/2 */
    const double *dq; /**< [coordinates] q1 - q0 */
    double h;         /**< length in time */
    /** [joint coordinates] values of those that are angles, turns counted, at q0 or within half a
     * turn of it; NULL: all angles are within half a turn of zero. They stay fixed under
     * derivatives. */
    const double *angles;
    double t; /**< time at q0 */
    /** [actions] constant over the interval, NaN where an action has none; NULL: no inputs at all
     */
    const double *inputs;
    /** [coordinates] rounding remainder of q0, which is constant; NULL: none */
    const double *remainder;
} olo_interval;

/** Fills all of an interval from both configurations, without angles, inputs and remainder; `work`
 * has room for 2 n numbers, in which qm and dq are kept. */
OLO_API void olo_interval_set(olo_interval *interval, int n, const double *q0, const double *q1,
                              double h, double t, double *work);

/** The pieces of a system, evaluated as a scheme does. Immutable: it may be shared between threads.
 */
typedef struct olo_kernel olo_kernel;

/** For a scheme by name ("energy-momentum", "variational"). The system must outlive the kernel. On
 *  success the caller owns it. */
OLO_API olo_status olo_kernel_create(const olo_system *system, const char *scheme,
                                     olo_kernel **kernel, olo_error *error);
/** Frees a kernel; NULL is allowed. */
OLO_API void olo_kernel_free(olo_kernel *kernel);

/** @name Pieces
 *  @{ */
/** What a piece is. */
typedef enum olo_piece_kind {
    OLO_PIECE_TERM,   /**< potential, strain or damper */
    OLO_PIECE_ACTION, /**< load, drive or controller */
    OLO_PIECE_ROW,    /**< constraint row */
    OLO_PIECE_MASS    /**< entry of the mass matrix, constant */
} olo_piece_kind;

/** Number of pieces. */
OLO_API int olo_kernel_pieces(const olo_kernel *kernel);
/** Kind of a piece, and its number among those of its kind: that of an action addresses inputs,
 * that of a row multipliers. */
OLO_API olo_piece_kind olo_kernel_piece_kind(const olo_kernel *kernel, int piece);
OLO_API int olo_kernel_piece_number(const olo_kernel *kernel, int piece);
/** Name of the element in the model that a piece comes from; lives as long as the system. */
OLO_API const char *olo_kernel_piece_name(const olo_kernel *kernel, int piece);
/** Its coordinates: how many, and which of q. */
OLO_API int olo_kernel_piece_size(const olo_kernel *kernel, int piece);
OLO_API const int *olo_kernel_piece_coordinates(const olo_kernel *kernel, int piece);
/** How many coefficients it has (masses, stiffnesses, gains, coefficients of its forms, ...). */
OLO_API int olo_kernel_piece_coefficients(const olo_kernel *kernel, int piece);
/** Whether the derivative in a slot, or the second derivative in two of them, may differ from zero:
 *  the sparsity, which is the same for all intervals. */
OLO_API bool olo_kernel_depends(const olo_kernel *kernel, int piece, olo_slot a);
OLO_API bool olo_kernel_couples(const olo_kernel *kernel, int piece, olo_slot a, olo_slot b);
/** @} */

/** @name Evaluation
 *  All vectors and matrices are local, over the coordinates of the piece, and row-major. The width
 * of a slot is the size of the piece for configurations and 1 for the others. Derivatives that the
 *  functions of a user's own do not give (in time, and all second ones) are refused by name.
 *  @{ */
/** r, size numbers. */
OLO_API void olo_kernel_value(const olo_kernel *kernel, int piece, const olo_interval *x,
                              double *r);
/** dr/da, size x width. */
OLO_API olo_status olo_kernel_first(const olo_kernel *kernel, int piece, const olo_interval *x,
                                    olo_slot a, double *matrix, olo_error *error);
/** d2(y.r)/da db, width of a x width of b, with y of size numbers. */
OLO_API olo_status olo_kernel_second(const olo_kernel *kernel, int piece, const olo_interval *x,
                                     const double *y, olo_slot a, olo_slot b, double *matrix,
                                     olo_error *error);
/** dr/dc by one of its coefficients, size numbers. */
OLO_API void olo_kernel_by_coefficient(const olo_kernel *kernel, int piece, const olo_interval *x,
                                       int coefficient, double *dr);
/** @} */

/** @name Conditions of constraint rows
 *  g(q1, t + h) of a row by its number, or d.dq of a row that constrains velocities only: what has
 * to vanish. Local over the coordinates of the row's piece, as above, with one value.
 *  @{ */
OLO_API double olo_kernel_condition(const olo_kernel *kernel, int row, const olo_interval *x);
/** Its derivative by a slot, width numbers. */
OLO_API olo_status olo_kernel_condition_first(const olo_kernel *kernel, int row,
                                              const olo_interval *x, olo_slot a, double *by,
                                              olo_error *error);
/** Its second derivative by two slots, width of a x width of b. */
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
