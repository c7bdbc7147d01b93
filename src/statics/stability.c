/* The quality of an equilibrium: the size of its residual, and its stability by the signs of the
 * eigenvalues of K x = omega^2 M x, which the elimination counts without computing them. */
#include <float.h>
#include <math.h>

#include "base/extreme.h"
#include "statics/static_balance.h"

/* True if component i of the twist of a node is a translation. */
static bool is_shift(const olo_node *node, int i)
{
    const int first = node->type->translation;
    return first >= 0 && i >= first && i < first + 3;
}

double olo_static_residual(olo_static_balance *x, double load)
{
    const olo_system *s = x->system;
    double largest = 0, stiffest = 0;
    x->predicted = false;
    olo_static_assemble(x, load, 0.0); /* the wrench of every joint, twice */
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        const olo_topology_node *joint = &x->topology->nodes[k];
        const double *W = x->wrench + node->motion;
        const double *K = olo_elimination_matrix(x->elimination, k, k);
        const double *B = joint->type ? olo_elimination_joint(x->elimination, k).B_hat : NULL;
        for (int i = 0; i < node->twist; i++) {
            const double unit = is_shift(node, i) ? s->length_scale : 1.0;
            olo_raise(&stiffest, fabs(K[i * node->twist + i]) * unit * unit);
            if (!B) /* free: the balance of forces and moments */
                olo_raise(&largest, 0.5 * fabs(W[i]) * unit);
        }
        /* along a degree of freedom of the joint, over the size of its motion */
        for (int j = 0; B && j < joint->dof; j++) {
            double force = 0, size = 0;
            for (int i = 0; i < node->twist; i++) {
                const double b = B[i * joint->dof + j],
                             unit = is_shift(node, i) ? s->length_scale : 1.0;
                force += b * W[i];
                size += b * b / (unit * unit);
            }
            if (size > 0)
                olo_raise(&largest, 0.5 * fabs(force) / sqrt(size));
        }
    }
    return stiffest > 0 ? largest / stiffest : largest;
}

bool olo_static_is_conservative(olo_static_balance *x)
{
    const double rounding = 1e-10;
    const olo_system *s = x->system;
    olo_static_set_configuration(x);
    for (int a = 0; a < s->action_count; a++) {
        int size = s->actions[a].size;
        double largest = 0, skew = 0;
        if (s->actions[a].type->motion_tangent)
            return false;
        if (!s->actions[a].type->has_tangent)
            continue;
        olo_static_evaluate_action(&x->step, a, x->step.r, x->step.K);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                olo_raise(&largest, fabs(x->step.K[i * size + j]));
                olo_raise(&skew, fabs(x->step.K[i * size + j] - x->step.K[j * size + i]));
            }
        if (skew > rounding * largest)
            return false;
    }
    return true;
}

olo_status olo_static_count_negative(olo_static_balance *x, double load, double shift,
                                     int *negative, olo_error *error)
{
    x->predicted = false;
    olo_status status = olo_static_factor(x, load, shift, error);
    *negative = status == OLO_OK ? olo_elimination_count_negative(x->elimination) : 0;
    return status;
}

olo_status olo_static_find_stability(olo_static_balance *x, double load, int *unstable,
                                     int *neutral, olo_error *error)
{
    const double rounding = 16 * DBL_EPSILON;
    int above = 0;
    *unstable = *neutral = 0;
    if (olo_static_count_negative(x, load, 0.0, unstable, NULL) != OLO_OK && !(x->stiff > 0)) {
        *neutral = x->topology->unknowns;
        return OLO_OK;
    }
    double least = rounding * x->stiff;
    olo_status status = olo_static_count_negative(x, load, least, unstable, error);
    if (status == OLO_OK)
        status = olo_static_count_negative(x, load, -least, &above, error);
    *neutral = above - *unstable;
    return status;
}
