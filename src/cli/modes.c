/* `oloid modes`: small vibrations about an equilibrium,
 *
 *     (lambda^2 M + lambda D + K) x = 0,
 *
 * and a result in which one mode oscillates. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "cli/static_result.h"
#include "cli/table.h"
#include "oloid/statics.h"

struct options {
    cli_list set;
    const char *count, *mode, *amplitude, *output, *spin, *spin_point, *solver;
    bool start, damped, no_report, json;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2); may be given\nseveral times"},
    {"start", 0, CLI_FLAG, offsetof(struct options, start), NULL,
     "about the initial state of the model instead of its\nequilibrium"},
    {"count", 'n', CLI_TEXT, offsetof(struct options, count), "N",
     "number of modes, beginning with the lowest; default: 10"},
    {"damped", 0, CLI_FLAG, offsetof(struct options, damped), NULL,
     "with dampers and controllers: frequencies and damping\nratios"},
    CLI_SPIN_OPTIONS(struct options),
    {"solver", 0, CLI_TEXT, offsetof(struct options, solver), "NAME",
     "dense, sparse or auto: dense for small systems; default: auto"},
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "write a result with one period of a mode"},
    {"mode", 0, CLI_TEXT, offsetof(struct options, mode), "K",
     "the mode of that result; default: the lowest that\noscillates"},
    {"amplitude", 0, CLI_TEXT, offsetof(struct options, amplitude), "X",
     "amplitude of that mode, in lengths of the model or\nradians; default: 0.1"},
    {"no-report", 0, CLI_FLAG, offsetof(struct options, no_report), NULL, "write no report"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print as JSON"},
    {0}};

struct session {
    cli_static_result result;
    const struct options *options;
    double count, mode, amplitude;
    olo_vibration_options vibration;
    olo_modes *modes;
};

static const double two_pi = 6.283185307179586;

/* |lambda|^2 of a mode. */
static double size_of(const olo_modes *modes, int index)
{
    const double omega = olo_modes_omega(modes, index), growth = olo_modes_growth(modes, index);
    return omega * omega + growth * growth;
}

static bool is_neutral(const olo_modes *modes, int index)
{
    return size_of(modes, index) <= olo_modes_rounding(modes);
}

static bool oscillates(const olo_modes *modes, int index)
{
    return !is_neutral(modes, index) && olo_modes_omega(modes, index) > 0.0;
}

/* Counts the modes with stiffness. */
static int count_not_neutral(const olo_modes *modes)
{
    int count = 0;
    for (int i = 0; i < olo_modes_count(modes); i++)
        count += !is_neutral(modes, i);
    return count;
}

static void print_mode(cli_table *table, const olo_modes *modes, int i, bool damped)
{
    const double omega = oscillates(modes, i) ? olo_modes_omega(modes, i) : NAN;
    const double growth = olo_modes_growth(modes, i);
    cli_table_row(table);
    cli_table_cell(table, "%d", i + 1);
    cli_table_number(table, "%.9g", omega / two_pi);
    cli_table_number(table, "%.9g", omega);
    cli_table_number(table, "%.6g", two_pi / omega);
    if (damped)
        cli_table_number(table, "%.6g", growth == 0.0 ? 0.0 : -growth / sqrt(size_of(modes, i)));
    if (growth > 0.0)
        cli_table_cell(table, "unstable, grows as exp(%.6g t)", growth);
    else if (growth < 0.0 && !oscillates(modes, i))
        cli_table_cell(table, "decays as exp(%.6g t)", growth);
}

/* Prints `count` modes with stiffness; those without are only counted. */
static void print_table(const olo_modes *modes, int count)
{
    cli_table table = {0};
    static const char *const heading[] = {"mode", "frequency", "omega", "period", "damping"};
    int neutral = 0, shown = 0;
    bool damped = false;
    for (int i = 0; i < olo_modes_count(modes); i++)
        damped = damped || (olo_modes_growth(modes, i) < 0.0 && !is_neutral(modes, i));
    for (int i = 0; i < olo_modes_count(modes); i++) {
        if (is_neutral(modes, i)) {
            neutral++;
            continue;
        }
        if (shown == count)
            break;
        if (shown++ == 0) {
            cli_table_row(&table);
            for (int k = 0; k < (damped ? 5 : 4); k++)
                cli_table_cell(&table, "%s", heading[k]);
            cli_table_cell(&table, "%s", "");
        }
        print_mode(&table, modes, i, damped);
    }
    if (shown > 0)
        cli_table_print(&table, stdout);
    if (neutral > 0)
        (void)printf("%d mode%s without stiffness\n", neutral, neutral == 1 ? "" : "s");
}

