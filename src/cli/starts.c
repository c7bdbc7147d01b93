/* A problem from many initial guesses; see the header. */
#include "cli/starts.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/interrupt.h"
#include "cli/table.h"
#include "results/study_page.h"

/* Two optima are the same if their costs, and their motions relative to the largest coordinate,
 * differ by less: the solver ends far nearer. */
static const double SAME_COST = 1e-6, SAME_MOTION = 1e-3;
enum { POLL_NANOSECONDS = 2000000 };

/* Where the parts of a motion begin: q, inputs, joint coordinates, parameters, the end. */
static size_t at_q(const cli_starts *x)
{
    return (size_t)x->intervals + 1;
}
static size_t at_inputs(const cli_starts *x)
{
    return at_q(x) * (size_t)(x->n + 1);
}
static size_t at_joints(const cli_starts *x)
{
    return at_inputs(x) + (size_t)x->intervals * (size_t)x->inputs;
}
static size_t at_parameters(const cli_starts *x)
{
    return at_joints(x) + at_q(x) * (size_t)x->joints;
}
static size_t motion_size(const cli_starts *x)
{
    return at_parameters(x) + (size_t)x->parameters;
}

// -- in the process of a start --------------------------------------------------------------------

static bool proceed(void *context, const olo_optimize_progress *progress)
{
    (void)context, (void)progress;
    return !cli_interrupted(NULL);
}

static olo_status take_motion(const cli_starts *x, const olo_optimum *o, double *to,
                              olo_error *error)
{
    const olo_system *system = olo_optimum_system(o);
    olo_state *state = NULL;
    olo_status status = olo_system_create_initial_state(system, &state, NULL, error);
    for (int k = 0; k <= x->intervals; k++)
        *to++ = olo_optimum_time(o, k);
    for (int k = 0; k <= x->intervals; k++, to += x->n)
        memcpy(to, olo_optimum_configuration(o, k), (size_t)x->n * sizeof *to);
    for (int k = 0; k < x->intervals; k++)
        for (int i = 0; i < x->inputs; i++)
            *to++ = olo_optimum_input(o, i, k);
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++) {
        status = olo_optimum_get_state(o, k, state, error);
        for (int i = 0; i < x->joints; i++)
            *to++ = olo_system_joint_coordinate_value(system, state, i);
    }
    for (int i = 0; status == OLO_OK && i < x->parameters; i++)
        *to++ = olo_optimum_parameter(o, i);
    olo_state_free(state);
    return status;
}

/* Solves, and writes the start and its motion to the file. Never returns. */
static void work(const olo_system *system, const olo_problem *problem, const cli_starts *x,
                 FILE *file)
{
    const olo_optimize_observer observer = {.iteration = proceed};
    cli_one_start start = {.end = CLI_START_UNSOLVED, .optimum = -1};
    olo_optimum *o = NULL;
    olo_certificate certificate;
    olo_error error = {0};
    double *motion = olo_alloc(motion_size(x), sizeof *motion);
    olo_status status = olo_optimize(system, problem, &observer, &o, &error);
    if (status == OLO_OK)
        status = olo_optimum_certify(o, &certificate, &error);
    if (status == OLO_OK && motion) {
        start.ended = olo_optimum_ended(o);
        start.end = start.ended <= OLO_OPTIMUM_NEARLY ? CLI_START_SOLVED : CLI_START_UNSOLVED;
        start.iterations = olo_optimum_iterations(o);
        start.cost = olo_optimum_cost(o);
        start.duration = olo_optimum_duration(o);
        start.seconds = olo_optimum_seconds(o);
        start.second_order = certificate.second_order;
        start.negative = certificate.negative;
        start.zero = certificate.zero;
        status = take_motion(x, o, motion, &error);
    }
    (void)snprintf(start.text, sizeof start.text, "%.255s",
                   status == OLO_OK ? olo_optimum_explanation(o) : error.text);
    const bool written = fwrite(&start, sizeof start, 1, file) == 1 &&
                         fwrite(motion, sizeof *motion, motion_size(x), file) == motion_size(x) &&
                         fflush(file) == 0;
    _exit(written ? 0 : 1); /* nothing of the parent is written twice */
}

// -- in the parent --------------------------------------------------------------------------------

typedef struct job {
    pid_t process; /* 0: none */
    int start;
    FILE *file;
} job;

