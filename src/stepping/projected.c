/* The treatments `projected` and `minimal`: the d'Alembert-type scheme. The discrete null space
 * removes the multipliers (thesis 3.2.33),
 *
 *     P(q0, q1)^T T(q1) = 0,   g(q1) = 0.
 *
 * `projected`: the unknown is q1, with all rows g. P is `implicit`, P = [I - W (G_m W)^-1 G_m] U
 * with G(q0)^T = [W U][R; 0] factored once per step (3.2.38), or `explicit`, that of the joint
 * tree; with closed loops it is the explicit one P_o of the tree times the implicit one P_ext of
 * the closures (6.2.33; Betsch, Leyendecker 2006, II, 5.4),
 *
 *     P = P_o(q0, q1) P_ext,   P_ext = [I - W (Gm W)^-1 Gm] U,   Gm = G_c(q0, q1) P_o(q0, q1).
 *
 * `minimal`: the unknowns are the increments u of the joint tree, q1 = F(u), with the rows g_c of
 * the closures. Redundant rows are omitted: pivoting finds a largest independent set in every step.
 *
 * The Newton iteration (B.2, B.3, B.5) uses
 *
 *     l = (G_m W)^-T W^T T,   S = DT - 1/2 sum l_b Hess g_b,
 *
 * which is exact for the implicit matrix, and exact at the solution for the explicit one. The
 * equations are solved in two parts (C.21), since the undivided matrix [P^T S; G] has a condition
 * number of O(1/h):
 *
 *     dq = Z x - W (G W)^-1 g,   Z = [I - W (G W)^-1 G] U,
 *     P^T S Z x = -P^T (T - S W (G W)^-1 g).
 *
 * In the increments of the tree P_ext stands for P, P_o^T S P_1 for S, P_o^T T for
 * T, and G_c P_1 for G, with the right pair P_1 at q1.
 *
 * With a scheme that evaluates P at q0 (variational) there are no Hessians, and the momentum at the
 * end is projected (dense_rates.h).
 *
 * Dense: for systems of up to some hundred coordinates. All matrices are row-major; tall ones are
 * stored transposed, with a vector per row. */
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
#include "stepping/row_basis.h"

typedef struct projected {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool;         /* memory of all arrays below */
    bool in_tree;          /* the unknowns are increments of the tree */
    int tree;              /* number of these increments; 0 if P is implicit */
    int width;             /* of vectors of unknowns: n, or the increments of the tree */
    olo_null_space *space; /* of the tree; NULL if P is implicit */
    const olo_topology *topology;
    olo_row_basis all;      /* of G, width n */
    olo_row_basis closures; /* of G_c P_o, width tree */
    olo_row_basis *rows;    /* of the unknowns: one of these */
    olo_dense_rates rates;  /* velocities on the constraints */
    double *left, *right;   /* [tree x n] P_o^T, P_1^T */
    double *S, *tree_S;     /* [n x n], [tree x tree] P_o^T S P_1 */
    double *P_ext;          /* [k x tree] transposed */
    double *Pt, *Z;         /* [k x width] P^T, or P_ext^T, and Z^T */
    double *SZ;             /* [width x n] (S Z)^T, or (S P_1)^T before it */
    double *Y;              /* [k x rank] workspace of Z */
    double *G, *GW;         /* [rank x width] at q1, [rank x rank] factored */
    double *K;              /* [k x k] P^T S Z */
    int *GW_pivot, *K_pivot;
    double *l;            /* [rank of all] */
    double *g;            /* [rank] constraints at q1 */
    double *balance, *x;  /* [width] T or P_o^T T, [k] */
    double *change;       /* [width] update of the unknowns, */
    double *moved;        /* [n] of the coordinates */
    double *row, *motion; /* [n], [twists] predicted */
    olo_status status;    /* of the factorisation at the start of the step */
} projected;

/* --- creation --- */

