/* Measures: scalars m(q, v) of a state that goals of derivatives (stepping/objective.c) and costs
 * and conditions of optimal control (control/problem.c) refer to by name, with exact first and
 * second derivatives. With an output or body X, a body B, a joint coordinate C, and a direction n:
 *
 *     X.position, X.velocity     n.x(q), n.x'(v)
 *     B.momentum                 n.sum m v over B; `momentum`: of the whole system
 *     B.angular_momentum         n.sum x x m v over B, about the origin; `angular_momentum`: of all
 *     B.angular_velocity         n.omega
 *     C, C.rate                  a joint coordinate and its rate
 *     distance(X, Y)             |x_X - x_Y|
 *     kinetic, potential         energies; strain is part of the potential; `energy` is their sum
 *     an expression of these     tip.position.x^2 + 3*hinge.angle
 *
 * The ending .x, .y or .z instead of a direction is a component: tip.position.y. In an expression a
 * name that is no identifier is written between quotation marks: 2*'link-1.angle'.
 *
 * A kind of measure is a constant table (quantity_kinds.h). A measure contains work space and
 * belongs to one thread. */
#ifndef OLO_SYSTEM_QUANTITY_H
#define OLO_SYSTEM_QUANTITY_H

#include "base/expression.h"
#include "base/pool.h"
#include "system/coefficients.h"
#include "system/system.h"

/* A state; `angles` as in an interval, may be NULL. */
typedef struct olo_quantity_at {
    const double *q, *v, *angles;
} olo_quantity_at;

/* The arguments of a measure. */
typedef enum olo_quantity_slot { OLO_QUANTITY_Q, OLO_QUANTITY_V } olo_quantity_slot;

/* Receives second derivatives: d2m over number i of slot a and number j of slot b. Of two entries
 * that are equal by symmetry one is given; (a, i) and (b, j) may be the same. */
typedef struct olo_quantity_sink {
    void (*put)(void *context, olo_quantity_slot a, int i, olo_quantity_slot b, int j,
                double value);
    void *context;
} olo_quantity_sink;

typedef struct olo_quantity_type olo_quantity_type;

typedef struct olo_quantity {
    const olo_quantity_type *type;
    const olo_system *system;
    const char *name; /* in the pool, or of the system */
    bool uses_q, uses_v;
    int size;
    const int *index; /* [size] coordinates; one may occur several times */
    int number;       /* of its output, joint coordinate or node; -1: none or the whole system */
    int other;        /* of the second output of a distance */
    double direction[3];
    double constant;
    double *weight; /* [size] of a linear measure */
    int turn_count;
    struct olo_quantity_turn *turns; /* of a bilinear measure */
    double *work;
    int part_count; /* of an expression: */
    struct olo_quantity *parts;
    int *first; /* [parts] the first number of each part in `index` */
    olo_expression *expression;
} olo_quantity;

/* A measure by its name, which is copied. Memory is taken from the pool. Fails with the
 * measures that exist, or if there is no direction and one is needed. */
olo_status olo_quantity_find(const olo_system *system, const char *name, const double direction[3],
                             olo_pool *pool, olo_quantity *measure, olo_error *error);
enum { OLO_ORIENTATION_SIZE = 6 };
/* Component k of 1/2 vee(R_t^T R - R^T R_t), the axis of the rotation of a body from the
 * orientation R_t times the sine of its angle: all three vanish at R = R_t, and half a turn from
 * it. `target` is R_t, row-major. */
olo_status olo_quantity_orientation(const olo_system *system, const char *body,
                                    const double target[9], int k, olo_pool *pool,
                                    olo_quantity *measure, olo_error *error);
/* The directors of its body at q, nine numbers; then replaces R_t. */
const double *olo_quantity_directors(const olo_quantity *measure, const double *q);
void olo_quantity_set_orientation(olo_quantity *measure, const double target[9], int k);
/* Frees what is not in the pool. */
void olo_quantity_free(olo_quantity *measure);

/* m and, unless NULL, its derivatives gq[size] and gv[size]. */
double olo_quantity_value(const olo_quantity *measure, const olo_quantity_at *at, double *gq,
                          double *gv);
/* Gives factor times the second derivatives to the sink. With `at` NULL the same entries in the
 * same order, all zero. */
void olo_quantity_second(const olo_quantity *measure, const olo_quantity_at *at, double factor,
                         const olo_quantity_sink *sink);
/* The explicit derivative with respect to a coefficient of the system. */
double olo_quantity_by_coefficient(const olo_quantity *measure, const olo_quantity_at *at,
                                   const olo_coefficient *coefficient);
/* Whether both are the same joint coordinate. */
bool olo_quantity_is_same_coordinate(const olo_quantity *a, const olo_quantity *b);

#endif
