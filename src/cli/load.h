/* A model as the command line asks for it: read with its settings, compiled, at its start. */
#ifndef OLO_CLI_LOAD_H
#define OLO_CLI_LOAD_H

#include <stdbool.h>

#include "cli/options.h"
#include "oloid/model.h"
#include "oloid/system.h"

typedef struct cli_loaded {
    char *file; /* that the model was read from; NULL: a journal */
    olo_model *model;
    olo_system *system;
    olo_state *state; /* the start */
    olo_counts counts;
    olo_projection projection;
    olo_ledger start;
} cli_loaded;

/* Reads, compiles and starts. `set` has the words `name=value` of `--set` (cut at the '=');
 * `options` are settings with options of their own, of which those without a value are left out;
 * they come last and win. Free with cli_unload in any case. */
olo_status cli_load(const char *file, const cli_list *set, const olo_setting *options,
                    int option_count, cli_loaded *loaded, olo_error *error);
/* The same with the model of the run in `path`.partial, as it was started. */
olo_status cli_load_past(const char *path, const cli_list *set, const olo_setting *options,
                         int option_count, cli_loaded *loaded, olo_error *error);
void cli_unload(cli_loaded *loaded);

/* Whether the start was moved by more than rounding. */
bool cli_was_projected(const cli_loaded *loaded);

/* "positions by 1.2e-05, velocities by 0 ('pivot' was off by 1.1e-05)" */
char *cli_describe_projection(const cli_loaded *loaded, char *text, size_t size);

#endif
