/* Functions that read values from a model file: texts, numbers, vectors, and structs through the
 * tables of their fields. Every error message has a location: "top.yaml:12:5: bodies[0].inertia:
 * ...". */
#ifndef OLO_MODEL_READER_H
#define OLO_MODEL_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"
#include "elements/element.h"
#include "model/model.h"
#include "model/yaml.h"

/* The state of reading a file. */
typedef struct olo_reader {
    const char *file;
    olo_model *model;
    const olo_setting *settings;
    int setting_count;
    /* Names and values of the variables of expressions, from 1 on: the parameters, then the
     * variables of a repetition. */
    const char **names;
    double *values;
    size_t name_count;
    /* For numbers on a line through the values of the parameters: see olo_parameter_point. */
    double shift;
    double *direction;      /* or NULL */
    bool numbers_only;      /* only numbers are read, into structs that have everything else */
    bool depends;           /* a number that was read depends on a parameter */
    olo_bound_field *bound; /* fields of the current element that depend on parameters */
    int bound_count;
    struct olo_repetition *repetition; /* of the current element, or NULL */
    long copies;                       /* copies so far */
    olo_pool pool;                     /* values that were read, before the model copies them */
    olo_error *error;
} olo_reader;

/* Errors: at a value, at its key (with the path of the map), out of memory. */
olo_status olo_read_fail(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
    OLO_PRINTF(3, 4);
olo_status olo_read_fail_key(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
    OLO_PRINTF(3, 4);
olo_status olo_read_no_memory(olo_reader *reader);

/* Adds a warning to the model, with the location of a value. */
void olo_read_warn(olo_reader *reader, const olo_yaml_node *node, const char *format, ...)
    OLO_PRINTF(3, 4);

/* "expected ..., got a list of 4". */
olo_status olo_read_fail_expected(olo_reader *reader, const olo_yaml_node *node,
                                  const char *expected);

/* "unknown key 'mas', did you mean 'mass'?"; `what` is "key" or "section", `noun` the map it is in
 * (hints.h), `near` may be NULL. */
olo_status olo_read_fail_unknown(olo_reader *reader, const olo_yaml_node *node, const char *what,
                                 const char *noun, const char *near);

/* The same for a key, with the nearest of the keys that are known. */
olo_status olo_read_fail_unknown_key(olo_reader *reader, const olo_yaml_node *node,
                                     const char *noun, const char *const *keys, size_t count);

/* Whether a value is empty: nothing, ~ or null. */
bool olo_read_is_nothing(const olo_yaml_node *node);

/* A text of at most `longest` bytes; it belongs to the tree. */
olo_status olo_read_text(olo_reader *reader, const olo_yaml_node *node, size_t longest,
                         const char **text);

/* A name: see olo_name_is_valid. */
olo_status olo_read_name(olo_reader *reader, const olo_yaml_node *node, const char **name);

/* One of the words `choices`, ended by NULL; the result is the one in the list. */
olo_status olo_read_choice(olo_reader *reader, const olo_yaml_node *node,
                           const char *const *choices, const char **choice);

/* true or false. */
olo_status olo_read_flag(olo_reader *reader, const olo_yaml_node *node, bool *flag);

/* A finite number, or an expression of the parameters that gives one, not above
 * OLO_LARGEST_NUMBER. */
olo_status olo_read_number(olo_reader *reader, const olo_yaml_node *node, double *number);

/* Marks the parameters of an expression as structural: the structure of the model depends on them,
 * so that they cannot be changed later. */
void olo_read_mark_structural(olo_reader *reader, const olo_expression *expression);

/* Checks the value of an expression; errors have the location of `node`. */
olo_status olo_read_check_number(olo_reader *reader, const olo_yaml_node *node, double number);

/* The variables of an expression beside the parameters. */
typedef struct olo_variables {
    const char *const *names;    /* NULL at the end */
    const char *const *meanings; /* of each: "the time" */
    bool measures;               /* and names with dots, which the elements resolve */
} olo_variables;
extern const olo_variables olo_variables_time, olo_variables_time_and_measures,
    olo_variables_length, olo_variables_law;

/* An expression of the parameters and these variables, checked and stored as text. */
olo_status olo_read_function(olo_reader *reader, const olo_yaml_node *node,
                             const olo_variables *variables, const char **text);

/* Exactly `count` numbers. */
olo_status olo_read_numbers(olo_reader *reader, const olo_yaml_node *node, int count,
                            double *numbers);

/* Three numbers; two if the plane of the model is xy. */
olo_status olo_read_vector(olo_reader *reader, const olo_yaml_node *node, double vector[3]);

/* A rotation: see olo_body.rotation. */
olo_status olo_read_rotation(olo_reader *reader, const olo_yaml_node *node, double rotation[9]);

/* Reads a map into a struct that has its defaults. `marks` (one per field, or NULL) gets the
 * locations of the given values. `noun` names the struct in messages: "body". */
olo_status olo_read_fields(olo_reader *reader, const olo_yaml_node *map, const olo_field *fields,
                           int count, const char *noun, void *target, olo_mark *marks);

/* Evaluates the fields of a copy of an element that depend on parameters, with the values of the
 * reader. */
olo_status olo_read_bound(olo_reader *reader, const olo_bindings *bindings, void *target);

#endif
