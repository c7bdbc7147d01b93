/* The chain in Oloid, through its public interface, from the model of the catalogue. The method is
 * the name of a scheme, or "tolerance" for energy-momentum-2006 with steps adapted to the setting,
 * followed by the order if it is not 2: "variational-6". The constraints are `reduced`; the Newton
 * tolerance is the default.
 *
 * Oloid's velocities are those of positions and directors. They satisfy the hinges on average over
 * a step, not at its end, so that they may have a component that opens the hinges. The rates given
 * to the driver are those without this component.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oloid/oloid.h"
#include "peer.h"

typedef struct oloid_run {
    const chain *chain;
    olo_model *model;
    olo_system *system;
    olo_state *state;
    olo_stepper *stepper;
    olo_derivatives *derivatives;
    double *momenta; /* of the links, six numbers each */
    double h;        /* step; 0: adapted */
    long done;
} oloid_run;

static const char *version(void)
{
    return olo_version();
}

static void finish(void *run)
{
    oloid_run *x = run;
    olo_stepper_free(x->stepper);
    olo_derivatives_free(x->derivatives);
    olo_state_free(x->state);
    olo_system_free(x->system);
    olo_model_free(x->model);
    free(x->momenta);
    free(x);
}

/* Sets position and axes of each link, and their rates, to those of the chain. */
static bool set_links(const chain *c, oloid_run *x)
{
    const size_t n = (size_t)olo_system_coordinate_count(x->system);
    double *q = malloc(n * sizeof *q), *v = malloc(n * sizeof *v);
    chain_link *links = calloc((size_t)c->links, sizeof *links);
    const bool allocated = links && q && v;
    if (allocated)
        chain_move(c, c->angles, c->rates, links);
    for (int i = 0; allocated && i < c->links; i++) {
        const int at = olo_system_node_offset(x->system, i);
        for (int k = 0; k < 3; k++) {
            q[at + k] = links[i].position[k];
            v[at + k] = links[i].velocity[k];
            for (int d = 0; d < 3; d++) {
                const double *w = links[i].spin;
                const int a = (k + 1) % 3, b = (k + 2) % 3;
                q[at + 3 + 3 * d + k] = links[i].rotation[k][d];
                v[at + 3 + 3 * d + k] =
                    w[a] * links[i].rotation[b][d] - w[b] * links[i].rotation[a][d];
            }
        }
    }
    if (allocated) {
        olo_state_set_configuration(x->system, x->state, q);
        olo_state_set_velocity(x->state, v);
    }
    free(q);
    free(v);
    free(links);
    return allocated;
}

/* Options of the run for a method. */
static olo_run run_of(const olo_model *model, const char *method, double setting)
{
    static const char *const schemes[] = {"energy-momentum-2006", "variational"};
    olo_run run = *olo_model_run(model);
    const char *dash = strrchr(method, '-');
    const bool chosen = strncmp(method, "tolerance", 9) == 0;
    run.scheme = chosen ? schemes[0] : method;
    for (int i = 0; i < 2; i++)
        if (strncmp(method, schemes[i], strlen(schemes[i])) == 0)
            run.scheme = schemes[i];
    if (dash && dash[1] >= '0' && dash[1] <= '9')
        run.order = dash[1] - '0';
    run.step = chosen ? 1e-3 : setting;
    run.tolerance = chosen ? setting : 0;
    return run;
}

