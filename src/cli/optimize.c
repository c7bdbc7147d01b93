/* `oloid optimize`: finds the controls that solve the problem of a model at least cost. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/homotopy.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "cli/message.h"
#include "cli/numbers.h"
#include "cli/overwrite.h"
#include "cli/resume.h"
#include "cli/starts.h"
#include "cli/static_result.h"
#include "cli/terminal.h"
#include "oloid/feedback.h"
#include "oloid/optimize.h"

struct options {
    cli_list set;
    const char *intervals, *iterations, *seconds, *guess, *output, *controls, *model, *refine,
        *gains, *linear_solver, *starts, *seed, *jobs, *spread, *alternatives, *homotopy;
    bool no_result, no_report, json, quiet;
};

static const cli_option options[] = {
    {"set", 0, CLI_LIST, offsetof(struct options, set), "NAME=VALUE",
     "change a parameter of the model (l=0.2); may be given\nseveral times"},
    {"intervals", 'n', CLI_TEXT, offsetof(struct options, intervals), "N",
     "number of intervals of time; default: that of the problem"},
    {"iterations", 0, CLI_TEXT, offsetof(struct options, iterations), "N",
     "most iterations of the solver"},
    {"linear-solver", 0, CLI_TEXT, offsetof(struct options, linear_solver), "NAME",
     "linear solver of Ipopt: mumps, or one that it finds (ma27,\nma57, pardiso ...)"},
    {"seconds", 0, CLI_TEXT, offsetof(struct options, seconds), "T",
     "limit of the time of the solver"},
    {"refine", 0, CLI_TEXT, offsetof(struct options, refine), "E",
     "solve again with twice as many intervals until a motion\nwith small steps is within E (m, "
     "rad)"},
    {"starts", 0, CLI_TEXT, offsetof(struct options, starts), "N",
     "solve from N initial guesses, each in a process of its own,\nand list the distinct optima; "
     "the best one is the result"},
    {"seed", 0, CLI_TEXT, offsetof(struct options, seed), "S", "of the random guesses; default: 1"},
    {"spread", 0, CLI_TEXT, offsetof(struct options, spread), "A",
     "size of their changes, in rad and sizes of the motion;\ndefault: that of the problem, or "
     "0.5"},
    {"jobs", 0, CLI_TEXT, offsetof(struct options, jobs), "J",
     "processes at a time; default and limit: processors"},
    {"alternatives", 0, CLI_TEXT, offsetof(struct options, alternatives), "FILE",
     "write a page with the distinct optima, their inputs and joint\ncoordinates side by side"},
    {"homotopy", 0, CLI_TEXT, offsetof(struct options, homotopy), "NAME=V1,V2",
     "solve with these values of a parameter in turn, each from\nthe optimum before; the last one "
     "is the result"},
    {"guess", 0, CLI_TEXT, offsetof(struct options, guess), "FILE",
     "a result as initial guess: its motion, and the controls of\nan optimum"},
    {"output", 'o', CLI_TEXT, offsetof(struct options, output), "FILE",
     "the result file; default: <model name>.optimum.h5, with the\nvalues of --set"},
    {"no-result", 0, CLI_FLAG, offsetof(struct options, no_result), NULL, "write no result file"},
    {"no-report", 0, CLI_FLAG, offsetof(struct options, no_report), NULL, "write no report"},
    {"controls", 'c', CLI_TEXT, offsetof(struct options, controls), "FILE",
     "write the controls as CSV"},
    {"gains", 0, CLI_TEXT, offsetof(struct options, gains), "FILE",
     "compute feedback gains and write them as CSV; they are\nalso in the result, for `oloid run "
     "--feedback`"},
    {"model", 'm', CLI_TEXT, offsetof(struct options, model), "FILE",
     "write the model with these controls, for `oloid run`"},
    {"quiet", 'q', CLI_FLAG, offsetof(struct options, quiet), NULL, "print no iterations"},
    {"json", 0, CLI_FLAG, offsetof(struct options, json), NULL, "print the summary as JSON"},
    {0}};

/* Small steps per interval: the motion with them is the continuous one up to a thousandth of its
 * distance. */
