/* Impacts and settling impulses; see the header. The kinetic energy changes by
 *
 *     dT = Lambda.gamma + 1/2 Lambda.D Lambda,     gamma the rates before the jump.
 */
#include "contact/impact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "contact/friction.h"
#include "linalg/vector.h"

/* A larger error of velocities is no solution, relative to the change of velocities or to the
 * largest one, whichever is smaller, unless it counts as zero. */
static const double solved = 1e-9;
/* Impulses of redundant contacts may be less accurate, if they add no energy. */
static const double acceptable = 1e-6;
/* The error where impulses are not finite. */
static const double unsolved = 1;

/* Memory grows with the contacts that act at the same time: all that a model has may be many more.
 */
static olo_status reserve(olo_impact *x, int rows, olo_error *error)
{
    if (rows <= x->capacity)
        return OLO_OK;
    const int capacity = rows > 2 * x->capacity ? rows : 2 * x->capacity;
    const size_t p = (size_t)capacity;
    const olo_array arrays[] = {
        {&x->D, p * p},  {&x->c, p},        {&x->rate, p},
        {&x->Lambda, p}, {&x->Lambda_0, p}, {&x->work, (size_t)olo_inclusion_work(capacity)}};
    olo_pool_free(&x->pool);
    x->capacity = 0;
    x->contact = olo_pool_alloc(&x->pool, p + 1, sizeof *x->contact);
    x->row = olo_pool_alloc(&x->pool, p + 1, sizeof *x->row);
    x->blocks = olo_pool_alloc(&x->pool, p + 1, sizeof *x->blocks);
    x->integers = olo_pool_alloc(&x->pool, 2 * p + 1, sizeof *x->integers);
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->capacity = capacity;
    return olo_frozen_reserve(&x->frozen, capacity, error);
}

olo_status olo_impact_create(olo_impact *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error)
{
    *x = (olo_impact){.count = 0};
    const olo_status status = olo_frozen_create(&x->frozen, system, row_count, row, error);
    return status == OLO_OK ? reserve(x, olo_contact_rows_at_first(system), error) : status;
}

olo_status olo_impact_reserve(olo_impact *x, const bool *active, olo_error *error)
{
    return reserve(x, olo_contact_row_count(x->frozen.system, active), error);
}

void olo_impact_free(olo_impact *x)
{
    olo_frozen_free(&x->frozen);
    olo_pool_free(&x->pool);
}

double olo_contact_zero(const olo_system *system, const double *v)
{
    double largest = 1;
    for (int i = 0; i < system->n; i++)
        olo_raise(&largest, fabs(v[i]));
    return OLO_CONTACT_ZERO * largest;
}

/* --- the problem --- */

static void begin(olo_impact *x)
{
    x->count = x->block_count = 0;
}

/* Adds the rows of a contact with their blocks: the gap, and friction over a time if `sliding`. */
static void add_contact(olo_impact *x, const olo_at *at, int c, bool sliding, double duration,
                        const double *v)
{
    const olo_contact_point *contact = &x->frozen.system->contacts[c];
    const int normal = x->count, rows = sliding ? contact->sliding_count : 0;
    const int first = olo_contact_first_row(contact);
    for (int i = first; i <= rows; i++, x->count++) {
        const olo_constraint *row = olo_contact_row(contact, i);
        olo_frozen_add(&x->frozen, at, row);
        x->contact[x->count] = c;
        x->row[x->count] = i;
        x->rate[x->count] = olo_frozen_rate(at, row, v);
        x->Lambda[x->count] = 0;
    }
    if (first == 0)
        x->blocks[x->block_count++] =
            (olo_force_block){&olo_set_half_line, NULL, normal, 1, -1, 0, 0};
    if (rows > 0)
        x->blocks[x->block_count++] =
            olo_friction_block(contact, normal + 1 - first, normal, duration);
}

static olo_solution solve(olo_impact *x, double *Lambda)
{
    const olo_inclusion problem = {
        {.size = x->count, .matrix = x->D}, x->c, x->block_count, x->blocks};
    return olo_solve_inclusion(&problem, Lambda, x->work, x->integers);
}

/* The error of the velocities of contacts that the residual of the impulses and their rounding
 * cause, relative to the largest velocity; and those that the impulses cause. */
static double error_of(const olo_impact *x, const olo_solution *found, double zero, double *whole)
{
    const double velocity = zero / OLO_CONTACT_ZERO;
    double impulse = 0, mobility = 0;
    for (int i = 0; i < x->count; i++) {
        olo_raise(&impulse, fabs(x->Lambda[i]));
        olo_raise(&mobility, x->D[olo_area(i, x->count) + (size_t)i]);
    }
    *whole = impulse * mobility / velocity;
    return fmax(found->residual, DBL_EPSILON) * *whole;
}

