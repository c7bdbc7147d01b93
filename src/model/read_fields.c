/* Reads structs of a model file through the tables of their fields, with one function per kind of
 * field. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/fields.h"
#include "model/reader.h"
#include "model/repetition.h"

enum { TEXT_MAX_LENGTH = 1000 };

/* Row-major indices of the six numbers [J11, J22, J33, J12, J13, J23]. */
static const int symmetric_indices[6] = {0, 4, 8, 1, 2, 5};

/* Tolerance for the symmetry of an inertia, relative to its largest number, enough for numbers
 * copied with seven digits. */
#define SYMMETRY_TOLERANCE 1e-6

typedef olo_status field_reader(olo_reader *reader, const olo_yaml_node *node,
                                const olo_field *field, void *target);

/* Words and numbers --------------------------------------------------------------------------- */

static olo_status read_name(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                            void *target)
{
    return olo_read_name(reader, node, olo_field_at(field, target));
}

/* Whether a text may follow the dot of `body.point` and `beam.3`. */
static bool is_part(const char *text)
{
    return olo_name_is_valid(text) ||
           (text[0] != '\0' && text[strspn(text, "0123456789")] == '\0' &&
            strlen(text) <= OLO_NAME_MAX_LENGTH);
}

/* A name, `body.point` or `beam.3`. */
static olo_status read_reference(olo_reader *reader, const olo_yaml_node *node,
                                 const olo_field *field, void *target)
{
    const char **name = olo_field_at(field, target);
    const char *text = NULL;
    const olo_status status = olo_repetition_text(reader, node, node->text, &text);
    if (status != OLO_OK)
        return status;
    const char *dot = node->kind == OLO_YAML_SCALAR ? strchr(text, '.') : NULL;
    if (!dot)
        return olo_read_name(reader, node, name);
    char owner[OLO_NAME_MAX_LENGTH + 1] = "";
    const size_t length = (size_t)(dot - text);
    if (length <= OLO_NAME_MAX_LENGTH)
        memcpy(owner, text, length);
    if (!olo_name_is_valid(owner) || !is_part(dot + 1))
        return olo_read_fail_expected(reader, node, "a name, body.point or beam.node");
    *name = text;
    return OLO_OK;
}

static olo_status read_text(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                            void *target)
{
    return olo_read_text(reader, node, TEXT_MAX_LENGTH, olo_field_at(field, target));
}

static olo_status read_choice(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    const char **word = olo_field_at(field, target);
    if (node->kind == OLO_YAML_SCALAR && (*word = olo_field_synonym(field, node->text)) != NULL)
        return OLO_OK;
    return olo_read_choice(reader, node, field->choices, word);
}

static olo_status read_number(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    return olo_read_number(reader, node, olo_field_at(field, target));
}

static olo_status read_count(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                             void *target)
{
    double number = 0.0;
    const olo_status status = olo_read_number(reader, node, &number);
    if (status != OLO_OK)
        return status;
    if (!(number >= 0 && number <= INT_MAX) || number != floor(number))
        return olo_read_fail(reader, node, "expected a whole number, got %.17g", number);
    *(int *)olo_field_at(field, target) = (int)number;
    return OLO_OK;
}

static olo_status read_vector(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    return olo_read_vector(reader, node, olo_field_at(field, target));
}

static olo_status read_flag(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                            void *target)
{
    return olo_read_flag(reader, node, olo_field_at(field, target));
}

static olo_status read_rotation(olo_reader *reader, const olo_yaml_node *node,
                                const olo_field *field, void *target)
{
    return olo_read_rotation(reader, node, olo_field_at(field, target));
}

static olo_status read_energy(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    return olo_read_function(reader, node, &olo_variables_length, olo_field_at(field, target));
}

static olo_status read_law(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                           void *target)
{
    return olo_read_function(reader, node, &olo_variables_law, olo_field_at(field, target));
}

/* Matrices and vertices ----------------------------------------------------------------------- */

static olo_status read_rows(olo_reader *reader, const olo_yaml_node *node, double *numbers)
{
    olo_status status = OLO_OK;
    for (const olo_yaml_node *row = node->first; row && status == OLO_OK; row = row->next)
        status = olo_read_numbers(reader, row, 3, numbers + 3 * row->index);
    return status;
}

