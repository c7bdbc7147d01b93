/* One step along the path of equilibria r(q, s) = 0 with the load factor s, by its arc length
 * (Riks 1979; Crisfield 1981):
 *
 *     predictor   (dq, ds) = length t,   t = (v, 1)/|(v, 1)|,   v = -K^-1 dr/ds: the tangent
 *     corrector   dq = -K^-1 r + ds v,   t . (dq, ds) = 0, or ds = 0 in a step to a given load
 *
 * in the norm <a, b> = mean over nodes of a.b, lengths over the model's length, angles, plus
 * unit^2 times the product of the loads.
 *
 * Newton may converge to another branch. A step is therefore verified by the tangents t0 and
 * t1 at both ends and the direction c from one to the other: on a smooth path t0 + t1 = 2 c but
 * for terms of third order in the length, while a point of another branch satisfies this by
 * chance only. Steps that do not are refused. The smallest steps pass with any tangents, so that
 * kinks (stops, motions by tables) do not end a path: their ends are one point to the accuracy
 * asked for. */
#ifndef OLO_STATICS_PATH_H
#define OLO_STATICS_PATH_H

#include "base/pool.h"
#include "statics/search.h"

/* The unit tangent of the path at an equilibrium. */
typedef struct olo_path_tangent {
    double *q; /* like a change of olo_static_balance */
    double load;
    bool judged;  /* all loads have a potential there: the tangent stiffness is symmetric ... */
    int negative; /* ... and has so many negative eigenvalues by their signs, ... */
    int unstable; /* ... so many where one that is zero to rounding counts as at the last step */
} olo_path_tangent;

typedef struct olo_path {
    olo_search *search;
    olo_pool pool;
    double unit; /* a change of the load factor by 1 counts as so many model lengths or radians */
    bool exact;  /* the tangents of all loads are known */
    olo_path_tangent start, end; /* at the last equilibrium; where the step led */
    double
        *step; /* from the last equilibrium to the state, like a change of olo_static_balance ... */
    double step_load; /* ... and in the load factor */
    double *far;      /* another step, to compare with */
    double turn;      /* angle between both tangents */
    double least;     /* steps so short pass with any tangents */
} olo_path;

/* A step of the path: its length, and the load where it has to end. */
typedef struct olo_path_aim {
    double length;
    bool to_load;
    double load;
    bool kink; /* over a kink: the tangent at the start is no guide */
} olo_path_aim;

/* Memory, and the tangent at the last equilibrium, where the state is. */
olo_status olo_path_create(olo_path *path, olo_search *search, olo_error *error);
void olo_path_free(olo_path *path);
double olo_path_dot(const olo_path *path, const double *a, const double *b);
/* From the last equilibrium, which olo_search_keep has kept, without verification; and with.
 * After a failure the state is back at that equilibrium. */
olo_status olo_path_advance(olo_path *path, const olo_path_aim *aim, olo_error *error);
olo_status olo_path_step(olo_path *path, const olo_path_aim *aim, olo_error *error);
/* The load that the step led to. */
static inline double olo_path_load(const olo_path *path)
{
    return path->search->load + path->step_load;
}
/* The last step has become part of the path: on from its end. Returns by how much lengths grow
 * as the norm changes. */
double olo_path_go_on(olo_path *path);

/* What a step passed: a point where the load turns, or where the number of unstable directions
 * changes. */
typedef enum olo_path_event {
    OLO_PATH_NOTHING,
    OLO_PATH_LIMIT,
    OLO_PATH_BIFURCATION
} olo_path_event;
olo_path_event olo_path_passed(const olo_path *path);
/* Finds it by bisection of the step of this length; the state is there then, on the near side.
 * `broken`: there is none, the step has led to another branch. */
olo_status olo_path_locate(olo_path *path, olo_path_event event, double length, bool *broken,
                           olo_error *error);

#endif
