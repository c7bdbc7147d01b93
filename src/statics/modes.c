/* Small vibrations about a state: K x = omega^2 M x in the joint increments of the tree, on the null space N of the
 * closure rows. K and M come dense from the reduced matrix of a step without length.
 *
 * Solved as M x = theta (K + sigma M) x, theta = 1/(omega^2 + sigma): M may be singular (nodes without rotary
 * inertia) and so may K (rigid motions); low frequencies come out exact to rounding of sigma, not of the highest one.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "oloid/statics.h"
#include "statics/rest.h"
#include "stepping/reduced_matrix.h"

struct olo_modes {
    const olo_system *system;
    olo_state *state;
    olo_rest *rest;
    int count;
    double *squares; /* [count] */
    double *vectors; /* [count x unknowns] */
    double rounding;
};

/* K and M on the null space of the closure rows. */
typedef struct pencil {
    int size;     /* degrees of freedom */
    int unknowns; /* joint increments */
    double *basis; /* [unknowns x unknowns] rows; those from unknowns - size on span the null space */
    double *K, *M;     /* [size x size] */
    double *A, *B, *w; /* workspace */
    double stiff;      /* largest ratio of diagonal entries */
} pencil;

static void pencil_free(pencil *p)
{
    olo_free(p->basis);
    olo_free(p->K);
    olo_free(p->M);
    olo_free(p->A);
    olo_free(p->B);
    olo_free(p->w);
}

/* Closure rows of a bordered matrix, of unit length, and their row space with what is left of it. */
static bool find_basis(const olo_square *K, int unknowns, pencil *p)
{
    const double dependent = 1e-9;
    int rows = K->size - unknowns, rank = 0;
    size_t u = (size_t)unknowns;
    double *G = olo_alloc((size_t)rows * u + 1, sizeof *G);
    double *work = olo_alloc(olo_row_space_work(rows, unknowns), sizeof *work);
    int *order = olo_alloc((size_t)rows + 1, sizeof *order);
    p->basis = olo_alloc(u * u + 1, sizeof *p->basis);
    bool ok = G && work && order && p->basis;
    for (int c = 0; ok && c < rows; c++) {
        const double *row = K->entry + (u + (size_t)c) * (size_t)K->size;
        double square = 0;
        for (size_t i = 0; i < u; i++)
            square += row[i] * row[i];
        for (size_t i = 0; i < u; i++)
            G[(size_t)c * u + i] = square > 0 ? row[i] / sqrt(square) : 0;
    }
    if (ok && rows > 0)
        ok = olo_row_space(rows, unknowns, G, dependent, order, p->basis, &rank, work);
    for (size_t i = 0; ok && rows == 0 && i < u; i++)
        p->basis[i * u + i] = 1;
    p->size = unknowns - rank;
    p->unknowns = unknowns;
    olo_free(G);
    olo_free(work);
    olo_free(order);
    return ok;
}

/* out = N A N^T, times a factor, with the rows N of the basis and the first `unknowns` rows and columns of A */
static void restrict_matrix(const pencil *p, const olo_square *A, double factor, double *out)
{
    size_t u = (size_t)p->unknowns, n = (size_t)p->size, row = (size_t)A->size;
    const double *N = p->basis + (u - n) * u;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < u; a++) {
            double sum = 0;
            for (size_t b = 0; b < u; b++)
                sum += A->entry[a * row + b] * N[i * u + b];
            p->A[i * u + a] = sum;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t a = 0; a < u; a++)
                sum += N[j * u + a] * p->A[i * u + a];
            out[j * n + i] = factor * sum;
        }
}

/* Makes K symmetric; false where it is not, by more than rounding and the rest of an equilibrium. */
static bool symmetrise(int n, double *K)
{
    const double tolerance = 1e-6;
    double largest = 0, skew = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            olo_raise(&largest, fabs(K[i * n + j]));
            olo_raise(&skew, fabs(K[i * n + j] - K[j * n + i]));
            K[i * n + j] = K[j * n + i] = 0.5 * (K[i * n + j] + K[j * n + i]);
        }
    return skew <= tolerance * largest;
}

