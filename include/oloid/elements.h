/** @file Elements, the named parts of a model: points, bodies, beams, masses, joints, rods,
 * springs, dampers, supports, loads, outputs.
 *
 * Each is a plain struct that is initialised by its `olo_..._default()` (oloid.h says why) and
 * added to a model with its function of model.h:
 *
 *      olo_body body = olo_body_default();
 *      body.name = "top";
 *      body.mass = 1;
 *      olo_model_add_body(model, &body, &error);
 *
 * The keys of a model file and the fields here have the same names. Strings and arrays are copied
 * when an element is added. Any consistent units may be used; angles are in radians. Vectors are in
 * space axes unless stated otherwise.
 */
#ifndef OLOID_ELEMENTS_H
#define OLOID_ELEMENTS_H

#include <math.h>
#include <stdbool.h>

#include "oloid/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A number that is not given (NaN): its value follows from the initial configuration. If only some
 * components of a vector are given, the others are zero. */
#define OLO_UNSET ((double)NAN)
/** OLO_UNSET for languages that bind to the library and see no macros. */
OLO_API double olo_unset(void);

/** A point on a body, a point mass, or a point of space, at which something acts or is attached.
 * `on` is NULL (or "ground") for a point of space, the name of a point or a body, or `body.point`
 * for a named point of a body. `at` is in space for the ground, in the body's frame for a body, and
 * zero for a point mass or a named point. In a model file: `a`, `top.tip`, `[0, 0, 1]`, `{on: top,
 * at: [0, 0, 0.1]}`. */
typedef struct olo_point_on_body {
    const char *on; /**< NULL, "ground", a point, a body, or `body.point` */
    double at[3];   /**< from the origin of `on`, in its axes */
    /** The point is given also where `at` is zero; in a model file, where `at` is written. A named
     * point and one with an `at` other than zero are always given. Joints distinguish: two given
     * points must meet, a body without a given point is joined where it is (olo_joint). */
    bool given;
} olo_point_on_body;

/** A function of time: an expression of t and the parameters, a table (linear between its entries,
 * constant outside), or a C function. Exactly one of them is given.
 *
 * The expression of the factor of a load may also have measures: joint coordinates and their
 * rates (hinge.angle, hinge.angle.rate), coordinates and velocities of outputs and of points on
 * bodies (tip.x, tip.vx). */
typedef struct olo_signal {
    int initialised;                             /**< set by olo_signal_default(); leave it */
    const char *expression;                      /**< for example "sin(2*pi*t)" */
    const double *time;                          /**< table: ascending times ... */
    const double *value;                         /**< ... and values */
    int count;                                   /**< number of entries of the table */
    double (*function)(void *context, double t); /**< a pure function of time */
    void *context; /**< passed to `function`; must live as long as the system */
} olo_signal;

/** The motion of a body at the midpoint of a step, as functions of loads receive it; in space axes.
 */
typedef struct olo_body_motion {
    double t;                   /**< time */
    double position[3];         /**< of the point on which the load acts */
    double velocity[3];         /**< of the same point */
    double rotation[9];         /**< row-major; columns are the directors d1, d2, d3 */
    double angular_velocity[3]; /**< of the body */
} olo_body_motion;

/** A point mass. */
typedef struct olo_point {
    int initialised;    /**< set by olo_point_default(); leave it */
    const char *name;   /**< required */
    double mass;        /**< positive */
    double position[3]; /**< initial position */
    double velocity[3]; /**< initial velocity */
    double momentum[3]; /**< instead of `velocity`: mass times velocity; OLO_UNSET: not given */
    /** Name of an earlier point to which position and velocity are relative; the coordinates are
     * then the difference to that point (relative coordinates). NULL: relative to the origin. */
    const char *relative_to;
} olo_point;

