/* Misaligned joints: closure rows that are redundant except for a small misalignment.
 *
 * Example: a door with two hinges whose axes differ by delta. In exact arithmetic no motion is
 * possible: along the rotation about the first hinge, the rate of a row of the second hinge is
 * proportional to delta, while the terms of this rate are of the size of the door. If delta is
 * within rounding, the row is redundant and harmless. If delta is large, the row locks the door, as
 * intended by the user. In between the multiplier of the row is nearly undetermined, and rounding
 * decides whether the door moves.
 *
 * Algorithm. The rows G P of the closures are scaled in rows and columns by the magnitudes of their
 * terms. They are added one by one to a span (linalg/span.h), in which a residual below `meant` is
 * regarded as zero. A row with a residual between rounding and `meant` is suspect. The motion u
 * that it alone prevents is the null vector of the other rows.
 *
 * A finite motion distinguishes a misalignment from a singular position. Along u, and along any
 * other motion that the other closures allow (satisfied by Newton's method), a misaligned row opens
 * in proportion to the motion. Near a singular position, where a mechanism is stretched or
 * branches, the row opens with the square of the motion. Singular positions are not reported,
 * because a few steps away the row is independent.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/span.h"

/* Rates of a row relative to the sum of the magnitudes of their terms. Below `rounding` a row is
 * redundant. Above `meant` the user intends the row, and steps can satisfy it: they determine the
 * rank from squares of singular values down to 1e-11. */
static const double rounding = 2e-13, meant = 1e-5;
/* The rounding error of a row due to positions far from the origin, relative to its magnitude. */
static const double far_rounding = 4e-15;
/* The size of the finite motion: rotations in radians, displacements relative to the length of the
 * model. */
static const double finite = 0.05;
/* A misaligned row opens by its rate times the motion, up to this factor. Near a singular position
 * with a rate below `meant` the opening is larger by a factor of more than 0.05/(2 meant). */
static const double proportional = 30;
static const int most_tests = 32;

static const olo_misalignment none = {.group = -1, .other = -1};

typedef enum row_kind { INDEPENDENT, REDUNDANT, SUSPECT } row_kind;

typedef struct search {
    const olo_topology *topology;
    olo_at at;
    olo_null_space *space;
    olo_span *span;
    olo_motion motion;
    double *numbers; /* of the motion */
    double *value;   /* [unknowns] a row G P: entries, magnitudes of their terms, and columns */
    double *parts;
    int *column;
    double *row_scale;    /* [closures] */
    double *column_scale; /* [unknowns] */
    double *u, *b;        /* [unknowns] scaled increments, and right sides */
    double *start;        /* [closures] values of the rows at the given configuration */
    row_kind *kind;       /* [closures] */
} search;

static olo_status open_search(search *x, olo_error *error)
{
    const olo_system *s = x->topology->system;
    const size_t n = (size_t)s->n, unknowns = (size_t)x->topology->unknowns;
    const size_t closures = (size_t)x->topology->closure_count;
    olo_status status = olo_null_space_create(x->topology, &x->space, error);
    if (status != OLO_OK)
        return status;
    x->span = olo_span_create(x->topology->unknowns);
    x->numbers = olo_alloc(olo_motion_numbers(x->topology) + n + 5 * unknowns + 2 * closures,
                           sizeof(double));
    x->column = olo_alloc(unknowns, sizeof *x->column);
    x->kind = olo_alloc(closures, sizeof *x->kind);
    if (!x->span || !x->numbers || !x->column || !x->kind)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory while comparing constraints");
    x->motion = olo_motion_over(x->topology, x->at.q, x->numbers);
    x->value = x->numbers + olo_motion_numbers(x->topology);
    x->parts = x->value + unknowns;
    x->column_scale = x->parts + unknowns;
    x->u = x->column_scale + unknowns;
    x->b = x->u + unknowns;
    x->row_scale = x->b + unknowns;
    x->start = x->row_scale + closures;
    double *moved = x->start + closures; /* q1 of the motions of the search */
    olo_motion_begin(x->topology, &x->motion);
    olo_motion_move(x->topology, &x->motion);
    olo_null_space_at(x->space, &x->motion, false); /* the null space refers to this q1 */
    x->motion.q1 = moved;
    return OLO_OK;
}

