/** @file
 *  Models: descriptions of systems, in a file or in code, before they are compiled.
 *
 *      olo_model *model = NULL;
 *      olo_error error = {0};
 *      if (olo_model_read("heavy-top", NULL, 0, &model, &error) != OLO_OK) puts(error.text);
 *      olo_system *system = NULL;
 *      olo_model_compile(model, &system, &error);
 */
#ifndef OLOID_MODEL_H
#define OLOID_MODEL_H

#include <stddef.h>

#include "oloid/elements.h"
#include "oloid/optimize.h"
#include "oloid/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A model: named elements, parameters, gravity, options of a run. Not shared between threads. */
typedef struct olo_model olo_model;
/** A compiled model, see system.h. */
typedef struct olo_system olo_system;

/** Options of a run: the section `run` of a model file. */
typedef struct olo_run {
    int initialised; /**< set by olo_run_default(); leave it */
    double step;     /**< time step h; with `tolerance` the first step to be tried */
    double end;      /**< end time */
    /** The lengths of all steps, one after the other, from the time of the state; `step` is then
     * the smallest and `end` their sum. Not copied, except by olo_model_set_run. 0: steps of equal
     * length */
    int step_count;
    const double *steps;
    const char
        *start; /**< initial state: "given", or "equilibrium", at rest with all forces in balance */
    const char *scheme;         /**< "energy-momentum", "energy-momentum-2006" or "variational" */
    const char *constraints;    /**< "reduced", "multipliers", "projected", "minimal", "penalty",
                                   "augmented" */
    double penalty;             /**< mu of penalty and augmented, energy mu |g|^2 */
    double augmented_tolerance; /**< augmented: bound of every constraint |g| */
    const char *null_space;     /**< projected: "explicit" or "implicit" null space matrix */
    int order;            /**< 2, 4 or 6: steps of higher order are composed of steps of order 2 */
    double tolerance;     /**< above 0: steps are chosen for this error; 0: constant steps */
    double smallest_step; /**< with `tolerance`: lower bound of the steps; 0: no bound */
    double largest_step;  /**< with `tolerance`: upper bound of the steps; 0: no bound */
    double grid; /**< with `tolerance`: steps end at its multiples, which are recorded; 0: none */
    double newton_tolerance; /**< Newton: bound of the last scaled increment */
    int iterations;          /**< Newton: largest number of iterations */
    int halvings; /**< largest number of times that a failed step is halved before the run stops */
    long frames;  /**< largest number of recorded frames */
    bool forces;  /**< record constraint forces */
} olo_run;

/** Steps of 0.01 to t = 1, energy-momentum-2006 of order 2, reduced, at most 10,000 frames. */
OLO_API olo_run olo_run_default(void);

/** An override `name=value` of a parameter (`l=0.2`) or of a run option (`run.step=1e-3`); the
 * value may be an expression. */
typedef struct olo_setting {
    const char *name;  /**< `l` or `run.step` */
    const char *value; /**< a number or an expression of the parameters */
} olo_setting;

/** An empty model. Free with olo_model_free. */
OLO_API olo_status olo_model_create(const char *name, olo_model **model, olo_error *error);

/** Reads a model file, or a model of the catalogue by its name, with `setting_count` overrides.
 * Free with olo_model_free. On failure `*model` is NULL, and for errors in the file the message
 * begins with `file:line:column: path:`. */
OLO_API olo_status olo_model_read(const char *file, const olo_setting *settings, int setting_count,
                                  olo_model **model, olo_error *error);

/** The same from memory; messages have `label` instead of the file name. */
OLO_API olo_status olo_model_read_text(const char *text, size_t size, const char *label,
                                       const olo_setting *settings, int setting_count,
                                       olo_model **model, olo_error *error);

/** Frees a model; NULL is allowed. */
OLO_API void olo_model_free(olo_model *model);

/** @name Adding elements
 *  Names are unique in a model; all data are copied. References to other elements by name are
 *  checked when the model is compiled.
 *  @{ */
/** Adds a point mass. */
OLO_API olo_status olo_model_add_point(olo_model *model, const olo_point *point, olo_error *error);
/** Adds a rigid body. */
OLO_API olo_status olo_model_add_body(olo_model *model, const olo_body *body, olo_error *error);
/** Adds a beam. */
OLO_API olo_status olo_model_add_beam(olo_model *model, const olo_beam *beam, olo_error *error);
/** Adds mass to a body, a point mass or a node of a beam. */
OLO_API olo_status olo_model_add_mass(olo_model *model, const olo_mass *mass, olo_error *error);
/** Adds a massless rod. */
OLO_API olo_status olo_model_add_rod(olo_model *model, const olo_rod *rod, olo_error *error);
/** Adds a spring. */
OLO_API olo_status olo_model_add_spring(olo_model *model, const olo_spring *spring,
                                        olo_error *error);
