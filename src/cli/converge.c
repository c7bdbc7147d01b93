/* `oloid converge`: the errors of a model over the step size, and the observed order
 *
 *     log(e'/e) / log(h'/h). */
#include <math.h>
#include <stddef.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/study.h"
#include "cli/table.h"

struct options {
    cli_list set;
    const char *steps, *time, *reference, *scheme, *order, *constraints, *report;
    bool exact, action, json, quiet;
};

static const cli_option options[] = {
    {"steps", 0, CLI_TEXT, offsetof(struct options, steps), "LIST",
     "step sizes; default: 8, 4, 2 and 1 times the model's.\n"
     "One that does not divide the time is replaced by the\n"
     "nearest that does"},
    {"time", 0, CLI_TEXT, offsetof(struct options, time), "T",
     "time at which errors are measured; default: the model's end"},
    {"reference", 0, CLI_TEXT, offsetof(struct options, reference), "H",
     "compare with a run with this step; default: the exact\n"
     "solution if the model has one, else 1/20 of the\n"
     "smallest step"},
    {"exact", 0, CLI_FLAG, offsetof(struct options, exact), NULL,
     "compare with the exact solution of the model"},
    {"action", 0, CLI_FLAG, offsetof(struct options, action), NULL,
     "also print the discrete action and the largest velocity of\n"
     "every run"},
    {"scheme", 0, CLI_TEXT, offsetof(struct options, scheme), "NAME",
     "the time-stepping scheme, as in 'oloid run'"},
    {"order", 0, CLI_TEXT, offsetof(struct options, order), "N", "2, 4 or 6, as in 'oloid run'"},
    {"constraints", 0, CLI_TEXT, offsetof(struct options, constraints), "KIND",
     "how constraints are treated, as in 'oloid run'"},
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model or an option of its run;\n"
     "may be given several times"},
    CLI_STUDY_REPORT(struct options),
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the study as JSON"},
    {"quiet", 'q', CLI_FLAG, offsetof(struct options, quiet), NULL,
     "no progress and no warnings on stderr"},
    {0}};

/* An initial state that differs from the exact solution by more than this belongs to another
 * motion. */
static const double INITIAL_ERROR_TOLERANCE = 1e-9;

/* Without --reference, the reference run has this fraction of the smallest step. With order 2 its
 * own error is then 1/400 of the smallest error that is measured. */
static const double REFERENCE_PART = 0.05;

/* Everything that is printed. */
struct outcome {
    const cli_study *study;
    const olo_convergence_row *rows;
    olo_convergence_summary summary;
    olo_status status;
    const char *error; /* NULL: no error */
};

/* Text output --------------------------------------------------------------------------------- */

/* "heavy-top: errors at t = 0.1 against the exact solution, energy-momentum, reduced" */
static void print_headline(const struct outcome *outcome)
{
    const olo_run *run = &outcome->study->run;
    (void)printf("%s: relative errors at t = %.6g against ",
                 olo_model_name(outcome->study->loaded.model), outcome->summary.time);
    if (outcome->summary.reference > 0.0) {
        (void)printf("a run with h = %.6g", outcome->summary.reference);
    } else {
        (void)printf("the exact solution%s",
                     outcome->summary.whole ? "" : " of the points it names");
    }
    (void)printf(" (%s", run->scheme);
    if (run->order != 2)
        (void)printf(" of order %d", run->order);
    (void)printf(", %s)\n", run->constraints);
}

/* Tangential momenta are printed only where the normal momenta converge with a lower order; a
 * column without numbers is not shown. */
static void add_errors(cli_table *table, const olo_errors *errors, bool tangential,
                       const char *format)
{
    cli_table_number(table, format, errors->q);
    cli_table_number(table, format, tangential ? errors->tangential : (double)NAN);
    cli_table_number(table, format, errors->p);
    cli_table_number(table, format, errors->z);
    cli_table_number(table, format, errors->lambda);
}

