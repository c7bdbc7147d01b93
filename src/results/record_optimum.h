/* An optimum in a result: the states of its nodes are the rows; the group /optimum has what is not
 * a state.
 *
 *     /optimum                attributes: cost, duration, iterations, certificate, ...
 *     /optimum/controls       start and end of each interval, value of each driven element
 *     /optimum/bounds         lower and upper bound of each driven element, infinite: none
 *     /optimum/multipliers    of all constraint rows at all nodes; `columns`: names of their groups
 *     /optimum/costs          parts of the cost, attribute `names`
 *     /optimum/iterations     iteration, cost, violation, stationarity */
#ifndef OLO_RESULTS_RECORD_OPTIMUM_H
#define OLO_RESULTS_RECORD_OPTIMUM_H

#include "results/record_text.h"

void olo_writer_optimum(olo_writer *w, const olo_record_optimum *optimum);

/* recorder.c: the optimum that olo_recorder_finish writes. */
void olo_recorder_set_optimum(olo_recorder *recorder, const olo_record_optimum *optimum);

#endif
