/* Constraint rows g(q, t) = 0.
 *
 *     form       g = e(q), a quadratic form (constraint_form.c): rigid bodies, joints
 *     relation   g = c + sum a_i x_i(q) - f(t) of joint coordinates x_i and a prescribed motion f
 *                (constraint_relation.c): gears, screws, mimics, prescribed motions
 *     height     g = n.(x - o) - r sigma, the centre of a disc or ball above its plane
 *                (constraint_rolling.c)
 *     rolling    no g, only d(q0, q1) with d.dq = 0: a velocity row (constraint_rolling.c)
 *
 * Over a step every kind of row with a g has a discrete gradient d with
 *
 *     d.dq = g(q1, t) - g(q0, t)   exactly.
 *
 * The force of a multiplier is -lambda d; its only work is -lambda (f(t1) - f(t0)), the work of a
 * prescribed motion. A kind of row is a constant table of functions in its own file.
 */
#ifndef OLO_SYSTEM_CONSTRAINT_H
#define OLO_SYSTEM_CONSTRAINT_H

#include <stdbool.h>
#include <string.h>

#include "system/action.h"
#include "system/form.h"
#include "system/term.h"

/* A configuration and a time. `angles` as in an interval: may be NULL. */
typedef struct olo_at {
    const double *q, *angles;
    double t;
} olo_at;

typedef struct olo_constraint olo_constraint;

enum { OLO_CONSTRAINT_NUMBERS = 32 }; /* most numbers in `data` */

typedef struct olo_constraint_type {
    const char *name;
    bool velocity; /* no g: value and magnitude are NULL, the gradient is d(q, q) */
    double (*value)(const olo_constraint *row, const olo_at *at);
    /* Sum of the magnitudes of the terms of g, to which the rounding of its value is relative. */
    double (*magnitude)(const olo_constraint *row, const olo_at *at);
    /* gradient[size] in q */
    void (*gradient)(const olo_constraint *row, const olo_at *at, double *gradient);
    /* d[size]; tangent[size*size] = dd/dq1 unless NULL */
    void (*discrete)(const olo_constraint *row, const olo_interval *x, double *d, double *tangent);
    /* Of a sum of joint coordinates, for share i: adds its part of d, whose stress and derivative
     * go to `law`, see olo_term_stress. NULL: the row is no such sum. */
    void (*stress)(const olo_constraint *row, const olo_interval *x, int share, double *d,
                   olo_law_over *law);
    /* dd/dq0, row-major, and the Hessian of g at a configuration, for derivatives of runs. NULL:
     * there is none. `hessian` of a velocity row is the matrix H with d(d(q, q).v)/dq = H v. */
    void (*start_tangent)(const olo_constraint *row, const olo_interval *x, double *tangent);
    void (*hessian)(const olo_constraint *row, const olo_at *at, double *hessian);
    /* Contracted second derivatives: d2(y.d)/dq_a dq_b over a step with a and b 0 or 1, the row
     * index in slot a; and d2(y.grad g)/dq dq at a configuration. NULL: they vanish. */
    void (*second)(const olo_constraint *row, const olo_interval *x, const double *y, int a, int b,
                   double *matrix);
    void (*third)(const olo_constraint *row, const olo_at *at, const double *y, double *matrix);
    /* Of a velocity row: a[size] of rate_interval.h, from the velocities at both ends. */
    void (*rate_gradient)(const olo_constraint *row, const olo_interval *x, const double *v0,
                          const double *v1, double *a);
    /* Its derivatives with respect to q0 or q1 (slot 0 or 1), and to v0 or v1. */
    void (*rate_gradient_by)(const olo_constraint *row, const olo_interval *x, const double *v0,
                             const double *v1, int slot, double *matrix);
    void (*rate_gradient_by_velocity)(const olo_constraint *row, const olo_interval *x, int slot,
                                      double *matrix);
    /* `data` is an array of this many numbers, which parameters may change; 0: none. g and d are
     * affine in the first of them, which have derivatives. */
    int numbers, affine;
    /* The reason why the row is not valid over a step; NULL: it is valid. The entry may be NULL. */
    const char *(*objection)(const olo_constraint *row, const olo_interval *x);
} olo_constraint_type;

/* A joint coordinate in a relation. */
typedef struct olo_share {
    double factor;
    const olo_term *coordinate;
    const int *slot; /* [coordinate->size] local index in the row of each of its coordinates */
} olo_share;

struct olo_constraint {
    const olo_constraint_type *type;
    int size;
    const int *index;     /* [size] ascending indices into q */
    bool curved;          /* d depends on q1 */
    const olo_form *form; /* of a form, else NULL */
    int share_count;      /* of a relation */
    const olo_share *shares;
    double constant;
    const void *data;       /* of other kinds; it lives as long as the system */
    olo_time_function time; /* owned by the system; value NULL: no prescribed motion */
};

extern const olo_constraint_type olo_constraint_form, olo_constraint_relation,
    olo_constraint_height, olo_constraint_rolling;

/* All kinds by number, NULL after the last. */
const olo_constraint_type *olo_constraint_type_number(int number);

static inline double olo_constraint_value(const olo_constraint *row, const olo_at *at)
{
    return row->type->velocity ? 0.0 : row->type->value(row, at);
}

static inline double olo_constraint_magnitude(const olo_constraint *row, const olo_at *at)
{
    return row->type->velocity ? 0.0 : row->type->magnitude(row, at);
}

static inline void olo_constraint_gradient(const olo_constraint *row, const olo_at *at,
                                           double *gradient)
{
    row->type->gradient(row, at, gradient);
}

/* The row with another value of one of the numbers in its data; `memory` is its data then. */
static inline olo_constraint olo_constraint_with(const olo_constraint *row, int number,
                                                 double value,
                                                 double memory[OLO_CONSTRAINT_NUMBERS])
{
    olo_constraint changed = *row;
    memcpy(memory, row->data, (size_t)row->type->numbers * sizeof *memory);
    memory[number] = value;
    changed.data = memory;
    return changed;
}

/* True if the row has a prescribed motion. */
static inline bool olo_constraint_moves(const olo_constraint *row)
{
    return row->time.value != NULL;
}

/* The prescribed motion f(t) and its rate; zero without one. */
static inline double olo_constraint_motion(const olo_constraint *row, double t)
{
    return olo_constraint_moves(row) ? row->time.value(row->time.context, t) : 0;
}

static inline double olo_constraint_motion_rate(const olo_constraint *row, double t)
{
    return olo_constraint_moves(row) ? olo_time_rate(&row->time, t) : 0;
}

/* local[size] = the coordinates of the row in a vector of all n */
static inline void olo_constraint_gather(const olo_constraint *row, const double *all,
                                         double *local)
{
    for (int i = 0; i < row->size; i++)
        local[i] = all[row->index[i]];
}

#endif