static void print_json(const struct session *session)
{
    const olo_modes *modes = session->modes;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "model", olo_model_name(session->result.loaded.model));
    olo_json_open(&json, "modes", '[');
    for (int i = 0, shown = 0; i < olo_modes_count(modes) && shown < session->count; i++) {
        shown += !is_neutral(modes, i);
        olo_json_open(&json, NULL, '{');
        olo_json_number(&json, "omega_squared", olo_modes_omega_squared(modes, i));
        olo_json_number(&json, "omega", olo_modes_omega(modes, i));
        olo_json_number(&json, "growth", olo_modes_growth(modes, i));
        olo_json_number(&json, "frequency",
                        oscillates(modes, i) ? olo_modes_omega(modes, i) / two_pi : NAN);
        olo_json_bool(&json, "neutral", is_neutral(modes, i));
        olo_json_close(&json);
    }
    olo_json_close(&json);
    olo_json_number(&json, "rounding", olo_modes_rounding(modes));
    olo_json_text(&json, "result", session->result.path);
    olo_json_text(&json, "report", session->result.report);
    olo_json_close(&json);
}

/* Describes a result that shows a mode. */
static const char *describe(const olo_modes *modes, int index, char text[160])
{
    const double omega = olo_modes_omega(modes, index), growth = olo_modes_growth(modes, index);
    if (!oscillates(modes, index)) {
        (void)snprintf(text, 160, "Mode %d, which does not oscillate: %s.", index + 1,
                       is_neutral(modes, index) ? "it has no stiffness"
                       : growth > 0.0           ? "it is unstable"
                                                : "it decays");
    } else {
        (void)snprintf(text, 160, "One period of mode %d: frequency %.6g Hz, omega %.6g%s.",
                       index + 1, omega / two_pi, omega, growth > 0.0 ? "; it grows" : "");
    }
    return text;
}

/* Adds frequency and damping of a mode as a finding. */
static void add_finding(olo_recorder *recorder, const olo_modes *modes, int index)
{
    const double growth = olo_modes_growth(modes, index), size = sqrt(size_of(modes, index));
    char text[200], damping[64];
    (void)snprintf(damping, sizeof damping, "%.6g", growth == 0.0 ? 0.0 : -growth / size);
    if (oscillates(modes, index))
        (void)snprintf(text, sizeof text, "Mode %d: %.6g Hz, damping ratio %s%s.", index + 1,
                       olo_modes_omega(modes, index) / two_pi, damping,
                       growth > 0.0 ? ": it is unstable" : "");
    else
        (void)snprintf(text, sizeof text, "Mode %d does not oscillate; its rate is %.6g.",
                       index + 1, growth);
    olo_recorder_add_finding(recorder, growth > 0.0 ? OLO_VERDICT_BROKEN : OLO_VERDICT_OK, text);
}

/* Records one period of a mode as the frames of a result. */
static olo_status animate(struct session *session, olo_error *error)
{
    enum { FRAMES = 60 };
    const olo_modes *modes = session->modes;
    cli_loaded *loaded = &session->result.loaded;
    int index = (int)session->mode - 1;
    for (index = index < 0 ? 0 : index;
         session->options->mode == NULL && index < olo_modes_count(modes) - 1 &&
         !oscillates(modes, index);
         index++) {
    }
    const double period = oscillates(modes, index) ? two_pi / olo_modes_omega(modes, index) : 1.0;
    char what[160];
    olo_status status = cli_static_result_open(&session->result, session->options->output, period,
                                               describe(modes, index, what), false, error);
    const olo_observer observer =
        status == OLO_OK ? olo_recorder_observer(session->result.recorder) : olo_observer_default();
    for (long i = 0; status == OLO_OK && i <= FRAMES; i++) {
        const double phase = (double)i / FRAMES;
        // displacement amplitude * sin(2 pi phase)
        status = olo_modes_displace(modes, index, session->amplitude, two_pi * (phase - 0.25),
                                    loaded->state, error);
        olo_state_set_time(loaded->state, phase * period);
        if (status == OLO_OK)
            status = observer.step(observer.context, loaded->system, loaded->state, i, NULL, error);
    }
    session->result.steps = FRAMES;
    if (status == OLO_OK)
        add_finding(session->result.recorder, modes, index);
    return status == OLO_OK
               ? cli_static_result_finish(&session->result, !session->options->no_report, error)
               : status;
}

