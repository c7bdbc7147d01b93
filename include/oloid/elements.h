/** @file The things a person names: points, bodies, beams, masses, joints, rods, springs, dampers,
 * supports, loads, outputs.
 *
 * Each is a plain struct that starts from its `olo_..._default()` (oloid.h says why) and is given
 * to a model with its function of model.h:
 *
 *      olo_body body = olo_body_default();
 *      body.name = "top";
 *      body.mass = 1;
 *      olo_model_add_body(model, &body, &error);
 *
 * The keys of a model file and the fields here have one name. Strings and arrays are copied when an
 * element is added. Units are the user's, as long as they fit together; angles are in radians.
 * Vectors are in space axes unless it says otherwise.
 */
#ifndef OLOID_ELEMENTS_H
#define OLOID_ELEMENTS_H

#include <math.h>
#include <stdbool.h>

#include "oloid/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A number that was not given, NaN: the element then takes its value from the configuration. Of a
 * vector that is given in part, the other components are zero. */
#define OLO_UNSET ((double)NAN)
/** OLO_UNSET for languages that bind to the library and see no macros. */
OLO_API double olo_unset(void);

/** A point on a body, a point mass, or a point of space, at which something acts or is attached.
 * `on` is NULL (or "ground") for a point of space, the name of a point or a body, or `body.point`
 * for a named point of a body. `at` is in space for ground, in the body's frame for a body, and
 * zero for a point mass or a named point. In a model file: `a`, `top.tip`, `[0, 0, 1]`, `{on: top,
 * at: [0, 0, 0.1]}`. */
typedef struct olo_point_on_body {
    const char *on; /**< NULL, "ground", a point, a body, or `body.point` */
    double at[3];   /**< from the origin of what `on` names, in its axes */
} olo_point_on_body;

/** A function of time: a number, an expression of t and the parameters, a table (linear between its
 *  entries, constant outside), or a C function. One of them is given. */
typedef struct olo_signal {
    int initialised;                             /**< set by olo_signal_default(); leave it */
    const char *expression;                      /**< for example "sin(2*pi*t)" */
    const double *time;                          /**< table: ascending times ... */
    const double *value;                         /**< ... and values */
    int count;                                   /**< number of entries of the table */
    double (*function)(void *context, double t); /**< a pure function of time */
    void *context; /**< handed to `function`; must live as long as the system */
} olo_signal;

/** A point mass. */
typedef struct olo_point {
    int initialised;    /**< set by olo_point_default(); leave it */
    const char *name;   /**< required */
    double mass;        /**< positive */
    double position[3]; /**< at the start */
    double velocity[3]; /**< at the start */
    /** Name of an earlier point from which position and velocity count; its coordinates are then
     * the difference to that point (relative coordinates). NULL: from the origin. */
    const char *relative_to;
} olo_point;

/** A homogeneous solid, placed in the body's frame. */
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
} olo_shape;

/** A named point of a body, to which other elements may refer as `body.point`. */
typedef struct olo_body_point {
    const char *name; /**< what follows the dot in `body.point` */
    double at[3];     /**< in the body's frame */
} olo_body_point;

/** A rigid body. Mass, centre and inertia may be given as numbers, by shapes, or both: numbers add
 *  to what the shapes give. The frame is the user's: any origin, any axes. */
typedef struct olo_body {
    int initialised;  /**< set by olo_body_default(); leave it */
    const char *name; /**< required */
    double mass;      /**< beside that of the shapes */
    double center[3]; /**< centre of `mass` in the body's frame */
    /** Row-major 3x3, about `center`, along the axes of the body's frame. In a model file: [J1,
     * J2, J3], [J11, J22, J33, J12, J13, J23] or 3 rows. */
    double inertia[9];
    const olo_shape *shapes; /**< solids that add their mass, centre and inertia */
    int shape_count;         /**< number of `shapes` */
    /** Of the frame's origin; OLO_UNSET: zero, or where a support with `at` puts it. */
    double position[3];
    /** Row-major; columns are the directors d1, d2, d3. In a model file: {axis, angle}, {matrix},
     * {quaternion: [w, x, y, z]}, {euler: zxz, angles: [...]} or a list of such, applied one after
     * the other in the body's own axes. */
    double rotation[9];
    /** Of the frame's origin; OLO_UNSET: what the supports and the angular velocity imply, else
     * zero. */
    double velocity[3];
    double angular_velocity[3];    /**< in space axes; OLO_UNSET: what joints imply, else zero */
    bool angular_velocity_in_body; /**< the angular velocity is given along the directors */
    const olo_body_point *points;  /**< named points */
    int point_count;               /**< number of `points` */
} olo_body;

