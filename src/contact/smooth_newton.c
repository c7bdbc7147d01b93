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

enum { ITERATIONS_MAX = 60 };
/* Sizes of updates are relative to OLO_SMOOTH_ACCURATE: the last update, and the error after it. */
static const double largest_update = 1e3, largest_error = 1e-4;
/* Rounding errors of long chains are larger than these: an update is accepted that is at most so
 * many times larger, if it and some before it have not become smaller than the smallest one by the
 * factor of an iteration that converges, and if it is not much larger than that: where bodies
 * rotate much in a step, updates rise for a while or for ever. */
static const double largest_noise = 100, largest_rise = 3;
enum { STALLED = 3 };
/* Error of the laws of contacts without pairs, as a distance relative to its unit. The linearised
 * inclusion does not show it where bodies turn so much that the mobility of a contact is negative.
 */
static const double lawful = 1e-11;

/* --- workspace --- */

/* Memory for so many contact rows, with lambda and kappa each. It grows with the contacts that act
 * at the same time: all that a model has may be many more. */
static olo_status reserve(olo_smooth_newton *x, int rows, olo_error *error)
{
    if (2 * rows <= x->capacity)
        return OLO_OK;
    const int capacity = rows > x->capacity ? 2 * rows : 2 * x->capacity;
    const size_t p = (size_t)capacity;
    const olo_array arrays[] = {{&x->R, p * p}, {&x->R_0, p},
                                {&x->A, p * p}, {&x->b, p},
                                {&x->old, p},   {&x->work, (size_t)olo_inclusion_work(capacity)}};
    olo_pool_free(&x->unknowns);
    x->capacity = x->count = 0;
    x->unknown = olo_pool_alloc(&x->unknowns, p + 1, sizeof *x->unknown);
    x->blocks = olo_pool_alloc(&x->unknowns, p + 1, sizeof *x->blocks);
    x->integers = olo_pool_alloc(&x->unknowns, 2 * p + 1, sizeof *x->integers);
    if (!olo_pool_arrays(&x->unknowns, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->capacity = capacity;
    return OLO_OK;
}

olo_status olo_smooth_newton_create(olo_smooth_newton *x, const olo_system *system, int row_count,
                                    const int *row, olo_error *error)
{
    *x = (olo_smooth_newton){.capacity = 0};
    const olo_status status = olo_smooth_create(&x->smooth, system, row_count, row, error);
    if (status != OLO_OK)
        return status;
    x->mode = olo_pool_alloc(&x->pool, (size_t)system->contact_count + 1, sizeof *x->mode);
    if (!x->mode)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    return reserve(x, olo_contact_rows_at_first(system), error);
}

void olo_smooth_newton_free(olo_smooth_newton *x)
{
    olo_smooth_free(&x->smooth);
    olo_pool_free(&x->unknowns);
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

static double *impulse_of(olo_smooth_newton *x, int c, int row, bool pair)
{
    return &(pair ? x->smooth.impulse[c].kappa : x->smooth.impulse[c].lambda)[row];
}

static void add_unknown(olo_smooth_newton *x, int c, int row, bool pair)
{
    x->unknown[x->count++] = (olo_contact_unknown){c, row, pair};
}

/* The unknown impulses at the present status; all others are set to zero. */
static void list_unknowns(olo_smooth_newton *x)
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
            const bool pair =
                closed && (i == 0 ? mode->normal_pair
                                  : mode->sliding_pair && mode->status == OLO_CONTACT_STICKING);
            if (closed)
                add_unknown(x, c, i, false);
            else
                *impulse_of(x, c, i, false) = 0;
            if (pair)
                add_unknown(x, c, i, true);
            else
                *impulse_of(x, c, i, true) = 0;
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
 * value and of the derivative with respect to all impulses. */
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
        const int sliding = find_unknown(x, c, 1 + k);
        row[sliding] += (i == k) - factor;
        x->b[u] -= factor * r * x->R_0[sliding];
        olo_dense_add(x->count, factor * r, x->R + olo_area(sliding, x->count), row);
    }
    if (!contact->law->constant)
        row[find_unknown(x, c, 0)] += by_rho[i] * contact->friction;
}

/* Contact rows times the last response: column j of R, or R_0. */
static void apply_rows(olo_smooth_newton *x, int j)
{
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        *(j < 0 ? &x->R_0[i] : &x->R[olo_area(i, x->count) + (size_t)j]) =
            olo_smooth_row(&x->smooth, of->contact, of->row, of->pair);
    }
}

