/* Reads values of a model file: texts, words, numbers, vectors; and reports errors with their
 * location. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "model/hints.h"
#include "model/reader.h"
#include "model/repetition.h"

/* Errors -------------------------------------------------------------------------------------- */

enum { PATH_SIZE = 512, REASON_SIZE = 1024 };

/* Replaces control characters, so that a message is one line. */
static void join_lines(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20)
            *text = ' ';
}

static olo_status fail_with(olo_reader *reader, int line, int column, const char *path,
                            char *reason)
{
    join_lines(reason);
    return olo_fail(reader->error, OLO_BAD_INPUT, "%s:%d:%d: %s%s%s", reader->file, line, column,
                    path, path[0] != '\0' ? ": " : "", reason);
}

olo_status olo_read_fail(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
{
    char reason[REASON_SIZE], path[PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (node->line == 0) {
        // not in the file: a setting
        char name[OLO_YAML_EXCERPT_SIZE], value[OLO_YAML_EXCERPT_SIZE];
        join_lines(reason);
        return olo_fail(reader->error, OLO_BAD_INPUT, "%s: setting '%s=%s': %s", reader->file,
                        olo_yaml_excerpt(node->key, name), olo_yaml_excerpt(node->text, value),
                        reason);
    }
    olo_repetition_path(reader, node, path, sizeof path);
    return fail_with(reader, node->line, node->column, path, reason);
}

olo_status olo_read_fail_key(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
{
    char reason[REASON_SIZE], path[PATH_SIZE] = "";
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (node->parent)
        olo_repetition_path(reader, node->parent, path, sizeof path);
    return fail_with(reader, node->key_line, node->key_column, path, reason);
}

void olo_read_warn(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
{
    char reason[REASON_SIZE], path[PATH_SIZE], text[REASON_SIZE + 2 * PATH_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    olo_repetition_path(reader, node, path, sizeof path);
    (void)snprintf(text, sizeof text, "%.400s:%d:%d: %s: %s", reader->file, node->line,
                   node->column, path, reason);
    olo_model_warn(reader->model, text);
}

olo_status olo_read_no_memory(olo_reader *reader)
{
    return olo_fail(reader->error, OLO_NO_MEMORY, "%s: out of memory while reading", reader->file);
}

static const char *describe(const olo_yaml_node *node, char *text, size_t size)
{
    char excerpt[OLO_YAML_EXCERPT_SIZE];
    if (node->kind == OLO_YAML_LIST)
        (void)snprintf(text, size, "a list of %d", node->count);
    else if (node->kind == OLO_YAML_MAP)
        (void)snprintf(text, size, "a map");
    else if (olo_read_is_nothing(node))
        (void)snprintf(text, size, "nothing");
    else
        (void)snprintf(text, size, "'%s'", olo_yaml_excerpt(node->text, excerpt));
    return text;
}

olo_status olo_read_fail_expected(olo_reader *reader, const olo_yaml_node *node,
                                  const char *expected)
{
    char got[OLO_YAML_EXCERPT_SIZE + 8];
    return olo_read_fail(reader, node, "expected %s, got %s", expected,
                         describe(node, got, sizeof got));
}

olo_status olo_read_fail_unknown(olo_reader *reader, const olo_yaml_node *node, const char *what,
                                 const char *noun, const char *near)
{
    char excerpt[OLO_YAML_EXCERPT_SIZE];
    const char *hint = olo_hint_key(noun, node->key);
    if (hint)
        return olo_read_fail_key(reader, node, "unknown %s '%s': %s", what,
                                 olo_yaml_excerpt(node->key, excerpt), hint);
    return olo_read_fail_key(reader, node, "unknown %s '%s'%s%s%s", what,
                             olo_yaml_excerpt(node->key, excerpt), near ? ", did you mean '" : "",
                             near ? near : "", near ? "'?" : "");
}

olo_status olo_read_fail_unknown_key(olo_reader *reader, const olo_yaml_node *node,
                                     const char *noun, const char *const *keys, size_t count)
{
    return olo_read_fail_unknown(reader, node, "key", noun, olo_suggest(node->key, keys, count));
}

/* Texts --------------------------------------------------------------------------------------- */

bool olo_read_is_nothing(const olo_yaml_node *node)
{
    return node->kind == OLO_YAML_SCALAR && !node->quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

olo_status olo_read_text(olo_reader *reader, const olo_yaml_node *node, size_t longest,
                         const char **text)
{
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node))
        return olo_read_fail_expected(reader, node, "a text");
    if (strlen(node->text) > longest)
        return olo_read_fail(reader, node, "longer than %zu characters", longest);
    return olo_repetition_text(reader, node, node->text, text);
}

olo_status olo_read_name(olo_reader *reader, const olo_yaml_node *node, const char **name)
{
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node))
        return olo_read_fail_expected(reader, node, "a name");
    const olo_status status = olo_repetition_text(reader, node, node->text, name);
    if (status == OLO_OK && !olo_name_is_valid(*name)) {
        char excerpt[OLO_YAML_EXCERPT_SIZE];
        return olo_read_fail(reader, node, "'%s' is not a name: " OLO_NAME_RULE,
                             olo_yaml_excerpt(*name, excerpt));
    }
    return status;
}

olo_status olo_read_choice(olo_reader *reader, const olo_yaml_node *node,
                           const char *const *choices, const char **choice)
{
    char expected[256] = "";
    size_t count = 0, length = 0;
    for (; choices[count]; count++) {
        if (node->kind == OLO_YAML_SCALAR && strcmp(choices[count], node->text) == 0) {
            *choice = choices[count];
            return OLO_OK;
        }
        const char *separator = count == 0 ? "" : !choices[count + 1] ? " or " : ", ";
        const int written = length < sizeof expected
                                ? snprintf(expected + length, sizeof expected - length, "%s%s",
                                           separator, choices[count])
                                : 0;
        length += written > 0 ? (size_t)written : 0;
    }
    const char *near = olo_suggest(node->text, choices, count);
    char got[OLO_YAML_EXCERPT_SIZE + 8];
    return olo_read_fail(reader, node, "expected %s, got %s%s%s%s", expected,
                         describe(node, got, sizeof got), near ? "; did you mean '" : "",
                         near ? near : "", near ? "'?" : "");
}

olo_status olo_read_flag(olo_reader *reader, const olo_yaml_node *node, bool *flag)
{
    const bool yes = strcmp(node->text, "true") == 0;
    if (node->kind != OLO_YAML_SCALAR || (!yes && strcmp(node->text, "false") != 0))
        return olo_read_fail_expected(reader, node, "true or false");
    *flag = yes;
    return OLO_OK;
}

/* Numbers ------------------------------------------------------------------------------------- */

/* Whether a text is NaN or infinity in the notation of YAML. */
static bool is_not_finite_text(const char *text)
{
    const char *word = text + (*text == '-' || *text == '+');
    word += *word == '.';
    return strcasecmp(word, "nan") == 0 || strcasecmp(word, "inf") == 0;
}

olo_status olo_read_check_number(olo_reader *reader, const olo_yaml_node *node, double number)
{
    char excerpt[OLO_YAML_EXCERPT_SIZE];
    if (!isfinite(number)) {
        return olo_read_fail(reader, node, "'%s' is not a finite number",
                             olo_yaml_excerpt(node->text, excerpt));
    }
    if (fabs(number) > OLO_LARGEST_NUMBER) {
        return olo_read_fail(reader, node, "'%s' is too large: numbers are at most %g",
                             olo_yaml_excerpt(node->text, excerpt), OLO_LARGEST_NUMBER);
    }
    return OLO_OK;
}

/* Reports an error of the compilation of the text of a node; the message has the column. */
static olo_status check_compiled(olo_reader *reader, const olo_yaml_node *node, olo_status status,
                                 const olo_error *inner)
{
    if (status == OLO_NO_MEMORY)
        return olo_read_no_memory(reader);
    return status == OLO_OK ? OLO_OK : olo_read_fail(reader, node, "%s", inner->text);
}

/* The value of an expression; with a direction, its linear extrapolation along the exact
 * derivative.
 */
static double value_of(const olo_reader *reader, const olo_expression *expression)
{
    double value[2] = {0, 0};
    if (!reader->direction)
        return olo_expression_value(expression, reader->values + 1);
    olo_expression_taylor(expression, reader->values + 1, reader->direction + 1, 1, value);
    return value[0] + reader->shift * value[1];
}

/* Whether an expression depends on a parameter, and not only on variables of a repetition. */
static bool uses_parameters(const olo_reader *reader, const olo_expression *expression)
{
    const size_t *used = NULL;
    const size_t count = olo_expression_used(expression, &used);
    return count > 0 && used[0] < olo_parameters_count(reader->model->parameters);
}

void olo_read_mark_structural(olo_reader *reader, const olo_expression *expression)
{
    const size_t parameters = olo_parameters_count(reader->model->parameters);
    const size_t *used = NULL;
    const size_t count = olo_expression_used(expression, &used);
    for (size_t i = 0; i < count && used[i] < parameters; i++)
        reader->model->structural[used[i]] = true;
}

/* Stores the expression of a node for later copies and other parameters. */
static bool store_expression(olo_model *model, const olo_yaml_node *node,
                             olo_expression *expression)
{
    olo_expression **list = olo_grow(model->expressions, model->expression_count,
                                     &model->expression_capacity, sizeof *list);
    if (!list)
        return false;
    model->expressions = list;
    list[model->expression_count++] = expression;
    ((olo_yaml_node *)node)->expression = expression;
    return true;
}

/* A number that is read for the first time. */
static olo_status compile_number(olo_reader *reader, const olo_yaml_node *node, double *number)
{
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node))
        return olo_read_fail_expected(reader, node, "a number");
    if (is_not_finite_text(node->text))
        return olo_read_check_number(reader, node, (double)NAN);
    olo_expression *expression = NULL;
    olo_error inner = {0};
    olo_status status = olo_expression_compile(node->text, reader->names + 1, reader->name_count,
                                               &expression, NULL, &inner);
    const char *hint = status == OLO_OK ? NULL : olo_hint_number(node->text);
    if (hint) {
        char excerpt[OLO_YAML_EXCERPT_SIZE];
        return olo_read_fail(reader, node, "'%s' is not a number: %s",
                             olo_yaml_excerpt(node->text, excerpt), hint);
    }
    status = check_compiled(reader, node, status, &inner);
    if (status != OLO_OK)
        return status;
    *number = value_of(reader, expression);
    status = olo_read_check_number(reader, node, *number);
    if (olo_expression_is_constant(expression)) {
        olo_yaml_node *own = (olo_yaml_node *)node;
        own->constant = status == OLO_OK;
        own->value = *number;
        olo_expression_free(expression);
    } else if (!store_expression(reader->model, node, expression)) {
        olo_expression_free(expression);
        return olo_read_no_memory(reader);
    } else {
        reader->depends = reader->depends || uses_parameters(reader, expression);
    }
    return status;
}