/** A homogeneous solid, with position and rotation in the body's frame. */
typedef struct olo_shape {
    int initialised;  /**< set by olo_shape_default(); leave it */
    const char *type; /**< sphere, box, cylinder, cone, tetrahedron */
    double density;   /**< mass per volume; negative for a hole */
    double mass;      /**< instead of density */
    double radius;    /**< sphere, cylinder, cone (base) */
    /** Cylinder (centred) and cone (apex at the origin, base at +height), along the third axis. */
    double height;
    double size[3];        /**< box: edge lengths, centred */
    double vertices[4][3]; /**< tetrahedron */
    double position[3];    /**< of the shape's origin in the body's frame */
    double rotation[9];    /**< row-major, shape axes in the body's frame */
    const char *color;     /**< in the report: "#rrggbb" or a name; NULL: that of the body */
    double opacity;        /**< in the report: above 0, up to 1; OLO_UNSET: that of the body */
} olo_shape;

/** A named point on a body, to which other elements refer as `body.point`. */
typedef struct olo_body_point {
    const char *name; /**< the part after the dot in `body.point` */
    double at[3];     /**< in the body's frame */
} olo_body_point;

/** A rigid body. Mass, centre and inertia may be given as numbers, by shapes, or both: numbers are
 * added to those of the shapes. The frame may have any origin and any axes. */
typedef struct olo_body {
    int initialised;  /**< set by olo_body_default(); leave it */
    const char *name; /**< required */
    double mass;      /**< in addition to that of the shapes */
    double center[3]; /**< centre of `mass` in the body's frame */
    /** Row-major 3x3, about `center`, along the axes of the body's frame. In a model file: [J1,
     * J2, J3], [J11, J22, J33, J12, J13, J23] or 3 rows. */
    double inertia[9];
    const olo_shape *shapes; /**< solids that add their mass, centre and inertia */
    int shape_count;         /**< number of `shapes` */
    /** Of the frame's origin; OLO_UNSET: zero, or the position that a support with `at` implies. */
    double position[3];
    /** Row-major; columns are the directors d1, d2, d3. In a model file: {axis, angle}, {matrix},
     * {quaternion: [w, x, y, z]}, {euler: zxz, angles: [...]} or a list of these, applied one after
     * the other in the body's own axes. */
    double rotation[9];
    /** Of the frame's origin; OLO_UNSET: the velocity that supports, joints and angular velocity
     * imply, or zero. */
    double velocity[3];
    double angular_velocity[3];    /**< in space axes; OLO_UNSET: implied by joints, or zero */
    bool angular_velocity_in_body; /**< the angular velocity is given along the directors */
    /** Instead of `velocity`: mass times velocity of the centre of mass, in space axes; OLO_UNSET:
     * not given. It is the momentum of mass and shapes, without that of an olo_mass on the body. */
    double momentum[3];
    /** Instead of `angular_velocity`: the angular momentum about the centre of mass, in space axes.
     */
    double angular_momentum[3];
    const olo_body_point *points; /**< named points */
    int point_count;              /**< number of `points` */
    /** Shapes that are drawn instead of `shapes`; they have neither density nor mass. */
    const olo_shape *visual;
    int visual_count;  /**< number of `visual` */
    const char *color; /**< in the report: "#rrggbb" or a name; NULL: chosen by the report */
    double opacity;    /**< in the report: above 0, up to 1; OLO_UNSET: chosen by the report */
} olo_body;

/** Part of a circle or of a helix, from the first point of the beam. */
typedef struct olo_arc {
    int initialised;  /**< set by olo_arc_default(); leave it */
    double center[3]; /**< a point of the axis */
    double axis[3];   /**< its direction; any length but zero */
    double angle;     /**< from start to end about the axis */
    double rise;      /**< along the axis from start to end; 0: an arc */
} olo_arc;

/** The cross-section of a beam, by shape and material. */
typedef struct olo_section {
    int initialised;     /**< set by olo_section_default(); leave it */
    const char *type;    /**< rectangle, circle or tube; required */
    double size[2];      /**< rectangle: edges along d1 and d2 */
    double radius;       /**< circle, tube */
    double inner_radius; /**< tube */
    double young;        /**< modulus of elasticity */
    double poisson;      /**< ratio of lateral contraction */
    double density;      /**< mass per volume */
    double shear_factor; /**< shear factor of the area; OLO_UNSET: that of the shape */
} olo_section;

