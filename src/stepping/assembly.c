/* dT/dq1 = (2/h) M + local matrices, as a sparse matrix with a fixed pattern. */
#include "stepping/assembly.h"

#include "base/fail.h"
#include "base/memory.h"

void olo_put_mass(const olo_system *s, int row, int column, double factor, olo_sparse *matrix)
{
    for (int e = 0; e < s->mass_count; e++) {
        const int i = s->mass[e].i, j = s->mass[e].j;
        const double m = factor * s->mass[e].m;
        for (int k = 0; k < s->mass[e].width; k++) {
            olo_sparse_put(matrix, row + i + k, column + j + k, m);
            if (i != j)
                olo_sparse_put(matrix, row + j + k, column + i + k, m);
        }
    }
}

static bool has_local(const olo_assembly *x, int piece)
{
    return olo_piece_has_tangent(x->system, piece) ||
           (x->all_rows && piece >= olo_piece_of_constraint(x->system, 0));
}

static void put_entries(void *context)
{
    olo_assembly *x = context;
    const olo_system *s = x->system;
    olo_put_mass(s, 0, 0, 1.0, x->matrix);
    for (int piece = 0; piece < olo_pieces(s); piece++) {
        x->piece_entry[piece] = olo_sparse_next(x->matrix);
        const olo_indices all = {0, olo_piece_size(s, piece), olo_piece_index(s, piece)};
        if (has_local(x, piece))
            olo_sparse_put_block(x->matrix, all, all, 0.0, NULL);
    }
    x->count = olo_sparse_next(x->matrix);
    if (x->more)
        x->more(x->context);
}

olo_status olo_assembly_create(olo_assembly *x, const olo_system *system, int extra, bool all_rows,
                               void (*more)(void *context), void *context, olo_error *error)
{
    *x = (olo_assembly){.system = system, .all_rows = all_rows, .more = more, .context = context};
    x->piece_entry = olo_alloc((size_t)olo_pieces(system), sizeof *x->piece_entry);
    if (!x->piece_entry)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the tangent");
    return olo_sparse_create(system->n + extra, put_entries, x, &x->matrix, error);
}

void olo_assembly_free(olo_assembly *x)
{
    olo_sparse_free(x->matrix);
    olo_free(x->piece_entry);
}

static void add_mass(void *context, double factor)
{
    const olo_assembly *x = context;
    olo_sparse_continue(x->matrix, 0);
    olo_put_mass(x->system, 0, 0, x->factor * factor, x->matrix);
}

static void add_local(void *context, int piece, double factor, const double *K)
{
    olo_assembly *x = context;
    olo_assembly_add(x, piece, x->factor * factor, K);
}

olo_sink olo_assembly_sink(olo_assembly *x, double factor)
{
    x->factor = factor;
    return (olo_sink){.context = x, .mass = add_mass, .local = add_local};
}

void olo_assembly_add(olo_assembly *x, int piece, double factor, const double *K)
{
    int size = olo_piece_size(x->system, piece);
    olo_sparse_add(x->matrix, x->piece_entry[piece], size * size, factor, K);
}
