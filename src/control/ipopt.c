/* Solution of nonlinear programmes by Ipopt (Waechter and Biegler 2006), versions 3.11 and 3.14;
 * see solver.h. */
#include "control/solver.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/pool.h"
#include "base/progress.h"

#ifndef OLO_IPOPT

bool olo_solver_available(void)
{
    return false;
}

olo_status olo_solver_solve(const olo_nlp *nlp, const olo_solver_options *options,
                            olo_nlp_point *point, olo_solve_report *report, olo_error *error)
{
    (void)nlp, (void)options, (void)point, (void)report;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "Oloid was built without Ipopt, which optimisation needs: install it "
                    "(tools/install-deps --optimize; Debian: coinor-libipopt-dev) and build again");
}

#else

#include <IpStdCInterface.h>

#if OLO_IPOPT >= 314
typedef bool truth;
typedef ipindex integer;
typedef ipnumber number;
#else
typedef Bool truth;
typedef Index integer;
typedef Number number;
#endif

bool olo_solver_available(void)
{
    return true;
}

typedef struct job {
    const olo_nlp *nlp;
    const olo_solver_options *options;
    olo_solve_report *report;
    bool stopped, late, called; /* called: iterations have begun */
    double start;               /* clock */
    double *x, *best;           /* the last point with a gradient; the best one */
    double cost;                /* of the best one; infinite: there is none */
} job;

/* Rows are satisfied at a point that may be the best one, in the units of the model. */
static const double SATISFIED = 1e-6;

/* A number is not finite if all bits of its exponent are ones; then the sum has the highest bit. */
static bool all_finite(int count, const double *x)
{
    const uint64_t one = (uint64_t)1 << 52, exponent = 0x7ff * one;
    uint64_t any = 0;
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        any |= (bits & exponent) + one;
    }
    return any >> 63 == 0;
}

/* Ends an evaluation that began at `since`, with its results. */
static truth end_evaluation(job *j, double since, int count, const double *results)
{
    const bool finite = all_finite(count, results);
    j->report->evaluation_seconds += olo_cpu_seconds() - since;
    return finite;
}

static truth objective(integer n, number *x, truth fresh, number *value, UserDataPtr context)
{
    job *j = context;
    const double start = olo_cpu_seconds();
    (void)n, (void)fresh;
    *value = j->nlp->objective(j->nlp->context, x);
    return end_evaluation(j, start, 1, value);
}

static truth gradient(integer n, number *x, truth fresh, number *g, UserDataPtr context)
{
    job *j = context;
    const double start = olo_cpu_seconds();
    (void)fresh;
    memcpy(j->x, x, (size_t)n * sizeof *x);
    j->nlp->gradient(j->nlp->context, x, g);
    return end_evaluation(j, start, n, g);
}

static truth rows(integer n, number *x, truth fresh, integer m, number *c, UserDataPtr context)
{
    job *j = context;
    const double start = olo_cpu_seconds();
    (void)n, (void)fresh;
    j->nlp->evaluate(j->nlp->context, x, c);
    return end_evaluation(j, start, m, c);
}

static void copy_positions(const olo_positions *from, integer *row, integer *column)
{
    memcpy(row, from->row, (size_t)from->count * sizeof *row);
    memcpy(column, from->column, (size_t)from->count * sizeof *column);
}

static truth jacobian(integer n, number *x, truth fresh, integer m, integer count, integer *row,
                      integer *column, number *values, UserDataPtr context)
{
    job *j = context;
    const double start = olo_cpu_seconds();
    (void)n, (void)m, (void)fresh;
    if (!values) {
        copy_positions(&j->nlp->jacobian, row, column);
        return true;
    }
    j->nlp->evaluate_jacobian(j->nlp->context, x, values);
    return end_evaluation(j, start, count, values);
}

static truth hessian(integer n, number *x, truth fresh, number sigma, integer m, number *y,
                     truth fresh_y, integer count, integer *row, integer *column, number *values,
                     UserDataPtr context)
{
    job *j = context;
    const double start = olo_cpu_seconds();
    (void)n, (void)m, (void)fresh, (void)fresh_y;
    if (!values) {
        copy_positions(&j->nlp->hessian, row, column);
        return true;
    }
    j->nlp->evaluate_hessian(j->nlp->context, x, sigma, y, values);
    return end_evaluation(j, start, count, values);
}

