/* The smallest program against an installed Oloid. */
#include <oloid/status.h>
#include <oloid/version.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("oloid %s: %s\n", olo_version(), olo_status_text(OLO_OK));
    return strcmp(olo_version(), OLO_VERSION) == 0 ? 0 : 1;
}
