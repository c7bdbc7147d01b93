/* `oloid report`: writes the report of a result, one of its plots, or a picture of its scene. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "cli/report_path.h"
#include "oloid/report.h"
#include "oloid/results.h"

extern char **environ;

struct options {
    const char *output, *svg, *time;
    bool plain, png;
};

static const cli_option options[] = {{"output", 'o', CLI_TEXT, offsetof(struct options, output),
                                      "FILE",
                                      "the output file; default: the name of the result with\n"
                                      ".report.html, .svg or .png; - is standard output"},
                                     {"svg", 0, CLI_TEXT, offsetof(struct options, svg), "PLOT",
                                      "draw one plot as SVG instead: energy, drift,\n"
                                      "constraint_error, ..., or any column (top.position.x)\n"
                                      "or vector (top.position)"},
                                     {"png", 0, CLI_FLAG, offsetof(struct options, png), NULL,
                                      "a picture of the scene instead; needs a browser\n"
                                      "(chromium or chrome, or what OLOID_BROWSER names)"},
                                     {"time", 0, CLI_TEXT, offsetof(struct options, time), "T",
                                      "time of the picture; default: the first recorded time"},
                                     {"plain", 0, CLI_FLAG, offsetof(struct options, plain), NULL,
                                      "a page without scripts: plots, but no animation"},
                                     {0}};

char *cli_report_path(const char *result, const char *ending)
{
    static const char *const known[] = {".partial", ".h5"};
    size_t length = strlen(result);
    for (int i = 0; i < 2; i++) {
        const size_t end = strlen(known[i]);
        if (length > end && strncmp(result + length - end, known[i], end) == 0)
            length -= end;
    }
    const size_t size = length + strlen(ending) + 2;
    char *path = olo_alloc(size, 1);
    if (path != NULL)
        (void)snprintf(path, size, "%.*s.%s", (int)length, result, ending);
    return path;
}

/* A picture ----------------------------------------------------------------------------------- */

/* Appends the file:// address of a local page; special characters are escaped. */
static void add_address(olo_text *address, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./~";
    olo_text_put(address, "file://");
    for (const char *c = path; *c != '\0'; c++)
        if (strchr(plain, *c) != NULL)
            olo_text_add(address, c, 1);
        else
            olo_text_format(address, "%%%02X", (unsigned)(unsigned char)*c);
}

