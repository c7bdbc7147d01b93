/* Relative closures: closures that depend only on the relative motion of their nodes.
 *
 * A common rigid motion (tau, omega) moves a 3-vector x of q by
 *
 *     xi(x) = omega x x (+ tau for positions).
 *
 * A closure is relative if grad g . xi vanishes for its rows at the initial state. Then the motion
 * of a common ancestor of its nodes does not change it, and it may be eliminated before that
 * ancestor. The tolerance is wide, because grad g . xi of some rows vanishes only if the loops are
 * closed (p2 - p1 = 0 under a rotation), and the given initial state may violate them slightly. The
 * result affects only the order of elimination, not the solution.
 */
#include <math.h>

#include "kinematics/topology.h"
#include "linalg/vec3.h"

/* Largest |grad g . xi| of a relative closure, relative to the magnitudes of its terms. */
static const double tolerance = 1e-3;

/* The largest |grad g . xi| of the six rigid motions, relative to the magnitudes of its terms.
 * Rotations are about the first node, to avoid cancellation far from the origin. */
static double response(const olo_system *s, const olo_constraint *row)
{
    double gradient[OLO_FORM_SIZE_MAX], sum[6] = {0}, size[6] = {0}, worst = 0;
    const double *origin = s->q0 + s->nodes[s->coordinates[row->index[0]].node].q;
    olo_constraint_gradient(row, &(olo_at){.q = s->q0}, gradient);
    /* grad g . xi of three translations and three rotations, and the magnitudes of its terms */
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
        if (!(response(system, &system->constraints[closure->first + j]) <= tolerance))
            return false;
    return true;
}