static void close_search(search *x)
{
    olo_null_space_free(x->space);
    olo_span_free(x->span);
    olo_free(x->numbers);
    olo_free(x->column);
    olo_free(x->kind);
}

static const olo_constraint *row_of(const search *x, int i)
{
    return &x->topology->system->constraints[x->topology->closures[i]];
}

/* Entries of closure row i and magnitudes of their terms, not scaled. */
static int form_row(search *x, int i)
{
    const olo_constraint *row = row_of(x, i);
    double gradient[OLO_FORM_SIZE_MAX];
    olo_constraint_gradient(row, &x->at, gradient);
    olo_null_space_parts(x->space, row->size, row->index, gradient, x->parts);
    return olo_null_space_apply_sparse(x->space, row->size, row->index, gradient, x->column,
                                       x->value);
}

/* The same, scaled in rows and columns. */
static int form_scaled_row(search *x, int i)
{
    const int count = form_row(x, i);
    for (int k = 0; k < count; k++) {
        const double scale = x->row_scale[i] * x->column_scale[x->column[k]];
        x->value[k] *= scale;
        x->parts[k] *= scale;
    }
    return count;
}

/* Scales with which the largest term of every row, then of every column, is one. */
static void find_scales(search *x)
{
    for (int i = 0; i < x->topology->closure_count; i++) {
        const int count = form_row(x, i);
        double largest = 0;
        for (int k = 0; k < count; k++)
            olo_raise(&largest, x->parts[k]);
        x->row_scale[i] = largest > 0 ? 1 / largest : 1;
        for (int k = 0; k < count; k++)
            olo_raise(&x->column_scale[x->column[k]], x->parts[k] * x->row_scale[i]);
    }
    for (int j = 0; j < x->topology->unknowns; j++)
        x->column_scale[j] = x->column_scale[j] > 0 ? 1 / x->column_scale[j] : 1;
}

/* Upper bound of the rounding error of a scaled row. */
static double least_of(const search *x, int i)
{
    return rounding +
           far_rounding * olo_constraint_magnitude(row_of(x, i), &x->at) * x->row_scale[i];
}

/* Finds the rows that are redundant except for a small residual, and counts them. */
static olo_status find_suspects(search *x, int *count, olo_error *error)
{
    *count = 0;
    for (int i = 0; i < x->topology->closure_count; i++) {
        bool redundant = false;
        const int entries = form_scaled_row(x, i);
        const olo_status status =
            olo_span_add(x->span, entries, x->column, x->value, meant, &redundant, error);
        if (status != OLO_OK)
            return status;
        x->kind[i] = redundant ? REDUNDANT : INDEPENDENT;
        /* a row that constrains velocities has no misalignment */
        if (redundant && !row_of(x, i)->type->velocity &&
            olo_span_residual(x->span) > least_of(x, i))
            x->kind[i] = SUSPECT;
        *count += x->kind[i] == SUSPECT;
    }
    return OLO_OK;
}

/* The span of the independent rows only. */
static olo_status span_independent(search *x, olo_error *error)
{
    olo_status status = OLO_OK;
    olo_span_free(x->span);
    x->span = olo_span_create(x->topology->unknowns);
    if (!x->span)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory while comparing constraints");
    for (int i = 0; status == OLO_OK && i < x->topology->closure_count; i++) {
        bool redundant;
        const int entries = form_scaled_row(x, i);
        if (x->kind[i] == INDEPENDENT)
            status =
                olo_span_add(x->span, entries, x->column, x->value, rounding, &redundant, error);
    }
    return status;
}

