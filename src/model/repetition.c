/* Repetition of elements: bounds, copies, and the values of the variables in a copy.
 *
 * An expression of a repeated element is compiled once and evaluated for each copy. Copies are read
 * in the same order, so that a cursor finds the next expression in the list of compiled ones. */
#include "model/repetition.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Largest integer in a text: it is exact and has at most 16 characters. */
#define LARGEST_INDEX 1e15
/* Tolerance for rounding errors of integers, as in 3*(i/3). */
#define INTEGER_TOLERANCE 1e-9

enum { MAX_EXPANDED_LENGTH = 1000 };

typedef struct compiled {
    const char *text; /* in the tree; it identifies the expression */
    olo_expression *expression;
} compiled;

struct olo_repetition {
    const olo_yaml_node *element, *key; /* the map, and its key `repeat` */
    int count;                          /* variables */
    int helpers;                        /* values that follow from them, in the order of the file */
    const olo_yaml_node *name[OLO_REPETITION_MAX_VALUES]; /* of variables, then of helpers */
    long first[OLO_REPETITION_MAX_VARIABLES], last[OLO_REPETITION_MAX_VARIABLES];
    size_t parameters; /* variables of the reader without those of the repetition */
    compiled *list;
    size_t list_count, list_capacity, cursor;
};

/* Bounds and names ---------------------------------------------------------------------------- */

static olo_status read_integer(olo_reader *reader, const olo_yaml_node *node, long *integer)
{
    double number = 0.0;
    const olo_status status = olo_read_number(reader, node, &number);
    if (status != OLO_OK)
        return status;
    if (fabs(number) > LARGEST_INDEX || fabs(number - round(number)) > INTEGER_TOLERANCE)
        return olo_read_fail(reader, node, "expected an integer, got %.17g", number);
    *integer = lround(number);
    if (node->expression)
        olo_read_mark_structural(reader, node->expression);
    return OLO_OK;
}

static olo_status check_variable(olo_reader *reader, const olo_yaml_node *node)
{
    char name[OLO_YAML_EXCERPT_SIZE];
    olo_yaml_excerpt(node->key, name);
    if (!olo_expression_is_identifier(node->key) || olo_expression_is_reserved(node->key) ||
        strlen(node->key) > OLO_PARAMETER_MAX_NAME)
        return olo_read_fail_key(reader, node, "'%s' cannot be the name of a variable", name);
    if (strcmp(node->key, "t") == 0 || strcmp(node->key, "l") == 0 || strcmp(node->key, "v") == 0) {
        return olo_read_fail_key(
            reader, node,
            "'%s' cannot be the name of a variable: in expressions t is the time, "
            "l the length of a spring and v its rate",
            name);
    }
    if (olo_parameters_find(reader->model->parameters, node->key) != OLO_PARAMETER_NONE) {
        return olo_read_fail_key(reader, node,
                                 "the model has a parameter '%s', too; rename one of them", name);
    }
    return OLO_OK;
}

/* The number of copies; -1 if it is too large. */
static long copies_of(const olo_repetition *repetition)
{
    double product = 1.0; // cannot overflow
    for (int k = 0; k < repetition->count; k++)
        product *= fmax(0.0, (double)repetition->last[k] - (double)repetition->first[k] + 1.0);
    return product <= OLO_REPETITION_MAX_ELEMENTS ? (long)product : -1;
}

