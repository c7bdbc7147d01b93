/* The initial velocities of bodies for which the user gave none: they follow from those of other
 * bodies through joints. */
#ifndef OLO_ELEMENTS_INITIAL_VELOCITIES_H
#define OLO_ELEMENTS_INITIAL_VELOCITIES_H

#include <stdbool.h>

#include "system/implied_velocity.h"

/* How completely a joint determines the initial rotation of a body, or the velocity of its joint
 * point, relative to its base.
 */
typedef enum olo_determination {
    OLO_DETERMINED_FULLY,  /* all directions are constrained, or the user gave a rate or a motion */
    OLO_DETERMINED_PARTLY, /* some directions are free, without a given rate */
    OLO_UNDETERMINED       /* all directions are free, without a given rate */
} olo_determination;

enum { OLO_DETERMINATIONS = 3 };

/* The determination by a joint with `free` of `all` directions free, with or without given rates.
 */
static inline olo_determination olo_determination_of(int free, int all, bool given)
{
    if (free == 0 || given)
        return OLO_DETERMINED_FULLY;
    return free < all ? OLO_DETERMINED_PARTLY : OLO_UNDETERMINED;
}

/* The relative velocity of a joint or support; `child`, `angular` and `linear` are set later. */
typedef struct olo_relative_velocity {
    olo_implied_velocity velocity;
    olo_determination rotation, translation;
    int group; /* its constraint group */
} olo_relative_velocity;

/* Computes v0 of all bodies with joints and without given velocities, and records in `implied` how
 * they follow from others, each after those on which it depends. Returns false if memory is
 * exhausted. */
bool olo_find_initial_velocities(olo_system *system, int count,
                                 const olo_relative_velocity *relative);

#endif
