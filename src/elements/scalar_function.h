/* Functions of scalars: expressions f(e_1, ..., e_k) of the coordinates of minimal models and of
 * the positions of points, or C functions of these positions, each e_i a linear form of q. A
 * linear function is a form itself. As a
 * term such a function is an energy, as a row a constraint, the gap of a contact or the distance
 * along which it slides. */
#ifndef OLO_ELEMENTS_SCALAR_FUNCTION_H
#define OLO_ELEMENTS_SCALAR_FUNCTION_H

#include "elements/build.h"

enum { OLO_FUNCTION_ARGUMENTS = 6 };

typedef struct olo_scalar_function {
    const olo_general_law *law; /* lives as long as the system; NULL: the function is form[0] */
    int count;
    olo_form_builder form[OLO_FUNCTION_ARGUMENTS];
} olo_scalar_function;

/* Up to two points whose positions are arguments: x, y, z of one, x1, y1, z1, x2, y2, z2 of two. */
typedef struct olo_function_points {
    int count;
    olo_position position[2];
} olo_function_points;

/* Compiles an expression of all coordinates of the model, and of the points unless they are NULL.
 */
olo_status olo_build_expression(olo_builder *builder, const char *key, const char *text,
                                const olo_function_points *points, olo_scalar_function *function);

/* A C function of the points with its gradient and Hessian, as in olo_contact. */
typedef void olo_user_function(void *context, const double *x, double *value, double *gradient,
                               double *hessian);
olo_status olo_build_user_function(olo_builder *builder, const char *key, olo_user_function *user,
                                   void *context, const olo_function_points *points,
                                   olo_scalar_function *function);

/* The same for a number of the model that may depend on coordinates: if it does not, the count of
 * the function is zero. `value` is that at the initial state. */
olo_status olo_build_entry(olo_builder *builder, const char *key, const char *text,
                           olo_scalar_function *function, double *value);

/* The value at the initial state. */
double olo_function_initial(const olo_system *system, const olo_scalar_function *function);

/* The function as an energy; as a term by itself, NULL: no memory; as a row. The last two live as
 * long as the system. */
olo_status olo_build_function_term(olo_builder *builder, const char *owner, olo_term_role role,
                                   const olo_scalar_function *function);
const olo_term *olo_build_own_term(olo_builder *builder, const olo_scalar_function *function);
olo_status olo_build_function_row(olo_builder *builder, const olo_scalar_function *function,
                                  olo_constraint *row);

#endif