static void *start(const chain *c, const char *method, double setting, peer_error *reason)
{
    char links[16];
    olo_error error = {0};
    oloid_run *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    snprintf(links, sizeof links, "%d", c->links);
    const olo_setting settings[] = {{"n", links}};
    x->chain = c;
    x->momenta = calloc(6 * (size_t)c->links, sizeof *x->momenta);
    olo_status status = olo_model_read("chain", settings, 1, &x->model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(x->model, &x->system, &error);
    if (status == OLO_OK)
        status = olo_system_create_initial_state(x->system, &x->state, NULL, &error);
    if (status == OLO_OK) {
        const olo_run run = run_of(x->model, method, setting);
        x->h = run.tolerance > 0 ? 0 : run.step;
        status = olo_stepper_create(x->system, &run, &x->stepper, &error);
        if (status == OLO_OK)
            status = olo_derivatives_create(x->system, &run, &x->derivatives, &error);
    }
    if (status == OLO_OK && x->momenta && set_links(c, x))
        return x;
    snprintf(reason->text, sizeof reason->text, "%s", error.text);
    finish(x);
    return NULL;
}

static bool advance(void *run, double until, peer_error *reason)
{
    oloid_run *x = run;
    olo_error error = {0};
    olo_status status = OLO_OK;
    const long all = x->h > 0 ? peer_steps_until(until, x->h) : 0;
    for (; x->h > 0 && x->done < all && status == OLO_OK; x->done++)
        status = olo_stepper_step(x->stepper, x->state, x->h, &error);
    for (; x->h == 0 && until - olo_state_time(x->state) > 1e-12 && status == OLO_OK; x->done++)
        status = olo_stepper_step_adaptive(x->stepper, x->state, until - olo_state_time(x->state),
                                           &error);
    if (status != OLO_OK)
        snprintf(reason->text, sizeof reason->text, "%s", error.text);
    return status == OLO_OK;
}

/* Linear and angular momentum of a link from its position and directors z = (x, d1, d2, d3) and
 * their rates: p_a = sum M_ab z'_b, l = sum d_a x p_a, with M = [[m, m c^T], [m c, E]], E = sum
 * over mass of X X^T. */
static void link_momentum(const chain *c, const double *q, const double *v, double momentum[6])
{
    double M[4][4] = {{c->mass}}, p[4][3] = {{0}};
    for (int a = 0; a < 3; a++) {
        M[0][a + 1] = M[a + 1][0] = c->mass * c->center[a];
        for (int b = 0; b < 3; b++)
            M[a + 1][b + 1] = c->mass * c->center[a] * c->center[b];
        M[a + 1][a + 1] += (c->inertia[0] + c->inertia[1] + c->inertia[2]) / 2 - c->inertia[a];
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            for (int k = 0; k < 3; k++)
                p[a][k] += M[a][b] * v[3 * b + k];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        momentum[k] = p[0][k];
        momentum[3 + k] = 0;
        for (int a = 1; a < 4; a++)
            momentum[3 + k] += q[3 * a + i] * p[a][j] - q[3 * a + j] * p[a][i];
    }
}

static void read(void *run, double *angles, double *rates, double tip[3], double *energy)
{
    oloid_run *x = run;
    olo_ledger ledger;
    double velocity[3], acceleration[3];
    for (int i = 0; i < x->chain->links; i++) {
        const int at = olo_system_node_offset(x->system, i);
        angles[i] = olo_system_joint_coordinate_value(x->system, x->state, i);
        link_momentum(x->chain, olo_state_configuration(x->state) + at,
                      olo_state_velocity(x->state) + at, &x->momenta[6 * i]);
    }
    if (!chain_fit_rates(x->chain, angles, x->momenta, rates))
        rates[0] = NAN;
    olo_system_output(x->system, x->state, 0, tip, velocity, acceleration);
    olo_system_ledger(x->system, x->state, &ledger);
    *energy = ledger.total;
}

/* Derivatives by positions and directors of the links -> by their motions, and so by the hinges. */
static void by_hinges(const oloid_run *x, const chain_link *links, const double *g, double *result)
{
    for (int i = 0; i < x->chain->links; i++) {
        const double *by = g + olo_system_node_offset(x->system, i);
        double *f = &x->momenta[6 * i];
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            f[k] = by[k];
            f[3 + k] = 0;
            for (int d = 0; d < 3; d++)
                f[3 + k] += links[i].rotation[a][d] * by[3 + 3 * d + b] -
                            links[i].rotation[b][d] * by[3 + 3 * d + a];
        }
    }
    chain_hinge_components(x->chain, links, x->momenta, result);
}

/* By the adjoint method, with all steps in memory. */
static bool gradient(void *run, double end, double *derivatives, peer_error *reason)
{
    oloid_run *x = run;
    olo_error error = {.text = "gradients start at rest"};
    const chain *c = x->chain;
    const size_t n = (size_t)olo_system_coordinate_count(x->system);
    x->done = peer_steps_until(end, x->h);
    double *memory = calloc(2 * n + (size_t)x->done, sizeof *memory), *sizes = memory + 2 * n;
    chain_link *links = calloc((size_t)c->links, sizeof *links);
    olo_goal goal = olo_goal_default();
    goal.quantity = "kinetic";
    goal.end = 1;
    olo_functional energy = olo_functional_default();
    energy.goals = &goal;
    energy.goal_count = 1;
    olo_gradient g = olo_gradient_default();
    g.q = memory;
    g.v = memory + n;
    bool ok = memory && links;
    for (int i = 0; i < c->links; i++)
        ok = ok && c->rates[i] == 0; /* else velocities depend on the angles as well */
    for (long i = 0; ok && i < x->done; i++)
        sizes[i] = x->h;
    olo_derivatives_set_memory(x->derivatives, (size_t)-1);
    ok = ok && olo_derivatives_set_step_sizes(x->derivatives, sizes, x->done, &error) == OLO_OK &&
         olo_derivatives_compute_gradient(x->derivatives, x->state, &energy, &g, &error) == OLO_OK;
    if (ok) {
        chain_move(c, c->angles, c->rates, links);
        by_hinges(x, links, g.q, derivatives);
        by_hinges(x, links, g.v, derivatives + c->links);
    } else {
        snprintf(reason->text, sizeof reason->text, "%s", error.text);
    }
    free(memory);
    free(links);
    return ok;
}

static long steps(void *run)
{
    return ((oloid_run *)run)->done;
}

const peer the_peer = {
    "oloid", version, start, advance, read, steps, finish, gradient, NULL,
};
