/* The arrays of a step, and its constant forces. */
#include "stepping/step.h"

#include <string.h>

#include "base/fail.h"

/* Sizes of the local workspace: that of the largest piece, twice for two gradients. */
static void measure_pieces(const olo_system *s, size_t *vector, size_t *matrix)
{
    size_t largest = 12;
    for (int i = 0; i < olo_pieces(s); i++)
        if ((size_t)olo_piece_size(s, i) > largest)
            largest = (size_t)olo_piece_size(s, i);
    *vector = 2 * largest;
    *matrix = largest * largest;
}

/* Lists the terms whose forces are not constant: those that are evaluated one by one, and those
 * with invariants or squares in packs. False: no memory. */
static bool list_active_terms(const olo_system *s, olo_step *step)
{
    const size_t terms = (size_t)s->term_count;
    step->active = olo_pool_alloc(&step->pool, terms, sizeof *step->active);
    step->squares = olo_pool_alloc(&step->pool, terms, sizeof *step->squares);
    if (step->pool.failed)
        return false;
    olo_vector_square square;
    int packed = 0;
    for (int i = 0; i < s->term_count; i++)
        if (olo_piece_has_tangent(s, i) && !s->terms[i].invariants &&
            !olo_vector_square_of(s, &s->terms[i], &square))
            step->active[step->active_count++] = i;
    step->single_count = step->active_count;
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].invariants ||
            (olo_piece_has_tangent(s, i) &&
             olo_vector_square_of(s, &s->terms[i], &step->squares[packed]))) {
            step->active[step->active_count++] = i;
            packed++;
        }
    step->packs = olo_pool_alloc(&step->pool, (size_t)packed, sizeof *step->packs);
    if (step->packs)
        step->pack_count = olo_term_packs(s, packed, step->active + step->single_count,
                                          step->squares, step->packs);
    return step->packs != NULL;
}

/* Sums the gradients of terms that are linear in q: constant forces such as gravity. */
static void gather_constant_forces(olo_step *step)
{
    const olo_system *s = step->system;
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        if (olo_piece_has_tangent(s, i))
            continue;
        for (int k = 0; k < term->size; k++)
            step->constant[term->index[k]] += term->coefficient[0] * term->form[0].b[k];
        step->constant_energy += term->coefficient[0] * term->form[0].c;
    }
}

olo_status olo_step_create(const olo_system *s, olo_step *step, olo_error *error)
{
    size_t n = (size_t)s->n, m = (size_t)s->m, vector, matrix, twists = (size_t)s->twists;
    size_t constants = (size_t)s->node_count * OLO_JOINT_CONSTANTS;
    step->composition = olo_composition_find(2, false);
    measure_pieces(s, &vector, &matrix);
    const olo_array arrays[] = {{&step->x.dq, n},
                                {&step->x.qm, n},
                                {&step->x.q1, n},
                                {&step->T, n},
                                {&step->Mv0, n},
                                {&step->constant, n},
                                {&step->q0, n},
                                {&step->v0, n},
                                {&step->q_end, n},
                                {&step->remainder_end, n},
                                {&step->v1, n},
                                {&step->momentum, n},
                                {&step->x.motion, twists},
                                {&step->x.u, twists},
                                {&step->lambda_end, m},
                                {&step->gamma, m},
                                {&step->r, vector},
                                {&step->K, matrix},
                                {&step->exchange, (size_t)olo_piece_of_constraint(s, 0)},
                                {&step->x.constants, constants}};
    if (!olo_pool_arrays(&step->pool, arrays, sizeof arrays / sizeof *arrays) ||
        !list_active_terms(s, step) || !olo_frame_packs_create(s, false, &step->frames))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a step");
    step->system = s;
    step->weight = 1;
    gather_constant_forces(step);
    return OLO_OK;
}

void olo_motion_of_velocity(const olo_system *s, const double *q, const double *v, double h,
                            double *motion)
{
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        node->type->twist_of(q + node->q, v + node->q, motion + node->motion);
    }
    for (int i = 0; i < s->twists; i++)
        motion[i] *= h;
}

/* Adds increments to numbers with remainders, which collect rounding errors (two-sum). */
static void accumulate(int count, const double *restrict increment, double *restrict value,
                       double *restrict remainder)
{
    for (int i = 0; i < count; i++) {
        double sum = value[i] + increment[i], shift = sum - value[i];
        double left = remainder[i] + ((value[i] - (sum - shift)) + (increment[i] - shift));
        /* move the remainder into the value where it is large enough */
        value[i] = sum + left;
        remainder[i] = left - (value[i] - sum);
    }
}

void olo_step_accumulate(const olo_step *step)
{
    const size_t size = (size_t)step->system->n * sizeof *step->q_end;
    if (step->q_end != step->state->q) {
        memcpy(step->q_end, step->state->q, size);
        memcpy(step->remainder_end, step->state->q_remainder, size);
    }
    accumulate(step->system->n, step->x.dq, step->q_end, step->remainder_end);
}

void olo_step_free(olo_step *step)
{
    olo_frame_packs_free(&step->frames);
    olo_pool_free(&step->pool);
}
