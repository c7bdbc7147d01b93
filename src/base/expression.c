/* Evaluation of compiled expressions: one loop for plain values, one for values with derivatives
 * along one direction (Taylor) or two (mixed). See expression_functions.c for the chain rule. */
#include <string.h>

#include "base/expression_program.h"
#include "base/memory.h"

/* The stack is not initialised: in a compiled program no value is read before it is pushed, no more
 * values are popped than were pushed, and exactly one value remains. The analyzer cannot prove
 * this. NOLINTBEGIN(clang-analyzer-core.*) */

double olo_expression_value(const olo_expression *expression, const double *x)
{
    double stack[OLO_EXPRESSION_STACK];
    size_t top = 0; /* one above the last value */
    for (size_t i = 0; i < expression->code_count; i++) {
        const olo_instruction *instruction = &expression->code[i];
        switch (instruction->kind) {
        case OLO_PUSH_CONSTANT:
            stack[top++] = instruction->with.constant;
            break;
        case OLO_PUSH_VARIABLE:
            stack[top++] = x[instruction->with.index];
            break;
        case OLO_APPLY:
            stack[top - 1] = instruction->with.function->value(stack[top - 1]);
            break;
        case OLO_APPLY2:
            top--;
            stack[top - 1] = instruction->with.function->value2(stack[top - 1], stack[top]);
            break;
        case OLO_JUMP:
            i = instruction->with.index - 1;
            break;
        case OLO_JUMP_IF_ZERO:
            if (stack[--top] == 0)
                i = instruction->with.index - 1;
            break;
        }
    }
    return stack[0];
}

/* x with the directions u and, of a mixed jet, v */
static olo_jet variable_jet(int kind, const double *x, const double *u, const double *v,
                            size_t variable)
{
    olo_jet jet = {{x[variable], 0, 0, 0}};
    if (kind > 0)
        jet.c[1] = u[variable];
    if (kind == OLO_JET_MIXED)
        jet.c[2] = v[variable];
    return jet;
}

static olo_jet evaluate(const olo_expression *expression, int kind, const double *x,
                        const double *u, const double *v)
{
    olo_jet stack[OLO_EXPRESSION_STACK];
    size_t top = 0;
    for (size_t i = 0; i < expression->code_count; i++) {
        const olo_instruction *instruction = &expression->code[i];
        olo_jet result;
        switch (instruction->kind) {
        case OLO_PUSH_CONSTANT:
            stack[top++] = (olo_jet){{instruction->with.constant, 0, 0, 0}};
            break;
        case OLO_PUSH_VARIABLE:
            stack[top++] = variable_jet(kind, x, u, v, instruction->with.index);
            break;
        case OLO_APPLY:
            olo_function_jet(instruction->with.function, kind, &stack[top - 1], &result);
            stack[top - 1] = result;
            break;
        case OLO_APPLY2:
            top--;
            olo_function_jet2(instruction->with.function, kind, &stack[top - 1], &stack[top],
                              &result);
            stack[top - 1] = result;
            break;
        case OLO_JUMP:
            i = instruction->with.index - 1;
            break;
        case OLO_JUMP_IF_ZERO:
            if (stack[--top].c[0] == 0)
                i = instruction->with.index - 1;
            break;
        }
    }
    return stack[0];
}

/* NOLINTEND(clang-analyzer-core.*) */

void olo_expression_taylor(const olo_expression *expression, const double *x, const double *dx,
                           int order, double *derivatives)
{
    olo_jet jet = evaluate(expression, order, x, dx, NULL);
    memcpy(derivatives, jet.c, (size_t)(order + 1) * sizeof *derivatives);
}

double olo_expression_second(const olo_expression *expression, const double *x, const double *u,
                             const double *v)
{
    return evaluate(expression, OLO_JET_MIXED, x, u, v).c[3];
}

bool olo_expression_uses(const olo_expression *expression, size_t variable)
{
    for (size_t k = 0; k < expression->used_count; k++)
        if (expression->used[k] == variable)
            return true;
    return false;
}

size_t olo_expression_used(const olo_expression *expression, const size_t **variables)
{
    *variables = expression->used;
    return expression->used_count;
}

bool olo_expression_is_constant(const olo_expression *expression)
{
    return expression->used_count == 0;
}

olo_expression *olo_expression_free(olo_expression *expression)
{
    if (expression != NULL) {
        olo_free(expression->code);
        olo_free(expression->used);
    }
    return olo_free(expression);
}