/* Checks that a matrix is symmetric up to SYMMETRY_TOLERANCE, and makes it exactly symmetric. */
static olo_status symmetrise(olo_reader *reader, const olo_yaml_node *node, double matrix[9])
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(matrix[i]));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            double *lower = &matrix[3 * i + j], *upper = &matrix[3 * j + i];
            if (fabs(*lower - *upper) > SYMMETRY_TOLERANCE * largest)
                return olo_read_fail(reader, node, "the matrix is not symmetric");
            *lower = *upper = 0.5 * (*lower + *upper);
        }
    }
    return OLO_OK;
}

static olo_status read_inertia(olo_reader *reader, const olo_yaml_node *node,
                               const olo_field *field, void *target)
{
    double *inertia = olo_field_at(field, target);
    const bool list = node->kind == OLO_YAML_LIST;
    if (list && node->count == 3 && node->first->kind == OLO_YAML_LIST) {
        const olo_status status = read_rows(reader, node, inertia);
        return status == OLO_OK ? symmetrise(reader, node, inertia) : status;
    }
    if (!list || (node->count != 3 && node->count != 6))
        return olo_read_fail_expected(reader, node, "3, 6 or 3x3 numbers");
    double numbers[6] = {0};
    const olo_status status = olo_read_numbers(reader, node, node->count, numbers);
    memset(inertia, 0, 9 * sizeof *inertia);
    for (int i = 0; i < 6; i++) {
        const int row = symmetric_indices[i] / 3, column = symmetric_indices[i] % 3;
        inertia[3 * row + column] = inertia[3 * column + row] = numbers[i];
    }
    return status;
}

static olo_status read_vertices(olo_reader *reader, const olo_yaml_node *node,
                                const olo_field *field, void *target)
{
    if (node->kind != OLO_YAML_LIST || node->count != 4)
        return olo_read_fail_expected(reader, node, "a list of 4 vertices");
    return read_rows(reader, node, olo_field_at(field, target));
}

/* Points on bodies ---------------------------------------------------------------------------- */

/* A point on a body as a map; the number of a node of a beam may be an expression. */
typedef struct point_map {
    olo_point_on_body point;
    double node;
} point_map;

static const olo_field point_fields[] = {
    {.key = "on", .kind = OLO_FIELD_REFERENCE, .offset = offsetof(point_map, point.on)},
    {.key = "at", .kind = OLO_FIELD_VECTOR, .offset = offsetof(point_map, point.at)},
    {.key = "node", .kind = OLO_FIELD_NUMBER, .offset = offsetof(point_map, node)},
};
enum { POINT_FIELD_COUNT = sizeof point_fields / sizeof point_fields[0] };

static olo_status parse_point_map(olo_reader *reader, const olo_yaml_node *node,
                                  olo_point_on_body *point)
{
    point_map written = {.point = *point};
    olo_status status =
        olo_read_fields(reader, node, point_fields, POINT_FIELD_COUNT, "point", &written, NULL);
    const olo_yaml_node *number = olo_yaml_find(node, "node");
    *point = written.point;
    point->given = olo_yaml_find(node, "at") != NULL;
    if (status != OLO_OK || !number || reader->numbers_only)
        return status;
    if (number->expression)
        olo_read_mark_structural(reader, number->expression);
    if (!point->on || strchr(point->on, '.') != NULL || !(written.node >= 1) ||
        written.node > 1e9 || fabs(written.node - round(written.node)) > 1e-9) {
        return olo_read_fail(reader, number,
                             "is the number of a node, from 1, of the beam in 'on'");
    }
    char name[OLO_NAME_MAX_LENGTH + 24];
    const int length = snprintf(name, sizeof name, "%s.%.0f", point->on, written.node);
    point->on = olo_pool_text(&reader->pool, name, (size_t)length);
    return point->on ? OLO_OK : olo_read_no_memory(reader);
}

