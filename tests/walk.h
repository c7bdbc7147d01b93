/* A tree with its null space, and the data of a motion without time steps. */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include <string.h>

#include "base/memory.h"
#include "kinematics/null_space.h"
#include "scene.h"

typedef struct walk {
    scene s;
    const olo_topology *tree;
    olo_null_space *space;
    olo_motion x;
    double *numbers, *q0;
} walk;

static inline walk walk_open(scene s)
{
    walk w = {.s = s};
    olo_error error = {0};
    size_t n = (size_t)w.s.system->n;
    w.tree = w.s.system->topology;
    check_ok(olo_null_space_create(w.tree, &w.space, &error), &error);
    w.numbers = olo_alloc(n + olo_motion_numbers(w.tree), sizeof *w.numbers);
    w.q0 = w.numbers;
    w.x = olo_motion_over(w.tree, w.q0, w.numbers + n);
    memcpy(w.q0, olo_state_configuration(w.s.state), n * sizeof *w.q0);
    return w;
}

static inline void walk_close(walk *w)
{
    olo_free(w->numbers);
    olo_null_space_free(w->space);
    scene_close(&w->s);
}

/* e(q1) - e(q0) = grad e(qm).dq over a motion */
static inline double form_difference(const olo_form *form, const olo_motion *x)
{
    double gradient[OLO_FORM_SIZE_MAX], difference = 0;
    olo_form_gradient(form, x->qm, gradient);
    for (int i = 0; i < form->size; i++)
        difference += gradient[i] * x->dq[form->index[i]];
    return difference;
}

#endif
