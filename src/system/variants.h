/* Systems of one structure at other values of parameters: what a room that knows no models needs of
 * one. */
#ifndef OLO_SYSTEM_VARIANTS_H
#define OLO_SYSTEM_VARIANTS_H

#include "oloid/optimize.h"

struct olo_variants {
    const void *model;
    /* The value of a parameter in the model; fails if there is none of this name. */
    olo_status (*value)(const void *model, const char *name, double *value, olo_error *error);
    /* The system at values of some parameters, with the structure of `system`. */
    olo_status (*make)(const void *model, const olo_system *system, int count,
                       const char *const *names, const double *values, olo_system **made,
                       olo_error *error);
};

#endif
