/* The version the library was built as; a caller compares it with OLO_VERSION of its headers. */
#include "oloid/version.h"

const char *olo_version(void)
{
    return OLO_VERSION;
}
