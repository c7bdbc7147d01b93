/* Random changes of the motion of an initial guess; see guess.h. In joint coordinates of the chart
 * around each node, with s from 0 to 1 over the duration,
 *
 *     du_i(s) = spread L_i sum_j r_ij sin(j pi s)/j,   j = 1, 2, 3,
 *
 * with random numbers r between -1 and 1; L is 1 for angles, and the size of the motion for
 * lengths. Both ends do not change. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/guess.h"
#include "kinematics/chart.h"

enum { WAVES = 3 };
static const double PI = 3.14159265358979323846;

/* SplitMix64 (Steele, Lea and Flood 2014): neighbouring seeds give independent numbers. */
static double random_number(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1.0;
}

/* The largest distance of two positions of nodes in the motion; 1 if there is none. */
static double size_of(const olo_control_problem *p, const double *q)
{
    const olo_system *s = p->system;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY},
           size = 0;
    for (int k = 0; k <= p->intervals; k++)
        for (int i = 0; i < s->node_count; i++)
            for (int j = 0; s->nodes[i].type->position >= 0 && j < 3; j++) {
                const double x = q[k * s->n + s->nodes[i].q + s->nodes[i].type->position + j];
                low[j] = fmin(low[j], x);
                high[j] = fmax(high[j], x);
            }
    for (int j = 0; j < 3; j++)
        size = fmax(size, high[j] - low[j]);
    return size > 0 ? size : 1;
}

/* Whether a direction of the configuration turns a body. */
static bool turns(const olo_system *s, const double *dq)
{
    for (int i = 0; i < s->node_count; i++)
        for (int j = 0; s->nodes[i].type->directors >= 0 && j < 9; j++)
            if (dq[s->nodes[i].q + s->nodes[i].type->directors + j] != 0)
                return true;
    return false;
}

olo_status olo_guess_perturb(const olo_control_problem *p, double spread, unsigned long long seed,
                             double *q, olo_error *error)
{
    const olo_system *s = p->system;
    const size_t n = (size_t)s->n, unknowns = (size_t)p->topology->unknowns;
    olo_chart *chart = NULL;
    olo_pool pool = {0};
    double *u, *amplitude, *w, *dq;
    const olo_array arrays[] = {
        {&u, unknowns}, {&amplitude, unknowns * WAVES}, {&w, unknowns}, {&dq, n}};
    olo_status status = OLO_OK;
    if (!olo_pool_arrays(&pool, arrays, 4))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    if (status == OLO_OK)
        status = olo_chart_create(p->topology, q, &chart, error);
    const double size = status == OLO_OK ? size_of(p, q) : 0;
    for (size_t i = 0; status == OLO_OK && i < unknowns; i++) {
        w[i] = 1;
        olo_chart_move(chart, w, dq);
        w[i] = 0;
        for (int j = 0; j < WAVES; j++)
            amplitude[i * WAVES + (size_t)j] =
                spread * (turns(s, dq) ? 1 : size) * random_number(&seed) / (j + 1);
    }
    for (int k = 1; status == OLO_OK && k < p->intervals; k++) {
        for (size_t i = 0; i < unknowns; i++) {
            u[i] = 0;
            for (int j = 0; j < WAVES; j++)
                u[i] += amplitude[i * WAVES + (size_t)j] * sin((j + 1) * PI * k / p->intervals);
        }
        double *at = q + (size_t)k * n;
        olo_chart_refer(chart, at);
        memcpy(at, olo_chart_at(chart, u), n * sizeof *at);
    }
    olo_chart_free(chart);
    olo_pool_free(&pool);
    return status;
}
