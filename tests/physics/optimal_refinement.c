/* Refinement of optima and starts with multipliers: orders of convergence, and the same optimum as
 * without. */
#include "optimal_task.h"

static const char pendulum[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: bar, mass: 1, inertia: [0.01, 0.08, 0.08], position: [0, 0, -0.5]}\n"
    "joints: {name: hinge, between: [ground, bar], at: [0, 0, 0], axis: [0, 1, 0], torque: 1}\n"
    "optimize:\n"
    "  controls: {name: hinge}\n"
    "  costs: {type: effort}\n"
    "  conditions: {quantity: hinge.angle, value: 2}\n";

/* The distance from small steps is of order 2: every level is four times as near as the one before,
 * and the last one is the first within the tolerance. Its cost is that of a solution without
 * refinement. */
TEST(refinement_ends_within_the_tolerance)
{
    skip_without_solver();
    for (int i = 0; i < 3; i++) {
        const bool redundant = i == 2;
        const int first = i == 0 ? 50 : 6;
        scene s = scene_open(i == 0 ? "cart-pole" : pendulum, NULL);
        olo_problem problem = *olo_model_problem(s.model);
        olo_problem_refinement refine = olo_problem_refinement_default();
        refine.tolerance = 2e-3;
        problem.intervals = first;
        problem.transcription = redundant ? "redundant" : "reduced";
        problem.refine = &refine;
        problem.refinement_count = 1;
        olo_optimum *refined = optimum_of(s.system, &problem);
        const int count = olo_optimum_level_count(refined);
        check_true(count >= 3);
        for (int k = 0; k < count; k++) {
            const olo_refinement_level level = olo_optimum_level(refined, k);
            const double distance = fmax(level.position, level.rotation);
            print_message("%d intervals: %d iterations, cost %.9g, distance %.2e\n",
                          level.intervals, level.iterations, level.cost, distance);
            check_equal(first << k, level.intervals);
            check_true((distance <= refine.tolerance) == (k == count - 1));
            if (k > 0) {
                const olo_refinement_level before = olo_optimum_level(refined, k - 1);
                check_close(4, fmax(before.position, before.rotation) / distance, 0.5);
                check_true(level.iterations <= 10); /* near its optimum from the beginning */
            }
        }
        problem.refinement_count = 0;
        problem.intervals = olo_optimum_intervals(refined);
        olo_optimum *direct = optimum_of(s.system, &problem);
        check_relative(olo_optimum_cost(direct), olo_optimum_cost(refined), 1e-8);
        olo_optimum_free(direct);
        olo_optimum_free(refined);
        scene_close(&s);
    }
}

/* With the multipliers of an optimum the same problem is solved at once. */
TEST(a_warm_start_at_the_optimum_ends_at_once)
{
    skip_without_solver();
    scene s = scene_open("cart-pole", NULL);
    olo_problem problem = *olo_model_problem(s.model);
    olo_optimum *first = optimum_of(s.system, &problem);
    problem.start = first;
    olo_optimum *cold = optimum_of(s.system, &problem);
    problem.warm = true;
    olo_optimum *warm = optimum_of(s.system, &problem);
    print_message("%d iterations, %d from the motion, %d with multipliers\n",
                  olo_optimum_iterations(first), olo_optimum_iterations(cold),
                  olo_optimum_iterations(warm));
    check_true(olo_optimum_iterations(warm) <= 3);
    check_below(olo_optimum_progress(warm, 0).stationarity, 1e-6); /* of the multipliers as well */
    check_relative(olo_optimum_cost(first), olo_optimum_cost(warm), 1e-9);
    olo_optimum_free(warm);
    olo_optimum_free(cold);
    olo_optimum_free(first);
    scene_close(&s);
}

/* Every interval is halved, of any grid. Loops, a free initial state and parameters that are
 * variables begin near their optimum, too: the solver needs few iterations. */
static void open_loop(task *t)
{
    open_task(t, FOUR_HINGES);
    control(t, "A");
    reach(t, "A.angle", 0.8);
}

static void open_throw(task *t)
{
    open_task(t, "gravity: [0, 0, -10]\n"
                 "bodies: {name: arm, mass: 1, inertia: [0.01, 0.1, 0.1], position: [0, 0, -0.5]}\n"
                 "joints: {name: axle, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
                 "         rate: 1}\n");
    t->problem.start_configuration = t->problem.start_velocity = t->problem.end_velocity = "free";
    add_cost(t, "start")->quantity = "kinetic";
    reach_at(t, "start", "axle.angle", 0.4);
    reach(t, "axle.angle", 2);
}

static void open_design(task *t)
{
    open_task(t, "arm-design");
    t->problem = *olo_model_problem(t->s.model);
    t->problem.transcription = "reduced";
}

TEST(refinement_halves_the_intervals_of_every_problem)
{
    skip_without_solver();
    void (*const open[])(task *) = {open_loop, open_throw, open_design};
    for (int i = 0; i < 6; i++) {
        const int first = i / 2 == 2 ? 24 : 8;
        task t;
        olo_problem_refinement refine = olo_problem_refinement_default();
        open[i / 2](&t);
        refine.tolerance = 1e-12;
        refine.most = 4 * first;
        t.problem.intervals = first;
        t.problem.grading = i % 2 ? 1.1 : 1;
        t.problem.refine = &refine;
        t.problem.refinement_count = 1;
        optimise(&t);
        check_equal(3, olo_optimum_level_count(t.optimum));
        for (int k = 1; k < 3; k++) {
            const olo_refinement_level level = olo_optimum_level(t.optimum, k);
            print_message("%d: %d intervals, %d iterations, cost %.9g\n", i, level.intervals,
                          level.iterations, level.cost);
            check_true(level.iterations <= 10);
        }
        /* the first nodes are those of the coarse grid, with three more between */
        const double T = olo_optimum_duration(t.optimum), ratio = t.problem.grading,
                     sum = ratio > 1 ? (pow(ratio, first) - 1) / (ratio - 1) : first;
        check_close(T / sum, olo_optimum_time(t.optimum, 4), 1e-12 * T);
        check_close(T / sum / 4, olo_optimum_time(t.optimum, 1), 1e-12 * T);
        check_close(T * (1 + ratio) / sum, olo_optimum_time(t.optimum, 8), 1e-12 * T);
        close_task(&t);
    }
}

TEST_MAIN(cmocka_unit_test(refinement_halves_the_intervals_of_every_problem),
          cmocka_unit_test(refinement_ends_within_the_tolerance),
          cmocka_unit_test(a_warm_start_at_the_optimum_ends_at_once))
