/* The compiler of expressions: tokens to the program of a stack machine, in one pass.
 *
 * Precedence climbing: `binary(level)` reads an operand and then all operators that bind at least
 * as tightly as `level`. Operands are emitted before their operator, so that the order of emission
 * is the order of evaluation. Operations on constants are carried out here. */
#include <string.h>

#include "base/expression_lexer.h"
#include "base/expression_program.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"

typedef struct parser {
    olo_lexer lexer;
    const char *const *names;
    size_t name_count;
    /* counts: open levels, operations, values on the stack at this point */
    size_t nesting, operations, depth;
    /* the program, and the instruction after which no jump target lies, so that constants may be
     * folded */
    olo_expression *program;
    size_t fold_from;
} parser;

/* Levels of binding, from loose to tight. */
enum {
    LEVEL_OR = 1,
    LEVEL_AND,
    LEVEL_COMPARISON,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN,
    LEVEL_POWER
};

typedef struct binary_operator {
    const char *symbol, *function;
    int level;
} binary_operator;

static const binary_operator binary_operators[] = {
    {"or", "or", LEVEL_OR},         {"||", "or", LEVEL_OR},         {"and", "and", LEVEL_AND},
    {"&&", "and", LEVEL_AND},       {"<", "<", LEVEL_COMPARISON},   {"<=", "<=", LEVEL_COMPARISON},
    {">", ">", LEVEL_COMPARISON},   {">=", ">=", LEVEL_COMPARISON}, {"==", "==", LEVEL_COMPARISON},
    {"!=", "!=", LEVEL_COMPARISON}, {"+", "+", LEVEL_SUM},          {"-", "-", LEVEL_SUM},
    {"*", "*", LEVEL_PRODUCT},      {"/", "/", LEVEL_PRODUCT},      {"^", "^", LEVEL_POWER},
    {"**", "^", LEVEL_POWER},
};

static const char *const constant_names[] = {"pi", "e", "deg"};
static const double constants[] = {3.14159265358979323846, 2.71828182845904523536,
                                   0.01745329251994329577};

enum {
    BINARY_OPERATOR_COUNT = sizeof binary_operators / sizeof binary_operators[0],
    CONSTANT_COUNT = sizeof constants / sizeof constants[0]
};

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory while reading an expression");
}

/* Emission ------------------------------------------------------------------------------------ */

static olo_status emit(parser *p, olo_instruction instruction)
{
    olo_expression *program = p->program;
    if (++p->operations > OLO_EXPRESSION_MAX_OPERATIONS) {
        return olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "more than %d operations",
                              OLO_EXPRESSION_MAX_OPERATIONS);
    }
    olo_instruction *code =
        olo_grow(program->code, program->code_count, &program->code_capacity, sizeof *code);
    if (code == NULL)
        return out_of_memory(p->lexer.error);
    program->code = code;
    code[program->code_count++] = instruction;
    return OLO_OK;
}

static olo_status emit_push(parser *p, olo_instruction instruction)
{
    if (++p->depth > OLO_EXPRESSION_STACK) {
        return olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "more than %d intermediate values",
                              OLO_EXPRESSION_STACK);
    }
    return emit(p, instruction);
}

static olo_status emit_constant(parser *p, double value)
{
    return emit_push(p, (olo_instruction){OLO_PUSH_CONSTANT, {.constant = value}});
}

static olo_status emit_variable(parser *p, size_t index)
{
    /* the list of used variables stays sorted */
    olo_expression *program = p->program;
    size_t position = program->used_count;
    while (position > 0 && program->used[position - 1] >= index)
        position--;
    if (position == program->used_count || program->used[position] != index) {
        size_t *used =
            olo_grow(program->used, program->used_count, &program->used_capacity, sizeof *used);
        if (used == NULL)
            return out_of_memory(p->lexer.error);
        program->used = used;
        memmove(used + position + 1, used + position,
                (program->used_count - position) * sizeof *used);
        used[position] = index;
        program->used_count++;
    }
    return emit_push(p, (olo_instruction){OLO_PUSH_VARIABLE, {.index = index}});
}

