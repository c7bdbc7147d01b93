/* Models of the catalogue, run step by step, for the tests of joints. */
#ifndef OLO_TEST_JOINT_MODELS_H
#define OLO_TEST_JOINT_MODELS_H

#include "test.h"

#include "oloid/oloid.h"

/* A model that is being run. */
typedef struct runner {
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_stepper *stepper;
    double h;
    long step;     /* steps done */
    long halvings; /* of all steps */
    olo_ledger start;
} runner;

/* Opens a model of the catalogue with `count` settings. */
static inline runner open_with(const char *name, double h, const char *constraints,
                               const olo_setting *settings, int count)
{
    runner r = {.h = h};
    olo_error error = {0};
    check_ok(olo_model_read(name, settings, count, &r.model, &error), &error);
    check_ok(olo_model_compile(r.model, &r.system, &error), &error);
    check_ok(olo_system_create_initial_state(r.system, &r.state, NULL, &error), &error);
    olo_run run = *olo_model_run(r.model);
    run.constraints = constraints;
    check_ok(olo_stepper_create(r.system, &run, &r.stepper, &error), &error);
    olo_system_ledger(r.system, r.state, &r.start);
    return r;
}

static inline runner open_model(const char *name, double h)
{
    return open_with(name, h, "reduced", NULL, 0);
}

static inline runner open_set(const char *name, double h, const char *key, const char *value)
{
    const olo_setting setting = {key, value};
    return open_with(name, h, "reduced", &setting, 1);
}

static inline void close_runner(runner *r)
{
    olo_stepper_free(r->stepper);
    olo_state_free(r->state);
    olo_system_free(r->system);
    olo_model_free(r->model);
}

static inline void one_step(runner *r)
{
    olo_error error = {0};
    const olo_status status = olo_stepper_step(r->stepper, r->state, r->h, &error);
    if (status != OLO_OK)
        print_error("%s, h = %g, step %ld of it\n", olo_model_name(r->model), r->h, r->step + 1);
    check_ok(status, &error);
    r->halvings += olo_stepper_report(r->stepper)->halvings;
    r->step++;
}

/* Coordinates of a body: position, d1, d2, d3. */
static inline const double *body(const runner *r, const char *name)
{
    const int node = olo_system_find_node(r->system, name);
    check_true(node >= 0);
    return olo_state_configuration(r->state) + olo_system_node_offset(r->system, node);
}

static inline const double *body_rates(const runner *r, const char *name)
{
    const int node = olo_system_find_node(r->system, name);
    check_true(node >= 0);
    return olo_state_velocity(r->state) + olo_system_node_offset(r->system, node);
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* The point X of a body. */
static inline void point_of(const double *q, const double X[3], double x[3])
{
    for (int i = 0; i < 3; i++)
        x[i] = q[i] + X[0] * q[3 + i] + X[1] * q[6 + i] + X[2] * q[9 + i];
}

/* Angle of body c relative to body p about their common axis k (0, 1, 2) of the frames, which are
 * parallel at the start; in (-pi, pi]. */
static inline double angle_about(const double *p, const double *c, int k)
{
    const double *d1 = p + 3 + 3 * ((k + 1) % 3), *d2 = p + 3 + 3 * ((k + 2) % 3);
    const double *moved = c + 3 + 3 * ((k + 1) % 3);
    return atan2(dot(d2, moved), dot(d1, moved));
}

/* The value of an angle that continues `before`. */
static inline double unwrap(double angle, double before)
{
    const double turn = 2.0 * acos(-1.0);
    return angle + turn * round((before - angle) / turn);
}

/* |E - E0|, less the work of loads. */
static inline double energy_change(const runner *r)
{
    olo_ledger now;
    olo_system_ledger(r->system, r->state, &now);
    return fabs(now.balance - r->start.balance);
}

static inline double constraint_error(const runner *r)
{
    olo_ledger now;
    olo_system_ledger(r->system, r->state, &now);
    return now.constraint_error;
}

#endif