static olo_status fill(pencil *p, olo_rest *rest, olo_error *error)
{
    olo_square K = {0}, M = {0};
    olo_status status = olo_reduced_matrix(&olo_scheme_rest, rest->tree, &rest->step, &K, error);
    if (status == OLO_OK)
        status = olo_reduced_matrix(&olo_scheme_mass, rest->tree, &rest->step, &M, error);
    if (status == OLO_OK) {
        bool ok = find_basis(&K, rest->tree->unknowns, p);
        size_t square = (size_t)p->unknowns * (size_t)p->unknowns + 1;
        p->K = olo_alloc(square, sizeof *p->K);
        p->M = olo_alloc(square, sizeof *p->M);
        p->A = olo_alloc(square, sizeof *p->A);
        p->B = olo_alloc(square, sizeof *p->B);
        p->w = olo_alloc((size_t)p->unknowns + 1, sizeof *p->w);
        if (!ok || !p->K || !p->M || !p->A || !p->B || !p->w)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    }
    if (status == OLO_OK) {
        restrict_matrix(p, &K, 2.0, p->K);
        restrict_matrix(p, &M, 1.0, p->M);
        (void)symmetrise(p->size, p->M);
        if (!symmetrise(p->size, p->K))
            status = olo_fail(error, OLO_UNSUPPORTED,
                              "the stiffness is not symmetric: the state is no equilibrium");
    }
    for (int i = 0; status == OLO_OK && i < p->size; i++)
        if (p->M[i * p->size + i] > 0)
            olo_raise(&p->stiff, fabs(p->K[i * p->size + i]) / p->M[i * p->size + i]);
    olo_free(K.entry);
    olo_free(M.entry);
    return status;
}

/* theta ascending in p->w and vectors in the columns of p->A; sigma grows until K + sigma M is positive. */
static bool solve_shifted(pencil *p, double *sigma)
{
    const int attempts = 30;
    size_t square = (size_t)p->size * (size_t)p->size;
    for (int i = 0; i < attempts; i++, *sigma *= 100) {
        memcpy(p->A, p->M, square * sizeof *p->A);
        for (size_t k = 0; k < square; k++)
            p->B[k] = p->K[k] + *sigma * p->M[k];
        if (olo_symmetric_pencil(p->size, p->A, p->B, p->w))
            return true;
    }
    return false;
}

/* Twice: first for the size of the lowest frequency, which is then the best shift. */
static bool solve(pencil *p, double rounding, double *sigma)
{
    const double start = 1e-6;
    *sigma = p->stiff > 0 ? start * p->stiff : 1.0;
    if (!solve_shifted(p, sigma))
        return false;
    for (int i = p->size - 1; i >= 0; i--) {
        double square = 1 / p->w[i] - *sigma;
        if (p->w[i] > 0 && square > rounding) {
            *sigma = square;
            break;
        }
    }
    return solve_shifted(p, sigma);
}

/* Vectors of joint increments whose fastest node moves by one model length or radian. */
static void keep_vector(olo_modes *x, const pencil *p, int column, double *vector)
{
    const double small = 1e-4;
    const olo_motion *m = &x->rest->step.x;
    size_t u = (size_t)p->unknowns, n = (size_t)p->size;
    const double *N = p->basis + (u - n) * u;
    for (size_t a = 0; a < u; a++) {
        vector[a] = 0;
        for (size_t i = 0; i < n; i++)
            vector[a] += N[i * u + a] * p->A[i * n + (size_t)column];
    }
    double largest = 0;
    for (size_t a = 0; a < u; a++)
        olo_raise(&largest, fabs(vector[a]));
    for (size_t a = 0; largest > 0 && a < u; a++)
        m->u[a] = vector[a] *= small / largest;
    olo_tree_move(x->rest->tree, &x->rest->step.x);
    memcpy(x->rest->change + olo_rest_twist(x->rest, 0), m->motion,
           (size_t)x->system->twists * sizeof *m->motion);
    double size = olo_rest_size(x->rest, x->rest->change, NULL);
    for (size_t a = 0; size > 0 && a < u; a++)
        vector[a] /= size;
}

