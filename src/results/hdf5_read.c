/* HDF5 files: reading numbers, texts and attributes back. */
#include "results/hdf5_file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/hdf5_private.h"

/* ---- datasets of numbers --------------------------------------------------------------------- */

bool olo_hdf5_has(olo_hdf5 *file, const char *path)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    // a path exists when each of its parts does; opening it checks all at once
    const hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
    if (object >= 0)
        H5Oclose(object);
    olo_hdf5_leave(&caller, file, true, "read", NULL);
    return object >= 0;
}

/* Sizes of a dataspace of up to two dimensions; false for more. */
static bool space_size(hid_t space, int *rank, hsize_t size[2])
{
    size[0] = size[1] = 1;
    *rank = H5Sget_simple_extent_ndims(space);
    return *rank >= 0 && *rank <= 2 && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
}

/* The kinds of contents that this library writes. */
typedef enum kind { NUMBERS, BYTES, TEXTS } kind;

/* True if the contents are of this kind. Other contents are never read. */
static bool is_of_kind(hid_t type, kind wanted)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    return wanted == TEXTS   ? class == H5T_STRING && H5Tis_variable_str(type) == 0 && size > 0
           : wanted == BYTES ? class == H5T_INTEGER && size == 1
                             : (class == H5T_INTEGER || class == H5T_FLOAT) && size == 8;
}

/* A dataset or an attribute, open for reading. */
typedef struct source {
    hid_t id, space, type;
    bool attribute;
    int rank;
    hsize_t size[2];
} source;

static void source_close(source *s)
{
    if (s->type >= 0)
        H5Tclose(s->type);
    if (s->space >= 0)
        H5Sclose(s->space);
    if (s->id >= 0)
        (void)(s->attribute ? H5Aclose(s->id) : H5Dclose(s->id));
}

/* True if the file is large enough for this shape; otherwise no memory is allocated. */
static bool is_stored(const source *s, const olo_hdf5 *file)
{
    const uint64_t bytes = H5Tget_size(s->type), rows = s->size[0], columns = s->size[1];
    const uint64_t stored = s->attribute ? H5Aget_storage_size(s->id) : H5Dget_storage_size(s->id);
    return rows == 0 || columns == 0 ||
           (bytes > 0 && columns <= stored / bytes && rows <= stored / bytes / columns &&
            (file->writing || stored <= file->disk.length)); // HDF5 may not have allocated it yet
}

/* Reads type and shape of an open dataset or attribute; false when this library does not write
 * such. Close it in any case. */
static bool source_describe(const olo_hdf5 *file, source *s, hid_t id, bool attribute, kind wanted)
{
    *s = (source){
        .id = id, .space = H5I_INVALID_HID, .type = H5I_INVALID_HID, .attribute = attribute};
    if (id < 0)
        return false;
    s->space = attribute ? H5Aget_space(id) : H5Dget_space(id);
    s->type = attribute ? H5Aget_type(id) : H5Dget_type(id);
    return s->space >= 0 && s->type >= 0 && is_of_kind(s->type, wanted) &&
           space_size(s->space, &s->rank, s->size) && is_stored(s, file);
}

static bool open_dataset(const olo_hdf5 *file, source *s, const char *path, kind wanted)
{
    return source_describe(file, s, H5Dopen2(file->id, path, H5P_DEFAULT), false, wanted);
}

