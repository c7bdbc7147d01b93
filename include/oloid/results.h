/** @file
 *  Results: a run is streamed into one self-describing HDF5 file and read back from it.
 */
#ifndef OLOID_RESULTS_H
#define OLOID_RESULTS_H

#include <stdio.h>

#include "oloid/model.h"
#include "oloid/simulate.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Streams frames and ledger of a run into a file. */
typedef struct olo_recorder olo_recorder;

/** The verdict on one conserved quantity. */
typedef struct olo_verdict {
    char quantity[128];
    char why[256];
    double start;          /**< value at the start */
    double drift;          /**< largest |value - start| over all steps, not only recorded ones */
    double relative_drift; /**< drift over the scale of the quantity */
    double tolerance;      /**< bound of relative_drift for `ok` */
    bool ok;
} olo_verdict;
enum { OLO_VERDICTS_MAX = OLO_INVARIANTS_MAX + 2 };

/** Creates the recorder of a run. The file is created at `path` (written as `path.partial`, renamed by
 *  olo_recorder_finish). `path` may be NULL: then only the verdict is kept. `command` is the command line
 *  that the file remembers, or "". Model and system must outlive the recorder. */
OLO_API olo_status olo_recorder_create(const char *path, const olo_model *model,
                                       const olo_system *system, const olo_run *run,
                                       const char *command, olo_recorder **recorder,
                                       olo_error *error);
/** The observer to hand to olo_simulate. */
OLO_API olo_observer olo_recorder_observer(olo_recorder *recorder);
/** Writes summary and verdict, closes the file and renames it. `status` is that of the run; when the run
 *  failed, `error` still holds its text, which the file then keeps. When the file cannot be written, what
 *  there is of it stays as `path.partial`. */
OLO_API olo_status olo_recorder_finish(olo_recorder *recorder, const olo_run_summary *summary,
                                       olo_status status, olo_error *error);
/** Verdicts so far. */
OLO_API int olo_recorder_verdicts(const olo_recorder *recorder,
                                  olo_verdict verdicts[OLO_VERDICTS_MAX]);
/** Closes without renaming if not finished, and frees. */
OLO_API void olo_recorder_free(olo_recorder *recorder);

/** @name Reading results
 *  A result is read as a table: a row a recorded state, columns with names such as `time`,
 *  `top.position.x`, `top.d3.z`, `top.angular_velocity.x`, `hinge.angle` and `hinge.angle.rate` (of a
 *  joint), `tip.acceleration.y` (of an output),
 *  `energy.total`, `angular_momentum.z`, `constraint_error`. Beside these, which make the CSV table, there are
 *  the extremes over the steps of a row (`energy.total.min`, `energy.total.max`), the raw configuration
 *  (`top.q.1` to `top.q.12`, `top.v.1` ...) and, if recorded, multipliers (`rod.multiplier.1`).
 *  @{ */
typedef struct olo_result olo_result;

/** Opens a result file. Free with olo_result_free. */
OLO_API olo_status olo_result_open(const char *path, olo_result **result, olo_error *error);
OLO_API void olo_result_free(olo_result *result);

OLO_API long olo_result_rows(const olo_result *result);
/** Number of columns, and the name of each; it lives as long as the result. */
OLO_API int olo_result_columns(const olo_result *result);
OLO_API const char *olo_result_column(const olo_result *result, int index);
/** Reads one column, `values` has room for all rows. */
OLO_API olo_status olo_result_read(olo_result *result, const char *column, double *values,
                                   olo_error *error);

/** An attribute of an object of the file, for example ("/", "status") or ("/run", "steps"). The text lives as
 *  long as the result. OLO_NOT_FOUND when there is none of that name. */
OLO_API olo_status olo_result_attribute_text(olo_result *result, const char *object,
                                             const char *name, const char **text, olo_error *error);
OLO_API olo_status olo_result_attribute_number(olo_result *result, const char *object,
                                               const char *name, double *value, olo_error *error);
/** The text of the model that was run; it lives as long as the result. */
OLO_API olo_status olo_result_model_text(olo_result *result, const char **text, olo_error *error);
/** The verdicts of the run; `count` is 0 for a run that was killed. */
OLO_API olo_status olo_result_verdicts(olo_result *result, olo_verdict verdicts[OLO_VERDICTS_MAX],
                                       int *count, olo_error *error);

/** Writes the recorded frames of a result file as CSV: a header line with names such as `time`,
 *  `top.position.x`, `top.d3.z`, `energy.total`, `angular_momentum.z`, `constraint_error`, then a row a
 *  recorded step at full precision (%.17g). */
OLO_API olo_status olo_result_write_csv(const char *path, FILE *out, olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
