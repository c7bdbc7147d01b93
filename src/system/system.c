/* Systems: freeing, queries about the structure, and points on bodies given by names. */
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "linalg/vec3.h"
#include "system/diagnostics.h"

static void free_time(olo_time_function *time)
{
    if (time->free)
        time->free(time->context);
}

/* Frees the data that systems of one structure share. */
static void free_structure(olo_system *system)
{
    if (system->base) {
        olo_system_free((olo_system *)system->base);
        return;
    }
    olo_free(system->coordinates);
    olo_free(system->reactions);
    olo_free(system->node_part);
    olo_names_free(&system->node_names);
}

void olo_system_free(olo_system *system)
{
    if (!system || atomic_fetch_sub(&system->users, 1) > 1)
        return;
    if (system->free_analysis)
        system->free_analysis(system);
    for (int i = 0; i < system->action_count; i++)
        free_time(&system->actions[i].time);
    for (int i = 0; i < system->m; i++)
        free_time(&system->constraints[i].time);
    for (int i = 0; i < system->context_count; i++)
        system->contexts[i].free(system->contexts[i].context);
    void *const lists[] = {
        system->nodes,         system->mass,      system->frames,      system->terms,
        system->groups,        system->joints,    system->constraints, system->joint_coordinates,
        system->measures,      system->drives,    system->actions,     system->body_points,
        system->contexts,      system->beams,     system->outputs,     system->exacts,
        system->drawables,     system->q0,        system->v0,          system->v0_given,
        system->implied,       system->row_scale, system->contacts,    system->events,
        system->mass_functions};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        olo_free(lists[i]);
    olo_ledger_simd_free(system->ledger_simd);
    free_structure(system);
    olo_pool_free(&system->pool);
    olo_free(system);
}

int olo_system_node_count(const olo_system *system)
{
    return system->node_count;
}

const char *olo_system_node_name(const olo_system *system, int node)
{
    return system->nodes[node].name;
}

bool olo_system_node_is_body(const olo_system *system, int node)
{
    return olo_node_turns(&system->nodes[node]);
}

int olo_system_node_offset(const olo_system *system, int node)
{
    return system->nodes[node].q;
}

const olo_beam_line *olo_system_find_beam(const olo_system *system, const char *name)
{
    for (int i = 0; i < system->beam_count; i++)
        if (strcmp(system->beams[i].name, name) == 0)
            return &system->beams[i];
    return NULL;
}

/* The node `start`, `middle` or `end` of a beam, or a node by number from 1; -1: there is none. */
static int node_of_beam(const olo_beam_line *beam, const char *which)
{
    char *end;
    if (strcmp(which, "start") == 0)
        return beam->nodes[0];
    if (strcmp(which, "end") == 0)
        return beam->nodes[beam->node_count - 1];
    if (strcmp(which, "middle") == 0)
        return beam->node_count % 2 ? beam->nodes[beam->node_count / 2] : -1;
    long number = *which >= '1' && *which <= '9' ? strtol(which, &end, 10) : 0;
    return number >= 1 && number <= beam->node_count && *end == 0 ? beam->nodes[number - 1] : -1;
}

/* The beam in a name such as `beam.3`, and the position of the dot; NULL: there is none. */
static const olo_beam_line *beam_of(const olo_system *system, const char *name, const char **dot)
{
    *dot = strchr(name, '.');
    for (int i = 0; *dot && i < system->beam_count; i++) {
        size_t length = (size_t)(*dot - name);
        if (strncmp(system->beams[i].name, name, length) == 0 && !system->beams[i].name[length])
            return &system->beams[i];
    }
    return NULL;
}

int olo_system_find_node(const olo_system *system, const char *name)
{
    const char *dot;
    const olo_beam_line *beam = beam_of(system, name, &dot);
    if (beam)
        return node_of_beam(beam, dot + 1);
    const int *node = olo_names_find(&system->node_names, name);
    return node ? *node : -1;
}

int olo_system_coordinate_count(const olo_system *system)
{
    return system->n;
}