static olo_status parse_point(olo_reader *reader, const olo_yaml_node *node,
                              olo_point_on_body *point)
{
    olo_status status;
    if (node->kind == OLO_YAML_LIST) {
        status = olo_read_vector(reader, node, point->at);
        point->given = true;
    } else if (node->kind == OLO_YAML_MAP) {
        status = parse_point_map(reader, node, point);
    } else if (olo_read_is_nothing(node)) {
        status = olo_read_fail_expected(
            reader, node,
            "a point: a name, body.point, beam.node, [x, y, z] or {on: name, at: [x, y, z]}");
    } else if (reader->numbers_only) {
        status = OLO_OK; // a name
    } else {
        status = read_reference(reader, node, &point_fields[0], point);
    }
    if (status == OLO_OK && point->on && strcmp(point->on, "ground") == 0)
        point->on = NULL;
    return status;
}

static olo_status read_point_on_body(olo_reader *reader, const olo_yaml_node *node,
                                     const olo_field *field, void *target)
{
    return parse_point(reader, node, olo_field_at(field, target));
}

static olo_status read_points_on_bodies(olo_reader *reader, const olo_yaml_node *node,
                                        const olo_field *field, void *target)
{
    olo_point_on_body *points = olo_field_at(field, target);
    if (node->kind != OLO_YAML_LIST || node->count != 2)
        return olo_read_fail_expected(reader, node, "a list of 2 points");
    const olo_status status = parse_point(reader, node->first, &points[0]);
    return status == OLO_OK ? parse_point(reader, node->first->next, &points[1]) : status;
}

/* Signals ------------------------------------------------------------------------------------- */

/* A list of `count` numbers, or of any length if `count` is 0, in the pool of the reader. */
static olo_status read_column(olo_reader *reader, const olo_yaml_node *node, int count,
                              const double **numbers)
{
    if (node->kind != OLO_YAML_LIST || node->count == 0)
        return olo_read_fail_expected(reader, node, "a list of numbers");
    if (count > 0 && node->count != count) {
        return olo_read_fail(reader, node, "expected as many values as times, %d, got %d", count,
                             node->count);
    }
    double *column = olo_pool_alloc(&reader->pool, (size_t)node->count, sizeof *column);
    if (!column)
        return olo_read_no_memory(reader);
    *numbers = column;
    return olo_read_numbers(reader, node, node->count, column);
}

static olo_status read_table(olo_reader *reader, const olo_yaml_node *node, olo_signal *signal)
{
    const char *const keys[] = {"time", "value"};
    for (const olo_yaml_node *child = node->first; child; child = child->next)
        if (strcmp(child->key, keys[0]) != 0 && strcmp(child->key, keys[1]) != 0)
            return olo_read_fail_unknown_key(reader, child, "table", keys, 2);
    const olo_yaml_node *time = olo_yaml_find(node, "time"), *value = olo_yaml_find(node, "value");
    if (!time || !value)
        return olo_read_fail(reader, node, "a table needs the keys 'time' and 'value'");
    olo_status status = read_column(reader, time, 0, &signal->time);
    if (status == OLO_OK)
        status = read_column(reader, value, time->count, &signal->value);
    if (status != OLO_OK)
        return status;
    signal->count = time->count;
    for (const olo_yaml_node *item = time->first->next; item; item = item->next)
        if (!(signal->time[item->index] > signal->time[item->index - 1]))
            return olo_read_fail(reader, item, "the times of a table must ascend");
    return OLO_OK;
}

static olo_status read_signal(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    olo_signal *signal = olo_pool_alloc(&reader->pool, 1, sizeof *signal);
    if (!signal)
        return olo_read_no_memory(reader);
    *signal = olo_signal_default();
    *(const olo_signal **)olo_field_at(field, target) = signal;
    if (node->kind == OLO_YAML_MAP)
        return read_table(reader, node, signal);
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node)) {
        return olo_read_fail_expected(
            reader, node, "a number, an expression of t or {time: [...], value: [...]}");
    }
    return olo_read_function(
        reader, node, field->measures ? &olo_variables_time_and_measures : &olo_variables_time,
        &signal->expression);
}

/* Three expressions of the time; two if the plane of the model is xy. */
static olo_status read_motion(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    const char **texts = olo_field_at(field, target);
    const int least = reader->model->in_xy ? 2 : 3;
    if (node->kind != OLO_YAML_LIST || node->count < least || node->count > 3)
        return olo_read_fail_expected(reader, node, "a list of 3 expressions of t");
    texts[2] = "0";
    olo_status status = OLO_OK;
    for (const olo_yaml_node *item = node->first; item && status == OLO_OK; item = item->next)
        status = olo_read_function(reader, item, &olo_variables_time, &texts[item->index]);
    return status;
}

