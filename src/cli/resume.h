/* `--resume`: which run a person means, and its model as the journal of the run has it. */
#ifndef OLO_CLI_RESUME_H
#define OLO_CLI_RESUME_H

#include "cli/load.h"

/* Names of the files of a run: its result, its journal. Both are owned by the caller (olo_free). */
typedef struct cli_past {
    char *path, *partial;
} cli_past;

/* `heavy-top.h5` for a model, by its name in this folder; NULL when memory is out. */
char *cli_default_path(const olo_model *model);

/* The journal of a result; NULL when memory is out. */
char *cli_partial_path(const char *path);

/* Finds the run to go on with and loads its model from it. `word` is the journal (`x.h5.partial`),
 * its result (`x.h5`) or the model, whose result is `output` if that is not NULL. `set` and
 * `options` as in cli_load: they may repeat what the run was started with. */
olo_status cli_find_past(const char *word, const char *output, const cli_list *set,
                         const olo_setting *options, int option_count, cli_past *past,
                         cli_loaded *loaded, olo_error *error);

#endif
