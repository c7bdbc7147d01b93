/* The initial rates of the coordinates of a joint. A coordinate whose motion x(t) is prescribed has
 * one rate, x'(0); `rate`, `rate2` or `sliding` may repeat it but not say otherwise.
 */
#include "elements/joint_start.h"

#include <math.h>
#include <string.h>

#include "elements/relation_row.h"
#include "linalg/vec3.h"

/* Rates and axes may be written with so many digits. */
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

/* Does the motion act on this coordinate? A motion of a joint with several that does not say which
 * is refused later. */
static bool is_moved(const olo_joint *joint, int count, const char *kind)
{
    return joint->coordinate ? strcmp(joint->coordinate, kind) == 0 : count == 1;
}

olo_status olo_joint_start_rates(olo_builder *builder, const olo_joint *joint, int count,
                                 const olo_start_rate *coordinate, olo_started *start)
{
    double speed;
    olo_status status = olo_motion_start_rate(builder, "motion", joint->motion, &speed);
    for (int i = 0; status == OLO_OK && i < count; i++) {
        const olo_start_rate *x = &coordinate[i];
        start[i] = (olo_started){.rate = x->given, .said = x->given != 0};
        if (!olo_signal_is_given(joint->motion) || !is_moved(joint, count, x->kind))
            continue;
        if (x->given != 0 && !olo_joint_rates_agree(x->given, speed))
            return olo_builder_fail(builder, x->key,
                                    "gives the %s of '%s' an initial rate of %.10g, but its motion "
                                    "starts with a rate of %.10g; leave '%s' out, the motion says "
                                    "how the joint starts",
                                    x->kind, joint->name, x->given, speed, x->key);
        start[i] = (olo_started){.rate = speed, .said = true};
    }
    return status;
}
