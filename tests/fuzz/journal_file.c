/* Any bytes in the checkpoints and the setup of a journal, with valid checksums. The run continues
 * from there for a few steps, or is refused with a reason that names the file.
 *
 * An input is a list of changes of five bytes: the block, an offset in it (two bytes), the added
 * value, and the number of times in a row. */
#include "files.h"

#include "base/checksum.h"
#include "base/initialised.h"
#include "results/checkpoint.h"
#include "results/checksum_trailer.h"
#include "system/system.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE = 5, CHANGES_MAX = 64, STEPS = 3, BLOCKS = 3 };

static struct {
    fuzz_run run;
    char path[96], partial[112];
    uint8_t *bytes; /* the journal of a run that was killed */
    size_t size;
    size_t at[BLOCKS]; /* setup and checkpoints */
    size_t blocks;
    size_t state; /* bytes of a saved state, which a checkpoint ends with */
} base;

/* A journal as a killed process leaves it: it is not finished. */
static void make_journal(void)
{
    const olo_run *how = olo_model_run(base.run.model);
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    fuzz_stop stop = {.most = 5};
    require(olo_recorder_create(base.path, base.run.model, base.run.system, how, "", &recorder,
                                NULL) == OLO_OK);
    olo_recorder_set_checkpoint(recorder, 0.0);
    const olo_observer observers[2] = {
        olo_recorder_observer(recorder),
        {.initialised = OLO_INITIALISED_OBSERVER, .context = &stop, .stop = stop_soon}};
    require(olo_simulate(base.run.system, how, base.run.state, observers, 2, &summary, NULL) ==
            OLO_INTERRUPTED);
    olo_recorder_free(recorder);
    base.bytes = take_file(base.partial, &base.size);
}

static void prepare(void)
{
    make_fuzz_folder();
    (void)snprintf(base.path, sizeof base.path, "%s/x.h5", fuzz_folder);
    (void)snprintf(base.partial, sizeof base.partial, "%s.partial", base.path);
    base.run = prepare_run();
    make_journal();
    base.state = olo_state_saved_size(base.run.state);
    olo_checkpoint like = {0}, head;
    olo_checkpoint_set_checksum(&like, 0);
    for (size_t at = 0; at + sizeof head <= base.size && base.blocks < BLOCKS; at += 8) {
        memcpy(&head, base.bytes + at, sizeof head);
        if (head.magic == like.magic && head.version == like.version)
            base.at[base.blocks++] = at;
    }
    require(base.blocks == BLOCKS);
}

/* Makes the checksums of a block fit: that of the state in a checkpoint, then that of the block. */
static void fix(uint8_t *block)
{
    olo_checkpoint *head = (olo_checkpoint *)(void *)block;
    uint8_t *contents = block + sizeof *head;
    if (head->sequence > 0 && head->size > base.state) {
        uint8_t *state = contents + head->size - base.state;
        enum { CHECKSUM = 8, HEAD = 48 }; // see state.c
        const uint64_t sum = olo_checksum(0, state + HEAD, base.state - HEAD);
        memcpy(state + CHECKSUM, &sum, sizeof sum);
    }
    olo_checkpoint_set_checksum(head, (size_t)head->size);
}

static void change(uint8_t *bytes, const uint8_t *data)
{
    uint8_t *block = bytes + base.at[data[0] % BLOCKS];
    const olo_checkpoint *head = (const olo_checkpoint *)(const void *)block;
    const size_t offset = (size_t)(data[1] | data[2] << 8) % head->size;
    for (size_t i = 0; i <= data[4] % 9u && offset + i < head->size; i++)
        block[sizeof *head + offset + i] = (uint8_t)(block[sizeof *head + offset + i] + data[3]);
}

/* The checksum trailer of a journal covers its setup: it is written again over the same ranges. */
static void write_trailer_again(const uint8_t *bytes)
{
    enum { FOOT = 32, RANGE = 16 }; // see checksum_trailer.h
    uint64_t count = 0, length = 0;
    olo_ranges ranges = {0};
    memcpy(&count, bytes + base.size - FOOT + 8, sizeof count);
    memcpy(&length, bytes + base.size - FOOT + 16, sizeof length);
    for (uint64_t i = 0; i < count; i++) {
        olo_range range;
        memcpy(&range, bytes + length + RANGE * i, sizeof range);
        olo_ranges_add(&ranges, range.offset, range.size);
    }
    const int file = open(base.partial, O_RDWR | O_CLOEXEC);
    require(file >= 0 && olo_checksum_trailer_write(file, length, &ranges));
    close(file);
    olo_ranges_free(&ranges);
}

static void continue_run(void)
{
    olo_error error = {0};
    olo_model *model = NULL;
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    const olo_run *how = olo_model_run(base.run.model);
    if (olo_recorder_read_model(base.path, NULL, 0, &model, &error) != OLO_OK)
        require(error.text[0] != '\0');
    olo_model_free(model);
    error = (olo_error){0};
    if (olo_recorder_resume(base.path, base.run.model, base.run.system, how, &recorder,
                            base.run.state, &summary, &error) != OLO_OK) {
        require(strstr(error.text, base.partial) != NULL);
        return;
    }
    fuzz_stop stop = {.most = STEPS};
    const olo_observer observers[2] = {
        olo_recorder_observer(recorder),
        {.initialised = OLO_INITIALISED_OBSERVER, .context = &stop, .stop = stop_soon}};
    const olo_status status =
        olo_simulate_resume(base.run.system, how, base.run.state, observers, 2, &summary, &error);
    (void)olo_recorder_finish(recorder, &summary, status, &error);
    olo_recorder_free(recorder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (base.bytes == NULL)
        prepare();
    uint8_t *bytes = malloc(base.size);
    require(bytes != NULL);
    memcpy(bytes, base.bytes, base.size);
    for (size_t i = 0; i + CHANGE <= size && i / CHANGE < CHANGES_MAX; i += CHANGE)
        change(bytes, data + i);
    for (size_t i = 0; i < BLOCKS; i++)
        fix(bytes + base.at[i]);
    put_file(base.partial, bytes, base.size);
    write_trailer_again(bytes);
    free(bytes);
    continue_run();
    (void)unlink(base.path);
    (void)unlink(base.partial);
    return 0;
}
