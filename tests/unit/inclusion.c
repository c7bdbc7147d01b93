/* Convex sets and inclusion solvers, with the check values of Moeller 2011 (S1 to S6), and
 * properties that hold for every set. */
#include <stdlib.h>

#include "test.h"

#include "contact/inclusion.h"
#include "reference.h"

enum { WORK = 4096, INTEGERS = 64 };

static void check_vector(int size, const double *expected, const double *got, double tolerance)
{
    for (int i = 0; i < size; i++)
        check_close(expected[i], got[i], tolerance);
}

/* --- sets --- */

TEST(the_proximal_point_of_an_ellipsoid_has_the_published_value)
{
    const olo_set_shape shape = {.axis = {0.3, 0.3, 0.1}};
    const double z[3] = {0.5, 0.4, 0.7}, expected[3] = {0.20344331, 0.16275465, 0.04957794};
    double x[3];
    olo_set_ellipsoid.prox(&shape, 1, 3, z, x);
    check_vector(3, expected, x, 5e-9);
}

TEST(friction_of_a_patch_has_the_published_values)
{
    const double mean = 2.945e-4;
    const olo_set_shape exact = {.radius = mean}, close = {.axis = {1, 1, mean}};
    static const struct {
        double z[3], exact[3], ellipsoid[3];
    } row[] = {
        {{0.1, 0, 3e-4}, {0.0999999684, 0, 8.12032391e-5}, {0.0999999774, 0, 8.32971812e-5}},
        {{0.2, 0.2, 5e-5},
         {0.1999999869, 0.1999999869, 2.29300866e-5},
         {0.1999999879, 0.1999999879, 2.94500143e-5}},
        {{0.28, 0, 4e-5}, {0.2799999903, 0, 2.48037589e-5}, {0.2799999937, 0, 3.17186256e-5}},
        {{0.1, 0, 2e-5}, {0.1, 0, 2e-5}, {0.1, 0, 2e-5}},
        {{0, 0, 1e-3}, {0, 0, 8.835e-5}, {0, 0, 8.835e-5}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double x[3];
        olo_set_contensou.prox(&exact, 0.3, 3, row[i].z, x);
        check_vector(2, row[i].exact, x, 1e-10);
        check_close(row[i].exact[2], x[2], 1e-13);
        olo_set_ellipsoid.prox(&close, 0.3, 3, row[i].z, x);
        check_vector(2, row[i].ellipsoid, x, 1e-10);
        check_close(row[i].ellipsoid[2], x[2], 1e-13);
    }
}

/* Published table; far out the first terms of the series, 1 - 1/(10 u^2) and 16/(15 pi u). */
TEST(the_support_of_the_patch_is_accurate_at_every_ratio)
{
    static const double row[][3] = {
        {0, 0, 1},
        {0.25, 0.289922369, 0.938964844},
        {0.5, 0.552233084, 0.773437500},
        {1, 0.883572934, 0.375},
        {2, 0.974278579, 0.173006657},
        {5, 0.995982664, 0.068102097},
        {10, 0.998998926, 0.033977368},
        {100, 0.999990000, 0.003395330},
    };
    double force, torque;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        olo_contensou_support(row[i][0], &force, &torque);
        check_close(row[i][1], force, 6e-10);
        check_close(row[i][2], torque, 6e-10);
    }
    for (double u = 1e4; u <= 1e8; u *= 10) {
        olo_contensou_support(u, &force, &torque);
        check_close(1 - 0.1 / (u * u), force, 1e-15);
        check_relative(16 / (15 * 3.141592653589793 * u), torque, 1e-9);
    }
}

static const olo_set_shape shape_of_all = {
    .lower = {-0.4, -0.1, -0.3}, .upper = {0.2, 0.5, 0.1}, .axis = {0.7, 0.5, 0.2}, .radius = 0.4};

static void draw(uint64_t *seed, int size, double *z)
{
    for (int i = 0; i < size; i++)
        z[i] = random_number(seed);
}

static int size_of(const olo_set *set)
{
    return set->size ? set->size : 3;
}

