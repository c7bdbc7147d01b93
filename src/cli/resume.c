/* Finds the run that is to be resumed. */
#include "cli/resume.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/overwrite.h"
#include "oloid/results.h"

static const char ENDING[] = ".partial";

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory");
}

/* Appends "-spin=60" for each parameter that is set; options of the run have no part in the name.
 * Long lists are cut and end with their checksum. */
static void append_settings(const cli_list *set, char *name, size_t size)
{
    enum { LONGEST = 120 };
    const size_t first = strlen(name);
    unsigned long sum = 0;
    for (int i = 0; i < set->count; i++) {
        const size_t used = strlen(name);
        if (strncmp(set->items[i], "run.", 4) == 0)
            continue;
        sum = olo_checksum((uint32_t)sum, set->items[i], strlen(set->items[i]) + 1);
        (void)snprintf(name + used, size - used, "-%s", set->items[i]);
    }
    for (char *c = name + first; *c != '\0'; c++)
        if (strchr("+-.=_", *c) == NULL && !isalnum((unsigned char)*c))
            *c = '_';
    if (strlen(name + first) > LONGEST)
        (void)snprintf(name + first + LONGEST, size - first - LONGEST, "-%08lx", sum);
}

char *cli_default_path(const olo_model *model, const cli_list *set, const char *ending)
{
    size_t size = strlen(olo_model_name(model)) + strlen(ending) + 16;
    for (int i = 0; i < set->count; i++)
        size += strlen(set->items[i]) + 1;
    char *path = olo_alloc(size, 1);
    if (path == NULL)
        return NULL;
    (void)snprintf(path, size, "%s", olo_model_name(model));
    append_settings(set, path, size);
    const size_t used = strlen(path);
    (void)snprintf(path + used, size - used, "%s", ending);
    for (char *c = path; (c = strchr(c, '/')) != NULL;)
        *c = '-';
    return path;
}

char *cli_partial_path(const char *path)
{
    const size_t size = strlen(path) + sizeof ENDING;
    char *partial = olo_alloc(size, 1);
    if (partial != NULL)
        (void)snprintf(partial, size, "%s%s", path, ENDING);
    return partial;
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

/* Whether a file begins with the signature of HDF5, as no model does. */
static bool is_hdf5(const char *path)
{
    static const char SIGNATURE[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char begin[sizeof SIGNATURE] = "";
    FILE *file = exists(path) ? fopen(path, "rb") : NULL;
    const size_t got = file != NULL ? fread(begin, 1, sizeof begin, file) : 0;
    if (file != NULL)
        (void)fclose(file);
    return got == sizeof begin && memcmp(begin, SIGNATURE, sizeof begin) == 0;
}

/* Interprets the word as a result or journal; `*found` is false if it is neither. */
static olo_status find_file(const char *word, cli_run_files *files, bool *found, olo_error *error)
{
    const size_t length = strlen(word), ending = sizeof ENDING - 1;
    files->path = olo_strdup(word);
    if (files->path == NULL)
        return no_memory(error);
    *found = length > ending && strcmp(word + length - ending, ENDING) == 0;
    if (*found)
        files->path[length - ending] = '\0';
    files->partial = cli_partial_path(files->path);
    if (files->partial == NULL)
        return no_memory(error);
    *found = *found || exists(files->partial);
    if (!*found && is_hdf5(word)) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' is complete, and there is no '%s': there is nothing to resume", word,
                        files->partial);
    }
    return OLO_OK;
}

/* Interprets the word as a model: its run has the path that the same command without --resume would
 * choose. */
static olo_status find_by_model(const olo_model *model, const char *output, const cli_list *set,
                                cli_run_files *files, olo_error *error)
{
    olo_free(files->path);
    olo_free(files->partial);
    files->path = output != NULL ? olo_strdup(output) : cli_default_path(model, set, ".h5");
    files->partial = files->path != NULL ? cli_partial_path(files->path) : NULL;
    if (files->partial == NULL)
        return no_memory(error);
    if (!exists(files->partial)) {
        return olo_fail(error, OLO_IO, "there is no run to resume: no file '%s'%s", files->partial,
                        exists(files->path) ? "; the result is complete" : "");
    }
    return OLO_OK;
}

/* Checks that the model in the journal equals the model that is given. */
static olo_status check_model(const olo_model *then, const cli_run_files *files,
                              const olo_model *now, olo_error *error)
{
    if (strcmp(olo_model_text(then), olo_model_text(now)) == 0)
        return OLO_OK;
    return olo_fail(error, OLO_BAD_INPUT,
                    "'%s' is the run of another model than '%s', or of an older version of it; to "
                    "continue it unchanged: oloid run --resume %s",
                    files->partial, olo_model_name(now), files->partial);
}

olo_status cli_find_interrupted_run(const char *word, const char *output, const cli_list *set,
                                    const olo_setting *options, int option_count,
                                    cli_run_files *files, cli_loaded *loaded, olo_error *error)
{
    bool found = false;
    olo_model *model = NULL, *then = NULL;
    olo_status status = find_file(word, files, &found, error);
    if (status == OLO_OK && found && output != NULL) {
        status =
            olo_fail(error, OLO_BAD_INPUT, "--output: the run in '%s' becomes '%s', nothing else",
                     files->partial, files->path);
    }
    if (status == OLO_OK && !found) {
        status = olo_model_read(word, NULL, 0, &model, error);
        if (status == OLO_OK)
            status = find_by_model(model, output, set, files, error);
        if (status == OLO_OK)
            status = cli_check_overwrite(word, "model", files->path, "result", error);
        if (status == OLO_OK)
            status = olo_recorder_read_model(files->path, NULL, 0, &then, error);
        if (status == OLO_OK)
            status = check_model(then, files, model, error);
    }
    if (status == OLO_OK)
        status = cli_load_interrupted_run(files->path, set, options, option_count, loaded, error);
    olo_model_free(then);
    olo_model_free(model);
    return status;
}
