/* Expressions of a model file: text such as `tan(0.16*pi)*l` compiled to a flat program that
 * evaluates values and exact derivatives.
 *
 * Language
 *   numbers        1  .5  1e-3
 *   names          the caller's variables, which may have dots inside (tip.position.x); the
 *                  constants pi, e, deg (= pi/180)
 *   operators      from loose to tight:  or ||   and &&   not   < <= > >= == !=   + -   * /
 *                  unary + - !   ^ ** (from the right, so -2^2 = -4, 2^-1 = 0.5, 2^3^2 = 512)
 *   functions      sin cos tan asin acos atan atan2(y,x) sinh cosh tanh exp log log10 sqrt abs sign
 *                  floor ceil min(a,...) max(a,...) mod(x,y) pow(x,y) hypot(x,y) if(c,a,b)
 *                  step(x) (0 for x < 0, else 1) clamp(x,low,high)
 * Comparisons and logic return 1 or 0 and cannot be chained (write `0 < x and x < 1`). mod has the
 * sign of its divisor. Only the taken branch of `if` is evaluated; a NaN condition counts as true.
 * min, max, clamp, sign and step propagate a NaN. A caller's variable hides a constant of that
 * name.
 *
 * A compiled expression is constant: any number of threads may evaluate it. Evaluation allocates
 * nothing. Results that are not finite are returned as they are; the caller checks. */
#ifndef OLO_BASE_EXPRESSION_H
#define OLO_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/status.h"

enum {
    OLO_EXPRESSION_MAX_LENGTH = 10000, /* bytes of text */
    OLO_EXPRESSION_MAX_NESTING = 64,   /* parentheses, calls, prefix operators, powers of powers */
    OLO_EXPRESSION_MAX_OPERATIONS = 4096, /* operands, operators and calls */
    OLO_EXPRESSION_MAX_ORDER = 3          /* of derivatives along a direction */
};

typedef struct olo_expression olo_expression;

/* Compiles `text` over the variables `names[0..count)`; the program refers to them by index and
 * does not store the list. On success the caller owns `*expression`. On failure `*expression` is
 * NULL, the status is OLO_BAD_INPUT with a text such as "expected ')' at column 8 of 'sin(2*x'", or
 * OLO_NO_MEMORY. `column`, if not NULL, receives the column of the error in bytes from 1, and 0
 * when there is none. */
olo_status olo_expression_compile(const char *text, const char *const *names, size_t count,
                                  olo_expression **expression, size_t *column, olo_error *error);

/* f(x). */
double olo_expression_value(const olo_expression *expression, const double *x);

/* Derivatives along a direction: d^k/ds^k f(x + s dx) at s = 0 for k = 0..order, into order + 1
 * numbers; order is at most OLO_EXPRESSION_MAX_ORDER. Exact up to round-off. Where f has branches
 * (if, min, max, abs, clamp, floor, ...) the derivatives are those of the branch taken at x. */
void olo_expression_taylor(const olo_expression *expression, const double *x, const double *dx,
                           int order, double *derivatives);

/* D2f(x)[u, v], the second derivative along two directions. */
double olo_expression_second(const olo_expression *expression, const double *x, const double *u,
                             const double *v);

/* The degree of f as a polynomial of its first `free_count` variables, as its operations show it,
 * for the given values of the others; OLO_EXPRESSION_NOT_POLYNOMIAL if it is none, or one of a
 * larger degree. */
enum { OLO_EXPRESSION_NOT_POLYNOMIAL = 1000 };
int olo_expression_degree(const olo_expression *expression, size_t free_count, const double *x);

/* True if the text contains a variable, in any branch. */
bool olo_expression_uses(const olo_expression *expression, size_t variable);

/* The variables that are used, ascending, each once; the list belongs to the expression. */
size_t olo_expression_used(const olo_expression *expression, const size_t **variables);

/* True if no variable is used; `x` may then be NULL in olo_expression_value. */
bool olo_expression_is_constant(const olo_expression *expression);

/* Frees an expression; NULL is allowed. Returns NULL. */
olo_expression *olo_expression_free(olo_expression *expression);

/* Visits the names with dots in a text, in its order, equal ones more than once. Stops where the
 * text is no expression, or where `visit` returns false. */
void olo_expression_dotted_names(const char *text, void *context,
                                 bool (*visit)(void *context, const char *name));

/* True if a name is an identifier: a letter or _ followed by letters, digits and _. */
bool olo_expression_is_identifier(const char *name);

/* True if the language itself uses a name (function, constant, and/or/not, inf, nan). */
bool olo_expression_is_reserved(const char *name);

#endif
