/* Magnitudes of forces as expressions; see the header. */
#include "elements/force_law.h"

#include <stdio.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/suggest.h"

enum { MEASURES = OLO_ACTION_MEASURES_MAX, NAME = 176 };

/* The law that an action points to; it belongs to the system. */
typedef struct expression_law {
    olo_action_law law;
    olo_curve *curve;
} expression_law;

/* The measures of an expression while it is compiled: terms, and the names of values and rates. */
typedef struct measures {
    olo_builder *builder;
    const char *key, *owner;
    int count;
    const olo_term *term[MEASURES];
    char value[MEASURES][NAME], rate[MEASURES][NAME];
    olo_status status;
} measures;

/* --- names --- */

static olo_status fail_unknown(measures *x, const char *name)
{
    const olo_system *s = olo_build_system(x->builder);
    const char *names[64];
    size_t count = 0;
    for (int i = 0; i < s->joint_coordinate_count && count < 64; i++)
        names[count++] = s->joint_coordinates[i].name;
    const char *near = olo_suggest(name, names, count);
    return olo_builder_fail(x->builder, x->key,
                            "'%s' is no joint coordinate, no output and no point%s%s%s; a joint "
                            "coordinate is written hinge.angle and its rate hinge.angle.rate, the "
                            "coordinates of a point tip.x, tip.y, tip.z, tip.vx, tip.vy, tip.vz",
                            name, near ? ", did you mean '" : "", near ? near : "",
                            near ? "'?" : "");
}

/* Appends a measure with the names of its value and rate. */
static void add(measures *x, const olo_term *term, const char *value, const char *rate)
{
    snprintf(x->value[x->count], NAME, "%s", value);
    snprintf(x->rate[x->count], NAME, "%s", rate);
    x->term[x->count++] = term;
}

/* The joint coordinate of a name, or of a name with .rate; -1 if there is none. */
static int find_coordinate(const olo_system *s, const char *name)
{
    char head[NAME];
    const int found = olo_system_find_joint_coordinate(s, name);
    snprintf(head, sizeof head, "%s", name);
    char *tail = strrchr(head, '.');
    if (found >= 0 || strcmp(tail, ".rate") != 0)
        return found;
    *tail = '\0';
    return olo_system_find_joint_coordinate(s, head);
}

/* The position of an output or of a point on a body. */
static olo_status find_position(measures *x, const char *name, olo_position *position)
{
    const olo_system *s = olo_build_system(x->builder);
    int node;
    for (int i = 0; i < s->output_count; i++)
        if (strcmp(s->outputs[i].name, name) == 0) {
            *position = s->outputs[i].position;
            return OLO_OK;
        }
    const olo_point_on_body point = {.on = name};
    return olo_build_resolve_point(x->builder, x->key, &point, position, &node);
}

/* A coordinate of a point: head.x or head.vx. */
static olo_status add_point(measures *x, const char *name)
{
    char head[NAME - 16], value[NAME], rate[NAME];
    snprintf(head, sizeof head, "%s", name);
    char *tail = strrchr(head, '.');
    const char *axis = tail[1] == 'v' ? tail + 2 : tail + 1;
    *tail = '\0';
    /* the names of results: tip.position.x, tip.velocity.x */
    char *vector = strrchr(head, '.');
    const bool whole =
        vector && (strcmp(vector, ".position") == 0 || strcmp(vector, ".velocity") == 0);
    if (whole)
        *vector = '\0';
    if (!(axis[0] >= 'x' && axis[0] <= 'z' && axis[1] == '\0'))
        return fail_unknown(x, name);
    olo_position position;
    olo_status status = find_position(x, head, &position);
    if (status != OLO_OK)
        return status;
    if (position.count == 0)
        return olo_builder_fail(x->builder, x->key, "'%s' is fixed in space", head);
    const double along[3] = {axis[0] == 'x', axis[0] == 'y', axis[0] == 'z'};
    olo_form_builder form;
    const olo_term *term;
    olo_form_begin(&form);
    olo_form_add_component(&form, along, &position);
    status = olo_build_measure(x->builder, x->owner, &olo_law_linear, &form, &term);
    if (status != OLO_OK)
        return status;
    snprintf(value, sizeof value, whole ? "%s.position.%c" : "%s.%c", head, axis[0]);
    snprintf(rate, sizeof rate, whole ? "%s.velocity.%c" : "%s.v%c", head, axis[0]);
    add(x, term, value, rate);
    return OLO_OK;
}

/* Adds the measure that a name refers to. */
static bool find_measure(void *context, const char *name)
{
    measures *x = context;
    const olo_system *s = olo_build_system(x->builder);
    for (int i = 0; i < x->count; i++)
        if (strcmp(name, x->value[i]) == 0 || strcmp(name, x->rate[i]) == 0)
            return true;
    if (x->count == MEASURES) {
        x->status = olo_builder_fail(x->builder, x->key,
                                     "a force may depend on at most %d joint coordinates, lengths "
                                     "and coordinates of points",
                                     MEASURES);
        return false;
    }
    const int coordinate = find_coordinate(s, name);
    if (coordinate < 0) {
        x->status = add_point(x, name);
        return x->status == OLO_OK;
    }
    char rate[NAME];
    snprintf(rate, sizeof rate, "%s.rate", s->joint_coordinates[coordinate].name);
    add(x, s->joint_coordinates[coordinate].term, s->joint_coordinates[coordinate].name, rate);
    return true;
}

