/* Three directors: Cayley vector, correction of rounding, variation, and internal rows; see the
 * header.
 *
 * Lambda is a symmetric 3 x 3 matrix of the multipliers of d_I . d_J, those with I != J halved. The
 * forces are
 *
 *     F_I = sum_J Lambda_IJ d_J.
 */
#include "system/directors.h"

void directors_reciprocal(const double *d, double *reciprocal)
{
    for (int I = 0; I < 3; I++)
        vec3_cross(d + 3 * ((I + 1) % 3), d + 3 * ((I + 2) % 3), reciprocal + 3 * I);
    double det = vec3_dot(d, reciprocal);
    for (int i = 0; i < 9; i++)
        reciprocal[i] /= det;
}

/* a = 1/2 sum_I d^I x (d_I,1 - d_I,0) with the reciprocal triad of the midpoint */
void directors_cayley(const double *dm, const double *dd, double a[3])
{
    double reciprocal[3], volume;
    vec3_cross(dm + 3, dm + 6, reciprocal);
    volume = vec3_dot(dm, reciprocal);
    vec3_set(0, 0, 0, a);
    for (int I = 0; I < 3; I++) {
        vec3_cross(dm + 3 * ((I + 1) % 3), dm + 3 * ((I + 2) % 3), reciprocal);
        vec3_add_cross(reciprocal, dd + 3 * I, a);
    }
    for (int i = 0; i < 3; i++)
        a[i] *= 0.5 / volume;
}

/* D += 1/2 D (I - D^T D) */
void directors_settle(const double *d, const double turn[3], double *remainder)
{
    double error[9];
    for (int I = 0; I < 3; I++)
        for (int J = I; J < 3; J++)
            error[3 * I + J] = error[3 * J + I] =
                0.5 * ((I == J ? 1.0 : 0.0) - vec3_dot(d + 3 * I, d + 3 * J));
    for (int I = 0; I < 3; I++) {
        for (int J = 0; J < 3; J++)
            vec3_add(error[3 * I + J], d + 3 * J, remainder + 3 * I);
        vec3_add_cross(turn, d + 3 * I, remainder + 3 * I);
    }
}

void directors_add_variation(const double *d1, const double *T, int row, double *S)
{
    for (int I = 0; I < 9; I += 3) {
        double along = 0.5 * vec3_dot(d1 + I, T + I);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                S[i * row + j] += 0.5 * d1[I + i] * T[I + j];
            S[i * row + i] -= along;
        }
    }
}

/* --- internal rows --- */

static void add(int row, int first, olo_form_builder *form)
{
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const bool square = pair[row][0] == pair[row][1];
    const olo_position a = olo_position_slot(first + 3 * pair[row][0]);
    const olo_position b = olo_position_slot(first + 3 * pair[row][1]);
    olo_form_add_dot(form, square ? 0.5 : 1.0, &a, &b);
    olo_form_add_constant(form, square ? -0.5 : 0.0);
}

/* Lambda_IJ = -F_I . d^J, symmetric part */
static void balance(const double *d, const double *F, double *Lambda)
{
    double reciprocal[9], all[9];
    directors_reciprocal(d, reciprocal);
    for (int I = 0; I < 3; I++)
        for (int J = 0; J < 3; J++)
            all[3 * I + J] = -vec3_dot(F + 3 * I, reciprocal + 3 * J);
    for (int I = 0; I < 3; I++)
        for (int J = 0; J < 3; J++)
            Lambda[3 * I + J] = 0.5 * (all[3 * I + J] + all[3 * J + I]);
}

static void balance_transposed(const double *d, const double *Lambda, double *F)
{
    double reciprocal[9];
    directors_reciprocal(d, reciprocal);
    for (int I = 0; I < 3; I++)
        for (int J = 0; J < 3; J++)
            vec3_add(-0.5 * (Lambda[3 * I + J] + Lambda[3 * J + I]), reciprocal + 3 * J, F + 3 * I);
}

static void add_hessian(const double *Lambda, double factor, const double *w, double *out)
{
    for (int I = 0; I < 3; I++)
        for (int J = 0; J < 3; J++)
            vec3_add(factor * Lambda[3 * I + J], w + 3 * J, out + 3 * I);
}

static void hessian_transposed(double factor, const double *out, const double *w, double *Lambda)
{
    for (int i = 0; i < 9; i++)
        Lambda[i] = factor * vec3_dot(out + 3 * (i / 3), w + 3 * (i % 3));
}

/* dv_I = 1/2 sum_J b_IJ d_J with b_IJ = -(dd_I . v_J + dd_J . v_I) */
static void follow(const double *d, const double *v, const double *dd, double *dv)
{
    for (int I = 0; I < 9; I += 3) {
        vec3_set(0, 0, 0, dv + I);
        for (int J = 0; J < 9; J += 3)
            vec3_add(-0.5 * (vec3_dot(dd + I, v + J) + vec3_dot(dd + J, v + I)), d + J, dv + I);
    }
}

static void follow_transposed(const double *d, const double *v, const double *dv, double *to)
{
    for (int I = 0; I < 9; I += 3)
        for (int J = 0; J < 9; J += 3)
            vec3_add(-0.5 * (vec3_dot(dv + I, d + J) + vec3_dot(dv + J, d + I)), v + J, to + I);
}

const olo_internal_rows olo_directors_rows = {.count = 6,
                                              .add = add,
                                              .balance = balance,
                                              .balance_transposed = balance_transposed,
                                              .add_hessian = add_hessian,
                                              .hessian_transposed = hessian_transposed,
                                              .follow = follow,
                                              .follow_transposed = follow_transposed};
