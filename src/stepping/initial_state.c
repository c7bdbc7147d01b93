/* The consistent initial state: positions that satisfy the constraints, and velocities tangent to
 * them, with the smallest changes.
 *
 *     positions    min 1/2 dq.W dq   with G(q) dq = -g(q), iterated
 *     velocities   min 1/2 dv.W dv   with G(q) dv = -G(q) v, or the rate of a prescribed motion
 *
 * W is the mass matrix, with a small fraction of the largest mass on the diagonal (times the
 * model's length squared for directors), since directions may have no mass. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/sparse.h"
#include "stepping/events.h"
#include "stepping/initial_state.h"
#include "stepping/step.h"
#include "system/system.h"

static const double metric_fraction = 1e-6;     /* of the largest mass, for massless directions */
static const double row_regularisation = 1e-12; /* for redundant rows */
static const double round_off = 4e-16;          /* relative to the terms of a constraint */
static const double closed = 1e-10; /* largest opening of a closed joint, relative to its size */
static const int most_passes = 50;

typedef struct projection {
    const olo_system *system;
    const olo_state *state; /* at which rows are linearised */
    bool positions;         /* without velocity rows, which do not restrict positions */
    olo_sparse *matrix;
    double mass;   /* largest mass */
    double metric; /* added to the diagonal, as a fraction of that */
    double *right; /* [n + m] */
} projection;

static olo_at at_of(const olo_state *state)
{
    return (olo_at){.q = state->q, .angles = state->angles, .t = state->t};
}

/* The saddle-point matrix. */
static void put_entries(void *context)
{
    projection *x = context;
    const olo_system *s = x->system;
    const olo_at at = at_of(x->state);
    double g[OLO_FORM_SIZE_MAX];
    for (int e = 0; e < s->mass_count; e++)
        for (int k = 0; k < s->mass[e].width; k++) {
            const int i = s->mass[e].i + k, j = s->mass[e].j + k;
            olo_sparse_put(x->matrix, i, j, s->mass[e].m / x->mass);
            if (i != j)
                olo_sparse_put(x->matrix, j, i, s->mass[e].m / x->mass);
        }
    for (int i = 0; i < s->n; i++) {
        const double unit = s->coordinates[i].slot > 0 ? s->length_scale : 1.0;
        olo_sparse_put(x->matrix, i, i, x->metric * unit * unit);
    }
    for (int c = 0; c < s->m; c++)
        olo_sparse_put(x->matrix, s->n + c, s->n + c, -row_regularisation * olo_row_weight(s, c));
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const olo_indices all = {0, row->size, row->index}, own = {.first = s->n + c, .count = 1};
        const double factor = x->positions && row->type->velocity ? 0.0 : 1.0;
        olo_constraint_gradient(row, &at, g);
        olo_sparse_put_block(x->matrix, all, own, factor, g);
        olo_sparse_put_block(x->matrix, own, all, factor, g);
    }
}

static olo_status create(projection *x, olo_error *error)
{
    const olo_system *s = x->system;
    x->mass = olo_largest_mass(s);
    x->right = olo_alloc((size_t)(s->n + s->m), sizeof *x->right);
    if (!x->right)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the initial state");
    return olo_sparse_create(s->n + s->m, put_entries, x, &x->matrix, error);
}

static olo_status factor(projection *x, bool positions, olo_error *error)
{
    x->positions = positions;
    olo_sparse_clear(x->matrix);
    put_entries(x);
    return olo_sparse_factor(x->matrix, error);
}

/* The largest violation. `excess` is the largest in units of round-off of the terms of a row,
 * `rough` in units of round-off of its size: the terms of a row such as d1.d3 in a plane may all
 * vanish except for round-off, whose ratio to these terms is arbitrary. The worst row is one that
 * the user wrote, not an internal one, if there is such a row with a significant violation. */
static double violation(const olo_system *s, const olo_at *at, double *right, double *excess,
                        double *rough, int *worst)
{
    const double significant = 0.01;
    double largest = 0, outside = 0;
    int inner = 0, outer = 0;
    *excess = *rough = 0;
    for (int i = 0; i < s->group_count; i++)
        for (int k = 0; k < s->groups[i].count; k++) {
            int c = s->groups[i].first + k;
            double g = olo_constraint_value(&s->constraints[c], at);
            double size = olo_constraint_magnitude(&s->constraints[c], at);
            double units = size > 0 ? fabs(g) / (round_off * size) : 0;
            right[s->n + c] = -g;
            if (!(fabs(g) <= largest)) {
                largest = fabs(g);
                inner = c;
            }
            if (!s->groups[i].internal && !(fabs(g) <= outside)) {
                outside = fabs(g);
                outer = c;
            }
            olo_raise(excess, units);
            olo_raise(rough, fabs(g) / (round_off * fmax(size, olo_row_size(s, c))));
        }
    *worst = outside > significant * largest ? outer : inner;
    return largest;
}

/* Whether a row is that of a prescribed motion. */
static bool is_driven(const olo_system *s, int row)
{
    for (int i = 0; i < s->drive_count; i++)
        if (s->drives[i].row == row)
            return true;
    return false;
}

