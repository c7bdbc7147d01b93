/* Events: a time or a condition, and what it switches. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "elements/build.h"

olo_event olo_event_default(void)
{
    return (olo_event){.initialised = OLO_INITIALISED_EVENT, .at = OLO_UNSET, .crosses = "either"};
}

static void defaults(void *element)
{
    *(olo_event *)element = olo_event_default();
}

/* --- conditions --- */

enum { NAME_SIZE = 160 };

static bool is_word(char c)
{
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

/* The next word of an expression that names a scalar of the state: `t`, or one with a dot inside;
 * NULL: there is none. Returns the text after it. */
static const char *next_name(const char *text, char name[NAME_SIZE])
{
    while (*text) {
        const char *begin = text;
        while (is_word(*text))
            text++;
        const size_t length = (size_t)(text - begin);
        const bool word =
            length > 0 && length < NAME_SIZE && !(*begin >= '0' && *begin <= '9') && *begin != '.';
        if (word && (memchr(begin, '.', length) || (length == 1 && *begin == 't'))) {
            memcpy(name, begin, length);
            name[length] = '\0';
            return text;
        }
        text += length == 0;
    }
    return NULL;
}

static olo_status unknown_variable(olo_builder *builder, const char *name)
{
    const olo_system *s = olo_build_system(builder);
    const char **names = olo_alloc((size_t)s->joint_coordinate_count + 1, sizeof *names);
    size_t count = 0;
    if (!names)
        return olo_build_out_of_memory(builder);
    for (int i = 0; i < s->joint_coordinate_count; i++)
        names[count++] = s->joint_coordinates[i].name;
    const char *near = olo_suggest(name, names, count);
    const olo_status status = olo_builder_fail(
        builder, "when",
        "there is no '%s'%s%s%s; known are joint coordinates (hinge.angle, hinge.angle.rate) and "
        "outputs (tip.position.x, tip.velocity.y, hook.force)",
        name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    olo_free(names);
    return status;
}

static double condition(const void *curve, const double *x)
{
    return olo_curve_value(curve, x);
}

/* Resolves the names in the expression and compiles it. */
static olo_status build_condition(olo_builder *builder, const char *text, olo_system_event *event)
{
    char names[OLO_EVENT_VARIABLES_MAX][NAME_SIZE], name[NAME_SIZE];
    const char *list[OLO_EVENT_VARIABLES_MAX];
    olo_curve *curve;
    for (const char *at = next_name(text, name); at; at = next_name(at, name)) {
        int known = 0;
        while (known < event->variable_count && strcmp(names[known], name) != 0)
            known++;
        if (known < event->variable_count)
            continue;
        if (known == OLO_EVENT_VARIABLES_MAX)
            return olo_builder_fail(builder, "when", "at most %d quantities can be combined",
                                    OLO_EVENT_VARIABLES_MAX);
        if (!olo_event_variable_find(olo_build_system(builder), name, &event->variables[known]))
            return unknown_variable(builder, name);
        list[known] = strcpy(names[known], name);
        event->variable_count++;
    }
    if (event->variable_count == 0)
        return olo_builder_fail(builder, "when",
                                "needs a quantity that changes: t, a joint coordinate "
                                "(hinge.angle) or an output (tip.position.x)");
    const olo_status status =
        olo_build_function(builder, "when", event->variable_count, list, text, &curve);
    if (status != OLO_OK)
        return status;
    event->context = curve;
    event->condition = condition;
    return olo_build_own(builder, curve, olo_curve_free);
}

/* --- switches --- */

/* A list of names in an event: what it does to constraint groups with the contacts and drives of
 * their joints, or to actions alone. */
typedef struct name_list {
    const char *key;
    int count;
    const char *const *names;
    bool groups, on, latch;
} name_list;

static bool is_named(const char *given, const char *name)
{
    return given && strcmp(given, name) == 0;
}

/* Whether a group can be latched: it consists of forms and relations. */
static bool has_constants(const olo_system *s, const olo_group *group)
{
    bool all = true;
    for (int r = group->first; r < group->first + group->count; r++)
        all = all && (s->constraints[r].form || s->constraints[r].share_count > 0);
    return all;
}

static olo_status add_groups(olo_builder *builder, const name_list *from, const char *name,
                             olo_event_switch *list, int *count)
{
    olo_system *s = olo_build_system(builder);
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        if (group->internal || group->carried || strcmp(group->name, name) != 0)
            continue;
        if (from->latch && !has_constants(s, group))
            return olo_builder_fail(builder, from->key, "'%s' rolls, it cannot be latched", name);
        list[(*count)++] = (olo_event_switch){.kind = OLO_SWITCHED_GROUP,
                                              .on = from->on,
                                              .latched = from->latch,
                                              .index = i,
                                              .slot = s->latched_count};
        s->latched_count += from->latch ? group->count : 0;
    }
    for (int i = 0; i < s->term_count; i++)
        if (is_named(s->terms[i].owner, name))
            return olo_builder_fail(
                builder, from->key,
                "'%s' has a spring, damper or stop, which an event cannot switch: give it to "
                "another element",
                name);
    return OLO_OK;
}

/* Adds what a name stands for to the list. Joints are switched together with their drives, rigid
 * stops and dry friction. */
static olo_status add_switches(olo_builder *builder, const name_list *from, const char *name,
                               olo_event_switch *list, int *count)
{
    const olo_system *s = olo_build_system(builder);
    const int before = *count;
    if (from->groups) {
        const olo_status status = add_groups(builder, from, name, list, count);
        if (status != OLO_OK)
            return status;
    }
    for (int i = 0; from->groups && i < s->contact_count; i++)
        if (is_named(s->contacts[i].owner, name) ||
            (!from->latch && is_named(s->contacts[i].name, name)))
            list[(*count)++] =
                (olo_event_switch){.kind = OLO_SWITCHED_CONTACT, .on = from->on, .index = i};
    if (from->groups && *count == before)
        return olo_builder_fail(builder, from->key, "no joint, support, rod%s is called '%s'",
                                from->latch ? " or relation" : ", relation or contact", name);
    for (int i = 0; i < s->action_count; i++)
        if (strcmp(s->actions[i].owner, name) == 0)
            list[(*count)++] =
                (olo_event_switch){.kind = OLO_SWITCHED_ACTION, .on = from->on, .index = i};
    return *count > before
               ? OLO_OK
               : olo_builder_fail(builder, from->key, "no load or drive is called '%s'", name);
}

static olo_status build_switches(olo_builder *builder, const olo_event *given,
                                 olo_system_event *event)
{
    const olo_system *s = olo_build_system(builder);
    const name_list lists[] = {{"open", given->open_count, given->open, true, false, false},
                               {"close", given->close_count, given->close, true, true, false},
                               {"latch", given->latch_count, given->latch, true, true, true},
                               {"start", given->start_count, given->start, false, true, false},
                               {"stop", given->stop_count, given->stop, false, false, false}};
    const size_t pieces = (size_t)(s->group_count + s->action_count + s->contact_count),
                 list_count = sizeof lists / sizeof *lists;
    size_t names = 0;
    for (size_t k = 0; k < list_count; k++)
        names += (size_t)lists[k].count;
    olo_event_switch *list = olo_alloc(names * pieces + 1, sizeof *list);
    if (!list)
        return olo_build_out_of_memory(builder);
    olo_status status = OLO_OK;
    for (size_t k = 0; k < list_count; k++)
        for (int i = 0; status == OLO_OK && i < lists[k].count; i++)
            status =
                add_switches(builder, &lists[k], lists[k].names[i], list, &event->switch_count);
    if (status == OLO_OK) {
        event->switches = olo_pool_copy(&olo_build_system(builder)->pool, list,
                                        (size_t)event->switch_count, sizeof *list);
        status = event->switches ? OLO_OK : olo_build_out_of_memory(builder);
    }
    for (int i = 0; i < event->switch_count; i++)
        event->closes = event->closes || (list[i].kind == OLO_SWITCHED_GROUP && list[i].on);
    olo_free(list);
    return status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_event *given = element;
    olo_system_event event = {.name = given->name,
                              .at = given->at,
                              .end = given->end,
                              .direction = strcmp(given->crosses, "rising") == 0    ? 1
                                           : strcmp(given->crosses, "falling") == 0 ? -1
                                                                                    : 0};
    if ((given->when == NULL) == (isnan(given->at) != 0))
        return olo_builder_fail(builder, NULL,
                                "needs a condition ('when') or a time ('at'), and not both");
    olo_status status = build_switches(builder, given, &event);
    if (status == OLO_OK && event.switch_count == 0 && !event.end)
        status = olo_builder_fail(builder, NULL,
                                  "does nothing: give it open, close, latch, start, stop or end");
    if (status == OLO_OK && given->when)
        status = build_condition(builder, given->when, &event);
    return status == OLO_OK ? olo_build_event(builder, &event) : status;
}

static const char *const crossings[] = {"either", "rising", "falling", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_event, name),
     .help = "name of the event"},
    {.key = "when",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_event, when),
     .help = "an expression; the event happens when it crosses zero"},
    {.key = "at",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_event, at),
     .help = "instead of `when`: a time"},
    {.key = "crosses",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_event, crosses),
     .choices = crossings,
     .help = "either (default), rising or falling"},
    {.key = "open",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_event, open),
     .count_offset = offsetof(olo_event, open_count),
     .help = "joints, supports, rods, relations and contacts that open"},
    {.key = "close",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_event, close),
     .count_offset = offsetof(olo_event, close_count),
     .help = "joints, supports, rods, relations and contacts that close"},
    {.key = "latch",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_event, latch),
     .count_offset = offsetof(olo_event, latch_count),
     .help = "joints, supports, rods and relations that close where their parts are"},
    {.key = "start",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_event, start),
     .count_offset = offsetof(olo_event, start_count),
     .help = "loads and drives that begin to act"},
    {.key = "stop",
     .kind = OLO_FIELD_NAMES,
     .offset = offsetof(olo_event, stop),
     .count_offset = offsetof(olo_event, stop_count),
     .help = "loads and drives that no longer act"},
    {.key = "end",
     .kind = OLO_FIELD_FLAG,
     .offset = offsetof(olo_event, end),
     .help = "whether the run ends; default false"},
};

const olo_element_type olo_element_event = {.initialised = OLO_INITIALISED_EVENT,
                                            .section = "events",
                                            .noun = "event",
                                            .size = sizeof(olo_event),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .build = build};
