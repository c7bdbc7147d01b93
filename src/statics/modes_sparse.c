/* The lowest modes of large systems, by ARPACK over twists of all nodes: cost and memory grow in
 * proportion to the system.
 *
 * Where lambda^2 = -omega^2 is real: the smallest values of (K + sigma M) x = (omega^2 + sigma) M
 * x, with the elimination of the tree as the inverse. The number of eigenvalues below a bound is
 * known from the signs of the pivots (Sylvester), so none is missed.
 *
 * In general: the largest theta = 1/(lambda - sigma) of the operator of modes_dense.c. */
#include <float.h>
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "linalg/arnoldi.h"
#include "statics/modes.h"

typedef struct solver {
    olo_pool pool;
    olo_modes *modes;
    olo_static_balance *balance;
    int n; /* twists */
    double sigma, unit;
    double *start, *wrench, *part; /* [n], start [2 n] */
    double *u, *w;                 /* [unknowns] */
    double *values, *others;       /* eigenvalues found, with imaginary parts */
    double *vectors;
    int *order;
} solver;

static olo_status solver_create(solver *s, int count, int size, olo_error *error)
{
    size_t n = (size_t)s->n, u = (size_t)s->balance->topology->unknowns, most = (size_t)count + 1;
    const olo_array arrays[] = {{&s->start, 2 * n}, {&s->wrench, n},
                                {&s->part, n},      {&s->u, u},
                                {&s->w, u},         {&s->values, most},
                                {&s->others, most}, {&s->vectors, most * (size_t)size}};
    s->order = olo_pool_alloc(&s->pool, most, sizeof *s->order);
    bool ok = s->order && olo_pool_arrays(&s->pool, arrays, sizeof arrays / sizeof *arrays);
    return ok ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for %d modes", count);
}

/* Pseudo-random numbers, always the same. */
static void scatter(int n, double *x)
{
    unsigned long long seed = 20011;
    for (int i = 0; i < n; i++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        x[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
    }
}

static void invert(solver *s, const double *wrench, double *twists, double *u)
{
    olo_static_solve_wrench(s->balance, wrench, twists, u);
    for (int i = 0; i < s->n; i++)
        twists[i] = -twists[i];
}

static void product_inverse(void *context, const double *x, double *y)
{
    invert(context, x, y, NULL);
}

static void product_mass(void *context, const double *x, double *y)
{
    solver *s = context;
    olo_static_mass_times(s->balance, x, y);
}

/* Indices of the eigenvalues sorted by a key; where keys are equal up to rounding, the larger
 * second key comes first. */
static void sort(solver *s, int count, const double *key, const double *next)
{
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0; at--) {
            int before = s->order[at - 1];
            float a = (float)key[before], b = (float)key[i];
            if (next && a == b ? next[before] >= next[i] : !(key[before] > key[i]))
                break;
            s->order[at] = before;
        }
        s->order[at] = i;
    }
}

/* The number of vectors in the basis of ARPACK. */
static int basis_size(int count, int most)
{
    const int spare = 20;
    int capacity = 2 * count + spare;
    return capacity < most ? capacity : most;
}

/* ---- lambda^2 is real ------------------------------------------------------------------------ */

/* Increases sigma until K + sigma M is positive definite. */
static olo_status make_positive(solver *s, olo_error *error)
{
    const int attempts = 30;
    const olo_vibration_options *o = &s->modes->options;
    const double first = 1e6 * DBL_EPSILON * (s->balance->stiff > 0 ? s->balance->stiff : 1.0);
    for (int i = 0; i < attempts; i++) {
        int negative = 0;
        olo_status status =
            olo_static_count_negative(s->balance, o->load, s->sigma, &negative, NULL);
        if (status == OLO_OK && negative == 0)
            return OLO_OK;
        s->sigma = s->sigma > 0 ? 100 * s->sigma : first;
    }
    return olo_fail(error, OLO_SINGULAR, "the eigenvalue problem of the modes has no solution");
}