/** Adds coordinates of a minimal model. */
OLO_API olo_status olo_model_add_coordinates(olo_model *model, const olo_coordinates *coordinates,
                                             olo_error *error);
/** Adds a contact. */
OLO_API olo_status olo_model_add_contact(olo_model *model, const olo_contact *contact,
                                         olo_error *error);
/** Adds a damper. */
OLO_API olo_status olo_model_add_damper(olo_model *model, const olo_damper *damper,
                                        olo_error *error);
/** Adds a support. */
OLO_API olo_status olo_model_add_support(olo_model *model, const olo_support *support,
                                         olo_error *error);
/** Adds a joint. */
OLO_API olo_status olo_model_add_joint(olo_model *model, const olo_joint *joint, olo_error *error);
/** Adds a relation between joint coordinates. */
OLO_API olo_status olo_model_add_relation(olo_model *model, const olo_relation *relation,
                                          olo_error *error);
/** Adds a force or a moment. */
OLO_API olo_status olo_model_add_load(olo_model *model, const olo_load *load, olo_error *error);
/** Adds a point or a reaction to record. */
OLO_API olo_status olo_model_add_output(olo_model *model, const olo_output *output,
                                        olo_error *error);
/** Adds an event. */
OLO_API olo_status olo_model_add_event(olo_model *model, const olo_event *event, olo_error *error);
/** Adds a known motion, for studies of convergence. */
OLO_API olo_status olo_model_add_exact(olo_model *model, const olo_exact *exact, olo_error *error);
/** @} */

/** @name Functions
 *  Set a C function of an element that exists already, for instance from a file. The text of the
 *  model is then incomplete, and olo_model_text returns "". `context` must live as long as systems
 *  compiled from the model. Fails with OLO_NOT_FOUND if there is no such element.
 *  @{ */
/** olo_load.function of the load of this name. */
OLO_API olo_status olo_model_set_load_function(olo_model *model, const char *load,
                                               void (*function)(void *context, double t,
                                                                const double position[3],
                                                                const double velocity[3],
                                                                double force[3]),
                                               void *context, olo_error *error);
/** olo_load.wrench of the load of this name. */
OLO_API olo_status olo_model_set_load_wrench(olo_model *model, const char *load,
                                             void (*wrench)(void *context,
                                                            const olo_body_motion *motion,
                                                            double force[3], double moment[3]),
                                             void *context, olo_error *error);
/** olo_joint.function of the joint of this name. */
OLO_API olo_status olo_model_set_joint_function(olo_model *model, const char *joint,
                                                double (*function)(void *context, double t,
                                                                   double coordinate, double rate),
                                                void *context, olo_error *error);
/** olo_contact.function of the contact of this name. */
OLO_API olo_status olo_model_set_contact_function(olo_model *model, const char *contact,
                                                  void (*function)(void *context, const double *x,
                                                                   double *gap, double *gradient,
                                                                   double *hessian),
                                                  void *context, olo_error *error);
/** olo_load.derivatives of the load of this name: those of its function. */
OLO_API olo_status olo_model_set_load_derivatives(
    olo_model *model, const char *load,
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]),
    olo_error *error);
/** olo_joint.derivatives of the joint of this name: those of its function. */
OLO_API olo_status olo_model_set_joint_derivatives(olo_model *model, const char *joint,
                                                   void (*derivatives)(void *context, double t,
                                                                       double coordinate,
                                                                       double rate, double by[2]),
                                                   olo_error *error);
/** @} */

/** Acceleration of gravity, zero by default. */
OLO_API void olo_model_set_gravity(olo_model *model, const double gravity[3]);
/** Everything moves in the plane with this normal; zero vector: in space (the default). */
OLO_API void olo_model_set_plane(olo_model *model, const double normal[3]);
/** Replaces the options of a run; they are checked here. */
OLO_API olo_status olo_model_set_run(olo_model *model, const olo_run *run, olo_error *error);

/** Sets a named parameter to a number. Expressions of signals and energies that are added later may
 * use it. */
OLO_API olo_status olo_model_set_parameter(olo_model *model, const char *name, double value,
                                           olo_error *error);