static olo_status keep(olo_modes *x, const pencil *p, double sigma, int count, olo_error *error)
{
    x->count = count < p->size ? count : p->size;
    x->squares = olo_alloc((size_t)x->count + 1, sizeof *x->squares);
    x->vectors = olo_alloc((size_t)x->count * (size_t)p->unknowns + 1, sizeof *x->vectors);
    if (!x->squares || !x->vectors)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    for (int i = 0; i < x->count; i++) {
        int column = p->size - 1 - i;
        if (!(p->w[column] > DBL_EPSILON * p->w[p->size - 1])) {
            x->count = i; /* no inertia: no frequency */
            break;
        }
        x->squares[i] = 1 / p->w[column] - sigma;
        keep_vector(x, p, column, x->vectors + (size_t)i * (size_t)p->unknowns);
    }
    return OLO_OK;
}

olo_status olo_modes_create(const olo_system *system, const olo_state *state, double load,
                            int count, olo_modes **modes, olo_error *error)
{
    pencil p = {0};
    double sigma = 0;
    olo_modes *x = *modes = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    x->system = system;
    olo_status status = olo_state_create(system, &x->state, error);
    if (status == OLO_OK) {
        olo_state_copy(state, x->state);
        status = olo_rest_create(system, x->state, &x->rest, error);
    }
    if (status == OLO_OK) {
        x->rest->step.load = x->rest->step.t = load;
        if (load != 0 && !olo_rest_is_conservative(x->rest))
            status = olo_fail(error, OLO_UNSUPPORTED,
                              "modes need loads with a potential: no moments about fixed axes, no "
                              "forces that follow the motion, no functions");
    }
    if (status == OLO_OK) {
        olo_rest_place(x->rest);
        status = fill(&p, x->rest, error);
        x->rounding = 64 * DBL_EPSILON * (p.stiff > 0 ? p.stiff : 1.0);
    }
    if (status == OLO_OK && p.size > 0 && !solve(&p, x->rounding, &sigma))
        status =
            olo_fail(error, OLO_SINGULAR, "the eigenvalue problem of the modes has no solution");
    if (status == OLO_OK)
        status = keep(x, &p, sigma, count, error);
    pencil_free(&p);
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
    olo_rest_free(modes->rest);
    olo_state_free(modes->state);
    olo_free(modes->squares);
    olo_free(modes->vectors);
    olo_free(modes);
}

int olo_modes_count(const olo_modes *modes)
{
    return modes->count;
}

double olo_modes_square(const olo_modes *modes, int index)
{
    return index >= 0 && index < modes->count ? modes->squares[index] : NAN;
}

double olo_modes_rounding(const olo_modes *modes)
{
    return modes->rounding;
}

olo_status olo_modes_shape(const olo_modes *modes, int index, double amplitude, olo_state *state,
                           olo_error *error)
{
    const olo_motion *m = &modes->rest->step.x;
    int unknowns = modes->rest->tree->unknowns;
    if (index < 0 || index >= modes->count)
        return olo_fail(error, OLO_BAD_INPUT, "there is no mode %d; there are %d", index + 1,
                        modes->count);
    for (int i = 0; i < unknowns; i++)
        m->u[i] = amplitude * modes->vectors[(size_t)index * (size_t)unknowns + (size_t)i];
    olo_tree_move(modes->rest->tree, &modes->rest->step.x);
    olo_state_copy(modes->state, state);
    memcpy(state->q, m->q1, (size_t)modes->system->n * sizeof *state->q);
    olo_state_follow_angles(modes->system, state);
    return OLO_OK;
}
