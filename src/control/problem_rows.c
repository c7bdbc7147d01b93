/* Constraint rows that a problem can have: those of its scheme, and prescribed motions that are at
 * rest where the system shall be. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/problem.h"
#include "kinematics/topology.h"

enum { SAMPLES = 64 };

/* The largest rate of a prescribed motion, and the time at which it has it, between two times. */
static double fastest(const olo_constraint *row, double from, double to, double *when)
{
    double largest = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        const double t = i < SAMPLES ? from + i * (to - from) / SAMPLES : to;
        const double rate = fabs(olo_constraint_motion_rate(row, t));
        if (rate > largest) {
            largest = rate;
            *when = t;
        }
    }
    return largest;
}

static olo_status check_motion(const olo_control_problem *p, const olo_constraint *row,
                               const char *name, olo_error *error)
{
    double when = 0;
    if (p->free_duration && (!row->time.curvature || !row->time.third))
        return olo_fail(error, OLO_UNSUPPORTED,
                        "'%s' has a prescribed motion without second and third derivative by time "
                        "(a function of C or Python): then the duration must be given",
                        name);
    const double shortest = olo_control_time(p, 1, p->shortest),
                 longest = olo_control_time(p, 1, p->longest),
                 scale = fastest(row, p->start_time, longest, &when);
    if (p->rest && fastest(row, shortest, longest, &when) > 1e-8 * scale)
        return olo_fail(error, OLO_INCONSISTENT,
                        "rest at the end cannot be reached: the prescribed motion '%s' still moves "
                        "at t = %g; take `end_velocity: free`, with conditions for velocities",
                        name, when);
    return OLO_OK;
}

static olo_status check_rows(const olo_control_problem *p, olo_error *error)
{
    const olo_system *s = p->system;
    olo_status status = OLO_OK;
    for (int c = 0; status == OLO_OK && c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const char *group = s->groups[olo_system_group_of(s, c)].name;
        if (row->type->velocity && !p->energy_momentum)
            status = olo_fail(error, OLO_UNSUPPORTED,
                              "'%s' constrains velocities (rolling): the scheme variational is for "
                              "constraints of positions; take scheme energy-momentum-2006 with the "
                              "transcription redundant",
                              group);
        else if (olo_constraint_moves(row))
            status = check_motion(p, row, group, error);
    }
    return status;
}

/* The groups that do not constrain velocities; returns whether these are all. */
static bool list_positions(const olo_system *s, bool *active)
{
    bool all = true;
    for (int i = 0; i < s->group_count; i++)
        active[i] = true;
    for (int c = 0; c < s->m; c++)
        if (s->constraints[c].type->velocity)
            active[olo_system_group_of(s, c)] = all = false;
    return all;
}

olo_status olo_control_resolve_rows(olo_control_problem *p, olo_error *error)
{
    const olo_system *s = p->system;
    bool *active = olo_alloc((size_t)s->group_count + 1, sizeof *active);
    p->open = olo_pool_alloc(&p->pool, (size_t)s->m + 1, sizeof *p->open);
    olo_status status = active && p->open ? check_rows(p, error)
                                          : olo_fail(error, OLO_NO_MEMORY,
                                                     "out of memory for an optimisation problem");
    p->topology = s->topology;
    if (status == OLO_OK && !list_positions(s, active)) {
        status = olo_topology_create(s, active, &p->own, error);
        p->topology = p->own;
    }
    for (int i = 0; status == OLO_OK && i < p->topology->closure_count; i++)
        p->open[p->open_count++] = p->topology->closures[i];
    for (int c = 0; status == OLO_OK && c < s->m; c++)
        if (!active[olo_system_group_of(s, c)])
            p->open[p->open_count++] = c;
    olo_free(active);
    return status;
}
