/* Measures: the table of kinds, and their names; see the header. */
#include "system/quantity.h"

#include <string.h>

#include "base/suggest.h"
#include "linalg/vec3.h"
#include "system/quantity_kinds.h"

static const olo_quantity_type *const types[] = {
    &olo_quantity_coordinate,       &olo_quantity_rate,
    &olo_quantity_position,         &olo_quantity_velocity,
    &olo_quantity_momentum,         &olo_quantity_total_momentum,
    &olo_quantity_angular_momentum, &olo_quantity_total_angular_momentum,
    &olo_quantity_angular_velocity, &olo_quantity_kinetic,
    &olo_quantity_potential,        &olo_quantity_energy,
    &olo_quantity_distance,
};
enum { TYPES = sizeof types / sizeof *types, NAME_SIZE = 256 };

// -- names ----------------------------------------------------------------------------------------

/* The part of a name before an ending; false if it has another ending or no such part. */
static bool split(const char *name, const char *ending, char owner[NAME_SIZE])
{
    const size_t length = strlen(name), tail = strlen(ending);
    if (length <= tail || length - tail >= NAME_SIZE || strcmp(name + length - tail, ending) != 0)
        return false;
    memcpy(owner, name, length - tail);
    owner[length - tail] = '\0';
    return true;
}

/* Tries all kinds, or those with components only. */
static olo_status find_kind(const char *name, bool directed, olo_pool *pool, olo_quantity *m,
                            bool *found, olo_error *error)
{
    olo_status status = OLO_OK;
    const olo_quantity start = *m;
    *found = false;
    for (int i = 0; status == OLO_OK && !*found && i < TYPES; i++) {
        char owner[NAME_SIZE] = "";
        const olo_quantity_type *type = types[i];
        if ((directed && !type->directed) || (type->whole && strcmp(name, type->key) != 0) ||
            (!type->whole && !split(name, type->key, owner)))
            continue;
        *m = start;
        m->type = type;
        m->uses_q = type->uses_q;
        m->uses_v = type->uses_v;
        status = type->find(m, owner, pool, found, error);
    }
    return status;
}

/* A name that ends with a component: tip.position.x. */
static olo_status find_component(const char *name, olo_pool *pool, olo_quantity *m, bool *found,
                                 olo_error *error)
{
    static const char *const endings[] = {".x", ".y", ".z"};
    char owner[NAME_SIZE];
    olo_status status = OLO_OK;
    *found = false;
    for (int i = 0; status == OLO_OK && !*found && i < 3; i++) {
        if (!split(name, endings[i], owner))
            continue;
        vec3_set(0, 0, 0, m->direction);
        m->direction[i] = 1;
        status = find_kind(owner, true, pool, m, found, error);
    }
    return status;
}

olo_status olo_quantity_not_found(const olo_system *s, const char *name, olo_error *error)
{
    const char *names[192];
    int count = 0;
    for (int i = 0; i < s->joint_coordinate_count && count < 64; i++)
        names[count++] = s->joint_coordinates[i].name;
    for (int i = 0; i < s->output_count && count < 128; i++)
        names[count++] = s->outputs[i].name;
    for (int i = 0; i < s->node_count && count < 192; i++)
        names[count++] = s->nodes[i].name;
    const char *near = olo_suggest(name, names, (size_t)count);
    return olo_fail(
        error, OLO_NOT_FOUND,
        "there is no quantity '%s'%s%s%s; a quantity is a joint coordinate such as <joint>.angle, "
        "its .rate, <output>.position or .velocity, <body>.momentum, .angular_momentum or "
        ".angular_velocity, distance(<output>, <output>), kinetic, potential, energy, momentum, "
        "angular_momentum, or an expression of these",
        name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

olo_status olo_quantity_find_name(const olo_system *s, const char *name, const double direction[3],
                                  olo_pool *pool, olo_quantity *m, bool *found, olo_error *error)
{
    const olo_quantity start = {.system = s,
                                .name = name,
                                .number = -1,
                                .other = -1,
                                .direction = {direction[0], direction[1], direction[2]}};
    *m = start;
    olo_status status = find_kind(name, false, pool, m, found, error);
    if (status == OLO_OK && !*found) {
        *m = start;
        status = find_component(name, pool, m, found, error);
    }
    if (status == OLO_OK && !*found)
        *m = start;
    if (status == OLO_OK && *found && m->type->directed && vec3_norm(m->direction) == 0)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' needs a direction, or the ending .x, .y or .z",
                        name);
    return status;
}

olo_status olo_quantity_find(const olo_system *s, const char *given, const double direction[3],
                             olo_pool *pool, olo_quantity *m, olo_error *error)
{
    const char *name = olo_pool_text(pool, given, strlen(given));
    bool found;
    if (!name)
        return olo_quantity_no_memory(error);
    const olo_status status = olo_quantity_find_name(s, name, direction, pool, m, &found, error);
    if (status != OLO_OK || found)
        return status;
    return olo_quantity_is_expression(name) ? olo_quantity_compile(m, name, pool, error)
                                            : olo_quantity_not_found(s, name, error);
}

void olo_quantity_free(olo_quantity *m)
{
    m->expression = olo_expression_free(m->expression);
}

// -- values ---------------------------------------------------------------------------------------

double olo_quantity_value(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    return m->type->value(m, at, gq, gv);
}

void olo_quantity_second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                         const olo_quantity_sink *sink)
{
    if (m->type->second)
        m->type->second(m, at, factor, sink);
}

double olo_quantity_by_coefficient(const olo_quantity *m, const olo_quantity_at *at,
                                   const olo_coefficient *c)
{
    return m->type->by ? m->type->by(m, at, c) : 0.0;
}

bool olo_quantity_is_same_coordinate(const olo_quantity *a, const olo_quantity *b)
{
    return a->type->coordinate && b->type->coordinate && a->number == b->number;
}
