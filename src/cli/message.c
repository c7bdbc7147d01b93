/* Messages on stderr, and closing stdout at the end. */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

enum { LINE_SIZE = OLO_ERROR_TEXT_SIZE + 256 };

static void write_line(char *text)
{
    for (char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7f)
            *c = '?';
    }
    (void)fprintf(stderr, "oloid: %s\n", text);
}

void cli_message(const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    write_line(text);
}

int cli_fail(const olo_error *error)
{
    cli_message("%s", error->text[0] != '\0' ? error->text : olo_status_text(error->status));
    return olo_status_exit_code(error->status);
}

int cli_usage(const struct cli_command *command, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (command != NULL)
        cli_message("%s (see 'oloid %s --help')", text, command->name);
    else
        cli_message("%s (see 'oloid --help')", text);
    return CLI_USAGE;
}

int cli_no_memory(void)
{
    const olo_error error = {.status = OLO_NO_MEMORY};
    return cli_fail(&error);
}

int cli_close_output(int code)
{
    const int failed_before = ferror(stdout);
    errno = 0;
    const int failed_now = fclose(stdout);
    if (!failed_before && !failed_now)
        return code;
    if (errno != EPIPE && code == CLI_OK) { // an earlier failure has been reported
        cli_message("cannot write to standard output: %s",
                    errno != 0 ? strerror(errno) : olo_status_text(OLO_IO));
    }
    return code != CLI_OK ? code : CLI_IO;
}
