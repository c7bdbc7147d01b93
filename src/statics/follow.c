/* The path of equilibria from load 0 to the load asked for, in steps along its arc length that
 * adapt (path.c).
 *
 * The last step ends on that load. Without `arc` the path ends at the first limit point, where
 * the load would have to fall; with it the path goes on. Equilibria that the path does not
 * connect with the start are never returned. */
#include <math.h>

#include "base/fail.h"
#include "statics/path.h"

/* Displacements of a step are at most this, as a mean over the nodes (model lengths, radians). */
static const double longest = 0.3;
/* With `arc` a step is at most so many times the first one: who asks for short steps wants to
 * see what lies between. */
static const double growth = 4;
/* A step that turns the tangent by about this angle is long enough. */
static const double turn = 0.25;
/* Newton iterations of a step that may become longer. */
static const int easy = 6;
static const double shorter = 0.25, twice = 2;
/* Loads this close are the same. */
static const double same = 1e-9;

typedef struct follower {
    olo_search *search;
    olo_path path;
    double length;  /* of the next step */
    double largest; /* at most */
    bool aimed;     /* the next step ends on the load asked for */
    bool kink;      /* the next step is over a kink */
    bool done;
} follower;

static olo_status give_up(const olo_search *x, olo_error *error)
{
    olo_error cause = *error;
    return olo_fail(error, cause.status,
                    "the path of equilibria cannot be followed beyond load factor %.6g: %.300s",
                    x->load, cause.text);
}

/* A step has failed: a shorter one, then one over a kink, then none. */
static olo_status cut(follower *f, double length, olo_error *error)
{
    olo_search_return(f->search);
    if (error->status == OLO_INTERRUPTED)
        return error->status;
    if (error->status == OLO_NO_MEMORY || f->kink)
        return give_up(f->search, error);
    f->kink = f->length <= f->path.least;
    f->length = fmax(length, f->path.least);
    f->aimed = false;
    f->search->summary->cutbacks++;
    return OLO_OK;
}

static olo_path_aim next(follower *f)
{
    const double end = f->search->options->end, left = end - f->search->load;
    const olo_path_tangent *tangent = &f->path.start;
    if (f->kink)
        return (olo_path_aim){.length = f->length,
                              .to_load = true,
                              .load = fmin(end, f->search->load + f->length * tangent->load),
                              .kink = true};
    if (!f->aimed && f->length * tangent->load >= left * (1 - same)) {
        f->aimed = true;
        f->length = left / tangent->load;
    }
    return (olo_path_aim){.length = f->length, .to_load = f->aimed, .load = end};
}

static void add_critical(olo_search *x, double load, bool limit, int unstable)
{
    olo_equilibrium_summary *sum = x->summary;
    if (sum->critical_count < OLO_CRITICAL_POINTS_MAX)
        sum->critical[sum->critical_count] =
            (olo_critical_point){.load = load, .limit = limit, .unstable = unstable};
    sum->critical_count++;
}

/* The state is at a limit point, and the path ends there. */
static olo_status end_at_limit(follower *f, double load, olo_error *error)
{
    olo_status status = olo_search_judge(f->search, load, error);
    if (status == OLO_OK)
        status = olo_search_accept(f->search, load, error);
    if (status != OLO_OK)
        return status;
    char coarse[200];
    if (olo_search_is_coarse(f->search, coarse, sizeof coarse))
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "limit point at load factor %.8g: %s, and there the mesh turns back even "
                        "if the beam does not: take more elements; if the limit point stays, "
                        "reduce the load, or follow the path through it by arc length",
                        load, coarse);
    return olo_fail(
        error, OLO_NOT_CONVERGED,
        "limit point at load factor %.8g: the path of equilibria turns back, and with a "
        "larger load the structure snaps to a state that is not connected with it; reduce "
        "the load, or follow the path through the limit point by arc length",
        load);
}

/* The step passed a critical point: finds it, and does the step again. `again`: it has to be a
 * shorter one. */
