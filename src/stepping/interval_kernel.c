/* The public interval kernel: values and derivatives of all pieces, as a scheme evaluates them. */
#include "oloid/interval.h"

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/step.h"
#include "system/condition.h"

struct olo_kernel {
    const olo_system *system;
    olo_evaluation evaluation;
    int *first; /* [pieces + 1] index of the first coordinate of a piece */
    int *index;
};

void olo_interval_set(olo_interval *x, int n, const double *q0, const double *q1, double h,
                      double t, double *work)
{
    for (int i = 0; i < n; i++) {
        work[i] = 0.5 * (q0[i] + q1[i]);
        work[n + i] = q1[i] - q0[i];
    }
    *x = (olo_interval){.q0 = q0, .q1 = q1, .qm = work, .dq = work + n, .h = h, .t = t};
}

static bool list_coordinates(olo_kernel *x)
{
    const int pieces = olo_interval_pieces(x->system);
    int count = 0;
    x->first = olo_alloc((size_t)pieces + 1, sizeof *x->first);
    if (!x->first)
        return false;
    for (int i = 0; i < pieces; i++) {
        x->first[i] = count;
        count += olo_piece_coordinates(x->system, i, NULL);
    }
    x->first[pieces] = count;
    x->index = olo_alloc((size_t)count, sizeof *x->index);
    for (int i = 0; x->index && i < pieces; i++)
        olo_piece_coordinates(x->system, i, x->index + x->first[i]);
    return x->index != NULL;
}

olo_status olo_kernel_create(const olo_system *system, const char *scheme, olo_kernel **kernel,
                             olo_error *error)
{
    *kernel = NULL;
    const olo_scheme *found = olo_scheme_find(scheme);
    if (!found)
        return olo_fail(error, OLO_BAD_INPUT,
                        "there is no scheme '%s': take energy-momentum or variational", scheme);
    olo_kernel *x = olo_alloc(1, sizeof *x);
    if (x) {
        x->system = system;
        x->evaluation = found->evaluation;
    }
    if (!x || !list_coordinates(x)) {
        olo_kernel_free(x);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the pieces of a system");
    }
    *kernel = x;
    return OLO_OK;
}

void olo_kernel_free(olo_kernel *kernel)
{
    if (!kernel)
        return;
    olo_free(kernel->first);
    olo_free(kernel->index);
    olo_free(kernel);
}

int olo_kernel_pieces(const olo_kernel *kernel)
{
    return olo_interval_pieces(kernel->system);
}

olo_piece_kind olo_kernel_piece_kind(const olo_kernel *kernel, int piece)
{
    int number;
    return olo_piece_kind_of(kernel->system, piece, &number);
}

int olo_kernel_piece_number(const olo_kernel *kernel, int piece)
{
    int number;
    (void)olo_piece_kind_of(kernel->system, piece, &number);
    return number;
}

const char *olo_kernel_piece_name(const olo_kernel *kernel, int piece)
{
    const olo_system *s = kernel->system;
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        return s->terms[i].owner ? s->terms[i].owner : "";
    case OLO_PIECE_ACTION:
        return s->actions[i].owner ? s->actions[i].owner : "";
    case OLO_PIECE_ROW:
        return s->groups[olo_system_group_of(s, i)].name;
    default:
        return s->nodes[s->coordinates[s->mass[i].i].node].name;
    }
}

int olo_kernel_piece_size(const olo_kernel *kernel, int piece)
{
    return kernel->first[piece + 1] - kernel->first[piece];
}

const int *olo_kernel_piece_coordinates(const olo_kernel *kernel, int piece)
{
    return kernel->index + kernel->first[piece];
}

int olo_kernel_piece_coefficients(const olo_kernel *kernel, int piece)
{
    return olo_piece_coefficients(kernel->system, piece);
}

static olo_structure structure_of(const olo_kernel *kernel, int piece)
{
    return olo_piece_structure(kernel->system, &kernel->evaluation, piece);
}

