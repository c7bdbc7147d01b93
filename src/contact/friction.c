/* The list of laws of friction. */
#include "contact/friction.h"

#include <math.h>
#include <string.h>

static const olo_friction *const laws[] = {&olo_friction_none, &olo_friction_coulomb,
                                           &olo_friction_contensou, &olo_friction_contensou_exact,
                                           &olo_friction_dry};

const char *const olo_friction_names[] = {"none", "coulomb", "contensou", "contensou-exact", NULL};

const olo_friction *olo_friction_number(int number)
{
    return number >= 0 && (unsigned)number < sizeof laws / sizeof *laws ? laws[number] : NULL;
}

const olo_friction *olo_friction_find(const char *name)
{
    for (int i = 0; olo_friction_number(i); i++)
        if (strcmp(laws[i]->name, name) == 0)
            return laws[i];
    return NULL;
}

olo_force_block olo_friction_block(const olo_contact_point *contact, int first, int normal,
                                   double duration)
{
    const olo_friction *law = contact->law;
    olo_force_block block = {.set = law->set,
                             .shape = &law->shape,
                             .first = first,
                             .size = contact->sliding_count,
                             .normal = -1};
    if (law->constant) {
        block.offset = duration * contact->friction;
    } else {
        block.normal = normal;
        block.friction = contact->friction;
    }
    return block;
}

double olo_friction_size(const olo_contact_point *contact, double normal, double duration)
{
    return contact->friction * (contact->law->constant ? duration : fmax(normal, 0.0));
}