enum { SUBSTEPS = 32 };
/* Random changes of guesses with --starts unless the problem has a spread. */
static const double SPREAD = 0.5;

struct session {
    const struct options *options;
    cli_static_result result;
    olo_problem problem;
    olo_problem_refinement refine;
    cli_starts starts;
    cli_homotopy homotopy;
    const char **names; /* of inputs in the guess from a start */
    olo_guess *guess;
    cli_loaded given; /* the model before its parameters had the values of the optimum */
    olo_optimum *optimum;
    olo_feedback *feedback; /* NULL: no gains are wanted */
    olo_certificate certificate;
    olo_resimulation resimulation;
    olo_error unsimulated; /* why there is none */
    double shown;          /* clock of the last line */
    int lines;
};

/* Prints the first iterations and then a line per second. */
static bool on_iteration(void *context, const olo_optimize_progress *now)
{
    struct session *session = context;
    const double clock = olo_clock_seconds();
    if (!session->options->quiet && !session->options->json &&
        (session->lines == 0 || clock - session->shown >= 1.0)) {
        if (session->lines++ == 0)
            (void)fprintf(stderr, "%9s %16s %12s %12s\n", "iteration", "cost", "violation",
                          "optimality");
        (void)fprintf(stderr, "%9d %16.9g %12.2e %12.2e%s\n", now->iteration, now->cost,
                      now->violation, now->stationarity,
                      now->restoring ? "  looking for a feasible motion" : "");
        session->shown = clock;
    }
    return !cli_interrupted(NULL);
}

/* The file of the option, otherwise that of the model. */
static olo_status read_guess(struct session *session, olo_error *error)
{
    const cli_loaded *loaded = &session->result.loaded;
    return session->options->guess
               ? olo_result_read_guess(session->options->guess, loaded->system, &session->problem,
                                       &session->guess, error)
               : olo_model_read_guess(loaded->model, loaded->system, &session->problem,
                                      &session->guess, error);
}

static olo_status prepare(struct session *session, const char *file, olo_error *error)
{
    const struct options *given = session->options;
    const cli_homotopy *homotopy = &session->homotopy;
    const olo_setting last = {homotopy->name,
                              homotopy->count > 0 ? homotopy->values[homotopy->count - 1] : NULL};
    olo_status status =
        cli_load(file, &given->set, &last, homotopy->count > 0, &session->result.loaded, error);
    if (status == OLO_OK)
        status = olo_model_check_problem(session->result.loaded.model,
                                         session->result.loaded.system, error);
    if (status == OLO_OK)
        status = cli_check_model_overwrite(&session->result.loaded, given->controls,
                                           "the file of controls", error);
    if (status == OLO_OK)
        status = cli_check_model_overwrite(&session->result.loaded, given->gains,
                                           "the file of gains", error);
    if (status == OLO_OK)
        status = cli_check_model_overwrite(&session->result.loaded, given->model,
                                           "the model with controls", error);
    if (status == OLO_OK)
        session->problem = *olo_model_problem(session->result.loaded.model);
    return status == OLO_OK ? read_guess(session, error) : status;
}

/* The path of the result, or NULL. Free with olo_free. */
static olo_status choose_path(const struct session *session, char **path, olo_error *error)
{
    const struct options *given = session->options;
    *path = NULL;
    if (given->no_result)
        return OLO_OK;
    *path = given->output
                ? olo_strdup(given->output)
                : cli_default_path(session->result.loaded.model, &given->set, ".optimum.h5");
    return *path ? cli_check_model_overwrite_by_result(&session->result.loaded, *path,
                                                       !given->no_report, error)
                 : olo_fail(error, OLO_NO_MEMORY, "out of memory");
}