/* Whether the momenta normal to the constraints converge with a lower order than the scheme. */
static bool has_lower_order(const struct outcome *outcome)
{
    for (int i = 0; i < outcome->summary.rows; i++) {
        const olo_errors *error = &outcome->rows[i].error;
        if (outcome->study->run.order > 2 && error->p > 1.1 * error->tangential)
            return true;
    }
    return false;
}

static cli_table make_table(const struct outcome *outcome)
{
    static const char *const heads[] = {"h",       "q",       "tangent p",   "p",
                                        "z",       "lambda",  "order q",     "order t",
                                        "order p", "order z", "order lambda"};
    const bool tangential = has_lower_order(outcome);
    cli_table table = {0};
    cli_table_row(&table);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < outcome->summary.rows; i++) {
        const olo_convergence_row *row = &outcome->rows[i];
        cli_table_row(&table);
        cli_table_cell(&table, "%.6g", row->step);
        add_errors(&table, &row->error, tangential, "%.3e");
        add_errors(&table, &row->order, tangential, "%.2f");
    }
    cli_table_row(&table);
    cli_table_cell(&table, "fitted");
    for (int i = 0; i < 5; i++)
        cli_table_cell(&table, "%s", "");
    add_errors(&table, &outcome->summary.slope, tangential, "%.2f");
    return table;
}

/* Makes the table of action and largest velocity over the step size. */
static cli_table make_path_table(const struct outcome *outcome)
{
    static const char *const heads[] = {"h", "action", "error", "order", "largest |dq|/h"};
    const olo_convergence_summary *summary = &outcome->summary;
    cli_table table = {0};
    cli_table_row(&table);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < summary->rows; i++) {
        const olo_convergence_row *row = &outcome->rows[i];
        cli_table_row(&table);
        cli_table_cell(&table, "%.6g", row->step);
        cli_table_number(&table, "%.10g", row->action);
        cli_table_number(&table, "%.3e", row->error.action);
        cli_table_number(&table, "%.2f", row->order.action);
        cli_table_number(&table, "%.10g", row->fastest);
    }
    if (summary->reference > 0.0) {
        cli_table_row(&table);
        cli_table_cell(&table, "%.6g", summary->reference);
        cli_table_number(&table, "%.10g", summary->action);
        cli_table_cell(&table, "%s", "");
        cli_table_number(&table, "%.2f", summary->slope.action);
        cli_table_number(&table, "%.10g", summary->fastest);
    }
    return table;
}

static void print_text(const struct outcome *outcome)
{
    print_headline(outcome);
    cli_table table = make_table(outcome);
    cli_table_print(&table, stdout);
    if (outcome->study->study.action) {
        cli_table path = make_path_table(outcome);
        (void)printf("discrete action, and the largest velocity of a step\n");
        cli_table_print(&path, stdout);
        cli_table_free(&path);
    }
    for (int i = 0; i < outcome->summary.rows; i++) {
        const olo_convergence_row *row = &outcome->rows[i];
        if (row->failure.status != OLO_OK)
            (void)printf("  h = %.6g failed: %s\n", row->step, row->failure.text);
    }
}

/* JSON output --------------------------------------------------------------------------------- */

static void write_errors(olo_json *json, const char *key, const olo_errors *errors)
{
    olo_json_open(json, key, '{');
    olo_json_number(json, "q", errors->q);
    olo_json_number(json, "p", errors->p);
    olo_json_number(json, "z", errors->z);
    olo_json_number(json, "lambda", errors->lambda);
    olo_json_number(json, "tangential", errors->tangential);
    olo_json_number(json, "lambda_step", errors->lambda_step);
    olo_json_number(json, "action", errors->action);
    olo_json_close(json);
}

static void write_row(olo_json *json, const olo_convergence_row *row)
{
    const bool failed = row->failure.status != OLO_OK;
    olo_json_open(json, NULL, '{');
    olo_json_number(json, "step", row->step);
    olo_json_integer(json, "steps", row->steps);
    olo_json_integer(json, "newton_iterations", row->iterations);
    olo_json_number(json, "cpu_seconds", row->cpu_seconds);
    write_errors(json, "error", &row->error);
    write_errors(json, "order", &row->order);
    olo_json_number(json, "action", row->action);
    olo_json_number(json, "fastest", row->fastest);
    olo_json_text(json, "failure", failed ? row->failure.text : NULL);
    olo_json_close(json);
}

