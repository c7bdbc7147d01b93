/* `oloid compare`: runs one model with several treatments of its constraints and compares their
 * size, cost, errors and condition numbers. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/study.h"
#include "cli/table.h"
#include "stepping/registry.h"

struct options {
    cli_list set;
    const char *steps, *treatments, *scheme, *step, *end, *count, *penalty, *at, *report;
    bool no_cpu, json, quiet;
};

static const cli_option options[] = {
    {"treatments", 0, CLI_TEXT, offsetof(struct options, treatments), "LIST",
     "the treatments, separated by commas; default: all"},
    {"penalty", 0, CLI_TEXT, offsetof(struct options, penalty), "LIST",
     "penalty parameters, one row each; default: the model's"},
    {"scheme", 0, CLI_TEXT, offsetof(struct options, scheme), "NAME",
     "the time-stepping scheme, as in 'oloid run'"},
    {"step", 0, CLI_TEXT, offsetof(struct options, step), "H", "time step of the runs"},
    {"end", 0, CLI_TEXT, offsetof(struct options, end), "T", "end time of the runs"},
    {"count", 0, CLI_TEXT, offsetof(struct options, count), "N",
     "number of steps, instead of --end"},
    {"steps", 0, CLI_TEXT, offsetof(struct options, steps), "LIST",
     "steps for condition numbers; default: 1e-2,1e-3,1e-4"},
    {"at", 0, CLI_TEXT, offsetof(struct options, at), "T",
     "time of the condition numbers; default: the first step"},
    {"no-cpu", 0, CLI_FLAG, offsetof(struct options, no_cpu), NULL,
     "do not measure processor time, which takes 0.2 s or more\n"
     "per treatment"},
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model or an option of its run;\n"
     "may be given several times"},
    CLI_STUDY_REPORT(struct options),
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the comparison as JSON"},
    {"quiet", 'q', CLI_FLAG, offsetof(struct options, quiet), NULL,
     "no progress and no warnings on stderr"},
    {0}};

enum { ROWS_MAX = 32 };

/* The comparison: its setup and its results. */
struct comparison {
    const cli_study *study;
    double steps[CLI_STUDY_STEPS], penalties[CLI_STUDY_STEPS];
    int penalty_count;
    olo_treatment_choice treatments[ROWS_MAX];
    olo_comparison setup;
    olo_comparison_row rows[ROWS_MAX];
    double conditions[ROWS_MAX * CLI_STUDY_STEPS];
    int base;
    olo_status status;
    const char *error; /* NULL: no error */
};

/* The setup ----------------------------------------------------------------------------------- */

/* Adds a row for a treatment; with a penalty, one row per penalty parameter. */
static int add_treatment(struct comparison *x, const char *name)
{
    const int count = olo_treatment_has_penalty(name) ? x->penalty_count : 1;
    for (int i = 0; i < count; i++) {
        if (x->setup.treatment_count == ROWS_MAX)
            return cli_usage(&cli_compare, "more than %d treatments", ROWS_MAX);
        x->treatments[x->setup.treatment_count++] = (olo_treatment_choice){
            .constraints = name,
            .penalty = olo_treatment_has_penalty(name) ? x->penalties[i] : 0.0};
    }
    return CLI_CONTINUE;
}

/* Returns the name of the registry that equals `text`; NULL after a message with a suggestion. */
static const char *find_treatment(const char *text, size_t length)
{
    size_t known = 0;
    for (; olo_treatment_names[known] != NULL; known++) {
        const char *name = olo_treatment_names[known];
        if (strlen(name) == length && strncmp(name, text, length) == 0)
            return name;
    }
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)length, text);
    const char *near = olo_suggest(word, olo_treatment_names, known);
    (void)cli_usage(&cli_compare, "there is no treatment '%s'%s%s%s", word,
                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
    return NULL;
}

