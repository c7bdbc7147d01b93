/* The reduced form of a step with contacts: its equations (contact/smooth.h, contact/frozen.h) on
 * the spanning tree, without multipliers of joints. */
#ifndef OLO_STEPPING_CONTACT_REDUCED_H
#define OLO_STEPPING_CONTACT_REDUCED_H

#include "contact/contact_step.h"

typedef struct olo_contact_reduced olo_contact_reduced;

/* Must be freed also on failure. */
olo_status olo_contact_reduced_create(const olo_system *system, olo_contact_reduced **created,
                                      olo_error *error);
void olo_contact_reduced_free(olo_contact_reduced *x);
/* The form for a contact step; its data is `x`. Closure rows have multipliers. */
olo_contact_form olo_contact_reduced_form(olo_contact_reduced *x);
/* [twists] the impulses of all joints in the last accepted smooth part or jump. */
const double *olo_contact_reduced_wrenches(const olo_contact_reduced *x);

#endif
