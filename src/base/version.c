/* The version of the linked library, and its declarations. */
#include "oloid/version.h"

#include "base/declarations.h"

const char *olo_version(void)
{
    return OLO_VERSION;
}

const char *olo_declarations(void)
{
    return olo_declarations_text;
}
