/* HDF5 files: writing groups, attributes, tables, bytes and texts. */
#include "results/hdf5_file.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/hdf5_private.h"

/* HDF5 allocates, caches and reads whole chunks; several fit into its default cache of 1 MiB. */
enum { CHUNK_NUMBERS = 16384, CHUNK_ROWS_MAX = 1024 };

/* ---- groups and attributes ------------------------------------------------------------------- */

olo_status olo_hdf5_add_group(olo_hdf5 *file, const char *path, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool ok = group >= 0 && H5Gclose(group) >= 0;
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

/* The contents to write: numbers, or texts packed to a common length. */
typedef struct contents {
    hid_t type, memory; /* in the file and in memory */
    const void *values;
    char *packed;
} contents;

static contents numbers_of(const void *values, bool integer)
{
    return (contents){.type = integer ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                      .memory = integer ? H5T_NATIVE_LLONG : H5T_NATIVE_DOUBLE,
                      .values = values};
}

/* Packs texts one after the other, shorter ones padded with zeros. Texts of variable length would
 * lie in a heap of HDF5 without checksums. When memory is exhausted the type is invalid, and the
 * file has failed. Free with contents_free. */
static contents texts_of(olo_hdf5 *file, const char *const *texts, size_t count)
{
    size_t longest = 1;
    for (size_t i = 0; i < count; i++) {
        const size_t length = texts[i] != NULL ? strlen(texts[i]) : 0;
        longest = length > longest ? length : longest;
    }
    contents c = {.type = H5I_INVALID_HID, .packed = olo_alloc(count, longest)};
    for (size_t i = 0; c.packed != NULL && i < count; i++)
        if (texts[i] != NULL)
            memcpy(c.packed + i * longest, texts[i], strlen(texts[i]));
    if (c.packed == NULL && file->disk.failure == 0)
        file->disk.failure = ENOMEM;
    c.type = c.memory = c.packed != NULL ? olo_hdf5_text_type(longest) : H5I_INVALID_HID;
    c.values = c.packed;
    return c;
}

static void contents_free(contents *c)
{
    if (c->packed != NULL && c->type >= 0)
        H5Tclose(c->type);
    olo_free(c->packed);
}

/* Writes an attribute: a scalar when `count` is NULL, else an array. */
static bool set_attribute(hid_t object, const char *name, const hsize_t *count, const contents *c)
{
    const htri_t exists = H5Aexists(object, name);
    if (c->type < 0 || exists < 0 || (exists > 0 && H5Adelete(object, name) < 0))
        return false;
    const hid_t space = count != NULL ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
    if (space < 0)
        return false;
    const hid_t attribute = H5Acreate2(object, name, c->type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0;
    if (ok) {
        ok = H5Awrite(attribute, c->memory, c->values) >= 0;
        ok = H5Aclose(attribute) >= 0 && ok;
    }
    return H5Sclose(space) >= 0 && ok;
}

static bool set_by_path(const olo_hdf5 *file, const char *path, const char *name,
                        const hsize_t *count, const contents *c)
{
    const hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
    bool ok = object >= 0;
    if (ok) {
        ok = set_attribute(object, name, count, c);
        ok = H5Oclose(object) >= 0 && ok;
    }
    return ok;
}

static olo_status set_texts(olo_hdf5 *file, const char *object, const char *name,
                            const char *const *texts, const hsize_t *count, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    contents c = texts_of(file, texts, count != NULL ? (size_t)*count : 1);
    const bool ok = set_by_path(file, object, name, count, &c);
    contents_free(&c);
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

olo_status olo_hdf5_set_text(olo_hdf5 *file, const char *object, const char *name, const char *text,
                             olo_error *error)
{
    return set_texts(file, object, name, &text, NULL, error);
}

olo_status olo_hdf5_set_texts(olo_hdf5 *file, const char *object, const char *name,
                              const char *const *texts, size_t count, olo_error *error)
{
    const hsize_t size = count;
    return set_texts(file, object, name, texts, &size, error);
}

static olo_status set_number(olo_hdf5 *file, const char *object, const char *name,
                             const void *value, bool integer, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const contents c = numbers_of(value, integer);
    const bool ok = set_by_path(file, object, name, NULL, &c);
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

olo_status olo_hdf5_set_number(olo_hdf5 *file, const char *object, const char *name, double value,
                               olo_error *error)
{
    return set_number(file, object, name, &value, false, error);
}

olo_status olo_hdf5_set_integer(olo_hdf5 *file, const char *object, const char *name,
                                long long value, olo_error *error)
{
    return set_number(file, object, name, &value, true, error);
}

/* ---- datasets -------------------------------------------------------------------------------- */

/* Writes a descriptive attribute of a dataset, unless it is NULL. */
static bool describe_as(olo_hdf5 *file, hid_t dataset, const char *name, const char *text)
{
    if (text == NULL)
        return true;
    contents c = texts_of(file, &text, 1);
    const bool ok = set_attribute(dataset, name, NULL, &c);
    contents_free(&c);
    return ok;
}

static bool describe(olo_hdf5 *file, hid_t dataset, const char *units, const char *description)
{
    return describe_as(file, dataset, "units", units) &&
           describe_as(file, dataset, "description", description);
}

/* Rows and columns of a chunk: about CHUNK_NUMBERS numbers, not more rows than expected. */
static void chunk_shape(const olo_hdf5_table *layout, hsize_t chunk[2])
{
    const size_t width = layout->width > 0 ? layout->width : 1;
    chunk[1] = width < CHUNK_NUMBERS ? width : CHUNK_NUMBERS;
    chunk[0] = 1;
    while (chunk[0] < CHUNK_ROWS_MAX && chunk[0] < layout->rows &&
           2 * chunk[0] * chunk[1] <= CHUNK_NUMBERS)
        chunk[0] *= 2;
}

/* Allocates space for all rows at once, so that growing changes only the number of rows. The space
 * is not initialised. Attributes with many column names are stored outside of the object header
 * that contains the number of rows. */
static bool allocate_now(hid_t creation, bool wide)
{
    return (!wide || H5Pset_attr_phase_change(creation, 0, 0) >= 0) &&
           H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
           H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0 &&
           H5Pset_obj_track_times(creation, false) >= 0;
}

static hid_t create_table(const olo_hdf5 *file, const olo_hdf5_table *layout)
{
    const int rank = layout->width > 0 ? 2 : 1;
    const bool bounded = layout->capacity > 0;
    // HDF5 allocates a bounded table when it gets its first row
    const hsize_t empty[2] = {0, layout->width}, first[2] = {bounded ? 1 : 0, layout->width};
    hsize_t chunk[2];
    chunk_shape(layout, chunk);
    // the bound is at least a chunk, and more than the one initial row
    const hsize_t most = layout->capacity / chunk[0] * chunk[0] + chunk[0] + 1;
    const hsize_t limit[2] = {bounded ? most : H5S_UNLIMITED, layout->width};
    const hid_t space = H5Screate_simple(rank, first, limit);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        (!bounded || allocate_now(creation, layout->width > 0))) {
        const hid_t type = layout->integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
        dataset =
            H5Dcreate2(file->id, layout->path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    if (dataset >= 0 && bounded && H5Dset_extent(dataset, empty) < 0) {
        H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    return dataset;
}

olo_status olo_hdf5_add_table(olo_hdf5 *file, const olo_hdf5_table *layout, int *handle,
                              olo_error *error)
{
    olo_hdf5_dataset *tables =
        olo_grow(file->tables, file->table_count, &file->table_capacity, sizeof *tables);
    if (tables == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", file->path);
    file->tables = tables;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = create_table(file, layout);
    bool ok = dataset >= 0;
    if (ok) {
        *handle = (int)file->table_count;
        tables[file->table_count++] =
            (olo_hdf5_dataset){.id = dataset,
                               .rank = layout->width > 0 ? 2 : 1,
                               .width = layout->width > 0 ? layout->width : 1,
                               .grows = layout->capacity > 0};
        ok = describe(file, dataset, layout->units, layout->description);
    }
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

static bool append_rows(olo_hdf5_dataset *t, hsize_t rows, const double *values)
{
    const hsize_t size[2] = {t->rows + rows, t->width};
    const hsize_t first[2] = {t->rows, 0}, count[2] = {rows, t->width};
    if (H5Dset_extent(t->id, size) < 0)
        return false;
    const hid_t space = H5Dget_space(t->id);
    const hid_t memory = H5Screate_simple(t->rank, count, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
              H5Dwrite(t->id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0)
        ok = H5Sclose(memory) >= 0 && ok;
    if (space >= 0)
        ok = H5Sclose(space) >= 0 && ok;
    if (ok)
        t->rows += rows;
    return ok;
}

olo_status olo_hdf5_append(olo_hdf5 *file, int handle, size_t rows, const double *values,
                           olo_error *error)
{
    if (rows == 0)
        return OLO_OK;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    return olo_hdf5_leave(&caller, file, append_rows(&file->tables[handle], rows, values), "write",
                          error);
}

static hid_t create_bytes(const olo_hdf5 *file, const char *path, hsize_t size)
{
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && allocate_now(creation, false)) {
        dataset =
            H5Dcreate2(file->id, path, H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    if (creation >= 0)
        H5Pclose(creation);
    if (space >= 0)
        H5Sclose(space);
    return dataset;
}

olo_status olo_hdf5_add_bytes(olo_hdf5 *file, const char *path, size_t size,
                              const char *description, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = create_bytes(file, path, size);
    bool ok = dataset >= 0;
    if (ok) {
        ok = describe(file, dataset, NULL, description);
        ok = H5Dclose(dataset) >= 0 && ok;
    }
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

olo_status olo_hdf5_put_bytes(olo_hdf5 *file, const char *path, const void *bytes, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    bool ok = dataset >= 0;
    if (ok) {
        ok = H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
        ok = H5Dclose(dataset) >= 0 && ok;
    }
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

static bool write_contents(olo_hdf5 *file, const char *path, const char *description,
                           const hsize_t *count, const contents *c)
{
    const hid_t space = count != NULL ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
    const hid_t dataset =
        space < 0 || c->type < 0
            ? H5I_INVALID_HID
            : H5Dcreate2(file->id, path, c->type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = dataset >= 0;
    if (ok) {
        const bool empty = count != NULL && *count == 0;
        ok = empty || H5Dwrite(dataset, c->memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->values) >= 0;
        ok = ok && describe(file, dataset, NULL, description);
        ok = H5Dclose(dataset) >= 0 && ok;
    }
    if (space >= 0)
        ok = H5Sclose(space) >= 0 && ok;
    return ok;
}

/* Writes a dataset of texts: a scalar when `count` is NULL. */
static olo_status write_texts(olo_hdf5 *file, const char *path, const char *description,
                              const char *const *texts, const hsize_t *count, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    contents c = texts_of(file, texts, count != NULL ? (size_t)*count : 1);
    const bool ok = write_contents(file, path, description, count, &c);
    contents_free(&c);
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

olo_status olo_hdf5_write_text(olo_hdf5 *file, const char *path, const char *description,
                               const char *text, olo_error *error)
{
    return write_texts(file, path, description, &text, NULL, error);
}

olo_status olo_hdf5_write_texts(olo_hdf5 *file, const char *path, const char *description,
                                const char *const *texts, size_t count, olo_error *error)
{
    const hsize_t size = count;
    return write_texts(file, path, description, texts, &size, error);
}
