/* Actions: external forces and moments that do work. Over a step an action gives generalised
 * forces f on the coordinates `index`. Its magnitude (a factor over time, a user function, the
 * force along a joint coordinate) belongs to the step: it is evaluated at the middle in time and
 * configuration. Its vector (directors, levers, the gradient of a coordinate) is evaluated where
 * the interval says (olo_acting): between both configurations, where the work is f . dq exactly and
 * f enters the balance as -h f; or at the nodes, where one half of it acts on either,
 *
 *     f^- = h/2 B(q0)^T tau,     f^+ = h/2 B(q1)^T tau.
 *
 * A kind of action is a constant table of functions in its own file (action_*.c).
 */
#ifndef OLO_SYSTEM_ACTION_H
#define OLO_SYSTEM_ACTION_H

#include <math.h>
#include <stdbool.h>

#include "oloid/elements.h"
#include "system/position.h"
#include "system/term.h"
#include "system/time_function.h"

enum { OLO_ACTION_SIZE_MAX = OLO_FORM_SIZE_MAX, OLO_ACTION_MEASURES_MAX = 8 };

typedef struct olo_action olo_action;

/* A measure of an action: a scalar x(q) on which its magnitude depends, such as a joint coordinate,
 * a length or a coordinate of a point. */
typedef struct olo_action_measure {
    const olo_term *term; /* its energy is x */
    const int *local; /* [term->size] its coordinates among those of the action; NULL: 0, 1, ... */
} olo_action_measure;

/* The magnitude of an action as a function of z = (t, x_1, v_1, x_2, v_2, ...): the time, its
 * measures and their rates, at the middle of a step. */
typedef struct olo_action_law {
    int measures;
    const void *context;
    /* E(z), and unless NULL first[1 + 2 measures] and all entries of the symmetric second */
    double (*value)(const void *context, const double *z, double *first, double *second);
    /* Writes the change of E for a direction of the parameters; false if E depends on none of them.
     */
    bool (*by_parameters)(const void *context, const double *z, const double *direction,
                          double *by);
} olo_action_law;
enum { OLO_ACTION_ARGUMENTS_MAX = 1 + 2 * OLO_ACTION_MEASURES_MAX };

/* A scalar F of a step with its derivatives, indexed by olo_slot: with respect to the values of its
 * first measure at q0 and q1, the step h, the time t and the input; those of other measures follow
 * (olo_scalar_index). */
enum { OLO_SCALAR_ARGUMENTS = OLO_SLOTS + 2 * (OLO_ACTION_MEASURES_MAX - 1) };
typedef struct olo_action_scalar {
    double value;
    double first[OLO_SCALAR_ARGUMENTS];
    double second[OLO_SCALAR_ARGUMENTS][OLO_SCALAR_ARGUMENTS]; /* symmetric, all entries stored */
} olo_action_scalar;

/* The argument of measure i at a configuration; for other slots i is 0. */
static inline int olo_scalar_index(olo_slot a, int i)
{
    return i == 0 ? (int)a : OLO_SLOTS + 2 * (i - 1) + (int)a;
}

/* The vector p[size] that the scalar multiplies, where the interval says: p(q0, q1), p(q0) or
 * p(q1).
 */
typedef struct olo_action_pattern {
    void (*value)(const olo_action *action, const olo_interval *x, double *p);
    /* dp/dq0 (a = 0) or dp/dq1 (1); NULL: p is constant */
    void (*first)(const olo_action *action, const olo_interval *x, int a, double *matrix);
    /* d2(y.p)/dq_a dq_b; NULL: p is at most linear */
    void (*second)(const olo_action *action, const olo_interval *x, const double *y, int a, int b,
                   double *matrix);
} olo_action_pattern;

/* A joint coordinate over a step: value at the midpoint, rate, and difference x1 - x0. */
typedef struct olo_coordinate_motion {
    double x, rate, change;
} olo_coordinate_motion;

