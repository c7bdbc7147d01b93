/* Path following: equilibria from load 0 to the requested load, in steps of adaptive length along
 * the arc of the path (path.h).
 *
 * The last step ends at that load. Without `arc` the path ends at the first limit point, beyond
 * which the load decreases; with it the path continues. Only equilibria that are connected with the
 * initial one by the path are returned. */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "statics/path.h"

/* Largest displacement per step, as a mean over the nodes (model lengths, radians). */
static const double longest = 0.3;
/* With `arc` the largest length of a step as a multiple of the first one: a user who chooses short
 * steps wants to see the points between. */
static const double growth = 4;
/* The desired rotation of the tangent per step (rad). */
static const double turn = 0.25;
/* After more Newton iterations than this the length does not increase. */
static const int easy_iterations = 6;
static const double shorter = 0.25, twice = 2;
/* First length of a step along another branch, in model lengths and radians. */
static const double branch_length = 0.03;
/* Loads whose relative difference is below this are equal. */
static const double same = 1e-9;

typedef struct follower {
    olo_search *search;
    olo_path path;
    double length;  /* length of the next step */
    double largest; /* largest length */
    bool targeted;  /* the next step ends at the requested load */
    bool kink;      /* the next step crosses a kink */
    bool done;
    int bifurcations; /* number of them on the path so far */
} follower;

/* True if the path continues where the load has an extremum. */
static bool passes_limits(const olo_equilibrium_options *o)
{
    return o->arc || o->branch != 0;
}

static olo_status fail_path(const olo_search *x, olo_error *error)
{
    olo_error cause = *error;
    return olo_fail(error, cause.status,
                    "the path of equilibria cannot be followed beyond load factor %.6g: %.300s",
                    x->load, cause.text);
}

/* A step has failed: tries a shorter one; after the shortest one a step over a kink; then fails. */
static olo_status shorten(follower *f, double length, olo_error *error)
{
    olo_search_restore(f->search);
    if (error->status == OLO_INTERRUPTED)
        return error->status;
    if (error->status == OLO_NO_MEMORY || f->kink)
        return fail_path(f->search, error);
    f->kink = f->length <= f->path.smallest;
    f->length = fmax(length, f->path.smallest);
    f->targeted = false;
    f->search->summary->cutbacks++;
    return OLO_OK;
}

/* The target of the next step: a length, or the requested load if the step would reach it. */
static olo_path_target next_target(follower *f)
{
    const double end = f->search->options->end, remaining = end - f->search->load;
    const olo_path_tangent *tangent = &f->path.start;
    if (f->kink)
        return (olo_path_target){.length = f->length,
                                 .to_load = true,
                                 .load = fmin(end, f->search->load + f->length * tangent->load),
                                 .kink = true};
    if (!f->targeted && f->length * tangent->load >= remaining * (1 - same)) {
        f->targeted = true;
        f->length = remaining / tangent->load;
    }
    return (olo_path_target){.length = f->length, .to_load = f->targeted, .load = end};
}

static void add_critical(olo_search *x, double load, bool limit, int unstable)
{
    olo_equilibrium_summary *sum = x->summary;
    if (sum->critical_count < OLO_CRITICAL_POINTS_MAX)
        sum->critical[sum->critical_count] =
            (olo_critical_point){.load = load, .limit = limit, .unstable = unstable};
    sum->critical_count++;
}

/* Ends the path at a limit point, where the state is. */
static olo_status end_at_limit(follower *f, double load, olo_error *error)
{
    olo_status status = olo_search_judge(f->search, load, error);
    if (status == OLO_OK)
        status = olo_search_accept(f->search, load, error);
    if (status != OLO_OK)
        return status;
    char coarse[200];
    if (olo_search_is_coarse(f->search, coarse, sizeof coarse))
        return olo_fail(
            error, OLO_NOT_CONVERGED,
            "limit point at load factor %.8g: %s, where the mesh has a limit point even "
            "if the beam has none: take more elements; if the limit point remains, "
            "reduce the load, or follow the path through it by arc length",
            load, coarse);
    return olo_fail(
        error, OLO_NOT_CONVERGED,
        "limit point at load factor %.8g: the load has a maximum on the path of equilibria; with a "
        "larger load the structure snaps to a state that is not connected with the path; reduce "
        "the load, or follow the path through the limit point by arc length",
        load);
}

/* Accepts the step as part of the path. */
static olo_status accept(follower *f, const olo_path_target *target, olo_error *error)
{
    olo_search *x = f->search;
    olo_path *p = &f->path;
    olo_status status = OLO_OK;
    const double load = target->to_load ? target->load : olo_path_load(p);
    f->done = target->to_load && load >= x->options->end;
    f->kink = false;
    x->summary->judged = p->end.judged;
    x->summary->unstable = p->end.judged ? p->end.unstable : 0;
    x->summary->neutral = 0;
    if (f->done)
        status = olo_search_judge(x, load, error);
    return status == OLO_OK ? olo_search_accept(x, load, error) : status;
}

/* True if critical points of this kind have to be located. */
static bool is_wanted(const olo_equilibrium_options *o, bool limit)
{
    return o->locate || (limit ? !passes_limits(o) : o->branch != 0);
}