/* Whether impulses are a solution. */
static bool is_solved(const olo_impact *x, const olo_solution *found, double zero)
{
    double whole;
    const double error = error_of(x, found, zero, &whole);
    return error <= fmax(solved * fmin(whole, 1), OLO_CONTACT_ZERO);
}

/* a.D b */
static double form(const olo_impact *x, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < x->count; i++)
        sum += a[i] * olo_dense_dot(x->count, x->D + olo_area(i, x->count), b);
    return sum;
}

static double energy_change(const olo_impact *x, const double *Lambda)
{
    return olo_dense_dot(x->count, Lambda, x->rate) + 0.5 * form(x, Lambda, Lambda);
}

static void judge(const olo_impact *x, const olo_solution *found, double zero, olo_jump *jump)
{
    double whole;
    const double error = error_of(x, found, zero, &whole);
    jump->converged =
        is_solved(x, found, zero) || (error <= acceptable && energy_change(x, x->Lambda) <= 0);
    jump->residual = isfinite(error) ? error : unsolved;
}

/* The jump of the velocities; impulses are added to those of the contacts. What settling takes from
 * sliding velocities is lost in friction, all else in impacts. */
static void conclude(olo_impact *x, bool settling, double *v, olo_contact_account *account,
                     double *rows, olo_jump *jump)
{
    jump->energy = energy_change(x, x->Lambda);
    jump->happened = true;
    olo_frozen_jump(&x->frozen, x->Lambda, v, rows);
    for (int i = 0; i < x->count; i++) {
        const double change = olo_dense_dot(x->count, x->D + olo_area(i, x->count), x->Lambda);
        const double energy = x->Lambda[i] * (x->rate[i] + 0.5 * change);
        olo_contact_account *own = &account[x->contact[i]];
        own->lambda[x->row[i]] += x->Lambda[i];
        if (settling && x->row[i] > 0) {
            own->friction += energy;
            jump->friction += energy;
        } else {
            own->impact += energy;
        }
    }
}

/* --- impact --- */

/* The coefficient of a row whose contact approaches with the given rate: contacts with e < 1 that
 * approach more slowly than their threshold are plastic. */
static double restitution_of(const olo_contact_point *contact, int row, double approach)
{
    const double e = row == 0 ? contact->restitution : contact->tangential_restitution;
    return contact->restitution < 1 && fabs(approach) < contact->threshold ? 0 : e;
}

/* The rate of the gap of the contact to which row i belongs; none without a gap. */
static double approach_of(const olo_impact *x, int i)
{
    const bool gap = olo_contact_has_gap(&x->frozen.system->contacts[x->contact[i]]);
    return gap ? x->rate[i - x->row[i]] : 0;
}

/* c = (1 + e) gamma. */
static void set_restitution(olo_impact *x, bool plastic)
{
    for (int i = 0; i < x->count; i++) {
        const olo_contact_point *contact = &x->frozen.system->contacts[x->contact[i]];
        const double e = restitution_of(contact, x->row[i], approach_of(x, i));
        x->c[i] = (1 + (plastic ? 0 : e)) * x->rate[i];
    }
}

/* The guard of the energy; returns s. Without a solution of Newton's law it is 0. */
static double guard(olo_impact *x, olo_solution *found, double zero)
{
    const double rise = energy_change(x, x->Lambda);
    const double size = fabs(olo_dense_dot(x->count, x->Lambda, x->rate));
    const double noise = 1e-13; /* of the energies that are exchanged */
    const bool exists = is_solved(x, found, zero);
    if (exists && !(rise > noise * size))
        return 1;
    set_restitution(x, true);
    memset(x->Lambda_0, 0, (size_t)x->count * sizeof *x->Lambda_0);
    *found = solve(x, x->Lambda_0);
    if (!exists) {
        memcpy(x->Lambda, x->Lambda_0, (size_t)x->count * sizeof *x->Lambda);
        return 0;
    }
    /* dT(s) = low + b s + c s^2 along Lambda_0 + s (Lambda - Lambda_0) */
    for (int i = 0; i < x->count; i++)
        x->Lambda[i] -= x->Lambda_0[i];
    const double low = energy_change(x, x->Lambda_0);
    const double c = 0.5 * form(x, x->Lambda, x->Lambda);
    const double b = olo_dense_dot(x->count, x->Lambda, x->rate) + form(x, x->Lambda, x->Lambda_0);
    const double root = sqrt(fmax(b * b - 4 * c * low, 0.0));
    double s = b > 0 ? -2 * low / (b + root) : c > 0 ? (root - b) / (2 * c) : 0;
    s = fmin(fmax(s, 0.0), 1.0);
    for (int i = 0; i < x->count; i++)
        x->Lambda[i] = x->Lambda_0[i] + s * x->Lambda[i];
    return s;
}