static inline olo_coordinate_motion olo_coordinate_moves(double start, double change, double h)
{
    return (olo_coordinate_motion){start + 0.5 * change, change / h, change};
}

/* The force F along a joint coordinate, and unless NULL its derivative F_1 = dF/dx1. */
typedef double olo_force_law(const olo_action *action, const olo_interval *x,
                             olo_coordinate_motion m, double *F_1);

typedef struct olo_action_type {
    const char *name;
    /* f[size]; tangent[size*size] = df/dq1 unless NULL */
    void (*force)(const olo_action *action, const olo_interval *x, double *f, double *tangent);
    /* The same as stress of its coordinate and the derivative of the stress with respect to the
     * invariants at q1, for actions along a joint coordinate; else NULL. */
    void (*stress)(const olo_action *action, const olo_interval *x, double *f, olo_law_over *law);
    olo_force_law *along; /* its scalar force along that coordinate, else NULL */
    /* Almost every action is f = F p; all its derivatives follow from those of F and p. */
    void (*scalar)(const olo_action *action, const olo_interval *x, olo_action_scalar *F);
    const olo_action_pattern *pattern;
    /* Of the other actions: df/da[size x width]. Their second derivatives are not known. */
    void (*first)(const olo_action *action, const olo_interval *x, olo_slot a, double *matrix);
    /* df[size] with respect to the weight of one slot of its position; NULL: f is affine in it */
    void (*by_weight)(const olo_action *action, const olo_interval *x, int slot, double *df);
    /* f[size] of a unit of input `index` at rest. Returns the key of the element that the input
     * stands for, "" for the element as a whole, NULL if there is no input `index`. The entry is
     * NULL if the action has no input. */
    const char *(*input)(const olo_action *action, const olo_interval *x, int index, double *f);
    bool has_tangent;    /* f depends on q1 and its tangent is given */
    bool rates;          /* f depends on velocities */
    bool affine;         /* the force along its coordinate is affine in the coordinate at the end */
    bool motion_tangent; /* f depends on q1 but its tangent is not known: Newton's method is not
                            quadratic */
    bool body;           /* a force with components along the directors of a body */
    bool dead;           /* its vector is fixed in space */
    bool moment;         /* a pure moment: invariant under translations */
    bool user;           /* f is a user function */
    /* The kind with a law as its magnitude instead of a factor over time; NULL: there is none. */
    const struct olo_action_type *with_law;
} olo_action_type;

/* The vectors p of forces at a point, moments, and forces along a coordinate. */
extern const olo_action_pattern olo_pattern_dead_force, olo_pattern_body_force, olo_pattern_moment,
    olo_pattern_along;

struct olo_action {
    const olo_action_type *type;
    const char *owner;
    int number; /* among all actions */
    int size;
    const int *index;      /* [size] coordinates it acts on */
    olo_position position; /* the point at which a force acts */
    int frame;             /* first coordinate of the body, moments and body-fixed forces */
    double vector[3];      /* force or moment, in space or along the directors */
    olo_time_function time;
    void (*function)(void *context, double t, const double position[3], const double velocity[3],
                     double force[3]);
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]); /* NULL: not known */
    void (*wrench)(void *context, const olo_body_motion *motion, double force[3], double moment[3]);
    void *context;
    const olo_action_law *law;          /* of kinds with a law, else NULL */
    const olo_action_measure *measures; /* [law->measures] */
    /* along a coordinate; its coordinates are the first ones of the action */
    const olo_term *coordinate;
    double kp, kd; /* of a controller; its `time` is the target, 0 without one */
    double (*drive)(void *context, double t, double coordinate, double rate);
    void (*drive_derivatives)(void *context, double t, double coordinate, double rate,
                              double by[2]);
};

extern const olo_action_type olo_action_dead_force;  /* force fixed in space */
extern const olo_action_type olo_action_body_force;  /* force along the directors */
extern const olo_action_type olo_action_dead_moment; /* moment fixed in space */
extern const olo_action_type olo_action_body_moment; /* moment along the directors */
extern const olo_action_type olo_action_callback;    /* force in space from a C function */
extern const olo_action_type olo_action_function;    /* the same, with known derivatives */
extern const olo_action_type
    olo_action_body_callback; /* force along the directors from a function */