olo_status olo_read_number(olo_reader *reader, const olo_yaml_node *node, double *number)
{
    if (node->constant) {
        *number = node->value;
        return OLO_OK;
    }
    if (!node->expression)
        return compile_number(reader, node, number);
    reader->depends = reader->depends || uses_parameters(reader, node->expression);
    *number = value_of(reader, node->expression);
    return olo_read_check_number(reader, node, *number);
}

/* Functions, which are stored as text ---------------------------------------------------------- */

static const char *const time_names[] = {"t", NULL}, *const time_meanings[] = {"the time"};
static const char *const length_names[] = {"l", NULL}, *const length_meanings[] = {"the length"};
static const char *const law_names[] = {"t", "l", "v", NULL}, *const law_meanings[] = {"the time",
                                                                                       "the length",
                                                                                       "its rate"};
const olo_variables olo_variables_time = {time_names, time_meanings, false},
                    olo_variables_time_and_measures = {time_names, time_meanings, true},
                    olo_variables_length = {length_names, length_meanings, false},
                    olo_variables_law = {law_names, law_meanings, true};

/* Names and values of a function: its variables, names with dots, then those of the reader. */
typedef struct function_names {
    olo_reader *reader;
    const char **names;
    double *values;
    size_t variables; /* those before the names of the reader */
} function_names;

