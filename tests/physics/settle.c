/* With `reduced` the increments of a step satisfy the constraints up to rounding errors, which
 * would accumulate over a run. After every step olo_motion_settle removes these errors, from the
 * ground outwards: it closes the joints and makes the directors orthonormal. Therefore the
 * constraint error of a run of any length is the rounding error of one configuration.
 *
 * A row is a sum of some ten products of coordinates of size one, each rounded to half an epsilon:
 * 4 epsilon is a bound. Without olo_motion_settle the error after a path of length s is at least
 * some epsilon s.
 */
#include <float.h>

#include "test.h"

#include "scene.h"

/* Joints at points that are not binary fractions, about axes that are not those of the
 * directors. */
#define CHAIN                                                                                      \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 0.7, inertia: [0.03, 0.05, 0.04], position: [0.3, 0, 0],\n"               \
    "     rotation: {axis: [1, 2, 3], angle: 0.4}}\n"                                              \
    "  - {name: b, mass: 0.9, inertia: [0.05, 0.03, 0.06], position: [0.9, 0.1, 0],\n"             \
    "     rotation: {axis: [3, 1, 2], angle: 0.9}}\n"                                              \
    "joints:\n"                                                                                    \
    "  - {name: shoulder, type: spherical, between: [ground, a], at: [0.1, 0, 0]}\n"               \
    "  - {name: elbow, between: [a, b], at: [0.6, 0.05, 0], axis: [0.1, 0.7, 0.3], rate: 7}\n"

static void stays_closed(const char *text, double h, long steps)
{
    scene s = scene_open(text, "reduced");
    double largest = 0;
    for (long i = 0; i < steps; i++) {
        scene_run(&s, h, 1);
        if (i % 100 == 0)
            largest = larger(largest, scene_ledger(&s).constraint_error);
    }
    check_below(largest, 4 * DBL_EPSILON);
    scene_close(&s);
}

TEST(joints_stay_closed_to_rounding_of_one_configuration)
{
    stays_closed(CHAIN, 0.01, 50000);
}

/* A spring between bodies: the same tree, outside the packs of bodies. */
TEST(joints_of_the_general_path_stay_closed)
{
    stays_closed(CHAIN "springs: {between: [[0, 1, 0], b], stiffness: 3, length: 1}\n", 0.01,
                 50000);
}

TEST(directors_stay_orthonormal_to_rounding_of_one_configuration)
{
    stays_closed("bodies: {name: b, mass: 1, inertia: [1, 1.5, 2], angular_velocity: [1, 2, 3]}\n",
                 0.01, 50000);
}

TEST_MAIN(cmocka_unit_test(joints_stay_closed_to_rounding_of_one_configuration),
          cmocka_unit_test(joints_of_the_general_path_stay_closed),
          cmocka_unit_test(directors_stay_orthonormal_to_rounding_of_one_configuration))
