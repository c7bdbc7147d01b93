/* `oloid equilibrium`: finds the equilibrium of a model under its loads and its stability. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/overwrite.h"
#include "cli/resume.h"
#include "cli/static_result.h"
#include "oloid/statics.h"

struct options {
    cli_list set;
    const char *load, *step, *method, *branch, *output, *spin, *spin_point;
    bool arc, no_result, no_report, json;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2); may be given\nseveral times"},
    {"load", 0, CLI_TEXT, offsetof(struct options, load), "FACTOR",
     "multiply all loads by this; default: 1"},
    {"step", 0, CLI_TEXT, offsetof(struct options, step), "FACTOR",
     "first step of the load factor; default: 0.1; steps adapt to\nthe path"},
    {"arc-length", 0, CLI_FLAG, offsetof(struct options, arc), NULL,
     "continue through limit points, where the load has to\ndecrease; otherwise the path ends "
     "there"},
    {"branch", 0, CLI_TEXT, offsetof(struct options, branch), "NUMBER",
     "leave the path at this bifurcation, 1 for the first one;\n-1 in the opposite direction"},
    {"method", 0, CLI_TEXT, offsetof(struct options, method), "NAME",
     "path (default: with increasing loads); or at once under the\nfull load, which may be zero or "
     "negative: newton (to a near\nequilibrium), descent (to a stable one)"},
    CLI_SPIN_OPTIONS(struct options),
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "the result file; default: <model name>.equilibrium.h5,\n"
     "with the values of --set"},
    {"no-result", 0, CLI_FLAG, offsetof(struct options, no_result), NULL, "write no result file"},
    {"no-report", 0, CLI_FLAG, offsetof(struct options, no_report), NULL, "write no report"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the summary as JSON"},
    {0}};

struct session {
    cli_static_result result;
    const struct options *options;
    olo_equilibrium_options statics;
    olo_equilibrium_summary summary;
    olo_ledger end;
    olo_status status;                 /* of the search */
    char warning[OLO_ERROR_TEXT_SIZE]; /* sentences; empty: none */
};

static void on_warning(void *context, const char *text)
{
    struct session *session = context;
    const size_t used = strlen(session->warning);
    (void)snprintf(session->warning + used, sizeof session->warning - used, "%s%s",
                   used > 0 ? "; " : "", text);
}

/* Description of a result whose equilibrium was not reached along a path. */
static const char *const relaxed_text =
    "An equilibrium under the full load, found by decreasing the potential energy: without load "
    "the model is a mechanism, and there is no path of equilibria.";

/* Description of a result of another method than 'path'. */
static const char *const direct_text =
    "An equilibrium under the full load, found at once from the initial state.";

/* Description of a result whose initial state is the equilibrium. */
static const char *const unmoved_text =
    "The initial state is an equilibrium under the full load, and nothing moves: without load "
    "the model is a mechanism, and there is no path of equilibria.";

/* Follows the path of equilibria and records it. */
static olo_status find(struct session *session, olo_error *error)
{
    cli_loaded *loaded = &session->result.loaded;
    olo_observer user = olo_observer_default();
    user.context = session;
    user.stop = cli_interrupted;
    user.warn = on_warning;
    const olo_observer observers[] = {user, olo_recorder_observer(session->result.recorder)};
    cli_warn(loaded, observers, 2);
    const olo_status status = olo_find_equilibrium(loaded->system, &session->statics, loaded->state,
                                                   observers, 2, &session->summary, error);
    olo_system_ledger(loaded->system, loaded->state, &session->end);
    session->status = status;
    olo_recorder_add_equilibrium(session->result.recorder, &session->summary);
    if (strcmp(session->statics.method, "path") != 0 && session->result.recorder != NULL)
        olo_recorder_set_independent_states(session->result.recorder, direct_text, true);
    if (session->summary.relaxed && session->result.recorder != NULL) {
        olo_recorder_set_independent_states(
            session->result.recorder, session->summary.stayed ? unmoved_text : relaxed_text, true);
    }
    if (status != OLO_OK) {
        // the path so far remains readable
        const olo_run_summary summary = {.steps = session->summary.steps - 1};
        olo_error late = *error;
        (void)olo_recorder_finish(session->result.recorder, &summary, status, &late);
        cli_interrupt_end();
        return status;
    }
    session->result.steps = session->summary.steps - 1;
    return cli_static_result_finish(&session->result, !session->options->no_report, error);
}

