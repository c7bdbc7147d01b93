/* The laws of energy-momentum with velocities that satisfy their constraints, on any model. */
#ifndef OLO_TESTS_CONSISTENT_LAWS_H
#define OLO_TESTS_CONSISTENT_LAWS_H

#include "scene.h"

#include "results/sizes.h"
#include "stepping/normal_motion.h"

/* The share of the kinetic energy that is normal to the constraints. */
static inline double normal_share(const scene *s)
{
    olo_normal_motion *motion = NULL;
    olo_error error = {0};
    double *normal = calloc((size_t)s->system->n, 2 * sizeof *normal), energy = 0;
    double *momentum = normal + s->system->n;
    check_ok(olo_normal_motion_create(s->system, &s->run, &motion, &error), &error);
    check_true(olo_normal_motion_at(motion, s->state, normal));
    olo_system_mass_times(s->system, normal, momentum);
    for (int i = 0; i < s->system->n; i++)
        energy += 0.5 * normal[i] * momentum[i];
    olo_normal_motion_free(motion);
    free(normal);
    return energy / scene_ledger(s).kinetic;
}

/* The energy that rounding errors of q in the last place change, a few times. */
static inline double rounded_energy(const scene *s)
{
    olo_sizes sizes;
    double *work = calloc((size_t)s->system->n, sizeof *work);
    olo_sizes_measure(s->system, s->state, NULL, work, &sizes, NULL);
    free(work);
    return 1e-15 * sizes.virial;
}

/* Over some steps: the energy with work and dissipation, relative to the energies exchanged; of a
 * system that hardly moves, to rounding; momenta; constraints of positions and of velocities. */
static inline void check_laws(scene *s, double h, int steps)
{
    const olo_ledger start = scene_ledger(s);
    scene_watch watch = scene_watch_begin(s, false);
    double drift = 0, size = start.kinetic;
    for (int i = 0; i < steps; i++) {
        scene_run(s, h, 1);
        scene_watch_look(&watch, s);
        const olo_ledger now = scene_ledger(s);
        drift = larger(drift, fabs(now.balance - start.balance));
        size = larger(size, now.kinetic + fabs(now.work) + now.dissipation +
                                fabs(now.strain - start.strain) +
                                fabs(now.potential - start.potential));
        check_below(now.constraint_relative, 1e-12);
    }
    check_below(drift, 1e-11 * size + rounded_energy(s));
    check_below(watch.drift, 1e-11);
    if (s->system->m > 0 && scene_ledger(s).kinetic > 0)
        check_below(normal_share(s), 1e-20);
}

#endif
