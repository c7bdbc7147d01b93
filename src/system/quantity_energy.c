/* Energies as measures: kinetic 1/2 v.M v, potential V(q) with strain, and their sum. */
#include "system/quantity_kinds.h"

#include <string.h>

#include "linalg/vector.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static olo_status find(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                       olo_error *error)
{
    (void)owner;
    m->number = -1;
    *found = true;
    m->work = olo_pool_alloc(pool, (size_t)m->system->n, sizeof *m->work);
    return m->work && olo_quantity_take_all(m, pool) ? OLO_OK : olo_quantity_no_memory(error);
}

static void clear(const olo_quantity *m, double *g)
{
    if (g)
        memset(g, 0, (size_t)m->size * sizeof *g);
}

static double kinetic(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    double twice = 0, *Mv = gv ? gv : m->work;
    clear(m, gq);
    olo_system_mass_times(m->system, at->v, Mv);
    for (int i = 0; i < m->size; i++)
        twice += at->v[i] * Mv[i];
    return 0.5 * twice;
}

static void kinetic_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                           const olo_quantity_sink *sink)
{
    (void)at;
    for (int e = 0; e < m->system->mass_count; e++) {
        const olo_mass_entry *entry = &m->system->mass[e];
        for (int c = 0; c < entry->width; c++)
            sink->put(sink->context, OLO_QUANTITY_V, entry->i + c, OLO_QUANTITY_V, entry->j + c,
                      factor * entry->m);
    }
}

static double kinetic_by(const olo_quantity *m, const olo_quantity_at *at, const olo_coefficient *c)
{
    if (c->kind != OLO_COEFFICIENT_MASS)
        return 0;
    const olo_mass_entry *entry = &m->system->mass[c->index];
    return 0.5 * olo_mass_blocks(entry) *
           olo_dense_dot(entry->width, at->v + entry->i, at->v + entry->j);
}

static double potential(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    const olo_system *s = m->system;
    double sum = 0, local[SIZE];
    clear(m, gq);
    clear(m, gv);
    for (int k = 0; k < s->term_count; k++) {
        const olo_term *term = &s->terms[k];
        if (term->law->dissipative)
            continue;
        sum += olo_term_energy(term, at->q, at->angles);
        if (gq)
            olo_term_gradient(term, at->q, at->angles, local);
        for (int i = 0; gq && i < term->size; i++)
            gq[term->index[i]] += local[i];
    }
    return sum;
}

static void potential_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                             const olo_quantity_sink *sink)
{
    const olo_system *s = m->system;
    double hessian[SIZE * SIZE] = {0};
    for (int k = 0; k < s->term_count; k++) {
        const olo_term *term = &s->terms[k];
        if (term->law->dissipative)
            continue;
        if (at)
            olo_term_hessian(term, at->q, at->angles, hessian);
        for (int i = 0; i < term->size; i++)
            for (int j = 0; j <= i; j++)
                sink->put(sink->context, OLO_QUANTITY_Q, term->index[i], OLO_QUANTITY_Q,
                          term->index[j], factor * hessian[i * term->size + j]);
    }
}

static double potential_by(const olo_quantity *m, const olo_quantity_at *at,
                           const olo_coefficient *c)
{
    if (c->kind != OLO_COEFFICIENT_TERM || m->system->terms[c->index].law->dissipative)
        return 0;
    return olo_term_energy_by_coefficient(&m->system->terms[c->index], at->q, at->angles, c->p);
}

static double energy(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    const double V = potential(m, at, gq, NULL);
    return V + kinetic(m, at, NULL, gv);
}

static void energy_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                          const olo_quantity_sink *sink)
{
    kinetic_second(m, at, factor, sink);
    potential_second(m, at, factor, sink);
}

static double energy_by(const olo_quantity *m, const olo_quantity_at *at, const olo_coefficient *c)
{
    return kinetic_by(m, at, c) + potential_by(m, at, c);
}

const olo_quantity_type olo_quantity_kinetic = {.key = "kinetic",
                                                .whole = true,
                                                .uses_v = true,
                                                .find = find,
                                                .value = kinetic,
                                                .second = kinetic_second,
                                                .by = kinetic_by};
const olo_quantity_type olo_quantity_potential = {.key = "potential",
                                                  .whole = true,
                                                  .uses_q = true,
                                                  .find = find,
                                                  .value = potential,
                                                  .second = potential_second,
                                                  .by = potential_by};
const olo_quantity_type olo_quantity_energy = {.key = "energy",
                                               .whole = true,
                                               .uses_q = true,
                                               .uses_v = true,
                                               .find = find,
                                               .value = energy,
                                               .second = energy_second,
                                               .by = energy_by};
