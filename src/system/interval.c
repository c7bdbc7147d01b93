/* The interval kernel: pieces of a system over an interval, see the header. Gradients at the
 * midpoint have dr/dq_a = 1/2 Hess V(qm) and d2(y.r)/dq_a dq_b = 1/4 (third derivative).y in all
 * slots; rows at q0 those of a configuration. */
#include "system/interval.h"

#include <string.h>

#include "system/coefficients.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static bool is_configuration(olo_slot a)
{
    return a == OLO_SLOT_Q0 || a == OLO_SLOT_Q1;
}

static void set_zero(int count, double *x)
{
    memset(x, 0, (size_t)count * sizeof *x);
}

static void scale(int count, double factor, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] *= factor;
}

static olo_at start_of(const olo_interval *x)
{
    return (olo_at){.q = x->q0, .angles = x->angles, .t = x->t};
}

static olo_at end_of(const olo_interval *x)
{
    return (olo_at){.q = x->q1, .angles = x->angles, .t = x->t + x->h};
}

static const unsigned both_ends = 1u << OLO_SLOT_Q0 | 1u << OLO_SLOT_Q1;

/* Bits of all pairs of a slot of `a` with one of `b`. */
static unsigned pairs(unsigned a, unsigned b)
{
    unsigned bits = 0;
    for (int i = 0; i < OLO_SLOTS; i++)
        for (int j = 0; j < OLO_SLOTS; j++)
            if ((a >> i & 1u) && (b >> j & 1u))
                bits |= olo_pair_bit((olo_slot)i, (olo_slot)j);
    return bits;
}

// -- terms ----------------------------------------------------------------------------------------

const double *olo_evaluate_stress(const olo_evaluation *how, const olo_term *term,
                                  const olo_interval *x, double *r, olo_law_over *law)
{
    /* one that loses energy has it over the step in any case */
    if (!how->midpoint || term->law->dissipative) {
        olo_term_stress(term, x, r, law);
        return x->q1;
    }
    olo_term_midpoint_stress(term, x, r, law);
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
    if (is_configuration(a) && at_midpoint(how, term))
        term_tangents(how, term, x, matrix, NULL);
    else if (is_configuration(a))
        olo_term_discrete_tangent(term, x, (int)a, matrix);
    else if (a == OLO_SLOT_H && term->law->dissipative)
        olo_term_by_length(term, x, matrix);
    else
        set_zero(term->size, matrix);
}

static void term_second(const olo_evaluation *how, const olo_term *term, const olo_interval *x,
                        const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const int n = term->size, count = olo_slot_width(a, n) * olo_slot_width(b, n);
    if (is_configuration(a) && is_configuration(b)) {
        if (!at_midpoint(how, term)) {
            olo_term_discrete_second(term, x, y, (int)a, (int)b, matrix);
            return;
        }
        olo_term_third(term, x->qm, x->angles, y, matrix);
        scale(count, 0.25, matrix);
        return;
    }
    const bool length = a == OLO_SLOT_H || b == OLO_SLOT_H;
    if (!term->law->dissipative || !length)
        set_zero(count, matrix);
    else if (is_configuration(a) || is_configuration(b))
        olo_term_tangent_by_length(term, x, y, (int)(is_configuration(a) ? a : b), matrix);
    else if (a == b)
        matrix[0] = olo_term_second_by_length(term, x, y);
    else
        set_zero(count, matrix);
}

static olo_structure term_structure(const olo_system *s, int piece)
{
    const olo_term *term = &s->terms[piece];
    olo_structure x = {0};
    if (olo_piece_has_tangent(s, piece))
        x.first = both_ends;
    if (x.first && term->law != &olo_law_linear)
        x.second = pairs(both_ends, both_ends);
    if (term->law->dissipative) {
        x.first |= olo_slot_bit(OLO_SLOT_H);
        x.second |= pairs(x.first, olo_slot_bit(OLO_SLOT_H));
    }
    return x;
}

// -- actions --------------------------------------------------------------------------------------

/* The slots that the scalar of an action depends on. */
static unsigned scalar_slots(const olo_action *action)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_T) | olo_slot_bit(OLO_SLOT_H);
    unsigned bits = olo_slot_bit(OLO_SLOT_INPUT);
    if (action->time.value || action->type->user)
        bits |= time;
    if (action->type->rates)
        bits |= both_ends | olo_slot_bit(OLO_SLOT_H);
    return bits;
}

/* Derivatives by time need those of the function of time; users give none of theirs. */
static void mark_unknown(const olo_action *action, olo_structure *x)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_T) | olo_slot_bit(OLO_SLOT_H);
    const unsigned input = olo_pair_bit(OLO_SLOT_INPUT, OLO_SLOT_INPUT);
    const olo_action_type *type = action->type;
    const bool timed = action->time.value != NULL;
    if (type->user || (timed && !action->time.rate))
        x->unknown_first |= time;
    if (type->motion_tangent)
        x->unknown_first |= both_ends;
    if (type->user)
        x->unknown_second = x->second & ~input;
    if (timed && !action->time.rate)
        x->unknown_second |= x->second & pairs(x->first, time);
    if (timed && !action->time.curvature)
        x->unknown_second |= x->second & pairs(time, time);
}