/** A geometrically exact beam: large displacements and rotations, with shear and elongation. Its
 * nodes are frames whose third director is tangent to the unloaded beam; they are named `beam.1`,
 * `beam.2`, ... and `beam.start`, `beam.middle`, `beam.end`, and may be used like bodies. It has
 * finite elements, or it is a discrete Cosserat rod. The initial state is free of stress, unless
 * `rest_length` or `rest_curvature` is given. */
typedef struct olo_beam {
    int initialised;  /**< set by olo_beam_default(); leave it */
    const char *name; /**< required */
    int elements;     /**< number of finite elements, or of edges of a discrete rod, 1 to 100,000 */
    /** elements: finite elements. Discrete Cosserat rods: vertices, with frames at the vertices;
     * edges, with positions at the vertices and directors at the edges (its interior nodes are
     * points, its first and last nodes are frames). */
    const char *discretisation;
    /** Of a discrete rod: tangent (NULL: the default), 2/h tan(phi/2), or sine, sin(phi)/h. */
    const char *curvature;
    /** linear: two nodes per element, second order; quadratic: three nodes, fourth order. */
    const char *interpolation;
    const char *quadrature; /**< reduced (default), or full, which leads to locking */
    double from[3];         /**< first point */
    double to[3];           /**< last point of a straight beam */
    const olo_arc *arc;     /**< instead of `to`: part of a circle or of a helix */
    const double
        *points; /**< instead of `from` and `to`: points on the centre line, three numbers each */
    int point_count;        /**< number of `points` */
    const char *curve;      /**< through `points`: polyline (with rigid corners) or spline */
    const double *tangents; /**< of a spline: two directions, at its start and its end */
    int tangent_count;      /**< 2, or 0: the spline is not curved at its ends */
    double d1_end[3];       /**< direction of d1 at the last point, reached by less than half a turn
                               beyond       `twist`; zero: not given */
    double d1[3]; /**< direction of d1 at the first point, of which the component perpendicular to
                     the beam is used; zero: an axis of space */
    double twist; /**< angle by which d1 and d2 rotate about the beam from its first to its last
                     point */
    const char
        *start_on;      /**< a body or node of another beam whose frame is used as the first node */
    const char *end_on; /**< the same for its last node */
    double rest_length; /**< length without stress; 0: that of the line */
    /** Curvatures about d1 and d2 and torsion without stress; OLO_UNSET: those of the initial
     * state, or 0 if `rest_length` is given. */
    double rest_curvature[3];
    /** Six stiffnesses GA1, GA2, EA, EI1, EI2, GJ (EI1 about d1), or a symmetric 6x6 matrix, row
     * by row. */
    const double *stiffness;
    int stiffness_count; /**< 6 or 36; 0: from the section */
    /** Constraint rows instead of energy: no shear; no elongation. The stiffness of these strains
     * must be positive, but its size has no effect: it stores no energy. */
    bool unshearable;
    bool inextensible; /**< see `unshearable` */
    /** Instead of stiffness: any stored energy per length, as an expression of the strains g1, g2
     * (shear along d1, d2), g3 (elongation), k1, k2 (curvatures about d1, d2) and k3 (torsion), of
     * the arc length s from the start, and the parameters. */
    const char *energy;
    /** Size of the section at the arc length s relative to the given one, an expression of s:
     * shear, elongation and mass change with its square, bending, torsion and moments of inertia
     * with its fourth power. NULL: 1. */
    const char *taper;
    /** Mass per length and its moments, A, M1, M2: integrals of density, density x1^2 and
     * density x2^2; or A, S1, S2, M11, M22, M12 with the first moments and the mixed one. */
    const double *inertia;
    int inertia_count;          /**< 3 or 6; 0: from the section */
    const olo_section *section; /**< shape and material, instead of stiffness and inertia */
    double damping;     /**< relaxation time: the viscous stress is this time times stiffness times
                           strain rate */
    double dissipation; /**< fraction of algorithmic dissipation of motions that are fast compared
                           with the step, 0 to 1 */
    double velocity[3]; /**< initial velocity of the first point */
    double angular_velocity[3]; /**< initial angular velocity of the whole beam about its first
                                   point, in space axes */
} olo_beam;

