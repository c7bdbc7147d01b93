/* Elements handled through the tables of their fields: copying and checking, for any type. */
#ifndef OLO_MODEL_FIELDS_H
#define OLO_MODEL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "elements/element.h"

/* Replaces everything to which `target`, a plain copy of a struct, points by copies in the pool.
 * Returns false if memory is exhausted. */
bool olo_fields_copy(olo_pool *pool, const olo_field *fields, int count, void *target);

/* Checks for values that are wrong in any element: numbers that are not finite (unless the default
 * of the field is unset) or larger than OLO_LARGEST_NUMBER, words that are not among the choices,
 * lists without items. Returns the wrong field, with the reason in `text`, or NULL. */
const olo_field *olo_fields_check(const olo_field *fields, int count, const void *element,
                                  const void *defaults, char *text, size_t size);

/* The address of a field in its struct. */
static inline void *olo_field_at(const olo_field *field, void *element)
{
    return (char *)element + field->offset;
}

static inline const void *olo_field_in(const olo_field *field, const void *element)
{
    return (const char *)element + field->offset;
}

/* The number of items of a field that is a list. */
static inline int olo_field_count(const olo_field *field, const void *element)
{
    return *(const int *)(const void *)((const char *)element + field->count_offset);
}

static inline void olo_field_set_count(const olo_field *field, void *element, int count)
{
    *(int *)(void *)((char *)element + field->count_offset) = count;
}

/* The choice that a synonym stands for, or NULL. */
const char *olo_field_synonym(const olo_field *field, const char *word);

#endif
