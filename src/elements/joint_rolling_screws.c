/* Null space of a disc or ball that rolls (joint_rolling.c, system/rolling.h). It rotates about the
 * axes of space, in a planar model about the normal, through the point of contact
 *
 *     z = phi_c + rho + s,   s = r (gamma e - n)/sigma,   gamma = n.e,   sigma = |n x e|
 *     ds = r/sigma (dgamma e + gamma de) - s dsigma/sigma
 *     dsigma = k.de,   k = (e - gamma n)/sigma
 *
 * with rho and e fixed in the body. A ball has s = -r n. The rows are constraints of velocities, so
 * that there is no chart. */
#include "elements/joint_chart.h"
#include "linalg/vec3.h"
#include "system/rolling.h"
#include "system/system.h"

/* The vectors on which the arm depends, and their change along a variation of the axis. */
typedef struct contact {
    double e[3], de[3], s[3], ds[3], k[3], dk[3];
    double gamma, dgamma, sigma, dsigma; /* sigma is constant for a ball */
} contact;

static contact contact_at(const olo_rolling *x, const double *child, const double *w)
{
    contact c;
    const double *n = x->normal;
    olo_rolling_vector(x->axis, child, c.e);
    olo_rolling_vector(x->axis, w, c.de);
    c.gamma = vec3_dot(n, c.e);
    c.dgamma = vec3_dot(n, c.de);
    c.sigma = olo_rolling_sine(x, c.e);
    for (int i = 0; i < 3; i++)
        c.k[i] = (c.e[i] - c.gamma * n[i]) / c.sigma;
    c.dsigma = vec3_dot(c.k, c.de);
    for (int i = 0; i < 3; i++) {
        c.s[i] = x->radius / c.sigma * (c.gamma * c.e[i] - n[i]);
        c.ds[i] = x->radius / c.sigma * (c.dgamma * c.e[i] + c.gamma * c.de[i]) -
                  c.s[i] * c.dsigma / c.sigma;
        c.dk[i] = (c.de[i] - c.dgamma * n[i] - c.k[i] * c.dsigma) / c.sigma;
    }
    return c;
}

static void arm(const olo_articulation *joint, const double *child, const double *w, double out[3],
                double change[3])
{
    contact c = contact_at(joint->rolling, child, w);
    olo_rolling_vector(joint->rolling->center, child, out);
    olo_rolling_vector(joint->rolling->center, w, change);
    vec3_add(1.0, c.s, out);
    vec3_add(1.0, c.ds, change);
}

/* The derivative of s.f by the axis, G = r/sigma ((e.f) n + gamma f) - (s.f)/sigma k, and its
 * change. */
static void pull(const olo_articulation *joint, const double *child, const double *w,
                 const double f[3], const double df[3], double *by_child, double *change)
{
    const olo_rolling *x = joint->rolling;
    contact c = contact_at(x, child, w);
    double along = vec3_dot(c.e, f), dalong = vec3_dot(c.de, f) + vec3_dot(c.e, df);
    double pulled = vec3_dot(c.s, f), dpulled = vec3_dot(c.ds, f) + vec3_dot(c.s, df);
    double G[3], dG[3];
    for (int i = 0; i < 3; i++) {
        G[i] = (x->radius * (along * x->normal[i] + c.gamma * f[i]) - pulled * c.k[i]) / c.sigma;
        dG[i] = (x->radius * (dalong * x->normal[i] + c.dgamma * f[i] + c.gamma * df[i]) -
                 dpulled * c.k[i] - pulled * c.dk[i] - G[i] * c.dsigma) /
                c.sigma;
    }
    for (int I = 0; I < 3; I++) {
        vec3_add(x->axis[I], G, by_child + 3 * (I + 1));
        vec3_add(x->center[I], f, by_child + 3 * (I + 1));
        vec3_add(x->axis[I], dG, change + 3 * (I + 1));
        vec3_add(x->center[I], df, change + 3 * (I + 1));
    }
}

const olo_pivot olo_pivot_rolling = {.arm = arm, .pull = pull};

void olo_screws_rolling(const olo_chart_view *x, olo_screw *screws)
{
    for (int k = 0; k < x->dof; k++) {
        screws[k] = (olo_screw){.turns = true, .moving = &olo_pivot_rolling};
        screws[k].axis[k] = 1;
        if (x->system->planar)
            vec3_copy(x->system->plane, screws[k].axis);
    }
}
