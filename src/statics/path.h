/* One step along the path of equilibria r(q, s) = 0 with the load factor s, by its arc length
 * (Riks 1979; Crisfield 1981):
 *
 *     predictor   (dq, ds) = length t,   t = (v, 1)/|(v, 1)|,   v = -K^-1 dr/ds: the tangent
 *     corrector   dq = -K^-1 r + ds v,   t . (dq, ds) = 0, or ds = 0 in a step to a given load
 *
 * in the inner product <a, b> = mean over nodes of a.b (lengths divided by the model's length,
 * angles) plus unit^2 times the product of the loads.
 *
 * Newton may converge to another branch. A step is therefore verified by the tangents t0 and t1 at
 * both ends and the direction c from one to the other: on a smooth path t0 + t1 = 2 c up to terms
 * of third order in the length, while a point of another branch satisfies this only by chance.
 * Other steps are rejected. The smallest steps are accepted with any tangents, so that kinks
 * (stops, motions by tables) do not end a path: their ends coincide to the requested accuracy. */
#ifndef OLO_STATICS_PATH_H
#define OLO_STATICS_PATH_H

#include "base/pool.h"
#include "statics/search.h"

/* The unit tangent of the path at an equilibrium. */
typedef struct olo_path_tangent {
    double *q; /* layout as `change` of olo_static_balance */
    double load;
    bool judged;  /* all loads have a potential here: the tangent stiffness is symmetric */
    int negative; /* number of its negative eigenvalues by their signs */
    int unstable; /* the same, where an eigenvalue that is zero to rounding counts as at the last
                     step */
} olo_path_tangent;

typedef struct olo_path {
    olo_search *search;
    olo_pool pool;
    double unit;                 /* weight of the load factor in model lengths or radians */
    bool exact;                  /* the tangents of all loads are known */
    olo_path_tangent start, end; /* at the last equilibrium; at the end of the step */
    double *step;                /* from the last equilibrium to the state, layout as `change` */
    double step_load;            /* the change of the load factor */
    double *other_step;          /* another step, for comparison */
    double turn;                 /* angle between both tangents */
    double smallest;             /* steps of this length are accepted with any tangents */
} olo_path;

/* The target of a step: its length, or the load at its end. */
typedef struct olo_path_target {
    double length;
    bool to_load;
    double load;
    bool kink; /* over a kink: the tangent at the start is not valid beyond it */
} olo_path_target;

/* Allocates memory, and finds the tangent at the state, which is the last equilibrium. */
olo_status olo_path_create(olo_path *path, olo_search *search, olo_error *error);
void olo_path_free(olo_path *path);
double olo_path_dot(const olo_path *path, const double *a, const double *b);
/* Makes a step from the last equilibrium, saved by olo_search_save: `advance` without, `step` with
 * verification. After a failure the state is restored to that equilibrium. */
olo_status olo_path_advance(olo_path *path, const olo_path_target *target, olo_error *error);
olo_status olo_path_step(olo_path *path, const olo_path_target *target, olo_error *error);
/* The load at the end of the step. */
static inline double olo_path_load(const olo_path *path)
{
    return path->search->load + path->step_load;
}
/* Accepts the last step: the next one begins at its end. Returns the factor by which lengths change
 * with the norm. */
double olo_path_accept_step(olo_path *path);

/* At a bifurcation, where the state is: replaces the tangent by the direction of the branch, the
 * null vector of the stiffness orthogonal to the path; `sign` is its orientation. */
olo_status olo_path_switch(olo_path *path, double sign, olo_error *error);

/* An event within a step: the load has an extremum, or the number of unstable directions
 * changes. */
typedef enum olo_path_event {
    OLO_PATH_NO_EVENT,
    OLO_PATH_LIMIT,
    OLO_PATH_BIFURCATION
} olo_path_event;
olo_path_event olo_path_find_event(const olo_path *path);
/* Locates it by bisection of the step of this length; afterwards the state is just before it.
 * `broken`: there is no such point, the step has led to another branch. */
olo_status olo_path_locate(olo_path *path, olo_path_event event, double length, bool *broken,
                           olo_error *error);

#endif