static olo_status find_lowest(solver *s, int count, int most, olo_error *error)
{
    olo_status status = make_positive(s, error);
    if (status != OLO_OK)
        return status;
    scatter(s->n, s->part);
    olo_static_mass_times(s->balance, s->part, s->wrench);
    invert(s, s->wrench, s->start, NULL);
    status = olo_arnoldi_symmetric(s->n, count, basis_size(count, most), s->start, product_inverse,
                                   product_mass, s, s->values, s->vectors, error);
    if (status == OLO_OK)
        sort(s, count, s->values, NULL);
    return status;
}

/* Checks that the number of eigenvalues below the last one is the number found. */
static bool is_complete(const solver *s, int count)
{
    const double just = 1e-6;
    double last = s->values[s->order[count - 1]] - s->sigma;
    double cut = last - just * fabs(last);
    int below = 0, negative = 0;
    if (fabs(last) <= s->modes->rounding)
        return true; /* the order of modes without stiffness is not determined */
    for (int i = 0; i < count; i++)
        below += s->values[i] - s->sigma < cut;
    return olo_static_count_negative(s->balance, s->modes->options.load, -cut, &negative, NULL) !=
               OLO_OK ||
           negative <= below;
}

/* Solves twice where the first shift was not zero: the lowest non-zero frequency is a better
 * one. */
static olo_status solve_symmetric(solver *s, int count, int most, olo_error *error)
{
    olo_modes *x = s->modes;
    olo_status status = find_lowest(s, count, most, error);
    for (int i = 0; status == OLO_OK && s->sigma > 0 && i < count; i++) {
        double square = s->values[s->order[i]] - s->sigma;
        if (square > x->rounding) {
            s->sigma = square;
            status = find_lowest(s, count, most, error);
            break;
        }
    }
    if (status == OLO_OK && !is_complete(s, count))
        return olo_fail(error, OLO_NOT_CONVERGED,
                        "ARPACK missed modes that are close to others; request another number of "
                        "them, or the dense solver");
    if (status == OLO_OK)
        status = olo_static_factor(s->balance, x->options.load, s->sigma, error);
    if (status == OLO_OK)
        status = olo_modes_reserve(x, count, error);
    for (int i = 0; status == OLO_OK && i < count; i++) {
        const double *vector = s->vectors + (size_t)s->order[i] * (size_t)s->n;
        olo_static_mass_times(s->balance, vector, s->wrench);
        invert(s, s->wrench, s->part, s->u);
        olo_modes_add_square(x, s->values[s->order[i]] - s->sigma, s->u);
        /* computing the shape has changed the configuration of the tree */
        olo_static_set_configuration(s->balance);
    }
    return status;
}

/* ---- any lambda ------------------------------------------------------------------------------ */

/* x = -Q^-1 (M b + (D + sigma M) a), v = a + sigma x; b and v in units */
static void apply(solver *s, const double *from, double *to, double *u)
{
    const olo_vibration_options *o = &s->modes->options;
    const double *a = from, *b = from + s->n;
    double *x = to, *v = to + s->n;
    for (int i = 0; i < s->n; i++)
        s->part[i] = s->unit * b[i] + s->sigma * a[i];
    olo_static_mass_times(s->balance, s->part, s->wrench);
    olo_static_damping_times(s->balance, o->load, o->damped, a, s->part);
    for (int i = 0; i < s->n; i++)
        s->wrench[i] += s->part[i];
    olo_static_solve_wrench(s->balance, s->wrench, x, u);
    for (int i = 0; i < s->n; i++)
        v[i] = (a[i] + s->sigma * x[i]) / s->unit;
}

static void product_general(void *context, const double *x, double *y)
{
    apply(context, x, y, NULL);
}

/* The magnitude of the lowest frequency, from some iterations with K^-1 M. */
static double guess_frequency(solver *s)
{
    const int iterations = 6;
    double least = 1e6 * DBL_EPSILON * (s->balance->stiff > 0 ? s->balance->stiff : 1.0), size = 0;
    const olo_vibration_options *o = &s->modes->options;
    if (olo_static_factor(s->balance, o->load, least, NULL) != OLO_OK)
        return sqrt(least);
    scatter(s->n, s->start);
    for (int i = 0; i < iterations; i++) {
        size = 0;
        olo_static_mass_times(s->balance, s->start, s->wrench);
        for (int k = 0; k < s->n; k++)
            size += s->start[k] * s->wrench[k];
        size = sqrt(fabs(size));
        for (int k = 0; size > 0 && k < s->n; k++)
            s->wrench[k] /= size;
        invert(s, s->wrench, s->start, NULL);
    }
    return size > 0 ? 1 / sqrt(size) : 1.0;
}

