/* A subcommand of `oloid`: its help text, its options and the function that runs it. Each command
 * is a constant in its own file and one line in the table of commands.c. */
#ifndef OLO_CLI_COMMAND_H
#define OLO_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"

/* A command line, read by the options of its command. */
typedef struct cli_call {
    void *options;        /* the struct of the command */
    const char *argument; /* NULL: absent */
    const char *command;  /* the whole line, as a shell reads it */
} cli_call;

typedef struct cli_command {
    const char *name;
    const char *argument;             /* as in the usage line: "MODEL", "[NAME]" */
    bool optional;                    /* the argument may be absent */
    const char *summary;              /* one line for the list of commands */
    const char *details;              /* a paragraph, or NULL; lines end with a newline */
    const char *examples;             /* indented lines */
    const cli_option *options;        /* ends with an option without a name */
    size_t size;                      /* of the struct that the options fill */
    int (*run)(const cli_call *call); /* returns the exit code */
} cli_command;

extern const cli_command cli_run, cli_check, cli_models, cli_report, cli_export, cli_compare,
    cli_converge, cli_equilibrium, cli_equilibria, cli_modes, cli_linearize, cli_optimize, cli_help;

/* All commands, in the order of help, ending with NULL. */
extern const cli_command *const cli_commands[];

/* Returns the command of that name; NULL, after a message with a suggestion, if there is none. */
const cli_command *cli_find(const char *name);

/* Parses the words after `oloid`, the command's name first, and runs the command. Returns its exit
 * code, or that of `--help` or of a usage error, for which it has printed a message. */
int cli_start(const cli_command *command, int argc, char **argv);

/* Prints the help of one command, and the overview of all commands. */
void cli_print_help(FILE *out, const cli_command *command);
void cli_print_overview(FILE *out);

#endif
