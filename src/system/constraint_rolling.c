/* Constraint rows of rolling on a plane (system/rolling.h), over the twelve coordinates of a frame.
 *
 *     height     g = n.(x - o) - r sigma,  x = phi + X_I d_I,  e = E_I d_I,  sigma = |n x e|
 *                d_phi = n,  d_I = X_I n - r/sigma_a E_I (e_m - gamma_m n)
 *                d.dq = g(q1) - g(q0)  exactly
 *
 *     rolling    m.(dx + a x s^) = 0 for two directions m of the plane; no g
 *                d_phi = m,  d_I = c_I m,  c_I = X_I + r/sigma_a (gamma_m E_I - n.d^I)
 *
 * The second row follows from a x d_I,m = d_I,1 - d_I,0 and n = (n.d^I) d_I,m with the reciprocal
 * triad d^I of the midpoint. Together with the internal rows of the frame these rows allow the
 * twists [-omega x (rho_m + s^); omega].
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "system/constraint.h"
#include "system/rolling.h"

enum { SIZE = 12 };

/* The contact over a step. */
typedef struct contact {
    const olo_rolling *rolling;
    const double *frame_m;
    olo_rolling_arm arm;
    double reciprocal[9]; /* d^I of the midpoint */
    double along[3];      /* n.d^I */
    double c[3];          /* c_I */
} contact;

/* Of the frame's coordinates. */
static void find_arm_over(const olo_rolling *rolling, const double *q0, const double *qm,
                          const double *q1, contact *at)
{
    double e0[3], e_m[3], e1[3];
    at->rolling = rolling;
    at->frame_m = qm;
    olo_rolling_vector(rolling->axis, q0, e0);
    olo_rolling_vector(rolling->axis, qm, e_m);
    olo_rolling_vector(rolling->axis, q1, e1);
    olo_rolling_over(rolling, e0, e_m, e1, &at->arm);
}

static void find_arm(const olo_constraint *row, const olo_interval *x, contact *at)
{
    const int first = row->index[0];
    find_arm_over(row->data, x->q0 + first, x->qm + first, x->q1 + first, at);
}

/* A single configuration as a step without motion. */
static olo_interval rest_at(const olo_at *at)
{
    return (olo_interval){.q0 = at->q, .qm = at->q, .q1 = at->q};
}

/* The step reversed in time; d does not change. */
static olo_interval backwards(const olo_interval *x)
{
    olo_interval back = *x;
    back.q0 = x->q1;
    back.q1 = x->q0;
    return back;
}

/* --- second derivatives --- */

/* Both rows contracted with y are constant + L psi. The lever L = r/sigma_a is a function of the
 * axis at both ends, psi a function of the directors of the midpoint. Let sigma_0', sigma_1' denote
 * the sines at both ends and s_a their derivatives,
 *
 *     s_a  = d sigma_a'/de_a = (e_a - gamma_a n)/sigma_a',
 *     L_a  = -L/(2 sigma_a) s_a,
 *     L_ab = L/(2 sigma_a^2) s_a (x) s_b - [a = b] L/(2 sigma_a) (I - n n^T - s_a s_a^T)/sigma_a'.
 */
typedef struct psi {
    double value;
    double first[9]; /* by the directors of the midpoint */
    double second[81];
} psi;

/* The sine at one end of a step, and its derivative s_a with respect to the axis there. */
typedef struct end {
    double sine, by_axis[3];
} end;

static end end_of(const olo_rolling *rolling, const double *frame)
{
    double e[3];
    end x;
    olo_rolling_vector(rolling->axis, frame, e);
    const double gamma = vec3_dot(rolling->normal, e);
    x.sine = olo_rolling_sine(rolling, e);
    for (int i = 0; i < 3; i++)
        x.by_axis[i] = (e[i] - gamma * rolling->normal[i]) / x.sine;
    return x;
}

