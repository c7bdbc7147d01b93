/* Exponential map, its inverse, and re-orthonormalisation.
 *
 *     exp(theta^) = I + (sin t/t) theta^ + 1/2 (sin(t/2)/(t/2))^2 theta^2,  t = |theta|  (thesis
 *         4.3)
 */
#include "linalg/rotation.h"

#include <string.h>

/* sin(x)/x; below the bound the next term of the series is under round-off */
static double sinc(double x)
{
    const double series_below = 1e-4;
    if (fabs(x) < series_below)
        return 1.0 - x * x / 6.0;
    return sin(x) / x;
}

void rotation_exponential(const double theta[3], double R[9])
{
    double t = vec3_norm(theta);
    double s = sinc(t), half = sinc(0.5 * t), c = 0.5 * half * half;
    double hat[9] = {0, -theta[2], theta[1], theta[2], 0, -theta[0], -theta[1], theta[0], 0};
    double square[9];
    mat3_product(hat, hat, square);
    for (int i = 0; i < 9; i++)
        R[i] = (i % 4 == 0 ? 1.0 : 0.0) + s * hat[i] + c * square[i];
}

/* By the largest component. */
void rotation_quaternion(const double d[9], double w[4])
{
    const double trace[4] = {d[0] + d[4] + d[8], d[0] - d[4] - d[8], d[4] - d[8] - d[0],
                             d[8] - d[0] - d[4]};
    int k = 0;
    for (int i = 1; i < 4; i++)
        k = trace[i] > trace[k] ? i : k;
    /* four times the products of components, R_ij = d[3j + i] */
    const double odd[3] = {d[5] - d[7], d[6] - d[2], d[1] - d[3]};
    const double even[3] = {d[5] + d[7], d[6] + d[2], d[1] + d[3]};
    if (k == 0) {
        w[0] = 1.0 + trace[0];
        memcpy(w + 1, odd, sizeof odd);
    } else {
        const int a = k - 1, b = k % 3, c = (k + 1) % 3;
        w[0] = odd[a];
        w[1 + a] = 1.0 + trace[k];
        w[1 + b] = even[c];
        w[1 + c] = even[b];
    }
    const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    for (int i = 0; i < 4; i++)
        w[i] = size > 0.0 ? w[i] / size : i == 0;
}

void rotation_logarithm(const double d[9], double theta[3])
{
    double w[4];
    rotation_quaternion(d, w);
    const double sine = vec3_norm(w + 1), angle = 2 * atan2(sine, fabs(w[0]));
    const double scale = sine > 0 ? (w[0] < 0 ? -angle : angle) / sine : 0;
    for (int i = 0; i < 3; i++)
        theta[i] = scale * w[1 + i];
}

void rotation_orthonormalise(double R[9])
{
    /* R <- R (3 I - R^T R)/2 converges quadratically to the polar factor */
    for (int pass = 0; pass < 50; pass++) {
        double C[9], next[9], change = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j];
                C[3 * i + j] = (i == j ? 1.5 : 0.0) - 0.5 * sum;
            }
        mat3_product(R, C, next);
        for (int i = 0; i < 9; i++) {
            change = fmax(change, fabs(next[i] - R[i]));
            R[i] = next[i];
        }
        if (change < 1e-15)
            return;
    }
}
