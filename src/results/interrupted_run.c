/* Opening the journal of an interrupted run: checks that it is a journal of this version and of
 * this model, and finds its last checkpoint. */
#include "results/interrupted_run.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "oloid/version.h"
#include "results/journal.h"
#include "results/layout.h"

/* ---- the file -------------------------------------------------------------------------------- */

/* Reports why a file without a setup is no journal. */
static olo_status refuse(olo_hdf5 *file, const char *path, olo_error *error)
{
    char **format = NULL;
    size_t count = 0;
    const olo_status status = olo_hdf5_get_texts(file, "/", "format", &format, &count, error);
    const bool ours = status == OLO_OK && count == 1 && strcmp(format[0], OLO_RESULT_FORMAT) == 0;
    olo_hdf5_texts_free(format);
    if (status == OLO_NO_MEMORY)
        return status;
    return olo_fail(error, OLO_BAD_INPUT,
                    ours ? "'%s' is a complete result: there is nothing to resume"
                         : "'%s' is not a result of oloid",
                    path);
}

olo_status olo_interrupted_run_open(olo_interrupted_run *interrupted, const char *path,
                                    bool exclusive, olo_error *error)
{
    olo_checkpoint *block = NULL;
    size_t size = 0;
    olo_status status =
        (exclusive ? olo_hdf5_open_exclusive : olo_hdf5_open)(path, &interrupted->hdf5, error);
    if (status != OLO_OK)
        return status;
    status = olo_journal_block(interrupted->hdf5, OLO_SETUP_PATH, &block, &size, error);
    if (status == OLO_NOT_FOUND)
        return refuse(interrupted->hdf5, path, error);
    if (status == OLO_OK)
        status = olo_setup_parse(&interrupted->setup, block, size, error);
    if (status != OLO_OK)
        return olo_fail_context(error, status, "'%s' is damaged", path);
    const char *version = interrupted->setup.texts[OLO_SETUP_VERSION];
    if (strcmp(version, olo_version()) != 0) {
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "'%s' was begun by oloid %.40s, this is %s, whose numbers may differ in the last bits: "
            "continue with that version, or start again",
            path, version, olo_version());
    }
    return OLO_OK;
}

/* ---- model and run --------------------------------------------------------------------------- */

static olo_status compare(const olo_setup *then, const olo_setup *now, const char *path,
                          olo_error *error)
{
    if (strcmp(then->texts[OLO_SETUP_TEXT], now->texts[OLO_SETUP_TEXT]) != 0) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' is the run of another model than '%s', or of an older version of it",
                        path, now->texts[OLO_SETUP_NAME]);
    }
    for (size_t i = OLO_SETUP_LISTS; i < then->count || i < now->count; i++) {
        const char *before = i < then->count ? then->texts[i] : "fewer settings";
        const char *after = i < now->count ? now->texts[i] : "fewer settings";
        if (strcmp(before, after) != 0) {
            return olo_fail(error, OLO_BAD_INPUT,
                            "'%s' is a run with %.100s; it cannot continue with %.100s", path,
                            before, after);
        }
    }
    return OLO_OK;
}

static olo_status check_subject(const olo_interrupted_run *interrupted, const char *path,
                                const olo_record_subject *subject, olo_error *error)
{
    olo_setup now = {0};
    const olo_status status =
        olo_setup_make(&now, subject)
            ? compare(&interrupted->setup, &now, path, error)
            : olo_fail(error, OLO_NO_MEMORY, "out of memory for the setup of a run");
    olo_setup_free(&now);
    return status;
}

olo_status olo_interrupted_run_load_checkpoint(olo_interrupted_run *interrupted, const char *path,
                                               const olo_record_subject *subject, olo_error *error)
{
    const olo_status status = check_subject(interrupted, path, subject, error);
    return status == OLO_OK
               ? olo_journal_last(interrupted->hdf5, path, &interrupted->checkpoint, error)
               : status;
}

void olo_interrupted_run_close(olo_interrupted_run *interrupted)
{
    olo_hdf5_close(interrupted->hdf5, NULL);
    olo_setup_free(&interrupted->setup);
    olo_free(interrupted->checkpoint);
    *interrupted = (olo_interrupted_run){0};
}
