/* Signals before and during a run. This is the only file with static state, because a signal
 * handler has no argument for it. */
#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
/* Time of the first signal on the monotonic clock, in whole seconds. */
static volatile sig_atomic_t first_second;

/* Exit code of OLO_INTERRUPTED in errors.def: 128 plus the number of SIGINT. */
enum { INTERRUPTED_CODE = 130 };

/* Some parent processes deliver one Ctrl-C twice: a second signal within this time is ignored. */
static const long DUPLICATE_SECONDS = 1;

/* Ends the process at once: no result is being written. Calls only functions that are safe in a
 * signal handler. */
static void end_process(int signal_number)
{
    static const char message[] = "oloid: interrupted\n";
    (void)signal_number;
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written; // a failure cannot be reported
    _exit(INTERRUPTED_CODE);
}

/* Sets the handler of SIGINT and SIGTERM. A signal that is ignored stays ignored: shells request
 * that for background processes, and so does nohup. */
static void handle(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {0}, before;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
}

void cli_interrupt_prepare(void)
{
    handle(end_process);
}

static void record_signal(int signal_number)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted) {
        interrupted = 1;
        first_second = (sig_atomic_t)now.tv_sec;
    } else if ((long)now.tv_sec - (long)first_second > DUPLICATE_SECONDS) {
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
    }
}

void cli_interrupt_begin(void)
{
    struct sigaction action = {0};
    handle(record_signal);
    action.sa_handler = SIG_IGN;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL); // exceeding a file size limit becomes an error
}

bool cli_interrupted(void *context)
{
    (void)context;
    return interrupted != 0;
}

void cli_interrupt_end(void)
{
    // the signal that ended the run may arrive a second time
    if (!interrupted)
        handle(end_process);
    (void)signal(SIGPIPE, SIG_DFL); // as set by main
}
