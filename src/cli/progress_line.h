/* Progress of a run on stderr: a bar if the terminal can redraw a line, otherwise a plain line
 * every few seconds. */
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
    double clock_read, shown;     /* clock, s */
    long next_clock_step, stride; /* steps */
} cli_progress_line;

/* Begins at the time of `state`. `name` must outlive the line. */
void cli_progress_begin(cli_progress_line *line, const char *name, const olo_run *run,
                        const olo_state *state);

/* Continues the progress of a run that began earlier, at time `start`. */
void cli_progress_resume(cli_progress_line *line, double start);

/* The observer to hand to olo_simulate. */
olo_observer cli_progress_observer(cli_progress_line *line);

/* Removes the bar from the screen: before a message, and at the end. */
void cli_progress_clear(cli_progress_line *line);

#endif
