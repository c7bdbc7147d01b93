/* The first of the random points that robot_reach_slow.c reaches; and the arm of the catalogue. */
#include "robot_reach.h"

TEST(arm_reaches_random_points_from_straight_lines)
{
    if (!olo_optimize_available())
        skip();
    check_true(reach_all(6, 30) >= 5);
}

TEST_MAIN(cmocka_unit_test(arm_reaches_random_points_from_straight_lines))
