/* Block elimination on random trees with springs and closures, compared with the dense saddle point
 * form of the header and its transpose. */
#include "scene.h"

#include "base/memory.h"
#include "linalg/elimination.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"

enum { BLOCKS = 14, DENSE = 400 };

typedef struct forest {
    int count, closures;
    olo_block blocks[BLOCKS];
    int edges[4 * BLOCKS], edge_count;
    int shift; /* the largest entry of row i of a diagonal block is in column i + shift */
    olo_elimination *elimination;
} forest;

/* An elimination with its own structure. */
static olo_elimination *open_elimination(int count, const olo_block *blocks, int edge_count,
                                         const int *edges)
{
    olo_elimination_structure *structure = NULL;
    olo_elimination *elimination = NULL;
    olo_error error = {0};
    check_ok(olo_elimination_structure_create(count, blocks, edge_count, edges, &structure, &error),
             &error);
    check_ok(olo_elimination_create(structure, &elimination, &error), &error);
    return elimination;
}

static void close_elimination(olo_elimination *elimination)
{
    olo_elimination_structure *structure = (olo_elimination_structure *)elimination->structure;
    olo_elimination_free(elimination);
    olo_elimination_structure_free(structure);
}

static int pick(unsigned long long *seed, int n)
{
    return (int)((scene_random(seed) * 0.5 + 0.5) * n) % n;
}

/* A spatial joint has no matrices; here it gets some that can be filled. */
static void lend_blocks(olo_joint_blocks *j, double own[4][36])
{
    if (!j->spatial)
        return;
    j->A = own[0];
    j->A_hat = own[1];
    j->Ep = own[2];
    j->Ec = own[3];
}

static void fill(int n, double *x, double size, unsigned long long *seed)
{
    for (int i = 0; i < n; i++)
        x[i] = size * scene_random(seed);
}

/* Random parents, sizes, degrees of freedom (at least `least`), springs across branches and
 * closures on two nodes each; a negative number of closures are relative ones. */
static void plant(forest *f, int count, int least, int springs, int closures,
                  unsigned long long *seed)
{
    bool relative = closures < 0;
    memset(f, 0, sizeof *f);
    closures = abs(closures);
    f->count = count + closures;
    f->closures = closures;
    for (int c = 0; c < count; c++) {
        olo_block *b = &f->blocks[c];
        b->size = scene_random(seed) > 0 ? 6 : 3;
        b->parent = c > 0 && scene_random(seed) > -0.7 ? pick(seed, c) : -1;
        b->plain = b->parent < 0 && scene_random(seed) > 0.5;
        b->spatial = b->size == 6 && b->parent >= 0 && f->blocks[b->parent].size == 6 &&
                     scene_random(seed) > -0.5;
        b->dof = b->plain ? b->size : least + pick(seed, b->size + 1 - least);
    }
    for (int i = 0; i < springs && count > 1; i++) {
        int a = pick(seed, count), b = pick(seed, count);
        if (a == b)
            continue;
        f->edges[2 * f->edge_count] = a;
        f->edges[2 * f->edge_count++ + 1] = b;
    }
    for (int i = 0; i < closures; i++) {
        f->blocks[count + i] =
            (olo_block){.size = 1, .dof = 1, .parent = -1, .plain = true, .closure = true};
        f->blocks[count + i].relative = relative;
        for (int side = 0; side < 2; side++) {
            f->edges[2 * f->edge_count] = count + i;
            f->edges[2 * f->edge_count++ + 1] = pick(seed, count);
        }
    }
    f->elimination = open_elimination(f->count, f->blocks, f->edge_count, f->edges);
}

static bool coupled(const forest *f, int a, int b)
{
    for (int i = 0; i < f->edge_count; i++)
        if ((f->edges[2 * i] == a && f->edges[2 * i + 1] == b) ||
            (f->edges[2 * i] == b && f->edges[2 * i + 1] == a))
            return true;
    return a == b;
}