static bool add_name(function_names *x, const char *name)
{
    x->names[x->variables] = olo_pool_text(&x->reader->pool, name, strlen(name));
    x->values[x->variables] = 0;
    return x->names[x->variables++] != NULL;
}

static bool count_name(void *context, const char *name)
{
    (void)name;
    ++*(size_t *)context;
    return true;
}

static bool add_dotted(void *context, const char *name)
{
    return add_name(context, name);
}

static bool list_names(olo_reader *reader, const olo_variables *variables, const char *text,
                       function_names *x)
{
    size_t dotted = 0, count = 0;
    while (variables->names[count])
        count++;
    if (variables->measures)
        olo_expression_dotted_names(text, &dotted, count_name);
    const size_t total = count + dotted + reader->name_count;
    *x = (function_names){.reader = reader,
                          .names = olo_pool_alloc(&reader->pool, total + 1, sizeof *x->names),
                          .values = olo_pool_alloc(&reader->pool, total + 1, sizeof *x->values)};
    bool ok = x->names && x->values;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_name(x, variables->names[i]);
    if (ok && variables->measures)
        olo_expression_dotted_names(text, x, add_dotted);
    ok = ok && x->variables == count + dotted;
    for (size_t i = 0; ok && i < reader->name_count; i++) {
        x->names[x->variables + i] = reader->names[1 + i];
        x->values[x->variables + i] = reader->values[1 + i];
    }
    return ok;
}