/* Linearises and solves for all responses. */
static bool respond(olo_smooth_newton *x, olo_error *error)
{
    if (x->smooth.form->linearise(&x->smooth, error) != OLO_OK)
        return false;
    for (int j = -1; j < x->count; j++) {
        x->smooth.form->respond(&x->smooth, j < 0 ? NULL : &x->unknown[j]);
        apply_rows(x, j);
    }
    return true;
}

/* The dense system of the impulses. */
static void reduce(olo_smooth_newton *x)
{
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        const olo_row_over *over = olo_smooth_over(&x->smooth, of->contact, of->row);
        double *row = x->A + olo_area(i, x->count);
        if (of->row > 0 && !of->pair) {
            memset(row, 0, (size_t)x->count * sizeof *row);
            friction_row(x, i, row);
            continue;
        }
        x->b[i] = -(of->pair ? over->rate : over->s) - x->R_0[i];
        memcpy(row, x->R + olo_area(i, x->count), (size_t)x->count * sizeof *row);
    }
}

/* Adds the changes b of the impulses and the update of the smooth unknowns. */
static void apply(olo_smooth_newton *x)
{
    for (int j = 0; j < x->count; j++)
        *impulse_of(x, x->unknown[j].contact, x->unknown[j].row, x->unknown[j].pair) += x->b[j];
    x->size = x->smooth.form->update(&x->smooth, x->count, x->unknown, x->b);
}

/* Velocities and contact rows at the iterate and its impulses; the distances are known. */
static void find_rates(olo_smooth_newton *x)
{
    if (x->smooth.form->find_velocities)
        olo_raise(&x->size, x->smooth.form->find_velocities(&x->smooth));
    olo_smooth_find_rates(&x->smooth);
}

/* Whether the last update leads to a solution: the error after it is at most the update times its
 * ratio to the one before. */
static bool is_small(olo_smooth_newton *x)
{
    const double before = x->size_before, last = isfinite(before) ? x->size / before : 1,
                 left = x->size * fmin(fmax(last, x->smooth.ratio), 1);
    const bool smaller = x->size <= x->smooth.form->contraction * x->smallest;
    x->size_before = x->size;
    x->smallest = smaller ? x->size : x->smallest;
    x->stalled = smaller ? 0 : x->stalled + 1;
    return (x->size <= largest_update && left <= largest_error) ||
           (x->size <= fmin(largest_noise, largest_rise * x->smallest) && x->stalled >= STALLED);
}

/* The error of friction of a contact, lambda + prox(-lambda + r s), as a distance:
 * where its set is enormous, rows of the linear system do not see the normal force. */
static double friction_error(const olo_smooth_newton *x, int c)
{
    const olo_contact_point *contact = &x->smooth.system->contacts[c];
    const double r = x->mode[c].r[1];
    double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX], error = 0;
    argument(x, c, z);
    contact->law->set->prox(&contact->law->shape, rho_of(x, c), contact->sliding_count, z, p);
    for (int i = 0; r > 0 && i < contact->sliding_count; i++)
        olo_raise(&error, fabs(x->smooth.impulse[c].lambda[1 + i] + p[i]) / r);
    return error;
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
        else if (of->row == 1)
            olo_raise(&error, friction_error(x, of->contact) / unit);
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
    x->size = x->size_before = x->smallest = INFINITY;
    x->stalled = 0;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        olo_smooth_find_distances(&x->smooth);
        const bool changed = !frozen && i > 0 && decide(x);
        list_unknowns(x);
        find_rates(x);
        if (i > 0 && is_small(x) && !changed && contact_error(x) <= satisfied)
            return true;
        if (!respond(x, error))
            return false;
        reduce(x);
        if (!solve_impulses(x))
            return false;
        apply(x);
        x->iterations++;
    }
    return false;
}

/* --- without pairs --- */

