/* First steps: builds a pendulum in code, advances it by steps and reads its energies.
 *
 * A uniform rod of length 1 m on a hinge is released from the horizontal position. It reaches the
 * bottom after a quarter of its period, which is known in closed form,
 *
 *     T/4 = K(1/sqrt(2)) sqrt(2 l / (3 g)),     K the complete elliptic integral of the first kind,
 *
 * and its energy is constant. The program checks both and fails if one of them is wrong.
 *
 *     cc first_steps.c $(pkg-config --cflags --libs oloid) -lm -o first_steps && ./first_steps
 */
#include <math.h>
#include <stdio.h>

#include "oloid/oloid.h"

enum { STEPS = 500 };
static const double length = 1.0, mass = 2.0, g = 9.81;
static const double elliptic_K = 1.8540746773013719; /* K(k) at k^2 = 1/2 */

/* The model: one body, one support, gravity. Every struct is obtained from its default function. */
static olo_status describe(olo_model *model, olo_error *error)
{
    /* the origin of the rod's frame is at the hinge, and the rod lies along the first axis; the
     * moment of inertia of a thin rod about its own axis may be zero */
    olo_body rod = olo_body_default();
    rod.name = "rod";
    rod.mass = mass;
    rod.center[0] = length / 2;
    rod.inertia[4] = rod.inertia[8] = mass * length * length / 12;
    olo_status status = olo_model_add_body(model, &rod, error);

    /* the rod rotates about the horizontal y axis through the origin */
    olo_support hinge = olo_support_default();
    hinge.name = "hinge";
    hinge.on.on = "rod";
    hinge.type = "hinge";
    hinge.axis[1] = 1;
    if (status == OLO_OK)
        status = olo_model_add_support(model, &hinge, error);

    olo_model_set_gravity(model, (const double[3]){0, 0, -g});
    return status;
}

/* Advances the pendulum by a quarter of a period and prints the ledger every 100 steps. */
static olo_status swing(const olo_system *system, olo_stepper *stepper, olo_state *state,
                        double *drift, double tip[3], olo_error *error)
{
    const olo_point_on_body end = {.on = "rod", .at = {length, 0, 0}};
    const double quarter = elliptic_K * sqrt(2 * length / (3 * g));
    olo_status status = OLO_OK;
    olo_ledger start, now;
    olo_system_ledger(system, state, &start);
    *drift = 0;
    printf("   time    kinetic  potential      total\n");
    for (int i = 0; i <= STEPS && status == OLO_OK; i++) {
        olo_system_ledger(system, state, &now);
        *drift = fmax(*drift, fabs(now.total - start.total));
        if (i % 100 == 0)
            printf("%7.4f %10.6f %10.6f %10.1e\n", olo_state_time(state), now.kinetic,
                   now.potential, now.total);
        if (i < STEPS)
            status = olo_stepper_step(stepper, state, quarter / STEPS, error);
    }
    return status == OLO_OK ? olo_system_point_on_body(system, state, &end, tip, NULL, error)
                            : status;
}

int main(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_system *system = NULL;   /* constant, may be shared between threads */
    olo_stepper *stepper = NULL; /* workspace of one thread; a step allocates nothing */
    olo_state *state = NULL;     /* everything that changes; small, cheap to copy */
    double drift = NAN, tip[3] = {NAN, NAN, NAN};
    const olo_run run = olo_run_default();

    olo_status status = olo_model_create("pendulum", &model, &error);
    if (status == OLO_OK)
        status = describe(model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, &error);
    if (status == OLO_OK)
        status = olo_stepper_create(system, &run, &stepper, &error);
    if (status == OLO_OK)
        status = swing(system, stepper, state, &drift, tip, &error);

    olo_stepper_free(stepper);
    olo_state_free(state);
    olo_system_free(system);
    olo_model_free(model);
    if (status != OLO_OK) {
        fprintf(stderr, "%s\n", error.text);
        return olo_status_exit_code(status);
    }

    /* energy is exact to round-off for every step size; the position is of second order */
    printf("tip at (%.6f, %.6f, %.6f), energy constant to %.1e\n", tip[0], tip[1], tip[2], drift);
    const double off = hypot(tip[0], tip[2] + length);
    if (!(drift < 1e-12 * mass * g * length) || !(off < 1e-5)) {
        fprintf(stderr, "wrong: the tip is off by %.1e\n", off);
        return 1;
    }
    return 0;
}
