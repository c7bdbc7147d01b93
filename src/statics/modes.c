/* Small vibrations about a state, (lambda^2 M + lambda D + K) x = 0 in the joint increments of the
 * tree, on the null space of the closure rows: the choice of the solver, and modes as states. */
#include "statics/modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "system/mass_function.h"

olo_vibration_options olo_vibration_options_default(void)
{
    return (olo_vibration_options){
        .initialised = OLO_INITIALISED_VIBRATION_OPTIONS, .load = 1, .count = 10, .solver = "auto"};
}

/* ---- list of modes --------------------------------------------------------------------------- */

static void free_found(olo_modes *x)
{
    olo_pool_free(&x->pool);
    x->count = 0;
}

olo_status olo_modes_reserve(olo_modes *x, int count, olo_error *error)
{
    size_t capacity = (size_t)count + 1, unknowns = (size_t)x->balance->topology->unknowns + 1;
    free_found(x); /* of another solver */
    x->capacity = count;
    const olo_array arrays[] = {{&x->growth, capacity},
                                {&x->omega, capacity},
                                {&x->square, capacity},
                                {&x->re, capacity * unknowns},
                                {&x->im, capacity * unknowns}};
    x->im = NULL;
    return olo_pool_arrays(&x->pool, arrays, x->general ? 5 : 4)
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for %d modes", count);
}

/* The largest motion of a node with these joint increments, in model lengths and radians. */
static double reach(olo_modes *x, const double *u)
{
    const double small = 1e-4;
    const olo_motion *m = &x->balance->step.x;
    int unknowns = x->balance->topology->unknowns;
    double largest = 0;
    for (int a = 0; a < unknowns; a++)
        olo_raise(&largest, fabs(u[a]));
    if (!(largest > 0))
        return 0;
    for (int a = 0; a < unknowns; a++)
        m->u[a] = u[a] * (small / largest);
    olo_motion_move(x->balance->topology, &x->balance->step.x);
    memcpy(x->balance->change + olo_static_twist(x->balance, 0), m->motion,
           (size_t)x->system->twists * sizeof *m->motion);
    return olo_static_measure(x->balance, x->balance->change, NULL) * (largest / small);
}

void olo_modes_add_square(olo_modes *x, double square, const double *u)
{
    int unknowns = x->balance->topology->unknowns;
    double root = sqrt(fabs(square)), *to = x->re + (size_t)x->count * (size_t)unknowns;
    double size = reach(x, u);
    for (int a = 0; a < unknowns; a++)
        to[a] = size > 0 ? u[a] / size : 0;
    x->square[x->count] = square;
    x->omega[x->count] = square > 0 ? root : 0;
    x->growth[x->count++] = square > 0 ? 0 : root;
}

/* Multiplies (x + i y) by a phase so that its largest entry is real, then scales it by its real
 * part. */
void olo_modes_add(olo_modes *x, double growth, double omega, const double *re, const double *im)
{
    int unknowns = x->balance->topology->unknowns, most = 0;
    double largest = -1, square = growth * growth + omega * omega;
    for (int a = 0; a < unknowns; a++) {
        double y = im ? im[a] : 0, size = re[a] * re[a] + y * y;
        if (size > largest) {
            largest = size;
            most = a;
        }
    }
    if (largest > 0) {
        double *to = x->re + (size_t)x->count * (size_t)unknowns;
        double *other = x->im + (size_t)x->count * (size_t)unknowns;
        double c = re[most], s = im ? im[most] : 0;
        for (int a = 0; a < unknowns; a++) {
            double y = im ? im[a] : 0;
            to[a] = (c * re[a] + s * y) / largest;
            other[a] = (c * y - s * re[a]) / largest;
        }
        double size = reach(x, to);
        for (int a = 0; a < unknowns; a++) {
            to[a] /= size;
            other[a] /= size;
        }
    }
    /* rounding of lambda^2 alone may appear as growth */
    if (fabs(growth) * 2 * sqrt(square) <= x->rounding)
        growth = 0;
    x->square[x->count] = omega * omega - growth * growth;
    x->omega[x->count] = omega;
    x->growth[x->count++] = growth;
}

/* ---- the search ------------------------------------------------------------------------------ */