/* The scaled rate of row i along u, and the sum of the magnitudes of its terms. */
static double rate_of(search *x, int i, double *size)
{
    const int count = form_scaled_row(x, i);
    double rate = 0;
    *size = 0;
    for (int k = 0; k < count; k++) {
        rate += x->value[k] * x->u[x->column[k]];
        *size += x->parts[k] * fabs(x->u[x->column[k]]);
    }
    return rate;
}

/* One Newton correction of u with the independent rows: their rates vanish, or their values at q1
 * equal the initial ones. Returns the largest error before the correction. */
static double correct(search *x, bool values)
{
    const olo_at end = {.q = x->motion.q1, .angles = x->at.angles, .t = x->at.t};
    double worst = 0;
    memset(x->b, 0, (size_t)x->topology->unknowns * sizeof *x->b);
    for (int i = 0; i < x->topology->closure_count; i++) {
        double size, off;
        if (x->kind[i] != INDEPENDENT)
            continue;
        off = values ? x->row_scale[i] * (olo_constraint_value(row_of(x, i), &end) - x->start[i])
                     : rate_of(x, i, &size);
        olo_raise(&worst, fabs(off));
        const int count = form_scaled_row(x, i);
        for (int k = 0; k < count; k++)
            x->b[x->column[k]] += x->value[k] * off;
    }
    olo_span_solve(x->span, x->b);
    for (int j = 0; j < x->topology->unknowns; j++)
        x->u[j] -= x->b[j];
    return worst;
}

static void move(search *x)
{
    for (int j = 0; j < x->topology->unknowns; j++)
        x->motion.u[j] = x->column_scale[j] * x->u[j];
    olo_motion_move(x->topology, &x->motion);
}

/* The largest motion of a node along u: rotations in radians, displacements relative to the length
 * of the model. */
static double measure(search *x)
{
    const olo_system *s = x->topology->system;
    double largest = 0;
    move(x);
    for (int k = 0; k < s->node_count; k++) {
        const double *motion = x->motion.motion + s->nodes[k].motion;
        olo_raise(&largest, olo_node_shift_size(&s->nodes[k], motion) / s->length_scale);
        olo_raise(&largest, olo_node_turn_size(&s->nodes[k], motion));
    }
    return largest;
}

static void stretch(search *x, double factor)
{
    for (int j = 0; j < x->topology->unknowns; j++)
        x->u[j] *= factor;
}

/* Completes u, given in free columns, to a motion of size `finite` that the independent rows allow.
 * False: there is none. */
static bool complete_motion(search *x)
{
    const double small = 1e-6; /* the motion of the nodes is then linear in u */
    /* the null vector, corrected twice for rounding, and scaled to the desired size */
    olo_span_complete_null_vector(x->span, x->u);
    correct(x, false);
    correct(x, false);
    stretch(x, small);
    const double size = measure(x);
    if (!(size > 0))
        return false;
    stretch(x, finite / size);
    return true;
}

/* The motion that row i alone prevents. */
static bool find_prevented(search *x, int i)
{
    const int entries = form_scaled_row(x, i);
    const int column = olo_span_find_free_column(x->span, entries, x->column, x->value);
    if (column < 0)
        return false;
    memset(x->u, 0, (size_t)x->topology->unknowns * sizeof *x->u);
    x->u[column] = 1;
    return complete_motion(x);
}

/* A motion in all free columns of row i, with generic ratios that no mechanism has by chance. */
static bool find_any(search *x, int i)
{
    const double golden = 0.6180339887498949;
    const int count = form_scaled_row(x, i);
    double fraction = golden;
    memset(x->u, 0, (size_t)x->topology->unknowns * sizeof *x->u);
    for (int k = 0; k < count; k++)
        if (olo_span_is_free(x->span, x->column[k])) {
            x->u[x->column[k]] = 0.5 + fraction;
            fraction = fmod(fraction + golden, 1.0);
        }
    return complete_motion(x);
}

