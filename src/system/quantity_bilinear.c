/* Bilinear measures: sums of c n.(q_i x v_j) over 3-vectors.
 *
 *     angular momentum    n.sum q_i x (M v)_i over a body, or over all
 *     angular velocity    n.1/2 sum_I d_I x d_I'
 *
 * With n.(q x v) = q.(v x n) = v.(n x q) the derivatives are c v_j x n and c n x q_i; the mixed
 * second derivative of components a and b is c sum_k n_k epsilon_kab. */
#include "system/quantity_kinds.h"

#include <string.h>

#include "linalg/vec3.h"

static double value(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    double sum = 0;
    if (gq)
        memset(gq, 0, (size_t)m->size * sizeof *gq);
    if (gv)
        memset(gv, 0, (size_t)m->size * sizeof *gv);
    for (int k = 0; k < m->turn_count; k++) {
        const olo_quantity_turn *t = &m->turns[k];
        const double *q = at->q + m->index[t->i], *v = at->v + m->index[t->j];
        double across[3];
        vec3_cross(v, m->direction, across);
        sum += t->c * vec3_dot(q, across);
        if (gq)
            vec3_add(t->c, across, gq + t->i);
        vec3_cross(m->direction, q, across);
        if (gv)
            vec3_add(t->c, across, gv + t->j);
    }
    return sum;
}

static void second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                   const olo_quantity_sink *sink)
{
    (void)at;
    for (int k = 0; k < m->turn_count; k++) {
        const olo_quantity_turn *t = &m->turns[k];
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3, c = (a + 2) % 3;
            sink->put(sink->context, OLO_QUANTITY_Q, t->i + a, OLO_QUANTITY_V, t->j + b,
                      factor * t->c * m->direction[c]);
            sink->put(sink->context, OLO_QUANTITY_Q, t->i + a, OLO_QUANTITY_V, t->j + c,
                      -factor * t->c * m->direction[b]);
        }
    }
}

/* --- angular momentum --- */

static bool counts(const olo_quantity *m, int i)
{
    const olo_coordinate *at = &m->system->coordinates[i];
    return at->slot >= 0 && (m->number < 0 || at->node == m->number); /* no scalars */
}

/* q_i x m v_j of every mass entry, and q_j x m v_i; the numbers are those of coordinates. */
static olo_status turn_masses(olo_quantity *m, olo_pool *pool, olo_error *error)
{
    const olo_system *s = m->system;
    m->turns = olo_pool_alloc(pool, 2 * (size_t)s->mass_count, sizeof *m->turns);
    if (!m->turns)
        return olo_quantity_no_memory(error);
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
        for (int p = 0; p < (entry->i == entry->j ? 1 : 2); p++)
            if (counts(m, pairs[p][0]))
                m->turns[m->turn_count++] =
                    (olo_quantity_turn){pairs[p][0], pairs[p][1], e, entry->m};
    }
    return OLO_OK;
}

/* Gives numbers to the 3-vectors that occur. */
static olo_status number_vectors(olo_quantity *m, olo_pool *pool, olo_error *error)
{
    int *number = olo_pool_alloc(pool, (size_t)m->system->n, sizeof *number), *index, count = 0;
    if (!number)
        return olo_quantity_no_memory(error);
    for (int k = 0; k < m->turn_count; k++)
        number[m->turns[k].i] = number[m->turns[k].j] = 1;
    for (int i = 0; i < m->system->n; i++)
        count += number[i];
    if (!olo_quantity_allocate(m, 3 * count, pool, &index, false))
        return olo_quantity_no_memory(error);
    for (int i = 0, next = 0; i < m->system->n; i++)
        if (number[i]) {
            number[i] = next;
            for (int c = 0; c < 3; c++)
                index[next++] = i + c;
        }
    for (int k = 0; k < m->turn_count; k++) {
        m->turns[k].i = number[m->turns[k].i];
        m->turns[k].j = number[m->turns[k].j];
    }
    return OLO_OK;
}

static olo_status find_momentum(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                                olo_error *error)
{
    m->number = m->type->whole ? -1 : olo_system_find_node(m->system, owner);
    *found = m->type->whole || m->number >= 0;
    if (!*found)
        return OLO_OK;
    const olo_status status = turn_masses(m, pool, error);
    return status == OLO_OK ? number_vectors(m, pool, error) : status;
}

static double momentum_by(const olo_quantity *m, const olo_quantity_at *at,
                          const olo_coefficient *c)
{
    double sum = 0, across[3];
    for (int k = 0; c->kind == OLO_COEFFICIENT_MASS && k < m->turn_count; k++)
        if (m->turns[k].entry == c->index) {
            vec3_cross(at->q + m->index[m->turns[k].i], at->v + m->index[m->turns[k].j], across);
            sum += vec3_dot(m->direction, across);
        }
    return sum;
}

const olo_quantity_type olo_quantity_angular_momentum = {.key = ".angular_momentum",
                                                         .directed = true,
                                                         .uses_q = true,
                                                         .uses_v = true,
                                                         .find = find_momentum,
                                                         .value = value,
                                                         .second = second,
                                                         .by = momentum_by};
const olo_quantity_type olo_quantity_total_angular_momentum = {.key = "angular_momentum",
                                                               .whole = true,
                                                               .directed = true,
                                                               .uses_q = true,
                                                               .uses_v = true,
                                                               .find = find_momentum,
                                                               .value = value,
                                                               .second = second,
                                                               .by = momentum_by};

/* --- angular velocity --- */

static olo_status find_directors(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                                 olo_error *error)
{
    const olo_system *s = m->system;
    m->number = olo_system_find_node(s, owner);
    *found = m->number >= 0 && s->nodes[m->number].type->directors >= 0;
    if (!*found)
        return OLO_OK;
    m->turns = olo_pool_alloc(pool, 3, sizeof *m->turns);
    if (!m->turns)
        return olo_quantity_no_memory(error);
    for (int I = 0; I < 3; I++) {
        const int d = s->nodes[m->number].q + s->nodes[m->number].type->directors + 3 * I;
        m->turns[m->turn_count++] = (olo_quantity_turn){d, d, -1, 0.5};
    }
    return number_vectors(m, pool, error);
}

const olo_quantity_type olo_quantity_angular_velocity = {.key = ".angular_velocity",
                                                         .directed = true,
                                                         .uses_q = true,
                                                         .uses_v = true,
                                                         .find = find_directors,
                                                         .value = value,
                                                         .second = second};
