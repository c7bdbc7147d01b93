/* Constraint rows of rolling on a plane (system/rolling.h), over the twelve coordinates of a frame.
 *
 *     height     g = n.(x - o) - r sigma,  x = phi + X_I d_I,  e = E_I d_I,  sigma = |n x e|
 *                d_phi = n,  d_I = X_I n - r/sigma_a E_I (e_m - gamma_m n):   d.dq = g(q1) - g(q0)
 *                            exactly
 *
 *     rolling    m.(dx + a x s^) = 0 for two directions m of the plane; no g
 *                d_phi = m,  d_I = c_I m,  c_I = X_I + r/sigma_a (gamma_m E_I - n.d^I)
 *
 * since a x d_I,m = d_I,1 - d_I,0 and n = (n.d^I) d_I,m with the reciprocal triad d^I of the
 * midpoint. Together with the internal rows of the frame they leave the twists [-omega x (rho_m +
 * s^); omega].
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "system/constraint.h"
#include "system/rolling.h"

enum { SIZE = 12 };

/* The frame at both ends and the middle of a step. */
typedef struct contact {
    const olo_rolling *rolling;
    const double *frame_m;
    olo_rolling_arm arm;
    double reciprocal[9]; /* d^I of the midpoint */
    double along[3];      /* n.d^I */
    double c[3];          /* c_I */
} contact;

static void find_arm(const olo_constraint *row, const olo_interval *x, contact *at)
{
    const olo_rolling *rolling = row->data;
    double e0[3], e_m[3], e1[3];
    int first = row->index[0];
    at->rolling = rolling;
    at->frame_m = x->qm + first;
    olo_rolling_vector(rolling->axis, x->q0 + first, e0);
    olo_rolling_vector(rolling->axis, x->qm + first, e_m);
    olo_rolling_vector(rolling->axis, x->q1 + first, e1);
    olo_rolling_over(rolling, e0, e_m, e1, &at->arm);
}

/* One configuration is a step that does not move. */
static olo_interval rest_at(const olo_at *at)
{
    return (olo_interval){.q0 = at->q, .qm = at->q, .q1 = at->q};
}

/* d is the same when the step is read backwards. */
static olo_interval backwards(const olo_interval *x)
{
    olo_interval back = *x;
    back.q0 = x->q1;
    back.q1 = x->q0;
    return back;
}

/* --- the numbers of a contact --- */

/* Both rows are affine in the radius, the centre in the body and the place of the plane along its
 * normal. */
enum { NUMBERS = 5 };

static double *number_of(olo_rolling *rolling, int index)
{
    if (index == 0)
        return &rolling->radius;
    return index == 1 ? &rolling->offset : &rolling->center[index - 2];
}

static double number(const olo_constraint *row, int index)
{
    olo_rolling rolling = *(const olo_rolling *)row->data;
    return *number_of(&rolling, index);
}

static olo_constraint with(const olo_constraint *row, int index, double value, void *room)
{
    olo_constraint changed = *row;
    olo_rolling *rolling = room;
    *rolling = *(const olo_rolling *)row->data;
    *number_of(rolling, index) = value;
    changed.data = rolling;
    return changed;
}

static void others(const olo_constraint *row, void *context,
                   void (*tell)(void *context, double value))
{
    const olo_rolling *x = row->data;
    const double *const all[] = {x->axis, x->normal, x->direction};
    for (int k = 0; k < 9; k++)
        tell(context, all[k / 3][k % 3]);
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
    const double *n = at.rolling->normal, *E = at.rolling->axis, *slope = at.arm.slope;
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
                (i == j ? 1.0 : 0.0) - n[i] * n[j] - across[i] * slope[j] / at.arm.sigma_a;
            tangent[(3 + k) * SIZE + 3 + l] = -0.5 * lever * E[k / 3] * E[l / 3] * turn;
        }
}

static void height_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    olo_interval rest = rest_at(at);
    height_discrete(row, &rest, gradient, NULL);
}

static void height_start(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    double d[SIZE];
    olo_interval back = backwards(x);
    height_discrete(row, &back, d, tangent);
}

/* Half of it is by each end. */
static void height_hessian(const olo_constraint *row, const olo_at *at, double *hessian)
{
    double d[SIZE];
    olo_interval rest = rest_at(at);
    height_discrete(row, &rest, d, hessian);
    for (int i = 0; i < SIZE * SIZE; i++)
        hessian[i] *= 2;
}

/* The axis would pass the normal: the contact jumps across the disc. */
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
               : "the disc falls flat in the step: all of its edge touches the plane";
}

const olo_constraint_type olo_constraint_height = {.name = "height",
                                                   .value = height_value,
                                                   .magnitude = height_magnitude,
                                                   .gradient = height_gradient,
                                                   .discrete = height_discrete,
                                                   .start_tangent = height_start,
                                                   .hessian = height_hessian,
                                                   .numbers = NUMBERS,
                                                   .number = number,
                                                   .with = with,
                                                   .others = others,
                                                   .objection = lies_flat};

/* --- rolling --- */

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

/* change[9] = dc_I/dq1 over the directors: c_I changes by gamma_m, by d(n.d^I) = -(n.d^J)
 * d^I.d(d_J,m), by sigma_a */
static void shares_by_end(const contact *at, int I, double change[9])
{
    const olo_rolling *x = at->rolling;
    double lever = x->radius / at->arm.sigma_a;
    double turned = (at->c[I] - x->center[I]) / at->arm.sigma_a;
    for (int J = 0; J < 3; J++)
        for (int j = 0; j < 3; j++) {
            double by_axis =
                x->axis[J] * (lever * x->axis[I] * x->normal[j] - turned * at->arm.slope[j]);
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
    if (tangent)
        memset(tangent, 0, SIZE * SIZE * sizeof *tangent);
    vec3_copy(m, d);
    for (int I = 0; I < 3; I++) {
        double change[9];
        shares_by_end(&at, I, change);
        for (int i = 0; i < 3; i++) {
            int k = 3 * (I + 1) + i;
            d[k] = at.c[I] * m[i];
            for (int l = 0; tangent && l < 9; l++)
                tangent[k * SIZE + 3 + l] = m[i] * change[l];
        }
    }
}

static void rolling_gradient(const olo_constraint *row, const olo_at *at, double *gradient)
{
    olo_interval rest = rest_at(at);
    rolling_discrete(row, &rest, gradient, NULL);
}

static void rolling_start(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    double d[SIZE];
    olo_interval back = backwards(x);
    rolling_discrete(row, &back, d, tangent);
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

const olo_constraint_type olo_constraint_rolling = {.name = "rolling",
                                                    .velocity = true,
                                                    .gradient = rolling_gradient,
                                                    .discrete = rolling_discrete,
                                                    .start_tangent = rolling_start,
                                                    .hessian = rolling_hessian,
                                                    .numbers = NUMBERS,
                                                    .number = number,
                                                    .with = with,
                                                    .others = others};