static olo_status factor_general(solver *s, olo_error *error)
{
    const int attempts = 10;
    const olo_vibration_options *o = &s->modes->options;
    olo_status status = OLO_SINGULAR;
    s->unit = guess_frequency(s);
    for (int i = 0; status == OLO_SINGULAR && i < attempts; i++) {
        s->sigma = (1 + 0.3 * i) * 0.5 * s->unit;
        status = olo_static_factor_dynamic(s->balance, o->load, s->sigma, o->damped, error);
    }
    return status;
}

/* Stores the modes found: one of each conjugate pair. */
static olo_status store_general(solver *s, int found, olo_error *error)
{
    olo_modes *x = s->modes;
    size_t size = 2 * (size_t)s->n;
    double *re = s->values, *im = s->others, *key = olo_alloc(2 * (size_t)found + 1, sizeof *key);
    double *image = olo_alloc(size, sizeof *image);
    olo_status status = olo_modes_reserve(x, x->options.count, error);
    if (status == OLO_OK && (!key || !image))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    for (int i = 0; status == OLO_OK && i < found; i++) {
        double square = re[i] * re[i] + im[i] * im[i];
        double growth = s->sigma + re[i] / square;
        key[i] = hypot(growth, im[i] / square);
        key[found + i] = growth;
    }
    if (status == OLO_OK)
        sort(s, found, key, key + found);
    for (int k = 0; status == OLO_OK && k < found && x->count < x->options.count; k++) {
        int i = s->order[k];
        double square = re[i] * re[i] + im[i] * im[i];
        if (im[i] < 0 || (im[i] > 0 && i + 1 == found))
            continue;
        const double *vector = s->vectors + (size_t)i * size;
        apply(s, vector, image, s->u);
        if (im[i] > 0)
            apply(s, vector + size, image, s->w);
        for (int a = 0; a < s->balance->topology->unknowns; a++)
            s->w[a] = -s->w[a];
        olo_modes_add(x, s->sigma + re[i] / square, im[i] / square, s->u, im[i] > 0 ? s->w : NULL);
        olo_static_set_configuration(s->balance);
    }
    olo_free(key);
    olo_free(image);
    return status;
}

static olo_status solve_general(solver *s, int count, int most, olo_error *error)
{
    int found = 0;
    olo_status status = factor_general(s, error);
    if (status != OLO_OK)
        return status;
    double *any = olo_alloc(2 * (size_t)s->n, sizeof *any);
    if (!any)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    scatter(2 * s->n, any);
    apply(s, any, s->start, NULL);
    olo_free(any);
    status =
        olo_arnoldi_general(2 * s->n, count, basis_size(count, most), s->start, product_general, s,
                            s->values, s->others, s->vectors, &found, error);
    return status == OLO_OK ? store_general(s, found, error) : status;
}

olo_status olo_modes_solve_sparse(olo_modes *x, olo_error *error)
{
    solver s = {.modes = x, .balance = x->balance, .n = x->system->twists};
    int dof = x->balance->topology->unknowns - x->balance->topology->closure_count;
    int most = x->general ? 2 * dof : dof;
    int wanted = x->options.count;
    if (x->general)
        wanted = wanted > dof ? 2 * dof : 2 * wanted;
    int count = wanted < most - 2 ? wanted : most - 2;
    if (count < 1 || (count < wanted && x->balance->topology->unknowns <= OLO_MODES_DENSE))
        return olo_modes_solve_dense(x, error);
    olo_status status = solver_create(&s, count, x->general ? 2 * s.n : s.n, error);
    if (status == OLO_OK)
        status = x->general ? solve_general(&s, count, most, error)
                            : solve_symmetric(&s, count, most, error);
    olo_pool_free(&s.pool);
    if (status == OLO_NOT_CONVERGED && x->balance->topology->unknowns <= OLO_MODES_DENSE_FALLBACK)
        return olo_modes_solve_dense(x, error);
    return status;
}
