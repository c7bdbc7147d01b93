/* A command never writes over the file that it reads. Files are compared, not names: links to a
 * file count as the file. */
#ifndef OLO_CLI_OVERWRITE_H
#define OLO_CLI_OVERWRITE_H

#include "cli/load.h"

/* OLO_BAD_INPUT when `path` is the file `input`. The message calls what is written `what`, and
 * `input` `read`: "the export would overwrite the result". A file that does not exist is never the
 * same. */
olo_status cli_check_overwrite(const char *input, const char *read, const char *path,
                               const char *what, olo_error *error);

/* The same for the file that the model was read from, if there is one; `path` may be NULL. */
olo_status cli_check_model_stays(const cli_loaded *loaded, const char *path, const char *what,
                                 olo_error *error);

/* The same for all files of a result: itself, its journal and, with `report`, its report. */
olo_status cli_check_model_stays_beside(const cli_loaded *loaded, const char *path, bool report,
                                        olo_error *error);

#endif
