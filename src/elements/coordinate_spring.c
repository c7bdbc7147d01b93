/* Springs and dampers along a joint coordinate x, an angle or a position:
 *
 *     1/2 k (x - rest)^2,      force c dx/dt
 *
 * A joint has one of each as its own keys; springs and dampers with the key `along` add others. */
#include <math.h>

#include "elements/relation_row.h"

static const olo_term *term_of(olo_builder *builder, int coordinate)
{
    return olo_build_system(builder)->joint_coordinates[coordinate].term;
}

olo_status olo_build_spring_along(olo_builder *builder, const char *owner, int coordinate,
                                  double stiffness, double rest)
{
    const olo_term *x = term_of(builder, coordinate);
    double c[2] = {stiffness, rest};
    if (isnan(rest))
        c[1] = olo_term_energy(x, olo_build_system(builder)->q0, NULL);
    return olo_build_coordinate_term(builder, owner, OLO_ROLE_STRAIN,
                                     x->law->angle ? &olo_law_angle_spring : &olo_law_spring, c,
                                     coordinate);
}

olo_status olo_build_damper_along(olo_builder *builder, const char *owner, int coordinate,
                                  double damping)
{
    if (damping < 0)
        return olo_builder_fail(builder, "damping", "must not be negative, got %g", damping);
    if (damping == 0)
        return OLO_OK;
    const olo_law *law =
        term_of(builder, coordinate)->law->angle ? &olo_law_angle_viscous : &olo_law_viscous;
    return olo_build_coordinate_term(builder, owner, OLO_ROLE_DISSIPATION, law, &damping,
                                     coordinate);
}
