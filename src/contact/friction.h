/* Laws of friction: which sliding velocities a contact has, and the set of its friction forces.
 *
 *     -lambda_T = prox(-lambda_T + r gamma_T),   size of the set: rho = mu lambda_N
 *
 * A law is a constant table, one file each, and a line in friction.c. */
#ifndef OLO_CONTACT_FRICTION_H
#define OLO_CONTACT_FRICTION_H

#include "contact/set.h"

typedef struct olo_friction {
    const char *name;
    const char *help;   /* one line, for documentation */
    const olo_set *set; /* NULL: no friction */
    bool spin;          /* it has a torque about the normal beside the force */
    olo_set_shape shape;
} olo_friction;

extern const olo_friction olo_friction_none, olo_friction_coulomb, olo_friction_contensou,
    olo_friction_contensou_exact;

/* All laws by number, NULL after the last; their names for fields of elements, NULL at the end. */
const olo_friction *olo_friction_number(int number);
extern const char *const olo_friction_names[];
const olo_friction *olo_friction_find(const char *name);

#endif
