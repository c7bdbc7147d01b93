/* What the linked library is: its version, and what it declares. */
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
