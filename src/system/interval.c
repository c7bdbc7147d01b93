/* The interval kernel: pieces of a system over an interval; see the header. Gradients at the
 * midpoint have the derivatives
 *
 *     dr/dq_a = 1/2 Hess V(qm),     d2(y.r)/dq_a dq_b = 1/4 (third derivative of V at qm).y
 *
 * with respect to both configurations. The derivatives of rows at q0 are those at a configuration.
 */
#include "system/interval.h"

#include <string.h>

#include "linalg/small.h"
#include "system/coefficients.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static olo_at start_of(const olo_interval *x)
{
    return (olo_at){.q = x->q0, .angles = x->angles, .t = x->t};
}

// -- terms ----------------------------------------------------------------------------------------

const double *olo_evaluate_stress(const olo_evaluation *how, const olo_term *term,
                                  const olo_interval *x, double *r, olo_law_over *law,
                                  double *energy)
{
    /* a dissipative term is always evaluated over the step */
    if (!how->midpoint || term->law->dissipative) {
        *energy = olo_term_stress(term, x, r, law);
        return x->q1;
    }
    *energy = olo_term_midpoint_stress(term, x, r, law);
    return x->qm;
}

static bool at_midpoint(const olo_evaluation *how, const olo_term *term)
{
    return how->midpoint && !term->law->dissipative;
}

static void term_tangents(const olo_evaluation *how, const olo_term *term, const olo_interval *x,
                          double *K0, double *K1)
{
    if (at_midpoint(how, term)) {
        double r[SIZE];
        olo_term_midpoint(term, x, r, K0);
        if (K1)
            memcpy(K1, K0, (size_t)(term->size * term->size) * sizeof *K1);
        return;
    }
    olo_term_discrete_tangent(term, x, 0, K0);
    if (K1)
        olo_term_discrete_tangent(term, x, 1, K1);
}

static void term_first(const olo_evaluation *how, const olo_term *term, const olo_interval *x,
                       olo_slot a, double *matrix)
{
    if (olo_slot_is_configuration(a) && at_midpoint(how, term))
        term_tangents(how, term, x, matrix, NULL);
    else if (olo_slot_is_configuration(a))
        olo_term_discrete_tangent(term, x, (int)a, matrix);
    else if (a == OLO_SLOT_H && term->law->dissipative)
        olo_term_by_length(term, x, matrix);
    else
        small_zero(term->size, matrix);
}

static void term_second(const olo_evaluation *how, const olo_term *term, const olo_interval *x,
                        const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const int n = term->size, count = olo_slot_width(a, n) * olo_slot_width(b, n);
    if (olo_slot_is_configuration(a) && olo_slot_is_configuration(b)) {
        if (!at_midpoint(how, term)) {
            olo_term_discrete_second(term, x, y, (int)a, (int)b, matrix);
            return;
        }
        olo_term_third(term, x->qm, x->angles, y, matrix);
        small_scale(count, 0.25, matrix);
        return;
    }
    const bool length = a == OLO_SLOT_H || b == OLO_SLOT_H;
    if (!term->law->dissipative || !length)
        small_zero(count, matrix);
    else if (olo_slot_is_configuration(a) || olo_slot_is_configuration(b))
        olo_term_tangent_by_length(term, x, y, (int)(olo_slot_is_configuration(a) ? a : b), matrix);
    else if (a == b)
        matrix[0] = olo_term_second_by_length(term, x, y);
    else
        small_zero(count, matrix);
}

static olo_structure term_structure(const olo_system *s, int piece)
{
    const olo_term *term = &s->terms[piece];
    olo_structure x = {0};
    if (olo_piece_has_tangent(s, piece))
        x.first = OLO_BOTH_ENDS;
    if (x.first && !term->law->linear)
        x.second = olo_pair_bits(OLO_BOTH_ENDS, OLO_BOTH_ENDS);
    if (term->law->dissipative) {
        x.first |= olo_slot_bit(OLO_SLOT_H);
        x.second |= olo_pair_bits(x.first, olo_slot_bit(OLO_SLOT_H));
    }
    return x;
}

// -- actions --------------------------------------------------------------------------------------