extern const olo_action_type olo_action_body_function; /* the same, with known derivatives */
extern const olo_action_type olo_action_wrench;        /* force and moment from a C function */
extern const olo_action_type olo_action_body_wrench;   /* the same along the directors */
extern const olo_action_type olo_action_drive;      /* along a joint coordinate: function of time */
extern const olo_action_type olo_action_controller; /* along a joint coordinate: towards a target */
extern const olo_action_type olo_action_drive_callback; /* ... from a C function */
extern const olo_action_type olo_action_drive_function; /* ... with known derivatives */
/* The same with a law of measures as magnitude. */
extern const olo_action_type olo_action_law_force, olo_action_law_body_force, olo_action_law_moment,
    olo_action_law_body_moment, olo_action_law_along;

/* All kinds by number, NULL after the last. */
const olo_action_type *olo_action_type_number(int number);

/* df/da: [size x size] for configurations, [size] for the other arguments. */
void olo_action_first(const olo_action *action, const olo_interval *x, olo_slot a, double *matrix);

/* d2(y.f)/da db, row index in slot a. */
void olo_action_second(const olo_action *action, const olo_interval *x, const double *y, olo_slot a,
                       olo_slot b, double *matrix);

/* df[size] with respect to coefficient p (coefficients.h). */
void olo_action_by_coefficient(const olo_action *action, const olo_interval *x, int p, double *df);

/* df[size] for a change of the parameters in the function of time and in the law, along a
 * direction; and whether these depend on them. */
void olo_action_by_parameters(const olo_action *action, const olo_interval *x,
                              const double *direction, double *df);
bool olo_action_uses_parameters(const olo_action *action, const double *direction);

/* The factor over time, or the input that replaces it, as a scalar of the step. */
void olo_action_factor_scalar(const olo_action *action, const olo_interval *x,
                              olo_action_scalar *F);

/* The input of loads, which replaces the factor `time`: f is the load with factor one. */
const char *olo_action_factor_input(const olo_action *action, const olo_interval *x, int index,
                                    double *f);

/* The configuration at which a force acts that depends on one configuration only, and its
 * derivative with respect to q0 (a = 0) or q1 (1). */
static inline const double *olo_acting_configuration(const olo_interval *x)
{
    return x->acting == OLO_ACT_BETWEEN ? x->qm : x->acting == OLO_ACT_AT_START ? x->q0 : x->q1;
}
static inline double olo_acting_share(const olo_interval *x, int a)
{
    return x->acting == OLO_ACT_BETWEEN ? 0.5 : (x->acting == OLO_ACT_AT_START) == (a == 0) ? 1 : 0;
}

/* The change of a law for a direction of the parameters, times its vector. False if it does not
 * depend on them. */
bool olo_law_by_parameters(const olo_action *action, const olo_interval *x, const double *direction,
                           double *df);

/* True if the derivatives by rates can be separated from those by positions only by the length of
 * the step. */
static inline bool olo_action_mixes_rates(const olo_action_type *type)
{
    return type->rates && !type->affine;
}

/* The time at which actions are evaluated. */
static inline double olo_interval_middle(const olo_interval *x)
{
    return x->t + 0.5 * x->h;
}

/* True if the step has an input for the action. The input replaces the function of time, and f is
 * affine in it. */
static inline bool olo_action_has_input(const olo_action *action, const olo_interval *x)
{
    return x->inputs && !isnan(x->inputs[action->number]);
}

/* The factor of a load: the input, the function of time at the midpoint, or one. */
static inline double olo_action_factor(const olo_action *action, const olo_interval *x)
{
    if (olo_action_has_input(action, x))
        return x->inputs[action->number];
    return action->time.value ? action->time.value(action->time.context, olo_interval_middle(x))
                              : 1.0;
}

#endif
