/* Sizes of momenta and energies of the system and its connected parts. Rounding changes a
 * coordinate by a unit in its last place, epsilon |q_i|, and the energy of a term by epsilon sum
 * |dV/dq_i| |q_i|: the virial of the term's own forces, before forces of different terms cancel.
 * Where q_i itself vanishes it is rounded in proportion to lengths and lever arms of the model,
 * which are added. A stiff beam without load, or a body at rest at height zero, has no other energy
 * to compare with. */
#include "results/sizes.h"

#include <math.h>

#include "base/extreme.h"
#include "linalg/vec3.h"
#include "system/condition.h"

static void add(olo_sizes *to, const olo_sizes *x)
{
    to->linear += x->linear;
    to->angular += x->angular;
    to->virial += x->virial;
    to->kinetic += x->kinetic;
    olo_raise(&to->normal, x->normal);
    olo_raise(&to->speed, x->speed);
}

/* The magnitude to which the rounding of coordinate i is proportional. */
static double coordinate_size(const olo_system *s, const double *q, int i)
{
    return fabs(q[i]) + (s->coordinates[i].slot == 0 ? s->lever_scale : 1.0);
}

static double virial_of(const olo_system *s, const olo_state *x, const olo_term *term)
{
    double gradient[OLO_FORM_SIZE_MAX], sum = 0.0;
    if (term->law->dissipative)
        return 0.0;
    olo_term_gradient(term, x->q, x->angles, gradient);
    for (int k = 0; k < term->size; k++)
        sum += fabs(gradient[k]) * coordinate_size(s, x->q, term->index[k]);
    return sum;
}

/* Velocities that all nodes of a row have in common, as in free fall, do not affect the row. But
 * their rounding errors must not appear large compared with zero. */
static const double share_of_common = 1e-6;

/* The rate that a row could have: the sum of |gradient| |velocity| over its 3-vectors, positions
 * relative to its first node unless it is the only one. */
static double row_speed(const olo_system *s, const olo_constraint *row, const double *gradient,
                        const double *v)
{
    const int first = s->coordinates[row->index[0]].node;
    const double *reference = olo_row_reference(s, row, v);
    double all = 0.0, relative = 0.0;
    bool single = true;
    for (int i = 0; i < row->size;) {
        const olo_coordinate *c = &s->coordinates[row->index[i]];
        const double *own = v + row->index[i] - c->axis;
        const double shift[3] = {own[0] - reference[0], own[1] - reference[1],
                                 own[2] - reference[2]};
        const int end = row->index[i] - c->axis + 3;
        double steepness = 0.0;
        for (; i < row->size && row->index[i] < end; i++)
            steepness += gradient[i] * gradient[i];
        single = single && c->node == first;
        all += sqrt(steepness) * vec3_norm(own);
        relative += sqrt(steepness) * vec3_norm(c->slot == 0 ? shift : own);
    }
    return single ? all : fmax(relative, share_of_common * all);
}

/* Adds a size to the whole system, and to the part to which its coordinate belongs. */
static void count_for(const olo_system *s, int coordinate, const olo_sizes *own, olo_sizes *whole,
                      olo_sizes *part)
{
    add(whole, own);
    if (part)
        add(&part[olo_system_part(s, coordinate)], own);
}

static void measure_momenta(const olo_system *s, const olo_state *x, double *momentum,
                            olo_sizes *whole, olo_sizes *part)
{
    olo_system_mass_times(s, x->v, momentum);
    for (int i = 0; i < s->n; i += 3) {
        const double p = vec3_norm(momentum + i);
        const olo_sizes own = {.linear = s->coordinates[i].slot == 0 ? p : 0.0,
                               .angular = vec3_norm(x->q + i) * p,
                               .kinetic = 0.5 * vec3_dot(momentum + i, x->v + i)};
        count_for(s, i, &own, whole, part);
    }
}

static void measure_terms(const olo_system *s, const olo_state *x, olo_sizes *whole,
                          olo_sizes *part)
{
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        const olo_sizes own = {.virial = virial_of(s, x, term)};
        if (term->size > 0)
            count_for(s, term->index[0], &own, whole, part);
    }
}

static void measure_rows(const olo_system *s, const olo_state *x, olo_sizes *whole, olo_sizes *part)
{
    const olo_at at = {.q = x->q, .angles = x->angles, .t = x->t};
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        double gradient[OLO_FORM_SIZE_MAX];
        olo_constraint_gradient(row, &at, gradient);
        const double rate = fabs(olo_rate_value(row, &at, gradient, x->v));
        const olo_sizes own = {.normal = rate / s->row_scale[c],
                               .speed = row_speed(s, row, gradient, x->v) / s->row_scale[c]};
        count_for(s, row->index[0], &own, whole, part);
    }
}

void olo_sizes_measure(const olo_system *s, const olo_state *x, double *momentum, olo_sizes *whole,
                       olo_sizes *part)
{
    *whole = (olo_sizes){0};
    for (int p = 0; part && p < s->part_count; p++)
        part[p] = (olo_sizes){0};
    measure_momenta(s, x, momentum, whole, part);
    measure_terms(s, x, whole, part);
    measure_rows(s, x, whole, part);
}
