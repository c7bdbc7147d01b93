/* The iteration for the smooth part of a step with contacts; see the header.
 *
 * Semismooth Newton: in every iteration the proximal points decide the status of each contact. The
 * smooth equations K dz + C dmu = -F are eliminated, one back-substitution per unknown impulse, and
 *
 *     (B - R K^-1 C) dmu = -f + R K^-1 F
 *
 * remains for the impulses, R and B the derivatives of the contact equations f with respect to the
 * smooth unknowns and to the impulses. Contacts may be redundant: the impulses have least norm.
 *
 * If it does not converge, the status is found without pairs: smooth equations linearised, the
 * inclusion solved exactly in every iteration (projected Newton, accelerated). Then the equations
 * with pairs are solved at that status. If that fails, the solution without pairs is used: its
 * energy does not rise either. */
#include "contact/smooth_newton.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "contact/friction.h"
#include "contact/inclusion.h"
#include "linalg/vector.h"

enum { ITERATIONS_MAX = 30 };
/* Largest update of a solution, relative to the motion; iterations are quadratic there. */
static const double accurate = 1e-12;
/* Rounding of a coordinate, relative to its unit. */
static const double rounding = 4e-15;
/* Rounding errors of long chains are larger than these: an update is accepted that is at most so
 * many times larger and has not become smaller by the factor of an iteration that converges. */
static const double largest_noise = 100, contraction = 0.5;

/* --- workspace --- */

olo_status olo_smooth_newton_create(olo_smooth_newton *x, const olo_system *system, int row_count,
                                    const int *row, olo_error *error)
{
    *x = (olo_smooth_newton){.capacity = 0};
    olo_status status = olo_smooth_create(&x->smooth, system, row_count, row, error);
    if (status != OLO_OK)
        return status;
    for (int c = 0; c < system->contact_count; c++)
        x->capacity += 2 * (1 + system->contacts[c].sliding_count);
    const size_t p = (size_t)x->capacity, size = (size_t)x->smooth.size;
    const olo_array arrays[] = {
        {&x->Y, p * size}, {&x->y0, size}, {&x->A, p * p},
        {&x->b, p},        {&x->old, p},   {&x->work, (size_t)olo_inclusion_work(x->capacity)}};
    x->mode = olo_pool_alloc(&x->pool, (size_t)system->contact_count + 1, sizeof *x->mode);
    x->unknown = olo_pool_alloc(&x->pool, p + 1, sizeof *x->unknown);
    x->blocks = olo_pool_alloc(&x->pool, p + 1, sizeof *x->blocks);
    x->integers = olo_pool_alloc(&x->pool, 2 * p + 1, sizeof *x->integers);
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    return OLO_OK;
}

void olo_smooth_newton_free(olo_smooth_newton *x)
{
    olo_smooth_free(&x->smooth);
    olo_pool_free(&x->pool);
}

/* --- status --- */

static double rho_of(const olo_smooth_newton *x, int c)
{
    return olo_friction_size(&x->smooth.system->contacts[c], x->smooth.impulse[c].lambda[0],
                             x->smooth.h);
}

/* The argument of the proximal point of friction. */
static void argument(const olo_smooth_newton *x, int c, double *z)
{
    const olo_contact_point *contact = &x->smooth.system->contacts[c];
    for (int i = 0; i < contact->sliding_count; i++)
        z[i] = -x->smooth.impulse[c].lambda[1 + i] +
               x->mode[c].r[1] * olo_smooth_over(&x->smooth, c, 1 + i)->s;
}

static olo_contact_status status_of(const olo_smooth_newton *x, int c)
{
    const olo_contact_point *contact = &x->smooth.system->contacts[c];
    const int size = contact->sliding_count;
    double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX];
    if (olo_contact_has_gap(contact)) {
        const double normal =
            x->smooth.impulse[c].lambda[0] - x->mode[c].r[0] * olo_smooth_over(&x->smooth, c, 0)->s;
        if (!(normal > 0))
            return OLO_CONTACT_OPEN;
    }
    if (size == 0)
        return OLO_CONTACT_SLIDING;
    argument(x, c, z);
    contact->law->set->prox(&contact->law->shape, rho_of(x, c), size, z, p);
    return memcmp(z, p, (size_t)size * sizeof *z) == 0 ? OLO_CONTACT_STICKING : OLO_CONTACT_SLIDING;
}

/* Sets an impulse; the residual is linear in it. */
static void set_impulse(olo_smooth_newton *x, int c, int row, bool pair, double value)
{
    double *of = pair ? x->smooth.impulse[c].kappa : x->smooth.impulse[c].lambda;
    if (of[row] == value)
        return;
    olo_smooth_column(&x->smooth, c, row, pair, x->y0);
    olo_dense_add(x->smooth.size, value - of[row], x->y0, x->smooth.residual);
    of[row] = value;
}

