/* The inertia of an eliminated symmetric matrix. The elimination is a block factorisation L D L^T:
 * by Sylvester's law the eigenvalues of the blocks D have the signs of those of the matrix. With m
 * closure rows the bordered matrix has inertia (p + m, k + m) where the matrix on their null space
 * has (p, k) (Gould 1985). The blocks are stored as their factors P D = L U. */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/small.h"

/* D (n x n) as product of the factors of small_lu */
static void multiply_factors(int n, const double *LU, const int *pivot, double *D)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1.0 : LU[i * n + k]) * LU[k * n + j];
            D[i * n + j] = sum;
        }
    for (int k = n - 1; k >= 0; k--)
        for (int j = 0; pivot[k] != k && j < n; j++) {
            double swap = D[k * n + j];
            D[k * n + j] = D[pivot[k] * n + j];
            D[pivot[k] * n + j] = swap;
        }
}

static int count_negative(int n, double *D)
{
    int negative = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            D[i * n + j] = D[j * n + i] = 0.5 * (D[i * n + j] + D[j * n + i]);
    small_symmetric_eigenvalues(n, D);
    for (int i = 0; i < n; i++)
        negative += D[i * n + i] < 0;
    return negative;
}

int olo_elimination_count_negative(const olo_elimination *el)
{
    int negative = 0;
    for (int c = 0; c < el->count; c++) {
        const node *x = &el->nodes[c];
        double D[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
        multiply_factors(active_of(el, x), el->numbers + x->D, el->pivots + x->pivot, D);
        negative += count_negative(active_of(el, x), D) - (x->shape.closure ? active_of(el, x) : 0);
    }
    return negative;
}