/* The result with its report. */
static olo_status write_result(struct session *session, olo_error *error)
{
    cli_static_result *result = &session->result;
    char *path = NULL;
    olo_status status = choose_path(session, &path, error);
    if (status == OLO_OK && path) {
        status = cli_static_result_open(result, path, olo_optimum_duration(session->optimum),
                                        "An optimal motion.", true, error);
        result->steps = olo_optimum_intervals(session->optimum);
        const bool simulated = session->unsimulated.status == OLO_OK;
        if (status == OLO_OK)
            status =
                olo_recorder_add_optimum(result->recorder, session->optimum, &session->certificate,
                                         simulated ? &session->resimulation : NULL, error);
        if (status == OLO_OK && session->feedback)
            olo_recorder_set_feedback(result->recorder, session->feedback);
        if (status == OLO_OK)
            status = cli_static_result_finish(result, !session->options->no_report, error);
    }
    olo_free(path);
    return status;
}

/* The model again, with the parameters found: the result is about it. */
static olo_status load_found(struct session *session, const char *file, olo_error *error)
{
    const olo_optimum *o = session->optimum;
    const cli_list *set = &session->options->set;
    const int found = olo_optimum_parameter_count(o);
    enum { LONGEST = 160 };
    if (found == 0)
        return OLO_OK;
    olo_pool pool = {0};
    cli_list all = {olo_pool_alloc(&pool, (size_t)(set->count + found), sizeof(char *)), 0};
    for (int i = 0; all.items && i < set->count; i++)
        all.items[all.count++] = set->items[i];
    for (int i = 0; all.items && i < found; i++) {
        char *text = olo_pool_alloc(&pool, LONGEST, 1);
        all.items[all.count] = text;
        all.count += text != NULL;
        if (text)
            (void)snprintf(text, LONGEST, "%s=%.17g", olo_optimum_parameter_name(o, i),
                           olo_optimum_parameter(o, i));
    }
    session->given = session->result.loaded;
    session->result.loaded = (cli_loaded){0};
    const olo_status status = all.count == set->count + found
                                  ? cli_load(file, &all, NULL, 0, &session->result.loaded, error)
                                  : olo_fail(error, OLO_NO_MEMORY, "out of memory");
    olo_pool_free(&pool);
    return status;
}

static olo_status write_files(struct session *session, olo_error *error)
{
    olo_status status = write_result(session, error);
    if (status == OLO_OK && session->options->controls)
        status = olo_optimum_write_csv(session->optimum, session->options->controls, error);
    if (status == OLO_OK && session->options->gains)
        status = olo_feedback_write_csv(session->feedback, session->result.loaded.system,
                                        session->options->gains, error);
    if (status == OLO_OK && session->options->alternatives && session->starts.optimum_count > 0)
        status = cli_starts_report(&session->starts, session->optimum,
                                   olo_model_name(session->result.loaded.model),
                                   session->options->alternatives, error);
    if (status == OLO_OK && session->options->model)
        status = olo_optimum_write_model(session->optimum, session->result.loaded.model,
                                         session->options->model, error);
    return status;
}

#define QUARTER_TURN 1.5707963267948966

