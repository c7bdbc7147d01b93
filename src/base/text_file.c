/* A text as a file. */
#include "base/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/write.h"

static olo_status cannot_write(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "cannot write '%s': %s", path,
                    strerror(errno != 0 ? errno : EIO));
}

/* Fills `fresh` and gives it the name `path`. */
static bool replace(const olo_text *text, const char *fresh, const char *path)
{
    const int descriptor = olo_write_open(fresh, true);
    if (descriptor < 0) {
        return false;
    }
    bool done = olo_write_resize(descriptor, 0) &&
                olo_write_bytes(descriptor, text->bytes, text->length, 0);
    done = close(descriptor) == 0 && done;
    done = done && olo_write_rename(fresh, path);
    if (!done) {
        const int reason = errno;
        (void)olo_write_remove(fresh);
        errno = reason;
    }
    return done;
}

olo_status olo_text_save(const olo_text *text, const char *path, olo_error *error)
{
    const size_t size = strlen(path) + sizeof ".new";
    char *fresh = text->failed ? NULL : olo_alloc(size, 1);
    if (fresh == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", path);
    }
    (void)snprintf(fresh, size, "%s.new", path);
    errno = 0;
    const olo_status status = replace(text, fresh, path) ? OLO_OK : cannot_write(path, error);
    olo_free(fresh);
    return status;
}

olo_status olo_folder_make(const char *path, olo_error *error)
{
    errno = 0;
    if (olo_write_folder(path) || errno == EEXIST) {
        return OLO_OK;
    }
    return olo_fail(error, OLO_IO, "cannot make the folder '%s': %s", path,
                    strerror(errno != 0 ? errno : EIO));
}
