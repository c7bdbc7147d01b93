/* Actions whose magnitude is a law of time, measures x_i(q) and their rates:
 *
 *     f = F p,     F = g E(t_m, x_m, v),    x_m = (x(q0) + x(q1))/2,    v = (x(q1) - x(q0))/h
 *
 * with the vector p of a force at a point, of a moment, or of a force along a coordinate (joint
 * coordinate or length), and the gain g, which is one unless the force acts along a coordinate. So
 * a force may depend on the length and the rate of a span, or on the motion of other bodies. By the
 * chain rule, with s = -1 at q0 and +1 at q1,
 *
 *     dE/dx_a = E_x/2 + s E_v/h,    dE/dt = E_t,    dE/dh = E_t/2 - sum E_v v/h,
 *
 * and the second derivatives of v are d2v/dx_a dh = -s/h^2 and d2v/dh^2 = 2 v/h^2.
 *
 * An input replaces the law, as it replaces a factor over time.
 */
#include "linalg/small.h"
#include "system/action.h"
#include "system/slot.h"

enum { ARGUMENTS = OLO_ACTION_ARGUMENTS_MAX };

/* z: time, then measures and their rates at the middle of the step. */
static void arguments(const olo_action *action, const olo_interval *x, double *z)
{
    double d[OLO_FORM_SIZE_MAX];
    z[0] = olo_interval_middle(x);
    for (int i = 0; i < action->law->measures; i++) {
        const olo_term *term = action->measures[i].term;
        const double start = olo_term_energy(term, x->q0, x->angles);
        const olo_coordinate_motion m =
            olo_coordinate_moves(start, olo_term_discrete(term, x, d, NULL), x->h);
        z[1 + 2 * i] = m.x;
        z[2 + 2 * i] = m.rate;
    }
}

static double gain(const olo_action *action)
{
    return action->coordinate ? action->vector[0] : 1.0;
}

/* F and, unless NULL, dE/dz times the gain. */
static double magnitude(const olo_action *action, const olo_interval *x, double *first)
{
    double z[ARGUMENTS];
    const olo_action_law *law = action->law;
    if (first)
        small_zero(1 + 2 * law->measures, first);
    if (olo_action_has_input(action, x))
        return gain(action) * x->inputs[action->number];
    arguments(action, x, z);
    const double F = gain(action) * law->value(law->context, z, first, NULL);
    if (first)
        small_scale(1 + 2 * law->measures, gain(action), first);
    return F;
}

static void force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    const int size = action->size;
    const olo_action_pattern *pattern = action->type->pattern;
    double E[ARGUMENTS], by[OLO_ACTION_SIZE_MAX], gradient[OLO_FORM_SIZE_MAX];
    const double F = magnitude(action, x, tangent ? E : NULL);
    pattern->value(action, x, f);
    if (tangent) {
        /* dF/dq1 */
        small_zero(size, by);
        for (int i = 0; i < action->law->measures; i++) {
            const olo_action_measure *measure = &action->measures[i];
            const double F_1 = 0.5 * E[1 + 2 * i] + E[2 + 2 * i] / x->h;
            olo_term_gradient(measure->term, x->q1, x->angles, gradient);
            for (int k = 0; F_1 != 0 && k < measure->term->size; k++)
                by[measure->local[k]] += F_1 * gradient[k];
        }
        /* df/dq1 = F dp/dq1 + p (x) dF/dq1 */
        if (pattern->first)
            pattern->first(action, x, 1, tangent);
        else
            small_zero(size * size, tangent);
        for (int k = 0; k < size * size; k++)
            tangent[k] = F * tangent[k] + f[k / size] * by[k % size];
    }
    small_scale(size, F, f);
}

/* dz/d(argument of the scalar), for the arguments that z depends on: out[1 + 2 measures]. */
static void chain(const olo_action *action, const olo_interval *x, const double *z, olo_slot a,
                  int i, double *out)
{
    const int measures = action->law->measures;
    small_zero(1 + 2 * measures, out);
    if (olo_slot_is_configuration(a)) {
        out[1 + 2 * i] = 0.5;
        out[2 + 2 * i] = (a == OLO_SLOT_Q0 ? -1 : 1) / x->h;
    } else if (a == OLO_SLOT_T) {
        out[0] = 1.0;
    } else if (a == OLO_SLOT_H) {
        out[0] = 0.5;
        for (int k = 0; k < measures; k++)
            out[2 + 2 * k] = -z[2 + 2 * k] / x->h;
    }
}

