/* The initial velocities of bodies that the user gave none. They spread outward from what is known,
 * the ground and bodies with velocities of their own, across joints and supports in either
 * direction, breadth first: neither the order of the joints in the file nor that of the bodies in a
 * joint counts.
 *
 * Angular velocities come first, since velocities follow from them. For each of the two a joint
 * that holds all directions, or has a rate or a motion, goes before one that leaves some of them
 * free, and that before one that leaves all free: a spherical joint says nothing about rotation,
 * and a body turns as another joint says, if there is one. In a loop what moves takes the rest
 * along before a joint with the ground that has no rate keeps it at rest.
 *
 * Against a body with a velocity of its own the base of a free joint is not carried along: a rotor
 * that is given its angular velocity turns in its housing. What nothing reaches is at rest: first
 * bodies that are second in no joint, then others.
 */
#include "elements/initial_velocities.h"

#include <stddef.h>

#include "base/memory.h"
#include "system/system.h"

/* One for each hold, and in it for joints of bodies that were reached and those of sources. */
enum { QUEUES = 2 * OLO_HOLDS };

/* Joints by node, the ground first, and those that are to be crossed. */
typedef struct walk {
    olo_system *system;
    const olo_relative_velocity *joints;
    int count;
    bool angular; /* of the two passes */
    bool *known;  /* [1 + nodes] */
    int *first;   /* [1 + nodes + 1] of a node in `of_node` */
    int *of_node; /* [2 count] */
    int *queue;   /* [QUEUES][2 count]: a joint comes in once from each end */
    int head[QUEUES], tail[QUEUES];
} walk;

static olo_hold hold_of(const walk *w, int joint)
{
    return w->angular ? w->joints[joint].rotation : w->joints[joint].translation;
}

/* Nodes are counted from -1, the ground. */
static void sort_by_node(walk *w)
{
    int nodes = w->system->node_count;
    for (int j = 0; j < w->count; j++) {
        w->first[w->joints[j].velocity.base + 2]++;
        w->first[w->joints[j].velocity.body + 2]++;
    }
    for (int k = 0; k <= nodes; k++)
        w->first[k + 1] += w->first[k];
    /* filled from the end, so that the starts are left as they are to be, and joints in the order
     * of the file */
    for (int j = w->count - 1; j >= 0; j--) {
        w->of_node[--w->first[w->joints[j].velocity.base + 2]] = j;
        w->of_node[--w->first[w->joints[j].velocity.body + 2]] = j;
    }
    for (int k = 0; k <= nodes; k++)
        w->first[k] = w->first[k + 1];
    w->first[nodes + 1] = 2 * w->count;
}

/* A node is known, by itself (`source`: the ground, a body with a velocity of its own) or through
 * others: its joints are the next to cross. */
static void reach(walk *w, int node, bool source)
{
    w->known[node + 1] = true;
    for (int i = w->first[node + 1]; i < w->first[node + 2]; i++) {
        int joint = w->of_node[i];
        olo_hold hold = hold_of(w, joint);
        bool full = hold == OLO_HOLD_FULL, against = node == w->joints[joint].velocity.body;
        if (source && against && !full)
            continue;
        int queue = full ? 0 : 2 * (int)hold + source;
        w->queue[2 * w->count * queue + w->tail[queue]++] = joint;
    }
}

/* The next joint, the firmest first; -1 when there is none. */
static int next_joint(walk *w)
{
    for (int k = 0; k < QUEUES; k++)
        if (w->head[k] < w->tail[k])
            return w->queue[2 * w->count * k + w->head[k]++];
    return -1;
}

static void spread(walk *w)
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

static bool is_second(const walk *w, int node)
{
    for (int i = w->first[node + 1]; i < w->first[node + 2]; i++)
        if (w->joints[w->of_node[i]].velocity.body == node)
            return true;
    return false;
}

/* Bodies that nothing has reached start at rest, and others with them. */
static void rest(walk *w, bool second_too)
{
    for (int k = 0; k < w->system->node_count; k++)
        if (!w->known[k + 1] && (second_too || !is_second(w, k))) {
            reach(w, k, false);
            spread(w);
        }
}

/* The angular velocities of all bodies, or their velocities. */
static void settle(walk *w, bool angular)
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
    spread(w);
    rest(w, false);
    rest(w, true);
}

bool olo_settle_velocities(olo_system *s, int count, const olo_relative_velocity *relative)
{
    size_t nodes = (size_t)s->node_count, ends = 2 * (size_t)count;
    if (count == 0)
        return true;
    walk w = {.system = s, .joints = relative, .count = count};
    s->implied = olo_alloc(2 * nodes, sizeof *s->implied);
    w.known = olo_alloc(nodes + 1, sizeof *w.known);
    w.first = olo_alloc(nodes + 2, sizeof *w.first);
    w.of_node = olo_alloc(ends, sizeof *w.of_node);
    w.queue = olo_alloc(QUEUES * ends, sizeof *w.queue);
    bool whole = s->implied && w.known && w.first && w.of_node && w.queue;
    if (whole) {
        sort_by_node(&w);
        settle(&w, true);
        settle(&w, false);
    }
    olo_free(w.known);
    olo_free(w.first);
    olo_free(w.of_node);
    olo_free(w.queue);
    return whole;
}
