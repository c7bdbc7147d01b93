/* `oloid run`: simulates a model, records it and judges its conserved quantities; or continues an
 * interrupted run. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "cli/progress_line.h"
#include "cli/report_path.h"
#include "cli/resume.h"
#include "cli/run_report.h"
#include "oloid/feedback.h"
#include "oloid/report.h"
#include "stepping/registry.h"

struct options {
    cli_list set;
    const char *step, *end, *order, *tolerance, *scheme, *constraints, *output, *checkpoint,
        *feedback;
    bool inverse, resume, no_result, no_report, json, quiet;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2) or an option of\n"
     "its run (run.frames=500); may be given several times"},
    {"step", 0, CLI_TEXT, offsetof(struct options, step), "H", "time step"},
    {"order", 0, CLI_TEXT, offsetof(struct options, order), "N",
     "order of the scheme: 2, 4 or 6, by composition of steps"},
    {"tolerance", 0, CLI_TEXT, offsetof(struct options, tolerance), "E",
     "adapt the steps to this error (not with variational)"},
    {"end", 0, CLI_TEXT, offsetof(struct options, end), "T", "end time"},
    {"scheme", 0, CLI_TEXT, offsetof(struct options, scheme), "NAME",
     "energy-momentum (energy and velocities on the constraints\n"
     "exact), energy-momentum-2006 (as published: velocities to\n"
     "second order) or variational (symplectic, energy bounded);\n"
     "with contacts: contact (energy never rises), contact-captured,\n"
     "contact-two-step, contact-one-step, moreau"},
    {"constraints", 0, CLI_TEXT, offsetof(struct options, constraints), "KIND",
     "how constraints are treated: reduced (loops by\n"
     "multipliers), minimal (loops by a null space),\n"
     "multipliers, projected, penalty, augmented"},
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "the result file; default: <model name>.h5 here, with the\n"
     "values of --set: heavy-top-spin=60.h5"},
    {"feedback", 0, CLI_TEXT, offsetof(struct options, feedback), "FILE",
     "inputs and feedback gains of this result of `oloid\noptimize`, instead of functions of time"},
    {"inverse", 0, CLI_FLAG, offsetof(struct options, inverse), NULL,
     "inverse dynamics: report the drive forces of prescribed\n"
     "motions"},
    {"resume", 0, CLI_FLAG, offsetof(struct options, resume), NULL,
     "continue a run that was interrupted or killed"},
    {"checkpoint", 0, CLI_TEXT, offsetof(struct options, checkpoint), "SECONDS",
     "time between two checkpoints; default: 1; 0: every step"},
    {"no-result", 0, CLI_FLAG, offsetof(struct options, no_result), NULL, "write no result file"},
    {"no-report", 0, CLI_FLAG, offsetof(struct options, no_report), NULL,
     "write no report (<result>.report.html)"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the summary as JSON"},
    {"quiet", 'q', CLI_FLAG, offsetof(struct options, quiet), NULL,
     "no progress and no warnings on stderr; warnings are in the\nsummary"},
    {0}};

/* Everything that a run owns. */
struct session {
    const struct options *options;
    cli_loaded loaded;
    olo_recorder *recorder;
    olo_feedback *feedback;
    const char *command;
    char *path, *partial, *resume, *report;
    double checkpoint; /* s; negative: default of the library */
    cli_progress_line progress;
    cli_outcome outcome;
    size_t warning_capacity, event_capacity;
    olo_error error;
};

/* Chooses the path of the result: NULL for none, the option, or the model's name in the current
 * folder. */
