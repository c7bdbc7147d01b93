/* Linearises the first steps of a model, A = dz_1/dz_0 in canonical coordinates z, and measures the
 * symplectic defect |A^T J A - J| / |A|^2, the change of volume |det A| - 1 and the moduli of the
 * eigenvalues of A. */
#include "cli/symplectic.h"

#include <math.h>
#include <stdio.h>

enum { STEPS = 10 };

/* A symplectic step has no larger defect. */
static const double ROUND_OFF = 1e-9;

/* The run of the model with reduced constraints, the treatment that has derivatives. */
static olo_run run_of(const cli_loaded *loaded)
{
    olo_run run = *olo_model_run(loaded->model);
    run.constraints = "reduced";
    return run;
}

static void update_worst(const olo_step_map *map, bool first, olo_step_map *worst)
{
    if (first) {
        *worst = *map;
        return;
    }
    worst->defect = fmax(worst->defect, map->defect);
    worst->largest = fmax(worst->largest, map->largest);
    worst->smallest = fmin(worst->smallest, map->smallest);
    if (fabs(map->volume) > fabs(worst->volume))
        worst->volume = map->volume;
}

olo_status cli_symplectic_find(const cli_loaded *loaded, cli_symplectic *found, olo_error *error)
{
    const olo_run run = run_of(loaded);
    olo_derivatives *derivatives = NULL;
    olo_state *state = NULL;
    *found = (cli_symplectic){.step = run.step, .scheme = run.scheme};
    olo_status status = olo_derivatives_create(loaded->system, &run, &derivatives, error);
    if (status == OLO_OK)
        status = olo_state_clone(loaded->state, &state, error);
    for (; status == OLO_OK && found->steps < STEPS; found->steps++) {
        olo_step_map map = olo_step_map_default();
        status = olo_derivatives_compute_step_map(derivatives, state, run.step, &map, error);
        if (status == OLO_OK)
            update_worst(&map, found->steps == 0, &found->worst);
    }
    olo_state_free(state);
    olo_derivatives_free(derivatives);
    return status;
}

void cli_symplectic_print(const cli_symplectic *found)
{
    const olo_step_map *map = &found->worst;
    (void)printf("\nlinearised steps: the first %d of %g, %s\n", found->steps, found->step,
                 found->scheme);
    (void)printf("  symplectic defect   %.1e (|A^T J A - J| over |A|^2, %d degrees of freedom)\n",
                 map->defect, map->dofs);
    (void)printf("  volume              |det A| - 1 = %.1e\n", map->volume);
    (void)printf("  eigenvalues of A    %.9g to %.9g in modulus\n", map->smallest, map->largest);
    (void)printf("  this step           is %s: %s\n",
                 map->defect < ROUND_OFF ? "symplectic" : "not symplectic",
                 olo_scheme_conserves(found->scheme));
}

void cli_symplectic_write(olo_json *json, const cli_symplectic *found)
{
    olo_json_open(json, "symplectic", '{');
    olo_json_text(json, "scheme", found->scheme);
    olo_json_number(json, "step", found->step);
    olo_json_integer(json, "steps", found->steps);
    olo_json_integer(json, "degrees_of_freedom", found->worst.dofs);
    olo_json_number(json, "defect", found->worst.defect);
    olo_json_number(json, "volume", found->worst.volume);
    olo_json_number(json, "smallest_modulus", found->worst.smallest);
    olo_json_number(json, "largest_modulus", found->worst.largest);
    olo_json_close(json);
}