static void destroy(void *data)
{
    projected *x = data;
    if (!x)
        return;
    olo_null_space_free(x->space);
    olo_row_basis_free(&x->all);
    olo_row_basis_free(&x->closures);
    olo_dense_rates_free(&x->rates);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* The rank is not known before a step: allocates for the largest one. */
static bool allocate(projected *x)
{
    const int n = x->system->n, u = x->tree, w = x->width;
    const int count = x->rows->count, rank = count < w ? count : w;
    const size_t square = olo_area(w, w), wide = olo_area(w, rank), length = (size_t)w;
    const olo_array arrays[] = {{&x->left, olo_area(u, n)},
                                {&x->right, olo_area(u, n)},
                                {&x->S, olo_area(n, n)},
                                {&x->tree_S, olo_area(u, u)},
                                {&x->P_ext, olo_area(u, u)},
                                {&x->Pt, square},
                                {&x->Z, square},
                                {&x->SZ, olo_area(w, n)},
                                {&x->Y, wide},
                                {&x->G, wide},
                                {&x->GW, olo_area(rank, rank)},
                                {&x->K, square},
                                {&x->l, (size_t)x->system->m},
                                {&x->g, (size_t)rank},
                                {&x->balance, length},
                                {&x->x, length},
                                {&x->change, length},
                                {&x->moved, (size_t)n},
                                {&x->row, (size_t)n},
                                {&x->motion, (size_t)x->system->twists}};
    x->GW_pivot = olo_pool_alloc(&x->pool, (size_t)rank + 1, sizeof *x->GW_pivot);
    x->K_pivot = olo_pool_alloc(&x->pool, (size_t)w + 1, sizeof *x->K_pivot);
    return olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
           (!(x->scheme->momentum || x->scheme->consistent) ||
            olo_dense_rates_create(&x->rates, x->system));
}

/* With a tree P is explicit; with unknowns in it the rows are those of the closures. */
static olo_status create_with(const olo_system *system, const olo_scheme *scheme, bool has_tree,
                              bool in_tree, void **data, olo_error *error)
{
    *data = NULL;
    projected *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the projected equations");
    *x = (projected){.system = system, .scheme = scheme, .in_tree = in_tree};
    olo_status status = OLO_OK;
    if (has_tree) {
        x->topology = system->topology;
        x->tree = x->topology->unknowns;
        status = olo_null_space_create(x->topology, &x->space, error);
    }
    x->width = in_tree ? x->tree : system->n;
    x->rows = in_tree ? &x->closures : &x->all;
    if (status == OLO_OK &&
        !(olo_row_basis_create(&x->all, system->m, system->n) &&
          (!has_tree || olo_row_basis_create(&x->closures, x->topology->closure_count, x->tree)) &&
          allocate(x)))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the projected equations");
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

static olo_status check(const olo_system *system, const olo_run *run, olo_error *error)
{
    const char *kind = run->null_space ? run->null_space : "";
    (void)system;
    if (strcmp(kind, "explicit") == 0 || strcmp(kind, "implicit") == 0)
        return OLO_OK;
    return olo_fail(error, OLO_BAD_INPUT,
                    "run.null_space must be explicit or implicit, got '%.64s'", kind);
}

static olo_status create_projected(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, void **data, olo_error *error)
{
    return create_with(system, scheme, strcmp(run->null_space, "explicit") == 0, false, data,
                       error);
}

static olo_status create_minimal(const olo_system *system, const olo_scheme *scheme,
                                 const olo_run *run, void **data, olo_error *error)
{
    (void)run;
    return create_with(system, scheme, true, true, data, error);
}

/* --- the start of a step --- */

/* reduced[tree] = P_o^T row, or P_1^T row, times `factor` */
static void project_row(const projected *x, const double *row, const double *Pt, double factor,
                        double *reduced)
{
    for (int j = 0; j < x->tree; j++)
        reduced[j] = factor * olo_dense_dot(x->system->n, row, Pt + olo_area(j, x->system->n));
}

/* P_o^T, and the rows G_c P_o of closures over the step, divided by the norm of G, in a given
 * order. */
static void tree_rows(projected *x, const olo_step *step, const int *order, int count, double *rows)
{
    const int n = x->system->n;
    olo_null_space_at(x->space, &step->x, true);
    olo_null_space_matrix(x->space, x->left);
    for (int i = 0; i < count; i++) {
        olo_tangent_discrete_row(step, x->topology->closures[order ? order[i] : i], x->row);
        const double size = sqrt(olo_dense_dot(n, x->row, x->row));
        project_row(x, x->row, x->left, size > 0 ? 1 / size : 0, rows + olo_area(i, x->tree));
    }
}

/* Factors the closure rows in the null space of the tree at q0. */
static bool begin_tree(projected *x, olo_step *step)
{
    olo_motion_begin(x->topology, &step->x);
    olo_coordinates_predict(step, 0.0);
    tree_rows(x, step, NULL, x->closures.count, x->closures.rows);
    return olo_row_basis_begin(&x->closures,
                               OLO_RANK_TOLERANCE * fmin(x->system->length_scale, 1.0));
}

static void predict(void *data, olo_step *step, double scale)
{
    projected *x = data;
    const olo_system *s = x->system;
    /* null spaces at q0 */
    const olo_at start = {.q = step->x.q0};
    for (int c = 0; c < s->m; c++)
        olo_tangent_row_at(s, c, &start, x->all.rows + olo_area(c, s->n));
    bool ok = olo_row_basis_begin(&x->all, 0) && (!x->space || begin_tree(x, step));
    if (ok && x->space && !x->in_tree)
        ok = x->tree - x->closures.rank == s->n - x->all.rank;
    x->status = ok ? OLO_OK : OLO_SINGULAR;
    olo_dense_rates_begin(&x->rates);
    /* extrapolate the last motion */
    if (!x->in_tree) {
        olo_coordinates_predict(step, scale);
        return;
    }
    for (int i = 0; i < s->twists; i++)
        x->motion[i] = scale * olo_last_motion(step->state)[i];
    olo_motion_predict(x->topology, &step->x, x->motion, 1.0);
}

/* --- one iteration --- */

static int free_count(const projected *x)
{
    return x->width - x->rows->rank;
}

/* P^T in the unknowns. */
static bool find_left_null_space(projected *x, const olo_step *step)
{
    const int n = x->system->n;
    olo_row_basis *a = &x->all, *c = &x->closures;
    if (!x->space) {
        olo_row_basis_oblique(a, a->now, a->C, a->pivot, a->X, x->Pt);
        return true;
    }
    tree_rows(x, step, c->order, c->rank, c->now);
    if (!olo_row_basis_square(c, c->now, c->C, c->pivot))
        return false;
    olo_row_basis_oblique(c, c->now, c->C, c->pivot, c->X, x->in_tree ? x->Pt : x->P_ext);
    if (x->in_tree)
        return true;
    memset(x->Pt, 0, olo_area(free_count(x), n) * sizeof *x->Pt);
    for (int j = 0; j < free_count(x); j++)
        for (int i = 0; i < x->tree; i++)
            olo_dense_add(n, x->P_ext[olo_area(j, x->tree) + (size_t)i], x->left + olo_area(i, n),
                          x->Pt + olo_area(j, n));
    return true;
}

/* The rows G of the unknowns at q1 and their values g. */
static void find_rows(projected *x, olo_step *step)
{
    for (int i = 0; i < x->rows->rank; i++) {
        const int c = x->in_tree ? x->topology->closures[x->rows->order[i]] : x->rows->order[i];
        double *row = x->G + olo_area(i, x->width);
        olo_step_row(step, &x->system->constraints[c], step->r, NULL);
        x->g[i] = olo_row_end_value(step, c, step->r);
        olo_tangent_end_row(step, c, x->in_tree ? x->row : row);
        if (x->in_tree)
            project_row(x, x->row, x->right, 1, row);
    }
}

/* The balance and its tangent in the increments of the tree. */
static void reduce_balance(projected *x, const olo_step *step)
{
    const int n = x->system->n, u = x->tree;
    olo_dense_products(u, n, n, x->right, x->S, x->SZ);
    olo_dense_products(u, u, n, x->left, x->SZ, x->tree_S);
    project_row(x, step->T, x->left, 1, x->balance);
}

static const double *tangent_of(const projected *x)
{
    return x->in_tree ? x->tree_S : x->S;
}

/* Computes T, P^T and S; G, g and (G W) at q1; Z; K. */
static bool linearise(projected *x, olo_step *step)
{
    olo_row_basis *a = &x->all;
    const int n = x->system->n, w = x->width, k = free_count(x);
    /* T, DT and the multipliers l; S = DT - 1/2 sum l_b Hess g_b */
    olo_tangent_balance(x->scheme, step, x->S);
    if (!olo_row_basis_multipliers(a, step, x->l))
        return false;
    if (x->scheme->consistent &&
        (!olo_dense_rates_apply(&x->rates, a, step) || !olo_row_basis_multipliers(a, step, x->l)))
        return false;
    for (int i = 0; i < a->rank; i++)
        olo_tangent_add_curvature(step, a->order[i], -x->l[i], n, x->S);
    /* null space, balance and rows in the unknowns */
    if (!find_left_null_space(x, step))
        return false;
    if (x->in_tree) {
        olo_null_space_at(x->space, &step->x, false);
        olo_null_space_matrix(x->space, x->right);
        reduce_balance(x, step);
    } else {
        memcpy(x->balance, step->T, (size_t)n * sizeof *step->T);
    }
    find_rows(x, step);
    /* Z and K = P^T S Z */
    if (!olo_row_basis_square(x->rows, x->G, x->GW, x->GW_pivot))
        return false;
    olo_row_basis_oblique(x->rows, x->G, x->GW, x->GW_pivot, x->Y, x->Z);
    olo_dense_products(k, w, w, x->Z, tangent_of(x), x->SZ);
    olo_dense_products(k, k, w, x->Pt, x->SZ, x->K);
    return true;
}

/* change = Z x - W (G W)^-1 g; returns the largest entry of P^T T. */
static double solve(projected *x)
{
    const olo_row_basis *a = x->rows;
    const int w = x->width, k = free_count(x);
    double largest = 0;
    /* -W (G W)^-1 g satisfies the rows */
    olo_lu_solve(a->rank, x->GW, x->GW_pivot, false, 1, x->g);
    memset(x->change, 0, (size_t)w * sizeof *x->change);
    for (int i = 0; i < a->rank; i++)
        olo_dense_add(w, -x->g[i], olo_row_basis_W(a) + olo_area(i, w), x->change);
    for (int j = 0; j < k; j++)
        olo_raise(&largest, fabs(olo_dense_dot(w, x->Pt + olo_area(j, w), x->balance)));
    /* x from the balance after this increment */
    for (int i = 0; i < w; i++)
        x->balance[i] += olo_dense_dot(w, tangent_of(x) + olo_area(i, w), x->change);
    for (int j = 0; j < k; j++)
        x->x[j] = -olo_dense_dot(w, x->Pt + olo_area(j, w), x->balance);
    olo_lu_solve(k, x->K, x->K_pivot, false, 1, x->x);
    for (int j = 0; j < k; j++)
        olo_dense_add(w, x->x[j], x->Z + olo_area(j, w), x->change);
    return largest;
}

/* Updates the motions of the nodes by the twists of P_1 change, and closes the joints. */
static void update_tree(projected *x, olo_step *step, olo_newton *newton)
{
    const olo_system *s = x->system;
    memset(x->moved, 0, (size_t)s->n * sizeof *x->moved);
    for (int j = 0; j < x->tree; j++)
        olo_dense_add(s->n, x->change[j], x->right + olo_area(j, s->n), x->moved);
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double twist[OLO_NODE_TWIST_MAX];
        node->type->twist_of(step->x.q1 + node->q, x->moved + node->q, twist);
        olo_motion_update(x->topology, k, &step->x, twist);
    }
    olo_motion_predict(x->topology, &step->x, step->x.motion, 1.0);
    olo_coordinates_measure(step, x->moved, newton);
    for (int k = 0; k < s->node_count; k++)
        olo_raise(&newton->turn,
                  olo_node_turn_size(&s->nodes[k], step->x.motion + s->nodes[k].motion));
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    projected *x = data;
    newton->worst = 0;
    if (x->status != OLO_OK)
        return olo_fail(
            error, x->status,
            "the number of columns of the null space matrix is not that of degrees of freedom");
    if (!linearise(x, step) || !olo_lu_factor(free_count(x), x->K, x->K_pivot))
        return olo_fail(error, OLO_SINGULAR, "the projected equations are singular");
    const double largest = solve(x);
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    if (x->in_tree) {
        update_tree(x, step, newton);
    } else {
        /* violated constraints: not a solution */
        olo_raise(&newton->residual, olo_rows_largest_residual(step, x->all.rank, x->all.order));
        olo_coordinates_add(step, x->change);
        olo_coordinates_measure(step, x->change, newton);
    }
    olo_dense_rates_measure(&x->rates, newton);
    return OLO_OK;
}

/* In the increments of the tree a solution may leave loops open. */
static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    projected *x = data;
    (void)count;
    return olo_pass_closed(step, x->topology->closure_count, x->topology->closures, error);
}

