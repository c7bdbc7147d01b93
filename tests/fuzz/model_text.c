/* Any bytes as a model file: it is read or refused with one line, without a crash. Valid and
 * malformed models are the seeds: `model_text corpus ../../models ../malformed`. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "oloid/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    olo_model *model = NULL;
    olo_error error = {0};
    const olo_status status =
        olo_model_read_text((const char *)data, size, "fuzz.yaml", NULL, 0, &model, &error);
    if (status != OLO_OK && (model != NULL || strchr(error.text, '\n') != NULL))
        abort();
    olo_model_free(model);
    return 0;
}
