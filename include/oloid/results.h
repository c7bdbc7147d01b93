/** @file
 *  Results: a run is streamed into one self-describing HDF5 file and read back from it.
 */
#ifndef OLOID_RESULTS_H
#define OLOID_RESULTS_H

#include <stdio.h>

#include "oloid/model.h"
#include "oloid/simulate.h"
#include "oloid/statics.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Streams frames and ledger of a run into a file. */
typedef struct olo_recorder olo_recorder;

/** Level of a verdict, by the rules of docs/verdict.md. */
typedef enum olo_verdict_level {
    OLO_VERDICT_OK,    /**< within the tolerance */
    OLO_VERDICT_WARN,  /**< beyond the tolerance, by an amount that the method allows but that makes
                          results doubtful */
    OLO_VERDICT_BROKEN /**< a conservation law is violated */
} olo_verdict_level;
/** "ok", "warn" or "broken". */
OLO_API const char *olo_verdict_level_name(olo_verdict_level level);

/** Kind of quantity that a verdict judges. */
typedef enum olo_verdict_kind {
    OLO_VERDICT_ENERGY,
    OLO_VERDICT_MOMENTUM,
    OLO_VERDICT_CONSTRAINTS, /**< on position level; `drift` is the largest |g| */
    OLO_VERDICT_VELOCITIES,  /**< fraction of the velocities that is normal to the constraints */
    OLO_VERDICT_CONTACTS     /**< `drift` is the largest energy that contacts added in a step */
} olo_verdict_kind;

/** The verdict on one quantity. */
typedef struct olo_verdict {
    olo_verdict_kind kind;
    olo_verdict_level level;
    char quantity[128];    /**< "energy", "angular momentum z", "constraints", "velocities", ... */
    char text[256];        /**< the finding, one line: "constant to 2.1e-14" */
    char why[256];         /**< why it is conserved, one sentence */
    double start;          /**< value at the start */
    double drift;          /**< largest |value - start| over all steps, not only recorded ones */
    double relative_drift; /**< drift over the scale of the quantity */
    double tolerance;      /**< bound of relative_drift for OLO_VERDICT_OK */
} olo_verdict;
enum { OLO_VERDICTS_MAX = OLO_INVARIANTS_MAX + 3 };

/** Creates the recorder of a run. During the run the file is `path.partial`, the journal, from
 * which olo_recorder_resume can continue after an interruption; olo_recorder_finish makes it the
 * result `path`. An older file of this name remains until then. If `path` is NULL, no file is
 * written and only the verdict is computed. `command` is the command line that is stored in the
 * file, or "". Model, system and the texts of `run` must outlive the recorder. */
OLO_API olo_status olo_recorder_create(const char *path, const olo_model *model,
                                       const olo_system *system, const olo_run *run,
                                       const char *command, olo_recorder **recorder,
                                       olo_error *error);
/** Continues an interrupted run from its journal `path.partial`. Sets `state`, a state of this
 * system, and `summary` to the last checkpoint, for olo_simulate_resume; rows that were recorded
 * later are dropped. Fails, and leaves the file unchanged, if the journal is damaged or belongs to
 * another model, other parameters or options, or another version of the library. */
OLO_API olo_status olo_recorder_resume(const char *path, const olo_model *model,
                                       const olo_system *system, const olo_run *run,
                                       olo_recorder **recorder, olo_state *state,
                                       olo_run_summary *summary, olo_error *error);
/** Reads the model of a run from its journal `path.partial`, with the parameters and options with
 * which the run was started; `settings` override these. Free with olo_model_free. OLO_NOT_FOUND for
 * a model that was made in code. */
OLO_API olo_status olo_recorder_read_model(const char *path, const olo_setting *settings,
                                           int setting_count, olo_model **model, olo_error *error);
/** Sets the seconds between two checkpoints; the default is 1. The interval is longer when writing
 * checkpoints takes more than a tenth of the time. 0: after every step. */
OLO_API void olo_recorder_set_checkpoint(olo_recorder *recorder, double seconds);
/** Declares that the recorded states are not a motion but independent: equilibria, or shapes of a
 * mode. The text `what` describes them in the result and its report. Conserved quantities are not
 * judged, and constraints only if `constraints` is true. To be called before the first state; a
 * second call before olo_recorder_finish changes the text. */
OLO_API void olo_recorder_set_independent_states(olo_recorder *recorder, const char *what,
                                                 bool constraints);
/** Names the quantity that states have as their time when it is not a time: "load factor". To be
 * called before olo_recorder_finish. */
OLO_API void olo_recorder_set_axis(olo_recorder *recorder, const char *name);
/** Adds a finding, one sentence that the report shows with the verdict: how the initial state was
 * made consistent, whether an equilibrium is stable. It does not change the level of the run.
 * Findings beyond 1,000 bytes are dropped. */
OLO_API void olo_recorder_add_finding(olo_recorder *recorder, olo_verdict_level level,
                                      const char *text);
/** Adds the findings of a search: whether the last equilibrium is stable, and the critical points
 * of the path. Sets the axis to the load factor. */
OLO_API void olo_recorder_add_equilibrium(olo_recorder *recorder,
                                          const olo_equilibrium_summary *summary);
/** Records an optimum: the states of all nodes, and in the group /optimum its controls with their
 * bounds, multipliers, parts of the cost, certificate and iterations. `resimulation` may be NULL.
 * The optimum must outlive olo_recorder_finish. */
OLO_API olo_status olo_recorder_add_optimum(olo_recorder *recorder, const olo_optimum *optimum,
                                            const olo_certificate *certificate,
                                            const olo_resimulation *resimulation, olo_error *error);
