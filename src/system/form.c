/* Quadratic forms e(q) = c + b.q + 1/2 q.A q and their exact discrete derivative,
 *
 *     e(q1) - e(q0) = grad e(qm).(q1 - q0)                (thesis, remark 3.1.8).
 *
 * A is stored as the products of 1/2 q.A q = sum a q_i q_j. A product with i < j represents the two
 * entries A_ij = A_ji = a, a product with i = j the entry A_ii = 2 a. In both cases A w is the sum
 * of a w_j in row i and a w_i in row j, so the loops below need not distinguish them.
 */
#include "system/form.h"

#include <math.h>

double olo_form_value(const olo_form *form, const double *q)
{
    double e = form->c;
    for (int l = 0; !form->pure && l < form->size; l++)
        e += form->b[l] * q[form->index[l]];
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        e += x->a * q[form->index[x->i]] * q[form->index[x->j]];
    }
    return e;
}

double olo_form_magnitude(const olo_form *form, const double *q)
{
    double sum = fabs(form->c);
    for (int i = 0; i < form->size; i++)
        sum += fabs(form->b[i] * q[form->index[i]]);
    for (int p = 0; p < form->products; p++)
        sum += fabs(form->product[p].a * q[form->index[form->product[p].i]] *
                    q[form->index[form->product[p].j]]);
    return sum;
}

double olo_form_magnitude_about(const olo_form *form, const double *q, const double *origin)
{
    double gradient[OLO_FORM_SIZE_MAX], sum = fabs(olo_form_value(form, origin));
    olo_form_gradient(form, origin, gradient);
    for (int i = 0; i < form->size; i++)
        sum += fabs(gradient[i] * (q[form->index[i]] - origin[form->index[i]]));
    for (int p = 0; p < form->products; p++) {
        const int i = form->index[form->product[p].i], j = form->index[form->product[p].j];
        sum += fabs(form->product[p].a * (q[i] - origin[i]) * (q[j] - origin[j]));
    }
    return sum;
}

void olo_form_gradient(const olo_form *form, const double *q, double *gradient)
{
    for (int l = 0; l < form->size; l++)
        gradient[l] = form->b[l];
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        gradient[x->i] += x->a * q[form->index[x->j]];
        gradient[x->j] += x->a * q[form->index[x->i]];
    }
}

double olo_form_value_and_rate(const olo_form *form, const double *q, const double *v, double *rate)
{
    double e = form->c, de = 0.0;
    for (int l = 0; !form->pure && l < form->size; l++) {
        e += form->b[l] * q[form->index[l]];
        de += form->b[l] * v[form->index[l]];
    }
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        const int i = form->index[x->i], j = form->index[x->j];
        e += x->a * q[i] * q[j];
        de += x->a * (q[i] * v[j] + q[j] * v[i]);
    }
    *rate = de;
    return e;
}

void olo_form_hessian_times(const olo_form *form, const double *w, double *out)
{
    for (int l = 0; l < form->size; l++)
        out[l] = 0.0;
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        out[x->i] += x->a * w[x->j];
        out[x->j] += x->a * w[x->i];
    }
}

void olo_form_add_hessian(const olo_form *form, double s, double *matrix)
{
    const int n = form->size;
    for (int p = 0; p < form->products; p++) {
        const olo_product *x = &form->product[p];
        matrix[x->i * n + x->j] += s * x->a;
        matrix[x->j * n + x->i] += s * x->a;
    }
}

int olo_form_coefficients(const olo_form *form)
{
    return 1 + form->size + form->products;
}

double olo_form_value_by_coefficient(const olo_form *form, const double *q, int p)
{
    if (p == 0)
        return 1.0;
    if (p <= form->size)
        return q[form->index[p - 1]];
    const olo_product *x = &form->product[p - 1 - form->size];
    return q[form->index[x->i]] * q[form->index[x->j]];
}

olo_form_entries olo_form_entries_by_coefficient(const olo_form *form, const double *q, int p)
{
    if (p == 0)
        return (olo_form_entries){0};
    if (p <= form->size)
        return (olo_form_entries){1, {p - 1, 0}, {1, 0}};
    const olo_product *x = &form->product[p - 1 - form->size];
    return (olo_form_entries){2, {x->i, x->j}, {q[form->index[x->j]], q[form->index[x->i]]}};
}

void olo_form_gradient_by_coefficient(const olo_form *form, const double *q, int p,
                                      double *gradient)
{
    const olo_form_entries x = olo_form_entries_by_coefficient(form, q, p);
    for (int l = 0; l < form->size; l++)
        gradient[l] = 0.0;
    for (int k = 0; k < x.count; k++)
        gradient[x.index[k]] += x.value[k];
}