/* matrix = d2(L psi)/dq_a dq_b */
static void put_second(const olo_constraint *row, const olo_interval *x, const contact *at, int a,
                       int b, const psi *f, double *matrix)
{
    const olo_rolling *rolling = at->rolling;
    const double *n = rolling->normal, *E = rolling->axis, *const q[2] = {x->q0, x->q1};
    const double sigma = at->arm.sigma_a, L = rolling->radius / sigma, half = -0.5 * L / sigma;
    const end A = end_of(rolling, q[a] + row->index[0]), B = end_of(rolling, q[b] + row->index[0]);
    memset(matrix, 0, SIZE * SIZE * sizeof *matrix);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < 9; l++) {
            const int i = k % 3, j = l % 3;
            double L_ab = -half / sigma * A.by_axis[i] * B.by_axis[j];
            if (a == b)
                L_ab += half / A.sine * ((i == j) - n[i] * n[j] - A.by_axis[i] * A.by_axis[j]);
            const double L_a = half * E[k / 3] * A.by_axis[i], L_b = half * E[l / 3] * B.by_axis[j];
            /* L_ab psi + L_a psi_b + psi_a L_b + L psi_ab */
            matrix[(3 + k) * SIZE + 3 + l] = E[k / 3] * E[l / 3] * L_ab * f->value +
                                             0.5 * (L_a * f->first[l] + f->first[k] * L_b) +
                                             0.25 * L * f->second[9 * k + l];
        }
}

/* --- both rows, from their d --- */

static void gradient(const olo_constraint *row, const olo_at *at, double *g)
{
    olo_interval rest = rest_at(at);
    row->type->discrete(row, &rest, g, NULL);
}

static void start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    double d[SIZE];
    olo_interval back = backwards(x);
    row->type->discrete(row, &back, d, tangent);
}

/* The second derivative at a single configuration: the sum over both ends. */
static void third(const olo_constraint *row, const olo_at *at, const double *y, double *matrix)
{
    const olo_interval rest = rest_at(at);
    double part[SIZE * SIZE];
    memset(matrix, 0, SIZE * SIZE * sizeof *matrix);
    for (int ab = 0; ab < 4; ab++) {
        row->type->second(row, &rest, y, ab / 2, ab % 2, part);
        for (int i = 0; i < SIZE * SIZE; i++)
            matrix[i] += part[i];
    }
}

/* --- height --- */

static double height_value(const olo_constraint *row, const olo_at *at)
{
    return olo_rolling_height(row->data, at->q + row->index[0]);
}

static double height_magnitude(const olo_constraint *row, const olo_at *at)
{
    const olo_rolling *rolling = row->data;
    const double *frame = at->q + row->index[0];
    double sum = fabs(rolling->offset) + rolling->radius;
    for (int i = 0; i < 3; i++) {
        sum += fabs(rolling->normal[i] * frame[i]);
        for (int I = 0; I < 3; I++)
            sum += fabs(rolling->normal[i] * rolling->center[I] * frame[3 * (I + 1) + i]);
    }
    return sum;
}

static void height_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                            double *tangent)
{
    contact at;
    find_arm(row, x, &at);
    const double *n = at.rolling->normal, *E = at.rolling->axis;
    const double *sigma_by_e1 = at.arm.sigma_by_e1;
    double lever = at.rolling->radius / at.arm.sigma_a, across[3];
    for (int i = 0; i < 3; i++)
        across[i] = at.arm.e_m[i] - at.arm.gamma_m * n[i];
    vec3_copy(n, d);
    for (int I = 0; I < 3; I++)
        for (int i = 0; i < 3; i++)
            d[3 * (I + 1) + i] = at.rolling->center[I] * n[i] - lever * E[I] * across[i];
    if (!tangent)
        return;
    memset(tangent, 0, SIZE * SIZE * sizeof *tangent);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < 9; l++) {
            int i = k % 3, j = l % 3;
            double turn =
                (i == j ? 1.0 : 0.0) - n[i] * n[j] - across[i] * sigma_by_e1[j] / at.arm.sigma_a;
            tangent[(3 + k) * SIZE + 3 + l] = -0.5 * lever * E[k / 3] * E[l / 3] * turn;
        }
}

/* The derivative of d along the velocities, with w_a = E_I d_I' at both ends:
 * a_I = -1/2 r/sigma_a E_I sum_a (w_a - (n.w_a) n - (e_m - gamma_m n) (s_a.w_a)/sigma_a) */