static olo_structure action_structure(const olo_action *action)
{
    const unsigned scalar = scalar_slots(action);
    const unsigned input = olo_slot_bit(OLO_SLOT_INPUT), time = scalar & ~(input | both_ends);
    const olo_action_pattern *pattern = action->type->pattern;
    const unsigned vector = !pattern || pattern->first ? both_ends : 0;
    olo_structure x = {.first = scalar | vector};
    x.second = pairs(scalar, vector) | pairs(time, time);
    if (!pattern || pattern->second)
        x.second |= pairs(vector, vector);
    if (action->type->rates)
        x.second |= pairs(both_ends | olo_slot_bit(OLO_SLOT_H), both_ends | time);
    if (action->type->user)
        x.second |= pairs(input, scalar & ~input);
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
    olo_constraint_discrete(row, x, d, row->curved ? tangent : NULL);
    return row->curved;
}

/* d(grad)/dq at a configuration; `hessian` of a velocity row is its transpose */
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
    if (!is_configuration(a) || !row->curved || (how->at_start && a == OLO_SLOT_Q1))
        set_zero(row->size * olo_slot_width(a, row->size), matrix);
    else if (how->at_start)
        gradient_first(row, &start, matrix);
    else if (a == OLO_SLOT_Q0)
        row->type->start_tangent(row, x, matrix);
    else
        olo_constraint_discrete(row, x, d, matrix);
}

static void row_second(const olo_evaluation *how, const olo_constraint *row, const olo_interval *x,
                       const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const olo_at start = start_of(x);
    const bool ends = is_configuration(a) && is_configuration(b);
    const bool starts = a == OLO_SLOT_Q0 && b == OLO_SLOT_Q0;
    set_zero(olo_slot_width(a, row->size) * olo_slot_width(b, row->size), matrix);
    if (how->at_start && starts && row->type->third)
        row->type->third(row, &start, y, matrix);
    if (!how->at_start && ends && row->type->second)
        row->type->second(row, x, y, (int)a, (int)b, matrix);
}

static olo_structure row_structure(const olo_evaluation *how, const olo_constraint *row)
{
    olo_structure x = {0};
    if (row->curved)
        x.first = how->at_start ? olo_slot_bit(OLO_SLOT_Q0) : both_ends;
    if (row->type->second)
        x.second = pairs(x.first, x.first);
    return x;
}

static void row_by_coefficient(const olo_evaluation *how, const olo_constraint *row,
                               const olo_interval *x, int p, double *dr)
{
    set_zero(row->size, dr);
    if (row->form) {
        olo_form_gradient_by_coefficient(row->form, how->at_start ? x->q0 : x->qm, p, dr);
    } else if (row->type->numbers > 0) { /* affine in it: the difference is the derivative */
        double room[2][OLO_CONSTRAINT_DATA / sizeof(double)], zero[SIZE];
        const olo_constraint at_zero = row->type->with(row, p, 0.0, room[0]),
                             at_one = row->type->with(row, p, 1.0, room[1]);
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
            dr[share->place[k]] += own[k];
    }
}

// -- masses ---------------------------------------------------------------------------------------

/* The 3-vectors that an entry multiplies, in the order of its coordinates: those of the other. */
static int mass_vectors(const olo_mass_entry *entry, int from[2])
{
    from[0] = entry->j;
    from[1] = entry->i;
    return entry->i == entry->j ? 1 : 2;
}

/* r = m x over the coordinates of the entry */
static void mass_times(const olo_mass_entry *entry, double m, const double *x, double *r)
{
    int from[2];
    const int count = mass_vectors(entry, from);
    for (int k = 0; k < 3 * count; k++)
        r[k] = m * x[from[k / 3] + k % 3];
}

static void mass_first(const olo_mass_entry *entry, olo_slot a, double *matrix)
{
    const int size = entry->i == entry->j ? 3 : 6;
    set_zero(size * olo_slot_width(a, size), matrix);
    for (int k = 0; is_configuration(a) && k < size; k++)
        matrix[k * size + (k + size - 3) % size] = a == OLO_SLOT_Q1 ? entry->m : -entry->m;
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
    const int size = entry->i == entry->j ? 3 : 6;
    for (int k = 0; index && k < size; k++)
        index[k] = (k < 3 ? entry->i : entry->j) + k % 3;
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
        return (olo_structure){.first = both_ends};
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
        s->actions[i].type->force(&s->actions[i], x, x->t + 0.5 * x->h, r, NULL);
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
        set_zero(olo_slot_width(a, size) * olo_slot_width(b, size), matrix);
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
        return row->type->numbers > 0 ? row->type->numbers : 1 + row->share_count;
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
        olo_action_by_coefficient(&s->actions[i], x, x->t + 0.5 * x->h, p, dr);
        break;
    case OLO_PIECE_ROW:
        row_by_coefficient(how, &s->constraints[i], x, p, dr);
        break;
    default:
        mass_times(&s->mass[i], 1.0, x->dq, dr);
    }
}

