/* `oloid optimize --starts`: a problem from many initial guesses, each in a process of its own,
 * since the linear solver is not thread-safe. A process that crashes is reported and loses one
 * start. The results are the same for any number of processes at a time. */
#ifndef OLO_CLI_STARTS_H
#define OLO_CLI_STARTS_H

#include "oloid/optimize.h"

/* How a start ended. */
typedef enum cli_start_end {
    CLI_START_SOLVED,
    CLI_START_UNSOLVED,
    CLI_START_CRASHED
} cli_start_end;

typedef struct cli_one_start {
    cli_start_end end;
    int signal; /* of a crash; 0: the process ended without result */
    olo_optimum_status ended;
    int iterations, negative, zero;
    double cost, duration, seconds;
    olo_second_order second_order;
    char text[256]; /* how it ended */
    int optimum;    /* which of the distinct optima it is; -1: none */
} cli_one_start;

/* A distinct local optimum. */
typedef struct cli_local_optimum {
    int first, found; /* the first start that found it, and how many did */
} cli_local_optimum;

typedef struct cli_starts {
    const olo_system *system;
    int count, intervals, inputs, n, joints, parameters;
    bool free_duration;
    cli_one_start *starts;
    /* [count] per start: times and q of all nodes, inputs of all intervals, joint coordinates of
     * all nodes, parameters that are variables; or NULL */
    double **motion;
    olo_problem_parameter *found; /* [parameters] those of the problem, with other guesses */
    cli_local_optimum *optima;    /* by cost */
    int optimum_count;
} cli_starts;

/* Solves the problem from `count` guesses, `jobs` at a time. The first guess is that of the
 * problem, the others are changed by problem->spread with seeds that begin at `seed`. A signal ends
 * the starts that are running; those that have ended remain. */
olo_status cli_starts_solve(const olo_system *system, const olo_problem *problem, int coordinates,
                            int count, int jobs, unsigned long long seed, cli_starts *found,
                            olo_error *error);
void cli_starts_free(cli_starts *found);

void cli_starts_print(const cli_starts *found);
/* A page with the distinct optima, their inputs and joint coordinates side by side. */
olo_status cli_starts_report(const cli_starts *found, const olo_optimum *best, const char *title,
                             const char *path, olo_error *error);
/* The motion, controls and parameters of a start as initial guess of a problem; `names` is memory
 * for the names of its inputs. */
void cli_starts_guess(cli_starts *found, const char **names, int start, olo_problem *problem);

#endif