/* Corrects the finite motion until the independent rows are satisfied. False: no convergence. */
static bool follow_motion(search *x)
{
    const int passes = 40;
    const double closed = 1e-14;
    double before = HUGE_VAL;
    for (int pass = 0; pass < passes; pass++) {
        move(x);
        const double off = correct(x, true);
        if (!(off < HUGE_VAL) || off <= closed)
            return off <= closed;
        if (pass > 4 && off >= 0.9 * before) /* stagnation at round-off, or no convergence */
            return off <= rounding;
        before = off;
    }
    return false;
}

/* The joint of the tree that moves most along u, in the units of the rows. */
static int most_moved(const search *x)
{
    const olo_topology *topology = x->topology;
    double most = 0;
    int group = -1;
    for (int k = 0; k < topology->system->node_count; k++)
        for (int j = topology->nodes[k].u; j < topology->nodes[k].u + topology->nodes[k].dof; j++)
            if (topology->nodes[k].type && fabs(x->u[j]) > most) {
                most = fabs(x->u[j]);
                group = topology->nodes[k].joint.group;
            }
    return group;
}

/* True if the rows of this kind and later kinds open along u in proportion to the rates of suspect
 * rows. *most is raised to the largest of these rates. */
static bool opens_in_proportion(search *x, row_kind kind, double least, double *most)
{
    const olo_at end = {.q = x->motion.q1, .angles = x->at.angles, .t = x->at.t};
    double size, opening = 0;
    for (int k = 0; k < x->topology->closure_count; k++)
        if (x->kind[k] == SUSPECT)
            olo_raise(most, fabs(rate_of(x, k, &size)));
    if (!follow_motion(x))
        return false;
    for (int k = 0; k < x->topology->closure_count; k++)
        if (x->kind[k] >= kind)
            olo_raise(&opening, x->row_scale[k] *
                                    fabs(olo_constraint_value(row_of(x, k), &end) - x->start[k]));
    return opening <= proportional * *most + least;
}

/* True if row i is misaligned: its relative rate along the motion that it prevents is between
 * rounding and `meant`, and rows open in proportion along this motion and along another one. Where
 * a mechanism branches they open in proportion along one motion only. */
static bool is_misaligned(search *x, int i, olo_misalignment *found)
{
    const double least = least_of(x, i);
    double size, most = 0;
    if (!find_prevented(x, i))
        return false;
    const double rate = fabs(rate_of(x, i, &size)), share = rate / size;
    *found = (olo_misalignment){
        .group = olo_system_group_of(x->topology->system, x->topology->closures[i]),
        .other = most_moved(x),
        .amount = rate / x->row_scale[i] / finite,
        .share = share};
    return share > least && share <= meant && opens_in_proportion(x, REDUNDANT, least, &most) &&
           find_any(x, i) && opens_in_proportion(x, SUSPECT, least, &most);
}

/* Finds the first misaligned row. Each test costs about as much as counting redundant rows. */
static void test_suspects(search *x, olo_misalignment *found)
{
    int tests = 0;
    for (int i = 0; i < x->topology->closure_count; i++)
        x->start[i] = olo_constraint_value(row_of(x, i), &x->at);
    for (int i = 0; i < x->topology->closure_count && tests < most_tests; i++) {
        if (x->kind[i] != SUSPECT)
            continue;
        tests++;
        if (is_misaligned(x, i, found))
            return;
    }
    *found = none;
}

olo_status olo_find_misalignment(const olo_topology *topology, const olo_at *at,
                                 olo_misalignment *found, olo_error *error)
{
    search x = {.topology = topology, .at = *at};
    int suspects = 0;
    *found = none;
    if (topology->closure_count == 0)
        return OLO_OK;
    olo_status status = open_search(&x, error);
    if (status == OLO_OK) {
        find_scales(&x);
        status = find_suspects(&x, &suspects, error);
    }
    if (status == OLO_OK && suspects > 0)
        status = span_independent(&x, error);
    if (status == OLO_OK && suspects > 0)
        test_suspects(&x, found);
    close_search(&x);
    return status;
}
