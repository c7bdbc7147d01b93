/* Spanning forest and closures. The forest is built by a breadth-first search from the ground, then
 * from free nodes. */
#include "kinematics/topology.h"

#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "elements/joint_pair.h"

/* --- growing the forest --- */

typedef struct growth {
    olo_topology *topology;
    const bool *active; /* [groups] NULL: all */
    bool *reached;      /* [nodes] the node is part of the forest */
    bool *used;         /* [joints] the joint is part of the forest */
    int count;          /* number of nodes of the forest */
    /* joints by node: list[first[k] .. first[k+1]) */
    int *first, *list;
} growth;

static bool is_active(const growth *g, int group)
{
    return !g->active || group < 0 || g->active[group];
}

/* Sets the joint of a node from the numbers of the system, oriented with the node as its child. */
static void orient(const olo_system *s, int node, olo_topology_node *x)
{
    if (x->source >= 0) {
        x->joint = s->joints[x->source];
        if (x->joint.child != node)
            x->joint.type->reverse(&x->joint);
    } else if (s->planar && s->nodes[node].type->position >= 0) {
        x->joint = olo_joint_in_plane(s, node);
    } else {
        x->joint = (olo_articulation){0};
    }
    x->joint.parent = x->parent;
    x->joint.child = node;
}

/* Adds a node to the forest. */
static void attach(growth *g, int node, int parent, const olo_articulation *joint)
{
    olo_topology_node *x = &g->topology->nodes[node];
    const olo_system *s = g->topology->system;
    x->source = joint ? (int)(joint - s->joints) : -1;
    if (joint)
        g->used[x->source] = true;
    x->parent = parent;
    orient(s, node, x);
    x->type = x->joint.type;
    g->reached[node] = true;
    g->topology->order[g->count++] = node;
}

/* Whether a joint can be part of the forest: its group is active, and the joint satisfies it. */
static bool is_joint(const growth *g, const olo_articulation *joint)
{
    const int group = joint->group;
    return is_active(g, group) && (group < 0 || !g->topology->system->groups[group].latched);
}

/* Breadth-first search over the joints of the nodes in the order from index `from` on. */
static void spread(growth *g, int from)
{
    const olo_system *s = g->topology->system;
    for (int i = from; i < g->count; i++) {
        int p = g->topology->order[i];
        for (int k = g->first[p]; k < g->first[p + 1]; k++) {
            const olo_articulation *joint = &s->joints[g->list[k]];
            if (joint->parent == p && !g->reached[joint->child])
                attach(g, joint->child, p, joint);
            else if (joint->child == p && joint->reversible && !g->reached[joint->parent])
                attach(g, joint->parent, p, joint);
        }
    }
}

/* Lists the active joints of each node. */
static bool index_joints(growth *g)
{
    const olo_system *s = g->topology->system;
    g->first = olo_alloc((size_t)s->node_count + 2, sizeof *g->first);
    g->list = olo_alloc(2 * (size_t)s->joint_count, sizeof *g->list);
    if (!g->first || !g->list)
        return false;
    for (int j = 0; j < s->joint_count; j++) {
        if (!is_joint(g, &s->joints[j]))
            continue;
        if (s->joints[j].parent >= 0)
            g->first[s->joints[j].parent + 2]++;
        g->first[s->joints[j].child + 2]++;
    }
    for (int k = 2; k < s->node_count + 2; k++)
        g->first[k] += g->first[k - 1];
    for (int j = 0; j < s->joint_count; j++) {
        if (!is_joint(g, &s->joints[j]))
            continue;
        if (s->joints[j].parent >= 0)
            g->list[g->first[s->joints[j].parent + 1]++] = j;
        g->list[g->first[s->joints[j].child + 1]++] = j;
    }
    return true;
}

static void grow_forest(growth *g)
{
    const olo_system *s = g->topology->system;
    /* trees with a joint to the ground */
    for (int j = 0; j < s->joint_count; j++)
        if (s->joints[j].parent < 0 && !g->reached[s->joints[j].child] &&
            is_joint(g, &s->joints[j]))
            attach(g, s->joints[j].child, -1, &s->joints[j]);
    spread(g, 0);
    /* free roots, bodies first, since a body can be the parent of a point but not its child */
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->node_count; k++)
            if (!g->reached[k] && (pass == 1 || olo_node_turns(&s->nodes[k]))) {
                attach(g, k, -1, NULL);
                spread(g, g->count - 1);
            }
}

static void number_unknowns(olo_topology *topology)
{
    const olo_system *s = topology->system;
    for (int k = 0; k < s->node_count; k++) {
        olo_topology_node *x = &topology->nodes[k];
        x->dof = x->type ? x->type->dof(&x->joint, s) : s->nodes[k].twist;
        x->u = topology->unknowns;
        topology->unknowns += x->dof;
    }
}

