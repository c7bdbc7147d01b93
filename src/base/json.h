/* Writing JSON. Strings are escaped and made valid UTF-8, numbers have 17 digits, numbers that are
 * not finite are null. `key` is NULL inside an array and for the outermost value.
 *
 *     olo_json json = {.out = stdout};
 *     olo_json_open(&json, NULL, '{');
 *     olo_json_integer(&json, "steps", 1000);
 *     olo_json_close(&json);
 *
 * With a growing text instead of a stream the output is for a page: without white space, and with
 * '<' escaped, so that no name can end the enclosing script element. */
#ifndef OLO_BASE_JSON_H
#define OLO_BASE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

enum { OLO_JSON_DEPTH = 8 };

typedef struct olo_json {
    FILE *out;      /* either a stream */
    olo_text *page; /* or a text */
    int depth;
    char closing[OLO_JSON_DEPTH]; /* number of open brackets */
    bool filled[OLO_JSON_DEPTH];  /* whether each has an item already */
} olo_json;

/* Opens an object '{' or an array '[', and closes the innermost one. */
void olo_json_open(olo_json *json, const char *key, char bracket);
void olo_json_close(olo_json *json);

/* NULL text is null. */
void olo_json_text(olo_json *json, const char *key, const char *text);
void olo_json_number(olo_json *json, const char *key, double value);
void olo_json_integer(olo_json *json, const char *key, long value);
void olo_json_bool(olo_json *json, const char *key, bool value);
/* A list of numbers, [1,2,3]. */
void olo_json_numbers(olo_json *json, const char *key, const double *values, size_t count);
/* Bytes as a text in base64, for a page. */
void olo_json_bytes(olo_json *json, const char *key, const void *bytes, size_t size);

#endif
