/* Models with contacts in Oloid; the method is the name of a scheme. */
#include <stdio.h>
#include <string.h>

#include "contact_peer.h"
#include "oloid/oloid.h"

static const char ball[] = "coordinates: {names: [z], values: [1], mass: 1, energy: 9.81*z}\n"
                           "contacts: {type: function, gap: z, restitution: 0.5}\n";

typedef struct parts {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_stepper *stepper;
} parts;

static olo_status open_model(const char *model, const char *method, parts *x, olo_error *error)
{
    const olo_setting setting = {"run.scheme", method};
    olo_status status =
        strcmp(model, "bouncing-ball") == 0
            ? olo_model_read_text(ball, strlen(ball), "ball", &setting, 1, &x->model, error)
            : olo_model_read(model, &setting, 1, &x->model, error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x->system, &x->state, NULL, error);
    if (status == OLO_OK)
        status = olo_stepper_create(x->system, olo_model_run(x->model), &x->stepper, error);
    return status;
}

void contact_peer_run(const char *model, const char *method, double h, long steps,
                      contact_outcome *outcome)
{
    parts x = {0};
    olo_error error = {0};
    olo_status status = open_model(model, method, &x, &error);
    const double start = contact_peer_seconds();
    for (long i = 0; status == OLO_OK && i < steps; i++)
        status = olo_stepper_step(x.stepper, x.state, h, &error);
    outcome->seconds = contact_peer_seconds() - start;
    if (status == OLO_OK) {
        outcome->count = olo_system_joint_coordinate_count(x.system);
        for (int i = 0; i < outcome->count; i++) {
            outcome->q[i] = olo_state_configuration(x.state)[i];
            outcome->v[i] = olo_state_velocity(x.state)[i];
        }
    } else {
        snprintf(outcome->error, sizeof outcome->error, "%.500s", error.text);
    }
    olo_stepper_free(x.stepper);
    olo_state_free(x.state);
    olo_system_free(x.system);
    olo_model_free(x.model);
}