/* The variational inequality (z - prox z).(y - prox z) <= 0 for all y of C, with y = prox of
 * another point; and prox prox = prox. */
TEST(every_set_returns_its_nearest_point)
{
    uint64_t seed = 7;
    for (int s = 0; olo_set_number(s); s++) {
        const olo_set *set = olo_set_number(s);
        const int size = size_of(set);
        for (int k = 0; k < 200; k++) {
            double z[3], w[3], x[3], y[3], again[3], product = 0;
            draw(&seed, size, z);
            draw(&seed, size, w);
            set->prox(&shape_of_all, 0.5, size, z, x);
            set->prox(&shape_of_all, 0.5, size, w, y);
            set->prox(&shape_of_all, 0.5, size, x, again);
            for (int i = 0; i < size; i++)
                product += (z[i] - x[i]) * (y[i] - x[i]);
            check_true(product <= 1e-12);
            check_vector(size, x, again, 1e-12);
        }
    }
}

/* Central differences of prox. */
TEST(every_set_has_the_derivative_of_its_proximal_point)
{
    const double step = 1e-6;
    uint64_t seed = 3;
    for (int s = 0; olo_set_number(s); s++) {
        const olo_set *set = olo_set_number(s);
        const int size = size_of(set);
        for (int k = 0; k < 50; k++) {
            double z[3], by_z[9], by_rho[3], up[3], down[3];
            draw(&seed, size, z);
            set->derivative(&shape_of_all, 0.5, size, z, by_z, by_rho);
            for (int j = 0; j <= size; j++) {
                const double rho = 0.5;
                double moved[3];
                memcpy(moved, z, sizeof moved);
                if (j < size)
                    moved[j] += step;
                set->prox(&shape_of_all, j == size ? rho + step : rho, size, moved, up);
                if (j < size)
                    moved[j] -= 2 * step;
                set->prox(&shape_of_all, j == size ? rho - step : rho, size, moved, down);
                for (int i = 0; i < size; i++)
                    check_close((up[i] - down[i]) / (2 * step),
                                j < size ? by_z[i * size + j] : by_rho[i], 1e-7);
            }
        }
    }
}

TEST(sets_of_size_zero_contain_zero_only)
{
    const olo_set *const sets[] = {&olo_set_ball, &olo_set_ellipsoid, &olo_set_cylinder,
                                   &olo_set_contensou};
    const double z[3] = {0.3, -0.2, 0.1}, zero[3] = {0};
    for (int i = 0; i < 4; i++) {
        double x[3];
        sets[i]->prox(&shape_of_all, 0, 3, z, x);
        check_vector(3, zero, x, 0);
    }
}

/* --- solvers --- */

/* S1: one block with the scales 1e4 and 1. By the true error the plain iteration needs 207223
 * sweeps, the recovered one a single sweep. */
TEST(a_badly_scaled_block_needs_the_recovering_iteration)
{
    const double D[4] = {1e4, 0, 0, 1}, c[2] = {1, 1}, exact[2] = {-1e-4, -1};
    const olo_force_block block = {&olo_set_space, NULL, 0, 2, -1, 0, 0};
    const olo_inclusion x = {{.size = 2, .matrix = D}, c, 1, &block};
    olo_iteration how = {.relaxation = 1, .sweeps = 1};
    double lambda[2] = {0, 0}, work[WORK];
    int sweeps = 0;
    do {
        (void)olo_solve_jacobi(&x, &how, lambda, work);
        sweeps++;
    } while (hypot(lambda[0] - exact[0], lambda[1] - exact[1]) > 1e-9 * hypot(exact[0], exact[1]));
    check_equal(207223, sweeps);
    how.relative = 1e-9;
    how.sweeps = 200000;
    memset(lambda, 0, sizeof lambda);
    check_equal(115125, olo_solve_jacobi(&x, &how, lambda, work).sweeps);
    how.recover = true;
    how.sweeps = 1;
    memset(lambda, 0, sizeof lambda);
    (void)olo_solve_jacobi(&x, &how, lambda, work);
    check_vector(2, exact, lambda, 1e-16);
}

