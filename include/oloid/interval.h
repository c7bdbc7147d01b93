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

#ifdef __cplusplus
}
#endif

#endif
