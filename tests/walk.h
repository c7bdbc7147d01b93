/* A tree with its null space and the numbers of a motion on it, without a step in time. */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include <string.h>

#include "base/memory.h"
#include "kinematics/null_space.h"
#include "scene.h"

typedef struct walk {
    scene s;
    olo_tree *tree;
    olo_null_space *space;
    olo_motion x;
    double *numbers, *q0;
} walk;

static inline walk walk_open(scene s)
{
    walk w = {.s = s};
    olo_error error = {0};
    size_t n = (size_t)w.s.system->n, twists = (size_t)w.s.system->twists;
    check_ok(olo_tree_create(w.s.system, &w.tree, &error), &error);
    check_ok(olo_null_space_create(w.tree, &w.space, &error), &error);
    w.numbers = olo_alloc(4 * n + 2 * twists, sizeof *w.numbers);
    w.q0 = w.numbers;
    w.x = (olo_motion){.q0 = w.q0,
                       .dq = w.numbers + n,
                       .qm = w.numbers + 2 * n,
                       .q1 = w.numbers + 3 * n,
                       .motion = w.numbers + 4 * n,
                       .u = w.numbers + 4 * n + twists};
    memcpy(w.q0, olo_state_q(w.s.state), n * sizeof *w.q0);
    return w;
}

static inline void walk_close(walk *w)
{
    olo_free(w->numbers);
    olo_null_space_free(w->space);
    olo_tree_free(w->tree);
    scene_close(&w->s);
}

#endif
