/* The motion of a step along the spanning forest; see the header. */
#include "kinematics/motion.h"

#include <string.h>

size_t olo_motion_numbers(const olo_topology *topology)
{
    const olo_system *s = topology->system;
    return 3 * (size_t)s->n + (size_t)s->twists + (size_t)topology->unknowns +
           (size_t)s->node_count * OLO_JOINT_CONSTANTS;
}

olo_motion olo_motion_over(const olo_topology *topology, const double *q0, double *numbers)
{
    const olo_system *s = topology->system;
    olo_motion x = {.q0 = q0, .dq = numbers};
    x.qm = x.dq + s->n;
    x.q1 = x.qm + s->n;
    x.motion = x.q1 + s->n;
    x.u = x.motion + s->twists;
    x.constants = x.u + topology->unknowns;
    return x;
}

/* The ground as a fixed frame. */
static const double ground_frame[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double ground_motion[6] = {0};

olo_joint_view olo_motion_view(const olo_topology *topology, int c, const olo_motion *x)
{
    const olo_system *s = topology->system;
    const olo_topology_node *node = &topology->nodes[c];
    const double *left = olo_motion_left(x);
    int q = s->nodes[c].q, p = node->parent;
    olo_joint_view view = {.joint = &node->joint,
                           .child_node = &s->nodes[c],
                           .child0 = x->q0 + q,
                           .child_m = x->qm + q,
                           .child1 = x->q1 + q,
                           .child_left = left + q,
                           .child_motion = x->motion + s->nodes[c].motion,
                           .constants = x->constants + (size_t)c * OLO_JOINT_CONSTANTS};
    if (p >= 0) {
        int parent = s->nodes[p].q;
        view.parent_node = &s->nodes[p];
        view.parent0 = x->q0 + parent;
        view.parent_m = x->qm + parent;
        view.parent1 = x->q1 + parent;
        view.parent_left = left + parent;
        view.parent_motion = x->motion + s->nodes[p].motion;
    } else {
        view.parent0 = view.parent_m = view.parent1 = view.parent_left = ground_frame;
        view.parent_motion = ground_motion;
    }
    return view;
}

void olo_motion_begin(const olo_topology *topology, const olo_motion *x)
{
    for (int k = 0; k < topology->system->node_count; k++) {
        if (!topology->nodes[k].type || !topology->nodes[k].type->begin)
            continue;
        olo_joint_view view = olo_motion_view(topology, k, x);
        topology->nodes[k].type->begin(&view, topology->system);
    }
}

/* dq, qm and q1 of a node from its motion. */
static void move_coordinates(const olo_node *node, const olo_motion *x)
{
    node->type->move(x->motion + node->motion, x->q0 + node->q, x->dq + node->q, x->qm + node->q,
                     x->q1 + node->q);
}

/* The motion of node k from that of its parent and u, then its coordinates; u is the one closest to
 * `desired`, unless that is NULL. */
static void move_node(const olo_topology *topology, int k, const double *desired, olo_motion *x)
{
    const olo_node *node = &topology->system->nodes[k];
    const olo_topology_node *t = &topology->nodes[k];
    double *motion = x->motion + node->motion, *u = x->u + t->u;
    if (t->type) {
        olo_joint_view view = olo_motion_view(topology, k, x);
        if (desired)
            t->type->predict(&view, desired, u);
        t->type->move(&view, u, motion);
    } else {
        if (desired)
            memcpy(u, desired, (size_t)t->dof * sizeof *u);
        memcpy(motion, u, (size_t)node->twist * sizeof *motion);
    }
    move_coordinates(node, x);
}

void olo_motion_set(const olo_topology *topology, olo_motion *x, const double *motion)
{
    const olo_system *s = topology->system;
    memcpy(x->motion, motion, (size_t)s->twists * sizeof *motion);
    for (int k = 0; k < s->node_count; k++)
        move_coordinates(&s->nodes[k], x);
}

void olo_motion_predict(const olo_topology *topology, olo_motion *x, const double *motion,
                        double scale)
{
    const olo_system *s = topology->system;
    for (int i = 0; i < s->node_count; i++) {
        int k = topology->order[i];
        double desired[OLO_NODE_TWIST_MAX];
        for (int j = 0; j < s->nodes[k].twist; j++)
            desired[j] = scale * motion[s->nodes[k].motion + j];
        move_node(topology, k, desired, x);
    }
}

void olo_motion_move(const olo_topology *topology, olo_motion *x)
{
    for (int i = 0; i < topology->system->node_count; i++)
        move_node(topology, topology->order[i], NULL, x);
}

void olo_motion_update(const olo_topology *topology, int c, olo_motion *x, const double *twist)
{
    const olo_node *node = &topology->system->nodes[c];
    node->type->update(twist, x->motion + node->motion);
    move_coordinates(node, x);
}

void olo_motion_settle(const olo_topology *topology, const olo_motion *x, double *q,
                       double *remainder)
{
    const olo_system *s = topology->system;
    for (int i = 0; i < s->node_count; i++) {
        int k = topology->order[i];
        const olo_node *node = &s->nodes[k];
        const olo_topology_node *t = &topology->nodes[k];
        double shift[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
        /* shift and rotation that close the joint */
        if (t->type && t->type->close) {
            olo_joint_view view = olo_motion_view(topology, k, x);
            const double *parent = t->parent < 0 ? ground_frame : q + s->nodes[t->parent].q;
            t->type->close(&view, parent, q + node->q, shift, turn);
        }
        /* add them and the orthonormalisation to the remainder, and the remainder to q */
        node->type->settle(q + node->q, shift, turn, remainder + node->q);
        for (int j = node->q; j < node->q + node->size; j++) {
            double sum = q[j] + remainder[j];
            remainder[j] -= sum - q[j];
            q[j] = sum;
        }
    }
}