olo_status olo_hdf5_shape(olo_hdf5 *file, const char *path, size_t *rows, size_t *columns,
                          olo_error *error)
{
    source s;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool ok = open_dataset(file, &s, path, NUMBERS);
    *rows = ok ? (size_t)s.size[0] : 0;
    *columns = ok ? (size_t)s.size[1] : 0;
    source_close(&s);
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

static bool read_rectangle(const source *s, const size_t first[2], const size_t count[2],
                           double *values)
{
    const hsize_t from[2] = {first[0], first[1]}, many[2] = {count[0], count[1]};
    const hsize_t numbers = many[0] * many[1];
    if (first[0] > s->size[0] || count[0] > s->size[0] - first[0] || first[1] > s->size[1] ||
        count[1] > s->size[1] - first[1])
        return false;
    const hid_t memory = H5Screate_simple(1, &numbers, NULL);
    const bool ok = memory >= 0 &&
                    (s->rank == 0 ||
                     H5Sselect_hyperslab(s->space, H5S_SELECT_SET, from, NULL, many, NULL) >= 0) &&
                    H5Dread(s->id, H5T_NATIVE_DOUBLE, memory, s->space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    return ok;
}

olo_status olo_hdf5_read(olo_hdf5 *file, const char *path, const size_t first[2],
                         const size_t count[2], double *values, olo_error *error)
{
    if (count[0] == 0 || count[1] == 0)
        return OLO_OK;
    source s;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool ok =
        open_dataset(file, &s, path, NUMBERS) && read_rectangle(&s, first, count, values);
    source_close(&s);
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

olo_status olo_hdf5_count_bytes(olo_hdf5 *file, const char *path, size_t *size, olo_error *error)
{
    source s;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool ok = open_dataset(file, &s, path, BYTES) && s.size[1] == 1;
    *size = ok ? (size_t)s.size[0] : 0;
    source_close(&s);
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

olo_status olo_hdf5_get_bytes(olo_hdf5 *file, const char *path, void *bytes, size_t size,
                              olo_error *error)
{
    source s;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool ok = open_dataset(file, &s, path, BYTES) && s.size[0] == size && s.size[1] == 1 &&
                    H5Dread(s.id, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
    source_close(&s);
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

/* ---- texts ----------------------------------------------------------------------------------- */

void olo_hdf5_texts_free(char **texts)
{
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++)
        olo_free(texts[i]);
    olo_free(texts);
}

/* Splits packed texts of `size` bytes into a list that ends with NULL; NULL when memory is
 * exhausted. */
static char **cut_texts(const char *packed, size_t size, size_t count)
{
    char **texts = olo_alloc(count + 1, sizeof *texts);
    for (size_t i = 0; texts != NULL && i < count; i++) {
        const char *text = packed + i * size;
        const size_t length = strnlen(text, size);
        texts[i] = olo_alloc(length + 1, 1);
        if (texts[i] == NULL) {
            olo_hdf5_texts_free(texts);
            return NULL;
        }
        memcpy(texts[i], text, length);
    }
    return texts;
}

/* False when HDF5 fails; `*texts` is NULL also when memory is exhausted. */
static bool read_texts(const source *s, char ***texts, size_t *count)
{
    const size_t size = H5Tget_size(s->type), rows = (size_t)s->size[0];
    if (s->size[1] != 1)
        return false;
    char *packed = olo_alloc(rows, size);
    if (packed == NULL)
        return true;
    const bool ok = rows == 0 || (s->attribute ? H5Aread(s->id, s->type, packed)
                                               : H5Dread(s->id, s->type, H5S_ALL, H5S_ALL,
                                                         H5P_DEFAULT, packed)) >= 0;
    if (ok) {
        *texts = cut_texts(packed, size, rows);
        *count = *texts != NULL ? rows : 0;
    }
    olo_free(packed);
    return ok;
}

/* Reads the texts, closes the source and reports failures. */
static olo_status finish_texts(const olo_hdf5_caller *caller, olo_hdf5 *file, source *s, bool open,
                               char ***texts, size_t *count, olo_error *error)
{
    const bool ok = open && read_texts(s, texts, count);
    source_close(s);
    const olo_status status = olo_hdf5_leave(caller, file, ok, "read texts of", error);
    if (status == OLO_OK && *texts == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", file->path);
    return status;
}

olo_status olo_hdf5_read_texts(olo_hdf5 *file, const char *path, char ***texts, size_t *count,
                               olo_error *error)
{
    source s;
    *texts = NULL;
    *count = 0;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool open = open_dataset(file, &s, path, TEXTS);
    const olo_status status = finish_texts(&caller, file, &s, open, texts, count, error);
    return olo_fail_context(error, status, "dataset %s", path);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Opens an attribute; negative when there is none. */
static hid_t open_attribute(olo_hdf5 *file, const char *object, const char *name)
{
    const htri_t exists = H5Aexists_by_name(file->id, object, name, H5P_DEFAULT);
    return exists > 0 ? H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT)
                      : H5I_INVALID_HID;
}

static olo_status no_attribute(const olo_hdf5_caller *caller, const olo_hdf5 *file,
                               const char *object, const char *name, olo_error *error)
{
    olo_hdf5_leave(caller, file, true, "read", NULL);
    return olo_fail(error, OLO_NOT_FOUND, "'%s': %s has no attribute '%s'", file->path, object,
                    name);
}

olo_status olo_hdf5_get_texts(olo_hdf5 *file, const char *object, const char *name, char ***texts,
                              size_t *count, olo_error *error)
{
    source s;
    *texts = NULL;
    *count = 0;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t attribute = open_attribute(file, object, name);
    if (attribute < 0)
        return no_attribute(&caller, file, object, name, error);
    const bool open = source_describe(file, &s, attribute, true, TEXTS);
    const olo_status status = finish_texts(&caller, file, &s, open, texts, count, error);
    return olo_fail_context(error, status, "attribute '%s' of %s", name, object);
}

olo_status olo_hdf5_get_number(olo_hdf5 *file, const char *object, const char *name, double *value,
                               olo_error *error)
{
    source s;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t attribute = open_attribute(file, object, name);
    if (attribute < 0)
        return no_attribute(&caller, file, object, name, error);
    *value = NAN;
    const bool ok = source_describe(file, &s, attribute, true, NUMBERS) &&
                    s.size[0] * s.size[1] == 1 && H5Aread(s.id, H5T_NATIVE_DOUBLE, value) >= 0;
    source_close(&s);
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    return olo_fail_context(error, status, "attribute '%s' of %s", name, object);
}
