/* `--resume`: finds the run that is meant and loads its model from its journal. */
#ifndef OLO_CLI_RESUME_H
#define OLO_CLI_RESUME_H

#include "cli/load.h"

/* Names of the files of a run: result and journal. Both are owned by the caller (olo_free). */
typedef struct cli_run_files {
    char *path, *partial;
} cli_run_files;

/* The result in the current folder, by the name of the model and the parameters that are set, so
 * that results of several parameters are beside each other: `heavy-top.h5`,
 * `heavy-top-spin=60.h5`. NULL when out of memory. */
char *cli_default_path(const olo_model *model, const cli_list *set, const char *ending);

/* The journal of a result; NULL when out of memory. */
char *cli_partial_path(const char *path);

/* Finds the run to continue and loads its model from its journal. `word` is the journal
 * (`x.h5.partial`), its result (`x.h5`) or the model, whose result is `output` if that is not NULL.
 * `set` and `options` as in cli_load: they may only have the values that the run was started with.
 */
olo_status cli_find_interrupted_run(const char *word, const char *output, const cli_list *set,
                                    const olo_setting *options, int option_count,
                                    cli_run_files *files, cli_loaded *loaded, olo_error *error);

#endif