static void copy_name(const olo_system *s, int row, char name[64])
{
    snprintf(name, 64, "%s", s->m ? s->groups[olo_system_group_of(s, row)].name : "");
}

static olo_status refuse(const olo_group *group, double opening, olo_error *error)
{
    return olo_fail(
        error, OLO_INCONSISTENT,
        "%s: the model cannot be assembled: '%s' stays open by %.3g; check positions, lengths "
        "and supports",
        group->where, group->name, opening);
}

static olo_status project_positions(projection *x, olo_state *state, olo_projection *report,
                                    olo_error *error)
{
    const olo_system *s = x->system;
    const double good = 16, tolerable = 64; /* units of round-off: target, and not corrected */
    /* a failing assembly may diverge: the worst row of its best iterate is reported */
    int worst = 0, closest = 0;
    double excess, rough, before = HUGE_VAL, least = HUGE_VAL;
    olo_at at = at_of(state);
    for (int pass = 0; pass < most_passes; pass++) {
        memset(x->right, 0, (size_t)(s->n + s->m) * sizeof *x->right);
        double largest = violation(s, &at, x->right, &excess, &rough, &worst);
        if (largest < least) {
            least = largest;
            closest = worst;
        }
        if (pass == 0) {
            report->constraint_error = largest;
            copy_name(s, worst, report->worst);
            if (excess <= tolerable)
                return OLO_OK;
        }
        bool stuck = excess > 0.5 * before;
        if (excess <= good || (stuck && (excess <= tolerable || rough <= good)))
            return OLO_OK;
        before = excess;
        olo_status status = factor(x, true, error);
        if (status != OLO_OK)
            return status;
        olo_sparse_solve(x->matrix, x->right);
        for (int i = 0; i < s->n; i++)
            state->q[i] += x->right[i];
        olo_state_follow_angles(s, state);
    }
    return refuse(&s->groups[olo_system_group_of(s, closest)], least, error);
}

/* Checks that all joints are closed when their rows are satisfied; otherwise the first step would
 * close them and open others. */
static olo_status check_joints(const olo_system *s, const double *q, olo_error *error)
{
    for (int i = 0; i < s->joint_count; i++) {
        if (s->groups[s->joints[i].group].joint < 0) /* switched off */
            continue;
        double size, opening = olo_joint_opening(s, i, q, &size);
        if (!(opening <= closed * size))
            return refuse(&s->groups[s->joints[i].group], opening, error);
    }
    return OLO_OK;
}

/* Refuses nearly redundant joints: a small misalignment locks a motion, which no step size
 * resolves. */
static olo_status check_alignment(const olo_system *s, const olo_state *state, olo_error *error)
{
    const olo_at at = at_of(state);
    olo_misalignment found;
    const olo_status status = olo_find_misalignment(s->topology, &at, &found, error);
    if (status != OLO_OK || found.group < 0)
        return status;
    const olo_group *group = &s->groups[found.group];
    const char *other = found.other < 0 ? "other joints" : s->groups[found.other].name;
    const char *quote = found.other < 0 ? "" : "'";
    return olo_fail(error, OLO_INCONSISTENT,
                    "%s: '%s' and %s%s%s fight each other: a misalignment of %.2g (%.2g of their "
                    "size) locks a motion that aligned joints permit; give their axes and "
                    "points to all digits, or let one of them be of a type with more degrees of "
                    "freedom, such as spherical",
                    group->where, group->name, quote, other, quote, found.amount, found.share);
}

/* Sets the right-hand side -G v. Returns true if every row is satisfied to round-off, of its own
 * terms or of the fastest node. */
static bool is_tangent(projection *x, const olo_state *state, double speed)
{
    const double own = 1e-14, fastest = 1e-15;
    const olo_system *s = x->system;
    olo_at at = at_of(state);
    bool tangent = true;
    memset(x->right, 0, (size_t)(s->n + s->m) * sizeof *x->right);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        double g[OLO_FORM_SIZE_MAX], parts = 0, lever = 0;
        olo_constraint_gradient(row, &at, g);
        double rate = olo_rate_value(row, &at, g, state->v);
        for (int i = 0; i < row->size; i++) {
            parts += fabs(g[i] * state->v[row->index[i]]);
            lever += fabs(g[i]);
        }
        x->right[s->n + c] = -rate;
        tangent = tangent && fabs(rate) <= own * parts + fastest * lever * speed;
    }
    return tangent;
}

/* If all velocities are below this fraction of the given ones, they are rounding errors. */
static const double rounding_speed = 1e-14;

static void remove_rounding(int n, double speed, double *v)
{
    for (int i = 0; i < n; i++)
        if (fabs(v[i]) > speed)
            return;
    memset(v, 0, (size_t)n * sizeof *v);
}

/* The largest rate among the rows that the user wrote, and the name of its constraint. */
static void find_worst_rate(const projection *x, olo_projection *report)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++)
            if (fabs(x->right[s->n + s->groups[i].first + k]) > report->rate_error) {
                report->rate_error = fabs(x->right[s->n + s->groups[i].first + k]);
                copy_name(s, s->groups[i].first, report->worst_rate);
            }
}

