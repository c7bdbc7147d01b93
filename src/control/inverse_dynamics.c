/* Inverse dynamics of an initial guess: the controls, and the multipliers of closures, that balance
 * its motion best. The reduced balances are affine in both, c(u + d) = c(u) + A d. The controls of
 * neighbouring intervals act on a node together, so that an alternating part of them has almost no
 * effect on the motion; it is limited by their differences:
 *
 *     minimise  |c + A d|^2 + mu sum_k |u_k + d_k - u_k-1 - d_k-1|^2,
 *
 * whose normal equations are banded. The unknowns of a node are its multipliers, then its controls.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/guess.h"
#include "control/reduced.h"

/* mu relative to the mean of the diagonal of A^T A over the controls */
#define SMOOTHING 1e-3

typedef struct balance {
    const olo_control_problem *problem;
    olo_pool pool;
    olo_redundant *full;
    olo_reduced *reduced;
    const olo_nlp *nlp;
    int multipliers;       /* of a node */
    int stride;            /* unknowns of a node */
    int size, width;       /* of the matrix: unknowns of all nodes, and its band */
    double *x, *c, *A;     /* variables, rows and Jacobian */
    double *matrix, *side; /* [size x width], the lower band by rows, and [size] */
    int *variable;         /* [size] the variable of an unknown, or -1 */
    int *unknown;          /* [variables] the number of an unknown, or -1 */
    int *first, *entry;    /* entries of each row with unknowns */
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
    status = olo_redundant_create(p, state, q, true, &b->full, error);
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
    b->variable = olo_pool_alloc(&b->pool, (size_t)b->size, sizeof *b->variable);
    b->unknown = olo_pool_alloc(&b->pool, (size_t)nlp->variables, sizeof *b->unknown);
    b->first = olo_pool_alloc(&b->pool, (size_t)nlp->rows + 1, sizeof *b->first);
    b->entry = olo_pool_alloc(&b->pool, (size_t)nlp->jacobian.count, sizeof *b->entry);
    return b->variable && b->unknown && b->first && b->entry &&
           olo_pool_arrays(&b->pool, arrays, sizeof arrays / sizeof *arrays);
}

static bool is_control(const balance *b, int unknown)
{
    return unknown % b->stride >= b->multipliers;
}

/* Numbers the unknowns; redundant closures have no multipliers. */
static void number(balance *b)
{
    const olo_nlp *nlp = b->nlp;
    for (int i = 0; i < nlp->variables; i++)
        b->unknown[i] = -1;
    for (int i = 0; i < b->size; i++) {
        const int v = olo_reduced_closures(b->reduced, i / b->stride) + i % b->stride;
        const bool fixed = !is_control(b, i) && nlp->lower[v] == nlp->upper[v];
        b->variable[i] = fixed ? -1 : v;
        if (!fixed)
            b->unknown[v] = i;
    }
}

/* Evaluates rows and Jacobian at the guess, and sorts the entries of unknowns by rows. */
static void linearise(balance *b, const olo_redundant *from, const double *x)
{
    const olo_control_problem *p = b->problem;
    const olo_nlp *nlp = b->nlp;
    const olo_positions *at = &nlp->jacobian;
    number(b);
    for (int k = 0; k < p->intervals; k++)
        memcpy(b->x + olo_reduced_controls(b->reduced, k), x + olo_redundant_controls(from, k),
               (size_t)p->controls * sizeof *x);
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
        trace += is_control(b, i) ? *at_band(b, i, i) : 0;
    const double mu = SMOOTHING * trace / (b->problem->intervals * b->problem->controls);
    for (int i = b->stride; i < b->size; i++) {
        const int before = i - b->stride;
        if (!is_control(b, i))
            continue;
        const double change = b->x[b->variable[i]] - b->x[b->variable[before]];
        *at_band(b, i, i) += mu;
        *at_band(b, before, before) += mu;
        *at_band(b, i, before) -= mu;
        b->side[i] -= mu * change;
        b->side[before] += mu * change;
    }
}

/* The factors L of Cholesky in place, then both substitutions. An unknown without any effect has a
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

/* The guess with the changes that were found; controls stay within their bounds. Multipliers are
 * taken if the transcription has those of closures. */
static void apply(const balance *b, const olo_redundant *to, double *x)
{
    const olo_control_problem *p = b->problem;
    for (int i = 0; i < b->size; i++) {
        const int k = i / b->stride, c = i % b->stride - b->multipliers;
        double *u = x + olo_redundant_controls(to, k) + c;
        if (c >= 0)
            *u = fmin(fmax(*u + b->side[i], p->lower[c]), p->upper[c]);
        else if (p->reduced)
            x[olo_redundant_multipliers(to, k) + i % b->stride] = b->side[i];
    }
}

olo_status olo_guess_controls(const olo_control_problem *problem, const olo_state *state,
                              const olo_redundant *transcription, double *x, olo_error *error)
{
    balance b = {.problem = problem};
    olo_status status = prepare(&b, state, transcription, x, error);
    if (status == OLO_OK) {
        b.nlp = olo_reduced_nlp(b.reduced);
        b.multipliers = olo_redundant_numbers(b.full).multipliers;
        b.stride = b.multipliers + problem->controls;
        b.size = problem->intervals * b.stride + b.multipliers;
        b.width = b.stride + problem->controls;
        if (!allocate(&b))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an initial guess");
    }
    if (status == OLO_OK) {
        linearise(&b, transcription, x);
        assemble(&b);
        solve(&b);
        apply(&b, transcription, x);
    }
    olo_reduced_free(b.reduced);
    olo_redundant_free(b.full);
    olo_pool_free(&b.pool);
    return status;
}