/** Part of a circle or of a helix, from where the beam starts. */
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
    double shear_factor; /**< of the area in shear; OLO_UNSET: that of the shape */
} olo_section;

/** A geometrically exact beam: large displacements and rotations, shear and elongation included.
 * Its nodes are frames whose third director is tangent to the beam without load; they are named
 * `beam.1`, `beam.2`, ... and `beam.start`, `beam.middle`, `beam.end`, and stand wherever a body
 * may. The state at the start is without stress. */
typedef struct olo_beam {
    int initialised;  /**< set by olo_beam_default(); leave it */
    const char *name; /**< required */
    int elements;     /**< their number, 1 to 100,000 */
    /** linear: two nodes per element, second order; quadratic: three nodes, fourth order. */
    const char *interpolation;
    const char *quadrature; /**< reduced (default); full, which locks */
    double from[3];         /**< where it starts */
    double to[3];           /**< where it ends, of a straight beam */
    const olo_arc *arc;     /**< instead of `to`: part of a circle or of a helix */
    const double
        *points;     /**< instead of `from` and `to`: points it goes through, three numbers each */
    int point_count; /**< number of `points` */
    const char *curve; /**< through `points`: polyline (with rigid corners) or spline */
    double d1[3]; /**< direction of d1 at the start, as far as it is across the beam; zero: an axis
                     of space */
    double twist; /**< angle by which d1 and d2 turn about the beam from start to end */
    const char *start_on; /**< a body or node of another beam, of which it takes the frame for its
                             own first node */
    const char *end_on;   /**< the same for its last node */
    /** Six stiffnesses GA1, GA2, EA, EI1, EI2, GJ (EI1 about d1), or a symmetric 6x6 matrix, row
     * by row. */
    const double *stiffness;
    int stiffness_count; /**< 6 or 36; 0: by the section */
    /** Instead of stiffness: any stored energy per length, as an expression of the strains g1, g2
     * (shear along d1, d2), g3 (elongation), k1, k2 (curvatures about d1, d2) and k3 (torsion) and
     * the parameters. */
    const char *energy;
    /** Mass per length and its moments, A, M1, M2: integrals of density, density x1^2 and
     * density x2^2; or A, S1, S2, M11, M22, M12 with the first moments and the mixed one. */
    const double *inertia;
    int inertia_count;          /**< 3 or 6; 0: by the section */
    const olo_section *section; /**< shape and material, instead of stiffness and inertia */
    double damping;     /**< relaxation time: stress in proportion to the rate of strain, stiffness
                           times this */
    double dissipation; /**< share of algorithmic dissipation of what is fast against the step, 0 to
                           1 */
    double velocity[3]; /**< of its start, at the start */
    double
        angular_velocity[3]; /**< with which it turns as a whole about its start, in space axes */
} olo_beam;

/** Mass on a body, a point mass or a node of a beam, beside what it has. */
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
    double length;    /**< distance: length at rest; OLO_UNSET: the initial distance */
    double offset[3]; /**< linear: x2 - x1 at rest */
    double damping;   /**< of the parallel damper, force per velocity */
    /** Distance only: any stored energy as an expression of the length `l`, instead of the
     * stiffness, for example "k*(l-l0)^4". */
    const char *energy;
} olo_spring;

/** A viscous damper between two points: along the line ("distance") or isotropic ("linear"). */
typedef struct olo_damper {
    int initialised;              /**< set by olo_damper_default(); leave it */
    const char *name;             /**< NULL: damper1, damper2, ... */
    olo_point_on_body between[2]; /**< its ends */
    const char *type;             /**< "distance" (default) or "linear" */
    double damping;               /**< force per velocity */
} olo_damper;

/** A support of a body or a point mass on the ground. */
typedef struct olo_support {
    int initialised;      /**< set by olo_support_default(); leave it */
    const char *name;     /**< NULL: support1, support2, ... */
    olo_point_on_body on; /**< the supported point; with type "center" the body's centre of mass */
    /** point: the point is fixed; center: the centre of mass is fixed; slide: the point stays on a
     * line along `axis`; plane: it stays in a plane with normal `axis`; hinge: the point is fixed
     * and the body turns about `axis`; fixed: the body cannot move. */
    const char *type;
    double axis[3]; /**< of slide, plane and hinge; any length but zero */
    double at[3];   /**< where in space; OLO_UNSET: where it is at the start */
} olo_support;

