/* Expressions of measures, f(m_1, ..., m_p):
 *
 *     grad f     = sum_i f_i grad m_i
 *     Hessian f  = sum_i f_i Hessian m_i + sum_ij f_ij grad m_i grad m_j^T
 *
 * The names of measures become identifiers of an ordinary expression (base/expression.h):
 * tip.position is tip_position there. */
#include "system/quantity_kinds.h"

#include <ctype.h>
#include <string.h>

enum { PARTS_MAX = 32, TEXT_MAX = 2000, NAME_SIZE = 256 };

bool olo_quantity_is_expression(const char *text)
{
    return strpbrk(text, " +-*/^(,'") != NULL;
}

// -- text -----------------------------------------------------------------------------------------

/* A text that is translated: `from` is read, `to` is written. */
typedef struct translation {
    olo_quantity *m;
    olo_pool *pool;
    const char *from;
    char to[TEXT_MAX];
    size_t length;
    const char *identifier[PARTS_MAX];
} translation;

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* The length of the name at `text`: a quoted one, distance(..., ...), or an identifier with dots;
 * 0: none. */
static size_t name_at(const char *text, bool *quoted)
{
    static const char distance[] = "distance(";
    size_t length = 0;
    *quoted = *text == '\'' && strchr(text + 1, '\'');
    if (*quoted)
        return (size_t)(strchr(text + 1, '\'') - text) - 1;
    if (strncmp(text, distance, sizeof distance - 1) == 0 && strchr(text, ')'))
        return (size_t)(strchr(text, ')') - text) + 1;
    if (isalpha((unsigned char)*text) || *text == '_')
        while (is_part(text[length]))
            length++;
    return length;
}

/* An identifier for a new part, unlike all others. */
static const char *identify(translation *x, const char *name)
{
    char text[NAME_SIZE + PARTS_MAX];
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)(isalnum((unsigned char)name[i]) ? name[i] : '_');
    if (isdigit((unsigned char)text[0]))
        text[0] = '_';
    text[length] = '\0';
    for (int i = 0; i < x->m->part_count; i++)
        if (strcmp(x->identifier[i], text) == 0) {
            text[length++] = '_';
            text[length] = '\0';
            i = -1;
        }
    return olo_pool_text(x->pool, text, length);
}

/* The number of a measure among the parts, found or new; -1 if the name belongs to the language: a
 * function or constant. */
static olo_status find_part(translation *x, const char *name, bool quoted, int *number,
                            olo_error *error)
{
    olo_quantity *m = x->m;
    *number = -1;
    if (!quoted && olo_expression_is_identifier(name) && olo_expression_is_reserved(name))
        return OLO_OK;
    for (int i = 0; i < m->part_count; i++)
        if (strcmp(m->parts[i].name, name) == 0)
            *number = i;
    if (*number >= 0)
        return OLO_OK;
    if (m->part_count == PARTS_MAX)
        return olo_fail(error, OLO_BAD_INPUT, "an expression has at most %d quantities", PARTS_MAX);
    const char *copy = olo_pool_text(x->pool, name, strlen(name));
    x->identifier[m->part_count] = identify(x, name);
    if (!copy || !x->identifier[m->part_count])
        return olo_quantity_no_memory(error);
    *number = m->part_count;
    bool found;
    const olo_status status = olo_quantity_find_name(m->system, copy, m->direction, x->pool,
                                                     &m->parts[m->part_count], &found, error);
    if (status != OLO_OK)
        return status;
    m->part_count += found;
    return found ? OLO_OK : olo_quantity_not_found(m->system, name, error);
}

static olo_status put(translation *x, const char *text, size_t length, olo_error *error)
{
    if (x->length + length >= TEXT_MAX)
        return olo_fail(error, OLO_BAD_INPUT, "the expression is too long");
    memcpy(x->to + x->length, text, length);
    x->length += length;
    return OLO_OK;
}

/* Replaces the name of the given length at x->from. */
static olo_status replace(translation *x, size_t length, bool quoted, olo_error *error)
{
    char name[NAME_SIZE];
    int number;
    if (length >= sizeof name)
        return olo_fail(error, OLO_BAD_INPUT, "a name in the expression is too long");
    memcpy(name, x->from + quoted, length);
    name[length] = '\0';
    x->from += length + (quoted ? 2 : 0);
    const olo_status status = find_part(x, name, quoted, &number, error);
    const char *text = number < 0 ? name : x->identifier[number];
    return status == OLO_OK ? put(x, text, strlen(text), error) : status;
}

static olo_status translate(translation *x, olo_error *error)
{
    olo_status status = OLO_OK;
    while (status == OLO_OK && *x->from) {
        bool quoted;
        const size_t length = name_at(x->from, &quoted);
        if (length > 0) {
            status = replace(x, length, quoted, error);
            continue;
        }
        /* a number, whose e is no name, or a symbol */
        size_t count = 0;
        while (isdigit((unsigned char)*x->from) && is_part(x->from[count]))
            count++;
        count = count > 0 ? count : 1;
        status = put(x, x->from, count, error);
        x->from += count;
    }
    return status;
}

// -- compilation ----------------------------------------------------------------------------------

/* The coordinates of all parts, one part after the other. */
static olo_status collect(olo_quantity *m, olo_pool *pool, olo_error *error)
{
    int size = 0, *index;
    m->first = olo_pool_alloc(pool, PARTS_MAX, sizeof *m->first);
    for (int i = 0; i < m->part_count; i++) {
        size += m->parts[i].size;
        m->uses_q = m->uses_q || m->parts[i].uses_q;
        m->uses_v = m->uses_v || m->parts[i].uses_v;
    }
    m->work = olo_pool_alloc(pool, 2 * (size_t)size, sizeof *m->work);
    if (!m->first || !m->work || !olo_quantity_allocate(m, size, pool, &index, false))
        return olo_quantity_no_memory(error);
    for (int i = 0, next = 0; i < m->part_count; i++) {
        m->first[i] = next;
        for (int j = 0; j < m->parts[i].size; j++)
            index[next++] = m->parts[i].index[j];
    }
    return OLO_OK;
}

