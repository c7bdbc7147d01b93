/* Forward kinematics and energy of the chain, with nothing of any engine:
 *
 *   R_i = R_i-1 exp(theta_i a_i),  x_i+1 = x_i + R_i (l, 0, 0),  w_i = w_i-1 + theta'_i R_i a_i,
 *   E = sum m/2 |v_c|^2 + 1/2 W.J W - m g.x_c,  W = R^T w,
 *   (P^T p)_i = R_i a_i . sum over links k >= i of l_k + (x_k - x_i) x p_k,  Mr = P^T M P.
 */
#include "chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two boxes make a link: mass, size and the position of its centre. */
typedef struct box {
    double mass, size[3], center[3];
} box;

bool chain_create(int links, chain *x)
{
    const double length = 0.1, mass = 0.1, width = 0.02; /* parameters of the model */
    const box boxes[] = {
        {0.8 * mass, {length, width / 2, width}, {length / 2, 0, 0}},
        {0.2 * mass, {width, 2 * width, width}, {length / 2, width, 0}},
    };
    enum { BOXES = sizeof boxes / sizeof boxes[0] };
    *x = (chain){.links = links, .length = length, .gravity = {0, 0, -9.81}};
    for (int k = 0; k < BOXES; k++) {
        x->mass += boxes[k].mass;
        for (int i = 0; i < 3; i++)
            x->center[i] += boxes[k].mass * boxes[k].center[i];
    }
    for (int i = 0; i < 3; i++)
        x->center[i] /= x->mass;
    /* the boxes differ in y only, so that the axes of the link stay principal */
    for (int k = 0; k < BOXES; k++) {
        double square[3];
        for (int i = 0; i < 3; i++) {
            double s = boxes[k].size[i], d = boxes[k].center[i] - x->center[i];
            square[i] = boxes[k].mass * (s * s / 12 + d * d);
        }
        for (int i = 0; i < 3; i++)
            x->inertia[i] += square[(i + 1) % 3] + square[(i + 2) % 3];
    }
    x->angles = calloc((size_t)links, sizeof *x->angles);
    x->rates = calloc((size_t)links, sizeof *x->rates);
    return x->angles && x->rates;
}

void chain_free(chain *x)
{
    free(x->angles);
    free(x->rates);
    *x = (chain){0};
}

void chain_axis(int hinge, double axis[3])
{
    axis[0] = 0;
    axis[1] = hinge % 2 == 0;
    axis[2] = hinge % 2 == 1;
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void turn(const double R[3][3], const double a[3], double b[3])
{
    for (int i = 0; i < 3; i++)
        b[i] = R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2];
}

/* Position and velocity of the point `at` of a link. */
static void locate(const chain_link *link, const double at[3], double position[3],
                   double velocity[3])
{
    double arm[3], around[3];
    turn(link->rotation, at, arm);
    cross(link->spin, arm, around);
    for (int i = 0; i < 3; i++) {
        position[i] = link->position[i] + arm[i];
        velocity[i] = link->velocity[i] + around[i];
    }
}

/* R times the rotation by theta about an axis of the frame, Rodrigues' formula column by column. */
static void rotate(const double R[3][3], const double axis[3], double theta, double result[3][3])
{
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, aside[3], column[3];
        cross(axis, unit, aside);
        for (int i = 0; i < 3; i++)
            column[i] =
                cos(theta) * unit[i] + sin(theta) * aside[i] + (1 - cos(theta)) * axis[j] * axis[i];
        double turned[3];
        turn(R, column, turned);
        for (int i = 0; i < 3; i++)
            result[i][j] = turned[i];
    }
}

