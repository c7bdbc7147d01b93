/* Writing JSON. Strings are escaped and made valid UTF-8, numbers have 17 digits, numbers that are
 * not finite are null. `key` is NULL inside an array and for the outermost value.
 *
 *     cli_json json = {.out = stdout};
 *     cli_json_open(&json, NULL, '{');
 *     cli_json_integer(&json, "steps", 1000);
 *     cli_json_close(&json);
 */
#ifndef OLO_CLI_JSON_H
#define OLO_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 8 };

typedef struct cli_json {
    FILE *out;
    int depth;
    char closing[CLI_JSON_DEPTH]; /* brackets that are open */
    bool filled[CLI_JSON_DEPTH];  /* whether they have an item already */
} cli_json;

/* Opens an object '{' or an array '[', and closes the innermost one. */
void cli_json_open(cli_json *json, const char *key, char bracket);
void cli_json_close(cli_json *json);

/* NULL text is null. */
void cli_json_text(cli_json *json, const char *key, const char *text);
void cli_json_number(cli_json *json, const char *key, double value);
void cli_json_integer(cli_json *json, const char *key, long value);
void cli_json_bool(cli_json *json, const char *key, bool value);

#endif
