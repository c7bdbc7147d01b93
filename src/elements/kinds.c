/* The public list of element kinds and their keys, for programs that write models; and the value of
 * numbers that are not given. */
#include <stddef.h>

#include "elements/element.h"

double olo_unset(void)
{
    return OLO_UNSET;
}

static const olo_element_type *type_of(int kind)
{
    return kind >= 0 && kind < olo_element_type_count ? olo_element_types[kind] : NULL;
}

static const olo_field *field_of(int kind, int index)
{
    return index >= 0 && index < olo_element_key_count(kind) ? &type_of(kind)->fields[index] : NULL;
}

int olo_element_kind_count(void)
{
    return olo_element_type_count;
}

const char *olo_element_section(int kind)
{
    const olo_element_type *type = type_of(kind);
    return type ? type->section : NULL;
}

const char *olo_element_noun(int kind)
{
    const olo_element_type *type = type_of(kind);
    return type ? type->noun : NULL;
}

int olo_element_key_count(int kind)
{
    const olo_element_type *type = type_of(kind);
    return type ? type->field_count : 0;
}

const char *olo_element_key(int kind, int index)
{
    const olo_field *field = field_of(kind, index);
    return field ? field->key : NULL;
}

const char *olo_element_key_help(int kind, int index)
{
    const olo_field *field = field_of(kind, index);
    return field ? field->help : NULL;
}