static olo_status launch(job *to, int start, const olo_system *system, const olo_problem *problem,
                         const cli_starts *x, olo_error *error)
{
    *to = (job){.start = start, .file = tmpfile()};
    if (!to->file)
        return olo_fail(error, OLO_IO, "no temporary file for a start");
    (void)fflush(NULL);
    to->process = fork();
    if (to->process == 0)
        work(system, problem, x, to->file);
    if (to->process > 0)
        return OLO_OK;
    (void)fclose(to->file);
    to->process = 0;
    return olo_fail(error, OLO_IO, "no process for a start");
}

/* Reads what the process of a job has written. */
static void finish(job *of, int status, cli_starts *x)
{
    cli_one_start *to = &x->starts[of->start];
    double *motion = olo_alloc(motion_size(x), sizeof *motion);
    rewind(of->file);
    const bool whole = WIFEXITED(status) && WEXITSTATUS(status) == 0 && motion &&
                       fread(to, sizeof *to, 1, of->file) == 1 &&
                       fread(motion, sizeof *motion, motion_size(x), of->file) == motion_size(x);
    (void)fclose(of->file);
    of->process = 0;
    if (whole) {
        x->motion[of->start] = motion;
        return;
    }
    olo_free(motion);
    *to = (cli_one_start){.end = CLI_START_CRASHED,
                          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                          .optimum = -1};
    if (to->signal)
        (void)snprintf(to->text, sizeof to->text, "the process was ended by signal %d", to->signal);
    else
        (void)snprintf(to->text, sizeof to->text, "the process ended without result");
}

/* Finishes jobs that have ended, and passes a signal on to those that run. */
static int collect(job *jobs, int count, cli_starts *x, bool *stopped)
{
    int running = 0, status;
    for (int i = 0; i < count; i++) {
        if (jobs[i].process > 0 && waitpid(jobs[i].process, &status, WNOHANG) == jobs[i].process)
            finish(&jobs[i], status, x);
        running += jobs[i].process > 0;
    }
    if (cli_interrupted(NULL) && !*stopped) {
        for (int i = 0; i < count; i++)
            if (jobs[i].process > 0)
                (void)kill(jobs[i].process, SIGINT);
        *stopped = true;
    }
    return running;
}

static olo_status run_all(const olo_system *system, const olo_problem *problem, int most,
                          unsigned long long seed, cli_starts *x, olo_error *error)
{
    const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
    job *jobs = olo_alloc((size_t)most, sizeof *jobs);
    olo_status status =
        jobs ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for many starts");
    bool stopped = false;
    int next = 0;
    while (jobs) {
        const int running = collect(jobs, most, x, &stopped);
        const bool more = status == OLO_OK && next < x->count && !cli_interrupted(NULL);
        if (running == 0 && !more)
            break;
        if (!more || running == most) {
            (void)nanosleep(&pause, NULL);
            continue;
        }
        int slot = 0;
        while (jobs[slot].process > 0)
            slot++;
        olo_problem one = *problem;
        one.seed = seed + (unsigned long long)next;
        one.spread = next == 0 ? 0 : problem->spread;
        status = launch(&jobs[slot], next, system, &one, x, error);
        next += status == OLO_OK;
    }
    for (int i = next; i < x->count; i++) {
        x->starts[i] = (cli_one_start){.end = CLI_START_UNSOLVED, .optimum = -1};
        (void)snprintf(x->starts[i].text, sizeof x->starts[i].text, "not started");
    }
    olo_free(jobs);
    return status;
}

// -- distinct optima ------------------------------------------------------------------------------

/* Whether numbers differ little, relative to the largest of them. */
static bool are_near(size_t count, const double *p, const double *q)
{
    double size = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(p[i]));
        difference = fmax(difference, fabs(p[i] - q[i]));
    }
    return difference <= SAME_MOTION * size;
}

static bool are_same(const cli_starts *x, int a, int b)
{
    const cli_one_start *s = &x->starts[a], *t = &x->starts[b];
    const double *p = x->motion[a], *q = x->motion[b];
    return fabs(s->cost - t->cost) <= SAME_COST * fmax(fabs(s->cost), fabs(t->cost)) &&
           are_near(at_q(x) * (size_t)x->n, p + at_q(x), q + at_q(x)) &&
           are_near((size_t)x->parameters, p + at_parameters(x), q + at_parameters(x));
}

