/* Linear measures: c + sum w_i q_i or sum w_i v_i.
 *
 *     position, velocity    n.(x0 + sum_k w_k q_k), n.sum_k w_k v_k
 *     momentum              n.sum (M v)_i over the positions i of a body, or of all
 *     orientation           t_j.d_i - t_i.d_j, see olo_quantity_orientation */
#include "system/quantity_kinds.h"

#include <string.h>

#include "linalg/vec3.h"

static double sum(const olo_quantity *m, const double *x, double *g)
{
    double value = 0;
    for (int i = 0; i < m->size; i++)
        value += m->weight[i] * x[m->index[i]];
    if (g)
        memcpy(g, m->weight, (size_t)m->size * sizeof *g);
    return value;
}

static double sum_of_q(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    if (gv)
        memset(gv, 0, (size_t)m->size * sizeof *gv);
    return m->constant + sum(m, at->q, gq);
}

static double sum_of_v(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    if (gq)
        memset(gq, 0, (size_t)m->size * sizeof *gq);
    return sum(m, at->v, gv);
}

// -- points ---------------------------------------------------------------------------------------

bool olo_quantity_find_point(const olo_system *s, const char *name, olo_position *position,
                             int *output)
{
    for (*output = 0; *output < s->output_count; ++*output)
        if (strcmp(s->outputs[*output].name, name) == 0) {
            *position = s->outputs[*output].position;
            return true;
        }
    const int node = olo_system_find_node(s, name);
    *output = -1;
    if (node < 0 || s->coordinates[s->nodes[node].q].slot != 0)
        return false;
    *position = olo_position_slot(s->nodes[node].q);
    return true;
}

static olo_status find_point(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                             olo_error *error)
{
    olo_position x;
    int *index;
    *found = olo_quantity_find_point(m->system, owner, &x, &m->number);
    if (!*found)
        return OLO_OK;
    if (!olo_quantity_allocate(m, 3 * x.count, pool, &index, true))
        return olo_quantity_no_memory(error);
    for (int k = 0; k < m->size; k++) {
        index[k] = x.slot[k / 3] + k % 3;
        m->weight[k] = x.weight[k / 3] * m->direction[k % 3];
    }
    m->constant = vec3_dot(x.x0, m->direction);
    return OLO_OK;
}

/* The coefficients of an output are its origin, then the weights of its position. */
static double point_by(const olo_quantity *m, const double *x, const olo_coefficient *c)
{
    const olo_position *position = &m->system->outputs[m->number].position;
    return vec3_dot(m->direction, x + position->slot[c->p - 3]);
}

static bool is_own_output(const olo_quantity *m, const olo_coefficient *c)
{
    return m->number >= 0 && c->kind == OLO_COEFFICIENT_OUTPUT && c->index == m->number;
}

static double position_by(const olo_quantity *m, const olo_quantity_at *at,
                          const olo_coefficient *c)
{
    if (!is_own_output(m, c))
        return 0;
    return c->p < 3 ? m->direction[c->p] : point_by(m, at->q, c);
}

static double velocity_by(const olo_quantity *m, const olo_quantity_at *at,
                          const olo_coefficient *c)
{
    return !is_own_output(m, c) || c->p < 3 ? 0 : point_by(m, at->v, c);
}

const olo_quantity_type olo_quantity_position = {.key = ".position",
                                                 .directed = true,
                                                 .uses_q = true,
                                                 .find = find_point,
                                                 .value = sum_of_q,
                                                 .by = position_by};
const olo_quantity_type olo_quantity_velocity = {.key = ".velocity",
                                                 .directed = true,
                                                 .uses_v = true,
                                                 .find = find_point,
                                                 .value = sum_of_v,
                                                 .by = velocity_by};

// -- momenta --------------------------------------------------------------------------------------

/* Whether the 3-vector at coordinate i is a position that belongs to the measure. */
static bool counts(const olo_quantity *m, int i)
{
    const olo_coordinate *at = &m->system->coordinates[i];
    return at->slot == 0 && (m->number < 0 || at->node == m->number);
}