static olo_status prepare(struct session *session, const char *file, olo_error *error)
{
    // with `run.start: equilibrium`, loading the model would already search for the equilibrium
    const olo_setting given = {.name = "run.start", .value = "given"};
    olo_status status =
        cli_load(file, &session->options->set, &given, 1, &session->result.loaded, error);
    if (status != OLO_OK)
        return status;
    const struct options *wanted = session->options;
    char *path = cli_default_path(session->result.loaded.model, &wanted->set, ".equilibrium.h5");
    const char *chosen = wanted->output != NULL ? wanted->output : path;
    chosen = wanted->no_result ? NULL : chosen;
    status = path != NULL ? cli_check_model_overwrite_by_result(&session->result.loaded, chosen,
                                                                !wanted->no_report, error)
                          : olo_fail(error, OLO_NO_MEMORY, "out of memory");
    if (status == OLO_OK)
        status = cli_static_result_open(
            &session->result, chosen, session->statics.end,
            "Equilibria under increasing loads: the time is the load factor.", true, error);
    olo_free(path);
    return status;
}

/* "stable", "unstable in 2 directions, neutral in 1", "not judged" */
static char *describe_stability(const olo_equilibrium_summary *sum, char *text, size_t size)
{
    char unstable[64] = "stable", neutral[64] = "";
    if (!sum->judged) {
        (void)snprintf(text, size, "not judged: there are loads without a potential");
        return text;
    }
    if (sum->unstable > 0) {
        (void)snprintf(unstable, sizeof unstable, "unstable in %d direction%s", sum->unstable,
                       sum->unstable == 1 ? "" : "s");
    }
    if (sum->neutral > 0)
        (void)snprintf(neutral, sizeof neutral, "%s%d without stiffness", ", ", sum->neutral);
    (void)snprintf(text, size, "%s%s", unstable, neutral);
    return text;
}

static void print_critical(const olo_critical_point *point)
{
    (void)printf("  %-11s at load factor %.8g", point->limit ? "limit point" : "bifurcation",
                 point->load);
    if (point->unstable >= 0)
        (void)printf("; after it unstable in %d", point->unstable);
    (void)printf("\n");
}

static void print_text(const struct session *session)
{
    const olo_equilibrium_summary *sum = &session->summary;
    char text[160], wall[CLI_NUMBER_SIZE];
    (void)printf("%s: equilibrium at load factor %.8g, %ld step%s, %ld iteration%s in %s\n",
                 olo_model_name(session->result.loaded.model), sum->load, sum->steps,
                 sum->steps == 1 ? "" : "s", sum->iterations, sum->iterations == 1 ? "" : "s",
                 cli_duration(wall, sum->wall_seconds));
    if (session->status != OLO_OK)
        (void)printf("  not reached: load factor %.6g\n", session->statics.end);
    if (sum->relaxed) {
        (void)printf("  a mechanism without load: %s\n",
                     sum->stayed ? "the initial state is an equilibrium under the full load"
                                 : "equilibrium found by descent under the full load");
    }
    if (sum->descended)
        (void)printf(
            "  without load: a stable equilibrium found by descent from the initial state\n");
    (void)printf("  stability   %s\n", describe_stability(sum, text, sizeof text));
    for (int i = 0; i < sum->critical_count && i < OLO_CRITICAL_POINTS_MAX; i++)
        print_critical(&sum->critical[i]);
    if (session->warning[0] != '\0')
        (void)printf("  warning: %s\n", session->warning);
    (void)printf("  energy      potential %.9g, strain %.9g\n", session->end.potential,
                 session->end.strain);
    (void)printf("  residual    %s\n", cli_deviation(wall, sum->residual));
    (void)printf("  constraints satisfied to %s\n",
                 cli_deviation(wall, session->end.constraint_error));
    if (session->status == OLO_OK)
        cli_static_result_print(&session->result);
}

static void print_json(const struct session *session, const char *error)
{
    const olo_equilibrium_summary *sum = &session->summary;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "model", olo_model_name(session->result.loaded.model));
    olo_json_text(&json, "status", olo_status_name(session->status));
    olo_json_text(&json, "error", error);
    olo_json_number(&json, "load", sum->load);
    olo_json_integer(&json, "steps", sum->steps);
    olo_json_integer(&json, "iterations", sum->iterations);
    olo_json_integer(&json, "cutbacks", sum->cutbacks);
    olo_json_bool(&json, "relaxed", sum->relaxed);
    olo_json_bool(&json, "descended", sum->descended);
    olo_json_bool(&json, "stayed", sum->stayed);
    olo_json_bool(&json, "judged", sum->judged);
    olo_json_integer(&json, "unstable", sum->unstable);
    olo_json_integer(&json, "neutral", sum->neutral);
    olo_json_open(&json, "critical", '[');
    for (int i = 0; i < sum->critical_count && i < OLO_CRITICAL_POINTS_MAX; i++) {
        olo_json_open(&json, NULL, '{');
        olo_json_text(&json, "kind", sum->critical[i].limit ? "limit point" : "bifurcation");
        olo_json_number(&json, "load", sum->critical[i].load);
        if (sum->critical[i].unstable >= 0)
            olo_json_integer(&json, "unstable", sum->critical[i].unstable);
        olo_json_close(&json);
    }
    olo_json_close(&json);
    olo_json_open(&json, "warnings", '[');
    if (session->warning[0] != '\0')
        olo_json_text(&json, NULL, session->warning);
    olo_json_close(&json);
    olo_json_number(&json, "potential", session->end.potential);
    olo_json_number(&json, "strain", session->end.strain);
    olo_json_number(&json, "residual", sum->residual);
    olo_json_number(&json, "constraint_error", session->end.constraint_error);
    olo_json_number(&json, "wall_seconds", sum->wall_seconds);
    olo_json_text(&json, "result", error == NULL ? session->result.path : NULL);
    olo_json_text(&json, "report", session->result.report);
    olo_json_close(&json);
}

