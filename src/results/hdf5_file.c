/* HDF5 files, thin: opening, closing and writing. Each function is the few calls of HDF5 it takes,
 * between `enter` and `leave`. Reading is in hdf5_read.c. */
#include "results/hdf5_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/write.h"
#include "results/hdf5_private.h"

/* A chunk is what HDF5 allocates, caches and reads at once: some fit into its default cache of 1 MiB. */
enum { CHUNK_NUMBERS = 16384, CHUNK_ROWS_MAX = 1024 };

/* ---- entering and leaving HDF5 ---------------------------------------------------------------- */

/* HDF5 is not thread-safe: one call at a time in the whole process. */
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

olo_hdf5_caller olo_hdf5_enter(void)
{
    olo_hdf5_caller caller = {0};
    pthread_mutex_lock(&hdf5_lock);
    H5Eget_auto2(H5E_DEFAULT, &caller.print, &caller.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Eclear2(H5E_DEFAULT);
    return caller;
}

/* Copies the description at the cause of the failure, which is visited first. */
static herr_t cause(unsigned n, const H5E_error2_t *entry, void *context)
{
    if (n == 0 && entry->desc != NULL) {
        olo_error *error = context;
        olo_fail(error, OLO_IO, "%s", entry->desc);
    }
    return 0;
}

olo_status olo_hdf5_leave(const olo_hdf5_caller *caller, const olo_hdf5 *file, bool fine,
                          const char *what, olo_error *error)
{
    olo_status status = OLO_OK;
    if (file->disk.locked) {
        status = olo_fail(error, OLO_IO, "cannot %s '%s': another process is writing it", what,
                          file->path);
    } else if (file->disk.failure != 0) {
        status = olo_fail(error, OLO_IO, "cannot %s '%s': %s", what, file->path,
                          strerror(file->disk.failure));
    } else if (!fine) {
        olo_error reason = {0};
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, cause, &reason);
        status = olo_fail(error, OLO_IO, "cannot %s '%s': %s", what, file->path,
                          reason.text[0] != '\0' ? reason.text : "unexpected contents");
    }
    H5Eset_auto2(H5E_DEFAULT, caller->print, caller->context);
    pthread_mutex_unlock(&hdf5_lock);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------ */

static olo_hdf5 *file_new(const char *path, bool writing)
{
    olo_hdf5 *file = olo_alloc(1, sizeof *file);
    char *copy = olo_strdup(path);
    if (file == NULL || copy == NULL) {
        olo_free(copy);
        return olo_free(file);
    }
    file->path = copy;
    file->writing = writing;
    file->id = H5I_INVALID_HID;
    file->text_type = H5I_INVALID_HID;
    return file;
}

/* True when everything could be closed. Objects go first, so that the file really closes. */
static bool file_release(olo_hdf5 *file)
{
    bool fine = true;
    for (size_t i = 0; i < file->table_count; i++) {
        fine = H5Dclose(file->tables[i].id) >= 0 && fine;
    }
    if (file->text_type >= 0) {
        fine = H5Tclose(file->text_type) >= 0 && fine;
    }
    if (file->id >= 0) {
        fine = H5Fclose(file->id) >= 0 && fine;
    }
    return fine;
}

static void file_free(olo_hdf5 *file)
{
    olo_free(file->tables);
    olo_free(file->path);
    olo_free(file);
}

/* Gives up a file whose failure has been reported. */
static void file_discard(olo_hdf5 *file)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    olo_hdf5_leave(&caller, file, file_release(file), "close", NULL);
    file_free(file);
}

static hid_t new_text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* Keeps metadata in memory until a flush: otherwise HDF5 writes some of it whenever its cache is full, and
 * a process killed then leaves a file whose parts do not fit together. */
static bool keep_metadata(hid_t access)
{
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &cache) < 0) {
        return false;
    }
    cache.evictions_enabled = 0;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(access, &cache) >= 0;
}

/* In a journal every object header, which tells the number of rows, lies in one page of memory:
 * writing it is never cut in two. */
enum { HEADER_LEAST = 128, HEADER_MOST = 1024 };