static olo_status project(void *data, olo_step *step, olo_error *error)
{
    projected *x = data;
    return olo_dense_rates_project(&x->rates, &x->all, step, error);
}

/* At the solution T = G_m^T l, hence lambda = -l divided by the factor of the scheme; redundant
 * rows have multiplier zero. */
static void finish(void *data, olo_step *step, olo_state *state)
{
    projected *x = data;
    const double a = x->scheme->multiplier_factor(step);
    olo_coordinates_finish(step, state);
    x->scheme->balance(step, NULL);
    if (x->scheme->consistent)
        olo_dense_rates_finish(&x->rates, &x->all, step, a, x->l, state);
    else
        olo_row_basis_finish(&x->all, step, a, x->l, state);
}

static void settle(void *data, olo_step *step)
{
    projected *x = data;
    olo_step_accumulate(step);
    olo_motion_settle(x->topology, &step->x, step->q_end, step->remainder_end);
}

/* Reported: P^T S Z, with one row per degree of freedom. Other: [P^T S; G] in the unknowns, as
 * tabulated in the second article. */
static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    projected *x = data;
    const int w = x->width, k = free_count(x);
    olo_status status = olo_square_create(kind == OLO_MATRIX_REPORTED ? k : w, K, error);
    olo_dense_rates_begin(&x->rates);
    if (status == OLO_OK && !linearise(x, step))
        status = olo_fail(error, OLO_SINGULAR, "the projected equations are singular");
    if (status != OLO_OK)
        return status;
    if (kind == OLO_MATRIX_REPORTED) {
        memcpy(K->entry, x->K, olo_area(k, k) * sizeof *x->K);
        return OLO_OK;
    }
    for (int j = 0; j < k; j++) /* P^T S */
        for (int i = 0; i < w; i++)
            olo_dense_add(w, x->Pt[olo_area(j, w) + (size_t)i], tangent_of(x) + olo_area(i, w),
                          K->entry + olo_area(j, w));
    memcpy(K->entry + olo_area(k, w), x->G, olo_area(w - k, w) * sizeof *x->G);
    return OLO_OK;
}

const olo_treatment olo_treatment_projected = {.name = "projected",
                                               .scaled = true,
                                               .consistent = true,
                                               .create = create_projected,
                                               .free = destroy,
                                               .check = check,
                                               .predict = predict,
                                               .iterate = iterate,
                                               .project = project,
                                               .finish = finish,
                                               .matrix = matrix};

const olo_treatment olo_treatment_minimal = {.name = "minimal",
                                             .scaled = true,
                                             .consistent = true,
                                             .near = true,
                                             .create = create_minimal,
                                             .free = destroy,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .pass = pass,
                                             .project = project,
                                             .finish = finish,
                                             .settle = settle,
                                             .matrix = matrix};
