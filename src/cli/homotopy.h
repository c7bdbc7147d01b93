/* `oloid optimize --homotopy NAME=V1,V2,V3`: a problem with several values of a parameter in turn,
 * each from the optimum and the multipliers of the one before. */
#ifndef OLO_CLI_HOMOTOPY_H
#define OLO_CLI_HOMOTOPY_H

#include "cli/load.h"
#include "oloid/optimize.h"
#include "oloid/results.h"

enum { CLI_HOMOTOPY_MAX = 100 };

typedef struct cli_homotopy_step {
    cli_loaded loaded;
    olo_guess *guess;
    olo_optimum *optimum;
} cli_homotopy_step;

typedef struct cli_homotopy {
    char *text; /* owned; name and values are parts of it */
    const char *name;
    const char *values[CLI_HOMOTOPY_MAX];
    int count; /* 0: there is none */
    cli_homotopy_step *steps;
} cli_homotopy;

/* Splits the text; NULL: there is no homotopy. False if it is not NAME=V1,V2... */
bool cli_homotopy_read(const char *text, cli_homotopy *homotopy);
/* Solves with all values but the last; options of the solver are those of `problem`, which gets the
 * last optimum as its start. Prints a line for each unless `quiet`. Fails if one is not found. */
olo_status cli_homotopy_solve(cli_homotopy *homotopy, const char *file, const cli_list *set,
                              const olo_optimize_observer *observer, bool quiet,
                              olo_problem *problem, olo_error *error);
void cli_homotopy_free(cli_homotopy *homotopy);

#endif