/* Gaussian elimination with row exchanges, as reference */
static void solve_dense(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        check_true(fabs(A[best * n + k]) > 1e-12);
        for (int j = 0; j < n && best != k; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* dt = -(A^-1)_tt z has the transpose -(A^-T)_tt; t[c] is the index of block c in the dense
 * form. */
static void check_transposed(forest *f, int n, const int *t, double *transposed,
                             unsigned long long *seed)
{
    double *b = olo_alloc((size_t)n, sizeof *b), size = 1, worst = 0;
    for (int c = 0; c < f->count; c++) {
        fill(f->blocks[c].size, olo_elimination_rhs(f->elimination, c), 1.0, seed);
        for (int i = 0; i < f->blocks[c].size; i++)
            b[t[c] + i] = -olo_elimination_rhs(f->elimination, c)[i];
    }
    olo_elimination_solve_transposed(f->elimination);
    solve_dense(n, transposed, b);
    for (int c = 0; c < f->count; c++)
        for (int i = 0; i < f->blocks[c].size; i++) {
            double got = olo_elimination_twist(f->elimination, c)[i];
            size = larger(size, fabs(b[t[c] + i]));
            worst = larger(worst, fabs(got - b[t[c] + i]));
        }
    check_below(worst / size, 1e-12);
    olo_free(b);
}

/* The product r with any increments: the dense form times [dt, mu = -W, du] is [0, 0, -r]. The
 * right side z is not changed. */
static void check_product(forest *f, int n, const int *t, const int *mu, const int *u,
                          const double *A, unsigned long long *seed)
{
    olo_elimination *e = f->elimination;
    double *x = olo_alloc((size_t)n, sizeof *x), *z = olo_alloc((size_t)n, sizeof *z), size = 1;
    for (int c = 0; c < f->count; c++) {
        memcpy(z + t[c], olo_elimination_rhs(e, c), (size_t)f->blocks[c].size * sizeof *z);
        fill(f->blocks[c].dof, olo_elimination_unknown(e, c), 1.0, seed);
    }
    olo_elimination_multiply(e);
    for (int c = 0; c < f->count; c++) {
        for (int i = 0; i < f->blocks[c].size; i++) {
            x[t[c] + i] = olo_elimination_twist(e, c)[i];
            x[mu[c] + i] = -olo_elimination_rhs(e, c)[i];
            size = larger(size, fabs(x[mu[c] + i]));
        }
        for (int i = 0; i < f->blocks[c].dof; i++)
            x[u[c] + i] = olo_elimination_increment(e, c)[i];
        memcpy(olo_elimination_rhs(e, c), z + t[c], (size_t)f->blocks[c].size * sizeof *z);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0, expected = 0;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * x[j];
        for (int c = 0; c < f->count; c++)
            if (i >= u[c] && i < u[c] + f->blocks[c].dof)
                expected = -olo_elimination_product(e, c)[i - u[c]];
        check_close(expected, sum, 1e-12 * size);
    }
    olo_free(x);
    olo_free(z);
}

/* A and A^ as [I a^; 0 I], Ep = -Ec = [0 0; f^ 0] */
static void fill_spatial(olo_joint_blocks *j, unsigned long long *seed)
{
    double *matrix[3] = {j->A, j->A_hat, j->Ep}, a[3];
    for (int k = 0; k < 3; k++) {
        double *M = matrix[k] + (k < 2 ? 3 : 18);
        fill(3, a, 0.5, seed);
        for (int i = 0; i < 36; i++)
            matrix[k][i] = k < 2 && i % 7 == 0;
        for (int i = 0; i < 3; i++) {
            M[6 * i + (i + 1) % 3] = -a[(i + 2) % 3];
            M[6 * i + (i + 2) % 3] = a[(i + 1) % 3];
        }
    }
    for (int i = 0; i < 36; i++)
        j->Ec[i] = -j->Ep[i];
}

/* Spatial joints are given by a, a^ and f of these matrices. */
static void write_spatial(const olo_joint_blocks *j)
{
    const double *matrix[3] = {j->A + 3, j->A_hat + 3, j->Ep + 18};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            j->spatial[3 * k + i] = matrix[k][6 * ((i + 2) % 3) + (i + 1) % 3];
}

/* Unknowns of the dense form: dt, mu of every block, then du. Equations as in elimination.h. */
static void check_against_dense(forest *f, unsigned long long *seed, double tolerance)
{
    int t[BLOCKS], mu[BLOCKS], u[BLOCKS], n = 0;
    for (int c = 0; c < f->count; c++) {
        t[c] = n;
        mu[c] = n += f->blocks[c].size;
        u[c] = n += f->blocks[c].size;
        n += f->blocks[c].dof;
    }
    check_true(n <= DENSE);
    double *A = olo_alloc((size_t)n * (size_t)n, sizeof *A), *b = olo_alloc((size_t)n, sizeof *b);
    double *transposed = olo_alloc((size_t)n * (size_t)n, sizeof *A);
    olo_elimination *e = f->elimination;
    olo_elimination_clear(e);
    for (int a = 0; a < f->count; a++) {
        const olo_block *block = &f->blocks[a];
        int d = block->size, r = block->dof;
        for (int c = 0; c < f->count; c++) {
            if (!coupled(f, a, c) || (block->closure && f->blocks[c].closure && a != c))
                continue;
            double *K = olo_elimination_matrix(e, a, c);
            fill(d * f->blocks[c].size, K, 1.0, seed);
            for (int i = 0; a == c && !block->closure && i < d; i++)
                K[i * d + (i + f->shift) % d] += 8;
            if (a == c && block->closure)
                K[0] = 0;
            /* rows and columns of closures are equal, as in mechanics, so that their pivots are not
             * near zero */
            for (int i = 0;
                 a != c && block->closure != f->blocks[c].closure && i < d * f->blocks[c].size; i++)
                K[i] = 1 + 0.3 * K[i];
            for (int i = 0; i < d; i++)
                for (int j = 0; j < f->blocks[c].size; j++)
                    A[(t[a] + i) * n + t[c] + j] += K[i * f->blocks[c].size + j];
        }
        double *z = olo_elimination_rhs(e, a);
        fill(d, z, 1.0, seed);
        for (int i = 0; i < d; i++) {
            b[t[a] + i] -= z[i];
            A[(t[a] + i) * n + mu[a] + i] += 1;
        }
        /* dt = A dt_p + B du + e; a fixed frame does not move */
        const bool ignored =
            block->plain || (block->size == 6 && block->dof == 0 && block->parent < 0);
        double *gap = olo_elimination_gap(e, a);
        if (!block->plain)
            fill(d, gap, 0.3, seed);
        for (int i = 0; i < d; i++) {
            A[(mu[a] + i) * n + t[a] + i] += 1;
            b[mu[a] + i] += ignored ? 0 : gap[i];
        }
        if (block->plain) {
            for (int i = 0; i < d; i++) {
                A[(mu[a] + i) * n + u[a] + i] -= 1;
                A[(u[a] + i) * n + mu[a] + i] += 1; /* mu = 0 */
            }
            continue;
        }
        olo_joint_blocks j = olo_elimination_joint(e, a);
        int parent = block->parent, p = parent >= 0 ? f->blocks[parent].size : 0;
        double own[4][36];
        lend_blocks(&j, own);
        fill(d * r, j.B, 0.3, seed);
        fill(d * r, j.B_hat, 0.3, seed);
        fill(r * d, j.kc, 0.3, seed);
        fill(r * r, j.ku, 0.3, seed);
        for (int i = 0; i < r; i++)
            j.B[i * r + i] = j.B_hat[i * r + i] = 1;
        if (parent >= 0) {
            fill(d * p, j.A, 0.5, seed);
            fill(d * p, j.A_hat, 0.5, seed);
            fill(p * p, j.Ep, 0.3, seed);
            fill(p * d, j.Ec, 0.3, seed);
            fill(r * p, j.kp, 0.3, seed);
        }
        if (block->spatial)
            fill_spatial(&j, seed);
        if (j.spatial)
            write_spatial(&j);
        for (int i = 0; i < d; i++) {
            for (int k = 0; k < r; k++) {
                A[(mu[a] + i) * n + u[a] + k] -= j.B[i * r + k];
                A[(u[a] + k) * n + mu[a] + i] += j.B_hat[i * r + k];
            }
            for (int k = 0; k < p; k++) {
                A[(mu[a] + i) * n + t[parent] + k] -= j.A[i * p + k];
                A[(t[parent] + k) * n + mu[a] + i] -= j.A_hat[i * p + k];
                A[(t[parent] + k) * n + t[a] + i] += j.Ec[k * d + i];
            }
        }
        for (int k = 0; k < p; k++)
            for (int l = 0; l < p; l++)
                A[(t[parent] + k) * n + t[parent] + l] += j.Ep[k * p + l];
        for (int k = 0; k < r; k++) {
            for (int l = 0; l < r; l++)
                A[(u[a] + k) * n + u[a] + l] -= j.ku[k * r + l];
            for (int i = 0; i < d; i++)
                A[(u[a] + k) * n + t[a] + i] -= j.kc[k * d + i];
            for (int l = 0; l < p; l++)
                A[(u[a] + k) * n + t[parent] + l] -= j.kp[k * p + l];
        }
    }
    check_product(f, n, t, mu, u, A, seed);
    olo_error error = {0};
    int where = -1;
    check_ok(olo_elimination_factor(e, &where, &error), &error);
    olo_elimination_solve(e);
    for (int i = 0; i < n * n; i++)
        transposed[i] = A[i % n * n + i / n];
    solve_dense(n, A, b);
    double size = 1;
    for (int i = 0; i < n; i++)
        size = larger(size, fabs(b[i]));
    for (int c = 0; c < f->count; c++) {
        for (int i = 0; i < f->blocks[c].size; i++)
            check_close(b[t[c] + i], olo_elimination_twist(e, c)[i], tolerance * size);
        for (int i = 0; i < f->blocks[c].dof; i++)
            check_close(b[u[c] + i], olo_elimination_increment(e, c)[i], tolerance * size);
    }
    check_transposed(f, n, t, transposed, seed);
    olo_free(transposed);
    olo_free(A);
    olo_free(b);
}

static void check_forests(int springs, int closures)
{
    unsigned long long seed = (unsigned long long)(41 + 7 * springs + closures);
    for (int k = 0; k < 60; k++) {
        forest f;
        int count = 1 + pick(&seed, BLOCKS - closures);
        plant(&f, count, 0, springs, closures, &seed);
        for (int again = 0; again < 2; again++) /* one structure is used with many numbers */
            check_against_dense(&f, &seed, 1e-9);
        close_elimination(f.elimination);
    }
}

TEST(trees_equal_the_dense_saddle_form)
{
    check_forests(0, 0);
}

TEST(trees_with_springs_across_equal_the_dense_saddle_form)
{
    check_forests(6, 0);
}

TEST(closures_are_eliminated_after_what_moves_them)
{
    unsigned long long seed = 77;
    for (int k = 0; k < 80; k++) {
        forest f;
        /* a closure whose nodes cannot move would have a zero pivot: here every node moves */
        plant(&f, 8, 2, 3, k % 2 ? -2 : 2, &seed);
        check_against_dense(&f, &seed, 1e-9);
        close_elimination(f.elimination);
    }
}

/* A positive definite symmetric matrix with closure rows, whose left and right pairs are equal and
 * constant. */
static void fill_symmetric(const forest *f, unsigned long long seed)
{
    olo_elimination *e = f->elimination;
    olo_elimination_clear(e);
    for (int a = 0; a < f->count; a++) {
        const olo_block *block = &f->blocks[a];
        const int d = block->size, r = block->dof, parent = block->parent;
        const int p = parent >= 0 ? f->blocks[parent].size : 0;
        for (int c = 0; c <= a; c++) {
            const int s = f->blocks[c].size;
            if (!coupled(f, a, c) || (block->closure && f->blocks[c].closure))
                continue;
            double *K = olo_elimination_matrix(e, a, c), *back = olo_elimination_matrix(e, c, a);
            double part[36];
            fill(d * s, part, 0.5, &seed);
            for (int i = 0; i < d; i++)
                for (int k = 0; k < s; k++) {
                    double both = a == c ? part[i * s + k] + part[k * d + i] : part[i * s + k];
                    K[i * s + k] = back[k * d + i] = both + (a == c && i == k ? 16 : 0);
                }
        }
        fill(d, olo_elimination_rhs(e, a), 1.0, &seed);
        if (block->plain)
            continue;
        olo_joint_blocks j = olo_elimination_joint(e, a);
        double own[4][36];
        lend_blocks(&j, own);
        fill(d * r, j.B, 0.3, &seed);
        for (int i = 0; i < r; i++)
            j.B[i * r + i] = 1;
        memcpy(j.B_hat, j.B, (size_t)(d * r) * sizeof *j.B);
        memset(j.kc, 0, (size_t)(r * d) * sizeof *j.kc);
        memset(j.ku, 0, (size_t)(r * r) * sizeof *j.ku);
        memset(j.kp, 0, (size_t)(r * p) * sizeof *j.kp);
        fill(d * p, j.A, 0.5, &seed);
        if (block->spatial)
            fill_spatial(&j, &seed);
        memcpy(j.A_hat, j.A, (size_t)(d * p) * sizeof *j.A);
        memset(j.Ep, 0, (size_t)(p * p) * sizeof *j.Ep);
        memset(j.Ec, 0, (size_t)(p * d) * sizeof *j.Ec);
        if (j.spatial)
            write_spatial(&j);
    }
}

/* With the same factors twice the right-hand side gives exactly twice the solution. */
static void check_again(const forest *f, double z[BLOCKS][6])
{
    double once[BLOCKS][6];
    for (int c = 0; c < f->count; c++) {
        memcpy(once[c], olo_elimination_twist(f->elimination, c),
               (size_t)f->blocks[c].size * sizeof(double));
        for (int i = 0; i < f->blocks[c].size; i++)
            olo_elimination_rhs(f->elimination, c)[i] = 2 * z[c][i];
    }
    olo_elimination_solve_symmetric_again(f->elimination);
    for (int c = 0; c < f->count; c++)
        for (int i = 0; i < f->blocks[c].size; i++)
            check_true(olo_elimination_twist(f->elimination, c)[i] == 2 * once[c][i]);
}

TEST(symmetric_matrices_are_solved_from_their_upper_half)
{
    unsigned long long seed = 5;
    for (int k = 0; k < 200; k++) {
        forest f;
        double twists[BLOCKS][6], z[BLOCKS][6];
        int where = -1;
        olo_error error = {0};
        plant(&f, 1 + pick(&seed, 10), k % 3 ? 0 : 2, k % 4, k % 3 ? 0 : 2, &seed);
        fill_symmetric(&f, (unsigned long long)k);
        check_ok(olo_elimination_factor(f.elimination, &where, &error), &error);
        olo_elimination_solve(f.elimination);
        for (int c = 0; c < f.count; c++)
            memcpy(twists[c], olo_elimination_twist(f.elimination, c),
                   (size_t)f.blocks[c].size * sizeof(double));
        fill_symmetric(&f, (unsigned long long)k);
        for (int a = 0; a < f.count; a++) /* entries below the diagonal are not read */
            for (int c = 0; c < f.count; c++)
                if (coupled(&f, a, c) && f.elimination->rank[a] > f.elimination->rank[c] &&
                    !(f.blocks[a].closure && f.blocks[c].closure))
                    fill(f.blocks[a].size * f.blocks[c].size,
                         olo_elimination_matrix(f.elimination, a, c), 9.0, &seed);
        for (int c = 0; c < f.count; c++)
            memcpy(z[c], olo_elimination_rhs(f.elimination, c),
                   (size_t)f.blocks[c].size * sizeof(double));
        check_status(OLO_OK, olo_elimination_solve_symmetric(f.elimination, 0, &where));
        double size = 1, difference = 0;
        for (int c = 0; c < f.count; c++)
            for (int i = 0; i < f.blocks[c].size; i++) {
                const double found = olo_elimination_twist(f.elimination, c)[i];
                size = larger(size, fabs(twists[c][i]));
                difference = larger(difference, fabs(twists[c][i] - found));
            }
        /* right-hand sides are of size one: the condition number is at least that of the result */
        check_below(difference, 1e-13 * size * size);
        check_again(&f, z);
        close_elimination(f.elimination);
    }
}

/* Three rows on a plain block of which the last is the sum of the others: two directions are active
 * with each way of the elimination. */
TEST(redundant_rows_are_revealed)
{
    const olo_block blocks[2] = {{.size = 3, .dof = 3, .parent = -1, .plain = true},
                                 {.size = 3, .dof = 3, .parent = -1, .closure = true}};
    const int edge[2] = {0, 1};
    const double rows[9] = {1, 2, 0, 0, 1, 1, 1, 3, 1};
    for (int way = 0; way < 3; way++) {
        olo_elimination *e = open_elimination(2, blocks, 1, edge);
        olo_error error = {0};
        /* the first is in the null space of the rows, the second orthogonal to it */
        double lambda[3] = {1, 1, -1}, active[3] = {2, 1, 3};
        int where = -1;
        olo_elimination_clear(e);
        for (int i = 0; i < 3; i++) {
            olo_elimination_matrix(e, 0, 0)[4 * i] = way > 0 ? 2 : 0;
            olo_elimination_rhs(e, 1)[i] = i == 2 ? 3 : i + 1.0;
            for (int k = 0; k < 3; k++)
                olo_elimination_matrix(e, 1, 0)[3 * i + k] =
                    olo_elimination_matrix(e, 0, 1)[3 * k + i] = rows[3 * i + k];
        }
        if (way == 0) {
            check_ok(olo_elimination_find_redundant(e, 1.0, 1.0, &error), &error);
        } else if (way == 1) {
            check_status(OLO_OK, olo_elimination_solve_symmetric(e, 1.0, &where));
        } else {
            olo_elimination_activate_all(e, 1.0);
            for (int i = 0; i < 2; i++)
                check_true(olo_elimination_eliminate_with_rank(e, olo_elimination_sequence(e)[i]));
            for (int i = 1; i >= 0; i--)
                olo_elimination_substitute(e, olo_elimination_sequence(e)[i]);
            double advanced[3] = {1, 1, -1}, sum = 0; /* the part in the null space is removed */
            olo_elimination_update_multipliers(e, 1, advanced);
            for (int i = 0; i < 3; i++)
                sum += advanced[i] * (i == 2 ? -1 : 1);
            check_close(0, sum, 1e-14);
        }
        olo_elimination_project_multipliers(e, 1, lambda);
        olo_elimination_project_multipliers(e, 1, active);
        for (int i = 0; i < 3; i++) {
            check_close(0, lambda[i], 1e-14);
            check_close(i == 2 ? 3 : 2 - i, active[i], 1e-14);
            double g = way == 0 ? 0 : i == 2 ? 3 : i + 1.0;
            for (int k = 0; way > 0 && k < 3; k++)
                g += rows[3 * i + k] * olo_elimination_twist(e, 0)[k];
            check_close(0, g, 1e-13);
        }
        close_elimination(e);
    }
}

/* The number of active rows of (1, 0, 0) and (1, delta, 0) times `unit`, on a free point, in two
 * closures or together in one. The part of the second row that is orthogonal to the first enters
 * the elimination as delta^2, relative to the square of the rows. */
static int active_rows(double delta, double unit, bool together)
{
    const olo_block blocks[3] = {
        {.size = 3, .dof = 3, .parent = -1, .plain = true},
        {.size = together ? 2 : 1, .dof = together ? 2 : 1, .parent = -1, .closure = true},
        {.size = 1, .dof = 1, .parent = -1, .closure = true}};
    const int edges[4] = {0, 1, 0, 2}, closures = together ? 1 : 2;
    const double rows[6] = {unit, 0, 0, unit, unit * delta, 0};
    olo_elimination *e = NULL;
    olo_error error = {0};
    e = open_elimination(1 + closures, blocks, closures, edges);
    olo_elimination_clear(e);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 2; i++) {
            const int c = together ? 1 : 1 + i, row = together ? i : 0, width = together ? 2 : 1;
            olo_elimination_matrix(e, c, 0)[3 * row + k] =
                olo_elimination_matrix(e, 0, c)[width * k + row] = rows[3 * i + k];
        }
    }
    check_ok(olo_elimination_find_redundant(e, 1.0, unit * unit, &error), &error);
    int active = 0;
    for (int c = 1; c <= closures; c++)
        active += e->active[c];
    close_elimination(e);
    return active;
}

