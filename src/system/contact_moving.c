/* Rows of a contact with a plane that is fixed to a body. Its normal n and tangents t_1, t_2 are
 * sums of the directors of the body, x points from its origin to the centre of the sphere:
 *
 *     gap        g = n.x - c
 *     sliding    f_k = (t_k.x)' - r F(t_k, n),     spin = k F(t_2, t_1),
 *                F(a, b) = 1/2 sum_j [(b.d_j) (a.d_j)' - (a.d_j) (b.d_j)'] = a.(omega x b)
 *
 * with the directors d_j of the sphere and its angular velocity omega relative to the body. t_k.x
 * is a coordinate of the centre in the body. All of it consists of products of vectors and their
 * rates, which vanish for every rigid motion: forces along these rows change neither momentum nor
 * angular momentum, also at the mean of two configurations, whose directors are not orthonormal.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "system/contact.h"

/* --- gap --- */

static double moving_value(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double x[3], n[3];
    olo_position_value(&c->x, at->q, x);
    olo_position_value(&c->direction, at->q, n);
    return vec3_dot(n, x) - c->offset;
}

static double moving_magnitude(const olo_constraint *row, const olo_at *at)
{
    const olo_contact_geometry *c = row->data;
    double n[3], sum = vec3_norm(c->x.x0);
    olo_position_value(&c->direction, at->q, n);
    for (int s = 0; s < c->slots; s++)
        sum += fabs(c->weight[s]) * vec3_norm(at->q + c->slot[s]);
    return fabs(c->offset) + vec3_norm(n) * sum;
}

static void moving_row(const olo_constraint *row, const double *q, double *d)
{
    const olo_contact_geometry *c = row->data;
    double x[3], n[3];
    olo_position_value(&c->x, q, x);
    olo_position_value(&c->direction, q, n);
    for (int k = 0; k < row->size; k++)
        d[k] = c->weight[k / 3] * n[k % 3] + c->turning[k / 3] * x[k % 3];
}

static void moving_matrix(const olo_constraint *row, double factor, double *matrix)
{
    const olo_contact_geometry *c = row->data;
    for (int k = 0; k < row->size; k++)
        for (int l = 0; l < row->size; l++)
            matrix[k * row->size + l] = k % 3 != l % 3
                                            ? 0
                                            : factor * (c->weight[k / 3] * c->turning[l / 3] +
                                                        c->turning[k / 3] * c->weight[l / 3]);
}

static void moving_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    moving_row(row, at->q, gradient);
}

static void moving_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                            double *tangent)
{
    moving_row(row, x->qm, d);
    if (tangent)
        moving_matrix(row, 0.5, tangent);
}

static void moving_start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    (void)x;
    moving_matrix(row, 0.5, tangent);
}

static void moving_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    (void)at;
    moving_matrix(row, 1, hessian);
}

const olo_constraint_type olo_constraint_gap_moving = {.name = "gap to a moving plane",
                                                       .value = moving_value,
                                                       .magnitude = moving_magnitude,
                                                       .gradient = moving_gradient,
                                                       .discrete = moving_discrete,
                                                       .start_tangent = moving_start_tangent,
                                                       .hessian = moving_hessian};

/* --- sliding --- */

/* A vector that is a sum of slots. */
static void sum_of(const olo_contact_geometry *c, const double *weights, const double *q,
                   double sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    for (int s = 0; s < c->slots; s++)
        vec3_add(weights[s], q + c->slot[s], sum);
}

/* The rotation in a row: factor F(a, b), a and b given by their weights. */
typedef struct rotation {
    double factor;
    const double *a, *b;
} rotation;

static rotation rotation_of(const olo_sliding *sliding)
{
    const olo_contact_geometry *c = sliding->of;
    return sliding->spin != 0 ? (rotation){sliding->spin, c->tangent[1], c->tangent[0]}
                              : (rotation){-c->radius, c->tangent[sliding->tangent], c->turning};
}

/* Adds the row of factor F(a, b): the derivatives of F with respect to the rates of d_j, a, b. */
static void add_rotation(const olo_contact_geometry *c, const rotation *of, const double *q,
                         double *row)
{
    double a[3], b[3], by_a[3] = {0, 0, 0}, by_b[3] = {0, 0, 0};
    sum_of(c, of->a, q, a);
    sum_of(c, of->b, q, b);
    for (int s = 0; s < c->slots; s++) {
        const double *d = q + c->slot[s], half = 0.5 * c->director[s];
        const double a_d = vec3_dot(a, d), b_d = vec3_dot(b, d);
        vec3_add(of->factor * half * b_d, a, row + 3 * s);
        vec3_add(-of->factor * half * a_d, b, row + 3 * s);
        vec3_add(half * b_d, d, by_a);
        vec3_add(-half * a_d, d, by_b);
    }
    for (int s = 0; s < c->slots; s++) {
        vec3_add(of->factor * of->a[s], by_a, row + 3 * s);
        vec3_add(of->factor * of->b[s], by_b, row + 3 * s);
    }
}