int olo_system_group_count(const olo_system *system)
{
    return system->group_count;
}

const char *olo_system_group_name(const olo_system *system, int group)
{
    return system->groups[group].name;
}

int olo_system_group_first(const olo_system *system, int group)
{
    return system->groups[group].first;
}

int olo_system_group_row_count(const olo_system *system, int group)
{
    return system->groups[group].count;
}

bool olo_system_group_internal(const olo_system *system, int group)
{
    return system->groups[group].internal;
}

int olo_system_group_of(const olo_system *system, int row)
{
    int i = 0;
    while (row >= system->groups[i].first + system->groups[i].count)
        i++;
    return i;
}

int olo_system_output_count(const olo_system *system)
{
    return system->output_count;
}

const char *olo_system_output_name(const olo_system *system, int output)
{
    return system->outputs[output].name;
}

int olo_system_contact_count(const olo_system *system)
{
    return system->contact_count;
}

const char *olo_system_contact_name(const olo_system *system, int index)
{
    return system->contacts[index].name;
}

void olo_system_contact(const olo_system *system, const olo_state *state, int index,
                        olo_contact_state *contact)
{
    const olo_contact_record *record = &state->contacts[index];
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    const olo_contact_point *point = &system->contacts[index];
    const bool gap = olo_contact_has_gap(point);
    contact->gap = gap ? olo_constraint_value(&point->gap, &at) : 0;
    contact->closed =
        gap && record->off == 0 &&
        contact->gap <= OLO_CLOSED_GAP * olo_contact_unit(point, system->length_scale);
    vec3_copy(record->force, contact->force);
    contact->normal = record->normal;
    contact->friction = record->friction;
    contact->torque = record->torque;
    contact->impulse = record->impulse;
    olo_contact_touching_point(&system->contacts[index], state->q, contact->position);
    contact->sticking = record->sticking != 0;
    contact->frictional = system->contacts[index].sliding_count > 0;
    contact->off = record->off != 0;
    contact->guarded = record->guarded != 0;
}

int olo_system_reaction_count(const olo_system *system)
{
    return system->reaction_count;
}

const char *olo_system_reaction_name(const olo_system *system, int reaction)
{
    return system->reactions[reaction].name;
}

void olo_system_reaction(const olo_system *system, const olo_state *state, int index,
                         double force[3], double moment[3])
{
    (void)system;
    vec3_copy(state->reactions + 6 * index, force);
    vec3_copy(state->reactions + 6 * index + 3, moment);
}

int olo_system_invariant_count(const olo_system *system)
{
    (void)olo_system_measure(system);
    return system->invariant_count;
}

const olo_invariant *olo_system_invariant(const olo_system *system, int index)
{
    return &system->invariants[index];
}

/* Position of a point node; relative coordinates are added to the nodes of their origins. */
static bool node_position(const olo_system *system, int node, olo_position *position)
{
    *position = olo_position_slot(system->nodes[node].q);
    for (int b = system->nodes[node].base; b >= 0; b = system->nodes[b].base) {
        olo_position base = olo_position_slot(system->nodes[b].q);
        if (!olo_position_add(position, 1.0, &base))
            return false;
    }
    return true;
}

static const double *find_body_point(const olo_system *system, int node, const char *name)
{
    for (int i = 0; i < system->body_point_count; i++)
        if (system->body_points[i].node == node && strcmp(system->body_points[i].name, name) == 0)
            return system->body_points[i].at;
    return NULL;
}

