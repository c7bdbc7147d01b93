/* `oloid models`: lists the catalogue, or prints the file of a model in it. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/message.h"
#include "oloid/model.h"

struct options {
    bool json;
};

static const cli_option options[] = {
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the list as JSON"}, {0}};

enum { SENTENCE_SIZE = 512, LINE_SIZE = 1024 };

/* Appends a line to the sentence, with single spaces. Returns true when the sentence has ended. */
static bool append_line(char sentence[SENTENCE_SIZE], const char *line)
{
    size_t length = strlen(sentence);
    for (const char *c = line; *c != '\0' && *c != '\n' && length + 2 < SENTENCE_SIZE; c++) {
        const bool blank = isspace((unsigned char)*c);
        if (blank && (length == 0 || sentence[length - 1] == ' '))
            continue;
        sentence[length] = *c;
        if (blank)
            sentence[length] = ' ';
        length++;
        const bool stop = *c == '.' || *c == '!' || *c == '?';
        if (stop && (c[1] == '\0' || isspace((unsigned char)c[1]))) {
            sentence[length] = '\0';
            return true;
        }
    }
    if (length > 0 && sentence[length - 1] != ' ')
        sentence[length++] = ' ';
    sentence[length] = '\0';
    return false;
}

/* Reads the first sentence of the comment that opens a file; "" if there is none. */
static void first_comment(const char *file, char sentence[SENTENCE_SIZE])
{
    sentence[0] = '\0';
    FILE *in = fopen(file, "r");
    if (in == NULL)
        return;
    char line[LINE_SIZE];
    while (fgets(line, sizeof line, in) != NULL && line[0] == '#') {
        const bool blank = line[1 + strspn(line + 1, " #\r\n")] == '\0';
        if ((blank && sentence[0] != '\0') || append_line(sentence, line + strspn(line, "#")))
            break;
    }
    (void)fclose(in);
    size_t length = strlen(sentence);
    while (length > 0 && sentence[length - 1] == ' ')
        sentence[--length] = '\0';
}

/* Describes a model by the first sentence of its opening comment, or else by its description. */
static void describe(const char *file, char sentence[SENTENCE_SIZE])
{
    first_comment(file, sentence);
    olo_model *model = NULL;
    if (sentence[0] == '\0' && olo_model_read(file, NULL, 0, &model, NULL) == OLO_OK) {
        const char *description = olo_model_description(model);
        (void)append_line(sentence, description != NULL ? description : "");
        olo_model_free(model);
    }
}

static void print_list(const olo_catalogue *catalogue)
{
    const int count = olo_catalogue_count(catalogue);
    int width = 0;
    for (int i = 0; i < count; i++) {
        const int length = (int)strlen(olo_catalogue_name(catalogue, i));
        width = length > width ? length : width;
    }
    for (int i = 0; i < count; i++) {
        char sentence[SENTENCE_SIZE];
        describe(olo_catalogue_file(catalogue, i), sentence);
        (void)printf("%-*s  %s\n", width, olo_catalogue_name(catalogue, i), sentence);
    }
}

static void print_json(const olo_catalogue *catalogue)
{
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '[');
    for (int i = 0; i < olo_catalogue_count(catalogue); i++) {
        char sentence[SENTENCE_SIZE];
        describe(olo_catalogue_file(catalogue, i), sentence);
        olo_json_open(&json, NULL, '{');
        olo_json_text(&json, "name", olo_catalogue_name(catalogue, i));
        olo_json_text(&json, "about", sentence);
        olo_json_text(&json, "file", olo_catalogue_file(catalogue, i));
        olo_json_close(&json);
    }
    olo_json_close(&json);
}

static olo_status print_file(const char *file, olo_error *error)
{
    FILE *in = fopen(file, "r");
    if (in == NULL)
        return olo_fail(error, OLO_IO, "%s: %s", file, strerror(errno));
    char block[4096];
    size_t count = 0;
    while ((count = fread(block, 1, sizeof block, in)) > 0)
        (void)fwrite(block, 1, count, stdout);
    const bool failed = ferror(in);
    (void)fclose(in);
    return failed ? olo_fail(error, OLO_IO, "%s: cannot be read", file) : OLO_OK;
}

static olo_status not_found(const olo_catalogue *catalogue, const char *name, olo_error *error)
{
    const int count = olo_catalogue_count(catalogue);
    const char **names = olo_alloc((size_t)count, sizeof *names);
    if (names == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    for (int i = 0; i < count; i++)
        names[i] = olo_catalogue_name(catalogue, i);
    const char *nearest = olo_suggest(name, names, (size_t)count);
    olo_free((void *)names);
    if (nearest != NULL) {
        return olo_fail(error, OLO_NOT_FOUND, "no model '%s' in the catalogue; did you mean '%s'?",
                        name, nearest);
    }
    return olo_fail(error, OLO_NOT_FOUND,
                    "no model '%s' in the catalogue ('oloid models' lists it)", name);
}

static olo_status print_model(const olo_catalogue *catalogue, const char *name, olo_error *error)
{
    for (int i = 0; i < olo_catalogue_count(catalogue); i++)
        if (strcmp(olo_catalogue_name(catalogue, i), name) == 0)
            return print_file(olo_catalogue_file(catalogue, i), error);
    return not_found(catalogue, name, error);
}

static olo_status print(const struct options *given, const char *name, olo_error *error)
{
    olo_catalogue *catalogue = NULL;
    olo_status status = olo_catalogue_open(&catalogue, error);
    if (status == OLO_OK && name != NULL)
        status = print_model(catalogue, name, error);
    else if (status == OLO_OK && given->json)
        print_json(catalogue);
    else if (status == OLO_OK)
        print_list(catalogue);
    olo_catalogue_free(catalogue);
    return status;
}

static int run(const cli_call *call)
{
    olo_error error = {0};
    return print(call->options, call->argument, &error) == OLO_OK ? CLI_OK : cli_fail(&error);
}

const cli_command cli_models = {
    .name = "models",
    .argument = "[NAME]",
    .optional = true,
    .summary = "list the catalogue, or print the file of a model in it",
    .details = "Every model can be run by its name. To change a model, print it into a file.\n",
    .examples = "  oloid models\n"
                "  oloid models heavy-top > my.yaml\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