/* The bound is 1e-11 of the square (elimination_sweep.c). A row that is refused as misaligned
 * (kinematics/misalignment.c) has a rate below 1e-5. All rows above that must be active, hence no
 * row above 1e-10 may be redundant. */
TEST(rows_are_redundant_below_the_square_root_of_1e_11)
{
    static const double units[] = {1, 1e-6, 1e6};
    for (int i = 0; i < 6; i++) {
        const bool together = i % 2 == 1;
        check_equal(2, active_rows(1e-2, units[i / 2], together));
        check_equal(2, active_rows(1e-5, units[i / 2], together));
        check_equal(1, active_rows(1e-6, units[i / 2], together));
        check_equal(1, active_rows(0, units[i / 2], together));
    }
}

/* Closures on a chain of which some are linear combinations of others, so that the rank is known.
 * The elimination leaves rounding errors of 1e-16 times the condition number of the chain in them.
 */
TEST(combinations_of_rows_are_redundant_whatever_rounding_leaves_of_them)
{
    enum { NODES = 6, ROWS = 4, BASIS = 2 };
    unsigned long long seed = 11;
    for (int trial = 0; trial < 300; trial++) {
        olo_block blocks[NODES + ROWS];
        int edges[2 * NODES * ROWS], edge_count = 0;
        olo_elimination *e = NULL;
        olo_error error = {0};
        for (int c = 0; c < NODES; c++)
            blocks[c] = (olo_block){.size = 3, .dof = 3, .parent = -1, .plain = true};
        for (int i = 0; i < ROWS; i++) {
            blocks[NODES + i] = (olo_block){.size = 1, .dof = 1, .parent = -1, .closure = true};
            for (int c = 0; c < NODES; c++, edge_count++) {
                edges[2 * edge_count] = c;
                edges[2 * edge_count + 1] = NODES + i;
            }
        }
        e = open_elimination(NODES + ROWS, blocks, edge_count, edges);
        olo_elimination_clear(e);
        double rows[ROWS][3 * NODES], share[BASIS];
        for (int i = 0; i < ROWS; i++) {
            fill(3 * NODES, rows[i], 1.0, &seed);
            fill(BASIS, share, 1.0, &seed);
            for (int k = 0; i >= BASIS && k < 3 * NODES; k++)
                rows[i][k] = share[0] * rows[0][k] + share[1] * rows[1][k];
        }
        for (int c = 0; c < NODES; c++)
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < ROWS; i++)
                    olo_elimination_matrix(e, c, NODES + i)[k] =
                        olo_elimination_matrix(e, NODES + i, c)[k] = rows[i][3 * c + k];
        check_ok(olo_elimination_find_redundant(e, 1.0, 1.0, &error), &error);
        int active = 0;
        for (int i = 0; i < ROWS; i++)
            active += e->active[NODES + i];
        check_equal(BASIS, active);
        close_elimination(e);
    }
}

