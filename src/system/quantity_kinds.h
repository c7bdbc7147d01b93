/* Kinds of measures: constant tables. A new kind is a table in a file and a line of `types` in
 * quantity.c. */
#ifndef OLO_SYSTEM_QUANTITY_KINDS_H
#define OLO_SYSTEM_QUANTITY_KINDS_H

#include "base/fail.h"
#include "system/quantity.h"

/* c n.(q_i x v_j) with 3-vectors that begin at the numbers i and j; from mass entry `entry`, or
 * -1 */
typedef struct olo_quantity_turn {
    int i, j, entry;
    double c;
} olo_quantity_turn;

struct olo_quantity_type {
    const char *key; /* of a measure of the whole system, or the ending after its owner */
    bool whole;
    bool coordinate;     /* it is a joint coordinate */
    bool directed;       /* it has components */
    bool uses_q, uses_v; /* its arguments */
    /* Finds the owner, and fills number, size, index and the data of the kind. Sets *found. */
    olo_status (*find)(olo_quantity *m, const char *owner, olo_pool *pool, bool *found,
                       olo_error *error);
    double (*value)(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv);
    /* NULL: the measure is linear */
    void (*second)(const olo_quantity *m, const olo_quantity_at *at, double factor,
                   const olo_quantity_sink *sink);
    /* NULL: it depends on no coefficient */
    double (*by)(const olo_quantity *m, const olo_quantity_at *at, const olo_coefficient *c);
};

/* --- quantity.c --- */

/* A measure that is no expression, and the failure with the measures that exist. */
olo_status olo_quantity_find_name(const olo_system *system, const char *name,
                                  const double direction[3], olo_pool *pool, olo_quantity *measure,
                                  bool *found, olo_error *error);
olo_status olo_quantity_not_found(const olo_system *system, const char *name, olo_error *error);

/* --- quantity_linear.c, quantity_bilinear.c, quantity_coordinate.c, quantity_energy.c --- */

extern const olo_quantity_type olo_quantity_position, olo_quantity_velocity, olo_quantity_momentum,
    olo_quantity_total_momentum, olo_quantity_aligned;
extern const olo_quantity_type olo_quantity_angular_momentum, olo_quantity_total_angular_momentum,
    olo_quantity_angular_velocity;
extern const olo_quantity_type olo_quantity_coordinate, olo_quantity_rate, olo_quantity_distance;
extern const olo_quantity_type olo_quantity_kinetic, olo_quantity_potential, olo_quantity_energy;

/* --- quantity_expression.c --- */

/* Whether a text is more than a name. */
bool olo_quantity_is_expression(const char *text);
olo_status olo_quantity_compile(olo_quantity *m, const char *text, olo_pool *pool,
                                olo_error *error);
extern const olo_quantity_type olo_quantity_formula;

/* --- tools --- */

static inline olo_status olo_quantity_no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a measure");
}

/* Index list of `size` numbers and, unless NULL, weights. */
static inline bool olo_quantity_allocate(olo_quantity *m, int size, olo_pool *pool, int **index,
                                         bool weights)
{
    *index = olo_pool_alloc(pool, (size_t)size, sizeof **index);
    m->index = *index;
    m->size = size;
    if (weights)
        m->weight = olo_pool_alloc(pool, (size_t)size, sizeof *m->weight);
    return *index && (!weights || m->weight);
}

/* All coordinates of the system. */
static inline bool olo_quantity_take_all(olo_quantity *m, olo_pool *pool)
{
    int *index;
    if (!olo_quantity_allocate(m, m->system->n, pool, &index, false))
        return false;
    for (int i = 0; i < m->size; i++)
        index[i] = i;
    return true;
}

/* A point: the position of an output or, if there is none of this name, of a node. Returns false
 * if there is neither. `output` is -1 for a node. */
bool olo_quantity_find_point(const olo_system *system, const char *name, olo_position *position,
                             int *output);

#endif
