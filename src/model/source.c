/* Reads a file into memory in blocks, because it may be a pipe of unknown size. */
#include "model/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/yaml.h"

enum { PIECE = 65536 };

static olo_status read_pieces(FILE *file, const char *path, char **text, size_t *size,
                              olo_error *error)
{
    size_t length = 0, capacity = 0;
    char *bytes = NULL;
    for (;;) {
        if (capacity - length < PIECE) {
            const size_t wanted = 2 * capacity + PIECE;
            char *grown = olo_realloc(bytes, length, wanted + 1, 1);
            if (!grown) {
                olo_free(bytes);
                return olo_fail(error, OLO_NO_MEMORY, "%s: out of memory while reading", path);
            }
            bytes = grown;
            capacity = wanted;
        }
        const size_t got = fread(bytes + length, 1, PIECE, file);
        length += got;
        if (got == 0 || length > OLO_YAML_MAX_SIZE)
            break;
    }
    if (ferror(file)) {
        const int code = errno;
        olo_free(bytes);
        return olo_fail(error, OLO_IO, "%s: cannot be read: %s", path, strerror(code));
    }
    if (length > OLO_YAML_MAX_SIZE) {
        olo_free(bytes);
        return olo_fail(error, OLO_BAD_INPUT, "%s: larger than %d MiB", path,
                        OLO_YAML_MAX_SIZE / (1024 * 1024));
    }
    bytes[length] = '\0';
    *text = bytes;
    *size = length;
    return OLO_OK;
}

olo_status olo_source_read(const char *path, char **text, size_t *size, olo_error *error)
{
    struct stat about;
    *text = NULL;
    if (stat(path, &about) != 0) {
        const olo_status status = errno == ENOENT || errno == ENOTDIR ? OLO_NOT_FOUND : OLO_IO;
        return olo_fail(error, status, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(about.st_mode))
        return olo_fail(error, OLO_IO, "%s: is a directory, not a model file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return olo_fail(error, OLO_IO, "%s: cannot be opened: %s", path, strerror(errno));
    const olo_status status = read_pieces(file, path, text, size, error);
    (void)fclose(file);
    return status;
}