/* A tree of frames and points with joints, and two closures on the same blocks: two of the three
 * rows of one are combinations of those of the other. With closures that common motions do not
 * violate, ancestors are eliminated after them, as blocks into which closures were eliminated. The
 * scale of lengths does not change the rank. */
TEST(combinations_of_rows_are_redundant_on_trees_of_joints)
{
    enum { NODES = 7, ON = 3 };
    unsigned long long seed = 23;
    for (int trial = 0; trial < 300; trial++) {
        const double length = pow(10, trial % 5 - 2);
        forest f = {.count = NODES + 2, .closures = 2};
        olo_error error = {0};
        for (int c = 0; c < NODES; c++) {
            const int parent = c - 1 - (c > 2 ? pick(&seed, 2) : 0);
            const bool frame = parent < 0 || f.blocks[parent].size == 6;
            f.blocks[c] = (olo_block){
                .size = frame && scene_random(&seed) > -0.6 ? 6 : 3, .dof = 2, .parent = parent};
            f.blocks[c].spatial = f.blocks[c].size == 6 && parent >= 0;
        }
        for (int i = 0; i < 2; i++) {
            f.blocks[NODES + i] = (olo_block){
                .size = 3, .dof = 3, .parent = -1, .closure = true, .relative = trial % 2 == 1};
            for (int k = 0; k < ON; k++, f.edge_count++) {
                f.edges[2 * f.edge_count] = NODES - 1 - 2 * k;
                f.edges[2 * f.edge_count + 1] = NODES + i;
            }
        }
        f.elimination = open_elimination(f.count, f.blocks, f.edge_count, f.edges);
        olo_elimination *e = f.elimination;
        fill_symmetric(&f, seed + (unsigned)trial);
        olo_elimination_clear(e);
        double share[6];
        fill(6, share, 1.0, &seed);
        for (int k = 0; k < ON; k++) {
            const int c = NODES - 1 - 2 * k, size = f.blocks[c].size;
            double rows[2][18];
            fill(18, rows[0], 1.0, &seed);
            fill(18, rows[1], 1.0, &seed);
            for (int j = 0; j < 3 * size; j++)
                rows[0][j] *= j % size < 3 ? 1 / length : 1;
            for (int j = 0; j < 2 * size; j++)
                rows[1][j] = share[3 * (j / size)] * rows[0][j % size] +
                             share[3 * (j / size) + 1] * rows[0][size + j % size] +
                             share[3 * (j / size) + 2] * rows[0][2 * size + j % size];
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 3 * size; j++) {
                    olo_elimination_matrix(e, NODES + i, c)[j] = rows[i][j];
                    olo_elimination_matrix(e, c, NODES + i)[j % size * 3 + j / size] = rows[i][j];
                }
        }
        check_ok(olo_elimination_find_redundant(e, length, 1.0, &error), &error);
        check_equal(4, e->active[NODES] + e->active[NODES + 1]);
        close_elimination(e);
    }
}