static olo_status project_velocities(projection *x, olo_state *state, olo_projection *report,
                                     olo_error *error)
{
    const int passes = 4; /* the regularisation leaves a fraction of about 1e-12 */
    const olo_system *s = x->system;
    double speed = 0;
    for (int i = 0; i < s->n; i++)
        olo_raise(&speed, fabs(state->v[i]));
    for (int pass = 0; pass < passes && !is_tangent(x, state, speed); pass++) {
        olo_status status = pass == 0 ? factor(x, false, error) : OLO_OK;
        if (status != OLO_OK)
            return status;
        if (pass == 0)
            find_worst_rate(x, report);
        olo_sparse_solve(x->matrix, x->right);
        for (int i = 0; i < s->n; i++)
            state->v[i] += x->right[i];
    }
    remove_rounding(s->n, rounding_speed * speed, state->v);
    return OLO_OK;
}

static olo_status make_tangent(const olo_system *s, double metric, olo_state *state,
                               olo_error *error)
{
    projection x = {.system = s, .state = state, .metric = metric};
    olo_projection unused = {0};
    olo_status status = create(&x, error);
    if (status == OLO_OK)
        status = project_velocities(&x, state, &unused, error);
    olo_sparse_free(x.matrix);
    olo_free(x.right);
    return status;
}

olo_status olo_state_make_tangent(const olo_system *s, olo_state *state, olo_error *error)
{
    return make_tangent(s, metric_fraction, state, error);
}

olo_status olo_state_apply_impact(const olo_system *s, olo_state *state, olo_error *error)
{
    return make_tangent(s, 0, state, error);
}

static double largest_change(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Writes a warning if positions have moved far because constraints other than prescribed motions
 * were open. Directors have no unit: they move points at the distance of the model's size. */
static void warn_of_move(const olo_system *s, const double *q, olo_projection *report)
{
    const double far = 0.01; /* of the size of the model */
    double share = 0;
    bool closed_but_driven = true;
    for (int i = 0; i < s->n; i++)
        olo_raise(&share, fabs(q[i] - s->q0[i]) / olo_coordinate_unit(s, i));
    const olo_at at = {.q = s->q0};
    for (int c = 0; c < s->m && closed_but_driven; c++)
        closed_but_driven =
            is_driven(s, c) || s->constraints[c].type->velocity ||
            fabs(olo_constraint_value(&s->constraints[c], &at)) <= closed * olo_row_size(s, c);
    if (!(share > far) || closed_but_driven)
        return;
    snprintf(report->warning, sizeof report->warning,
             "the initial positions were moved by %.2g (%.2g %% of the size of the model), because "
             "'%s' was off by %.2g: let the points that it names meet, or give it `at`",
             report->position, 100 * share, report->worst, report->constraint_error);
}

static olo_status create_initial_state(const olo_system *s, olo_state **state,
                                       olo_projection *report, olo_error *error)
{
    olo_projection unused, *r = report ? report : &unused;
    projection x = {.system = s, .metric = metric_fraction};
    memset(r, 0, sizeof *r);
    olo_status status = olo_state_create(s, state, error);
    if (status != OLO_OK)
        return status;
    memcpy((*state)->q, s->q0, (size_t)s->n * sizeof *s->q0);
    memcpy((*state)->v, s->v0, (size_t)s->n * sizeof *s->v0);
    x.state = *state;
    status = create(&x, error);
    if (status == OLO_OK)
        status = project_positions(&x, *state, r, error);
    r->position = largest_change(s->n, (*state)->q, s->q0);
    /* initial joint rates belong to the corrected positions */
    for (int i = 0; r->position > 0 && i < s->implied_count; i++)
        olo_imply_velocity(s, &s->implied[i], (*state)->q, (*state)->v);
    if (status == OLO_OK)
        status = check_joints(s, (*state)->q, error);
    if (status == OLO_OK)
        status = check_alignment(s, *state, error);
    if (status == OLO_OK)
        status = project_velocities(&x, *state, r, error);
    olo_sparse_free(x.matrix);
    olo_free(x.right);
    if (status != OLO_OK) {
        olo_state_free(*state);
        *state = NULL;
        return status;
    }
    memcpy((*state)->v_before, (*state)->v, (size_t)s->n * sizeof *s->v0);
    r->velocity = largest_change(s->n, (*state)->v, s->v0);
    warn_of_move(s, (*state)->q, r);
    return OLO_OK;
}

olo_status olo_system_create_initial_state(const olo_system *s, olo_state **state,
                                           olo_projection *report, olo_error *error)
{
    olo_system *mode;
    if (s->event_count == 0 || s->is_mode)
        return create_initial_state(s, state, report, error);
    olo_status status = olo_events_create_first_mode(s, &mode, error);
    *state = NULL;
    if (status == OLO_OK)
        status = create_initial_state(mode, state, report, error);
    olo_system_free(mode);
    return status;
}
