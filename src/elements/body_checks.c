/* Checks of bodies that need all elements: masses and beams may contribute to a body, and joints,
 * springs and rods may determine its rotation.
 *
 * The rotation of a body is undetermined if its inertia about the centre of mass vanishes,
 *
 *     E - mc mc^T/m = 0,
 *
 * and nothing acts on its directors but its weight and at most one joint that leaves all rotations
 * free: a rotation about the line from the joint to the centre then changes nothing. */
#include "elements/body_checks.h"

#include <float.h>
#include <math.h>

#include "base/extreme.h"
#include "base/memory.h"

typedef struct moments {
    double mass, first[3], second[9];
} moments;

/* The moments of every frame with everything that is on it. */
static void find_moments(const olo_system *s, moments *all)
{
    for (int e = 0; e < s->mass_count; e++) {
        const olo_coordinate *i = &s->coordinates[s->mass[e].i], *j = &s->coordinates[s->mass[e].j];
        moments *x = &all[i->node];
        if (!s->nodes[i->node].type->spatial || i->node != j->node)
            continue;
        if (i->slot == 0 && j->slot == 0)
            x->mass += s->mass[e].m;
        else if (i->slot == 0)
            x->first[j->slot - 1] += s->mass[e].m;
        else
            x->second[3 * (i->slot - 1) + j->slot - 1] += s->mass[e].m;
    }
}

static bool is_point_like(const moments *x)
{
    const double rounding = 16 * DBL_EPSILON;
    double size = 0, central = 0;
    for (int i = 0; i < 9; i++) {
        if (i / 3 > i % 3)
            continue; /* only the upper triangle is stored */
        olo_raise(&size, fabs(x->second[i]));
        olo_raise(&central, fabs(x->second[i] - x->first[i / 3] * x->first[i % 3] / x->mass));
    }
    return central <= rounding * size;
}

static bool involves(const olo_system *s, int size, const int *index, int node)
{
    for (int i = 0; i < size; i++)
        if (s->coordinates[index[i]].node == node)
            return true;
    return false;
}

/* Whether a group constrains a node beyond its own directors and the plane of the model. */
static bool constrains(const olo_system *s, const olo_group *group, int node)
{
    for (int k = 0; !group->internal && !group->carried && k < group->count; k++) {
        const olo_constraint *row = &s->constraints[group->first + k];
        if (involves(s, row->size, row->index, node))
            return true;
    }
    return false;
}

static bool rotates_freely(const olo_system *s, int node)
{
    int joints = 0;
    for (int i = 0; i < s->term_count; i++)
        if (!s->terms[i].law->linear && involves(s, s->terms[i].size, s->terms[i].index, node))
            return false;
    for (int i = 0; i < s->group_count; i++) {
        const int joint = s->groups[i].joint;
        if (!constrains(s, &s->groups[i], node))
            continue;
        if (joint < 0 || s->joints[joint].rotations != 3 || ++joints > 1)
            return false;
    }
    return true;
}

/* The location of a node in the model. */
static const char *where(const olo_system *s, int node)
{
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].frame == node)
            return s->groups[i].where;
    return "";
}

static olo_status check_body(const olo_system *s, int k, const moments *x, olo_error *error)
{
    const olo_node *node = &s->nodes[k];
    if (!node->type->spatial || node->type->directors < 0 || node->section)
        return OLO_OK;
    if (!(x->mass > 0))
        return olo_fail(error, OLO_BAD_INPUT,
                        "%s: the mass must be positive, got %g: give `mass`, `shapes`, or "
                        "`masses` on the body",
                        where(s, k), x->mass);
    if (is_point_like(x) && rotates_freely(s, k))
        return olo_fail(error, OLO_BAD_INPUT,
                        "%s: the body '%s' has a mass but no inertia, and nothing determines "
                        "its rotation: give `inertia` or `shapes`, or make it a point mass "
                        "(section `points`)",
                        where(s, k), node->name);
    return OLO_OK;
}

olo_status olo_check_bodies(const olo_system *s, olo_error *error)
{
    moments *all = olo_alloc((size_t)s->node_count, sizeof *all);
    olo_status status =
        all ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    if (status == OLO_OK)
        find_moments(s, all);
    for (int k = 0; status == OLO_OK && k < s->node_count; k++)
        status = check_body(s, k, &all[k], error);
    olo_free(all);
    return status;
}