static bool is_solved(const struct session *session)
{
    const olo_optimum_status ended = olo_optimum_ended(session->optimum);
    return ended == OLO_OPTIMUM_SOLVED || ended == OLO_OPTIMUM_NEARLY;
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

static void print_second_order(const struct session *session)
{
    const olo_certificate *c = &session->certificate;
    for (int i = 0; i < olo_optimum_saddle_count(session->optimum); i++) {
        const olo_saddle saddle = olo_optimum_saddle(session->optimum, i);
        (void)printf("  saddle point   of cost %.12g with %d negative eigenvalue%s: %s\n",
                     saddle.cost, saddle.negative, plural(saddle.negative),
                     saddle.left             ? "left for a lower cost"
                     : saddle.curvature == 0 ? "not left"
                                             : "nothing better was found from beside it");
    }
    if (c->second_order == OLO_POINT_MINIMUM)
        (void)printf("  second order   a strict local minimum\n");
    else if (c->second_order == OLO_POINT_SADDLE)
        (void)printf("  second order   a saddle point: the reduced Hessian has %d negative "
                     "eigenvalue%s\n",
                     c->negative, plural(c->negative));
    else if (c->second_order == OLO_POINT_DEGENERATE)
        (void)printf("  second order   degenerate: the reduced Hessian has %d zero eigenvalue%s\n",
                     c->zero, plural(c->zero));
}

static void print_resimulation(const struct session *session)
{
    const olo_resimulation *x = &session->resimulation;
    char a[CLI_NUMBER_SIZE], b[CLI_NUMBER_SIZE];
    if (session->unsimulated.status != OLO_OK)
        (void)printf("  small steps    with %d steps per interval the motion cannot be simulated: "
                     "%s\n",
                     SUBSTEPS, session->unsimulated.text);
    else
        (void)printf("  small steps    with %d steps per interval the same controls end %s and %s "
                     "rad away\n",
                     SUBSTEPS, cli_deviation(a, x->end_position),
                     cli_deviation(b, x->end_rotation));
}

static void print_levels(const olo_optimum *o)
{
    if (olo_optimum_level_count(o) > 0)
        (void)printf("  refinement     intervals iterations   seconds             cost    position "
                     "   rotation\n");
    for (int i = 0; i < olo_optimum_level_count(o); i++) {
        const olo_refinement_level x = olo_optimum_level(o, i);
        (void)printf("                 %9d %10d %9.3f %16.10g %11.3e %11.3e\n", x.intervals,
                     x.iterations, x.seconds, x.cost, x.position, x.rotation);
    }
}

static void print_text(const struct session *session)
{
    const olo_optimum *o = session->optimum;
    const olo_certificate *c = &session->certificate;
    char wall[CLI_NUMBER_SIZE], cpu[CLI_NUMBER_SIZE], own[CLI_NUMBER_SIZE], a[CLI_NUMBER_SIZE],
        b[CLI_NUMBER_SIZE];
    (void)printf("%s: %s\n", olo_model_name(session->result.loaded.model),
                 olo_optimum_explanation(o));
    (void)printf("  cost           %.12g\n", olo_optimum_cost(o));
    (void)printf("  duration       %.9g in %d intervals\n", olo_optimum_duration(o),
                 olo_optimum_intervals(o));
    for (int i = 0; i < olo_optimum_parameter_count(o); i++)
        (void)printf("  %-14s %.9g\n", olo_optimum_parameter_name(o, i),
                     olo_optimum_parameter(o, i));
    (void)printf("  problem        %s variables, %s constraints\n", cli_count(a, c->variables),
                 cli_count(b, c->constraints));
    (void)printf("  by the rules   %s and %s with all controls and boundary data",
                 cli_count(a, c->rule_variables), cli_count(b, c->rule_constraints));
    (void)printf("; %s and %s with multipliers\n", cli_count(a, c->rule_multiplier_variables),
                 cli_count(b, c->rule_multiplier_constraints));
    (void)printf(
        "  solver         %d iteration%s in %s; of the processor %s, of which %s in the model\n",
        olo_optimum_iterations(o), plural(olo_optimum_iterations(o)),
        cli_duration(wall, olo_optimum_seconds(o)), cli_duration(cpu, olo_optimum_cpu_seconds(o)),
        cli_duration(own, olo_optimum_own_seconds(o)));
    (void)printf("  memory         %.0f MB at most, of the whole process\n",
                 olo_peak_memory() / 1e6);
    (void)printf("  constraints    satisfied to %s (%s)\n", cli_deviation(a, c->violation),
                 c->worst);
    (void)printf("  optimality     to %s, complementarity to %s\n",
                 cli_deviation(a, c->stationarity), cli_deviation(b, c->complementarity));
    print_second_order(session);
    (void)printf(
        "  balance        momentum changes by the impulses of forces to %s N s, %s N m s\n",
        cli_deviation(a, c->linear_balance), cli_deviation(b, c->angular_balance));
    if (c->conserved > 0)
        (void)printf("  momenta        %d that no control changes: constant to %s\n", c->conserved,
                     cli_deviation(a, c->momentum));
    print_resimulation(session);
    print_levels(o);
    if (session->options->gains)
        (void)printf("  gains          %s\n", session->options->gains);
    if (session->options->controls)
        (void)printf("  controls       %s\n", session->options->controls);
    if (c->turn > QUARTER_TURN)
        (void)printf("  warning: a step turns a body by %.3g rad, more than a quarter turn: a run "
                     "may take another way, more intervals are needed\n",
                     c->turn);
    if (session->options->model)
        (void)printf("  model          %s\n", session->options->model);
    cli_static_result_print(&session->result);
}

static void print_saddles(olo_json *json, const olo_optimum *o)
{
    olo_json_open(json, "saddles", '[');
    for (int i = 0; i < olo_optimum_saddle_count(o); i++) {
        const olo_saddle saddle = olo_optimum_saddle(o, i);
        olo_json_open(json, NULL, '{');
        olo_json_number(json, "cost", saddle.cost);
        olo_json_integer(json, "negative", saddle.negative);
        olo_json_number(json, "curvature", saddle.curvature);
        olo_json_bool(json, "left", saddle.left);
        olo_json_close(json);
    }
    olo_json_close(json);
}

static void print_levels_json(olo_json *json, const olo_optimum *o)
{
    olo_json_open(json, "levels", '[');
    for (int i = 0; i < olo_optimum_level_count(o); i++) {
        const olo_refinement_level x = olo_optimum_level(o, i);
        olo_json_open(json, NULL, '{');
        olo_json_integer(json, "intervals", x.intervals);
        olo_json_integer(json, "iterations", x.iterations);
        olo_json_number(json, "seconds", x.seconds);
        olo_json_number(json, "cost", x.cost);
        olo_json_number(json, "position", x.position);
        olo_json_number(json, "rotation", x.rotation);
        olo_json_close(json);
    }
    olo_json_close(json);
}

static void print_json(const struct session *session)
{
    const olo_optimum *o = session->optimum;
    const olo_certificate *c = &session->certificate;
    olo_json json = {.out = stdout};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "model", olo_model_name(session->result.loaded.model));
    olo_json_bool(&json, "solved", is_solved(session));
    olo_json_text(&json, "ended", olo_optimum_explanation(o));
    olo_json_number(&json, "cost", olo_optimum_cost(o));
    olo_json_number(&json, "duration", olo_optimum_duration(o));
    olo_json_integer(&json, "intervals", olo_optimum_intervals(o));
    olo_json_open(&json, "parameters", '{');
    for (int i = 0; i < olo_optimum_parameter_count(o); i++)
        olo_json_number(&json, olo_optimum_parameter_name(o, i), olo_optimum_parameter(o, i));
    olo_json_close(&json);
    olo_json_integer(&json, "iterations", olo_optimum_iterations(o));
    olo_json_integer(&json, "variables", c->variables);
    olo_json_integer(&json, "constraints", c->constraints);
    olo_json_integer(&json, "rule_variables", c->rule_variables);
    olo_json_integer(&json, "rule_constraints", c->rule_constraints);
    olo_json_integer(&json, "rule_multiplier_variables", c->rule_multiplier_variables);
    olo_json_integer(&json, "rule_multiplier_constraints", c->rule_multiplier_constraints);
    olo_json_number(&json, "violation", c->violation);
    olo_json_number(&json, "stationarity", c->stationarity);
    olo_json_number(&json, "complementarity", c->complementarity);
    olo_json_integer(&json, "negative", c->negative);
    olo_json_integer(&json, "zero", c->zero);
    olo_json_integer(&json, "active", c->active);
    olo_json_bool(&json, "minimum", c->minimum);
    olo_json_text(&json, "second_order", olo_second_order_name(c->second_order));
    print_saddles(&json, o);
    print_levels_json(&json, o);
    olo_json_integer(&json, "conserved", c->conserved);
    olo_json_number(&json, "momentum", c->momentum);
    olo_json_number(&json, "linear_balance", c->linear_balance);
    olo_json_number(&json, "angular_balance", c->angular_balance);
    olo_json_number(&json, "linear_change", c->linear_change);
    olo_json_number(&json, "angular_change", c->angular_change);
    olo_json_number(&json, "turn", c->turn);
    olo_json_open(&json, "resimulation", '{');
    if (session->unsimulated.status == OLO_OK) {
        const olo_resimulation *x = &session->resimulation;
        olo_json_integer(&json, "substeps", x->substeps);
        olo_json_number(&json, "position", x->position);
        olo_json_number(&json, "rotation", x->rotation);
        olo_json_number(&json, "end_position", x->end_position);
        olo_json_number(&json, "end_rotation", x->end_rotation);
    } else {
        olo_json_text(&json, "error", session->unsimulated.text);
    }
    olo_json_close(&json);
    olo_json_text(&json, "result", session->result.path);
    olo_json_text(&json, "report", session->result.report);
    olo_json_number(&json, "wall_seconds", olo_optimum_seconds(o));
    olo_json_number(&json, "cpu_seconds", olo_optimum_cpu_seconds(o));
    olo_json_number(&json, "own_seconds", olo_optimum_own_seconds(o));
    olo_json_number(&json, "peak_memory", olo_peak_memory());
    olo_json_close(&json);
}