/* Parts of bodies ----------------------------------------------------------------------------- */

static olo_status read_shapes(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    const bool list = node->kind == OLO_YAML_LIST;
    if (!list && node->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, node, "a shape (a map) or a list of shapes");
    const int count = list ? node->count : 1;
    const olo_shape *before = *(const olo_shape **)olo_field_at(field, target);
    olo_shape *shapes = olo_pool_copy(&reader->pool, reader->numbers_only ? before : NULL,
                                      (size_t)count, sizeof *shapes);
    if (!shapes)
        return olo_read_no_memory(reader);
    const olo_yaml_node *item = list ? node->first : node;
    for (int i = 0; i < count; i++, item = item->next) {
        if (!reader->numbers_only)
            shapes[i] = olo_shape_default();
        const olo_status status =
            olo_read_fields(reader, item, olo_part_shape.fields, olo_part_shape.field_count,
                            "shape", &shapes[i], NULL);
        if (status != OLO_OK)
            return status;
    }
    *(const olo_shape **)olo_field_at(field, target) = shapes;
    olo_field_set_count(field, target, count);
    return OLO_OK;
}

static olo_status read_points(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                              void *target)
{
    if (node->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, node, "a map of names to vectors");
    if (node->count > OLO_MAX_BODY_POINTS)
        return olo_read_fail(reader, node, "more than %d points of one body", OLO_MAX_BODY_POINTS);
    olo_body_point *points = olo_pool_alloc(&reader->pool, (size_t)node->count, sizeof *points);
    if (!points)
        return olo_read_no_memory(reader);
    const olo_body_point *before = *(const olo_body_point **)olo_field_at(field, target);
    for (const olo_yaml_node *item = node->first; item; item = item->next) {
        const char **name = &points[item->index].name;
        olo_status status = OLO_OK;
        if (reader->numbers_only)
            *name = before[item->index].name;
        else
            status = olo_repetition_text(reader, item, item->key, name);
        if (status != OLO_OK)
            return status;
        if (!reader->numbers_only && !olo_name_is_valid(*name)) {
            char excerpt[OLO_YAML_EXCERPT_SIZE];
            return olo_read_fail_key(reader, item, "'%s' is not a name: " OLO_NAME_RULE,
                                     olo_yaml_excerpt(*name, excerpt));
        }
        status = olo_read_vector(reader, item, points[item->index].at);
        if (status != OLO_OK)
            return status;
    }
    *(const olo_body_point **)olo_field_at(field, target) = points;
    olo_field_set_count(field, target, node->count);
    return OLO_OK;
}

/* Reads a list of numbers, or a list of rows, which are stored one after the other. */
static olo_status read_list(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                            void *target)
{
    if (node->kind != OLO_YAML_LIST || node->count == 0)
        return olo_read_fail_expected(reader, node, "a list of numbers");
    int count = 0, row_count = 0;
    for (const olo_yaml_node *item = node->first; item; item = item->next) {
        const bool row = item->kind == OLO_YAML_LIST;
        row_count += row;
        count += row ? item->count : 1;
    }
    if (row_count > 0 && row_count < node->count)
        return olo_read_fail_expected(reader, node, "a list of numbers or a list of rows");
    double *numbers = olo_pool_alloc(&reader->pool, (size_t)count + 1, sizeof *numbers);
    if (!numbers)
        return olo_read_no_memory(reader);
    *(const double **)olo_field_at(field, target) = numbers;
    olo_field_set_count(field, target, count);
    if (row_count == 0)
        return olo_read_numbers(reader, node, node->count, numbers);
    olo_status status = OLO_OK;
    for (const olo_yaml_node *row = node->first; row && status == OLO_OK; row = row->next) {
        status = olo_read_numbers(reader, row, row->count, numbers);
        numbers += row->count;
    }
    return status;
}