static int choose_treatments(struct comparison *x, const char *list)
{
    int code = CLI_CONTINUE;
    for (size_t i = 0; list == NULL && olo_treatment_names[i] != NULL && code == CLI_CONTINUE; i++)
        code = add_treatment(x, olo_treatment_names[i]);
    while (list != NULL && code == CLI_CONTINUE) {
        const size_t length = strcspn(list, ",");
        const char *name = find_treatment(list, length);
        code = name != NULL ? add_treatment(x, name) : CLI_USAGE;
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return code;
}

/* Sets the end time so that the run has the given number of steps. */
static int choose_count(cli_study *study, const char *text)
{
    double count = 0.0;
    if (cli_study_numbers(&cli_compare, "count", text, 1, &count) != 1)
        return CLI_USAGE;
    if (count != floor(count))
        return cli_usage(&cli_compare, "--count needs a whole number, got '%s'", text);
    study->run.end = olo_state_time(study->loaded.state) + count * study->run.step;
    study->run.step_count = 0;
    return CLI_CONTINUE;
}

static int choose(struct comparison *x, cli_study *study, const struct options *given)
{
    x->setup = olo_comparison_default();
    x->setup.treatments = x->treatments;
    x->setup.steps = x->steps;
    x->setup.cpu = !given->no_cpu;
    x->penalties[0] = study->run.penalty;
    x->penalty_count = given->penalty == NULL
                           ? 1
                           : cli_study_numbers(&cli_compare, "penalty", given->penalty,
                                               CLI_STUDY_STEPS, x->penalties);
    x->setup.step_count = cli_study_numbers(&cli_compare, "steps",
                                            given->steps != NULL ? given->steps : "1e-2,1e-3,1e-4",
                                            CLI_STUDY_STEPS, x->steps);
    if (x->penalty_count < 0 || x->setup.step_count < 0)
        return CLI_USAGE;
    if (given->at != NULL && cli_study_numbers(&cli_compare, "at", given->at, 1, &x->setup.at) < 0)
        return CLI_USAGE;
    const int code = given->count != NULL ? choose_count(study, given->count) : CLI_CONTINUE;
    return code == CLI_CONTINUE ? choose_treatments(x, given->treatments) : code;
}

/* Text output --------------------------------------------------------------------------------- */

/* "penalty 1e+05" */
static const char *name_of(const olo_treatment_choice *treatment, char name[CLI_CELL_SIZE])
{
    char penalty[CLI_NUMBER_SIZE] = "";
    if (treatment->penalty > 0.0)
        (void)snprintf(penalty, sizeof penalty, " %.3g", treatment->penalty);
    (void)snprintf(name, CLI_CELL_SIZE, "%s%s", treatment->constraints, penalty);
    return name;
}

static double per_step(long sum, long steps)
{
    return steps > 0 ? (double)sum / (double)steps : (double)NAN;
}

static cli_table table_of_runs(const struct comparison *x)
{
    static const char *const heads[] = {"treatment", "unknowns",  "CPU",     "iterations",
                                        "passes",    "|g| end",   "|g| max", "energy",
                                        "momentum",  "difference"};
    cli_table table = {0};
    cli_table_row(&table);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < x->setup.treatment_count; i++) {
        const olo_comparison_row *row = &x->rows[i];
        cli_table_row(&table);
        char name[CLI_CELL_SIZE];
        cli_table_cell(&table, "%s", name_of(&row->treatment, name));
        cli_table_number(&table, "%.0f", row->unknowns > 0 ? (double)row->unknowns : (double)NAN);
        cli_table_number(&table, row->cpu_ratio < 100 ? "%.2g" : "%.0f", row->cpu_ratio);
        cli_table_number(&table, "%.1f", per_step(row->iterations, row->steps));
        cli_table_number(&table, "%.1f", per_step(row->passes, row->steps));
        cli_table_number(&table, "%.1e", row->constraint_end);
        cli_table_number(&table, "%.1e", row->constraint_max);
        cli_table_number(&table, "%.1e", row->energy_drift);
        cli_table_number(&table, "%.1e", row->momentum_drift);
        cli_table_number(&table, "%.1e", row->difference.z);
    }
    return table;
}

static cli_table table_of_conditions(const struct comparison *x)
{
    cli_table table = {0};
    cli_table_row(&table);
    cli_table_cell(&table, "treatment");
    for (int k = 0; k < x->setup.step_count; k++)
        cli_table_cell(&table, "h = %.3g", x->steps[k]);
    for (int i = 0; i < x->setup.treatment_count; i++) {
        cli_table_row(&table);
        char name[CLI_CELL_SIZE];
        cli_table_cell(&table, "%s", name_of(&x->rows[i].treatment, name));
        for (int k = 0; k < x->setup.step_count; k++)
            cli_table_number(&table, "%.3g", x->conditions[i * x->setup.step_count + k]);
    }
    return table;
}

static void print_conditions(const struct comparison *x)
{
    cli_table table = table_of_conditions(x);
    if (x->setup.at > 0.0)
        (void)printf("\n  condition numbers of the iteration matrix at t = %.6g\n", x->setup.at);
    else
        (void)printf("\n  condition numbers of the iteration matrix in the first step\n");
    cli_table_print(&table, stdout);
}

