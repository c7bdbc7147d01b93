/* Results of statics: see the header. */
#include "cli/static_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/report_path.h"
#include "oloid/report.h"

int cli_positive(const cli_command *command, const char *option, const char *text, double *value)
{
    char *end = NULL;
    if (text == NULL)
        return CLI_CONTINUE;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*value) || !(*value > 0.0))
        return cli_usage(command, "--%s needs a positive number, got '%s'", option, text);
    return CLI_CONTINUE;
}

int cli_number(const cli_command *command, const char *option, const char *text, double *value)
{
    char *end = NULL;
    if (text == NULL)
        return CLI_CONTINUE;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value)
               ? CLI_CONTINUE
               : cli_usage(command, "--%s needs a number, got '%s'", option, text);
}

static int read_vector(const cli_command *command, const char *option, const char *text,
                       double value[3])
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
    return CLI_CONTINUE;
}

int cli_spin(const cli_command *command, const char *rate, const char *point,
             olo_rotating_frame *spin)
{
    if (rate == NULL && point != NULL)
        return cli_usage(command, "--spin-point is for --spin");
    const int code = read_vector(command, "spin", rate, spin->rate);
    return code == CLI_CONTINUE ? read_vector(command, "spin-point", point, spin->point) : code;
}

olo_status cli_static_result_open(cli_static_result *result, const char *path, double end,
                                  const char *what, bool constraints, olo_error *error)
{
    const cli_loaded *loaded = &result->loaded;
    result->run = *olo_model_run(loaded->model);
    result->run.step_count = 0;
    result->run.end = end;
    result->run.step = end / (double)result->run.frames;
    if (path != NULL) {
        result->path = olo_strdup(path);
        if (result->path == NULL)
            return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    }
    const olo_status status =
        olo_recorder_create(result->path, loaded->model, loaded->system, &result->run,
                            result->command, &result->recorder, error);
    if (status == OLO_OK)
        olo_recorder_set_independent_states(result->recorder, what, constraints);
    return status;
}

olo_status cli_static_result_finish(cli_static_result *result, bool report, olo_error *error)
{
    const olo_run_summary summary = {.steps = result->steps};
    olo_status status = olo_recorder_finish(result->recorder, &summary, OLO_OK, error);
    cli_interrupt_end();
    if (status != OLO_OK || result->path == NULL || !report)
        return status;
    result->report = cli_report_path(result->path, "report.html");
    if (result->report == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    return olo_report_write(result->path, result->report, NULL, error);
}

void cli_static_result_print(const cli_static_result *result)
{
    if (result->path != NULL)
        (void)printf("result: %s\n", result->path);
    if (result->report != NULL)
        (void)printf("report: %s\n", result->report);
}

void cli_static_result_close(cli_static_result *result)
{
    olo_recorder_free(result->recorder);
    cli_unload(&result->loaded);
    olo_free(result->path);
    olo_free(result->report);
}
