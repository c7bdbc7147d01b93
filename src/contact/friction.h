/* Laws of friction: which sliding velocities a contact has, and the set of its friction forces.
 *
 *     -lambda_T = prox(-lambda_T + r gamma_T),   size of the set: rho = mu lambda_N
 *
 * or a constant force, rho = F; over a time h the impulse is at most h F, and none in an impact.
 * A law is a constant table, one file each, and a line in friction.c. */
#ifndef OLO_CONTACT_FRICTION_H
#define OLO_CONTACT_FRICTION_H

#include "contact/inclusion.h"
#include "system/contact.h"

struct olo_friction {
    const char *name;
    const char *help;   /* one line, for documentation */
    const olo_set *set; /* NULL: no friction */
    bool spin;          /* it has a torque about the normal beside the force */
    bool constant;      /* the largest force is given, whatever the normal force */
    olo_set_shape shape;
};

extern const olo_friction olo_friction_none, olo_friction_coulomb, olo_friction_contensou,
    olo_friction_contensou_exact, olo_friction_dry;

/* The block of the friction impulses of a contact over a time: their first component, and the
 * component of the normal impulse. */
olo_force_block olo_friction_block(const olo_contact_point *contact, int first, int normal,
                                   double duration);
/* The size of its set at a normal impulse. */
double olo_friction_size(const olo_contact_point *contact, double normal, double duration);

/* All laws by number, NULL after the last; the names of those that contacts of a model may have,
 * NULL at the end. */
const olo_friction *olo_friction_number(int number);
extern const char *const olo_friction_names[];
const olo_friction *olo_friction_find(const char *name);

#endif
