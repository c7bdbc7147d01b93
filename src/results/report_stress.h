/* Stress resultants of the beams in a report, per frame, which colour the sweeps. */
#ifndef OLO_RESULTS_REPORT_STRESS_H
#define OLO_RESULTS_REPORT_STRESS_H

#include <stdint.h>

#include "base/json.h"
#include "base/pool.h"
#include "results/sweep.h"

enum { OLO_REPORT_STRESSES = 4 }; /* axial and shear force, bending and twisting moment */

/* Initialise with `{0}`. */
typedef struct olo_report_stress {
    olo_result *result;
    olo_sweep_stress source;
    size_t count, frames;
    olo_pool pool;              /* memory of the arrays below */
    const olo_drawable **sweep; /* [count] */
    int32_t *drawable;          /* [count] their numbers in the page's scene */
    double *row;                /* of the file */
    float *size;                /* [frames][count][OLO_REPORT_STRESSES] */
} olo_report_stress;

/* Finds the sweeps among the drawables that a page shows; none when the result has no stresses.
 * False when memory is exhausted. Free with olo_report_stress_free in any case. */
bool olo_report_stress_begin(olo_report_stress *stress, olo_result *result,
                             const olo_drawable *const *shown, size_t count, size_t frames);
/* Reads a frame of the page, which is a row of the file. */
olo_status olo_report_stress_read(olo_report_stress *stress, size_t frame, size_t row,
                                  olo_error *error);
/* Adds "stress" to the page's data, if there is any; false when memory is exhausted. */
bool olo_report_stress_write(const olo_report_stress *stress, olo_json *json);
void olo_report_stress_free(olo_report_stress *stress);

#endif
