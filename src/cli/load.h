/* A model as the command line requests it: read with its settings and compiled, with its initial
 * state. */
#ifndef OLO_CLI_LOAD_H
#define OLO_CLI_LOAD_H

#include <stdbool.h>

#include "cli/options.h"
#include "oloid/model.h"
#include "oloid/simulate.h"
#include "oloid/system.h"

typedef struct cli_loaded {
    char *file; /* from which the model was read; NULL: from a journal */
    olo_model *model;
    olo_system *system;
    olo_state *state; /* the initial state */
    olo_counts counts;
    olo_projection projection;
    olo_ledger start; /* ledger of the initial state */
} cli_loaded;

/* Reads and compiles a model and creates its initial state. `set` has the words `name=value` of
 * `--set`. `options` are settings that have an option of their
 * own, such as `--step`; those without a value are skipped, the others override `set`. Free with
 * cli_unload in any case. */
olo_status cli_load(const char *file, const cli_list *set, const olo_setting *options,
                    int option_count, cli_loaded *loaded, olo_error *error);
/* The same with the model that is stored in the journal `path`.partial of a run. */
olo_status cli_load_interrupted_run(const char *path, const cli_list *set,
                                    const olo_setting *options, int option_count,
                                    cli_loaded *loaded, olo_error *error);
void cli_unload(cli_loaded *loaded);

/* Whether the projection changed the initial state by more than rounding. */
bool cli_was_projected(const cli_loaded *loaded);

/* "positions by 1.2e-05 ('pivot' was off by 1.1e-05), velocities by 0" */
char *cli_describe_projection(const cli_loaded *loaded, char *text, size_t size);

/* Passes the warnings about the model and its initial state to observers. */
void cli_warn(const cli_loaded *loaded, const olo_observer *observers, int count);
/* The same on standard error, for commands without observers. */
void cli_warn_on_stderr(const cli_loaded *loaded);

#endif