static int read_options(struct session *session)
{
    const struct options *given = session->options;
    if (given->no_result && given->output)
        return cli_usage(&cli_optimize, "--output and --no-result exclude each other");
    double intervals = session->problem.intervals, iterations = session->problem.iterations;
    int code = cli_positive(&cli_optimize, "intervals", given->intervals, &intervals);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "iterations", given->iterations, &iterations);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "seconds", given->seconds, &session->problem.seconds);
    if (code == CLI_CONTINUE && (intervals != (int)intervals || iterations != (int)iterations))
        code = cli_usage(&cli_optimize, "--intervals and --iterations need whole numbers");
    session->refine = session->problem.refinement_count > 0 ? *session->problem.refine
                                                            : olo_problem_refinement_default();
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "refine", given->refine, &session->refine.tolerance);
    if (given->linear_solver)
        session->problem.linear_solver = given->linear_solver;
    if (given->refine) {
        session->problem.refine = &session->refine;
        session->problem.refinement_count = 1;
    }
    session->problem.intervals = (int)intervals;
    session->problem.iterations = (int)iterations;
    return code;
}

/* Solves from many guesses; the best of them is the guess of the result. */
static int solve_starts(struct session *session, olo_error *error)
{
    const struct options *given = session->options;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), cores = processors > 0 ? processors : 1;
    double starts = 1, seed = 1, jobs = (double)cores;
    olo_problem *problem = &session->problem;
    const olo_counts *counts = &session->result.loaded.counts;
    if (problem->spread <= 0)
        problem->spread = SPREAD;
    int code = cli_positive(&cli_optimize, "starts", given->starts, &starts);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "seed", given->seed, &seed);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "jobs", given->jobs, &jobs);
    if (code == CLI_CONTINUE)
        code = cli_positive(&cli_optimize, "spread", given->spread, &problem->spread);
    if (code == CLI_CONTINUE && (starts != floor(starts) || starts > 1e6 || jobs != floor(jobs)))
        code = cli_usage(&cli_optimize, "--starts and --jobs need whole numbers");
    if (code != CLI_CONTINUE)
        return code;
    const int refined = problem->refinement_count;
    problem->refinement_count = 0; /* the best one is refined */
    session->names = olo_alloc((size_t)problem->control_count, sizeof *session->names);
    const olo_status status =
        session->names
            ? cli_starts_solve(session->result.loaded.system, problem, counts->coordinates,
                               (int)starts, (int)(jobs < (double)cores ? jobs : (double)cores),
                               (unsigned long long)seed, &session->starts, error)
            : olo_fail(error, OLO_NO_MEMORY, "out of memory for many starts");
    if (status != OLO_OK)
        return cli_fail(error);
    if (!given->json)
        cli_starts_print(&session->starts);
    cli_starts_guess(&session->starts, session->names, session->starts.optima[0].first, problem);
    problem->refinement_count = refined;
    return CLI_CONTINUE;
}

