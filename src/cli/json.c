/* JSON as of RFC 8259, indented for people. */
#include "cli/json.h"

#include <math.h>

/* Length of the UTF-8 character at `s`, 0 if the bytes are no such character (RFC 3629: no
 * overlong forms, no surrogates, nothing above U+10FFFF). */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) {
        return 1;
    }
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                     (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

static void write_string(FILE *out, const char *text)
{
    (void)fputc('"', out);
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        const size_t length = utf8_length(s);
        if (length == 0) {
            (void)fputs("\\ufffd", out); // the replacement character
        } else if (*s == '"' || *s == '\\') {
            (void)fprintf(out, "\\%c", *s);
        } else if (*s == '\n') {
            (void)fputs("\\n", out);
        } else if (*s == '\t') {
            (void)fputs("\\t", out);
        } else if (*s < 0x20 || *s == 0x7f) {
            (void)fprintf(out, "\\u%04x", *s);
        } else {
            (void)fwrite(s, 1, length, out);
        }
        s += length > 0 ? length : 1;
    }
    (void)fputc('"', out);
}

static void indent(const cli_json *json)
{
    (void)fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* What precedes every value: comma, line, key. */
static void begin_value(cli_json *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled) {
            (void)fputc(',', json->out);
        }
        *filled = true;
        indent(json);
    }
    if (key != NULL) {
        write_string(json->out, key);
        (void)fputs(": ", json->out);
    }
}

void cli_json_open(cli_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    (void)fputc(bracket, json->out);
    json->closing[json->depth] = bracket == '{' ? '}' : ']';
    json->filled[json->depth] = false;
    json->depth++;
}

void cli_json_close(cli_json *json)
{
    json->depth--;
    if (json->filled[json->depth]) {
        indent(json);
    }
    (void)fputc(json->closing[json->depth], json->out);
    if (json->depth == 0) {
        (void)fputc('\n', json->out);
    }
}

void cli_json_text(cli_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text != NULL) {
        write_string(json->out, text);
    } else {
        (void)fputs("null", json->out);
    }
}

void cli_json_number(cli_json *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value)) {
        (void)fprintf(json->out, "%.17g", value);
    } else {
        (void)fputs("null", json->out);
    }
}

void cli_json_integer(cli_json *json, const char *key, long value)
{
    begin_value(json, key);
    (void)fprintf(json->out, "%ld", value);
}

void cli_json_bool(cli_json *json, const char *key, bool value)
{
    begin_value(json, key);
    (void)fputs(value ? "true" : "false", json->out);
}
