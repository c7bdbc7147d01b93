/* HDF5 files, thin: creating, opening and closing. Each function is the few calls of HDF5 it takes,
 * between `enter` and `leave`. Writing is in hdf5_write.c, reading in hdf5_read.c. */
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
#include "results/seal.h"

/* ---- entering and leaving HDF5 ----------------------------------------------------------------
 */

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

/* What happened to the file on disk. */
static olo_status disk_failure(const olo_hdf5 *file, const char *what, olo_error *error)
{
    const int failure = file->disk.failure;
    return olo_fail(error, failure == ENOMEM ? OLO_NO_MEMORY : OLO_IO, "cannot %s '%s': %s", what,
                    file->path, failure == ENOMEM ? "out of memory" : strerror(failure));
}

olo_status olo_hdf5_leave(const olo_hdf5_caller *caller, const olo_hdf5 *file, bool fine,
                          const char *what, olo_error *error)
{
    olo_status status = OLO_OK;
    if (file->disk.failure != 0) {
        status = disk_failure(file, what, error);
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

/* ---- files ------------------------------------------------------------------------------------
 */

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

/* True when everything could be closed. Objects go first, so that the file really closes. */
static bool file_release(olo_hdf5 *file)
{
    bool fine = true;
    for (size_t i = 0; i < file->table_count; i++) {
        fine = H5Dclose(file->tables[i].id) >= 0 && fine;
    }
    file->table_count = 0;
    if (file->id >= 0) {
        fine = H5Fclose(file->id) >= 0 && fine;
    }
    file->id = H5I_INVALID_HID;
    return fine;
}

static void file_free(olo_hdf5 *file)
{
    if (!file->writing && file->disk.descriptor >= 0) {
        close(file->disk.descriptor);
    }
    olo_new_file_close(&file->new_file);
    olo_ranges_free(&file->layout);
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

/* ---- files that are written -------------------------------------------------------------------
 */

/* Keeps metadata in memory until a flush: otherwise HDF5 writes some of it whenever its cache is
 * full, and a process killed then leaves a file whose parts do not fit together. */
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

/* The format of HDF5 1.8: the first with attributes beyond 64 KiB, and old tools read it. Tables
 * with a capacity are of 1.10; the superblock stays as it was in 1.8, since the later one marks a
 * file whose writer was killed as not to be opened. */
static bool open_new(olo_hdf5 *file, hid_t access, bool journal)
{
    if (access < 0 || olo_hdf5_disk_use(access, &file->disk) < 0 || !keep_metadata(access) ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) < 0 ||
        (journal && H5Pset_alignment(access, HEADER_LEAST, HEADER_MOST) < 0)) {
        return false;
    }
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
    if (file == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    }
    olo_status status = olo_new_file_open(&file->new_file, path, error);
    if (status == OLO_OK) {
        file->disk.descriptor = file->new_file.descriptor;
        const olo_hdf5_caller caller = olo_hdf5_enter();
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        const bool fine = open_new(file, access, journal);
        if (access >= 0) {
            H5Pclose(access);
        }
        status = olo_hdf5_leave(&caller, file, fine, "create", error);
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

/* Adds a seal over the ranges, or over everything; a failure is one of the disk. */
static olo_status add_seal(olo_hdf5 *file, const olo_ranges *ranges, olo_error *error)
{
    if (file->disk.failure == 0 &&
        !olo_seal_write(file->disk.descriptor, file->disk.length, ranges)) {
        file->disk.failure = errno != 0 ? errno : EIO;
    }
    return file->disk.failure == 0 ? OLO_OK : disk_failure(file, "write", error);
}

/* Changes the number of rows of every table that grows there and back, so that all is written that
 * growing changes. */
static bool rehearse(const olo_hdf5 *file)
{
    bool fine = true;
    for (size_t i = 0; fine && i < file->table_count; i++) {
        const olo_hdf5_dataset *t = &file->tables[i];
        const hsize_t none[2] = {0, t->width}, one[2] = {1, t->width};
        fine = !t->grows || (H5Dset_extent(t->id, one) >= 0 && H5Dset_extent(t->id, none) >= 0);
    }
    return fine && H5Fflush(file->id, H5F_SCOPE_LOCAL) >= 0;
}

olo_status olo_hdf5_settle(olo_hdf5 *journal, olo_error *error)
{
    olo_ranges changing = {0};
    const olo_hdf5_caller caller = olo_hdf5_enter();
    // HDF5 gives back what it did not use only once
    bool fine = H5Fflush(journal->id, H5F_SCOPE_LOCAL) >= 0;
    fine = fine && H5Fflush(journal->id, H5F_SCOPE_LOCAL) >= 0;
    journal->disk.log = &changing;
    fine = fine && rehearse(journal);
    journal->disk.log = NULL;
    olo_status status = olo_hdf5_leave(&caller, journal, fine, "write", error);
    if (status == OLO_OK) {
        olo_ranges_tidy(&journal->layout);
        olo_ranges_tidy(&changing);
        olo_ranges_subtract(&journal->layout, &changing);
        status = add_seal(journal, &journal->layout, error);
    }
    olo_ranges_free(&changing);
    return status;
}

olo_status olo_hdf5_keep(olo_hdf5 *journal, const olo_hdf5 *held, olo_error *error)
{
    return olo_new_file_keep_alone(&journal->new_file, held != NULL ? held->disk.descriptor : -1,
                                   error);
}

/* Completes a file up to its name. */
static olo_status complete(olo_hdf5 *file, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    olo_status status = olo_hdf5_leave(&caller, file, file_release(file), "write", error);
    if (status == OLO_OK) {
        status = add_seal(file, NULL, error);
    }
    if (status == OLO_OK && !olo_write_sync(file->disk.descriptor)) {
        status = olo_fail(error, OLO_IO, "cannot write '%s': %s", file->path, strerror(errno));
    }
    return status;
}

olo_status olo_hdf5_finish(olo_hdf5 *file, olo_error *error)
{
    olo_status status = complete(file, error);
    if (status == OLO_OK) {
        status = olo_new_file_keep(&file->new_file, error);
    }
    file_free(file);
    return status;
}

olo_status olo_hdf5_finish_journal(olo_hdf5 *journal, const olo_hdf5 *held, olo_error *error)
{
    olo_status status = complete(journal, error);
    if (status == OLO_OK) {
        status = olo_hdf5_keep(journal, held, error);
    }
    file_free(journal);
    return status;
}

bool olo_hdf5_is_there(const olo_hdf5 *journal)
{
    return olo_new_file_is_there(&journal->new_file);
}

void olo_hdf5_remove(olo_hdf5 *journal)
{
    if (olo_hdf5_is_there(journal)) {
        (void)olo_write_remove(journal->new_file.target);
    }
}

olo_status olo_hdf5_close(olo_hdf5 *file, olo_error *error)
{
    if (file == NULL) {
        return OLO_OK;
    }
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const bool fine = file_release(file);
    const olo_status status =
        olo_hdf5_leave(&caller, file, fine, file->writing ? "write" : "close", error);
    file_free(file);
    return status;
}

/* ---- files that are read ----------------------------------------------------------------------
 */

/* Opens a regular file and locks it against writers, with `alone` against readers too. HDF5 hides
 * why that fails in long texts. */
static olo_status open_readable(olo_hdf5 *file, bool alone, olo_error *error)
{
    struct stat facts;
    const char *reason = NULL;
    const int descriptor = open(file->path, (alone ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    file->disk.descriptor = descriptor;
    if (descriptor < 0 || fstat(descriptor, &facts) != 0) {
        reason = strerror(errno);
    } else if (!S_ISREG(facts.st_mode)) {
        reason = S_ISDIR(facts.st_mode) ? strerror(EISDIR) : "it is not a regular file";
    } else if (flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 &&
               errno == EWOULDBLOCK) {
        reason =
            alone ? "another process is writing or reading it" : "another process is writing it";
    }
    return reason == NULL ? OLO_OK
                          : olo_fail(error, OLO_IO, "cannot open '%s': %s", file->path, reason);
}

/* It begins as HDF5 files do, and is as it was written. */
static olo_status check_contents(olo_hdf5 *file, olo_error *error)
{
    static const char SIGNATURE[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    char begin[sizeof SIGNATURE] = "";
    if (pread(file->disk.descriptor, begin, sizeof begin, 0) < 0) {
        return olo_fail(error, OLO_IO, "cannot read '%s': %s", file->path, strerror(errno));
    }
    if (memcmp(begin, SIGNATURE, sizeof begin) != 0) {
        return olo_fail(error, OLO_IO,
                        "cannot read '%s': it is not a result of oloid (no HDF5 file)", file->path);
    }
    return olo_seal_check(file->disk.descriptor, file->path, &file->disk.length, &file->journal,
                          error);
}

static olo_status open_contents(olo_hdf5 *file, olo_error *error)
{
    const olo_hdf5_caller caller = olo_hdf5_enter();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && olo_hdf5_disk_use(access, &file->disk) >= 0) {
        file->id = H5Fopen(file->path, H5F_ACC_RDONLY, access);
    }
    const bool fine = file->id >= 0;
    const olo_status status = olo_hdf5_leave(&caller, file, fine, "read", error);
    if (access >= 0) {
        const olo_hdf5_caller again = olo_hdf5_enter();
        H5Pclose(access);
        olo_hdf5_leave(&again, file, true, "read", NULL);
    }
    return status;
}

static olo_status open_file(const char *path, bool alone, olo_hdf5 **result, olo_error *error)
{
    *result = NULL;
    olo_hdf5 *file = file_new(path, false);
    if (file == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot open '%s': out of memory", path);
    }
    olo_status status = open_readable(file, alone, error);
    if (status == OLO_OK) {
        status = check_contents(file, error);
    }
    if (status == OLO_OK) {
        status = open_contents(file, error);
    }
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

olo_status olo_hdf5_open_alone(const char *path, olo_hdf5 **result, olo_error *error)
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
