/* HDF5 files: reading numbers, texts and attributes back. */
#include "results/hdf5_file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/hdf5_private.h"

/* ---- datasets of numbers ---------------------------------------------------------------------- */

bool olo_hdf5_has(olo_hdf5 *file, const char *path)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    // a path exists when each of its parts does; opening asks for all at once
    const hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
    if (object >= 0) {
        H5Oclose(object);
    }
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

olo_status olo_hdf5_shape(olo_hdf5 *file, const char *path, size_t *rows, size_t *columns,
                          olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    hsize_t size[2] = {0, 0};
    int rank = 0;
    bool fine = false;
    const hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    if (dataset >= 0) {
        const hid_t space = H5Dget_space(dataset);
        fine = space >= 0 && space_size(space, &rank, size);
        if (space >= 0) {
            H5Sclose(space);
        }
        H5Dclose(dataset);
    }
    *rows = (size_t)size[0];
    *columns = (size_t)size[1];
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

static bool read_rectangle(hid_t dataset, const size_t first[2], const size_t count[2],
                           double *values)
{
    const hsize_t from[2] = {first[0], first[1]}, many[2] = {count[0], count[1]};
    const hsize_t numbers = many[0] * many[1];
    hsize_t size[2];
    int rank = 0;
    const hid_t place = H5Dget_space(dataset);
    const hid_t memory = H5Screate_simple(1, &numbers, NULL);
    // HDF5 converts between kinds of numbers, and says so when the contents are something else
    const bool fine =
        place >= 0 && memory >= 0 && space_size(place, &rank, size) &&
        (rank == 0 || H5Sselect_hyperslab(place, H5S_SELECT_SET, from, NULL, many, NULL) >= 0) &&
        H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, values) >= 0;
    if (memory >= 0) {
        H5Sclose(memory);
    }
    if (place >= 0) {
        H5Sclose(place);
    }
    return fine;
}