/* The error "no point or body is called 'x'", with the nearest name as a suggestion. */
static olo_status unknown_name(const olo_system *system, const char *name, olo_error *error)
{
    const char **names = olo_alloc((size_t)system->node_count + 1, sizeof *names);
    if (!names)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    for (int i = 0; i < system->node_count; i++)
        names[i] = system->nodes[i].name;
    names[system->node_count] = "ground";
    if (strcmp(name, "world") == 0 || strcmp(name, "space") == 0 || strcmp(name, "earth") == 0) {
        olo_free(names);
        return olo_fail(error, OLO_BAD_INPUT,
                        "no point or body is called '%s': the space itself is 'ground'", name);
    }
    const char *near = olo_suggest(name, names, (size_t)system->node_count + 1);
    olo_status status =
        near ? olo_fail(error, OLO_BAD_INPUT, "no point or body is called '%s', did you mean '%s'?",
                        name, near)
             : olo_fail(error, OLO_BAD_INPUT, "no point or body is called '%s'", name);
    olo_free(names);
    return status;
}

static olo_status unknown_beam_node(const olo_beam_line *beam, olo_error *error)
{
    return olo_fail(error, OLO_BAD_INPUT,
                    "name a node of beam '%s': '%s.1' to '%s.%d', '%s.start' or '%s.end'",
                    beam->name, beam->name, beam->name, beam->node_count, beam->name, beam->name);
}

olo_status olo_system_resolve(const olo_system *system, const olo_point_on_body *point,
                              olo_position *position, int *node, olo_error *error)
{
    if (node)
        *node = -1;
    if (!point->on || !*point->on || strcmp(point->on, "ground") == 0) {
        *position = olo_position_fixed(point->at);
        return OLO_OK;
    }
    /* split the name of a point at its dot; `beam.3` is the name of a node */
    char owner[130];
    const char *name = point->on, *dot;
    const olo_beam_line *beam = beam_of(system, name, &dot);
    if (beam)
        dot = NULL;
    if (dot) {
        snprintf(owner, sizeof owner, "%.*s", (int)(dot - name), name);
        name = owner;
    }
    int found = olo_system_find_node(system, name);
    if (found < 0 && (beam || olo_system_find_beam(system, name)))
        return unknown_beam_node(beam ? beam : olo_system_find_beam(system, name), error);
    if (found < 0)
        return unknown_name(system, name, error);
    if (node)
        *node = found;
    /* the position of a point mass, or of a point on a body */
    const olo_node *n = &system->nodes[found];
    if (n->type->position < 0)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' has no position: name a body or a point", name);
    if (!n->type->spatial) {
        if (dot || vec3_norm(point->at) > 0)
            return olo_fail(error, OLO_BAD_INPUT,
                            "'%s' is a point mass: it has no points of its own and no 'at'", name);
        if (!node_position(system, found, position))
            return olo_fail(error, OLO_BAD_INPUT, "'%s': the chain of relative_to is too long",
                            name);
        return OLO_OK;
    }
    double at[3];
    vec3_copy(point->at, at);
    if (dot) {
        const double *named = find_body_point(system, found, dot + 1);
        if (!named)
            return olo_fail(error, OLO_BAD_INPUT, "body '%s' has no point called '%s'", name,
                            dot + 1);
        vec3_add(1.0, named, at);
    }
    *position = olo_position_on_frame(n->q, at);
    return OLO_OK;
}

olo_status olo_system_point_on_body(const olo_system *system, const olo_state *state,
                                    const olo_point_on_body *point, double position[3],
                                    double velocity[3], olo_error *error)
{
    olo_position p;
    olo_status status = olo_system_resolve(system, point, &p, NULL, error);
    if (status != OLO_OK)
        return status;
    if (position)
        olo_position_value(&p, state->q, position);
    if (velocity)
        olo_position_linear(&p, state->v, velocity);
    return OLO_OK;
}

void olo_system_output(const olo_system *system, const olo_state *state, int index,
                       double position[3], double velocity[3], double acceleration[3])
{
    const olo_position *p = &system->outputs[index].position;
    if (position)
        olo_position_value(p, state->q, position);
    if (velocity)
        olo_position_linear(p, state->v, velocity);
    if (acceleration) {
        double before[3], after[3];
        olo_position_linear(p, state->v_before, before);
        olo_position_linear(p, state->v, after);
        for (int i = 0; i < 3; i++)
            acceleration[i] = state->span != 0 ? (after[i] - before[i]) / state->span : 0.0;
    }
}
