/* What kinds of elements there are, for programs that write models: a look into the registry. */
#include <stddef.h>

#include "elements/element.h"

static const olo_element_type *type_of(int kind)
{
    return kind >= 0 && kind < olo_element_type_count ? olo_element_types[kind] : NULL;
}

static const olo_field *field_of(int kind, int index)
{
    return index >= 0 && index < olo_element_keys(kind) ? &type_of(kind)->fields[index] : NULL;
}

int olo_element_kinds(void)
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

int olo_element_keys(int kind)
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
