/* Properties of the terminal. */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 80 };

bool cli_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool cli_can_redraw(FILE *stream)
{
    const char *term = getenv("TERM");
    return cli_is_terminal(stream) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

const char *cli_colour_code(FILE *stream, cli_colour colour)
{
    static const char *const codes[] = {
        [CLI_PLAIN] = "\033[0m",  [CLI_MUTED] = "\033[2m",  [CLI_GOOD] = "\033[32m",
        [CLI_AMBER] = "\033[33m", [CLI_BAD] = "\033[1;31m",
    };
    const char *no_color = getenv("NO_COLOR");
    const bool refused = no_color != NULL && no_color[0] != '\0';
    return !refused && cli_can_redraw(stream) ? codes[colour] : "";
}

int cli_terminal_width(FILE *stream)
{
    struct winsize size = {0};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return DEFAULT_WIDTH;
}
