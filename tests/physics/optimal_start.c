/* The initial state as a variable of optimal control, against closed forms. */
#include "optimal_task.h"

/* A throw to a point at the distance d and the height e with the least speed:
 * v^2 = g (e + sqrt(d^2 + e^2)). The discrete parabola has the same points. */
TEST(a_throw_to_a_point_needs_this_speed)
{
    skip_without_solver();
    static const char text[] = "gravity: [0, 0, -10]\n"
                               "points: {name: ball, mass: 2, position: [0, 0, 0],\n"
                               "         velocity: [1, 0, 1]}\n";
    const double d = 4, e = 3, g = 10;
    for (int i = 0; i < 2; i++) {
        task t;
        olo_error error = {0};
        olo_state *found;
        double v[3];
        open_task_with(&t, text, task_transcriptions[i]);
        t.problem.start_velocity = t.problem.end_velocity = "free";
        t.problem.shortest = 0.1;
        t.problem.longest = 10;
        t.problem.intervals = 7;
        add_cost(&t, "start")->quantity = "kinetic";
        reach(&t, "ball.position.x", d);
        reach(&t, "ball.position.y", 0);
        reach(&t, "ball.position.z", e);
        optimise(&t);
        check_relative(g * (e + sqrt(d * d + e * e)), olo_optimum_cost(t.optimum), 1e-9);
        check_true(t.certificate.minimum);
        check_ok(olo_system_create_initial_state(t.s.system, &found, NULL, &error), &error);
        check_ok(olo_optimum_get_state(t.optimum, 0, found, &error), &error);
        memcpy(v, found->v, sizeof v);
        check_relative(g * (e + sqrt(d * d + e * e)), v[0] * v[0] + v[2] * v[2], 1e-8);
        /* in the direction half way between the vertical and the line to the point */
        check_relative((e + sqrt(d * d + e * e)) / d, v[2] / v[0], 1e-6);
        olo_state_free(found);
        close_task(&t);
    }
}

/* A slider that is moved to 1 from a position x at rest in time 1, which costs c (1 - x)^2 + w x^2
 * with c = 12 N^2/(N^2 - 1). */
TEST(the_initial_position_shares_the_way)
{
    skip_without_solver();
    static const char text[] =
        "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n";
    for (int i = 0; i < 2; i++) {
        task t;
        olo_error error = {0};
        olo_resimulation fine;
        const int N = 10;
        const double c = 12.0 * N * N / (N * N - 1.0), w = 20, x = c / (c + w);
        open_task_with(&t, text, task_transcriptions[i]);
        t.problem.start_configuration = "free";
        t.problem.intervals = N;
        control(&t, "rail");
        olo_problem_cost *own = add_cost(&t, "start");
        own->quantity = "rail.position";
        own->square = true;
        own->weight = w;
        reach(&t, "rail.position", 1);
        optimise(&t);
        check_relative(c * w / (c + w), olo_optimum_cost(t.optimum), 1e-9);
        check_close(x, olo_optimum_configuration(t.optimum, 0)[0], 1e-8);
        check_true(t.certificate.minimum);
        check_ok(olo_optimum_resimulate(t.optimum, 8, &fine, &error), &error);
        check_below(fine.position, 1e-9);
        close_task(&t);
    }
}

TEST(a_given_start_has_no_conditions)
{
    static const char text[] =
        "points: {name: ball, mass: 2, position: [0, 0, 0], velocity: [1, 0, 1]}\n";
    task t;
    olo_error error = {0};
    open_task(&t, text);
    t.problem.start_velocity = "free";
    reach_at(&t, "start", "ball.position.x", 1);
    check_status(OLO_BAD_INPUT, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("set start_configuration to free", error.text);
    t.problem.start_velocity = "given";
    t.problem.start_configuration = "free";
    t.conditions[0].quantity = "ball.velocity.x";
    check_status(OLO_BAD_INPUT, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("set start_velocity to free", error.text);
    t.problem.start_configuration = "loose";
    check_status(OLO_BAD_INPUT, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("take given or free", error.text);
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(a_throw_to_a_point_needs_this_speed),
          cmocka_unit_test(the_initial_position_shares_the_way),
          cmocka_unit_test(a_given_start_has_no_conditions))
