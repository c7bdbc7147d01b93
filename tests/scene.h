/* A model that runs, for tests: model, system, state and stepper in one, from a text or from the
 * catalogue.
 *
 *     scene s = scene_open(TEXT, "reduced");
 *     scene_run(&s, 0.01, 100);
 *     olo_ledger ledger = scene_ledger(&s);
 *     scene_close(&s);
 */
#ifndef OLO_TEST_SCENE_H
#define OLO_TEST_SCENE_H

#include <stdlib.h>

#include "test.h"

#include "base/initialised.h"
#include "oloid/oloid.h"
#include "system/system.h"

typedef struct scene {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_stepper *stepper;
    olo_projection projection;
    olo_run run;
    long iterations, halvings;
} scene;

/* A scene from a text, or from the catalogue if the text has one line. If the treatment is NULL, it
 * is that of the model. */
static inline scene scene_open_set(const char *text, const char *constraints,
                                   const olo_setting *settings, int setting_count)
{
    scene s = {0};
    olo_error error = {0};
    olo_status status = strchr(text, '\n') != NULL
                            ? olo_model_read_text(text, strlen(text), "test", settings,
                                                  setting_count, &s.model, &error)
                            : olo_model_read(text, settings, setting_count, &s.model, &error);
    check_ok(status, &error);
    check_ok(olo_model_compile(s.model, &s.system, &error), &error);
    check_ok(olo_system_create_initial_state(s.system, &s.state, &s.projection, &error), &error);
    s.run = *olo_model_run(s.model);
    if (constraints)
        s.run.constraints = constraints;
    if (s.system->event_count == 0) /* a system with events has no stepper of its own */
        check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
    return s;
}

static inline scene scene_open(const char *text, const char *constraints)
{
    return scene_open_set(text, constraints, NULL, 0);
}

/* A scene with settings of the treatments: penalty, tolerance of `augmented`, null space. */
static inline scene scene_open_penalty(const char *model, const char *treatment, double penalty,
                                       double tolerance, const char *null_space)
{
    char mu[32], tol[32];
    snprintf(mu, sizeof mu, "%.17g", penalty);
    snprintf(tol, sizeof tol, "%.17g", tolerance);
    const olo_setting settings[] = {
        {"run.penalty", mu}, {"run.augmented_tolerance", tol}, {"run.null_space", null_space}};
    return scene_open_set(model, treatment, settings, 3);
}

static inline void scene_close(scene *s)
{
    olo_stepper_free(s->stepper);
    olo_state_free(s->state);
    olo_system_free(s->system);
    olo_model_free(s->model);
}

static inline void scene_run(scene *s, double h, long steps)
{
    olo_error error = {0};
    for (long i = 0; i < steps; i++) {
        check_ok(olo_stepper_step(s->stepper, s->state, h, &error), &error);
        s->iterations += olo_stepper_report(s->stepper)->iterations;
        s->halvings += olo_stepper_report(s->stepper)->halvings;
    }
}

/* Runs to time t with the step of the model. */
static inline void scene_run_to(scene *s, double t)
{
    scene_run(s, s->run.step, lround((t - olo_state_time(s->state)) / s->run.step));
}

static inline olo_ledger scene_ledger(const scene *s)
{
    olo_ledger ledger;
    olo_system_ledger(s->system, s->state, &ledger);
    return ledger;
}

static inline double norm3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Checks the numbers of coordinates, of internal constraints of bodies and sections, of all
 * constraints, of those that are not redundant, and of unknowns of `reduced`. */
static inline void scene_check_counts(const scene *s, int n, int internal, int m, int reduced)
{
    olo_counts counts;
    olo_error error = {0};
    check_ok(olo_system_counts(s->system, &counts, &error), &error);
    check_equal(n, counts.coordinates);
    check_equal(internal, counts.internal);
    check_equal(m, counts.constraints);
    check_equal(m, counts.rank);
    check_equal(n + m, counts.unknowns_multipliers);
    check_equal(reduced, counts.unknowns_reduced);
}

/* The twelve or three coordinates of a node, and their velocities. */
static inline const double *scene_q(const scene *s, const char *node)
{
    int k = olo_system_find_node(s->system, node);
    check_true(k >= 0);
    return olo_state_configuration(s->state) + olo_system_node_offset(s->system, k);
}

static inline const double *scene_v(const scene *s, const char *node)
{
    int k = olo_system_find_node(s->system, node);
    check_true(k >= 0);
    return olo_state_velocity(s->state) + olo_system_node_offset(s->system, k);
}

