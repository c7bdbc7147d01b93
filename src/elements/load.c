/* Forces and moments on a point or along a beam, in space axes (dead) or fixed in the body, or
 * along a joint coordinate, with a factor over time, or forces and moments from a C function. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/force_law.h"
#include "elements/point_noun.h"
#include "elements/relation_row.h"
#include "linalg/vec3.h"

olo_load olo_load_default(void)
{
    return (olo_load){.initialised = OLO_INITIALISED_LOAD,
                      .force = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .moment = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .magnitude = OLO_UNSET,
                      .frame = "space"};
}

static void defaults(void *element)
{
    *(olo_load *)element = olo_load_default();
}

/* Adds an action with its own copy of the factor. */
static olo_status add(olo_builder *builder, const olo_load *load, olo_action *action, int *index)
{
    action->owner = load->name;
    olo_status status = olo_build_factor(builder, "time", load->signal, action, index);
    if (status != OLO_OK)
        return status;
    status = olo_build_action(builder, action, index);
    if (status != OLO_OK && action->time.free)
        action->time.free(action->time.context);
    return status;
}

static void slots_of(const olo_position *x, int *index)
{
    for (int k = 0; k < x->count; k++)
        for (int i = 0; i < 3; i++)
            index[3 * k + i] = x->slot[k] + i;
}

static const olo_action_type *kind_of_force(const olo_load *load, bool in_body)
{
    if (!load->function)
        return in_body ? &olo_action_body_force : &olo_action_dead_force;
    if (!load->derivatives)
        return in_body ? &olo_action_body_callback : &olo_action_callback;
    return in_body ? &olo_action_body_function : &olo_action_function;
}

static olo_status add_force(olo_builder *builder, const olo_load *load, const olo_position *x,
                            int frame)
{
    int index[OLO_ACTION_SIZE_MAX];
    bool in_body = strcmp(load->frame, "body") == 0;
    olo_action action = {.type = kind_of_force(load, in_body),
                         .position = *x,
                         .frame = frame,
                         .size = 3 * x->count,
                         .function = load->function,
                         .derivatives = load->derivatives,
                         .context = load->context};
    if (!load->function && vec3_norm(load->force) == 0)
        return OLO_OK;
    vec3_copy(load->force, action.vector);
    slots_of(x, index);
    if (in_body) {
        action.size = 12;
        for (int i = 0; i < 12; i++)
            index[i] = frame + i;
    }
    return add(builder, load, &action, index);
}

/* Force and moment from a function of the whole motion of the body. */
static olo_status add_wrench(olo_builder *builder, const olo_load *load, const olo_position *x,
                             int frame)
{
    int index[OLO_ACTION_SIZE_MAX];
    bool in_body = strcmp(load->frame, "body") == 0;
    olo_action action = {.type = in_body ? &olo_action_body_wrench : &olo_action_wrench,
                         .position = *x,
                         .frame = frame,
                         .size = 12,
                         .wrench = load->wrench,
                         .context = load->context};
    for (int i = 0; i < 12; i++)
        index[i] = frame + i;
    return add(builder, load, &action, index);
}

static olo_status add_moment(olo_builder *builder, const olo_load *load, int frame)
{
    if (vec3_norm(load->moment) == 0)
        return OLO_OK;
    int index[OLO_ACTION_SIZE_MAX];
    bool in_body = strcmp(load->frame, "body") == 0;
    olo_action action = {.type = in_body ? &olo_action_body_moment : &olo_action_dead_moment,
                         .frame = frame,
                         .size = 12};
    vec3_copy(load->moment, action.vector);
    for (int i = 0; i < 12; i++)
        index[i] = frame + i;
    return add(builder, load, &action, index);
}

/* Distributes force and moment per length to the nodes of a beam, with the integrals of the shape
 * functions. */
static olo_status add_along(olo_builder *builder, const olo_load *load)
{
    const olo_system *s = olo_build_system(builder);
    const olo_beam_line *beam = olo_system_find_beam(s, load->along);
    if (!beam)
        return olo_builder_fail(builder, "along", "no beam is called '%s'", load->along);
    if (load->on.on || vec3_norm(load->on.at) > 0)
        return olo_builder_fail(builder, "along", "give either a point or a beam");
    if (load->function || load->wrench)
        return olo_builder_fail(builder, "along",
                                "the function of load '%s' acts on a point, not along a beam",
                                load->name);
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < beam->node_count; k++) {
        int q = s->nodes[beam->nodes[k]].q;
        if (beam->edges && (vec3_norm(load->moment) > 0 || strcmp(load->frame, "body") == 0))
            return olo_builder_fail(builder, "along",
                                    "a rod with directors at edges takes forces along space axes: "
                                    "choose discretisation 'vertices'");
        olo_position x = olo_position_slot(q);
        olo_load share = *load;
        for (int i = 0; i < 3; i++) {
            share.force[i] *= beam->lengths[k];
            share.moment[i] *= beam->lengths[k];
        }
        status = add_force(builder, &share, &x, q);
        if (status == OLO_OK)
            status = add_moment(builder, &share, q);
    }
    return status;
}

