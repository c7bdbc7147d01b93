/* The compiled form of an expression, shared by its compiler and its evaluation: a program for a
 * stack machine, and the table of functions and operators it calls. */
#ifndef OLO_BASE_EXPRESSION_PROGRAM_H
#define OLO_BASE_EXPRESSION_PROGRAM_H

#include <stddef.h>

#include "base/expression.h"
#include "base/expression_jet.h"

/* Largest number of intermediate values; the compiler checks it, so that evaluation need not. */
enum { OLO_EXPRESSION_STACK = 128 };

/* A function or operator of one argument (`value`, `derivatives`) or of two (`value2`, `jet2`).
 * Without derivatives it is constant on each of its branches. */
typedef struct olo_function {
    const char *name;
    double (*value)(double x);
    void (*derivatives)(double x, double *g); /* g = f, f', f'', f''' at x */
    double (*value2)(double x, double y);
    void (*jet2)(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
} olo_function;

/* The function with this name, or NULL; `if` and `clamp` are listed without value functions. */
const olo_function *olo_function_find(const char *name);

/* The operator: a symbol such as "+", "and", "not", or "negative" for the sign; or NULL. */
const olo_function *olo_operator_find(const char *symbol);

/* The function whose name is most similar to `word`, or NULL. */
const char *olo_function_suggest(const char *word);

/* f of a jet, for a function of one argument or of two. The result must not alias an argument. */
void olo_function_jet(const olo_function *function, int kind, const olo_jet *x, olo_jet *result);
void olo_function_jet2(const olo_function *function, int kind, const olo_jet *x, const olo_jet *y,
                       olo_jet *result);

typedef enum olo_instruction_kind {
    OLO_PUSH_CONSTANT,
    OLO_PUSH_VARIABLE,
    OLO_APPLY,        /* function of the top value */
    OLO_APPLY2,       /* function of the two top values */
    OLO_JUMP,         /* to instruction `index`, always forward */
    OLO_JUMP_IF_ZERO, /* the same, if the popped top is 0 */
} olo_instruction_kind;

typedef struct olo_instruction {
    olo_instruction_kind kind;
    union {
        double constant;
        size_t index;
        const olo_function *function;
    } with;
} olo_instruction;

struct olo_expression {
    size_t variable_count;
    olo_instruction *code;
    size_t code_count, code_capacity;
    size_t *used; /* ascending */
    size_t used_count, used_capacity;
};

#endif
