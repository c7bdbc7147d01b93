/* Inverse dynamics of an initial guess: the controls that balance its motion best. The reduced
 * balances are affine in the controls, c(u + d) = c(u) + A d. The controls of neighbouring
 * intervals act on a node together, so that an alternating part of them has almost no effect on the
 * motion; it is limited by their differences:
 *
 *     minimise  |c + A d|^2 + mu sum_k |u_k + d_k - u_k-1 - d_k-1|^2,
 *
 * whose normal equations are banded. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/guess.h"
#include "control/reduced.h"

/* mu relative to the mean of the diagonal of A^T A */
#define SMOOTHING 1e-3

typedef struct balance {
    const olo_control_problem *problem;
    olo_pool pool;
    olo_redundant *full;
    olo_reduced *reduced;
    const olo_nlp *nlp;
    int size, width;       /* of the matrix: controls of all intervals, and its band */
    double *x, *c, *A;     /* variables, rows and Jacobian */
    double *matrix, *side; /* [size x width], the lower band by rows, and [size] */
    int *unknown;          /* [variables] the number of a control, or -1 */
    int *first, *entry;    /* entries of each row with controls */
} balance;

static olo_status prepare(balance *b, const olo_state *state, const olo_redundant *from,
                          const double *x, olo_error *error)
{
    const olo_control_problem *p = b->problem;
    const size_t n = (size_t)p->system->n, nodes = (size_t)p->intervals + 1;
    double *q = olo_alloc(nodes * n, sizeof *q);
    olo_status status = OLO_OK;
    if (!q)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    for (size_t k = 0; k < nodes; k++)
        memcpy(q + k * n, x + olo_redundant_configuration(from, (int)k), n * sizeof *q);
    status = olo_redundant_create(p, state, q, false, &b->full, error);
    if (status == OLO_OK)
        status = olo_reduced_create(p, b->full, q, &b->reduced, error);
    olo_free(q);
    return olo_fail_context(error, status, "inverse_dynamics");
}

static bool allocate(balance *b)
{
    const olo_nlp *nlp = b->nlp;
    const olo_array arrays[] = {{&b->x, (size_t)nlp->variables},
                                {&b->c, (size_t)nlp->rows},
                                {&b->A, (size_t)nlp->jacobian.count},
                                {&b->matrix, (size_t)b->size * (size_t)b->width},
                                {&b->side, (size_t)b->size}};
    b->unknown = olo_pool_alloc(&b->pool, (size_t)nlp->variables, sizeof *b->unknown);
    b->first = olo_pool_alloc(&b->pool, (size_t)nlp->rows + 1, sizeof *b->first);
    b->entry = olo_pool_alloc(&b->pool, (size_t)nlp->jacobian.count, sizeof *b->entry);
    return b->unknown && b->first && b->entry &&
           olo_pool_arrays(&b->pool, arrays, sizeof arrays / sizeof *arrays);
}

/* Evaluates rows and Jacobian at the guess, and sorts the entries of controls by rows. */
static void linearise(balance *b, const olo_redundant *from, const double *x)
{
    const olo_control_problem *p = b->problem;
    const olo_nlp *nlp = b->nlp;
    const olo_positions *at = &nlp->jacobian;
    for (int i = 0; i < nlp->variables; i++)
        b->unknown[i] = -1;
    for (int i = 0; i < b->size; i++) {
        const int k = i / p->controls, c = i % p->controls;
        b->x[olo_reduced_controls(b->reduced, k) + c] = x[olo_redundant_controls(from, k) + c];
        b->unknown[olo_reduced_controls(b->reduced, k) + c] = i;
    }
    b->x[nlp->variables - 1] = p->duration;
    nlp->evaluate(nlp->context, b->x, b->c);
    nlp->evaluate_jacobian(nlp->context, b->x, b->A);
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < at->count; e++) {
            if (b->unknown[at->column[e]] < 0 || !olo_reduced_is_balance(b->reduced, at->row[e]))
                continue;
            if (pass == 0)
                b->first[at->row[e] + 1]++;
            else
                b->entry[b->first[at->row[e]]++] = e;
        }
        for (int r = 0; pass == 0 && r < nlp->rows; r++)
            b->first[r + 1] += b->first[r];
    }
    /* the second pass moved the beginnings by one row */
    memmove(b->first + 1, b->first, (size_t)nlp->rows * sizeof *b->first);
    b->first[0] = 0;
}

