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

/* Adds a group called `name` with this row. */
olo_status olo_build_relation_row(olo_builder *builder, const char *name,
                                  const olo_relation_row *relation);

/* Adds a group called `name` that prescribes a joint coordinate by the signal under `key`. */
olo_status olo_build_motion(olo_builder *builder, const char *name, int coordinate, const char *key,
                            const olo_signal *signal);

/* The initial rate of a motion; zero without a motion. */
olo_status olo_motion_initial_rate(olo_builder *builder, const char *key, const olo_signal *signal,
                                   double *rate);

/* Whether an expression, a table or a function is given. */
static inline bool olo_signal_is_given(const olo_signal *signal)
{
    return signal && (signal->expression || signal->count > 0 || signal->function);
}

#endif