bool olo_kernel_depends(const olo_kernel *kernel, int piece, olo_slot a)
{
    return structure_of(kernel, piece).first & olo_slot_bit(a);
}

bool olo_kernel_couples(const olo_kernel *kernel, int piece, olo_slot a, olo_slot b)
{
    return structure_of(kernel, piece).second & olo_pair_bit(a, b);
}

/* Fails if a requested derivative is not available. */
static olo_status check_known(const olo_kernel *kernel, int piece, unsigned asked, unsigned unknown,
                              const char *what, olo_error *error)
{
    static const char *const kinds[] = {"term", "action", "constraint row", "mass"};
    if (!(asked & unknown))
        return OLO_OK;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "%s '%s' has no %s of this kind: a function of the user's own in it gives none",
                    kinds[olo_kernel_piece_kind(kernel, piece)],
                    olo_kernel_piece_name(kernel, piece), what);
}

void olo_kernel_value(const olo_kernel *kernel, int piece, const olo_interval *x, double *r)
{
    olo_piece_value(kernel->system, &kernel->evaluation, piece, x, r);
}

olo_status olo_kernel_first(const olo_kernel *kernel, int piece, const olo_interval *x, olo_slot a,
                            double *matrix, olo_error *error)
{
    const unsigned unknown = structure_of(kernel, piece).unknown_first;
    olo_status status =
        check_known(kernel, piece, olo_slot_bit(a), unknown, "first derivative", error);
    if (status == OLO_OK)
        olo_piece_first(kernel->system, &kernel->evaluation, piece, x, a, matrix);
    return status;
}

olo_status olo_kernel_second(const olo_kernel *kernel, int piece, const olo_interval *x,
                             const double *y, olo_slot a, olo_slot b, double *matrix,
                             olo_error *error)
{
    const unsigned unknown = structure_of(kernel, piece).unknown_second;
    olo_status status =
        check_known(kernel, piece, olo_pair_bit(a, b), unknown, "second derivative", error);
    if (status == OLO_OK)
        olo_piece_second(kernel->system, &kernel->evaluation, piece, x, y, a, b, matrix);
    return status;
}

void olo_kernel_by_coefficient(const olo_kernel *kernel, int piece, const olo_interval *x,
                               int coefficient, double *dr)
{
    olo_piece_by_coefficient(kernel->system, &kernel->evaluation, piece, x, coefficient, dr);
}

int olo_kernel_row_piece(const olo_kernel *kernel, int row)
{
    return olo_piece_of_constraint(kernel->system, row);
}

double olo_kernel_condition(const olo_kernel *kernel, int row, const olo_interval *x)
{
    return olo_condition_value(&kernel->system->constraints[row], x);
}

olo_status olo_kernel_condition_first(const olo_kernel *kernel, int row, const olo_interval *x,
                                      olo_slot a, double *by, olo_error *error)
{
    const olo_constraint *constraint = &kernel->system->constraints[row];
    const unsigned unknown = olo_condition_structure(constraint).unknown_first;
    olo_status status = check_known(kernel, olo_kernel_row_piece(kernel, row), olo_slot_bit(a),
                                    unknown, "first derivative", error);
    if (status == OLO_OK)
        olo_condition_first(constraint, x, a, by);
    return status;
}

olo_status olo_kernel_condition_second(const olo_kernel *kernel, int row, const olo_interval *x,
                                       olo_slot a, olo_slot b, double *matrix, olo_error *error)
{
    const olo_constraint *constraint = &kernel->system->constraints[row];
    const unsigned unknown = olo_condition_structure(constraint).unknown_second;
    olo_status status = check_known(kernel, olo_kernel_row_piece(kernel, row), olo_pair_bit(a, b),
                                    unknown, "second derivative", error);
    if (status == OLO_OK)
        olo_condition_second(constraint, x, a, b, matrix);
    return status;
}
