/* Spanning forest and motion. The forest grows breadth first from the ground, then from free nodes. */
#include "kinematics/tree.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/rotation.h"

/* --- growing the forest --- */

typedef struct growth {
    olo_tree *tree;
    bool *reached; /* a node */
    bool *used;    /* a joint carries its group */
    int count;     /* nodes in order so far */
    /* joints by node: list[first[k] .. first[k+1]) */
    int *first, *list;
} growth;

static void attach(growth *g, int node, int parent, const olo_joint *joint)
{
    olo_tree_node *x = &g->tree->nodes[node];
    const olo_system *s = g->tree->system;
    x->parent = parent;
    if (joint) {
        x->joint = *joint;
        x->type = olo_joint_type_find(joint->kind);
        g->used[joint - s->joints] = true;
    } else if (s->planar) {
        /* free in the plane */
        x->joint = (olo_joint){.kind = "grounded", .parent = -1, .group = -1, .translations = 2};
        vec3_transversals(s->plane, x->joint.translation, x->joint.translation + 3);
        x->joint.rotations = s->nodes[node].kind == OLO_NODE_FRAME;
        vec3_copy(s->plane, x->joint.rotation);
        x->type = &olo_joint_grounded;
    }
    x->joint.parent = parent;
    x->joint.child = node;
    if (joint && joint->child != node)
        vec3_set(0, 0, 0, x->joint.parent_point); /* reversed: both ends are point masses */
    g->reached[node] = true;
    g->tree->order[g->count++] = node;
}

/* Breadth first over the joints of nodes already in order, from position `from` on. */
static void spread(growth *g, int from)
{
    const olo_system *s = g->tree->system;
    for (int i = from; i < g->count; i++) {
        int p = g->tree->order[i];
        for (int k = g->first[p]; k < g->first[p + 1]; k++) {
            const olo_joint *joint = &s->joints[g->list[k]];
            if (joint->parent == p && !g->reached[joint->child])
                attach(g, joint->child, p, joint);
            else if (joint->child == p && joint->reversible && !g->reached[joint->parent])
                attach(g, joint->parent, p, joint);
        }
    }
}

static bool index_joints(growth *g)
{
    const olo_system *s = g->tree->system;
    g->first = olo_alloc((size_t)s->node_count + 2, sizeof *g->first);
    g->list = olo_alloc(2 * (size_t)s->joint_count, sizeof *g->list);
    if (!g->first || !g->list)
        return false;
    for (int j = 0; j < s->joint_count; j++) {
        if (s->joints[j].parent >= 0)
            g->first[s->joints[j].parent + 2]++;
        g->first[s->joints[j].child + 2]++;
    }
    for (int k = 2; k < s->node_count + 2; k++)
        g->first[k] += g->first[k - 1];
    for (int j = 0; j < s->joint_count; j++) {
        if (s->joints[j].parent >= 0)
            g->list[g->first[s->joints[j].parent + 1]++] = j;
        g->list[g->first[s->joints[j].child + 1]++] = j;
    }
    return true;
}

static void grow_forest(growth *g)
{
    const olo_system *s = g->tree->system;
    for (int j = 0; j < s->joint_count; j++)
        if (s->joints[j].parent < 0 && !g->reached[s->joints[j].child])
            attach(g, s->joints[j].child, -1, &s->joints[j]);
    spread(g, 0);
    /* free roots, bodies first, since a point can hang on a body but not the other way round */
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->node_count; k++)
            if (!g->reached[k] && (pass == 1 || s->nodes[k].kind == OLO_NODE_FRAME)) {
                attach(g, k, -1, NULL);
                spread(g, g->count - 1);
            }
}

static bool number_unknowns(growth *g)
{
    olo_tree *tree = g->tree;
    const olo_system *s = tree->system;
    for (int k = 0; k < s->node_count; k++) {
        olo_tree_node *x = &tree->nodes[k];
        x->dof = x->type ? x->type->dof(&x->joint, s) : s->nodes[k].twist;
        x->u = tree->unknowns;
        tree->unknowns += x->dof;
    }
    tree->closures = olo_alloc((size_t)s->m, sizeof *tree->closures);
    if (!tree->closures)
        return false;
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        if (group->internal || group->carried || (group->joint >= 0 && g->used[group->joint]))
            continue;
        for (int row = 0; row < group->count; row++)
            tree->closures[tree->closure_count++] = group->first + row;
    }
    return true;
}