/* The format of HDF5 1.8: the first with attributes beyond 64 KiB, and old tools read it. Tables with a
 * capacity are of 1.10; the superblock stays as it was in 1.8, since the later one marks a file whose writer
 * was killed as not to be opened. */
static bool open_new(olo_hdf5 *file, const char *path, hid_t access, bool journal)
{
    if (access < 0 || olo_hdf5_disk_use(access, &file->disk) < 0 || !keep_metadata(access) ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0 ||
        (journal && H5Pset_alignment(access, HEADER_LEAST, HEADER_MOST) < 0)) {
        return false;
    }
    file->disk.never_shorter = journal;
    file->id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    file->text_type = new_text_type();
    return file->id >= 0 && file->text_type >= 0 &&
           (!journal || H5Fset_libver_bounds(file->id, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0);
}

olo_status olo_hdf5_create_as(const char *path, const char *label, bool journal, olo_hdf5 **result,
                              olo_error *error)
{
    *result = NULL;
    olo_hdf5 *file = file_new(label, true);
    if (file == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", label);
    }
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool fine = open_new(file, path, access, journal);
    if (access >= 0) {
        H5Pclose(access);
    }
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "create", error);
    if (status != OLO_OK) {
        if (file->disk.opened) {
            olo_write_remove(path); // there is nothing in it yet
        }
        file_discard(file);
        return status;
    }
    *result = file;
    return OLO_OK;
}

olo_status olo_hdf5_create(const char *path, olo_hdf5 **result, olo_error *error)
{
    return olo_hdf5_create_as(path, path, false, result, error);
}

/* HDF5 hides why a file cannot be opened in long texts: ask the system first. */
static olo_status check_readable(const char *path, olo_error *error)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    char byte;
    const char *reason = NULL;
    if (descriptor < 0 || read(descriptor, &byte, 1) < 0) {
        reason = strerror(errno);
    } else if (flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        reason = "another process is writing it";
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return reason == NULL ? OLO_OK : olo_fail(error, OLO_IO, "cannot open '%s': %s", path, reason);
}

olo_status olo_hdf5_open(const char *path, olo_hdf5 **result, olo_error *error)
{
    *result = NULL;
    const olo_status readable = check_readable(path, error);
    if (readable != OLO_OK) {
        return readable;
    }
    olo_hdf5 *file = file_new(path, false);
    if (file == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot open '%s': out of memory", path);
    }
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool other = H5Fis_hdf5(path) == 0;
    file->id = other ? -1 : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    file->text_type =
        file->id < 0 ? -1 : new_text_type(); // a call that works forgets why another did not
    const bool fine = file->id >= 0 && file->text_type >= 0;
    olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    if (other) {
        status = olo_fail(error, OLO_IO,
                          "cannot read '%s': it is not a result of oloid (no HDF5 file)", path);
    }
    if (status != OLO_OK) {
        file_discard(file);
        return status;
    }
    *result = file;
    return OLO_OK;
}

