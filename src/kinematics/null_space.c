/* The null space matrix of the tree applied to rows, P^T row, from leaf to root with the transposed
 * joint matrices:
 *
 *     W_c = P_int^T row + sum over children of A_k^T W_k,   reduced_c = B_c^T W_c.
 */
#include "kinematics/null_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/vec3.h"

enum { JOINT_NUMBERS = 9 * OLO_BLOCK_MAX * OLO_BLOCK_MAX };

struct olo_null_space {
    const olo_topology *topology;
    const double *q; /* configuration of P_int */
    bool discrete;
    olo_pool pool;  /* memory of the arrays below */
    double *joints; /* JOINT_NUMBERS per node */
    double *W;      /* [twists] */
    double *parts;  /* [2 nodes] sums of the magnitudes of the forces and moments in W, one per
                       three entries of a twist */
    double *unit;   /* [n] zero except for the entries of the current row */
    double *column; /* [unknowns] */
    int *position;  /* [nodes] index of a node in the order of the tree */
    int *list;      /* [nodes] positions of the nodes that a sparse row reaches */
    bool *listed;   /* [nodes] true if a position is on the list; all false between rows */
};

static olo_joint_blocks blocks_of(olo_null_space *space, int k)
{
    enum { SIZE = OLO_BLOCK_MAX * OLO_BLOCK_MAX };
    double *at = space->joints + (size_t)k * JOINT_NUMBERS;
    return (olo_joint_blocks){.A = at,
                              .A_hat = at + SIZE,
                              .B = at + 2 * SIZE,
                              .B_hat = at + 3 * SIZE,
                              .Ep = at + 4 * SIZE,
                              .Ec = at + 5 * SIZE,
                              .kp = at + 6 * SIZE,
                              .kc = at + 7 * SIZE,
                              .ku = at + 8 * SIZE};
}

olo_status olo_null_space_create(const olo_topology *topology, olo_null_space **space,
                                 olo_error *error)
{
    const olo_system *s = topology->system;
    const size_t nodes = (size_t)s->node_count;
    olo_null_space *x = *space = olo_alloc(1, sizeof *x);
    if (x) {
        const olo_array arrays[] = {{&x->joints, nodes * JOINT_NUMBERS},
                                    {&x->W, (size_t)s->twists},
                                    {&x->parts, 2 * nodes},
                                    {&x->unit, (size_t)s->n},
                                    {&x->column, (size_t)topology->unknowns}};
        x->topology = topology;
        x->position = olo_pool_alloc(&x->pool, nodes, sizeof *x->position);
        x->list = olo_pool_alloc(&x->pool, nodes, sizeof *x->list);
        x->listed = olo_pool_alloc(&x->pool, nodes, sizeof *x->listed);
        if (olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays)) {
            for (int i = 0; i < s->node_count; i++)
                x->position[topology->order[i]] = i;
            return OLO_OK;
        }
    }
    olo_null_space_free(x);
    *space = NULL;
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a null space");
}

void olo_null_space_free(olo_null_space *space)
{
    if (!space)
        return;
    olo_pool_free(&space->pool);
    olo_free(space);
}

void olo_null_space_at(olo_null_space *space, const olo_motion *x, bool discrete)
{
    const double no_wrench[OLO_NODE_TWIST_MAX] = {0};
    space->q = discrete ? olo_motion_left(x) : x->q1;
    space->discrete = discrete;
    for (int k = 0; k < space->topology->system->node_count; k++) {
        const olo_topology_node *t = &space->topology->nodes[k];
        if (!t->type)
            continue;
        olo_joint_view view = olo_motion_view(space->topology, k, x);
        olo_joint_blocks b = blocks_of(space, k);
        t->type->blocks(&view, no_wrench, &b, NULL);
    }
}

/* out = B^T W_k, and W of the parent += A^T W_k. */
static void pass_up(olo_null_space *space, int k, double *out)
{
    const olo_system *s = space->topology->system;
    const olo_topology_node *t = &space->topology->nodes[k];
    const double *W = space->W + s->nodes[k].motion;
    const int d = s->nodes[k].twist;
    if (!t->type) {
        memcpy(out, W, (size_t)d * sizeof *out);
        return;
    }
    olo_joint_blocks b = blocks_of(space, k);
    const double *B = space->discrete ? b.B_hat : b.B, *A = space->discrete ? b.A_hat : b.A;
    /* out = B^T W */
    for (int j = 0; j < t->dof; j++) {
        out[j] = 0;
        for (int l = 0; l < d; l++)
            out[j] += B[l * t->dof + j] * W[l];
    }
    if (t->parent < 0)
        return;
    /* W_p += A^T W */
    int p = s->nodes[t->parent].twist;
    double *parent = space->W + s->nodes[t->parent].motion;
    for (int l = 0; l < d; l++)
        for (int j = 0; j < p; j++)
            parent[j] += A[l * p + j] * W[l];
}

void olo_null_space_apply(olo_null_space *space, const double *row, double *reduced)
{
    const olo_system *s = space->topology->system;
    /* P_int^T row of all nodes, then leaf to root */
    for (int k = 0; k < s->node_count; k++)
        olo_node_wrench(&s->nodes[k], space->q, row, space->W + s->nodes[k].motion);
    for (int i = s->node_count - 1; i >= 0; i--) {
        int k = space->topology->order[i];
        pass_up(space, k, reduced + space->topology->nodes[k].u);
    }
}