/* Refuses a variable that is also the name of a parameter. */
static olo_status check_variables(olo_reader *reader, const olo_yaml_node *node,
                                  const olo_variables *variables, const olo_expression *expression)
{
    for (size_t i = 0; variables->names[i]; i++)
        if (olo_expression_uses(expression, i) &&
            olo_parameters_find(reader->model->parameters, variables->names[i]) !=
                OLO_PARAMETER_NONE)
            return olo_read_fail(reader, node,
                                 "here '%s' is %s, but the model has a parameter '%s', too; rename "
                                 "the parameter",
                                 variables->names[i], variables->meanings[i], variables->names[i]);
    return OLO_OK;
}

olo_status olo_read_function(olo_reader *reader, const olo_yaml_node *node,
                             const olo_variables *variables, const char **text)
{
    if (reader->numbers_only)
        return OLO_OK; // the text is stored already and is evaluated with the parameters later
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node)) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "an expression of %s, %s", variables->names[0],
                       variables->meanings[0]);
        return olo_read_fail_expected(reader, node, expected);
    }
    if (is_not_finite_text(node->text))
        return olo_read_check_number(reader, node, (double)NAN);
    const char *written = node->text;
    function_names x;
    olo_status status =
        variables->measures ? olo_repetition_text(reader, node, node->text, &written) : OLO_OK;
    if (status != OLO_OK)
        return status;
    if (!list_names(reader, variables, written, &x))
        return olo_read_no_memory(reader);
    olo_expression *expression = NULL;
    olo_error inner = {0};
    status = olo_expression_compile(written, x.names, x.variables + reader->name_count, &expression,
                                    NULL, &inner);
    status = check_compiled(reader, node, status, &inner);
    if (status == OLO_OK)
        status = check_variables(reader, node, variables, expression);
    const size_t *used = NULL;
    if (status == OLO_OK && (olo_expression_used(expression, &used) == 0 || used[0] >= x.variables))
        // a constant: its value is known already
        status = olo_read_check_number(reader, node, olo_expression_value(expression, x.values));
    olo_expression_free(expression);
    return status == OLO_OK ? olo_repetition_function(reader, written, text) : status;
}

olo_status olo_read_numbers(olo_reader *reader, const olo_yaml_node *node, int count,
                            double *numbers)
{
    if (node->kind != OLO_YAML_LIST || node->count != count) {
        char expected[32];
        (void)snprintf(expected, sizeof expected, "a list of %d numbers", count);
        return olo_read_fail_expected(reader, node, expected);
    }
    olo_status status = OLO_OK;
    for (const olo_yaml_node *item = node->first; item && status == OLO_OK; item = item->next)
        status = olo_read_number(reader, item, &numbers[item->index]);
    return status;
}

olo_status olo_read_vector(olo_reader *reader, const olo_yaml_node *node, double vector[3])
{
    if (node->kind == OLO_YAML_LIST && node->count == 2 && !reader->model->in_xy) {
        return olo_read_fail_expected(
            reader, node, "a list of 3 numbers (2 are enough in a model with 'plane: xy')");
    }
    if (node->kind == OLO_YAML_LIST && node->count == 2) {
        vector[2] = 0.0;
        return olo_read_numbers(reader, node, 2, vector);
    }
    return olo_read_numbers(reader, node, 3, vector);
}
