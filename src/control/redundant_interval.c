/* The redundant transcription: what an interval contributes. A term, a load or a drive with the
 * local vector r adds side alpha r to the balances at both ends, with alpha = h/2; a mass entry
 * adds -m dq/h at the start and m dq/h at the end. With h = f T and t = a T, f and a from the grid
 * of time,
 *
 *     (alpha r)_a       = alpha r_a
 *     (alpha r)_T       = alpha r_T + alpha_T r,     r_T = f r_h + a r_t,   alpha_T = f/2
 *     (alpha y.r)_ab    = alpha (y.r)_ab
 *     (alpha y.r)_aT    = alpha (y.r)_aT + alpha_T y.r_a
 *     (alpha y.r)_TT    = alpha (y.r)_TT + 2 alpha_T y.r_T.
 *
 * The effort of controls is sum_k h w u_k^2. */
#include "control/redundant_private.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

// -- contributions --------------------------------------------------------------------------------

/* A force at a node depends on the other node through its magnitude only. */
static unsigned without_other_node(const olo_action *action, olo_acting acting, unsigned bits)
{
    const olo_slot other = acting == OLO_ACT_AT_START ? OLO_SLOT_Q1 : OLO_SLOT_Q0;
    return action->type->rates ? bits : bits & ~olo_slot_bit(other);
}

static void add_contribution(olo_redundant *x, int piece, olo_acting acting, double start,
                             double end)
{
    const olo_structure structure = olo_piece_structure(x->system, &x->how, piece);
    olo_contribution *c = &x->contributions[x->contribution_count + x->replaced_count++];
    *c = (olo_contribution){.piece = piece,
                            .acting = acting,
                            .side = {start, end},
                            .control = -1,
                            .first = structure.first,
                            .second = structure.second};
    c->size = olo_piece_coordinates(x->system, piece, c->index);
    if (piece < x->system->term_count)
        return;
    const int number = piece - x->system->term_count;
    const olo_action *action = &x->system->actions[number];
    if (acting != OLO_ACT_BETWEEN)
        c->first = without_other_node(action, acting, c->first);
    c->second &= olo_pair_bits(c->first, c->first);
    c->control = x->problem->control_of[number];
    c->factor = x->problem->factor_of[number];
}

/* Second derivatives that are needed must be known. */
static olo_status check_known(const olo_redundant *x, int piece, const char *owner,
                              olo_error *error)
{
    const olo_structure structure = olo_piece_structure(x->system, &x->how, piece);
    unsigned needed = OLO_BOTH_ENDS | olo_slot_bit(OLO_SLOT_INPUT);
    if (olo_has_free_duration(x))
        needed |= olo_slot_bit(OLO_SLOT_H) | olo_slot_bit(OLO_SLOT_T);
    if ((structure.unknown_first & needed) == 0 &&
        (structure.unknown_second & olo_pair_bits(needed, needed)) == 0)
        return OLO_OK;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "%s: optimisation needs second derivatives, which a C function%s does not have",
                    owner ? owner : "a force",
                    olo_has_free_duration(x) ? " or a table over time" : "");
}

static bool is_replaced(const olo_redundant *x, int action)
{
    return x->constant && x->constant[action];
}

static olo_status add_action(olo_redundant *x, int action, olo_error *error)
{
    const int piece = olo_piece_of_action(x->system, action);
    if (x->over_intervals) {
        add_contribution(x, piece, OLO_ACT_BETWEEN, 1.0, 1.0);
    } else {
        add_contribution(x, piece, OLO_ACT_AT_START, 1.0, 0.0);
        add_contribution(x, piece, OLO_ACT_AT_END, 0.0, 1.0);
    }
    return check_known(x, piece, x->system->actions[action].owner, error);
}