static olo_status read_bounds(olo_reader *reader, olo_repetition *repetition)
{
    const olo_yaml_node *map = repetition->key;
    int variables = 0;
    for (const olo_yaml_node *node = map->first; map->kind == OLO_YAML_MAP && node;
         node = node->next)
        variables += node->kind == OLO_YAML_LIST;
    if (map->kind == OLO_YAML_MAP && variables == 0 && map->first)
        return olo_read_fail_expected(reader, map->first, "the bounds [first, last]");
    if (map->kind != OLO_YAML_MAP || variables < 1 || variables > OLO_REPETITION_MAX_VARIABLES ||
        map->count > OLO_REPETITION_MAX_VALUES)
        return olo_read_fail_expected(reader, map,
                                      "a map of a variable to its bounds, {i: [first, last]}");
    olo_status status = OLO_OK;
    for (const olo_yaml_node *node = map->first; node && status == OLO_OK; node = node->next) {
        status = check_variable(reader, node);
        if (status == OLO_OK && node->kind == OLO_YAML_SCALAR) {
            repetition->name[variables + repetition->helpers++] = node;
            continue;
        }
        const int k = repetition->count++;
        repetition->name[k] = node;
        if (status == OLO_OK && (node->kind != OLO_YAML_LIST || node->count != 2))
            status = olo_read_fail_expected(reader, node, "the bounds [first, last]");
        if (status == OLO_OK)
            status = read_integer(reader, node->first, &repetition->first[k]);
        if (status == OLO_OK)
            status = read_integer(reader, node->first->next, &repetition->last[k]);
    }
    return status;
}

/* Copies -------------------------------------------------------------------------------------- */

static void set_variable(olo_reader *reader, const olo_repetition *repetition, int k, long value)
{
    reader->values[1 + repetition->parameters + (size_t)k] = (double)value;
}

static long variable(const olo_reader *reader, int k)
{
    return (long)reader->values[1 + reader->repetition->parameters + (size_t)k];
}

/* Adds the variables to the names that expressions may use. */
static void begin(olo_reader *reader, olo_repetition *repetition)
{
    const int values = repetition->count + repetition->helpers;
    repetition->parameters = reader->name_count;
    for (int k = 0; k < values; k++)
        reader->names[1 + repetition->parameters + (size_t)k] = repetition->name[k]->key;
    for (int k = 0; k < repetition->count; k++)
        set_variable(reader, repetition, k, repetition->first[k]);
    reader->name_count += (size_t)values;
    reader->repetition = repetition;
}

/* Evaluates the helper values of a copy; each may use those before it. */
static olo_status find_helpers(olo_reader *reader, const olo_repetition *repetition)
{
    olo_status status = OLO_OK;
    const size_t names = reader->name_count;
    for (int k = 0; k < repetition->helpers && status == OLO_OK; k++) {
        const size_t index = repetition->parameters + (size_t)(repetition->count + k);
        const olo_yaml_node *node = repetition->name[repetition->count + k];
        reader->name_count = index;
        status = olo_read_number(reader, node, &reader->values[1 + index]);
        if (status == OLO_OK && node->expression)
            olo_read_mark_structural(reader, node->expression);
    }
    reader->name_count = names;
    return status;
}

static void end(olo_reader *reader, olo_repetition *repetition)
{
    reader->name_count = repetition->parameters;
    reader->repetition = NULL;
    for (size_t i = 0; i < repetition->list_count; i++)
        olo_expression_free(repetition->list[i].expression);
    olo_free(repetition->list);
}

/* Sets the next values of the variables; the last variable changes fastest. */
static void advance(olo_reader *reader, const olo_repetition *repetition)
{
    for (int k = repetition->count - 1; k >= 0; k--) {
        const long value = variable(reader, k);
        if (value < repetition->last[k]) {
            set_variable(reader, repetition, k, value + 1);
            return;
        }
        set_variable(reader, repetition, k, repetition->first[k]);
    }
}

olo_status olo_repetition_expand(olo_reader *reader, const olo_yaml_node *element,
                                 olo_repetition_reader *body, void *context)
{
    olo_repetition repetition = {.element = element, .key = olo_yaml_find(element, "repeat")};
    if (!repetition.key)
        return body(reader, element, context);
    olo_status status = read_bounds(reader, &repetition);
    if (status != OLO_OK)
        return status;
    const long copies = copies_of(&repetition);
    if (copies < 0 || reader->copies + copies > OLO_REPETITION_MAX_ELEMENTS) {
        return olo_read_fail(reader, repetition.key, "more than %d repeated elements in the file",
                             OLO_REPETITION_MAX_ELEMENTS);
    }
    reader->copies += copies;
    begin(reader, &repetition);
    for (long copy = 0; copy < copies && status == OLO_OK; copy++) {
        repetition.cursor = 0;
        status = find_helpers(reader, &repetition);
        if (status == OLO_OK)
            status = body(reader, element, context);
        advance(reader, &repetition);
    }
    end(reader, &repetition);
    return status;
}