/* One text of a list: a name, or an expression of names that are not known yet. */
static olo_status read_item(olo_reader *reader, const olo_yaml_node *node, bool name,
                            const char **text)
{
    if (name)
        return olo_read_name(reader, node, text);
    if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node))
        return olo_read_fail_expected(reader, node, "an expression");
    const olo_status status = olo_repetition_text(reader, node, node->text, text);
    return status == OLO_OK ? olo_repetition_function(reader, *text, text) : status;
}

static olo_status read_expression(olo_reader *reader, const olo_yaml_node *node,
                                  const olo_field *field, void *target)
{
    return read_item(reader, node, false, olo_field_at(field, target));
}

/* Reads a text or a list of texts, or of expressions also rows, which are stored one after the
 * other. */
static olo_status read_texts(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                             void *target)
{
    const bool names = field->kind == OLO_FIELD_NAMES, list = node->kind == OLO_YAML_LIST;
    const olo_yaml_node *first = list ? node->first : node;
    int count = 0;
    for (const olo_yaml_node *item = first; item; item = list ? item->next : NULL)
        count += item->kind == OLO_YAML_LIST ? item->count : 1;
    const char **texts = olo_pool_alloc(&reader->pool, (size_t)count + 1, sizeof *texts);
    if (!texts)
        return olo_read_no_memory(reader);
    *(const char *const **)olo_field_at(field, target) = texts;
    olo_field_set_count(field, target, count);
    for (const olo_yaml_node *item = first; item; item = list ? item->next : NULL) {
        const bool row = !names && list && item->kind == OLO_YAML_LIST;
        for (const olo_yaml_node *entry = row ? item->first : item; entry;
             entry = row ? entry->next : NULL) {
            const olo_status status = read_item(reader, entry, names, texts++);
            if (status != OLO_OK)
                return status;
        }
    }
    return OLO_OK;
}

static olo_status read_vectors(olo_reader *reader, const olo_yaml_node *node,
                               const olo_field *field, void *target)
{
    if (node->kind != OLO_YAML_LIST || node->count == 0)
        return olo_read_fail_expected(reader, node, "a list of vectors");
    double *numbers = olo_pool_alloc(&reader->pool, 3 * (size_t)node->count, sizeof *numbers);
    if (!numbers)
        return olo_read_no_memory(reader);
    *(const double **)olo_field_at(field, target) = numbers;
    olo_field_set_count(field, target, node->count);
    olo_status status = OLO_OK;
    for (const olo_yaml_node *item = node->first; item && status == OLO_OK; item = item->next)
        status = olo_read_vector(reader, item, numbers + 3 * item->index);
    return status;
}

static olo_status read_part(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                            void *target)
{
    void *part = olo_pool_alloc(&reader->pool, 1, field->part->size);
    if (!part)
        return olo_read_no_memory(reader);
    void **at = olo_field_at(field, target);
    if (reader->numbers_only)
        memcpy(part, *at, field->part->size);
    else
        field->part->defaults(part);
    *at = part;
    return olo_read_fields(reader, node, field->part->fields, field->part->field_count, field->key,
                           part, NULL);
}

/* Maps ---------------------------------------------------------------------------------------- */

static field_reader *const readers[] = {
    [OLO_FIELD_NAME] = read_name,
    [OLO_FIELD_REFERENCE] = read_reference,
    [OLO_FIELD_TEXT] = read_text,
    [OLO_FIELD_CHOICE] = read_choice,
    [OLO_FIELD_NUMBER] = read_number,
    [OLO_FIELD_VECTOR] = read_vector,
    [OLO_FIELD_INERTIA] = read_inertia,
    [OLO_FIELD_ROTATION] = read_rotation,
    [OLO_FIELD_FLAG] = read_flag,
    [OLO_FIELD_POINT_ON_BODY] = read_point_on_body,
    [OLO_FIELD_POINTS_ON_BODIES] = read_points_on_bodies,
    [OLO_FIELD_SIGNAL] = read_signal,
    [OLO_FIELD_ENERGY] = read_energy,
    [OLO_FIELD_LAW] = read_law,
    [OLO_FIELD_SHAPES] = read_shapes,
    [OLO_FIELD_POINTS] = read_points,
    [OLO_FIELD_VERTICES] = read_vertices,
    [OLO_FIELD_MOTION] = read_motion,
    [OLO_FIELD_PART] = read_part,
    [OLO_FIELD_NUMBERS] = read_list,
    [OLO_FIELD_VECTORS] = read_vectors,
    [OLO_FIELD_COUNT] = read_count,
    [OLO_FIELD_NAMES] = read_texts,
    [OLO_FIELD_EXPRESSION] = read_expression,
    [OLO_FIELD_EXPRESSIONS] = read_texts,
};

