/* Magnitudes of forces as expressions of time, of measures and of their rates
 * (system/action_law.c).
 *
 *     t                                time
 *     l, v                             the coordinate along which the force acts, and its rate
 *     hinge.angle, hinge.angle.rate    a joint coordinate, and its rate
 *     tip.x, tip.vx                    a coordinate of an output or of a point on a body, in space,
 *                                      and its rate; also tip.position.x, tip.velocity.x
 */
#ifndef OLO_ELEMENTS_FORCE_LAW_H
#define OLO_ELEMENTS_FORCE_LAW_H

#include "elements/build.h"

/* Gives an action the function of time `signal` as its factor; or a law, where the expression of
 * the signal has measures. `index` has the coordinates of the action and capacity for
 * OLO_ACTION_SIZE_MAX; those of the measures are appended. The caller frees action->time if the
 * action is not built. */
olo_status olo_build_factor(olo_builder *builder, const char *key, const olo_signal *signal,
                            olo_action *action, int *index);

/* Adds a force that acts against the coordinate x, a joint coordinate or a length: the expression
 * is the force with which a spring pulls, positive for tension. */
olo_status olo_build_force_along(olo_builder *builder, const char *owner, const char *expression,
                                 const olo_term *x);

/* The same between two points, for the vector from one to the other. */
olo_status olo_build_force_between(olo_builder *builder, const char *owner, const char *expression,
                                   const olo_position *span);

#endif
