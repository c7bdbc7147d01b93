/* Anderson's acceleration; see the header. */
#include "linalg/anderson.h"

bool olo_anderson_create(olo_anderson *a, int size, int depth, olo_pool *pool)
{
    a->size = (size + LANES - 1) / LANES * LANES;
    a->depth = depth;
    const size_t length = (size_t)a->size, rows = ((size_t)depth + 1) * length;
    const olo_array arrays[] = {{&a->found, rows}, {&a->mixed, rows}, {&a->weight, length}};
    return olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
}
