/* Finite numbers; products of two long vectors, and of all pairs of two sets of rows. For the
 * latter, rows of B are processed in groups that stay in the cache, four at a time with one row of
 * A: each number of A is loaded once for four products. */
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

#include "linalg/lanes.h"

enum { GROUP = 32, TOGETHER = 4 };

ptrdiff_t olo_first_not_finite(size_t count, const double *x)
{
    typedef double pair __attribute__((vector_size(16)));
    pair zero = {0, 0}, also = {0, 0}; /* 0 x is NaN for infinite and NaN x */
    const size_t whole = count - count % 4;
    for (size_t i = 0; i < whole; i += 4) {
        pair a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + 2, sizeof b);
        zero += 0.0 * a;
        also += 0.0 * b;
    }
    zero += also;
    for (size_t i = zero[0] + zero[1] == 0 ? whole : 0; i < count; i++)
        if (!isfinite(x[i]))
            return (ptrdiff_t)i;
    return -1;
}

/* With eight partial sums, as many as a processor can add at once. */
double olo_dense_dot(int n, const double *a, const double *b)
{
    lane even = lane_all(0), odd = lane_all(0);
    int i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        even += lane_load(a + i) * lane_load(b + i);
        odd += lane_load(a + i + LANES) * lane_load(b + i + LANES);
    }
    const lane both = even + odd;
    double sum = (both[0] + both[1]) + (both[2] + both[3]);
    for (; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* c[k] = a.b_k for four rows that lie `next` numbers apart, in the order of olo_dense_dot */
static void four_dots(int n, const double *a, const double *b, size_t next, double *c)
{
    lane even[TOGETHER] = {{0}}, odd[TOGETHER] = {{0}};
    int i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const lane x = lane_load(a + i), y = lane_load(a + i + LANES);
        for (size_t k = 0; k < TOGETHER; k++) {
            even[k] += x * lane_load(b + k * next + i);
            odd[k] += y * lane_load(b + k * next + i + LANES);
        }
    }
    for (size_t k = 0; k < TOGETHER; k++) {
        const lane both = even[k] + odd[k];
        c[k] = (both[0] + both[1]) + (both[2] + both[3]);
        for (int j = i; j < n; j++)
            c[k] += a[j] * b[k * next + (size_t)j];
    }
}

void olo_dense_transpose(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            olo_swap(A + olo_area(i, n) + j, A + olo_area(j, n) + i);
}

void olo_dense_products(int rows, int columns, int n, const double *A, const double *B, double *C)
{
    for (int group = 0; group < columns; group += GROUP) {
        const int last = group + GROUP < columns ? group + GROUP : columns;
        for (int i = 0; i < rows; i++) {
            const double *a = A + olo_area(i, n);
            double *c = C + olo_area(i, columns);
            int from = 0, to = n, j = group;
            while (from < to && a[from] == 0)
                from++;
            while (from < to && a[to - 1] == 0)
                to--;
            for (; j + TOGETHER <= last; j += TOGETHER)
                four_dots(to - from, a + from, B + olo_area(j, n) + from, (size_t)n, c + j);
            for (; j < last; j++)
                c[j] = olo_dense_dot(to - from, a + from, B + olo_area(j, n) + from);
        }
    }
}
