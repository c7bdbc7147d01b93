/** @file
 *  Reports: one self-contained page about a run, with its motion, its ledger and its verdict.
 */
#ifndef OLOID_REPORT_H
#define OLOID_REPORT_H

#include <stdbool.h>

#include "oloid/status.h"
#include "oloid/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Options of a report. */
typedef struct olo_report_options {
    int initialised; /**< set by olo_report_options_default(); leave it */
    bool plain;      /**< no animation and no scripts: plots as pictures only */
} olo_report_options;

/** With animation, if the library was built with it. */
OLO_API olo_report_options olo_report_options_default(void);

/** Whether the library was built with the animated page. Without it reports contain the plots as
 * pictures and say that the animation is missing. */
OLO_API bool olo_report_is_animated(void);

/** Writes the page `path` about the result file `result`, complete or not. The page is one file
 * that works offline and is smaller than 10 MB; it says which data had to be thinned. `options` may
 * be NULL. On failure an older file is unchanged. */
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
