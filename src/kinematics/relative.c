/* Closures that only see how their nodes move against each other.
 *
 * A common rigid motion (tau, omega) moves a 3-vector x of q by xi(x) = omega x x (+ tau for
 * positions). A closure is relative when grad g . xi vanishes for its rows at the start: then
 * nothing that its nodes hang on in common moves it, and it may be eliminated before that. Rows
 * that vanish only where loops are closed (p2 - p1 = 0 under a rotation) count, also where the
 * loops of a model as given are open by a little: the answer decides about an order, not about what
 * is solved.
 */
#include <math.h>

#include "kinematics/topology.h"
#include "linalg/vec3.h"

/* |grad g . xi| against the sizes of its parts */
static const double felt = 1e-3;

/* The largest of the six, over the size of what cancels in them. Rotations are about the first
 * node, so that a far origin does not blur them. */
static double response(const olo_system *s, const olo_constraint *row)
{
    double gradient[OLO_FORM_SIZE_MAX], sum[6] = {0}, size[6] = {0}, worst = 0;
    const double *origin = s->q0 + s->nodes[s->coordinates[row->index[0]].node].q;
    olo_constraint_gradient(row, &(olo_at){.q = s->q0}, gradient);
    for (int k = 0; k < row->size; k++) {
        const olo_coordinate *c = &s->coordinates[row->index[k]];
        bool position = c->slot == 0 && s->nodes[c->node].base < 0;
        double x[3], length = position ? s->length_scale : 1.0;
        for (int i = 0; i < 3; i++)
            x[i] = s->q0[row->index[k] - c->axis + i] - (position ? origin[i] : 0.0);
        for (int i = 0; i < 3; i++) {
            double unit[3] = {i == 0, i == 1, i == 2}, xi[3];
            vec3_cross(unit, x, xi);
            sum[i] += position && i == c->axis ? gradient[k] * s->length_scale : 0.0;
            sum[3 + i] += gradient[k] * xi[c->axis];
            size[i] = size[3 + i] += fabs(gradient[k]) * fmax(length, fabs(xi[c->axis]));
        }
    }
    for (int i = 0; i < 6; i++)
        worst = fmax(worst, size[i] > 0 ? fabs(sum[i]) / size[i] : 0.0);
    return worst;
}

bool olo_closure_is_relative(const olo_system *system, const olo_closure *closure)
{
    for (int j = 0; j < closure->count; j++)
        if (!(response(system, &system->constraints[closure->first + j]) <= felt))
            return false;
    return true;
}