/* True if the last `count` instructions push constants and no jump target lies between them. */
static bool foldable(const parser *p, size_t count)
{
    const olo_expression *program = p->program;
    if (program->code_count < p->fold_from + count)
        return false;
    for (size_t i = 1; i <= count; i++)
        if (program->code[program->code_count - i].kind != OLO_PUSH_CONSTANT)
            return false;
    return true;
}

static olo_status emit_function(parser *p, const olo_function *function)
{
    bool two = function->value2 != NULL;
    p->depth -= two;
    if (!foldable(p, two ? 2 : 1))
        return emit(p, (olo_instruction){two ? OLO_APPLY2 : OLO_APPLY, {.function = function}});
    olo_instruction *top = &p->program->code[p->program->code_count - 1];
    if (two) {
        p->program->code_count--;
        top--;
        top->with.constant = function->value2(top[0].with.constant, top[1].with.constant);
    } else {
        top->with.constant = function->value(top->with.constant);
    }
    return OLO_OK;
}

/* Grammar ------------------------------------------------------------------------------------- */

static olo_status binary(parser *p, int level);

/* Enters one level of nesting at the current token. The caller leaves it with `p->nesting--`. */
static olo_status enter(parser *p)
{
    if (++p->nesting > OLO_EXPRESSION_MAX_NESTING) {
        return olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "nested deeper than %d levels",
                              OLO_EXPRESSION_MAX_NESTING);
    }
    return OLO_OK;
}

/* Reads the sign or `not` at the current token, and its operand. */
static olo_status prefix(parser *p, const char *function, int level)
{
    olo_status status = enter(p);
    if (status == OLO_OK)
        status = olo_lexer_advance(&p->lexer);
    if (status == OLO_OK)
        status = binary(p, level);
    p->nesting--;
    if (status == OLO_OK && function != NULL)
        status = emit_function(p, olo_operator_find(function));
    return status;
}

/* Skips the parenthesis or comma at the current token, and reads the expression after it. */
static olo_status argument(parser *p)
{
    olo_status status = olo_lexer_advance(&p->lexer);
    return status == OLO_OK ? binary(p, LEVEL_OR) : status;
}

static olo_status expect(parser *p, const char *symbol, const char *expected)
{
    return olo_lexer_at(&p->lexer, symbol)
               ? OLO_OK
               : olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "expected %s", expected);
}

/* ( expression ) */
static olo_status parenthesis(parser *p)
{
    olo_status status = enter(p);
    if (status == OLO_OK)
        status = argument(p);
    if (status == OLO_OK)
        status = expect(p, ")", "')'");
    p->nesting--;
    return status == OLO_OK ? olo_lexer_advance(&p->lexer) : status;
}

/* A call that is being read: its function, the position of its name, arguments so far. */
typedef struct call {
    const olo_function *function;
    size_t at, count;
    size_t jump; /* of `if`: the jump instruction whose target is not known yet */
} call;

static bool call_is(const call *c, const char *name)
{
    return strcmp(c->function->name, name) == 0;
}

/* Number of arguments of a function; 0 for one or more. */
static size_t arity(const call *c)
{
    if (call_is(c, "min") || call_is(c, "max"))
        return 0;
    return call_is(c, "if") || call_is(c, "clamp") ? 3 : c->function->value2 != NULL ? 2 : 1;
}

static olo_status wrong_count(parser *p, const call *c)
{
    size_t wanted = arity(c);
    return olo_lexer_fail(&p->lexer, c->at, NULL, "'%s' takes %s%zu argument%s, not %zu,",
                          c->function->name, wanted == 0 ? "at least " : "",
                          wanted == 0 ? 1 : wanted, wanted > 1 ? "s" : "", c->count);
}

/* if(c,a,b) is: c, jump if zero to b, a, jump to the end, b. Called after each of the arguments. */
static olo_status emit_branches(parser *p, call *c)
{
    olo_expression *program = p->program;
    if (c->count == 3) {
        program->code[c->jump].with.index = p->fold_from = program->code_count;
        return OLO_OK;
    }
    bool condition = c->count == 1;
    size_t jump = program->code_count;
    olo_status status =
        emit(p, (olo_instruction){condition ? OLO_JUMP_IF_ZERO : OLO_JUMP, {.index = 0}});
    if (status != OLO_OK)
        return status;
    if (!condition)
        program->code[c->jump].with.index = p->fold_from = program->code_count;
    c->jump = jump;
    p->depth--; /* the condition is popped; only one of the two branches leaves its value */
    return OLO_OK;
}

