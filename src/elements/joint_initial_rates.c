/* The initial rates of the coordinates of a joint. A coordinate with a prescribed motion x(t) has
 * the rate x'(0); `rate`, `rate2` or `sliding` must agree with it if they are given. */
#include "elements/joint_initial_rates.h"

#include <math.h>
#include <string.h>

#include "elements/relation_row.h"
#include "linalg/vec3.h"

/* Relative accuracy to which users write rates and axes. */
static const double digits = 1e-9;

double olo_joint_sliding_along(const olo_joint *joint, const double axis[3])
{
    double along = vec3_dot(joint->sliding, axis);
    return fabs(along) > digits * vec3_norm(joint->sliding) ? along : 0;
}

bool olo_joint_rates_agree(double a, double b)
{
    return fabs(a - b) <= digits * fmax(fabs(a), fabs(b));
}

/* Whether the motion acts on this coordinate. A joint with several coordinates and a motion that
 * names none is refused later. */
static bool is_prescribed(const olo_joint *joint, int count, const char *kind)
{
    return joint->coordinate ? strcmp(joint->coordinate, kind) == 0 : count == 1;
}

olo_status olo_joint_find_initial_rates(olo_builder *builder, const olo_joint *joint, int count,
                                        const olo_given_rate *coordinate, olo_initial_rate *initial)
{
    double speed;
    olo_status status = olo_motion_initial_rate(builder, "motion", joint->motion, &speed);
    for (int i = 0; status == OLO_OK && i < count; i++) {
        const olo_given_rate *x = &coordinate[i];
        initial[i] = (olo_initial_rate){.rate = x->given, .known = x->given != 0};
        if (!olo_signal_is_given(joint->motion) || !is_prescribed(joint, count, x->kind))
            continue;
        if (x->given != 0 && !olo_joint_rates_agree(x->given, speed))
            return olo_builder_fail(
                builder, x->key,
                "gives the %s of '%s' an initial rate of %.10g, but its motion "
                "has the initial rate %.10g; leave '%s' out, because the motion "
                "determines it",
                x->kind, joint->name, x->given, speed, x->key);
        initial[i] = (olo_initial_rate){.rate = speed, .known = true};
    }
    return status;
}
