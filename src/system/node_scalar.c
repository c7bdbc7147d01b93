/* A scalar: one coordinate of a minimal model. The twist is its rate, P_int = 1; there are no
 * internal rows. Rigid motions of space do not change it. */
#include "system/node.h"

static void move(const double *motion, const double *q0, double *dq, double *qm, double *q1)
{
    dq[0] = motion[0];
    qm[0] = q0[0] + 0.5 * motion[0];
    q1[0] = q0[0] + motion[0];
}

static void same(const double *q, const double *from, double *to)
{
    (void)q;
    to[0] = from[0];
}

static void update(const double *twist, double *motion)
{
    motion[0] += twist[0];
}

static void add_wrench(const double *q, const double *force, double *wrench)
{
    (void)q;
    wrench[0] += force[0];
}

static void settle(const double *q, const double shift[3], const double turn[3], double *remainder)
{
    (void)q, (void)shift, (void)turn, (void)remainder;
}

const olo_node_type olo_node_scalar = {.name = "scalar",
                                       .size = 1,
                                       .width = 1,
                                       .twist = 1,
                                       .position = -1,
                                       .directors = -1,
                                       .translation = -1,
                                       .rotation = -1,
                                       .move = move,
                                       .motion = same,
                                       .update = update,
                                       .velocity = same,
                                       .add_wrench = add_wrench,
                                       .twist_of = same,
                                       .settle = settle};
