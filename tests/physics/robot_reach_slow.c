/* Fifty random reachable points of a robot arm, from guesses in which the tool moves along a
 * straight line: at least 48 are reached, and the others say why. */
#include "robot_reach.h"

TEST(arm_reaches_48_of_50_random_points_from_straight_lines)
{
    if (!olo_optimize_available())
        skip();
    check_true(reach_all(50, 30) >= 48);
}

TEST_MAIN(cmocka_unit_test(arm_reaches_48_of_50_random_points_from_straight_lines))
