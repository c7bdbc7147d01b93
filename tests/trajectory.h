/* Configurations of a variational run at all nodes, and quantities of the discrete Lagrangian L_d =
 * 1/(2h) dq.M dq - h V(q_m) that are computed from the configurations alone (variational sheet, 2.2
 * to 2.6). */
#ifndef OLO_TEST_TRAJECTORY_H
#define OLO_TEST_TRAJECTORY_H

#include "linalg/dense.h"
#include "scene.h"

typedef struct trajectory {
    scene s;
    int n, steps;
    double h, *q;
    olo_ledger start;
} trajectory;

static inline const double *trajectory_at(const trajectory *x, int node)
{
    return x->q + (size_t)node * (size_t)x->n;
}

/* A scene that steps with the variational scheme. */
static inline scene variational_open(const char *text, const char *constraints)
{
    const olo_setting scheme = {"run.scheme", "variational"};
    return scene_open_set(text, constraints, &scheme, 1);
}

static inline trajectory trajectory_of(const char *text, const char *constraints, double h,
                                       int steps)
{
    trajectory x = {.s = variational_open(text, constraints), .steps = steps, .h = h};
    x.n = x.s.system->n;
    x.start = scene_ledger(&x.s);
    x.q = calloc((size_t)(steps + 1) * (size_t)x.n, sizeof *x.q);
    for (int i = 0; i <= steps; i++) {
        if (i > 0)
            scene_run(&x.s, h, 1);
        memcpy(x.q + (size_t)i * (size_t)x.n, olo_state_configuration(x.s.state),
               (size_t)x.n * sizeof *x.q);
    }
    return x;
}

static inline void trajectory_free(trajectory *x)
{
    scene_close(&x->s);
    free(x->q);
}

/* dq and midpoint of interval `i` */
static inline void trajectory_interval(const trajectory *x, int i, double *dq, double *qm)
{
    const double *a = trajectory_at(x, i), *b = trajectory_at(x, i + 1);
    for (int j = 0; j < x->n; j++) {
        dq[j] = b[j] - a[j];
        qm[j] = 0.5 * (a[j] + b[j]);
    }
}

/* {smallest, largest} of the added values */
static inline void range_add(double range[2], double value)
{
    range[0] = smaller(range[0], value);
    range[1] = larger(range[1], value);
}

enum { TRAJECTORY_MAX = 100 };

static inline double trajectory_potential(const trajectory *x, const double *q)
{
    double V = 0;
    for (int i = 0; i < x->s.system->term_count; i++)
        V += olo_term_energy(&x->s.system->terms[i], q, NULL);
    return V;
}

/* 1/2 v.M v of v = dq/h, and V(q_m) */
static inline void trajectory_energies(const trajectory *x, int i, double *kinetic,
                                       double *potential)
{
    double dq[TRAJECTORY_MAX], qm[TRAJECTORY_MAX], p[TRAJECTORY_MAX];
    trajectory_interval(x, i, dq, qm);
    olo_system_mass_times(x->s.system, dq, p);
    *kinetic = 0;
    for (int j = 0; j < x->n; j++)
        *kinetic += 0.5 * dq[j] * p[j] / (x->h * x->h);
    *potential = trajectory_potential(x, qm);
}

static inline double trajectory_interval_energy(const trajectory *x, int i)
{
    double kinetic, potential;
    trajectory_energies(x, i, &kinetic, &potential);
    return kinetic + potential;
}

/* S_d = sum of L_d */
static inline double trajectory_action(const trajectory *x)
{
    double action = 0;
    for (int i = 0; i < x->steps; i++) {
        double kinetic, potential;
        trajectory_energies(x, i, &kinetic, &potential);
        action += x->h * (kinetic - potential);
    }
    return action;
}

/* D2 L_d of interval i (side 2) or -D1 L_d (side 1): M dq/h -+ (h/2) grad V(q_m) */
static inline void trajectory_legendre(const trajectory *x, int i, int side, double *p)
{
    double dq[TRAJECTORY_MAX], qm[TRAJECTORY_MAX], g[OLO_FORM_SIZE_MAX];
    const olo_system *s = x->s.system;
    trajectory_interval(x, i, dq, qm);
    olo_system_mass_times(s, dq, p);
    for (int j = 0; j < x->n; j++)
        p[j] /= x->h;
    for (int k = 0; k < s->term_count; k++) {
        olo_term_gradient(&s->terms[k], qm, NULL, g);
        for (int j = 0; j < s->terms[k].size; j++)
            p[s->terms[k].index[j]] += (side == 2 ? -0.5 : 0.5) * x->h * g[j];
    }
}

/* p_n = 1/2 (D2 L_d - D1 L_d) of an inner node, and M^-1 p_n */
static inline void trajectory_momentum(const trajectory *x, int node, double *p, double *v)
{
    static double M[TRAJECTORY_MAX * TRAJECTORY_MAX];
    double other[TRAJECTORY_MAX], unit[TRAJECTORY_MAX] = {0}, column[TRAJECTORY_MAX];
    int pivot[TRAJECTORY_MAX];
    trajectory_legendre(x, node - 1, 2, p);
    trajectory_legendre(x, node, 1, other);
    for (int j = 0; j < x->n; j++) {
        v[j] = p[j] = 0.5 * (p[j] + other[j]);
        unit[j] = 1;
        olo_system_mass_times(x->s.system, unit, column);
        unit[j] = 0;
        for (int i = 0; i < x->n; i++)
            M[i * x->n + j] = column[i];
    }
    check_true(olo_lu_factor(x->n, M, pivot));
    olo_lu_solve(x->n, M, pivot, false, 1, v);
}

/* H_d(q_n, p_n) = 1/2 p.M^-1 p + V(q) */
static inline double trajectory_nodal_energy(const trajectory *x, int node)
{
    double p[TRAJECTORY_MAX], v[TRAJECTORY_MAX], energy = 0;
    trajectory_momentum(x, node, p, v);
    for (int j = 0; j < x->n; j++)
        energy += 0.5 * p[j] * v[j];
    return energy + trajectory_potential(x, trajectory_at(x, node));
}

/* The double spherical pendulum of the sheet (3.5). */
static const char DOUBLE_PENDULUM[] =
    "name: double\n"
    "gravity: [0, 0, -9.81]\n"
    "points:\n"
    "  - {name: first, mass: 10, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
    "  - {name: second, mass: 5, position: [1.5, 0, 0], velocity: [0, 0, 1], relative_to: first}\n"
    "rods:\n"
    "  - {name: upper, between: [[0, 0, 0], first]}\n"
    "  - {name: lower, between: [first, second]}\n";

/* max |dq/h| up to t = 10, and the drift of L_3 = 22.5 */
static inline double double_fastest(const char *treatment, double h, double *drift)
{
    scene s = variational_open(DOUBLE_PENDULUM, treatment);
    double before[6], largest = 0;
    *drift = 0;
    for (long i = 0; i < lround(10 / h); i++) {
        memcpy(before, olo_state_configuration(s.state), sizeof before);
        scene_run(&s, h, 1);
        double sum = 0;
        for (int j = 0; j < 6; j++)
            sum += pow(olo_state_configuration(s.state)[j] - before[j], 2);
        largest = larger(largest, sqrt(sum) / h);
        *drift = larger(*drift, fabs(scene_ledger(&s).angular_momentum[2] - 22.5));
    }
    check_equal(0, s.halvings);
    scene_close(&s);
    return largest;
}

#endif