/* S6: a contact with planar friction that slips, and one that sticks. */
TEST(all_solvers_solve_the_small_coulomb_problem)
{
    const double D[4] = {1, 0.2, 0.2, 0.5}, c[2][2] = {{-1, 0.8}, {-1, -0.2}};
    const double expected[2][2] = {{1.0638298, -0.3191489}, {1, 0}}, slip[2] = {0.8531915, 0};
    const olo_force_block blocks[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                       {&olo_set_ball, NULL, 1, 1, 0, 0.3, 0}};
    const olo_iteration how = olo_iteration_default();
    double work[WORK], xi[2];
    int integers[INTEGERS];
    for (int i = 0; i < 2; i++) {
        const olo_inclusion x = {{.size = 2, .matrix = D}, c[i], 2, blocks};
        for (int solver = 0; solver < 3; solver++) {
            double lambda[2] = {0, 0};
            const olo_solution found = solver == 0 ? olo_solve_jacobi(&x, &how, lambda, work)
                                       : solver == 1
                                           ? olo_solve_gauss_seidel(&x, &how, lambda, work)
                                           : olo_solve_inclusion(&x, lambda, work, integers);
            check_true(found.converged && found.residual < 1e-12);
            check_vector(2, expected[i], lambda, 1e-7);
            olo_inclusion_rates(&x, lambda, xi);
            check_close(slip[i], xi[1], 1e-7);
        }
    }
}

/* The exact solution as initial guess is found at once. */
TEST(a_warm_start_saves_sweeps)
{
    const double D[4] = {1, 0.2, 0.2, 0.5}, c[2] = {-1, 0.8};
    const olo_force_block blocks[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                       {&olo_set_ball, NULL, 1, 1, 0, 0.3, 0}};
    const olo_inclusion x = {{.size = 2, .matrix = D}, c, 2, blocks};
    const olo_iteration how = olo_iteration_default();
    double lambda[2] = {0, 0}, work[WORK];
    check_true(olo_solve_gauss_seidel(&x, &how, lambda, work).sweeps > 5);
    check_true(olo_solve_gauss_seidel(&x, &how, lambda, work).sweeps <= 2);
}

/* S5: f = x - D lambda - c, g = x. The Newton step for x is x = D lambda + c. */
typedef struct linear {
    const olo_inclusion *problem;
    double x[4];
} linear;

static double newton(void *context, const double *lambda)
{
    linear *l = context;
    olo_inclusion_rates(l->problem, lambda, l->x);
    return 0;
}

static void gaps(void *context, double *g)
{
    const linear *l = context;
    memcpy(g, l->x, (size_t)l->problem->D.size * sizeof *g);
}

TEST(projected_newton_of_a_linear_problem_is_projected_jacobi)
{
    const double D[9] = {1, 0.2, 0.1, 0.2, 0.5, -0.1, 0.1, -0.1, 0.8}, c[3] = {-1, 0.8, 0.3};
    const olo_force_block blocks[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                       {&olo_set_ball, NULL, 1, 2, 0, 0.3, 0}};
    const olo_inclusion x = {{.size = 3, .matrix = D}, c, 2, blocks};
    const double r[2] = {1 / 1.0, 1 / 0.8};
    linear data = {.problem = &x};
    const olo_nonlinear_inclusion y = {&data, 3, 2, blocks, r, newton, gaps};
    const olo_iteration one = {.relaxation = 1, .sweeps = 1};
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0}, work[WORK];
    for (int i = 0; i < 30; i++) {
        (void)olo_solve_jacobi(&x, &one, a, work);
        (void)olo_solve_projected_newton(&y, &one, b, work);
        check_vector(3, a, b, 1e-15);
    }
}

/* The contact of a tippe top on the floor (Moeller 2011, section 6.5), tilted by 0.5 rad: normal,
 * two tangential directions and the spin about the normal. */
