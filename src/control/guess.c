/* The initial guess of a motion; see the header. With the values m(q) of the given measures and of
 * the rows that close loops, the step of Gauss and Newton of least length is
 *
 *     A = dm/du = grad m^T J,     du = A^T (A A^T)^-1 (m_wanted - m).
 *
 * A closed guess is more than a good one: joint angles take their turns from it. */
#include "control/guess.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/chart.h"
#include "kinematics/topology.h"
#include "linalg/dense.h"
#include "linalg/rotation.h"
#include "oloid/simulate.h"

enum { ITERATIONS = 20 };
/* From one configuration to the next orientations turn less than this, so that the iteration ends
 * at the near root, in rad. */
static const double LARGEST_TURN = 0.5;

/* A measure at its values: the initial one, and those of guesses. An orientation turns about a
 * fixed axis instead, R = exp(part theta^) R_0: its measure vanishes half a turn away, too. */
typedef struct goal {
    const olo_quantity *measure;
    double start;
    const olo_control_condition *orientation; /* or NULL; then with: */
    olo_quantity aimed;                       /* the measure with the weights of R */
    double weight[OLO_ORIENTATION_SIZE];
    double start_rotation[9], turn[3]; /* R_0 and theta */
} goal;

typedef struct path {
    const olo_control_problem *problem;
    olo_pool pool;
    olo_chart *chart;
    int unknowns, goals, rows; /* rows: goals, then those that the chart does not satisfy */
    goal *goal;
    double *u, *A, *M, *d, *gradient; /* M = A A^T */
    double *local;                    /* gradient of a measure */
    double *angles;                   /* with turns, of the last configuration */
    double turn;                      /* the largest one of orientations */
    int *pivot;
} path;

static void follow_angles(path *x, const double *q)
{
    const olo_system *s = x->problem->system;
    for (int i = 0; i < s->joint_coordinate_count; i++) {
        const olo_term *term = s->joint_coordinates[i].term;
        if (olo_joint_coordinate_is_angle(&s->joint_coordinates[i]))
            x->angles[i] = olo_angle_near(olo_form_value(&term->form[0], q),
                                          olo_form_value(&term->form[1], q), x->angles[i]);
    }
}

static void add_goal(path *x, const olo_quantity *measure, const double *q)
{
    const olo_quantity_at at = {.q = q, .angles = x->angles};
    for (int i = 0; i < x->goals; i++)
        if (olo_quantity_is_same_coordinate(x->goal[i].measure, measure))
            return;
    if (!measure->uses_v)
        x->goal[x->goals++] =
            (goal){.measure = measure, .start = olo_quantity_value(measure, &at, NULL, NULL)};
}

static void add_orientation(path *x, const olo_control_condition *condition, const double *q)
{
    goal *g = &x->goal[x->goals++];
    const double *d = olo_quantity_directors(&condition->measure, q);
    double turned[9]; /* the columns of R_t R_0^T */
    *g = (goal){
        .measure = &condition->measure, .orientation = condition, .aimed = condition->measure};
    for (int i = 0; i < 9; i++)
        g->start_rotation[i] = d[3 * (i % 3) + i / 3];
    for (int i = 0; i < 9; i++)
        turned[i] = vec3_dot(condition->rotation + 3 * (i % 3), g->start_rotation + 3 * (i / 3));
    rotation_logarithm(turned, g->turn);
    x->turn = fmax(x->turn, vec3_norm(g->turn));
}

/* Turns the orientations of goals. */
static void aim(path *x, double part)
{
    for (int i = 0; i < x->goals; i++) {
        goal *g = &x->goal[i];
        if (!g->orientation)
            continue;
        const double turn[3] = {part * g->turn[0], part * g->turn[1], part * g->turn[2]};
        double E[9], target[9];
        rotation_exponential(turn, E);
        mat3_product(E, g->start_rotation, target);
        g->aimed.weight = g->weight;
        g->measure = &g->aimed;
        olo_quantity_set_orientation(&g->aimed, target, g->orientation->component);
    }
}

/* What conditions fix at the end. */
static bool fixes(const olo_control_condition *condition)
{
    return condition->where == OLO_AT_END && condition->lower == condition->upper;
}

static void list_goals(path *x, const double *q)
{
    const olo_control_problem *p = x->problem;
    for (int i = 0; i < p->guess_count; i++)
        add_goal(x, &p->guesses[i].measure, q);
    for (int i = 0; i < p->condition_count; i++)
        if (p->conditions[i].rotation && fixes(&p->conditions[i]))
            add_orientation(x, &p->conditions[i], q);
        else if (fixes(&p->conditions[i]))
            add_goal(x, &p->conditions[i].measure, q);
}

static bool is_of(const goal *g, const olo_quantity *measure)
{
    return g->measure == measure || olo_quantity_is_same_coordinate(g->measure, measure);
}