/* A force or torque along a joint coordinate. */
static olo_status add_along_coordinate(olo_builder *builder, const olo_load *load)
{
    int coordinate;
    if (!load->along || load->on.on || vec3_norm(load->on.at) > 0)
        return olo_builder_fail(builder, "magnitude",
                                "acts `along` a joint coordinate; on a point give force or moment");
    if (vec3_norm(load->force) > 0 || vec3_norm(load->moment) > 0 || load->function)
        return olo_builder_fail(builder, "magnitude",
                                "give either a magnitude or force and moment");
    olo_status status = olo_find_joint_coordinate(builder, "along", load->along, &coordinate);
    if (status != OLO_OK || load->magnitude == 0)
        return status;
    const olo_term *term = olo_build_system(builder)->joint_coordinates[coordinate].term;
    olo_action action = {.type = &olo_action_drive,
                         .vector = {load->magnitude, 0, 0},
                         .coordinate = term,
                         .owner = load->name,
                         .size = term->size};
    status = olo_build_signal(builder, "time", load->signal, &action.time);
    if (status != OLO_OK)
        return status;
    status = olo_build_action(builder, &action, term->index);
    if (status != OLO_OK && action.time.free)
        action.time.free(action.time.context);
    return status;
}

/* Sets missing components to zero. Returns whether one of them is given. */
static bool complete(double x[3])
{
    bool given = false;
    for (int i = 0; i < 3; i++) {
        given = given || !isnan(x[i]);
        x[i] = isnan(x[i]) ? 0.0 : x[i];
    }
    return given;
}

/* Completes the vectors and checks what is given. A function replaces the constant force: giving
 * both is an error. A load of zero is one that a parameter may change. */
static olo_status check_force(olo_builder *builder, olo_load *load)
{
    const bool force = complete(load->force), moment = complete(load->moment);
    if ((load->function || load->wrench) && vec3_norm(load->force) > 0)
        return olo_builder_fail(
            builder, "force",
            "the function of load '%s' replaces a constant force: leave one of them "
            "out, or add another load for the constant",
            load->name);
    if (load->derivatives && !load->function)
        return olo_builder_fail(builder, NULL,
                                "load '%s' has derivatives but no function to which they belong",
                                load->name);
    if (load->wrench && load->function)
        return olo_builder_fail(builder, NULL,
                                "load '%s' has two functions: one of force and moment, and one of "
                                "a force",
                                load->name);
    if (!load->function && !load->wrench && !force && !moment && isnan(load->magnitude))
        return olo_builder_fail(builder, NULL, "load '%s' has neither force nor moment",
                                load->name);
    return OLO_OK;
}

static olo_status build(olo_builder *builder, const void *element)
{
    olo_load completed = *(const olo_load *)element;
    const olo_load *load = &completed;
    olo_position x;
    int node;
    olo_status status = check_force(builder, &completed);
    if (status != OLO_OK)
        return status;
    if (!isnan(load->magnitude))
        return add_along_coordinate(builder, load);
    if (load->along)
        return add_along(builder, load);
    status = olo_build_resolve_point(builder, "on", &load->on, &x, &node);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(builder);
    if (node < 0)
        return olo_builder_fail(builder, "on",
                                "a load on the ground has no effect: name a body or a point mass");
    bool frame = s->nodes[node].type->spatial;
    int q = s->nodes[node].q;
    if (!frame && vec3_norm(load->moment) > 0)
        return olo_builder_fail(builder, "moment", "'%s' is %s, on which no moment can act%s",
                                s->nodes[node].name, olo_point_noun(s, node),
                                olo_point_advice(s, node));
    if (!frame && strcmp(load->frame, "body") == 0)
        return olo_builder_fail(builder, "frame", "'%s' is %s and has no axes%s",
                                s->nodes[node].name, olo_point_noun(s, node),
                                olo_point_advice(s, node));
    if (!frame && load->wrench)
        return olo_builder_fail(builder, "on",
                                "'%s' is %s: its function has no rotation and no moment",
                                s->nodes[node].name, olo_point_noun(s, node));
    status = load->wrench ? add_wrench(builder, load, &x, q) : add_force(builder, load, &x, q);
    return status == OLO_OK ? add_moment(builder, load, q) : status;
}

static const char *const frames[] = {"space", "body", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_load, name),
     .help = "name of the load"},
    {.key = "on",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_load, on),
     .help = "where it acts"},
    {.key = "along",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_load, along),
     .help = "instead of `on`: a beam, with force and moment per length; or a joint coordinate"},
    {.key = "magnitude",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_load, magnitude),
     .help = "along a joint coordinate: force or torque on the second body, opposite on the first"},
    {.key = "force",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_load, force),
     .help = "force"},
    {.key = "moment",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_load, moment),
     .help = "moment, on bodies"},
    {.key = "frame",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_load, frame),
     .choices = frames,
     .help = "space (dead, default) or body (rotates with it)"},
    {.key = "time",
     .kind = OLO_FIELD_SIGNAL,
     .offset = offsetof(olo_load, signal),
     .measures = true,
     .help =
         "factor: a number, an expression of t, outputs and joint coordinates, or {time: [...], "
         "value: [...]}"},
};

const olo_element_type olo_element_load = {.initialised = OLO_INITIALISED_LOAD,
                                           .section = "loads",
                                           .noun = "load",
                                           .size = sizeof(olo_load),
                                           .fields = fields,
                                           .field_count = (int)(sizeof fields / sizeof *fields),
                                           .defaults = defaults,
                                           .build = build};
