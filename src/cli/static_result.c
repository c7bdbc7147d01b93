/* Results of what does not move. */
#include "cli/static_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/report_path.h"
#include "cli/say.h"
#include "oloid/report.h"

int cli_positive(const cli_command *command, const char *option, const char *text, double *value)
{
    char *end = NULL;
    if (text == NULL) {
        return CLI_GO_ON;
    }
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value) || !(*value > 0.0)) {
        return cli_usage(command, "--%s needs a positive number, got '%s'", option, text);
    }
    return CLI_GO_ON;
}

int cli_vector(const cli_command *command, const char *option, const char *text, double value[3])
{
    const char *at = text;
    for (int i = 0; text != NULL && i < 3; i++) {
        char *end = NULL;
        value[i] = strtod(at, &end);
        if (end == at || !isfinite(value[i]) || *end != (i < 2 ? ',' : '\0')) {
            return cli_usage(command, "--%s needs three numbers like 0,0,1.5, got '%s'", option,
                             text);
        }
        at = end + 1;
    }
    return CLI_GO_ON;
}

int cli_spin(const cli_command *command, const char *rate, const char *point,
             olo_rotating_frame *spin)
{
    if (rate == NULL && point != NULL) {
        return cli_usage(command, "--spin-point is for --spin");
    }
    const int code = cli_vector(command, "spin", rate, spin->rate);
    return code == CLI_GO_ON ? cli_vector(command, "spin-point", point, spin->point) : code;
}

olo_status cli_static_result_open(cli_static_result *still, const char *path, double end,
                                  const char *what, bool constraints, olo_error *error)
{
    const cli_loaded *loaded = &still->loaded;
    still->run = *olo_model_run(loaded->model);
    still->run.end = end;
    still->run.step = end / (double)still->run.frames;
    if (path != NULL) {
        still->path = olo_strdup(path);
        if (still->path == NULL) {
            return olo_fail(error, OLO_NO_MEMORY, "out of memory");
        }
    }
    const olo_status status =
        olo_recorder_create(still->path, loaded->model, loaded->system, &still->run, still->command,
                            &still->recorder, error);
    if (status == OLO_OK) {
        olo_recorder_set_independent_states(still->recorder, what, constraints);
    }
    return status;
}

olo_status cli_static_result_finish(cli_static_result *still, bool report, olo_error *error)
{
    const olo_run_summary summary = {.steps = still->steps};
    olo_status status = olo_recorder_finish(still->recorder, &summary, OLO_OK, error);
    cli_interrupt_end();
    if (status != OLO_OK || still->path == NULL || !report) {
        return status;
    }
    still->report = cli_report_path(still->path, "report.html");
    if (still->report == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    }
    return olo_report_write(still->path, still->report, NULL, error);
}

void cli_static_result_tell(const cli_static_result *still)
{
    if (still->path != NULL) {
        (void)printf("result: %s\n", still->path);
    }
    if (still->report != NULL) {
        (void)printf("report: %s\n", still->report);
    }
}

static void close_still(cli_static_result *still)
{
    olo_recorder_free(still->recorder);
    cli_unload(&still->loaded);
    olo_free(still->command);
    olo_free(still->path);
    olo_free(still->report);
}

int cli_static_result_run(const cli_command *command, int argc, char **argv, void *options,
                          cli_list *set, cli_static_result *still,
                          int (*go)(cli_static_result *still, const char *file))
{
    cli_list arguments = {0};
    still->command = cli_join_command(argc, argv);
    int code = still->command != NULL ? cli_parse(command, argc, argv, options, &arguments)
                                      : cli_no_memory();
    if (code == CLI_GO_ON) {
        code = go(still, arguments.items[0]);
    }
    close_still(still);
    cli_list_free(set);
    cli_list_free(&arguments);
    return code;
}
