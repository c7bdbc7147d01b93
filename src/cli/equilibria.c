/* `oloid equilibria`: finds distinct equilibria of a model at one load, from random guesses. */
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/overwrite.h"
#include "cli/static_result.h"
#include "oloid/statics.h"

struct options {
    cli_list set;
    const char *load, *starts, *seed, *spread, *method, *output;
    bool no_result, no_report, json;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2); may be given\nseveral times"},
    {"load", 0, CLI_TEXT, offsetof(struct options, load), "FACTOR",
     "multiply all loads by this; default: 1"},
    {"starts", 0, CLI_TEXT, offsetof(struct options, starts), "NUMBER",
     "how many guesses; default: 50"},
    {"seed", 0, CLI_TEXT, offsetof(struct options, seed), "NUMBER",
     "of the random numbers; default: 1"},
    {"spread", 0, CLI_TEXT, offsetof(struct options, spread), "SIZE",
     "how far guesses are pushed, in model lengths and radians;\ndefault: 1"},
    {"method", 0, CLI_TEXT, offsetof(struct options, method), "NAME",
     "newton (default: also unstable equilibria) or descent\n(stable ones)"},
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "the result file; default: <model name>.equilibria.h5"},
    {"no-result", 0, CLI_FLAG, offsetof(struct options, no_result), NULL, "write no result file"},
    {"no-report", 0, CLI_FLAG, offsetof(struct options, no_report), NULL, "write no report"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the list as JSON"},
    {0}};

struct session {
    cli_static_result result;
    const struct options *options;
    olo_multistart_options statics;
    olo_equilibria found;
};

static int read_options(struct session *session)
{
    const struct options *given = session->options;
    olo_multistart_options *s = &session->statics;
    double starts = s->starts, seed = (double)s->seed;
    if (given->no_result && given->output != NULL)
        return cli_usage(&cli_equilibria, "--output and --no-result exclude each other");
    int code = cli_number(&cli_equilibria, "load", given->load, &s->load);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_equilibria, "starts", given->starts, &starts);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_equilibria, "seed", given->seed, &seed);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_equilibria, "spread", given->spread, &s->spread);
    if (code == CLI_CONTINUE && !(starts <= 1e6))
        code = cli_usage(&cli_equilibria, "--starts must be at most a million");
    if (code != CLI_CONTINUE)
        return code;
    s->starts = (int)starts;
    s->seed = (unsigned long long)seed;
    s->method = given->method != NULL ? given->method : s->method;
    return CLI_CONTINUE;
}

static olo_status find(struct session *session, const char *file, olo_error *error)
{
    const olo_setting given = {.name = "run.start", .value = "given"};
    cli_loaded *loaded = &session->result.loaded;
    olo_status status = cli_load(file, &session->options->set, &given, 1, loaded, error);
    if (status != OLO_OK)
        return status;
    char path[300] = "";
    (void)snprintf(path, sizeof path, "%.250s.equilibria.h5", olo_model_name(loaded->model));
    const char *chosen = session->options->output != NULL ? session->options->output : path;
    chosen = session->options->no_result ? NULL : chosen;
    status =
        cli_check_model_overwrite_by_result(loaded, chosen, !session->options->no_report, error);
    if (status == OLO_OK)
        status = cli_static_result_open(&session->result, chosen, session->statics.starts,
                                        "Distinct equilibria at one load: the time counts them.",
                                        true, error);
    if (status != OLO_OK)
        return status;
    olo_observer user = olo_observer_default();
    user.context = session;
    user.stop = cli_interrupted;
    const olo_observer observers[] = {user, olo_recorder_observer(session->result.recorder)};
    status = olo_find_equilibria(loaded->system, &session->statics, loaded->state, observers, 2,
                                 &session->found, error);
    if (status != OLO_OK)
        return status;
    session->result.steps = session->found.count - 1;
    return cli_static_result_finish(&session->result, !session->options->no_report, error);
}