static void find_distinct(cli_starts *x)
{
    for (int i = 0; i < x->count; i++) {
        if (x->starts[i].end != CLI_START_SOLVED)
            continue;
        int k = 0;
        while (k < x->optimum_count && !are_same(x, x->optima[k].first, i))
            k++;
        if (k == x->optimum_count)
            x->optima[x->optimum_count++] = (cli_local_optimum){.first = i};
        x->optima[k].found++;
        x->starts[i].optimum = k;
    }
    /* by cost, the first start before others */
    for (int i = 1; i < x->optimum_count; i++)
        for (int k = i; k > 0; k--) {
            const cli_local_optimum a = x->optima[k - 1], b = x->optima[k];
            if (x->starts[a.first].cost <= x->starts[b.first].cost)
                break;
            x->optima[k - 1] = b;
            x->optima[k] = a;
        }
    for (int i = 0; i < x->count; i++)
        for (int k = 0; x->starts[i].optimum >= 0 && k < x->optimum_count; k++)
            if (are_same(x, x->optima[k].first, i)) {
                x->starts[i].optimum = k;
                break;
            }
}

olo_status cli_starts_solve(const olo_system *system, const olo_problem *problem, int coordinates,
                            int count, int jobs, unsigned long long seed, cli_starts *x,
                            olo_error *error)
{
    const size_t parameters = (size_t)problem->parameter_count;
    *x = (cli_starts){.system = system,
                      .count = count,
                      .intervals = problem->intervals,
                      .inputs = problem->control_count, /* those that follow one, too */
                      .n = coordinates,
                      .joints = olo_system_joint_coordinate_count(system),
                      .parameters = problem->parameter_count,
                      .free_duration = problem->shortest != 0 || problem->longest != 0,
                      .starts = olo_alloc((size_t)count, sizeof *x->starts),
                      .motion = olo_alloc((size_t)count, sizeof *x->motion),
                      .found = olo_alloc(parameters, sizeof *x->found),
                      .optima = olo_alloc((size_t)count, sizeof *x->optima)};
    if (!x->starts || !x->motion || !x->found || !x->optima)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for many starts");
    for (size_t i = 0; i < parameters; i++)
        x->found[i] = problem->parameters[i];
    const olo_status status = run_all(system, problem, jobs, seed, x, error);
    if (status != OLO_OK)
        return status;
    find_distinct(x);
    return x->optimum_count > 0
               ? OLO_OK
               : olo_fail(error, cli_interrupted(NULL) ? OLO_INTERRUPTED : OLO_NOT_CONVERGED,
                          "none of %d starts found an optimum; the first: %s", count,
                          x->starts[0].text);
}

void cli_starts_free(cli_starts *x)
{
    for (int i = 0; x->motion && i < x->count; i++)
        olo_free(x->motion[i]);
    olo_free(x->motion);
    olo_free(x->found);
    olo_free(x->starts);
    olo_free(x->optima);
}

void cli_starts_guess(cli_starts *x, const char **names, int start, olo_problem *problem)
{
    const double *motion = x->motion[start];
    problem->motion_times = motion;
    problem->motion = motion + at_q(x);
    problem->motion_count = x->intervals + 1;
    problem->motion_controls = motion + at_inputs(x);
    for (int i = 0; i < x->parameters; i++)
        x->found[i].guess = motion[at_parameters(x) + (size_t)i];
    problem->parameters = x->found;
    problem->motion_control_count = x->inputs;
    for (int i = 0; i < x->inputs; i++)
        names[i] = problem->controls[i].name;
    problem->motion_control_names = names;
    problem->spread = 0;
    problem->guess_file = NULL;
    problem->start = NULL;
}

// -- reports --------------------------------------------------------------------------------------

/* A given duration has no column, since those that are "-" are omitted. */
static void fill_table(const cli_starts *x, cli_table *table)
{
    static const char *const heads[] = {"optimum",      "cost",        "duration",
                                        "second order", "negative",    "zero",
                                        "found",        "first start", "iterations"};
    cli_table_row(table);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        cli_table_cell(table, "%s", heads[i]);
    for (int i = 0; i < x->parameters; i++)
        cli_table_cell(table, "%s", x->found[i].name);
    for (int k = 0; k < x->optimum_count; k++) {
        const int first = x->optima[k].first;
        const cli_one_start *s = &x->starts[first];
        cli_table_row(table);
        cli_table_cell(table, "%d", k + 1);
        cli_table_cell(table, "%.12g", s->cost);
        cli_table_number(table, "%.9g", x->free_duration ? s->duration : NAN);
        cli_table_cell(table, "%s", olo_second_order_name(s->second_order));
        cli_table_cell(table, "%d", s->negative);
        cli_table_cell(table, "%d", s->zero);
        cli_table_cell(table, "%d", x->optima[k].found);
        cli_table_cell(table, "%d", first);
        cli_table_cell(table, "%d", s->iterations);
        for (int i = 0; i < x->parameters; i++)
            cli_table_cell(table, "%.9g", x->motion[first][at_parameters(x) + (size_t)i]);
    }
}