/** Name, valid as long as the model, like all texts below. */
OLO_API const char *olo_model_name(const olo_model *model);
/** The value of the key `description` of the file, or "". */
OLO_API const char *olo_model_description(const olo_model *model);
/** A warning about the file, by index from 0: something that is allowed but probably not intended;
 * NULL when there are no more. */
OLO_API const char *olo_model_warning(const olo_model *model, int index);
/** The value of the key `units` of the file, or "". */
OLO_API const char *olo_model_units(const olo_model *model);
/** The text the model was read from, or "" for a model made in code. */
OLO_API const char *olo_model_text(const olo_model *model);
/** Options of a run: the section `run` with the overrides. They belong to the model. */
OLO_API const olo_run *olo_model_run(const olo_model *model);
/** The problem of optimal control in the section `optimize`, NULL if there is none. It belongs to
 * the model. */
OLO_API const olo_problem *olo_model_problem(const olo_model *model);
/** The systems of a model at other values of its parameters, for problems in which these are
 * variables. They belong to the model. */
OLO_API const olo_variants *olo_model_variants(const olo_model *model);
/** Checks the names and bounds of that problem in a system that was compiled from the model; errors
 * have the location in the file. Fails if there is no problem. */
OLO_API olo_status olo_model_check_problem(const olo_model *model, const olo_system *system,
                                           olo_error *error);
/** Writes the model, which was read from a file, with the controls of an optimum as tables over
 * time. A run of the written model goes through the configurations of the optimum, to round-off. */
OLO_API olo_status olo_optimum_write_model(const olo_optimum *optimum, const olo_model *model,
                                           const char *path, olo_error *error);
/** Value of a parameter, NaN if there is none of that name. */
OLO_API double olo_model_parameter(const olo_model *model, const char *name);

/** Turns a model into a system: forms, mass, constraints, joints. The system does not refer to the
 * model afterwards; free it with olo_system_free. Fails if elements are inconsistent: an unknown
 * name, a mass that is not positive, an inertia that is not physical. */
OLO_API olo_status olo_model_compile(const olo_model *model, olo_system **system, olo_error *error);

/** The system of a model with other values of `count` of its parameters, made from the one that was
 *  compiled: elements write other numbers into the same structure. The result has the same bits as
 * if the model had been read with these values and compiled. The cost is about that of a few steps.
 * Parameters that are not given have the values of the model, or follow from others by their
 * expressions; the options of a run are those of the model.
 *
 *  `system` was compiled from `model`, which has not changed since, or made by this function.
 * Neither is changed, and any number of threads may call this function with the same ones. The new
 * system shares names and topology with `system`, and belongs to the caller: free both with
 * olo_system_free, in any order.
 *
 *  Fails with OLO_BAD_INPUT for an unknown parameter, and for a value with which the model cannot
 * be compiled; with OLO_UNSUPPORTED for a value that changes the structure of the model: the number
 * of copies, a mass or a force that becomes zero, a direction that becomes another axis. In this
 * case read and compile the model with that value. */
OLO_API olo_status olo_system_with_parameters(const olo_model *model, const olo_system *system,
                                              int count, const char *const *names,
                                              const double *values, olo_system **other,
                                              olo_error *error);

/** Value of a parameter if `count` parameters, others or itself, have other values; NaN if there is
 * no such parameter, or if its value is not defined. */
OLO_API double olo_model_parameter_with(const olo_model *model, int count, const char *const *names,
                                        const double *values, const char *name);

/** The catalogue: the models that come with the library, or those of the directory that the
 * environment variable OLOID_MODELS names (it comes first). A model is a file `name.yaml`. */
typedef struct olo_catalogue olo_catalogue;

/** Opens the catalogue. Free with olo_catalogue_free. Fails with OLO_IO if the directory of
 * OLOID_MODELS cannot be read. */
OLO_API olo_status olo_catalogue_open(olo_catalogue **catalogue, olo_error *error);
/** Number of models. */
OLO_API int olo_catalogue_count(const olo_catalogue *catalogue);
/** Name of a model; models are sorted by name. Valid as long as the catalogue. */
OLO_API const char *olo_catalogue_name(const olo_catalogue *catalogue, int index);
/** File of a model, valid as long as the catalogue. */
OLO_API const char *olo_catalogue_file(const olo_catalogue *catalogue, int index);
/** Frees a catalogue; NULL is allowed. */
OLO_API void olo_catalogue_free(olo_catalogue *catalogue);

#ifdef __cplusplus
}
#endif
#endif
