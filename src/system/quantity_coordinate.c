/* Measures of joint coordinates and distances:
 *
 *     coordinate    x(q)
 *     rate          grad x(q).v
 *     distance      |r|, r = x_a(q) - x_b(q) affine in q; the gradient is along n = r/|r|, the
 *                   Hessian has the blocks w_k w_l (I - n n^T)/|r| */
#include "system/quantity_kinds.h"

#include <string.h>

#include "linalg/vec3.h"

static const olo_term *term_of(const olo_quantity *m)
{
    return m->system->joint_coordinates[m->number].term;
}

static void clear(const olo_quantity *m, double *g)
{
    if (g)
        memset(g, 0, (size_t)m->size * sizeof *g);
}

/* The lower triangle of a matrix over the coordinates. */
static void put_lower(const olo_quantity *m, double factor, const double *matrix,
                      const olo_quantity_sink *sink)
{
    for (int i = 0; i < m->size; i++)
        for (int j = 0; j <= i; j++)
            sink->put(sink->context, OLO_QUANTITY_Q, i, OLO_QUANTITY_Q, j,
                      factor * matrix[i * m->size + j]);
}

static olo_status find_coordinate(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                                  olo_error *error)
{
    m->number = olo_system_find_joint_coordinate(m->system, owner);
    *found = m->number >= 0;
    if (!*found)
        return OLO_OK;
    m->size = term_of(m)->size;
    m->index = term_of(m)->index;
    m->work = olo_pool_alloc(pool, (size_t)(m->size * (m->size + 2)), sizeof *m->work);
    return m->work ? OLO_OK : olo_quantity_no_memory(error);
}

static double coordinate(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    clear(m, gv);
    if (gq)
        olo_term_gradient(term_of(m), at->q, at->angles, gq);
    return olo_term_energy(term_of(m), at->q, at->angles);
}

static void coordinate_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                              const olo_quantity_sink *sink)
{
    memset(m->work, 0, (size_t)(m->size * m->size) * sizeof *m->work);
    if (at)
        olo_term_hessian(term_of(m), at->q, at->angles, m->work);
    put_lower(m, factor, m->work, sink);
}

static bool is_own(const olo_quantity *m, const olo_coefficient *c)
{
    return c->kind == OLO_COEFFICIENT_COORDINATE && c->index == m->number;
}

static double coordinate_by(const olo_quantity *m, const olo_quantity_at *at,
                            const olo_coefficient *c)
{
    return is_own(m, c) ? olo_term_energy_by_coefficient(term_of(m), at->q, at->angles, c->p) : 0.0;
}

static double rate(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    double *gradient = m->work, *hessian = m->work + m->size, sum = 0;
    clear(m, gq);
    olo_term_gradient(term_of(m), at->q, at->angles, gradient);
    if (gq)
        olo_term_hessian(term_of(m), at->q, at->angles, hessian);
    for (int i = 0; i < m->size; i++) {
        const double v = at->v[m->index[i]];
        sum += gradient[i] * v;
        for (int j = 0; gq && j < m->size; j++)
            gq[j] += v * hessian[i * m->size + j];
    }
    if (gv)
        memcpy(gv, gradient, (size_t)m->size * sizeof *gv);
    return sum;
}

static void rate_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                        const olo_quantity_sink *sink)
{
    double *matrix = m->work, *v = m->work + m->size * m->size;
    memset(matrix, 0, (size_t)(m->size * m->size) * sizeof *matrix);
    for (int i = 0; at && i < m->size; i++)
        v[i] = at->v[m->index[i]];
    if (at)
        olo_term_third(term_of(m), at->q, at->angles, v, matrix);
    put_lower(m, factor, matrix, sink);
    if (at)
        olo_term_hessian(term_of(m), at->q, at->angles, matrix);
    for (int i = 0; i < m->size * m->size; i++)
        sink->put(sink->context, OLO_QUANTITY_Q, i / m->size, OLO_QUANTITY_V, i % m->size,
                  factor * matrix[i]);
}

static double rate_by(const olo_quantity *m, const olo_quantity_at *at, const olo_coefficient *c)
{
    double sum = 0;
    if (!is_own(m, c))
        return 0;
    olo_term_gradient_by_coefficient(term_of(m), at->q, at->angles, c->p, m->work);
    for (int i = 0; i < m->size; i++)
        sum += m->work[i] * at->v[m->index[i]];
    return sum;
}

