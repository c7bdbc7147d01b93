/* The part of a velocity that is normal to the constraints; see the header. The solve is the
 * projection of momenta of `reduced`. */
#include "stepping/normal_motion.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/step.h"

struct olo_normal_motion {
    void *reduced;     /* the treatment, as a scheme with momenta creates it */
    olo_scheme scheme; /* with momenta; no steps are taken, and there is no balance */
    olo_step step;
    double h; /* sets scales only */
};

olo_status olo_normal_motion_create(const olo_system *system, const olo_run *run,
                                    olo_normal_motion **motion, olo_error *error)
{
    olo_normal_motion *x = *motion = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for velocities");
    x->h = run->step > 0 ? run->step : 1.0;
    x->scheme = olo_scheme_variational;
    x->scheme.balance = NULL;
    olo_status status = olo_step_create(system, &x->step, error);
    if (status == OLO_OK)
        status = olo_treatment_reduced.create(system, &x->scheme, run, &x->reduced, error);
    if (status != OLO_OK) {
        olo_normal_motion_free(x);
        *motion = NULL;
    }
    return status;
}

void olo_normal_motion_free(olo_normal_motion *x)
{
    if (!x)
        return;
    olo_treatment_reduced.free(x->reduced);
    olo_step_free(&x->step);
    olo_free(x);
}

bool olo_normal_motion_at(olo_normal_motion *x, const olo_state *state, double *normal)
{
    olo_step *step = &x->step;
    const olo_system *s = step->system;
    memcpy(step->q_end, state->q, (size_t)s->n * sizeof *state->q);
    olo_system_mass_times(s, state->v, step->momentum);
    step->state = state;
    step->h = x->h;
    step->t = state->t - x->h;
    const bool regular = olo_treatment_reduced.project(x->reduced, step, NULL) == OLO_OK;
    for (int i = 0; i < s->n; i++)
        normal[i] = regular ? state->v[i] - step->v1[i] : 0.0;
    return regular;
}
