/* Elements: the named parts of a model. An element type is a constant table in its own file: the
 * fields of its struct (read from model files, copied and documented through this table), its
 * defaults, and the function that adds its nodes, forms, mass, constraints and loads to the system.
 *
 * A new element is one new file and one line in registry.c.
 */
#ifndef OLO_ELEMENTS_ELEMENT_H
#define OLO_ELEMENTS_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/initialised.h"
#include "oloid/elements.h"
#include "oloid/status.h"

typedef struct olo_builder olo_builder;

/* The kind of value of a field; the C type is in brackets. */
typedef enum olo_field_kind {
    OLO_FIELD_NAME,             /* identifier of the element itself [const char *] */
    OLO_FIELD_REFERENCE,        /* name of another element [const char *] */
    OLO_FIELD_TEXT,             /* any text [const char *] */
    OLO_FIELD_CHOICE,           /* one of `choices` [const char *] */
    OLO_FIELD_NUMBER,           /* number or expression of the parameters [double] */
    OLO_FIELD_VECTOR,           /* three numbers [double[3]] */
    OLO_FIELD_INERTIA,          /* 3, 6 or 3x3 numbers [double[9]] */
    OLO_FIELD_ROTATION,         /* see olo_body.rotation [double[9]] */
    OLO_FIELD_FLAG,             /* true or false [bool] */
    OLO_FIELD_POINT_ON_BODY,    /* [olo_point_on_body] */
    OLO_FIELD_POINTS_ON_BODIES, /* two points on bodies [olo_point_on_body[2]] */
    OLO_FIELD_SIGNAL, /* number, expression of t, or {time: [...], value: [...]} [const olo_signal
                       *] */
    OLO_FIELD_ENERGY, /* expression of `l` and the parameters, stored as text [const char *] */
    OLO_FIELD_LAW,    /* expression of l, v, t, measures and the parameters, stored as text [const
                         char *] */
    OLO_FIELD_MOTION, /* three expressions of `t`, stored as texts [const char *[3]] */
    OLO_FIELD_SHAPES, /* one shape or a list of shapes [const olo_shape *, count at count_offset] */
    OLO_FIELD_POINTS, /* map of name to vector [const olo_body_point *, count at count_offset] */
    OLO_FIELD_NUMBERS,  /* numbers, or rows of numbers [const double *, count at count_offset] */
    OLO_FIELD_VECTORS,  /* a list of vectors [const double *, count of vectors at count_offset] */
    OLO_FIELD_VERTICES, /* four vectors [double[4][3]] */
    OLO_FIELD_COUNT,    /* a whole number, not negative [int] */
    OLO_FIELD_PART,     /* a map with the fields of `part` [const struct *, NULL: not given] */
    /* texts without numbers */
    OLO_FIELD_NAMES,       /* a list of names [const char *const *, count at count_offset] */
    OLO_FIELD_EXPRESSION,  /* stored as text; what it may use is known when the element is built
                              [const char *] */
    OLO_FIELD_EXPRESSIONS, /* one of these, a list or rows of them [const char *const *, count at
                              count_offset] */
} olo_field_kind;

typedef struct olo_field {
    const char *key;
    olo_field_kind kind;
    size_t offset;
    size_t count_offset;         /* int; shapes and points */
    const char *const *choices;  /* NULL-ended */
    const char *const *synonyms; /* of choices: word, choice, word, choice, ..., NULL; or NULL */
    bool required;
    bool measures;    /* signals: its expression may depend on outputs and joint coordinates */
    const char *help; /* one line, for messages and docs */
    const struct olo_part_type *part;
} olo_field;

/* A struct to which an element points: a shape of a body, the section of a beam. Checks have
 * capacity for a struct of at most OLO_PART_MAX_SIZE bytes. */
enum { OLO_PART_MAX_SIZE = 512 };
typedef struct olo_part_type {
    olo_initialised initialised; /* number of the struct, its first member */
    size_t size;
    const olo_field *fields;
    int field_count;
    void (*defaults)(void *part);
} olo_part_type;

/* The first members of the struct of every element. */
typedef struct olo_element_head {
    int initialised;
    const char *name;
} olo_element_head;

typedef struct olo_element_type {
    const char *section;         /* key in a model file: "bodies" */
    const char *noun;            /* "body" */
    olo_initialised initialised; /* number of the struct, which begins as olo_element_head */
    size_t size;
    const olo_field *fields;
    int field_count;
    void (*defaults)(void *element);
    /* Whether a model with this element needs a scheme with impacts; NULL: never. */
    bool (*impacts)(const void *element);
    /* Adds the element to the system under construction. Errors are reported through
     * olo_builder_fail, so that they have a location in the model. */
    olo_status (*build)(olo_builder *builder, const void *element);
} olo_element_type;

/* All types, in the order in which they are built. */
extern const olo_element_type *const olo_element_types[];
extern const int olo_element_type_count;

extern const olo_part_type olo_part_shape;

extern const olo_element_type olo_element_joint, olo_element_point, olo_element_body,
    olo_element_rod, olo_element_relation, olo_element_spring, olo_element_damper,
    olo_element_support, olo_element_load, olo_element_output, olo_element_exact, olo_element_beam,
    olo_element_mass, olo_element_contact, olo_element_event, olo_element_coordinates;

#endif
