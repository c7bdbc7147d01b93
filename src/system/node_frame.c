/* A frame: position x and three directors d_I, 12 numbers, with six orthonormality rows. The twist
 * is the velocity of the position and the angular velocity, [x'; w]. The motion of a step is the
 * displacement and the Cayley vector.
 *
 *     P_int = [I 0; 0 -d_1^; 0 -d_2^; 0 -d_3^]
 */
#include "system/directors.h"

enum { DIRECTORS = 3, ROTATION = 3, TWIST = 6 };

static void move(const double *motion, const double *q0, double *dq, double *qm, double *q1)
{
    olo_node_displace(motion, q0, dq, qm, q1);
    directors_move(motion + ROTATION, q0 + DIRECTORS, dq + DIRECTORS, qm + DIRECTORS,
                   q1 + DIRECTORS);
}

static void motion(const double *qm, const double *dq, double *motion)
{
    vec3_copy(dq, motion);
    directors_cayley(qm + DIRECTORS, dq + DIRECTORS, motion + ROTATION);
}

static void update(const double *twist, double *motion)
{
    vec3_add(1.0, twist, motion);
    cayley_update(motion + ROTATION, twist + ROTATION);
}

static void velocity(const double *q, const double *twist, double *v)
{
    vec3_copy(twist, v);
    directors_turn(q + DIRECTORS, twist + ROTATION, v + DIRECTORS);
}

static void add_wrench(const double *q, const double *force, double *wrench)
{
    vec3_add(1.0, force, wrench);
    directors_add_moment(q + DIRECTORS, force + DIRECTORS, wrench + ROTATION);
}

static void twist_of(const double *q, const double *v, double *twist)
{
    vec3_copy(v, twist);
    directors_spin(q + DIRECTORS, v + DIRECTORS, twist + ROTATION);
}

static void add_variation(const double *q1, const double *T, double *S)
{
    directors_add_variation(q1 + DIRECTORS, T + DIRECTORS, TWIST, S + ROTATION * TWIST + ROTATION);
}

static void settle(const double *q, const double shift[3], const double turn[3], double *remainder)
{
    directors_settle(q + DIRECTORS, turn, remainder + DIRECTORS);
    vec3_add(1.0, shift, remainder);
}

const olo_node_type olo_node_frame = {.name = "body",
                                      .size = 12,
                                      .width = 3,
                                      .twist = TWIST,
                                      .position = 0,
                                      .directors = DIRECTORS,
                                      .translation = 0,
                                      .rotation = ROTATION,
                                      .spatial = true,
                                      .packed = true,
                                      .rows = &olo_directors_rows,
                                      .move = move,
                                      .motion = motion,
                                      .update = update,
                                      .velocity = velocity,
                                      .add_wrench = add_wrench,
                                      .twist_of = twist_of,
                                      .add_variation = add_variation,
                                      .settle = settle};