olo_status olo_redundant_list_contributions(olo_redundant *x, olo_error *error)
{
    const olo_system *s = x->system;
    olo_status status = OLO_OK;
    x->contributions = olo_pool_alloc(&x->pool, (size_t)(s->term_count + 2 * s->action_count),
                                      sizeof *x->contributions);
    if (!x->contributions)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int i = 0; status == OLO_OK && i < s->term_count; i++) {
        status = check_known(x, i, s->terms[i].owner, error);
        add_contribution(x, i, OLO_ACT_BETWEEN, -1.0, -1.0);
    }
    for (int i = 0; status == OLO_OK && i < s->action_count; i++)
        if (!is_replaced(x, i))
            status = add_action(x, i, error);
    x->contribution_count = x->replaced_count;
    x->replaced_count = 0;
    for (int i = 0; status == OLO_OK && i < s->action_count; i++)
        if (is_replaced(x, i))
            status = add_action(x, i, error);
    return status;
}

/* The interval k at the present variables; before that, while positions are recorded, without
 * numbers. */
static olo_interval interval_of(olo_redundant *x, int k)
{
    const double *q0 = x->x + (size_t)(k * x->stride), *q1 = q0 + x->stride;
    const double *u = q0 + x->n + x->m;
    olo_enter_interval(x, k);
    for (int i = 0; i < x->n; i++) {
        x->qm[i] = 0.5 * (q0[i] + q1[i]);
        x->dq[i] = q1[i] - q0[i];
    }
    for (int i = 0; i < x->system->action_count; i++) {
        const int control = x->problem->control_of[i];
        x->inputs[i] = control < 0 ? NAN : x->problem->factor_of[i] * u[control];
    }
    return (olo_interval){.q0 = q0,
                          .q1 = q1,
                          .qm = x->qm,
                          .dq = x->dq,
                          .h = x->h,
                          .t = olo_control_time(x->problem, x->part, x->T),
                          .angles = olo_node_angles(x, k),
                          .inputs = x->inputs};
}

static bool recording(const olo_control_block *block, bool hessian)
{
    return !(hessian ? block->hessian.recorded : block->jacobian.recorded);
}

// -- rows -----------------------------------------------------------------------------------------

void olo_interval_balances(olo_redundant *x, int k, bool replaced, double *start, double *end)
{
    const olo_system *s = x->system;
    double r[SIZE];
    olo_interval over = interval_of(x, k);
    const int count = x->contribution_count + (replaced ? x->replaced_count : 0);
    olo_system_mass_times(s, x->dq, x->Mdq);
    for (int i = 0; i < x->n; i++) {
        start[i] -= x->Mdq[i] / x->h;
        end[i] += x->Mdq[i] / x->h;
    }
    for (int i = 0; i < count; i++) {
        const olo_contribution *of = &x->contributions[i];
        over.acting = of->acting;
        olo_piece_value(s, &x->how, of->piece, &over, r);
        for (int j = 0; j < of->size; j++) {
            start[of->index[j]] += 0.5 * x->h * of->side[0] * r[j];
            end[of->index[j]] += 0.5 * x->h * of->side[1] * r[j];
        }
    }
    if (x->over_intervals)
        olo_mean_row_balances(x, &over, start, end);
}

// -- Jacobian -------------------------------------------------------------------------------------

/* The local column of number j of a slot. */
static int column_of(const olo_redundant *x, const olo_contribution *of, olo_slot a, int j)
{
    if (a == OLO_SLOT_INPUT)
        return x->n + x->m + of->control;
    return of->index[j] + (a == OLO_SLOT_Q1 ? x->stride : 0);
}

/* Whether a contribution has columns of a slot. */
static bool has_slot(const olo_contribution *of, olo_slot a)
{
    return (of->first & olo_slot_bit(a)) && (a != OLO_SLOT_INPUT || of->control >= 0);
}

/* Entries of both balances: factor times matrix[size x width], NULL while positions are recorded.
 */
static void put_columns(olo_redundant *x, const olo_contribution *of, olo_slot a, double factor,
                        const double *matrix)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_INTERVAL].jacobian;
    const int width = olo_slot_width(a, of->size);
    for (int side = 0; side < 2; side++)
        for (int i = 0; of->side[side] != 0 && i < of->size; i++)
            for (int j = 0; j < width; j++)
                olo_entries_put(to, side * x->row_stride + of->index[i], column_of(x, of, a, j),
                                matrix ? factor * of->side[side] * matrix[i * width + j] : 0);
}