/** Additional mass on a body, a point mass or a node of a beam. */
typedef struct olo_mass {
    int initialised;      /**< set by olo_mass_default(); leave it */
    const char *name;     /**< NULL: mass1, mass2, ... */
    olo_point_on_body on; /**< its centre */
    double mass;          /**< not negative */
    double inertia[9];    /**< about its centre, along the axes of the frame it is on; see
                             olo_body.inertia */
} olo_mass;

/** A massless rigid rod: a fixed distance between two points. */
typedef struct olo_rod {
    int initialised;              /**< set by olo_rod_default(); leave it */
    const char *name;             /**< NULL: rod1, rod2, ... */
    olo_point_on_body between[2]; /**< its ends */
    double length;                /**< OLO_UNSET: the initial distance */
} olo_rod;

/** A spring between two points, with an optional damper in parallel. */
typedef struct olo_spring {
    int initialised;              /**< set by olo_spring_default(); leave it */
    const char *name;             /**< NULL: spring1, spring2, ... */
    olo_point_on_body between[2]; /**< its ends, x1 and x2 */
    const char *type; /**< "distance": 1/2 k (l - length)^2; "linear": 1/2 k |x2 - x1 - offset|^2 */
    double stiffness; /**< k, force per length */
    double length;    /**< distance: rest length; OLO_UNSET: the initial distance */
    double offset[3]; /**< linear: x2 - x1 without force */
    double damping;   /**< of the parallel damper, force per velocity */
    /** Instead of `between`: a joint coordinate, "hinge.angle"; `length` is its rest value. */
    const char *along;
    /** Distance only: any stored energy as an expression of the length `l`, instead of the
     * stiffness, for example "k*(l-l0)^4". */
    const char *energy;
    /** Any force along the line, or along the coordinate, as an expression of the length or
     * coordinate `l`, its rate `v`, the time `t` and measures (olo_signal): positive if it pulls
     * the ends together. It is added to that of stiffness, energy and damping, and its work is
     * recorded in the ledger. */
    const char *force;
} olo_spring;

/** A damper between two points: along the line ("distance") or isotropic ("linear"). */
typedef struct olo_damper {
    int initialised;              /**< set by olo_damper_default(); leave it */
    const char *name;             /**< NULL: damper1, damper2, ... */
    olo_point_on_body between[2]; /**< its ends */
    const char *type;             /**< "distance" (default) or "linear" */
    double damping;               /**< force per velocity */
    const char *along;            /**< instead of `between`: a joint coordinate, "hinge.angle" */
    /** Instead of or beside `damping`: any force as an expression, as olo_spring.force is. */
    const char *force;
} olo_damper;

/** Coordinates of a minimal model: named scalars q with a mass matrix, T = 1/2 q'.M q', energies
 * and constraints as expressions of them. Every coordinate is a joint coordinate of the same name,
 * along which springs, dampers, loads and controls can act. */
typedef struct olo_coordinates {
    int initialised;          /**< set by olo_coordinates_default(); leave it */
    const char *name;         /**< NULL: coordinates1, coordinates2, ... */
    const char *const *names; /**< [name_count] names of the coordinates */
    int name_count;
    const double *values; /**< [value_count] initial values; NULL: zero */
    int value_count;
    const double *rates; /**< [rate_count] initial rates; NULL: zero */
    int rate_count;
    const char *const *mass; /**< [mass_count] the diagonal of the mass matrix, or its rows */
    int mass_count;
    const char *const *energy; /**< [energy_count] expressions whose sum is the stored energy */
    int energy_count;
    const char *const *constraints; /**< [constraint_count] expressions that remain zero */
    int constraint_count;
    const double *forces; /**< [force_count] forces along the coordinates; NULL: zero */
    int force_count;
    const olo_signal *signal; /**< factor of the forces over time; NULL: 1; in a model file the key
                                   `time` */
} olo_coordinates;

