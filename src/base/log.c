/* Formatting of remarks; see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void olo_log_write(const olo_log *log, int level, const char *format, ...)
{
    if (log == NULL || log->write == NULL) {
        return;
    }
    char text[OLO_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        log->write(log->context, level, text);
    }
}