/* Windows side by side, attached to the ground by all their cranks, or to a chain of which each
 * body has a rung with a part of the other rail: then the closures connect neighbouring parts. */
static int most_later_neighbours(int windows, bool on_chain)
{
    int nodes = on_chain ? 3 * (windows + 1) : 2 * windows + 1, count = nodes + windows, most = 0;
    olo_block *blocks = olo_alloc((size_t)count, sizeof *blocks);
    int *edges = olo_alloc(4 * (size_t)windows, sizeof *edges);
    for (int c = 0; c < nodes; c++) {
        int parent = on_chain ? (c <= windows ? c - 1 : c - windows - 1)
                              : (c <= windows ? -1 : c - windows - 1);
        blocks[c] = (olo_block){.size = 6, .dof = 1, .parent = parent, .spatial = true};
    }
    for (int i = 0; i < windows; i++) {
        blocks[nodes + i] =
            (olo_block){.size = 5, .dof = 5, .parent = -1, .closure = true, .relative = true};
        edges[4 * i] = edges[4 * i + 2] = nodes + i;
        edges[4 * i + 1] = on_chain ? 2 * (windows + 1) + i : windows + 1 + i;
        edges[4 * i + 3] = on_chain ? 2 * (windows + 1) + i + 1 : i + 1;
    }
    olo_elimination *e = open_elimination(count, blocks, 2 * windows, edges);
    for (int c = 0; c < count; c++)
        most = e->nodes[c].degree > most ? e->nodes[c].degree : most;
    close_elimination(e);
    olo_free(blocks);
    olo_free(edges);
    return most;
}

