/* Quadratic forms: almost every constraint, strain, invariant and gravity term is
 *
 *     e(q) = c + b.q + 1/2 q.A q,      A constant, symmetric, small and sparse.
 *
 * Its discrete derivative is the gradient at the midpoint, since
 *
 *     e(q1) - e(q0) = grad e(qm).(q1 - q0)   exactly        (thesis, remark 3.1.8).
 *
 * A form depends on `size` coordinates, listed in `index`. Its vectors and matrices are dense over
 * these coordinates. The quadratic part is a list of products a q_i q_j with local i <= j.
 * `q` is always the whole configuration.
 */
#ifndef OLO_SYSTEM_FORM_H
#define OLO_SYSTEM_FORM_H

#include <stdbool.h>

enum { OLO_FORM_SIZE_MAX = 96 };

typedef struct olo_product {
    int i, j; /* local, i <= j */
    double a;
} olo_product;

typedef struct olo_form {
    double c;
    int size;
    int products;
    const int *index; /* [size] ascending indices into q */
    const double *b;  /* [size] */
    const olo_product *product;
    bool pure; /* b is zero: there are only products, as in all internal constraints */
    int used; /* number of its own coordinates; less than `size` if it shares `index` with others */
    const int *order; /* [used] their local indices, in the order in which the form was built */
} olo_form;

/* e(q) */
double olo_form_value(const olo_form *form, const double *q);

/* Sum of the magnitudes of the terms of e(q), to which the rounding of its value is relative. */
double olo_form_magnitude(const olo_form *form, const double *q);

/* The same for e written as a polynomial in q - origin, with an origin near the nodes of the form.
 * Both arrays are addressed by `index`. */
double olo_form_magnitude_about(const olo_form *form, const double *q, const double *origin);

/* gradient[size] = b + A q */
void olo_form_gradient(const olo_form *form, const double *q, double *gradient);

/* e(q), and its rate grad e(q).v at velocity v, in one loop over the form */
double olo_form_value_and_rate(const olo_form *form, const double *q, const double *v,
                               double *rate);

/* out[size] = A w, w local [size] */
void olo_form_hessian_times(const olo_form *form, const double *w, double *out);

/* matrix[size*size] += s A */
void olo_form_add_hessian(const olo_form *form, double s, double *matrix);

/* Entries of a vector over the coordinates of a form that is otherwise zero. */
typedef struct olo_form_entries {
    int count, index[2];
    double value[2];
} olo_form_entries;

/* Coefficients in the order c, b[0..size), a[0..products): how many, and the derivatives of the
 * value and of the gradient with respect to coefficient p, as entries or dense. */
int olo_form_coefficients(const olo_form *form);
olo_form_entries olo_form_entries_by_coefficient(const olo_form *form, const double *q, int p);
double olo_form_value_by_coefficient(const olo_form *form, const double *q, int p);
void olo_form_gradient_by_coefficient(const olo_form *form, const double *q, int p,
                                      double *gradient);

#endif