/* The state is just before a bifurcation, which becomes an equilibrium of the path: the next one is
 * the first of the branch. */
static olo_status leave_path(follower *f, double load, olo_error *error)
{
    olo_search *x = f->search;
    olo_path *p = &f->path;
    olo_status status = olo_search_judge(x, load, error);
    if (status == OLO_OK)
        status = olo_search_accept(x, load, error);
    if (status == OLO_OK)
        status = olo_path_switch(p, x->options->branch > 0 ? 1 : -1, error);
    if (status != OLO_OK)
        return status;
    /* the first step along the branch, shorter where it fails */
    olo_search_save(x);
    f->targeted = false;
    f->length = branch_length;
    f->largest = growth * branch_length;
    while ((status = olo_path_step(p, &(olo_path_target){.length = f->length}, error)) != OLO_OK &&
           status != OLO_INTERRUPTED && status != OLO_NO_MEMORY && f->length > p->smallest)
        f->length *= shorter;
    if (status != OLO_OK)
        return fail_path(x, error);
    status = accept(f, &(olo_path_target){.length = f->length}, error);
    (void)olo_path_accept_step(p);
    return status;
}

/* If the step passed a critical point: locates it, and makes the step again. `again` is true if the
 * step must be made again with a shorter length. */
static olo_status locate_event(follower *f, const olo_path_target *target, bool *again,
                               olo_error *error)
{
    olo_search *x = f->search;
    olo_path *p = &f->path;
    const olo_path_event event = olo_path_find_event(p);
    const bool limit = event == OLO_PATH_LIMIT;
    const int unstable = p->start.judged && p->end.judged ? p->end.unstable : -1;
    double along =
        olo_path_dot(p, p->start.q, p->step) + p->unit * p->unit * p->start.load * p->step_load;
    bool broken = false;
    *again = false;
    if (event == OLO_PATH_NO_EVENT || !is_wanted(x->options, limit))
        return OLO_OK;
    olo_status status = olo_path_locate(p, event, along, &broken, error);
    const double load = olo_path_load(p);
    if (status == OLO_OK && broken)
        status = olo_fail(error, OLO_NOT_CONVERGED, "Newton iteration leaves the path");
    if (status == OLO_OK && limit && load > x->options->end * (1 + same))
        status = olo_fail(error, OLO_NOT_CONVERGED,
                          "a limit point follows"); /* the requested load comes before it */
    if (status != OLO_OK) {
        *again = true;
        return shorten(f, shorter * f->length, error);
    }
    add_critical(x, load, limit, unstable);
    f->bifurcations += !limit;
    if (!limit && f->bifurcations == abs(x->options->branch)) {
        *again = true;
        return leave_path(f, load, error);
    }
    return limit && !passes_limits(x->options) ? end_at_limit(f, load, error)
                                               : olo_path_advance(p, target, error);
}

/* Chooses the next length from the curvature of the path and the iterations of the last step. */
static void choose_length(follower *f, long iterations)
{
    double factor = fmin(twice, fmax(0.5, turn / fmax(f->path.turn, 1e-6)));
    if (iterations > easy_iterations)
        factor = fmin(factor, 1);
    double scale = olo_path_accept_step(&f->path);
    f->largest *= scale;
    double moved = sqrt(olo_path_dot(&f->path, f->path.start.q, f->path.start.q));
    f->length = fmin(fmax(f->length * factor * scale, f->path.smallest),
                     fmin(f->largest, longest / fmax(moved, 1e-30)));
}

/* One step of the path. */
static olo_status make_step(follower *f, olo_error *error)
{
    olo_search *x = f->search;
    long iterations = x->summary->iterations;
    bool again = false;
    olo_search_save(x);
    /* save the equilibrium and make a step */
    olo_path_target target = next_target(f);
    olo_status status = olo_path_step(&f->path, &target, error);
    if (status != OLO_OK)
        return shorten(f, shorter * f->length, error);
    double load = olo_path_load(&f->path);
    iterations = x->summary->iterations - iterations;
    /* a step beyond the requested load is made again with that load as target */
    if (!target.to_load && load >= x->options->end) {
        f->length *= (x->options->end - x->load) / (load - x->load);
        f->targeted = true;
        x->summary->cutbacks++;
        olo_search_restore(x);
        return OLO_OK;
    }
    /* locate critical points, accept the step, choose the next length */
    status = locate_event(f, &target, &again, error);
    if (status != OLO_OK || again)
        return status;
    status = accept(f, &target, error);
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
    f->largest = passes_limits(o) ? growth * f->length : HUGE_VAL;
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
                     : make_step(&f, &cause);
    }
    if (status == OLO_OK && f.bifurcations < abs(x->options->branch))
        status = olo_fail(
            &cause, OLO_NOT_CONVERGED,
            "the path has %d bifurcation%s up to load factor %.6g: there is no branch "
            "at number %d",
            f.bifurcations, f.bifurcations == 1 ? "" : "s", x->load, abs(x->options->branch));
    olo_path_free(&f.path);
    if (status != OLO_OK && error)
        *error = cause;
    return status;
}
