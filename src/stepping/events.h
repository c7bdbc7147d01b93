/* Events during a run (system/event.h): the mode of the system, the location of events within a
 * step, and what they change.
 *
 * A step in which a condition changes its sign is made again with a shorter length until it ends at
 * the crossing. Then the event happens: groups, actions and contacts are switched, which gives
 * another mode (kinematics/mode.h) with a stepper of its own; velocities change by a plastic impact
 * if a group closes; and the rest of the step follows. If the tolerance of the run chooses the
 * steps, a step ends at the event, and the choice begins anew after it. Each event happens once, so
 * that a run ends in bounded time; two events of one time must not undo each other. Which events
 * have happened, and in which order, is a segment of the state, and so are the constants of groups
 * that have been latched (kinematics/latch.h): they determine the mode, and a resumed run has the
 * bits of an uninterrupted one. */
#ifndef OLO_STEPPING_EVENTS_H
#define OLO_STEPPING_EVENTS_H

#include "kinematics/mode.h"
#include "stepping/step.h"

typedef struct olo_events {
    const olo_system *system; /* with all groups and actions */
    const olo_run *run;
    olo_system *mode;       /* the present mode ... */
    olo_stepper *stepper;   /* ... and its stepper */
    olo_step_report report; /* of the whole step */
    bool ended;             /* an event has ended the run */
    bool forces_on_demand;  /* neither conditions nor observers read forces of steps */
    olo_state *start;       /* of the step */
    olo_pool pool;          /* memory of the arrays below */
    double *before;         /* [events] conditions at its start */
    double *time;           /* [events] when they have happened in this run; NaN before */
    double instant;         /* times that differ by less than this are equal */
    olo_mode_switches switches;
    /* Called after an event; may be NULL. */
    void (*happened)(void *context, const olo_system_event *event, const olo_state *state);
    void *context;
} olo_events;

/* The mode and stepper of a state of a system with events; `observed`: observers read forces. */
olo_status olo_events_create(olo_events *events, const olo_system *system, const olo_run *run,
                             bool observed, olo_state *state, olo_error *error);
void olo_events_free(olo_events *events);

/* Advances the state by h, or to the event that ends the run. */
olo_status olo_events_advance(olo_events *events, olo_state *state, double h, olo_error *error);
/* With run.tolerance: one step of at most `longest`, to the first event in it. */
olo_status olo_events_step_adaptive(olo_events *events, olo_state *state, double longest,
                                    olo_error *error);

/* The mode in which a system with events begins, owned by the caller. */
olo_status olo_events_create_first_mode(const olo_system *system, olo_system **mode,
                                        olo_error *error);

/* Fails if a system has events; `what` cannot handle them. */
olo_status olo_events_refuse(const olo_system *system, const char *what, olo_error *error);

#endif
