/* Checks that a command does not overwrite a file that it reads. Files are compared, not names, so
 * that links to a file are recognised. */
#ifndef OLO_CLI_OVERWRITE_H
#define OLO_CLI_OVERWRITE_H

#include "cli/load.h"

/* Fails with OLO_BAD_INPUT when `path` is the file `input`. `what` names the output and `read` the
 * input in the message: "the export would overwrite the result". */
olo_status cli_check_overwrite(const char *input, const char *read, const char *path,
                               const char *what, olo_error *error);

/* The same for the file from which the model was read, if there is one; `path` may be NULL. */
olo_status cli_check_model_overwrite(const cli_loaded *loaded, const char *path, const char *what,
                                     olo_error *error);

/* The same for all files of a result: itself, its journal and, with `report`, its report. */
olo_status cli_check_model_overwrite_by_result(const cli_loaded *loaded, const char *path,
                                               bool report, olo_error *error);

#endif