// -- conditions of rows ---------------------------------------------------------------------------

/* -f(t), the part of g that moves: its first and second derivative by t + h */
static void motion_derivatives(const olo_constraint *row, double t, double by[2])
{
    double f[3];
    olo_time_derivatives(&row->time, t, 0.0, f);
    by[0] = -f[1];
    by[1] = -f[2];
}

void olo_condition_first(const olo_constraint *row, const olo_interval *x, olo_slot a, double *by)
{
    double motion[2];
    set_zero(olo_slot_width(a, row->size), by);
    if (a == OLO_SLOT_Q1) {
        olo_constraint_end(row, x, by);
    } else if (a == OLO_SLOT_Q0 && row->type->velocity) {
        olo_constraint_start(row, x, by);
    } else if (a == OLO_SLOT_H || a == OLO_SLOT_T) {
        motion_derivatives(row, x->t + x->h, motion);
        by[0] = motion[0];
    }
}

/* Of d.dq: (dq.d)_ab + s_a d_a,b + s_b d_b,a with s = -1 at q0 and 1 at q1. */
static void velocity_second(const olo_constraint *row, const olo_interval *x, olo_slot a,
                            olo_slot b, double *matrix)
{
    static const olo_evaluation over = {0};
    const int size = row->size;
    const double s_a = a == OLO_SLOT_Q0 ? -1 : 1, s_b = b == OLO_SLOT_Q0 ? -1 : 1;
    double y[SIZE] = {0}, A[SIZE * SIZE], B[SIZE * SIZE];
    for (int i = 0; i < size; i++)
        y[i] = x->dq[row->index[i]];
    row_second(&over, row, x, y, a, b, matrix);
    row_first(&over, row, x, a, A);
    row_first(&over, row, x, b, B);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            matrix[i * size + j] += s_a * B[i * size + j] + s_b * A[j * size + i];
}

void olo_condition_second(const olo_constraint *row, const olo_interval *x, olo_slot a, olo_slot b,
                          double *matrix)
{
    const olo_at end = end_of(x);
    double motion[2];
    set_zero(olo_slot_width(a, row->size) * olo_slot_width(b, row->size), matrix);
    if (is_configuration(a) != is_configuration(b))
        return;
    if (is_configuration(a) && row->type->velocity) {
        velocity_second(row, x, a, b, matrix);
    } else if (a == OLO_SLOT_Q1 && b == OLO_SLOT_Q1) {
        row->type->hessian(row, &end, matrix);
    } else if (!is_configuration(a) && a != OLO_SLOT_INPUT && b != OLO_SLOT_INPUT) {
        motion_derivatives(row, x->t + x->h, motion);
        matrix[0] = motion[1];
    }
}

olo_structure olo_condition_structure(const olo_constraint *row)
{
    const unsigned time = olo_slot_bit(OLO_SLOT_H) | olo_slot_bit(OLO_SLOT_T);
    const unsigned ends = row->type->velocity ? both_ends : olo_slot_bit(OLO_SLOT_Q1);
    const bool moves = olo_constraint_moves(row);
    olo_structure x = {.first = ends | (moves ? time : 0)};
    x.second = (row->curved || row->type->velocity ? pairs(ends, ends) : 0) |
               (moves ? pairs(time, time) : 0);
    if (moves && !row->time.rate)
        x.unknown_first = time;
    if (moves && !row->time.curvature)
        x.unknown_second = pairs(time, time);
    return x;
}

// -- rates of rows --------------------------------------------------------------------------------

static void take_local(const olo_constraint *row, const double *all, double *local)
{
    for (int i = 0; i < row->size; i++)
        local[i] = all[row->index[i]];
}

double olo_rate_value(const olo_constraint *row, const olo_at *at, const double *v)
{
    double gradient[SIZE];
    olo_constraint_gradient(row, at, gradient);
    return olo_constraint_rate(row, at, gradient, v);
}

void olo_rate_by_configuration(const olo_constraint *row, const olo_at *at, const double *v,
                               double *by)
{
    const int size = row->size;
    double own[SIZE], matrix[SIZE * SIZE];
    take_local(row, v, own);
    row->type->hessian(row, at, matrix);
    for (int i = 0; i < size; i++) {
        by[i] = 0;
        for (int j = 0; j < size; j++)
            by[i] += matrix[i * size + j] * own[j];
    }
}

double olo_rate_by_time(const olo_constraint *row, const olo_at *at)
{
    double motion[2];
    motion_derivatives(row, at->t, motion);
    return motion[1];
}

void olo_rate_second(const olo_constraint *row, const olo_at *at, const double *v, bool by_velocity,
                     double *matrix)
{
    double own[SIZE];
    if (by_velocity) {
        row->type->hessian(row, at, matrix);
        return;
    }
    set_zero(row->size * row->size, matrix);
    take_local(row, v, own);
    if (row->type->third)
        row->type->third(row, at, own, matrix);
}
