/* Modes of a system; see the header. */
#include "kinematics/mode.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/analysis.h"
#include "kinematics/latch.h"
#include "system/copy.h"

/* g = 0 on no coordinates. A piece that is switched off still has its list of coordinates, of which
 * it uses none: its first one still says to which part of the system it belongs. */
static const olo_form empty_form = {.size = 0};

static void switch_row_off(olo_constraint *row)
{
    *row = (olo_constraint){.type = &olo_constraint_form, .form = &empty_form, .index = row->index};
}

static void switch_group_off(olo_system *mode, olo_group *group)
{
    for (int i = 0; i < group->count; i++)
        switch_row_off(&mode->constraints[group->first + i]);
    group->joint = -1;
    group->hinge[0] = group->hinge[1] = -1;
}

static void switch_action_off(olo_action *action)
{
    *action = (olo_action){.type = &olo_action_dead_force,
                           .owner = action->owner,
                           .number = action->number,
                           .index = action->index};
}

olo_status olo_system_create_mode(const olo_system *system, const olo_mode_switches *switches,
                                  const double *q, olo_system **mode, olo_error *error)
{
    const size_t groups = (size_t)system->group_count;
    olo_system *made = *mode = olo_system_copy(system, true);
    bool *active = olo_alloc(groups + 1, sizeof *active);
    olo_status status = OLO_OK;
    if (!made || !active || !olo_system_finish_numbers(made))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a mode of the system");
    for (int i = 0; status == OLO_OK && i < system->group_count; i++) {
        olo_group *group = &made->groups[i];
        active[i] = group->internal || group->carried || !switches->groups_off[i];
        if (!active[i])
            switch_group_off(made, group);
        else if (switches->latched[i] && !olo_latch(system, group, switches->latched[i], made))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a mode of the system");
    }
    for (int i = 0; status == OLO_OK && i < system->action_count; i++)
        if (switches->actions_off[i])
            switch_action_off(&made->actions[i]);
    for (int i = 0; status == OLO_OK && i < system->contact_count; i++)
        made->contacts[i].off = switches->contacts_off[i];
    if (status == OLO_OK) {
        memcpy(made->q0, q, (size_t)system->n * sizeof *q);
        made->is_mode = true;
        status = olo_system_analyse_mode(made, active, error);
    }
    olo_free(active);
    if (status != OLO_OK) {
        olo_system_free(made);
        *mode = NULL;
    }
    return status;
}
