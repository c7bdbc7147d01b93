/* Nodes and their types.
 *
 * A node is the smallest part of the configuration q: a point (3 numbers), a frame (a position and
 * three directors, 12 numbers), a triad (three directors, 9 numbers), or a scalar (1 number). Its
 * type is a constant table in its own file (node_point.c, node_frame.c, ...) that describes it to
 * the rest of the library:
 *
 *     q       its coordinates, in vectors: a position, or directors; a scalar is a vector of one
 *             number, without a direction in space
 *     twist   its velocity without redundancy; v = P_int(q) t
 *     motion  its increment over a step, with as many numbers as the twist. A type computes dq, the
 *             midpoint q_m and q1 from it and never subtracts states:
 *             for a position      dx,                      x_m = x0 + dx/2,
 *             for directors       dd_I = a x d_I,m         (linalg/rotation.h)
 *     rows    its internal constraints, with G_int(q) P_int(q) = 0
 *
 * Functions take pointers to the coordinates of the node. A new type is one new file, and one line
 * in the registry (node.c) if model or result files name it. Joints, loads and the kernels for
 * frames require `spatial`.
 */
#ifndef OLO_SYSTEM_NODE_H
#define OLO_SYSTEM_NODE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "linalg/vec3.h"
#include "system/form_builder.h"

/* Largest numbers of coordinates, of entries of a twist and of multipliers of internal rows. */
enum { OLO_NODE_SIZE_MAX = 12, OLO_NODE_TWIST_MAX = 6, OLO_NODE_MULTIPLIERS = 9 };

/* Internal constraints of a node. The functions take pointers to the first coordinate of the rows.
 * Lambda denotes the multipliers of all rows, H(Lambda) the constant Hessian of Lambda . g. */
typedef struct olo_internal_rows {
    int count;
    /* Row `row` as a form, for coordinates that start at q[first]. */
    void (*add)(int row, int first, olo_form_builder *form);
    /* The Lambda that balances the force F along the rows, F + H(Lambda) q = 0; and the transposed
     * map. */
    void (*balance)(const double *q, const double *F, double *Lambda);
    void (*balance_transposed)(const double *q, const double *Lambda, double *F);
    /* out += factor H(Lambda) w;   Lambda = factor d(out . H(Lambda) w)/dLambda */
    void (*add_hessian)(const double *Lambda, double factor, const double *w, double *out);
    void (*hessian_transposed)(double factor, const double *out, const double *w, double *Lambda);
    /* The dv with which G v = 0 remains satisfied when q changes by dq; and the transposed map,
     * added to `to`. */
    void (*follow)(const double *q, const double *v, const double *dq, double *dv);
    void (*follow_transposed)(const double *q, const double *v, const double *dv, double *to);
} olo_internal_rows;

typedef struct olo_node_type {
    const char *name; /* in result files */
    int size;         /* coordinates */
    int width;        /* coordinates of each of its vectors: 3 in space, 1 of a scalar */
    int twist;        /* entries of the twist */
    int position;     /* the first coordinate of its position, -1: it has none */
    int directors;    /* the first coordinate of its three directors, -1: it has none */
    int translation;  /* the first of three translational entries of the twist, -1: none */
    int rotation;     /* the first of three rotational entries of the twist, -1: none */
    bool spatial;     /* a frame: a position, then directors; a translation, then a rotation */
    bool packed;      /* a position, or directors, or both, that move as above: four at once */
    const olo_internal_rows *rows; /* of the directors; NULL: none */

    /* dq, qm and q1 from the motion; and the motion from dq. */
    void (*move)(const double *motion, const double *q0, double *dq, double *qm, double *q1);
    void (*motion)(const double *qm, const double *dq, double *motion);
    /* Adds a twist at q1 to the motion. */
    void (*update)(const double *twist, double *motion);

    /* v = P_int(q) twist;   wrench += P_int(q)^T force;   the twist from v */
    void (*velocity)(const double *q, const double *twist, double *v);
    void (*add_wrench)(const double *q, const double *force, double *wrench);
    void (*twist_of)(const double *q, const double *v, double *twist);
    /* S[twist x twist] += the derivative of P_int(q_m)^T T with respect to the twist at q1; NULL:
     * P_int is constant */
    void (*add_variation)(const double *q1, const double *T, double *S);

    /* Adds to the rounding remainder of q the correction that satisfies the internal rows, and a
     * small shift and rotation. */
    void (*settle)(const double *q, const double shift[3], const double turn[3], double *remainder);
} olo_node_type;

extern const olo_node_type olo_node_point, olo_node_frame, olo_node_triad, olo_node_scalar;

/* The type with this name, NULL if there is none. */
const olo_node_type *olo_node_type_find(const char *name);

typedef struct olo_node {
    const char *name;
    const olo_node_type *type;
    int q;            /* its first coordinate */
    int size;         /* coordinates, as its type has */
    int twist;        /* size of its twist, as its type has */
    int motion;       /* its first entry among all twists */
    bool placed;      /* its position is given, or a support or joint has fixed it */
    bool section;     /* a cross-section of a beam */
    double center[3]; /* centre of mass in the frame */
    int base;         /* of a point in relative coordinates: the node of their origin, else -1 */
    int frame;        /* of a frame with its own mass: its index in system->frames, else -1 */
} olo_node;

/* The node, vector (0 position, 1..3 directors, OLO_SLOT_SCALAR) and axis of a coordinate, the
 * first of the entries of the twist of the node that move this vector, and its width. */
enum { OLO_SLOT_SCALAR = -1 };
typedef struct olo_coordinate {
    int node, slot, axis, twist, width;
} olo_coordinate;

/* Coordinate i of a node of the given type. */
olo_coordinate olo_node_coordinate(const olo_node_type *type, int node, int i);

/* wrench[twist] = P_int(q)^T row of one node; q and row are vectors over all coordinates. */
static inline void olo_node_wrench(const olo_node *node, const double *q, const double *row,
                                   double *wrench)
{
    for (int i = 0; i < node->twist; i++)
        wrench[i] = 0;
    node->type->add_wrench(q + node->q, row + node->q, wrench);
}

/* dx, x_m and x1 of a position after a displacement */
static inline void olo_node_displace(const double *restrict displacement, const double *restrict x0,
                                     double *restrict dx, double *restrict xm, double *restrict x1)
{
    for (int i = 0; i < 3; i++) {
        dx[i] = displacement[i];
        xm[i] = x0[i] + 0.5 * displacement[i];
        x1[i] = x0[i] + displacement[i];
    }
}

/* Pointer to the position of the node in q (or to its velocity in v), NULL if it has none. */
static inline const double *olo_node_position(const olo_node *node, const double *q)
{
    return node->type->position < 0 ? NULL : q + node->q + node->type->position;
}

/* True if the node can rotate: a body or a section of a beam. False for a point. */
static inline bool olo_node_turns(const olo_node *node)
{
    return node->type->rotation >= 0;
}

/* Norm of the translation in a twist or motion, and norm of what has no length: the rotation, or
 * the change of a scalar. */
static inline double olo_node_shift_size(const olo_node *node, const double *twist)
{
    const int at = node->type->translation;
    return at < 0 ? 0.0 : vec3_norm(twist + at);
}

static inline double olo_node_turn_size(const olo_node *node, const double *twist)
{
    const int at = node->type->rotation;
    if (node->type->width == 1)
        return fabs(twist[0]);
    return at < 0 ? 0.0 : vec3_norm(twist + at);
}

#endif
