/** @file
 *  Reports: one self-contained page that shows a run, its motion and the proof of its quality.
 */
#ifndef OLOID_REPORT_H
#define OLOID_REPORT_H

#include <stdbool.h>

#include "oloid/status.h"
#include "oloid/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a report is written. */
typedef struct olo_report_options {
    int initialised; /**< set by olo_report_options_default(); leave it */
    bool plain;      /**< no animation and no scripts: plots as pictures only */
} olo_report_options;

/** With animation, where the library has it. */
OLO_API olo_report_options olo_report_options_default(void);

/** Whether the library was built with the animated page. Without it reports have the plots as
 * pictures, and say what is missing. */
OLO_API bool olo_report_is_animated(void);

/** Writes the page `path` about the result file `result`, complete or not. It needs nothing else,
 * works offline, and stays below 10 MB: what had to be thinned is said in it. `options` may be
 * NULL. An older file stays as it is when this fails. */
OLO_API olo_status olo_report_write(const char *result, const char *path,
                                    const olo_report_options *options, olo_error *error);

/** Draws one plot of a result as an SVG file: a plot of the report ("energy", "drift",
 * "constraint_error"), a column ("top.position.x") or a vector ("top.position"). OLO_NOT_FOUND,
 * with a suggestion, when there is none. `path` may be "-" for standard output. */
OLO_API olo_status olo_report_write_svg(const char *result, const char *plot, const char *path,
                                        olo_error *error);

#ifdef __cplusplus
}
#endif
#endif