olo_status olo_tree_create(const olo_system *system, olo_tree **tree, olo_error *error)
{
    *tree = olo_alloc(1, sizeof **tree);
    growth g = {.tree = *tree};
    bool ok = *tree != NULL;
    if (ok) {
        (*tree)->system = system;
        (*tree)->nodes = olo_alloc((size_t)system->node_count, sizeof *(*tree)->nodes);
        (*tree)->order = olo_alloc((size_t)system->node_count, sizeof *(*tree)->order);
        g.reached = olo_alloc((size_t)system->node_count, sizeof *g.reached);
        g.used = olo_alloc((size_t)system->joint_count, sizeof *g.used);
        ok = (*tree)->nodes && (*tree)->order && g.reached && g.used && index_joints(&g);
    }
    if (ok) {
        grow_forest(&g);
        ok = number_unknowns(&g);
    }
    olo_free(g.reached);
    olo_free(g.used);
    olo_free(g.first);
    olo_free(g.list);
    if (ok)
        return OLO_OK;
    olo_tree_free(*tree);
    *tree = NULL;
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for the spanning tree");
}

void olo_tree_free(olo_tree *tree)
{
    if (!tree)
        return;
    olo_free(tree->nodes);
    olo_free(tree->order);
    olo_free(tree->closures);
    olo_free(tree);
}

/* --- motion --- */

void olo_node_move(const olo_node *node, const double *motion, const double *q0, double *dq,
                   double *qm, double *q1)
{
    vec3_copy(motion, dq);
    if (node->kind == OLO_NODE_FRAME) {
        double scale = cayley_scale(motion + 3);
        for (int I = 3; I < 12; I += 3)
            cayley_apply(motion + 3, scale, q0 + I, qm + I, dq + I);
        for (int i = 3; i < 12; i++)
            q1[i] = q0[i] + dq[i];
    }
    for (int i = 0; i < 3; i++) {
        qm[i] = q0[i] + 0.5 * dq[i];
        q1[i] = q0[i] + dq[i];
    }
}

/* a = 1/2 sum_I d^I x (d_I,1 - d_I,0) with the reciprocal triad of the midpoint */
void olo_node_cayley(const double *qm, const double *dq, double a[3])
{
    const double *d = qm + 3;
    double reciprocal[3], volume;
    vec3_cross(d + 3, d + 6, reciprocal);
    volume = vec3_dot(d, reciprocal);
    vec3_set(0, 0, 0, a);
    for (int I = 0; I < 3; I++) {
        vec3_cross(d + 3 * ((I + 1) % 3), d + 3 * ((I + 2) % 3), reciprocal);
        vec3_add_cross(reciprocal, dq + 3 * (I + 1), a);
    }
    for (int i = 0; i < 3; i++)
        a[i] *= 0.5 / volume;
}

olo_joint_view olo_tree_view(olo_tree *tree, int c, const olo_motion *x)
{
    const olo_system *s = tree->system;
    olo_tree_node *node = &tree->nodes[c];
    int q = s->nodes[c].q, p = node->parent;
    olo_joint_view view = {.joint = &node->joint,
                           .child_node = &s->nodes[c],
                           .child0 = x->q0 + q,
                           .child_m = x->qm + q,
                           .child1 = x->q1 + q,
                           .constants = node->constants};
    if (p >= 0) {
        view.parent_node = &s->nodes[p];
        view.parent0 = x->q0 + s->nodes[p].q;
        view.parent_m = x->qm + s->nodes[p].q;
        view.parent1 = x->q1 + s->nodes[p].q;
        view.parent_motion = x->motion + s->nodes[p].motion;
    }
    return view;
}

void olo_tree_begin(olo_tree *tree, const olo_motion *x)
{
    for (int k = 0; k < tree->system->node_count; k++) {
        if (!tree->nodes[k].type)
            continue;
        olo_joint_view view = olo_tree_view(tree, k, x);
        tree->nodes[k].type->begin(&view, tree->system);
    }
}

static void move_node(olo_tree *tree, int k, olo_motion *x)
{
    const olo_node *node = &tree->system->nodes[k];
    const olo_tree_node *t = &tree->nodes[k];
    double *motion = x->motion + node->motion;
    if (t->type) {
        olo_joint_view view = olo_tree_view(tree, k, x);
        t->type->move(&view, x->u + t->u, motion);
    } else {
        memcpy(motion, x->u + t->u, (size_t)node->twist * sizeof *motion);
    }
    olo_node_move(node, motion, x->q0 + node->q, x->dq + node->q, x->qm + node->q, x->q1 + node->q);
}

void olo_tree_predict(olo_tree *tree, olo_motion *x, const double *motion, double scale)
{
    const olo_system *s = tree->system;
    for (int i = 0; i < s->node_count; i++) {
        int k = tree->order[i];
        const olo_tree_node *t = &tree->nodes[k];
        double guess[6], *u = x->u + t->u;
        for (int j = 0; j < s->nodes[k].twist; j++)
            guess[j] = scale * motion[s->nodes[k].motion + j];
        if (t->type) {
            olo_joint_view view = olo_tree_view(tree, k, x);
            t->type->predict(&view, guess, u);
        } else {
            memcpy(u, guess, (size_t)t->dof * sizeof *u);
        }
        move_node(tree, k, x);
    }
}

void olo_tree_move(olo_tree *tree, olo_motion *x)
{
    for (int i = 0; i < tree->system->node_count; i++)
        move_node(tree, tree->order[i], x);
}
