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
#include "linalg/vector.h"

static void add(olo_sizes *to, const olo_sizes *x)
{
    to->linear += x->linear;
    to->angular += x->angular;
    to->virial += x->virial;
    to->kinetic += x->kinetic;
    to->normal += x->normal;
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
    for (int i = 0; i < s->n; i += s->coordinates[i].width) {
        const int width = s->coordinates[i].width, slot = s->coordinates[i].slot;
        const double p = olo_vector_size(s, momentum, i);
        const olo_sizes own = {.linear = slot == 0 ? p : 0.0,
                               .angular = width == 3 ? vec3_norm(x->q + i) * p : 0.0,
                               .kinetic = 0.5 * olo_dense_dot(width, momentum + i, x->v + i)};
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

/* The kinetic energy of velocities normal to the constraints. */
static void measure_normal(const olo_system *s, const double *normal, double *momentum,
                           olo_sizes *whole, olo_sizes *part)
{
    olo_system_mass_times(s, normal, momentum);
    for (int i = 0; i < s->n; i += s->coordinates[i].width) {
        const int width = s->coordinates[i].width;
        const olo_sizes own = {.normal = 0.5 * olo_dense_dot(width, momentum + i, normal + i)};
        count_for(s, i, &own, whole, part);
    }
}

void olo_sizes_measure(const olo_system *s, const olo_state *x, const double *normal,
                       double *momentum, olo_sizes *whole, olo_sizes *part)
{
    *whole = (olo_sizes){0};
    for (int p = 0; part && p < s->part_count; p++)
        part[p] = (olo_sizes){0};
    measure_momenta(s, x, momentum, whole, part);
    measure_terms(s, x, whole, part);
    if (normal)
        measure_normal(s, normal, momentum, whole, part);
}
