/* Results of statics: equilibria along a path of loads, and shapes of modes. They are recorded like
 * a run, with the load factor or the phase as time, and with a report beside the result. */
#ifndef OLO_CLI_STATIC_RESULT_H
#define OLO_CLI_STATIC_RESULT_H

#include "cli/load.h"
#include "oloid/results.h"
#include "oloid/statics.h"

typedef struct cli_static_result {
    cli_loaded loaded;
    olo_run run;
    olo_recorder *recorder;
    const char *command;
    char *path, *report; /* owned; report is NULL when there is none */
    long steps;
} cli_static_result;

/* Reads a positive number from an option that may be absent. Returns CLI_CONTINUE, or the exit code
 * after a message. */
struct cli_command;
int cli_positive(const struct cli_command *command, const char *option, const char *text,
                 double *value);
/* The same for any number. */
int cli_number(const struct cli_command *command, const char *option, const char *text,
               double *value);
/* Two rows of a table of options, for a struct with members `spin` and `spin_point`; and the
 * rotating frame that the options define. */
#define CLI_SPIN_OPTIONS(type)                                                                     \
    {"spin",                                                                                       \
     0,                                                                                            \
     CLI_TEXT,                                                                                     \
     offsetof(type, spin),                                                                         \
     "X,Y,Z",                                                                                      \
     "in a frame that rotates with this angular velocity,\ntogether with the ground and loads"},   \
    {                                                                                              \
        "spin-point", 0, CLI_TEXT, offsetof(type, spin_point), "X,Y,Z",                            \
            "a point of its axis; default: the origin"                                             \
    }
int cli_spin(const struct cli_command *command, const char *rate, const char *point,
             olo_rotating_frame *spin);

/* Opens the result `path` (copied; NULL: nothing is written) with the end time `end` and the
 * description `what`. With `constraints` the verdict judges the constraints. */
olo_status cli_static_result_open(cli_static_result *result, const char *path, double end,
                                  const char *what, bool constraints, olo_error *error);
/* Finishes the result, and writes its report if `report` is true. */
olo_status cli_static_result_finish(cli_static_result *result, bool report, olo_error *error);
/* Prints the paths of result and report. */
void cli_static_result_print(const cli_static_result *result);
/* Frees everything that the result owns. */
void cli_static_result_close(cli_static_result *result);

#endif
