/* A virtual file driver of HDF5 over a POSIX file descriptor. The header explains why it is
 * needed. */
#include "results/hdf5_driver.h"

#include <errno.h>
#include <string.h>
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
    haddr_t allocated; /* end of the address range that HDF5 has allocated */
    olo_hdf5_disk *disk;
} disk_file;

/* The driver's part of a property list. */
typedef struct disk_access {
    olo_hdf5_disk *disk;
} disk_access;

/* The largest address is the largest file offset. */
#define ADDRESS_MAX ((haddr_t)1 << 62)

/* ---- opening and closing --------------------------------------------------------------------- */

static void note_failure(olo_hdf5_disk *disk, int failure)
{
    if (disk->failure == 0)
        disk->failure = failure != 0 ? failure : EIO;
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t address_max)
{
    (void)name;
    (void)flags;
    (void)address_max;
    const disk_access *use = H5Pget_driver_info(access);
    if (use == NULL)
        return NULL;
    disk_file *file = olo_alloc(1, sizeof *file);
    if (file == NULL) {
        note_failure(use->disk, ENOMEM);
        return NULL;
    }
    file->disk = use->disk;
    return &file->base;
}

static void sync_file(const disk_file *file)
{
    if (file->disk->sync && file->disk->failure == 0 && !olo_write_sync(file->disk->descriptor))
        note_failure(file->disk, errno);
}

static herr_t disk_flush(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    if (!closing)
        sync_file((const disk_file *)base);
    return 0;
}

static herr_t disk_close(H5FD_t *base)
{
    olo_free(base);
    return 0;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

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
    return ((const disk_file *)base)->disk->length;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    disk_file *file = (disk_file *)base;
    olo_hdf5_disk *disk = file->disk;
    const bool wanted =
        disk->never_shorter ? file->allocated > disk->length : file->allocated != disk->length;
    if (wanted && disk->failure == 0 && !olo_write_resize(disk->descriptor, file->allocated))
        note_failure(disk, errno);
    disk->length = wanted ? file->allocated : disk->length;
    return 0;
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* Bytes beyond the end of the file, and bytes that cannot be read after a failure, are read as
 * zero. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type;
    (void)transfer;
    olo_hdf5_disk *disk = ((disk_file *)base)->disk;
    char *to = buffer;
    while (size > 0) {
        const uint64_t remaining = address < disk->length ? disk->length - address : 0;
        const size_t part = size < remaining ? size : (size_t)remaining;
        const ssize_t got = part > 0 ? pread(disk->descriptor, to, part, (off_t)address) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got < 0)
                note_failure(disk, errno);
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
    olo_hdf5_disk *disk = ((disk_file *)base)->disk;
    if (address + size > disk->length)
        disk->length = address + size;
    if (disk->log != NULL)
        olo_ranges_add(disk->log, address, size);
    if (disk->failure == 0 && !olo_write_bytes(disk->descriptor, buffer, size, address))
        note_failure(disk, errno);
    return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Without `cmp` HDF5 regards every opened file as a different one. This is correct, since each has
 * its own descriptor. */
static const H5FD_class_t DISK_DRIVER = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, // in the range reserved for applications
#endif
    .name = "oloid",
    .maxaddr = ADDRESS_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(disk_access),
    .open = disk_open,
    .close = disk_close,
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
    olo_hdf5_disk_release(disk);
    const hid_t driver = H5FDregister(&DISK_DRIVER);
    if (driver < 0)
        return -1;
    disk->driver = driver;
    const disk_access use = {.disk = disk};
    return H5Pset_driver(access, driver, &use);
}

void olo_hdf5_disk_release(olo_hdf5_disk *disk)
{
    if (disk->driver > 0)
        H5FDunregister(disk->driver);
    disk->driver = 0;
}
