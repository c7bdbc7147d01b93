/* The registry of laws. A new law is one new file and one line here. */
#include "system/law.h"

#include <stddef.h>

static const olo_law *const laws[] = {
    &olo_law_linear,
    &olo_law_distance,
    &olo_law_viscous,
    &olo_law_distance_viscous,
    &olo_law_length,
    &olo_law_general,
    &olo_law_spring,
    &olo_law_stop,
    &olo_law_angle_linear,
    &olo_law_angle_spring,
    &olo_law_angle_viscous,
    &olo_law_angle_stop,
    &olo_law_elastic,
    &olo_law_elastic_coupled,
    &olo_law_strain_rate,
    &olo_law_rod_elastic,
    &olo_law_rod_elastic_coupled,
    &olo_law_rod_strain_rate,
    &olo_law_rod_general,
};

const olo_law *olo_law_number(int number)
{
    return number >= 0 && (size_t)number < sizeof laws / sizeof laws[0] ? laws[number] : NULL;
}
