/* The initial velocities of bodies that the user gave none: they follow from those of others
 * through joints. */
#ifndef OLO_ELEMENTS_INITIAL_VELOCITIES_H
#define OLO_ELEMENTS_INITIAL_VELOCITIES_H

#include <stdbool.h>

#include "system/implied_velocity.h"

/* How firmly a joint says how a body turns, or how its place moves, against its base at the start.
 */
typedef enum olo_hold {
    OLO_HOLD_FULL, /* each direction is held, or the user gave a rate or a motion */
    OLO_HOLD_PART, /* some directions are free, and nothing is given for them */
    OLO_HOLD_NONE  /* all are free, and nothing is given */
} olo_hold;

enum { OLO_HOLDS = 3 };

/* Of `free` directions among `all`, with or without rates for them. */
static inline olo_hold olo_hold_of(int free, int all, bool given)
{
    if (free == 0 || given)
        return OLO_HOLD_FULL;
    return free < all ? OLO_HOLD_PART : OLO_HOLD_NONE;
}

/* A joint or support; `child`, `angular` and `linear` of the velocity are left open. */
typedef struct olo_relative_velocity {
    olo_implied_velocity velocity;
    olo_hold rotation, translation;
} olo_relative_velocity;

/* Writes the velocities of all bodies that are joined and have none of their own into v0, and how
 * they follow from others into `implied`, each after those that it follows from. False when memory
 * is out. */
bool olo_settle_velocities(olo_system *system, int count, const olo_relative_velocity *relative);

#endif