void olo_repetition_variables(const olo_reader *reader, double *variables)
{
    const olo_repetition *x = reader->repetition;
    for (int k = 0; x && k < x->count + x->helpers; k++)
        variables[k] = reader->values[1 + x->parameters + (size_t)k];
}

bool olo_repetition_is_key(const olo_reader *reader, const olo_yaml_node *node)
{
    return reader->repetition && reader->repetition->key == node;
}

/* Expressions --------------------------------------------------------------------------------- */

/* The compiled expression of a text, or NULL. */
static olo_expression *find_compiled(olo_repetition *repetition, const char *text)
{
    if (repetition->cursor < repetition->list_count &&
        repetition->list[repetition->cursor].text == text)
        return repetition->list[repetition->cursor++].expression;
    for (size_t i = 0; i < repetition->list_count; i++) {
        if (repetition->list[i].text == text) {
            repetition->cursor = i + 1;
            return repetition->list[i].expression;
        }
    }
    return NULL;
}

/* Finds or compiles an expression; `key` identifies it, `text` is its text. */
static olo_status compile(olo_reader *reader, const char *key, const char *text,
                          olo_expression **expression, olo_error *error)
{
    olo_repetition *repetition = reader->repetition;
    *expression = repetition ? find_compiled(repetition, key) : NULL;
    if (*expression)
        return OLO_OK;
    const olo_status status = olo_expression_compile(text, reader->names + 1, reader->name_count,
                                                     expression, NULL, error);
    if (status != OLO_OK || !repetition)
        return status;
    compiled *list = olo_grow(repetition->list, repetition->list_count, &repetition->list_capacity,
                              sizeof *list);
    if (!list) {
        *expression = olo_expression_free(*expression);
        return OLO_NO_MEMORY;
    }
    repetition->list = list;
    list[repetition->list_count++] = (compiled){key, *expression};
    repetition->cursor = repetition->list_count;
    return OLO_OK;
}

/* Texts --------------------------------------------------------------------------------------- */