/* The largest Delassus entries of each contact. */
static void measure(const olo_impact *x, double *D)
{
    for (int i = 0; i < x->count; i++)
        olo_raise(&D[2 * x->contact[i] + (x->row[i] > 0)], x->D[olo_area(i, x->count) + (size_t)i]);
}

/* The rate of row i after normal impulses that push and those of friction. */
static double rate_after(const olo_impact *x, int i)
{
    double rate = x->rate[i];
    for (int j = 0; j < x->count; j++)
        if (x->row[j] > 0 || x->Lambda[j] > 0)
            rate += x->D[olo_area(i, x->count) + (size_t)j] * x->Lambda[j];
    return rate;
}

/* The first contact that still approaches after the impact, since nothing that moves it is free;
 * -1: none. */
static int find_blocked(const olo_impact *x, double zero)
{
    const double still = 1e-4; /* of the approach velocity */
    for (int i = 0; i < x->count; i++)
        if (x->row[i] == 0 && x->rate[i] < -zero &&
            !(rate_after(x, i) >= fmin(still * x->rate[i], -zero)))
            return x->contact[i];
    return -1;
}

olo_status olo_impact_solve(olo_impact *x, const olo_at *at, const bool *active,
                            const olo_impact_law *law, double *v, olo_contact_account *account,
                            double *rows, double *D, olo_jump *jump, olo_error *error)
{
    const olo_system *s = x->frozen.system;
    const double zero = olo_contact_zero(s, v);
    bool closing = false, any = false;
    *jump = (olo_jump){.guard = 1, .converged = true};
    memset(D, 0, 2 * (size_t)s->contact_count * sizeof *D);
    begin(x);
    for (int c = 0; c < s->contact_count; c++)
        any = any || active[c];
    if (!any)
        return OLO_OK;
    olo_status status = olo_impact_reserve(x, active, error);
    if (status == OLO_OK)
        status = olo_frozen_begin(&x->frozen, at, error);
    if (status != OLO_OK)
        return status;
    for (int c = 0; c < s->contact_count; c++)
        if (active[c])
            add_contact(x, at, c, true, 0, v);
    olo_frozen_matrix(&x->frozen, x->D);
    measure(x, D);
    for (int i = 0; i < x->count; i++)
        closing = closing || (x->row[i] == 0 && x->rate[i] < -zero);
    if (!closing || law->none)
        return OLO_OK;
    set_restitution(x, false);
    olo_solution found = solve(x, x->Lambda);
    jump->guard = law->guard ? guard(x, &found, zero) : 1;
    const int blocked = find_blocked(x, zero);
    if (blocked >= 0)
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "%s: the bodies of contact '%s' cannot separate: a prescribed motion, a "
                        "fixed point or other contacts push them into each other",
                        s->contacts[blocked].where, s->contacts[blocked].name);
    judge(x, &found, zero, jump);
    conclude(x, false, v, account, rows, jump);
    for (int i = 0; i < x->count; i++) {
        olo_contact_account *own = &account[x->contact[i]];
        own->impulse += x->row[i] == 0 ? x->Lambda[i] : 0;
        own->guarded = own->guarded || jump->guard < 1;
    }
    return OLO_OK;
}

void olo_impact_with_forces(olo_impact *x, const olo_at *at, double duration, const bool *active,
                            const double *v_start, double *v, olo_contact_account *account,
                            double *rows, olo_jump *jump)
{
    const olo_system *s = x->frozen.system;
    const double zero = olo_contact_zero(s, v_start);
    *jump = (olo_jump){.guard = 1, .converged = true};
    begin(x);
    for (int c = 0; c < s->contact_count; c++)
        if (active[c])
            add_contact(x, at, c, true, duration, v);
    if (x->count == 0)
        return;
    olo_frozen_matrix(&x->frozen, x->D);
    for (int i = 0; i < x->count; i++) {
        const olo_contact_point *contact = &s->contacts[x->contact[i]];
        const double approach =
            olo_contact_has_gap(contact) ? olo_frozen_rate(at, &contact->gap, v_start) : 0;
        x->c[i] =
            x->rate[i] + restitution_of(contact, x->row[i], approach) *
                             olo_frozen_rate(at, olo_contact_row(contact, x->row[i]), v_start);
    }
    const olo_solution found = solve(x, x->Lambda);
    judge(x, &found, zero, jump);
    conclude(x, false, v, account, rows, jump);
    for (int i = 0; i < x->count; i++) {
        const olo_contact_point *contact = &s->contacts[x->contact[i]];
        if (x->row[i] == 0 && olo_frozen_rate(at, &contact->gap, v_start) < -zero)
            account[x->contact[i]].impulse += x->Lambda[i];
    }
}

