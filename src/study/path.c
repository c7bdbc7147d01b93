/* The discrete action and the largest velocity of a run; see the header. */
#include "study/path.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "system/system.h"

bool olo_path_open(olo_path *path, const olo_system *system)
{
    *path = (olo_path){.q = olo_alloc(4 * (size_t)system->n, sizeof *path->q)};
    return path->q != NULL;
}

void olo_path_close(olo_path *path)
{
    path->q = olo_free(path->q);
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
    olo_path *path = context;
    const int n = system->n;
    const double h = state->span;
    double *v = path->q + n, *middle = v + n, *p = middle + n, kinetic = 0, square = 0;
    (void)report;
    (void)error;
    for (int i = 0; step > 0 && i < n; i++) {
        v[i] = (state->q[i] - path->q[i]) / h;
        middle[i] = 0.5 * (state->q[i] + path->q[i]);
        square += v[i] * v[i];
    }
    if (step > 0) {
        olo_system_mass_times(system, v, p);
        for (int i = 0; i < n; i++)
            kinetic += 0.5 * v[i] * p[i];
        path->action += h * (kinetic - potential(system, middle, state->angles));
        path->fastest = fmax(path->fastest, sqrt(square));
    }
    memcpy(path->q, state->q, (size_t)n * sizeof *path->q);
    return OLO_OK;
}

olo_observer olo_path_observer(olo_path *path)
{
    olo_observer observer = olo_observer_default();
    observer.context = path;
    observer.step = add_step;
    return observer;
}
