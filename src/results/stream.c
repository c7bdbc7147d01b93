/* A result file written to a stream in some format. */
#include "results/stream.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

olo_status olo_result_stream(const char *path, FILE *out,
                             olo_status (*write)(olo_result *result, FILE *out, olo_error *error),
                             olo_error *error)
{
    olo_result *result = NULL;
    olo_status status = olo_result_open(path, &result, error);
    if (status != OLO_OK)
        return status;
    errno = 0;
    status = write(result, out, error);
    if (status == OLO_OK && (fflush(out) != 0 || ferror(out))) {
        status = olo_fail(error, OLO_IO, "cannot write the table of '%s': %s", path,
                          strerror(errno != 0 ? errno : EIO));
    }
    olo_result_free(result);
    return status;
}
