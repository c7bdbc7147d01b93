/* Tokens of expressions, and errors that point at a column of the text. */
#include "base/expression_lexer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"

/* Longer symbols first. */
static const char *const symbols[] = {"<=", ">=", "==", "!=", "&&", "||", "**", "+", "-",
                                      "*",  "/",  "^",  "<",  ">",  "(",  ")",  ",", "!"};

enum { SYMBOL_COUNT = sizeof symbols / sizeof symbols[0] };

/* Characters, independent of the locale ------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || is_digit(c);
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Bytes of the well-formed UTF-8 character at `text`, or 0. */
static size_t utf8_length(const char *text)
{
    unsigned char lead = (unsigned char)text[0];
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Errors -------------------------------------------------------------------------------------- */

enum {
    EXCERPT_BEFORE = 48,
    EXCERPT_AFTER = 24,
    EXCERPT_SIZE = EXCERPT_BEFORE + EXCERPT_AFTER + 16
};

static char *put_dots(char *out)
{
    out[0] = out[1] = out[2] = '.';
    return out + 3;
}

/* The text around byte `at`, printable in any message: at most 72 bytes, dots where it is cut, '?'
 * for control characters and broken UTF-8. */
static void excerpt(const char *text, size_t length, size_t at, char *out)
{
    size_t size = EXCERPT_BEFORE + EXCERPT_AFTER;
    size_t first = length <= size || at <= EXCERPT_BEFORE ? 0 : at - EXCERPT_BEFORE;
    size_t last = length - first <= size ? length : first + size;
    for (int i = 0; i < 3 && first > 0 && ((unsigned char)text[first] & 0xc0) == 0x80; i++)
        first--; /* do not cut a character, which has at most 4 bytes */
    if (first > 0)
        out = put_dots(out);
    for (size_t i = first; i < last;) {
        size_t bytes = utf8_length(text + i);
        if (bytes == 0 || is_control(text[i])) {
            *out++ = '?';
            i++;
        } else {
            memcpy(out, text + i, bytes);
            out += bytes;
            i += bytes;
        }
    }
    if (last < length)
        out = put_dots(out);
    *out = '\0';
}

olo_status olo_lexer_fail(olo_lexer *lexer, size_t at, const char *suggestion, const char *format,
                          ...)
{
    char message[256], around[EXCERPT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    excerpt(lexer->text, lexer->length, at, around);
    if (lexer->column != NULL)
        *lexer->column = at + 1;
    bool suggested = suggestion != NULL;
    return olo_fail(lexer->error, OLO_BAD_INPUT, "%s at column %zu of '%s'%s%s%s", message, at + 1,
                    around, suggested ? "; did you mean '" : "", suggested ? suggestion : "",
                    suggested ? "'?" : "");
}

/* Tokens -------------------------------------------------------------------------------------- */

/* The value of the decimal number text[start..end). Its digits go to strtod without the decimal
 * point (moved into the exponent), since the point that strtod expects depends on the locale. */
static double decimal(const char *text, size_t start, size_t end)
{
    char digits[OLO_EXPRESSION_MAX_LENGTH + 32];
    size_t count = 0, i = start;
    long after_point = 0, exponent = 0;
    bool point = false;
    for (; i < end && (is_digit(text[i]) || text[i] == '.'); i++) {
        if (text[i] == '.') {
            point = true;
        } else {
            digits[count++] = text[i];
            after_point += point;
        }
    }
    if (i < end) {
        /* an exponent beyond that of any number of digits */
        static const long enough = 100000;
        bool negative = text[i + 1] == '-';
        for (i += text[i + 1] == '-' || text[i + 1] == '+' ? 2 : 1; i < end; i++)
            exponent = exponent < enough ? exponent * 10 + (text[i] - '0') : enough;
        exponent = negative ? -exponent : exponent;
    }
    snprintf(digits + count, sizeof digits - count, "e%ld", exponent - after_point);
    return strtod(digits, NULL);
}

static olo_status read_number(olo_lexer *lexer)
{
    const char *text = lexer->text;
    size_t i = lexer->start;
    while (is_digit(text[i]))
        i++;
    if (text[i] == '.') {
        i++;
        while (is_digit(text[i]))
            i++;
    }
    if (text[i] == 'e' || text[i] == 'E') {
        size_t first = i + 1 + (text[i + 1] == '+' || text[i + 1] == '-');
        if (is_digit(text[first]))
            for (i = first; is_digit(text[i]);)
                i++;
    }
    lexer->kind = OLO_TOKEN_NUMBER;
    lexer->end = i;
    lexer->number = decimal(text, lexer->start, i);
    if (!isfinite(lexer->number))
        return olo_lexer_fail(lexer, lexer->start, NULL, "number is too large");
    return OLO_OK;
}

static void take_word(olo_lexer *lexer, olo_token_kind kind, size_t length)
{
    size_t copied = length < OLO_LEXER_WORD ? length : OLO_LEXER_WORD - 1;
    lexer->kind = kind;
    lexer->end = lexer->start + length;
    memcpy(lexer->word, lexer->text + lexer->start, copied);
    lexer->word[copied] = '\0';
}

static olo_status read_symbol(olo_lexer *lexer)
{
    const char *text = lexer->text + lexer->start;
    for (size_t i = 0; i < SYMBOL_COUNT; i++) {
        size_t length = strlen(symbols[i]);
        if (strncmp(text, symbols[i], length) == 0) {
            take_word(lexer, OLO_TOKEN_SYMBOL, length);
            return OLO_OK;
        }
    }
    if (is_control(*text))
        return olo_lexer_fail(lexer, lexer->start, NULL, "control character (code %d)", *text);
    if (*text == '=')
        return olo_lexer_fail(lexer, lexer->start, "==", "unexpected character '='");
    size_t length = utf8_length(text);
    return length == 0 ? olo_lexer_fail(lexer, lexer->start, NULL, "text is not UTF-8")
                       : olo_lexer_fail(lexer, lexer->start, NULL, "unexpected character '%.*s'",
                                        (int)length, text);
}

void olo_lexer_create(olo_lexer *lexer, const char *text, size_t *column, olo_error *error)
{
    *lexer = (olo_lexer){.text = text, .length = strlen(text), .column = column, .error = error};
    if (column != NULL)
        *column = 0;
}

olo_status olo_lexer_advance(olo_lexer *lexer)
{
    const char *text = lexer->text;
    lexer->start = lexer->end;
    while (text[lexer->start] == ' ')
        lexer->start++;
    lexer->word[0] = '\0';
    char c = text[lexer->start];
    if (lexer->start >= lexer->length) {
        lexer->kind = OLO_TOKEN_END;
        lexer->end = lexer->start;
        return OLO_OK;
    }
    if (is_digit(c) || (c == '.' && is_digit(text[lexer->start + 1])))
        return read_number(lexer);
    if (!is_name_start(c))
        return read_symbol(lexer);
    size_t i = lexer->start;
    while (is_name_part(text[i]) || (text[i] == '.' && is_name_part(text[i + 1])))
        i++;
    take_word(lexer, OLO_TOKEN_NAME, i - lexer->start);
    if (strcmp(lexer->word, "and") == 0 || strcmp(lexer->word, "or") == 0 ||
        strcmp(lexer->word, "not") == 0)
        lexer->kind = OLO_TOKEN_SYMBOL;
    return OLO_OK;
}

bool olo_lexer_at(const olo_lexer *lexer, const char *symbol)
{
    return lexer->kind == OLO_TOKEN_SYMBOL && strcmp(lexer->word, symbol) == 0;
}

bool olo_expression_is_identifier(const char *name)
{
    if (!is_name_start(name[0]))
        return false;
    while (is_name_part(*name))
        name++;
    return *name == '\0';
}

void olo_expression_dotted_names(const char *text, void *context,
                                 bool (*visit)(void *context, const char *name))
{
    olo_error error;
    olo_lexer lexer;
    olo_lexer_create(&lexer, text, NULL, &error);
    while (olo_lexer_advance(&lexer) == OLO_OK && lexer.kind != OLO_TOKEN_END)
        if (lexer.kind == OLO_TOKEN_NAME && strchr(lexer.word, '.') && !visit(context, lexer.word))
            return;
}
