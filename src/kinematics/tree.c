/* Spanning forest and motion. The forest grows breadth first from the ground, then from free nodes. */
#include "kinematics/tree.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "elements/joint_pair.h"
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

/* Free in the plane of a planar model. */
static olo_articulation planar_joint(const olo_system *s)
{
    olo_articulation joint = {
        .type = &olo_joint_pair, .group = -1, .translations = 3, .rotations = 1};
    vec3_transversals(s->plane, joint.parent_axes, joint.parent_axes + 3);
    vec3_copy(s->plane, joint.parent_axes + 6);
    return joint;
}

static void attach(growth *g, int node, int parent, const olo_articulation *joint)
{
    olo_tree_node *x = &g->tree->nodes[node];
    const olo_system *s = g->tree->system;
    if (joint) {
        x->joint = *joint;
        g->used[joint - s->joints] = true;
        if (joint->child != node)
            joint->type->reverse(&x->joint);
    } else if (s->planar) {
        x->joint = planar_joint(s);
        /* in its own plane; the normal in the child, where rotation columns take it from */
        for (int i = 0; i < 3; i++)
            x->joint.parent_point[i] = s->plane[i] * vec3_dot(s->plane, s->q0 + s->nodes[node].q);
        if (s->nodes[node].kind == OLO_NODE_FRAME)
            for (int I = 0; I < 3; I++)
                x->joint.child_axes[6 + I] =
                    vec3_dot(s->plane, s->q0 + s->nodes[node].q + 3 * (I + 1));
    }
    x->parent = parent;
    x->type = x->joint.type;
    x->joint.parent = parent;
    x->joint.child = node;
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
            const olo_articulation *joint = &s->joints[g->list[k]];
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
    tree->closure_blocks = olo_alloc((size_t)s->m, sizeof *tree->closure_blocks);
    if (!tree->closures || !tree->closure_blocks)
        return false;
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        if (group->internal || group->carried || (group->joint >= 0 && g->used[group->joint]))
            continue;
        for (int row = 0; row < group->count; row += OLO_BLOCK_MAX) {
            int left = group->count - row;
            olo_closure *closure = &tree->closure_blocks[tree->closure_block_count++];
            closure->first = group->first + row;
            closure->count = left < OLO_BLOCK_MAX ? left : OLO_BLOCK_MAX;
            closure->u = tree->closure_count;
            for (int j = 0; j < closure->count; j++)
                tree->closures[tree->closure_count++] = closure->first + j;
        }
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
    olo_free(tree->closure_blocks);
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

/* The ground as a frame at rest. */
static const double ground_frame[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double ground_motion[6] = {0};

olo_joint_view olo_tree_view(olo_tree *tree, int c, const olo_motion *x)
{
    const olo_system *s = tree->system;
    olo_tree_node *node = &tree->nodes[c];
    const double *left = olo_motion_left(x);
    int q = s->nodes[c].q, p = node->parent;
    olo_joint_view view = {.joint = &node->joint,
                           .child_node = &s->nodes[c],
                           .child0 = x->q0 + q,
                           .child_m = x->qm + q,
                           .child1 = x->q1 + q,
                           .child_left = left + q,
                           .child_motion = x->motion + s->nodes[c].motion,
                           .constants = node->constants};
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

void olo_tree_begin(olo_tree *tree, const olo_motion *x)
{
    for (int k = 0; k < tree->system->node_count; k++) {
        if (!tree->nodes[k].type || !tree->nodes[k].type->begin)
            continue;
        olo_joint_view view = olo_tree_view(tree, k, x);
        tree->nodes[k].type->begin(&view, tree->system);
    }
}

static void place_node(const olo_node *node, const olo_motion *x)
{
    olo_node_move(node, x->motion + node->motion, x->q0 + node->q, x->dq + node->q, x->qm + node->q,
                  x->q1 + node->q);
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
    place_node(node, x);
}

void olo_tree_place(const olo_tree *tree, olo_motion *x, const double *motion)
{
    const olo_system *s = tree->system;
    memcpy(x->motion, motion, (size_t)s->twists * sizeof *motion);
    for (int k = 0; k < s->node_count; k++)
        place_node(&s->nodes[k], x);
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

void olo_tree_update(const olo_tree *tree, int c, olo_motion *x, const double *twist)
{
    const olo_node *node = &tree->system->nodes[c];
    double *motion = x->motion + node->motion;
    vec3_add(1.0, twist, motion);
    if (node->kind == OLO_NODE_FRAME)
        cayley_update(motion + 3, twist + 3);
    place_node(node, x);
}

/* D += 1/2 D (I - D^T D), the first step to the nearest orthonormal triad, and a small rotation */
static void correct_directors(const double *d, const double turn[3], double *rest)
{
    double error[9];
    for (int I = 0; I < 3; I++)
        for (int J = I; J < 3; J++)
            error[3 * I + J] = error[3 * J + I] =
                0.5 * ((I == J ? 1.0 : 0.0) - vec3_dot(d + 3 * I, d + 3 * J));
    for (int I = 0; I < 3; I++) {
        for (int J = 0; J < 3; J++)
            vec3_add(error[3 * I + J], d + 3 * J, rest + 3 * I);
        vec3_add_cross(turn, d + 3 * I, rest + 3 * I);
    }
}

void olo_tree_settle(olo_tree *tree, const olo_motion *x, double *q, double *rest)
{
    const olo_system *s = tree->system;
    for (int i = 0; i < s->node_count; i++) {
        int k = tree->order[i];
        const olo_node *node = &s->nodes[k];
        const olo_tree_node *t = &tree->nodes[k];
        double shift[3] = {0, 0, 0}, turn[3] = {0, 0, 0};
        if (t->type && t->type->close) {
            olo_joint_view view = olo_tree_view(tree, k, x);
            const double *parent = t->parent < 0 ? ground_frame : q + s->nodes[t->parent].q;
            t->type->close(&view, parent, q + node->q, shift, turn);
        }
        if (node->kind == OLO_NODE_FRAME)
            correct_directors(q + node->q + 3, turn, rest + node->q + 3);
        vec3_add(1.0, shift, rest + node->q);
        for (int j = node->q; j < node->q + node->size; j++) {
            double sum = q[j] + rest[j];
            rest[j] -= sum - q[j];
            q[j] = sum;
        }
    }
}
