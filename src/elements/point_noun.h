/* What a node without directors is, for messages of elements that need directors. */
#ifndef OLO_ELEMENTS_POINT_NOUN_H
#define OLO_ELEMENTS_POINT_NOUN_H

#include "system/system.h"

/* "a point mass", or "an inner vertex of a rod with directors at edges". */
const char *olo_point_noun(const olo_system *system, int node);

/* What to do instead, to be appended to the message: an empty text, or one that begins with a
 * colon. */
const char *olo_point_advice(const olo_system *system, int node);

#endif
