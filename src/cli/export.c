/* `oloid export`: a result in other formats. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/say.h"
#include "oloid/results.h"

struct options {
    const char *csv;
};

static const cli_option options[] = {
    {"csv", 0, CLI_TEXT, offsetof(struct options, csv), "FILE",
     "write the recorded frames as comma-separated values;\n- is standard output"},
    {0}};

static olo_status cannot_write(const char *path, olo_error *error)
{
    return olo_fail(error, OLO_IO, "%s: cannot be written: %s", path,
                    errno != 0 ? strerror(errno) : "unknown reason");
}

/* Writes the file `to`, which stands for `path`, and makes sure that it arrived. */
static olo_status write_file(const char *result, const char *to, const char *path, olo_error *error)
{
    errno = 0;
    FILE *out = fopen(to, "w");
    if (out == NULL) {
        return cannot_write(path, error);
    }
    olo_status status = olo_result_write_csv(result, out, error);
    if (status != OLO_OK && ferror(out)) {
        status = olo_fail_context(error, status, "%s", path);
    }
    errno = 0;
    if (fclose(out) != 0 && status == OLO_OK) {
        status = cannot_write(path, error);
    }
    return status;
}

/* Writes beside the file and renames: a failure leaves no half file and spoils no old one. */
static olo_status replace_file(const char *result, const char *path, olo_error *error)
{
    const size_t length = strlen(path);
    char *partial = olo_alloc(length + sizeof ".partial", 1);
    if (partial == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "out of memory");
    }
    memcpy(partial, path, length);
    memcpy(partial + length, ".partial", sizeof ".partial");
    olo_status status = write_file(result, partial, path, error);
    if (status == OLO_OK && rename(partial, path) != 0) {
        status = cannot_write(path, error);
    }
    if (status != OLO_OK) {
        (void)remove(partial);
    }
    olo_free(partial);
    return status;
}

static olo_status export_csv(const char *result, const char *path, olo_error *error)
{
    if (strcmp(path, "-") == 0) {
        return olo_result_write_csv(result, stdout, error);
    }
    struct stat from = {0}, to = {0};
    const bool exists = stat(path, &to) == 0;
    const bool readable = stat(result, &from) == 0;
    if (exists && readable && from.st_dev == to.st_dev && from.st_ino == to.st_ino) {
        return olo_fail(error, OLO_BAD_INPUT, "%s: the export would overwrite the result", path);
    }
    if (exists && !S_ISREG(to.st_mode)) {
        return write_file(result, path, path, error); // a device or a pipe
    }
    return replace_file(result, path, error);
}

/* Says when a result is not complete; whatever cannot be read is told elsewhere. */
static void tell_incomplete(const char *path)
{
    olo_result *result = NULL;
    const char *status = NULL;
    if (olo_result_open(path, &result, NULL) == OLO_OK &&
        olo_result_attribute_text(result, "/", "status", &status, NULL) == OLO_OK &&
        strcmp(status, olo_status_name(OLO_OK)) != 0) {
        cli_say("'%s' is not complete: status %s, %ld rows", path, status, olo_result_rows(result));
    }
    olo_result_free(result);
}

static int run(int argc, char **argv)
{
    struct options given = {0};
    cli_list arguments = {0};
    olo_error error = {0};
    int code = cli_parse(&cli_export, argc, argv, &given, &arguments);
    if (code == CLI_GO_ON && given.csv == NULL) {
        code = cli_usage(&cli_export, "no format is given: --csv FILE");
    } else if (code == CLI_GO_ON) {
        const olo_status status = export_csv(arguments.items[0], given.csv, &error);
        code = status == OLO_OK ? CLI_OK : cli_fail(&error);
        if (status == OLO_OK) {
            tell_incomplete(arguments.items[0]);
        }
    }
    cli_list_free(&arguments);
    return code;
}

const cli_command cli_export = {
    .name = "export",
    .arguments = "RESULT",
    .least = 1,
    .most = 1,
    .summary = "write a result in another format",
    .details = "RESULT is a file that 'oloid run' wrote, complete or not (RESULT.partial).\n",
    .examples = "  oloid export heavy-top.h5 --csv heavy-top.csv\n"
                "  oloid export heavy-top.h5 --csv - | head -n 3\n",
    .options = options,
    .run = run,
};
