/* The right side of one body of a pack alone, by the factors that its elimination stored.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_RIGHT_SIDE_H
#define OLO_STEPPING_PACKS_RIGHT_SIDE_H

#include "stepping/packs_elimination.h"

/* The left pair and the rows of one joint, which its elimination did not store: `left` and arm of
 * the present iterate if the left pair varies, and rows if there are any. */
typedef struct right_side {
    const joint *joint;
    bool varied, rows;
} right_side;

LANES_INLINE double row_of(const right_side *of, const dof *d)
{
    return of->rows ? d->row : 0.0;
}

LANES_INLINE void forward_body(const sums *c, const lane own[2], const right_side *of, bool first,
                               body *b, lane *to)
{
    const dof *turn = &of->joint->turn;
    b->y[0][3] = (vector_sum(turn->left * own[1]) + row_of(of, turn)) * b->y[1][3];
    if (!to)
        return;
    const column KB = column_right(c),
                 z = shifted_right(c, (column){own[0], own[1]}, KB, b, rho_of(b));
    give(z, of->joint->arm_m, first, to, to + 1);
}

LANES_INLINE void forward_ball(const sums *c, const lane own[2], lane arm, bool first, body *b,
                               lane *to)
{
    const lane V[3] = {b->y[0], b->y[1], b->n1};
    b->twist[1] = times_three(c->K + LOWER + 3, own[1]);
    if (!to)
        return;
    const lane e = b->twist[0], z = own[0] + times_three(c->K, e) -
                                    times_three(c->K + 3, b->twist[1] + times_three(V, e));
    give((column){z, lane_all(0.0)}, arm, first, to, to + 1);
}

LANES_INLINE void forward_free(const sums *c, const lane own[2], body *b)
{
    const column dt = solve_free(c, b, (column){own[0], own[1]});
    b->twist[0] = -dt.upper;
    b->twist[1] = -dt.lower;
}

/* One degree of freedom: its row, and what is left of z. */
LANES_INLINE column forward_stage(column z, const right_side *of, const dof *d, const bool slides,
                                  stage *to)
{
    const lane left = of->varied ? d->left : to->left;
    to->y[0][3] = (vector_sum(left * (slides ? z.upper : z.lower)) + row_of(of, d)) * to->y[1][3];
    return column_add(z, -to->y[0][3], (column){to->KB[0], to->KB[1]});
}

LANES_INLINE column forward_slides(column z, const right_side *of, unsigned slides, stage *to)
{
    for (int k = 0; k < 3; k++)
        if (slides >> k & 1)
            z = forward_stage(z, of, &of->joint->slide[k], true, to++);
    return z;
}

LANES_INLINE void forward_lever(const sums *c, column z, const right_side *of, const slots *at,
                                int l, body *b, stage *to, lane *parent)
{
    const lane v = of->varied ? of->joint->v_left : to->left;
    z = forward_slides(z, of, at->slides[l], to + 1);
    const lane own[2] = {z.upper, z.lower + vector_cross(v, z.upper)};
    if (at->rotation[l] == OLO_ROTATION_ALL)
        forward_ball(c, own, of->joint->arm_m, at->first[l], b, parent);
    else
        forward_body(c, own, of, at->first[l], b, parent);
}

LANES_INLINE void forward_joint(const sums *c, column z, const right_side *of, const slots *at,
                                int l, body *b, stage *to, lane *parent)
{
    const olo_joint_rotation rotation = at->rotation[l];
    if (rotation == OLO_ROTATION_ALL) {
        const lane K_xw[3] = {to->y[0], to->y[1], to->b},
                   inverse[3] = {to->left, to->KB[0], to->KB[1]};
        b->twist[1] = times_three(inverse, z.lower);
        z.upper -= times_three(K_xw, b->twist[1]);
        z.lower = lane_all(0.0);
        to++;
    } else if (rotation != OLO_ROTATION_NONE) {
        z = forward_stage(z, of, &of->joint->turn, false, to++);
    }
    if (rotation == OLO_ROTATION_CROSS)
        z = forward_stage(z, of, &of->joint->cross, false, to++);
    z = forward_slides(z, of, at->slides[l], to);
    if (parent)
        give(add_gap(c, z, b->twist[0], turn_gap(b, rotation)), of->joint->arm_m, at->first[l],
             parent, parent + 1);
}

#endif
