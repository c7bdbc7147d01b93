/* The tangent DT = (2/h) M + h d(dV)/dq1 of a step and gradients of constraint rows as dense
 * matrices. */
#include "stepping/dense_tangent.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

typedef struct target {
    const olo_system *system;
    double *DT;
} target;

static void add_mass(void *context, double factor)
{
    const target *x = context;
    size_t n = (size_t)x->system->n;
    for (int e = 0; e < x->system->mass_count; e++) {
        const olo_mass_entry *entry = &x->system->mass[e];
        for (int i = 0; i < entry->width; i++) {
            size_t a = (size_t)(entry->i + i), b = (size_t)(entry->j + i);
            x->DT[a * n + b] += factor * entry->m;
            if (a != b)
                x->DT[b * n + a] += factor * entry->m;
        }
    }
}

static void add_local(void *context, int piece, double factor, const double *K)
{
    const target *x = context;
    size_t n = (size_t)x->system->n;
    int size = olo_piece_size(x->system, piece);
    const int *index = olo_piece_index(x->system, piece);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            x->DT[(size_t)index[i] * n + (size_t)index[j]] += factor * K[i * size + j];
}

void olo_tangent_balance(const olo_scheme *scheme, olo_step *step, double *DT)
{
    size_t n = (size_t)step->system->n;
    target x = {.system = step->system, .DT = DT};
    olo_sink sink = {.context = &x, .mass = add_mass, .local = add_local};
    memset(DT, 0, n * n * sizeof *DT);
    scheme->balance(step, &sink);
}

static void scatter(const olo_system *system, int c, const double *local, double *row)
{
    memset(row, 0, (size_t)system->n * sizeof *row);
    for (int i = 0; i < system->constraints[c].size; i++)
        row[system->constraints[c].index[i]] = local[i];
}

void olo_tangent_row_at(const olo_system *system, int c, const olo_at *at, double *row)
{
    double gradient[OLO_FORM_SIZE_MAX];
    olo_constraint_gradient(&system->constraints[c], at, gradient);
    scatter(system, c, gradient, row);
}

void olo_tangent_discrete_row(const olo_step *step, int c, double *row)
{
    double d[OLO_FORM_SIZE_MAX];
    olo_step_row(step, &step->system->constraints[c], d, NULL);
    scatter(step->system, c, d, row);
}

void olo_tangent_end_row(const olo_step *step, int c, double *row)
{
    double derivative[OLO_FORM_SIZE_MAX];
    olo_interval x = olo_step_interval(step);
    olo_condition_by_end(&step->system->constraints[c], &x, derivative);
    scatter(step->system, c, derivative, row);
}

void olo_tangent_add_curvature(olo_step *step, int c, double factor, int stride, double *A)
{
    const olo_constraint *row = &step->system->constraints[c];
    size_t n = (size_t)stride;
    if (!olo_step_row(step, row, step->r, step->K))
        return;
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            A[(size_t)row->index[i] * n + (size_t)row->index[j]] +=
                factor * step->K[i * row->size + j];
}

olo_status olo_square_create(int size, olo_square *K, olo_error *error)
{
    K->size = size;
    K->entry = olo_alloc((size_t)size * (size_t)size, sizeof *K->entry);
    return K->entry ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for a dense matrix");
}
