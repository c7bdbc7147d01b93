/* The 2-norm condition number |K| |K^-1| of a square matrix, also beyond the range of an SVD in
 * double precision.
 *
 * Such an SVD has an error of about 1e-16 |K| in every singular value, so it is accurate while the
 * condition number is far below 1e16. Beyond that, K^-1 is computed in extended precision and its
 * norm in double. The entries of a badly scaled matrix, such as that of the multipliers with
 * condition O(h^-3), determine its smallest singular value well although it is tiny. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/dense.h"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide; /* 113 bits */
#else
typedef long double wide;
#endif

/* Up to this condition number the SVD has eight correct digits. */
static const double well_in_double = 1e8;

static wide magnitude(wide x)
{
    return x < 0 ? -x : x;
}

static void swap(wide *a, wide *b)
{
    const wide was = *a;
    *a = *b;
    *b = was;
}

/* [A | B] <- [I | A^-1 B] by elimination below and above every pivot, with row exchanges; false
 * when a pivot is zero. */
static bool eliminate(size_t n, wide *A, wide *B)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (magnitude(A[i * n + k]) > magnitude(A[best * n + k]))
                best = i;
        const wide pivot = A[best * n + k];
        if (pivot == 0)
            return false;
        for (size_t j = 0; j < n; j++) {
            swap(&A[k * n + j], &A[best * n + j]);
            swap(&B[k * n + j], &B[best * n + j]);
            A[k * n + j] /= pivot;
            B[k * n + j] /= pivot;
        }
        for (size_t i = 0; i < n; i++) {
            const wide factor = A[i * n + k];
            if (i == k || factor == 0)
                continue;
            for (size_t j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (size_t j = 0; j < n; j++)
                if (B[k * n + j] != 0)
                    B[i * n + j] -= factor * B[k * n + j];
        }
    }
    return true;
}

/* A <- A^-1, computed in extended precision; false when A is singular, `*memory` false when memory
 * is exhausted. */
static bool invert(size_t n, double *A, bool *memory)
{
    wide *U = olo_alloc(n * n, sizeof *U), *B = olo_alloc(n * n, sizeof *B);
    bool regular = false;
    *memory = U && B;
    if (*memory) {
        for (size_t i = 0; i < n * n; i++) {
            U[i] = A[i];
            B[i] = i % (n + 1) == 0;
        }
        regular = eliminate(n, U, B);
        for (size_t i = 0; regular && i < n * n; i++)
            A[i] = (double)B[i];
    }
    olo_free(U);
    olo_free(B);
    return regular;
}

double olo_condition(int size, const double *A)
{
    size_t n = (size_t)size;
    if (n == 0)
        return 1;
    double *copy = olo_alloc(n * n + n, sizeof *copy), *values = copy + n * n, condition = NAN;
    if (!copy)
        return NAN;
    memcpy(copy, A, n * n * sizeof *copy);
    if (olo_singular_values(size, size, copy, values)) {
        double largest = values[0];
        condition = largest / values[n - 1];
        if (!(condition <= well_in_double) && largest > 0) {
            bool memory;
            memcpy(copy, A, n * n * sizeof *copy);
            if (!invert(n, copy, &memory))
                condition = memory ? INFINITY : NAN;
            else if (olo_singular_values(size, size, copy, values))
                condition = largest * values[0];
            else
                condition = INFINITY; /* the inverse exceeds the range of double */
        }
        if (largest == 0)
            condition = INFINITY;
    }
    olo_free(copy);
    return condition;
}