/** A contact, which pushes and never pulls: a point or a sphere above a plane of the ground or of a
 * body ("plane"), two points or spheres with a smallest distance ("distance"), two points on a rope
 * ("rope"), or any function of coordinates or of the position of a point ("function"). */
typedef struct olo_contact {
    int initialised;              /**< set by olo_contact_default(); leave it */
    const char *name;             /**< NULL: contact1, contact2, ... */
    const char *type;             /**< "plane" (default), "distance", "rope" or "function" */
    olo_point_on_body point;      /**< plane: the point, or the centre of the sphere; function: the
                                       point whose position x, y, z may be used */
    double radius;                /**< plane: of the sphere; default 0 */
    const char *on;               /**< plane: the body to which it is fixed; NULL: the ground */
    double normal[3];             /**< plane: to the free side, in the axes of `on`; default z */
    double origin[3];             /**< plane: a point of it, in the frame of `on` */
    olo_point_on_body between[2]; /**< distance, rope: the two points */
    double length; /**< distance: sum of the radii; rope: its length; OLO_UNSET: initial distance */
    const double *radii; /**< distance: [radius_count] none, or the radii of two spheres, 0 of a
                              point, instead of `length`; friction needs them */
    int radius_count;
    double restitution;            /**< of Newton's impact law, 0 to 1; default 0 */
    double restitution_threshold;  /**< approach velocity below which it is 0, unless it is 1 */
    double tangential_restitution; /**< of friction in impacts, 0 to 1; default 0 */
    double friction;               /**< plane, spheres, function: coefficient; default 0 */
    const char *law; /**< of friction: "coulomb" (default), "contensou", "contensou-exact" */
    double patch;    /**< contensou: mean radius of the contact patch */
    const char *gap; /**< function: an expression, the gap */
    const char *const *slide; /**< function: [slide_count] one or two expressions; their rates are
                                   the sliding velocities */
    int slide_count;
    /** function: the gap from a C function instead of `gap`, with its gradient and its Hessian
     * (row-major), of the position of `point` (3 numbers) or of both points `between` (6). It must
     * be a pure function of its arguments. */
    void (*function)(void *context, const double *x, double *gap, double *gradient,
                     double *hessian);
    void *context; /**< handed to the function; must live as long as the system */
} olo_contact;

/** A support of a body or a point mass on the ground. */
typedef struct olo_support {
    int initialised;      /**< set by olo_support_default(); leave it */
    const char *name;     /**< NULL: support1, support2, ... */
    olo_point_on_body on; /**< the supported point; with type "center" the body's centre of mass */
    /** point: the point is fixed; center: the centre of mass is fixed; slide: the point moves on a
     * line along `axis`; plane: it moves in a plane with normal `axis`; hinge: the point is fixed
     * and the body rotates about `axis`; fixed: the body cannot move. */
    const char *type;
    double axis[3]; /**< of slide, plane and hinge; any length but zero */
    double at[3];   /**< position in space; OLO_UNSET: the initial position of the point */
} olo_support;

/** A controller of a joint coordinate x: the torque or force kp (target - x) + kd (target' - x').
 */
typedef struct olo_controller {
    int initialised;          /**< set by olo_controller_default(); leave it */
    double kp;                /**< torque per angle, or force per length */
    double kd;                /**< torque or force per rate */
    const olo_signal *target; /**< over time; NULL: 0 */
} olo_controller;

/** A joint between two bodies, or between a body and the ground. Torques and forces along its
 * coordinates (its angle, its positions) act equal and opposite on both bodies. */
