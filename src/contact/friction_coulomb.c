/* No friction, and Coulomb's law: |lambda_T| <= mu lambda_N, against the sliding velocity. */
#include "contact/friction.h"

const olo_friction olo_friction_none = {.name = "none", .help = "no friction"};

const olo_friction olo_friction_coulomb = {
    .name = "coulomb", .help = "force against the sliding velocity", .set = &olo_set_ball};
