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

/** How good a run is, by the rules of docs/verdict.md. */
typedef enum olo_verdict_level {
    OLO_VERDICT_OK,    /**< within the tolerance */
    OLO_VERDICT_WARN,  /**< beyond it, by an amount that the method allows but that makes results
                          doubtful */
    OLO_VERDICT_BROKEN /**< a law does not hold */
} olo_verdict_level;
/** "ok", "warn" or "broken". */
OLO_API const char *olo_verdict_level_name(olo_verdict_level level);

/** What a verdict is about. */
typedef enum olo_verdict_kind {
    OLO_VERDICT_ENERGY,
    OLO_VERDICT_MOMENTUM,
    OLO_VERDICT_CONSTRAINTS, /**< on position level; `drift` is the largest |g| */
    OLO_VERDICT_VELOCITIES   /**< share of velocities that is normal to the constraints */
} olo_verdict_kind;

/** The verdict on one quantity. */
typedef struct olo_verdict {
    olo_verdict_kind kind;
    olo_verdict_level level;
    char quantity[128];    /**< "energy", "angular momentum z", "constraints", "velocities", ... */
    char text[256];        /**< what was found, one line: "constant to 2.1e-14" */
    char why[256];         /**< why it is conserved, one sentence */
    double start;          /**< value at the start */
    double drift;          /**< largest |value - start| over all steps, not only recorded ones */
    double relative_drift; /**< drift over the scale of the quantity */
    double tolerance;      /**< bound of relative_drift for OLO_VERDICT_OK */
} olo_verdict;
enum { OLO_VERDICTS_MAX = OLO_INVARIANTS_MAX + 2 };

/** Creates the recorder of a run. While it goes on the file is `path.partial`, from which
 * olo_recorder_resume can go on whenever the process ends; olo_recorder_finish makes it the result
 * `path`. An older file of these names stays until then. `path` may be NULL: then only the verdict
 * is kept. `command` is the command line that the file remembers, or "". Model, system and the
 * texts of `run` must outlive the recorder. */
OLO_API olo_status olo_recorder_create(const char *path, const olo_model *model,
                                       const olo_system *system, const olo_run *run,
                                       const char *command, olo_recorder **recorder,
                                       olo_error *error);
/** Goes on with a run that was broken off and is in `path.partial`. Sets `state`, one of this
 * system, and `summary` to where it was at its last checkpoint, for olo_simulate_resume; what was
 * recorded later is dropped. Fails, and leaves the file alone, when that is of another model, of
 * other parameters or options, of another version of the library, or damaged. */
OLO_API olo_status olo_recorder_resume(const char *path, const olo_model *model,
                                       const olo_system *system, const olo_run *run,
                                       olo_recorder **recorder, olo_state *state,
                                       olo_run_summary *summary, olo_error *error);
/** The model of a run that is in `path.partial`, with the parameters and options it was started
 * with; further settings come last and win. Free with olo_model_free. OLO_NOT_FOUND for a model
 * that was made in code. */
OLO_API olo_status olo_recorder_read_model(const char *path, const olo_setting *settings,
                                           int setting_count, olo_model **model, olo_error *error);
/** Seconds between two checkpoints, 1 if this is not called; more when making them takes more than
 * a tenth of the time. 0: after every step. */
OLO_API void olo_recorder_set_checkpoint(olo_recorder *recorder, double seconds);
/** What follows is no motion but states beside each other: equilibria, shapes of a mode. The words
 * `what` say that in the result and its report. Conserved quantities are not judged, and
 * constraints only if `constraints` says so. To be called before the first state; called again
 * before olo_recorder_finish it changes the words. */
OLO_API void olo_recorder_set_independent_states(olo_recorder *recorder, const char *what,
                                                 bool constraints);
/** The observer to hand to olo_simulate. */
OLO_API olo_observer olo_recorder_observer(olo_recorder *recorder);
/** Writes what is left, summary and verdict, and closes. A run that came to its end (`status`
 * OLO_OK) becomes the result `path`; any other stays `path.partial`, readable and ready to be
 * resumed, with its status and the text that `error` holds. When the files cannot be written,
 * `path.partial` is as it was at the last checkpoint. */
OLO_API olo_status olo_recorder_finish(olo_recorder *recorder, const olo_run_summary *summary,
                                       olo_status status, olo_error *error);
/** Verdicts so far. */
OLO_API int olo_recorder_verdicts(const olo_recorder *recorder,
                                  olo_verdict verdicts[OLO_VERDICTS_MAX]);
/** The level of the run as a whole: the worst of its verdicts, and at least a warning if it gave
 * one. */
OLO_API olo_verdict_level olo_recorder_verdict_level(const olo_recorder *recorder);
/** Frees. A run that is not finished stays `path.partial`. */
OLO_API void olo_recorder_free(olo_recorder *recorder);

