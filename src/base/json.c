/* JSON as of RFC 8259, indented for readers. */
#include "base/json.h"

#include <math.h>
#include <string.h>

static void put(const olo_json *json, const char *bytes, size_t length)
{
    if (json->page != NULL)
        olo_text_add(json->page, bytes, length);
    else
        (void)fwrite(bytes, 1, length, json->out);
}

static void put_words(const olo_json *json, const char *words)
{
    put(json, words, strlen(words));
}

static void put_string(const olo_json *json, const char *text)
{
    put_words(json, "\"");
    for (const char *s = text; *s != '\0';) {
        const size_t length = olo_utf8_length(s);
        const unsigned char c = (unsigned char)*s;
        char escaped[8] = "";
        if (length == 0)
            (void)snprintf(escaped, sizeof escaped, "\\ufffd"); // the replacement character
        else if (c == '"' || c == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c == '\n' || c == '\t')
            (void)snprintf(escaped, sizeof escaped, "\\%c", c == '\n' ? 'n' : 't');
        else if (c < 0x20 || c == 0x7f || (c == '<' && json->page != NULL))
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", c);
        if (escaped[0] != '\0')
            put_words(json, escaped);
        else
            put(json, s, length);
        s += length > 0 ? length : 1;
    }
    put_words(json, "\"");
}

static void indent(const olo_json *json)
{
    if (json->page == NULL)
        (void)fprintf(json->out, "\n%*s", 2 * json->depth, "");
}

/* Writes what precedes every value: comma, new line, key. */
static void begin_value(olo_json *json, const char *key)
{
    if (json->depth > 0) {
        bool *filled = &json->filled[json->depth - 1];
        if (*filled)
            put_words(json, ",");
        *filled = true;
        indent(json);
    }
    if (key != NULL) {
        put_string(json, key);
        put_words(json, json->page != NULL ? ":" : ": ");
    }
}

void olo_json_open(olo_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    put(json, &bracket, 1);
    json->closing[json->depth] = bracket == '{' ? '}' : ']';
    json->filled[json->depth] = false;
    json->depth++;
}

void olo_json_close(olo_json *json)
{
    json->depth--;
    if (json->filled[json->depth])
        indent(json);
    put(json, &json->closing[json->depth], 1);
    if (json->depth == 0 && json->page == NULL)
        put_words(json, "\n");
}

void olo_json_text(olo_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text != NULL)
        put_string(json, text);
    else
        put_words(json, "null");
}

/* 17 digits represent a double exactly. */
static void put_number(const olo_json *json, double value)
{
    char digits[32] = "null";
    if (isfinite(value))
        (void)snprintf(digits, sizeof digits, "%.17g", value);
    put_words(json, digits);
}

void olo_json_number(olo_json *json, const char *key, double value)
{
    begin_value(json, key);
    put_number(json, value);
}

void olo_json_integer(olo_json *json, const char *key, long value)
{
    char digits[32];
    begin_value(json, key);
    (void)snprintf(digits, sizeof digits, "%ld", value);
    put_words(json, digits);
}

void olo_json_bool(olo_json *json, const char *key, bool value)
{
    begin_value(json, key);
    put_words(json, value ? "true" : "false");
}

void olo_json_numbers(olo_json *json, const char *key, const double *values, size_t count)
{
    begin_value(json, key);
    put_words(json, "[");
    for (size_t i = 0; i < count; i++) {
        put_words(json, i > 0 ? "," : "");
        put_number(json, values[i]);
    }
    put_words(json, "]");
}

void olo_json_bytes(olo_json *json, const char *key, const void *bytes, size_t size)
{
    begin_value(json, key);
    put_words(json, "\"");
    olo_text_base64(json->page, bytes, size);
    put_words(json, "\"");
}
