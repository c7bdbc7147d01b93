/* Files that replace others. */
#include "base/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/write.h"

static olo_status cannot_create(const char *path, int reason, olo_error *error)
{
    return olo_fail(error, OLO_IO, "cannot create '%s': %s", path,
                    strerror(reason != 0 ? reason : EIO));
}

/* ---- the rule --------------------------------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "no regular file";
}

/* Takes one symbolic link further: `path` becomes what it names, seen from its own folder. */
static bool follow(char path[PATH_MAX])
{
    char named[PATH_MAX];
    const ssize_t length = readlink(path, named, sizeof named - 1);
    if (length < 0) {
        return false;
    }
    named[length] = '\0';
    const char *slash = strrchr(path, '/');
    const size_t folder = named[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
    if (folder + (size_t)length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path + folder, named, (size_t)length + 1);
    return true;
}

/* The file that would be written: `target` gets its path. */
static olo_status find_target(const char *path, char target[PATH_MAX], olo_error *error)
{
    enum { LINKS_MAX = 40 }; // as the system itself
    struct stat facts;
    if (path[0] == '\0' || strlen(path) >= PATH_MAX) {
        return cannot_create(path, path[0] == '\0' ? ENOENT : ENAMETOOLONG, error);
    }
    strcpy(target, path);
    for (int links = 0; links < LINKS_MAX; links++) {
        if (lstat(target, &facts) != 0) {
            return errno == ENOENT ? OLO_OK : cannot_create(path, errno, error);
        }
        if (!S_ISLNK(facts.st_mode)) {
            return S_ISREG(facts.st_mode)
                       ? OLO_OK
                       : olo_fail(
                             error, OLO_BAD_INPUT,
                             "cannot create '%s': it is %s, and only a regular file is replaced",
                             path, kind_of(facts.st_mode));
        }
        if (!follow(target)) {
            return cannot_create(path, errno, error);
        }
    }
    return cannot_create(path, ELOOP, error);
}

olo_status olo_fresh_check(const char *path, olo_error *error)
{
    char target[PATH_MAX];
    return find_target(path, target, error);
}

/* True if another process holds a lock on the file. */
static bool is_busy(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool busy =
        descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (descriptor >= 0) {
        close(descriptor);
    }
    return busy;
}

olo_status olo_fresh_check_is_free(const char *path, olo_error *error)
{
    return is_busy(path)
               ? olo_fail(error, OLO_IO, "cannot create '%s': another process is writing it", path)
               : OLO_OK;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* The folder of a path; the path itself must fit. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, slash == NULL ? "." : path, slash == NULL ? 2 : length);
    folder[slash == NULL ? 1 : length] = '\0';
}

static bool name_all(olo_fresh *fresh, const char *path, const char *target)
{
    const size_t size = strlen(target) + sizeof ".new";
    fresh->path = olo_strdup(path);
    fresh->target = olo_strdup(target);
    fresh->beside = olo_alloc(size, 1);
    if (fresh->beside != NULL) {
        (void)snprintf(fresh->beside, size, "%s.new", target);
    }
    return fresh->path != NULL && fresh->target != NULL && fresh->beside != NULL;
}

/* Without a name, or with one where that is not possible. A file system without locks is used without. */
static olo_status open_it(olo_fresh *fresh, olo_error *error)
{
    char folder[PATH_MAX];
    struct stat facts;
    folder_of(fresh->target, folder);
    const bool stale = lstat(fresh->beside, &facts) == 0;
    if (stale && is_busy(fresh->beside)) {
        return olo_fail(error, OLO_IO, "cannot create '%s': another process is writing it",
                        fresh->path);
    }
    if (stale && !olo_write_remove(fresh->beside)) {
        return cannot_create(fresh->path, errno, error);
    }
    fresh->descriptor = olo_write_open_unnamed(folder);
    if (fresh->descriptor < 0 && errno == EOPNOTSUPP) {
        fresh->descriptor = olo_write_open(fresh->beside, true);
        fresh->visible = fresh->descriptor >= 0;
    }
    if (fresh->descriptor < 0) {
        return cannot_create(fresh->path, errno, error);
    }
    if (flock(fresh->descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        fresh->visible = false; // it is not ours
        return olo_fail(error, OLO_IO, "cannot create '%s': another process is writing it",
                        fresh->path);
    }
    return fresh->visible && !olo_write_resize(fresh->descriptor, 0)
               ? cannot_create(fresh->path, errno, error)
               : OLO_OK;
}

olo_status olo_fresh_open(olo_fresh *fresh, const char *path, olo_error *error)
{
    char target[PATH_MAX];
    *fresh = (olo_fresh){.descriptor = -1};
    olo_status status = find_target(path, target, error);
    if (status == OLO_OK && !name_all(fresh, path, target)) {
        status = olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    }
    if (status == OLO_OK) {
        status = open_it(fresh, error);
    }
    if (status != OLO_OK) {
        olo_fresh_close(fresh);
    }
    return status;
}

/* ---- keeping ---------------------------------------------------------------------------------- */

/* A renamed file is there after a power failure only when its folder has been synced too. Not every
 * file system can; the file itself is on disk, so this is no failure. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    folder_of(path, folder);
    const int descriptor = open(folder, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

/* Some file systems tell only when a file is closed that it could not be written. */
static bool has_arrived(int descriptor)
{
    const int copy = dup(descriptor);
    return copy >= 0 && close(copy) == 0;
}

olo_status olo_fresh_keep(olo_fresh *fresh, olo_error *error)
{
    if (!has_arrived(fresh->descriptor)) {
        return cannot_create(fresh->path, errno, error);
    }
    // a link cannot replace a file: where there is one, the new one becomes visible and is renamed
    bool done = !fresh->visible && olo_write_link(fresh->descriptor, fresh->target);
    if (!done && !fresh->visible && errno == EEXIST) {
        fresh->visible = olo_write_link(fresh->descriptor, fresh->beside);
    }
    if (!done && fresh->visible) {
        done = olo_write_rename(fresh->beside, fresh->target);
    }
    if (!done) {
        return cannot_create(fresh->path, errno, error);
    }
    fresh->visible = false;
    fresh->kept = true;
    sync_folder(fresh->target);
    return OLO_OK;
}

bool olo_fresh_is_there(const olo_fresh *fresh)
{
    struct stat ours, there;
    return fstat(fresh->descriptor, &ours) == 0 && stat(fresh->target, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void olo_fresh_close(olo_fresh *fresh)
{
    if (fresh->visible) {
        (void)olo_write_remove(fresh->beside);
    }
    if (fresh->descriptor >= 0) {
        close(fresh->descriptor);
    }
    olo_free(fresh->beside);
    olo_free(fresh->target);
    olo_free(fresh->path);
    *fresh = (olo_fresh){.descriptor = -1};
}
