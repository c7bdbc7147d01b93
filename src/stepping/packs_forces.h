/* Forces along the coordinates of four joints at the solution (joint_forces.h): what they exchange,
 * and their wrenches on the children.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_FORCES_H
#define OLO_STEPPING_PACKS_FORCES_H

#include "stepping/packs_local.h"

/* The sums of the forces in a column at the solution, in the sense of the coordinates; what forces
 * that are none of multipliers exchange goes to the step. With consistent velocities multipliers
 * are those of lambda = mu + 2 gamma/h. */
LANES_INLINE lane finish_column(const olo_packs *x, const slots *at, int k, lane dx, olo_step *step)
{
    const forced *of = at->forced;
    lane f = lane_all(0.0);
    for (int l = 0; l < at->count; l++)
        if (of->coordinate[k][l] >= 0)
            f[l] = olo_joint_forces_finish(&x->forces, of->coordinate[k][l],
                                           of->sense[k][l] * dx[l], step);
    return f + of->sense[k] * (of->multiplier[k] + 2 / step->h * of->gamma[k]);
}

/* phi = dtheta/S of system/law_angle.c, and C from there. Where angles hardly change, both dtheta
 * and S are rounding errors: their quotient is taken from S/C instead. */
LANES_INLINE lane angle_over_sine(lane dtheta, lane S, lane C)
{
    const lane r = S / C;
    const lane_mask small = 2.0 * lane_size(S) <= MOST_SMALL * C;
    return lane_choose(small, small_ratio(r * r) / C, dtheta / S);
}

/* The moment on the child of torques f along the angles, f C_m x (d_1 P_1 + d_2 P_2), with the
 * discrete gradient d of the angle as in system/law_angle.c. */
LANES_INLINE lane3 torque_on_child(const four *b, const forced *of, lane3 a_p, lane f, lane dtheta)
{
    const lane_mask reversed = of->reversed > lane_all(0.0);
    const lane3 a_C = lane3_choose(reversed, a_p, b->a), a_P = lane3_choose(reversed, b->a, a_p);
    const lane scale = lane_cayley_scale(a_P), sense = own_sense(of);
    const lane_turned C = lane_cayley_apply(a_C, lane_cayley_scale(a_C), of->C0),
                      P1 = lane_cayley_apply(a_P, scale, of->P0[0]),
                      P2 = lane_cayley_apply(a_P, scale, of->P0[1]);
    const lane c0 = lane3_dot(of->C0, of->P0[0]), s0 = sense * lane3_dot(of->C0, of->P0[1]),
               dc = lane3_dot(C.mid, P1.change) + lane3_dot(C.change, P1.mid),
               ds = sense * (lane3_dot(C.mid, P2.change) + lane3_dot(C.change, P2.mid));
    const lane S = c0 * ds - s0 * dc, cosine = c0 * (c0 + dc) + s0 * (s0 + ds),
               phi = angle_over_sine(of->sense[ANGLE] * dtheta, S, cosine), zero = lane_all(0.0);
    const lane3 N = lane3_add(lane3_times(-phi * (s0 + 0.5 * ds), P1.mid),
                              lane3_times(sense * phi * (c0 + 0.5 * dc), P2.mid));
    const lane3 moment = lane3_times((1.0 - 2.0 * of->reversed) * f, lane3_cross(C.mid, N));
    return lane3_choose(sense != zero, moment, (lane3){{zero, zero, zero}});
}

/* Where a force along a translation acts on the child, from its pivot at the midpoint: an axis of
 * the child passes through the joint point of the parent. */
LANES_INLINE lane3 thrust_point(const four *b, const slots *at, lane3 x_p, lane3 a_p)
{
    const forced *of = at->forced;
    const lane3 reach = lane3_subtract(b->arm0, lane3_times(1.0 - at->joints->levers, of->v0));
    const lane3 moved = lane3_subtract(
        b->x, lane3_add(x_p, lane_cayley_apply(a_p, lane_cayley_scale(a_p), reach).change));
    return lane3_times(-of->reversed, lane3_add(of->v0, lane3_times(lane_all(0.5), moved)));
}

/* Adds the wrenches of the forces along the coordinates on the children, about the pivots. */
LANES_INLINE void finish_forces(olo_packs *x, int i, olo_step *step, lane3 *force, lane3 *moment)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const forced *of = at->forced;
    const joints *j = at->joints;
    const lane3 x_p = parents_vector(at, 0), a_p = parents_vector(at, 3);
    const lane h = lane_all(step->h);
    lane dtheta;
    (void)angle_changes(b, at, a_p, &dtheta);
    const lane torque = finish_column(x, at, ANGLE, dtheta, step);
    *moment = lane3_add(*moment, torque_on_child(b, of, a_p, h * torque, dtheta));
    if (!(of->any & ~(1u << ANGLE)))
        return;
    turned_joints t;
    t.arm = lane_cayley_apply(a_p, lane_cayley_scale(a_p), b->arm0);
    t.apart = lane3_subtract(lane3_add(x_p, t.arm.change), b->x);
    turn_axes(j, b->a, a_p, lane_cayley_scale(a_p), &t);
    move_levers(j, b, &t);
    for (int k = 0; k < 3; k++) {
        if (!(of->any >> k & 1))
            continue;
        const lane f = finish_column(x, at, k, -lane3_dot(t.apart, t.M1[k]), step);
        const lane3 F = lane3_times(h * of->sense[k] * f, t.M[k].mid);
        *force = lane3_add(*force, F);
        *moment = lane3_add(*moment, lane3_cross(thrust_point(b, at, x_p, a_p), F));
    }
}

#endif