/* The slots that the scalar of an action depends on. */
static unsigned scalar_slots(const olo_action *action)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_T) | olo_slot_bit(OLO_SLOT_H);
    unsigned bits = olo_slot_bit(OLO_SLOT_INPUT);
    if (action->time.value || action->law || action->type->user)
        bits |= time;
    if (action->type->rates)
        bits |= OLO_BOTH_ENDS | olo_slot_bit(OLO_SLOT_H);
    return bits;
}

/* Time derivatives need those of the function of time; a user function has none. */
static void mark_unknown(const olo_action *action, olo_structure *x)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_T) | olo_slot_bit(OLO_SLOT_H);
    const unsigned input = olo_pair_bit(OLO_SLOT_INPUT, OLO_SLOT_INPUT);
    const olo_action_type *type = action->type;
    const bool timed = action->time.value != NULL;
    if (type->user || (timed && !action->time.rate))
        x->unknown_first |= time;
    if (type->motion_tangent)
        x->unknown_first |= OLO_BOTH_ENDS;
    if (type->user)
        x->unknown_second = x->second & ~input;
    if (timed && !action->time.rate)
        x->unknown_second |= x->second & olo_pair_bits(x->first, time);
    if (timed && !action->time.curvature)
        x->unknown_second |= x->second & olo_pair_bits(time, time);
}

static olo_structure action_structure(const olo_action *action)
{
    const unsigned scalar = scalar_slots(action);
    const unsigned input = olo_slot_bit(OLO_SLOT_INPUT), time = scalar & ~(input | OLO_BOTH_ENDS);
    const olo_action_pattern *pattern = action->type->pattern;
    const unsigned vector = !pattern || pattern->first ? OLO_BOTH_ENDS : 0;
    olo_structure x = {.first = scalar | vector};
    x.second = olo_pair_bits(scalar, vector) | olo_pair_bits(time, time);
    if (!pattern || pattern->second)
        x.second |= olo_pair_bits(vector, vector);
    if (action->type->rates)
        x.second |= olo_pair_bits(OLO_BOTH_ENDS | olo_slot_bit(OLO_SLOT_H), OLO_BOTH_ENDS | time);
    if (action->type->user)
        x.second |= olo_pair_bits(input, scalar & ~input);
    mark_unknown(action, &x);
    return x;
}

// -- rows -----------------------------------------------------------------------------------------

bool olo_evaluate_row(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                      double *d, double *tangent)
{
    if (how->at_start) {
        olo_at start = start_of(x);
        olo_constraint_gradient(row, &start, d);
        return false;
    }
    row->type->discrete(row, x, d, row->curved ? tangent : NULL);
    return row->curved;
}

/* d(grad)/dq at a configuration; it is the transpose of `hessian` for a velocity row */
static void gradient_first(const olo_constraint *row, const olo_at *at, double *matrix)
{
    row->type->hessian(row, at, matrix);
    for (int i = 0; row->type->velocity && i < row->size; i++)
        for (int j = 0; j < i; j++) {
            const double above = matrix[j * row->size + i];
            matrix[j * row->size + i] = matrix[i * row->size + j];
            matrix[i * row->size + j] = above;
        }
}

static void row_first(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                      olo_slot a, double *matrix)
{
    const olo_at start = start_of(x);
    double d[SIZE];
    if (!olo_slot_is_configuration(a) || !row->curved || (how->at_start && a == OLO_SLOT_Q1))
        small_zero(row->size * olo_slot_width(a, row->size), matrix);
    else if (how->at_start)
        gradient_first(row, &start, matrix);
    else if (a == OLO_SLOT_Q0)
        row->type->start_tangent(row, x, matrix);
    else
        row->type->discrete(row, x, d, matrix);
}

static void row_second(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                       const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const olo_at start = start_of(x);
    const bool ends = olo_slot_is_configuration(a) && olo_slot_is_configuration(b);
    const bool starts = a == OLO_SLOT_Q0 && b == OLO_SLOT_Q0;
    small_zero(olo_slot_width(a, row->size) * olo_slot_width(b, row->size), matrix);
    if (how->at_start && starts && row->type->third)
        row->type->third(row, &start, y, matrix);
    if (!how->at_start && ends && row->type->second)
        row->type->second(row, x, y, (int)a, (int)b, matrix);
}

