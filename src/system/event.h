/* Events: what happens once in a run, at a time or when a condition c(state) crosses zero. An event
 * switches constraint groups, actions and contacts on or off, or ends the run. This file has the
 * compiled events of a system and their conditions; stepping/events.h locates and applies them. */
#ifndef OLO_SYSTEM_EVENT_H
#define OLO_SYSTEM_EVENT_H

#include <stdbool.h>

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;
typedef struct olo_event_variable olo_event_variable;

/* A scalar of a state. */
struct olo_event_variable {
    double (*value)(const olo_system *system, const olo_state *state,
                    const olo_event_variable *variable);
    int index; /* of the joint coordinate, output or reaction */
    int axis;  /* 0 to 2; -1: the magnitude of a vector */
};

/* Finds a scalar by name: "t", a joint coordinate ("hinge.angle") or its rate
 * ("hinge.angle.rate"), a component of an output ("tip.position.x", "tip.velocity.y"), a reaction
 * or a component of it ("hook.force", "hook.moment.z"); false: there is none. */
bool olo_event_variable_find(const olo_system *system, const char *name,
                             olo_event_variable *variable);

typedef enum olo_switched {
    OLO_SWITCHED_GROUP,
    OLO_SWITCHED_ACTION,
    OLO_SWITCHED_CONTACT
} olo_switched;

/* A constraint group, an action or a contact that an event switches. A group that is latched closes
 * where its parts are: the constants of its rows follow from the configuration at the event. They
 * are numbers of the state, `slot` is the first of them. */
typedef struct olo_event_switch {
    olo_switched kind;
    bool on, latched;
    int index;
    int slot; /* one number per row, if it is latched */
} olo_event_switch;

enum { OLO_EVENT_VARIABLES_MAX = 16 };

typedef struct olo_system_event {
    const char *name;
    const char *where; /* the element in the model, for messages */
    int direction;     /* of the crossing: 1 rising, -1 falling, 0 either */
    bool closes;       /* one of the groups is switched on */
    bool end;          /* the run ends */
    int switch_count;
    const olo_event_switch *switches;
    double at; /* the condition is t - at, unless it is NaN; then ... */
    int variable_count;
    olo_event_variable variables[OLO_EVENT_VARIABLES_MAX];
    double (*condition)(const void *context, const double *x); /* ... it is this function of them */
    const void *context;
} olo_system_event;

/* Whether a piece is off at the beginning, since the first event that names it switches it on. */
bool olo_event_begins_off(const olo_system *system, olo_switched kind, int index);

/* Whether a condition reads reactions. */
bool olo_events_read_forces(const olo_system *system);

/* The condition of an event. */
double olo_event_condition(const olo_system *system, const olo_system_event *event,
                           const olo_state *state);

#endif