static void height_rate_gradient(const olo_constraint *row, const olo_interval *x, const double *v0,
                                 const double *v1, double *a)
{
    contact at;
    double w[2][3], sum[3];
    find_arm(row, x, &at);
    const double *n = at.rolling->normal, *E = at.rolling->axis;
    olo_rolling_vector(E, v0 + row->index[0], w[0]);
    olo_rolling_vector(E, v1 + row->index[0], w[1]);
    const double along = vec3_dot(at.arm.sigma_by_e0, w[0]) + vec3_dot(at.arm.sigma_by_e1, w[1]),
                 up = vec3_dot(n, w[0]) + vec3_dot(n, w[1]),
                 half = -0.5 * at.rolling->radius / at.arm.sigma_a;
    for (int i = 0; i < 3; i++)
        sum[i] = w[0][i] + w[1][i] - up * n[i] -
                 (at.arm.e_m[i] - at.arm.gamma_m * n[i]) * along / at.arm.sigma_a;
    vec3_set(0, 0, 0, a);
    for (int k = 0; k < 9; k++)
        a[3 + k] = half * E[k / 3] * sum[k % 3];
}

/* Twice the derivative with respect to one end. */
static void height_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    double d[SIZE];
    olo_interval rest = rest_at(at);
    height_discrete(row, &rest, d, hessian);
    for (int i = 0; i < SIZE * SIZE; i++)
        hessian[i] *= 2;
}

/* psi = -Y.(e_m - gamma_m n), Y = E_I y_I */
static void height_second(const olo_constraint *row, const olo_interval *x, const double *y, int a,
                          int b, double *matrix)
{
    contact at;
    psi f = {0};
    double Y[3];
    find_arm(row, x, &at);
    const double *n = at.rolling->normal, *E = at.rolling->axis;
    olo_rolling_vector(E, y, Y);
    vec3_add(-vec3_dot(n, Y), n, Y);
    f.value = -vec3_dot(Y, at.arm.e_m);
    for (int k = 0; k < 9; k++)
        f.first[k] = -E[k / 3] * Y[k % 3];
    put_second(row, x, &at, a, b, &f, matrix);
}

/* The axis would pass through the normal, and the contact would jump across the disc. */
static const char *lies_flat(const olo_constraint *row, const olo_interval *x)
{
    const olo_rolling *rolling = row->data;
    double e0[3], e1[3], across0[3], across1[3];
    olo_rolling_vector(rolling->axis, x->q0 + row->index[0], e0);
    olo_rolling_vector(rolling->axis, x->q1 + row->index[0], e1);
    vec3_cross(rolling->normal, e0, across0);
    vec3_cross(rolling->normal, e1, across1);
    bool ball = vec3_dot(rolling->axis, rolling->axis) == 0;
    return ball || vec3_dot(across0, across1) > 0
               ? NULL
               : "the disc falls flat in the step: its whole edge touches the plane";
}

const olo_constraint_type olo_constraint_height = {.name = "height",
                                                   .value = height_value,
                                                   .magnitude = height_magnitude,
                                                   .gradient = gradient,
                                                   .discrete = height_discrete,
                                                   .start_tangent = start_tangent,
                                                   .hessian = height_hessian,
                                                   .second = height_second,
                                                   .third = third,
                                                   .rate_gradient = height_rate_gradient,
                                                   .numbers = OLO_ROLLING_NUMBERS,
                                                   .affine = OLO_ROLLING_AFFINE,
                                                   .objection = lies_flat};

/* --- rolling --- */

/* The reciprocal triad, n.d^I and c_I. */
static void find_shares(contact *at)
{
    const olo_rolling *x = at->rolling;
    const double *d = at->frame_m + 3;
    double lever = x->radius / at->arm.sigma_a, volume;
    for (int I = 0; I < 3; I++)
        vec3_cross(d + 3 * ((I + 1) % 3), d + 3 * ((I + 2) % 3), at->reciprocal + 3 * I);
    volume = vec3_dot(d, at->reciprocal);
    for (int k = 0; k < 9; k++)
        at->reciprocal[k] /= volume;
    for (int I = 0; I < 3; I++) {
        at->along[I] = vec3_dot(x->normal, at->reciprocal + 3 * I);
        at->c[I] = x->center[I] + lever * (at->arm.gamma_m * x->axis[I] - at->along[I]);
    }
}

/* change[9] = dc_I/dq1 over the directors, or dc_I/dq0 with s_0 instead of s_1: through
 * gamma_m, through sigma_a, and through d(n.d^I) = -(n.d^J) d^I.d(d_J,m) */
