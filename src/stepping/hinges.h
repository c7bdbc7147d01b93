/* The reduced treatment for rigid bodies on hinges and ball joints, or free, under constant forces:
 * chains and trees of any size. With energy-momentum also springs, dampers, stops and drives along
 * the angles of hinges (hinge_forces.h). The same equations, tangent and lifted iteration as on any
 * tree (reduced.c), in two passes over records of one body each; the work per body is done for four
 * at once (hinges_sweep.c). */
#ifndef OLO_STEPPING_HINGES_H
#define OLO_STEPPING_HINGES_H

#include "stepping/predictor.h"
#include "stepping/step.h"

typedef struct olo_hinges olo_hinges;

/* How the sweeps are compiled: for any processor, or for the registers of four numbers that most
 * have; to the same bits. */
typedef enum olo_hinges_width { OLO_HINGES_BEST, OLO_HINGES_PLAIN } olo_hinges_width;

/* NULL and OK where the system has something else, or the scheme another balance. */
olo_status olo_hinges_create(const olo_system *system, const olo_scheme *scheme,
                             const olo_topology *topology, olo_hinges_width width,
                             olo_hinges **hinges, olo_error *error);
void olo_hinges_free(olo_hinges *hinges);

/* Start of an iteration at a mix of the last motions, and at what hung on the joints times `scale`;
 * joints are left as open as that makes them. */
void olo_hinges_predict(olo_hinges *hinges, const olo_step *step, double scale, olo_motion_mix mix);
/* One iteration, by the tangent of the last one if that will do (`older`: schemes with their left
 * pair at the start only, and not the first). False: singular, at the node newton->worst. */
bool olo_hinges_iterate(olo_hinges *hinges, const olo_step *step, bool older, olo_newton *newton);
/* The motion of the step and the wrench of every joint over step->weight, [twists], from what is
 * iterated; momentum and energy where the scheme has them. */
void olo_hinges_finish(olo_hinges *hinges, olo_step *step, double *wrench);
/* v1 from the momentum at q_end: P^T M P nu = P^T p, v1 = P nu. The node that is singular, or -1.
 * Between steps only. */
int olo_hinges_project(olo_hinges *hinges, olo_step *step);
/* Whether there are forces along the angles of hinges; olo_hinges_finish then writes
 * step->exchange.
 */
bool olo_hinges_have_forces(const olo_hinges *hinges);
/* Whether all joints are hinges without such forces. */
bool olo_hinges_alone(const olo_hinges *hinges);
/* From now on eliminations store their tangent. False: no memory. */
bool olo_hinges_store_tangents(olo_hinges *hinges);
/* How motions are remembered, four numbers at once. */
olo_motion_pass *olo_hinges_motion_pass(const olo_hinges *hinges);
/* Takes back what rounding has done to a configuration; see olo_motion_settle. */
void olo_hinges_settle(const olo_hinges *hinges, double *q, double *remainder);

#endif
