/* The models of the catalogue for least time and for design, against closed forms and independent
 * computations. */
#include "optimal_task.h"

/* With the inertias I of the satellite and J of the wheel about the axis, the bounds M of the
 * torque and W of the relative speed, the largest speed of the satellite is w = W/(1 + I/J). It is
 * reached in the time w I/M, and the turn by a takes a/w + w I/M. */
TEST(reorientation_takes_the_least_time)
{
    skip_without_solver();
    scene s = scene_open("reorientation", NULL);
    const double I = 100 * 2.0 / 12, J = 40 * 0.25 / 2, w = 1 / (1 + I / J),
                 exact = 1.57079632679489662 / w + w * I;
    olo_optimum *o = optimum_of(s.system, olo_model_problem(s.model));
    check_relative(exact, olo_optimum_duration(o), 2e-3);
    check_close(-1, olo_optimum_controls(o, 3)[0], 1e-4);
    check_close(1, olo_optimum_controls(o, 56)[0], 1e-4);
    olo_optimum_free(o);
    scene_close(&s);
}

/* 3.81020677 s by crane_reference.py: three changes between the bounds, whose times follow from the
 * equations of a cart with a pendulum, by Newton's method and integration by Runge and Kutta. */
TEST(crane_takes_the_least_time)
{
    skip_without_solver();
    scene s = scene_open("crane", NULL);
    olo_resimulation fine;
    olo_error error = {0};
    olo_optimum *o = optimum_of(s.system, olo_model_problem(s.model));
    check_relative(3.81020677, olo_optimum_duration(o), 3e-4);
    check_close(700, olo_optimum_controls(o, 10)[0], 0.01);
    check_close(-700, olo_optimum_controls(o, 90)[0], 0.01);
    check_ok(olo_optimum_resimulate(o, 16, &fine, &error), &error);
    check_below(fine.end_position, 5e-3);
    olo_optimum_free(o);
    scene_close(&s);
}

/* Three optima without the parameter as a variable: the parabola through their costs has its vertex
 * at the length that is found. */
TEST(arm_design_has_the_best_elbow)
{
    skip_without_solver();
    scene s = scene_open("arm-design", NULL);
    olo_error error = {0};
    olo_problem problem = *olo_model_problem(s.model);
    olo_optimum *o = optimum_of(s.system, &problem);
    const double best = olo_optimum_parameter(o, 0), least = olo_optimum_cost(o), d = 0.01;
    const char *const name = "upper";
    double J[3];
    problem.parameter_count = 0;
    for (int i = 0; i < 3; i++) {
        const double upper = best + (i - 1) * d;
        olo_system *system;
        check_ok(olo_system_with_parameters(s.model, s.system, 1, &name, &upper, &system, &error),
                 &error);
        olo_optimum *fixed = optimum_of(system, &problem);
        J[i] = olo_optimum_cost(fixed);
        olo_optimum_free(fixed);
        olo_system_free(system);
    }
    check_relative(least, J[1], 1e-9);
    check_true(J[0] > J[1] && J[2] > J[1]);
    check_close(0, 0.5 * d * (J[0] - J[2]) / (J[0] - 2 * J[1] + J[2]), 1e-3);
    olo_optimum_free(o);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(reorientation_takes_the_least_time),
          cmocka_unit_test(crane_takes_the_least_time),
          cmocka_unit_test(arm_design_has_the_best_elbow))
