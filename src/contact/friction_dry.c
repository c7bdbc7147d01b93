/* Dry friction with a given largest force, as in joints: |lambda| <= F, against the velocity. */
#include "contact/friction.h"

const olo_friction olo_friction_dry = {.name = "dry",
                                       .help = "force up to a given value, against the velocity",
                                       .set = &olo_set_ball,
                                       .constant = true};