static olo_structure row_structure(const olo_evaluation *how, const olo_constraint *row)
{
    olo_structure x = {0};
    if (row->curved)
        x.first = how->at_start ? olo_slot_bit(OLO_SLOT_Q0) : OLO_BOTH_ENDS;
    if (row->type->second)
        x.second = olo_pair_bits(x.first, x.first);
    return x;
}

static void row_by_coefficient(const olo_evaluation *how, const olo_constraint *row,
                               const olo_interval *x, int p, double *dr)
{
    small_zero(row->size, dr);
    if (row->form) {
        olo_form_gradient_by_coefficient(row->form, how->at_start ? x->q0 : x->qm, p, dr);
    } else if (row->type->affine > 0) { /* affine in it: the difference is the derivative */
        double memory[2][OLO_CONSTRAINT_NUMBERS], zero[SIZE];
        const olo_constraint at_zero = olo_constraint_with(row, p, 0.0, memory[0]),
                             at_one = olo_constraint_with(row, p, 1.0, memory[1]);
        olo_evaluate_row(how, &at_zero, x, zero, NULL);
        olo_evaluate_row(how, &at_one, x, dr, NULL);
        for (int i = 0; i < row->size; i++)
            dr[i] -= zero[i];
    } else if (p > 0) { /* the factor of a joint coordinate */
        const olo_share *share = &row->shares[p - 1];
        double own[SIZE];
        if (how->at_start)
            olo_term_gradient(share->coordinate, x->q0, x->angles, own);
        else
            olo_term_discrete(share->coordinate, x, own, NULL);
        for (int k = 0; k < share->coordinate->size; k++)
            dr[share->slot[k]] += own[k];
    }
}

// -- masses ---------------------------------------------------------------------------------------

/* The vectors that an entry multiplies, in the order of its rows: row i has q_j, row j has q_i. */
static int mass_vectors(const olo_mass_entry *entry, int from[2])
{
    from[0] = entry->j;
    from[1] = entry->i;
    return olo_mass_blocks(entry);
}

/* r = m x over the coordinates of the entry */
static void mass_times(const olo_mass_entry *entry, double m, const double *x, double *r)
{
    int from[2];
    const int count = mass_vectors(entry, from);
    for (int k = 0; k < entry->width * count; k++)
        r[k] = m * x[from[k / entry->width] + k % entry->width];
}

static void mass_first(const olo_mass_entry *entry, olo_slot a, double *matrix)
{
    const int size = entry->width * olo_mass_blocks(entry);
    small_zero(size * olo_slot_width(a, size), matrix);
    for (int k = 0; olo_slot_is_configuration(a) && k < size; k++)
        matrix[k * size + (k + size - entry->width) % size] =
            a == OLO_SLOT_Q1 ? entry->m : -entry->m;
}

// -- all pieces -----------------------------------------------------------------------------------

olo_piece_kind olo_piece_kind_of(const olo_system *s, int piece, int *number)
{
    const int counts[] = {s->term_count, s->action_count, s->m};
    for (int k = OLO_PIECE_TERM; k < OLO_PIECE_MASS; k++) {
        if (piece < counts[k]) {
            *number = piece;
            return (olo_piece_kind)k;
        }
        piece -= counts[k];
    }
    *number = piece;
    return OLO_PIECE_MASS;
}

int olo_piece_coordinates(const olo_system *s, int piece, int *index)
{
    int e;
    if (olo_piece_kind_of(s, piece, &e) != OLO_PIECE_MASS) {
        const int size = olo_piece_size(s, piece);
        if (index)
            memcpy(index, olo_piece_index(s, piece), (size_t)size * sizeof *index);
        return size;
    }
    const olo_mass_entry *entry = &s->mass[e];
    const int size = entry->width * olo_mass_blocks(entry);
    for (int k = 0; index && k < size; k++)
        index[k] = (k < entry->width ? entry->i : entry->j) + k % entry->width;
    return size;
}

