/* The treatment `minimal`: as many unknowns as degrees of freedom. Loops are closed by the
 * semi-explicit null space (thesis 6.2.33; Betsch, Leyendecker 2006, II, 5.4),
 *
 *     P = P_o(q0, q1) P_ext,   P_ext = [I - W (Gm W)^-1 Gm] U,   Gm = G_c(q0, q1) P_o(q0, q1),
 *     P^T T(q1) = 0,   g_c(q1) = 0,   q1 = F(u),
 *
 * with P_o and F those of the joint tree, u its increments, and G_c the rows of the closures.
 * G_c(q0) P_o(q0) = R^T W^T is factored once per step; pivoting omits redundant rows.
 *
 * The Newton iteration uses S of (B.3), the right pair P_1 of the tree and C = G_c(q1) P_1, in two
 * parts (C.21):
 *
 *     du = -W (C W)^-1 g + Z x,   Z = [I - W (C W)^-1 C] U,
 *     P_ext^T P_o^T S P_1 Z x = -P_ext^T (P_o^T T - P_o^T S P_1 W (C W)^-1 g).
 *
 * With a scheme that evaluates P at q0 (variational), P_o and P_ext do not vary, and the momentum
 * at the end is projected (momentum_projection.h).
 *
 * Dense: for small clusters of loops, up to some hundred coordinates, and for the published tables.
 * Vectors are stored as rows. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kinematics/null_space.h"
#include "linalg/dense.h"
#include "stepping/coordinates.h"
#include "stepping/dense_rates.h"
#include "stepping/dense_tangent.h"
#include "stepping/momentum_projection.h"
#include "stepping/row_basis.h"

typedef struct minimal {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool;
    const olo_topology *topology;
    olo_null_space *space;
    olo_row_basis all;                /* of G, for the multipliers in S */
    olo_row_basis closures;           /* of G_c P_o */
    olo_momentum_projection momentum; /* projection of the momentum at the end */
    olo_dense_rates rates;            /* of schemes with consistent velocities */
    double *left, *right;             /* [u x n] P_o^T, P_1^T */
    double *S;                        /* [n x n] */
    double *SR;                       /* [u x n] (S P_1)^T */
    double *K;                        /* [u x u] P_o^T S P_1 */
    double *N, *Z;                    /* [dofs x u] P_ext^T, Z^T */
    double *CW;                       /* [rank x rank] C W, factored */
    double *end, *Y;                  /* [rank x u] C; workspace of Z */
    double *A;                        /* [dofs x dofs] */
    int *CW_pivot, *A_pivot;
    double *l; /* [m] */
    double *g, *x, *du, *r,
        *predicted;       /* closures, unknowns, increments, balance, predicted motion */
    double *row, *change; /* [n] */
    olo_status status;    /* of the factorisation at the start of the step */
} minimal;

/* --- creation --- */