/* The inclusion of the linearised equations for the impulses of all active contacts. */
static bool solve_inclusion(olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    int block_count = 0;
    double *c = x->b;
    for (int i = 0; i < x->count; i++) {
        const olo_contact_unknown *of = &x->unknown[i];
        const olo_contact_point *contact = &s->contacts[of->contact];
        double *row = x->A + olo_area(i, x->count);
        x->old[i] = x->smooth.impulse[of->contact].lambda[of->row];
        c[i] = olo_smooth_over(&x->smooth, of->contact, of->row)->s + x->R_0[i];
        for (int j = 0; j < x->count; j++) {
            const olo_contact_unknown *by = &x->unknown[j];
            row[j] = x->R[olo_area(i, x->count) + (size_t)j];
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

/* The rows of all active contacts. */
static void list_all(olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    x->count = 0;
    for (int c = 0; c < s->contact_count; c++)
        for (int k = olo_contact_first_row(&s->contacts[c]);
             x->smooth.active[c] && k <= s->contacts[c].sliding_count; k++)
            add_unknown(x, c, k, false);
}

/* The error of the laws of all active contacts, lambda + prox(-lambda + r s), as a distance
 * relative to its unit. */
static double law_error(const olo_smooth_newton *x)
{
    const olo_system *s = x->smooth.system;
    double error = 0;
    for (int c = 0; c < s->contact_count; c++) {
        const olo_contact_point *contact = &s->contacts[c];
        const double unit = olo_contact_unit(contact, s->length_scale), r = x->mode[c].r[0],
                     normal = x->smooth.impulse[c].lambda[0];
        if (!x->smooth.active[c])
            continue;
        if (olo_contact_has_gap(contact) && r > 0) {
            const double next = fmax(normal - r * olo_smooth_over(&x->smooth, c, 0)->s, 0.0);
            olo_raise(&error, fabs(next - normal) / r / unit);
        }
        if (contact->sliding_count > 0)
            olo_raise(&error, friction_error(x, c) / unit);
    }
    return error;
}

/* Projected Newton without pairs, from no impulses; leaves the status of all contacts. */
static bool iterate_without_pairs(olo_smooth_newton *x, olo_error *error)
{
    olo_smooth_begin(&x->smooth);
    x->size = x->size_before = x->smallest = INFINITY;
    x->stalled = 0;
    for (int i = 0; i < ITERATIONS_MAX; i++) {
        olo_smooth_find_distances(&x->smooth);
        find_rates(x);
        if (i > 0 && is_small(x) && law_error(x) <= lawful) {
            (void)decide(x);
            return true;
        }
        list_all(x);
        if (!respond(x, error) || !solve_inclusion(x))
            return false;
        for (int k = 0; k < x->count; k++)
            x->b[k] = x->old[k] - *impulse_of(x, x->unknown[k].contact, x->unknown[k].row, false);
        apply(x);
        x->iterations++;
    }
    return false;
}

/* Whether the friction impulses of a contact are in their set. */
static bool is_in_set(const olo_smooth_newton *x, int c)
{
    const olo_contact_point *contact = &x->smooth.system->contacts[c];
    const double *lambda = x->smooth.impulse[c].lambda, rho = rho_of(x, c), rounding = 1e-9;
    double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX], outside = 0, size = rho;
    for (int i = 0; i < contact->sliding_count; i++)
        z[i] = -lambda[1 + i];
    if (contact->sliding_count > 0)
        contact->law->set->prox(&contact->law->shape, rho, contact->sliding_count, z, p);
    for (int i = 0; i < contact->sliding_count; i++) {
        olo_raise(&outside, fabs(p[i] - z[i]));
        olo_raise(&size, fabs(z[i]));
    }
    return outside <= rounding * size;
}

/* A solution at a given status is one if impulses are in their sets, friction takes energy, and
 * gaps do not close. */
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
        for (int i = 1; i <= contact->sliding_count; i++)
            work += impulse->lambda[i] * olo_smooth_over(&x->smooth, c, i)->s;
        if (work > 1e-14 * size * unit || !is_in_set(x, c))
            return false;
    }
    return true;
}

olo_status olo_smooth_newton_solve(olo_smooth_newton *x, olo_error *error)
{
    olo_error reason;
    const olo_status status =
        reserve(x, olo_contact_row_count(x->smooth.system, x->smooth.active), error);
    if (status != OLO_OK)
        return status;
    x->iterations = 0;
    x->fallback = x->pairs_lost = false;
    olo_smooth_begin(&x->smooth);
    if (iterate(x, false, &reason))
        return OLO_OK;
    x->fallback = true;
    if (!iterate_without_pairs(x, &reason))
        return olo_fail(error, OLO_NOT_CONVERGED, "contact forces were not found");
    if (iterate(x, true, &reason) && is_admissible(x))
        return OLO_OK;
    x->pairs_lost = true;
    if (!iterate_without_pairs(x, &reason))
        return olo_fail(error, OLO_NOT_CONVERGED, "contact forces were not found");
    return OLO_OK;
}