typedef struct olo_joint {
    int initialised;  /**< set by olo_joint_default(); leave it */
    const char *name; /**< NULL: joint1, joint2, ... */
    const char
        *type; /**< spherical, revolute, cylindrical, prismatic, planar, rigid, point-on-line,
                    point-on-plane, screw, universal, distance, rolling-disc, rolling-ball */
    /** A point on each; the axes are fixed in the first body. Two given points must meet. A body
     * without a given point is not moved: it is joined at the given point of the other, and
     * if neither is given, at the origin of the second body (of the first one if the second is the
     * ground). A body without a position is moved to the given point of the other. */
    olo_point_on_body between[2];
    double at[3]; /**< initial position in space, instead of the `at` of the two points */
    double
        axis[3]; /**< initial direction in space: of rotation, of translation, normal of a plane */
    double axis2[3]; /**< universal: fixed in the second body, initially perpendicular to `axis` */
    double pitch;    /**< screw: distance along the axis per turn; negative: left-handed */
    double length;   /**< distance; OLO_UNSET: the initial distance */
    double rate;  /**< initial angular velocity of the second body relative to the first, about the
                     axis */
    double rate2; /**< universal: the same about axis2 */
    double sliding[3]; /**< initial velocity of the second point relative to the first, in space.
                          Rates and sliding apply to a second body without given velocities */
    double radius;     /**< of a disc or ball that rolls on a plane of the ground */
    double
        normal[3]; /**< of that plane; OLO_UNSET: against gravity. The first point of `between` is a
                      point of the plane, the second the centre, `axis` the axis of the disc */
    const char
        *coordinate; /**< the coordinate for the following members: angle, angle1, angle2, position,
                        position1, position2; NULL: the only one. Angles are initially zero */
    double stiffness; /**< of a spring, torque per angle or force per length; default 0 */
    double rest; /**< coordinate at which the spring has no force; OLO_UNSET: the initial value */
    double damping;  /**< of a damper, torque or force per rate; default 0 */
    double friction; /**< largest torque or force of dry friction; default 0. Needs a scheme with
                        contacts, as stop_restitution does */
    double lower;    /**< value of the coordinate at a stop below it; OLO_UNSET: none */
    double upper;    /**< value of the coordinate at a stop above it; OLO_UNSET: none */
    double stop_stiffness;   /**< stops are stiff springs */
    double stop_restitution; /**< stops are rigid, with this restitution of impacts, 0 to 1;
                                OLO_UNSET: springs */
    const olo_controller *controller; /**< controller towards a target; NULL: none */
    /** Prescribed motion of the coordinate over time. The torque or force that it requires is a
     * result (olo_system_drive_force), and its work is recorded in the ledger. The initial rate of
     * the coordinate is that of the motion at time 0; another rate in `rate`, `rate2` or `sliding`,
     * unless it is zero, is an error. NULL: free. */
    const olo_signal *motion;
    /** A torque or force that depends on time and motion, called at midpoint values, instead of
     * `torque` or `force` along the same coordinate, which must then be zero; `signal` is a factor
     * of it, too. It must be a pure function of its arguments. Its work is recorded in the ledger.
     */
    double (*function)(void *context, double t, double coordinate, double rate);
    /** The derivatives of `function` by coordinate and rate, if they are known: then Newton
     * converges quadratically, and runs have derivatives (derivatives.h). */
    void (*derivatives)(void *context, double t, double coordinate, double rate, double by[2]);
    void *context;            /**< handed to both; must live as long as the system */
    double torque;            /**< about the axis, on the second body; default 0 */
    double force;             /**< along the axis, on the second body; default 0 */
    const olo_signal *signal; /**< factor of torque, force and function over time; NULL: 1; in a
                                 model file the key `time` */
} olo_joint;

/** A relation between joint coordinates, for example by gears and cables:
 *  coordinate = ratio follows + also_ratio also + offset. */
typedef struct olo_relation {
    int initialised;  /**< set by olo_relation_default(); leave it */
    const char *name; /**< NULL: relation1, relation2, ... */
    const char
        *coordinate; /**< name of a joint coordinate, `hinge.angle`; `hinge` if it has one only */
    const char *follows; /**< the joint coordinate that it follows */
    double ratio;        /**< default 1; negative: opposite direction */
    const char *also;    /**< a second one that it follows, as in a differential; NULL: none */
    double also_ratio;   /**< default 1 */
    double offset;       /**< OLO_UNSET: such that the initial state satisfies the relation */
} olo_relation;