static olo_status unknown_key(olo_reader *reader, const olo_yaml_node *node, const char *noun,
                              const olo_field *fields, int count)
{
    const char **keys = olo_pool_alloc(&reader->pool, (size_t)count, sizeof *keys);
    if (!keys)
        return olo_read_no_memory(reader);
    for (int i = 0; i < count; i++)
        keys[i] = fields[i].key;
    return olo_read_fail_unknown_key(reader, node, noun, keys, (size_t)count);
}

/* Whether a field may contain numbers. */
static bool has_numbers(olo_field_kind kind)
{
    return kind >= OLO_FIELD_NUMBER && kind != OLO_FIELD_FLAG && kind != OLO_FIELD_ENERGY &&
           kind != OLO_FIELD_LAW && kind != OLO_FIELD_MOTION && kind < OLO_FIELD_NAMES;
}

/* Reads a field, and records fields of elements that depend on parameters. */
static olo_status read_field(olo_reader *reader, const olo_yaml_node *node, const olo_field *field,
                             void *target, olo_mark *mark)
{
    if (reader->numbers_only && !has_numbers(field->kind))
        return OLO_OK;
    if (!mark)
        return readers[field->kind](reader, node, field, target);
    *mark = (olo_mark){node->line, node->column};
    reader->depends = false;
    const olo_status status = readers[field->kind](reader, node, field, target);
    if (reader->depends)
        reader->bound[reader->bound_count++] = (olo_bound_field){field, node};
    return status;
}

static olo_status read_key(olo_reader *reader, const olo_yaml_node *node, const olo_field *fields,
                           int count, const char *noun, void *target, olo_mark *marks)
{
    if (reader->numbers_only)
        return read_field(reader, node, node->field, target, NULL);
    for (int i = 0; i < count; i++) {
        if (strcmp(fields[i].key, node->key) == 0) {
            ((olo_yaml_node *)node)->field = &fields[i];
            return read_field(reader, node, &fields[i], target, marks ? &marks[i] : NULL);
        }
    }
    return unknown_key(reader, node, noun, fields, count);
}

olo_status olo_read_bound(olo_reader *reader, const olo_bindings *bindings, void *target)
{
    const size_t parameters = olo_parameters_count(reader->model->parameters);
    memcpy(reader->values + 1 + parameters, bindings->variables, sizeof bindings->variables);
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < bindings->count; i++) {
        const olo_bound_field *bound = &bindings->fields[i];
        status = readers[bound->field->kind](reader, bound->node, bound->field, target);
    }
    return status;
}

static olo_status check_required(olo_reader *reader, const olo_yaml_node *map,
                                 const olo_field *fields, int count, const char *noun)
{
    const olo_yaml_node *name = olo_yaml_find(map, "name");
    for (int i = 0; i < count; i++) {
        if (fields[i].required && olo_yaml_find(map, fields[i].key) == NULL) {
            return olo_read_fail(reader, map, "%s%s%s%s needs the key '%s' (%s)", noun,
                                 name ? " '" : "", name ? name->text : "", name ? "'" : "",
                                 fields[i].key, fields[i].help);
        }
    }
    return OLO_OK;
}

olo_status olo_read_fields(olo_reader *reader, const olo_yaml_node *map, const olo_field *fields,
                           int count, const char *noun, void *target, olo_mark *marks)
{
    if (map->kind != OLO_YAML_MAP) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "a %s as a map of keys and values", noun);
        return olo_read_fail_expected(reader, map, expected);
    }
    for (const olo_yaml_node *node = map->first; node; node = node->next) {
        if (olo_repetition_is_key(reader, node))
            continue;
        const olo_status status = read_key(reader, node, fields, count, noun, target, marks);
        if (status != OLO_OK)
            return status;
    }
    return reader->numbers_only ? OLO_OK : check_required(reader, map, fields, count, noun);
}
