/* All element types, in the order in which they are built. Elements to which others refer come
 * first. */
#include "elements/element.h"

const olo_element_type *const olo_element_types[] = {
    &olo_element_point,   &olo_element_body,    &olo_element_beam,   &olo_element_coordinates,
    &olo_element_mass,    &olo_element_support, &olo_element_joint,  &olo_element_relation,
    &olo_element_rod,     &olo_element_output,  &olo_element_spring, &olo_element_damper,
    &olo_element_contact, &olo_element_load,    &olo_element_event,  &olo_element_exact,
};

const int olo_element_type_count = (int)(sizeof olo_element_types / sizeof *olo_element_types);