olo_status olo_hdf5_read(olo_hdf5 *file, const char *path, const size_t first[2],
                         const size_t count[2], double *values, olo_error *error)
{
    if (count[0] == 0 || count[1] == 0) {
        return OLO_OK;
    }
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    bool fine = dataset >= 0;
    if (fine) {
        fine = read_rectangle(dataset, first, count, values);
        H5Dclose(dataset);
    }
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

olo_status olo_hdf5_get_bytes(olo_hdf5 *file, const char *path, void *bytes, size_t size,
                              olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    bool fine = false;
    if (dataset >= 0) {
        const hid_t space = H5Dget_space(dataset);
        const hid_t type = H5Dget_type(dataset);
        fine = space >= 0 && type >= 0 && H5Tget_class(type) == H5T_INTEGER &&
               H5Tget_size(type) == 1 && H5Sget_simple_extent_npoints(space) == (hssize_t)size &&
               H5Dread(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
        if (type >= 0) {
            H5Tclose(type);
        }
        if (space >= 0) {
            H5Sclose(space);
        }
        H5Dclose(dataset);
    }
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    return olo_fail_context(error, status, "dataset %s", path);
}

/* ---- texts ------------------------------------------------------------------------------------ */

void olo_hdf5_texts_free(char **texts)
{
    for (size_t i = 0; texts != NULL && texts[i] != NULL; i++) {
        olo_free(texts[i]);
    }
    olo_free(texts);
}

/* Texts come from a dataset or from an attribute; the two have different calls. */
typedef struct text_source {
    hid_t id;
    bool attribute;
} text_source;

static herr_t source_read(const text_source *source, hid_t type, void *buffer)
{
    return source->attribute ? H5Aread(source->id, type, buffer)
                             : H5Dread(source->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
}

/* Copies texts of HDF5 into a list of ours that ends with NULL; NULL when memory is out. */
static char **copy_texts(char *const *raw, size_t count)
{
    char **texts = olo_alloc(count + 1, sizeof *texts);
    for (size_t i = 0; texts != NULL && i < count; i++) {
        texts[i] = olo_strdup(raw[i] != NULL ? raw[i] : "");
        if (texts[i] == NULL) {
            olo_hdf5_texts_free(texts);
            return NULL;
        }
    }
    return texts;
}

/* False when HDF5 fails or the contents are not texts of variable length; `*texts` stays NULL also when memory
 * is out. */
static bool read_texts(const text_source *source, hid_t text_type, hid_t space, char ***texts,
                       size_t *count)
{
    hsize_t size[2];
    int rank = 0;
    const hid_t type = source->attribute ? H5Aget_type(source->id) : H5Dget_type(source->id);
    const bool is_text = type >= 0 && H5Tis_variable_str(type) > 0;
    if (type >= 0) {
        H5Tclose(type);
    }
    if (!is_text || !space_size(space, &rank, size) || size[1] != 1 ||
        size[0] > SIZE_MAX / sizeof(char *) - 1) {
        return false;
    }
    char **raw = olo_alloc((size_t)size[0] + 1, sizeof *raw);
    if (raw == NULL) {
        return true;
    }
    const bool fine = size[0] == 0 || source_read(source, text_type, raw) >= 0;
    if (fine) {
        *texts = copy_texts(raw, (size_t)size[0]);
        *count = *texts != NULL ? (size_t)size[0] : 0;
        if (size[0] > 0) {
            H5Dvlen_reclaim(text_type, space, H5P_DEFAULT, raw);
        }
    }
    olo_free(raw);
    return fine;
}

/* Reads and reports; the source is open or its opening has failed. */
static olo_status finish_texts(const olo_hdf5_caller *caller, olo_hdf5 *file,
                               const text_source *source, char ***texts, size_t *count,
                               olo_error *error)
{
    bool fine = false;
    if (source->id >= 0) {
        const hid_t space = source->attribute ? H5Aget_space(source->id) : H5Dget_space(source->id);
        fine = space >= 0 && read_texts(source, file->text_type, space, texts, count);
        if (space >= 0) {
            H5Sclose(space);
        }
    }
    const olo_status status = olo_hdf5_leave(caller, file, fine, "read texts of", error);
    if (status == OLO_OK && *texts == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", file->path);
    }
    return status;
}

olo_status olo_hdf5_read_texts(olo_hdf5 *file, const char *path, char ***texts, size_t *count,
                               olo_error *error)
{
    *texts = NULL;
    *count = 0;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const text_source source = {.id = H5Dopen2(file->id, path, H5P_DEFAULT)};
    const olo_status status = finish_texts(&caller, file, &source, texts, count, error);
    if (source.id >= 0) {
        const olo_hdf5_caller again = olo_hdf5_enter();
        H5Dclose(source.id);
        olo_hdf5_leave(&again, file, true, "read", NULL);
    }
    return olo_fail_context(error, status, "dataset %s", path);
}

/* ---- attributes ------------------------------------------------------------------------------- */

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
    *texts = NULL;
    *count = 0;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const text_source source = {.id = open_attribute(file, object, name), .attribute = true};
    if (source.id < 0) {
        return no_attribute(&caller, file, object, name, error);
    }
    const olo_status status = finish_texts(&caller, file, &source, texts, count, error);
    const olo_hdf5_caller again = olo_hdf5_enter();
    H5Aclose(source.id);
    olo_hdf5_leave(&again, file, true, "read", NULL);
    return olo_fail_context(error, status, "attribute '%s' of %s", name, object);
}

olo_status olo_hdf5_get_number(olo_hdf5 *file, const char *object, const char *name, double *value,
                               olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t attribute = open_attribute(file, object, name);
    if (attribute < 0) {
        return no_attribute(&caller, file, object, name, error);
    }
    *value = NAN;
    hsize_t size[2] = {0, 0};
    int rank = 0;
    const hid_t space = H5Aget_space(attribute);
    const bool fine = space >= 0 && space_size(space, &rank, size) && size[0] * size[1] == 1 &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0;
    if (space >= 0) {
        H5Sclose(space);
    }
    H5Aclose(attribute);
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    return olo_fail_context(error, status, "attribute '%s' of %s", name, object);
}
