/* What the commands for studies share: lists of numbers and words, and a loaded model with
 * progress, warnings and Ctrl-C. */
#ifndef OLO_CLI_STUDY_H
#define OLO_CLI_STUDY_H

#include <stdbool.h>

#include "cli/command.h"
#include "cli/load.h"
#include "cli/progress_line.h"
#include "cli/table.h"
#include "oloid/study.h"
#include "results/study_page.h"

enum { CLI_STUDY_STEPS = 12, CLI_STUDY_NAME_SIZE = 128 };

/* The option for the page of a study, in a struct with a field `report`. */
#define CLI_STUDY_REPORT(options)                                                                  \
    {                                                                                              \
        "report", 0, CLI_TEXT, offsetof(options, report), "FILE",                                  \
            "write a page with the numbers and their plots"                                        \
    }

typedef struct cli_study {
    cli_loaded loaded;
    olo_run run;
    olo_study study;
    cli_progress_line progress;
    olo_observer observers[2];
    char what[CLI_STUDY_NAME_SIZE]; /* the run that is under way */
    bool quiet;
} cli_study;

/* Splits "1e-2,1e-3" into at most `most` numbers above zero. Returns their number, or -1 after
 * telling what is wrong with the option called `option`. */
int cli_study_numbers(const cli_command *command, const char *option, const char *text, int most,
                      double *numbers);

/* Loads the model as cli_load does and prepares its study; from then on Ctrl-C stops the study, not
 * the program. Free with cli_study_close in any case. */
olo_status cli_study_open(cli_study *study, const char *file, const cli_list *set,
                          const olo_setting *options, int option_count, bool quiet,
                          olo_error *error);
void cli_study_close(cli_study *study);

/* Writes the page of a study, with the facts that all studies have, and says where it is. The
 * tables and plots are those of `page`, which also has the subtitle. */
olo_status cli_study_report(const cli_study *study, const char *command, olo_study_page *page,
                            const char *path, olo_error *error);

/* A printed table on the page. */
olo_study_table cli_study_table(const char *title, const cli_table *table);

/* The exit code of a study after telling what ended it. `failure` is why not one of its runs came
 * to its end, or NULL: a run that fails is a finding, as long as there are others. */
int cli_study_code(olo_status status, const olo_error *error, const olo_error *failure);

/* After the last run: takes the progress off the screen. */
void cli_study_done(cli_study *study);

#endif
