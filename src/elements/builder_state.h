/* The struct of the builder, for the files that implement the functions of build.h. */
#ifndef OLO_ELEMENTS_BUILDER_STATE_H
#define OLO_ELEMENTS_BUILDER_STATE_H

#include "elements/builder.h"
#include "elements/initial_velocities.h"
#include "system/system.h"

struct olo_builder {
    olo_builder_setup setup;
    olo_error error;
    olo_system *system;
    /* The system whose structure is filled with other numbers, or NULL. `system` is then a copy of
     * it, and every function of build.h writes numbers into the existing piece. */
    const olo_system *pattern;
    int relative_count;
    olo_relative_velocity *relative; /* supports and joints in the order of the file */
    struct {
        size_t nodes, q0, v0, v0_given, coordinates, mass, terms, groups, constraints, joints,
            joint_coordinates, measures, drives, actions, body_points, contexts, outputs, reactions,
            exacts, drawables, beams, contacts, events, mass_functions, relative;
    } capacity;
};

#endif
