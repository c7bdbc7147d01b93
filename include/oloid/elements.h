/** @file
 *  The things a person names: points, bodies, rods, springs, dampers, supports, loads, outputs.
 *
 *  Each is a plain struct obtained from its `olo_..._default()`, so that new fields never break a
 *  caller, and added to a model with `olo_model_add(model, OLO_BODY, &body, &error)` or its typed
 *  twin. The keys of a model file, the fields here and the arguments of the Python package have one
 *  name. Strings and arrays are copied when an element is added.
 */
#ifndef OLOID_ELEMENTS_H
#define OLOID_ELEMENTS_H

#include <math.h>
#include <stdbool.h>

#include "oloid/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A number that was not given: the element then takes its value from the configuration. */
#define OLO_UNSET ((double)NAN)

/** A place: a point of space, a point mass, or a point of a body.
 *  `on` is NULL (or "ground") for a point of space, the name of a point or a body, or `body.point` for a
 *  named point of a body. `at` is in space for ground, in the body's frame for a body, and zero for
 *  a point mass or a named point. In a model file: `a`, `top.tip`, `[0, 0, 1]`, `{on: top, at: [0, 0, 0.1]}`. */
typedef struct olo_place {
    const char *on;
    double at[3];
} olo_place;

/** A function of time: a number, an expression of t and the parameters, a table (linear between its
 *  entries, constant outside), or a C function. Exactly one is given; none means the constant 1. */
typedef struct olo_signal {
    const char *expression; /**< for example "sin(2*pi*t)" */
    const double *time;     /**< table: ascending times ... */
    const double *value;    /**< ... and values */
    int count;
    double (*function)(void *context, double t);
    void *context;
} olo_signal;

/** A point mass. */
typedef struct olo_point {
    const char *name;
    double mass;
    double position[3];
    double velocity[3];
    /** Name of an earlier point from which position and velocity count; its coordinates are then the
     *  difference to that point (relative coordinates). NULL: from the origin. */
    const char *relative_to;
} olo_point;

/** A homogeneous solid, placed in the body's frame. */
typedef struct olo_shape {
    const char *type; /**< sphere, box, cylinder, cone, tetrahedron */
    double density;   /**< mass per volume; negative for a hole */
    double mass;      /**< instead of density */
    double radius;    /**< sphere, cylinder, cone (base) */
    double height;  /**< cylinder, cone: along the third axis. Cylinder: centred; cone: apex at the
                                origin, base at +height */
    double size[3]; /**< box: edge lengths, centred */
    double vertices[4][3]; /**< tetrahedron */
    double position[3];    /**< of the shape's origin in the body's frame */
    double rotation[9];    /**< row-major, shape axes in the body's frame */
} olo_shape;

/** A named point of a body, for places, outputs and traces. */
typedef struct olo_body_point {
    const char *name;
    double at[3];
} olo_body_point;

/** A rigid body. Mass, centre and inertia may be given as numbers, by shapes, or both: numbers add
 *  to what the shapes give. The frame is the user's: any origin, any axes. */
typedef struct olo_body {
    const char *name;
    double mass;
    double center[3]; /**< centre of mass in the body's frame */
    double inertia
        [9]; /**< row-major 3x3, about the centre of mass, along the axes of the body's frame. In a
                            model file: [J1, J2, J3], [J11, J22, J33, J12, J13, J23] or 3 rows */
    const olo_shape *shapes;
    int shape_count;
    double position[3]; /**< of the frame's origin */
    double rotation[9]; /**< row-major; columns are the directors d1, d2, d3. In a model file:
                             {axis, angle}, {matrix}, {quaternion: [w, x, y, z]}, {euler: zxz, angles: [...]} or a
                             list of such, applied one after the other in the body's own axes */
    double velocity[3]; /**< of the frame's origin; OLO_UNSET: what the supports and the angular velocity
                             imply, else zero */
    double angular_velocity[3];    /**< in space axes; OLO_UNSET: what joints imply, else zero */
    bool angular_velocity_in_body; /**< the angular velocity is given along the directors */
    const olo_body_point *points;
    int point_count;
} olo_body;

/** A massless rigid rod: a fixed distance between two places. */
typedef struct olo_rod {
    const char *name;
    olo_place between[2];
    double length; /**< OLO_UNSET: the initial distance */
} olo_rod;