static olo_status choose_path(struct session *session, olo_error *error)
{
    if (session->options->no_result)
        return OLO_OK;
    const struct options *given = session->options;
    session->path = given->output != NULL
                        ? olo_strdup(given->output)
                        : cli_default_path(session->loaded.model, &given->set, ".h5");
    session->partial = session->path != NULL ? cli_partial_path(session->path) : NULL;
    if (session->partial == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    const olo_status status = cli_check_model_overwrite_by_result(
        &session->loaded, session->path, !session->options->no_report, error);
    if (status != OLO_OK)
        return status;
    if (access(session->partial, F_OK) == 0 && !session->options->quiet) {
        cli_message("'%s' of an earlier run is replaced; --resume would continue it",
                    session->partial);
    }
    return OLO_OK;
}

/* Loads the model from `word` or, with --resume, from the run that `word` means. */
static olo_status load(struct session *session, const char *word, olo_error *error)
{
    const struct options *given = session->options;
    const olo_setting settings[] = {
        {"run.step", given->step},     {"run.end", given->end},
        {"run.order", given->order},   {"run.tolerance", given->tolerance},
        {"run.scheme", given->scheme}, {"run.constraints", given->constraints}};
    const int count = (int)(sizeof settings / sizeof settings[0]);
    cli_loaded *loaded = &session->loaded;
    if (!given->resume)
        return cli_load(word, &given->set, settings, count, loaded, error);
    cli_run_files files = {0};
    const olo_status status = cli_find_interrupted_run(word, given->output, &given->set, settings,
                                                       count, &files, loaded, error);
    session->path = files.path;
    session->partial = files.partial;
    return status;
}

static olo_status open_recorder(struct session *session, olo_error *error)
{
    cli_outcome *outcome = &session->outcome;
    cli_loaded *loaded = &session->loaded;
    olo_status status = OLO_OK;
    if (session->options->resume) {
        status = olo_recorder_resume(session->path, loaded->model, loaded->system, outcome->run,
                                     &session->recorder, loaded->state, &outcome->summary, error);
    } else {
        status = choose_path(session, error);
        if (status == OLO_OK) {
            status = olo_recorder_create(session->path, loaded->model, loaded->system, outcome->run,
                                         session->command, &session->recorder, error);
        }
    }
    if (status == OLO_OK && session->checkpoint >= 0.0)
        olo_recorder_set_checkpoint(session->recorder, session->checkpoint);
    return status;
}

static olo_status prepare(struct session *session, const char *word, olo_error *error)
{
    cli_outcome *outcome = &session->outcome;
    olo_status status = load(session, word, error);
    if (status != OLO_OK)
        return status;
    outcome->loaded = &session->loaded;
    outcome->run = olo_model_run(session->loaded.model);
    if (session->options->inverse)
        status = cli_drives_create(&outcome->drives, session->loaded.system, error);
    if (status == OLO_OK) {
        // this also rejects invalid combinations of options, before any file is changed
        status = olo_run_unknowns(session->loaded.system, outcome->run, &outcome->unknowns, error);
    }
    if (status == OLO_OK && session->options->feedback)
        status = olo_feedback_read(session->options->feedback, session->loaded.system,
                                   &session->feedback, error);
    if (status != OLO_OK)
        return status;
    // from here on there is a result: Ctrl-C finishes the step and the files
    cli_interrupt_begin();
    return open_recorder(session, error);
}

static void on_warning(void *context, const char *text)
{
    struct session *session = context;
    if (!session->options->quiet) {
        cli_progress_clear(&session->progress);
        cli_message("warning: %s", text);
    }
    // store the warning for the summary; it is dropped when out of memory
    cli_outcome *outcome = &session->outcome;
    char **warnings = olo_grow(outcome->warnings, (size_t)outcome->warning_count,
                               &session->warning_capacity, sizeof *warnings);
    char *copy = warnings != NULL ? olo_strdup(text) : NULL;
    if (warnings != NULL)
        outcome->warnings = warnings;
    if (copy != NULL)
        warnings[outcome->warning_count++] = copy;
}

/* Stores an event for the summary; it is dropped when out of memory. */
static void on_event(void *context, const char *name, const olo_state *state)
{
    struct session *session = context;
    cli_outcome *outcome = &session->outcome;
    cli_event *events = olo_grow(outcome->events, (size_t)outcome->event_count,
                                 &session->event_capacity, sizeof *events);
    if (events == NULL)
        return;
    outcome->events = events;
    cli_event *event = &events[outcome->event_count++];
    (void)snprintf(event->name, sizeof event->name, "%s", name);
    event->t = olo_state_time(state);
}

/* Performs all steps, or the remaining ones of an interrupted run. */
static olo_status step(struct session *session, olo_error *error)
{
    cli_outcome *outcome = &session->outcome;
    cli_loaded *loaded = &session->loaded;
    const char *name = olo_model_name(loaded->model);
    cli_progress_begin(&session->progress, name, outcome->run, loaded->state);
    olo_observer user = olo_observer_default();
    user.context = session;
    user.stop = cli_interrupted;
    user.warn = on_warning;
    user.event = on_event;
    const olo_observer observers[] = {user, olo_recorder_observer(session->recorder),
                                      cli_drives_observer(&outcome->drives),
                                      cli_progress_observer(&session->progress)};
    const int count = session->options->quiet ? 3 : 4;
    if (!session->options->resume) {
        cli_warn(loaded, observers, count);
        if (session->feedback)
            return olo_feedback_simulate(session->feedback, loaded->system, outcome->run,
                                         loaded->state, observers, count, &outcome->summary, error);
        return olo_simulate(loaded->system, outcome->run, loaded->state, observers, count,
                            &outcome->summary, error);
    }
    cli_progress_resume(&session->progress, outcome->summary.start);
    if (!session->options->quiet) {
        cli_message("%s: continues after step %ld, t = %.9g", name, outcome->summary.steps,
                    olo_state_time(loaded->state));
    }
    return olo_simulate_resume(loaded->system, outcome->run, loaded->state, observers, count,
                               &outcome->summary, error);
}

/* Sets the path of an incomplete result, and the command that continues the run where this is
 * possible. */
static void set_partial_result(struct session *session)
{
    cli_outcome *outcome = &session->outcome;
    if (session->partial == NULL || access(session->partial, F_OK) != 0)
        return;
    outcome->partial = session->partial;
    if (outcome->status == OLO_INTERRUPTED || outcome->status == OLO_IO) {
        session->resume = cli_quote_after("oloid run --resume ", session->partial);
        outcome->resume = session->resume;
    }
}

/* Writes the report beside a complete result. */
static olo_status write_report(struct session *session, olo_error *error)
{
    if (session->path == NULL || session->options->no_report)
        return OLO_OK;
    session->report = cli_report_path(session->path, "report.html");
    if (session->report == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    const olo_status status = olo_report_write(session->path, session->report, NULL, error);
    session->outcome.report = status == OLO_OK ? session->report : NULL;
    return status;
}

/* Runs the simulation and finishes the result in any case. The first error is reported. */
static olo_status simulate(struct session *session, olo_error *error)
{
    cli_outcome *outcome = &session->outcome;
    cli_loaded *loaded = &session->loaded;
    outcome->status = step(session, error);
    cli_progress_clear(&session->progress);

    olo_error late = *error;
    const olo_status finished =
        olo_recorder_finish(session->recorder, &outcome->summary, outcome->status, &late);
    if (finished != OLO_OK && (outcome->status == OLO_OK || outcome->status == OLO_INTERRUPTED)) {
        outcome->status = finished;
        *error = late;
    }
    cli_interrupt_end();
    if (outcome->status == OLO_OK) {
        outcome->result = session->path;
        outcome->status = write_report(session, error);
    } else {
        set_partial_result(session);
    }
    outcome->verdict_count = olo_recorder_verdicts(session->recorder, outcome->verdicts);
    outcome->level = olo_recorder_verdict_level(session->recorder);
    outcome->time = olo_state_time(loaded->state);
    olo_system_ledger(loaded->system, loaded->state, &outcome->end);
    return outcome->status;
}

/* Prints the worst verdict if it is not ok, also after an interrupted run. Returns its exit code.
 */
static int judge(const cli_outcome *outcome)
{
    static const int codes[] = {CLI_OK, CLI_LAW_WARNED, CLI_LAW_BROKEN};
    for (int i = 0; i < outcome->verdict_count; i++) {
        const olo_verdict *verdict = &outcome->verdicts[i];
        if (verdict->level != OLO_VERDICT_OK && verdict->level == outcome->level) {
            cli_message("%s: %s: %s: %s", olo_model_name(outcome->loaded->model),
                        olo_verdict_level_name(verdict->level), verdict->quantity, verdict->text);
            break;
        }
    }
    return codes[outcome->level];
}

/* Reports how the initial state was made consistent, as text and in the result. */
static void report_projection(struct session *session)
{
    char text[512], sentence[600];
    if (!cli_was_projected(&session->loaded))
        return;
    (void)cli_describe_projection(&session->loaded, text, sizeof text);
    if (!session->options->resume && !session->options->json)
        (void)printf("initial state projected: %s\n", text);
    (void)snprintf(sentence, sizeof sentence, "The initial state was made consistent: %s.", text);
    olo_recorder_add_finding(session->recorder, OLO_VERDICT_OK, sentence);
}

static int run_and_report(struct session *session, const char *file)
{
    olo_error *error = &session->error;
    if (prepare(session, file, error) != OLO_OK)
        return cli_fail(error);
    report_projection(session);
    const olo_status status = simulate(session, error);
    if (status != OLO_OK)
        session->outcome.error = error->text[0] != '\0' ? error->text : olo_status_text(status);
    if (session->options->json)
        cli_report_json(stdout, &session->outcome);
    else
        cli_report_text(stdout, &session->outcome);
    (void)fflush(stdout);
    const int verdict = judge(&session->outcome);
    if (status == OLO_INTERRUPTED)
        return olo_status_exit_code(status);
    return status != OLO_OK ? cli_fail(error) : verdict;
}

static void close_session(struct session *session)
{
    cli_outcome *outcome = &session->outcome;
    olo_recorder_free(session->recorder);
    olo_feedback_free(session->feedback);
    cli_unload(&session->loaded);
    for (int i = 0; i < outcome->warning_count; i++)
        olo_free(outcome->warnings[i]);
    olo_free(outcome->warnings);
    olo_free(outcome->events);
    cli_drives_free(&outcome->drives);
    olo_free(session->path);
    olo_free(session->partial);
    olo_free(session->resume);
    olo_free(session->report);
}

/* Rejects invalid options and combinations of options. */
static int check_options(struct session *session)
{
    const struct options *given = session->options;
    if (given->no_result && (given->output != NULL || given->resume)) {
        return cli_usage(&cli_run, "--%s and --no-result exclude each other",
                         given->resume ? "resume" : "output");
    }
    if (given->inverse && given->resume)
        return cli_usage(&cli_run, "--inverse and --resume exclude each other");
    if (given->feedback && given->resume)
        return cli_usage(&cli_run, "--feedback and --resume exclude each other");
    session->checkpoint = -1.0;
    if (given->checkpoint != NULL) {
        char *end = NULL;
        session->checkpoint = strtod(given->checkpoint, &end);
        if (*end != '\0' || !isfinite(session->checkpoint) || session->checkpoint < 0.0)
            return cli_usage(&cli_run, "--checkpoint needs seconds, got '%s'", given->checkpoint);
    }
    return CLI_CONTINUE;
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options, .command = call->command};
    int code = check_options(&session);
    if (code == CLI_CONTINUE)
        code = run_and_report(&session, call->argument);
    close_session(&session);
    return code;
}

const cli_command cli_run = {
    .name = "run",
    .argument = "MODEL",
    .summary = "simulate a model and judge what it conserves",
    .details =
        "MODEL is a model file, or a name from the catalogue ('oloid models').\n"
        "Ctrl-C finishes the step and writes the result so far; pressed again, it ends at once.\n"
        "Until a run is complete its result is RESULT.partial. With --resume, MODEL may also be\n"
        "that file, which contains the model; the result is the same to the last bit.\n",
    .examples = "  oloid run heavy-top\n"
                "  oloid run heavy-top --set spin=60 --step 1e-4 --end 2 --output nods.h5\n"
                "  oloid run --resume nods.h5.partial\n"
                "  oloid run my.yaml --constraints multipliers --no-result --json\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
