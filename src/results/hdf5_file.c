/* Creating, opening and closing HDF5 files. Each function makes a few calls of HDF5 between `enter`
 * and `leave`. Writing is in hdf5_write.c, reading in hdf5_read.c. */
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
#include "results/checksum_trailer.h"
#include "results/hdf5_private.h"

/* ---- entering and leaving HDF5 --------------------------------------------------------------- */

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

/* Copies the description of the cause of a failure, which is visited first. */
static herr_t cause(unsigned n, const H5E_error2_t *entry, void *context)
{
    if (n == 0 && entry->desc != NULL) {
        olo_error *error = context;
        olo_fail(error, OLO_IO, "%s", entry->desc);
    }
    return 0;
}

/* The text of the first failure on disk. */
static olo_status disk_failure(const olo_hdf5 *file, const char *what, olo_error *error)
{
    const int failure = file->disk.failure;
    return olo_fail(error, failure == ENOMEM ? OLO_NO_MEMORY : OLO_IO, "cannot %s '%s': %s", what,
                    file->path, failure == ENOMEM ? "out of memory" : strerror(failure));
}

olo_status olo_hdf5_leave(const olo_hdf5_caller *caller, const olo_hdf5 *file, bool ok,
                          const char *what, olo_error *error)
{
    olo_status status = OLO_OK;
    if (file->disk.failure != 0) {
        status = disk_failure(file, what, error);
    } else if (!ok) {
        olo_error reason = {0};
        H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, cause, &reason);
        status = olo_fail(error, OLO_IO, "cannot %s '%s': %s", what, file->path,
                          reason.text[0] != '\0' ? reason.text : "unexpected contents");
    }
    H5Eset_auto2(H5E_DEFAULT, caller->print, caller->context);
    pthread_mutex_unlock(&hdf5_lock);
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

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
    file->new_file.descriptor = -1;
    file->disk.descriptor = -1;
    return file;
}

/* Closes all objects, then the file: otherwise HDF5 would leave the file open. Returns true on
 * success. */
static bool file_release(olo_hdf5 *file)
{
    bool ok = true;
    for (size_t i = 0; i < file->table_count; i++)
        ok = H5Dclose(file->tables[i].id) >= 0 && ok;
    file->table_count = 0;
    if (file->id >= 0)
        ok = H5Fclose(file->id) >= 0 && ok;
    file->id = H5I_INVALID_HID;
    olo_hdf5_disk_release(&file->disk);
    return ok;
}

static void file_free(olo_hdf5 *file)
{
    if (!file->writing && file->disk.descriptor >= 0)
        close(file->disk.descriptor);
    olo_new_file_close(&file->new_file);
    olo_ranges_free(&file->layout);
    olo_free(file->tables);
    olo_free(file->path);
    olo_free(file);
}

/* Closes and frees a file whose failure has been reported. */
static void file_discard(olo_hdf5 *file)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    olo_hdf5_leave(&caller, file, file_release(file), "close", NULL);
    file_free(file);
}

hid_t olo_hdf5_text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
                      H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* ---- files that are written ------------------------------------------------------------------ */

/* Holds metadata in memory until a flush. Otherwise HDF5 writes part of it whenever its cache is
 * full, and a process killed at that moment leaves an inconsistent file. */
static bool hold_metadata(hid_t access)
{
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(access, &cache) < 0)
        return false;
    cache.evictions_enabled = 0;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(access, &cache) >= 0;
}

/* In a journal every object header, which contains the number of rows, lies within one memory page,
 * so that a write of it is never split. */
enum { HEADER_MIN = 128, HEADER_MAX = 1024 };

/* Uses the format of HDF5 1.8, the first with attributes beyond 64 KiB, which old tools can read.
 * Tables with a capacity use the format of 1.10. The superblock remains that of 1.8, since the
 * later one marks a file whose writer was killed as not to be opened. */
static bool open_new(olo_hdf5 *file, hid_t access, bool journal)
{
    if (access < 0 || olo_hdf5_disk_use(access, &file->disk) < 0 || !hold_metadata(access) ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0 ||
        (journal && H5Pset_alignment(access, HEADER_MIN, HEADER_MAX) < 0))
        return false;
    file->disk.never_shorter = journal;
    file->disk.log = journal ? &file->layout : NULL;
    file->id = H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    return file->id >= 0 &&
           (!journal || H5Fset_libver_bounds(file->id, H5F_LIBVER_V110, H5F_LIBVER_LATEST) >= 0);
}