static void add_unknown(olo_smooth_newton *x, int c, int row, bool pair)
{
    x->unknown[x->count++] = (olo_contact_unknown){c, row, pair};
}

/* The unknown impulses at the present status; all others are set to zero. */
static void list_unknowns(olo_smooth_newton *x, bool pairs)
{
    const olo_system *s = x->smooth.system;
    x->count = 0;
    for (int c = 0; c < s->contact_count; c++) {
        const olo_contact_mode *mode = &x->mode[c];
        if (!x->smooth.active[c])
            continue;
        for (int i = olo_contact_first_row(&s->contacts[c]); i <= s->contacts[c].sliding_count;
             i++) {
            const bool closed = mode->status != OLO_CONTACT_OPEN;
            const bool pair = pairs && closed &&
                              (i == 0 ? mode->normal_pair
                                      : mode->sliding_pair && mode->status == OLO_CONTACT_STICKING);
            if (closed)
                add_unknown(x, c, i, false);
            else
                set_impulse(x, c, i, false, 0);
            if (pair)
                add_unknown(x, c, i, true);
            else
                set_impulse(x, c, i, true, 0);
        }
    }
}

/* Decides the status of all contacts; true if one has changed. */
static bool decide(olo_smooth_newton *x)
{
    bool changed = false;
    for (int c = 0; c < x->smooth.system->contact_count; c++) {
        const olo_contact_status status = x->smooth.active[c] ? status_of(x, c) : OLO_CONTACT_OPEN;
        changed = changed || status != x->mode[c].status;
        x->mode[c].status = status;
    }
    return changed;
}

/* --- one Newton iteration --- */

static int find_unknown(const olo_smooth_newton *x, int c, int row)
{
    for (int i = 0; i < x->count; i++)
        if (x->unknown[i].contact == c && x->unknown[i].row == row && !x->unknown[i].pair)
            return i;
    return -1;
}

/* The friction equations of a contact, lambda + prox(-lambda + r s; mu lambda_N) = 0: row i of the
 * value and of the derivative with respect to all impulses, and to the smooth unknowns along y0. */
static void friction_row(olo_smooth_newton *x, int u, double *row)
{
    const olo_contact_unknown *own = &x->unknown[u];
    const int c = own->contact, i = own->row - 1;
    const olo_contact_point *contact = &x->smooth.system->contacts[c];
    const int size = contact->sliding_count;
    const olo_set *set = contact->law->set;
    double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX], by_rho[OLO_SET_SIZE_MAX];
    double by_z[OLO_SET_SIZE_MAX * OLO_SET_SIZE_MAX];
    const bool stick = x->mode[c].status == OLO_CONTACT_STICKING;
    argument(x, c, z);
    if (stick) { /* s = 0, whatever the set: it also holds at a status that was given */
        memcpy(p, z, (size_t)size * sizeof *p);
        memset(by_z, 0, sizeof by_z);
        memset(by_rho, 0, sizeof by_rho);
        for (int k = 0; k < size; k++)
            by_z[k * size + k] = 1;
    } else {
        set->prox(&contact->law->shape, rho_of(x, c), size, z, p);
        set->derivative(&contact->law->shape, rho_of(x, c), size, z, by_z, by_rho);
    }
    x->b[u] = -(x->smooth.impulse[c].lambda[own->row] + p[i]);
    for (int k = 0; k < size; k++) {
        const double factor = by_z[i * size + k], r = x->mode[c].r[1];
        row[find_unknown(x, c, 1 + k)] += (i == k) - factor;
        x->b[u] += factor * r * olo_smooth_row(&x->smooth, c, 1 + k, false, x->y0);
        for (int j = 0; j < x->count; j++)
            row[j] -=
                factor * r *
                olo_smooth_row(&x->smooth, c, 1 + k, false, x->Y + olo_area(j, x->smooth.size));
    }
    if (!contact->law->constant)
        row[find_unknown(x, c, 0)] += by_rho[i] * contact->friction;
}

