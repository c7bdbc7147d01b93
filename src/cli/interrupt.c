/* Signals before and during a run. The one place with state outside of structs: a handler has no
 * other. */
#include "cli/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
/* When the first signal came, on the monotonic clock, in whole seconds. */
static volatile sig_atomic_t first_second;

/* As of OLO_INTERRUPTED in errors.def: 128 and the number of SIGINT. */
enum { INTERRUPTED_CODE = 130 };

/* Some parents deliver one Ctrl-C twice; only a later signal is a second wish. */
static const long PATIENCE_SECONDS = 1;

/* Nothing is under way that would have to be finished, so the process ends here. Only what is safe
 * in a handler. */
static void leave(int signal_number)
{
    static const char message[] = "oloid: interrupted\n";
    (void)signal_number;
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written; // nobody is left to be told
    _exit(INTERRUPTED_CODE);
}

/* SIGINT and SIGTERM are handled by this from now on, unless they are ignored: whoever started the
 * command may have told it so, as shells do in the background and nohup does. */
static void handle(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {0}, before;
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    for (int i = 0; i < 2; i++) {
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
}

void cli_interrupt_prepare(void)
{
    handle(leave);
}

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
    handle(note);
    action.sa_handler = SIG_IGN;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL); // a file that may not grow is told as an error
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

void cli_interrupt_end(void)
{
    // the signal that has ended the run may come a second time
    if (!interrupted) {
        handle(leave);
    }
    (void)signal(SIGPIPE, SIG_DFL); // as main has it
}
