/* How the command speaks on stderr: one line a message, `oloid: ` before it. */
#ifndef OLO_CLI_SAY_H
#define OLO_CLI_SAY_H

#include "base/fail.h"

struct cli_command;

/* Exit codes beside those of the statuses (errors.def). */
enum { CLI_OK = 0, CLI_USAGE = 2, CLI_LAW_BROKEN = 3, CLI_IO = 4, CLI_LAW_WARNED = 6 };

/* A line on stderr. Control characters, which a file name may bring in, become '?'. */
void cli_say(const char *format, ...) OLO_PRINTF(1, 2);

/* Tells an error and returns the exit code of its status. */
int cli_fail(const olo_error *error);

/* Tells a wrong use of the command line, with a hint where help is, and returns CLI_USAGE.
 * `command` is NULL when no command is known yet. */
int cli_usage(const struct cli_command *command, const char *format, ...) OLO_PRINTF(2, 3);

/* Tells that memory is out and returns the exit code. */
int cli_no_memory(void);

/* Flushes and closes stdout. Returns `code`, or CLI_IO after a message when stdout could not be
 * written; a reader that went away is no news. */
int cli_close_output(int code);

#endif
