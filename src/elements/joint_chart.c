/* Functions that the charts of all joints use; see the header. */
#include "elements/joint_chart.h"

#include <string.h>

#include "elements/joint_pair.h"
#include "linalg/rotation.h"

int olo_chart_slides(const olo_articulation *joint, int axes[3])
{
    int count = 0;
    for (int k = 0; k < 3; k++)
        if (joint->translations >> k & 1)
            axes[count++] = k;
    return count;
}

/* Translation axis k in the parent's axes. */
static void axis_of(const olo_chart_view *x, int k, const double *placement, double axis[3])
{
    if (x->joint->reversed)
        olo_body_vector(x->joint->child_axes + 3 * k, placement, axis);
    else
        vec3_copy(x->joint->parent_axes + 3 * k, axis);
}

/* From the joint point of the parent to that of the child. */
static void span_of(const olo_chart_view *x, const double *placement, double span[3])
{
    vec3_set(0, 0, 0, span);
    if (x->frame)
        olo_body_vector(x->joint->child_point, placement, span);
    vec3_add(1.0, placement, span);
    vec3_add(-1.0, x->joint->parent_point, span);
}

void olo_chart_slide_coordinates(const olo_chart_view *x, const double *placement, double *u)
{
    double span[3], span0[3], axis[3], axis0[3];
    int axes[3], count = olo_chart_slides(x->joint, axes);
    span_of(x, placement, span);
    span_of(x, x->reference, span0);
    for (int k = 0; k < count; k++) {
        axis_of(x, axes[k], placement, axis);
        axis_of(x, axes[k], x->reference, axis0);
        u[k] = vec3_dot(axis, span) - vec3_dot(axis0, span0);
    }
}

void olo_chart_close_points(const olo_chart_view *x, double *placement)
{
    double span[3], axis[3], free[3] = {0, 0, 0};
    int axes[3], count = olo_chart_slides(x->joint, axes);
    span_of(x, placement, span);
    for (int k = 0; k < count; k++) {
        axis_of(x, axes[k], placement, axis);
        vec3_add(vec3_dot(axis, span), axis, free);
    }
    for (int i = 0; i < 3; i++)
        placement[i] += free[i] - span[i];
}

void olo_chart_pivot(const olo_chart_view *x, double p[3])
{
    int axes[3], count = x->joint->reversed ? 0 : olo_chart_slides(x->joint, axes);
    double span[3];
    span_of(x, x->reference, span);
    vec3_copy(x->joint->parent_point, p);
    for (int k = 0; k < count; k++) {
        const double *m = x->joint->parent_axes + 3 * axes[k];
        vec3_add(vec3_dot(m, span), m, p);
    }
}

/* Value and derivatives of t: E times the arm from p, plus the slides. */
static void evaluate_origin(const olo_chart_view *x, const double *u, const rotation_jet *E,
                            olo_placement *g)
{
    double p[3], arm[3], axis[3];
    int axes[3], slides = olo_chart_slides(x->joint, axes);
    vec3_copy(x->pivot, p);
    vec3_subtract(x->reference, p, arm);
    for (int k = 0; k < slides; k++) {
        axis_of(x, axes[k], x->reference, axis);
        if (!x->joint->reversed) { /* fixed in the parent */
            vec3_copy(axis, g->first[k]);
            vec3_add(u[k], axis, p);
            continue;
        }
        mat3_times(E->value, axis, g->first[k]);
        vec3_add(u[k], axis, arm);
        for (int l = 0; l < E->count; l++) {
            mat3_times(E->first[l], axis, g->second[k][slides + l]);
            vec3_copy(g->second[k][slides + l], g->second[slides + l][k]);
        }
    }
    mat3_times(E->value, arm, g->value);
    vec3_add(1.0, p, g->value);
    for (int k = 0; k < E->count; k++) {
        mat3_times(E->first[k], arm, g->first[slides + k]);
        for (int l = 0; l < E->count; l++)
            mat3_times(E->second[k][l], arm, g->second[slides + k][slides + l]);
    }
}

void olo_chart_turned_placement(const olo_chart_view *x, const double *u, const rotation_jet *E,
                                olo_placement *g)
{
    int axes[3], slides = olo_chart_slides(x->joint, axes);
    /* slides do not turn the child, and nothing is written of their other derivatives */
    memset(g->first, 0, (size_t)slides * sizeof g->first[0]);
    for (int k = 0; k < x->dof; k++)
        memset(g->second[k], 0, (size_t)(k < slides ? x->dof : slides) * sizeof g->second[0][0]);
    evaluate_origin(x, u, E, g);
    for (int I = 3; I < OLO_PLACEMENT; I += 3) {
        const double *r0 = x->reference + I;
        mat3_times(E->value, r0, g->value + I);
        for (int k = 0; k < E->count; k++) {
            mat3_times(E->first[k], r0, g->first[slides + k] + I);
            for (int l = 0; l < E->count; l++)
                mat3_times(E->second[k][l], r0, g->second[slides + k][slides + l] + I);
        }
    }
}

void olo_chart_turn(double *placement, const double from[3], const double to[3])
{
    /* a = 2 from x to/(|from||to| + from.to) */
    double a[3], mid[3], change[3];
    vec3_cross(from, to, a);
    double sum = vec3_norm(from) * vec3_norm(to) + vec3_dot(from, to);
    for (int i = 0; i < 3; i++)
        a[i] *= 2 / sum;
    for (int I = 3; I < OLO_PLACEMENT; I += 3) {
        cayley_apply(a, cayley_scale(a), placement + I, mid, change);
        vec3_add(1.0, change, placement + I);
    }
}

void olo_chart_orthonormalise(double *placement)
{
    /* rows and columns of a rotation are orthonormal, so that the layout does not matter */
    rotation_orthonormalise(placement + 3);
}

void olo_chart_rotation(const olo_chart_view *x, const double *placement, double S[9])
{
    for (int i = 0; i < 9; i++) {
        S[i] = 0;
        for (int I = 3; I < OLO_PLACEMENT; I += 3)
            S[i] += placement[I + i / 3] * x->reference[I + i % 3];
    }
}

bool olo_chart_cayley(const double S[9], double a[3])
{
    const double least = 1e-12; /* of 4/(1 + |a|^2/4): |a| is below 4e6 */
    double scale = 1 + S[0] + S[4] + S[8];
    bool defined = scale > least;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        a[k] = defined ? 2 * (S[3 * j + i] - S[3 * i + j]) / scale : 0.0;
    }
    return defined;
}
