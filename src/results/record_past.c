/* Opening the journal of a run that broke off: is it one, is it of this model, where did it stop? */
#include "results/record_past.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "oloid/version.h"
#include "results/layout.h"
#include "results/settings.h"

/* ---- the file --------------------------------------------------------------------------------- */

/* An attribute of the file that is one text; a file without it gives "". */
static olo_status text_of(olo_hdf5 *file, const char *name, char ***texts, olo_error *error)
{
    size_t count = 0;
    const olo_status status = olo_hdf5_get_texts(file, "/", name, texts, &count, error);
    if (status != OLO_NOT_FOUND && (status != OLO_OK || count == 1)) {
        return status;
    }
    olo_hdf5_texts_free(*texts);
    *texts = olo_alloc(2, sizeof **texts);
    if (*texts == NULL || ((*texts)[0] = olo_strdup("")) == NULL) {
        *texts = olo_free(*texts);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an attribute");
    }
    return OLO_OK;
}

/* A journal that this very program wrote: another version may come to other bits. */
static olo_status check_origin(olo_record_past *past, const char *path, const char *format,
                               const char *version, olo_error *error)
{
    if (strcmp(format, OLO_RESULT_FORMAT) != 0) {
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is not a result of oloid", path);
    }
    if (strcmp(version, olo_version()) != 0) {
        return olo_fail(error, OLO_UNSUPPORTED,
                        "'%s' was begun by version '%.40s' of oloid, this is %s: go on with that "
                        "one, or start anew",
                        path, version, olo_version());
    }
    if (!olo_hdf5_has(past->hdf5, OLO_CHECKPOINT_GROUP)) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' is a complete result: there is nothing to resume", path);
    }
    return OLO_OK;
}

static olo_status read_head(olo_record_past *past, const char *path, olo_error *error)
{
    char **format = NULL, **version = NULL;
    olo_status status = text_of(past->hdf5, "format", &format, error);
    if (status == OLO_OK) {
        status = text_of(past->hdf5, "oloid_version", &version, error);
    }
    if (status == OLO_OK) {
        status = check_origin(past, path, format[0], version[0], error);
    }
    if (status == OLO_OK) {
        status = text_of(past->hdf5, "created", &past->created, error);
    }
    if (status == OLO_OK) {
        status = text_of(past->hdf5, "command", &past->command, error);
    }
    olo_hdf5_texts_free(version);
    olo_hdf5_texts_free(format);
    return status;
}

/* ---- model and run ---------------------------------------------------------------------------- */

static olo_status check_text(olo_hdf5 *file, const char *path, const olo_model *model,
                             olo_error *error)
{
    char **texts = NULL;
    size_t count = 0;
    olo_status status = olo_hdf5_read_texts(file, "/model/text", &texts, &count, error);
    if (status == OLO_OK && (count != 1 || strcmp(texts[0], olo_model_text(model)) != 0)) {
        status = olo_fail(error, OLO_BAD_INPUT,
                          "'%s' is the run of another model than '%s', or of an older version of "
                          "it",
                          path, olo_model_name(model));
    }
    olo_hdf5_texts_free(texts);
    return status;
}

/* The settings in the file are those of now; `now` is freed. */
static olo_status check_settings(olo_hdf5 *file, const char *path, const char *object,
                                 const char *name, char **now, size_t count, olo_error *error)
{
    char **then = NULL;
    size_t then_count = 0;
    olo_status status = olo_hdf5_get_texts(file, object, name, &then, &then_count, error);
    if (status == OLO_NOT_FOUND) {
        status = OLO_OK; // a list without items is not written
    }
    if (status == OLO_OK && now == NULL) {
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the settings of a run");
    }
    const long at = status == OLO_OK ? olo_settings_difference(now, count, then, then_count) : -1;
    if (at >= 0) {
        status =
            olo_fail(error, OLO_BAD_INPUT, "'%s' is a run with %.100s; it cannot go on with %.100s",
                     path, (size_t)at < then_count ? then[at] : "fewer parameters",
                     (size_t)at < count ? now[at] : "fewer parameters");
    }
    olo_hdf5_texts_free(then);
    olo_hdf5_texts_free(now);
    return status;
}

static olo_status check_subject(olo_hdf5 *file, const char *path, const olo_record_subject *subject,
                                olo_error *error)
{
    olo_status status = check_text(file, path, subject->model, error);
    size_t count = 0;
    if (status == OLO_OK) {
        char **parameters = olo_settings_of_model(subject->model, &count);
        status = check_settings(file, path, "/model", "parameters", parameters, count, error);
    }
    if (status == OLO_OK) {
        char **settings = olo_settings_of_run(subject->run, &count);
        status = check_settings(file, path, "/run", "settings", settings, count, error);
    }
    return status;
}

/* ---- the checkpoint --------------------------------------------------------------------------- */

/* Reads one of the two; NULL when it is not whole, `*foreign` when it is of another version. */
static olo_checkpoint *read_slot(olo_hdf5 *file, const char *path, bool *foreign,
                                 olo_status *status, olo_error *error)
{
    size_t size = 0, columns = 0;
    if (olo_hdf5_shape(file, path, &size, &columns, NULL) != OLO_OK || columns != 1 ||
        size < sizeof(olo_checkpoint)) {
        return NULL;
    }
    olo_checkpoint *block = olo_alloc(size, 1);
    if (block == NULL) {
        *status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a checkpoint");
        return NULL;
    }
    if (olo_hdf5_get_bytes(file, path, block, size, NULL) == OLO_OK) {
        if (olo_checkpoint_is_whole(block, size)) {
            return block;
        }
        *foreign = *foreign || olo_checkpoint_is_foreign(block, size);
    }
    return olo_free(block);
}

static olo_status take_checkpoint(olo_record_past *past, const char *path, olo_error *error)
{
    olo_status status = OLO_OK;
    bool foreign = false;
    for (int i = 0; i < 2; i++) {
        olo_checkpoint *block =
            read_slot(past->hdf5, olo_checkpoint_paths[i], &foreign, &status, error);
        if (past->checkpoint == NULL ||
            (block != NULL && block->sequence > past->checkpoint->sequence)) {
            olo_free(past->checkpoint);
            past->checkpoint = block;
        } else {
            olo_free(block);
        }
    }
    if (status == OLO_OK && past->checkpoint == NULL) {
        status = olo_fail(error, foreign ? OLO_UNSUPPORTED : OLO_BAD_INPUT,
                          foreign ? "'%s' has checkpoints of another version of oloid"
                                  : "'%s' is damaged: it has no whole checkpoint",
                          path);
    }
    return status;
}

olo_status olo_record_past_open(olo_record_past *past, const char *path,
                                const olo_record_subject *subject, olo_error *error)
{
    olo_status status = olo_hdf5_open(path, &past->hdf5, error);
    if (status == OLO_OK) {
        status = read_head(past, path, error);
    }
    if (status == OLO_OK) {
        status = check_subject(past->hdf5, path, subject, error);
    }
    if (status == OLO_OK) {
        status = take_checkpoint(past, path, error);
    }
    return status;
}

void olo_record_past_close(olo_record_past *past)
{
    olo_hdf5_close(past->hdf5, false, NULL);
    olo_hdf5_texts_free(past->created);
    olo_hdf5_texts_free(past->command);
    olo_free(past->checkpoint);
    *past = (olo_record_past){0};
}
