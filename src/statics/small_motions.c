/* Small motions about a state, M u'' + D u' + K u = 0: the matrices in the elimination of the tree,
 * and their products with twists of all nodes. D = h df/dq1 of forces that depend on rates, over a
 * step without motion, and Coriolis forces. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "kinematics/null_space.h"
#include "linalg/small.h"
#include "statics/static_balance.h"

static void sink_damping(void *context, int piece, double by, const double *K)
{
    olo_static_balance *x = context;
    olo_projector_add(x->projector, piece, by, K, x->step.x.qm, x->step.x.q1);
}

/* += factor D */
static void add_damping(olo_static_balance *x, double by, double load, bool damped)
{
    const olo_sink sink = {.context = x, .local = sink_damping};
    x->step.load = load;
    if (damped)
        olo_static_damping(&x->step, by, &sink);
    if (olo_rotating_frame_turns(&x->spin))
        olo_rotating_frame_add_coriolis(x->system, &x->spin, by * sqrt(load), x->step.x.q1,
                                        x->elimination);
}

void olo_static_fill(olo_static_balance *x, olo_static_matrix which, double load)
{
    x->predicted = false;
    if (which == OLO_STATIC_STIFFNESS) {
        olo_static_assemble(x, load, 0.0);
        return;
    }
    olo_static_set_configuration(x);
    olo_static_assemble_mass(x);
    if (which == OLO_STATIC_MASS)
        return;
    olo_elimination_clear(x->elimination);
    add_damping(x, 1.0, load, true);
}

olo_status olo_static_factor_dynamic(olo_static_balance *x, double load, double sigma, bool damped,
                                     olo_error *error)
{
    x->predicted = false;
    olo_static_assemble(x, load, sigma * sigma);
    add_damping(x, sigma, load, damped);
    return olo_static_eliminate(x, error);
}

static void gather(const olo_static_balance *x, const double *row, double *wrench)
{
    for (int k = 0; k < x->system->node_count; k++)
        olo_node_wrench(&x->system->nodes[k], x->step.x.q1, row,
                        wrench + x->system->nodes[k].motion);
}

void olo_static_mass_times(olo_static_balance *x, const double *twists, double *wrench)
{
    olo_static_expand_twists(x, twists, 1.0, x->mixed);
    olo_system_mass_times(x->system, x->mixed, x->vector);
    gather(x, x->vector, wrench);
}

/* Adds the product of a local matrix with dq, which is in `mixed`, to `loads`. */
static void sink_product(void *context, int piece, double by, const double *K)
{
    olo_static_balance *x = context;
    small_add_indexed(olo_piece_size(x->system, piece), olo_piece_index(x->system, piece), K, by,
                      false, x->mixed, x->loads);
}

void olo_static_damping_times(olo_static_balance *x, double load, bool damped, const double *twists,
                              double *wrench)
{
    const olo_sink sink = {.context = x, .local = sink_product};
    olo_static_expand_twists(x, twists, 1.0, x->mixed);
    memset(x->loads, 0, (size_t)x->system->n * sizeof *x->loads);
    x->step.load = load;
    if (olo_rotating_frame_turns(&x->spin)) {
        olo_rotating_frame_coriolis(x->system, &x->spin, x->mixed, x->vector, x->loads);
        for (int i = 0; i < x->system->n; i++)
            x->loads[i] *= sqrt(load);
    }
    if (damped)
        olo_static_damping(&x->step, 1.0, &sink);
    gather(x, x->loads, wrench);
}

void olo_static_solve_wrench(olo_static_balance *x, const double *wrench, double *twists, double *u)
{
    const olo_system *s = x->system;
    for (int k = 0; k < s->node_count; k++)
        memcpy(olo_elimination_rhs(x->elimination, k), wrench + s->nodes[k].motion,
               (size_t)s->nodes[k].twist * sizeof *wrench);
    for (int i = 0; i < x->topology->closure_block_count; i++)
        memset(olo_elimination_rhs(x->elimination, s->node_count + i), 0,
               (size_t)x->topology->closure_blocks[i].count * sizeof *wrench);
    olo_elimination_solve(x->elimination);
    olo_static_read(x, x->change);
    memcpy(twists, x->change + olo_static_twist(x, 0), (size_t)s->twists * sizeof *twists);
    if (u)
        memcpy(u, x->change, (size_t)x->topology->unknowns * sizeof *u);
}

/* Fails if the derivative of a force is unknown. */
static olo_status check_actions(const olo_system *s, olo_error *error)
{
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->motion_tangent && !s->actions[i].type->has_tangent)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "the force '%s' comes from a function whose derivatives are not known",
                            s->actions[i].owner);
    return OLO_OK;
}

olo_status olo_static_create_at(const olo_system *system, const olo_state *state,
                                const olo_vibration_options *options, olo_state **copy,
                                olo_static_balance **balance, olo_error *error)
{
    if (!isfinite(options->load) || options->load < 0)
        return olo_fail(error, OLO_BAD_INPUT, "vibrations need a load factor that is not negative");
    olo_status status = olo_state_create(system, copy, error);
    if (status == OLO_OK) {
        olo_state_copy(state, *copy);
        status = olo_static_create(system, *copy, balance, error);
    }
    if (status == OLO_OK) {
        (*balance)->spin = options->spin;
        status = olo_rotating_frame_check(system, &options->spin, error);
    }
    if (status == OLO_OK && options->load > 0)
        status = check_actions(system, error);
    if (status == OLO_OK && options->hold && (*balance)->topology->closure_count > 0)
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "a state that is held needs a model without loops: it is not determined which "
            "joints of a loop hold it");
    if (status == OLO_OK && options->hold)
        (void)olo_static_factor(*balance, options->load, 0.0, NULL); /* for the largest stiffness */
    else if (status == OLO_OK)
        status = olo_static_verify(*balance, options->load, error);
    return status;
}
