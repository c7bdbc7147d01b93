/* Changes of files, counted. As in memory.c the counters are atomic, and nothing depends on them
 * unless a test requests a failure. */
#define _GNU_SOURCE // O_TMPFILE
#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_size_t changes;
static atomic_size_t until_failure; // changes until the one that fails; 0 = never
static atomic_size_t until_end;
static atomic_bool names_only;

static bool is_due(atomic_size_t *countdown)
{
    size_t remaining = atomic_load(countdown);
    while (remaining > 0 && !atomic_compare_exchange_weak(countdown, &remaining, remaining - 1)) {
    }
    return remaining == 1;
}

/* Called before every change: false, with errno, when the change must fail. */
static bool may_change(void)
{
    atomic_fetch_add(&changes, 1);
    if (is_due(&until_end))
        _exit(OLO_WRITE_ENDED);
    if (is_due(&until_failure)) {
        errno = ENOSPC;
        return false;
    }
    return true;
}

int olo_write_create(const char *path)
{
    return may_change() ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
}

/* The path through which a file without a name can be linked. */
enum { LINK_SIZE = 64 };

static void link_of(int descriptor, char link[LINK_SIZE])
{
    (void)snprintf(link, LINK_SIZE, "/proc/self/fd/%d", descriptor);
}

int olo_write_open_unnamed(const char *folder)
{
#ifdef O_TMPFILE
    if (atomic_load(&names_only)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (!may_change())
        return -1;
    char link[LINK_SIZE];
    const int descriptor = open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    // file systems without such files answer in several ways; folders that are not there, too, are
    // found
    // again when a file with a name is created
    if (descriptor < 0 && errno != EMFILE && errno != ENFILE && errno != ENOSPC)
        errno = EOPNOTSUPP;
    if (descriptor >= 0) {
        link_of(descriptor, link);
        if (access(link, F_OK) != 0) { // the file could not be named later
            close(descriptor);
            errno = EOPNOTSUPP;
            return -1;
        }
    }
    return descriptor;
#else
    (void)folder;
    errno = EOPNOTSUPP;
    return -1;
#endif
}

bool olo_write_link(int descriptor, const char *path)
{
    char link[LINK_SIZE];
    link_of(descriptor, link);
    return may_change() && linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

bool olo_write_link_name(const char *from, const char *to)
{
    return may_change() && link(from, to) == 0;
}

bool olo_write_bytes(int descriptor, const void *bytes, size_t size, uint64_t offset)
{
    const char *from = bytes;
    if (size > 0 && !may_change())
        return false;
    while (size > 0) {
        const ssize_t put = pwrite(descriptor, from, size, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put < 0 ? errno : ENOSPC;
            return false;
        }
        from += put;
        size -= (size_t)put;
        offset += (uint64_t)put;
    }
    return true;
}

bool olo_write_resize(int descriptor, uint64_t size)
{
    return may_change() && ftruncate(descriptor, (off_t)size) == 0;
}

bool olo_write_mode(int descriptor, unsigned mode)
{
    return may_change() && fchmod(descriptor, (mode_t)mode) == 0;
}

bool olo_write_sync(int descriptor)
{
    // a pipe or a device cannot be synced, and need not be
    return may_change() && (fdatasync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP);
}

bool olo_write_rename(const char *from, const char *to)
{
    return may_change() && rename(from, to) == 0;
}

bool olo_write_remove(const char *path)
{
    return may_change() && unlink(path) == 0;
}

bool olo_write_folder(const char *path)
{
    return may_change() && mkdir(path, 0777) == 0;
}

size_t olo_write_count(void)
{
    return atomic_load(&changes);
}

void olo_write_fail_at(size_t n)
{
    atomic_store(&until_failure, n);
}

void olo_write_end_at(size_t n)
{
    atomic_store(&until_end, n);
}

void olo_write_with_names_only(bool only)
{
    atomic_store(&names_only, only);
}
