/* Opens a study and shows the progress of its runs. */
#include "cli/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "oloid/version.h"

int cli_study_numbers(const cli_command *command, const char *option, const char *text, int most,
                      double *numbers)
{
    int count = 0;
    for (const char *at = text; count < most; at++) {
        char *end = NULL;
        const double number = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !(number > 0.0) || !isfinite(number)) {
            (void)cli_usage(command, "--%s needs %s, got '%s'", option,
                            most == 1 ? "a number above zero"
                                      : "numbers above zero with commas between them, for example "
                                        "1e-2,1e-3",
                            text);
            return -1;
        }
        numbers[count++] = number;
        if (*end == '\0')
            return count;
        at = end;
    }
    (void)cli_usage(command, "--%s takes at most %d number%s", option, most, most == 1 ? "" : "s");
    return -1;
}

static void on_warning(void *context, const char *text)
{
    cli_study *study = context;
    if (!study->quiet) {
        cli_progress_clear(&study->progress);
        cli_message("warning: %s: %s", study->what, text);
    }
}

/* Begins the progress bar of a run. The interval between plain lines extends over all runs. */
static void announce(void *context, const char *what, const olo_run *run)
{
    cli_study *study = context;
    (void)snprintf(study->what, sizeof study->what, "%s, %s", olo_model_name(study->loaded.model),
                   what);
    const double shown = study->progress.shown;
    cli_progress_clear(&study->progress);
    cli_progress_begin(&study->progress, study->what, run, study->loaded.state);
    if (shown > 0.0)
        study->progress.shown = shown;
}

olo_status cli_study_open(cli_study *study, const cli_call *call, const cli_list *set,
                          const olo_setting *options, int option_count, bool quiet,
                          const char *report, olo_error *error)
{
    study->quiet = quiet;
    study->command = call->command;
    olo_status status = cli_load(call->argument, set, options, option_count, &study->loaded, error);
    if (status == OLO_OK)
        status = cli_check_model_overwrite(&study->loaded, report, "report", error);
    if (status != OLO_OK)
        return status;
    if (!quiet)
        cli_warn_on_stderr(&study->loaded);
    cli_interrupt_begin();
    study->observers[0] = olo_observer_default();
    study->observers[0].context = study;
    study->observers[0].stop = cli_interrupted;
    study->observers[0].warn = on_warning;
    study->observers[1] = cli_progress_observer(&study->progress);
    study->run = *olo_model_run(study->loaded.model);
    study->study = olo_study_default();
    study->study.system = study->loaded.system;
    study->study.start = study->loaded.state;
    study->study.run = &study->run;
    study->study.observers = study->observers;
    study->study.observer_count = quiet ? 1 : 2;
    study->study.announce = announce;
    study->study.context = study;
    return OLO_OK;
}

static const char *table_cell(const void *context, size_t row, int column)
{
    return ((const cli_table *)context)->rows[row][column];
}

olo_study_table cli_study_table(const char *title, const cli_table *table)
{
    return (olo_study_table){.title = title,
                             .rows = table->count,
                             .columns = table->columns,
                             .cell = table_cell,
                             .context = table};
}

olo_status cli_study_report(const cli_study *study, olo_study_page *page, const char *path,
                            olo_error *error)
{
    const olo_run *run = &study->run;
    const olo_counts *counts = &study->loaded.counts;
    char sizes[4][32];
    (void)snprintf(sizes[0], sizeof sizes[0], "%d", counts->coordinates);
    (void)snprintf(sizes[1], sizeof sizes[1], "%d", counts->constraints);
    (void)snprintf(sizes[2], sizeof sizes[2], "%d", counts->degrees_of_freedom);
    (void)snprintf(sizes[3], sizeof sizes[3], "%.10g", run->end);
    const olo_study_fact facts[] = {{"Command", study->command},
                                    {"Version", olo_version()},
                                    {"Units", olo_model_units(study->loaded.model)},
                                    {"Scheme", run->scheme},
                                    {"Coordinates", sizes[0]},
                                    {"Constraints", sizes[1]},
                                    {"Degrees of freedom", sizes[2]},
                                    {"End time", sizes[3]}};
    page->title = olo_model_name(study->loaded.model);
    page->description = olo_model_description(study->loaded.model);
    page->facts = facts;
    page->fact_count = (int)(sizeof facts / sizeof facts[0]);
    return olo_study_page_write(page, path, error);
}

int cli_study_code(olo_status status, const olo_error *error, const olo_error *failure)
{
    (void)fflush(stdout);
    if (status != OLO_OK)
        return cli_fail(error);
    return failure != NULL ? cli_fail(failure) : CLI_OK;
}

void cli_study_done(cli_study *study)
{
    cli_progress_clear(&study->progress);
    cli_interrupt_end();
}

void cli_study_close(cli_study *study)
{
    cli_unload(&study->loaded);
}
