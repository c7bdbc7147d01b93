/* The scene of a system: a list of drawables. Programs that draw need not know kinds of elements.
 *
 * A drawable is a primitive of some size that is fixed to a node or in space, or extends between
 * two points. Elements add their drawables when they are built (elements/drawing.h). The scene adds
 * what follows from the whole system, when it is requested: joints and supports, struts from bodies
 * to joints outside of them, a trace if there is none, and the sizes of symbols. Users find the
 * same description in docs/result-format.md.
 */
#ifndef OLO_SYSTEM_SCENE_H
#define OLO_SYSTEM_SCENE_H

#include <stdbool.h>
#include <string.h>

#include "oloid/status.h"
#include "oloid/system.h"

enum { OLO_DRAWABLE_SIZES = 12 };

/* Sizes of the primitives:
 *
 *     ellipsoid    three semi-axes
 *     box          three edges, centred
 *     cylinder     radius, radius, height along the third axis, centred
 *     cone         radius, radius, height along the third axis, apex at the origin, base at +height
 *     tetrahedron  four vertices
 *     rod, coil, dashpot   radius; from `position` on the first node to `end` on the second
 *     sweep        half-widths along the first two axes, 1 for an ellipse or 0 for a rectangle, and
 *                  the nine numbers of the axes at the other end: a section swept from the frame of
 *                  one node to that of the other
 *     trace        none: the path of a point
 */
typedef struct olo_drawable {
    const char *name; /* of the element, owned by the system */
    const char *role; /* body, point, joint, support, ground, rod, beam, spring, damper, trace: for
                         colours */
    const char *primitive; /* see above */
    int node[2];           /* its node, and that of its other end; -1: space */
    double position[3];    /* in the node's frame */
    double rotation[9];    /* row-major, its axes in the node's frame */
    double end[3];         /* other end, in the frame of the second node */
    double size[OLO_DRAWABLE_SIZES];
    int point[2];    /* of a sweep: the quadrature points of all beams, from 1 on, at its ends; 0:
                        none */
    bool colored;    /* it has a colour of its own, not that of its role */
    double color[3]; /* red, green, blue, 0 to 1 */
    double opacity;  /* 0: chosen by programs that draw */
    bool assumed;    /* an ellipsoid that stands for a body without shapes */
    bool symbol;     /* not in a scene: its size is in units of the symbols nearby */
} olo_drawable;

typedef struct olo_scene {
    int count;
    olo_drawable *drawables;
} olo_scene;

/* Creates the scene of a system in its initial state. Its texts belong to the system. Fails with
 * OLO_NO_MEMORY. */
olo_status olo_scene_create(const olo_system *system, olo_scene *scene, olo_error *error);
void olo_scene_free(olo_scene *scene);

/* Whether two words are equal; most differ in the first letter. */
static inline bool olo_word_is(const char *word, const char *other)
{
    return word[0] == other[0] && strcmp(word, other) == 0;
}

/* Its texts as functions, for code that writes one column of each. */
static inline const char *olo_drawable_name(const olo_drawable *d)
{
    return d->name;
}

static inline const char *olo_drawable_role(const olo_drawable *d)
{
    return d->role;
}

static inline const char *olo_drawable_primitive(const olo_drawable *d)
{
    return d->primitive;
}

#endif
