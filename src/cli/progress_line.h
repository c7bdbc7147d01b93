/* How far a run is, on stderr: a bar that is redrawn where the terminal can, a plain line every few
 * seconds elsewhere. */
#ifndef OLO_CLI_PROGRESS_LINE_H
#define OLO_CLI_PROGRESS_LINE_H

#include <stdbool.h>

#include "base/progress.h"
#include "oloid/simulate.h"

typedef struct cli_progress_line {
    const char *name;
    double start, end, step; /* simulated time */
    bool redraw;             /* bar or lines */
    bool visible;            /* whether the bar is on the screen now */
    int width;
    olo_progress pace;
    double looked, shown;   /* clock, s */
    long next_look, stride; /* steps */
} cli_progress_line;

/* Begins at the state's time. `name` and `run` are of the model. */
void cli_progress_begin(cli_progress_line *line, const char *name, const olo_run *run,
                        const olo_state *state);

/* The run began earlier, at time `start`, and now goes on. */
void cli_progress_resume(cli_progress_line *line, double start);

/* The observer to hand to olo_simulate. */
olo_observer cli_progress_observer(cli_progress_line *line);

/* Takes the bar off the screen: before a message, and at the end. */
void cli_progress_clear(cli_progress_line *line);

#endif
