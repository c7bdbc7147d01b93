/* Joint coordinates of a state: values, rates, and angles with full turns. */
#include "system/coordinate.h"

#include <string.h>

#include "system/system.h"

int olo_system_joint_coordinate_count(const olo_system *system)
{
    return system->joint_coordinate_count;
}

const char *olo_system_joint_coordinate_name(const olo_system *system, int index)
{
    return system->joint_coordinates[index].name;
}

bool olo_system_joint_coordinate_is_angle(const olo_system *system, int index)
{
    return olo_joint_coordinate_is_angle(&system->joint_coordinates[index]);
}

int olo_system_find_joint_coordinate(const olo_system *system, const char *name)
{
    for (int i = 0; i < system->joint_coordinate_count; i++)
        if (strcmp(system->joint_coordinates[i].name, name) == 0)
            return i;
    return -1;
}

const olo_term *olo_system_coordinate_term(const olo_system *system, const char *name)
{
    const int found = olo_system_find_joint_coordinate(system, name);
    return found >= 0 ? system->joint_coordinates[found].term : NULL;
}

bool olo_action_belongs(const olo_action *action, const char *name, const olo_term *along)
{
    return (action->owner && strcmp(action->owner, name) == 0) ||
           (along && action->coordinate == along);
}

double olo_system_joint_coordinate_value(const olo_system *system, const olo_state *state,
                                         int index)
{
    return olo_term_energy(system->joint_coordinates[index].term, state->q, state->angles);
}

double olo_system_joint_coordinate_rate(const olo_system *system, const olo_state *state, int index)
{
    const olo_term *term = system->joint_coordinates[index].term;
    double gradient[OLO_FORM_SIZE_MAX], rate = 0;
    olo_term_gradient(term, state->q, state->angles, gradient);
    for (int i = 0; i < term->size; i++)
        rate += gradient[i] * state->v[term->index[i]];
    return rate;
}

int olo_system_drive_count(const olo_system *system)
{
    return system->drive_count;
}

int olo_system_drive_coordinate(const olo_system *system, int index)
{
    return system->drives[index].coordinate;
}

double olo_system_drive_force(const olo_system *system, const olo_state *state, int index)
{
    (void)system;
    return state->drive_force[index];
}

/* The multiplier of x - f(t) = 0 is the force -lambda along x. */
void olo_state_set_drive_forces(const olo_system *system, olo_state *state, const double *lambda)
{
    for (int i = 0; i < system->drive_count; i++)
        state->drive_force[i] = -lambda[system->drives[i].row];
}

double olo_system_drive_work(const olo_system *system, const olo_state *state, int index)
{
    (void)system;
    return state->drive_work[index];
}

void olo_state_follow_angles(const olo_system *system, olo_state *state)
{
    state->turned = 0;
    for (int i = 0; i < system->joint_coordinate_count; i++) {
        const olo_term *term = system->joint_coordinates[i].term;
        if (term->law->angle)
            state->angles[i] =
                olo_angle_near(olo_form_value(&term->form[0], state->q),
                               olo_form_value(&term->form[1], state->q), state->angles[i]);
    }
}