/* r_T[size] of a contribution over interval k. */
static void by_duration(const olo_redundant *x, const olo_contribution *of,
                        const olo_interval *over, double *r_T)
{
    double by_time[SIZE];
    memset(r_T, 0, (size_t)of->size * sizeof *r_T);
    if (of->first & olo_slot_bit(OLO_SLOT_H))
        olo_piece_first(x->system, &x->how, of->piece, over, OLO_SLOT_H, r_T);
    for (int i = 0; i < of->size; i++)
        r_T[i] *= x->scale;
    if (!(of->first & olo_slot_bit(OLO_SLOT_T)))
        return;
    olo_piece_first(x->system, &x->how, of->piece, over, OLO_SLOT_T, by_time);
    for (int i = 0; i < of->size; i++)
        r_T[i] += x->part * by_time[i];
}

/* (alpha r)_T */
static void put_duration(olo_redundant *x, const olo_contribution *of, const olo_interval *over)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_INTERVAL].jacobian;
    double r[SIZE] = {0}, r_T[SIZE] = {0};
    if (to->recorded) {
        olo_piece_value(x->system, &x->how, of->piece, over, r);
        by_duration(x, of, over, r_T);
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; of->side[side] != 0 && i < of->size; i++)
            olo_entries_put(to, side * x->row_stride + of->index[i], olo_block_duration(x),
                            of->side[side] * 0.5 * (x->h * r_T[i] + x->scale * r[i]));
}

/* m dq/h of an entry of the mass: rows i and columns j, and the other way round. On charts only the
 * column of the duration is there (reduced_mass.c has the others). */
static void put_mass(olo_redundant *x, const olo_mass_entry *entry)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_INTERVAL].jacobian;
    const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
    const double m = entry->m / x->h;
    for (int p = 0; p < olo_mass_blocks(entry); p++)
        for (int c = 0; c < entry->width; c++)
            for (int side = 0; side < 2; side++) {
                const int row = side * x->row_stride + pairs[p][0] + c, j = pairs[p][1] + c;
                const double sign = side ? 1 : -1;
                if (!x->on_charts) {
                    olo_entries_put(to, row, j, -sign * m);
                    olo_entries_put(to, row, x->stride + j, sign * m);
                }
                if (olo_has_free_duration(x))
                    olo_entries_put(to, row, olo_block_duration(x),
                                    to->recorded ? -sign * m * x->dq[j] * x->scale / x->h : 0);
            }
}

void olo_interval_jacobian(olo_redundant *x, int k)
{
    const olo_system *s = x->system;
    const bool record = recording(&x->blocks[OLO_BLOCK_INTERVAL], false);
    double matrix[SIZE * SIZE];
    olo_interval over = {0};
    if (!record)
        over = interval_of(x, k);
    for (int e = 0; e < s->mass_count && (!x->on_charts || olo_has_free_duration(x)); e++)
        put_mass(x, &s->mass[e]);
    for (int i = 0; i < x->contribution_count; i++) {
        const olo_contribution *of = &x->contributions[i];
        over.acting = of->acting;
        const olo_slot slots[3] = {OLO_SLOT_Q0, OLO_SLOT_Q1, OLO_SLOT_INPUT};
        for (int a = 0; a < 3; a++) {
            if (!has_slot(of, slots[a]))
                continue;
            if (!record)
                olo_piece_first(s, &x->how, of->piece, &over, slots[a], matrix);
            put_columns(x, of, slots[a],
                        0.5 * x->h * (slots[a] == OLO_SLOT_INPUT ? of->factor : 1.0),
                        record ? NULL : matrix);
        }
        if (olo_has_free_duration(x))
            put_duration(x, of, &over);
    }
    if (x->over_intervals)
        olo_mean_row_jacobian(x, &over);
    olo_condition_jacobian(x, OLO_OVER_INTERVAL, k, x->n + x->m,
                           &x->blocks[OLO_BLOCK_INTERVAL].jacobian);
}

// -- Hessian --------------------------------------------------------------------------------------

/* Adds to the lower triangle. */
static void put_pair(olo_redundant *x, int i, int j, double value)
{
    olo_entries_put(&x->blocks[OLO_BLOCK_INTERVAL].hessian, i > j ? i : j, i > j ? j : i, value);
}