/* Computes modes until as many with stiffness are found as requested; those without stiffness come
 * in addition. */
static olo_status find_modes(struct session *session, olo_error *error)
{
    const cli_loaded *loaded = &session->result.loaded;
    olo_vibration_options *vibration = &session->vibration;
    const int wanted = (int)fmax(session->count, session->mode);
    for (vibration->count = wanted;;) {
        const olo_status status =
            olo_modes_create(loaded->system, loaded->state, vibration, &session->modes, error);
        if (status != OLO_OK)
            return status;
        const int missing = wanted - count_not_neutral(session->modes);
        if (missing <= 0 || olo_modes_count(session->modes) < vibration->count)
            return OLO_OK;
        olo_modes_free(session->modes);
        session->modes = NULL;
        vibration->count += missing;
    }
}

static olo_status find(struct session *session, const char *file, olo_error *error)
{
    olo_equilibrium_options statics = olo_equilibrium_options_default();
    statics.spin = session->vibration.spin;
    cli_loaded *loaded = &session->result.loaded;
    olo_status status = cli_load(file, &session->options->set, NULL, 0, loaded, error);
    if (status == OLO_OK) {
        cli_warn_on_stderr(loaded);
        status = cli_check_model_overwrite_by_result(loaded, session->options->output,
                                                     !session->options->no_report, error);
    }
    if (status == OLO_OK && !session->options->start) {
        status =
            olo_find_equilibrium(loaded->system, &statics, loaded->state, NULL, 0, NULL, error);
    }
    if (status == OLO_OK)
        status = find_modes(session, error);
    return status == OLO_OK && session->options->output != NULL ? animate(session, error) : status;
}

static int read_options(struct session *session)
{
    const struct options *given = session->options;
    session->count = 10;
    session->vibration = olo_vibration_options_default();
    session->vibration.damped = given->damped;
    session->vibration.solver = given->solver;
    session->amplitude = 0.1;
    if (given->output == NULL && (given->mode != NULL || given->amplitude != NULL))
        return cli_usage(&cli_modes, "--mode and --amplitude are for the result of --output");
    int code = cli_positive(&cli_modes, "count", given->count, &session->count);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_modes, "mode", given->mode, &session->mode);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_modes, "amplitude", given->amplitude, &session->amplitude);
    if (code == CLI_CONTINUE && (session->count > 1e6 || session->count != floor(session->count) ||
                                 session->mode > 1e6 || session->mode != floor(session->mode)))
        return cli_usage(&cli_modes, "--count and --mode need whole numbers up to a million");
    return code == CLI_CONTINUE
               ? cli_spin(&cli_modes, given->spin, given->spin_point, &session->vibration.spin)
               : code;
}

static int solve(struct session *session, const char *file)
{
    olo_error error = {0};
    const int code = read_options(session);
    if (code != CLI_CONTINUE)
        return code;
    if (find(session, file, &error) != OLO_OK)
        return cli_fail(&error);
    if (session->options->json) {
        print_json(session);
        return CLI_OK;
    }
    print_table(session->modes, (int)session->count);
    cli_static_result_print(&session->result);
    return CLI_OK;
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options, .result.command = call->command};
    const int code = solve(&session, call->argument);
    cli_static_result_close(&session.result);
    olo_modes_free(session.modes);
    return code;
}

const cli_command cli_modes = {
    .name = "modes",
    .argument = "MODEL",
    .summary = "compute natural frequencies about the equilibrium of a model",
    .details =
        "Small vibrations about the equilibrium under all loads as they are at time 0. Follower\n"
        "loads may make a vibration unstable.\n"
        "With --output a result shows one of the modes, for the report and ParaView.\n"
        "MODEL is a model file, or a name from the catalogue ('oloid models').\n",
    .examples = "  oloid modes hanging-chain\n"
                "  oloid modes bend-45 --count 4 -o bend.h5 --mode 2\n"
                "  oloid modes my.yaml --damped --json\n"
                "  oloid modes rotor.yaml --spin 0,0,100\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
