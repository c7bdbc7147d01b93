/* A virtual file driver of HDF5 over a POSIX file descriptor; see the header for why. */
#include "results/hdf5_driver.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/memory.h"
#include "base/write.h"

/* An open file. HDF5 owns the first member. */
typedef struct disk_file {
    H5FD_t base;
    int descriptor;
    dev_t device;
    ino_t inode;
    haddr_t allocated; /* end of what HDF5 has given out */
    haddr_t end;       /* end of the file as HDF5 believes it to be */
    olo_hdf5_disk *disk;
} disk_file;

/* The driver's part of a property list. */
typedef struct disk_access {
    olo_hdf5_disk *disk;
} disk_access;

/* Addresses are offsets of the file system. */
#define ADDRESS_MAX ((haddr_t)1 << 62)

/* ---- opening and closing ---------------------------------------------------------------------- */

static void note_failure(olo_hdf5_disk *disk, int failure)
{
    if (disk->failure == 0) {
        disk->failure = failure != 0 ? failure : EIO;
    }
}

/* Opens and locks; only then may a file that is to be created lose its contents. A file system that
 * has no locks is used without. */
static int open_locked(const char *name, unsigned flags, olo_hdf5_disk *disk)
{
    const int descriptor = olo_write_open(name, (flags & H5F_ACC_CREAT) != 0);
    if (descriptor < 0) {
        return -1;
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        disk->locked = true;
        close(descriptor);
        errno = EWOULDBLOCK;
        return -1;
    }
    disk->opened = true;
    if ((flags & H5F_ACC_TRUNC) != 0 && !olo_write_resize(descriptor, 0)) {
        const int failure = errno;
        close(descriptor);
        errno = failure;
        return -1;
    }
    return descriptor;
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t address_max)
{
    (void)address_max;
    const disk_access *use = H5Pget_driver_info(access);
    if (use == NULL) {
        return NULL;
    }
    disk_file *file = olo_alloc(1, sizeof *file);
    if (file == NULL) {
        note_failure(use->disk, ENOMEM);
        return NULL;
    }
    struct stat facts;
    file->disk = use->disk;
    file->descriptor = open_locked(name, flags, use->disk);
    if (file->descriptor < 0 || fstat(file->descriptor, &facts) != 0) {
        // HDF5 first tries whether a file to be created is there already: no failure yet
        if (errno != ENOENT || (flags & H5F_ACC_CREAT) != 0) {
            note_failure(use->disk, errno);
        }
        if (file->descriptor >= 0) {
            close(file->descriptor);
        }
        olo_free(file);
        return NULL;
    }
    file->disk->device = file->device = facts.st_dev;
    file->disk->inode = file->inode = facts.st_ino;
    file->end = (haddr_t)facts.st_size;
    return &file->base;
}

static void sync_file(const disk_file *file)
{
    if (file->disk->sync && file->disk->failure == 0 && !olo_write_sync(file->descriptor)) {
        note_failure(file->disk, errno);
    }
}

static herr_t disk_flush(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    if (!closing) {
        sync_file((const disk_file *)base);
    }
    return 0;
}

static herr_t disk_close(H5FD_t *base)
{
    disk_file *file = (disk_file *)base;
    sync_file(file);
    if (close(file->descriptor) != 0) {
        note_failure(file->disk, errno);
    }
    olo_free(file);
    return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b)
{
    const disk_file *first = (const disk_file *)a, *second = (const disk_file *)b;
    if (first->device != second->device) {
        return first->device < second->device ? -1 : 1;
    }
    return first->inode < second->inode ? -1 : first->inode > second->inode;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

/* ---- sizes ------------------------------------------------------------------------------------ */

static haddr_t disk_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->allocated;
}

static herr_t disk_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((disk_file *)base)->allocated = address;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->end;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    disk_file *file = (disk_file *)base;
    const bool wanted =
        file->disk->never_shorter ? file->allocated > file->end : file->allocated != file->end;
    if (wanted && file->disk->failure == 0 && !olo_write_resize(file->descriptor, file->allocated)) {
        note_failure(file->disk, errno);
    }
    file->end = wanted ? file->allocated : file->end;
    return 0;
}

/* ---- reading and writing ---------------------------------------------------------------------- */

/* What is beyond the end of the file, or cannot be read after a failure, reads as zero. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type;
    (void)transfer;
    disk_file *file = (disk_file *)base;
    char *to = buffer;
    while (size > 0) {
        const ssize_t got = pread(file->descriptor, to, size, (off_t)address);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            if (got < 0) {
                note_failure(file->disk, errno);
            }
            memset(to, 0, size);
            break;
        }
        to += got;
        size -= (size_t)got;
        address += (haddr_t)got;
    }
    return 0;
}

static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, const void *buffer)
{
    (void)type;
    (void)transfer;
    disk_file *file = (disk_file *)base;
    if (address + size > file->end) {
        file->end = address + size;
    }
    if (file->disk->failure == 0 && !olo_write_bytes(file->descriptor, buffer, size, address)) {
        note_failure(file->disk, errno);
    }
    return 0;
}

/* ---- the table -------------------------------------------------------------------------------- */

static const H5FD_class_t DISK_DRIVER = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // of those free for applications
#endif
    .name = "oloid",
    .maxaddr = ADDRESS_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(disk_access),
    .open = disk_open,
    .close = disk_close,
    .cmp = disk_compare,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .read = disk_read,
    .write = disk_write,
    .flush = disk_flush,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

herr_t olo_hdf5_disk_use(hid_t access, olo_hdf5_disk *disk)
{
    const hid_t driver = H5FDregister(&DISK_DRIVER);
    if (driver < 0) {
        return -1;
    }
    const disk_access use = {.disk = disk};
    const herr_t result = H5Pset_driver(access, driver, &use);
    H5FDunregister(driver); // the list holds a reference of its own
    return result;
}
