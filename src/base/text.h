/* A text that grows: the contents of a file or a page before it is written. After the first failure
 * (out of memory) nothing more is added, so that many small additions need no checks. */
#ifndef OLO_BASE_TEXT_H
#define OLO_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"

/* Initialise with `{0}`. */
typedef struct olo_text {
    char *bytes; /* not ended by a zero byte */
    size_t length, capacity;
    bool failed; /* memory was exhausted */
} olo_text;

void olo_text_add(olo_text *text, const char *bytes, size_t length);
void olo_text_put(olo_text *text, const char *words);
/* At most 1000 letters. */
void olo_text_format(olo_text *text, const char *format, ...) OLO_PRINTF(2, 3);
/* Bytes in base64 (RFC 4648, with padding). */
void olo_text_base64(olo_text *text, const void *bytes, size_t size);
/* A text inside HTML or XML: & < > " ' are escaped, invalid UTF-8 is replaced. */
void olo_text_escaped(olo_text *text, const char *words);
void olo_text_free(olo_text *text);

/* Length of the UTF-8 character at `s`, 0 if the bytes are no such character (RFC 3629: no overlong
 * forms, no surrogates, nothing above U+10FFFF). */
size_t olo_utf8_length(const char *s);

#endif