static void sliding_row(const olo_constraint *row, const double *q, double *d)
{
    const olo_sliding *sliding = row->data;
    const olo_contact_geometry *c = sliding->of;
    const rotation turn = rotation_of(sliding);
    memset(d, 0, (size_t)row->size * sizeof *d);
    if (sliding->spin == 0) {
        const double *weights = c->tangent[sliding->tangent];
        double x[3], t[3];
        olo_position_value(&c->x, q, x);
        sum_of(c, weights, q, t);
        for (int s = 0; s < c->slots; s++) {
            vec3_add(c->weight[s], t, d + 3 * s);
            vec3_add(weights[s], x, d + 3 * s);
        }
    }
    if (turn.factor != 0)
        add_rotation(c, &turn, q, d);
}

/* Adds f (u v^T + e I) to the block of slots s and t. */
static void add_block(const olo_constraint *row, int s, int t, double f, const double *u,
                      const double *v, double e, double *matrix)
{
    for (int i = 0; f != 0 && i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[(3 * s + i) * row->size + 3 * t + j] += f * (u[i] * v[j] + (i == j ? e : 0));
}

/* Adds f S, S = 1/2 sum_j d_j d_j^T, to the block of slots s and t. */
static void add_directors(const olo_constraint *row, int s, int t, double f, const double S[9],
                          double *matrix)
{
    for (int i = 0; f != 0 && i < 3; i++)
        for (int j = 0; j < 3; j++)
            matrix[(3 * s + i) * row->size + 3 * t + j] += f * S[3 * i + j];
}

/* Adds the derivative of add_rotation with respect to q. */
static void add_rotation_matrix(const olo_constraint *row, const rotation *of, const double *q,
                                double *matrix)
{
    const olo_contact_geometry *c = ((const olo_sliding *)row->data)->of;
    const double f = of->factor, *A = of->a, *B = of->b;
    double a[3], b[3], S[9] = {0};
    sum_of(c, A, q, a);
    sum_of(c, B, q, b);
    for (int s = 0; s < c->slots; s++)
        for (int i = 0; i < 9; i++)
            S[i] += 0.5 * c->director[s] * q[c->slot[s] + i / 3] * q[c->slot[s] + i % 3];
    for (int s = 0; s < c->slots; s++)
        for (int t = 0; t < c->slots; t++) {
            const double *d_s = q + c->slot[s], *d_t = q + c->slot[t];
            const double of_s = 0.5 * f * c->director[s], of_t = 0.5 * f * c->director[t];
            add_directors(row, s, t, f * (A[s] * B[t] - B[s] * A[t]), S, matrix);
            add_block(row, s, t, A[s] * of_t, d_t, b, vec3_dot(b, d_t), matrix);
            add_block(row, s, t, -B[s] * of_t, d_t, a, vec3_dot(a, d_t), matrix);
            add_block(row, s, t, -of_s * A[t], b, d_s, -vec3_dot(b, d_s), matrix);
            add_block(row, s, t, of_s * B[t], a, d_s, -vec3_dot(a, d_s), matrix);
        }
    for (int s = 0; s < c->slots; s++) {
        add_block(row, s, s, 0.5 * f * c->director[s], a, b, 0, matrix);
        add_block(row, s, s, -0.5 * f * c->director[s], b, a, 0, matrix);
    }
}

/* matrix = factor dW/dq */
static void sliding_matrix(const olo_constraint *row, double factor, const double *q,
                           double *matrix)
{
    static const double zero[3] = {0, 0, 0};
    const olo_sliding *sliding = row->data;
    const olo_contact_geometry *c = sliding->of;
    rotation turn = rotation_of(sliding);
    const double *tangent = c->tangent[sliding->tangent];
    turn.factor *= factor;
    memset(matrix, 0, (size_t)(row->size * row->size) * sizeof *matrix);
    for (int s = 0; sliding->spin == 0 && s < c->slots; s++)
        for (int t = 0; t < c->slots; t++)
            add_block(row, s, t, factor, zero, zero,
                      c->weight[s] * tangent[t] + tangent[s] * c->weight[t], matrix);
    if (turn.factor != 0)
        add_rotation_matrix(row, &turn, q, matrix);
}

const olo_sliding_form olo_sliding_moving = {sliding_row, sliding_matrix};
