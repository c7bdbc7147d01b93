/* `oloid export`: writes a result in other formats. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/new_file.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/overwrite.h"
#include "oloid/results.h"

struct options {
    const char *csv, *json, *vtk, *frames;
};

static const cli_option options[] = {
    {"csv", 0, CLI_TEXT, offsetof(struct options, csv), "FILE",
     "write the recorded frames as comma-separated values;\n- is standard output"},
    {"json", 0, CLI_TEXT, offsetof(struct options, json), "FILE",
     "write the same table as JSON, with units"},
    {"vtk", 0, CLI_TEXT, offsetof(struct options, vtk), "PATH",
     "write the motion for ParaView: PATH is a collection\n"
     "NAME.pvd, or a folder for it"},
    {"frames", 0, CLI_TEXT, offsetof(struct options, frames), "N",
     "write at most N frames for ParaView; default: 1001; 0: all"},
    {0}};

/* Default number of animation frames for ParaView; every frame has two files. */
static const long FRAMES_DEFAULT = 1001;

/* Writes a result file to a stream. */
typedef olo_status writer(const char *result, FILE *out, olo_error *error);

static olo_status cannot_write(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "%s: cannot be written: %s", path,
                    errno != 0 ? strerror(errno) : "unknown reason");
}

/* Writes to an open file, closes it and checks that everything was written. */
static olo_status write_stream(writer *write, const char *result, FILE *out, const char *path,
                               olo_error *error)
{
    if (out == NULL)
        return cannot_write(path, error);
    olo_status status = write(result, out, error);
    if (status != OLO_OK && ferror(out))
        status = olo_fail_context(error, status, "%s", path);
    errno = 0;
    if (fclose(out) != 0 && status == OLO_OK)
        status = cannot_write(path, error);
    return status;
}

/* Writes a new file and then replaces `path` by it, so that a failure or a signal neither leaves an
 * incomplete file nor damages an old one. */
static olo_status replace_file(writer *write, const char *result, const char *path,
                               olo_error *error)
{
    olo_new_file new_file;
    olo_status status = olo_new_file_open(&new_file, path, error);
    if (status != OLO_OK)
        return status;
    errno = 0;
    const int copy = dup(new_file.descriptor);
    FILE *out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out == NULL && copy >= 0)
        close(copy);
    status = write_stream(write, result, out, path, error);
    if (status == OLO_OK)
        status = olo_new_file_publish(&new_file, error);
    olo_new_file_close(&new_file);
    return status;
}

static olo_status export_table(writer *write, const char *result, const char *path,
                               olo_error *error)
{
    if (path == NULL)
        return OLO_OK;
    if (strcmp(path, "-") == 0)
        return write(result, stdout, error);
    struct stat info;
    const olo_status status = cli_check_overwrite(result, "result", path, "export", error);
    if (status != OLO_OK)
        return status;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        errno = 0;
        return write_stream(write, result, fopen(path, "w"), path, error); // a device or a pipe
    }
    return replace_file(write, result, path, error);
}

/* Number of recorded states; 0 when the result cannot be read, which is reported elsewhere. */
static long count_rows(const char *path)
{
    olo_result *result = NULL;
    const long rows =
        olo_result_open(path, &result, NULL) == OLO_OK ? olo_result_row_count(result) : 0;
    olo_result_free(result);
    return rows;
}

static olo_status export_vtk(const char *result, const char *path, long frames, olo_error *error)
{
    if (path == NULL)
        return OLO_OK;
    long written = 0;
    olo_vtk_options how = olo_vtk_options_default();
    how.frames = frames;
    olo_status status = cli_check_overwrite(result, "result", path, "export", error);
    if (status != OLO_OK)
        return status;
    // a signal ends this at once: every file is complete or absent, and the collection comes last
    status = olo_result_write_vtk(result, path, &how, &written, error);
    const long rows = status == OLO_OK ? count_rows(result) : written;
    if (rows > written) {
        cli_message("'%s' has %ld frames, %ld of them were written; --frames changes that", result,
                    rows, written);
    }
    return status;
}

/* Writes all formats that are requested. */
static olo_status export_all(const struct options *given, const char *result, long frames,
                             olo_error *error)
{
    olo_status status = export_table(olo_result_write_csv, result, given->csv, error);
    if (status == OLO_OK)
        status = export_table(olo_result_write_json, result, given->json, error);
    return status == OLO_OK ? export_vtk(result, given->vtk, frames, error) : status;
}

/* Reads the number of animation frames that is requested. */
static int read_frames(const struct options *given, long *frames)
{
    char *end = NULL;
    *frames = FRAMES_DEFAULT;
    if (given->frames == NULL)
        return CLI_CONTINUE;
    *frames = strtol(given->frames, &end, 10);
    if (end == given->frames || *end != '\0' || *frames < 0)
        return cli_usage(&cli_export, "--frames needs a number, got '%s'", given->frames);
    return CLI_CONTINUE;
}

/* Prints a message when a result is not complete; read errors are reported elsewhere. */
static void warn_if_incomplete(const char *path)
{
    olo_result *result = NULL;
    const char *status = NULL;
    if (olo_result_open(path, &result, NULL) == OLO_OK &&
        olo_result_attribute_text(result, "/", "status", &status, NULL) == OLO_OK &&
        strcmp(status, olo_status_name(OLO_OK)) != 0) {
        cli_message("'%s' is not complete: status %s, %ld rows", path, status,
                    olo_result_row_count(result));
    }
    olo_result_free(result);
}

static int run(const cli_call *call)
{
    const struct options *given = call->options;
    olo_error error = {0};
    long frames = 0;
    if (given->csv == NULL && given->json == NULL && given->vtk == NULL)
        return cli_usage(&cli_export, "no format is given: --csv FILE, --json FILE or --vtk PATH");
    const int code = read_frames(given, &frames);
    if (code != CLI_CONTINUE)
        return code;
    (void)signal(SIGXFSZ, SIG_IGN); // exceeding a file size limit becomes an error
    if (export_all(given, call->argument, frames, &error) != OLO_OK)
        return cli_fail(&error);
    warn_if_incomplete(call->argument);
    return CLI_OK;
}

const cli_command cli_export = {
    .name = "export",
    .argument = "RESULT",
    .summary = "write a result in another format",
    .details = "RESULT is a file that 'oloid run' wrote, complete or not (RESULT.partial).\n",
    .examples = "  oloid export heavy-top.h5 --csv heavy-top.csv\n"
                "  oloid export heavy-top.h5 --csv - | head -n 3\n"
                "  oloid export heavy-top.h5 --vtk heavy-top.pvd --frames 200\n",
    .options = options,
    .size = sizeof(struct options),
    .run = run,
};
