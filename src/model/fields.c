/* Copies and checks elements through the tables of their fields, with one function per kind of
 * field. */
#include "model/fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/initialised.h"
#include "model/model.h"

/* Copying ------------------------------------------------------------------------------------- */

static bool copy_text(olo_pool *pool, const char **text)
{
    if (!*text)
        return true;
    *text = olo_pool_text(pool, *text, strlen(*text));
    return *text;
}

static bool copy_text_field(olo_pool *pool, const olo_field *field, void *target)
{
    return copy_text(pool, olo_field_at(field, target));
}

/* A choice is stored as one of the words of its field. */
static bool copy_choice(olo_pool *pool, const olo_field *field, void *target)
{
    const char **word = olo_field_at(field, target);
    const char *choice = *word ? olo_field_synonym(field, *word) : NULL;
    if (choice)
        *word = choice;
    return copy_text(pool, word);
}

static bool copy_motion(olo_pool *pool, const olo_field *field, void *target)
{
    const char **texts = olo_field_at(field, target);
    return copy_text(pool, &texts[0]) && copy_text(pool, &texts[1]) && copy_text(pool, &texts[2]);
}

static bool copy_point_on_body(olo_pool *pool, const olo_field *field, void *target)
{
    olo_point_on_body *point = olo_field_at(field, target);
    return copy_text(pool, &point->on);
}

static bool copy_points_on_bodies(olo_pool *pool, const olo_field *field, void *target)
{
    olo_point_on_body *points = olo_field_at(field, target);
    return copy_text(pool, &points[0].on) && copy_text(pool, &points[1].on);
}

static bool copy_signal(olo_pool *pool, const olo_field *field, void *target)
{
    const olo_signal **given = olo_field_at(field, target);
    if (!*given)
        return true;
    olo_signal *signal = olo_pool_copy(pool, *given, 1, sizeof *signal);
    *given = signal;
    if (!signal || !copy_text(pool, &signal->expression))
        return false;
    if (!signal->time)
        return true;
    const size_t count = (size_t)signal->count;
    signal->time = olo_pool_copy(pool, signal->time, count, sizeof *signal->time);
    signal->value = olo_pool_copy(pool, signal->value, count, sizeof *signal->value);
    return signal->time && signal->value;
}

