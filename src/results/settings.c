/* Parameters and options of a run as texts. Numbers have 17 digits, so that reading them restores
 * the same bits. */
#include "results/settings.h"

#include <stdio.h>

#include "base/memory.h"
#include "model/model.h"
#include "model/run_section.h"
#include "results/hdf5_file.h"

enum { SETTING_SIZE = 256 }; /* a name of 64 letters, '=', a number or a word */

/* Adds a copy of a text; on failure frees the list and returns NULL. */
static char **add(char **list, size_t at, const char *text)
{
    if (list != NULL && (list[at] = olo_strdup(text)) == NULL) {
        olo_hdf5_texts_free(list);
        return NULL;
    }
    return list;
}

char **olo_settings_of_model(const olo_model *model, size_t *count)
{
    const olo_parameters *parameters = model->parameters;
    *count = olo_parameters_count(parameters);
    char **list = olo_alloc(*count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < *count; i++) {
        char text[SETTING_SIZE];
        (void)snprintf(text, sizeof text, "%.100s=%.17g", olo_parameters_names(parameters)[i],
                       olo_parameters_value(parameters, i));
        list = add(list, i, text);
    }
    return list;
}

char **olo_settings_of_run(const olo_run *run, size_t *count)
{
    *count = (size_t)olo_run_option_count();
    char **list = olo_alloc(*count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < *count; i++) {
        char text[SETTING_SIZE] = "";
        (void)olo_run_option_text(run, (int)i, text, sizeof text); // texts come from short lists
        list = add(list, i, text);
    }
    return list;
}