static void destroy(void *data)
{
    minimal *x = data;
    if (!x)
        return;
    olo_null_space_free(x->space);
    olo_row_basis_free(&x->all);
    olo_row_basis_free(&x->closures);
    olo_momentum_projection_free(&x->momentum);
    olo_dense_rates_free(&x->rates);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* The rank is not known before a step: allocates for the largest one. */
static bool allocate(minimal *x)
{
    int n = x->system->n, m = x->system->m, u = x->topology->unknowns,
        c = x->topology->closure_count;
    int rank = c < u ? c : u;
    const olo_array arrays[] = {{&x->left, olo_area(u, n)},
                                {&x->right, olo_area(u, n)},
                                {&x->S, olo_area(n, n)},
                                {&x->SR, olo_area(u, n)},
                                {&x->K, olo_area(u, u)},
                                {&x->N, olo_area(u, u)},
                                {&x->Z, olo_area(u, u)},
                                {&x->CW, olo_area(rank, rank)},
                                {&x->end, olo_area(rank, u)},
                                {&x->Y, olo_area(u, rank)},
                                {&x->A, olo_area(u, u)},
                                {&x->l, (size_t)m},
                                {&x->g, (size_t)rank},
                                {&x->x, (size_t)u},
                                {&x->du, (size_t)u},
                                {&x->r, (size_t)u},
                                {&x->predicted, (size_t)x->system->twists},
                                {&x->row, (size_t)n},
                                {&x->change, (size_t)n}};
    bool ok = olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
    x->CW_pivot = olo_pool_alloc(&x->pool, (size_t)rank + 1, sizeof *x->CW_pivot);
    x->A_pivot = olo_pool_alloc(&x->pool, (size_t)u + 1, sizeof *x->A_pivot);
    if (x->scheme->momentum)
        ok = olo_momentum_projection_create(&x->momentum, x->system) && ok;
    if (x->scheme->consistent)
        ok = olo_dense_rates_create(&x->rates, x->system) && ok;
    return ok && x->CW_pivot && x->A_pivot && olo_row_basis_create(&x->all, m, n) &&
           olo_row_basis_create(&x->closures, c, u);
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    (void)run;
    minimal *x = olo_alloc(1, sizeof *x);
    *data = NULL;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the minimal treatment");
    x->system = system;
    x->scheme = scheme;
    x->topology = system->topology;
    olo_status status = olo_null_space_create(x->topology, &x->space, error);
    if (status == OLO_OK && !allocate(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the minimal treatment");
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

/* --- the start of a step --- */

/* P^T of the tree: the left pair between q0 and q1, or the right one at q1. */
static void tree_null_space(minimal *x, const olo_step *step, bool left)
{
    olo_null_space_at(x->space, &step->x, left);
    olo_null_space_matrix(x->space, left ? x->left : x->right);
}

/* x->row in the increments of the tree */
static void project_row(const minimal *x, const double *Pt, double *reduced)
{
    for (int j = 0; j < x->topology->unknowns; j++)
        reduced[j] = olo_dense_dot(x->system->n, x->row, Pt + olo_area(j, x->system->n));
}

static void predict(void *data, olo_step *step, double scale)
{
    minimal *x = data;
    const olo_system *s = x->system;
    olo_row_basis *c = &x->closures;
    /* closure rows in the null space of the tree at q0 */
    olo_motion_begin(x->topology, &step->x);
    olo_coordinates_predict(step, 0.0);
    tree_null_space(x, step, true);
    for (int i = 0; i < c->count; i++) {
        olo_tangent_discrete_row(step, x->topology->closures[i], x->row);
        double size = sqrt(olo_dense_dot(s->n, x->row, x->row));
        for (int j = 0; size > 0 && j < s->n; j++)
            x->row[j] /= size;
        project_row(x, x->left, c->rows + olo_area(i, c->width));
    }
    /* all rows at q0, for the multipliers in S */
    for (int i = 0; i < s->m; i++)
        olo_tangent_row(s, i, step->x.q0, x->all.rows + olo_area(i, s->n));
    bool ok = olo_row_basis_begin(&x->all, 0) &&
              olo_row_basis_begin(c, OLO_RANK_TOLERANCE * fmin(s->length_scale, 1.0));
    olo_dense_rates_begin(&x->rates);
    x->status = ok ? OLO_OK : OLO_SINGULAR;
    /* extrapolate the last motion */
    for (int i = 0; i < s->twists; i++)
        x->predicted[i] = scale * olo_last_motion(step->state)[i];
    olo_motion_predict(x->topology, &step->x, x->predicted, 1.0);
}

/* --- one iteration --- */

static int free_count(const minimal *x)
{
    return x->topology->unknowns - x->closures.rank;
}

/* K = P_o^T S P_1 and r = P_o^T T */
static void project_balance(minimal *x, const olo_step *step)
{
    int n = x->system->n, u = x->topology->unknowns;
    olo_dense_products(u, n, n, x->right, x->S, x->SR);
    olo_dense_products(u, u, n, x->left, x->SR, x->K);
    for (int i = 0; i < u; i++)
        x->r[i] = olo_dense_dot(n, x->left + olo_area(i, n), step->T);
}

/* P_ext between q0 and q1; C, g and Z at q1 */
static bool close_loops(minimal *x, const olo_step *step)
{
    olo_row_basis *c = &x->closures;
    for (int i = 0; i < c->rank; i++) {
        int row = x->topology->closures[c->order[i]];
        const olo_constraint *form = &x->system->constraints[row];
        double d[OLO_FORM_SIZE_MAX];
        olo_tangent_discrete_row(step, row, x->row);
        project_row(x, x->left, c->now + olo_area(i, c->width));
        for (int k = 0; k < form->size; k++)
            d[k] = x->row[form->index[k]];
        x->g[i] = olo_row_end_value(step, row, d);
        olo_tangent_end_row(step, row, x->row);
        project_row(x, x->right, x->end + olo_area(i, c->width));
    }
    if (!olo_row_basis_square(c, c->now, c->C, c->pivot) ||
        !olo_row_basis_square(c, x->end, x->CW, x->CW_pivot))
        return false;
    olo_row_basis_oblique(c, c->now, c->C, c->pivot, c->X, x->N);
    olo_row_basis_oblique(c, x->end, x->CW, x->CW_pivot, x->Y, x->Z);
    return true;
}

/* A = P_ext^T K Z */
static bool linearise(minimal *x, olo_step *step)
{
    int u = x->topology->unknowns, n = x->system->n;
    /* S = DT - 1/2 sum l_b Hess g_b */
    olo_tangent_balance(x->scheme, step, x->S);
    if (!olo_row_basis_multipliers(&x->all, step, x->l))
        return false;
    if (x->scheme->consistent && (!olo_dense_rates_apply(&x->rates, &x->all, step) ||
                                  !olo_row_basis_multipliers(&x->all, step, x->l)))
        return false;
    for (int i = 0; i < x->all.rank; i++)
        olo_tangent_add_curvature(step, x->all.order[i], -x->l[i], n, x->S);
    /* K = P_o^T S P_1, then P_ext, C, g and Z of the closures */
    tree_null_space(x, step, true);
    tree_null_space(x, step, false);
    project_balance(x, step);
    if (!close_loops(x, step))
        return false;
    /* A = P_ext^T K Z, column by column */
    for (int j = 0; j < free_count(x); j++) {
        for (int i = 0; i < u; i++)
            x->du[i] = olo_dense_dot(u, x->K + olo_area(i, u), x->Z + olo_area(j, u));
        for (int i = 0; i < free_count(x); i++)
            x->A[olo_area(i, free_count(x)) + (size_t)j] =
                olo_dense_dot(u, x->N + olo_area(i, u), x->du);
    }
    return true;
}

/* du = Z x - W (C W)^-1 g; returns the largest entry of P^T T. */
static double solve(minimal *x)
{
    const olo_row_basis *c = &x->closures;
    int u = x->topology->unknowns, k = free_count(x);
    double largest = 0;
    /* du = -W (C W)^-1 g closes the loops */
    olo_lu_solve(c->rank, x->CW, x->CW_pivot, false, 1, x->g);
    memset(x->du, 0, (size_t)u * sizeof *x->du);
    for (int i = 0; i < c->rank; i++)
        olo_dense_add(u, -x->g[i], olo_row_basis_W(c) + olo_area(i, u), x->du);
    for (int j = 0; j < k; j++)
        olo_raise(&largest, fabs(olo_dense_dot(u, x->N + olo_area(j, u), x->r)));
    /* solve for x with the balance after this increment, and add Z x */
    for (int i = 0; i < u; i++)
        x->r[i] += olo_dense_dot(u, x->K + olo_area(i, u), x->du);
    for (int j = 0; j < k; j++)
        x->x[j] = -olo_dense_dot(u, x->N + olo_area(j, u), x->r);
    olo_lu_solve(k, x->A, x->A_pivot, false, 1, x->x);
    for (int j = 0; j < k; j++)
        olo_dense_add(u, x->x[j], x->Z + olo_area(j, u), x->du);
    return largest;
}

/* Updates the motions of the nodes by the twists of change = P_1 du, and closes the joints. */
static void update(minimal *x, olo_step *step)
{
    const olo_system *s = x->system;
    memset(x->change, 0, (size_t)s->n * sizeof *x->change);
    for (int j = 0; j < x->topology->unknowns; j++)
        olo_dense_add(s->n, x->du[j], x->right + olo_area(j, s->n), x->change);
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double twist[OLO_NODE_TWIST_MAX];
        node->type->twist_of(step->x.q1 + node->q, x->change + node->q, twist);
        olo_motion_update(x->topology, k, &step->x, twist);
    }
    olo_motion_predict(x->topology, &step->x, step->x.motion, 1.0);
}

/* The largest Cayley vector of a body. */
static double largest_turn(const minimal *x, const olo_step *step)
{
    double largest = 0;
    for (int k = 0; k < x->system->node_count; k++) {
        const olo_node *node = &x->system->nodes[k];
        olo_raise(&largest, olo_node_turn_size(node, step->x.motion + node->motion));
    }
    return largest;
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    minimal *x = data;
    newton->worst = 0;
    if (x->status != OLO_OK || !linearise(x, step) ||
        !olo_lu_factor(free_count(x), x->A, x->A_pivot))
        return olo_fail(error, OLO_SINGULAR, "the null space of the loops is singular");
    double largest = solve(x);
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    update(x, step);
    olo_coordinates_measure(step, x->change, newton);
    newton->turn = largest_turn(x, step);
    olo_dense_rates_measure(&x->rates, newton);
    return OLO_OK;
}

static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    minimal *x = data;
    (void)count;
    if (largest_turn(x, step) > OLO_HALF_TURN) {
        olo_fail(error, OLO_NOT_CONVERGED, "a body rotates by half a turn in the step");
        return OLO_PASS_FAILED;
    }
    return olo_pass_closed(step, x->topology->closure_count, x->topology->closures, error);
}

static olo_status project(void *data, olo_step *step, olo_error *error)
{
    return olo_momentum_projection_apply(&((minimal *)data)->momentum, step, error);
}

/* At the solution T = G_m^T l, hence lambda = -l divided by the factor of the scheme; redundant
 * rows have multiplier zero. */
static void finish(void *data, olo_step *step, olo_state *state)
{
    minimal *x = data;
    double a = x->scheme->multiplier_factor(step);
    olo_coordinates_finish(step, state);
    x->scheme->balance(step, NULL);
    if (x->scheme->consistent)
        olo_dense_rates_finish(&x->rates, &x->all, step, a, x->l, state);
    else
        olo_row_basis_finish(&x->all, step, a, x->l, state);
}

static void settle(void *data, olo_step *step)
{
    minimal *x = data;
    olo_motion_settle(x->topology, &step->x, step->q_end, step->remainder_end);
}

/* Reported: P^T S P_1 Z, with one row per degree of freedom. Other: [P^T S P_1; C] in the
 * increments of the tree, as tabulated in the second article. */
static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    minimal *x = data;
    int u = x->topology->unknowns, k = free_count(x);
    olo_status status = olo_square_create(kind == OLO_MATRIX_REPORTED ? k : u, K, error);
    olo_dense_rates_begin(&x->rates);
    if (status == OLO_OK && !linearise(x, step))
        status = olo_fail(error, OLO_SINGULAR, "the null space of the loops is singular");
    if (status != OLO_OK)
        return status;
    if (kind == OLO_MATRIX_REPORTED) {
        memcpy(K->entry, x->A, olo_area(k, k) * sizeof *x->A);
        return OLO_OK;
    }
    for (int j = 0; j < k; j++)
        for (int i = 0; i < u; i++)
            olo_dense_add(u, x->N[olo_area(j, u) + (size_t)i], x->K + olo_area(i, u),
                          K->entry + olo_area(j, u));
    memcpy(K->entry + olo_area(k, u), x->end, olo_area(u - k, u) * sizeof *x->end);
    return OLO_OK;
}

const olo_treatment olo_treatment_minimal = {.name = "minimal",
                                             .scaled = true,
                                             .consistent = true,
                                             .near = true,
                                             .create = create,
                                             .free = destroy,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .pass = pass,
                                             .project = project,
                                             .finish = finish,
                                             .settle = settle,
                                             .matrix = matrix};
