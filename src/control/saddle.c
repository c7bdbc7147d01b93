/* Leaving saddle points; see the header. The lowest eigenvalue is enclosed by numbers of
 * eigenvalues below a shift, which factorisations give; inverse iteration with a shift just below
 * it has the eigenvector. */
#include "control/saddle.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "control/optimality.h"

/* The shift is within this part of the lowest eigenvalue; inverse iteration then gains a factor of
 * at least 2 per iteration on an eigenvalue that is a tenth higher. */
static const double WITHIN = 0.9;
enum { INVERSE_ITERATIONS = 40, HALVES = 40, FACTOR = 16, TRIALS = 60 };

/* A shift just below the lowest eigenvalue, the matrix being factored there; 0: no eigenvalue is
 * negative. */
static olo_status find_shift(olo_optimality *x, double *shift, olo_error *error)
{
    double above = -olo_optimality_rounding(x), below = 2 * above;
    int count, dependent;
    *shift = 0;
    olo_status status = olo_optimality_factor(x, above, &count, &dependent, error);
    if (status != OLO_OK || count <= 0)
        return status;
    /* a lower bound of all eigenvalues */
    for (int i = 0; status == OLO_OK && i < TRIALS; i++) {
        status = olo_optimality_factor(x, below, &count, &dependent, error);
        if (count <= 0)
            break;
        above = below;
        below *= FACTOR;
    }
    /* bisection on a logarithmic scale */
    while (status == OLO_OK && above / below < WITHIN) {
        const double middle = -sqrt(above * below);
        status = olo_optimality_factor(x, middle, &count, &dependent, error);
        *(count > 0 ? &above : &below) = middle;
    }
    if (status == OLO_OK)
        status = olo_optimality_factor(x, below, &count, &dependent, error);
    *shift = below;
    return status;
}

/* Inverse iteration; z has the numbers of the matrix, its first ones become a unit vector. */
static olo_status iterate(const olo_optimality *x, double *z, olo_error *error)
{
    const int size = x->variables + x->rows;
    unsigned long long seed = 1;
    olo_status status = OLO_OK;
    for (int i = 0; i < x->variables; i++) { /* begins with numbers without any symmetry */
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        z[i] = (double)(seed >> 33) / 2147483648.0 - 0.5;
    }
    for (int k = 0; status == OLO_OK && k <= INVERSE_ITERATIONS; k++) {
        double square = 0;
        for (int i = 0; i < x->variables; i++)
            square += z[i] * z[i];
        if (!(square > 0) || !isfinite(square))
            return olo_fail(error, OLO_SINGULAR, "no direction leaves the saddle point");
        for (int i = 0; i < size; i++)
            z[i] = i < x->variables ? z[i] / sqrt(square) : 0;
        if (k < INVERSE_ITERATIONS)
            status = olo_symmetric_solve(x->matrix, z, error);
    }
    return status;
}

/* d.H d */
static double curvature_along(const olo_optimality *x, const double *d)
{
    const olo_positions *at = &x->nlp->hessian;
    double sum = 0;
    for (int i = 0; i < at->count; i++) {
        const double product = x->H[i] * d[at->row[i]] * d[at->column[i]];
        sum += at->row[i] == at->column[i] ? product : 2 * product;
    }
    return sum;
}

static double lagrangian(const olo_optimality *x, const double *at, double *c)
{
    const olo_nlp *nlp = x->nlp;
    double sum = nlp->objective(nlp->context, at);
    nlp->evaluate(nlp->context, at, c);
    for (int i = 0; i < nlp->rows; i++)
        sum += x->point->y[i] * c[i];
    return sum;
}

/* to = x + s d, whether it is within the bounds */
static bool move(const olo_optimality *x, double s, const double *d, double *to)
{
    bool within = true;
    for (int i = 0; i < x->nlp->variables; i++) {
        to[i] = x->point->x[i] + s * d[i];
        within = within && (d[i] == 0 || (to[i] >= x->nlp->lower[i] && to[i] <= x->nlp->upper[i]));
    }
    return within;
}

/* The longest step that decreases the Lagrangian as expected; false: there is none. */
static bool depart(const olo_optimality *x, const double *d, double curvature, double *to,
                   double *c)
{
    const double here = lagrangian(x, x->point->x, c);
    double largest = 0;
    for (int i = 0; i < x->nlp->variables; i++)
        largest = fmax(largest, fabs(d[i]) / (1 + fabs(x->point->x[i])));
    double s = 1 / largest;
    for (int i = 0; i < HALVES; i++, s /= 2)
        for (int sign = 1; sign >= -1; sign -= 2)
            if (move(x, sign * s, d, to) && lagrangian(x, to, c) - here <= 0.25 * s * s * curvature)
                return true;
    return false;
}

/* With the matrix: the direction of the lowest eigenvalue, and a step along it. */
static olo_status leave(olo_optimality *x, double *to, double *curvature, olo_error *error)
{
    const size_t variables = (size_t)x->nlp->variables;
    double shift;
    olo_status status = find_shift(x, &shift, error);
    if (status != OLO_OK || shift == 0)
        return status;
    double *z = olo_pool_alloc(&x->pool, (size_t)(x->variables + x->rows), sizeof *z),
           *d = olo_pool_alloc(&x->pool, variables, sizeof *d),
           *c = olo_pool_alloc(&x->pool, (size_t)x->nlp->rows, sizeof *c);
    if (!z || !d || !c)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory to leave a saddle point");
    status = iterate(x, z, error);
    for (size_t i = 0; status == OLO_OK && i < variables; i++)
        d[i] = x->variable[i] >= 0 ? z[x->variable[i]] : 0;
    if (status != OLO_OK)
        return status;
    *curvature = curvature_along(x, d);
    if (!depart(x, d, *curvature, to, c)) {
        memcpy(to, x->point->x, variables * sizeof *to);
        *curvature = 0;
    }
    return OLO_OK;
}

olo_status olo_saddle_leave(const olo_nlp *nlp, const olo_nlp_point *point, double *x,
                            double *curvature, olo_error *error)
{
    olo_optimality at;
    *curvature = 0;
    memcpy(x, point->x, (size_t)nlp->variables * sizeof *x);
    olo_status status = olo_optimality_open(&at, nlp, point, error);
    if (status == OLO_OK)
        status = olo_optimality_make_matrix(&at, error);
    if (status == OLO_OK)
        status = leave(&at, x, curvature, error);
    olo_optimality_close(&at);
    return status;
}