static bool copy_shapes(olo_pool *pool, const olo_field *field, void *target)
{
    const olo_shape **shapes = olo_field_at(field, target);
    const int count = olo_field_count(field, target);
    olo_shape *copy = olo_pool_copy(pool, *shapes, (size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        if (!olo_fields_copy(pool, olo_part_shape.fields, olo_part_shape.field_count, &copy[i]))
            return false;
    *shapes = copy;
    return copy;
}

static bool copy_points(olo_pool *pool, const olo_field *field, void *target)
{
    const olo_body_point **points = olo_field_at(field, target);
    const int count = olo_field_count(field, target);
    olo_body_point *copy = olo_pool_copy(pool, *points, (size_t)count, sizeof *copy);
    for (int i = 0; copy && i < count; i++)
        if (!copy_text(pool, &copy[i].name))
            return false;
    *points = copy;
    return copy;
}

/* The count of numbers of a field that is a list: one per item, or three per vector. */
static size_t list_size(const olo_field *field, const void *element)
{
    const int count = olo_field_count(field, element);
    return count > 0 ? (size_t)count * (field->kind == OLO_FIELD_VECTORS ? 3 : 1) : 0;
}

static bool copy_list(olo_pool *pool, const olo_field *field, void *target)
{
    const double **numbers = olo_field_at(field, target);
    const size_t count = list_size(field, target);
    if (count == 0) {
        *numbers = NULL;
        return true;
    }
    *numbers = olo_pool_copy(pool, *numbers, count, sizeof **numbers);
    return *numbers;
}

static bool copy_texts(olo_pool *pool, const olo_field *field, void *target)
{
    const char *const **texts = olo_field_at(field, target);
    const int count = olo_field_count(field, target);
    const char **copy = olo_pool_alloc(pool, (size_t)count + 1, sizeof *copy);
    for (int i = 0; copy && i < count; i++) {
        copy[i] = (*texts)[i];
        if (!copy_text(pool, &copy[i]))
            return false;
    }
    *texts = copy;
    return copy;
}

static bool copy_part(olo_pool *pool, const olo_field *field, void *target)
{
    void **part = olo_field_at(field, target);
    if (!*part)
        return true;
    *part = olo_pool_copy(pool, *part, 1, field->part->size);
    return *part && olo_fields_copy(pool, field->part->fields, field->part->field_count, *part);
}

/* Kinds without pointers have no function. */
static bool (*const copies[])(olo_pool *, const olo_field *, void *) = {
    [OLO_FIELD_NAME] = copy_text_field,
    [OLO_FIELD_REFERENCE] = copy_text_field,
    [OLO_FIELD_TEXT] = copy_text_field,
    [OLO_FIELD_CHOICE] = copy_choice,
    [OLO_FIELD_POINT_ON_BODY] = copy_point_on_body,
    [OLO_FIELD_POINTS_ON_BODIES] = copy_points_on_bodies,
    [OLO_FIELD_SIGNAL] = copy_signal,
    [OLO_FIELD_ENERGY] = copy_text_field,
    [OLO_FIELD_LAW] = copy_text_field,
    [OLO_FIELD_SHAPES] = copy_shapes,
    [OLO_FIELD_POINTS] = copy_points,
    [OLO_FIELD_MOTION] = copy_motion,
    [OLO_FIELD_VERTICES] = NULL,
    [OLO_FIELD_PART] = copy_part,
    [OLO_FIELD_NUMBERS] = copy_list,
    [OLO_FIELD_VECTORS] = copy_list,
    [OLO_FIELD_NAMES] = copy_texts,
    [OLO_FIELD_EXPRESSION] = copy_text_field,
    [OLO_FIELD_EXPRESSIONS] = copy_texts,
};

bool olo_fields_copy(olo_pool *pool, const olo_field *fields, int count, void *target)
{
    for (int i = 0; i < count; i++) {
        bool (*const copy)(olo_pool *, const olo_field *, void *) = copies[fields[i].kind];
        if (copy && !copy(pool, &fields[i], target))
            return false;
    }
    return true;
}

/* Checking ------------------------------------------------------------------------------------ */

/* The buffer for a reason. */
typedef struct reason {
    char *text;
    size_t size;
} reason;

static bool refuse(reason why, const char *text)
{
    (void)snprintf(why.text, why.size, "%s", text);
    return false;
}

/* `defaults` NULL: no number may be unset. */
static bool check_numbers(const double *x, const double *defaults, int count, reason why)
{
    for (int i = 0; i < count; i++) {
        if (isnan(x[i]) && defaults && isnan(defaults[i]))
            continue;
        if (!isfinite(x[i]))
            return refuse(why, "is not a finite number");
        if (fabs(x[i]) > OLO_LARGEST_NUMBER)
            return refuse(why, "is too large");
    }
    return true;
}

/* Numbers in the field itself, by kind. */
static const int number_counts[] = {
    [OLO_FIELD_NUMBER] = 1,   [OLO_FIELD_VECTOR] = 3,    [OLO_FIELD_INERTIA] = 9,
    [OLO_FIELD_ROTATION] = 9, [OLO_FIELD_VERTICES] = 12,
};

static bool check_number_field(const olo_field *field, const void *element, const void *defaults,
                               reason why)
{
    return check_numbers(olo_field_in(field, element), olo_field_in(field, defaults),
                         number_counts[field->kind], why);
}

const char *olo_field_synonym(const olo_field *field, const char *word)
{
    for (const char *const *s = field->synonyms; s && *s; s += 2)
        if (strcmp(s[0], word) == 0)
            return s[1];
    return NULL;
}

static bool allows(const olo_field *field, const char *word)
{
    for (const char *const *choice = field->choices; *choice; choice++)
        if (strcmp(*choice, word) == 0)
            return true;
    return false;
}

/* The choices of a field as "a, b or c". */
static void list_choices(const olo_field *field, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (const char *const *choice = field->choices; *choice && length < size; choice++) {
        const char *separator = choice == field->choices ? "" : !choice[1] ? " or " : ", ";
        const int written = snprintf(text + length, size - length, "%s%s", separator, *choice);
        length += written > 0 ? (size_t)written : 0;
    }
}

static bool check_choice(const olo_field *field, const void *element, const void *defaults,
                         reason why)
{
    (void)defaults;
    const char *const *word = olo_field_in(field, element);
    if (!*word || allows(field, *word) || olo_field_synonym(field, *word))
        return true;
    char choices[256], excerpt[OLO_NAME_MAX_LENGTH + 1];
    (void)snprintf(excerpt, sizeof excerpt, "%s", *word);
    list_choices(field, choices, sizeof choices);
    (void)snprintf(why.text, why.size, "expected %s, got '%s'", choices, excerpt);
    return false;
}

static bool check_point_on_body(const olo_field *field, const void *element, const void *defaults,
                                reason why)
{
    (void)defaults;
    const olo_point_on_body *point = olo_field_in(field, element);
    return check_numbers(point->at, NULL, 3, why);
}

static bool check_points_on_bodies(const olo_field *field, const void *element,
                                   const void *defaults, reason why)
{
    (void)defaults;
    const olo_point_on_body *points = olo_field_in(field, element);
    return check_numbers(points[0].at, NULL, 3, why) && check_numbers(points[1].at, NULL, 3, why);
}

static bool check_signal(const olo_field *field, const void *element, const void *defaults,
                         reason why)
{
    (void)defaults;
    const olo_signal *signal = *(const olo_signal *const *)olo_field_in(field, element);
    if (!signal)
        return true;
    if (signal->initialised != OLO_INITIALISED_SIGNAL)
        return refuse(why, "is not initialised: start from olo_signal_default()");
    const bool table = signal->time || signal->value || signal->count != 0;
    const int given = (signal->expression != NULL) + table + (signal->function != NULL);
    if (given > 1)
        return refuse(why, "is given as more than one of expression, table and function");
    if (!table)
        return true;
    if (!signal->time || !signal->value || signal->count < 1)
        return refuse(why, "needs a table of at least one time and value");
    if (!check_numbers(signal->time, NULL, signal->count, why) ||
        !check_numbers(signal->value, NULL, signal->count, why))
        return false;
    for (int i = 1; i < signal->count; i++)
        if (!(signal->time[i] > signal->time[i - 1]))
            return refuse(why, "needs times that ascend");
    return true;
}

/* A struct to which an element points. */
static bool check_one_part(const olo_part_type *type, const void *part, reason why)
{
    union {
        char bytes[OLO_PART_MAX_SIZE];
        double number;
        void *pointer;
    } defaults;
    char text[320];
    if (*(const int *)part != (int)type->initialised) {
        (void)snprintf(why.text, why.size, "is not initialised: start from olo_%s_default()",
                       olo_initialised_name(type->initialised));
        return false;
    }
    if (type->size > sizeof defaults)
        return refuse(why, "is larger than OLO_PART_MAX_SIZE");
    type->defaults(&defaults);
    const olo_field *wrong =
        olo_fields_check(type->fields, type->field_count, part, &defaults, text, sizeof text);
    if (wrong)
        (void)snprintf(why.text, why.size, "%s %s", wrong->key, text);
    return !wrong;
}

static bool check_shapes(const olo_field *field, const void *element, const void *defaults,
                         reason why)
{
    (void)defaults;
    const olo_shape *const *shapes = olo_field_in(field, element);
    const int count = olo_field_count(field, element);
    if (count < 0 || (count > 0 && !*shapes))
        return refuse(why, "has a number of shapes but no shapes");
    for (int i = 0; i < count; i++) {
        char text[400];
        if (!check_one_part(&olo_part_shape, &(*shapes)[i], (reason){text, sizeof text})) {
            (void)snprintf(why.text, why.size, "shape %d: %s", i + 1, text);
            return false;
        }
    }
    return true;
}

static bool check_points(const olo_field *field, const void *element, const void *defaults,
                         reason why)
{
    (void)defaults;
    const olo_body_point *const *points = olo_field_in(field, element);
    const int count = olo_field_count(field, element);
    if (count < 0 || (count > 0 && !*points))
        return refuse(why, "has a number of points but no points");
    if (count > OLO_MAX_BODY_POINTS)
        return refuse(why, "has too many points");
    for (int i = 0; i < count; i++) {
        const olo_body_point *point = &(*points)[i];
        if (!point->name || !olo_name_is_valid(point->name))
            return refuse(why, "has a point whose name is not valid: " OLO_NAME_RULE);
        for (int k = 0; k < i; k++)
            if (strcmp((*points)[k].name, point->name) == 0)
                return refuse(why, "has two points of one name");
        if (!check_numbers(point->at, NULL, 3, why))
            return false;
    }
    return true;
}

static bool check_list(const olo_field *field, const void *element, const void *defaults,
                       reason why)
{
    (void)defaults;
    const double *const *numbers = olo_field_in(field, element);
    const int count = olo_field_count(field, element);
    if (count < 0 || (count > 0 && !*numbers))
        return refuse(why, "has a number of items but no items");
    return check_numbers(*numbers, NULL, (int)list_size(field, element), why);
}

static bool check_texts(const olo_field *field, const void *element, const void *defaults,
                        reason why)
{
    (void)defaults;
    const char *const *const *texts = olo_field_in(field, element);
    const int count = olo_field_count(field, element);
    if (count < 0 || (count > 0 && !*texts))
        return refuse(why, "has a number of items but no items");
    for (int i = 0; i < count; i++)
        if (!(*texts)[i] || (field->kind == OLO_FIELD_NAMES && !olo_name_is_valid((*texts)[i])))
            return refuse(why, "has an item that is missing or is not a name: " OLO_NAME_RULE);
    return true;
}

static bool check_motion(const olo_field *field, const void *element, const void *defaults,
                         reason why)
{
    (void)defaults;
    const char *const *texts = olo_field_in(field, element);
    const int given = (texts[0] != NULL) + (texts[1] != NULL) + (texts[2] != NULL);
    return given == 0 || given == 3 || refuse(why, "needs three expressions");
}

static bool check_part(const olo_field *field, const void *element, const void *defaults,
                       reason why)
{
    (void)defaults;
    const void *part = *(const void *const *)olo_field_in(field, element);
    return !part || check_one_part(field->part, part, why);
}

static bool (*const checks[])(const olo_field *, const void *, const void *, reason) = {
    [OLO_FIELD_CHOICE] = check_choice,
    [OLO_FIELD_NUMBER] = check_number_field,
    [OLO_FIELD_VECTOR] = check_number_field,
    [OLO_FIELD_INERTIA] = check_number_field,
    [OLO_FIELD_ROTATION] = check_number_field,
    [OLO_FIELD_POINT_ON_BODY] = check_point_on_body,
    [OLO_FIELD_POINTS_ON_BODIES] = check_points_on_bodies,
    [OLO_FIELD_SIGNAL] = check_signal,
    [OLO_FIELD_SHAPES] = check_shapes,
    [OLO_FIELD_POINTS] = check_points,
    [OLO_FIELD_VERTICES] = check_number_field,
    [OLO_FIELD_MOTION] = check_motion,
    [OLO_FIELD_PART] = check_part,
    [OLO_FIELD_NUMBERS] = check_list,
    [OLO_FIELD_VECTORS] = check_list,
    [OLO_FIELD_NAMES] = check_texts,
    [OLO_FIELD_EXPRESSIONS] = check_texts,
};

const olo_field *olo_fields_check(const olo_field *fields, int count, const void *element,
                                  const void *defaults, char *text, size_t size)
{
    const reason why = {text, size};
    for (int i = 0; i < count; i++) {
        bool (*const check)(const olo_field *, const void *, const void *, reason) =
            checks[fields[i].kind];
        if (check && !check(&fields[i], element, defaults, why))
            return &fields[i];
    }
    return NULL;
}
