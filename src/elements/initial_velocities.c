/* The initial velocities of bodies for which the user gave none. They are propagated from the
 * ground and from bodies with given velocities, across joints and supports in both directions,
 * breadth first. Neither the order of the joints in the file nor the order of the bodies in a joint
 * matters.
 *
 * Angular velocities are computed first, because velocities depend on them. In each of the two
 * passes, joints that determine the motion fully (all directions are constrained, or a rate or a
 * motion is given) are crossed first, then joints that determine it partly, then joints that leave
 * all directions free. A spherical joint, for example, does not determine the rotation; the body
 * rotates as another joint implies, if there is one. In a loop, moving bodies determine the others
 * before a joint with the ground without a rate does.
 *
 * The base of a joint that is not fully determined does not take over the velocity of a body for
 * which one was given: a rotor with a given angular velocity rotates in its housing. Bodies that
 * are not reached are initially at rest: first those that are the second body of no joint, then the
 * others. */
#include "elements/initial_velocities.h"

#include <stddef.h>

#include "base/memory.h"
#include "base/pool.h"
#include "system/system.h"

/* One queue for each determination, and within it one for joints of reached bodies and one for
 * joints of sources.
 */
enum { QUEUES = 2 * OLO_DETERMINATIONS };

/* Joints sorted by node, the ground first, and the queues of joints to be crossed. */
typedef struct traversal {
    olo_system *system;
    const olo_relative_velocity *joints;
    int count;
    bool angular; /* the pass: angular velocities or velocities */
    bool *known;  /* [1 + nodes] */
    int *first;   /* [1 + nodes + 1] index of the first joint of a node in `of_node` */
    int *of_node; /* [2 count] */
    int *queue;   /* [QUEUES][2 count]: a joint enters once from each end */
    int head[QUEUES], tail[QUEUES];
} traversal;

static olo_determination determination_in(const traversal *w, int joint)
{
    return w->angular ? w->joints[joint].rotation : w->joints[joint].translation;
}

/* Nodes are counted from -1, the ground. */
static void sort_by_node(traversal *w)
{
    int nodes = w->system->node_count;
    for (int j = 0; j < w->count; j++) {
        w->first[w->joints[j].velocity.base + 2]++;
        w->first[w->joints[j].velocity.body + 2]++;
    }
    for (int k = 0; k <= nodes; k++)
        w->first[k + 1] += w->first[k];
    /* filled from the end, which leaves the first indices correct and the joints in the order of
     * the file */
    for (int j = w->count - 1; j >= 0; j--) {
        w->of_node[--w->first[w->joints[j].velocity.base + 2]] = j;
        w->of_node[--w->first[w->joints[j].velocity.body + 2]] = j;
    }
    for (int k = 0; k <= nodes; k++)
        w->first[k] = w->first[k + 1];
    w->first[nodes + 1] = 2 * w->count;
}

/* Marks a node as known, either given (`source`: the ground, a body with a given velocity) or
 * implied by others, and adds its joints to the queues. */
static void reach(traversal *w, int node, bool source)
{
    w->known[node + 1] = true;
    for (int i = w->first[node + 1]; i < w->first[node + 2]; i++) {
        int joint = w->of_node[i];
        olo_determination determined = determination_in(w, joint);
        bool full = determined == OLO_DETERMINED_FULLY,
             against = node == w->joints[joint].velocity.body;
        if (source && against && !full)
            continue;
        int queue = full ? 0 : 2 * (int)determined + source;
        w->queue[2 * w->count * queue + w->tail[queue]++] = joint;
    }
}

/* The next joint, fully determined ones first; -1 if there is none. */
static int next_joint(traversal *w)
{
    for (int k = 0; k < QUEUES; k++)
        if (w->head[k] < w->tail[k])
            return w->queue[2 * w->count * k + w->head[k]++];
    return -1;
}

/* Crosses the joints in the queues until all are empty. */
static void propagate(traversal *w)
{
    olo_system *s = w->system;
    for (int joint = next_joint(w); joint >= 0; joint = next_joint(w)) {
        olo_implied_velocity x = w->joints[joint].velocity;
        if (w->known[x.base + 1] && w->known[x.body + 1])
            continue;
        x.child = w->known[x.base + 1] ? x.body : x.base;
        x.angular = w->angular;
        x.linear = !w->angular;
        olo_imply_velocity(s, &x, s->q0, s->v0);
        s->implied[s->implied_count++] = x;
        reach(w, x.child, false);
    }
}

static bool is_second(const traversal *w, int node)
{
    for (int i = w->first[node + 1]; i < w->first[node + 2]; i++)
        if (w->joints[w->of_node[i]].velocity.body == node)
            return true;
    return false;
}

/* Sets the velocity of bodies that were not reached to zero, and propagates it. */
static void reach_remaining(traversal *w, bool second_too)
{
    for (int k = 0; k < w->system->node_count; k++)
        if (!w->known[k + 1] && (second_too || !is_second(w, k))) {
            reach(w, k, false);
            propagate(w);
        }
}

/* Computes the angular velocities of all bodies, or their velocities. */
static void find_velocities(traversal *w, bool angular)
{
    const olo_system *s = w->system;
    w->angular = angular;
    for (int k = 0; k < QUEUES; k++)
        w->head[k] = w->tail[k] = 0;
    for (int k = 0; k <= s->node_count; k++)
        w->known[k] = false;
    reach(w, -1, true);
    for (int k = 0; k < s->node_count; k++) {
        bool frame = s->nodes[k].type->spatial;
        if (!frame || s->v0_given[s->nodes[k].q + (angular ? 3 : 0)])
            reach(w, k, true);
    }
    propagate(w);
    reach_remaining(w, false);
    reach_remaining(w, true);
}

bool olo_find_initial_velocities(olo_system *s, int count, const olo_relative_velocity *relative)
{
    size_t nodes = (size_t)s->node_count, ends = 2 * (size_t)count;
    if (count == 0)
        return true;
    olo_pool pool = {0};
    traversal w = {.system = s, .joints = relative, .count = count};
    s->implied = olo_copy(NULL, 2 * nodes, sizeof *s->implied);
    w.known = olo_pool_alloc(&pool, nodes + 1, sizeof *w.known);
    w.first = olo_pool_alloc(&pool, nodes + 2, sizeof *w.first);
    w.of_node = olo_pool_alloc(&pool, ends, sizeof *w.of_node);
    w.queue = olo_pool_alloc(&pool, QUEUES * ends, sizeof *w.queue);
    const bool allocated = s->implied && !pool.failed;
    if (allocated) {
        sort_by_node(&w);
        find_velocities(&w, true);
        find_velocities(&w, false);
    }
    olo_pool_free(&pool);
    return allocated;
}
