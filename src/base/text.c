/* A text that grows. */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static char *reserve(olo_text *text, size_t more)
{
    if (text->failed)
        return NULL;
    if (text->capacity - text->length < more) {
        size_t capacity = 2 * text->capacity > 4096 ? 2 * text->capacity : 4096;
        capacity = capacity - text->length < more ? text->length + more : capacity;
        char *bytes = olo_realloc(text->bytes, text->capacity, capacity, 1);
        if (bytes == NULL) {
            text->failed = true;
            return NULL;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    return text->bytes + text->length;
}

void olo_text_add(olo_text *text, const char *bytes, size_t length)
{
    char *to = reserve(text, length);
    if (to != NULL && length > 0) {
        memcpy(to, bytes, length);
        text->length += length;
    }
}

void olo_text_put(olo_text *text, const char *words)
{
    olo_text_add(text, words, strlen(words));
}

void olo_text_format(olo_text *text, const char *format, ...)
{
    char words[1001];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    olo_text_put(text, words);
}

void olo_text_base64(olo_text *text, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    char *to = reserve(text, (size + 2) / 3 * 4);
    if (to == NULL)
        return;
    for (size_t i = 0; i < size; i += 3) {
        const size_t remaining = size - i;
        const uint32_t bits = (uint32_t)from[i] << 16 |
                              (remaining > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                              (remaining > 2 ? (uint32_t)from[i + 2] : 0);
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = remaining > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = remaining > 2 ? digits[bits & 63] : '=';
    }
    text->length += (size + 2) / 3 * 4;
}

size_t olo_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                     (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

/* The escape sequence of a character that is special in HTML or XML; NULL: none. */
static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        // XML allows no control characters but white space
        return (unsigned char)c < 0x20 && strchr("\t\n\r", c) == NULL ? "\xef\xbf\xbd" : NULL;
    }
}

void olo_text_escaped(olo_text *text, const char *words)
{
    for (const char *s = words; *s != '\0';) {
        const size_t length = olo_utf8_length(s);
        const char *instead = length == 0 ? "\xef\xbf\xbd" : entity(*s);
        if (instead != NULL)
            olo_text_put(text, instead);
        else
            olo_text_add(text, s, length);
        s += length > 0 ? length : 1;
    }
}

void olo_text_free(olo_text *text)
{
    olo_free(text->bytes);
    *text = (olo_text){0};
}
