/* The gradient of a functional of a run: with which velocity must a ball be thrown to reach a
 * target after one second? The functional
 *
 *     J = 1/2 |x(T) - target|^2,   dJ/dv = T (x(T) - target),
 *
 * has this derivative with respect to the initial velocity v, since x(T) = x(0) + v T + g T^2/2,
 * which the scheme satisfies exactly. One Newton step, v - dJ/dv / T^2, hits the target.
 *
 *     cc hit_the_target.c $(pkg-config --cflags --libs oloid) -lm -o hit_the_target &&
 *         ./hit_the_target
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oloid/oloid.h"

static const char ball[] =
    "name: ball\n"
    "gravity: [0, 0, -9.81]\n"
    "points: {name: ball, mass: 0.2, position: [0, 0, 1.5], velocity: [3, 0, 0]}\n"
    "outputs: {name: end, on: ball}\n"
    "run: {step: 0.01, end: 1}\n";

/* J and dJ/dv of a throw. */
static olo_status aim(olo_derivatives *derivatives, const olo_state *start, double *distance,
                      double by_velocity[3], olo_error *error)
{
    static const double target[3] = {10, 2, 3};
    olo_goal goals[3];
    for (int i = 0; i < 3; i++) {
        goals[i] = olo_goal_default();
        goals[i].quantity = "end.position";
        goals[i].direction[i] = 1;
        goals[i].squared = true;
        goals[i].target = target[i];
        goals[i].end = 1;
    }
    olo_functional miss = olo_functional_default();
    miss.goals = goals;
    miss.goal_count = 3;
    olo_gradient gradient = olo_gradient_default();
    gradient.v = by_velocity;
    olo_status status =
        olo_derivatives_compute_gradient(derivatives, start, &miss, &gradient, error);
    *distance = sqrt(2 * gradient.value);
    return status;
}

int main(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *start = NULL;
    olo_derivatives *derivatives = NULL;
    double before = 0, after = 1, by_velocity[3];

    olo_status status =
        olo_model_read_text(ball, strlen(ball), "ball.yaml", NULL, 0, &model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &start, NULL, &error);
    if (status == OLO_OK)
        status = olo_derivatives_create(system, olo_model_run(model), &derivatives, &error);
    if (status == OLO_OK)
        status = aim(derivatives, start, &before, by_velocity, &error);
    if (status == OLO_OK) {
        double v[3];
        for (int i = 0; i < 3; i++)
            v[i] = olo_state_velocity(start)[i] - by_velocity[i]; /* T = 1 */
        olo_state_set_velocity(start, v);
        status = aim(derivatives, start, &after, by_velocity, &error);
    }
    if (status == OLO_OK)
        printf("missed by %.3f; thrown with (%.3f, %.3f, %.3f) by %.1e\n", before,
               olo_state_velocity(start)[0], olo_state_velocity(start)[1],
               olo_state_velocity(start)[2], after);
    else
        fprintf(stderr, "%s\n", error.text);
    olo_derivatives_free(derivatives);
    olo_state_free(start);
    olo_system_free(system);
    olo_model_free(model);
    return status == OLO_OK && after < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
