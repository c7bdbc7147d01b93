/* The reduced treatment for trees of rigid bodies of any size, on lower pairs and universal joints
 * or free, under constant forces, with closures (packs_closures.h). With both energy-momentum
 * schemes also springs, dampers, stops and drives along the coordinates of joints (joint_forces.h).
 * The same equations, tangent and lifted iteration as on any tree (reduced.c), in two passes over
 * records of one body each; the work per body is done for four at once (packs_sweep.c). */
#ifndef OLO_STEPPING_PACKS_H
#define OLO_STEPPING_PACKS_H

#include "linalg/elimination.h"
#include "stepping/predictor.h"
#include "stepping/step.h"

typedef struct olo_packs olo_packs;

/* How the sweeps are compiled: for any processor, or for the registers of four numbers that most
 * have; to the same bits. */
typedef enum olo_packs_width { OLO_PACKS_BEST, OLO_PACKS_PLAIN } olo_packs_width;

/* NULL and OK where the system has something else, or the scheme another balance. A scheme without
 * a balance only projects; then forces may be of any kind. The packs read
 * the variation of curved closure rows from `variations`, an elimination of the topology, where a
 * projector has added it; NULL: there must be no closures. */
olo_status olo_packs_create(const olo_system *system, const olo_scheme *scheme,
                            const olo_topology *topology, olo_elimination *variations,
                            olo_packs_width width, olo_packs **packs, olo_error *error);
void olo_packs_free(olo_packs *packs);

/* Start of an iteration at a mix of the last motions, and at the last joint wrenches times `scale`;
 * joints are left as open as that makes them. */
void olo_packs_predict(olo_packs *packs, const olo_step *step, double scale,
                       const olo_motion_mix *mix);
/* One iteration, by the tangent of the last one if that will do (`older`: schemes with their left
 * pair at the start or with consistent velocities only, and not the first). Velocities that are
 * unknowns are projected before it. False: singular, at the node newton->worst. */
bool olo_packs_iterate(olo_packs *packs, const olo_step *step, bool older, olo_newton *newton);
/* The consistent velocities v1 of the iterate. The node that is singular, or -1. */
int olo_packs_velocities(olo_packs *packs, olo_step *step);
/* --- closures: before an iteration step->x has the iterate (olo_packs_write_motion), and
 * `variations` the variation of the gradients of curved rows --- */
bool olo_packs_have_closures(const olo_packs *packs);
/* The blocks that `variations` are read from become zero: iterations leave them so. */
void olo_packs_clear_variations(olo_packs *packs);
/* The motion of the iterate goes to step->x. */
void olo_packs_write_motion(const olo_packs *packs, olo_step *step);
/* The arrays with scaled multipliers and values of rows at the start of a step, [closures]. */
void olo_packs_set_multipliers(olo_packs *packs, const double *lambda, const double *row_start);
/* The forces of the multipliers after the last iteration. */
void olo_packs_load(olo_packs *packs, const olo_step *step);
/* Redundant rows: found by the next iteration, as by olo_elimination_activate_all, or at the start
 * of a step after its prediction, or taken from an elimination of the topology; `to` is one, and
 * `smallest` the smallest size of a row. */
void olo_packs_find_rank(olo_packs *packs, double size);
void olo_packs_find_redundant(olo_packs *packs, const olo_step *step, double smallest,
                              olo_elimination *to);
void olo_packs_take_rank(olo_packs *packs, const olo_elimination *from);
/* After an iteration: adds the change of the multipliers of all closures. */
void olo_packs_update_multipliers(olo_packs *packs, double *lambda);
/* Those of the rates of closures at the last projection of velocities, [closures]. */
const double *olo_packs_gamma(const olo_packs *packs);

/* The motion of the step and the wrench of every joint over step->weight, [twists], from what is
 * iterated; momentum and energy where the scheme has them. */
void olo_packs_finish(olo_packs *packs, olo_step *step, double *wrench);
/* v1 from the momentum at q_end: P^T M P nu = P^T p, v1 = P nu. The node that is singular, or -1.
 * Between steps only. */
int olo_packs_project(olo_packs *packs, olo_step *step);
/* Whether there are forces along joint coordinates; olo_packs_finish then writes step->exchange. */
bool olo_packs_have_forces(const olo_packs *packs);
/* From now on eliminations store their tangent. False: no memory. */
bool olo_packs_store_tangents(olo_packs *packs);
/* How motions are remembered, four numbers at once. */
olo_motion_pass *olo_packs_motion_pass(const olo_packs *packs);
/* The configuration at the end and its remainder, without what rounding has opened; see
 * olo_motion_settle. */
void olo_packs_settle(const olo_packs *packs, const olo_step *step);

#endif
