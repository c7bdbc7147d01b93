/* Cost over size: a chain of n point masses and springs under gravity; the first spring is fixed to
 * the ground. Prints the number of steps, Newton iterations and CPU seconds of the steps.
 *
 *     spring_chain POINTS STEPS
 *
 * The elimination follows the chain, so that the cost of a step is proportional to n.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/progress.h"
#include "oloid/model.h"
#include "oloid/simulate.h"

static olo_status add_links(olo_model *model, int n, olo_error *error)
{
    char name[32], before[32] = "";
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < n; i++) {
        olo_point point = olo_point_default();
        olo_spring spring = olo_spring_default();
        char spring_name[40];
        snprintf(name, sizeof name, "p%d", i);
        snprintf(spring_name, sizeof spring_name, "s%d", i);
        point.name = name;
        point.mass = 1;
        point.position[0] = i + 1;
        spring.name = spring_name;
        spring.between[0].on = i > 0 ? before : NULL;
        spring.between[1].on = name;
        spring.stiffness = 1e4;
        status = olo_model_add_point(model, &point, error);
        if (status == OLO_OK)
            status = olo_model_add_spring(model, &spring, error);
        snprintf(before, sizeof before, "%s", name);
    }
    return status;
}

static olo_status build_chain(int n, olo_model **model, olo_system **system, olo_error *error)
{
    const double gravity[3] = {0, 0, -9.81};
    olo_status status = olo_model_create("spring-chain", model, error);
    if (status == OLO_OK)
        status = add_links(*model, n, error);
    if (status != OLO_OK)
        return status;
    olo_model_set_gravity(*model, gravity);
    return olo_model_compile(*model, system, error);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: spring_chain POINTS STEPS\n");
        return 2;
    }
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *state = NULL;
    olo_stepper *stepper = NULL;
    olo_error error = {0};
    olo_run run = olo_run_default();
    long steps = atol(argv[2]), iterations = 0;
    olo_status status = build_chain(atoi(argv[1]), &model, &system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, &error);
    if (status == OLO_OK)
        status = olo_stepper_create(system, &run, &stepper, &error);
    double cpu = olo_cpu_seconds();
    for (long i = 0; status == OLO_OK && i < steps; i++) {
        status = olo_stepper_step(stepper, state, 0.005, &error);
        iterations += olo_stepper_report(stepper)->iterations;
    }
    cpu = olo_cpu_seconds() - cpu;
    if (status == OLO_OK)
        printf("%ld %ld %.9g\n", steps, iterations, cpu);
    else
        fprintf(stderr, "spring_chain: %s\n", error.text);
    olo_stepper_free(stepper);
    olo_state_free(state);
    olo_system_free(system);
    olo_model_free(model);
    return status == OLO_OK ? 0 : 1;
}
