/* The table of commands. A new command is one file and one line here. */
#include "cli/command.h"

#include <string.h>

#include "base/suggest.h"
#include "cli/message.h"

const cli_command *const cli_commands[] = {
    &cli_run,      &cli_equilibrium, &cli_equilibria, &cli_modes,  &cli_linearize,
    &cli_optimize, &cli_check,       &cli_models,     &cli_report, &cli_export,
    &cli_compare,  &cli_converge,    &cli_help,       NULL};

enum { COMMANDS = sizeof cli_commands / sizeof cli_commands[0] - 1 };

const cli_command *cli_find(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = cli_commands[i]->name;
        if (strcmp(names[i], name) == 0)
            return cli_commands[i];
    }
    const char *nearest = olo_suggest(name, names, COMMANDS);
    if (nearest != NULL)
        (void)cli_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, nearest);
    else
        (void)cli_usage(NULL, "unknown command '%s'", name);
    return NULL;
}
