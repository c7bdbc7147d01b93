/* `oloid check --symplectic`: how the first steps, linearised, change areas and volumes in phase
 * space. */
#ifndef OLO_CLI_SYMPLECTIC_H
#define OLO_CLI_SYMPLECTIC_H

#include "base/json.h"
#include "cli/load.h"
#include "oloid/derivatives.h"

/* The first steps of a run, and the worst value of each measure. */
typedef struct cli_symplectic {
    int steps;
    double step;
    const char *scheme;
    olo_step_map worst;
} cli_symplectic;

olo_status cli_symplectic_find(const cli_loaded *loaded, cli_symplectic *found, olo_error *error);
void cli_symplectic_print(const cli_symplectic *found);
void cli_symplectic_write(olo_json *json, const cli_symplectic *found);

#endif
