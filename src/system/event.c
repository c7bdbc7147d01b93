/* Conditions of events: scalars of a state by name, and their value. */
#include "system/event.h"

#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "system/system.h"

/* --- scalars --- */

static double time_of(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    (void)s;
    (void)x;
    return state->t;
}

static double coordinate(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    return olo_term_energy(s->joint_coordinates[x->index].term, state->q, state->angles);
}

static double rate(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    const olo_term *term = s->joint_coordinates[x->index].term;
    double gradient[OLO_FORM_SIZE_MAX], sum = 0;
    olo_term_gradient(term, state->q, state->angles, gradient);
    for (int i = 0; i < term->size; i++)
        sum += gradient[i] * state->v[term->index[i]];
    return sum;
}

static double component(const double v[3], int axis)
{
    return axis < 0 ? vec3_norm(v) : v[axis];
}

static double position(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    double at[3];
    olo_position_value(&s->outputs[x->index].position, state->q, at);
    return component(at, x->axis);
}

static double velocity(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    double v[3];
    olo_position_linear(&s->outputs[x->index].position, state->v, v);
    return component(v, x->axis);
}

static double force(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    (void)s;
    return component(state->reactions + 6 * x->index, x->axis);
}

static double moment(const olo_system *s, const olo_state *state, const olo_event_variable *x)
{
    (void)s;
    return component(state->reactions + 6 * x->index + 3, x->axis);
}

/* --- names --- */

static int find_output(const olo_system *s, const char *name, size_t length)
{
    for (int i = 0; i < s->output_count; i++)
        if (strlen(s->outputs[i].name) == length && !strncmp(s->outputs[i].name, name, length))
            return i;
    return -1;
}

static int find_reaction(const olo_system *s, const char *name, size_t length)
{
    for (int i = 0; i < s->reaction_count; i++)
        if (strlen(s->reactions[i].name) == length && !strncmp(s->reactions[i].name, name, length))
            return i;
    return -1;
}

static int find_coordinate(const olo_system *s, const char *name, size_t length)
{
    for (int i = 0; i < s->joint_coordinate_count; i++)
        if (strlen(s->joint_coordinates[i].name) == length &&
            !strncmp(s->joint_coordinates[i].name, name, length))
            return i;
    return -1;
}

/* The endings of names: what they mean, and which elements they belong to. */
static const struct {
    const char *ending;
    int (*find)(const olo_system *s, const char *name, size_t length);
    double (*value)(const olo_system *s, const olo_state *state, const olo_event_variable *x);
    bool vector;
} kinds[] = {
    {"", find_coordinate, coordinate, false},   {".rate", find_coordinate, rate, false},
    {".position", find_output, position, true}, {".velocity", find_output, velocity, true},
    {".force", find_reaction, force, true},     {".moment", find_reaction, moment, true},
};

/* The axis that ends a name, 0 to 2, or -1; `length` is that of the name without it. */
static int axis_of(const char *name, size_t *length)
{
    *length = strlen(name);
    if (*length < 3 || name[*length - 2] != '.' || !strchr("xyz", name[*length - 1]))
        return -1;
    *length -= 2;
    return name[*length + 1] - 'x';
}

bool olo_event_variable_find(const olo_system *s, const char *name, olo_event_variable *x)
{
    size_t length;
    const int axis = axis_of(name, &length);
    *x = (olo_event_variable){.axis = axis};
    if (strcmp(name, "t") == 0) {
        x->value = time_of;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t ending = strlen(kinds[i].ending);
        if (length <= ending || (axis >= 0 && !kinds[i].vector) ||
            strncmp(name + length - ending, kinds[i].ending, ending) != 0)
            continue;
        x->index = kinds[i].find(s, name, length - ending);
        x->value = kinds[i].value;
        if (x->index >= 0)
            return true;
    }
    return false;
}

bool olo_event_begins_off(const olo_system *s, olo_switched kind, int index)
{
    for (int e = 0; e < s->event_count; e++)
        for (int i = 0; i < s->events[e].switch_count; i++)
            if (s->events[e].switches[i].kind == kind && s->events[e].switches[i].index == index)
                return s->events[e].switches[i].on;
    return false;
}

bool olo_events_read_forces(const olo_system *s)
{
    for (int e = 0; e < s->event_count; e++)
        for (int i = 0; i < s->events[e].variable_count; i++) {
            const olo_event_variable *x = &s->events[e].variables[i];
            if (x->value == force || x->value == moment)
                return true;
        }
    return false;
}

double olo_event_condition(const olo_system *s, const olo_system_event *event,
                           const olo_state *state)
{
    double x[OLO_EVENT_VARIABLES_MAX];
    if (!isnan(event->at))
        return state->t - event->at;
    for (int i = 0; i < event->variable_count; i++)
        x[i] = event->variables[i].value(s, state, &event->variables[i]);
    return event->condition(event->context, x);
}
