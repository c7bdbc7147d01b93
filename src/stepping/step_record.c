/* The record of a solved step; see the header. */
#include "stepping/step_record.h"

#include "stepping/momenta.h"

#include <math.h>
#include <string.h>

/* Sizes of arrays that only some systems and schemes have. */
typedef struct extent {
    int momenta, remainders, closures;
} extent;

static extent extent_of(const olo_stepper *stepper)
{
    const olo_system *s = stepper->system;
    extent x = {.closures = s->topology->closure_count};
    if (stepper->scheme->momentum)
        x.momenta = s->n;
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].invariants)
            x.remainders = s->n;
    return x;
}

size_t olo_step_record_size(const olo_stepper *stepper)
{
    const olo_system *s = stepper->system;
    const extent x = extent_of(stepper);
    return (size_t)(2 * s->n + x.momenta + x.remainders + s->twists + s->joint_coordinate_count +
                    2 * x.closures + s->action_count);
}

olo_step_record olo_step_record_over(const olo_stepper *stepper, double *block)
{
    const olo_system *s = stepper->system;
    const extent has = extent_of(stepper);
    olo_step_record x = {.q0 = block};
    x.v0 = x.q0 + s->n;
    x.p0 = x.v0 + s->n;
    x.remainder = x.p0 + has.momenta;
    x.motion = x.remainder + has.remainders;
    x.angles = x.motion + s->twists;
    x.lambda = x.angles + s->joint_coordinate_count;
    x.closing = x.lambda + has.closures;
    x.inputs = x.closing + has.closures;
    if (!has.remainders)
        x.remainder = NULL;
    return x;
}

static void copy(int count, const double *from, double *to)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

void olo_step_record_take(olo_step_record *x, const olo_stepper *stepper)
{
    const olo_step *step = &stepper->step;
    const olo_system *s = stepper->system;
    const olo_topology *topology = s->topology;
    x->t = step->t;
    x->h = step->h;
    x->from_momentum = step->from_momentum;
    copy(s->n, step->q0, x->q0);
    copy(s->n, step->v0, x->v0);
    if (x->from_momentum)
        copy(s->n, step->Mv0, x->p0);
    if (x->remainder)
        copy(s->n, step->state->q_remainder, x->remainder);
    copy(s->twists, step->x.motion, x->motion);
    copy(s->joint_coordinate_count, step->state->angles, x->angles);
    olo_reduced_multipliers(stepper->data, x->lambda);
    for (int i = 0; i < topology->closure_count; i++)
        x->closing[i] = step->lambda_end[topology->closures[i]];
    for (int i = 0; i < s->action_count; i++)
        x->inputs[i] = step->inputs ? step->inputs[i] : NAN;
}

void olo_step_record_join(olo_step_record *x, const olo_step_record *next)
{
    x->q1 = next->q0;
    x->v1 = next->v0;
    x->p1 = next->from_momentum ? next->p0 : NULL;
}

void olo_step_record_end(olo_step_record *x, const olo_state *state)
{
    olo_momentum_segment *memory = olo_momentum_of(state);
    x->q1 = state->q;
    x->v1 = state->v;
    x->p1 = memory->given ? memory->momentum : NULL;
}