static int read_options(struct session *session)
{
    const struct options *given = session->options;
    session->statics = olo_equilibrium_options_default();
    session->statics.arc = given->arc;
    if (given->no_result && given->output != NULL)
        return cli_usage(&cli_equilibrium, "--output and --no-result exclude each other");
    const bool path = given->method == NULL || strcmp(given->method, "path") == 0;
    int code = path ? cli_positive(&cli_equilibrium, "load", given->load, &session->statics.end)
                    : cli_number(&cli_equilibrium, "load", given->load, &session->statics.end);
    double branch = 0;
    if (code == CLI_CONTINUE)
        code = cli_number(&cli_equilibrium, "branch", given->branch, &branch);
    if (code == CLI_CONTINUE && (branch != round(branch) || fabs(branch) > 1000))
        code = cli_usage(&cli_equilibrium, "--branch needs the number of a bifurcation, got '%s'",
                         given->branch);
    if (code == CLI_CONTINUE && branch != 0 && !path)
        code = cli_usage(&cli_equilibrium, "--branch is for the method 'path'");
    session->statics.branch = (int)branch;
    session->statics.method = given->method != NULL ? given->method : session->statics.method;
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_equilibrium, "step", given->step, &session->statics.step);
    return code == CLI_CONTINUE
               ? cli_spin(&cli_equilibrium, given->spin, given->spin_point, &session->statics.spin)
               : code;
}

static bool ends_at_limit(const olo_equilibrium_summary *sum)
{
    const int last = sum->critical_count - 1;
    return last >= 0 && last < OLO_CRITICAL_POINTS_MAX && sum->critical[last].limit;
}

static void add_hint(olo_error *error)
{
    const size_t length = strlen(error->text);
    (void)snprintf(error->text + length, sizeof error->text - length, " (--arc-length)");
}

static int solve(struct session *session, const char *file)
{
    olo_error error = {0};
    const int code = read_options(session);
    if (code != CLI_CONTINUE)
        return code;
    if (prepare(session, file, &error) != OLO_OK)
        return cli_fail(&error);
    cli_interrupt_begin();
    const olo_status status = find(session, &error);
    if (status != OLO_OK && !session->statics.arc && ends_at_limit(&session->summary))
        add_hint(&error);
    // print nothing if the search succeeded but a file could not be written
    const bool printable = session->status != OLO_OK || status == OLO_OK;
    if (printable && session->options->json)
        print_json(session, status != OLO_OK ? error.text : NULL);
    else if (printable && session->summary.steps > 0)
        print_text(session);
    (void)fflush(stdout);
    return status != OLO_OK ? cli_fail(&error) : CLI_OK;
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options, .result.command = call->command};
    const int code = solve(&session, call->argument);
    cli_static_result_close(&session.result);
    return code;
}

const cli_command cli_equilibrium = {
    .name = "equilibrium",
    .argument = "MODEL",
    .summary = "find the equilibrium of a model under its loads, and its stability",
    .details =
        "Gravity and loads, as they are at time 0, increase from zero to their full value;\n"
        "prescribed motions of joints are followed from time 0 to 1. The result contains the\n"
        "path of equilibria, with the load factor as its time. The path ends at a limit point,\n"
        "with exit code 3, unless --arc-length is given. At a bifurcation it continues straight\n"
        "ahead, unless --branch is given. A mechanism, which has no stiffness without load,\n"
        "moves to an equilibrium under the full load by descent.\n"
        "MODEL is a model file, or a name from the catalogue ('oloid models').\n",
    .examples = "  oloid equilibrium roll-up\n"
                "  oloid equilibrium bend-45 --set F=300 -o bend.h5\n"
                "  oloid equilibrium my-truss.yaml --arc-length --step 0.01\n"
                "  oloid equilibrium my-column.yaml --branch 1\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
