/* The data of a model: elements by type, names, parameters, and the location of each in the file.
 *
 * Everything in a model is copied into its pool. Elements are accessed through the tables of their
 * fields only (elements/element.h), independently of their type. */
#ifndef OLO_MODEL_MODEL_H
#define OLO_MODEL_MODEL_H

#include <stddef.h>

#include "base/names.h"
#include "base/pool.h"
#include "elements/element.h"
#include "model/parameters.h"
#include "oloid/model.h"
#include "system/variants.h"

/* Line and column in the model file, from 1; zero if it is not in the file. */
typedef struct olo_mark {
    int line, column;
} olo_mark;

/* The location of an element in the file. */
typedef struct olo_origin {
    const char *path;      /* "bodies[0]"; NULL for a model made in code */
    olo_mark mark;         /* of the element */
    const olo_mark *marks; /* of each field, in the order of the table */
} olo_origin;

/* A field whose numbers depend on parameters, and its node in the file. */
typedef struct olo_bound_field {
    const olo_field *field;
    const struct olo_yaml_node *node;
} olo_bound_field;

enum {
    OLO_REPETITION_MAX_VARIABLES = 3, /* a grid in space needs three */
    OLO_REPETITION_MAX_VALUES = 8     /* variables and helper values together */
};

/* The fields of an element that are evaluated again for other parameters, and the values of the
 * variables of its repetition. */
typedef struct olo_bindings {
    int count;
    const olo_bound_field *fields;
    double variables[OLO_REPETITION_MAX_VALUES];
} olo_bindings;

typedef struct olo_entry {
    const olo_element_type *type;
    void *element; /* the struct of the type; its first members are olo_element_head */
    olo_origin origin;
    olo_bindings bindings;
} olo_entry;

/* Elements of one type, in the order in which they were added. */
typedef struct olo_entry_list {
    olo_entry **items;
    size_t count, capacity;
} olo_entry_list;

enum { OLO_MODEL_WARNINGS_MAX = 10 };

struct olo_model {
    olo_pool pool;
    const char *name, *description, *units;
    const char *file; /* NULL for a model made in code */
    const char *text;
    double gravity[3], plane[3];
    olo_mark gravity_mark, plane_mark;
    olo_run run;
    const struct olo_problem_section *problem; /* of optimal control; NULL: none */
    olo_variants variants;
    olo_parameters *parameters; /* always resolved */
    bool *structural;           /* [parameters] is part of a name or counts copies; NULL: none */
    /* Of a file: the expressions of its numbers, and the nodes of gravity and plane if they depend
     * on parameters */
    olo_expression **expressions;
    size_t expression_count, expression_capacity;
    const struct olo_yaml_node *gravity_node, *plane_node;
    bool in_xy;            /* the plane is xy: a vector may have two numbers */
    olo_entry_list *lists; /* one per type, in the order of olo_element_types */
    olo_names names;       /* of elements, to their entries */
    const char *warnings[OLO_MODEL_WARNINGS_MAX];
    int warning_count;
};

/* Adds a copy of a warning; further ones than the first OLO_MODEL_WARNINGS_MAX are dropped. */
void olo_model_warn(olo_model *model, const char *text);

enum {
    OLO_DESCRIPTION_MAX_LENGTH = 10000, /* bytes: a page or two */
    OLO_UNITS_MAX_LENGTH = 100,
    OLO_MAX_PARAMETERS = 1000, /* every name in an expression is searched in this list */
    OLO_MAX_BODY_POINTS = 1000 /* every reference to a point on a body is searched in this list */
};

/* Numbers beyond this are refused: the square of such a number times a mass still has to be
 * finite and to leave digits for everything else. No model in any units needs more. */
#define OLO_LARGEST_NUMBER 1e30

/* Adds a copy of an element. `origin` and `bindings` (copied) are NULL for a model made in code. An
 * element without a name gets its noun and number: "spring1". Fails with OLO_BAD_INPUT, located,
 * for a name that is not valid or taken and for fields that cannot be (see olo_fields_check). */
olo_status olo_model_add_element(olo_model *model, const olo_element_type *type,
                                 const void *element, const olo_origin *origin,
                                 const olo_bindings *bindings, olo_error *error);

/* The parameters at which a model is evaluated. Without a direction: `values`. With a direction:
 * each number of the model is x + shift dx/dp, where x is its value at `values` and dx/dp its exact
 * derivative along `direction`. */
typedef struct olo_parameter_point {
    const double *values;    /* [parameters] */
    const double *direction; /* [parameters] or NULL */
    double shift;
} olo_parameter_point;

/* Compiles a model at other parameters: the structure of `system`, which was compiled from it, with
 * other numbers. Fails with OLO_UNSUPPORTED if the structure would change. */
olo_status olo_model_compile_at(const olo_model *model, const olo_system *system,
                                const olo_parameter_point *at, olo_system **other,
                                olo_error *error);

/* Sets model->variants. */
void olo_model_set_variants(olo_model *model);

/* Name of an element. */
const char *olo_entry_name(const olo_entry *entry);

/* Writes the location of `key` of an element: "top.yaml:12:5: bodies[0].inertia", or "body 'top':
 * inertia" for a model made in code; key NULL: the element itself. */
void olo_entry_locate(const olo_model *model, const olo_entry *entry, const char *key, char *text,
                      size_t size);

/* The same for keys of the whole model: "gravity", "plane"; key NULL: the model itself. */
void olo_model_locate(const olo_model *model, const char *key, char *text, size_t size);

/* Replaces the text of `*field` by a copy of `text`. */
olo_status olo_model_set_text(olo_model *model, const char **field, const char *text,
                              olo_error *error);

#endif