/* factor times matrix[width a x width b], NULL while positions are recorded */
static void put_matrix(olo_redundant *x, const olo_contribution *of, olo_slot a, olo_slot b,
                       double factor, const double *matrix)
{
    const int rows = olo_slot_width(a, of->size), columns = olo_slot_width(b, of->size);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < (a == b ? i + 1 : columns); j++)
            put_pair(x, column_of(x, of, a, i), column_of(x, of, b, j),
                     matrix ? factor * matrix[i * columns + j] : 0);
}

/* y alpha at both sides, over the coordinates of a contribution */
static void weigh(const olo_redundant *x, const olo_contribution *of, int k, const double *y,
                  double *local)
{
    const double *start = y + (size_t)(k * x->row_stride), *end = start + x->row_stride;
    for (int i = 0; i < of->size; i++)
        local[i] = of->side[0] * start[of->index[i]] + of->side[1] * end[of->index[i]];
}

static void second_of(const olo_redundant *x, const olo_contribution *of, const olo_interval *over,
                      const double *y, olo_slot a, olo_slot b, double *matrix)
{
    const int count = olo_slot_width(a, of->size) * olo_slot_width(b, of->size);
    memset(matrix, 0, (size_t)count * sizeof *matrix);
    if (of->second & olo_pair_bit(a, b))
        olo_piece_second(x->system, &x->how, of->piece, over, y, a, b, matrix);
}

/* (alpha y.r)_aT for a slot */
static void put_slot_and_duration(olo_redundant *x, const olo_contribution *of,
                                  const olo_interval *over, const double *y, olo_slot a)
{
    const int width = olo_slot_width(a, of->size);
    const bool record = recording(&x->blocks[OLO_BLOCK_INTERVAL], true);
    double by_h[SIZE] = {0}, by_t[SIZE] = {0}, matrix[SIZE * SIZE];
    if (!record) {
        second_of(x, of, over, y, a, OLO_SLOT_H, by_h);
        second_of(x, of, over, y, a, OLO_SLOT_T, by_t);
        olo_piece_first(x->system, &x->how, of->piece, over, a, matrix);
    }
    for (int j = 0; j < width; j++) {
        double value = 0.5 * x->h * (x->scale * by_h[j] + x->part * by_t[j]);
        for (int i = 0; !record && i < of->size; i++)
            value += 0.5 * x->scale * y[i] * matrix[i * width + j];
        put_pair(x, olo_block_duration(x), column_of(x, of, a, j),
                 (a == OLO_SLOT_INPUT ? of->factor : 1.0) * value);
    }
}

/* (alpha y.r)_TT */
static void put_duration_twice(olo_redundant *x, const olo_contribution *of,
                               const olo_interval *over, const double *y)
{
    double value = 0, r_T[SIZE], hh, ht, tt;
    if (!recording(&x->blocks[OLO_BLOCK_INTERVAL], true)) {
        second_of(x, of, over, y, OLO_SLOT_H, OLO_SLOT_H, &hh);
        second_of(x, of, over, y, OLO_SLOT_H, OLO_SLOT_T, &ht);
        second_of(x, of, over, y, OLO_SLOT_T, OLO_SLOT_T, &tt);
        value = 0.5 * x->h *
                (x->scale * x->scale * hh + 2 * x->scale * x->part * ht + x->part * x->part * tt);
        by_duration(x, of, over, r_T);
        for (int i = 0; i < of->size; i++)
            value += x->scale * y[i] * r_T[i];
    }
    put_pair(x, olo_block_duration(x), olo_block_duration(x), value);
}

/* Whether a contribution has second derivatives. */
static bool is_curved(const olo_redundant *x, const olo_contribution *of)
{
    return of->second != 0 || olo_has_free_duration(x);
}

/* Whether something over an interval has second derivatives by configurations or the duration. */
static bool has_curved(const olo_redundant *x)
{
    bool curved = x->over_intervals || olo_has_free_duration(x);
    for (int i = 0; i < x->contribution_count && !curved; i++)
        curved = is_curved(x, &x->contributions[i]);
    return curved;
}

