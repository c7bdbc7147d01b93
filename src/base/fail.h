/* Setting and extending error texts. A text is set once where the cause is known, passed up
 * unchanged, and extended by context where that is known. */
#ifndef OLO_BASE_FAIL_H
#define OLO_BASE_FAIL_H

#include "oloid/status.h"

#if defined(__GNUC__)
#define OLO_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define OLO_PRINTF(text, first)
#endif

/* Sets status and text (truncated to the buffer) and returns the status. `error` may be NULL. */
olo_status olo_fail(olo_error *error, olo_status status, const char *format, ...) OLO_PRINTF(3, 4);

/* Puts "context: " before the present text and returns the status. `error` may be NULL. */
olo_status olo_fail_context(olo_error *error, olo_status status, const char *format, ...)
    OLO_PRINTF(3, 4);

#endif