/* The dense system of the impulses. */
static void reduce(olo_smooth_newton *x)
{
    const int size = x->smooth.size;
    memcpy(x->y0, x->smooth.residual, (size_t)size * sizeof *x->y0);
    olo_smooth_solve(&x->smooth, x->y0);
    for (int j = 0; j < x->count; j++) {
        const olo_contact_unknown *of = &x->unknown[j];
        olo_smooth_column(&x->smooth, of->contact, of->row, of->pair, x->Y + olo_area(j, size));
        olo_smooth_solve(&x->smooth, x->Y + olo_area(j, size));
    }
    memset(x->A, 0, olo_area(x->count, x->count) * sizeof *x->A);
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        const olo_row_over *over = olo_smooth_over(&x->smooth, of->contact, of->row);
        double *row = x->A + olo_area(i, x->count);
        if (of->row > 0 && !of->pair) {
            friction_row(x, i, row);
            continue;
        }
        x->b[i] = -(of->pair ? over->rate : over->s) +
                  olo_smooth_row(&x->smooth, of->contact, of->row, of->pair, x->y0);
        for (int j = 0; j < x->count; j++)
            row[j] = -olo_smooth_row(&x->smooth, of->contact, of->row, of->pair,
                                     x->Y + olo_area(j, size));
    }
}

/* Largest update or value of positions and velocities, relative to the units of coordinates. */
static void measure(const olo_smooth *x, const double *z, double size[2])
{
    size[0] = size[1] = 0;
    for (int i = 0; i < x->system->n; i++) {
        const double unit = olo_coordinate_unit(x->system, i);
        olo_raise(&size[0], fabs(z[i]) / unit);
        olo_raise(&size[1], fabs(z[x->system->n + i]) / unit);
    }
}

/* Adds the update of the smooth unknowns and of the impulses b; true if it was small. `last` is the
 * size of the last update, relative to that of a solution, and becomes that of this one. */
static bool apply(olo_smooth_newton *x, double *last)
{
    olo_smooth *s = &x->smooth;
    double update[2], value[2];
    for (int i = 0; i < s->size; i++)
        x->y0[i] = -x->y0[i];
    for (int j = 0; j < x->count; j++) {
        const olo_contact_unknown *of = &x->unknown[j];
        olo_dense_add(s->size, -x->b[j], x->Y + olo_area(j, s->size), x->y0);
        *(of->pair ? &s->impulse[of->contact].kappa[of->row]
                   : &s->impulse[of->contact].lambda[of->row]) += x->b[j];
    }
    olo_dense_add(s->size, 1, x->y0, s->unknown);
    measure(s, x->y0, update);
    measure(s, s->unknown, value);
    const double before = *last;
    *last = fmax(update[0] / (accurate * value[0] + rounding),
                 update[1] / (accurate * value[1] + rounding / s->h));
    return *last <= 1 || (*last <= largest_noise && *last > contraction * before);
}

/* The largest error of the equations of closed contacts at the iterate, relative to their units. */
static double contact_error(const olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    double error = 0;
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        const double unit = olo_contact_unit(&s->contacts[of->contact], s->length_scale);
        const olo_row_over *over = olo_smooth_over(&x->smooth, of->contact, of->row);
        if (of->pair)
            olo_raise(&error, fabs(over->rate) * x->smooth.h / unit);
        else if (of->row == 0 || x->mode[of->contact].status == OLO_CONTACT_STICKING)
            olo_raise(&error, fabs(over->s) / unit);
    }
    return error;
}

/* Solves for the update b of the impulses such that the impulses themselves have least norm, with
 * kappa divided by h, so that all columns are of the same size. */
static bool solve_impulses(olo_smooth_newton *x)
{
    const double h = x->smooth.h;
    for (int j = 0; j < x->count; j++) {
        const olo_contact_unknown *of = &x->unknown[j];
        const olo_contact_impulse *impulse = &x->smooth.impulse[of->contact];
        x->old[j] = of->pair ? impulse->kappa[of->row] / h : impulse->lambda[of->row];
        for (int i = 0; of->pair && i < x->count; i++)
            x->A[olo_area(i, x->count) + (size_t)j] *= h;
    }
    for (int i = 0; i < x->count; i++)
        x->b[i] += olo_dense_dot(x->count, x->A + olo_area(i, x->count), x->old);
    const bool ok = olo_least_norm(x->count, x->A, x->b, x->work, x->integers);
    for (int j = 0; j < x->count; j++)
        x->b[j] = (x->b[j] - x->old[j]) * (x->unknown[j].pair ? h : 1);
    return ok;
}

/* Semismooth Newton from the present iterate and status; `frozen`: the status does not change. */
static bool iterate(olo_smooth_newton *x, bool frozen, olo_error *error)
{
    const double satisfied = 1e-12;
    bool small = false;
    double last = INFINITY;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        olo_smooth_evaluate(&x->smooth);
        const bool changed = !frozen && i > 0 && decide(x);
        if (small && !changed && contact_error(x) <= satisfied)
            return true;
        list_unknowns(x, true);
        if (olo_smooth_factor(&x->smooth, error) != OLO_OK)
            return false;
        reduce(x);
        if (!solve_impulses(x))
            return false;
        small = apply(x, &last);
        x->iterations++;
    }
    return false;
}

