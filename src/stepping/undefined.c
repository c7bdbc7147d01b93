/* Numbers that are not finite, and functions of the model that are not defined in a step: the first
 * load, drive or prescribed motion that is not a finite number, with the bodies at the start of the
 * step. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stepping/step.h"

int olo_first_not_finite(int count, const double *x)
{
    typedef double pair __attribute__((vector_size(16)));
    pair zero = {0, 0}, also = {0, 0}; /* 0 * x is NaN for infinite and NaN x */
    const int whole = count - count % 4;
    for (int i = 0; i < whole; i += 4) {
        pair a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + 2, sizeof b);
        zero += 0.0 * a;
        also += 0.0 * b;
    }
    zero += also;
    int from = zero[0] + zero[1] == 0 ? whole : 0;
    for (int i = from; i < count; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

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
        if (olo_first_not_finite(s->actions[i].size, f) >= 0)
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