static double *at_band(const balance *b, int i, int j)
{
    return b->matrix + (size_t)i * (size_t)b->width + (b->width - 1 - (i - j));
}

static void assemble(balance *b)
{
    const olo_positions *at = &b->nlp->jacobian;
    double trace = 0;
    for (int r = 0; r < b->nlp->rows; r++)
        for (int e = b->first[r]; e < b->first[r + 1]; e++) {
            const int i = b->unknown[at->column[b->entry[e]]];
            b->side[i] -= b->A[b->entry[e]] * b->c[r];
            for (int f = b->first[r]; f < b->first[r + 1]; f++) {
                const int j = b->unknown[at->column[b->entry[f]]];
                if (j <= i)
                    *at_band(b, i, j) += b->A[b->entry[e]] * b->A[b->entry[f]];
            }
        }
    for (int i = 0; i < b->size; i++)
        trace += *at_band(b, i, i);
    const double mu = SMOOTHING * trace / b->size;
    const int m = b->problem->controls;
    for (int i = m; i < b->size; i++) {
        const double change = b->x[olo_reduced_controls(b->reduced, i / m) + i % m] -
                              b->x[olo_reduced_controls(b->reduced, i / m - 1) + i % m];
        *at_band(b, i, i) += mu;
        *at_band(b, i - m, i - m) += mu;
        *at_band(b, i, i - m) -= mu;
        b->side[i] -= mu * change;
        b->side[i - m] += mu * change;
    }
}

/* The factors L of Cholesky in place, then both substitutions. A control without any effect has a
 * pivot of zero and remains as it is. */
static void solve(balance *b)
{
    for (int i = 0; i < b->size; i++) {
        const int low = i >= b->width ? i - b->width + 1 : 0;
        const double own = *at_band(b, i, i);
        for (int j = low; j <= i; j++) {
            double sum = *at_band(b, i, j);
            for (int k = low; k < j; k++)
                if (j - k < b->width)
                    sum -= *at_band(b, i, k) * *at_band(b, j, k);
            const double pivot = i == j ? 0 : *at_band(b, j, j);
            if (i == j)
                *at_band(b, i, i) = sum > 1e-12 * own ? sqrt(sum) : 0;
            else
                *at_band(b, i, j) = pivot > 0 ? sum / pivot : 0;
        }
        double sum = b->side[i];
        for (int k = low; k < i; k++)
            sum -= *at_band(b, i, k) * b->side[k];
        b->side[i] = *at_band(b, i, i) > 0 ? sum / *at_band(b, i, i) : 0;
    }
    for (int i = b->size - 1; i >= 0; i--) {
        for (int k = i + 1; k < b->size && k - i < b->width; k++)
            b->side[i] -= *at_band(b, k, i) * b->side[k];
        b->side[i] = *at_band(b, i, i) > 0 ? b->side[i] / *at_band(b, i, i) : 0;
    }
}

olo_status olo_guess_controls(const olo_control_problem *problem, const olo_state *state,
                              const olo_redundant *transcription, double *x, olo_error *error)
{
    const int controls = problem->controls;
    balance b = {.problem = problem, .size = problem->intervals * controls, .width = 2 * controls};
    olo_status status = prepare(&b, state, transcription, x, error);
    if (status == OLO_OK) {
        b.nlp = olo_reduced_nlp(b.reduced);
        if (!allocate(&b))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    }
    if (status == OLO_OK) {
        linearise(&b, transcription, x);
        assemble(&b);
        solve(&b);
    }
    for (int i = 0; status == OLO_OK && i < b.size; i++) {
        double *u = x + olo_redundant_controls(transcription, i / controls) + i % controls;
        *u = fmin(fmax(*u + b.side[i], problem->lower[i % controls]), problem->upper[i % controls]);
    }
    olo_reduced_free(b.reduced);
    olo_redundant_free(b.full);
    olo_pool_free(&b.pool);
    return status;
}
