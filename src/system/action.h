/* Actions: forces and moments that do work from outside. Over a step an action gives generalised
 * forces f on the coordinates `index`, sampled at the midpoint in time and configuration; its work
 * is f . dq exactly, and f enters the balance as -h f.
 *
 * A kind of action is a constant table in a file of its own (action_*.c).
 */
#ifndef OLO_SYSTEM_ACTION_H
#define OLO_SYSTEM_ACTION_H

#include <math.h>
#include <stdbool.h>

#include "system/position.h"
#include "system/term.h"

enum { OLO_ACTION_SIZE_MAX = 3 * OLO_POSITION_SLOTS_MAX };

/* A factor over time; `value` NULL means the constant 1. */
typedef struct olo_time_function {
    double (*value)(const void *context, double t);
    double (*rate)(const void *context, double t); /* its derivative; NULL: by differences */
    /* Derivatives of value and rate along a direction of all parameters of the model; false: it
     * does not depend on them. NULL: not known. */
    bool (*by_parameters)(const void *context, double t, const double *direction, double by[2]);
    void *context;
    void (*free)(void *context);
} olo_time_function;

typedef struct olo_action olo_action;

typedef struct olo_action_type {
    const char *name;
    /* f[size]; tangent[size*size] = df/dq1 unless NULL. `t` is the midpoint in time. */
    void (*force)(const olo_action *action, const olo_interval *x, double t, double *f,
                  double *tangent);
    /* df/dq0; NULL: as df/dq1, since f is a function of the midpoint */
    void (*start_tangent)(const olo_action *action, const olo_interval *x, double t,
                          double *tangent);
    /* f[size] of a unit of input `index` where nothing moves, and the key of the element that it
     * is; "": the element as a whole; NULL: it has no more of them. NULL: no input at all. */
    const char *(*input)(const olo_action *action, const olo_interval *x, int index, double *f);
    bool has_tangent;    /* f depends on q1 and its tangent is given */
    bool rates;          /* f depends on velocities */
    bool motion_tangent; /* f depends on q1 but the tangent is not known: Newton is not quadratic */
    bool dead;           /* its vector is fixed in space, whatever moves */
    bool moment;         /* no force: nothing that translates all feels it */
    bool user;           /* f is a function of the user's own */
} olo_action_type;

struct olo_action {
    const olo_action_type *type;
    const char *owner;
    int number; /* among all actions */
    int size;
    const int *index;      /* [size] coordinates it acts on */
    olo_position position; /* where a force acts */
    int frame;             /* first coordinate of the body, moments and body-fixed forces */
    double vector[3];      /* force or moment, in space or along the directors */
    olo_time_function time;
    void (*function)(void *context, double t, const double position[3], const double velocity[3],
                     double force[3]);
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]); /* NULL: not known */
    void *context;
    /* along a joint coordinate */
    const olo_term *coordinate;
    double kp, kd; /* of a controller, whose `time` is the target, 0 without one */
    double (*drive)(void *context, double t, double coordinate, double rate);
    void (*drive_derivatives)(void *context, double t, double coordinate, double rate,
                              double by[2]);
};

extern const olo_action_type olo_action_dead_force;     /* force fixed in space */
extern const olo_action_type olo_action_body_force;     /* force along the directors */
extern const olo_action_type olo_action_dead_moment;    /* moment fixed in space */
extern const olo_action_type olo_action_body_moment;    /* moment along the directors */
extern const olo_action_type olo_action_callback;       /* force from a C function, */
extern const olo_action_type olo_action_function;       /* ... whose derivatives are known */
extern const olo_action_type olo_action_body_callback;  /* the same along the directors, */
extern const olo_action_type olo_action_body_function;  /* ... and with derivatives */
extern const olo_action_type olo_action_drive;          /* along a joint coordinate: over time, */
extern const olo_action_type olo_action_controller;     /* ... towards a target, */
extern const olo_action_type olo_action_drive_callback; /* ... from a C function, */
extern const olo_action_type olo_action_drive_function; /* ... whose derivatives are known */

/* The input of loads: the factor that their `time` is, f that of the load as it is written. */
const char *olo_action_factor_input(const olo_action *action, const olo_interval *x, int index,
                                    double *f);

/* Derivative of a time function that has a value. */
double olo_time_rate(const olo_time_function *time, double t);

/* Whether the step has an input for the action, which then stands for its function of time; f is
 * affine in it. */
static inline bool olo_action_has_input(const olo_action *action, const olo_interval *x)
{
    return x->inputs && !isnan(x->inputs[action->number]);
}

static inline double olo_action_factor(const olo_action *action, const olo_interval *x, double t)
{
    if (olo_action_has_input(action, x))
        return x->inputs[action->number];
    return action->time.value ? action->time.value(action->time.context, t) : 1.0;
}

#endif