static void print_text(const struct session *session)
{
    const olo_equilibria *x = &session->found;
    (void)printf("%s: %d equilibri%s at load factor %.8g, from %d starts (%d without result)\n",
                 olo_model_name(session->result.loaded.model), x->count, x->count == 1 ? "um" : "a",
                 session->statics.load, x->starts, x->failed);
    (void)printf("  %4s  %16s  %16s  %8s  %s\n", "", "strain energy", "potential", "starts",
                 "stability");
    for (int i = 0; i < x->count; i++) {
        const olo_found_equilibrium *e = &x->found[i];
        (void)printf("  %4d  %16.9g  %16.9g  %8d  ", i, e->strain, e->potential, e->hits);
        if (!e->judged)
            (void)printf("not judged: there are loads without a potential\n");
        else if (e->unstable > 0)
            (void)printf("unstable in %d\n", e->unstable);
        else
            (void)printf(e->neutral > 0 ? "stable, %d without stiffness\n" : "stable\n",
                         e->neutral);
    }
    double residual = 0;
    char text[CLI_NUMBER_SIZE];
    for (int i = 0; i < x->count; i++)
        residual = x->found[i].residual > residual ? x->found[i].residual : residual;
    (void)printf("  residuals up to %s", cli_deviation(text, residual));
    if (x->failed > 0)
        (void)printf("; without result at least %s", cli_deviation(text, x->best));
    (void)printf("\n");
    if (x->more)
        (void)printf("  there are more than %d\n", OLO_EQUILIBRIA_MAX);
    cli_static_result_print(&session->result);
}

static void print_json(const struct session *session)
{
    const olo_equilibria *x = &session->found;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "model", olo_model_name(session->result.loaded.model));
    olo_json_number(&json, "load", session->statics.load);
    olo_json_integer(&json, "starts", x->starts);
    olo_json_integer(&json, "failed", x->failed);
    olo_json_number(&json, "best_failed_residual", x->best);
    olo_json_open(&json, "equilibria", '[');
    for (int i = 0; i < x->count; i++) {
        olo_json_open(&json, NULL, '{');
        olo_json_number(&json, "strain", x->found[i].strain);
        olo_json_number(&json, "potential", x->found[i].potential);
        olo_json_bool(&json, "judged", x->found[i].judged);
        olo_json_integer(&json, "unstable", x->found[i].unstable);
        olo_json_integer(&json, "neutral", x->found[i].neutral);
        olo_json_integer(&json, "starts", x->found[i].hits);
        olo_json_number(&json, "residual", x->found[i].residual);
        olo_json_close(&json);
    }
    olo_json_close(&json);
    olo_json_text(&json, "result", session->result.path);
    olo_json_close(&json);
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options,
                              .result.command = call->command,
                              .statics = olo_multistart_options_default()};
    olo_error error = {0};
    int code = read_options(&session);
    if (code == CLI_CONTINUE) {
        cli_interrupt_begin();
        code = find(&session, call->argument, &error) == OLO_OK ? CLI_OK : cli_fail(&error);
        if (code == CLI_OK && session.options->json)
            print_json(&session);
        else if (code == CLI_OK)
            print_text(&session);
        (void)fflush(stdout);
    }
    cli_static_result_close(&session.result);
    return code;
}

const cli_command cli_equilibria = {
    .name = "equilibria",
    .argument = "MODEL",
    .summary = "find several equilibria of a model at one load, from random guesses",
    .details =
        "For each guess a random force pushes the model at a random node; without the push it\n"
        "moves to an equilibrium. The distinct ones are listed with their energies and\n"
        "stability, and recorded side by side. The list need not be complete.\n"
        "MODEL is a model file, or a name from the catalogue ('oloid models').\n",
    .examples = "  oloid equilibria hinged-frame --load 0\n"
                "  oloid equilibria hinged-frame --load 15 --starts 200 --spread 3\n"
                "  oloid equilibria my-arch.yaml --method descent --seed 7\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
