/* The registry of joint types. */
#include "kinematics/joint.h"

#include <string.h>

static const olo_joint_type *const types[] = {&olo_joint_grounded, &olo_joint_rod};

const olo_joint_type *olo_joint_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}
