/* Parses the words after a command's name by its table of options. */
#include "cli/options.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/message.h"

/* Maximum number of option names that are compared for a suggestion. */
enum { NAMES_MAX = 32 };

struct parser {
    const cli_command *command;
    int argc;
    char **argv;
    int at; // index of the current word
    char *values;
    const char *argument; // NULL: absent
};

/* Appends a word; a list never gets more words than the command line has. */
static int append(const struct parser *parser, cli_list *list, char *word)
{
    if (list->items == NULL) {
        list->items = olo_alloc((size_t)parser->argc, sizeof *list->items);
        if (list->items == NULL)
            return cli_no_memory();
    }
    list->items[list->count++] = word;
    return CLI_CONTINUE;
}

static const cli_option *find_long(const cli_command *command, const char *name, size_t length)
{
    for (const cli_option *option = command->options; option->name != NULL; option++)
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static const cli_option *find_short(const cli_command *command, char letter)
{
    for (const cli_option *option = command->options; option->name != NULL; option++)
        if (option->letter == letter && letter != '\0')
            return option;
    return NULL;
}

static int unknown_option(const cli_command *command, const char *word)
{
    const char *names[NAMES_MAX] = {"help"};
    size_t count = 1;
    for (const cli_option *option = command->options; option->name != NULL; option++)
        if (count < NAMES_MAX)
            names[count++] = option->name;
    // compared without dashes and without what follows '='
    char name[65] = "";
    const char *name_start = word + strspn(word, "-");
    const size_t length = strcspn(name_start, "=");
    if (length < sizeof name) {
        memcpy(name, name_start, length);
        name[length] = '\0';
    }
    const char *nearest = olo_suggest(name, names, count);
    const int shown = (int)(strcspn(word, "="));
    if (nearest != NULL) {
        return cli_usage(command, "unknown option '%.*s'; did you mean '--%s'?", shown, word,
                         nearest);
    }
    return cli_usage(command, "unknown option '%.*s'", shown, word);
}

/* Stores the value of an option in its field. */
static int store(const struct parser *parser, const cli_option *option, char *value)
{
    void *field = parser->values + option->field;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        break;
    case CLI_TEXT:
        *(const char **)field = value;
        break;
    case CLI_LIST:
        return append(parser, field, value);
    }
    return CLI_CONTINUE;
}

/* Stores an option whose value is attached (`value`, or NULL) or is the next word. `-` and `-1` are
 * values, another option is not. */
static int take(struct parser *parser, const cli_option *option, char *value)
{
    if (option->kind == CLI_FLAG) {
        if (value != NULL)
            return cli_usage(parser->command, "option '--%s' takes no value", option->name);
        return store(parser, option, NULL);
    }
    if (value == NULL) {
        char *next = parser->at + 1 < parser->argc ? parser->argv[parser->at + 1] : NULL;
        if (next == NULL || strncmp(next, "--", 2) == 0) {
            return cli_usage(parser->command, "option '--%s' needs a value: --%s %s", option->name,
                             option->name, option->value);
        }
        value = next;
        parser->at++;
    }
    if (value[0] == '\0')
        return cli_usage(parser->command, "option '--%s' has an empty value", option->name);
    return store(parser, option, value);
}

static int read_long(struct parser *parser, char *word)
{
    char *equals = strchr(word, '=');
    const size_t length = equals != NULL ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const cli_option *option = find_long(parser->command, word + 2, length);
    if (option == NULL)
        return unknown_option(parser->command, word);
    return take(parser, option, equals != NULL ? equals + 1 : NULL);
}

static int read_short(struct parser *parser, char *word)
{
    const cli_option *option = find_short(parser->command, word[1]);
    if (option == NULL || (option->kind == CLI_FLAG && word[2] != '\0'))
        return unknown_option(parser->command, word);
    return take(parser, option, word[2] != '\0' ? word + 2 : NULL);
}

static int read_word(struct parser *parser, bool *options_ended)
{
    char *word = parser->argv[parser->at];
    if (*options_ended || word[0] != '-' || word[1] == '\0') {
        if (parser->argument != NULL)
            return cli_usage(parser->command, "unexpected argument '%s'", word);
        parser->argument = word;
        return CLI_CONTINUE;
    }
    if (strcmp(word, "--") == 0) {
        *options_ended = true;
        return CLI_CONTINUE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        cli_print_help(stdout, parser->command);
        return 0;
    }
    return word[1] == '-' ? read_long(parser, word) : read_short(parser, word);
}

static int parse(struct parser *parser)
{
    const cli_command *command = parser->command;
    bool options_ended = false;
    for (; parser->at < parser->argc; parser->at++) {
        const int code = read_word(parser, &options_ended);
        if (code != CLI_CONTINUE)
            return code;
    }
    if (parser->argument == NULL && !command->optional)
        return cli_usage(command, "'oloid %s' needs %s", command->name, command->argument);
    return CLI_CONTINUE;
}

int cli_start(const cli_command *command, int argc, char **argv)
{
    char *line = cli_join_command(argc, argv);
    struct parser parser = {command, argc, argv, 1, olo_alloc(command->size + 1, 1), NULL};
    int code = line != NULL && parser.values != NULL ? parse(&parser) : cli_no_memory();
    if (code == CLI_CONTINUE) {
        const cli_call call = {parser.values, parser.argument, line};
        code = command->run(&call);
    }
    for (const cli_option *option = command->options; option->name != NULL; option++)
        if (option->kind == CLI_LIST && parser.values != NULL)
            olo_free(((cli_list *)(void *)(parser.values + option->field))->items);
    olo_free(parser.values);
    olo_free(line);
    return code;
}
