/* One step along the path of equilibria (equations in the header). */
#include "statics/path.h"

#include <math.h>

#include "base/fail.h"
#include "linalg/vec3.h"

/* The largest angle between the tangents at both ends of a step. */
static const double sharpest = 0.35;
/* Largest |t0 + t1 - 2 c| of a node relative to |c| of that node, or relative to a small fraction
 * of the whole step where that is larger; and of the load. */
static const double node_mismatch = 0.15;
static const double node_part = 0.05;
static const double load_mismatch = 0.03;
/* Smallest displacement assumed for a load factor of 1 (model lengths, radians). */
static const double stiffest = 1e-3;
/* Largest distance of the Newton iteration in step lengths where the predictor is a guess: at
 * kinks, and where tangents of loads are missing. */
static const double guess = 10;

/* ---- norm ------------------------------------------------------------------------------------ */

double olo_path_dot(const olo_path *p, const double *a, const double *b)
{
    const olo_static_balance *balance = p->search->balance;
    const olo_system *s = balance->system;
    double sum = 0;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node_type *type = s->nodes[k].type;
        const int at = olo_static_twist(balance, k), shift = at + type->translation,
                  turn = at + type->rotation;
        if (type->translation >= 0)
            sum += vec3_dot(a + shift, b + shift) / (s->length_scale * s->length_scale);
        if (type->rotation >= 0)
            sum += vec3_dot(a + turn, b + turn);
        if (type->width == 1)
            sum += a[at] * b[at];
    }
    return sum / s->node_count;
}

static double square(double x)
{
    return x * x;
}

/* ---- tangent --------------------------------------------------------------------------------- */

/* The sign of the tangent. Where the stiffness is symmetric the load can reverse only if its
 * determinant changes sign: so a kink is not mistaken for a limit point. Otherwise the tangent
 * continues in the direction of the step. */
static double direction(const olo_path *p, const olo_path_tangent *t, const double *v)
{
    bool certain = p->start.judged && t->judged && t->negative == t->unstable;
    if (certain && (t->unstable - p->start.unstable) % 2 == 0)
        return p->start.load >= 0 ? 1 : -1;
    return olo_path_dot(p, v, p->step) + square(p->unit) * p->step_load >= 0 ? 1 : -1;
}

/* The number of unstable directions. A direction without stiffness, such as the rotation of a
 * buckled plane about its column, has an eigenvalue whose sign is due to rounding. It is counted as
 * before until it leaves the band of rounding on the other side. This needs two more
 * factorisations, only where signs have changed. */
static int count_unstable(const olo_path *p, double load, int negative)
{
    const int before = p->start.unstable;
    int smallest, neutral;
    if (negative == before ||
        olo_static_find_stability(p->search->balance, load, &smallest, &neutral, NULL) != OLO_OK)
        return negative;
    return before < smallest ? smallest : before > smallest + neutral ? smallest + neutral : before;
}

/* Finds the tangent at the state, which is an equilibrium at `load`. */
static olo_status find_tangent(olo_path *p, double load, olo_path_tangent *t, olo_error *error)
{
    olo_static_balance *balance = p->search->balance;
    balance->predicted = false;
    olo_status status = olo_search_factor(p->search, load, error);
    if (status != OLO_OK)
        return status;
    /* stability: count the negative eigenvalues */
    t->negative = olo_elimination_count_negative(balance->elimination);
    olo_static_solve_load(balance);
    t->judged = load == 0 || olo_static_is_conservative(balance);
    t->unstable = t->judged ? count_unstable(p, load, t->negative) : t->negative;
    /* t = (v, 1)/|(v, 1)| with v = -K^-1 dr/ds */
    const double *v = balance->by_load;
    double size = sqrt(olo_path_dot(p, v, v));
    if (!isfinite(size))
        return olo_fail(error, OLO_NOT_FINITE, "the tangent of the path is not finite");
    if (p->unit == 0)
        p->unit = fmax(size, stiffest / p->search->options->end);
    t->load = direction(p, t, v) / sqrt(square(size) + square(p->unit));
    for (int i = 0; i < balance->changes; i++)
        t->q[i] = t->load * v[i];
    return OLO_OK;
}

/* Sets the length that is small in displacements as well as in the load. */
static void set_smallest_length(olo_path *p)
{
    const olo_equilibrium_options *o = p->search->options;
    double moved = sqrt(olo_path_dot(p, p->start.q, p->start.q));
    p->smallest = o->smallest / fmax(moved, fabs(p->start.load) / o->end);
}