static truth iteration(integer mode, integer count, number value, number inf_pr, number inf_du,
                       number mu, number d_norm, number regularisation, number alpha_du,
                       number alpha_pr, integer trials, UserDataPtr context)
{
    job *j = context;
    const olo_iterate now = {.iteration = count,
                             .objective = value,
                             .infeasibility = inf_pr,
                             .dual_infeasibility = inf_du,
                             .barrier = mu,
                             .restoring = mode != 0};
    (void)d_norm, (void)regularisation, (void)alpha_du, (void)alpha_pr, (void)trials;
    j->report->iterations = count;
    j->called = true;
    if (j->best && mode == 0 && inf_pr <= SATISFIED && value < j->cost) {
        memcpy(j->best, j->x, (size_t)j->nlp->variables * sizeof *j->x);
        j->cost = value;
    }
    if (j->options->seconds > 0 && olo_clock_seconds() - j->start > j->options->seconds) {
        j->late = true;
        return false;
    }
    if (!j->options->progress || j->options->progress(j->options->context, &now))
        return true;
    j->stopped = true;
    return false;
}

/* The functions of Ipopt take texts without const. */
static bool set_text(IpoptProblem problem, const char *key, const char *value)
{
    char k[64], v[64];
    strncpy(k, key, sizeof k - 1);
    strncpy(v, value, sizeof v - 1);
    k[sizeof k - 1] = v[sizeof v - 1] = '\0';
    return AddIpoptStrOption(problem, k, v);
}

static void set_number(IpoptProblem problem, const char *key, double value)
{
    char k[64];
    strncpy(k, key, sizeof k - 1);
    k[sizeof k - 1] = '\0';
    (void)AddIpoptNumOption(problem, k, value);
}

static void set_int(IpoptProblem problem, const char *key, int value)
{
    char k[64];
    strncpy(k, key, sizeof k - 1);
    k[sizeof k - 1] = '\0';
    (void)AddIpoptIntOption(problem, k, value);
}