/* --- without pairs --- */

/* The inclusion of the linearised equations for the impulses of all active contacts. */
static bool solve_inclusion(olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    const int size = x->smooth.size;
    int block_count = 0;
    double *c = x->b;
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        const olo_contact_point *contact = &s->contacts[of->contact];
        double *row = x->A + olo_area(i, x->count);
        x->old[i] = x->smooth.impulse[of->contact].lambda[of->row];
        c[i] = olo_smooth_over(&x->smooth, of->contact, of->row)->s -
               olo_smooth_row(&x->smooth, of->contact, of->row, false, x->y0);
        for (int j = 0; j < x->count; j++) {
            const olo_contact_unknown *by = &x->unknown[j];
            row[j] =
                -olo_smooth_row(&x->smooth, of->contact, of->row, false, x->Y + olo_area(j, size));
            c[i] -= row[j] * x->smooth.impulse[by->contact].lambda[by->row];
        }
        if (of->row > 1)
            continue;
        x->blocks[block_count++] = of->row == 0
                                       ? (olo_force_block){&olo_set_half_line, NULL, i, 1, -1, 0, 0}
                                       : olo_friction_block(contact, i, i - 1, x->smooth.h);
    }
    const olo_inclusion problem = {{.size = x->count, .matrix = x->A}, c, block_count, x->blocks};
    return olo_solve_inclusion(&problem, x->old, x->work, x->integers).residual < 1e-8;
}

/* Projected Newton without pairs; leaves the status of all contacts. */
static bool iterate_without_pairs(olo_smooth_newton *x, olo_error *error)
{
    const olo_system *s = x->smooth.system;
    double last = INFINITY;
    for (int i = 0; i < 2 * ITERATIONS_MAX; i++) {
        olo_smooth_evaluate(&x->smooth);
        x->count = 0;
        for (int c = 0; c < s->contact_count; c++)
            for (int k = olo_contact_first_row(&s->contacts[c]);
                 x->smooth.active[c] && k <= s->contacts[c].sliding_count; k++)
                add_unknown(x, c, k, false);
        if (olo_smooth_factor(&x->smooth, error) != OLO_OK)
            return false;
        reduce(x);
        if (!solve_inclusion(x))
            return false;
        for (int k = 0; k < x->count; k++)
            x->b[k] =
                x->old[k] - x->smooth.impulse[x->unknown[k].contact].lambda[x->unknown[k].row];
        x->iterations++;
        if (apply(x, &last))
            break;
    }
    olo_smooth_evaluate(&x->smooth);
    (void)decide(x);
    return true;
}

/* A solution at a given status is one if impulses are in their sets and gaps do not close. */
static bool is_admissible(const olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    for (int c = 0; c < s->contact_count; c++) {
        const olo_contact_point *contact = &s->contacts[c];
        const olo_contact_impulse *impulse = &x->smooth.impulse[c];
        const double unit = olo_contact_unit(contact, s->length_scale);
        double work = 0, size = rho_of(x, c);
        if (!x->smooth.active[c])
            continue;
        if (olo_contact_has_gap(contact)) {
            if (olo_smooth_over(&x->smooth, c, 0)->s < -1e-10 * unit || impulse->lambda[0] < 0)
                return false;
            size = impulse->lambda[0];
        }
        for (int i = 1; i <= s->contacts[c].sliding_count; i++)
            work += impulse->lambda[i] * olo_smooth_over(&x->smooth, c, i)->s;
        if (work > 1e-14 * size * unit)
            return false;
    }
    return true;
}

olo_status olo_smooth_newton_solve(olo_smooth_newton *x, olo_error *error)
{
    olo_error reason;
    x->iterations = 0;
    x->fallback = x->pairs_lost = false;
    olo_smooth_begin(&x->smooth);
    if (iterate(x, false, &reason))
        return OLO_OK;
    x->fallback = true;
    olo_smooth_begin(&x->smooth);
    if (!iterate_without_pairs(x, &reason))
        return olo_fail(error, OLO_NOT_CONVERGED, "contact forces were not found");
    if (iterate(x, true, &reason) && is_admissible(x))
        return OLO_OK;
    x->pairs_lost = true;
    olo_smooth_begin(&x->smooth);
    if (!iterate_without_pairs(x, &reason))
        return olo_fail(error, OLO_NOT_CONVERGED, "contact forces were not found");
    return OLO_OK;
}
