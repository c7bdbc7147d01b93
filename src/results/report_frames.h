/* The motion in a report: frames and the scene, quantised and thinned. */
#ifndef OLO_RESULTS_REPORT_FRAMES_H
#define OLO_RESULTS_REPORT_FRAMES_H

#include "base/json.h"
#include "results/result_private.h"

/* Adds "nodes", "frames" and "scene" to the page's data, in about the given number of bytes. A long
 * run has fewer frames; of very many bodies only every k-th is shown. Sentences about that are
 * added to `thinned`, one per line. */
olo_status olo_report_frames_json(olo_result *result, size_t bytes, olo_json *json,
                                  olo_text *thinned, olo_error *error);

#endif