static void shares_by_end(const contact *at, int I, const double s[3], double change[9])
{
    const olo_rolling *x = at->rolling;
    double lever = x->radius / at->arm.sigma_a;
    double turned = (at->c[I] - x->center[I]) / at->arm.sigma_a;
    for (int J = 0; J < 3; J++)
        for (int j = 0; j < 3; j++) {
            double by_axis = x->axis[J] * (lever * x->axis[I] * x->normal[j] - turned * s[j]);
            double by_triad = lever * at->along[J] * at->reciprocal[3 * I + j];
            change[3 * J + j] = 0.5 * (by_axis + by_triad);
        }
}

static void rolling_discrete(const olo_constraint *row, const olo_interval *x, double *d,
                             double *tangent)
{
    contact at;
    find_arm(row, x, &at);
    find_shares(&at);
    const double *m = at.rolling->direction;
    vec3_copy(m, d);
    for (int k = 0; k < 9; k++)
        d[3 + k] = at.c[k / 3] * m[k % 3];
    if (!tangent)
        return;
    memset(tangent, 0, SIZE * SIZE * sizeof *tangent);
    for (int I = 0; I < 3; I++) {
        double change[9];
        shares_by_end(&at, I, at.arm.sigma_by_e1, change);
        for (int i = 0; i < 3; i++)
            for (int l = 0; l < 9; l++)
                tangent[(3 * (I + 1) + i) * SIZE + 3 + l] = m[i] * change[l];
    }
}

static void rolling_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    double d[SIZE], tangent[SIZE * SIZE];
    olo_interval rest = rest_at(at);
    rolling_discrete(row, &rest, d, tangent);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            hessian[i * SIZE + j] = 2 * tangent[j * SIZE + i];
}

/* psi = sum_I eta_I (gamma_m E_I - n.d^I) with eta_I = y_I.m. With Z = eta_I d^I, whose derivative
 * with respect to component c of director J is -Z_c d^J,
 *
 *     psi_Jc    = (eta.E) E_J n_c + Z_c (n.d^J),
 *     psi_Jc,Ke = -Z_e (d^K)_c (n.d^J) - Z_c (d^J)_e (n.d^K).
 */
static void rolling_second(const olo_constraint *row, const olo_interval *x, const double *y, int a,
                           int b, double *matrix)
{
    contact at;
    psi f = {0};
    double eta[3], Z[3] = {0, 0, 0}, share = 0;
    find_arm(row, x, &at);
    find_shares(&at);
    const double *E = at.rolling->axis, *n = at.rolling->normal, *R = at.reciprocal;
    for (int I = 0; I < 3; I++) {
        eta[I] = vec3_dot(y + 3 * (I + 1), at.rolling->direction);
        vec3_add(eta[I], R + 3 * I, Z);
        share += eta[I] * E[I];
        f.value += eta[I] * (at.arm.gamma_m * E[I] - at.along[I]);
    }
    for (int k = 0; k < 9; k++) {
        const int J = k / 3, c = k % 3;
        f.first[k] = share * E[J] * n[c] + Z[c] * at.along[J];
        for (int l = 0; l < 9; l++) {
            const int K = l / 3, e = l % 3;
            f.second[9 * k + l] =
                -Z[e] * R[3 * K + c] * at.along[J] - Z[c] * R[3 * J + e] * at.along[K];
        }
    }
    put_second(row, x, &at, a, b, &f, matrix);
}

/* The rate d(q, q).v over a step,
 *
 *     a = b + mu w,   b = S^T v_m,   S = dd/dq0 + dd/dq1,
 *
 * b: the gradient of d(q, q).v in q between both ends. With w = du/|du|^2 along the increments du
 * of the directors, the correction by
 *
 *     mu = d(q1, q1).v1 - d(q0, q0).v0 - b.dq - d.(v1 - v0)
 *
 * makes the identity of rate_interval.h exact; it is of second order, as the error without it. */
typedef struct rate {
    const double *m;         /* direction of the row: d = [m; c_I m] */
    contact at;              /* over the step */
    double at_end[2][3];     /* c_I at rest at both ends */
    double dq[SIZE], square; /* |du|^2 */
} rate;

/* c_I of a step without motion */
static void shares_at_rest(const olo_constraint *row, const double *q, double c[3])
{
    const olo_rolling *rolling = row->data;
    contact at = {.rolling = rolling, .frame_m = q + row->index[0]};
    double e[3];
    olo_rolling_vector(rolling->axis, at.frame_m, e);
    at.arm.gamma_m = vec3_dot(rolling->normal, e);
    at.arm.sigma_a = olo_rolling_sine(rolling, e);
    find_shares(&at);
    vec3_copy(at.c, c);
}

