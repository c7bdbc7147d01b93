/* The lexer of expressions: splits text into numbers, names and symbols, and reports errors with
 * their column. Characters are those of the C locale, whatever locale the program runs in. */
#ifndef OLO_BASE_EXPRESSION_LEXER_H
#define OLO_BASE_EXPRESSION_LEXER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"

typedef enum olo_token_kind {
    OLO_TOKEN_END,
    OLO_TOKEN_NUMBER,
    OLO_TOKEN_NAME,
    OLO_TOKEN_SYMBOL
} olo_token_kind;

enum { OLO_LEXER_WORD = 161 }; /* names may have one character less */

typedef struct olo_lexer {
    const char *text;
    size_t length;
    /* the current token: its kind, and its bytes [start, end) */
    olo_token_kind kind;
    size_t start, end;
    double number;
    char word[OLO_LEXER_WORD]; /* of a name or symbol; truncated to this size */
    size_t *column;            /* receives errors; may be NULL */
    olo_error *error;
} olo_lexer;

/* Initialises the lexer before the first token. The lexer owns nothing and stores the pointers. */
void olo_lexer_create(olo_lexer *lexer, const char *text, size_t *column, olo_error *error);

/* Advances to the next token; at the end it is always OLO_TOKEN_END. */
olo_status olo_lexer_advance(olo_lexer *lexer);

/* True if the current token is this symbol (also and, or, not). */
bool olo_lexer_at(const olo_lexer *lexer, const char *symbol);

/* Fails with OLO_BAD_INPUT and "<message> at column <at + 1> of '<text>'", and "; did you mean
 * '<suggestion>'?" if that is not NULL. Of a long text only what is near the column is shown. */
olo_status olo_lexer_fail(olo_lexer *lexer, size_t at, const char *suggestion, const char *format,
                          ...) OLO_PRINTF(4, 5);

#endif