static olo_status check(const olo_vibration_options *o, olo_error *error)
{
    const char *solver = o->solver ? o->solver : "auto";
    if (olo_check_initialised(o->initialised, OLO_INITIALISED_VIBRATION_OPTIONS, error) != OLO_OK)
        return OLO_BAD_INPUT;
    if (o->count < 1)
        return olo_fail(error, OLO_BAD_INPUT, "modes need a count of at least one");
    if (strcmp(solver, "auto") != 0 && strcmp(solver, "dense") != 0 &&
        strcmp(solver, "sparse") != 0)
        return olo_fail(error, OLO_BAD_INPUT,
                        "no solver of modes is called '%s'; there are auto, dense and sparse",
                        solver);
    return OLO_OK;
}

static bool prefers_dense(const olo_modes *x)
{
    const char *solver = x->options.solver ? x->options.solver : "auto";
    if (strcmp(solver, "auto") != 0)
        return strcmp(solver, "dense") == 0;
    return x->balance->topology->unknowns <= (x->general ? OLO_MODES_DENSE / 3 : OLO_MODES_DENSE);
}

olo_status olo_modes_create(const olo_system *system, const olo_state *state,
                            const olo_vibration_options *options, olo_modes **modes,
                            olo_error *error)
{
    olo_modes *x = *modes = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    x->system = system;
    x->options = options ? *options : olo_vibration_options_default();
    olo_status status = check(&x->options, error);
    if (status == OLO_OK)
        status = olo_system_need_constant_mass(system, "modes need", error);
    if (status == OLO_OK)
        status = olo_static_create_at(system, state, &x->options, &x->state, &x->balance, error);
    if (status == OLO_OK) {
        x->general = x->options.damped || olo_rotating_frame_turns(&x->options.spin) ||
                     (x->options.load > 0 && !olo_static_is_conservative(x->balance));
        x->rounding = 64 * DBL_EPSILON * (x->balance->stiff > 0 ? x->balance->stiff : 1.0);
        status =
            prefers_dense(x) ? olo_modes_solve_dense(x, error) : olo_modes_solve_sparse(x, error);
    }
    if (status == OLO_OK)
        olo_static_set_configuration(x->balance); /* for shapes */
    if (status != OLO_OK) {
        olo_modes_free(x);
        *modes = NULL;
    }
    return status;
}

void olo_modes_free(olo_modes *modes)
{
    if (!modes)
        return;
    olo_static_free(modes->balance);
    olo_state_free(modes->state);
    free_found(modes);
    olo_free(modes);
}

int olo_modes_count(const olo_modes *modes)
{
    return modes->count;
}

static double value(const olo_modes *modes, const double *of, int index)
{
    return index >= 0 && index < modes->count ? of[index] : NAN;
}

double olo_modes_omega_squared(const olo_modes *modes, int index)
{
    return value(modes, modes->square, index);
}

double olo_modes_omega(const olo_modes *modes, int index)
{
    return value(modes, modes->omega, index);
}

double olo_modes_growth(const olo_modes *modes, int index)
{
    return value(modes, modes->growth, index);
}

double olo_modes_rounding(const olo_modes *modes)
{
    return modes->rounding;
}

olo_status olo_modes_displace(const olo_modes *modes, int index, double amplitude, double phase,
                              olo_state *state, olo_error *error)
{
    const olo_motion *m = &modes->balance->step.x;
    int unknowns = modes->balance->topology->unknowns;
    if (index < 0 || index >= modes->count)
        return olo_fail(error, OLO_BAD_INPUT, "there is no mode %d; there are %d", index + 1,
                        modes->count);
    const double *re = modes->re + (size_t)index * (size_t)unknowns;
    const double *im = modes->im ? modes->im + (size_t)index * (size_t)unknowns : NULL;
    for (int i = 0; i < unknowns; i++)
        m->u[i] = amplitude * (cos(phase) * re[i] - (im ? sin(phase) * im[i] : 0));
    olo_motion_move(modes->balance->topology, &modes->balance->step.x);
    olo_state_copy(modes->state, state);
    memcpy(state->q, m->q1, (size_t)modes->system->n * sizeof *state->q);
    olo_state_follow_angles(modes->system, state);
    return OLO_OK;
}
