/* The coordinates of a piece as 3-vectors, and quadratic forms as scalar products of them. The
 * projection of a vector g of the piece to twists is then, for each 3-vector v of a node,
 *
 *     P_int^T g = g_v   for a position,    d x g_v   for a director d,
 *
 * and that of a v_i . v_j, between rows at `left` and columns at `right`, the block
 *
 *     a times  I,   -d^ (right),   d^ (left),   (d_left . d_right) I - d_right (x) d_left.
 *
 * Products of coordinates that are not part of a scalar product remain single. A plan is made once
 * per piece. */
#ifndef OLO_STEPPING_TWIST_PLAN_H
#define OLO_STEPPING_TWIST_PLAN_H

#include <stdbool.h>

#include "base/pool.h"
#include "kinematics/topology.h"

/* A vector of a node. */
typedef struct olo_plan_vector {
    int q;        /* first coordinate */
    int local[3]; /* position of its coordinates in the piece, -1: the piece does not have them */
    int node;     /* among the nodes of the piece */
    int twist;    /* first component in the twist of the node */
    int offset;   /* the same in the twists of the piece */
    bool turns;   /* a director */
    int width;    /* 3, or 1 of a scalar */
} olo_plan_vector;

/* a v_i . v_j, v_i and v_j different or the same */
typedef struct olo_plan_pair {
    int form, i, j;
    double a;
} olo_plan_pair;

/* a q_i q_j, with the vectors and axes of both coordinates */
typedef struct olo_plan_single {
    int form, i, j, axis_i, axis_j;
    double a;
} olo_plan_single;

typedef struct olo_twist_plan {
    int twists;
    int vector_count, pair_count, single_count;
    olo_plan_vector *vectors;
    olo_plan_pair *pairs;
    olo_plan_single *singles;
} olo_twist_plan;

/* The plan of the coordinates `index` of nodes of `coupling`, and of `forms` forms over them.
 * False: no memory. */
bool olo_twist_plan_create(const olo_system *system, int size, const int *index,
                           const olo_coupling *coupling, int forms, const olo_form *form,
                           olo_pool *pool, olo_twist_plan *plan);

/* twists = P_int(q)^T g; g[size of the piece] */
void olo_twist_project(const olo_twist_plan *plan, const double *q, const double *g,
                       double *twists);

/* The block of m v_i . v_j, added to K, whose rows are `row` numbers apart. */
void olo_twist_add_pair(double m, bool turns_i, bool turns_j, const double *left,
                        const double *right, int row, double *K);

#endif
