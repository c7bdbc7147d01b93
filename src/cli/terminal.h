/* Properties of the terminal behind a stream. Nothing is coloured when the stream is not a
 * terminal, when NO_COLOR is set (https://no-color.org) or when TERM is unset or "dumb". */
#ifndef OLO_CLI_TERMINAL_H
#define OLO_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum cli_colour { CLI_PLAIN, CLI_MUTED, CLI_GOOD, CLI_AMBER, CLI_BAD } cli_colour;

/* Whether the stream is a terminal. */
bool cli_is_terminal(FILE *stream);

/* Whether a line of the stream can be redrawn: a terminal that is not dumb. */
bool cli_can_redraw(FILE *stream);

/* The escape sequence that begins a colour, CLI_PLAIN ends it; "" where nothing is coloured. */
const char *cli_colour_code(FILE *stream, cli_colour colour);

/* Number of columns of the terminal behind a stream; 80 when it is unknown. */
int cli_terminal_width(FILE *stream);

#endif