/* A closure whose last row is the sum of the others, or is not. */
static void fill_redundant(olo_elimination *e, bool redundant)
{
    const double rows[9] = {1, 2, 0, 0, 1, 1, 1, 3, redundant ? 1 : 5};
    olo_elimination_clear(e);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            olo_elimination_matrix(e, 1, 0)[3 * i + k] = rows[3 * i + k];
            olo_elimination_matrix(e, 0, 1)[3 * k + i] = rows[3 * i + k];
        }
}

/* Of two eliminations with one structure one finds a redundant row, the other none; neither changes
 * the structure. */
TEST(eliminations_share_a_structure_that_does_not_change)
{
    const olo_block blocks[2] = {{.size = 3, .dof = 3, .parent = -1, .plain = true},
                                 {.size = 3, .dof = 3, .parent = -1, .closure = true}};
    const int edge[2] = {0, 1};
    olo_elimination *a = open_elimination(2, blocks, 1, edge), *b = NULL;
    olo_error error = {0};
    node before[2];
    memcpy(before, a->structure->nodes, sizeof before);
    check_ok(olo_elimination_create(a->structure, &b, &error), &error);
    fill_redundant(a, true);
    fill_redundant(b, false);
    check_ok(olo_elimination_find_redundant(a, 1.0, 1e-3, &error), &error);
    check_ok(olo_elimination_find_redundant(b, 1.0, 1e-3, &error), &error);
    for (int k = 0; k < 3; k++) {
        double of_a[3] = {1, 1, -1}, of_b[3] = {1, 1, -1}; /* rows: 1 + 2 - 3 = 0 */
        olo_elimination_project_multipliers(a, 1, of_a);
        olo_elimination_project_multipliers(b, 1, of_b);
        check_close(0, of_a[k], 1e-14);
        check_close(k == 2 ? -1 : 1, of_b[k], 1e-14);
    }
    check_true(memcmp(before, a->structure->nodes, sizeof before) == 0);
    olo_elimination_free(b);
    close_elimination(a);
}

