/* The command `oloid`: finds the subcommand and runs it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "oloid/version.h"
#include "results/hdf5_file.h"

/* Opens /dev/null, read-only, for every standard stream that is closed. Otherwise a result file
 * could get the descriptor of a standard stream, and printed text would be written into it. */
static void occupy_standard_streams(void)
{
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDONLY);
    if (fd >= 0)
        (void)close(fd);
}

static int unknown_option(const char *word)
{
    static const char *const names[] = {"help", "version"};
    const char *nearest = olo_suggest(word + strspn(word, "-"), names, 2);
    if (nearest != NULL)
        return cli_usage(NULL, "unknown option '%s'; did you mean '--%s'?", word, nearest);
    return cli_usage(NULL, "unknown option '%s'", word);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return cli_usage(NULL, "a command is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_print_overview(stdout);
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("oloid %s\n", olo_version());
        return CLI_OK;
    }
    if (argv[1][0] == '-')
        return unknown_option(argv[1]);
    const cli_command *command = cli_find(argv[1]);
    return command != NULL ? cli_start(command, argc - 1, argv + 1) : CLI_USAGE;
}

/* With a limit of memory (`ulimit -v`) the command starts again with one thread of OpenBLAS.
 * Others, which exist before main, would try for ever to get 128 MB each, and calls would wait for
 * them. */
static void start_with_one_thread(char **argv)
{
    static const char threads[] = "OPENBLAS_NUM_THREADS", one[] = "1";
    struct rlimit limit;
    const char *given = getenv(threads);
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        (given && strcmp(given, one) == 0))
        return;
    if (setenv(threads, one, 1) == 0)
        (void)execv("/proc/self/exe", argv); // returns where there is no such file
}

int main(int argc, char **argv)
{
    start_with_one_thread(argv);
    occupy_standard_streams();
    // a reader that closes the pipe (`| head`) ends the command quietly, whatever was inherited
    (void)signal(SIGPIPE, SIG_DFL);
    cli_interrupt_prepare();
    olo_hdf5_skip_exit();
    const int code = cli_close_output(dispatch(argc, argv));
    // at exit OpenBLAS waits for its threads, which try for ever where they got no memory
    if (code == olo_status_exit_code(OLO_NO_MEMORY))
        _exit(code);
    return code;
}
