/* Exponential map and re-orthonormalisation.
 *
 *     exp(theta^) = I + (sin t/t) theta^ + 1/2 (sin(t/2)/(t/2))^2 theta^2,  t = |theta|  (thesis
 *         4.3)
 */
#include "linalg/rotation.h"

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
