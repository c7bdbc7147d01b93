/* Feedback gains: data that the files share which compute, read and write them. */
#ifndef OLO_CONTROL_FEEDBACK_H
#define OLO_CONTROL_FEEDBACK_H

#include "base/pool.h"
#include "oloid/feedback.h"

struct olo_feedback {
    olo_pool pool;
    int n, intervals, inputs;
    const char **names; /* [inputs] */
    double *bounds;     /* [2 x inputs] lower, upper */
    double *states;     /* [(intervals + 1) x (1 + 2 n)] time, q, v of the nodes */
    double *values;     /* [intervals x inputs] */
    double *gains;      /* [intervals x inputs x 2 n] */
};

olo_status olo_feedback_check(const olo_problem_feedback *weights, olo_error *error);
/* Memory for these sizes; names are to be set. */
olo_status olo_feedback_allocate(int n, int intervals, int inputs, olo_feedback **feedback,
                                 olo_error *error);

static inline double *olo_feedback_state(const olo_feedback *x, int node)
{
    return x->states + (size_t)node * (size_t)(1 + 2 * x->n);
}

#endif
