/* `oloid linearize`: the linear system about the equilibrium of a model,
 *
 *     x' = A x + B u,   y = C x + D u. */
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "cli/static_result.h"
#include "oloid/statics.h"
#include "results/linear_file.h"

struct options {
    cli_list set;
    const char *output, *spin, *spin_point;
    bool start, hold, json;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2); may be given\nseveral times"},
    {"start", 0, CLI_FLAG, offsetof(struct options, start), NULL,
     "about the initial state of the model, which must be an\nequilibrium but may be unstable"},
    {"hold", 0, CLI_FLAG, offsetof(struct options, hold), NULL,
     "about the initial state of the model, with constant joint\nforces that hold it there"},
    CLI_SPIN_OPTIONS(struct options),
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "write matrices and names: FILE ends with .h5, .json\nor .csv"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print as JSON"},
    {0}};

struct session {
    cli_static_result result;
    const struct options *options;
    olo_vibration_options about;
    olo_linear *linear;
};

/* States, inputs and outputs: number and names of each. */
typedef const char *name_of(const olo_linear *linear, int index);
static const struct kind {
    const char *key, *symbol;
    int (*count)(const olo_linear *linear);
    name_of *name;
} kinds[] = {{"state", "x", olo_linear_state_count, olo_linear_state_name},
             {"input", "u", olo_linear_input_count, olo_linear_input_name},
             {"output", "y", olo_linear_output_count, olo_linear_output_name}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void print_text(const struct session *session)
{
    const olo_linear *linear = session->linear;
    (void)printf("%s: x' = A x + B u, y = C x + D u\n",
                 olo_model_name(session->result.loaded.model));
    for (int k = 0; k < KINDS; k++) {
        const int count = kinds[k].count(linear);
        (void)printf("  %s  %d %s%s", kinds[k].symbol, count, kinds[k].key, count == 1 ? "" : "s");
        for (int i = 0; i < count && i < 12; i++)
            (void)printf("%s%s", i > 0 ? ", " : ": ", kinds[k].name(linear, i));
        (void)printf(count > 12 ? ", ...\n" : "\n");
    }
    if (session->options->output != NULL)
        (void)printf("file: %s\n", session->options->output);
}

static void print_json(const struct session *session)
{
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "model", olo_model_name(session->result.loaded.model));
    olo_linear_put(session->linear, &json);
    olo_json_text(&json, "file", session->options->output);
    olo_json_close(&json);
}

static olo_status find(struct session *session, const char *file, olo_error *error)
{
    cli_loaded *loaded = &session->result.loaded;
    olo_equilibrium_options statics = olo_equilibrium_options_default();
    statics.spin = session->about.spin;
    olo_status status = cli_load(file, &session->options->set, NULL, 0, loaded, error);
    if (status == OLO_OK) {
        cli_warn_on_stderr(loaded);
        status =
            cli_check_model_overwrite(loaded, session->options->output, "linear system", error);
    }
    if (status == OLO_OK && !session->options->start && !session->options->hold) {
        status =
            olo_find_equilibrium(loaded->system, &statics, loaded->state, NULL, 0, NULL, error);
    }
    if (status == OLO_OK) {
        status = olo_linear_create(loaded->system, loaded->state, &session->about, &session->linear,
                                   error);
    }
    if (status == OLO_OK && session->options->output != NULL)
        status = olo_linear_write(session->linear, session->options->output, error);
    return status;
}

static int solve(struct session *session, const char *file)
{
    const struct options *given = session->options;
    olo_error error = {0};
    session->about = olo_vibration_options_default();
    session->about.hold = given->hold;
    const int code = cli_spin(&cli_linearize, given->spin, given->spin_point, &session->about.spin);
    if (code != CLI_CONTINUE)
        return code;
    if (find(session, file, &error) != OLO_OK)
        return cli_fail(&error);
    if (given->json)
        print_json(session);
    else
        print_text(session);
    return CLI_OK;
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options, .result.command = call->command};
    const int code = solve(&session, call->argument);
    cli_static_result_close(&session.result);
    olo_linear_free(session.linear);
    return code;
}

const cli_command cli_linearize = {
    .name = "linearize",
    .argument = "MODEL",
    .summary = "compute the matrices A, B, C, D of a model about its equilibrium, for control",
    .details =
        "x are independent joint coordinates and their rates, u the functions of time of loads,\n"
        "drives and controllers, y joint coordinates and the points of `outputs`. All are\n"
        "differences from the equilibrium.\n"
        "MODEL is a model file, or a name from the catalogue ('oloid models').\n",
    .examples = "  oloid linearize robot-6r -o robot.h5\n"
                "  oloid linearize cart-pole.yaml --start -o cart-pole.csv\n"
                "  oloid linearize my.yaml --json\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
