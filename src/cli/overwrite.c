/* Compares the files that are read with those that would be written. */
#include "cli/overwrite.h"

#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/report_path.h"
#include "cli/resume.h"

olo_status cli_check_overwrite(const char *input, const char *read, const char *path,
                               const char *what, olo_error *error)
{
    struct stat from, to;
    if (stat(input, &from) == 0 && stat(path, &to) == 0 && from.st_dev == to.st_dev &&
        from.st_ino == to.st_ino) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "%s: the %s would overwrite the %s; give another file", path, what, read);
    }
    return OLO_OK;
}

olo_status cli_check_model_overwrite(const cli_loaded *loaded, const char *path, const char *what,
                                     olo_error *error)
{
    return loaded->file != NULL && path != NULL
               ? cli_check_overwrite(loaded->file, "model", path, what, error)
               : OLO_OK;
}

olo_status cli_check_model_overwrite_by_result(const cli_loaded *loaded, const char *path,
                                               bool report, olo_error *error)
{
    if (path == NULL)
        return OLO_OK;
    char *partial = cli_partial_path(path);
    char *page = cli_report_path(path, "report.html");
    olo_status status = partial != NULL && page != NULL
                            ? cli_check_model_overwrite(loaded, path, "result", error)
                            : olo_fail(error, OLO_NO_MEMORY, "out of memory");
    if (status == OLO_OK)
        status = cli_check_model_overwrite(loaded, partial, "journal of the run", error);
    if (status == OLO_OK && report)
        status = cli_check_model_overwrite(loaded, page, "report", error);
    olo_free(partial);
    olo_free(page);
    return status;
}
