/* `oloid help`: prints the overview, and the help of each command from its tables. */
#include <string.h>

#include "cli/command.h"
#include "cli/message.h"
#include "oloid/version.h"

static const cli_option options[] = {{0}};

static void print_exit_codes(FILE *out)
{
    (void)fputs(
        "\nexit codes:\n"
        "  0    success\n"
        "  1    out of memory\n"
        "  2    the model, an option or an argument is not valid\n"
        "  3    the computation failed, or a conserved quantity drifted beyond its tolerance\n"
        "  4    a file could not be read or written\n"
        "  5    an internal error; please report it\n"
        "  6    the result is doubtful: a warning\n"
        "  130  interrupted; 'oloid run --resume' continues the run\n",
        out);
}

enum { HEAD_SIZE = 64 };

/* "  -o, --output FILE" */
static int write_head(const cli_option *option, char head[HEAD_SIZE])
{
    char letter[8] = "    ";
    if (option->letter != '\0')
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    return snprintf(head, HEAD_SIZE, "  %s--%s%s%s", letter, option->name,
                    option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
}

/* The column at which explanations begin: behind the longest option. */
static int find_column(const cli_option *list)
{
    int column = 0;
    for (const cli_option *option = list; option->name != NULL; option++) {
        char head[HEAD_SIZE];
        const int length = write_head(option, head) + 2;
        column = length > column ? length : column;
    }
    return column;
}

/* Prints "  -o, --output FILE    text" and aligns further lines of the text with the first. */
static void print_option(FILE *out, const cli_option *option, int column)
{
    char head[HEAD_SIZE];
    (void)write_head(option, head);
    const char *line = option->help;
    while (line != NULL) {
        const int length = (int)strcspn(line, "\n");
        (void)fprintf(out, "%-*s%.*s\n", column, head, length, line);
        line = line[length] != '\0' ? line + length + 1 : NULL;
        head[0] = '\0';
    }
}

void cli_print_help(FILE *out, const cli_command *command)
{
    static const cli_option help = {"help", 'h', CLI_FLAG, 0, NULL, "this help"};
    (void)fprintf(out, "oloid %s: %s\n\n", command->name, command->summary);
    (void)fprintf(out, "usage: oloid %s %s%s\n", command->name, command->argument,
                  command->options[0].name != NULL ? " [options]" : "");
    if (command->details != NULL)
        (void)fprintf(out, "\n%s", command->details);
    (void)fputs("\noptions:\n", out);
    const int column = find_column(command->options);
    const int least = find_column((const cli_option[]){help, {0}});
    for (const cli_option *option = command->options; option->name != NULL; option++)
        print_option(out, option, column);
    print_option(out, &help, column > least ? column : least);
    (void)fprintf(out, "\nexamples:\n%s", command->examples);
    print_exit_codes(out);
}

void cli_print_overview(FILE *out)
{
    (void)fprintf(out,
                  "oloid %s: structure-preserving simulation of mechanical systems\n\n"
                  "usage: oloid COMMAND [arguments] [options]\n\n"
                  "commands:\n",
                  olo_version());
    int width = 0;
    for (const cli_command *const *command = cli_commands; *command != NULL; command++) {
        const int length = (int)strlen((*command)->name);
        width = length > width ? length : width;
    }
    for (const cli_command *const *command = cli_commands; *command != NULL; command++)
        (void)fprintf(out, "  %-*s  %s\n", width, (*command)->name, (*command)->summary);
    (void)fputs("\noptions:\n"
                "  --help, -h   this help; 'oloid COMMAND --help' describes a command\n"
                "  --version    the version\n"
                "\nexamples:\n"
                "  oloid models\n"
                "  oloid run heavy-top\n"
                "  oloid export heavy-top.h5 --csv heavy-top.csv\n",
                out);
    print_exit_codes(out);
}

static int run(const cli_call *call)
{
    if (call->argument == NULL) {
        cli_print_overview(stdout);
        return CLI_OK;
    }
    const cli_command *command = cli_find(call->argument);
    if (command == NULL)
        return CLI_USAGE;
    cli_print_help(stdout, command);
    return CLI_OK;
}

const cli_command cli_help = {
    .name = "help",
    .argument = "[COMMAND]",
    .optional = true,
    .summary = "explain the commands, or one of them",
    .examples = "  oloid help run\n",
    .options = options,
    .run = run,
};