/** Writes feedback gains (oloid/feedback.h) to the result, in the group /feedback. They must
 * outlive olo_recorder_finish. */
OLO_API void olo_recorder_set_feedback(olo_recorder *recorder, const olo_feedback *feedback);
/** Returns the observer to be passed to olo_simulate. */
OLO_API olo_observer olo_recorder_observer(olo_recorder *recorder);
/** Writes the remaining rows, summary and verdict, and closes the file. A completed run (`status`
 * OLO_OK) becomes the result `path`. Any other run remains `path.partial`, which can be read and
 * resumed, with its status and the text of `error`. When the files cannot be written,
 * `path.partial` has the contents of the last checkpoint. */
OLO_API olo_status olo_recorder_finish(olo_recorder *recorder, const olo_run_summary *summary,
                                       olo_status status, olo_error *error);
/** Computes the verdicts on the run so far and returns their number. */
OLO_API int olo_recorder_verdicts(const olo_recorder *recorder,
                                  olo_verdict verdicts[OLO_VERDICTS_MAX]);
/** The level of the whole run: the worst of its verdicts, and at least OLO_VERDICT_WARN if the run
 * produced a warning. */
OLO_API olo_verdict_level olo_recorder_verdict_level(const olo_recorder *recorder);
/** Frees the recorder. A run that is not finished remains `path.partial`. */
OLO_API void olo_recorder_free(olo_recorder *recorder);

/** @name Reading results
 *  A result is read as a table with one row per recorded state. Columns have names such as `time`,
 *  `top.position.x`, `top.d3.z`, `top.angular_velocity.x`, `hinge.angle` and `hinge.angle.rate` (of
 *  a joint), `tip.acceleration.y` (of an output), `energy.total`, `angular_momentum.z`,
 *  `constraint_error`. These are the columns of the CSV table. Further columns are the extremes
 * over the steps of a row (`energy.total.min`, `energy.total.max`), the coordinates (`top.q.1` to
 *  `top.q.12`, `top.v.1` ...) and, if recorded, multipliers (`rod.multiplier.1`).
 *  @{ */
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
/** Reads one column; the capacity of `values` must be the number of rows. OLO_NOT_FOUND, with the
 * nearest name as a suggestion, when there is no column of that name. */
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
/** Reads the verdicts of the run; `count` is 0 for a run that is in progress or was killed. */
OLO_API olo_status olo_result_verdicts(olo_result *result, olo_verdict verdicts[OLO_VERDICTS_MAX],
                                       int *count, olo_error *error);

/** The memory of an initial guess that was read from a result. */
typedef struct olo_guess olo_guess;
/** Reads the motion of a result, and the controls of an optimum, as the initial guess of a problem:
 * sets the members `motion` and following of `problem`. Bodies, points and controls are those of
 * the same names; the result may have more of them, other intervals and another duration. Free the
 * guess with olo_guess_free after olo_optimize. OLO_NOT_FOUND if the motion of a body is missing.
 */
OLO_API olo_status olo_result_read_guess(const char *path, const olo_system *system,
                                         olo_problem *problem, olo_guess **guess, olo_error *error);
/** The same with the file `guess_file` of the section `optimize` of a model; an error has its line.
 * Without such a key `*guess` is NULL. */
OLO_API olo_status olo_model_read_guess(const olo_model *model, const olo_system *system,
                                        olo_problem *problem, olo_guess **guess, olo_error *error);
/** Frees a guess; NULL is allowed. */
OLO_API void olo_guess_free(olo_guess *guess);

/** Writes the recorded frames of a result file as CSV: a header line with names such as `time`,
 * `top.position.x`, `top.d3.z`, `energy.total`, `angular_momentum.z`, `constraint_error`, then a
 * row per recorded step at full precision (%.17g). */
OLO_API olo_status olo_result_write_csv(const char *path, FILE *out, olo_error *error);

/** Writes the same table as JSON: `columns`, a list of `name` and `units`, and `rows`, a list of
 * numbers each, beside `model`, `status`, `command` and others. Numbers have 17 digits; what is not
 * finite is null. */
OLO_API olo_status olo_result_write_json(const char *path, FILE *out, olo_error *error);

/** Options of an export to ParaView. */
typedef struct olo_vtk_options {
    int initialised;             /**< set by olo_vtk_options_default(); leave it */
    long frames;                 /**< maximum number; 0: all that are recorded */
    bool (*stop)(void *context); /**< called before every frame; true ends the export with
                                    OLO_INTERRUPTED; may be NULL */
    void *context;               /**< passed to `stop` */
} olo_vtk_options;
/** All frames. */
OLO_API olo_vtk_options olo_vtk_options_default(void);

/** Writes a result for ParaView and other programs that use VTK: a collection `path` (name.pvd)
 * over time, and in the folder `name` beside it two files per frame. `frames-000000.vtp` has a
 * point for every point mass and body with its vectors d1, d2, d3, velocity and angular velocity,
 * and joint coordinates, outputs and ledger as field data. `scene-000000.vtp` has the surfaces of
 * bodies at their positions and lines for rods, springs and dampers. A `path` that does not end in
 * .pvd is a folder, in which the collection has the name of the result. The collection is written
 * last; every file is complete or absent. `options` and `written`, which receives the number of
 * frames, may be NULL. */
OLO_API olo_status olo_result_write_vtk(const char *result, const char *path,
                                        const olo_vtk_options *options, long *written,
                                        olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
