/* Any bytes as a model that is run: a model that is read compiles or is refused with a reason, and
 * its steps succeed or fail with a reason. A step that succeeds leaves finite numbers; one that
 * fails does not change the state. Models are small, with few steps and iterations, so that many
 * are tried. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oloid/model.h"
#include "oloid/simulate.h"
#include "oloid/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_SIZE = 4096, MAX_COORDINATES = 150, STEPS = 3, ITERATIONS = 12, HALVINGS = 1 };

static void require(int holds)
{
    if (!holds)
        abort();
}

/* A failure has a reason, in one line. */
static void require_reason(const olo_error *error)
{
    require(error->text[0] != '\0' && strchr(error->text, '\n') == NULL);
}

static int is_finite(const olo_system *system, olo_state *state)
{
    for (int i = 0; i < olo_system_coordinate_count(system); i++)
        if (!isfinite(olo_state_configuration(state)[i]) || !isfinite(olo_state_velocity(state)[i]))
            return 0;
    return isfinite(olo_state_time(state));
}

static void look(const olo_system *system, const olo_state *state)
{
    olo_ledger ledger;
    double position[3], velocity[3], acceleration[3];
    olo_system_ledger(system, state, &ledger);
    for (int i = 0; i < olo_system_output_count(system); i++)
        olo_system_output(system, state, i, position, velocity, acceleration);
}

static void take_steps(olo_stepper *stepper, const olo_system *system, olo_state *state, double h)
{
    for (int i = 0; i < STEPS; i++) {
        olo_error error = {0};
        const double before = olo_state_time(state);
        if (olo_stepper_step(stepper, state, h, &error) != OLO_OK) {
            require_reason(&error);
            require(olo_state_time(state) == before && is_finite(system, state));
            return;
        }
        require(is_finite(system, state));
        look(system, state);
        for (int group = 0; group < olo_system_group_count(system); group++) {
            double force[3], moment[3];
            (void)olo_stepper_compute_reaction(stepper, state, group, force, moment, NULL);
        }
    }
}

static void run_system(const olo_system *system, const olo_run *wanted)
{
    static const char *const treatments[] = {"reduced", "multipliers"};
    olo_error error = {0};
    olo_counts counts;
    if (olo_system_counts(system, &counts, &error) != OLO_OK)
        require_reason(&error);
    for (size_t k = 0; k < sizeof treatments / sizeof *treatments; k++) {
        olo_run run = *wanted;
        olo_state *state = NULL;
        olo_stepper *stepper = NULL;
        run.constraints = treatments[k];
        run.iterations = run.iterations < ITERATIONS ? run.iterations : ITERATIONS;
        run.halvings = run.halvings < HALVINGS ? run.halvings : HALVINGS;
        error = (olo_error){0};
        if (olo_system_create_initial_state(system, &state, NULL, &error) == OLO_OK &&
            olo_stepper_create(system, &run, &stepper, &error) == OLO_OK) {
            require(is_finite(system, state));
            look(system, state);
            take_steps(stepper, system, state, run.step);
        } else {
            require_reason(&error);
        }
        olo_stepper_free(stepper);
        olo_state_free(state);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    if (size > MAX_SIZE || olo_model_read_text((const char *)data, size, "fuzz.yaml", NULL, 0,
                                               &model, &error) != OLO_OK)
        return 0;
    if (olo_model_compile(model, &system, &error) != OLO_OK) {
        require(system == NULL);
        require_reason(&error);
    } else if (olo_system_coordinate_count(system) <= MAX_COORDINATES) {
        run_system(system, olo_model_run(model));
    }
    olo_system_free(system);
    olo_model_free(model);
    return 0;
}
