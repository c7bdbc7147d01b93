/* The grid of time of a problem: equal intervals, given relative lengths, or lengths that grow by a
 * constant factor. */
#include <math.h>

#include "base/fail.h"
#include "control/problem.h"

static olo_status check(const olo_problem *given, olo_error *error)
{
    if (given->intervals < 1 || given->intervals > 1000000)
        return olo_fail(error, OLO_BAD_INPUT, "intervals: must be 1 to 1000000, got %d",
                        given->intervals);
    if (!(given->grading > 0) || !isfinite(given->grading))
        return olo_fail(error, OLO_BAD_INPUT, "grading: must be positive, got %g", given->grading);
    if (given->grid_count > 0 && given->grading != 1)
        return olo_fail(error, OLO_BAD_INPUT, "give grid or grading, not both");
    if (given->grid_count != 0 && given->grid_count != given->intervals)
        return olo_fail(error, OLO_BAD_INPUT, "grid: %d lengths are not %d intervals",
                        given->grid_count, given->intervals);
    for (int k = 0; k < given->grid_count; k++)
        if (!(given->grid[k] > 0) || !isfinite(given->grid[k]))
            return olo_fail(error, OLO_BAD_INPUT, "grid: lengths must be positive, got %g",
                            given->grid[k]);
    return OLO_OK;
}

olo_status olo_control_resolve_grid(olo_control_problem *p, const olo_problem *given,
                                    olo_error *error)
{
    const olo_status status = check(given, error);
    const int N = given->intervals;
    if (status != OLO_OK)
        return status;
    p->intervals = N;
    p->part = olo_pool_alloc(&p->pool, (size_t)N, sizeof *p->part);
    p->at = olo_pool_alloc(&p->pool, (size_t)N + 1, sizeof *p->at);
    if (!p->part || !p->at)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    double sum = 0, smallest = HUGE_VAL;
    for (int k = 0; k < N; k++) {
        p->part[k] = given->grid_count > 0 ? given->grid[k] : pow(given->grading, k - 0.5 * N);
        sum += p->part[k];
    }
    for (int k = 0; k < N; k++) {
        p->part[k] /= sum;
        p->at[k + 1] = k + 1 < N ? p->at[k] + p->part[k] : 1.0;
        smallest = fmin(smallest, p->part[k]);
    }
    /* shorter intervals are rounding errors of the time of their nodes */
    return smallest > 1e-9 ? OLO_OK
                           : olo_fail(error, OLO_BAD_INPUT,
                                      "grid: an interval has only %.3g of the duration", smallest);
}

int olo_control_interval_at(const olo_control_problem *p, double part)
{
    int first = 0, last = p->intervals - 1;
    while (first < last) {
        const int middle = (first + last + 1) / 2;
        if (p->at[middle] <= part)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}