/* Names that some Ipopt knows; it prints its manual for any other. */
static bool is_linear_solver(const char *name)
{
    static const char *const names[] = {"mumps", "ma27",    "ma57",       "ma77",  "ma86",
                                        "ma97",  "pardiso", "pardisomkl", "spral", "wsmp"};
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Of Ipopt 3.11, which loads libhsl.so when it needs it (its HSLLoader.h); not in other versions.
 */
int LSL_isMA97available(void) __attribute__((weak));
int LSL_loadHSL(const char *library, char *message, int size) __attribute__((weak));

/* Whether ma97 would end the process: without libhsl.so its destructor calls exit. */
static bool is_fatal(const char *name)
{
    char message[256];
    return strcmp(name, "ma97") == 0 && LSL_isMA97available && LSL_loadHSL &&
           !LSL_isMA97available() && LSL_loadHSL(NULL, message, sizeof message) != 0;
}

static olo_status refuse_linear_solver(const char *name, olo_error *error)
{
    return olo_fail(error, OLO_UNSUPPORTED,
                    "linear_solver: this Ipopt has no '%s': it was built without it, or does not "
                    "find its library (for example libhsl.so of the HSL solvers ma27 to ma97); "
                    "'mumps' is always there",
                    name ? name : "");
}

/* No variable is as large as this in SI units unless the cost has no lower bound. */
static const double UNBOUNDED = 1e14;

/* No output, the linear solver, the tolerance for scaled and for plain errors. Bounds are not
 * relaxed: what is reported satisfies them. */
static olo_status set_options(IpoptProblem problem, const olo_solver_options *options,
                              olo_error *error)
{
    set_int(problem, "print_level", 0);
    (void)set_text(problem, "sb", "yes");
    if (!is_linear_solver(options->linear_solver) || is_fatal(options->linear_solver) ||
        !set_text(problem, "linear_solver", options->linear_solver))
        return refuse_linear_solver(options->linear_solver, error);
    set_number(problem, "tol", options->tolerance);
    set_number(problem, "constr_viol_tol", options->tolerance);
    set_number(problem, "compl_inf_tol", options->tolerance);
    set_number(problem, "bound_relax_factor", 0.0);
    set_number(problem, "diverging_iterates_tol", UNBOUNDED);
    set_int(problem, "max_iter", options->iterations);
    (void)set_text(problem, "mu_strategy", "adaptive");
    if (!options->warm)
        return OLO_OK;
    (void)set_text(problem, "warm_start_init_point", "yes");
    set_number(problem, "warm_start_bound_push", 1e-9);
    set_number(problem, "warm_start_mult_bound_push", 1e-9);
    set_number(problem, "mu_init", fmax(options->barrier, 1e-9));
    return OLO_OK;
}

/* The largest violation of a row; c is memory. */
static double violation_at(const olo_nlp *nlp, const double *x, double *c)
{
    double largest = 0;
    nlp->evaluate(nlp->context, x, c);
    for (int i = 0; i < nlp->rows; i++)
        olo_raise(&largest, fmax(nlp->row_lower[i] - c[i], c[i] - nlp->row_upper[i]));
    return largest;
}

/* Whether the best point is better than the last one. Ipopt does not say at which point it reports
 * an iteration: the gradient before may be that of another one, with another cost. */
static bool is_better(const job *j, const double *last, double *c)
{
    const olo_nlp *nlp = j->nlp;
    if (!j->best || !isfinite(j->cost) || !(violation_at(nlp, j->best, c) <= SATISFIED))
        return false;
    const double cost = nlp->objective(nlp->context, j->best);
    return fabs(cost - j->cost) <= 1e-9 * (1 + fabs(cost)) &&
           !(violation_at(nlp, last, c) <= SATISFIED && nlp->objective(nlp->context, last) <= cost);
}

static olo_solved ending_of(enum ApplicationReturnStatus status)
{
    switch (status) {
    case Solve_Succeeded:
    case Feasible_Point_Found:
        return OLO_SOLVED;
    case Solved_To_Acceptable_Level:
    case Search_Direction_Becomes_Too_Small:
        return OLO_SOLVED_NEARLY;
    case Infeasible_Problem_Detected:
        return OLO_INFEASIBLE;
    case Diverging_Iterates:
        return OLO_UNBOUNDED;
    case User_Requested_Stop:
        return OLO_STOPPED;
    case Maximum_Iterations_Exceeded:
    case Maximum_CpuTime_Exceeded:
        return OLO_LIMIT;
    default:
        return OLO_FAILED;
    }
}

olo_status olo_solver_solve(const olo_nlp *nlp, const olo_solver_options *options,
                            olo_nlp_point *point, olo_solve_report *report, olo_error *error)
{
    const double start = olo_clock_seconds(), start_cpu = olo_cpu_seconds();
    olo_pool pool = {0};
    double *c, *x;
    const olo_array arrays[] = {{&c, (size_t)nlp->rows + 1}, {&x, (size_t)nlp->variables + 1}};
    *report = (olo_solve_report){.solved = OLO_FAILED};
    const bool enough = olo_pool_arrays(&pool, arrays, 2);
    job j = {.nlp = nlp,
             .options = options,
             .report = report,
             .start = start,
             .x = x,
             .best = options->best,
             .cost = HUGE_VAL};
    IpoptProblem problem = enough ? CreateIpoptProblem(nlp->variables, nlp->lower, nlp->upper,
                                                       nlp->rows, nlp->row_lower, nlp->row_upper,
                                                       nlp->jacobian.count, nlp->hessian.count, 0,
                                                       objective, rows, gradient, jacobian, hessian)
                                  : NULL;
    if (!problem) {
        olo_pool_free(&pool);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for Ipopt");
    }
    const olo_status accepted = set_options(problem, options, error);
    if (accepted != OLO_OK) {
        FreeIpoptProblem(problem);
        olo_pool_free(&pool);
        return accepted;
    }
    (void)SetIntermediateCallback(problem, iteration);
    const enum ApplicationReturnStatus status = IpoptSolve(
        problem, point->x, c, &report->objective, point->y, point->z_lower, point->z_upper, &j);
    FreeIpoptProblem(problem);
    report->overdetermined = status == Not_Enough_Degrees_Of_Freedom;
    report->solved = j.stopped ? OLO_STOPPED : j.late ? OLO_LIMIT : ending_of(status);
    report->better = report->solved > OLO_SOLVED_NEARLY && is_better(&j, point->x, c);
    olo_pool_free(&pool);
    if (status == Insufficient_Memory)
        return olo_fail(error, OLO_NO_MEMORY,
                        "the linear solver %s ran out of memory for %d variables and %d rows: take "
                        "fewer intervals, the transcription `reduced`, or another linear_solver",
                        options->linear_solver, nlp->variables, nlp->rows);
    if (status == Invalid_Option || (status == Internal_Error && !j.called))
        return refuse_linear_solver(options->linear_solver, error);
    report->seconds = olo_clock_seconds() - start;
    report->cpu_seconds = olo_cpu_seconds() - start_cpu;
    return OLO_OK;
}

#endif
