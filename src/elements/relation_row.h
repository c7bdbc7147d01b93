/* Constraint rows between joint coordinates, which joints (screws, motions) and relations have. */
#ifndef OLO_ELEMENTS_RELATION_ROW_H
#define OLO_ELEMENTS_RELATION_ROW_H

#include "elements/build.h"

enum { OLO_RELATION_SHARES_MAX = 3 };

/* constant + sum of factor times coordinate - f(t) = 0, of joint coordinates of the system. */
typedef struct olo_relation_row {
    int count;
    int coordinate[OLO_RELATION_SHARES_MAX];
    double factor[OLO_RELATION_SHARES_MAX];
    double constant;
} olo_relation_row;

/* The row alone, which belongs to no group: a gap or a sliding velocity (coordinate_contact.c). */
olo_status olo_make_relation_row(olo_builder *builder, const olo_relation_row *relation,
                                 olo_constraint *row);

/* Adds a group called `name` with this row. */
olo_status olo_build_relation_row(olo_builder *builder, const char *name,
                                  const olo_relation_row *relation);

/* Adds a group called `name` that prescribes a joint coordinate by the signal under `key`. */
olo_status olo_build_motion(olo_builder *builder, const char *name, int coordinate, const char *key,
                            const olo_signal *signal);

/* The initial rate of a motion; zero without a motion. */
olo_status olo_motion_initial_rate(olo_builder *builder, const char *key, const olo_signal *signal,
                                   double *rate);

/* Finds a joint coordinate by its name, "hinge.angle", or "hinge" if this joint has only one. */
olo_status olo_find_joint_coordinate(olo_builder *builder, const char *key, const char *name,
                                     int *coordinate);

/* Adds a spring 1/2 k (x - rest)^2 or a damper along a joint coordinate x; a `rest` that is not
 * given is the initial value. */
olo_status olo_build_spring_along(olo_builder *builder, const char *owner, int coordinate,
                                  double stiffness, double rest);
olo_status olo_build_damper_along(olo_builder *builder, const char *owner, int coordinate,
                                  double damping);

/* Adds a rigid stop along a joint coordinate x, with the gap side (bound - x): side is 1 for an
 * upper, -1 for a lower one. */
olo_status olo_build_stop_along(olo_builder *builder, const char *owner, int coordinate, int side,
                                double bound, double restitution);
/* Adds dry friction with a largest force along a joint coordinate. */
olo_status olo_build_friction_along(olo_builder *builder, const char *owner, int coordinate,
                                    double force);

/* Whether an expression, a table or a function is given. */
static inline bool olo_signal_is_given(const olo_signal *signal)
{
    return signal && (signal->expression || signal->count > 0 || signal->function);
}

#endif
