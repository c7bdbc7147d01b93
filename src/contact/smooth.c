/* What contacts see of the smooth part of a step; see the header. */
#include "contact/smooth.h"

#include <string.h>

#include "base/fail.h"
#include "system/condition.h"
#include "system/interval.h"
#include "system/row_lift.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

/* The memory of the rows of all contacts. */
static void take_rows(olo_smooth *x)
{
    const olo_system *s = x->system;
    for (int c = 0; c < s->contact_count && x->over; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]); i <= s->contacts[c].sliding_count;
             i++) {
            const size_t size = (size_t)olo_contact_row(&s->contacts[c], i)->size;
            olo_row_over *at = olo_smooth_over(x, c, i);
            const olo_array arrays[] = {{&at->d, size},
                                        {&at->a, size},
                                        {&at->end, size},
                                        {&at->gradient, size},
                                        {&at->rate_by, size}};
            (void)olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
        }
}

olo_status olo_smooth_create(olo_smooth *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error)
{
    const size_t contacts = (size_t)system->contact_count;
    *x = (olo_smooth){.system = system, .row_count = row_count, .row = row};
    x->active = olo_pool_alloc(&x->pool, contacts + 1, sizeof *x->active);
    x->impulse = olo_pool_alloc(&x->pool, contacts + 1, sizeof *x->impulse);
    x->over = olo_pool_alloc(&x->pool, contacts * OLO_CONTACT_ROWS_MAX + 1, sizeof *x->over);
    x->spare = olo_pool_alloc(&x->pool, SIZE, sizeof *x->spare);
    take_rows(x);
    return x->pool.failed ? olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts") : OLO_OK;
}

void olo_smooth_free(olo_smooth *x)
{
    olo_pool_free(&x->pool);
}

int olo_contact_row_count(const olo_system *system, const bool *active)
{
    int count = 0;
    for (int c = 0; c < system->contact_count; c++)
        count += !active || active[c] ? 1 + system->contacts[c].sliding_count : 0;
    return count;
}

int olo_contact_rows_at_first(const olo_system *system)
{
    enum { AT_FIRST = 128 };
    const int all = olo_contact_row_count(system, NULL);
    return all < AT_FIRST ? all : AT_FIRST;
}

void olo_smooth_begin(olo_smooth *x)
{
    memset(x->impulse, 0, (size_t)x->system->contact_count * sizeof *x->impulse);
    x->form->begin(x);
}

void olo_smooth_find_distances(olo_smooth *x)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_smooth_interval(x);
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]);
             x->active[c] && i <= s->contacts[c].sliding_count; i++) {
            const olo_constraint *row = olo_contact_row(&s->contacts[c], i);
            olo_row_over *at = olo_smooth_over(x, c, i);
            const bool at_start = olo_smooth_at_start(x, row);
            (void)olo_evaluate_row(&(olo_evaluation){.at_start = at_start}, row, &over, at->d,
                                   NULL);
            if (at_start)
                memcpy(at->end, at->d, (size_t)row->size * sizeof *at->end);
            else
                olo_condition_by_end(row, &over, at->end);
            at->s = 0;
            for (int k = 0; k < row->size; k++)
                at->s += at->d[k] * x->dq[row->index[k]];
        }
}

void olo_smooth_find_rates(olo_smooth *x)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_smooth_interval(x);
    const olo_at end = {.q = x->q1, .angles = x->angles, .t = x->t + x->h};
    for (int c = 0; c < s->contact_count; c++)
        for (int i = olo_contact_first_row(&s->contacts[c]);
             x->active[c] && i <= s->contacts[c].sliding_count; i++) {
            const olo_constraint *row = olo_contact_row(&s->contacts[c], i);
            olo_row_over *at = olo_smooth_over(x, c, i);
            olo_row_lift(row, &over, x->published ? x->v1 : x->v0, x->v1, at->a, NULL, NULL);
            olo_constraint_gradient(row, &end, at->gradient);
            olo_rate_by_configuration(row, &end, x->v1, at->rate_by);
            at->rate = olo_rate_value(row, &end, at->gradient, x->v1);
        }
}

double olo_smooth_row(const olo_smooth *x, int contact, int i, bool pair)
{
    const olo_constraint *row = olo_contact_row(&x->system->contacts[contact], i);
    const olo_row_over *at = olo_smooth_over(x, contact, i);
    const double *dq = x->response, *v = dq + x->system->n;
    double sum = 0;
    for (int k = 0; k < row->size; k++) {
        const int j = row->index[k];
        sum += pair ? at->gradient[k] * v[j] : at->end[k] * dq[j];
        if (pair && !x->form->find_velocities)
            sum += at->rate_by[k] * dq[j];
    }
    return sum;
}