void chain_move(const chain *x, const double *angles, const double *rates, chain_link *links)
{
    const chain_link ground = {.rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double next[3] = {x->length, 0, 0}, here[3] = {0};
    for (int i = 0; i < x->links; i++) {
        const chain_link *before = i > 0 ? &links[i - 1] : &ground;
        chain_link *link = &links[i];
        double axis[3], a[3];
        chain_axis(i, axis);
        locate(before, i > 0 ? next : here, link->position, link->velocity);
        rotate(before->rotation, axis, angles[i], link->rotation);
        turn(link->rotation, axis, a);
        for (int k = 0; k < 3; k++)
            link->spin[k] = before->spin[k] + rates[i] * a[k];
    }
}

/* Momenta of links that move as rigid bodies, six numbers per link. */
static void link_momenta(const chain *x, const chain_link *links, double *momenta)
{
    for (int i = 0; i < x->links; i++) {
        const chain_link *link = &links[i];
        double c[3], v[3], arm[3], orbit[3], *p = &momenta[6 * i], *l = p + 3;
        locate(link, x->center, c, v);
        for (int k = 0; k < 3; k++) {
            arm[k] = c[k] - link->position[k];
            p[k] = x->mass * v[k];
            l[k] = 0;
        }
        cross(arm, p, orbit);
        for (int a = 0; a < 3; a++) {
            double W = 0;
            for (int k = 0; k < 3; k++)
                W += link->rotation[k][a] * link->spin[k];
            for (int k = 0; k < 3; k++)
                l[k] += link->rotation[k][a] * x->inertia[a] * W;
        }
        for (int k = 0; k < 3; k++)
            l[k] += orbit[k];
    }
}

/* The angular momentum of all links after a hinge about its axis. */
void chain_hinge_components(const chain *x, const chain_link *links, const double *momenta,
                            double *result)
{
    double p[3] = {0}, l[3] = {0}, step[3], around[3], axis[3], a[3];
    for (int i = x->links - 1; i >= 0; i--) {
        if (i + 1 < x->links) { /* to the origin of this link */
            for (int k = 0; k < 3; k++)
                step[k] = links[i + 1].position[k] - links[i].position[k];
            cross(step, p, around);
            for (int k = 0; k < 3; k++)
                l[k] += around[k];
        }
        for (int k = 0; k < 3; k++) {
            p[k] += momenta[6 * i + k];
            l[k] += momenta[6 * i + 3 + k];
        }
        chain_axis(i, axis);
        turn(links[i].rotation, axis, a);
        result[i] = a[0] * l[0] + a[1] * l[1] + a[2] * l[2];
    }
}

/* Solves A x = x with Cholesky's factors of A, which it overwrites. */
static void solve(int n, double *A, double *x)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++)
                s -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(s) : s / A[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= A[k * n + i] * x[k];
        x[i] /= A[i * n + i];
    }
}

bool chain_fit_rates(const chain *x, const double *angles, const double *momenta, double *rates)
{
    const size_t n = (size_t)x->links;
    chain_link *links = calloc(n, sizeof *links);
    double *Mr = calloc(n * n, sizeof *Mr), *unit = calloc(n, sizeof *unit),
           *moved = calloc(6 * n, sizeof *moved);
    bool ok = links && Mr && unit && moved;
    for (size_t j = 0; ok && j < n; j++) { /* Mr is symmetric: row j is column j */
        unit[j] = 1;
        chain_move(x, angles, unit, links);
        link_momenta(x, links, moved);
        chain_hinge_components(x, links, moved, &Mr[j * n]);
        unit[j] = 0;
    }
    if (ok) {
        chain_hinge_components(x, links, momenta, rates);
        solve(x->links, Mr, rates);
    }
    free(links);
    free(Mr);
    free(unit);
    free(moved);
    return ok;
}

double chain_energy(const chain *x, const chain_link *links)
{
    double energy = 0;
    for (int i = 0; i < x->links; i++) {
        double c[3], v[3];
        locate(&links[i], x->center, c, v);
        for (int k = 0; k < 3; k++) {
            double W = 0;
            for (int j = 0; j < 3; j++)
                W += links[i].rotation[j][k] * links[i].spin[j];
            energy +=
                x->mass * (v[k] * v[k] / 2 - x->gravity[k] * c[k]) + x->inertia[k] * W * W / 2;
        }
    }
    return energy;
}

double chain_energy_scale(const chain *x)
{
    return -x->mass * x->gravity[2] * x->length * x->links * x->links / 2;
}

void chain_end(const chain *x, const chain_link *link, double end[3])
{
    const double at[3] = {x->length, 0, 0};
    double velocity[3];
    locate(link, at, end, velocity);
}
