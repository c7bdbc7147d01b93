/* Contacts and other laws with sets of forces: a gap g(q) >= 0 and the velocities along which
 * friction acts.
 *
 *     plane      g = n.x - c, the centre x of a sphere or a point above a plane, c with its radius
 *     moving     the same with a plane fixed to a body: n and x depend on its directors
 *     distance   g = s (|x| - c), x from one point to another: spheres (s = 1), ropes (s = -1)
 *
 * A gap is a constraint row (constraint.h) with a value and a discrete gradient; a sliding velocity
 * is a velocity row f = W(q) v, with W linear in q except for spheres on moving planes or on
 * spheres. These rows
 * are not among the constraints of the system: a contact decides in every step whether they act,
 * and with which force. All rows of a contact with geometry have the same list of coordinates. A
 * gap can also be any row with a value: a function of coordinates, whose sliding velocities are the
 * rates of such functions, or the distance of a joint coordinate from its stop. A law without a gap
 * always acts: dry friction along a joint coordinate.
 */
#ifndef OLO_SYSTEM_CONTACT_H
#define OLO_SYSTEM_CONTACT_H

#include "system/constraint.h"
#include "system/position.h"

enum { OLO_CONTACT_SLOTS_MAX = OLO_POSITION_SLOTS_MAX + 6, OLO_SLIDING_MAX = 3 };

/* A gap below this is closed, relative to the length of the model: without it a resting contact
 * would be lost at a rounding error above zero. */
#define OLO_CLOSED_GAP 1e-10

typedef struct olo_contact_geometry olo_contact_geometry;
typedef struct olo_sliding_form olo_sliding_form;

/* A sliding velocity: that of the touching point along a direction, or the rate of rotation about
 * the normal. */
typedef struct olo_sliding {
    const olo_contact_geometry *of;
    double along[3]; /* unit vector in the plane, or zero */
    double spin;     /* length by which the rate of rotation is multiplied, or zero */
    int tangent;     /* of a moving plane: which of its tangents */
} olo_sliding;

/* The numbers of a contact. */
struct olo_contact_geometry {
    olo_position x;
    double normal[3];       /* of a plane of the ground, else zero */
    olo_position direction; /* normal of a moving plane; without slots: another kind */
    double offset;          /* c */
    double sign;            /* s */
    double radius;          /* lever of rotations: the touching point is x - radius n */
    int slots; /* 3-vectors of q: those of x and the directors of the sphere, ascending */
    int slot[OLO_CONTACT_SLOTS_MAX];
    double weight[OLO_CONTACT_SLOTS_MAX];  /* of each in x */
    double turning[OLO_CONTACT_SLOTS_MAX]; /* of each in the direction of a moving plane */
    /* of each director of the sphere 1, of two spheres their shares theta (contact_spheres.c); else
     * 0 */
    double director[OLO_CONTACT_SLOTS_MAX];
    double tangent[2][OLO_CONTACT_SLOTS_MAX]; /* of each in the tangents of a moving plane */
    const olo_sliding_form *sliding_form;
    olo_sliding sliding[OLO_SLIDING_MAX];
};

typedef struct olo_friction olo_friction; /* contact/friction.h */

typedef struct olo_contact_point {
    const char *name;
    const char *where; /* the element in the model, for messages */
    const char *owner; /* the joint to which a stop or dry friction belongs, else NULL */
    bool off;          /* switched off in this mode of the system: it does not act */
    const olo_contact_geometry *geometry; /* in the pool of the system; NULL: rows of functions */
    olo_position touching; /* point or centre of the sphere, middle of two spheres, end of a rope */
    olo_constraint gap;    /* without a type: the law always acts */
    int sliding_count;
    olo_constraint sliding[OLO_SLIDING_MAX];
    const olo_friction *law;
    double friction;               /* coefficient, or the largest force, as the law has it */
    double restitution;            /* normal */
    double threshold;              /* approach velocity below which there is none, unless it is 1 */
    double tangential_restitution; /* also of the rotation about the normal */
} olo_contact_point;

static inline bool olo_contact_has_gap(const olo_contact_point *contact)
{
    return contact->gap.type != NULL;
}

/* Rows of a contact by number: 0 is the gap, then sliding velocities. The first one it has. */
static inline int olo_contact_first_row(const olo_contact_point *contact)
{
    return olo_contact_has_gap(contact) ? 0 : 1;
}
static inline const olo_constraint *olo_contact_row(const olo_contact_point *contact, int row)
{
    return row == 0 ? &contact->gap : &contact->sliding[row - 1];
}

/* The unit of gap and sliding distances: 1 if they are angles, else the length of the model. */
double olo_contact_unit(const olo_contact_point *contact, double length_scale);

extern const olo_constraint_type olo_constraint_gap_plane, olo_constraint_gap_moving,
    olo_constraint_gap_distance;

/* How sliding velocities follow from the geometry: W(q) of a row, and factor dW/dq. */
struct olo_sliding_form {
    void (*row)(const olo_constraint *row, const double *q, double *d);
    void (*matrix)(const olo_constraint *row, double factor, const double *q, double *matrix);
};
extern const olo_sliding_form olo_sliding_moving, olo_sliding_spheres;

/* The direction of the normal force at a configuration: on the body above the plane, or on the
 * second point; length one. The contact must have geometry. */
void olo_contact_normal(const olo_contact_point *contact, const double *q, double normal[3]);
/* The direction of sliding velocity k at a configuration; zero if it is a rotation. */
void olo_contact_tangent(const olo_contact_point *contact, int k, const double *q,
                         double tangent[3]);
/* False if the identity of row_lift.h does not hold for a sliding velocity: W is of higher order in
 * q. Such a contact has no pair of position and velocity while it sticks. */
bool olo_contact_sliding_is_linear(const olo_contact_point *contact);

/* Where the bodies touch at a configuration: `touching`, for a sphere above a plane its lowest
 * point. NaN without geometry. */
void olo_contact_touching_point(const olo_contact_point *contact, const double *q, double x[3]);

/* True if sliding velocities vanish for every rigid motion of the model: friction acts between
 * bodies, not on the ground. */
bool olo_contact_sliding_is_invariant(const olo_contact_point *contact);

/* Completes the geometry: its slots from x, the direction and two tangents of a moving plane (NULL:
 * none). False if there are too many. */
bool olo_contact_find_slots(olo_contact_geometry *geometry, const olo_position tangent[2]);
/* Adds the directors of a sphere, whose frame starts at this coordinate, with their share. */
bool olo_contact_add_directors(olo_contact_geometry *geometry, int frame, double share);

/* Sets the rows of a contact from its geometry. `index` has 3 slots entries and lives as long as
 * the system. */
void olo_contact_set_rows(olo_contact_point *contact, const olo_constraint_type *gap,
                          olo_contact_geometry *geometry, int *index, int sliding_count);

#endif
