/* The discrete action and the largest velocity of a run (see the header). */
#include "study/discrete_action.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "system/system.h"

bool olo_discrete_action_open(olo_discrete_action *sum, const olo_system *system)
{
    *sum = (olo_discrete_action){.q = olo_alloc(4 * (size_t)system->n, sizeof *sum->q)};
    return sum->q != NULL;
}

void olo_discrete_action_close(olo_discrete_action *sum)
{
    sum->q = olo_free(sum->q);
}

static double potential(const olo_system *system, const double *q, const double *angles)
{
    double V = 0;
    for (int i = 0; i < system->term_count; i++)
        if (!system->terms[i].law->dissipative)
            V += olo_term_energy(&system->terms[i], q, angles);
    return V;
}

static olo_status add_step(void *context, const olo_system *system, const olo_state *state,
                           long step, const olo_step_report *report, olo_error *error)
{
    olo_discrete_action *sum = context;
    const int n = system->n;
    const double h = state->span;
    double *v = sum->q + n, *middle = v + n, *p = middle + n, kinetic = 0, square = 0;
    (void)report;
    (void)error;
    for (int i = 0; step > 0 && i < n; i++) {
        v[i] = (state->q[i] - sum->q[i]) / h;
        middle[i] = 0.5 * (state->q[i] + sum->q[i]);
        square += v[i] * v[i];
    }
    if (step > 0) {
        olo_system_mass_times(system, v, p);
        for (int i = 0; i < n; i++)
            kinetic += 0.5 * v[i] * p[i];
        sum->action += h * (kinetic - potential(system, middle, state->angles));
        sum->fastest = fmax(sum->fastest, sqrt(square));
    }
    memcpy(sum->q, state->q, (size_t)n * sizeof *sum->q);
    return OLO_OK;
}

olo_observer olo_discrete_action_observer(olo_discrete_action *sum)
{
    olo_observer observer = olo_observer_default();
    observer.context = sum;
    observer.step = add_step;
    return observer;
}