/** A controller of a joint coordinate x: the torque or force kp (target - x) + kd (target' - x').
 */
typedef struct olo_controller {
    int initialised;          /**< set by olo_controller_default(); leave it */
    double kp;                /**< torque per angle, or force per length */
    double kd;                /**< torque or force per rate */
    const olo_signal *target; /**< over time; NULL: 0 */
} olo_controller;

/** A joint between two bodies, or a body and the ground. What acts along its coordinates (its
 * angle, its positions) acts equal and opposite on both bodies. */
typedef struct olo_joint {
    int initialised;  /**< set by olo_joint_default(); leave it */
    const char *name; /**< NULL: joint1, joint2, ... */
    const char
        *type; /**< spherical, revolute, cylindrical, prismatic, planar, rigid, point-on-line,
                    point-on-plane, screw, universal, distance, rolling-disc, rolling-ball */
    olo_point_on_body between[2]; /**< a point of each; the axes belong to the first body */
    double at[3];   /**< where in space at the start, instead of the `at` of the two points */
    double axis[3]; /**< at the start, in space: of rotation, of translation, normal of a plane */
    double
        axis2[3]; /**< universal: fixed in the second body, perpendicular to `axis`, at the start */
    double pitch; /**< screw: how far it goes along the axis in a turn; negative: left-handed */
    double length; /**< distance: OLO_UNSET: the initial one */
    double rate;   /**< initial angular velocity of the second body relative to the first, about the
                      axis */
    double rate2;  /**< universal: the same about axis2 */
    double sliding[3]; /**< initial velocity of the second point relative to the first, in space.
                          Both are for a second body without velocities of its own */
    double radius;     /**< of a disc or ball that rolls on a plane of the ground */
    double
        normal[3]; /**< of that plane; OLO_UNSET: against gravity. The first point of `between` is a
                      point of the plane, the second the centre, `axis` the axis of the disc */
    const char *coordinate; /**< what the following act on: angle, angle1, angle2, position,
                               position1, position2; NULL: the only one there is.
                               Angles are zero at the start */
    double stiffness;       /**< of a spring, torque per angle or force per length; default 0 */
    double rest;            /**< where the spring is at rest; OLO_UNSET: at the start */
    double damping;         /**< of a damper, torque or force per rate; default 0 */
    double lower;           /**< stop: a stiff spring below this; OLO_UNSET: none */
    double upper;           /**< stop: a stiff spring above this; OLO_UNSET: none */
    double stop_stiffness;  /**< of the stops */
    const olo_controller *controller; /**< towards a target; NULL: none */
    /** The coordinate over time: then the torque or force that it takes is a result
     * (olo_system_drive_force), and its work enters the ledger. The coordinate starts with the
     * motion's rate at time 0; another rate for it, not zero, in `rate`, `rate2` or `sliding` is an
     * error. NULL: free. */
    const olo_signal *motion;
    /** A torque or force that depends on time and motion, called at midpoint values, instead of
     * `torque` or `force` along the same coordinate, which must then be zero; `signal` is a factor
     * of it, too. It must be a pure function of its arguments. Its work enters the ledger. */
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

/** A relation between joint coordinates, as gears and cables make them:
 *  coordinate = ratio follows + also_ratio also + offset. */
typedef struct olo_relation {
    int initialised;  /**< set by olo_relation_default(); leave it */
    const char *name; /**< NULL: relation1, relation2, ... */
    const char
        *coordinate; /**< name of a joint coordinate, `hinge.angle`; `hinge` if it has one only */
    const char *follows; /**< the joint coordinate that it follows */
    double ratio;        /**< default 1; negative: turning the other way */
    const char *also;    /**< a second one that it follows, as in a differential; NULL: none */
    double also_ratio;   /**< default 1 */
    double offset;       /**< OLO_UNSET: what the start leaves */
} olo_relation;

/** A force or a moment on a point, with a law of time. */
typedef struct olo_load {
    int initialised;          /**< set by olo_load_default(); leave it */
    const char *name;         /**< NULL: load1, load2, ... */
    olo_point_on_body on;     /**< where it acts */
    const char *along;        /**< instead of `on`: a beam; force and moment are then per length */
    double force[3];          /**< at the point */
    double moment[3];         /**< on the body of the point */
    const char *frame;        /**< "space": dead; "body": turns with the body */
    const olo_signal *signal; /**< factor over time; NULL: 1; in a model file the key `time` */
    /** A force that depends on time and motion, called at midpoint values, instead of `force`,
     * which must then be zero. `frame` and `signal` apply to it as they do to a constant force:
     * with "body" what it gives are components along the directors of the body; position and
     * velocity of the point are in space in any case. It must be a pure function of its arguments.
     * Its work enters the ledger. */
    void (*function)(void *context, double t, const double position[3], const double velocity[3],
                     double force[3]);
    /** The derivatives of `function`, if they are known, row-major, d force[i]/d position[j] at [3
     * i + j]: then Newton converges quadratically, and runs have derivatives (derivatives.h). */
    void (*derivatives)(void *context, double t, const double position[3], const double velocity[3],
                        double by_position[9], double by_velocity[9]);
    void *context; /**< handed to both; must live as long as the system */
} olo_load;

/** A point whose position, velocity and acceleration are recorded, or a joint whose reaction is. */
typedef struct olo_output {
    int initialised;      /**< set by olo_output_default(); leave it */
    const char *name;     /**< NULL: output1, output2, ... */
    olo_point_on_body on; /**< what is followed */
    bool trace;           /**< whether the report draws its way; default true */
    /** Instead of `on`: name of a joint, support or rod whose force on its body (of a joint the
     * second one) and moment about its point are recorded. */
    const char *reaction;
    const char *frame; /**< axes of the reaction: "space", "parent" (the first body) or "child" */
} olo_output;

/** The exact motion of a point, where it is known: expressions of t and the parameters, three per
 * vector, NULL where nothing is known. Convergence is measured against it; a run does not read it.
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
 *  Every field as if its key were missing in a model file; the name is NULL.
 *  @{ */
/** At rest at the origin; the mass is to be given. */
OLO_API olo_point olo_point_default(void);
/** At the origin of the body; type, size and density or mass are to be given. */
OLO_API olo_shape olo_shape_default(void);
/** Nothing given: expression, table or function is to be given. */
OLO_API olo_signal olo_signal_default(void);
/** About an axis through the origin, without rise; axis and angle are to be given. */
OLO_API olo_arc olo_arc_default(void);
/** The shear factor of its shape; type, size and material are to be given. */
OLO_API olo_section olo_section_default(void);
/** Towards 0; kp or kd are to be given. */
OLO_API olo_controller olo_controller_default(void);
/** No mass, not turned, position and velocity as the supports imply. */
OLO_API olo_body olo_body_default(void);
/** Linear elements, reduced quadrature, at rest; elements, curve, stiffness and inertia are to be
 * given. */
OLO_API olo_beam olo_beam_default(void);
/** No mass; the point is to be given. */
OLO_API olo_mass olo_mass_default(void);
/** As long as the initial distance. */
OLO_API olo_rod olo_rod_default(void);
/** A distance spring, at rest at the start; the stiffness is to be given. */
OLO_API olo_spring olo_spring_default(void);
/** Along the line; the damping is to be given. */
OLO_API olo_damper olo_damper_default(void);
/** The point is fixed where it is at the start. */
OLO_API olo_support olo_support_default(void);
/** Revolute, nothing acts along it; between what, and the axis, are to be given. */
OLO_API olo_joint olo_joint_default(void);
/** Ratio one, as the start leaves it; the coordinates are to be given. */
OLO_API olo_relation olo_relation_default(void);
/** Dead, constant over time; force, moment or function are to be given. */
OLO_API olo_load olo_load_default(void);
/** The origin of space, traced; the point is to be given. */
OLO_API olo_output olo_output_default(void);
/** Nothing known. */
OLO_API olo_exact olo_exact_default(void);
/** @} */

/** @name Kinds Which kinds of elements there are and what a model file calls them, for programs
 * that write models. All texts have static storage; NULL outside of the range. @{ */
/** Number of kinds. */
OLO_API int olo_element_kind_count(void);
/** Section of a model file: "bodies". */
OLO_API const char *olo_element_section(int kind);
/** One of them: "body". */
OLO_API const char *olo_element_noun(int kind);
/** Number of keys that such an element may have in a file. */
OLO_API int olo_element_key_count(int kind);
/** A key: "mass". */
OLO_API const char *olo_element_key(int kind, int index);
/** What it means, in one line. */
OLO_API const char *olo_element_key_help(int kind, int index);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
