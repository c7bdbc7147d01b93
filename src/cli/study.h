/* Common parts of the commands for studies: lists of numbers, a loaded model with progress,
 * warnings and Ctrl-C, and the page of a study. */
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
    char what[CLI_STUDY_NAME_SIZE]; /* name of the current run */
    const char *command;            /* the command line */
    bool quiet;
} cli_study;

/* Splits "1e-2,1e-3" into at most `most` numbers above zero. Returns their number, or -1 after
 * printing what is wrong with the option called `option`. */
int cli_study_numbers(const cli_command *command, const char *option, const char *text, int most,
                      double *numbers);

/* Loads the model as cli_load does and prepares its study, with a page that is written to `report`
 * unless that is NULL; from then on Ctrl-C stops the study, not the program. Free with
 * cli_study_close in any case. */
olo_status cli_study_open(cli_study *study, const cli_call *call, const cli_list *set,
                          const olo_setting *options, int option_count, bool quiet,
                          const char *report, olo_error *error);
void cli_study_close(cli_study *study);

/* Writes the page of a study: adds title, description and common facts to `page`, which has the
 * subtitle, the tables and the plots. */
olo_status cli_study_report(const cli_study *study, olo_study_page *page, const char *path,
                            olo_error *error);

/* Refers to a printed table as a table of the page. */
olo_study_table cli_study_table(const char *title, const cli_table *table);

/* Prints the error of a study and returns its exit code. `failure` is the reason why all of its
 * runs failed, or NULL; if only some failed, the study succeeded. */
int cli_study_code(olo_status status, const olo_error *error, const olo_error *failure);

/* To be called after the last run: removes the progress from the screen. */
void cli_study_done(cli_study *study);

#endif