static olo_status look_back(follower *f, const olo_path_aim *aim, bool *again, olo_error *error)
{
    olo_search *x = f->search;
    olo_path *p = &f->path;
    const olo_path_event event = olo_path_passed(p);
    const bool limit = event == OLO_PATH_LIMIT;
    const int unstable = p->start.judged && p->end.judged ? p->end.unstable : -1;
    double along =
        olo_path_dot(p, p->start.q, p->step) + p->unit * p->unit * p->start.load * p->step_load;
    bool broken = false;
    *again = false;
    if (event == OLO_PATH_NOTHING || (!x->options->locate && (x->options->arc || !limit)))
        return OLO_OK;
    olo_status status = olo_path_locate(p, event, along, &broken, error);
    const double load = olo_path_load(p);
    if (status == OLO_OK && broken)
        status = olo_fail(error, OLO_NOT_CONVERGED, "Newton leaves the path");
    if (status == OLO_OK && limit && load > x->options->end * (1 + same))
        status =
            olo_fail(error, OLO_NOT_CONVERGED, "a limit point follows"); /* the end comes first */
    if (status != OLO_OK) {
        *again = true;
        return cut(f, shorter * f->length, error);
    }
    add_critical(x, load, limit, unstable);
    return limit && !x->options->arc ? end_at_limit(f, load, error)
                                     : olo_path_advance(p, aim, error);
}

/* The step has become part of the path. */
static olo_status accept(follower *f, const olo_path_aim *aim, olo_error *error)
{
    olo_search *x = f->search;
    olo_path *p = &f->path;
    olo_status status = OLO_OK;
    const double load = aim->to_load ? aim->load : olo_path_load(p);
    f->done = aim->to_load && load >= x->options->end;
    f->kink = false;
    x->summary->judged = p->end.judged;
    x->summary->unstable = p->end.judged ? p->end.unstable : 0;
    x->summary->neutral = 0;
    if (f->done)
        status = olo_search_judge(x, load, error);
    return status == OLO_OK ? olo_search_accept(x, load, error) : status;
}

/* From the curvature of the path and the iterations of the last step. */
static void choose_length(follower *f, long iterations)
{
    double factor = fmin(twice, fmax(0.5, turn / fmax(f->path.turn, 1e-6)));
    if (iterations > easy)
        factor = fmin(factor, 1);
    double scale = olo_path_go_on(&f->path);
    f->largest *= scale;
    double moved = sqrt(olo_path_dot(&f->path, f->path.start.q, f->path.start.q));
    f->length = fmin(fmax(f->length * factor * scale, f->path.least),
                     fmin(f->largest, longest / fmax(moved, 1e-30)));
}

static olo_status proceed(follower *f, olo_error *error)
{
    olo_search *x = f->search;
    long iterations = x->summary->iterations;
    bool again = false;
    olo_search_keep(x);
    olo_path_aim aim = next(f);
    olo_status status = olo_path_step(&f->path, &aim, error);
    if (status != OLO_OK)
        return cut(f, shorter * f->length, error);
    double load = olo_path_load(&f->path);
    iterations = x->summary->iterations - iterations;
    if (!aim.to_load && load >= x->options->end) {
        f->length *= (x->options->end - x->load) / (load - x->load);
        f->aimed = true;
        x->summary->cutbacks++;
        olo_search_return(x);
        return OLO_OK;
    }
    status = look_back(f, &aim, &again, error);
    if (status != OLO_OK || again)
        return status;
    status = accept(f, &aim, error);
    choose_length(f, iterations);
    return status;
}

static olo_status begin(follower *f, olo_error *error)
{
    const olo_equilibrium_options *o = f->search->options;
    olo_status status = olo_path_create(&f->path, f->search, error);
    if (status != OLO_OK)
        return status;
    double moved = sqrt(olo_path_dot(&f->path, f->path.start.q, f->path.start.q));
    f->length = fmin(o->step / f->path.start.load, longest / fmax(moved, 1e-30));
    f->largest = o->arc ? growth * f->length : HUGE_VAL;
    return OLO_OK;
}

olo_status olo_search_follow(olo_search *x, olo_error *error)
{
    olo_error cause = {0};
    follower f = {.search = x};
    olo_status status = begin(&f, &cause);
    while (status == OLO_OK && !f.done) {
        status = x->summary->steps > x->options->steps
                     ? olo_fail(&cause, OLO_NOT_CONVERGED, "load factor %.6g after %ld steps",
                                x->load, x->options->steps)
                     : proceed(&f, &cause);
    }
    olo_path_free(&f.path);
    if (status != OLO_OK && error)
        *error = cause;
    return status;
}
