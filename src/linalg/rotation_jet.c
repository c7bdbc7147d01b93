/* Rotations with first and second derivatives; see the header. */
#include "linalg/rotation_jet.h"

#include <math.h>
#include <string.h>

#include "linalg/rotation.h"

static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

void rotation_jet_none(rotation_jet *E)
{
    E->count = 0;
    memcpy(E->value, unit, sizeof unit);
}

void rotation_jet_angle(const double n[3], double angle, rotation_jet *E)
{
    const double hat[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    double s = sin(angle), c = cos(angle), half = sin(0.5 * angle);
    E->count = 1;
    for (int i = 0; i < 9; i++) {
        double across = unit[i] - n[i / 3] * n[i % 3]; /* the part that turns */
        E->value[i] = unit[i] - 2 * half * half * across + s * hat[i];
        E->first[0][i] = -s * across + c * hat[i];
        E->second[0][0][i] = -c * across - s * hat[i];
    }
}

/* sum_i x_i e_i^ */
static void add_hat(double scale, const double x[3], double out[9])
{
    out[1] -= scale * x[2];
    out[2] += scale * x[1];
    out[3] += scale * x[2];
    out[5] -= scale * x[0];
    out[6] -= scale * x[1];
    out[7] += scale * x[0];
}

/* out += scale 1/2 (x^ y^ + y^ x^) = scale (1/2 (x y^T + y x^T) - (x.y) I) */
static void add_square(double scale, const double x[3], const double y[3], double out[9])
{
    double along = vec3_dot(x, y);
    for (int i = 0; i < 9; i++)
        out[i] += scale * (0.5 * (x[i / 3] * y[i % 3] + y[i / 3] * x[i % 3]) - along * unit[i]);
}

/* E = I + s N,  N = a^ + 1/2 a^ a^,  N_k = a_k^ + 1/2 (a^ a_k^ + a_k^ a^),  N_kl likewise;
 * s_k = -1/2 s^2 a.a_k,  s_kl = 1/2 s^3 (a.a_k)(a.a_l) - 1/2 s^2 a_k.a_l */
void rotation_jet_cayley(int count, const double *axes, const double *u, rotation_jet *E)
{
    double a[3] = {0, 0, 0}, N[9] = {0}, N_k[3][9] = {{0}}, s_k[3];
    for (int k = 0; k < count; k++)
        vec3_add(u[k], axes + 3 * k, a);
    double s = cayley_scale(a);
    add_hat(1.0, a, N);
    add_square(0.5, a, a, N);
    for (int k = 0; k < count; k++) {
        s_k[k] = -0.5 * s * s * vec3_dot(a, axes + 3 * k);
        add_hat(1.0, axes + 3 * k, N_k[k]);
        add_square(1.0, a, axes + 3 * k, N_k[k]);
    }
    E->count = count;
    for (int i = 0; i < 9; i++) {
        E->value[i] = unit[i] + s * N[i];
        for (int k = 0; k < count; k++)
            E->first[k][i] = s_k[k] * N[i] + s * N_k[k][i];
    }
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++) {
            double *second = E->second[k][l];
            double s_kl =
                2 * s_k[k] * s_k[l] / s - 0.5 * s * s * vec3_dot(axes + 3 * k, axes + 3 * l);
            for (int i = 0; i < 9; i++)
                second[i] = s_kl * N[i] + s_k[k] * N_k[l][i] + s_k[l] * N_k[k][i];
            add_square(s, axes + 3 * k, axes + 3 * l, second);
        }
}

void rotation_jet_product(const rotation_jet *A, const rotation_jet *B, rotation_jet *E)
{
    int a = A->count, b = B->count;
    E->count = a + b;
    mat3_product(A->value, B->value, E->value);
    for (int k = 0; k < a; k++)
        mat3_product(A->first[k], B->value, E->first[k]);
    for (int k = 0; k < b; k++)
        mat3_product(A->value, B->first[k], E->first[a + k]);
    for (int k = 0; k < a; k++)
        for (int l = 0; l < a; l++)
            mat3_product(A->second[k][l], B->value, E->second[k][l]);
    for (int k = 0; k < b; k++)
        for (int l = 0; l < b; l++)
            mat3_product(A->value, B->second[k][l], E->second[a + k][a + l]);
    for (int k = 0; k < a; k++)
        for (int l = 0; l < b; l++) {
            mat3_product(A->first[k], B->first[l], E->second[k][a + l]);
            memcpy(E->second[a + l][k], E->second[k][a + l], sizeof unit);
        }
}
