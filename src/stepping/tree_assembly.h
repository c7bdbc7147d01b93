/* Assembly of the elimination on a tree: the balance of a node, its mass, and sums of joint
 * wrenches. For all solvers on a tree, over a step or in statics. */
#ifndef OLO_STEPPING_TREE_ASSEMBLY_H
#define OLO_STEPPING_TREE_ASSEMBLY_H

#include "kinematics/motion.h"
#include "linalg/elimination.h"
#include "linalg/vec3.h"
#include "stepping/projector.h"

/* Finds redundant closure rows at a configuration, for which the joints of `motion` have begun;
 * `smallest` is the smallest size of a row. K must be filled again. (redundant_rows.c) */
void olo_find_redundant_rows(const olo_topology *topology, olo_projector *projector,
                             olo_elimination *elimination, const olo_motion *motion,
                             const olo_at *at, double smallest);

/* The entry of closure row u, topology->closures[u], in the right-hand side and in the solution. */
static inline double *olo_closure_right(const olo_topology *topology, olo_elimination *elimination,
                                        int u)
{
    const int i = topology->closure_block[u];
    return olo_elimination_rhs(elimination, olo_topology_closure_block(topology, i)) + u -
           topology->closure_blocks[i].u;
}
static inline double olo_closure_solution(const olo_topology *topology,
                                          const olo_elimination *elimination, int u)
{
    const int i = topology->closure_block[u];
    return olo_elimination_twist(
        elimination, olo_topology_closure_block(topology, i))[u - topology->closure_blocks[i].u];
}

/* The right-hand sides of all nodes, factor P_int(q)^T row[n], and zero for closures; the motion
 * out[n] = factor P_int(q) twist of the solution. */
void olo_tree_set_right(const olo_topology *topology, olo_elimination *elimination, const double *q,
                        double factor, const double *row);
void olo_tree_get_motion(const olo_topology *topology, const olo_elimination *elimination,
                         const double *q, double factor, double *out);

/* w += P_int^T T of node k */
static inline void olo_fill_rhs(olo_elimination *elimination, const olo_node *node, int k,
                                const double *balance, const double *left)
{
    node->type->add_wrench(left + node->q, balance + node->q, olo_elimination_rhs(elimination, k));
}

/* The same of all nodes. */
static inline void olo_fill_right(olo_projector *projector, olo_elimination *elimination,
                                  const olo_system *s, const double *balance, const double *left)
{
    const olo_frame_packs *frames = olo_projector_frames(projector);
    olo_projector_add_right(projector, left, balance);
    for (int i = 0; i < frames->rest_count; i++)
        olo_fill_rhs(elimination, &s->nodes[frames->rest[i]], frames->rest[i], balance, left);
}

/* w += P_int^T T of all nodes, the mass of those that have their own, and the variation of P_int if
 * `varied` */
static inline void olo_fill_nodes(olo_projector *projector, olo_elimination *elimination,
                                  const olo_system *s, double mass_factor, bool varied,
                                  const double *balance, const olo_motion *at)
{
    const olo_frame_tangent tangent = {.factor = mass_factor,
                                       .varied = varied,
                                       .T = balance,
                                       .left = olo_motion_left(at),
                                       .q1 = at->q1};
    olo_projector_add_frames(projector, &tangent);
    const olo_frame_packs *frames = olo_projector_frames(projector);
    for (int i = 0; i < frames->alone_count; i++) {
        const int k = frames->alone[i];
        const olo_node *node = &s->nodes[k];
        olo_fill_rhs(elimination, node, k, balance, tangent.left);
        if (varied && node->type->add_variation)
            node->type->add_variation(at->q1 + node->q, balance + node->q,
                                      olo_elimination_matrix(elimination, k, k));
    }
}

/* above[twist of the parent] += A^^T W of the joint of node k, which has a parent. */
static inline void olo_add_to_parent(const olo_topology *topology, int k, const olo_joint_blocks *b,
                                     const double *W, double *above)
{
    const olo_system *s = topology->system;
    int d = s->nodes[k].twist, p = s->nodes[topology->nodes[k].parent].twist;
    if (b->spatial) {
        for (int i = 0; i < 6; i++)
            above[i] += W[i];
        vec3_add_cross(W, b->spatial + 3, above + 3);
        return;
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < p; j++)
            above[j] += b->A_hat[i * p + j] * W[i];
}

/* twist[twist of node k] += A above, the twist of its parent. */
static inline void olo_add_from_parent(const olo_topology *topology, int k,
                                       const olo_joint_blocks *b, const double *above,
                                       double *twist)
{
    const olo_system *s = topology->system;
    int d = s->nodes[k].twist, p = s->nodes[topology->nodes[k].parent].twist;
    if (b->spatial) {
        for (int i = 0; i < 6; i++)
            twist[i] += above[i];
        vec3_add_cross(b->spatial, above + 3, twist);
        return;
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < p; j++)
            twist[i] += b->A[i * p + j] * above[j];
}

/* Adds the wrench of the joint of node k to that of its parent, W_p += A^^T W_k; wrench[twists]. */
static inline void olo_add_wrench_to_parent(const olo_topology *topology, int k,
                                            const olo_joint_blocks *b, double *wrench)
{
    const olo_system *s = topology->system;
    const int parent = topology->nodes[k].parent;
    if (parent >= 0)
        olo_add_to_parent(topology, k, b, wrench + s->nodes[k].motion,
                          wrench + s->nodes[parent].motion);
}

#endif