double olo_path_accept_step(olo_path *p)
{
    /* the end of the step becomes the start of the next one */
    olo_path_tangent end = p->end;
    p->end = p->start;
    p->start = end;
    /* the unit decreases with a stiffening structure; for a softening one, especially at a limit
     * point, displacements count more */
    double size = sqrt(olo_path_dot(p, end.q, end.q));
    double floor = stiffest / p->search->options->end;
    p->unit = fmax(fmin(p->unit, size / fabs(end.load)), fmin(p->unit, floor));
    double scale = sqrt(square(size) + square(p->unit * end.load));
    p->start.load /= scale;
    for (int i = 0; i < p->search->balance->changes; i++)
        p->start.q[i] /= scale;
    set_smallest_length(p);
    return scale;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* The corrector: Newton iteration for r = 0 and t . (dq, ds) = 0, or with fixed load. */
static olo_status correct(olo_path *p, const olo_path_target *target, olo_error *error)
{
    olo_search *x = p->search;
    olo_static_balance *balance = x->balance;
    double before = HUGE_VAL, away = 0,
           most = (p->exact && !target->kink ? 1 : guess) * fmax(target->length, p->smallest);
    for (int i = 0; i < x->options->iterations; i++) {
        olo_status status = olo_search_check_interrupt(x, error);
        if (status == OLO_OK)
            status = olo_search_factor(x, olo_path_load(p), error);
        x->summary->iterations++;
        if (status != OLO_OK)
            return status;
        /* the increment -K^-1 r, plus ds v such that it is orthogonal to the tangent */
        olo_static_solve(balance);
        double change = 0;
        if (!target->to_load) {
            olo_static_solve_load(balance);
            change =
                -olo_path_dot(p, p->start.q, balance->change) /
                (olo_path_dot(p, p->start.q, balance->by_load) + square(p->unit) * p->start.load);
            for (int k = 0; k < balance->changes; k++)
                balance->change[k] += change * balance->by_load[k];
        }
        balance->size =
            olo_static_measure(balance, balance->change, &balance->worst) + fabs(change);
        /* a solution whose distance from the tangent exceeds the length of the step may belong to
         * another part of the path */
        away += sqrt(olo_path_dot(p, balance->change, balance->change) + square(p->unit * change));
        if (!(away <= most))
            return olo_fail(error, OLO_NOT_CONVERGED,
                            "Newton iteration leaves the path, most at '%s'",
                            x->system->nodes[balance->worst].name);
        /* move the state */
        for (int k = 0; k < balance->changes; k++)
            p->step[k] += balance->change[k];
        p->step_load += change;
        olo_static_move(balance, 1.0);
        if (olo_search_converged(x, balance->size, before))
            return OLO_OK;
        before = balance->size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED,
                    "Newton did not converge in %d iterations, worst at '%s'",
                    x->options->iterations, x->system->nodes[balance->worst].name);
}

olo_status olo_path_advance(olo_path *p, const olo_path_target *target, olo_error *error)
{
    olo_static_balance *balance = p->search->balance;
    /* predictor: along the tangent */
    olo_search_restore(p->search);
    olo_static_set_configuration(balance);
    for (int i = 0; i < balance->changes; i++)
        p->step[i] = balance->change[i] = target->length * p->start.q[i];
    p->step_load =
        target->to_load ? target->load - p->search->load : target->length * p->start.load;
    olo_static_move(balance, 1.0);
    /* corrector, and the tangent at the end */
    olo_status status = correct(p, target, error);
    if (status == OLO_OK)
        status = find_tangent(p, olo_path_load(p), &p->end, error);
    if (status != OLO_OK)
        olo_search_restore(p->search);
    return status;
}

/* True if t0 + t1 = 2 c within tolerances, at every node and in the load; otherwise `worst` is the
 * node. */
static bool is_smooth(const olo_path *p, int *worst)
{
    const olo_static_balance *balance = p->search->balance;
    const olo_path_tangent *start = &p->start, *end = &p->end;
    double length = sqrt(olo_path_dot(p, p->step, p->step) + square(p->unit * p->step_load));
    double smallest = node_part * fmax(length, olo_static_measure(balance, p->step, worst));
    double load = start->load + end->load - 2 * p->step_load / length;
    bool smooth = fabs(p->unit * load) <= load_mismatch;
    for (int k = 0; smooth && k < balance->system->node_count; k++) {
        double mismatch[6] = {0};
        int at = olo_static_twist(balance, k);
        for (int i = 0; i < balance->system->nodes[k].twist; i++)
            mismatch[i] = length * (start->q[at + i] + end->q[at + i]) - 2 * p->step[at + i];
        double size = olo_static_measure_node(balance, k, p->step + at);
        smooth =
            olo_static_measure_node(balance, k, mismatch) <= node_mismatch * fmax(size, smallest);
        if (!smooth)
            *worst = k;
    }
    return smooth;
}

olo_status olo_path_step(olo_path *p, const olo_path_target *target, olo_error *error)
{
    olo_status status = olo_path_advance(p, target, error);
    if (status != OLO_OK)
        return status;
    /* accept the step if the tangents at both ends agree with its direction */
    int worst = 0;
    double cosine =
        olo_path_dot(p, p->start.q, p->end.q) + square(p->unit) * p->start.load * p->end.load;
    p->turn = acos(fmax(-1, fmin(1, cosine)));
    if (!p->exact || target->length <= p->smallest || (p->turn <= sharpest && is_smooth(p, &worst)))
        return OLO_OK;
    olo_search_restore(p->search);
    return olo_fail(error, OLO_NOT_CONVERGED, "the path turns too sharply, most at '%s'",
                    p->search->system->nodes[worst].name);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* True if the derivatives of all actions are known. */
static bool all_tangents_known(const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->motion_tangent && !s->actions[i].type->has_tangent)
            return false;
    return true;
}

olo_status olo_path_create(olo_path *p, olo_search *search, olo_error *error)
{
    size_t changes = (size_t)search->balance->changes;
    *p = (olo_path){.search = search, .exact = all_tangents_known(search->system)};
    const olo_array arrays[] = {{&p->start.q, changes},
                                {&p->end.q, changes},
                                {&p->step, changes},
                                {&p->other_step, changes}};
    if (!olo_pool_arrays(&p->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
    p->step_load = p->start.load = 1; /* in the direction of larger loads */
    p->start.judged = true;
    olo_status status = find_tangent(p, search->load, &p->start, error);
    if (status == OLO_OK)
        set_smallest_length(p);
    return status;
}

void olo_path_free(olo_path *p)
{
    olo_pool_free(&p->pool);
}