/* Prints halved steps and failures, which the tables do not show. */
static void print_remarks(const struct comparison *x)
{
    for (int i = 0; i < x->setup.treatment_count; i++) {
        const olo_comparison_row *row = &x->rows[i];
        char name[CLI_CELL_SIZE];
        name_of(&row->treatment, name);
        if (row->halvings > 0)
            (void)printf("  %s: %ld steps were halved\n", name, row->halvings);
        if (row->failure.status != OLO_OK)
            (void)printf("  %s: %s\n", name, row->failure.text);
        if (row->condition_failure.status != OLO_OK)
            (void)printf("  %s\n", row->condition_failure.text);
    }
}

static void print_text(const struct comparison *x)
{
    const olo_run *run = &x->study->run;
    (void)printf("%s: steps of %.6g to t = %.6g (%s); %d coordinates, %d constraints\n",
                 olo_model_name(x->study->loaded.model), run->step, run->end, run->scheme,
                 x->study->loaded.counts.coordinates, x->study->loaded.counts.constraints);
    cli_table runs = table_of_runs(x);
    cli_table_print(&runs, stdout);
    if (x->base >= 0) {
        (void)printf(
            "  iterations and passes per step; relative drifts of energy and momenta; CPU and the\n"
            "  difference of the final z = (q, p) relative to %s\n",
            x->rows[x->base].treatment.constraints);
    }
    print_conditions(x);
    print_remarks(x);
}

/* JSON output --------------------------------------------------------------------------------- */

static void write_measures(olo_json *json, const olo_comparison_row *row)
{
    olo_json_integer(json, "unknowns", row->unknowns);
    olo_json_integer(json, "steps", row->steps);
    olo_json_number(json, "iterations", per_step(row->iterations, row->steps));
    olo_json_integer(json, "halvings", row->halvings);
    olo_json_number(json, "passes", per_step(row->passes, row->steps));
    olo_json_open(json, "constraint_error", '{');
    olo_json_number(json, "end", row->constraint_end);
    olo_json_number(json, "max", row->constraint_max);
    olo_json_close(json);
    olo_json_number(json, "energy_drift", row->energy_drift);
    olo_json_number(json, "momentum_drift", row->momentum_drift);
    olo_json_open(json, "difference", '{');
    olo_json_number(json, "q", row->difference.q);
    olo_json_number(json, "p", row->difference.p);
    olo_json_number(json, "z", row->difference.z);
    olo_json_number(json, "largest", row->largest_difference);
    olo_json_close(json);
    olo_json_number(json, "cpu_seconds", row->cpu_seconds);
    olo_json_number(json, "cpu_ratio", row->cpu_ratio);
}

static void write_failure(olo_json *json, const char *key, const olo_error *failure)
{
    olo_json_text(json, key, failure->status != OLO_OK ? failure->text : NULL);
}

static void write_row(olo_json *json, const struct comparison *x, int i)
{
    const olo_comparison_row *row = &x->rows[i];
    const double penalty = row->treatment.penalty;
    olo_json_open(json, NULL, '{');
    olo_json_text(json, "treatment", row->treatment.constraints);
    olo_json_number(json, "penalty", penalty > 0.0 ? penalty : (double)NAN);
    write_measures(json, row);
    olo_json_open(json, "condition", '[');
    for (int k = 0; k < x->setup.step_count; k++)
        olo_json_number(json, NULL, x->conditions[i * x->setup.step_count + k]);
    olo_json_close(json);
    write_failure(json, "failure", &row->failure);
    write_failure(json, "condition_failure", &row->condition_failure);
    olo_json_close(json);
}

static void print_json(const struct comparison *x)
{
    const olo_run *run = &x->study->run;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "name", olo_model_name(x->study->loaded.model));
    olo_json_text(&json, "status", olo_status_name(x->status));
    olo_json_text(&json, "error", x->error);
    olo_json_text(&json, "scheme", run->scheme);
    olo_json_number(&json, "step", run->step);
    olo_json_number(&json, "end", run->end);
    olo_json_integer(&json, "coordinates", x->study->loaded.counts.coordinates);
    olo_json_integer(&json, "constraints", x->study->loaded.counts.constraints);
    olo_json_text(&json, "base", x->base >= 0 ? x->rows[x->base].treatment.constraints : NULL);
    olo_json_open(&json, "condition_steps", '[');
    for (int k = 0; k < x->setup.step_count; k++)
        olo_json_number(&json, NULL, x->steps[k]);
    olo_json_close(&json);
    olo_json_number(&json, "condition_time", x->setup.at > 0.0 ? x->setup.at : (double)NAN);
    olo_json_open(&json, "rows", '[');
    for (int i = 0; i < x->setup.treatment_count; i++)
        write_row(&json, x, i);
    olo_json_close(&json);
    olo_json_close(&json);
}

