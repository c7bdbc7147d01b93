/* Opening the journal of a run that broke off: is it one, is it of this model, where did it stop?
 */
#include "results/record_past.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "oloid/version.h"
#include "results/journal.h"
#include "results/layout.h"

/* ---- the file ---------------------------------------------------------------------------------
 */

/* Why a file without a setup is no journal. */
static olo_status refuse(olo_hdf5 *file, const char *path, olo_error *error)
{
    char **format = NULL;
    size_t count = 0;
    const olo_status status = olo_hdf5_get_texts(file, "/", "format", &format, &count, error);
    const bool ours = status == OLO_OK && count == 1 && strcmp(format[0], OLO_RESULT_FORMAT) == 0;
    olo_hdf5_texts_free(format);
    if (status == OLO_NO_MEMORY) {
        return status;
    }
    return olo_fail(error, OLO_BAD_INPUT,
                    ours ? "'%s' is a complete result: there is nothing to resume"
                         : "'%s' is not a result of oloid",
                    path);
}

olo_status olo_record_past_open(olo_record_past *past, const char *path, bool alone,
                                olo_error *error)
{
    olo_checkpoint *block = NULL;
    size_t size = 0;
    olo_status status = (alone ? olo_hdf5_open_alone : olo_hdf5_open)(path, &past->hdf5, error);
    if (status != OLO_OK) {
        return status;
    }
    status = olo_journal_block(past->hdf5, OLO_SETUP_PATH, &block, &size, error);
    if (status == OLO_NOT_FOUND) {
        return refuse(past->hdf5, path, error);
    }
    if (status == OLO_OK) {
        status = olo_setup_take(&past->setup, block, size, error);
    }
    if (status != OLO_OK) {
        return olo_fail_context(error, status, "'%s' is damaged", path);
    }
    const char *version = past->setup.texts[OLO_SETUP_VERSION];
    if (strcmp(version, olo_version()) != 0) {
        return olo_fail(error, OLO_UNSUPPORTED,
                        "'%s' was begun by oloid %.40s, this is %s, which may come to other bits: "
                        "go on with that version, or start anew",
                        path, version, olo_version());
    }
    return OLO_OK;
}

/* ---- model and run ----------------------------------------------------------------------------
 */

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
                            "'%s' is a run with %.100s; it cannot go on with %.100s", path, before,
                            after);
        }
    }
    return OLO_OK;
}

static olo_status check_subject(const olo_record_past *past, const char *path,
                                const olo_record_subject *subject, olo_error *error)
{
    olo_setup now = {0};
    const olo_status status =
        olo_setup_make(&now, subject)
            ? compare(&past->setup, &now, path, error)
            : olo_fail(error, OLO_NO_MEMORY, "out of memory for the setup of a run");
    olo_setup_free(&now);
    return status;
}

olo_status olo_record_past_take(olo_record_past *past, const char *path,
                                const olo_record_subject *subject, olo_error *error)
{
    const olo_status status = check_subject(past, path, subject, error);
    return status == OLO_OK ? olo_journal_last(past->hdf5, path, &past->checkpoint, error) : status;
}

void olo_record_past_close(olo_record_past *past)
{
    olo_hdf5_close(past->hdf5, NULL);
    olo_setup_free(&past->setup);
    olo_free(past->checkpoint);
    *past = (olo_record_past){0};
}