/* --- closures --- */

/* Adds the rows of a group to the closures, in blocks. */
static void close_group(olo_topology *topology, const olo_group *group)
{
    for (int row = 0; row < group->count; row += OLO_BLOCK_MAX) {
        int left = group->count - row;
        olo_closure *closure = &topology->closure_blocks[topology->closure_block_count++];
        closure->first = group->first + row;
        closure->count = left < OLO_BLOCK_MAX ? left : OLO_BLOCK_MAX;
        closure->u = topology->closure_count;
        for (int j = 0; j < closure->count; j++) {
            topology->closure_block[topology->closure_count] = topology->closure_block_count - 1;
            topology->closures[topology->closure_count++] = closure->first + j;
        }
    }
}

static bool find_closures(growth *g)
{
    olo_topology *topology = g->topology;
    const olo_system *s = topology->system;
    topology->closures = olo_alloc((size_t)s->m, sizeof *topology->closures);
    topology->closure_block = olo_alloc((size_t)s->m, sizeof *topology->closure_block);
    topology->closure_blocks = olo_alloc((size_t)s->m, sizeof *topology->closure_blocks);
    if (!topology->closures || !topology->closure_block || !topology->closure_blocks)
        return false;
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        bool carried =
            group->internal || group->carried || (group->joint >= 0 && g->used[group->joint]);
        if (!carried && is_active(g, i))
            close_group(topology, group);
    }
    return true;
}

int olo_topology_node_of(const olo_topology *topology, int group)
{
    const int number = topology->system->groups[group].joint;
    if (number < 0)
        return -1;
    const olo_articulation *joint = &topology->system->joints[number];
    const int ends[2] = {joint->child, joint->parent};
    for (int i = 0; i < 2; i++) {
        const olo_topology_node *node = ends[i] < 0 ? NULL : &topology->nodes[ends[i]];
        if (node && node->type && node->joint.group == group)
            return ends[i];
    }
    return -1;
}

/* --- creation --- */

static bool grow(olo_topology *topology, const bool *active)
{
    const olo_system *s = topology->system;
    growth g = {.topology = topology, .active = active};
    topology->nodes = olo_alloc((size_t)s->node_count, sizeof *topology->nodes);
    topology->order = olo_alloc((size_t)s->node_count, sizeof *topology->order);
    g.reached = olo_alloc((size_t)s->node_count, sizeof *g.reached);
    g.used = olo_alloc((size_t)s->joint_count, sizeof *g.used);
    bool ok = topology->nodes && topology->order && g.reached && g.used && index_joints(&g);
    if (ok) {
        grow_forest(&g);
        number_unknowns(topology);
        ok = find_closures(&g);
    }
    olo_free(g.reached);
    olo_free(g.used);
    olo_free(g.first);
    olo_free(g.list);
    return ok;
}

olo_status olo_topology_create(const olo_system *system, const bool *active, olo_topology **created,
                               olo_error *error)
{
    olo_topology *topology = *created = olo_alloc(1, sizeof *topology);
    olo_status status = OLO_NO_MEMORY;
    if (topology) {
        topology->system = system;
        status = grow(topology, active) ? OLO_OK : OLO_NO_MEMORY;
    }
    if (status != OLO_OK)
        olo_fail(error, status, "out of memory for the spanning tree");
    else
        status = olo_topology_couple(topology, error);
    if (status != OLO_OK) {
        olo_topology_free(topology);
        *created = NULL;
    }
    return status;
}

olo_status olo_topology_share(const olo_topology *topology, const olo_system *system,
                              olo_topology **shared, olo_error *error)
{
    const size_t count = (size_t)system->node_count;
    olo_topology *t = *shared = olo_alloc(1, sizeof *t);
    olo_topology_node *nodes = olo_copy(NULL, count, sizeof *nodes);
    if (!t || !nodes) {
        olo_free(nodes);
        *shared = olo_free(t);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the spanning tree");
    }
    *t = *topology;
    t->system = system;
    t->borrowed = true;
    t->nodes = nodes;
    for (int k = 0; k < system->node_count; k++) {
        memcpy(&nodes[k], &topology->nodes[k], offsetof(olo_topology_node, joint));
        orient(system, k, &nodes[k]);
    }
    return OLO_OK;
}

void olo_topology_free(olo_topology *topology)
{
    if (!topology)
        return;
    olo_free(topology->nodes);
    if (!topology->borrowed) {
        olo_elimination_structure_free(topology->elimination);
        olo_pool_free(&topology->pool);
        olo_free(topology->order);
        olo_free(topology->closures);
        olo_free(topology->closure_block);
        olo_free(topology->closure_blocks);
    }
    olo_free(topology);
}