TEST(ladders_are_eliminated_in_a_band)
{
    for (int windows = 10; windows <= 1000; windows *= 10) {
        check_true(most_later_neighbours(windows, false) <= 3);
        check_true(most_later_neighbours(windows, true) <= 4);
    }
}

/* Points and triads along a line: each is coupled to the next two. Their blocks of three are
 * factored with exchanges of rows for `shift` 1 and 2. */
TEST(lines_of_points_and_triads_equal_the_dense_saddle_form)
{
    unsigned long long seed = 31;
    for (int shift = 0; shift < 3; shift++)
        for (int count = 1; count <= 9; count++) {
            forest f = {.count = count, .shift = shift};
            int threes = 0;
            for (int c = 0; c < count; c++) {
                f.blocks[c] = (olo_block){.size = 3, .dof = 3, .parent = -1, .plain = true};
                for (int next = c + 1; next < count && next <= c + 2; next++) {
                    f.edges[2 * f.edge_count] = c;
                    f.edges[2 * f.edge_count++ + 1] = next;
                }
            }
            f.elimination = open_elimination(f.count, f.blocks, f.edge_count, f.edges);
            for (int c = 0; c < count; c++)
                threes += f.elimination->nodes[c].threes;
            check_equal(count, threes);
            check_against_dense(&f, &seed, 1e-12);
            close_elimination(f.elimination);
        }
}

