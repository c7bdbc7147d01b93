/* Times and sizes of the steps of a run; see the header. */
#include "stepping/time_grid.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/step.h"

void olo_time_grid_free(olo_time_grid *x)
{
    olo_free(x->list);
    *x = (olo_time_grid){0};
}

olo_status olo_time_grid_add(olo_time_grid *x, double size, double time, olo_error *error)
{
    olo_time_grid_step *grown = olo_grow(x->list, (size_t)x->steps, &x->capacity, sizeof *grown);
    if (!grown)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the sizes of %ld steps", x->steps);
    x->list = grown;
    x->list[x->steps++] = (olo_time_grid_step){size, time};
    return OLO_OK;
}

olo_status olo_time_grid_give(olo_time_grid *x, const double *sizes, long count, olo_error *error)
{
    olo_status status = OLO_OK;
    x->steps = 0;
    x->given = x->listed = count > 0;
    for (long i = 0; status == OLO_OK && i < count; i++)
        if (!(sizes[i] > 0) || !isfinite(sizes[i]))
            status = olo_fail(error, OLO_BAD_INPUT, "the size of step %ld must be positive, got %g",
                              i + 1, sizes[i]);
        else
            status = olo_time_grid_add(x, sizes[i], 0.0, error);
    x->given = x->given && status == OLO_OK;
    return status;
}

olo_status olo_time_grid_begin(olo_time_grid *x, const olo_run *run, double start, olo_error *error)
{
    olo_status status = OLO_OK;
    x->run = run;
    x->start = start;
    if (!x->given) {
        x->listed = run->tolerance > 0 || run->step_count > 0;
        status = olo_run_count_steps(run, start, &x->steps, error);
        if (x->listed)
            x->steps = 0;
        for (int i = 0; status == OLO_OK && i < run->step_count; i++)
            status = olo_time_grid_add(x, run->steps[i], 0.0, error);
    }
    for (long i = 0; x->listed && i < x->steps; i++)
        x->list[i].end = (i > 0 ? x->list[i - 1].end : start) + x->list[i].size;
    return status;
}

double olo_time_grid_time(const olo_time_grid *x, long step)
{
    if (step == 0)
        return x->start;
    if (x->listed)
        return x->list[step - 1].end;
    return olo_run_step_end(x->run, x->start, 0.0, step, step == x->steps);
}

double olo_time_grid_size(const olo_time_grid *x, long step)
{
    if (x->listed)
        return x->list[step - 1].size;
    return olo_run_step_size(x->run, olo_time_grid_time(x, step - 1), step, step == x->steps);
}