olo_structure olo_piece_structure(const olo_system *s, const olo_evaluation *how, int piece)
{
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        return term_structure(s, piece);
    case OLO_PIECE_ACTION:
        return action_structure(&s->actions[i]);
    case OLO_PIECE_ROW:
        return row_structure(how, &s->constraints[i]);
    default:
        return (olo_structure){.first = OLO_BOTH_ENDS};
    }
}

void olo_piece_value(const olo_system *s, const olo_evaluation *how, int piece,
                     const olo_interval *x, double *r)
{
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        olo_evaluate_term(how, &s->terms[i], x, r, NULL);
        break;
    case OLO_PIECE_ACTION:
        olo_evaluate_action(&s->actions[i], x, r, NULL);
        break;
    case OLO_PIECE_ROW:
        olo_evaluate_row(how, &s->constraints[i], x, r, NULL);
        break;
    default:
        mass_times(&s->mass[i], s->mass[i].m, x->dq, r);
    }
}

void olo_piece_first(const olo_system *s, const olo_evaluation *how, int piece,
                     const olo_interval *x, olo_slot a, double *matrix)
{
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        term_first(how, &s->terms[i], x, a, matrix);
        break;
    case OLO_PIECE_ACTION:
        olo_action_first(&s->actions[i], x, a, matrix);
        break;
    case OLO_PIECE_ROW:
        row_first(how, &s->constraints[i], x, a, matrix);
        break;
    default:
        mass_first(&s->mass[i], a, matrix);
    }
}

void olo_piece_second(const olo_system *s, const olo_evaluation *how, int piece,
                      const olo_interval *x, const double *y, olo_slot a, olo_slot b,
                      double *matrix)
{
    int i;
    const int size = olo_piece_coordinates(s, piece, NULL);
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        term_second(how, &s->terms[i], x, y, a, b, matrix);
        break;
    case OLO_PIECE_ACTION:
        olo_action_second(&s->actions[i], x, y, a, b, matrix);
        break;
    case OLO_PIECE_ROW:
        row_second(how, &s->constraints[i], x, y, a, b, matrix);
        break;
    default:
        small_zero(olo_slot_width(a, size) * olo_slot_width(b, size), matrix);
    }
}

void olo_piece_tangents(const olo_system *s, const olo_evaluation *how, int piece,
                        const olo_interval *x, double *K0, double *K1)
{
    int i;
    if (olo_piece_kind_of(s, piece, &i) == OLO_PIECE_TERM) {
        term_tangents(how, &s->terms[i], x, K0, K1);
        return;
    }
    olo_action_first(&s->actions[i], x, OLO_SLOT_Q0, K0);
    if (K1)
        olo_action_first(&s->actions[i], x, OLO_SLOT_Q1, K1);
}

int olo_piece_coefficients(const olo_system *s, int piece)
{
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        return olo_term_coefficients(&s->terms[i]);
    case OLO_PIECE_ACTION:
        return olo_action_coefficients(&s->actions[i]);
    case OLO_PIECE_ROW: {
        const olo_constraint *row = &s->constraints[i];
        if (row->form)
            return olo_form_coefficients(row->form);
        return row->type->affine > 0 ? row->type->affine : 1 + row->share_count;
    }
    default:
        return 1;
    }
}

void olo_piece_by_coefficient(const olo_system *s, const olo_evaluation *how, int piece,
                              const olo_interval *x, int p, double *dr)
{
    int i;
    switch (olo_piece_kind_of(s, piece, &i)) {
    case OLO_PIECE_TERM:
        if (at_midpoint(how, &s->terms[i]))
            olo_term_gradient_by_coefficient(&s->terms[i], x->qm, x->angles, p, dr);
        else
            olo_term_discrete_by_coefficient(&s->terms[i], x, p, dr);
        break;
    case OLO_PIECE_ACTION:
        olo_action_by_coefficient(&s->actions[i], x, p, dr);
        break;
    case OLO_PIECE_ROW:
        row_by_coefficient(how, &s->constraints[i], x, p, dr);
        break;
    default:
        mass_times(&s->mass[i], 1.0, x->dq, dr);
    }
}
