/* One step along the path of equilibria; see the header. */
#include "statics/path.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "linalg/vec3.h"

/* The largest angle between the tangents at both ends of a step. */
static const double sharpest = 0.35;
/* |t0 + t1 - 2 c| of a node over |c| of that node, or over a small part of the whole step where
 * that is more; and of the load. */
static const double node_mismatch = 0.15;
static const double node_part = 0.05;
static const double load_mismatch = 0.03;
/* What a load factor of 1 moves is taken to be at least this (model lengths, radians). */
static const double stiffest = 1e-3;
/* How many lengths of a step Newton may go where the predictor is a guess: at kinks, and without
 * the tangents of all loads. */
static const double guess = 10;

/* --- norm --- */

double olo_path_dot(const olo_path *p, const double *a, const double *b)
{
    const olo_static_balance *rest = p->search->rest;
    const olo_system *s = rest->system;
    double sum = 0;
    for (int k = 0; k < s->node_count; k++) {
        int at = olo_static_twist(rest, k);
        sum += vec3_dot(a + at, b + at) / (s->length_scale * s->length_scale);
        if (s->nodes[k].kind == OLO_NODE_FRAME)
            sum += vec3_dot(a + at + 3, b + at + 3);
    }
    return sum / s->node_count;
}

static double square(double x)
{
    return x * x;
}

/* --- tangent --- */

/* Where the stiffness is symmetric the load can turn only if its determinant changes sign: then
 * a kink is not taken for a limit point. Else the tangent goes on in the direction of the step. */
static double direction(const olo_path *p, const olo_path_tangent *t, const double *v)
{
    bool certain = p->start.judged && t->judged && t->negative == t->unstable;
    if (certain && (t->unstable - p->start.unstable) % 2 == 0)
        return p->start.load >= 0 ? 1 : -1;
    return olo_path_dot(p, v, p->step) + square(p->unit) * p->step_load >= 0 ? 1 : -1;
}

/* A direction without stiffness, such as the turn of a buckled plane about its column, has an
 * eigenvalue whose sign is rounding. It keeps its count until it leaves the band of rounding on
 * the other side. Two more factorisations, only where signs have changed. */
static int count_unstable(const olo_path *p, double load, int negative)
{
    const int before = p->start.unstable;
    int least, neutral;
    if (negative == before ||
        olo_static_stability(p->search->rest, load, &least, &neutral, NULL) != OLO_OK)
        return negative;
    return before < least ? least : before > least + neutral ? least + neutral : before;
}

/* At the state, which is an equilibrium at `load`. */
static olo_status find_tangent(olo_path *p, double load, olo_path_tangent *t, olo_error *error)
{
    olo_static_balance *rest = p->search->rest;
    rest->predicted = false;
    olo_status status = olo_search_factor(p->search, load, error);
    if (status != OLO_OK)
        return status;
    t->negative = olo_elimination_negative(rest->elimination);
    olo_static_solve_load(rest);
    t->judged = load == 0 || olo_static_is_conservative(rest);
    t->unstable = t->judged ? count_unstable(p, load, t->negative) : t->negative;
    const double *v = rest->by_load;
    double size = sqrt(olo_path_dot(p, v, v));
    if (!isfinite(size))
        return olo_fail(error, OLO_NOT_FINITE, "the tangent of the path is not finite");
    if (p->unit == 0)
        p->unit = fmax(size, stiffest / p->search->options->end);
    t->load = direction(p, t, v) / sqrt(square(size) + square(p->unit));
    for (int i = 0; i < rest->changes; i++)
        t->q[i] = t->load * v[i];
    return OLO_OK;
}

/* The longest step that is small in displacements as well as in its share of the load. */
static void measure_least(olo_path *p)
{
    const olo_equilibrium_options *o = p->search->options;
    double moved = sqrt(olo_path_dot(p, p->start.q, p->start.q));
    p->least = o->smallest / fmax(moved, fabs(p->start.load) / o->end);
}

double olo_path_go_on(olo_path *p)
{
    olo_path_tangent end = p->end;
    p->end = p->start;
    p->start = end;
    /* the unit follows a structure that stiffens; where one softens, at a limit point above all,
     * displacements count more */
    double size = sqrt(olo_path_dot(p, end.q, end.q));
    double floor = stiffest / p->search->options->end;
    p->unit = fmax(fmin(p->unit, size / fabs(end.load)), fmin(p->unit, floor));
    double scale = sqrt(square(size) + square(p->unit * end.load));
    p->start.load /= scale;
    for (int i = 0; i < p->search->rest->changes; i++)
        p->start.q[i] /= scale;
    measure_least(p);
    return scale;
}

/* --- a step --- */

