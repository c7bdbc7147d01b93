/* The multipliers of another optimum as those that the solver begins with; see optimum.h. Rows and
 * variables are ordered by nodes (redundant.h, reduced.h). The multipliers of balances are values
 * of a function of time; those of all other rows of nodes, and of bounds, are integrals over an
 * interval and scale with its length. */
#include "base/fail.h"
#include "base/memory.h"
#include "control/optimum.h"
#include "control/reduced_private.h"

/* The layout of the programme that is solved. */
typedef struct layout {
    const olo_nlp *nlp;
    int nodes, stride, row_stride, balances;
} layout;

static layout layout_of(const olo_optimum *o)
{
    const int nodes = o->problem->intervals + 1;
    const olo_nlp *nlp = o->design    ? olo_design_nlp(o->design)
                         : o->reduced ? olo_reduced_nlp(o->reduced)
                                      : olo_redundant_nlp(o->transcription);
    if (o->reduced)
        return (layout){.nlp = nlp,
                        .nodes = nodes,
                        .stride = o->reduced->stride,
                        .row_stride = o->reduced->row_stride,
                        .balances = o->reduced->dof};
    const olo_redundant_layout x = olo_redundant_numbers(o->transcription);
    return (layout){.nlp = nlp,
                    .nodes = nodes,
                    .stride = x.stride,
                    .row_stride = x.row_stride,
                    .balances = o->problem->system->n};
}

/* The last node has no controls: its variables end earlier. What follows is the same: velocities,
 * the duration, parameters of the model; rows at both ends, and of the initial configuration. */
static bool have_same_layout(const layout *a, const layout *b)
{
    return a->stride == b->stride && a->row_stride == b->row_stride && a->balances == b->balances &&
           a->nlp->variables - a->nodes * a->stride == b->nlp->variables - b->nodes * b->stride &&
           a->nlp->rows - a->nodes * a->row_stride == b->nlp->rows - b->nodes * b->row_stride;
}

/* Numbers of nodes, `stride` each but for the `missing` last ones, and what follows them. */
typedef struct numbers {
    int count, stride, missing;
    double *values;
} numbers;

/* Numbers of nodes at a part of the motion of `other`, those of a node from `first` on scaled; what
 * follows the last node is copied. */
static void interpolate(const olo_optimum *o, const olo_optimum *other, const numbers *a,
                        const numbers *b, int first, double scale)
{
    const int N = o->problem->intervals, M = other->problem->intervals, stride = a->stride;
    const int a_end = (M + 1) * stride - a->missing, b_end = (N + 1) * stride - b->missing;
    for (int k = 0; k <= N; k++) {
        const double at = olo_optimum_part(o, other, o->problem->at[k]);
        const int j = olo_control_interval_at(other->problem, at);
        const double part = (at - other->problem->at[j]) / other->problem->part[j];
        for (int i = 0; i < stride && k * stride + i < b_end; i++) {
            const int low = j * stride + i, high = low + stride;
            const double x = high < a_end ? (1 - part) * a->values[low] + part * a->values[high]
                                          : a->values[low];
            b->values[k * stride + i] = i < first ? x : scale * x;
        }
    }
    for (int i = 0; b_end + i < b->count; i++)
        b->values[b_end + i] = a->values[a_end + i];
}

/* The multipliers of bounds of the variables of the whole programme. */
static void spread(const olo_optimum *o, const double *z, double *full)
{
    for (int i = 0; i < olo_presolve_nlp(o->presolve)->variables; i++)
        full[olo_presolve_variable(o->presolve, i)] = z[i];
}

static void gather(const olo_optimum *o, const double *full, double *z)
{
    for (int i = 0; i < olo_presolve_nlp(o->presolve)->variables; i++)
        z[i] = full[olo_presolve_variable(o->presolve, i)];
}

olo_status olo_optimum_copy_multipliers(olo_optimum *o, const olo_optimum *from, olo_error *error)
{
    const layout a = layout_of(from), b = layout_of(o);
    o->warm = !o->design == !from->design && have_same_layout(&a, &b);
    if (!o->warm)
        return OLO_OK;
    const double scale =
        o->problem->duration / (b.nodes - 1) / (olo_optimum_duration(from) / (a.nodes - 1));
    olo_pool pool = {0};
    numbers y = {.count = a.nlp->rows, .stride = a.row_stride}, to_y = y,
            z = {.count = a.nlp->variables, .stride = a.stride, .missing = o->problem->controls},
            to_z = z;
    to_y.count = b.nlp->rows;
    to_z.count = b.nlp->variables;
    const olo_array arrays[] = {{&y.values, (size_t)y.count},
                                {&z.values, (size_t)z.count},
                                {&to_y.values, (size_t)to_y.count},
                                {&to_z.values, (size_t)to_z.count}};
    if (!olo_pool_arrays(&pool, arrays, 4)) {
        olo_pool_free(&pool);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the multipliers of a start");
    }
    olo_presolve_expand_rows(from->presolve, from->point.y, y.values);
    interpolate(o, from, &y, &to_y, a.balances, scale);
    for (int i = 0; i < olo_presolve_nlp(o->presolve)->rows; i++)
        o->point.y[i] = to_y.values[olo_presolve_row(o->presolve, i)];
    for (int side = 0; side < 2; side++) {
        spread(from, side == 0 ? from->point.z_lower : from->point.z_upper, z.values);
        interpolate(o, from, &z, &to_z, 0, scale);
        gather(o, to_z.values, side == 0 ? o->point.z_lower : o->point.z_upper);
    }
    olo_pool_free(&pool);
    return OLO_OK;
}
