/* Finding the run to go on with. */
#include "cli/resume.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/overwrite.h"
#include "oloid/results.h"

static const char ENDING[] = ".partial";

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory");
}

char *cli_default_path(const olo_model *model)
{
    const char *name = olo_model_name(model);
    const size_t size = strlen(name) + sizeof ".h5";
    char *path = olo_alloc(size, 1);
    if (path != NULL) {
        (void)snprintf(path, size, "%s.h5", name);
        for (char *c = path; (c = strchr(c, '/')) != NULL;) {
            *c = '-';
        }
    }
    return path;
}

char *cli_partial_path(const char *path)
{
    const size_t size = strlen(path) + sizeof ENDING;
    char *partial = olo_alloc(size, 1);
    if (partial != NULL) {
        (void)snprintf(partial, size, "%s%s", path, ENDING);
    }
    return partial;
}

static bool exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

/* Every HDF5 file begins like this; no model does. */
static bool is_hdf5(const char *path)
{
    static const char SIGNATURE[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char begin[sizeof SIGNATURE] = "";
    FILE *file = exists(path) ? fopen(path, "rb") : NULL;
    const size_t got = file != NULL ? fread(begin, 1, sizeof begin, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return got == sizeof begin && memcmp(begin, SIGNATURE, sizeof begin) == 0;
}

/* The word as a file of a run; `*found` stays false when it is none, and so a model. */
static olo_status find_file(const char *word, cli_past *past, bool *found, olo_error *error)
{
    const size_t length = strlen(word), ending = sizeof ENDING - 1;
    past->path = olo_strdup(word);
    if (past->path == NULL) {
        return no_memory(error);
    }
    *found = length > ending && strcmp(word + length - ending, ENDING) == 0;
    if (*found) {
        past->path[length - ending] = '\0';
    }
    past->partial = cli_partial_path(past->path);
    if (past->partial == NULL) {
        return no_memory(error);
    }
    *found = *found || exists(past->partial);
    if (!*found && is_hdf5(word)) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' is complete, and there is no '%s': there is nothing to resume", word,
                        past->partial);
    }
    return OLO_OK;
}

/* The word as a model: its run is where the same command without --resume would put it. */
static olo_status find_by_model(const olo_model *model, const char *output, cli_past *past,
                                olo_error *error)
{
    olo_free(past->path);
    olo_free(past->partial);
    past->path = output != NULL ? olo_strdup(output) : cli_default_path(model);
    past->partial = past->path != NULL ? cli_partial_path(past->path) : NULL;
    if (past->partial == NULL) {
        return no_memory(error);
    }
    if (!exists(past->partial)) {
        return olo_fail(error, OLO_IO, "there is no run to resume: no file '%s'%s", past->partial,
                        exists(past->path) ? "; the result is complete" : "");
    }
    return OLO_OK;
}

/* The model in the journal is that of now. */
static olo_status check_model(const olo_model *then, const cli_past *past, const olo_model *now,
                              olo_error *error)
{
    if (strcmp(olo_model_text(then), olo_model_text(now)) == 0) {
        return OLO_OK;
    }
    return olo_fail(error, OLO_BAD_INPUT,
                    "'%s' is the run of another model than '%s', or of an older version of it; go "
                    "on as it was with: oloid run --resume %s",
                    past->partial, olo_model_name(now), past->partial);
}

olo_status cli_find_past(const char *word, const char *output, const cli_list *set,
                         const olo_setting *options, int option_count, cli_past *past,
                         cli_loaded *loaded, olo_error *error)
{
    bool found = false;
    olo_model *model = NULL, *then = NULL;
    olo_status status = find_file(word, past, &found, error);
    if (status == OLO_OK && found && output != NULL) {
        status =
            olo_fail(error, OLO_BAD_INPUT, "--output: the run in '%s' becomes '%s', nothing else",
                     past->partial, past->path);
    }
    if (status == OLO_OK && !found) {
        status = olo_model_read(word, NULL, 0, &model, error);
        if (status == OLO_OK) {
            status = find_by_model(model, output, past, error);
        }
        if (status == OLO_OK) {
            status = cli_check_overwrite(word, "model", past->path, "result", error);
        }
        if (status == OLO_OK) {
            status = olo_recorder_read_model(past->path, NULL, 0, &then, error);
        }
        if (status == OLO_OK) {
            status = check_model(then, past, model, error);
        }
    }
    if (status == OLO_OK) {
        status = cli_load_past(past->path, set, options, option_count, loaded, error);
    }
    olo_model_free(then);
    olo_model_free(model);
    return status;
}
