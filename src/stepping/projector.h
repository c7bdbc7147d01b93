/* Projection of local matrices from redundant coordinates to twists, P_int(q_m)^T K P_int(q1),
 * block by block. (q_m stands for the configuration of the left pair, which may also be q0.)
 *
 * A position coordinate is a component of the displacement; coordinate `axis` of director d varies
 * as delta_omega . (d x e_axis). The plan (the blocks of each coupling of the topology) is made
 * once. */
#ifndef OLO_STEPPING_PROJECTOR_H
#define OLO_STEPPING_PROJECTOR_H

#include "kinematics/topology.h"
#include "linalg/elimination.h"
#include "stepping/frame_packs.h"
#include "system/system.h"
#include "system/term_pack.h"

typedef struct olo_projector olo_projector;

/* Creates the plans for all couplings of a topology; they point to the blocks of an elimination
 * with its structure. */
olo_status olo_projector_create(const olo_topology *topology, olo_elimination *elimination,
                                olo_projector **projector, olo_error *error);
void olo_projector_free(olo_projector *projector);

/* += factor P_int(q_m)^T M P_int(q1), of the masses that couple frames and of nodes that are in no
 * pack */
void olo_projector_add_mass(olo_projector *projector, double factor, const double *qm,
                            const double *q1);
/* The same for the nodes in packs, with the variation of P_int if wanted; adds w = P_int(q_m)^T T
 * to their right-hand sides. */
void olo_projector_add_frames(olo_projector *projector, const olo_frame_tangent *at);
/* right += P_int(left)^T T of the nodes in packs alone */
void olo_projector_add_right(olo_projector *projector, const double *left, const double *T);
const olo_frame_packs *olo_projector_frames(const olo_projector *projector);
/* Whether there are no masses and pieces other than frames. */
bool olo_projector_is_empty(const olo_projector *projector);
/* += factor P_int(q_m)^T K P_int(q1), K local to the piece */
void olo_projector_add(olo_projector *projector, int piece, double factor, const double *K,
                       const double *qm, const double *q1);
/* += factor times the tangent of a term, from its stress: of the piece itself, or of the coordinate
 * along which an action acts */
void olo_projector_add_stress(olo_projector *projector, int piece, const olo_term *term,
                              double factor, const olo_law_over *law,
                              const olo_twist_configurations *at);
/* The same for joint coordinate i of a closure row, with the stress of olo_evaluate_share */
void olo_projector_add_share(olo_projector *projector, int row, int i, double factor,
                             const olo_law_over *law, const olo_twist_configurations *at);
/* The same for a pack of terms with invariants; the left pair is evaluated at q0 if `at_start`. */
void olo_projector_add_pack(olo_projector *projector, const olo_term_pack *pack, double factor,
                            bool at_start, const olo_pack_step *at);
/* += factor P_int(q_m)^T A P_int(q1) of the Hessian A of a row that is a form */
void olo_projector_add_hessian(olo_projector *projector, int piece, double factor, const double *qm,
                               const double *q1);
/* += the column factor P_int(q_m)^T g, and the row factor g^T P_int(q1), of a closure row; g local
 * to the piece. */
void olo_projector_add_column(olo_projector *projector, int piece, double factor, const double *g,
                              const double *qm);
void olo_projector_add_row(olo_projector *projector, int piece, double factor, const double *g,
                           const double *q1);

#endif