/* --- settling --- */

static bool is_still(const olo_impact *x, const olo_at *at, int c, const double *v, double zero)
{
    const olo_contact_point *contact = &x->frozen.system->contacts[c];
    bool still = true;
    for (int i = 0; i < contact->sliding_count; i++)
        still = still && fabs(olo_frozen_rate(at, &contact->sliding[i], v)) <= zero;
    return still;
}

/* Whether a contact needs a settling impulse: it sticks and moves, or it is closed, without
 * restitution, and approaches. */
static bool is_restless(const olo_impact *x, const olo_at *at, const olo_smooth_newton *step, int c,
                        const double *v, double zero)
{
    const olo_contact_point *contact = &x->frozen.system->contacts[c];
    const olo_contact_status status = step->mode[c].status;
    if (status == OLO_CONTACT_STICKING && !is_still(x, at, c, v, zero))
        return true;
    if (!olo_contact_has_gap(contact))
        return false;
    const double approach = olo_frozen_rate(at, &contact->gap, v);
    return status != OLO_CONTACT_OPEN && restitution_of(contact, 0, approach) == 0 &&
           approach < -zero;
}

/* The friction impulse of the smooth part is the origin of the unknown of its block: both together
 * stay in the set, whose size has both normal impulses. A least-norm impulse outside of its set is
 * replaced by the nearest one inside. */
static void set_origin(olo_impact *x, const olo_smooth_newton *step)
{
    double *origin = x->Lambda_0;
    memset(origin, 0, (size_t)x->count * sizeof *origin);
    for (int i = 0; i < x->block_count; i++) {
        olo_force_block *block = &x->blocks[i];
        const int c = x->contact[block->first];
        const olo_contact_impulse *smooth = &step->smooth.impulse[c];
        double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX];
        if (x->row[block->first] == 0)
            continue;
        if (block->normal >= 0)
            block->offset = smooth->lambda[0];
        for (int k = 0; k < block->size; k++)
            z[k] = -smooth->lambda[1 + k];
        block->set->prox(block->shape, olo_block_rho(block, origin), block->size, z, p);
        for (int k = 0; k < block->size; k++)
            origin[block->first + k] = x->Lambda[block->first + k] = -p[k];
    }
    for (int i = 0; i < x->count; i++)
        x->c[i] = x->rate[i] - olo_dense_dot(x->count, x->D + olo_area(i, x->count), origin);
}

olo_status olo_impact_settle(olo_impact *x, const olo_at *at, const olo_smooth_newton *step,
                             double *v, olo_contact_account *account, double *rows, olo_jump *jump,
                             olo_error *error)
{
    const olo_system *s = x->frozen.system;
    const double zero = olo_contact_zero(s, v);
    bool needed = false;
    *jump = (olo_jump){.guard = 1, .converged = true};
    for (int c = 0; c < s->contact_count; c++)
        needed = needed || (step->smooth.active[c] && is_restless(x, at, step, c, v, zero));
    if (!needed)
        return OLO_OK;
    const olo_status status = olo_frozen_begin(&x->frozen, at, error);
    if (status != OLO_OK)
        return status;
    begin(x);
    for (int c = 0; c < s->contact_count; c++) {
        const olo_contact_point *contact = &s->contacts[c];
        if (!step->smooth.active[c] || step->mode[c].status == OLO_CONTACT_OPEN)
            continue;
        /* bouncing contacts that approach are left to the next impact */
        if (olo_contact_has_gap(contact) && contact->restitution > 0 &&
            olo_frozen_rate(at, &contact->gap, v) < 0)
            continue;
        add_contact(x, at, c, step->mode[c].status == OLO_CONTACT_STICKING, step->smooth.h, v);
    }
    olo_frozen_matrix(&x->frozen, x->D);
    set_origin(x, step);
    const olo_solution found = solve(x, x->Lambda);
    judge(x, &found, zero, jump);
    const bool exact = is_solved(x, &found, zero);
    for (int i = 0; i < x->count; i++)
        x->Lambda[i] -= x->Lambda_0[i];
    if (!exact && !(energy_change(x, x->Lambda) <= 0))
        return OLO_OK; /* no impulse is admissible, too */
    conclude(x, true, v, account, rows, jump);
    return OLO_OK;
}
