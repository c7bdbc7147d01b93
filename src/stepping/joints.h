/* The elimination of a tree: its blocks and couplings, the balance of a node, what hangs on a
 * joint. For all that solve on a tree, over a step or at rest. */
#ifndef OLO_STEPPING_JOINTS_H
#define OLO_STEPPING_JOINTS_H

#include "kinematics/motion.h"
#include "linalg/elimination.h"
#include "linalg/vec3.h"
#include "stepping/projector.h"

/* S += 1/2 sum (d_I,1 (x) T_I - (d_I,1 . T_I) I), the variation of P_int */
static inline void olo_add_variation(const double *d1, const double *T, double *S)
{
    for (int I = 0; I < 9; I += 3) {
        double along = 0.5 * vec3_dot(d1 + I, T + I);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                S[(3 + i) * 6 + 3 + j] += 0.5 * d1[I + i] * T[I + j];
            S[(3 + i) * 6 + 3 + i] -= along;
        }
    }
}

/* w = P_int^T T of node k */
static inline void olo_fill_right(olo_elimination *elimination, const olo_node *node, int k,
                                  const double *balance, const double *left)
{
    double *w = olo_elimination_rhs(elimination, k);
    const double *T = balance + node->q, *dm = left + node->q;
    vec3_add(1.0, T, w);
    for (int I = 3; I < node->size; I += 3)
        vec3_add_cross(dm + I, T + I, w + 3);
}

/* w = P_int^T T of node k, its mass if it is a frame with one of its own and, where it varies, the
 * variation of P_int */
static inline void olo_fill_node(olo_projector *projector, olo_elimination *elimination,
                                 const olo_node *node, int k, double mass_factor, bool varied,
                                 const double *balance, const olo_motion *at)
{
    const double *left = olo_motion_left(at);
    if (node->frame >= 0) {
        olo_projector_add_frame(projector, node->frame, mass_factor, varied, balance, left, at->q1);
        return;
    }
    olo_fill_right(elimination, node, k, balance, left);
    if (varied && node->kind == OLO_NODE_FRAME)
        olo_add_variation(at->q1 + node->q + 3, balance + node->q + 3,
                          olo_elimination_matrix(elimination, k, k));
}

/* What hangs on the joint of node k, [twists] of all, goes to its parent as well: W_p += A^^T W_k.
 */
static inline void olo_sum_wrench(const olo_topology *topology, int k, const olo_joint_blocks *b,
                                  double *wrench)
{
    const olo_system *s = topology->system;
    int parent = topology->nodes[k].parent;
    if (parent < 0)
        return;
    int d = s->nodes[k].twist, p = s->nodes[parent].twist;
    const double *W = wrench + s->nodes[k].motion;
    double *above = wrench + s->nodes[parent].motion;
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

#endif