/** A spring between two places, with an optional damper in parallel. */
typedef struct olo_spring {
    const char *name;
    olo_place between[2];
    const char *type; /**< "distance": 1/2 k (l - length)^2; "linear": 1/2 k |x2 - x1 - offset|^2 */
    double stiffness;
    double length;    /**< distance: length at rest; OLO_UNSET: the initial distance */
    double offset[3]; /**< linear */
    double damping;   /**< of the parallel damper */
    const char *
        energy; /**< distance only: any stored energy as an expression of the length `l`, instead of
                             the stiffness, for example "k*(l-l0)^4" */
} olo_spring;

/** A viscous damper between two places: along the line ("distance") or isotropic ("linear"). */
typedef struct olo_damper {
    const char *name;
    olo_place between[2];
    const char *type;
    double damping;
} olo_damper;

/** A support of a body or a point mass on the ground. */
typedef struct olo_support {
    const char *name;
    olo_place on; /**< the supported place; with type "center" the body's centre of mass */
    const char
        *type; /**< point: the place is fixed; center: the centre of mass is fixed; slide: the place
                           stays on a line along `axis`; plane: it stays in a plane with normal `axis`; hinge: the
                           place is fixed and the body turns about `axis`; fixed: the body cannot move */
    double axis[3];
    double at[3]; /**< where in space; OLO_UNSET: where it is at the start */
} olo_support;

/** A controller of a joint coordinate x: the torque or force kp (target - x) + kd (target' - x'). */
typedef struct olo_controller {
    double kp, kd;
    olo_signal target; /**< over time; none: 0 */
} olo_controller;

/** A joint between two bodies, or a body and the ground. What acts along its coordinates (its angle, its positions)
 *  acts equal and opposite on both bodies. */
typedef struct olo_joint {
    const char *name;
    const char *type; /**< spherical, revolute, cylindrical, prismatic, planar, rigid, point-on-line,
                           point-on-plane, universal, distance */
    olo_place between[2]; /**< a place of each; the first is the one the axes belong to */
    double at[3];         /**< where in space at the start, instead of the `at` of the two places */
    double axis[3];       /**< at the start, in space: of rotation, of translation, normal of a plane */
    double axis2[3];      /**< universal: the second axis, at the start, fixed in the second body */
    double rate;          /**< initial angular velocity of the second body relative to the first, about the axis */
    double sliding[3];    /**< initial velocity of the second place relative to the first, in space. Both are for a
                               second body without velocities of its own */
    const char *coordinate; /**< what the following act on: angle, position, position1, position2; NULL: the only
                                 coordinate there is. Angles are zero at the start */
    double stiffness;       /**< of a spring, torque per angle or force per length; default 0 */
    double rest;            /**< where the spring is at rest; OLO_UNSET: at the start */
    double damping;         /**< of a damper, torque or force per rate; default 0 */
    double lower, upper;    /**< stops: stiff springs beyond these; OLO_UNSET: none */
    double stop_stiffness;  /**< of the stops */
    olo_controller controller;
    /** A torque or force that depends on time and motion, called at midpoint values. It must be a pure function of its
     *  arguments. Its work enters the ledger. */
    double (*function)(void *context, double t, double coordinate, double rate);
    void *context;
    double torque;     /**< about the axis, on the second body; default 0 */
    double force;      /**< along the axis, on the second body; default 0 */
    olo_signal signal; /**< factor of torque and force over time; in a model file the key `time` */
} olo_joint;

/** A force or a moment on a place, with a law of time. */
typedef struct olo_load {
    const char *name;
    olo_place on;
    double force[3];
    double moment[3];
    const char *frame; /**< "space": dead; "body": turns with the body */
    olo_signal signal; /**< factor over time; in a model file the key `time` */
    /** A force that depends on time and motion, called at midpoint values; overrides `force`. It must be a
     *  pure function of its arguments. Its work enters the ledger. */
    void (*function)(void *context, double t, const double position[3], const double velocity[3],
                     double force[3]);
    void *context;
} olo_load;

/** A place whose position, velocity and acceleration are recorded. */
typedef struct olo_output {
    const char *name;
    olo_place on;
} olo_output;

OLO_API olo_point olo_point_default(void);
OLO_API olo_shape olo_shape_default(void);
OLO_API olo_body olo_body_default(void);
OLO_API olo_rod olo_rod_default(void);
OLO_API olo_spring olo_spring_default(void);
OLO_API olo_damper olo_damper_default(void);
OLO_API olo_support olo_support_default(void);
OLO_API olo_joint olo_joint_default(void);
OLO_API olo_load olo_load_default(void);
OLO_API olo_output olo_output_default(void);

#ifdef __cplusplus
}
#endif
#endif