static void print_json(const struct outcome *outcome)
{
    const olo_run *run = &outcome->study->run;
    const olo_convergence_summary *summary = &outcome->summary;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "name", olo_model_name(outcome->study->loaded.model));
    olo_json_text(&json, "status", olo_status_name(outcome->status));
    olo_json_text(&json, "error", outcome->error);
    olo_json_text(&json, "scheme", run->scheme);
    olo_json_integer(&json, "order", run->order);
    olo_json_text(&json, "constraints", run->constraints);
    olo_json_number(&json, "time", summary->time);
    olo_json_text(&json, "against", summary->reference > 0.0 ? "reference" : "exact");
    olo_json_number(&json, "reference", summary->reference > 0.0 ? summary->reference : NAN);
    olo_json_number(&json, "start_error", summary->start_error);
    olo_json_open(&json, "rows", '[');
    for (int i = 0; i < summary->rows; i++)
        write_row(&json, &outcome->rows[i]);
    olo_json_close(&json);
    write_errors(&json, "slope", &summary->slope);
    olo_json_number(&json, "action", summary->action);
    olo_json_number(&json, "fastest", summary->fastest);
    olo_json_close(&json);
}

/* Page of the study --------------------------------------------------------------------------- */

/* Writes the page: tables, and errors over the step with logarithmic axes. The order is the
 * gradient of the curve. */
static olo_status write_page(const struct outcome *outcome, const char *path, olo_error *error)
{
    static const char *const names[] = {"q", "p", "z", "lambda"};
    double steps[CLI_STUDY_STEPS], errors[4][CLI_STUDY_STEPS];
    const int count = outcome->summary.rows;
    olo_svg plot = {.title = "Relative errors at the end over the step",
                    .x_label = "step h",
                    .y_label = "relative error",
                    .x_log = true,
                    .y_log = true,
                    .marks = true};
    for (int i = 0; i < count; i++) {
        const olo_errors *e = &outcome->rows[i].error;
        const double row[4] = {e->q, e->p, e->z, e->lambda};
        steps[i] = outcome->rows[i].step;
        for (int k = 0; k < 4; k++)
            errors[k][i] = row[k];
    }
    for (int k = 0; k < 4; k++) {
        if (count > 0 && isfinite(errors[k][0])) {
            plot.series[plot.series_count++] = (olo_svg_series){
                .name = names[k], .x = steps, .y = errors[k], .count = (size_t)count};
        }
    }
    cli_table table = make_table(outcome);
    const olo_study_table tables[] = {cli_study_table("Errors and orders", &table)};
    olo_study_page page = {.subtitle = "Convergence: errors over the step size",
                           .table_count = 1,
                           .tables = tables,
                           .plot_count = 1,
                           .plots = &plot};
    const olo_status status = cli_study_report(outcome->study, &page, path, error);
    cli_table_free(&table);
    return status;
}

/* The command --------------------------------------------------------------------------------- */

/* Chooses the steps of the study: those given, or multiples of the model's step. Returns their
 * number. */
static int choose_steps(const struct options *given, const olo_run *run,
                        double steps[CLI_STUDY_STEPS])
{
    if (given->steps != NULL)
        return cli_study_numbers(&cli_converge, "steps", given->steps, CLI_STUDY_STEPS, steps);
    static const double factors[] = {8.0, 4.0, 2.0, 1.0};
    enum { FACTORS = sizeof factors / sizeof factors[0] };
    for (int i = 0; i < FACTORS; i++)
        steps[i] = factors[i] * run->step;
    return FACTORS;
}

