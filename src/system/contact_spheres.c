/* Sliding between two spheres, or a point and a sphere. With x from the first centre to the second,
 * n = x/|x|, angular velocities omega_1 and omega_2 and the shares theta_i = R_i/(R_1 + R_2), the
 * velocity of the second body relative to the first at the common point x_1 + theta_1 x is
 *
 *     s = (I - n n^T) x' - (theta_1 omega_1 + theta_2 omega_2) x x.
 *
 * Where the spheres touch, |x| = R_1 + R_2, theta_i x are the levers R_i n. At the mean of two
 * configurations they are shorter, but still belong to one point, and with the directors d_j of a
 * body, which are not orthonormal there,
 *
 *     omega = B^-1 sum_j d_j x d_j',     B = sum_j (d_j.d_j I - d_j d_j^T),
 *
 * is exact for every rigid motion. So s vanishes for rigid motions of both bodies, and friction
 * changes neither momentum nor angular momentum. A sliding velocity is a component e.s along a
 * fixed direction e: no tangents have to be carried along. As n.s = 0, two of three components are
 * independent, and the friction force has no component along n, since impulses have least norm:
 *
 *     e.s = P e.x' - sum_i theta_i u_i.(sum_j d_j x d_j'),     u_i = B_i^-1 (x x e),
 *
 * with P = I - n n^T. */
#include <string.h>

#include "linalg/vec3.h"
#include "system/contact.h"

/* A row: e and what follows from it and from x. */
typedef struct sphere_row {
    const olo_contact_geometry *c;
    const double *e, *q;
    double x[3], square, along; /* x.x and x.e */
} sphere_row;

static sphere_row begin(const olo_constraint *row, const double *q)
{
    const olo_sliding *sliding = row->data;
    sphere_row r = {.c = sliding->of, .e = sliding->along, .q = q};
    olo_position_value(&r.c->x, q, r.x);
    r.square = vec3_dot(r.x, r.x);
    r.along = vec3_dot(r.x, r.e);
    return r;
}

/* The number of the next slot from s on that is the first director of a sphere; the directors of a
 * body are neighbours. */
static int next_body(const olo_contact_geometry *c, int s)
{
    while (s < c->slots && c->director[s] == 0)
        s++;
    return s;
}

/* B^-1 of the body whose directors begin at slot s: the inverse of a symmetric matrix by its
 * cofactors. */
static void inverse_of(const sphere_row *r, int s, double inverse[9])
{
    double B[9] = {0}, a[3], b[3], c[3];
    for (int j = s; j < s + 3; j++) {
        const double *d = r->q + r->c->slot[j], square = vec3_dot(d, d);
        for (int i = 0; i < 9; i++)
            B[i] += (i % 4 == 0 ? square : 0) - d[i / 3] * d[i % 3];
    }
    vec3_cross(B + 3, B + 6, a);
    vec3_cross(B + 6, B, b);
    vec3_cross(B, B + 3, c);
    const double determinant = vec3_dot(B, a);
    for (int i = 0; i < 3; i++) {
        inverse[3 * i] = a[i] / determinant;
        inverse[3 * i + 1] = b[i] / determinant;
        inverse[3 * i + 2] = c[i] / determinant;
    }
}

static void product(const double A[9], const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = vec3_dot(A + 3 * i, x);
}

static void turning_vector(const sphere_row *r, const double inverse[9], double u[3])
{
    double moment[3];
    vec3_cross(r->x, r->e, moment);
    product(inverse, moment, u);
}

static void sphere_row_at(const olo_constraint *row, const double *q, double *d)
{
    const sphere_row r = begin(row, q);
    double across[3], inverse[9], u[3];
    vec3_copy(r.e, across);
    vec3_add(-r.along / r.square, r.x, across);
    memset(d, 0, (size_t)row->size * sizeof *d);
    for (int s = 0; s < r.c->slots; s++)
        vec3_add(r.c->weight[s], across, d + 3 * s);
    for (int s = next_body(r.c, 0); s < r.c->slots; s = next_body(r.c, s + 3)) {
        inverse_of(&r, s, inverse);
        turning_vector(&r, inverse, u);
        for (int j = s; j < s + 3; j++) {
            double turn[3];
            vec3_cross(q + r.c->slot[j], u, turn); /* -(u x d_j) */
            vec3_add(r.c->director[j], turn, d + 3 * j);
        }
    }
}

