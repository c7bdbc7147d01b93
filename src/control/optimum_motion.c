/* The motion of an optimum as states, and beside a motion with small steps and the same controls.
 *
 * The velocity of a node is that of its momentum, projected to the constraints there:
 *
 *     M v + G^T mu = p,   G v = 0,   p = D2 L_d(q_k-1, q_k) + f^+;   at the start p = M v0,
 *
 * and with energy-momentum-2006 that of the scheme. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "control/optimum.h"
#include "control/redundant_private.h"
#include "oloid/model.h"
#include "oloid/simulate.h"

/* What it takes to make states of nodes. */
typedef struct maker {
    const olo_optimum *optimum;
    olo_stepper *stepper;
    double *minus, *plus; /* [n] momenta of an interval */
} maker;

static olo_status open_maker(maker *x, const olo_optimum *o, olo_error *error)
{
    const size_t n = (size_t)o->problem->system->n;
    olo_run run = olo_run_default();
    run.scheme = o->problem->scheme;
    run.end = olo_optimum_duration(o);
    run.step = run.end / o->problem->intervals;
    *x = (maker){.optimum = o, .minus = olo_alloc(2 * n, sizeof(double))};
    if (!x->minus)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the states of an optimum");
    x->plus = x->minus + n;
    return olo_stepper_create(o->problem->system, &run, &x->stepper, error);
}

static void close_maker(maker *x)
{
    olo_stepper_free(x->stepper);
    olo_free(x->minus);
}

/* v_k+1 = 2 (q_k+1 - q_k)/h - v_k up to a node, from the velocities at the start. */
static void reflect_velocities(const olo_optimum *o, int node, double *v)
{
    for (int k = 0; k < node; k++) {
        const double *q0 = olo_optimum_configuration(o, k),
                     *q1 = olo_optimum_configuration(o, k + 1),
                     h = olo_optimum_duration(o) * o->problem->part[k];
        for (int i = 0; i < o->problem->system->n; i++)
            v[i] = 2 * (q1[i] - q0[i]) / h - v[i];
    }
}

static olo_status make_state(maker *x, int node, olo_state *state, olo_error *error)
{
    const olo_optimum *o = x->optimum;
    const olo_system *s = o->problem->system;
    olo_state_copy(o->state, state);
    if (node == 0)
        return OLO_OK;
    olo_state_set_time(state, olo_optimum_clock(o, node));
    /* joint angles are counted from those of the node in the guess, as during the solution */
    memcpy(state->angles, olo_node_angles(o->transcription, node),
           (size_t)s->joint_coordinate_count * sizeof *state->angles);
    olo_state_set_configuration(s, state, olo_optimum_configuration(o, node));
    if (o->problem->energy_momentum) {
        reflect_velocities(o, node, state->v);
        return OLO_OK;
    }
    olo_redundant_momenta(o->transcription, o->x, node - 1, x->minus, x->plus);
    return olo_stepper_set_momenta(x->stepper, state, x->plus, error);
}

olo_status olo_optimum_get_state(const olo_optimum *o, int node, olo_state *state, olo_error *error)
{
    maker x;
    if (node < 0 || node > o->problem->intervals)
        return olo_fail(error, OLO_BAD_INPUT, "the optimum has the nodes 0 to %d, not %d",
                        o->problem->intervals, node);
    olo_status status = open_maker(&x, o, error);
    if (status == OLO_OK)
        status = make_state(&x, node, state, error);
    close_maker(&x);
    return status;
}

olo_status olo_optimum_visit_states(const olo_optimum *o, olo_visit_node *visit, void *context,
                                    olo_error *error)
{
    maker x;
    olo_state *state = NULL;
    olo_status status = open_maker(&x, o, error);
    if (status == OLO_OK)
        status = olo_state_clone(o->state, &state, error);
    for (int k = 0; status == OLO_OK && k <= o->problem->intervals; k++) {
        status = make_state(&x, k, state, error);
        if (status == OLO_OK)
            status = visit(context, k, state, error);
    }
    olo_state_free(state);
    close_maker(&x);
    return status;
}

// -- small steps ----------------------------------------------------------------------------------

/* Raises the distances of nodes between a configuration and that of a state. */
static void compare(const olo_system *s, const double *q, const olo_state *state, double *position,
                    double *rotation)
{
    for (int i = 0; i < s->node_count; i++) {
        const olo_node_type *type = s->nodes[i].type;
        const double *a = q + s->nodes[i].q, *b = state->q + s->nodes[i].q;
        double distance = 0, chord = 0; /* squares */
        for (int j = 0; type->position >= 0 && j < 3; j++)
            distance += pow(a[type->position + j] - b[type->position + j], 2);
        for (int j = 0; type->directors >= 0 && j < 9; j++)
            chord += pow(a[type->directors + j] - b[type->directors + j], 2);
        olo_raise(position, sqrt(distance));
        /* sum_I |d_I - d'_I|^2 = 8 sin^2(angle/2) */
        olo_raise(rotation, 2 * asin(fmin(1.0, sqrt(chord / 8))));
    }
}

static olo_status set_controls(const olo_optimum *o, int interval, olo_stepper *stepper,
                               olo_error *error)
{
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < olo_optimum_input_count(o); i++)
        status = olo_stepper_set_control(stepper, olo_optimum_input_name(o, i),
                                         olo_optimum_input(o, i, interval), error);
    return status;
}

olo_status olo_optimum_resimulate(const olo_optimum *o, int substeps,
                                  olo_resimulation *resimulation, olo_error *error)
{
    const olo_system *s = o->problem->system;
    const int N = o->problem->intervals;
    maker x;
    olo_state *state = NULL;
    *resimulation = (olo_resimulation){.substeps = substeps};
    if (substeps < 1)
        return olo_fail(error, OLO_BAD_INPUT, "there must be at least one step per interval");
    olo_status status = open_maker(&x, o, error);
    if (status == OLO_OK)
        status = olo_state_clone(o->state, &state, error);
    for (int k = 0; status == OLO_OK && k < N; k++) {
        const double h = olo_optimum_duration(o) * o->problem->part[k];
        status = set_controls(o, k, x.stepper, error);
        for (int i = 0; status == OLO_OK && i < substeps; i++)
            status = olo_stepper_step(x.stepper, state, h / substeps, error);
        resimulation->end_position = resimulation->end_rotation = 0;
        if (status == OLO_OK)
            compare(s, olo_optimum_configuration(o, k + 1), state, &resimulation->end_position,
                    &resimulation->end_rotation);
        olo_raise(&resimulation->position, resimulation->end_position);
        olo_raise(&resimulation->rotation, resimulation->end_rotation);
    }
    olo_state_free(state);
    close_maker(&x);
    return status;
}