static rate rate_over(const olo_constraint *row, const olo_interval *x)
{
    rate r;
    find_arm(row, x, &r.at);
    find_shares(&r.at);
    r.m = r.at.rolling->direction;
    shares_at_rest(row, x->q0, r.at_end[0]);
    shares_at_rest(row, x->q1, r.at_end[1]);
    memcpy(r.dq, x->dq + row->index[0], sizeof r.dq);
    r.square = 0;
    for (int i = 3; i < SIZE; i++)
        r.square += r.dq[i] * r.dq[i];
    return r;
}

/* dc_I/dq0 or dc_I/dq1 over the directors */
static void shares_by_slot(const rate *r, int slot, double by[3][9])
{
    const double *s = slot == 0 ? r->at.arm.sigma_by_e0 : r->at.arm.sigma_by_e1;
    for (int I = 0; I < 3; I++)
        shares_by_end(&r->at, I, s, by[I]);
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += x[i] * y[i];
    return sum;
}

/* sum_I w_I m.v_I over the directors */
static double along_directors(const rate *r, const double w[3], const double *v)
{
    double sum = 0;
    for (int I = 0; I < 3; I++)
        sum += w[I] * vec3_dot(r->m, v + 3 * (I + 1));
    return sum;
}

/* out += factor (dd/dq)^T w of one end */
static void add_transposed(const rate *r, const double by[3][9], double factor, const double *w,
                           double *out)
{
    for (int I = 0; I < 3; I++) {
        const double share = factor * vec3_dot(r->m, w + 3 * (I + 1));
        for (int l = 0; l < 9; l++)
            out[3 + l] += share * by[I][l];
    }
}

/* b = S^T v: the sum of shares_by_end over both ends, contracted with eta_I = m.v_I. */
static void find_b(const rate *r, const double *v, double b[SIZE])
{
    const contact *at = &r->at;
    const olo_rolling *x = at->rolling;
    const double lever = x->radius / at->arm.sigma_a, *s0 = at->arm.sigma_by_e0,
                 *s1 = at->arm.sigma_by_e1;
    double along_axis = 0, turned = 0, Z[3] = {0, 0, 0};
    for (int I = 0; I < 3; I++) {
        const double eta = vec3_dot(r->m, v + 3 * (I + 1));
        along_axis += eta * x->axis[I];
        turned += eta * (at->c[I] - x->center[I]) / at->arm.sigma_a;
        vec3_add(eta, at->reciprocal + 3 * I, Z);
    }
    for (int j = 0; j < 3; j++) {
        const double by_axis = lever * along_axis * x->normal[j] - 0.5 * turned * (s0[j] + s1[j]);
        b[j] = 0;
        for (int J = 0; J < 3; J++)
            b[3 + 3 * J + j] = x->axis[J] * by_axis + lever * at->along[J] * Z[j];
    }
}

/* b, and mu as the result; v0 and v1 of this body. */
static double rate_parts(const rate *r, const double *v0, const double *v1, double *b)
{
    double mean[SIZE], change[SIZE];
    for (int i = 0; i < SIZE; i++) {
        mean[i] = 0.5 * (v0[i] + v1[i]);
        change[i] = v1[i] - v0[i];
    }
    find_b(r, mean, b);
    /* that of m is the same in all three */
    return along_directors(r, r->at_end[1], v1) - along_directors(r, r->at_end[0], v0) -
           dot(b, r->dq) - along_directors(r, r->at.c, change);
}

static void rolling_rate_gradient(const olo_constraint *row, const olo_interval *x,
                                  const double *v0, const double *v1, double *a)
{
    const rate r = rate_over(row, x);
    const double mu = rate_parts(&r, v0 + row->index[0], v1 + row->index[0], a);
    for (int i = 3; i < SIZE && r.square > 0; i++)
        a[i] += mu * r.dq[i] / r.square;
}