/* Emits the instructions of a call after its argument number `count`. */
static olo_status emit_argument(parser *p, call *c)
{
    if (call_is(c, "if"))
        return emit_branches(p, c);
    if (call_is(c, "clamp")) {
        return c->count == 1 ? OLO_OK
                             : emit_function(p, olo_function_find(c->count == 2 ? "max" : "min"));
    }
    size_t wanted = arity(c);
    bool complete = wanted == 0 ? c->count > 1 : c->count == wanted;
    return complete ? emit_function(p, c->function) : OLO_OK;
}

static const char *what_follows(const call *c)
{
    return arity(c) == 0 ? "',' or ')'" : c->count < arity(c) ? "','" : "')'";
}

/* Reads ( a, b, ... ) of a call; the current token is the parenthesis. */
static olo_status arguments(parser *p, call *c)
{
    bool more = true;
    while (more) {
        olo_status status = argument(p);
        if (status != OLO_OK)
            return status;
        c->count++;
        more = olo_lexer_at(&p->lexer, ",");
        status = more ? OLO_OK : expect(p, ")", what_follows(c));
        if (status != OLO_OK)
            return status;
        /* count the arguments of a list that is too long, for the message */
        if (arity(c) == 0 || c->count <= arity(c))
            status = emit_argument(p, c);
        if (status != OLO_OK)
            return status;
    }
    return arity(c) == 0 || c->count == arity(c) ? OLO_OK : wrong_count(p, c);
}

/* Reads a call: a name that was followed by '(', the current token. */
static olo_status function_call(parser *p, const char *name, size_t at)
{
    call c = {.function = olo_function_find(name), .at = at};
    if (c.function == NULL) {
        return olo_lexer_fail(&p->lexer, at, olo_function_suggest(name), "unknown function '%s'",
                              name);
    }
    size_t i = p->lexer.end;
    while (p->lexer.text[i] == ' ')
        i++;
    if (p->lexer.text[i] == ')')
        return wrong_count(p, &c);
    olo_status status = enter(p);
    if (status == OLO_OK)
        status = arguments(p, &c);
    p->nesting--;
    return status == OLO_OK ? olo_lexer_advance(&p->lexer) : status;
}

/* Reads a name that is no call: a variable or a constant. */
static olo_status plain_name(parser *p, const char *name, size_t at)
{
    for (size_t i = 0; i < p->name_count; i++)
        if (strcmp(p->names[i], name) == 0)
            return emit_variable(p, i);
    for (size_t i = 0; i < CONSTANT_COUNT; i++)
        if (strcmp(constant_names[i], name) == 0)
            return emit_constant(p, constants[i]);
    if (olo_function_find(name) != NULL) {
        return olo_lexer_fail(&p->lexer, at, NULL, "function '%s' needs arguments in parentheses",
                              name);
    }
    const char *near = olo_suggest(name, p->names, p->name_count);
    if (near == NULL)
        near = olo_suggest(name, constant_names, CONSTANT_COUNT);
    return olo_lexer_fail(&p->lexer, at, near, "unknown name '%s'", name);
}

static olo_status name_or_call(parser *p)
{
    char name[OLO_LEXER_WORD];
    size_t at = p->lexer.start;
    if (p->lexer.end - p->lexer.start >= OLO_LEXER_WORD) {
        return olo_lexer_fail(&p->lexer, at, NULL, "name is longer than %d characters",
                              OLO_LEXER_WORD - 1);
    }
    memcpy(name, p->lexer.word, OLO_LEXER_WORD);
    olo_status status = olo_lexer_advance(&p->lexer);
    if (status != OLO_OK)
        return status;
    return olo_lexer_at(&p->lexer, "(") ? function_call(p, name, at) : plain_name(p, name, at);
}

