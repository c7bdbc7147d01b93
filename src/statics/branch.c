/* Branch switching. At a bifurcation the stiffness K has a null vector f that the load does not act
 * on, f . dr/ds = 0, so that a second path crosses the first one (Keller 1977; Wriggers and Simo
 * 1990). Its direction is found by inverse iteration with the factored K just before the point,
 *
 *     x <- K^-1 W x,   W the metric of the path,
 *
 * which amplifies f by the ratio of the next eigenvalue to the vanishing one. The component along
 * the first path is removed: then the plane through the predictor, in which the corrector moves,
 * does not meet the first path near the bifurcation. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "statics/path.h"

/* Inverse iterations: the first ones already suffice where the bifurcation is located closely. */
enum { ITERATIONS = 4 };

/* wrench = W twists, with the metric of olo_path_dot */
static void weigh(const olo_path *p, const double *twists, double *wrench)
{
    const olo_system *s = p->search->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        for (int i = 0; i < node->twist; i++) {
            const bool shift = node->type->translation >= 0 && i >= node->type->translation &&
                               i < node->type->translation + 3;
            wrench[node->motion + i] =
                twists[node->motion + i] / (shift ? s->length_scale * s->length_scale : 1.0);
        }
    }
}

/* A start without symmetry, so that it has a component along every null vector. */
static void start_iteration(int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = 1 + 0.5 * sin(1.0 + 2.3 * i);
}

/* The sign of a null vector is arbitrary: its largest component becomes positive. */
static double orientation(int count, const double *x)
{
    int largest = 0;
    for (int i = 1; i < count; i++)
        if (fabs(x[i]) > fabs(x[largest]) * (1 + 1e-6)) /* equal ones: the first */
            largest = i;
    return x[largest] < 0 ? -1.0 : 1.0;
}

/* Writes the null vector to the direction: joint increments, multipliers and twists. */
static olo_status find_null_vector(olo_path *p, double *direction, olo_error *error)
{
    olo_static_balance *b = p->search->balance;
    const int twists = p->search->system->twists;
    double *x = olo_alloc(2 * (size_t)twists, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    b->predicted = false;
    olo_status status = olo_search_factor(p->search, p->search->load, error);
    start_iteration(twists, x);
    for (int i = 0; status == OLO_OK && i < ITERATIONS; i++) {
        weigh(p, x, x + twists);
        olo_static_solve_wrench(b, x + twists, x, NULL);
        const double size = sqrt(olo_path_dot(p, b->change, b->change));
        if (!isfinite(size) || !(size > 0))
            status = olo_fail(error, OLO_NOT_FINITE, "the bifurcation has no direction");
        for (int k = 0; k < twists; k++)
            x[k] /= size;
        for (int k = 0; k < b->changes; k++)
            direction[k] = b->change[k] / size;
    }
    olo_free(x);
    return status;
}

olo_status olo_path_switch(olo_path *p, double sign, olo_error *error)
{
    const int changes = p->search->balance->changes;
    double *f = p->other_step, *t = p->start.q;
    olo_status status = find_null_vector(p, f, error);
    if (status != OLO_OK)
        return status;
    /* f - <f, t> t, of length one, in the orientation of f */
    const double along = olo_path_dot(p, f, t), load = -along * p->start.load;
    sign *= orientation(p->search->system->twists, f + olo_static_twist(p->search->balance, 0));
    for (int i = 0; i < changes; i++)
        t[i] = f[i] - along * t[i];
    const double size = sqrt(olo_path_dot(p, t, t) + p->unit * p->unit * load * load);
    for (int i = 0; i < changes; i++)
        t[i] *= sign / size;
    p->start.load = sign * load / size;
    p->start.judged = false; /* the stiffness is singular here */
    return OLO_OK;
}