/* The values of a goal next to a part of the duration; linear between them, constant after the
 * last. Guesses come before conditions. */
static double wanted(const path *x, const goal *g, double part)
{
    const olo_control_problem *p = x->problem;
    double before = 0, low = g->start, after = 2, high = 0;
    if (g->orientation)
        return 0;
    for (int i = 0; i < p->guess_count + p->condition_count; i++) {
        const bool guess = i < p->guess_count;
        const olo_control_condition *condition = &p->conditions[i - p->guess_count];
        if (guess ? !is_of(g, &p->guesses[i].measure)
                  : !fixes(condition) || !is_of(g, &condition->measure))
            continue;
        const double at = guess ? p->guesses[i].at : 1,
                     value = guess ? p->guesses[i].value : condition->lower;
        if (at <= part && at > before) {
            before = at;
            low = value;
        } else if (at > part && at < after) {
            after = at;
            high = value;
        }
    }
    return after > 1 ? low : low + (part - before) / (after - before) * (high - low);
}

/* Row i of A from a gradient over `size` coordinates. */
static void set_row(path *x, int i, int size, const int *index, const double *local)
{
    memset(x->gradient, 0, (size_t)x->problem->system->n * sizeof *x->gradient);
    for (int j = 0; j < size; j++)
        x->gradient[index[j]] += local[j];
    olo_chart_reduce(x->chart, x->gradient, x->A + i * x->unknowns);
}

static void fill_rows(path *x, const double *q, double fraction, double *largest)
{
    const olo_system *s = x->problem->system;
    *largest = 0;
    for (int i = 0; i < x->goals; i++) {
        const goal *g = &x->goal[i];
        const olo_quantity_at at = {.q = q, .angles = x->angles};
        const double m = olo_quantity_value(g->measure, &at, x->local, NULL);
        set_row(x, i, g->measure->size, g->measure->index, x->local);
        x->d[i] = wanted(x, g, fraction) - m;
    }
    for (int i = x->goals; i < x->rows; i++) {
        const olo_constraint *row = &s->constraints[x->problem->open[i - x->goals]];
        const olo_at at = {.q = q,
                           .angles = x->angles,
                           .t = olo_control_time(x->problem, fraction, x->problem->duration)};
        double g[OLO_FORM_SIZE_MAX];
        olo_constraint_gradient(row, &at, g);
        set_row(x, i, row->size, row->index, g);
        x->d[i] = -olo_constraint_value(row, &at);
    }
    for (int i = 0; i < x->rows; i++)
        *largest = fmax(*largest, fabs(x->d[i]));
}

/* One step; false if the quantities cannot all move. */
static bool improve(path *x)
{
    for (int i = 0; i < x->rows; i++)
        for (int j = 0; j < x->rows; j++) {
            double sum = i == j ? 1e-12 : 0; /* dependent quantities are no failure */
            for (int k = 0; k < x->unknowns; k++)
                sum += x->A[i * x->unknowns + k] * x->A[j * x->unknowns + k];
            x->M[i * x->rows + j] = sum;
        }
    if (!olo_lu_factor(x->rows, x->M, x->pivot))
        return false;
    olo_lu_solve(x->rows, x->M, x->pivot, false, 1, x->d);
    for (int i = 0; i < x->rows; i++)
        for (int k = 0; k < x->unknowns; k++)
            x->u[k] += x->A[i * x->unknowns + k] * x->d[i];
    return true;
}

/* The configuration of a node; an inaccurate one is good enough. */
static const double *configure(path *x, double fraction)
{
    const double *q = olo_chart_at(x->chart, x->u);
    aim(x, fraction);
    for (int i = 0; i < ITERATIONS && x->rows > 0; i++) {
        double largest;
        follow_angles(x, q);
        fill_rows(x, q, fraction, &largest);
        if (largest < 1e-12 || !improve(x))
            break;
        q = olo_chart_at(x->chart, x->u);
    }
    follow_angles(x, q);
    return q;
}