olo_status olo_quantity_compile(olo_quantity *m, const char *text, olo_pool *pool, olo_error *error)
{
    translation x = {.m = m, .pool = pool, .from = text};
    m->type = &olo_quantity_formula;
    m->parts = olo_pool_alloc(pool, PARTS_MAX, sizeof *m->parts);
    if (!m->parts)
        return olo_quantity_no_memory(error);
    olo_status status = translate(&x, error);
    if (status == OLO_OK)
        status = olo_expression_compile(x.to, x.identifier, (size_t)m->part_count, &m->expression,
                                        NULL, error);
    if (status == OLO_OK && m->part_count == 0)
        status = olo_fail(error, OLO_BAD_INPUT, "the expression has no quantity of the model");
    if (status == OLO_OK)
        status = collect(m, pool, error);
    if (status != OLO_OK)
        olo_quantity_free(m);
    return olo_fail_context(error, status, "quantity '%s'", text);
}

// -- values ---------------------------------------------------------------------------------------

/* Values of the parts and, unless `gradients` is false, their gradients in the work space: those
 * with respect to q, then those with respect to v. */
static void evaluate(const olo_quantity *m, const olo_quantity_at *at, bool gradients,
                     double *values)
{
    for (int i = 0; i < m->part_count; i++) {
        double *gq = m->work + m->first[i], *gv = gq + m->size;
        values[i] =
            olo_quantity_value(&m->parts[i], at, gradients ? gq : NULL, gradients ? gv : NULL);
    }
}

/* df/dm_i */
static double derivative(const olo_quantity *m, const double *values, int i)
{
    double direction[PARTS_MAX] = {0}, series[2];
    direction[i] = 1;
    olo_expression_taylor(m->expression, values, direction, 1, series);
    return series[1];
}

static double value(const olo_quantity *m, const olo_quantity_at *at, double *gq, double *gv)
{
    double values[PARTS_MAX];
    evaluate(m, at, gq || gv, values);
    for (int i = 0; (gq || gv) && i < m->part_count; i++) {
        const double by = derivative(m, values, i);
        for (int j = m->first[i]; j < m->first[i] + m->parts[i].size; j++) {
            if (gq)
                gq[j] = by * m->work[j];
            if (gv)
                gv[j] = by * m->work[m->size + j];
        }
    }
    return olo_expression_value(m->expression, values);
}

/* Gives the entries of a part to the sink of the whole. */
typedef struct relay {
    const olo_quantity_sink *sink;
    int first;
} relay;

static void pass(void *context, olo_quantity_slot a, int i, olo_quantity_slot b, int j,
                 double value)
{
    const relay *to = context;
    to->sink->put(to->sink->context, a, to->first + i, b, to->first + j, value);
}

/* The number of arguments of a part, and argument k: its slot and number. */
static int arguments(const olo_quantity *part)
{
    return (part->uses_q + part->uses_v) * part->size;
}

static int argument(const olo_quantity *part, int k, olo_quantity_slot *slot)
{
    *slot = part->uses_q && k < part->size ? OLO_QUANTITY_Q : OLO_QUANTITY_V;
    return k % part->size;
}

/* factor grad m_i grad m_j^T, both with their transpose unless i = j */
static void put_products(const olo_quantity *m, int i, int j, double factor,
                         const olo_quantity_sink *sink)
{
    const olo_quantity *left = &m->parts[i], *right = &m->parts[j];
    for (int k = 0; k < arguments(left); k++)
        for (int l = 0; l < (i == j ? k + 1 : arguments(right)); l++) {
            olo_quantity_slot a, b;
            const int left_number = m->first[i] + argument(left, k, &a),
                      right_number = m->first[j] + argument(right, l, &b);
            sink->put(sink->context, a, left_number, b, right_number,
                      factor * m->work[(a == OLO_QUANTITY_V ? m->size : 0) + left_number] *
                          m->work[(b == OLO_QUANTITY_V ? m->size : 0) + right_number]);
        }
}

static void second(const olo_quantity *m, const olo_quantity_at *at, double factor,
                   const olo_quantity_sink *sink)
{
    double values[PARTS_MAX] = {0};
    if (at)
        evaluate(m, at, true, values);
    for (int i = 0; i < m->part_count; i++) {
        double along[PARTS_MAX] = {0};
        along[i] = 1;
        for (int j = 0; j <= i; j++) {
            double other[PARTS_MAX] = {0};
            other[j] = 1;
            put_products(
                m, i, j,
                at ? factor * olo_expression_second(m->expression, values, along, other) : 0, sink);
        }
    }
    for (int i = 0; i < m->part_count; i++) {
        relay to = {sink, m->first[i]};
        const olo_quantity_sink own = {pass, &to};
        olo_quantity_second(&m->parts[i], at, at ? factor * derivative(m, values, i) : 0, &own);
    }
}

static double by(const olo_quantity *m, const olo_quantity_at *at, const olo_coefficient *c)
{
    double values[PARTS_MAX], sum = 0;
    evaluate(m, at, false, values);
    for (int i = 0; i < m->part_count; i++) {
        const double part = olo_quantity_by_coefficient(&m->parts[i], at, c);
        if (part != 0)
            sum += part * derivative(m, values, i);
    }
    return sum;
}

const olo_quantity_type olo_quantity_formula = {
    .key = "expression", .value = value, .second = second, .by = by};