static olo_status flush(olo_hdf5 *file, bool sync, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    file->disk.sync = sync;
    const bool fine = H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0;
    file->disk.sync = false;
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

olo_status olo_hdf5_flush(olo_hdf5 *file, olo_error *error)
{
    return flush(file, false, error);
}

olo_status olo_hdf5_sync(olo_hdf5 *file, olo_error *error)
{
    return flush(file, true, error);
}

bool olo_hdf5_is_at(const olo_hdf5 *file, const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_dev == file->disk.device &&
           facts.st_ino == file->disk.inode;
}

olo_status olo_hdf5_close(olo_hdf5 *file, bool sync, olo_error *error)
{
    if (file == NULL) {
        return OLO_OK;
    }
    const olo_hdf5_caller caller = olo_hdf5_enter();
    file->disk.sync = sync;
    const bool fine = file_release(file);
    const olo_status status =
        olo_hdf5_leave(&caller, file, fine, file->writing ? "write" : "close", error);
    file_free(file);
    return status;
}

void olo_hdf5_skip_exit(void)
{
    (void)H5dont_atexit();
}

/* ---- writing: groups and attributes ----------------------------------------------------------- */

olo_status olo_hdf5_add_group(olo_hdf5 *file, const char *path, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool fine = group >= 0 && H5Gclose(group) >= 0;
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

typedef enum value_kind { TEXT, NUMBER, INTEGER } value_kind;

/* One attribute: a scalar when `count` is NULL, else an array. */
static bool set_attribute(hid_t object, const char *name, hid_t type, const hsize_t *count,
                          const void *value)
{
    const htri_t exists = H5Aexists(object, name);
    if (exists < 0 || (exists > 0 && H5Adelete(object, name) < 0)) {
        return false;
    }
    const hid_t space = count != NULL ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
    if (space < 0) {
        return false;
    }
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0;
    if (fine) {
        fine = H5Awrite(attribute, type, value) >= 0;
        fine = H5Aclose(attribute) >= 0 && fine;
    }
    return H5Sclose(space) >= 0 && fine;
}

static olo_status set_by_path(olo_hdf5 *file, const char *path, const char *name, value_kind kind,
                              const hsize_t *count, const void *value, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t object = H5Oopen(file->id, path, H5P_DEFAULT);
    bool fine = object >= 0;
    if (fine) {
        const hid_t type = kind == TEXT     ? file->text_type
                           : kind == NUMBER ? H5T_NATIVE_DOUBLE
                                            : H5T_NATIVE_LLONG;
        fine = set_attribute(object, name, type, count, value);
        fine = H5Oclose(object) >= 0 && fine;
    }
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

olo_status olo_hdf5_set_text(olo_hdf5 *file, const char *object, const char *name, const char *text,
                             olo_error *error)
{
    const char *value = text != NULL ? text : "";
    return set_by_path(file, object, name, TEXT, NULL, &value, error);
}

olo_status olo_hdf5_set_texts(olo_hdf5 *file, const char *object, const char *name,
                              const char *const *texts, size_t count, olo_error *error)
{
    const hsize_t size = count;
    return set_by_path(file, object, name, TEXT, &size, texts, error);
}

olo_status olo_hdf5_set_number(olo_hdf5 *file, const char *object, const char *name, double value,
                               olo_error *error)
{
    return set_by_path(file, object, name, NUMBER, NULL, &value, error);
}

olo_status olo_hdf5_set_integer(olo_hdf5 *file, const char *object, const char *name,
                                long long value, olo_error *error)
{
    return set_by_path(file, object, name, INTEGER, NULL, &value, error);
}

/* ---- writing: datasets ------------------------------------------------------------------------ */

/* Describing attributes of a dataset; NULL texts are left out. */
static bool describe(const olo_hdf5 *file, hid_t dataset, const char *units,
                     const char *description)
{
    return (units == NULL || set_attribute(dataset, "units", file->text_type, NULL, &units)) &&
           (description == NULL ||
            set_attribute(dataset, "description", file->text_type, NULL, &description));
}

/* Rows and columns of a chunk: about CHUNK_NUMBERS numbers, not more rows than will come. */
static void chunk_shape(const olo_hdf5_table *layout, hsize_t chunk[2])
{
    const size_t width = layout->width > 0 ? layout->width : 1;
    chunk[1] = width < CHUNK_NUMBERS ? width : CHUNK_NUMBERS;
    chunk[0] = 1;
    while (chunk[0] < CHUNK_ROWS_MAX && chunk[0] < layout->rows &&
           2 * chunk[0] * chunk[1] <= CHUNK_NUMBERS) {
        chunk[0] *= 2;
    }
}

/* Space for all rows at once, so that growing changes nothing but the number of rows; nothing is written into
 * it before a row is. The names of many columns are kept out of the header that tells this number. */
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
    const hsize_t none[2] = {0, layout->width}, first[2] = {bounded ? 1 : 0, layout->width};
    hsize_t chunk[2];
    chunk_shape(layout, chunk);
    // no bound is smaller than a chunk, and more than the one row that it begins with
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
    if (dataset >= 0 && bounded && H5Dset_extent(dataset, none) < 0) {
        H5Dclose(dataset);
        dataset = H5I_INVALID_HID;
    }
    if (creation >= 0) {
        H5Pclose(creation);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return dataset;
}

olo_status olo_hdf5_add_table(olo_hdf5 *file, const olo_hdf5_table *layout, int *handle,
                              olo_error *error)
{
    olo_hdf5_dataset *tables =
        olo_grow(file->tables, file->table_count, &file->table_capacity, sizeof *tables);
    if (tables == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot write '%s': out of memory", file->path);
    }
    file->tables = tables;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = create_table(file, layout);
    bool fine = dataset >= 0;
    if (fine) {
        *handle = (int)file->table_count;
        tables[file->table_count++] =
            (olo_hdf5_dataset){.id = dataset,
                               .rank = layout->width > 0 ? 2 : 1,
                               .width = layout->width > 0 ? layout->width : 1};
        fine = describe(file, dataset, layout->units, layout->description);
    }
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

static bool append_rows(olo_hdf5_dataset *t, hsize_t rows, const double *values)
{
    const hsize_t size[2] = {t->rows + rows, t->width};
    const hsize_t first[2] = {t->rows, 0}, count[2] = {rows, t->width};
    if (H5Dset_extent(t->id, size) < 0) {
        return false;
    }
    const hid_t place = H5Dget_space(t->id);
    const hid_t memory = H5Screate_simple(t->rank, count, NULL);
    bool fine = place >= 0 && memory >= 0 &&
                H5Sselect_hyperslab(place, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
                H5Dwrite(t->id, H5T_NATIVE_DOUBLE, memory, place, H5P_DEFAULT, values) >= 0;
    if (memory >= 0) {
        fine = H5Sclose(memory) >= 0 && fine;
    }
    if (place >= 0) {
        fine = H5Sclose(place) >= 0 && fine;
    }
    if (fine) {
        t->rows += rows;
    }
    return fine;
}

olo_status olo_hdf5_append(olo_hdf5 *file, int handle, size_t rows, const double *values,
                           olo_error *error)
{
    if (rows == 0) {
        return OLO_OK;
    }
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
    if (creation >= 0) {
        H5Pclose(creation);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return dataset;
}

olo_status olo_hdf5_add_bytes(olo_hdf5 *file, const char *path, size_t size,
                              const char *description, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = create_bytes(file, path, size);
    bool fine = dataset >= 0;
    if (fine) {
        fine = describe(file, dataset, NULL, description);
        fine = H5Dclose(dataset) >= 0 && fine;
    }
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

olo_status olo_hdf5_put_bytes(olo_hdf5 *file, const char *path, const void *bytes, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    bool fine = dataset >= 0;
    if (fine) {
        fine = H5Dwrite(dataset, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
        fine = H5Dclose(dataset) >= 0 && fine;
    }
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

/* A dataset of texts: a scalar when `count` is NULL. */
static olo_status write_texts(olo_hdf5 *file, const char *path, const char *description,
                              const char *const *texts, const hsize_t *count, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t space = count != NULL ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
    bool fine = space >= 0;
    if (fine) {
        const hid_t dataset = H5Dcreate2(file->id, path, file->text_type, space, H5P_DEFAULT,
                                         H5P_DEFAULT, H5P_DEFAULT);
        fine = dataset >= 0;
        if (fine) {
            const bool empty = count != NULL && *count == 0;
            fine = empty ||
                   H5Dwrite(dataset, file->text_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
            fine = fine && describe(file, dataset, NULL, description);
            fine = H5Dclose(dataset) >= 0 && fine;
        }
        fine = H5Sclose(space) >= 0 && fine;
    }
    return olo_hdf5_leave(&caller, file, fine, "write", error);
}

olo_status olo_hdf5_write_text(olo_hdf5 *file, const char *path, const char *description,
                               const char *text, olo_error *error)
{
    const char *value = text != NULL ? text : "";
    return write_texts(file, path, description, &value, NULL, error);
}

olo_status olo_hdf5_write_texts(olo_hdf5 *file, const char *path, const char *description,
                                const char *const *texts, size_t count, olo_error *error)
{
    const hsize_t size = count;
    return write_texts(file, path, description, texts, &size, error);
}
