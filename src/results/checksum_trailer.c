/* Writing and checking the checksum trailer of a file. */
#include "results/checksum_trailer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/write.h"

/* Bytes of the footer (four numbers), of its part before the checksum, and of a range. */
enum { FOOT = 32, SUMMED = 24, RANGE = 16 };
static const char MAGIC[8] = {'o', 'l', 'o', 'i', 'd', 'e', 'n', 'd'};

/* Bytes read at once. */
enum { BLOCK = 1 << 20 };

static void put(unsigned char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t get(const unsigned char *from)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uint64_t)from[i] << (8 * i);
    return number;
}

/* Reads `size` bytes; false, with errno, when there are fewer. */
static bool read_all(int descriptor, unsigned char *to, size_t size, uint64_t offset)
{
    while (size > 0) {
        const ssize_t got = pread(descriptor, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return false;
        }
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

/* Continues a checksum over a part of the file; `block` has BLOCK bytes. */
static bool add_range(int descriptor, olo_range range, unsigned char *block, uint32_t *sum)
{
    while (range.size > 0) {
        const size_t size = range.size < BLOCK ? (size_t)range.size : BLOCK;
        if (!read_all(descriptor, block, size, range.offset))
            return false;
        *sum = olo_checksum(*sum, block, size);
        range.offset += size;
        range.size -= size;
    }
    return true;
}

/* Computes the checksum of a file with this trailer, which is complete except for the checksum. */
static bool add_up(int descriptor, const unsigned char *trailer, size_t count, uint32_t *sum)
{
    unsigned char *block = olo_alloc(BLOCK, 1);
    if (block == NULL) {
        errno = ENOMEM;
        return false;
    }
    const unsigned char *foot = trailer + RANGE * count;
    const olo_range all = {0, get(foot + 16)};
    bool ok = true;
    *sum = 0;
    for (size_t i = 0; ok && i < count; i++) {
        const olo_range range = {get(trailer + RANGE * i), get(trailer + RANGE * i + 8)};
        ok = add_range(descriptor, range, block, sum);
    }
    ok = ok && (count > 0 || add_range(descriptor, all, block, sum));
    *sum = olo_checksum(*sum, trailer, RANGE * count + SUMMED);
    olo_free(block);
    return ok;
}

bool olo_checksum_trailer_write(int descriptor, uint64_t length, const olo_ranges *ranges)
{
    const size_t count = ranges != NULL ? ranges->count : 0, size = RANGE * count + FOOT;
    unsigned char *trailer = ranges != NULL && ranges->failed ? NULL : olo_alloc(size, 1);
    uint32_t sum = 0;
    if (trailer == NULL) {
        errno = ENOMEM;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        put(trailer + RANGE * i, ranges->items[i].offset);
        put(trailer + RANGE * i + 8, ranges->items[i].size);
    }
    unsigned char *foot = trailer + RANGE * count;
    memcpy(foot, MAGIC, sizeof MAGIC);
    put(foot + 8, count);
    put(foot + 16, length);
    bool ok = add_up(descriptor, trailer, count, &sum);
    put(foot + SUMMED, sum);
    ok = ok && olo_write_bytes(descriptor, trailer, size, length);
    const int reason = errno;
    olo_free(trailer);
    errno = reason;
    return ok;
}

/* ---- checking -------------------------------------------------------------------------------- */

static olo_status cannot_read(const char *path, int reason, olo_error *error)
{
    return olo_fail(error, reason == ENOMEM ? OLO_NO_MEMORY : OLO_IO, "cannot read '%s': %s", path,
                    reason == ENOMEM ? "out of memory" : strerror(reason));
}

static olo_status damaged(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO,
                    "cannot read '%s': it is damaged, its checksum does not match its contents",
                    path);
}

/* True if the ranges are ascending, disjoint and within the file, so that nothing is read twice. */
static bool are_in_order(const unsigned char *trailer, size_t count, uint64_t length)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t offset = get(trailer + RANGE * i), size = get(trailer + RANGE * i + 8);
        if (offset < end || offset > length || size > length - offset)
            return false;
        end = offset + size;
    }
    return true;
}

/* Reads the whole trailer, checks its ranges, and compares the checksum. */
static olo_status check_sum(int descriptor, const char *path, uint64_t length, size_t count,
                            olo_error *error)
{
    const size_t size = RANGE * count + FOOT;
    unsigned char *trailer = olo_alloc(size, 1);
    uint32_t sum = 0;
    if (trailer == NULL)
        return cannot_read(path, ENOMEM, error);
    olo_status status = OLO_OK;
    if (!read_all(descriptor, trailer, size, length))
        status = cannot_read(path, errno, error);
    else if (!are_in_order(trailer, count, length))
        status = damaged(path, error);
    else if (!add_up(descriptor, trailer, count, &sum))
        status = cannot_read(path, errno, error);
    else if (sum != get(trailer + RANGE * count + SUMMED))
        status = damaged(path, error);
    olo_free(trailer);
    return status;
}

olo_status olo_checksum_trailer_check(int descriptor, const char *path, uint64_t *length,
                                      bool *journal, olo_error *error)
{
    struct stat facts;
    unsigned char foot[FOOT];
    *length = 0;
    *journal = false;
    if (fstat(descriptor, &facts) != 0)
        return cannot_read(path, errno, error);
    const uint64_t size = (uint64_t)facts.st_size;
    if (size >= FOOT && !read_all(descriptor, foot, FOOT, size - FOOT))
        return cannot_read(path, errno, error);
    if (size < FOOT || memcmp(foot, MAGIC, sizeof MAGIC) != 0) {
        return olo_fail(error, OLO_IO,
                        "cannot read '%s': it has no checksum at its end; it is incomplete, "
                        "another program has changed it, or an older version of oloid wrote it",
                        path);
    }
    const uint64_t count = get(foot + 8);
    *length = get(foot + 16);
    *journal = count > 0;
    if (count > size / RANGE || *length > size || size - *length != RANGE * count + FOOT)
        return damaged(path, error);
    return check_sum(descriptor, path, *length, (size_t)count, error);
}