/* Page of the study --------------------------------------------------------------------------- */

/* Plots condition numbers over the step, one curve per treatment. */
static olo_svg plot_conditions(const struct comparison *x, char (*names)[CLI_CELL_SIZE])
{
    olo_svg plot = {.title = "Condition of the iteration matrix over the step",
                    .x_label = "step h",
                    .y_label = "condition number",
                    .x_log = true,
                    .y_log = true,
                    .marks = true};
    const int count = x->setup.step_count;
    for (int i = 0; i < x->setup.treatment_count && i < OLO_SVG_SERIES_MAX; i++) {
        plot.series[plot.series_count++] =
            (olo_svg_series){.name = name_of(&x->rows[i].treatment, names[i]),
                             .x = x->steps,
                             .y = x->conditions + (ptrdiff_t)i * count,
                             .count = (size_t)count};
    }
    return plot;
}

static olo_status write_page(const struct comparison *x, const char *path, olo_error *error)
{
    char names[OLO_SVG_SERIES_MAX][CLI_CELL_SIZE];
    cli_table runs = table_of_runs(x), conditions = table_of_conditions(x);
    const olo_study_table tables[] = {
        cli_study_table("Runs: cost, relative drifts, difference of the final state", &runs),
        cli_study_table("Condition numbers of the iteration matrix", &conditions)};
    const olo_svg plot = plot_conditions(x, names);
    olo_study_page page = {.subtitle = "Comparison: the treatments of constraints side by side",
                           .table_count = 2,
                           .tables = tables,
                           .plot_count = x->setup.step_count > 1 ? 1 : 0,
                           .plots = &plot};
    const olo_status status = cli_study_report(x->study, &page, path, error);
    cli_table_free(&runs);
    cli_table_free(&conditions);
    return status;
}

/* The command --------------------------------------------------------------------------------- */

static int compare(cli_study *study, const struct options *given)
{
    // too large for the stack of a command
    struct comparison *x = olo_alloc(1, sizeof *x);
    if (x == NULL)
        return cli_no_memory();
    olo_error error = {0};
    x->study = study;
    int code = choose(x, study, given);
    if (code == CLI_CONTINUE) {
        x->status = olo_compare_treatments(&study->study, &x->setup, x->rows, x->conditions,
                                           &x->base, &error);
        cli_study_done(study);
        x->error = x->status != OLO_OK ? error.text : NULL;
        if (given->json)
            print_json(x);
        else
            print_text(x);
        code = cli_study_code(x->status, &error, x->base < 0 ? &x->rows[0].failure : NULL);
        olo_error unwritten = {0};
        if (given->report != NULL && write_page(x, given->report, &unwritten) != OLO_OK)
            code = cli_fail(&unwritten);
    }
    olo_free(x);
    return code;
}

static int run(const cli_call *call)
{
    const struct options *given = call->options;
    cli_study study = {0};
    olo_error error = {0};
    if (given->end != NULL && given->count != NULL)
        return cli_usage(&cli_compare, "--end and --count exclude each other");
    const olo_setting settings[] = {
        {"run.step", given->step}, {"run.end", given->end}, {"run.scheme", given->scheme}};
    const olo_status status =
        cli_study_open(&study, call, &given->set, settings, 3, given->quiet, given->report, &error);
    const int code = status == OLO_OK ? compare(&study, given) : cli_fail(&error);
    cli_study_close(&study);
    return code;
}

const cli_command cli_compare = {
    .name = "compare",
    .argument = "MODEL",
    .summary = "compare the treatments of constraints: size, cost, errors, condition",
    .details = "MODEL is a model file, or a name from the catalogue ('oloid models').\n"
               "All treatments perform the same run. If a treatment fails, the reason is printed.\n"
               "Ctrl-C stops and prints the results so far.\n",
    .examples = "  oloid compare double-spherical-pendulum --penalty 1e5,1e10\n"
                "  oloid compare heavy-top --step 0.01 --count 1000 --steps 5e-2,5e-3,5e-4\n"
                "  oloid compare my.yaml --treatments reduced,multipliers --no-cpu --json\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