/* Adds factor A to the block of slots s and t. */
static void add_block(const olo_constraint *row, int s, int t, double factor, const double A[9],
                      double *matrix)
{
    for (int i = 0; factor != 0 && i < 9; i++)
        matrix[(3 * s + i / 3) * row->size + 3 * t + i % 3] += factor * A[i];
}

/* C = a~ B */
static void cross_columns(const double a[3], const double B[9], double C[9])
{
    for (int j = 0; j < 3; j++) {
        const double column[3] = {B[j], B[3 + j], B[6 + j]};
        double turned[3];
        vec3_cross(a, column, turned);
        for (int i = 0; i < 3; i++)
            C[3 * i + j] = turned[i];
    }
}

/* C = -B a~, whose rows are a x (row of B) */
static void cross_rows(const double B[9], const double a[3], double C[9])
{
    for (int i = 0; i < 3; i++)
        vec3_cross(a, B + 3 * i, C + 3 * i);
}

/* The derivatives of P e with respect to x. */
static void add_projection(const olo_constraint *row, const sphere_row *r, double factor,
                           double *matrix)
{
    double A[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = (2 * r->along / r->square * r->x[i] * r->x[j] - r->x[i] * r->e[j] -
                            (i == j ? r->along : 0)) /
                           r->square;
    for (int s = 0; s < r->c->slots; s++)
        for (int t = 0; t < r->c->slots; t++)
            add_block(row, s, t, factor * r->c->weight[s] * r->c->weight[t], A, matrix);
}

/* The derivatives of theta d_j x u of the body whose directors begin at slot s: u = B^-1 (x x e)
 * has du = -B^-1 e~ dx - B^-1 (dB u), dB u = 2 u (d_i.dd_i) - d_i (u.dd_i) - dd_i (u.d_i). */
static void add_body(const olo_constraint *row, const sphere_row *r, int s, double factor,
                     double *matrix)
{
    const olo_contact_geometry *c = r->c;
    const double share = factor * c->director[s];
    double inverse[9], u[3], by_x[9], by_director[3][9], turned[9];
    inverse_of(r, s, inverse);
    turning_vector(r, inverse, u);
    cross_rows(inverse, r->e, by_x);
    for (int i = 0; i < 3; i++) {
        const double *d = r->q + c->slot[s + i], along = vec3_dot(u, d);
        for (int k = 0; k < 3; k++) {
            const double column[3] = {2 * u[0] * d[k] - d[0] * u[k] - (k == 0 ? along : 0),
                                      2 * u[1] * d[k] - d[1] * u[k] - (k == 1 ? along : 0),
                                      2 * u[2] * d[k] - d[2] * u[k] - (k == 2 ? along : 0)};
            for (int l = 0; l < 3; l++)
                by_director[i][3 * l + k] = -vec3_dot(inverse + 3 * l, column);
        }
    }
    const double minus_u[9] = {0, u[2], -u[1], -u[2], 0, u[0], u[1], -u[0], 0};
    for (int j = s; j < s + 3; j++) {
        const double *d = r->q + c->slot[j];
        cross_columns(d, by_x, turned);
        for (int t = 0; t < c->slots; t++)
            add_block(row, j, t, share * c->weight[t], turned, matrix);
        for (int i = 0; i < 3; i++) {
            cross_columns(d, by_director[i], turned);
            add_block(row, j, s + i, share, turned, matrix);
        }
        add_block(row, j, j, share, minus_u, matrix);
    }
}

/* matrix = factor dW/dq */
static void sphere_matrix(const olo_constraint *row, double factor, const double *q, double *matrix)
{
    const sphere_row r = begin(row, q);
    memset(matrix, 0, (size_t)(row->size * row->size) * sizeof *matrix);
    add_projection(row, &r, factor, matrix);
    for (int s = next_body(r.c, 0); s < r.c->slots; s = next_body(r.c, s + 3))
        add_body(row, &r, s, factor, matrix);
}

const olo_sliding_form olo_sliding_spheres = {sphere_row_at, sphere_matrix};