TEST(singular_pivot_names_its_block)
{
    olo_block blocks[2] = {{.size = 3, .dof = 3, .parent = -1, .plain = true},
                           {.size = 3, .dof = 3, .parent = -1, .plain = true}};
    olo_elimination *e = open_elimination(2, blocks, 0, NULL);
    olo_error error = {0};
    int where = -1;
    olo_elimination_clear(e);
    for (int i = 0; i < 3; i++)
        olo_elimination_matrix(e, 0, 0)[4 * i] = 1;
    check_status(OLO_SINGULAR, olo_elimination_factor(e, &where, &error));
    check_equal(1, where);
    olo_elimination_matrix(e, 1, 1)[0] = NAN;
    check_status(OLO_SINGULAR, olo_elimination_factor(e, &where, &error));
    close_elimination(e);
}

/* Factors of blocks of every size, with exchanges of rows, solve the same for several columns as
 * for one, to the last bit. */
TEST(small_blocks_solve_columns_as_one_by_one)
{
    unsigned long long seed = 4;
    for (int trial = 0; trial < 600; trial++) {
        const int n = 1 + trial % 6;
        double A[36], B[36], D[36], X[36];
        int pivot[6];
        for (int i = 0; i < n * n; i++) {
            A[i] = D[i] = scene_random(&seed);
            X[i] = B[i] = scene_random(&seed);
        }
        check_true(small_lu(n, A, pivot));
        small_lu_solve(n, A, pivot, n, X);
        for (int j = 0; j < n; j++) {
            double x[6], sum[6] = {0};
            for (int i = 0; i < n; i++)
                x[i] = B[n * i + j];
            small_lu_solve(n, A, pivot, 1, x);
            for (int i = 0; i < n; i++)
                check_true(x[i] == X[n * i + j]);
            small_add_product(n, n, 1, 1.0, D, x, sum);
            for (int i = 0; i < n; i++)
                check_close(B[n * i + j], sum[i], 1e-10);
        }
    }
    double singular[36] = {1, 2, 3, 4, 5, 6};
    int pivot[6];
    check_true(!small_lu(6, singular, pivot));
}

TEST_MAIN(cmocka_unit_test(trees_equal_the_dense_saddle_form),
          cmocka_unit_test(trees_with_springs_across_equal_the_dense_saddle_form),
          cmocka_unit_test(closures_are_eliminated_after_what_moves_them),
          cmocka_unit_test(symmetric_matrices_are_solved_from_their_upper_half),
          cmocka_unit_test(redundant_rows_are_revealed),
          cmocka_unit_test(rows_are_redundant_below_the_square_root_of_1e_11),
          cmocka_unit_test(combinations_of_rows_are_redundant_whatever_rounding_leaves_of_them),
          cmocka_unit_test(combinations_of_rows_are_redundant_on_trees_of_joints),
          cmocka_unit_test(eliminations_share_a_structure_that_does_not_change),
          cmocka_unit_test(ladders_are_eliminated_in_a_band),
          cmocka_unit_test(lines_of_points_and_triads_equal_the_dense_saddle_form),
          cmocka_unit_test(singular_pivot_names_its_block),
          cmocka_unit_test(small_blocks_solve_columns_as_one_by_one))
