/* Messages on stderr: one line per message, which begins with `oloid: `. */
#ifndef OLO_CLI_MESSAGE_H
#define OLO_CLI_MESSAGE_H

#include "base/fail.h"

struct cli_command;

/* Exit codes beside those of the statuses (errors.def). */
enum { CLI_OK = 0, CLI_USAGE = 2, CLI_LAW_BROKEN = 3, CLI_IO = 4, CLI_LAW_WARNED = 6 };

/* Prints a line on stderr. Control characters, which a file name may contain, become '?'. */
void cli_message(const char *format, ...) OLO_PRINTF(1, 2);

/* Prints an error and returns the exit code of its status. */
int cli_fail(const olo_error *error);

/* Prints a usage error with a hint to the help and returns CLI_USAGE.
 * `command` is NULL when no command is known yet. */
int cli_usage(const struct cli_command *command, const char *format, ...) OLO_PRINTF(2, 3);

/* Reports that the process is out of memory and returns the exit code. */
int cli_no_memory(void);

/* Flushes and closes stdout. Returns `code`, or CLI_IO after a message when stdout could not be
 * written. When the reader closed the pipe, no message is printed. */
int cli_close_output(int code);

#endif