static void put_contribution(olo_redundant *x, const olo_contribution *of, const olo_interval *over,
                             int k, const double *multipliers)
{
    static const olo_slot slots[3] = {OLO_SLOT_Q0, OLO_SLOT_Q1, OLO_SLOT_INPUT};
    const bool record = recording(&x->blocks[OLO_BLOCK_INTERVAL], true);
    double y[SIZE], matrix[SIZE * SIZE];
    if (!is_curved(x, of))
        return;
    if (!record)
        weigh(x, of, k, multipliers, y);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b <= a; b++) {
            if (!has_slot(of, slots[a]) || !has_slot(of, slots[b]) ||
                !(of->second & olo_pair_bit(slots[a], slots[b])))
                continue;
            double factor = 0.5 * x->h;
            factor *= slots[a] == OLO_SLOT_INPUT ? of->factor : 1.0;
            factor *= slots[b] == OLO_SLOT_INPUT ? of->factor : 1.0;
            if (!record)
                olo_piece_second(x->system, &x->how, of->piece, over, y, slots[a], slots[b],
                                 matrix);
            put_matrix(x, of, slots[a], slots[b], factor, record ? NULL : matrix);
        }
    if (!olo_has_free_duration(x))
        return;
    for (int a = 0; a < 3; a++)
        if (has_slot(of, slots[a]))
            put_slot_and_duration(x, of, over, y, slots[a]);
    put_duration_twice(x, of, over, y);
}

/* Masses with a free duration: (m/h) dq has the second derivatives -m f/h^2 by T and dq, and
 * 2 m f^2 dq/h^3 by T twice. */
static void put_mass_and_duration(olo_redundant *x, int k, const double *y)
{
    const olo_system *s = x->system;
    const int T = olo_block_duration(x);
    const bool record = recording(&x->blocks[OLO_BLOCK_INTERVAL], true);
    double difference[2] = {0, 0}, twice = 0;
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
        for (int p = 0; p < olo_mass_blocks(entry); p++)
            for (int c = 0; c < entry->width; c++) {
                const int i = pairs[p][0] + c, j = pairs[p][1] + c;
                if (!record) {
                    const double *start = y + (size_t)(k * x->row_stride);
                    const double m =
                        entry->m * x->scale / (x->h * x->h) * (start[x->row_stride + i] - start[i]);
                    difference[0] = m;
                    difference[1] = -m;
                    twice += 2 * m * x->scale / x->h * x->dq[j];
                }
                put_pair(x, T, j, difference[0]);
                put_pair(x, T, x->stride + j, difference[1]);
            }
    }
    put_pair(x, T, T, twice);
}

void olo_interval_hessian(olo_redundant *x, int k, double sigma, const double *y)
{
    const bool record = recording(&x->blocks[OLO_BLOCK_INTERVAL], true);
    olo_interval over = {0};
    if (!record && has_curved(x))
        over = interval_of(x, k);
    else if (!record)
        olo_enter_interval(x, k);
    if (olo_has_free_duration(x))
        put_mass_and_duration(x, k, y);
    for (int i = 0; i < x->contribution_count; i++) {
        over.acting = x->contributions[i].acting;
        put_contribution(x, &x->contributions[i], &over, k, y);
    }
    if (x->over_intervals)
        olo_mean_row_hessian(x, &over, k, y);
    /* effort */
    for (int c = 0; c < x->controls; c++) {
        const int u = x->n + x->m + c;
        const double w = sigma * x->problem->effort[c];
        put_pair(x, u, u, 2 * x->h * w);
        if (olo_has_free_duration(x))
            put_pair(x, olo_block_duration(x), u,
                     record ? 0 : 2 * x->scale * w * x->x[k * x->stride + u]);
    }
    const double *own = record ? NULL : y + (size_t)(k * x->row_stride);
    olo_condition_hessian(x, OLO_OVER_INTERVAL, k, record ? NULL : own + x->n + x->m,
                          &x->blocks[OLO_BLOCK_INTERVAL].hessian);
    olo_cost_hessian(x, OLO_OVER_INTERVAL, k, sigma, &x->blocks[OLO_BLOCK_INTERVAL].hessian);
}