static void tippe_top(double D[16], double c[4])
{
    const double m = 0.006, J[3] = {8e-7, 8e-7, 7e-7}, tilt = 0.5;
    const double R[3][3] = {{1, 0, 0}, {0, cos(tilt), -sin(tilt)}, {0, sin(tilt), cos(tilt)}};
    const double arm[3] = {0, -0.003 * sin(tilt), 0.003 * cos(tilt) - 0.015};
    const double n[4][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double v[6] = {0.02, -0.05, -0.01, 3, 2, 180}; /* velocity, then body rates */
    double W[4][6];
    for (int i = 0; i < 4; i++) {
        double moment[3] = {arm[1] * n[i][2] - arm[2] * n[i][1],
                            arm[2] * n[i][0] - arm[0] * n[i][2],
                            arm[0] * n[i][1] - arm[1] * n[i][0]};
        for (int k = 0; k < 3; k++) {
            W[i][k] = i < 3 ? n[i][k] : 0;
            const double *about = i < 3 ? moment : n[3];
            W[i][3 + k] = R[0][k] * about[0] + R[1][k] * about[1] + R[2][k] * about[2];
        }
    }
    for (int i = 0; i < 4; i++) {
        c[i] = 0;
        for (int k = 0; k < 6; k++)
            c[i] += W[i][k] * v[k];
        for (int j = 0; j < 4; j++) {
            D[4 * i + j] = 0;
            for (int k = 0; k < 6; k++)
                D[4 * i + j] += W[i][k] * W[j][k] / (k < 3 ? m : J[k - 3]);
        }
    }
}

/* S2, S3: with the spin scaled by the mean radius the ellipsoid is a ball. Same forces, far fewer
 * sweeps; the exact set needs about as many as the ellipsoid. */
TEST(a_transformed_inclusion_has_the_same_solution_with_fewer_sweeps)
{
    const double mean = 2.945e-4, A[4] = {1, 1, 1, mean};
    const olo_set_shape ellipsoid = {.axis = {1, 1, mean}}, patch = {.radius = mean};
    const olo_force_block of_ellipsoid[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                             {&olo_set_ellipsoid, &ellipsoid, 1, 3, 0, 0.3, 0}};
    const olo_force_block of_ball[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                        {&olo_set_ball, NULL, 1, 3, 0, 0.3, 0}};
    const olo_force_block of_patch[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                         {&olo_set_contensou, &patch, 1, 3, 0, 0.3, 0}};
    olo_iteration how = olo_iteration_default();
    how.relative = 1e-12;
    how.sweeps = 100000;
    double D[16], c[4], D_hat[16], c_hat[4], work[WORK], lambda[3][4] = {{0}};
    tippe_top(D, c);
    check_relative(1.43e6, D[15], 0.1); /* the published size of the spin entry */
    olo_inclusion_transform(4, A, D, c, D_hat, c_hat);
    const olo_inclusion plain = {{.size = 4, .matrix = D}, c, 2, of_ellipsoid};
    const olo_inclusion exact = {{.size = 4, .matrix = D}, c, 2, of_patch};
    const olo_inclusion round = {{.size = 4, .matrix = D_hat}, c_hat, 2, of_ball};
    const olo_solution by_plain = olo_solve_gauss_seidel(&plain, &how, lambda[0], work);
    const olo_solution by_exact = olo_solve_gauss_seidel(&exact, &how, lambda[1], work);
    const olo_solution by_round = olo_solve_gauss_seidel(&round, &how, lambda[2], work);
    check_true(by_plain.converged && by_exact.converged && by_round.converged);
    how.relative = 1e-17; /* the slow iterations stop far from their limit */
    (void)olo_solve_gauss_seidel(&plain, &how, lambda[0], work);
    for (int i = 0; i < 4; i++)
        check_relative(lambda[0][i], A[i] * lambda[2][i], 1e-10);
    print_message("sweeps: ball %d, ellipsoid %d, exact %d\n", by_round.sweeps, by_plain.sweeps,
                  by_exact.sweeps);
    check_true(by_plain.sweeps > 2.7 * by_round.sweeps);
    check_true(by_exact.sweeps > 2.7 * by_round.sweeps);
}

/* Four contact points under a plate carry its weight: D has rank 3 of 4. The solver finds one
 * distribution, whose sum is the weight, and all points are at rest. */
TEST(redundant_contacts_are_solved_with_a_singular_operator)
{
    const double at[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double D[16], c[4] = {-1, -1, -1, -1}, lambda[4] = {0}, work[WORK], xi[4];
    int integers[INTEGERS];
    olo_force_block blocks[4];
    for (int i = 0; i < 4; i++) {
        blocks[i] = (olo_force_block){&olo_set_half_line, NULL, i, 1, -1, 0, 0};
        for (int j = 0; j < 4; j++)
            D[4 * i + j] = 1 + 3 * (at[i][0] * at[j][0] + at[i][1] * at[j][1]);
    }
    const olo_inclusion x = {{.size = 4, .matrix = D}, c, 4, blocks};
    check_true(olo_solve_inclusion(&x, lambda, work, integers).converged);
    olo_inclusion_rates(&x, lambda, xi);
    check_close(1, lambda[0] + lambda[1] + lambda[2] + lambda[3], 1e-13);
    for (int i = 0; i < 4; i++)
        check_close(0, xi[i], 1e-13);
}

/* Two boxes on each other and on the ground, each on four corners, with 24 impulses for 12 degrees
 * of freedom: a plastic impact always has a solution, also where redundant corners stick and slide
 * at their limits. */
TEST(plastic_impacts_on_redundant_corners_are_solved)
{
    enum { CORNERS = 8, N = 3 * CORNERS, DOF = 12 };
    static const double mobility[6] = {1, 1, 1, 60, 60, 40}; /* of a box */
    uint64_t seed = 7;
    for (int trial = 0; trial < 300; trial++) {
        double W[N][DOF] = {{0}}, D[N * N] = {0}, c[N] = {0}, lambda[N] = {0}, v[DOF];
        olo_force_block blocks[2 * CORNERS];
        int integers[2 * N];
        double *work = calloc((size_t)olo_inclusion_work(N), sizeof *work);
        draw(&seed, DOF, v);
        for (int i = 0; i < CORNERS; i++) {
            for (int body = i / 4; body >= 0; body--) { /* the upper one, or also the one below */
                const double sign = body == i / 4 ? 1 : -1;
                const double arm[3] = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.2 : -0.2, -0.1 * sign};
                for (int k = 0; k < 3; k++) { /* normal z, sliding x and y; twist (v, omega) */
                    double *w = W[3 * i + k] + 6 * body;
                    const double n[3] = {sign * (k == 1), sign * (k == 2), sign * (k == 0)};
                    memcpy(w, n, sizeof n);
                    w[3] = arm[1] * n[2] - arm[2] * n[1];
                    w[4] = arm[2] * n[0] - arm[0] * n[2];
                    w[5] = arm[0] * n[1] - arm[1] * n[0];
                }
            }
            blocks[2 * i] = (olo_force_block){&olo_set_half_line, NULL, 3 * i, 1, -1, 0, 0};
            blocks[2 * i + 1] = (olo_force_block){&olo_set_ball, NULL, 3 * i + 1, 2, 3 * i, 0.6, 0};
        }
        for (int i = 0; i < N; i++)
            for (int k = 0; k < DOF; k++) {
                c[i] += W[i][k] * v[k];
                for (int j = 0; j < N; j++)
                    D[i * N + j] += mobility[k % 6] * W[i][k] * W[j][k];
            }
        const olo_inclusion problem = {{.size = N, .matrix = D}, c, 2 * CORNERS, blocks};
        check_below(olo_solve_inclusion(&problem, lambda, work, integers).residual, 1e-9);
        free(work);
    }
}

/* A box hits the ground with a corner while another one rests there, with large friction: sweeps
 * with full steps cycle between the corners, shorter ones do not. */
TEST(plastic_impacts_with_large_friction_are_solved)
{
    enum { N = 6, DOF = 6 };
    static const double mobility[DOF] = {0.033, 0.033, 0.033, 1.2, 0.65, 0.8};
    uint64_t seed = 3;
    for (int trial = 0; trial < 1000; trial++) {
        double W[N][DOF] = {{0}}, D[N * N] = {0}, c[N] = {0}, lambda[N] = {0}, rate[3], arm[2][3];
        double work[WORK];
        int integers[INTEGERS];
        olo_force_block blocks[4];
        draw(&seed, 3, rate);
        for (int i = 0; i < 2; i++) {
            draw(&seed, 3, arm[i]);
            for (int k = 0; k < 3; k++) { /* normal z, sliding x and y; twist (v, omega) */
                double *w = W[3 * i + k];
                const double n[3] = {k == 1, k == 2, k == 0};
                memcpy(w, n, sizeof n);
                w[3] = arm[i][1] * n[2] - arm[i][2] * n[1];
                w[4] = arm[i][2] * n[0] - arm[i][0] * n[2];
                w[5] = arm[i][0] * n[1] - arm[i][1] * n[0];
            }
            blocks[2 * i] = (olo_force_block){&olo_set_half_line, NULL, 3 * i, 1, -1, 0, 0};
            blocks[2 * i + 1] = (olo_force_block){&olo_set_ball, NULL, 3 * i + 1, 2, 3 * i, 10, 0};
        }
        /* the body turns about the first corner, so that the second one approaches */
        const double *a = arm[0], *b = arm[1];
        const double at[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        for (int k = 0; k < 3; k++)
            c[3 + (k + 1) % 3] =
                rate[(k + 1) % 3] * at[(k + 2) % 3] - rate[(k + 2) % 3] * at[(k + 1) % 3];
        for (int k = 5; k >= 3; k--)
            c[k] *= c[3] > 0 ? -1 : 1;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k < DOF; k++)
                    D[i * N + j] += mobility[k] * W[i][k] * W[j][k];
        const olo_inclusion problem = {{.size = N, .matrix = D}, c, 4, blocks};
        check_below(olo_solve_inclusion(&problem, lambda, work, integers).residual, 1e-9);
    }
}

/* C2: a clutch (e = 0) and a contact (e = 1) of two masses of 2 kg. */
TEST(unequal_restitution_can_raise_energy)
{
    const double m = 2, u[2] = {1.5, -0.7}, e[2] = {0, 1};
    const double D[4] = {1 / m, -1 / m, -1 / m, 2 / m};
    const double rate[2] = {u[0], u[1] - u[0]}, expected[2] = {2.8, 5.8};
    double c[2], lambda[2] = {0, 0}, work[WORK];
    int integers[INTEGERS];
    const olo_force_block blocks[2] = {{&olo_set_half_line, NULL, 0, 1, -1, 0, 0},
                                       {&olo_set_half_line, NULL, 1, 1, -1, 0, 0}};
    for (int i = 0; i < 2; i++)
        c[i] = (1 + e[i]) * rate[i];
    const olo_inclusion x = {{.size = 2, .matrix = D}, c, 2, blocks};
    check_true(olo_solve_inclusion(&x, lambda, work, integers).converged);
    check_vector(2, expected, lambda, 1e-13);
}

TEST_MAIN(cmocka_unit_test(the_proximal_point_of_an_ellipsoid_has_the_published_value),
          cmocka_unit_test(friction_of_a_patch_has_the_published_values),
          cmocka_unit_test(the_support_of_the_patch_is_accurate_at_every_ratio),
          cmocka_unit_test(every_set_returns_its_nearest_point),
          cmocka_unit_test(every_set_has_the_derivative_of_its_proximal_point),
          cmocka_unit_test(sets_of_size_zero_contain_zero_only),
          cmocka_unit_test(a_badly_scaled_block_needs_the_recovering_iteration),
          cmocka_unit_test(all_solvers_solve_the_small_coulomb_problem),
          cmocka_unit_test(a_warm_start_saves_sweeps),
          cmocka_unit_test(projected_newton_of_a_linear_problem_is_projected_jacobi),
          cmocka_unit_test(a_transformed_inclusion_has_the_same_solution_with_fewer_sweeps),
          cmocka_unit_test(redundant_contacts_are_solved_with_a_singular_operator),
          cmocka_unit_test(plastic_impacts_on_redundant_corners_are_solved),
          cmocka_unit_test(plastic_impacts_with_large_friction_are_solved),
          cmocka_unit_test(unequal_restitution_can_raise_energy))