/* Index of the constraint group of an element; the internal rows of a body when `internal`. */
static inline int scene_group(const scene *s, const char *name, bool internal)
{
    for (int i = 0; i < olo_system_group_count(s->system); i++)
        if (strcmp(olo_system_group_name(s->system, i), name) == 0 &&
            olo_system_group_internal(s->system, i) == internal)
            return i;
    check_text(name, "no such group");
    return -1;
}

static inline void scene_reaction(scene *s, const char *name, double force[3], double moment[3])
{
    olo_error error = {0};
    check_ok(olo_stepper_compute_reaction(s->stepper, s->state, scene_group(s, name, false), force,
                                          moment, &error),
             &error);
}

/* The momentum sqrt(2 T m) that belongs to the kinetic energy, and the largest coordinate: scales
 * for the parts of a momentum that vanishes in total. */
static inline double scene_momentum(const scene *s, double kinetic, double *reach)
{
    double mass = 0;
    *reach = 0;
    for (int e = 0; e < s->system->mass_count; e++)
        if (s->system->coordinates[s->system->mass[e].i].slot == 0)
            mass += fabs(s->system->mass[e].m);
    for (int i = 0; i < s->system->n; i++)
        *reach =
            larger(*reach, fabs(olo_state_configuration(s->state)[i]) *
                               (s->system->coordinates[i].slot == 0 ? 1 : s->system->length_scale));
    return sqrt(2 * kinetic * mass);
}

/* The quantities that a system conserves: their initial values, the largest sizes of them and of
 * their parts, and their largest relative change. */
typedef struct scene_watch {
    double start[OLO_INVARIANTS_MAX], size[OLO_INVARIANTS_MAX], drift;
    bool energy; /* the energy is one of them */
} scene_watch;

static inline scene_watch scene_watch_begin(const scene *s, bool energy)
{
    scene_watch watch = {.energy = energy};
    olo_ledger ledger = scene_ledger(s);
    for (int k = 0; k < olo_system_invariant_count(s->system); k++) {
        watch.start[k] = olo_invariant_value(olo_system_invariant(s->system, k), &ledger);
        watch.size[k] = fabs(watch.start[k]);
    }
    return watch;
}

static inline void scene_watch_look(scene_watch *watch, const scene *s)
{
    olo_ledger ledger = scene_ledger(s);
    double reach, momentum = scene_momentum(s, ledger.kinetic, &reach);
    for (int k = 0; k < olo_system_invariant_count(s->system); k++) {
        const olo_invariant *x = olo_system_invariant(s->system, k);
        double part = x->energy ? ledger.kinetic + fabs(ledger.potential) + ledger.strain
                                : momentum * (reach * norm3(x->rotation) + norm3(x->translation));
        watch->size[k] = larger(watch->size[k], part);
        double drift = watch->energy || !x->energy
                           ? fabs(olo_invariant_value(x, &ledger) - watch->start[k])
                           : 0.0;
        watch->drift = larger(watch->drift, watch->size[k] > 0 ? drift / watch->size[k] : drift);
        check_true(isfinite(drift));
    }
}

/* The largest drift over `steps` of the quantities that the system conserves, relative to their
 * sizes; with or without the energy. */
static inline double scene_drift_of(scene *s, double h, long steps, bool energy)
{
    scene_watch watch = scene_watch_begin(s, energy);
    for (long i = 0; i < steps; i++) {
        scene_run(s, h, 1);
        scene_watch_look(&watch, s);
    }
    return watch.drift;
}

static inline double scene_drift(scene *s, double h, long steps)
{
    return scene_drift_of(s, h, steps, true);
}

/* Largest distance of the positions of all nodes in two scenes of one system. */
static inline double scene_apart(const scene *a, const scene *b)
{
    double most = 0;
    for (int k = 0; k < a->system->node_count; k++) {
        int q = a->system->nodes[k].q;
        const double *x = olo_state_configuration(a->state) + q,
                     *y = olo_state_configuration(b->state) + q;
        most = larger(most, norm3((double[]){x[0] - y[0], x[1] - y[1], x[2] - y[2]}));
    }
    return most;
}

/* Reproducible random numbers in [-1, 1). */
static inline double scene_random(unsigned long long *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* ||a - b|| / ||b||, over n numbers. */
static inline double scene_distance(int n, const double *a, const double *b)
{
    double difference = 0, size = 0;
    for (int i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(difference / size);
}

#endif
