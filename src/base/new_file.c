/* Files that replace others when they are complete. */
#include "base/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/write.h"

static olo_status cannot_create(const char *path, int reason, olo_error *error)
{
    return olo_fail(error, reason == ENOMEM ? OLO_NO_MEMORY : OLO_IO, "cannot create '%s': %s",
                    path,
                    reason == ENOMEM ? "out of memory" : strerror(reason != 0 ? reason : EIO));
}

static olo_status fail_busy(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "cannot create '%s': another process is writing it", path);
}

/* ---- files that may be written --------------------------------------------------------------- */

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISCHR(mode)  ? "a character device"
           : S_ISBLK(mode)  ? "a block device"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "no regular file";
}

/* The folder of a path; the path itself must fit. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    memcpy(folder, slash == NULL ? "." : path, slash == NULL ? 2 : length);
    folder[slash == NULL ? 1 : length] = '\0';
}

/* Follows one symbolic link: `path` becomes the path that the link names, relative to its
 * folder. */
static bool follow(char path[PATH_MAX])
{
    char named[PATH_MAX];
    const ssize_t length = readlink(path, named, sizeof named - 1);
    if (length < 0)
        return false;
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

/* Checks that an existing regular file may be written, and that its folder exists. */
static olo_status check_permissions(const char *path, const char *target, bool exists,
                                    olo_error *error)
{
    char folder[PATH_MAX];
    folder_of(target, folder);
    if (exists && access(target, W_OK) != 0)
        return cannot_create(path, errno, error);
    return access(folder, W_OK | X_OK) == 0 ? OLO_OK : cannot_create(path, errno, error);
}

/* Finds the file that would be written: `target` receives its path. */
static olo_status find_target(const char *path, char target[PATH_MAX], olo_error *error)
{
    enum { LINKS_MAX = 40 }; // the limit of Linux
    struct stat facts;
    if (path[0] == '\0' || strlen(path) >= PATH_MAX)
        return cannot_create(path, path[0] == '\0' ? ENOENT : ENAMETOOLONG, error);
    strcpy(target, path);
    for (int links = 0; links < LINKS_MAX; links++) {
        if (lstat(target, &facts) != 0) {
            return errno == ENOENT ? check_permissions(path, target, false, error)
                                   : cannot_create(path, errno, error);
        }
        if (!S_ISLNK(facts.st_mode)) {
            return S_ISREG(facts.st_mode)
                       ? check_permissions(path, target, true, error)
                       : olo_fail(
                             error, OLO_BAD_INPUT,
                             "cannot create '%s': it is %s, and only a regular file is replaced",
                             path, kind_of(facts.st_mode));
        }
        if (!follow(target))
            return cannot_create(path, errno, error);
    }
    return cannot_create(path, ELOOP, error);
}

olo_status olo_new_file_check(const char *path, olo_error *error)
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
    if (descriptor >= 0)
        close(descriptor);
    return busy;
}

olo_status olo_new_file_check_is_free(const char *path, olo_error *error)
{
    return is_busy(path) ? fail_busy(path, error) : OLO_OK;
}

/* ---- hidden names ---------------------------------------------------------------------------- */

/* The prefix of all hidden names for a file: ".NAME.oloid-", where a long name is truncated. */
enum { PREFIX_NAME_MAX = 200, PREFIX_SIZE = PREFIX_NAME_MAX + sizeof ". .oloid-" };

static void prefix_of(const char *target, char prefix[PREFIX_SIZE])
{
    const char *slash = strrchr(target, '/');
    (void)snprintf(prefix, PREFIX_SIZE, ".%.*s.oloid-", (int)PREFIX_NAME_MAX,
                   slash != NULL ? slash + 1 : target);
}

/* The number of the process in a hidden name that begins with `prefix`; 0 for any other name. */
static long process_of(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    char *end = NULL;
    if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9')
        return 0;
    const long process = strtol(name + length, &end, 10);
    if (end[0] != '-' || end[1] == '\0' || end[1 + strspn(end + 1, "0123456789")] != '\0')
        return 0;
    return process;
}