static olo_status prepare(path *x, const olo_state *state, olo_error *error)
{
    const olo_system *s = x->problem->system;
    const olo_topology *topology = x->problem->topology;
    const size_t measures = (size_t)(x->problem->condition_count + x->problem->guess_count),
                 most = measures + (size_t)x->problem->open_count;
    x->unknowns = topology->unknowns;
    const olo_array arrays[] = {{&x->u, (size_t)x->unknowns},
                                {&x->A, most * (size_t)x->unknowns},
                                {&x->M, most * most},
                                {&x->d, most},
                                {&x->gradient, (size_t)s->n},
                                {&x->angles, (size_t)s->joint_coordinate_count},
                                {&x->local, (size_t)olo_control_largest_measure(x->problem)}};
    x->goal = olo_pool_alloc(&x->pool, measures, sizeof *x->goal);
    x->pivot = olo_pool_alloc(&x->pool, most, sizeof *x->pivot);
    if (!x->goal || !x->pivot || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    olo_status status = olo_chart_create(topology, state->q, &x->chart, error);
    memcpy(x->angles, state->angles, (size_t)s->joint_coordinate_count * sizeof *x->angles);
    if (status == OLO_OK)
        list_goals(x, state->q);
    x->rows = x->goals + x->problem->open_count;
    return status;
}

static olo_status interpolate(const olo_control_problem *problem, const olo_state *state, double *q,
                              olo_error *error)
{
    path x = {.problem = problem};
    const size_t n = (size_t)problem->system->n;
    olo_status status = prepare(&x, state, error);
    for (int k = 1; status == OLO_OK && k <= problem->intervals; k++) {
        const double part = problem->part[k - 1];
        for (int left = (int)(x.turn * part / LARGEST_TURN); left > 0; left--)
            (void)configure(&x, problem->at[k] - left * LARGEST_TURN / x.turn);
        memcpy(q + (size_t)k * n, configure(&x, problem->at[k]), n * sizeof *q);
    }
    olo_chart_free(x.chart);
    olo_pool_free(&x.pool);
    return status;
}

// -- other motions --------------------------------------------------------------------------------

static olo_status rest(const olo_control_problem *problem, const olo_state *state, double *q,
                       olo_error *error)
{
    (void)error;
    for (int k = 1; k <= problem->intervals; k++)
        memcpy(q + (size_t)k * (size_t)state->n, state->q, (size_t)state->n * sizeof *q);
    return OLO_OK;
}

static olo_status run(const olo_control_problem *problem, const olo_state *state, double *q,
                      olo_error *error)
{
    olo_run options = olo_run_default();
    olo_stepper *stepper = NULL;
    olo_state *moving = NULL;
    options.scheme = problem->scheme;
    options.step = problem->duration * problem->part[0];
    options.end = problem->duration;
    olo_status status = olo_stepper_create(problem->system, &options, &stepper, error);
    if (status == OLO_OK)
        status = olo_state_clone(state, &moving, error);
    for (int k = 1; status == OLO_OK && k <= problem->intervals; k++) {
        status = olo_stepper_step(stepper, moving, problem->duration * problem->part[k - 1], error);
        memcpy(q + (size_t)k * (size_t)state->n, moving->q, (size_t)state->n * sizeof *q);
    }
    olo_state_free(moving);
    olo_stepper_free(stepper);
    return olo_fail_context(error, status, "guess: run");
}

/* A motion that is given, stretched to the duration. */
static void resample(const olo_control_problem *p, double *q)
{
    const olo_given_motion *from = &p->given;
    const int n = p->system->n, last = from->count - 1;
    const double start = from->times[0], span = from->times[last] - start;
    for (int k = olo_control_has_variable_start(p) ? 0 : 1, i = 0; k <= p->intervals; k++) {
        const double t = start + span * p->at[k];
        while (i < last - 1 && from->times[i + 1] < t)
            i++;
        const double *a = from->q + (size_t)i * (size_t)n, *b = last > 0 ? a + n : a;
        const double part =
            last > 0 ? (t - from->times[i]) / (from->times[i + 1] - from->times[i]) : 0;
        for (int j = 0; j < n; j++)
            q[(size_t)k * (size_t)n + (size_t)j] = (1 - part) * a[j] + part * b[j];
    }
}

olo_status olo_guess_motion(const olo_control_problem *problem, const olo_state *state, double *q,
                            olo_error *error)
{
    typedef olo_status guess(const olo_control_problem *, const olo_state *, double *, olo_error *);
    static guess *const kinds[] = {
        [OLO_GUESS_INTERPOLATED] = interpolate, [OLO_GUESS_REST] = rest, [OLO_GUESS_RUN] = run};
    memcpy(q, state->q, (size_t)state->n * sizeof *q);
    if (problem->given.count == 0)
        return kinds[problem->guess](problem, state, q, error);
    resample(problem, q);
    return OLO_OK;
}

void olo_guess_given_controls(const olo_control_problem *p, const olo_redundant *transcription,
                              double *x)
{
    const olo_given_motion *from = &p->given;
    if (from->columns == 0)
        return;
    const double start = from->times[0], span = from->times[from->count - 1] - start;
    for (int k = 0, i = 0; k < p->intervals; k++) {
        const double t = start + span * (p->at[k] + 0.5 * p->part[k]);
        while (i < from->count - 2 && from->times[i + 1] <= t)
            i++;
        for (int c = 0; c < p->controls; c++)
            if (from->column[c] >= 0) {
                const double u = from->controls[i * from->columns + from->column[c]];
                x[olo_redundant_controls(transcription, k) + c] =
                    fmin(fmax(u, p->lower[c]), p->upper[c]);
            }
    }
}
