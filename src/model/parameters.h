/* Named parameters of a model: numbers, or expressions of other parameters in any order.
 *
 *     olo_parameters_create, _add for each in the file, _set for each `--set name=value`, _resolve,
 *     then _value, _values, _derivatives; at the end _free.
 *
 * A resolved set is constant until the next addition or replacement, and threads may share it. */
#ifndef OLO_MODEL_PARAMETERS_H
#define OLO_MODEL_PARAMETERS_H

#include <stddef.h>

#include "base/expression.h"
#include "oloid/status.h"

enum { OLO_PARAMETER_MAX_NAME = 64 };

/* The index of a name that does not exist. */
#define OLO_PARAMETER_NONE ((size_t)-1)

typedef struct olo_parameters olo_parameters;

/* An empty set, owned by the caller. Fails with OLO_NO_MEMORY. */
olo_status olo_parameters_create(olo_parameters **parameters, olo_error *error);

/* Frees a set; NULL is allowed. Returns NULL. */
olo_parameters *olo_parameters_free(olo_parameters *parameters);

/* Adds a parameter defined by an expression (copied), or by a number. Parameters are numbered in
 * the order in which they are added. Fails with OLO_BAD_INPUT for a name that is no identifier,
 * longer than OLO_PARAMETER_MAX_NAME, reserved in expressions, or already defined, and for a number
 * that is not finite; the set is then unchanged. The expression is checked by
 * olo_parameters_resolve. */
olo_status olo_parameters_add(olo_parameters *parameters, const char *name, const char *expression,
                              olo_error *error);
olo_status olo_parameters_add_number(olo_parameters *parameters, const char *name, double value,
                                     olo_error *error);

/* Replaces the definition of a parameter. Fails with OLO_BAD_INPUT and suggests a similar name if
 * there is no such parameter; the set is then unchanged. */
olo_status olo_parameters_set(olo_parameters *parameters, const char *name, const char *expression,
                              olo_error *error);
olo_status olo_parameters_set_number(olo_parameters *parameters, const char *name, double value,
                                     olo_error *error);

/* Where olo_parameters_resolve found an error: the parameter, or OLO_PARAMETER_NONE, and the column
 * in its expression from 1, or 0. */
typedef struct olo_parameters_location {
    size_t parameter, column;
} olo_parameters_location;

/* Computes all values. Fails with OLO_BAD_INPUT if an expression cannot be compiled ("parameter
 * 'a': ... at column 3 of '2*lenght'; did you mean 'length'?"), if definitions form a cycle
 * ("parameters 'a' -> 'b' -> 'a' form a cycle", where -> means "depends on") or if a value is not
 * finite. `location` may be NULL. To be called again after an addition or replacement. */
olo_status olo_parameters_resolve(olo_parameters *parameters, olo_parameters_location *location,
                                  olo_error *error);

/* The number of parameters. */
size_t olo_parameters_count(const olo_parameters *parameters);

/* Their names by index, a list for olo_expression_compile; valid until the next addition. */
const char *const *olo_parameters_names(const olo_parameters *parameters);

/* The index of a name, or OLO_PARAMETER_NONE. */
size_t olo_parameters_find(const olo_parameters *parameters, const char *name);

/* The same; fails with OLO_BAD_INPUT and suggests a similar name if there is no such parameter. */
olo_status olo_parameters_require(const olo_parameters *parameters, const char *name, size_t *index,
                                  olo_error *error);

/* The value of a parameter, or all values by index, valid until the next addition; NaN as long as
 * the set is not resolved. */
double olo_parameters_value(const olo_parameters *parameters, size_t parameter);
const double *olo_parameters_values(const olo_parameters *parameters);

/* The derivatives of all parameters of a resolved set with respect to one of them, into count
 * numbers. The definition of this parameter itself is ignored. */
void olo_parameters_derivatives(const olo_parameters *parameters, size_t with_respect_to,
                                double *derivatives);

/* Computes all values of a resolved set, into count numbers, with other values of the parameters
 * `given` (by index). Fails with OLO_BAD_INPUT if a value is not finite. */
olo_status olo_parameters_evaluate(const olo_parameters *parameters, size_t given_count,
                                   const size_t *given, const double *given_values, double *values,
                                   olo_error *error);

/* The derivative of an expression over olo_parameters_names, given those derivatives. */
double olo_parameters_expression_derivative(const olo_parameters *parameters,
                                            const olo_expression *expression,
                                            const double *derivatives);

#endif