/* Runs a browser and waits for its end. OLO_NOT_FOUND when there is none of that name. */
static olo_status run_browser(const char *browser, char *const *arguments, olo_error *error)
{
    pid_t process = 0;
    int code = 0;
    posix_spawn_file_actions_t actions;
    (void)posix_spawn_file_actions_init(&actions);
    // discard the messages of the browser
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    const int failed = posix_spawnp(&process, browser, &actions, NULL, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        return olo_fail(error, failed == ENOENT ? OLO_NOT_FOUND : OLO_IO, "cannot run '%s': %s",
                        browser, strerror(failed));
    }
    while (waitpid(process, &code, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(code) && WEXITSTATUS(code) == 0
               ? OLO_OK
               : olo_fail(error, OLO_IO, "'%s' did not take the picture", browser);
}

/* Takes the picture with the first browser that is installed. */
static olo_status take_picture(const char *page, const char *folder, const char *picture,
                               const char *time, olo_error *error)
{
    static const char *const known[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable", "chrome"};
    const char *chosen = getenv("OLOID_BROWSER");
    olo_text address = {0}, profile = {0}, shot = {0};
    add_address(&address, page);
    olo_text_format(&address, "#stage%s%.40s", time != NULL ? "=" : "", time != NULL ? time : "");
    olo_text_add(&address, "", 1);
    olo_text_put(&profile, "--user-data-dir=");
    olo_text_put(&profile, folder);
    olo_text_add(&profile, "/profile", sizeof "/profile");
    olo_text_put(&shot, "--screenshot=");
    olo_text_put(&shot, picture);
    olo_text_add(&shot, "", 1);
    olo_status status = address.failed || profile.failed || shot.failed
                            ? olo_fail(error, OLO_NO_MEMORY, "out of memory")
                            : OLO_NOT_FOUND;
    const int count = chosen != NULL ? 1 : (int)(sizeof known / sizeof known[0]);
    for (int i = 0; status == OLO_NOT_FOUND && i < count; i++) {
        char *name = (char *)(chosen != NULL ? chosen : known[i]); // not changed by exec
        char *arguments[] = {name,
                             "--headless=new",
                             "--hide-scrollbars",
                             "--window-size=1280,800",
                             "--virtual-time-budget=4000",
                             "--enable-unsafe-swiftshader",
                             profile.bytes,
                             shot.bytes,
                             address.bytes,
                             geteuid() == 0 ? "--no-sandbox" : NULL,
                             NULL};
        status = run_browser(name, arguments, error);
    }
    if (status == OLO_NOT_FOUND && chosen == NULL) {
        (void)olo_fail(error, OLO_NOT_FOUND,
                       "no browser was found for a picture of the scene: install chromium, or name "
                       "one in OLOID_BROWSER");
    }
    olo_text_free(&address);
    olo_text_free(&profile);
    olo_text_free(&shot);
    return status;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *position)
{
    (void)info;
    (void)kind;
    (void)position;
    (void)remove(path);
    return 0;
}

/* Writes the page into a temporary folder, takes the picture and removes the folder. */
static olo_status write_png(const char *result, const char *path, const char *time,
                            olo_error *error)
{
    char folder[] = "/tmp/oloid-report-XXXXXX", page[sizeof folder + 16];
    if (!olo_report_is_animated()) {
        return olo_fail(error, OLO_UNSUPPORTED,
                        "a picture of the scene needs the animated page, which this oloid was "
                        "built without: install Node.js and npm and build again");
    }
    if (mkdtemp(folder) == NULL)
        return olo_fail(error, OLO_IO, "cannot make a folder in /tmp: %s", strerror(errno));
    (void)snprintf(page, sizeof page, "%s/page.html", folder);
    olo_status status = olo_report_write(result, page, NULL, error);
    if (status == OLO_OK)
        status = take_picture(page, folder, path, time, error);
    struct stat info;
    if (status == OLO_OK && stat(path, &info) != 0)
        status = olo_fail(error, OLO_IO, "%s: the browser wrote no picture", path);
    // a browser leaves many files in its profile
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return status;
}

/* Fails when the time is outside the recorded interval. */
static olo_status check_time(const char *path, const char *text, olo_error *error)
{
    olo_result *result = NULL;
    olo_status status = olo_result_open(path, &result, error);
    const size_t rows = status == OLO_OK ? (size_t)olo_result_row_count(result) : 0;
    double *times = olo_alloc(rows + 1, sizeof *times);
    if (times == NULL)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory");
    if (status == OLO_OK)
        status = olo_result_read_column(result, "time", times, error);
    const double time = strtod(text, NULL);
    if (status == OLO_OK && rows > 0 && (time < times[0] || time > times[rows - 1])) {
        status = olo_fail(error, OLO_BAD_INPUT, "--time %s: '%s' extends from %g to %g", text, path,
                          times[0], times[rows - 1]);
    }
    olo_free(times);
    olo_result_free(result);
    return status;
}

/* The command --------------------------------------------------------------------------------- */

static olo_status write_report(const char *result, const struct options *given, const char *path,
                               olo_error *error)
{
    olo_report_options how = olo_report_options_default();
    how.plain = given->plain;
    olo_status status = cli_check_overwrite(result, "result", path, "report", error);
    if (status == OLO_OK && given->time != NULL)
        status = check_time(result, given->time, error);
    if (status != OLO_OK)
        return status;
    return given->svg != NULL ? olo_report_write_svg(result, given->svg, path, error)
           : given->png       ? write_png(result, path, given->time, error)
                              : olo_report_write(result, path, &how, error);
}

static int report(const char *result, const struct options *given)
{
    olo_error error = {0};
    char ending[300];
    (void)snprintf(ending, sizeof ending, "%.250s.svg", given->svg != NULL ? given->svg : "");
    char *path = given->output != NULL ? olo_strdup(given->output)
                                       : cli_report_path(result, given->svg != NULL ? ending
                                                                 : given->png       ? "png"
                                                                              : "report.html");
    if (path == NULL)
        return cli_no_memory();
    const olo_status status = write_report(result, given, path, &error);
    if (status == OLO_OK && strcmp(path, "-") != 0)
        (void)printf("%s\n", path);
    olo_free(path);
    return status == OLO_OK ? CLI_OK : cli_fail(&error);
}

/* Rejects combinations of options that are not valid, and a time that is not a number. */
static int check_options(const struct options *given)
{
    char *end = NULL;
    if (given->svg != NULL && given->png)
        return cli_usage(&cli_report, "--svg and --png exclude each other");
    if (given->png && given->output != NULL && strcmp(given->output, "-") == 0)
        return cli_usage(&cli_report, "--png needs a file to write");
    if (given->time != NULL && !given->png)
        return cli_usage(&cli_report, "--time is the time of the picture of --png");
    if (given->time != NULL &&
        (!isfinite(strtod(given->time, &end)) || end == given->time || *end != '\0'))
        return cli_usage(&cli_report, "--time: '%s' is not a number", given->time);
    return CLI_CONTINUE;
}

static int run(const cli_call *call)
{
    const int code = check_options(call->options);
    return code == CLI_CONTINUE ? report(call->argument, call->options) : code;
}

const cli_command cli_report = {
    .name = "report",
    .argument = "RESULT",
    .summary = "write the report of a result: motion, ledger, verdict; or one plot",
    .details =
        "RESULT is a file that 'oloid run' wrote, complete or not (RESULT.partial). The report is\n"
        "one self-contained page below 10 MB; it says which data it had to thin for that.\n"
        "'oloid run' writes the same report beside its result.\n",
    .examples = "  oloid report heavy-top.h5\n"
                "  oloid report heavy-top.h5 --svg energy -o energy.svg\n"
                "  oloid report heavy-top.h5 --svg top.position\n"
                "  oloid report six-body-linkage.h5 --png --time 0.3\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