static olo_status operand(parser *p)
{
    olo_status status;
    switch (p->lexer.kind) {
    case OLO_TOKEN_NUMBER:
        status = emit_constant(p, p->lexer.number);
        return status == OLO_OK ? olo_lexer_advance(&p->lexer) : status;
    case OLO_TOKEN_NAME:
        return name_or_call(p);
    case OLO_TOKEN_SYMBOL:
        if (olo_lexer_at(&p->lexer, "("))
            return parenthesis(p);
        if (olo_lexer_at(&p->lexer, "-") || olo_lexer_at(&p->lexer, "+"))
            return prefix(p, olo_lexer_at(&p->lexer, "-") ? "negative" : NULL, LEVEL_SIGN);
        if (olo_lexer_at(&p->lexer, "!") || olo_lexer_at(&p->lexer, "not"))
            return prefix(p, "not", olo_lexer_at(&p->lexer, "!") ? LEVEL_SIGN : LEVEL_COMPARISON);
        break;
    case OLO_TOKEN_END:
        break;
    }
    return olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "expected a value");
}

static const binary_operator *binary_operator_at(const parser *p)
{
    for (size_t i = 0; i < BINARY_OPERATOR_COUNT; i++)
        if (olo_lexer_at(&p->lexer, binary_operators[i].symbol))
            return &binary_operators[i];
    return NULL;
}

/* Reads the right side of the binary operator at the current token, and emits the operator. */
static olo_status right_side(parser *p, const binary_operator *operator)
{
    /* a power is right-associative, and so each one is nested one level deeper */
    bool power = operator->level == LEVEL_POWER;
    olo_status status = power ? enter(p) : OLO_OK;
    if (status == OLO_OK)
        status = olo_lexer_advance(&p->lexer);
    if (status == OLO_OK)
        status = binary(p, power ? LEVEL_POWER : operator->level + 1);
    p->nesting -= power;
    return status == OLO_OK ? emit_function(p, olo_operator_find(operator->function)) : status;
}

static olo_status binary(parser *p, int level)
{
    bool compared = false;
    olo_status status = operand(p);
    while (status == OLO_OK) {
        const binary_operator *operator= binary_operator_at(p);
        if (operator== NULL || operator->level<level)
            break;
        bool comparison = operator->level == LEVEL_COMPARISON;
        if (comparison && compared) {
            return olo_lexer_fail(&p->lexer, p->lexer.start, NULL,
                                  "chained comparison (join two with 'and')");
        }
        compared = comparison;
        status = right_side(p, operator);
    }
    return status;
}

static olo_status whole(parser *p)
{
    if (p->lexer.length > OLO_EXPRESSION_MAX_LENGTH) {
        return olo_lexer_fail(&p->lexer, OLO_EXPRESSION_MAX_LENGTH, NULL,
                              "longer than %d characters", OLO_EXPRESSION_MAX_LENGTH);
    }
    olo_status status = olo_lexer_advance(&p->lexer);
    if (status == OLO_OK && p->lexer.kind == OLO_TOKEN_END)
        return olo_lexer_fail(&p->lexer, 0, NULL, "empty expression");
    if (status == OLO_OK)
        status = binary(p, LEVEL_OR);
    if (status != OLO_OK || p->lexer.kind == OLO_TOKEN_END)
        return status;
    return olo_lexer_at(&p->lexer, ")")
               ? olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "')' without '('")
               : olo_lexer_fail(&p->lexer, p->lexer.start, NULL, "expected an operator");
}

/* The header's functions ---------------------------------------------------------------------- */

olo_status olo_expression_compile(const char *text, const char *const *names, size_t count,
                                  olo_expression **expression, size_t *column, olo_error *error)
{
    parser p = {.names = names, .name_count = count};
    olo_lexer_create(&p.lexer, text, column, error);
    *expression = NULL;
    p.program = olo_alloc(1, sizeof *p.program);
    if (p.program == NULL)
        return out_of_memory(error);
    p.program->variable_count = count;
    const olo_status status = whole(&p);
    if (status != OLO_OK) {
        olo_expression_free(p.program);
        return status;
    }
    *expression = p.program;
    return OLO_OK;
}

bool olo_expression_is_reserved(const char *name)
{
    static const char *const words[] = {"and", "or", "not", "inf", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (size_t i = 0; i < CONSTANT_COUNT; i++)
        if (strcmp(constant_names[i], name) == 0)
            return true;
    return olo_function_find(name) != NULL;
}