/* Adds node k and its ancestors to the list, unless they are on it. */
static int list_ancestors(olo_null_space *space, int k, int count)
{
    for (; k >= 0 && !space->listed[space->position[k]]; k = space->topology->nodes[k].parent) {
        space->listed[space->position[k]] = true;
        space->list[count++] = space->position[k];
    }
    return count;
}

static int descending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

/* Puts the entries of a row into `unit`, and lists the nodes between the row and the ground,
 * children before parents; returns their number. */
static int list_nodes(olo_null_space *space, int size, const int *index, const double *gradient)
{
    const olo_system *s = space->topology->system;
    int count = 0;
    for (int i = 0; i < size; i++) {
        space->unit[index[i]] = gradient[i];
        count = list_ancestors(space, s->coordinates[index[i]].node, count);
    }
    qsort(space->list, (size_t)count, sizeof *space->list, descending);
    return count;
}

int olo_null_space_apply_sparse(olo_null_space *space, int size, const int *index,
                                const double *gradient, int *column, double *value)
{
    const olo_system *s = space->topology->system;
    const int count = list_nodes(space, size, index, gradient);
    int entries = 0;
    /* wrenches of the row, then passed from leaf to root */
    for (int i = 0; i < count; i++) {
        const olo_node *node = &s->nodes[space->topology->order[space->list[i]]];
        olo_node_wrench(node, space->q, space->unit, space->W + node->motion);
    }
    for (int i = 0; i < count; i++) {
        const int k = space->topology->order[space->list[i]];
        const olo_topology_node *t = &space->topology->nodes[k];
        pass_up(space, k, value + entries);
        for (int j = 0; j < t->dof; j++)
            column[entries++] = t->u + j;
        space->listed[space->list[i]] = false;
    }
    for (int i = 0; i < size; i++)
        space->unit[index[i]] = 0;
    return entries;
}

/* Magnitudes of force and moment of a node. */
static void node_parts(const olo_system *s, const olo_node *node, const double *q,
                       const double *row, double parts[2])
{
    parts[0] = parts[1] = 0;
    for (int i = node->q; i < node->q + node->size; i += node->type->width) {
        const olo_coordinate *c = &s->coordinates[i];
        parts[c->twist / 3] += (c->slot > 0 ? vec3_norm(q + i) : 1.0) * olo_vector_size(s, row, i);
    }
}

/* The norm of the longest of some columns of a matrix, in the rows from .. from + 2. */
static double longest(const double *matrix, int columns, int from, int first, int count)
{
    double most = 0;
    for (int j = first; j < first + count; j++) {
        double column[3];
        for (int i = 0; i < 3; i++)
            column[i] = matrix[(from + i) * columns + j];
        most = fmax(most, vec3_norm(column));
    }
    return most;
}

/* As pass_up, with magnitudes. */
static void pass_parts_up(olo_null_space *space, int k, double *out)
{
    const olo_system *s = space->topology->system;
    const olo_topology_node *t = &space->topology->nodes[k];
    const double *parts = space->parts + 2 * k;
    const int d = s->nodes[k].twist;
    olo_joint_blocks b = blocks_of(space, k);
    const double *B = space->discrete ? b.B_hat : b.B, *A = space->discrete ? b.A_hat : b.A;
    for (int j = 0; j < t->dof; j++) {
        out[j] = t->type ? 0 : parts[j / 3];
        for (int from = 0; t->type && from < d; from += 3)
            out[j] += longest(B, t->dof, from, j, 1) * parts[from / 3];
    }
    if (!t->type || t->parent < 0)
        return;
    int p = s->nodes[t->parent].twist;
    for (int to = 0; to < p; to += 3)
        for (int from = 0; from < d; from += 3)
            space->parts[2 * t->parent + to / 3] += longest(A, p, from, to, 3) * parts[from / 3];
}

void olo_null_space_parts(olo_null_space *space, int size, const int *index, const double *gradient,
                          double *parts)
{
    const olo_system *s = space->topology->system;
    const int count = list_nodes(space, size, index, gradient);
    int entries = 0;
    for (int i = 0; i < count; i++) {
        const int k = space->topology->order[space->list[i]];
        node_parts(s, &s->nodes[k], space->q, space->unit, space->parts + 2 * k);
    }
    for (int i = 0; i < count; i++) {
        const int k = space->topology->order[space->list[i]];
        pass_parts_up(space, k, parts + entries);
        entries += space->topology->nodes[k].dof;
        space->listed[space->list[i]] = false;
    }
    for (int i = 0; i < size; i++)
        space->unit[index[i]] = 0;
}

void olo_null_space_matrix(olo_null_space *space, double *transposed)
{
    size_t n = (size_t)space->topology->system->n, unknowns = (size_t)space->topology->unknowns;
    for (size_t i = 0; i < n; i++) {
        space->unit[i] = 1;
        olo_null_space_apply(space, space->unit, space->column);
        space->unit[i] = 0;
        for (size_t j = 0; j < unknowns; j++)
            transposed[j * n + i] = space->column[j];
    }
}
