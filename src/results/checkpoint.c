/* Checksums of checkpoints. */
#include "results/checkpoint.h"

#include "base/checksum.h"

const char *const olo_checkpoint_paths[2] = {OLO_CHECKPOINT_GROUP "/first",
                                             OLO_CHECKPOINT_GROUP "/second"};

/* Version of the contents; incremented when they change. */
static const uint64_t VERSION = 3;
static const uint64_t MAGIC = UINT64_C(0x746e696f706b6863); // its value also reveals the byte order

static uint64_t checksum_of(const olo_checkpoint *block)
{
    const unsigned char *from = (const unsigned char *)&block->version;
    const size_t head = sizeof *block - offsetof(olo_checkpoint, version);
    return olo_checksum(0, from, head + (size_t)block->size);
}

void olo_checkpoint_set_checksum(olo_checkpoint *block, size_t size)
{
    block->magic = MAGIC;
    block->version = VERSION;
    block->size = size;
    block->checksum = checksum_of(block);
}

bool olo_checkpoint_is_foreign(const olo_checkpoint *block, size_t bytes)
{
    return bytes >= sizeof *block && block->magic == MAGIC && block->version != VERSION;
}

bool olo_checkpoint_is_whole(const olo_checkpoint *block, size_t bytes)
{
    return bytes >= sizeof *block && block->magic == MAGIC && block->version == VERSION &&
           block->size == bytes - sizeof *block && block->checksum == checksum_of(block);
}