/* --- laws --- */

static double law_value(const void *context, const double *z, double *first, double *second)
{
    const expression_law *x = context;
    if (first)
        olo_curve_partials(x->curve, z, first, second);
    return olo_curve_value(x->curve, z);
}

static bool law_by_parameters(const void *context, const double *z, const double *direction,
                              double *by)
{
    const expression_law *x = context;
    return olo_curve_by_parameters(x->curve, z, direction, by);
}

static void law_free(void *context)
{
    expression_law *x = context;
    olo_curve_free(x->curve);
    olo_free(x);
}

/* Compiles the expression over t and the names of all measures. */
static olo_status compile(measures *x, const char *text, const olo_action_law **law)
{
    const char *names[OLO_ACTION_ARGUMENTS_MAX] = {"t"};
    for (int i = 0; i < x->count; i++) {
        names[1 + 2 * i] = x->value[i];
        names[2 + 2 * i] = x->rate[i];
    }
    expression_law *own = olo_alloc(1, sizeof *own);
    if (!own)
        return olo_build_out_of_memory(x->builder);
    own->law = (olo_action_law){.measures = x->count,
                                .context = own,
                                .value = law_value,
                                .by_parameters = law_by_parameters};
    *law = &own->law;
    const olo_status status =
        olo_build_function(x->builder, x->key, 1 + 2 * x->count, names, text, &own->curve);
    if (status != OLO_OK) {
        law_free(own);
        return status;
    }
    return olo_build_own(x->builder, own, law_free);
}

/* The index of a coordinate among those of the action, to which it is appended if it is new. */
static int index_of(olo_action *action, int *index, int coordinate)
{
    int i = 0;
    while (i < action->size && index[i] != coordinate)
        i++;
    if (i == action->size && i < OLO_ACTION_SIZE_MAX)
        index[action->size++] = coordinate;
    return i;
}

/* Stores the measures of an action, with their coordinates among those of the action. */
static olo_status store(measures *x, olo_action *action, int *index)
{
    olo_pool *pool = &olo_build_system(x->builder)->pool;
    olo_action_measure *list = olo_pool_alloc(pool, (size_t)x->count, sizeof *list);
    if (!list)
        return olo_build_out_of_memory(x->builder);
    action->measures = list;
    for (int i = 0; i < x->count; i++) {
        const olo_term *term = x->term[i];
        int *local = olo_pool_alloc(pool, (size_t)term->size, sizeof *local);
        if (!local)
            return olo_build_out_of_memory(x->builder);
        for (int k = 0; k < term->size; k++)
            if ((local[k] = index_of(action, index, term->index[k])) == OLO_ACTION_SIZE_MAX)
                return olo_builder_fail(x->builder, x->key, "depends on more than %d coordinates",
                                        OLO_ACTION_SIZE_MAX);
        list[i] = (olo_action_measure){.term = term, .local = local};
    }
    return OLO_OK;
}

/* Gives an action the law of an expression; `x` has the measures that are known by other names. */
static olo_status build_law(measures *x, const char *text, olo_action *action, int *index)
{
    olo_expression_dotted_names(text, x, find_measure);
    olo_status status = x->status;
    if (status == OLO_OK)
        status = compile(x, text, &action->law);
    return status == OLO_OK ? store(x, action, index) : status;
}

/* --- actions --- */

static bool stop(void *context, const char *name)
{
    (void)name;
    *(bool *)context = true;
    return false;
}

olo_status olo_build_factor(olo_builder *builder, const char *key, const olo_signal *signal,
                            olo_action *action, int *index)
{
    bool measured = false;
    if (signal && signal->expression)
        olo_expression_dotted_names(signal->expression, &measured, stop);
    if (!measured)
        return signal ? olo_build_signal(builder, key, signal, &action->time) : OLO_OK;
    if (!action->type->with_law)
        return olo_builder_fail(builder, key,
                                "the factor of a function depends on time only: let the function "
                                "depend on the motion");
    measures x = {.builder = builder, .key = key, .owner = action->owner};
    action->type = action->type->with_law;
    return build_law(&x, signal->expression, action, index);
}

olo_status olo_build_force_along(olo_builder *builder, const char *owner, const char *expression,
                                 const olo_term *x)
{
    int index[OLO_ACTION_SIZE_MAX];
    olo_action action = {.type = &olo_action_law_along,
                         .owner = owner,
                         .coordinate = x,
                         .size = x->size,
                         .vector = {-1, 0, 0}};
    memcpy(index, x->index, (size_t)x->size * sizeof *index);
    measures known = {.builder = builder, .key = "force", .owner = owner};
    add(&known, x, "l", "v");
    olo_status status = build_law(&known, expression, &action, index);
    return status == OLO_OK ? olo_build_action(builder, &action, index) : status;
}

olo_status olo_build_force_between(olo_builder *builder, const char *owner, const char *expression,
                                   const olo_position *span)
{
    const olo_term *length;
    olo_form_builder form;
    olo_form_begin(&form);
    olo_form_add_dot(&form, 0.5, span, span);
    olo_status status = olo_build_measure(builder, owner, &olo_law_length, &form, &length);
    return status == OLO_OK ? olo_build_force_along(builder, owner, expression, length) : status;
}
