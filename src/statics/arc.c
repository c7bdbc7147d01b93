/* The path of equilibria by its arc length (Riks 1979; Crisfield 1981), through limit points where the load turns back:
 *
 *     predictor   (dq, dload) = ds t,   t = (v, 1)/|(v, 1)|,   v = -K^-1 dr/dload, on in the direction of the last step
 *     corrector   dq = -K^-1 r + dload v,   t . (dq, dload) = 0
 *
 * in the norm <a, b> = mean over nodes of a.b, lengths over the model's length, angles, plus the product of the loads. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "linalg/vec3.h"
#include "statics/search.h"

/* A step in this norm is at most so long, and at most so many times the first one: who asks for short steps wants to see
 * what lies between. */
static const double longest = 0.2;
static const double growth = 4;

static double dot(const olo_rest *x, const double *a, const double *b)
{
    const olo_system *s = x->system;
    double sum = 0;
    for (int k = 0; k < s->node_count; k++) {
        int at = olo_rest_twist(x, k);
        sum += vec3_dot(a + at, b + at) / (s->length_scale * s->length_scale);
        if (s->nodes[k].kind == OLO_NODE_FRAME)
            sum += vec3_dot(a + at + 3, b + at + 3);
    }
    return sum / s->node_count;
}

typedef struct arc {
    double ds, largest;
    double way_load, last_load; /* share of the load in the directions of this step and the last */
    bool moved;                 /* there is a last one */
} arc;

/* The unit tangent of the path, in the direction of the last one. */
static olo_status find_way(olo_search *x, arc *a, olo_error *error)
{
    olo_rest *rest = x->rest;
    rest->foretold = false;
    olo_status status = olo_rest_factor(rest, x->load, 0.0, error);
    if (status != OLO_OK)
        return status;
    olo_rest_solve(rest);
    olo_rest_solve_load(rest);
    const double *v = rest->by_load;
    double size = sqrt(dot(rest, v, v) + 1);
    double along = a->moved ? dot(rest, v, x->last) + a->last_load : 1.0;
    a->way_load = (along >= 0 ? 1 : -1) / size;
    for (int i = 0; i < rest->changes; i++)
        x->way[i] = a->way_load * v[i];
    return OLO_OK;
}

static olo_status correct(olo_search *x, const arc *a, double *load, olo_error *error)
{
    olo_rest *rest = x->rest;
    double before = HUGE_VAL, away = 0;
    for (int i = 0; i < x->options->iterations; i++) {
        olo_status status = olo_rest_factor(rest, *load, 0.0, error);
        x->summary->iterations++;
        if (status != OLO_OK)
            return status;
        olo_rest_solve(rest);
        olo_rest_solve_load(rest);
        double change =
            -dot(rest, x->way, rest->change) / (dot(rest, x->way, rest->by_load) + a->way_load);
        for (int k = 0; k < rest->changes; k++)
            rest->change[k] += change * rest->by_load[k];
        rest->size = olo_rest_size(rest, rest->change, &rest->worst) + fabs(change);
        /* a solution farther from the tangent than the step is long may be one of another part of the path */
        away += sqrt(dot(rest, rest->change, rest->change) + change * change);
        if (!(away <= a->ds))
            return olo_fail(error, OLO_NOT_CONVERGED, "Newton leaves the path");
        olo_rest_move(rest, 1.0);
        *load += change;
        if (olo_search_converged(x, rest->size, before))
            return OLO_OK;
        before = rest->size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED, "Newton did not converge in %d iterations",
                    x->options->iterations);
}

/* A step of length ds; the state is at the last equilibrium, and there again when it fails. */
static olo_status advance(olo_search *x, arc *a, double *load, olo_error *error)
{
    olo_rest *rest = x->rest;
    olo_rest_place(rest);
    for (int i = 0; i < rest->changes; i++)
        rest->change[i] = a->ds * x->way[i];
    olo_rest_move(rest, 1.0);
    *load = x->load + a->ds * a->way_load;
    olo_status status = correct(x, a, load, error);
    if (status != OLO_OK)
        olo_search_return(x);
    return status;
}

/* What the last step passed, by bisection of its length: a point where the load turns (`limit`), or one where the number
 * of unstable directions is no longer `unstable`. The state comes back to the end of the step. */
static void locate(olo_search *x, const arc *step, bool limit, int unstable)
{
    const double close = 1e-7;
    double low = 0, high = step->ds, end = x->load, load = end, critical = end;
    olo_state_copy(x->state, x->after);
    x->load = x->before->t;
    while (high - low > close * step->ds) {
        arc a = *step;
        int here = 0;
        a.ds = 0.5 * (low + high);
        memcpy(x->way, x->last, (size_t)x->rest->changes * sizeof *x->way);
        a.way_load = a.last_load;
        olo_search_return(x);
        if (advance(x, &a, &load, NULL) != OLO_OK)
            break;
        double start = x->load;
        x->load = load;
        olo_status status =
            limit ? find_way(x, &a, NULL) : olo_rest_negative(x->rest, load, 0.0, &here, NULL);
        x->load = start;
        if (status != OLO_OK)
            break;
        bool passed = limit ? a.way_load * a.last_load < 0 : here != unstable;
        *(passed ? &high : &low) = a.ds;
        critical = load;
    }
    olo_state_copy(x->after, x->state);
    x->load = end;
    x->rest->foretold = false;
    olo_search_add_critical(x, critical, limit);
}

/* Stability at the end of a step and at its start tell what it passed; then on from its end. */
static olo_status look_back(olo_search *x, arc *a, int unstable, olo_error *error)
{
    bool limit = a->way_load * a->last_load < 0;
    if (!x->options->locate ||
        (!limit && (x->summary->unstable == unstable || !x->summary->judged)))
        return OLO_OK;
    locate(x, a, limit, unstable);
    return find_way(x, a, error);
}

/* Ends on the load that was asked for, from the last equilibrium or from where the step led. */
static olo_status finish(olo_search *x, olo_error *error)
{
    olo_status status = olo_search_newton(x, x->options->end, error);
    return status == OLO_OK ? olo_search_accept(x, x->options->end, error) : status;
}

olo_status olo_search_by_arc(olo_search *x, olo_error *error)
{
    const olo_statics *o = x->options;
    const int easy = 5;
    arc a = {0};
    olo_status status = find_way(x, &a, error);
    a.ds = fmin(o->step / a.way_load, longest);
    a.largest = fmin(growth * a.ds, longest);
    while (status == OLO_OK && x->summary->steps <= o->steps) {
        double load = x->load;
        long iterations = x->summary->iterations;
        int unstable = x->summary->unstable;
        olo_search_keep(x);
        if (advance(x, &a, &load, error) != OLO_OK) {
            a.ds *= 0.25;
            x->summary->cutbacks++;
            if (a.ds < o->smallest)
                return OLO_NOT_CONVERGED;
            continue;
        }
        if (load >= o->end)
            return finish(x, error);
        status = olo_search_accept(x, load, error);
        memcpy(x->last, x->way, (size_t)x->rest->changes * sizeof *x->last);
        a.last_load = a.way_load;
        a.moved = true;
        if (status == OLO_OK)
            status = find_way(x, &a, error);
        if (status == OLO_OK)
            status = look_back(x, &a, unstable, error);
        if (x->summary->iterations - iterations <= easy)
            a.ds = fmin(2 * a.ds, a.largest);
    }
    if (status != OLO_OK)
        return status;
    return olo_fail(error, OLO_NOT_CONVERGED, "load factor %.6g after %ld steps along the path",
                    x->load, o->steps);
}
