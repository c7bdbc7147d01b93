/* Configurations are accumulated with compensation: the remainder of rounding q + dq is stored and
 * added later, so that the sum of N increments is as accurate as one addition, however small they
 * are.
 *
 * The motions here have closed forms in the discrete equations themselves, and numbers for which
 * every increment is exact or accurate to its own last bit. Then the only error is that of the
 * accumulation. Let u = 2^-53 be the unit round-off and x of size 1:
 *
 *     with compensation       at most u after any number of steps (the sum, rounded once),
 *     without it              up to N u: a constant increment is rounded the same way every time;
 *                             sqrt(N) u where the roundings are independent, as those of directors.
 */
#include <float.h>

#include "test.h"

#include "scene.h"

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
static const char *const schemes[] = {"energy-momentum-2006", "variational"};

enum { TREATMENTS = 4, SCHEMES = 2 };

static scene open_with(const char *text, const char *scheme, const char *treatment)
{
    const olo_setting settings[] = {{"run.scheme", scheme}};
    return scene_open_set(text, treatment, settings, 1);
}

/* x = x0 + v t in 2^15 steps of 2^-15: h v is v with another exponent, and N h v = v, exactly. The
 * expected position is one rounded addition. */
TEST(a_free_point_is_where_its_velocity_takes_it_to_the_last_bit)
{
    static const char text[] =
        "points: {name: p, mass: 1, position: [1.1, -1.3, 1.7], velocity: [0.3, 0.2, -0.6]}\n";
    const double expected[3] = {1.1 + 0.3, -1.3 + 0.2, 1.7 - 0.6};
    const long steps = 1L << 15;
    for (int i = 0; i < SCHEMES; i++)
        for (int k = 0; k < TREATMENTS; k++) {
            scene s = open_with(text, schemes[i], treatments[k]);
            scene_run(&s, 1.0 / (double)steps, steps);
            for (int j = 0; j < 3; j++)
                check_close(expected[j], scene_q(&s, "p")[j], DBL_EPSILON);
            check_close(1, olo_state_time(s.state), 0);
            scene_close(&s);
        }
}

/* A free body turns about a principal axis at the rate w. The energy-momentum scheme turns it by
 * the angle 2 atan(h w / 2) per step: the chord of a director is 2 sin(angle/2) = h w cos(angle/2),
 * the step times the mean of the velocities at both ends. The velocities are rounded, too: after N
 * steps they have lost sqrt(N) u of themselves, and the whole angle as much. The angle is small, so
 * that this remains below u: sqrt(2^16) 2^-10 < 1. */
TEST(directors_of_a_turning_body_are_those_of_the_discrete_motion_to_the_last_bits)
{
    static const char text[] =
        "bodies: {name: b, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 1],\n"
        "         rotation: {axis: [0, 0, 1], angle: 0.7}}\n";
    const long steps = 1L << 16;
    const double h = 1.0 / 1024 / (double)steps;
    const double turned = 0.7 + (double)steps * 2 * atan(h / 2);
    const double expected[6] = {cos(turned), sin(turned), 0, -sin(turned), cos(turned), 0};
    for (int k = 0; k < 2; k++) {
        scene s = open_with(text, schemes[0], treatments[k]);
        scene_run(&s, h, steps);
        for (int j = 0; j < 6; j++)
            check_close(expected[j], scene_q(&s, "b")[3 + j], 2 * DBL_EPSILON);
        scene_close(&s);
    }
}

TEST_MAIN(
    cmocka_unit_test(a_free_point_is_where_its_velocity_takes_it_to_the_last_bit),
    cmocka_unit_test(directors_of_a_turning_body_are_those_of_the_discrete_motion_to_the_last_bits))