static olo_status correct(olo_path *p, const olo_path_aim *aim, olo_error *error)
{
    olo_search *x = p->search;
    olo_static_balance *rest = x->rest;
    double before = HUGE_VAL, away = 0,
           most = (p->exact && !aim->kink ? 1 : guess) * fmax(aim->length, p->least);
    for (int i = 0; i < x->options->iterations; i++) {
        olo_status status = olo_search_ask(x, error);
        if (status == OLO_OK)
            status = olo_search_factor(x, olo_path_load(p), error);
        x->summary->iterations++;
        if (status != OLO_OK)
            return status;
        olo_static_solve(rest);
        double change = 0;
        if (!aim->to_load) {
            olo_static_solve_load(rest);
            change = -olo_path_dot(p, p->start.q, rest->change) /
                     (olo_path_dot(p, p->start.q, rest->by_load) + square(p->unit) * p->start.load);
            for (int k = 0; k < rest->changes; k++)
                rest->change[k] += change * rest->by_load[k];
        }
        rest->size = olo_static_size(rest, rest->change, &rest->worst) + fabs(change);
        /* a solution farther from the tangent than the step is long may be one of another part
         * of the path */
        away += sqrt(olo_path_dot(p, rest->change, rest->change) + square(p->unit * change));
        if (!(away <= most))
            return olo_fail(error, OLO_NOT_CONVERGED, "Newton leaves the path, most at '%s'",
                            x->system->nodes[rest->worst].name);
        for (int k = 0; k < rest->changes; k++)
            p->step[k] += rest->change[k];
        p->step_load += change;
        olo_static_move(rest, 1.0);
        if (olo_search_converged(x, rest->size, before))
            return OLO_OK;
        before = rest->size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED,
                    "Newton did not converge in %d iterations, worst at '%s'",
                    x->options->iterations, x->system->nodes[rest->worst].name);
}

olo_status olo_path_advance(olo_path *p, const olo_path_aim *aim, olo_error *error)
{
    olo_static_balance *rest = p->search->rest;
    olo_search_return(p->search);
    olo_static_place(rest);
    for (int i = 0; i < rest->changes; i++)
        p->step[i] = rest->change[i] = aim->length * p->start.q[i];
    p->step_load = aim->to_load ? aim->load - p->search->load : aim->length * p->start.load;
    olo_static_move(rest, 1.0);
    olo_status status = correct(p, aim, error);
    if (status == OLO_OK)
        status = find_tangent(p, olo_path_load(p), &p->end, error);
    if (status != OLO_OK)
        olo_search_return(p->search);
    return status;
}

/* t0 + t1 = 2 c, at every node and in the load? `worst` is where not. */
static bool is_smooth(const olo_path *p, int *worst)
{
    const olo_static_balance *rest = p->search->rest;
    const olo_path_tangent *start = &p->start, *end = &p->end;
    double length = sqrt(olo_path_dot(p, p->step, p->step) + square(p->unit * p->step_load));
    double least = node_part * fmax(length, olo_static_size(rest, p->step, worst));
    double load = start->load + end->load - 2 * p->step_load / length;
    bool smooth = fabs(p->unit * load) <= load_mismatch;
    for (int k = 0; smooth && k < rest->system->node_count; k++) {
        double mismatch[6] = {0};
        int at = olo_static_twist(rest, k);
        for (int i = 0; i < rest->system->nodes[k].twist; i++)
            mismatch[i] = length * (start->q[at + i] + end->q[at + i]) - 2 * p->step[at + i];
        double size = olo_static_node_size(rest, k, p->step + at);
        smooth = olo_static_node_size(rest, k, mismatch) <= node_mismatch * fmax(size, least);
        if (!smooth)
            *worst = k;
    }
    return smooth;
}

olo_status olo_path_step(olo_path *p, const olo_path_aim *aim, olo_error *error)
{
    olo_status status = olo_path_advance(p, aim, error);
    if (status != OLO_OK)
        return status;
    int worst = 0;
    double cosine =
        olo_path_dot(p, p->start.q, p->end.q) + square(p->unit) * p->start.load * p->end.load;
    p->turn = acos(fmax(-1, fmin(1, cosine)));
    if (!p->exact || aim->length <= p->least || (p->turn <= sharpest && is_smooth(p, &worst)))
        return OLO_OK;
    olo_search_return(p->search);
    return olo_fail(error, OLO_NOT_CONVERGED, "the path turns too sharply, most at '%s'",
                    p->search->system->nodes[worst].name);
}

/* --- memory --- */

static bool all_tangents_known(const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->motion_tangent && !s->actions[i].type->has_tangent)
            return false;
    return true;
}

olo_status olo_path_create(olo_path *p, olo_search *search, olo_error *error)
{
    size_t changes = (size_t)search->rest->changes;
    *p = (olo_path){.search = search, .exact = all_tangents_known(search->system)};
    const olo_array arrays[] = {
        {&p->start.q, changes}, {&p->end.q, changes}, {&p->step, changes}, {&p->far, changes}};
    if (!olo_pool_arrays(&p->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    p->step_load = p->start.load = 1; /* towards larger loads */
    p->start.judged = true;
    olo_status status = find_tangent(p, search->load, &p->start, error);
    if (status == OLO_OK)
        measure_least(p);
    return status;
}

void olo_path_free(olo_path *p)
{
    olo_pool_free(&p->pool);
}
