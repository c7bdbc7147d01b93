/* Functions of the model that are not defined in a step: the first load, drive or prescribed motion
 * that is not a finite number, with the bodies at the start of the step. */
#include <math.h>

#include "base/memory.h"
#include "linalg/vector.h"
#include "stepping/step.h"

const char *olo_step_find_undefined(const olo_step *step)
{
    const olo_system *s = step->system;
    double *still = olo_alloc((size_t)s->n, sizeof *still);
    const char *found = NULL;
    olo_interval x = olo_step_interval(step);
    x.q1 = x.qm = x.q0;
    x.dq = still;
    for (int i = 0; still && !found && i < s->action_count; i++) {
        double f[OLO_ACTION_SIZE_MAX];
        olo_evaluate_action(&s->actions[i], &x, f, NULL);
        if (!olo_all_finite((size_t)s->actions[i].size, f))
            found = s->actions[i].owner;
    }
    for (int c = 0; !found && c < s->m; c++) {
        const olo_time_function *motion = &s->constraints[c].time;
        if (motion->value && !isfinite(motion->value(motion->context, step->t + step->h)))
            found = s->groups[olo_system_group_of(s, c)].name;
    }
    olo_free(still);
    return found;
}