static int solve(struct session *session, const char *file)
{
    olo_error error = {0};
    const olo_optimize_observer observer = {.iteration = on_iteration, .context = session};
    if (!cli_homotopy_read(session->options->homotopy, &session->homotopy))
        return cli_usage(&cli_optimize, "--homotopy needs NAME=V1,V2, got '%s'",
                         session->options->homotopy);
    if (session->options->homotopy && session->options->starts)
        return cli_usage(&cli_optimize, "--homotopy and --starts exclude each other");
    if (prepare(session, file, &error) != OLO_OK)
        return cli_fail(&error);
    int code = read_options(session);
    if (code != CLI_CONTINUE)
        return code;
    cli_interrupt_begin();
    if (session->options->starts)
        code = solve_starts(session, &error);
    if (code != CLI_CONTINUE)
        return code;
    olo_status status =
        cli_homotopy_solve(&session->homotopy, file, &session->options->set, &observer,
                           session->options->json, &session->problem, &error);
    if (status == OLO_OK)
        status = olo_fail_context(&error,
                                  olo_optimize(session->result.loaded.system, &session->problem,
                                               &observer, &session->optimum, &error),
                                  "%s", file);
    cli_interrupt_end();
    if (status == OLO_OK)
        status = olo_optimum_certify(session->optimum, &session->certificate, &error);
    if (status == OLO_OK && (session->options->gains || session->problem.feedback_count > 0))
        status = olo_feedback_create(session->optimum, session->problem.feedback,
                                     &session->feedback, &error);
    if (status == OLO_OK)
        (void)olo_optimum_resimulate(session->optimum, SUBSTEPS, &session->resimulation,
                                     &session->unsimulated);
    if (status == OLO_OK)
        status = load_found(session, file, &error);
    if (status == OLO_OK)
        status = write_files(session, &error);
    if (status != OLO_OK)
        return cli_fail(&error);
    if (session->options->json)
        print_json(session);
    else
        print_text(session);
    (void)fflush(stdout);
    return is_solved(session) ? CLI_OK : CLI_LAW_BROKEN;
}