/** A force or a moment on a point, along a beam or along a joint coordinate, with a factor over
 * time. */
typedef struct olo_load {
    int initialised;      /**< set by olo_load_default(); leave it */
    const char *name;     /**< NULL: load1, load2, ... */
    olo_point_on_body on; /**< the point on which it acts */
    /** Instead of `on`: a beam; force and moment are then per length. Or a joint coordinate,
     * "slide.position1": a force or torque `magnitude` along it acts on the second body of the
     * joint, and its opposite on the first. */
    const char *along;
    double magnitude;         /**< along a joint coordinate; OLO_UNSET: none */
    double force[3];          /**< at the point; OLO_UNSET: none */
    double moment[3];         /**< on the body of the point; OLO_UNSET: none */
    const char *frame;        /**< "space": dead; "body": rotates with the body */
    const olo_signal *signal; /**< factor over time; NULL: 1; in a model file the key `time` */
    /** A force that depends on time and motion, called at midpoint values, instead of `force`,
     * which must then be zero. `frame` and `signal` apply to it as they do to a constant force:
     * with "body" its result has components along the directors of the body; position and velocity
     * of the point are always in space. It must be a pure function of its arguments. Its work is
     * recorded in the ledger. */
    void (*function)(void *context, double t, const double position[3], const double velocity[3],
                     double force[3]);
    /** The derivatives of `function`, if they are known, row-major, d force[i]/d position[j] at [3
     * i + j]: then Newton converges quadratically, and runs have derivatives (derivatives.h). */
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]);
    /** Instead of `function`: a force at the point and a moment on its body that depend on the
     * whole motion of the body. Both are zero on entry. With `frame` "body" the results have
     * components along the directors; the motion is always in space axes. It has no derivatives. */
    void (*wrench)(void *context, const olo_body_motion *motion, double force[3], double moment[3]);
    void *context; /**< handed to these functions; must live as long as the system */
} olo_load;

/** Something that happens once during a run: at a time, or when an expression crosses zero. The
 * time is located within the step. A joint or support that is opened no longer constrains its
 * bodies. One that is closed does so from then on: its parts must meet, and velocities change by a
 * plastic impact, which conserves momentum. What the first event that names it closes or starts is
 * open or does not act at the beginning. */
typedef struct olo_event {
    int initialised;  /**< set by olo_event_default(); leave it */
    const char *name; /**< NULL: event1, event2, ... */
    /** An expression of `t`, the parameters, joint coordinates (`hinge.angle`, `hinge.angle.rate`)
     * and outputs (`tip.position.x`, `tip.velocity.y`; of reactions `hook.force`, `hook.force.z`,
     * `hook.moment`). The event happens when it crosses zero. */
    const char *when;
    double at;           /**< instead of `when`: a time; OLO_UNSET: none */
    const char *crosses; /**< "either" (default), "rising" (from negative values) or "falling" */
    int open_count;      /**< number of names in `open` */
    const char *const *open;  /**< joints, supports, rods, relations and contacts that open */
    int close_count;          /**< number of names in `close` */
    const char *const *close; /**< those that close */
    int latch_count;          /**< number of names in `latch` */
    const char *const *latch; /**< those that close where their parts are: their constants are those
                                   of the configuration at the event */
    int start_count;          /**< number of names in `start` */
    const char *const *start; /**< loads, and joints whose drives begin to act */
    int stop_count;           /**< number of names in `stop` */
    const char *const *stop;  /**< those that no longer act */
    bool end;                 /**< the run ends */
} olo_event;