const olo_quantity_type olo_quantity_coordinate = {.key = "",
                                                   .coordinate = true,
                                                   .uses_q = true,
                                                   .find = find_coordinate,
                                                   .value = coordinate,
                                                   .second = coordinate_second,
                                                   .by = coordinate_by};
const olo_quantity_type olo_quantity_rate = {.key = ".rate",
                                             .uses_q = true,
                                             .uses_v = true,
                                             .find = find_coordinate,
                                             .value = rate,
                                             .second = rate_second,
                                             .by = rate_by};

// -- distance -------------------------------------------------------------------------------------

/* The name between two characters of a text, without spaces around it. */
static bool take_name(const char *from, const char *to, char *name, size_t size)
{
    while (from < to && *from == ' ')
        from++;
    while (from < to && to[-1] == ' ')
        to--;
    const size_t length = (size_t)(to - from);
    if (length == 0 || length >= size)
        return false;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

/* `owner` is "distance(X, Y)". */
static olo_status find_distance(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                                olo_error *error)
{
    static const char start[] = "distance(";
    const size_t length = strlen(owner), head = sizeof start - 1;
    const char *comma = strchr(owner, ',');
    char name[256];
    olo_position x[2];
    int *index;
    *found = false;
    if (length <= head || strncmp(owner, start, head) != 0 || owner[length - 1] != ')' || !comma)
        return OLO_OK;
    if (!take_name(owner + head, comma, name, sizeof name) ||
        !olo_quantity_find_point(m->system, name, &x[0], &m->number) ||
        !take_name(comma + 1, owner + length - 1, name, sizeof name) ||
        !olo_quantity_find_point(m->system, name, &x[1], &m->other))
        return OLO_OK;
    *found = true;
    if (!olo_quantity_allocate(m, 3 * (x[0].count + x[1].count), pool, &index, true))
        return olo_quantity_no_memory(error);
    for (int k = 0; k < m->size; k++) {
        const int first = 3 * x[0].count, point = k >= first, local = k - (point ? first : 0);
        index[k] = x[point].slot[local / 3] + k % 3;
        m->weight[k] = (point ? -1 : 1) * x[point].weight[local / 3];
    }
    m->work = olo_pool_alloc(pool, 3, sizeof *m->work);
    if (!m->work)
        return olo_quantity_no_memory(error);
    for (int i = 0; i < 3; i++)
        m->work[i] = x[0].x0[i] - x[1].x0[i];
    return OLO_OK;
}

/* The unit vector from the second to the first point, and their distance. */
static double unit(const olo_quantity *m, const double *q, double n[3])
{
    memcpy(n, m->work, 3 * sizeof *n);
    for (int k = 0; k < m->size; k++)
        n[k % 3] += m->weight[k] * q[m->index[k]];
    const double length = vec3_norm(n);
    for (int i = 0; i < 3; i++)
        n[i] /= length;
    return length;
}

static double distance(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    double n[3];
    const double length = unit(m, at->q, n);
    clear(m, gv);
    for (int k = 0; gq && k < m->size; k++)
        gq[k] = m->weight[k] * n[k % 3];
    return length;
}

static void distance_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                            const olo_quantity_sink *sink)
{
    double n[3] = {0};
    const double length = at ? unit(m, at->q, n) : 1;
    for (int k = 0; k < m->size; k++)
        for (int l = 0; l <= k; l++)
            sink->put(sink->context, OLO_QUANTITY_Q, k, OLO_QUANTITY_Q, l,
                      factor * m->weight[k] * m->weight[l] *
                          ((k % 3 == l % 3) - n[k % 3] * n[l % 3]) / length);
}

/* The origin of an output, then its weights; a difference has the opposite sign for the second. */
static double distance_by(const olo_quantity *m, const olo_quantity_at *at,
                          const olo_coefficient *c)
{
    double n[3], sum = 0;
    if (c->kind != OLO_COEFFICIENT_OUTPUT || (c->index != m->number && c->index != m->other))
        return 0;
    const olo_position *x = &m->system->outputs[c->index].position;
    (void)unit(m, at->q, n);
    const double change = c->p < 3 ? n[c->p] : vec3_dot(n, at->q + x->slot[c->p - 3]);
    if (c->index == m->number)
        sum += change;
    if (c->index == m->other)
        sum -= change;
    return sum;
}

const olo_quantity_type olo_quantity_distance = {.key = "",
                                                 .uses_q = true,
                                                 .find = find_distance,
                                                 .value = distance,
                                                 .second = distance_second,
                                                 .by = distance_by};
