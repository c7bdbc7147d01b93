/* A force from a C function: a ball falls through air with quadratic drag.
 *
 *     m dv/dt = m g - k v |v|   has the solution   v = u tanh(g t / u),  s = u^2/g ln cosh(g t / u)
 *
 * with the terminal speed u = sqrt(m g / k). The drag is a function that the library calls with the
 * time and with position and velocity of the point on which the load acts. The ledger records its
 * work, so that energy minus work is constant to round-off, although the ball loses energy.
 *
 *     cc callback_force.c $(pkg-config --cflags --libs oloid) -lm -o callback_force &&
 *         ./callback_force
 */
#include <math.h>
#include <stdio.h>

#include "oloid/oloid.h"

static const double mass = 0.145, g = 9.81, end = 5.0, height = 120.0;

/* Data of the callback; the library only passes the pointer. */
typedef struct air {
    double k; /* 1/2 density * drag coefficient * area */
} air;

/* The force on the ball. It must be a pure function: it is called several times per step. */
static void drag(void *context, double t, const double position[3], const double velocity[3],
                 double force[3])
{
    const air *x = context;
    double speed =
        sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    (void)t;
    (void)position;
    for (int i = 0; i < 3; i++)
        force[i] = -x->k * speed * velocity[i];
}

static olo_status describe(olo_model *model, air *x, olo_error *error)
{
    olo_point ball = olo_point_default();
    ball.name = "ball";
    ball.mass = mass;
    ball.position[2] = height;
    olo_status status = olo_model_add_point(model, &ball, error);

    olo_load load = olo_load_default();
    load.name = "drag";
    load.on.on = "ball";
    load.function = drag;
    load.context = x; /* must outlive the system */
    if (status == OLO_OK)
        status = olo_model_add_load(model, &load, error);

    olo_model_set_gravity(model, (const double[3]){0, 0, -g});
    return status;
}

/* Initial value and largest change of energy - work. */
typedef struct balance {
    double start, drift;
} balance;

/* The observer of the run: called at the initial state and after every step. */
static olo_status record_balance(void *context, const olo_system *system, const olo_state *state,
                                 long step, const olo_step_report *report, olo_error *error)
{
    balance *b = context;
    olo_ledger ledger;
    (void)report;
    (void)error;
    olo_system_ledger(system, state, &ledger);
    if (step == 0)
        b->start = ledger.balance;
    b->drift = fmax(b->drift, fabs(ledger.balance - b->start));
    return OLO_OK;
}

int main(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_state *state = NULL;
    olo_ledger ledger = {0};
    olo_run_summary summary = {0};
    air x = {.k = 0.5 * 1.2 * 0.35 * 4.3e-3};
    balance b = {0};
    olo_observer observer = olo_observer_default();
    observer.context = &b;
    observer.step = record_balance;
    olo_run run = olo_run_default();
    run.step = 0.005;
    run.end = end;

    olo_status status = olo_model_create("falling-ball", &model, &error);
    if (status == OLO_OK)
        status = describe(model, &x, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(system, &state, NULL, &error);
    if (status == OLO_OK)
        status = olo_simulate(system, &run, state, &observer, 1, &summary, &error);
    if (status != OLO_OK) {
        fprintf(stderr, "%s\n", error.text);
    } else {
        /* the ball is the only node: q and v have three numbers */
        const double terminal = sqrt(mass * g / x.k);
        const double speed = terminal * tanh(g * end / terminal);
        const double fall = terminal * terminal / g * log(cosh(g * end / terminal));
        const double got_speed = -olo_state_velocity(state)[2],
                     got_fall = height - olo_state_configuration(state)[2];
        olo_system_ledger(system, state, &ledger);
        printf("speed  %9.5f m/s  exact %9.5f\n", got_speed, speed);
        printf("fall   %9.5f m    exact %9.5f\n", got_fall, fall);
        printf("work of the drag %.5f J, energy - work constant to %.1e J\n", ledger.work, b.drift);
        /* second order: the error with this step is about 1e-6 */
        if (!(fabs(got_speed - speed) < 1e-4) || !(fabs(got_fall - fall) < 1e-4) ||
            !(b.drift < 1e-12 * fabs(b.start)) || !(ledger.work < -1)) {
            fprintf(stderr, "wrong numbers\n");
            status = OLO_INTERNAL;
        }
    }
    olo_state_free(state);
    olo_system_free(system);
    olo_model_free(model);
    return olo_status_exit_code(status);
}
