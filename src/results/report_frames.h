/* The motion in a report: frames and the scene, quantised and thinned. */
#ifndef OLO_RESULTS_REPORT_FRAMES_H
#define OLO_RESULTS_REPORT_FRAMES_H

#include "base/json.h"
#include "results/result_private.h"

/* Adds "nodes", "frames" and "scene" to the page's data, in about so many bytes. A long run has
 * fewer frames; of very many bodies only every k-th is there. Sentences about that go to `thinned`,
 * one a line. */
olo_status olo_report_frames_json(olo_result *result, size_t bytes, olo_json *json,
                                  olo_text *thinned, olo_error *error);

#endif