/** A point whose position, velocity and acceleration are recorded, or a joint whose reaction is. */
typedef struct olo_output {
    int initialised;      /**< set by olo_output_default(); leave it */
    const char *name;     /**< NULL: output1, output2, ... */
    olo_point_on_body on; /**< the recorded point */
    bool trace;           /**< whether the report draws its path; default true */
    /** Instead of `on`: name of a joint, support or rod whose force on its body (of a joint the
     * second one) and moment about its point are recorded. */
    const char *reaction;
    const char *frame; /**< axes of the reaction: "space", "parent" (the first body) or "child" */
} olo_output;

/** The exact motion of a point, if it is known: expressions of t and the parameters, three per
 * vector, NULL for unknown vectors. Studies of convergence compare with it; a run does not use it.
 */
typedef struct olo_exact {
    int initialised;         /**< set by olo_exact_default(); leave it */
    const char *name;        /**< NULL: exact1, exact2, ... */
    olo_point_on_body on;    /**< the point, on a body or a point mass */
    const char *position[3]; /**< of the point */
    const char *d1[3];       /**< first director of the body it is on */
    const char *d2[3];       /**< second director */
    const char *d3[3];       /**< third director */
} olo_exact;

/** @name Defaults
 *  Every field has the value of a missing key in a model file; the name is NULL.
 *  @{ */
/** At the origin with velocity zero; the mass is required. */
OLO_API olo_point olo_point_default(void);
/** At the origin of the body; type, size and density or mass are required. */
OLO_API olo_shape olo_shape_default(void);
/** Expression, table or function is required. */
OLO_API olo_signal olo_signal_default(void);
/** About an axis through the origin, without rise; axis and angle are required. */
OLO_API olo_arc olo_arc_default(void);
/** The shear factor of its shape; type, size and material are required. */
OLO_API olo_section olo_section_default(void);
/** Target 0; kp or kd is required. */
OLO_API olo_controller olo_controller_default(void);
/** No mass, no rotation; position and velocity as the supports and joints imply. */
OLO_API olo_body olo_body_default(void);
/** Linear elements, reduced quadrature, velocity zero; elements, curve, stiffness and inertia are
 * required. */
OLO_API olo_beam olo_beam_default(void);
/** No mass; the point is required. */
OLO_API olo_mass olo_mass_default(void);
/** The length is the initial distance; the ends are required. */
OLO_API olo_rod olo_rod_default(void);
/** A distance spring, initially without force; the stiffness is required. */
OLO_API olo_spring olo_spring_default(void);
/** Along the line; damping or force is required. */
OLO_API olo_damper olo_damper_default(void);
/** At rest at zero; names and mass are required. */
OLO_API olo_coordinates olo_coordinates_default(void);
/** On the plane z = 0 of the ground, without friction and restitution; the point is required. */
OLO_API olo_contact olo_contact_default(void);
/** The point is fixed at its initial position. */
OLO_API olo_support olo_support_default(void);
/** Revolute, without forces along its coordinates; `between` and the axis are required. */
OLO_API olo_joint olo_joint_default(void);
/** Ratio one, with the offset of the initial state; the coordinates are required. */
OLO_API olo_relation olo_relation_default(void);
/** Dead, constant over time; force, moment or function is required. */
OLO_API olo_load olo_load_default(void);
/** At any crossing; when or at is required. */
OLO_API olo_event olo_event_default(void);
/** Traced; the point is required. */
OLO_API olo_output olo_output_default(void);
/** No known vectors. */
OLO_API olo_exact olo_exact_default(void);
/** @} */

/** @name Kinds
 *  The kinds of elements and their keys in a model file, for programs that write models.
 *  All texts have static storage; NULL if an index is out of range.
 *  @{ */
/** Number of kinds. */
OLO_API int olo_element_kind_count(void);
/** Section of a model file: "bodies". */
OLO_API const char *olo_element_section(int kind);
/** Noun of one element: "body". */
OLO_API const char *olo_element_noun(int kind);
/** Number of keys that such an element may have in a file. */
OLO_API int olo_element_key_count(int kind);
/** Name of a key: "mass". */
OLO_API const char *olo_element_key(int kind, int index);
/** Meaning of a key, in one line. */
OLO_API const char *olo_element_key_help(int kind, int index);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