/** @name Reading results A result is read as a table: a row per recorded state, columns with names
 * such as `time`, `top.position.x`, `top.d3.z`, `top.angular_velocity.x`, `hinge.angle` and
 * `hinge.angle.rate` (of a joint), `tip.acceleration.y` (of an output), `energy.total`,
 * `angular_momentum.z`, `constraint_error`. Beside these, which make the CSV table, there are the
 * extremes over the steps of a row (`energy.total.min`, `energy.total.max`), the raw configuration
 * (`top.q.1` to `top.q.12`, `top.v.1` ...) and, if recorded, multipliers (`rod.multiplier.1`). @{
 */
/** An open result file. Not shared between threads. */
typedef struct olo_result olo_result;

/** Opens a result file, complete or not. OLO_IO when it is damaged: its checksum is compared
 * first, which takes about a second per gigabyte. Free with olo_result_free. */
OLO_API olo_status olo_result_open(const char *path, olo_result **result, olo_error *error);
/** Closes and frees; NULL is allowed. */
OLO_API void olo_result_free(olo_result *result);

/** Number of recorded states. */
OLO_API long olo_result_row_count(const olo_result *result);
/** Number of columns. */
OLO_API int olo_result_column_count(const olo_result *result);
/** Name of a column; it lives as long as the result. */
OLO_API const char *olo_result_column_name(const olo_result *result, int index);
/** Units of a column: symbols such as "m/s" when the model's units are SI, otherwise the dimension
 * in the units of the model, "length / time (mm, t, s)". It lives as long as the result. */
OLO_API const char *olo_result_column_units(const olo_result *result, int index);
/** Reads one column; `values` has room for all rows. OLO_NOT_FOUND, with the nearest name as a
 * suggestion, when there is none of that name. */
OLO_API olo_status olo_result_read_column(olo_result *result, const char *column, double *values,
                                          olo_error *error);

/** An attribute of an object of the file, for example ("/", "status") or ("/run", "steps"). The
 * text lives as long as the result. OLO_NOT_FOUND when there is none of that name. */
OLO_API olo_status olo_result_attribute_text(olo_result *result, const char *object,
                                             const char *name, const char **text, olo_error *error);
/** The same for a number. */
OLO_API olo_status olo_result_attribute_number(olo_result *result, const char *object,
                                               const char *name, double *value, olo_error *error);
/** The text of the model that was run; it lives as long as the result. */
OLO_API olo_status olo_result_model_text(olo_result *result, const char **text, olo_error *error);
/** The verdicts of the run; `count` is 0 for one that goes on or was killed. */
OLO_API olo_status olo_result_verdicts(olo_result *result, olo_verdict verdicts[OLO_VERDICTS_MAX],
                                       int *count, olo_error *error);

/** Writes the recorded frames of a result file as CSV: a header line with names such as `time`,
 * `top.position.x`, `top.d3.z`, `energy.total`, `angular_momentum.z`, `constraint_error`, then a
 * row per recorded step at full precision (%.17g). */
OLO_API olo_status olo_result_write_csv(const char *path, FILE *out, olo_error *error);

/** Writes the same table as JSON: `columns`, a list of `name` and `units`, and `rows`, a list of
 * numbers each, beside `model`, `status`, `command` and others. Numbers have 17 digits; what is not
 * finite is null. */
OLO_API olo_status olo_result_write_json(const char *path, FILE *out, olo_error *error);

/** How frames for ParaView are written. */
typedef struct olo_vtk_options {
    int initialised;             /**< set by olo_vtk_options_default(); leave it */
    long frames;                 /**< at most; 0: all that are recorded */
    bool (*stop)(void *context); /**< asked before every frame; true ends with OLO_INTERRUPTED; may
                                    be NULL */
    void *context;               /**< handed to `stop` */
} olo_vtk_options;
/** All frames. */
OLO_API olo_vtk_options olo_vtk_options_default(void);

/** Writes a result for ParaView and other programs that use VTK: a collection `path` (name.pvd)
 * over time, and in the folder `name` beside it two files per frame. `frames-000000.vtp` has a
 * point for every point mass and body with its vectors d1, d2, d3, velocity and angular velocity,
 * and joint coordinates, outputs and ledger as field data. `scene-000000.vtp` has the surfaces of
 * bodies where they are and lines for rods, springs and dampers. A `path` that does not end in .pvd
 * is a folder, in which the collection gets the name of the result. The collection is written last;
 * every file is whole or not there. `options` and `written`, which gets the number of frames, may
 * be NULL. */
OLO_API olo_status olo_result_write_vtk(const char *result, const char *path,
                                        const olo_vtk_options *options, long *written,
                                        olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
