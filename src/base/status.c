/* Statuses and error texts. The list of statuses is errors.def; here it becomes three tables, and
 * the texts are written: truncated to the buffer, never in the middle of a UTF-8 character. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct description {
    const char *name;
    int exit_code;
    const char *text;
};

static const struct description descriptions[OLO_STATUS_COUNT] = {
#define OLO_ERROR(name, exit_code, text) [OLO_##name] = {#name, exit_code, text},
#include "oloid/errors.def"
#undef OLO_ERROR
};

/* A number that is no status is described as an internal error. */
static const struct description *describe(olo_status status)
{
    const unsigned index = (unsigned)status;
    return &descriptions[index < OLO_STATUS_COUNT ? index : (unsigned)OLO_INTERNAL];
}

/* Copies as much of `text` as fits into `size` bytes and ends it after a complete character. */
static void copy_truncated(char *to, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        // bytes 10xxxxxx continue a character: step back to where the cut one began
        while (length > 0 && ((unsigned char)text[length] & 0xC0U) == 0x80U)
            length--;
    }
    memcpy(to, text, length);
    to[length] = '\0';
}

/* One byte more than an error text holds, so that copy_truncated sees where a cut would fall. */
enum { SCRATCH_SIZE = OLO_ERROR_TEXT_SIZE + 1 };

static void format_text(char scratch[SCRATCH_SIZE], const char *format, va_list arguments)
{
    if (vsnprintf(scratch, SCRATCH_SIZE, format, arguments) < 0)
        scratch[0] = '\0';
}

olo_status olo_fail(olo_error *error, olo_status status, const char *format, ...)
{
    if (error == NULL)
        return status;
    // through a scratch buffer, since an argument may be the text of `error`
    char scratch[SCRATCH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_text(scratch, format, arguments);
    va_end(arguments);

    error->status = status;
    copy_truncated(error->text, sizeof error->text, scratch);
    return status;
}

olo_status olo_fail_context(olo_error *error, olo_status status, const char *format, ...)
{
    if (error == NULL || status == OLO_OK)
        return status;
    char context[SCRATCH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_text(context, format, arguments);
    va_end(arguments);

    // a cause without a text is described by its status
    const char *cause = error->text[0] != '\0' ? error->text : olo_status_text(status);
    char joined[2 * SCRATCH_SIZE + 2];
    (void)snprintf(joined, sizeof joined, "%s: %s", context, cause);

    error->status = status;
    copy_truncated(error->text, sizeof error->text, joined);
    return status;
}

const char *olo_status_name(olo_status status)
{
    return describe(status)->name;
}

const char *olo_status_text(olo_status status)
{
    return describe(status)->text;
}

int olo_status_exit_code(olo_status status)
{
    return describe(status)->exit_code;
}
