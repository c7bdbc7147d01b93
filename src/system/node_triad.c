/* A triad: three directors d_I without a position, 9 numbers, with six orthonormality rows. The
 * twist is the angular velocity, the motion of a step the Cayley vector. The directors of the edges
 * of a discrete rod are triads.
 *
 *     P_int = [-d_1^; -d_2^; -d_3^]
 */
#include "system/directors.h"

static void motion(const double *qm, const double *dq, double *motion)
{
    directors_cayley(qm, dq, motion);
}

static void update(const double *twist, double *motion)
{
    cayley_update(motion, twist);
}

static void add_variation(const double *q1, const double *T, double *S)
{
    directors_add_variation(q1, T, 3, S);
}

static void settle(const double *q, const double shift[3], const double turn[3], double *remainder)
{
    (void)shift;
    directors_settle(q, turn, remainder);
}

const olo_node_type olo_node_triad = {.name = "triad",
                                      .size = 9,
                                      .width = 3,
                                      .twist = 3,
                                      .position = -1,
                                      .directors = 0,
                                      .translation = -1,
                                      .rotation = 0,
                                      .packed = true,
                                      .rows = &olo_directors_rows,
                                      .move = directors_move,
                                      .motion = motion,
                                      .update = update,
                                      .velocity = directors_turn,
                                      .add_wrench = directors_add_moment,
                                      .twist_of = directors_spin,
                                      .add_variation = add_variation,
                                      .settle = settle};