static int run(const cli_call *call)
{
    struct session session = {.options = call->options, .result.command = call->command};
    const int code = solve(&session, call->argument);
    olo_feedback_free(session.feedback);
    olo_optimum_free(session.optimum);
    olo_guess_free(session.guess);
    cli_starts_free(&session.starts);
    cli_homotopy_free(&session.homotopy);
    olo_free(session.names);
    cli_static_result_close(&session.result);
    cli_unload(&session.given);
    return code;
}

const cli_command cli_optimize = {
    .name = "optimize",
    .argument = "MODEL",
    .summary = "find the controls that solve the problem of a model at least cost",
    .details =
        "The section `optimize` of the model has controls, costs and conditions, and parameters\n"
        "of the model that are variables. The discrete mechanics of the scheme `variational`, or\n"
        "where asked of `energy-momentum-2006`, are constraints of the problem, so that no energy\n"
        "or momentum is gained or lost by the numerics. The result has the motion, controls,\n"
        "multipliers and iterations. Ctrl-C ends with the best point so far.\n"
        "Exit code 3: no optimum was found. MODEL is a model file, or a name from the catalogue.\n",
    .examples = "  oloid optimize two-link-pendulum\n"
                "  oloid optimize three-rotors --controls torques.csv\n"
                "  oloid optimize double-integrator -n 100 --model driven.yaml\n"
                "  oloid run driven.yaml\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
