/* The initial guess of a motion; see the header. With the values m(q) of the given quantities, the
 * step of Gauss and Newton of least length is
 *
 *     A = dm/du = grad m^T J,     du = A^T (A A^T)^-1 (m_wanted - m). */
#include "control/guess.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/chart.h"
#include "linalg/dense.h"

enum { ITERATIONS = 20 };

/* A quantity that moves from one value to another. */
typedef struct goal {
    olo_quantity quantity;
    double from, to;
} goal;

typedef struct path {
    const olo_control_problem *problem;
    olo_pool pool;
    olo_chart *chart;
    int unknowns, goals;
    goal *goal;
    double *u, *A, *M, *d, *gradient; /* M = A A^T */
    double *angles;                   /* with turns, of the last configuration */
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

static bool is_same(const olo_quantity *a, const olo_quantity *b)
{
    return a->term && a->term == b->term;
}

static void add_goal(path *x, const olo_quantity *quantity, double to, const double *q)
{
    for (int i = 0; i < x->goals; i++)
        if (is_same(&x->goal[i].quantity, quantity))
            return;
    goal *g = &x->goal[x->goals++];
    g->quantity = *quantity;
    g->from = olo_quantity_value(quantity, q, x->angles, NULL);
    g->to = to;
}

/* Guesses first, then what conditions fix at the end. */
static void list_goals(path *x, const double *q)
{
    const olo_control_problem *p = x->problem;
    for (int i = 0; i < p->guess_count; i++)
        add_goal(x, &p->guesses[i].quantity, p->guesses[i].lower, q);
    for (int i = 0; i < p->condition_count; i++)
        if (p->conditions[i].where == OLO_AT_END &&
            p->conditions[i].lower == p->conditions[i].upper)
            add_goal(x, &p->conditions[i].quantity, p->conditions[i].lower, q);
}

static void fill_rows(path *x, const double *q, double fraction, double *largest)
{
    const int n = x->problem->system->n;
    *largest = 0;
    for (int i = 0; i < x->goals; i++) {
        const goal *g = &x->goal[i];
        double local[OLO_FORM_SIZE_MAX];
        const double m = olo_quantity_value(&g->quantity, q, x->angles, local);
        memset(x->gradient, 0, (size_t)n * sizeof *x->gradient);
        for (int j = 0; j < g->quantity.size; j++)
            x->gradient[g->quantity.index[j]] += local[j];
        olo_chart_reduce(x->chart, x->gradient, x->A + i * x->unknowns);
        x->d[i] = g->from + fraction * (g->to - g->from) - m;
        *largest = fmax(*largest, fabs(x->d[i]));
    }
}

/* One step; false if the quantities cannot all move. */
static bool improve(path *x)
{
    for (int i = 0; i < x->goals; i++)
        for (int j = 0; j < x->goals; j++) {
            double sum = i == j ? 1e-12 : 0; /* dependent quantities are no failure */
            for (int k = 0; k < x->unknowns; k++)
                sum += x->A[i * x->unknowns + k] * x->A[j * x->unknowns + k];
            x->M[i * x->goals + j] = sum;
        }
    if (!olo_lu_factor(x->goals, x->M, x->pivot))
        return false;
    olo_lu_solve(x->goals, x->M, x->pivot, false, 1, x->d);
    for (int i = 0; i < x->goals; i++)
        for (int k = 0; k < x->unknowns; k++)
            x->u[k] += x->A[i * x->unknowns + k] * x->d[i];
    return true;
}

/* The configuration of a node; an inaccurate one is good enough. */
static const double *configure(path *x, double fraction)
{
    const double *q = olo_chart_at(x->chart, x->u);
    for (int i = 0; i < ITERATIONS && x->goals > 0; i++) {
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
    const size_t most = (size_t)(x->problem->condition_count + x->problem->guess_count);
    x->unknowns = s->topology->unknowns;
    const olo_array arrays[] = {
        {&x->u, (size_t)x->unknowns}, {&x->A, most * (size_t)x->unknowns},
        {&x->M, most * most},         {&x->d, most},
        {&x->gradient, (size_t)s->n}, {&x->angles, (size_t)s->joint_coordinate_count}};
    x->goal = olo_pool_alloc(&x->pool, most, sizeof *x->goal);
    x->pivot = olo_pool_alloc(&x->pool, most, sizeof *x->pivot);
    if (!x->goal || !x->pivot || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    olo_status status = olo_chart_create(s->topology, state->q, &x->chart, error);
    memcpy(x->angles, state->angles, (size_t)s->joint_coordinate_count * sizeof *x->angles);
    if (status == OLO_OK)
        list_goals(x, state->q);
    return status;
}

olo_status olo_guess_motion(const olo_control_problem *problem, const olo_state *state, double *q,
                            olo_error *error)
{
    path x = {.problem = problem};
    const size_t n = (size_t)problem->system->n;
    olo_status status = prepare(&x, state, error);
    if (status == OLO_OK)
        memcpy(q, state->q, n * sizeof *q);
    for (int k = 1; status == OLO_OK && k <= problem->intervals; k++)
        memcpy(q + (size_t)k * n, configure(&x, (double)k / problem->intervals), n * sizeof *q);
    olo_chart_free(x.chart);
    olo_pool_free(&x.pool);
    return status;
}
