/* Refinement of optima and starts with multipliers: orders of convergence, and the same optimum as
 * without. */
#include "scene.h"

#include "oloid/optimize.h"

static void skip_without_solver(void)
{
    if (!olo_optimize_available())
        skip();
}

static olo_optimum *solve(const scene *s, const olo_problem *problem)
{
    olo_optimum *optimum;
    olo_error error = {0};
    check_ok(olo_optimize(s->system, problem, NULL, &optimum, &error), &error);
    check_true(olo_optimum_ended(optimum) <= OLO_OPTIMUM_NEARLY);
    return optimum;
}

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
        olo_optimum *refined = solve(&s, &problem);
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
        olo_optimum *direct = solve(&s, &problem);
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
    olo_optimum *first = solve(&s, &problem);
    problem.start = first;
    olo_optimum *cold = solve(&s, &problem);
    problem.warm = true;
    olo_optimum *warm = solve(&s, &problem);
    print_message("%d iterations, %d from the motion, %d with multipliers\n",
                  olo_optimum_iterations(first), olo_optimum_iterations(cold),
                  olo_optimum_iterations(warm));
    check_true(olo_optimum_iterations(warm) <= 3);
    check_relative(olo_optimum_cost(first), olo_optimum_cost(warm), 1e-9);
    olo_optimum_free(warm);
    olo_optimum_free(cold);
    olo_optimum_free(first);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(refinement_ends_within_the_tolerance),
          cmocka_unit_test(a_warm_start_at_the_optimum_ends_at_once))