static olo_status sum_masses(olo_quantity *m, olo_pool *pool, olo_error *error)
{
    const olo_system *s = m->system;
    int *index, count = 0;
    for (int e = 0; e < s->mass_count; e++)
        count +=
            counts(m, s->mass[e].i) + (s->mass[e].i != s->mass[e].j && counts(m, s->mass[e].j));
    if (!olo_quantity_allocate(m, 3 * count, pool, &index, true))
        return olo_quantity_no_memory(error);
    int k = 0;
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
        for (int p = 0; p < (entry->i == entry->j ? 1 : 2); p++)
            for (int c = 0; counts(m, pairs[p][0]) && c < 3; c++, k++) {
                index[k] = pairs[p][1] + c;
                m->weight[k] = entry->m * m->direction[c];
            }
    }
    return OLO_OK;
}

static olo_status find_body(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                            olo_error *error)
{
    m->number = olo_system_find_node(m->system, owner);
    *found = m->number >= 0 && m->system->coordinates[m->system->nodes[m->number].q].slot == 0;
    return *found ? sum_masses(m, pool, error) : OLO_OK;
}

static olo_status find_all(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                           olo_error *error)
{
    (void)owner;
    m->number = -1;
    *found = true;
    return sum_masses(m, pool, error);
}

static double momentum_by(const olo_quantity *m, const olo_quantity_at *at,
                          const olo_coefficient *c)
{
    if (c->kind != OLO_COEFFICIENT_MASS)
        return 0;
    const olo_mass_entry *entry = &m->system->mass[c->index];
    double value = 0;
    if (counts(m, entry->i))
        value += vec3_dot(m->direction, at->v + entry->j);
    if (entry->i != entry->j && counts(m, entry->j))
        value += vec3_dot(m->direction, at->v + entry->i);
    return value;
}

const olo_quantity_type olo_quantity_momentum = {.key = ".momentum",
                                                 .directed = true,
                                                 .uses_v = true,
                                                 .find = find_body,
                                                 .value = sum_of_v,
                                                 .by = momentum_by};
const olo_quantity_type olo_quantity_total_momentum = {.key = "momentum",
                                                       .whole = true,
                                                       .directed = true,
                                                       .uses_v = true,
                                                       .find = find_all,
                                                       .value = sum_of_v,
                                                       .by = momentum_by};

// -- orientation ----------------------------------------------------------------------------------

const olo_quantity_type olo_quantity_aligned = {
    .key = "orientation", .uses_q = true, .value = sum_of_q};

const double *olo_quantity_directors(const olo_quantity *m, const double *q)
{
    const olo_node *node = &m->system->nodes[m->number];
    return q + node->q + node->type->directors;
}

/* With columns d_I of R and t_I of R_t, component k of 1/2 vee(R_t^T R - R^T R_t) is
 * 1/2 (t_j.d_i - t_i.d_j), (i, j, k) cyclic. */
void olo_quantity_set_orientation(olo_quantity *m, const double target[9], int k)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int c = 0; c < 3; c++) {
        m->weight[c] = 0.5 * target[3 * c + j];
        m->weight[3 + c] = -0.5 * target[3 * c + i];
    }
}

olo_status olo_quantity_orientation(const olo_system *s, const char *body, const double target[9],
                                    int k, olo_pool *pool, olo_quantity *m, olo_error *error)
{
    const int node = olo_system_find_node(s, body), i = (k + 1) % 3, j = (k + 2) % 3;
    int *index;
    *m = (olo_quantity){.type = &olo_quantity_aligned, .system = s, .number = node, .uses_q = true};
    if (node < 0 || s->nodes[node].type->directors < 0)
        return olo_fail(error, OLO_NOT_FOUND, "there is no body '%s'", body);
    m->name = s->nodes[node].name;
    if (!olo_quantity_allocate(m, OLO_ORIENTATION_SIZE, pool, &index, true))
        return olo_quantity_no_memory(error);
    const int first = s->nodes[node].q + s->nodes[node].type->directors;
    for (int c = 0; c < 3; c++) {
        index[c] = first + 3 * i + c;
        index[3 + c] = first + 3 * j + c;
    }
    olo_quantity_set_orientation(m, target, k);
    return OLO_OK;
}
