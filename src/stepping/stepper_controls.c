/* Controls of a stepper: numbers that replace the factor over time of a load, or the torque or
 * force of a joint or along its coordinate, in the steps that follow. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "stepping/step.h"

olo_status olo_stepper_set_control(olo_stepper *x, const char *name, double value, olo_error *error)
{
    const olo_system *s = x->system;
    const olo_term *along = olo_system_coordinate_term(s, name);
    int found = 0;
    if (!x->controls) {
        x->controls = olo_pool_alloc(&x->pool, (size_t)s->action_count, sizeof *x->controls);
        if (!x->controls)
            return olo_fail(error, OLO_NO_MEMORY, "out of memory for the controls");
        for (int i = 0; i < s->action_count; i++)
            x->controls[i] = NAN;
        x->step.inputs = x->controls;
    }
    for (int i = 0; i < s->action_count; i++)
        if (olo_action_belongs(&s->actions[i], name, along)) {
            x->controls[i] = value;
            found++;
        }
    if (found == 0)
        return olo_fail(error, OLO_NOT_FOUND,
                        "no load, no joint with a torque, force or controller, and no joint "
                        "coordinate with one is called '%s'",
                        name);
    return OLO_OK;
}
