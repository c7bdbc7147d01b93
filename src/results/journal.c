/* Reading blocks and checkpoints of a journal, and verifying checksums of its rows. */
#include "results/journal.h"

#include "base/checksum.h"
#include "base/fail.h"
#include "base/memory.h"

olo_status olo_journal_block(olo_hdf5 *file, const char *path, olo_checkpoint **block, size_t *size,
                             olo_error *error)
{
    *block = NULL;
    *size = 0;
    if (!olo_hdf5_has(file, path) || olo_hdf5_count_bytes(file, path, size, NULL) != OLO_OK ||
        *size < sizeof **block)
        return olo_fail(error, OLO_NOT_FOUND, "there is no %s", path);
    *block = olo_alloc(*size, 1);
    if (*block == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a checkpoint");
    const olo_status status = olo_hdf5_get_bytes(file, path, *block, *size, error);
    if (status != OLO_OK)
        *block = olo_free(*block);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Numbers read at once, at least one row. */
enum { NUMBERS_AT_ONCE = 1 << 17 };

/* The checksum of the first rows of a stream. */
static olo_status add_up_stream(olo_hdf5 *file, const char *path, size_t rows, uint32_t *sum,
                                olo_error *error)
{
    size_t there = 0, width = 0;
    olo_status status = olo_hdf5_shape(file, path, &there, &width, error);
    if (status == OLO_OK && (rows > there || width == 0))
        status = olo_fail(error, OLO_IO, "%s has too few rows", path);
    if (status != OLO_OK)
        return status;
    const size_t limit = width < NUMBERS_AT_ONCE ? NUMBERS_AT_ONCE / width : 1;
    const size_t step = rows < limit ? rows : limit;
    double *numbers = olo_alloc(step, width * sizeof *numbers);
    if (numbers == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for rows");
    *sum = 0;
    for (size_t at = 0; status == OLO_OK && at < rows;) {
        const size_t remaining = rows - at, count = remaining < step ? remaining : step;
        status = olo_hdf5_read(file, path, (const size_t[2]){at, 0},
                               (const size_t[2]){count, width}, numbers, error);
        *sum = olo_checksum(*sum, numbers, count * width * sizeof *numbers);
        at += count;
    }
    olo_free(numbers);
    return status;
}

/* OLO_OK when the rows of a checkpoint have their checksum. */
static olo_status check_rows(olo_hdf5 *file, const olo_checkpoint *checkpoint, olo_error *error)
{
    char **streams = NULL;
    size_t count = 0;
    olo_status status = olo_hdf5_read_texts(file, OLO_JOURNAL_STREAMS, &streams, &count, error);
    uint32_t all = 0;
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        uint32_t sum = 0;
        status = add_up_stream(file, streams[i], (size_t)checkpoint->rows, &sum, error);
        all = olo_checksum(all, &sum, sizeof sum);
    }
    olo_hdf5_texts_free(streams);
    return status == OLO_OK && all != checkpoint->row_sum
               ? olo_fail(error, OLO_IO, "its rows are damaged")
               : status;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

/* Reads both checkpoints; an incomplete one becomes NULL. The later one comes first. */
static olo_status read_both(olo_hdf5 *file, olo_checkpoint *blocks[2], bool *foreign,
                            olo_error *error)
{
    for (int i = 0; i < 2; i++) {
        size_t size = 0;
        if (olo_journal_block(file, olo_checkpoint_paths[i], &blocks[i], &size, error) ==
            OLO_NO_MEMORY)
            return OLO_NO_MEMORY;
        *foreign = *foreign || (blocks[i] != NULL && olo_checkpoint_is_foreign(blocks[i], size));
        if (blocks[i] != NULL && !olo_checkpoint_is_whole(blocks[i], size))
            blocks[i] = olo_free(blocks[i]);
    }
    if (blocks[0] == NULL || (blocks[1] != NULL && blocks[1]->sequence > blocks[0]->sequence)) {
        olo_checkpoint *earlier = blocks[0];
        blocks[0] = blocks[1];
        blocks[1] = earlier;
    }
    return OLO_OK;
}

olo_status olo_journal_last(olo_hdf5 *file, const char *path, olo_checkpoint **checkpoint,
                            olo_error *error)
{
    olo_checkpoint *blocks[2] = {NULL, NULL};
    bool foreign = false, rows = false;
    *checkpoint = NULL;
    olo_status status = read_both(file, blocks, &foreign, error);
    for (int i = 0; status == OLO_OK && *checkpoint == NULL && i < 2; i++) {
        const olo_status whole =
            blocks[i] != NULL ? check_rows(file, blocks[i], error) : OLO_NOT_FOUND;
        rows = rows || blocks[i] != NULL;
        status = whole == OLO_NO_MEMORY ? whole : OLO_OK;
        if (whole == OLO_OK) {
            *checkpoint = blocks[i];
            blocks[i] = NULL;
        }
    }
    olo_free(blocks[0]);
    olo_free(blocks[1]);
    if (status != OLO_OK || *checkpoint != NULL)
        return status;
    return olo_fail(error, foreign ? OLO_UNSUPPORTED : OLO_IO,
                    foreign ? "'%s' has checkpoints of another version of oloid"
                    : rows  ? "'%s' is damaged: the checksum of its rows is wrong"
                            : "'%s' is damaged: it has no complete checkpoint",
                    path);
}
