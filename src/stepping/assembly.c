/* dT/dq1 = (2/h) M + local matrices, as a sparse matrix with a fixed pattern. */
#include "stepping/assembly.h"

#include "base/fail.h"
#include "base/memory.h"

void olo_pattern_put(olo_pattern *pattern, int row, int column)
{
    if (pattern->row) {
        pattern->row[pattern->count] = row;
        pattern->column[pattern->count] = column;
    }
    pattern->count++;
}

void olo_pattern_put_mass(const olo_system *s, olo_pattern *p)
{
    for (int e = 0; e < s->mass_count; e++)
        for (int i = 0; i < s->mass[e].width; i++) {
            olo_pattern_put(p, s->mass[e].i + i, s->mass[e].j + i);
            if (s->mass[e].i != s->mass[e].j)
                olo_pattern_put(p, s->mass[e].j + i, s->mass[e].i + i);
        }
}

olo_status olo_pattern_analyse(int size, void (*put)(void *context, olo_pattern *pattern),
                               void *context, olo_sparse **matrix, olo_error *error)
{
    olo_pattern p = {0};
    put(context, &p);
    p.row = olo_alloc((size_t)p.count, sizeof *p.row);
    p.column = olo_alloc((size_t)p.count, sizeof *p.column);
    olo_status status = OLO_NO_MEMORY;
    if (p.row && p.column) {
        p.count = 0;
        put(context, &p);
        status = olo_sparse_create(size, p.count, p.row, p.column, matrix, error);
    } else {
        olo_fail(error, status, "out of memory for the pattern of a matrix");
    }
    olo_free(p.row);
    olo_free(p.column);
    return status;
}

static bool has_local(const olo_assembly *x, int piece)
{
    return olo_piece_has_tangent(x->system, piece) ||
           (x->all_rows && piece >= olo_piece_of_constraint(x->system, 0));
}

static void put_entries(void *context, olo_pattern *p)
{
    olo_assembly *x = context;
    const olo_system *s = x->system;
    olo_pattern_put_mass(s, p);
    for (int piece = 0; piece < olo_pieces(s); piece++) {
        x->piece_entry[piece] = p->count;
        if (!has_local(x, piece))
            continue;
        const int *index = olo_piece_index(s, piece);
        int size = olo_piece_size(s, piece);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                olo_pattern_put(p, index[i], index[j]);
    }
    x->count = p->count;
    if (x->more)
        x->more(s, p);
}

olo_status olo_assembly_create(olo_assembly *x, const olo_system *system, int extra, bool all_rows,
                               void (*more)(const olo_system *system, olo_pattern *pattern),
                               olo_error *error)
{
    *x = (olo_assembly){.system = system, .all_rows = all_rows, .more = more};
    x->piece_entry = olo_alloc((size_t)olo_pieces(system), sizeof *x->piece_entry);
    if (!x->piece_entry)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the tangent");
    return olo_pattern_analyse(system->n + extra, put_entries, x, &x->matrix, error);
}

void olo_assembly_free(olo_assembly *x)
{
    olo_sparse_free(x->matrix);
    olo_free(x->piece_entry);
}

static void add_mass(void *context, double factor)
{
    const olo_assembly *x = context;
    const olo_system *s = x->system;
    const double a = x->factor * factor;
    for (int e = 0, entry = 0; e < s->mass_count; e++)
        for (int i = 0; i < s->mass[e].width * olo_mass_blocks(&s->mass[e]); i++)
            olo_sparse_add(x->matrix, entry++, a * s->mass[e].m);
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
    for (int i = 0; i < size * size; i++)
        olo_sparse_add(x->matrix, x->piece_entry[piece] + i, factor * K[i]);
}
