/* Remarks that are no failures. There is no global logger and the library never prints: whoever
 * wants to hear warnings passes an `olo_log` down, and its callback decides what they become. */
#ifndef OLO_BASE_LOG_H
#define OLO_BASE_LOG_H

#include "base/fail.h"

enum { OLO_LOG_INFO, OLO_LOG_WARNING };

/* Where remarks go. `write` gets one line of text without a newline, valid during the call. */
typedef struct olo_log {
    void (*write)(void *context, int level, const char *text);
    void *context;
} olo_log;

/* Formats a remark (truncated to OLO_ERROR_TEXT_SIZE) and hands it to the callback. A NULL log, or
 * one without a callback, is silent. */
void olo_log_write(const olo_log *log, int level, const char *format, ...) OLO_PRINTF(3, 4);

#endif