/* Removes hidden files for the same target whose processes have ended: no such process exists, and
 * the file is not locked (it might be locked from another machine). */
static void remove_stale(const char *target)
{
    char path[PATH_MAX], folder[PATH_MAX], prefix[PREFIX_SIZE];
    folder_of(target, folder);
    prefix_of(target, prefix);
    DIR *entries = opendir(folder);
    if (entries == NULL)
        return; // a folder that cannot be read is no failure here
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const long process = process_of(entry->d_name, prefix);
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (process > 0 && kill((pid_t)process, 0) != 0 && errno == ESRCH && length < PATH_MAX &&
            !is_busy(path))
            (void)olo_write_remove(path);
    }
    (void)closedir(entries);
}

/* Gives the file a hidden name beside its target; creates the file if it does not exist yet. False,
 * with errno, when that is not possible. */
static bool give_hidden_name(olo_new_file *new_file)
{
    enum { NUMBERS = 1000 }; // files that one process writes for the same target at once
    char folder[PATH_MAX], prefix[PREFIX_SIZE];
    folder_of(new_file->target, folder);
    prefix_of(new_file->target, prefix);
    const size_t size = strlen(folder) + strlen(prefix) + 64;
    char *name = olo_alloc(size, 1);
    bool done = false;
    errno = name != NULL ? EEXIST : ENOMEM;
    for (int i = 0; !done && errno == EEXIST && i < NUMBERS; i++) {
        (void)snprintf(name, size, "%s/%s%ld-%d", folder, prefix, (long)getpid(), i);
        if (new_file->descriptor >= 0) {
            done = olo_write_link(new_file->descriptor, name);
        } else {
            new_file->descriptor = olo_write_create(name);
            done = new_file->descriptor >= 0;
        }
    }
    new_file->hidden = done ? name : NULL;
    if (!done) {
        const int reason = errno;
        olo_free(name);
        errno = reason;
    }
    return done;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Gives the file the permissions of the file that it will replace, if there is one. */
static bool copy_permissions(const olo_new_file *new_file)
{
    enum { PERMISSIONS = 0777 };
    struct stat old, ours;
    if (stat(new_file->target, &old) != 0 || fstat(new_file->descriptor, &ours) != 0)
        return true;
    const unsigned wanted = old.st_mode & PERMISSIONS;
    return wanted == (ours.st_mode & PERMISSIONS) || olo_write_mode(new_file->descriptor, wanted);
}

/* Opens the file without a name, or with a hidden name where that is not possible. Failure to lock
 * is ignored, since some file systems have no locks. */
static olo_status open_unnamed(olo_new_file *new_file, olo_error *error)
{
    char folder[PATH_MAX];
    folder_of(new_file->target, folder);
    new_file->descriptor = olo_write_open_unnamed(folder);
    if (new_file->descriptor < 0 && errno == EOPNOTSUPP)
        (void)give_hidden_name(new_file);
    if (new_file->descriptor < 0)
        return cannot_create(new_file->path, errno, error);
    (void)flock(new_file->descriptor, LOCK_EX | LOCK_NB); // no other process has opened it
    return copy_permissions(new_file) ? OLO_OK : cannot_create(new_file->path, errno, error);
}

olo_status olo_new_file_open(olo_new_file *new_file, const char *path, olo_error *error)
{
    char target[PATH_MAX];
    *new_file = (olo_new_file){.descriptor = -1};
    olo_status status = find_target(path, target, error);
    if (status == OLO_OK) {
        new_file->path = olo_strdup(path);
        new_file->target = olo_strdup(target);
    }
    if (status == OLO_OK && (new_file->path == NULL || new_file->target == NULL))
        status = olo_fail(error, OLO_NO_MEMORY, "cannot create '%s': out of memory", path);
    if (status == OLO_OK) {
        remove_stale(target);
        status = open_unnamed(new_file, error);
    }
    if (status != OLO_OK)
        olo_new_file_close(new_file);
    return status;
}

/* ---- publishing ------------------------------------------------------------------------------ */

/* A renamed file survives a power failure only when its folder has been synced too. Not every file
 * system can do that; the file itself is on disk, so this is no failure. */
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

/* Some file systems report a failed write only when the file is closed. */
static bool is_written_without_error(int descriptor)
{
    const int copy = dup(descriptor);
    return copy >= 0 && close(copy) == 0;
}

/* Ends the publication of a file that has got its name. */
static olo_status finish_publication(olo_new_file *new_file)
{
    new_file->hidden = olo_free(new_file->hidden);
    new_file->published = true;
    sync_folder(new_file->target);
    return OLO_OK;
}

/* Replaces the existing file. link() cannot replace a file: the new file gets a hidden name and is
 * renamed. */
static bool replace(olo_new_file *new_file)
{
    return (new_file->hidden != NULL || give_hidden_name(new_file)) &&
           olo_write_rename(new_file->hidden, new_file->target);
}

olo_status olo_new_file_publish(olo_new_file *new_file, olo_error *error)
{
    if (!is_written_without_error(new_file->descriptor))
        return cannot_create(new_file->path, errno, error);
    bool done = new_file->hidden == NULL && olo_write_link(new_file->descriptor, new_file->target);
    if (!done && (new_file->hidden != NULL || errno == EEXIST))
        done = replace(new_file);
    return done ? finish_publication(new_file) : cannot_create(new_file->path, errno, error);
}

/* True if a path names the file of a descriptor. */
static bool is_name_of(const char *path, int descriptor)
{
    struct stat ours, there;
    return descriptor >= 0 && fstat(descriptor, &ours) == 0 && stat(path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Gives the file its name if no file has that name. */
static bool name_if_free(olo_new_file *new_file)
{
    if (new_file->hidden == NULL)
        return olo_write_link(new_file->descriptor, new_file->target);
    if (!olo_write_link_name(new_file->hidden, new_file->target))
        return false;
    (void)olo_write_remove(new_file->hidden);
    return true;
}

/* Locks the existing file exclusively or, while another process reads it, against writers. Returns
 * the descriptor, or -1 with errno: EWOULDBLOCK when another process writes it. */
static int lock_old(const char *path)
{
    const int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
        flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(descriptor);
        errno = EWOULDBLOCK;
        return -1;
    }
    return descriptor;
}

olo_status olo_new_file_publish_exclusive(olo_new_file *new_file, int replaced, olo_error *error)
{
    enum { TRIES = 100 }; // other processes may create and remove the file in between
    if (!is_written_without_error(new_file->descriptor))
        return cannot_create(new_file->path, errno, error);
    errno = EEXIST;
    for (int i = 0; i < TRIES; i++) {
        const bool own = is_name_of(new_file->target, replaced);
        if (!own && name_if_free(new_file))
            return finish_publication(new_file);
        const bool linkless = !own && errno == EPERM; // a file system without hard links
        if (!own && !linkless && errno != EEXIST)
            break;
        const int old = own ? -1 : lock_old(new_file->target);
        if (!own && old < 0 && errno != ENOENT)
            break;
        // the lock is held until the new file has the name: other processes then find the new file,
        // locked
        const bool ours = own || is_name_of(new_file->target, old) || (old < 0 && linkless);
        const bool done = ours && replace(new_file);
        const int reason = ours ? errno : EEXIST;
        if (old >= 0)
            close(old);
        errno = reason;
        if (done)
            return finish_publication(new_file);
        if (ours)
            break;
    }
    return errno == EWOULDBLOCK || errno == EEXIST ? fail_busy(new_file->path, error)
                                                   : cannot_create(new_file->path, errno, error);
}

bool olo_new_file_is_there(const olo_new_file *new_file)
{
    return is_name_of(new_file->target, new_file->descriptor);
}

void olo_new_file_close(olo_new_file *new_file)
{
    if (new_file->hidden != NULL)
        (void)olo_write_remove(new_file->hidden);
    if (new_file->descriptor >= 0)
        close(new_file->descriptor);
    olo_free(new_file->hidden);
    olo_free(new_file->target);
    olo_free(new_file->path);
    *new_file = (olo_new_file){.descriptor = -1};
}
