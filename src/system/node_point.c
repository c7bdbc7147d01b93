/* A point: its position x. The twist is its velocity, P_int = I; there are no internal rows. */
#include "system/node.h"

static void motion(const double *qm, const double *dq, double *motion)
{
    (void)qm;
    vec3_copy(dq, motion);
}

static void update(const double *twist, double *motion)
{
    vec3_add(1.0, twist, motion);
}

static void same(const double *q, const double *from, double *to)
{
    (void)q;
    vec3_copy(from, to);
}

static void add_wrench(const double *q, const double *force, double *wrench)
{
    (void)q;
    vec3_add(1.0, force, wrench);
}

static void settle(const double *q, const double shift[3], const double turn[3], double *remainder)
{
    (void)q, (void)turn;
    vec3_add(1.0, shift, remainder);
}

const olo_node_type olo_node_point = {.name = "point",
                                      .size = 3,
                                      .width = 3,
                                      .twist = 3,
                                      .position = 0,
                                      .directors = -1,
                                      .translation = 0,
                                      .rotation = -1,
                                      .packed = true,
                                      .move = olo_node_displace,
                                      .motion = motion,
                                      .update = update,
                                      .velocity = same,
                                      .add_wrench = add_wrench,
                                      .twist_of = same,
                                      .settle = settle};