/* da/dv0 or da/dv1: S^T/2 + w (dmu/dv)^T */
static void rolling_rate_gradient_by_velocity(const olo_constraint *row, const olo_interval *x,
                                              int slot, double *matrix)
{
    const rate r = rate_over(row, x);
    const double sign = slot == 0 ? -1 : 1;
    double by[2][3][9];
    shares_by_slot(&r, 0, by[0]);
    shares_by_slot(&r, 1, by[1]);
    memset(matrix, 0, SIZE * SIZE * sizeof *matrix);
    for (int k = 3; k < SIZE; k++) {
        const int I = k / 3 - 1;
        const double m = r.m[k % 3];
        double along = sign * (r.at_end[slot][I] - r.at.c[I]) * m; /* dmu/dv_k */
        for (int j = 3; j < SIZE; j++) {
            matrix[j * SIZE + k] = 0.5 * m * (by[0][I][j - 3] + by[1][I][j - 3]);
            along -= matrix[j * SIZE + k] * r.dq[j];
        }
        for (int j = 3; j < SIZE && r.square > 0; j++)
            matrix[j * SIZE + k] += along * r.dq[j] / r.square;
    }
}

/* da/dq0 or da/dq1: db/dq + w (dmu/dq)^T + mu dw/dq */
static void rolling_rate_gradient_by(const olo_constraint *row, const olo_interval *x,
                                     const double *v0, const double *v1, int slot, double *matrix)
{
    const int first = row->index[0];
    const double sign = slot == 0 ? -1 : 1;
    const olo_at at = {.q = slot == 0 ? x->q0 : x->q1};
    const rate r = rate_over(row, x);
    double b[SIZE], mean[SIZE], part[SIZE * SIZE], H[SIZE * SIZE], along[SIZE];
    double change[SIZE], turned[SIZE] = {0}, by[3][9];
    v0 += first;
    v1 += first;
    const double mu = rate_parts(&r, v0, v1, b), *v = slot == 0 ? v0 : v1;
    /* db/dq: second derivatives of d contracted with v_m */
    for (int i = 0; i < SIZE; i++)
        mean[i] = 0.5 * (v0[i] + v1[i]);
    for (int i = 0; i < SIZE; i++)
        change[i] = v1[i] - v0[i];
    rolling_second(row, x, mean, 0, slot, matrix);
    rolling_second(row, x, mean, 1, slot, part);
    for (int i = 0; i < SIZE * SIZE; i++)
        matrix[i] += part[i];
    if (!(r.square > 0))
        return;
    /* dmu/dq */
    rolling_hessian(row, &at, H);
    shares_by_slot(&r, slot, by);
    add_transposed(&r, by, 1.0, change, turned);
    for (int k = 0; k < SIZE; k++) {
        along[k] = sign * (dot(H + k * SIZE, v) - b[k]) - turned[k];
        for (int j = 0; j < SIZE; j++)
            along[k] -= matrix[j * SIZE + k] * r.dq[j];
    }
    for (int i = 3; i < SIZE; i++) {
        for (int k = 0; k < SIZE; k++)
            matrix[i * SIZE + k] += r.dq[i] / r.square * along[k];
        for (int k = 3; k < SIZE; k++)
            matrix[i * SIZE + k] +=
                sign * mu / r.square * ((i == k) - 2 * r.dq[i] * r.dq[k] / r.square);
    }
}

const olo_constraint_type olo_constraint_rolling = {.name = "rolling",
                                                    .velocity = true,
                                                    .gradient = gradient,
                                                    .discrete = rolling_discrete,
                                                    .start_tangent = start_tangent,
                                                    .hessian = rolling_hessian,
                                                    .second = rolling_second,
                                                    .third = third,
                                                    .rate_gradient = rolling_rate_gradient,
                                                    .rate_gradient_by = rolling_rate_gradient_by,
                                                    .rate_gradient_by_velocity =
                                                        rolling_rate_gradient_by_velocity,
                                                    .numbers = OLO_ROLLING_NUMBERS,
                                                    .affine = OLO_ROLLING_AFFINE};

/* --- the load of an impulse: all rows at once, with sums over the directors in place of a and d
 * themselves. Those of rolling are linear in their direction m, which becomes the impulse T along
 * the plane. --- */

/* c_I of an orthonormal frame at rest, contracted with velocities: out += sign sum_I c_I v_I */
static void add_slip_at_rest(const olo_rolling *x, const double *frame, double sigma,
                             const double *v, double sign, double out[3])
{
    double along[3], c[3], slip[3];
    for (int I = 0; I < 3; I++)
        along[I] = vec3_dot(x->normal, frame + 3 * (I + 1));
    const double lever = x->radius / sigma, gamma = vec3_dot(x->axis, along);
    for (int I = 0; I < 3; I++)
        c[I] = x->center[I] + lever * (gamma * x->axis[I] - along[I]);
    olo_rolling_vector(c, v, slip);
    vec3_add(sign, slip, out);
}

