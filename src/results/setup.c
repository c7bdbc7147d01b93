/* The setup of a run as a block: two numbers (texts, parameters among them), then the texts. */
#include "results/setup.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "oloid/version.h"
#include "results/hdf5_file.h"
#include "results/settings.h"

typedef struct counts {
    uint64_t texts, parameters;
} counts;

/* ---- making ---------------------------------------------------------------------------------- */

/* Finds the texts in a block that has been filled. */
static bool find_texts(olo_setup *setup)
{
    const char *begin = (const char *)(setup->block + 1);
    const char *end = (const char *)setup->block + setup->size;
    counts head;
    memcpy(&head, begin, sizeof head);
    setup->parameters = (size_t)head.parameters;
    setup->texts = olo_alloc((size_t)head.texts, sizeof *setup->texts);
    const char *at = begin + sizeof head;
    for (size_t i = 0; setup->texts != NULL && i < head.texts; i++) {
        const char *zero = memchr(at, '\0', (size_t)(end - at));
        if (zero == NULL)
            return false;
        setup->texts[i] = at;
        setup->count = i + 1;
        at = zero + 1;
    }
    return setup->texts != NULL;
}

static size_t add_up(char *const *texts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    return size;
}

static char *append(char *to, char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(texts[i]) + 1;
        memcpy(to, texts[i], size);
        to += size;
    }
    return to;
}

/* Fills the block from three lists of texts. */
static bool fill(olo_setup *setup, char *const *const lists[3], const size_t sizes[3])
{
    const counts head = {.texts = sizes[0] + sizes[1] + sizes[2], .parameters = sizes[1]};
    size_t size = sizeof head;
    for (int i = 0; i < 3; i++)
        size += add_up(lists[i], sizes[i]);
    setup->size = sizeof *setup->block + size;
    setup->block = olo_alloc(setup->size, 1);
    if (setup->block == NULL)
        return false;
    char *to = (char *)(setup->block + 1);
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int i = 0; i < 3; i++)
        to = append(to, lists[i], sizes[i]);
    olo_checkpoint_set_checksum(setup->block, size);
    return find_texts(setup);
}

bool olo_setup_make(olo_setup *setup, const olo_record_subject *subject)
{
    const char *const first[OLO_SETUP_LISTS] = {
        [OLO_SETUP_VERSION] = olo_version(),
        [OLO_SETUP_CREATED] = subject->created,
        [OLO_SETUP_COMMAND] = subject->command != NULL ? subject->command : "",
        [OLO_SETUP_NAME] = olo_model_name(subject->model),
        [OLO_SETUP_TEXT] = olo_model_text(subject->model),
    };
    size_t sizes[3] = {OLO_SETUP_LISTS, 0, 0};
    char **parameters = olo_settings_of_model(subject->model, &sizes[1]);
    char **options = olo_settings_of_run(subject->run, &sizes[2]);
    char *const *const lists[3] = {(char *const *)first, parameters, options};
    const bool made = parameters != NULL && options != NULL && fill(setup, lists, sizes);
    olo_hdf5_texts_free(options);
    olo_hdf5_texts_free(parameters);
    return made;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* True if the block can hold as many texts as its header says; each has at least one byte. */
static bool is_plausible(const olo_checkpoint *block, size_t size)
{
    counts head;
    if (size < sizeof *block + sizeof head)
        return false;
    memcpy(&head, block + 1, sizeof head);
    return head.texts <= size - sizeof *block - sizeof head && head.parameters <= head.texts;
}

olo_status olo_setup_parse(olo_setup *setup, olo_checkpoint *block, size_t size, olo_error *error)
{
    setup->block = block;
    setup->size = size;
    if (!olo_checkpoint_is_whole(block, size) || !is_plausible(block, size))
        return olo_fail(error, OLO_IO, "the setup of the run cannot be read");
    if (!find_texts(setup)) {
        return setup->texts == NULL
                   ? olo_fail(error, OLO_NO_MEMORY, "out of memory for the setup of a run")
                   : olo_fail(error, OLO_IO, "the setup of the run cannot be read");
    }
    return setup->count >= OLO_SETUP_LISTS + setup->parameters
               ? OLO_OK
               : olo_fail(error, OLO_IO, "the setup of the run cannot be read");
}

void olo_setup_free(olo_setup *setup)
{
    olo_free(setup->texts);
    olo_free(setup->block);
    *setup = (olo_setup){0};
}