/* The slots and measures of the arguments of F on which z depends. */
typedef struct argument {
    olo_slot slot;
    int measure;
} argument;

static int list_arguments(const olo_action *action, argument *list)
{
    int count = 0;
    for (int i = 0; i < action->law->measures; i++) {
        list[count++] = (argument){OLO_SLOT_Q0, i};
        list[count++] = (argument){OLO_SLOT_Q1, i};
    }
    list[count++] = (argument){OLO_SLOT_H, 0};
    list[count++] = (argument){OLO_SLOT_T, 0};
    return count;
}

/* F_ab += E_v d2v/da db: rates are differences over h */
static void add_rates(const olo_action *action, const olo_interval *x, const double *z,
                      const double *E, olo_action_scalar *F)
{
    for (int i = 0; i < action->law->measures; i++) {
        const double E_v = E[2 + 2 * i];
        for (int end = 0; end < 2; end++) {
            const int at = olo_scalar_index((olo_slot)end, i);
            const double mixed = (end == 0 ? 1 : -1) * E_v / (x->h * x->h);
            F->second[at][OLO_SLOT_H] += mixed;
            F->second[OLO_SLOT_H][at] += mixed;
        }
        F->second[OLO_SLOT_H][OLO_SLOT_H] += 2 * E_v * z[2 + 2 * i] / (x->h * x->h);
    }
}

static void scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    const olo_action_law *law = action->law;
    const int n = 1 + 2 * law->measures;
    double z[ARGUMENTS], E[ARGUMENTS], EE[ARGUMENTS * ARGUMENTS], J[ARGUMENTS + 1][ARGUMENTS];
    argument list[ARGUMENTS + 1];
    *F = (olo_action_scalar){0};
    if (olo_action_has_input(action, x)) {
        F->value = gain(action) * x->inputs[action->number];
        F->first[OLO_SLOT_INPUT] = gain(action);
        return;
    }
    arguments(action, x, z);
    F->value = gain(action) * law->value(law->context, z, E, EE);
    small_scale(n, gain(action), E);
    small_scale(n * n, gain(action), EE);
    /* chain rule through z */
    const int count = list_arguments(action, list);
    for (int a = 0; a < count; a++) {
        const int at = olo_scalar_index(list[a].slot, list[a].measure);
        chain(action, x, z, list[a].slot, list[a].measure, J[a]);
        for (int k = 0; k < n; k++)
            F->first[at] += E[k] * J[a][k];
        for (int b = 0; b <= a; b++) {
            const int other = olo_scalar_index(list[b].slot, list[b].measure);
            double sum = 0;
            for (int k = 0; k < n * n; k++)
                sum += J[a][k / n] * EE[k] * J[b][k % n];
            F->second[at][other] = F->second[other][at] = sum;
        }
    }
    add_rates(action, x, z, E, F);
}

bool olo_law_by_parameters(const olo_action *action, const olo_interval *x, const double *direction,
                           double *df)
{
    double z[ARGUMENTS], by;
    if (olo_action_has_input(action, x))
        return false;
    arguments(action, x, z);
    if (!action->law->by_parameters(action->law->context, z, direction, &by))
        return false;
    action->type->pattern->value(action, x, df);
    small_scale(action->size, gain(action) * by, df);
    return true;
}

/* --- inputs at rest --- */

/* input: the value of the law */
static const char *input(const olo_action *action, const olo_interval *x, int index, double *f)
{
    if (index > 0)
        return NULL;
    action->type->pattern->value(action, x, f);
    small_scale(action->size, gain(action), f);
    return action->coordinate ? action->coordinate->law->angle ? "torque" : "force" : "";
}

#define LAW(label, vector, ...)                                                                    \
    {                                                                                              \
        .name = label, .force = force, .scalar = scalar, .pattern = &(vector), .input = input,     \
        .has_tangent = true, .rates = true, __VA_ARGS__                                            \
    }

const olo_action_type olo_action_law_force = LAW("law force", olo_pattern_dead_force, .dead = true);
const olo_action_type olo_action_law_body_force =
    LAW("law body force", olo_pattern_body_force, .body = true);
const olo_action_type olo_action_law_moment =
    LAW("law moment", olo_pattern_moment, .dead = true, .moment = true);
const olo_action_type olo_action_law_body_moment =
    LAW("law body moment", olo_pattern_moment, .moment = true);
const olo_action_type olo_action_law_along = LAW("law along", olo_pattern_along, .affine = false);