/* The moment of the height. */
static void add_height_load(const contact *at, const olo_rolling_step *step, const double *mean,
                            double impulse, double moment[3])
{
    const olo_rolling *x = at->rolling;
    const double *n = x->normal, lever = x->radius / at->arm.sigma_a;
    double w[2][3], across[3], sum[3], turned[3], part[3];
    olo_rolling_vector(x->axis, step->v0, w[0]);
    olo_rolling_vector(x->axis, step->v1, w[1]);
    const double along = vec3_dot(at->arm.sigma_by_e0, w[0]) + vec3_dot(at->arm.sigma_by_e1, w[1]),
                 up = vec3_dot(n, w[0]) + vec3_dot(n, w[1]);
    for (int i = 0; i < 3; i++) {
        across[i] = at->arm.e_m[i] - at->arm.gamma_m * n[i];
        turned[i] = -0.5 * lever * (w[0][i] + w[1][i]);
        sum[i] = turned[i] + 0.5 * lever * (up * n[i] + across[i] * along / at->arm.sigma_a);
    }
    vec3_cross(at->arm.e_m, sum, part);
    vec3_add_cross(turned, across, part);
    olo_rolling_vector(x->center, mean, turned);
    vec3_add_cross(turned, n, part);
    vec3_add(impulse, part, moment);
}

/* That of rolling, with b = E_I by_axis + L (n.d^I) Z as in find_b, and du_I = turn x d_I. */
static void add_rolling_load(const contact *at, const olo_rolling_step *step, const double *mean,
                             const double T[3], double moment[3])
{
    const olo_rolling *x = at->rolling;
    const double lever = x->radius / at->arm.sigma_a;
    double slip[3], change[3], by_axis[3], across[3], du[3];
    double along_axis = 0, turned = 0, square = 0, Z[3] = {0, 0, 0}, around[3] = {0, 0, 0};
    for (int I = 0; I < 3; I++) {
        const double *d = at->frame_m + 3 * (I + 1), eta = vec3_dot(T, mean + 3 * (I + 1));
        along_axis += eta * x->axis[I];
        turned += eta * (at->c[I] - x->center[I]) / at->arm.sigma_a;
        vec3_add(eta, at->reciprocal + 3 * I, Z);
        vec3_cross(step->turn, d, du);
        vec3_add_cross(d, du, around);
        square += vec3_dot(du, du);
    }
    for (int i = 0; i < 3; i++) {
        by_axis[i] = lever * along_axis * x->normal[i] -
                     0.5 * turned * (at->arm.sigma_by_e0[i] + at->arm.sigma_by_e1[i]);
        Z[i] *= lever;
    }
    /* d turned, and b */
    olo_rolling_vector(at->c, mean, slip);
    vec3_add_cross(slip, T, moment);
    vec3_add_cross(at->arm.e_m, by_axis, moment);
    vec3_add_cross(x->normal, Z, moment);
    /* mu du/|du|^2 */
    if (!(square > 0))
        return;
    olo_rolling_vector(at->c, step->v0, change);
    olo_rolling_vector(at->c, step->v1, slip);
    vec3_add(-1.0, slip, change);
    add_slip_at_rest(x, step->q1, at->arm.sigma1, step->v1, 1.0, change);
    add_slip_at_rest(x, step->q0, at->arm.sigma0, step->v0, -1.0, change);
    vec3_cross(at->arm.e_m, by_axis, across);
    vec3_add_cross(x->normal, Z, across);
    vec3_add((vec3_dot(T, change) - vec3_dot(step->turn, across)) / square, around, moment);
}

void olo_rolling_load(const olo_rolling *x, const olo_rolling_step *step, const double F[3],
                      double moment[3])
{
    const double upward = vec3_dot(x->normal, F);
    double mean[SIZE], T[3];
    contact at;
    find_arm_over(x, step->q0, step->qm, step->q1, &at);
    find_shares(&at);
    for (int i = 3; i < SIZE; i++)
        mean[i] = 0.5 * (step->v0[i] + step->v1[i]);
    for (int i = 0; i < 3; i++)
        T[i] = F[i] - upward * x->normal[i];
    add_height_load(&at, step, mean, upward, moment);
    add_rolling_load(&at, step, mean, T, moment);
}
