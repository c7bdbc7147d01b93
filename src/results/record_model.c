/* Reads the model of an interrupted run from its journal: text, parameters, options of the run. */
#include "oloid/results.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "model/run_section.h"
#include "results/interrupted_run.h"

/* Adds "name=value" as a setting, with a prefix before the name; false when memory is exhausted. */
static bool cut(olo_pool *pool, const char *prefix, const char *text, olo_setting *setting)
{
    const size_t before = strlen(prefix), name = strcspn(text, "=");
    const size_t capacity = before + strlen(text) + 2;
    char *copy = olo_pool_alloc(pool, capacity, 1);
    if (copy == NULL)
        return false;
    (void)snprintf(copy, capacity, "%s%s", prefix, text);
    copy[before + name] = '\0';
    *setting = (olo_setting){.name = copy, .value = copy + before + name + 1};
    return true;
}

static olo_status read_again(const olo_setup *setup, const olo_setting *settings, size_t further,
                             olo_model **model, olo_error *error)
{
    const size_t count = setup->count - OLO_SETUP_LISTS;
    const char *text = setup->texts[OLO_SETUP_TEXT];
    olo_pool pool = {0};
    olo_setting *all = olo_pool_alloc(&pool, count + further, sizeof *all);
    bool enough = all != NULL;
    for (size_t i = 0; enough && i < count; i++) {
        const char *prefix = i < setup->parameters ? "" : OLO_RUN_PREFIX;
        enough = cut(&pool, prefix, setup->texts[OLO_SETUP_LISTS + i], &all[i]);
    }
    for (size_t i = 0; enough && i < further; i++)
        all[count + i] = settings[i];
    const olo_status status =
        enough ? olo_model_read_text(text, strlen(text), setup->texts[OLO_SETUP_NAME], all,
                                     (int)(count + further), model, error)
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for the settings of a run");
    olo_pool_free(&pool);
    return status;
}

olo_status olo_recorder_read_model(const char *path, const olo_setting *settings, int setting_count,
                                   olo_model **model, olo_error *error)
{
    *model = NULL;
    olo_interrupted_run interrupted = {0};
    const size_t size = strlen(path) + sizeof ".partial";
    char *partial = olo_alloc(size, 1);
    if (partial == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot open '%s': out of memory", path);
    (void)snprintf(partial, size, "%s.partial", path);
    olo_status status = olo_interrupted_run_open(&interrupted, partial, false, error);
    if (status == OLO_OK && interrupted.setup.texts[OLO_SETUP_TEXT][0] == '\0') {
        status = olo_fail(error, OLO_NOT_FOUND,
                          "'%s' has no model text: the model was made in code", partial);
    }
    if (status == OLO_OK)
        status = read_again(&interrupted.setup, settings, (size_t)setting_count, model, error);
    olo_interrupted_run_close(&interrupted);
    olo_free(partial);
    return status;
}
