/* The check that a struct came from its default function. */
#include "base/initialised.h"

#include "base/fail.h"

static const char *const names[] = {
    "",
#define OLO_STRUCT(NUMBER, name) #name,
#include "base/initialised.def"
#undef OLO_STRUCT
};

const char *olo_initialised_name(olo_initialised type)
{
    return names[type - OLO_INITIALISED_NONE];
}

olo_status olo_check_initialised(int given, olo_initialised expected, olo_error *error)
{
    if (given == (int)expected)
        return OLO_OK;
    const char *name = olo_initialised_name(expected);
    return olo_fail(error, OLO_BAD_INPUT, "olo_%s is not initialised: start from olo_%s_default()",
                    name, name);
}
