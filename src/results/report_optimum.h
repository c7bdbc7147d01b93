/* The part of a report about an optimum (record_optimum.h): controls with their bounds, multipliers
 * of joints, iterations of the solver, parts of the cost, certificate. */
#ifndef OLO_RESULTS_REPORT_OPTIMUM_H
#define OLO_RESULTS_REPORT_OPTIMUM_H

#include "base/pool.h"
#include "results/result_private.h"
#include "results/study_page.h"

typedef struct olo_report_optimum {
    olo_pool pool;
    olo_study_page page; /* tables and plots only; none if the result has no optimum */
} olo_report_optimum;

/* Reads what the result has; free it also after a failure. */
olo_status olo_report_optimum_read(olo_report_optimum *optimum, olo_result *result,
                                   olo_error *error);
void olo_report_optimum_free(olo_report_optimum *optimum);

#endif