/* Returns the step of the reference run, 0 for the exact solution, below 0 after a usage error. */
static double choose_reference(const struct options *given, const olo_system *system,
                               const double *steps, int count)
{
    if (given->reference != NULL) {
        double step = 0.0;
        return cli_study_numbers(&cli_converge, "reference", given->reference, 1, &step) == 1
                   ? step
                   : -1.0;
    }
    if (given->exact || olo_system_has_exact_solution(system))
        return 0.0;
    double smallest = steps[0];
    for (int i = 1; i < count; i++)
        smallest = fmin(smallest, steps[i]);
    return REFERENCE_PART * smallest;
}

/* Warns when the initial state is not a state of the exact solution: all errors are then
 * meaningless. */
static void check_initial_state(const struct outcome *outcome)
{
    if (outcome->summary.start_error > INITIAL_ERROR_TOLERANCE && !outcome->study->quiet) {
        char text[CLI_NUMBER_SIZE];
        cli_message("warning: the initial state differs from the exact solution by %s",
                    cli_deviation(text, outcome->summary.start_error));
    }
}

/* Returns the reason if all runs failed; NULL if one was completed. */
static const olo_error *total_failure(const struct outcome *outcome)
{
    for (int i = 0; i < outcome->summary.rows; i++)
        if (outcome->rows[i].failure.status == OLO_OK)
            return NULL;
    return outcome->summary.rows > 0 ? &outcome->rows[0].failure : NULL;
}

static int converge(cli_study *study, const struct options *given)
{
    double steps[CLI_STUDY_STEPS];
    olo_convergence_row rows[CLI_STUDY_STEPS];
    struct outcome outcome = {.study = study, .rows = rows};
    olo_error error = {0};
    const int count = choose_steps(given, &study->run, steps);
    const double reference =
        count > 0 ? choose_reference(given, study->loaded.system, steps, count) : -1.0;
    if (reference < 0.0)
        return CLI_USAGE;
    study->study.action = given->action;
    outcome.status = olo_study_convergence(&study->study, steps, count, reference, rows,
                                           &outcome.summary, &error);
    cli_study_done(study);
    outcome.error = outcome.status != OLO_OK ? error.text : NULL;
    check_initial_state(&outcome);
    if (given->json)
        print_json(&outcome);
    else if (outcome.status == OLO_OK || outcome.summary.rows > 0)
        print_text(&outcome);
    if (given->report != NULL && outcome.summary.rows > 0) {
        olo_error unwritten = {0};
        if (write_page(&outcome, given->report, &unwritten) != OLO_OK)
            return cli_fail(&unwritten);
    }
    return cli_study_code(outcome.status, &error, total_failure(&outcome));
}

static int run(const cli_call *call)
{
    const struct options *given = call->options;
    cli_study study = {0};
    olo_error error = {0};
    if (given->exact && given->reference != NULL)
        return cli_usage(&cli_converge, "--exact and --reference exclude each other");
    const olo_setting settings[] = {{"run.end", given->time},
                                    {"run.scheme", given->scheme},
                                    {"run.order", given->order},
                                    {"run.constraints", given->constraints}};
    const olo_status status =
        cli_study_open(&study, call, &given->set, settings, 4, given->quiet, given->report, &error);
    const int code = status == OLO_OK ? converge(&study, given) : cli_fail(&error);
    cli_study_close(&study);
    return code;
}

const cli_command cli_converge = {
    .name = "converge",
    .argument = "MODEL",
    .summary = "measure how the errors of a model decrease with the step, and their order",
    .details = "MODEL is a model file, or a name from the catalogue ('oloid models').\n"
               "Errors are relative, |x - x_ref|/|x_ref|, of the configuration q, the momenta p,\n"
               "both together z, and the multipliers lambda where the treatment has them.\n"
               "Ctrl-C stops and prints the results so far.\n",
    .examples = "  oloid converge heavy-top --time 0.1 --steps 2e-3,1e-3,5e-4\n"
                "  oloid converge double-spherical-pendulum --constraints multipliers \\\n"
                "      --time 1 --steps 0.02,0.01,0.005,0.002,0.001 --reference 1e-5\n"
                "  oloid converge my.yaml --json\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
