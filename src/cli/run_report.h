/* The summary of a run: as text, and as JSON for programs. */
#ifndef OLO_CLI_RUN_REPORT_H
#define OLO_CLI_RUN_REPORT_H

#include <stdio.h>

#include "cli/drives.h"
#include "cli/load.h"
#include "oloid/results.h"

/* An event that happened in the run. */
typedef struct cli_event {
    char name[64];
    double t;
} cli_event;

/* The outcome of a run. Pointers belong to the run. */
typedef struct cli_outcome {
    const cli_loaded *loaded;
    const olo_run *run;
    int unknowns;
    olo_status status;
    const char *error;   /* NULL: no error */
    const char *result;  /* path, or NULL */
    const char *report;  /* path, or NULL */
    const char *partial; /* path of an incomplete result, or NULL */
    const char *resume;  /* the command that continues the run, or NULL */
    double time;         /* reached */
    olo_ledger end;
    olo_run_summary summary;
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    int verdict_count;
    olo_verdict_level level; /* of the run as a whole */
    char **warnings;
    int warning_count;
    cli_event *events;
    int event_count;
    cli_drives drives; /* with --inverse */
} cli_outcome;

void cli_report_text(FILE *out, const cli_outcome *outcome);
void cli_report_json(FILE *out, const cli_outcome *outcome);

#endif
