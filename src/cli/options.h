/* Options and arguments of a command. Options are a constant table that says where in the command's
 * own struct each value belongs; the same table writes the help.
 *
 * Accepted: `--option value`, `--option=value`, `-o value`, `-ovalue`, options and arguments in any
 * order; `--` ends the options. Options are never abbreviated: a misspelt one gets a suggestion. */
#ifndef OLO_CLI_OPTIONS_H
#define OLO_CLI_OPTIONS_H

#include <stddef.h>

typedef enum cli_kind {
    CLI_FLAG, /* a bool */
    CLI_TEXT, /* a const char *; the last one counts */
    CLI_LIST, /* a cli_list; may be given several times */
} cli_kind;

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* short form, or 0 */
    cli_kind kind;
    size_t field;      /* offset of the value in the command's struct */
    const char *value; /* what the value is called: "FILE"; NULL for a flag */
    const char *help;  /* further lines are indented by help */
} cli_option;

/* Words of the command line, in order. */
typedef struct cli_list {
    char **items;
    int count;
} cli_list;

/* Returned by functions that check options when the command is to continue; else they return the
 * exit code, after a message. */
enum { CLI_CONTINUE = -1 };

#endif
