/* Results of what does not move: equilibria along a path of loads, shapes of modes. They are
 * recorded like a run, load factor or phase in the place of time, with a report beside the result.
 */
#ifndef OLO_CLI_STATIC_RESULT_H
#define OLO_CLI_STATIC_RESULT_H

#include "cli/load.h"
#include "oloid/results.h"
#include "oloid/statics.h"

typedef struct cli_static_result {
    cli_loaded loaded;
    olo_run run;
    olo_recorder *recorder;
    char *command, *path, *report; /* owned; report is NULL when there is none */
    long steps;
} cli_static_result;

/* A positive number from an option that may be absent. Returns CLI_GO_ON, or the exit code after a
 * message. */
struct cli_command;
int cli_positive(const struct cli_command *command, const char *option, const char *text,
                 double *value);

/* Three numbers "x,y,z" likewise. */
int cli_vector(const struct cli_command *command, const char *option, const char *text,
               double value[3]);
/* Two rows of a table of options, for a struct with `spin` and `spin_point`; and the frame that
 * they give. */
#define CLI_SPIN_OPTIONS(type)                                                                     \
    {"spin",                                                                                       \
     0,                                                                                            \
     CLI_TEXT,                                                                                     \
     offsetof(type, spin),                                                                         \
     "X,Y,Z",                                                                                      \
     "in a frame that turns with this angular velocity, the\nground and all loads with it"},       \
    {                                                                                              \
        "spin-point", 0, CLI_TEXT, offsetof(type, spin_point), "X,Y,Z",                            \
            "a point of its axis; default: the origin"                                             \
    }
int cli_spin(const struct cli_command *command, const char *rate, const char *point,
             olo_rotating_frame *spin);

/* The whole of such a command: parses into `options`, of which `set` is the list of settings; then
 * `go` gets the session, whose first member `still` is, and the model. Frees all that these own. */
int cli_static_result_run(const struct cli_command *command, int argc, char **argv, void *options,
                          cli_list *set, cli_static_result *still,
                          int (*go)(cli_static_result *still, const char *file));

/* Opens the result `path`, a copy of which is kept, that goes up to `end` and shows `what`; NULL:
 * nothing is written. With `constraints` these are judged. */
olo_status cli_static_result_open(cli_static_result *still, const char *path, double end,
                                  const char *what, bool constraints, olo_error *error);
/* Finishes the result, and writes the report unless that is not wanted. */
olo_status cli_static_result_finish(cli_static_result *still, bool report, olo_error *error);
/* Prints where they are. */
void cli_static_result_tell(const cli_static_result *still);

#endif
