/* Rounding errors of a run are independent: a conserved quantity does not drift.
 *
 * If the balance and the update of the velocity have factors that are rounded differently, every
 * step changes the velocity by the same relative error of some 1e-16: after N steps the energy has
 * an error of at least N 1e-16. With independent rounding errors it is proportional to
 * sqrt(N) 1e-16. The bound is that of a hundred independent rounding errors per step.
 */
#include <float.h>

#include "test.h"

#include "scene.h"

/* The masses are not binary fractions: every product with them is rounded. */
static const char TOP[] = "gravity: [0, 0, -9.81]\n"
                          "bodies: {name: top, mass: 0.7, center: [0, 0, 0.075],\n"
                          "         inertia: [5.3e-4, 5.3e-4, 5.1e-4],\n"
                          "         rotation: {axis: [1, 0, 0], angle: pi/3},\n"
                          "         angular_velocity: [0, -51.96, 40]}\n"
                          "supports: {on: top}\n";

static void check_conserved(const char *constraints, long steps)
{
    scene s = scene_open(TOP, constraints);
    olo_ledger start, end;
    olo_system_ledger(s.system, s.state, &start);
    olo_error error = {0};
    for (long i = 0; i < steps; i++)
        check_ok(olo_stepper_step(s.stepper, s.state, 7e-4, &error), &error);
    olo_system_ledger(s.system, s.state, &end);
    const double bound = DBL_EPSILON * sqrt(100 * (double)steps);
    check_relative(start.total, end.total, bound);
    check_relative(start.angular_momentum[2], end.angular_momentum[2], bound);
    scene_close(&s);
}

TEST(rounding_does_not_drift_with_reduced)
{
    check_conserved("reduced", 100000);
}

TEST(rounding_does_not_drift_with_multipliers)
{
    check_conserved("multipliers", 20000);
}

TEST_MAIN(cmocka_unit_test(rounding_does_not_drift_with_reduced),
          cmocka_unit_test(rounding_does_not_drift_with_multipliers))
