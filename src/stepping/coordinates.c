/* Treatments with the unknown dq: q_m = q0 + dq/2 and q1 = q0 + dq are formed from the increment.
 */
#include "stepping/coordinates.h"

#include "base/extreme.h"
#include "linalg/vec3.h"

void olo_coordinates_predict(olo_step *step, double scale)
{
    const olo_system *s = step->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double predicted[OLO_NODE_TWIST_MAX];
        for (int i = 0; i < node->twist; i++)
            predicted[i] = scale * olo_last_motion(step->state)[node->motion + i];
        node->type->move(predicted, step->x.q0 + node->q, step->x.dq + node->q,
                         step->x.qm + node->q, step->x.q1 + node->q);
    }
}

void olo_coordinates_add(olo_step *step, const double *change)
{
    for (int i = 0; i < step->system->n; i++) {
        step->x.dq[i] += change[i];
        step->x.qm[i] = step->x.q0[i] + 0.5 * step->x.dq[i];
        step->x.q1[i] = step->x.q0[i] + step->x.dq[i];
    }
}

double olo_coordinates_size(const olo_system *s, int first, int end, const double *x)
{
    double size = 0;
    for (int i = first; i < end; i += s->coordinates[i].width)
        olo_raise(&size, olo_vector_size(s, x, i) / olo_coordinate_unit(s, i));
    return size;
}

void olo_coordinates_measure(const olo_step *step, const double *change, olo_newton *newton)
{
    const olo_system *s = step->system;
    newton->size = olo_coordinates_size(s, 0, s->n, step->x.dq);
    newton->increment = newton->turn = 0;
    newton->worst = 0;
    for (int k = 0; k < s->node_count; k++) {
        const int first = s->nodes[k].q;
        const double moved = olo_coordinates_size(s, first, first + s->nodes[k].size, change);
        if (!(moved <= newton->increment)) {
            newton->increment = moved;
            newton->worst = k;
        }
    }
}

void olo_coordinates_finish(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        node->type->motion(step->x.qm + node->q, step->x.dq + node->q,
                           olo_last_motion(state) + node->motion);
    }
}
