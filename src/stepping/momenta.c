/* Momenta of schemes that step from momenta (Leyendecker 2011, 3.23 to 3.28 and 5.13, 5.14): the
 * discrete Legendre transforms of a step from q0 to q1,
 *
 *     p^- = -D1 L_d - f^-   at q0,      p^+ = D2 L_d + f^+   at q1,
 * and initial velocities from a momentum p, M v = Q(q) p = p - G(q)^T mu with G(q) v = 0.
 */
#include "stepping/momenta.h"

#include <string.h>

#include "base/fail.h"
#include "stepping/balance.h"
#include "stepping/step.h"
#include "system/system.h"

static void reset(olo_state *state)
{
    olo_momentum_segment *memory = olo_momentum_of(state);
    memory->given = memory->pending = 0;
}

static bool is_valid(const olo_state *state)
{
    const olo_momentum_segment *memory = olo_momentum_of(state);
    return (memory->given & ~1) == 0 && (memory->pending & ~1) == 0;
}

const olo_segment olo_segment_momentum = {.name = "momentum",
                                          .fixed = sizeof(olo_momentum_segment) / sizeof(double),
                                          .n = 1,
                                          .drives = 1,
                                          .reset = reset,
                                          .reverse = reset,
                                          .check = is_valid};

static olo_status check_momenta(const olo_stepper *x, olo_error *error)
{
    if (!x->scheme->momentum)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s does not step from momenta; take variational",
                        x->scheme->name);
    return OLO_OK;
}

/* Sets the motion between two states, including the remainders of their configurations. */
static void set_interval(olo_step *step, const olo_state *from, const olo_state *to)
{
    size_t size = (size_t)step->system->n * sizeof *from->q;
    memcpy(step->q0, from->q, size);
    memcpy(step->x.q1, to->q, size);
    step->x.q0 = step->q0;
    step->state = from;
    step->t = from->t;
    step->h = to->t - from->t;
    for (int i = 0; i < step->system->n; i++) {
        step->x.dq[i] = (to->q[i] - from->q[i]) + (to->q_remainder[i] - from->q_remainder[i]);
        step->x.qm[i] = from->q[i] + 0.5 * step->x.dq[i];
    }
}

olo_status olo_stepper_compute_legendre(olo_stepper *x, const olo_state *from, const olo_state *to,
                                        double *minus, double *plus, olo_error *error)
{
    olo_step *step = &x->step;
    olo_status status = check_momenta(x, error);
    if (status != OLO_OK)
        return status;
    if (!(to->t != from->t))
        return olo_fail(error, OLO_BAD_INPUT,
                        "the states of a step must have different times; both are at t = %g",
                        from->t);
    x->stepped = false;
    set_interval(step, from, to);
    /* p^+ = M dq/h - T^+/2 and p^- = M dq/h + T^-/2, with T = h grad V(q_m) - h f at either end */
    x->scheme->momentum(step);
    for (int i = 0; i < x->system->n; i++) {
        if (plus)
            plus[i] = step->momentum[i];
        if (minus)
            minus[i] = step->momentum[i] + 0.5 * step->T[i];
    }
    if (minus) {
        (void)olo_balance_forces(step, false);
        for (int i = 0; i < x->system->n; i++)
            minus[i] += 0.5 * step->T[i];
    }
    return OLO_OK;
}

olo_status olo_stepper_set_momenta(olo_stepper *x, olo_state *state, const double *p,
                                   olo_error *error)
{
    const double h = 1; /* only scales the multipliers, which are not used */
    olo_status status = check_momenta(x, error);
    if (status == OLO_OK) {
        x->stepped = false;
        status = olo_stepper_project(x, state, p, h, error);
    }
    if (status != OLO_OK)
        return status;
    memcpy(state->v, x->step.v1, (size_t)x->system->n * sizeof *state->v);
    olo_state_reset_history(state);
    return OLO_OK;
}

void olo_system_momenta(const olo_system *system, const olo_state *state, double *p)
{
    olo_system_mass_times(system, state->v, p);
}

void olo_system_constraint_forces(const olo_system *s, const olo_state *state, const double *lambda,
                                  double *force)
{
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    double g[OLO_FORM_SIZE_MAX];
    memset(force, 0, (size_t)s->n * sizeof *force);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        olo_constraint_gradient(row, &at, g);
        for (int i = 0; i < row->size; i++)
            force[row->index[i]] += lambda[c] * g[i];
    }
}