static olo_status create(const char *path, bool journal, olo_hdf5 **result, olo_error *error)
{
    *result = NULL;
    olo_hdf5 *file = file_new(path, true);
    if (file == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    olo_status status = olo_new_file_open(&file->new_file, path, error);
    if (status == OLO_OK) {
        file->disk.descriptor = file->new_file.descriptor;
        const olo_hdf5_caller caller = olo_hdf5_enter();
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        const bool ok = open_new(file, access, journal);
        if (access >= 0)
            H5Pclose(access);
        status = olo_hdf5_leave(&caller, file, ok, "create", error);
    }
    if (status != OLO_OK) {
        file_discard(file);
        return status;
    }
    *result = file;
    return OLO_OK;
}

olo_status olo_hdf5_create(const char *path, olo_hdf5 **result, olo_error *error)
{
    *result = NULL;
    const olo_status status = olo_new_file_check_is_free(path, error);
    return status == OLO_OK ? create(path, false, result, error) : status;
}

olo_status olo_hdf5_create_journal(const char *path, olo_hdf5 **result, olo_error *error)
{
    return create(path, true, result, error);
}

static olo_status flush(olo_hdf5 *file, bool sync, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    file->disk.sync = sync;
    const bool ok = H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0;
    file->disk.sync = false;
    return olo_hdf5_leave(&caller, file, ok, "write", error);
}

olo_status olo_hdf5_flush(olo_hdf5 *file, olo_error *error)
{
    return flush(file, false, error);
}

olo_status olo_hdf5_sync(olo_hdf5 *file, olo_error *error)
{
    return flush(file, true, error);
}

/* Adds a checksum trailer that covers the ranges, or the whole file. A failure is stored as a
 * failure of the disk. */
static olo_status add_trailer(olo_hdf5 *file, const olo_ranges *ranges, olo_error *error)
{
    if (file->disk.failure == 0 &&
        !olo_checksum_trailer_write(file->disk.descriptor, file->disk.length, ranges))
        file->disk.failure = errno != 0 ? errno : EIO;
    return file->disk.failure == 0 ? OLO_OK : disk_failure(file, "write", error);
}

/* Changes the number of rows of every growing table to 1 and back to 0, so that every byte that
 * growing changes is written and logged. */
static bool rehearse(const olo_hdf5 *file)
{
    bool ok = true;
    for (size_t i = 0; ok && i < file->table_count; i++) {
        const olo_hdf5_dataset *t = &file->tables[i];
        const hsize_t empty[2] = {0, t->width}, one[2] = {1, t->width};
        ok = !t->grows || (H5Dset_extent(t->id, one) >= 0 && H5Dset_extent(t->id, empty) >= 0);
    }
    return ok && H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0;
}

olo_status olo_hdf5_end_layout(olo_hdf5 *journal, olo_error *error)
{
    olo_ranges changing = {0};
    const olo_hdf5_caller caller = olo_hdf5_enter();
    // HDF5 releases unused space only when it flushes again
    bool ok = H5Fflush(journal->id, H5F_SCOPE_LOCAL) >= 0;
    ok = ok && H5Fflush(journal->id, H5F_SCOPE_LOCAL) >= 0;
    journal->disk.log = &changing;
    ok = ok && rehearse(journal);
    journal->disk.log = NULL;
    olo_status status = olo_hdf5_leave(&caller, journal, ok, "write", error);
    if (status == OLO_OK) {
        olo_ranges_normalize(&journal->layout);
        olo_ranges_normalize(&changing);
        olo_ranges_subtract(&journal->layout, &changing);
        status = add_trailer(journal, &journal->layout, error);
    }
    olo_ranges_free(&changing);
    return status;
}

olo_status olo_hdf5_publish(olo_hdf5 *journal, const olo_hdf5 *replaced, olo_error *error)
{
    return olo_new_file_publish_exclusive(&journal->new_file,
                                          replaced != NULL ? replaced->disk.descriptor : -1, error);
}

/* Completes a file except for its name. */
static olo_status complete(olo_hdf5 *file, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    olo_status status = olo_hdf5_leave(&caller, file, file_release(file), "write", error);
    if (status == OLO_OK)
        status = add_trailer(file, NULL, error);
    if (status == OLO_OK && !olo_write_sync(file->disk.descriptor))
        status = olo_fail(error, OLO_IO, "cannot write '%s': %s", file->path, strerror(errno));
    return status;
}

olo_status olo_hdf5_finish(olo_hdf5 *file, olo_error *error)
{
    olo_status status = complete(file, error);
    if (status == OLO_OK)
        status = olo_new_file_publish(&file->new_file, error);
    file_free(file);
    return status;
}

olo_status olo_hdf5_finish_journal(olo_hdf5 *journal, const olo_hdf5 *replaced, olo_error *error)
{
    olo_status status = complete(journal, error);
    if (status == OLO_OK)
        status = olo_hdf5_publish(journal, replaced, error);
    file_free(journal);
    return status;
}

bool olo_hdf5_is_there(const olo_hdf5 *journal)
{
    return olo_new_file_is_there(&journal->new_file);
}

void olo_hdf5_remove(olo_hdf5 *journal)
{
    if (olo_hdf5_is_there(journal))
        (void)olo_write_remove(journal->new_file.target);
}

olo_status olo_hdf5_close(olo_hdf5 *file, olo_error *error)
{
    if (file == NULL)
        return OLO_OK;
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool ok = file_release(file);
    const olo_status status =
        olo_hdf5_leave(&caller, file, ok, file->writing ? "write" : "close", error);
    file_free(file);
    return status;
}

/* ---- files that are read --------------------------------------------------------------------- */

/* Opens a regular file and locks it against writers, with `exclusive` against readers too. HDF5
 * would hide the cause of a failure in a long text. */
static olo_status open_readable(olo_hdf5 *file, bool exclusive, olo_error *error)
{
    struct stat facts;
    const char *reason = NULL;
    const int descriptor =
        open(file->path, (exclusive ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    file->disk.descriptor = descriptor;
    if (descriptor < 0 || fstat(descriptor, &facts) != 0) {
        reason = strerror(errno);
    } else if (!S_ISREG(facts.st_mode)) {
        reason = S_ISDIR(facts.st_mode) ? strerror(EISDIR) : "it is not a regular file";
    } else if (flock(descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
               errno == EWOULDBLOCK) {
        reason = exclusive ? "another process is writing or reading it"
                           : "another process is writing it";
    }
    return reason == NULL ? OLO_OK
                          : olo_fail(error, OLO_IO, "cannot open '%s': %s", file->path, reason);
}

/* Checks that the file has the signature of HDF5, and that its checksum is correct. */
static olo_status check_contents(olo_hdf5 *file, olo_error *error)
{
    static const char SIGNATURE[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char begin[sizeof SIGNATURE] = "";
    if (pread(file->disk.descriptor, begin, sizeof begin, 0) < 0)
        return olo_fail(error, OLO_IO, "cannot read '%s': %s", file->path, strerror(errno));
    if (memcmp(begin, SIGNATURE, sizeof begin) != 0) {
        return olo_fail(error, OLO_IO,
                        "cannot read '%s': it is not a result of oloid (no HDF5 file)", file->path);
    }
    return olo_checksum_trailer_check(file->disk.descriptor, file->path, &file->disk.length,
                                      &file->journal, error);
}

static olo_status open_contents(olo_hdf5 *file, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && olo_hdf5_disk_use(access, &file->disk) >= 0)
        file->id = H5Fopen(file->path, H5F_ACC_RDONLY, access);
    const bool ok = file->id >= 0;
    const olo_status status = olo_hdf5_leave(&caller, file, ok, "read", error);
    if (access >= 0) {
        const olo_hdf5_caller again = olo_hdf5_enter();
        H5Pclose(access);
        olo_hdf5_leave(&again, file, true, "read", NULL);
    }
    return status;
}

static olo_status open_file(const char *path, bool exclusive, olo_hdf5 **result, olo_error *error)
{
    *result = NULL;
    olo_hdf5 *file = file_new(path, false);
    if (file == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot open '%s': out of memory", path);
    olo_status status = open_readable(file, exclusive, error);
    if (status == OLO_OK)
        status = check_contents(file, error);
    if (status == OLO_OK)
        status = open_contents(file, error);
    if (status != OLO_OK) {
        file_discard(file);
        return status;
    }
    *result = file;
    return OLO_OK;
}

olo_status olo_hdf5_open(const char *path, olo_hdf5 **result, olo_error *error)
{
    return open_file(path, false, result, error);
}

olo_status olo_hdf5_open_exclusive(const char *path, olo_hdf5 **result, olo_error *error)
{
    return open_file(path, true, result, error);
}

bool olo_hdf5_is_journal(const olo_hdf5 *file)
{
    return file->journal;
}

void olo_hdf5_skip_exit(void)
{
    (void)H5dont_atexit();
}
