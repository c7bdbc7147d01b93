/* Signals during a run. The one place with state outside of structs: a handler has no other. */
#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t interrupted;
/* When the first signal came, on the monotonic clock, in whole seconds. */
static volatile sig_atomic_t first_second;

static struct sigaction before_pipe;

/* Some parents deliver one Ctrl-C twice; only a later signal is a second wish. */
static const long PATIENCE_SECONDS = 1;

static void note(int signal_number)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupted) {
        interrupted = 1;
        first_second = (sig_atomic_t)now.tv_sec;
    } else if ((long)now.tv_sec - (long)first_second > PATIENCE_SECONDS) {
        (void)signal(signal_number, SIG_DFL);
        (void)raise(signal_number);
    }
}

void cli_interrupt_begin(void)
{
    struct sigaction action = {0};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, &before_pipe);
    (void)sigaction(SIGXFSZ, &action, NULL); // a file that may not grow is told as an error
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

void cli_interrupt_end(void)
{
    (void)sigaction(SIGPIPE, &before_pipe, NULL);
}