/* The integer of the expression between braces, which starts at `text`. */
static olo_status brace_value(olo_reader *reader, const olo_yaml_node *node, const char *text,
                              size_t length, long *value)
{
    char copy[MAX_EXPANDED_LENGTH + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    olo_expression *expression = NULL;
    olo_error inner = {0};
    const olo_status status = compile(reader, text, copy, &expression, &inner);
    if (status == OLO_NO_MEMORY)
        return olo_read_no_memory(reader);
    if (status != OLO_OK)
        return olo_read_fail(reader, node, "%s", inner.text);
    olo_read_mark_structural(reader, expression);
    const double number = olo_expression_value(expression, reader->values + 1);
    if (!(fabs(number) <= LARGEST_INDEX) || fabs(number - round(number)) > INTEGER_TOLERANCE) {
        char excerpt[OLO_YAML_EXCERPT_SIZE];
        return olo_read_fail(reader, node, "{%s} is %.17g, not an integer",
                             olo_yaml_excerpt(copy, excerpt), number);
    }
    *value = lround(number);
    return OLO_OK;
}

olo_status olo_repetition_text(olo_reader *reader, const olo_yaml_node *node, const char *text,
                               const char **expanded)
{
    *expanded = text;
    if (!reader->repetition || strchr(text, '{') == NULL)
        return OLO_OK;
    char result[MAX_EXPANDED_LENGTH + 1];
    size_t length = 0;
    while (*text != '\0') {
        const size_t plain = strcspn(text, "{");
        char number[24] = "";
        const char *brace = text + plain, *after = brace;
        if (*brace == '{') {
            const size_t inside = strcspn(brace + 1, "}");
            if (brace[1 + inside] == '\0')
                return olo_read_fail(reader, node, "'{' without '}'");
            long value = 0;
            const olo_status status = inside > MAX_EXPANDED_LENGTH
                                          ? olo_read_fail(reader, node, "is too long")
                                          : brace_value(reader, node, brace + 1, inside, &value);
            if (status != OLO_OK)
                return status;
            (void)snprintf(number, sizeof number, "%ld", value);
            after = brace + inside + 2;
        }
        const size_t digits = strlen(number);
        if (length + plain + digits > MAX_EXPANDED_LENGTH)
            return olo_read_fail(reader, node, "is too long");
        memcpy(result + length, text, plain);
        memcpy(result + length + plain, number, digits);
        length += plain + digits;
        text = after;
    }
    *expanded = olo_pool_text(&reader->pool, result, length);
    return *expanded ? OLO_OK : olo_read_no_memory(reader);
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The length of the number or name at the start of a text; 1 for anything else. */
static size_t token_length(const char *text)
{
    size_t length = 0;
    if (isdigit((unsigned char)*text) || *text == '.') {
        length = strspn(text, "0123456789.");
        const size_t sign = text[length] != '\0' && strchr("eE", text[length]) != NULL &&
                            text[length + 1] != '\0' && strchr("+-", text[length + 1]) != NULL;
        if ((text[length] == 'e' || text[length] == 'E') &&
            isdigit((unsigned char)text[length + 1 + sign])) {
            length += 1 + sign;
            length += strspn(text + length, "0123456789");
        }
        return length;
    }
    while (is_name_part(text[length]) || (text[length] == '.' && is_name_part(text[length + 1])))
        length++; // a name with dots is one name
    return length > 0 ? length : 1;
}

/* The index of the variable with this name, or -1. */
static int find_variable(const olo_reader *reader, const char *name, size_t length)
{
    const olo_repetition *repetition = reader->repetition;
    for (int k = 0; k < repetition->count + repetition->helpers; k++) {
        const char *known = reader->names[1 + repetition->parameters + (size_t)k];
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return k;
    }
    return -1;
}

olo_status olo_repetition_function(olo_reader *reader, const char *text, const char **expanded)
{
    *expanded = text;
    if (!reader->repetition)
        return OLO_OK;
    // each character may be a value, of at most 17 digits, signs, an exponent and parentheses
    enum { VALUE_SIZE = 32 };
    char *result = olo_pool_alloc(&reader->pool, strlen(text) + 1, VALUE_SIZE);
    if (!result)
        return olo_read_no_memory(reader);
    *expanded = result;
    for (size_t token = 0; *text != '\0'; text += token) {
        token = token_length(text);
        const int k = find_variable(reader, text, token);
        if (k >= 0) {
            const size_t index = 1 + reader->repetition->parameters + (size_t)k;
            result += snprintf(result, VALUE_SIZE, "(%.17g)", reader->values[index]);
        } else {
            memcpy(result, text, token);
            result += token;
        }
    }
    return OLO_OK;
}

/* Paths --------------------------------------------------------------------------------------- */

void olo_repetition_path(const olo_reader *reader, const olo_yaml_node *node, char *path,
                         size_t size)
{
    olo_yaml_path(node, path, size);
    const olo_repetition *repetition = reader->repetition;
    bool inside = false;
    for (const olo_yaml_node *n = node; repetition && n && !inside; n = n->parent)
        inside = n == repetition->element;
    if (!inside)
        return;
    char tag[OLO_REPETITION_MAX_VARIABLES * (OLO_PARAMETER_MAX_NAME + 24)], element[512];
    size_t length = 0;
    for (int k = 0; k < repetition->count; k++) {
        length += (size_t)snprintf(tag + length, sizeof tag - length, "%s%s=%ld", k > 0 ? "," : "{",
                                   reader->names[1 + repetition->parameters + (size_t)k],
                                   variable(reader, k));
    }
    olo_yaml_path(repetition->element, element, sizeof element);
    const size_t at = strlen(element), rest = strlen(path) - at;
    if (at <= strlen(path) && at + length + 1 + rest + 1 <= size) {
        memmove(path + at + length + 1, path + at, rest + 1);
        memcpy(path + at, tag, length);
        path[at + length] = '}';
    }
}
