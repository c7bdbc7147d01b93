/* The degree of an expression as a polynomial, from its program: constants have the degree 0,
 * variables 1; sums have the larger degree of their operands, products the sum of both. */
#include <math.h>
#include <string.h>

#include "base/expression_program.h"

/* An intermediate result; its value is known where its degree is zero. */
typedef struct operand {
    int degree;
    double value;
} operand;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Degrees are bounded, so that their sums do not overflow. */
static int bounded(double degree)
{
    return degree < OLO_EXPRESSION_NOT_POLYNOMIAL ? (int)degree : OLO_EXPRESSION_NOT_POLYNOMIAL;
}

static int degree_of_two(const char *name, const operand *x, const operand *y)
{
    const bool power = strcmp(name, "^") == 0 || strcmp(name, "pow") == 0;
    if (x->degree == 0 && y->degree == 0)
        return 0;
    if (strcmp(name, "+") == 0 || strcmp(name, "-") == 0)
        return larger(x->degree, y->degree);
    if (strcmp(name, "*") == 0)
        return bounded(x->degree + y->degree);
    if (strcmp(name, "/") == 0 && y->degree == 0)
        return x->degree;
    if (power && y->degree == 0 && y->value >= 0 && y->value == floor(y->value))
        return bounded(x->degree * y->value);
    return OLO_EXPRESSION_NOT_POLYNOMIAL;
}

int olo_expression_degree(const olo_expression *expression, size_t free_count, const double *x)
{
    operand stack[OLO_EXPRESSION_STACK];
    size_t top = 0;
    for (size_t i = 0; i < expression->code_count; i++) {
        const olo_instruction *instruction = &expression->code[i];
        const olo_function *f = instruction->with.function;
        switch (instruction->kind) {
        case OLO_PUSH_CONSTANT:
            stack[top++] = (operand){0, instruction->with.constant};
            break;
        case OLO_PUSH_VARIABLE:
            stack[top++] =
                (operand){instruction->with.index < free_count, x[instruction->with.index]};
            break;
        case OLO_APPLY:
            if (stack[top - 1].degree > 0 && strcmp(f->name, "negative") != 0)
                stack[top - 1].degree = OLO_EXPRESSION_NOT_POLYNOMIAL;
            stack[top - 1].value = f->value(stack[top - 1].value);
            break;
        case OLO_APPLY2:
            top--;
            stack[top - 1] = (operand){degree_of_two(f->name, &stack[top - 1], &stack[top]),
                                       f->value2(stack[top - 1].value, stack[top].value)};
            break;
        case OLO_JUMP:
        case OLO_JUMP_IF_ZERO:
            return OLO_EXPRESSION_NOT_POLYNOMIAL;
        }
    }
    return stack[0].degree;
}
