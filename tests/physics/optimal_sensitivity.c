/* Sensitivity of optima to parameters, against a closed form and against optima that are computed
 * again. */
#include "optimal_task.h"

#include "oloid/sensitivity.h"

static olo_optimum *solve(const scene *s, const char *transcription, const olo_optimum *start)
{
    olo_problem problem = *olo_model_problem(s->model);
    problem.transcription = transcription;
    problem.start = start; /* of several optima that near it is found */
    return optimum_of(s->system, &problem);
}

static olo_sensitivity *differentiate(const olo_optimum *optimum, const scene *s,
                                      const char *parameter)
{
    olo_sensitivity *sensitivity;
    olo_error error = {0};
    check_ok(olo_sensitivity_create(optimum, s->model, NULL, parameter, &sensitivity, &error),
             &error);
    return sensitivity;
}

static const char slider[] =
    "parameters: {m: 2, half: d/2, d: 3, time: 1.5}\n"
    "bodies: {name: a, mass: m, inertia: [1, 1, 1]}\n"
    "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n"
    "optimize:\n"
    "  duration: time\n"
    "  intervals: 20\n"
    "  controls: {name: rail}\n"
    "  costs: {type: effort}\n"
    "  conditions: {quantity: rail.position, value: 2*half}\n";

/* From rest to rest: J = 12 N^2/(N^2 - 1) m^2 d^2/T^3, and u is proportional to m d/T^2. */
TEST(sensitivity_of_a_mass_has_its_closed_form)
{
    skip_without_solver();
    static const struct {
        const char *parameter;
        double value, cost, control; /* powers */
    } cases[] = {{"m", 2, 2, 1}, {"d", 3, 2, 1}, {"time", 1.5, -3, -2}};
    for (int i = 0; i < 6; i++) {
        const char *name = cases[i / 2].parameter;
        const double p = cases[i / 2].value;
        scene s = scene_open(slider, NULL);
        olo_optimum *optimum = solve(&s, i % 2 ? "redundant" : "reduced", NULL);
        olo_sensitivity *x = differentiate(optimum, &s, name);
        check_relative(12 * 400.0 / 399 * 36 / pow(1.5, 3), olo_optimum_cost(optimum), 1e-9);
        check_relative(cases[i / 2].cost * olo_optimum_cost(optimum) / p, olo_sensitivity_cost(x),
                       1e-8);
        for (int k = 0; k < 20; k++)
            check_close(cases[i / 2].control * olo_optimum_input(optimum, 0, k) / p,
                        olo_sensitivity_input(x, 0, k), 1e-7);
        check_close(strcmp(name, "d") == 0, olo_sensitivity_configuration(x, 20)[0], 1e-8);
        olo_sensitivity_free(x);
        olo_optimum_free(optimum);
        scene_close(&s);
    }
}

/* A pole on a cart with bounds of its force that are active; its masses, the length of the pole and
 * the bound are parameters. */
static const char swing[] =
    "parameters: {pole: 0.3, length: 0.5, bound: 12, target: 1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: pole, mass: pole, inertia: [0, 0, 0], position: [0, 0, -length]}\n"
    "joints:\n"
    "  - {name: hinge, between: [cart, pole], at: [0, 0, 0], axis: [0, -1, 0]}\n"
    "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0], force: 1}\n"
    "plane: [0, 1, 0]\n"
    "optimize:\n"
    "  intervals: 40\n"
    "  duration: 2\n"
    "  controls: {name: rail, lower: -bound, upper: bound}\n"
    "  costs: {type: effort}\n"
    "  conditions: [{quantity: rail.position, value: target}, {quantity: hinge.angle, value: "
    "pi}]\n";

TEST(sensitivity_is_that_of_optima_that_are_computed_again)
{
    skip_without_solver();
    static const char *const parameters[] = {"pole", "length", "bound", "target"};
    for (int i = 0; i < 8; i++) {
        const char *transcription = i % 2 ? "redundant" : "reduced", *name = parameters[i / 2];
        scene s = scene_open(swing, NULL);
        olo_optimum *reduced = solve(&s, "reduced", NULL);
        olo_optimum *optimum = solve(&s, transcription, reduced);
        olo_optimum_free(reduced);
        olo_sensitivity *x = differentiate(optimum, &s, name);
        const double p = olo_model_parameter(s.model, name), delta = 1e-4 * p;
        double cost[2], u[2][40], q[2];
        int bounded = 0;
        for (int j = 0; j < 2; j++) {
            char text[40];
            snprintf(text, sizeof text, "%.17g", p + (j == 0 ? -delta : delta));
            const olo_setting setting = {name, text};
            scene other = scene_open_set(swing, NULL, &setting, 1);
            olo_optimum *again = solve(&other, transcription, optimum);
            cost[j] = olo_optimum_cost(again);
            q[j] = olo_optimum_configuration(again, 20)[0];
            for (int k = 0; k < 40; k++)
                u[j][k] = olo_optimum_input(again, 0, k);
            olo_optimum_free(again);
            scene_close(&other);
        }
        const double scale = olo_optimum_cost(optimum) / p;
        check_close((cost[1] - cost[0]) / (2 * delta), olo_sensitivity_cost(x), 1e-5 * scale);
        for (int k = 0; k < 40; k++) {
            bounded += fabs(fabs(olo_optimum_input(optimum, 0, k)) - 12) < 1e-6;
            check_close((u[1][k] - u[0][k]) / (2 * delta), olo_sensitivity_input(x, 0, k),
                        1e-4 * 12 / p);
        }
        check_close((q[1] - q[0]) / (2 * delta), olo_sensitivity_configuration(x, 20)[0], 1e-4 / p);
        check_true(bounded > 0);
        olo_sensitivity_free(x);
        olo_optimum_free(optimum);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(sensitivity_of_a_mass_has_its_closed_form),
          cmocka_unit_test(sensitivity_is_that_of_optima_that_are_computed_again))
