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

/* [A | B] <- [U | L^-1 P B] by elimination with row exchanges; false when a pivot is zero. */
static bool eliminate(size_t n, wide *A, wide *B)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (magnitude(A[i * n + k]) > magnitude(A[best * n + k]))
                best = i;
        if (A[best * n + k] == 0)
            return false;
        for (size_t j = 0; best != k && j < n; j++) {
            wide a = A[k * n + j], b = B[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = a;
            B[k * n + j] = B[best * n + j];
            B[best * n + j] = b;
        }
        for (size_t i = k + 1; i < n; i++) {
            if (A[i * n + k] == 0)
                continue;
            wide factor = A[i * n + k] / A[k * n + k];
            for (size_t j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            for (size_t j = 0; j < n; j++)
                if (B[k * n + j] != 0)
                    B[i * n + j] -= factor * B[k * n + j];
        }
    }
    return true;
}

static void substitute(size_t n, const wide *U, wide *B)
{
    for (size_t k = n; k-- > 0;) {
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = 0; U[k * n + i] != 0 && j < n; j++)
                B[k * n + j] -= U[k * n + i] * B[i * n + j];
        for (size_t j = 0; j < n; j++)
            B[k * n + j] /= U[k * n + k];
    }
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
        if (regular)
            substitute(n, U, B);
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
