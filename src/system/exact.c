/* The exact solution as a configuration. A vector x = x0 + sum_k w_k q_k with one unknown 3-vector
 * q_j determines it,
 *
 *     q_j = (x - x0 - sum_{k != j} w_k q_k) / w_j.
 *
 * The search continues until no further 3-vector can be determined: positions, then directors from
 * points on the body, then points with relative coordinates.
 */
#include "system/exact.h"

#include <math.h>

#include "linalg/vec3.h"
#include "system/system.h"

void olo_exact_vector_at(const olo_exact_vector *vector, double t, double x[3], double v[3])
{
    for (int i = 0; i < 3; i++) {
        double derivatives[2];
        vector->derivatives(vector->curve[i], t, 1, derivatives);
        x[i] = derivatives[0];
        v[i] = derivatives[1];
    }
}

bool olo_system_has_exact_solution(const olo_system *system)
{
    return system->exact_count > 0;
}

/* The index in the list of the only unknown 3-vector, -1 if there is none or more than one. */
static int only_unknown(const olo_position *p, const double *q)
{
    int unknown = -1;
    for (int k = 0; k < p->count; k++) {
        if (!isnan(q[p->slot[k]]))
            continue;
        if (unknown >= 0)
            return -1;
        unknown = k;
    }
    return unknown;
}

static void solve(const olo_exact_vector *vector, double t, int unknown, double *q, double *v)
{
    const olo_position *p = &vector->position;
    double x[3], rate[3];
    olo_exact_vector_at(vector, t, x, rate);
    vec3_add(-1.0, p->x0, x);
    for (int k = 0; k < p->count; k++) {
        if (k == unknown)
            continue;
        vec3_add(-p->weight[k], q + p->slot[k], x);
        vec3_add(-p->weight[k], v + p->slot[k], rate);
    }
    for (int i = 0; i < 3; i++) {
        q[p->slot[unknown] + i] = x[i] / p->weight[unknown];
        v[p->slot[unknown] + i] = rate[i] / p->weight[unknown];
    }
}

bool olo_system_exact_solution(const olo_system *system, double t, double *q, double *v)
{
    for (int i = 0; i < system->n; i++)
        q[i] = v[i] = (double)NAN;
    int known = 0;
    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < system->exact_count; i++) {
            int unknown = only_unknown(&system->exacts[i].position, q);
            if (unknown < 0)
                continue;
            solve(&system->exacts[i], t, unknown, q, v);
            /* if the expression is NaN at this time, the 3-vector remains unknown */
            if (!isnan(q[system->exacts[i].position.slot[unknown]])) {
                found = true;
                known += 3;
            }
        }
    }
    return known == system->n;
}