void cli_starts_print(const cli_starts *x)
{
    cli_table table = {0};
    int solved = 0;
    for (int i = 0; i < x->count; i++)
        solved += x->starts[i].end == CLI_START_SOLVED;
    (void)printf("%d of %d starts found %d distinct optim%s\n", solved, x->count, x->optimum_count,
                 x->optimum_count == 1 ? "um" : "a");
    fill_table(x, &table);
    cli_table_print(&table, stdout);
    for (int i = 0; i < x->count; i++)
        if (x->starts[i].end != CLI_START_SOLVED)
            (void)printf("  start %d: %s\n", i, x->starts[i].text);
}

static const char *cell(const void *context, size_t row, int column)
{
    const cli_table *table = context;
    return table->rows[row][column];
}

static void add_series(olo_svg *plot, const char *name, size_t count, const double *times,
                       const double *values)
{
    plot->series[plot->series_count++] =
        (olo_svg_series){.name = name, .x = times, .y = values, .count = count};
}

/* The series of an optimum: of its inputs over the middles of intervals, and of its joint
 * coordinates over nodes. Returns the end of the numbers that it has written. */
static double *add_optimum(const cli_starts *x, int optimum, const char *name, olo_svg *plots,
                           double *to)
{
    const double *motion = x->motion[x->optima[optimum].first];
    const size_t N = (size_t)x->intervals, inputs = (size_t)x->inputs, joints = (size_t)x->joints;
    double *middles = to;
    for (size_t j = 0; j < N; j++)
        *to++ = 0.5 * (motion[j] + motion[j + 1]);
    for (size_t i = 0; i < inputs; i++, to += N) {
        for (size_t j = 0; j < N; j++)
            to[j] = motion[at_inputs(x) + j * inputs + i];
        add_series(&plots[i], name, N, middles, to);
    }
    for (size_t i = 0; i < joints; i++, to += N + 1) {
        for (size_t j = 0; j <= N; j++)
            to[j] = motion[at_joints(x) + j * joints + i];
        add_series(&plots[inputs + i], name, N + 1, motion, to);
    }
    return to;
}

olo_status cli_starts_report(const cli_starts *x, const olo_optimum *best, const char *title,
                             const char *path, olo_error *error)
{
    const size_t inputs = (size_t)x->inputs, joints = (size_t)x->joints,
                 numbers = (size_t)(x->intervals + 1) * (1 + inputs + joints);
    const int shown = x->optimum_count < OLO_SVG_SERIES_MAX ? x->optimum_count : OLO_SVG_SERIES_MAX;
    cli_table table = {0};
    olo_svg *plots = olo_alloc(inputs + joints, sizeof *plots);
    double *values = olo_alloc(numbers * (size_t)shown, sizeof *values), *to = values;
    char(*names)[CLI_CELL_SIZE] = olo_alloc((size_t)shown, sizeof *names);
    olo_status status = plots && values && names
                            ? OLO_OK
                            : olo_fail(error, OLO_NO_MEMORY, "out of memory for a page");
    for (size_t i = 0; status == OLO_OK && i < inputs + joints; i++) {
        const int joint = (int)(i - inputs);
        plots[i].x_label = "time";
        plots[i].y_label = i < inputs                                               ? "input"
                           : olo_system_joint_coordinate_is_angle(x->system, joint) ? "rad"
                                                                                    : "position";
        plots[i].title = i < inputs ? olo_optimum_input_name(best, (int)i)
                                    : olo_system_joint_coordinate_name(x->system, joint);
    }
    for (int k = 0; status == OLO_OK && k < shown; k++) {
        (void)snprintf(names[k], sizeof names[k], "%d: cost %.6g", k + 1,
                       x->starts[x->optima[k].first].cost);
        to = add_optimum(x, k, names[k], plots, to);
    }
    fill_table(x, &table);
    const olo_study_table tables[] = {{.title = "Distinct optima",
                                       .rows = table.count,
                                       .columns = table.columns,
                                       .cell = cell,
                                       .context = &table}};
    const olo_study_page page = {.title = title,
                                 .subtitle = "Local optima from many initial guesses",
                                 .table_count = 1,
                                 .tables = tables,
                                 .plot_count = x->inputs + x->joints,
                                 .plots = plots};
    if (status == OLO_OK)
        status = olo_study_page_write(&page, path, error);
    cli_table_free(&table);
    olo_free(names);
    olo_free(values);
    olo_free(plots);
    return status;
}
