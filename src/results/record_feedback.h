/* Feedback gains in the result of an optimum:
 *
 *     /feedback/states    time, q and v of the nodes
 *     /feedback/inputs    values of the inputs in the intervals; `columns`: their names
 *     /feedback/bounds    lower and upper bounds of the inputs
 *     /feedback/gains     K_q and K_v of each input in each interval */
#ifndef OLO_RESULTS_RECORD_FEEDBACK_H
#define OLO_RESULTS_RECORD_FEEDBACK_H

#include "oloid/feedback.h"
#include "results/record_text.h"

void olo_writer_feedback(olo_writer *w, const olo_feedback *feedback);

#endif
