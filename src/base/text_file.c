/* Writing a text to a file. */
#include "base/text_file.h"

#include <errno.h>
#include <string.h>

#include "base/new_file.h"
#include "base/write.h"

static olo_status cannot_write(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "cannot write '%s': %s", path,
                    strerror(errno != 0 ? errno : EIO));
}

olo_status olo_text_save(const olo_text *text, const char *path, olo_error *error)
{
    olo_new_file new_file;
    if (text->failed)
        return olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", path);
    olo_status status = olo_new_file_open(&new_file, path, error);
    if (status != OLO_OK)
        return status;
    status = olo_write_bytes(new_file.descriptor, text->bytes, text->length, 0)
                 ? olo_new_file_publish(&new_file, error)
                 : cannot_write(path, error);
    olo_new_file_close(&new_file);
    return status;
}

olo_status olo_folder_make(const char *path, olo_error *error)
{
    errno = 0;
    if (olo_write_folder(path) || errno == EEXIST)
        return OLO_OK;
    return olo_fail(error, OLO_IO, "cannot make the folder '%s': %s", path,
                    strerror(errno != 0 ? errno : EIO));
}
