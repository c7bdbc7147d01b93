/* The list of laws of friction. */
#include "contact/friction.h"

#include <string.h>

static const olo_friction *const laws[] = {&olo_friction_none, &olo_friction_coulomb,
                                           &olo_friction_contensou, &olo_friction_contensou_exact};

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
