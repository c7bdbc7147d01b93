/* The discrete null space of supports, rods and planes, and the rotation maps (K2, K6 of the sheet
 * thesis-methods; multibody-null-space 11.1, items 1, 2, 4, 8). */
#include "walk.h"

#include "linalg/rotation.h"
#include "rank.h"
#include "system/directors.h"

/* A random increment of every joint: up to about a radian, up to half a length. */
static void walk_move(walk *w, unsigned long long *seed, double size)
{
    olo_motion_begin(w->tree, &w->x);
    for (int i = 0; i < w->tree->unknowns; i++)
        w->x.u[i] = size * scene_random(seed);
    olo_motion_move(w->tree, &w->x);
}

static bool is_closure(const olo_topology *tree, int row)
{
    for (int i = 0; i < tree->closure_count; i++)
        if (tree->closures[i] == row)
            return true;
    return false;
}

/* Largest |G P| over the rows of the tree, G at q. */
static double largest_product(walk *w, const double *q)
{
    const olo_system *s = w->s.system;
    double gradient[OLO_FORM_SIZE_MAX], largest = 0;
    double *row = olo_alloc((size_t)s->n, sizeof *row);
    double *reduced = olo_alloc((size_t)w->tree->unknowns, sizeof *reduced);
    for (int c = 0; c < s->m; c++) {
        if (is_closure(w->tree, c))
            continue;
        const olo_form *form = s->constraints[c].form;
        memset(row, 0, (size_t)s->n * sizeof *row);
        olo_form_gradient(form, q, gradient);
        for (int i = 0; i < form->size; i++)
            row[form->index[i]] = gradient[i];
        olo_null_space_apply(w->space, row, reduced);
        for (int j = 0; j < w->tree->unknowns; j++)
            largest = larger(largest, fabs(reduced[j]));
        for (int j = 0; j < w->tree->unknowns; j++)
            check_true(isfinite(reduced[j]));
    }
    olo_free(row);
    olo_free(reduced);
    return largest;
}

/* P as a dense matrix, n x unknowns: its rows are P^T e_i. */
static double *dense_null_space(walk *w)
{
    size_t n = (size_t)w->s.system->n, r = (size_t)w->tree->unknowns;
    double *P = olo_alloc(n * r + 1, sizeof *P), *row = olo_alloc(n, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        row[i] = 1;
        olo_null_space_apply(w->space, row, P + i * r);
        row[i] = 0;
    }
    olo_free(row);
    return P;
}

#define BODY                                                                                       \
    "bodies: {name: b, mass: 2, center: [0.1, -0.2, 0.3], inertia: [0.3, 0.4, 0.5, 0.01, 0.02, "   \
    "-0.03], position: [0.3, 0.5, -0.2], rotation: {axis: [1, 2, 3], angle: 0.7}, points: {p: "    \
    "[0.4, 0.3, -0.5]}}\n"

static const char *const models[] = {
    BODY,
    BODY "supports: {on: b.p, type: point}\n",
    BODY "supports: {on: b.p, type: center}\n",
    BODY "supports: {on: b.p, type: slide, axis: [1, -2, 0.5]}\n",
    BODY "supports: {on: b.p, type: plane, axis: [0.3, 1, 2]}\n",
    BODY "supports: {on: b.p, type: hinge, axis: [1, 1, -1]}\n",
    BODY "supports: {on: b.p, type: fixed}\n",
    "plane: [1, 2, -0.5]\n" BODY,
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: point}\n",
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: center}\n",
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: hinge, axis: [1, 2, -0.5]}\n",
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: slide, axis: [2, -1, 0]}\n",
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: plane, axis: [2, -1, 0]}\n",
    "plane: [1, 2, -0.5]\n" BODY "supports: {on: b.p, type: fixed}\n",
    /* rods: to the ground, from point to point, to a free body and to a supported one, in both
     * orders */
    "points: {name: a, mass: 1, position: [1, 0.5, 0.2]}\nrods: {between: [[0.1, 0, 0], a]}\n",
    "points: {name: a, mass: 1, position: [1, 0.5, 0.2]}\nrods: {between: [a, [0.1, 0, 0]]}\n",
    "points: [{name: a, mass: 1, position: [1, 0.5, 0.2]}, {name: b, mass: 2, position: [2, 0, 1]},"
    " {name: c, mass: 3, position: [2, 2, 1]}]\n"
    "rods: [{between: [b, a]}, {between: [a, [0, 0, 0]]}, {between: [b, c]}]\n",
    "points: [{name: a, mass: 1, position: [1, 0.5, 0.2]}, {name: b, mass: 2, position: [2, 0, 1]},"
    " {name: c, mass: 3, position: [2, 2, 1]}]\n"
    "rods: [{between: [b, a]}, {between: [c, b]}]\n",
    "points: [{name: a, mass: 1, position: [1, 0.5, 0.2]}, {name: b, mass: 2, position: [0.5, 0, "
    "0.4], relative_to: a}, {name: c, mass: 1, position: [0.1, 0.2, 1], relative_to: b}]\n"
    "rods: [{between: [[0, 0, 0], a]}, {between: [b, a]}, {between: [b, c]}]\n",
    BODY "points: {name: a, mass: 1, position: [1, 1, 1]}\nrods: {between: [b.p, a]}\n",
    BODY "points: {name: a, mass: 1, position: [1, 1, 1]}\nrods: {between: [a, b.p]}\n"
         "supports: {on: b, type: hinge, axis: [0, 1, 1]}\n",
    BODY
    "points: [{name: a, mass: 1, position: [1, 1, 1]}, {name: c, mass: 1, position: [0, 1, 1]}]\n"
    "rods: [{between: [a, b.p]}, {between: [c, a]}]\nsupports: {on: b, type: slide, axis: [0, "
    "1, 1]}\n",
    "plane: xy\npoints: [{name: a, mass: 1, position: [1, 0.5]}, {name: b, mass: 2, position: [2, "
    "0]}]\nrods: [{between: [[0, 0, 0], a]}, {between: [a, b]}]\n",
    "plane: xz\nbodies: {name: w, mass: 1, inertia: [1, 1, 1], points: {p: [0.2, 0, "
    "0.3]}}\npoints: {name: a, mass: 1, position: [1, 0, 1]}\nrods: {between: [w.p, a]}\n"
    "supports: {on: w, type: hinge, axis: [0, 1, 0]}\n",
    /* point masses on supports */
    "points: {name: a, mass: 1, position: [1, 2, 3]}\nsupports: {on: a, type: slide, axis: [1, 1, "
    "0]}\n",
    "points: {name: a, mass: 1, position: [1, 2, 3]}\nsupports: {on: a, type: plane, axis: [1, 1, "
    "0]}\n",
};
enum { MODELS = sizeof models / sizeof *models };

TEST(k2_constraint_jacobian_times_null_space_vanishes)
{
    unsigned long long seed = 7;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        double at_end = 0, between = 0;
        for (int i = 0; i < 20; i++) {
            walk_move(&w, &seed, 0.8);
            olo_null_space_at(w.space, &w.x, false);
            at_end = larger(at_end, largest_product(&w, w.x.q1));
            olo_null_space_at(w.space, &w.x, true);
            between = larger(between, largest_product(&w, w.x.qm));
            memcpy(w.q0, w.x.q1, (size_t)w.s.system->n * sizeof *w.q0);
        }
        if (!(at_end <= 1e-14) || !(between <= 1e-14))
            print_message("model %d\n%s", k, models[k]);
        check_below(at_end, 1e-14);
        check_below(between, 1e-14);
        walk_close(&w);
    }
}

/* K2 of the sheet: g(F(u)) below 1e-14 for u of size 0.1, from a configuration that satisfies the
 * constraints as well. */
TEST(k2_one_update_leaves_no_gap)
{
    unsigned long long seed = 12;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        for (int i = 0; i < 20; i++) {
            walk_move(&w, &seed, 0.1);
            for (int c = 0; c < w.s.system->m; c++)
                if (!is_closure(w.tree, c))
                    check_close(0, olo_form_value(w.s.system->constraints[c].form, w.x.q1), 1e-14);
        }
        walk_close(&w);
    }
}

/* A closed joint remains closed under the nodal update; if it is moved by 0.1 from its support, its
 * gap is 0.1. */
TEST(opening_of_a_joint_is_the_distance_to_where_it_is_closed)
{
    unsigned long long seed = 9;
    double size;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        walk_move(&w, &seed, 0.8);
        for (int i = 0; i < w.s.system->joint_count; i++) {
            int first = w.s.system->groups[w.s.system->joints[i].group].first;
            if (!is_closure(w.tree, first))
                check_below(olo_joint_opening(w.s.system, i, w.x.q1, &size), 1e-14);
        }
        walk_close(&w);
    }
    static const char *const types[] = {"point", "center", "fixed"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, "%ssupports: {on: b.p, type: %s}\n", BODY, types[k]);
        walk w = walk_open(scene_open(text, "reduced"));
        const double away[3] = {0.06, 0, -0.08};
        vec3_add(1.0, away, w.q0);
        check_close(0.1, olo_joint_opening(w.s.system, 0, w.q0, &size), 1e-15);
        check_true(size >= w.s.system->length_scale);
        walk_close(&w);
    }
}

TEST(nodal_update_stays_on_the_constraints)
{
    unsigned long long seed = 8;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        const olo_system *s = w.s.system;
        for (int i = 0; i < 20; i++) {
            walk_move(&w, &seed, 0.8);
            for (int c = 0; c < s->m; c++) {
                const olo_form *form = s->constraints[c].form;
                if (is_closure(w.tree, c))
                    continue;
                check_close(0, olo_form_value(form, w.x.q1), 1e-13);
                /* directionality: G(qm) dq = g1 - g0 */
                check_close(0, form_difference(form, &w.x), 5e-15);
            }
            for (int j = 0; j < s->n; j++)
                check_close(w.q0[j] + 0.5 * w.x.dq[j], w.x.qm[j], 1e-15);
            memcpy(w.q0, w.x.q1, (size_t)s->n * sizeof *w.q0);
        }
        walk_close(&w);
    }
}

TEST(null_space_has_full_rank_and_the_unknowns_are_the_degrees_of_freedom)
{
    unsigned long long seed = 9;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        olo_counts counts;
        olo_error error = {0};
        check_ok(olo_system_counts(w.s.system, &counts, &error), &error);
        check_equal(0, counts.closures);
        check_equal(w.tree->unknowns, counts.degrees_of_freedom);
        check_equal(w.s.system->n - w.s.system->m, counts.degrees_of_freedom);
        for (int discrete = 0; discrete < 2; discrete++) {
            walk_move(&w, &seed, 0.8);
            olo_null_space_at(w.space, &w.x, discrete);
            double *P = dense_null_space(&w);
            if (w.tree->unknowns > 0)
                check_equal(w.tree->unknowns,
                            matrix_rank(w.s.system->n, w.tree->unknowns, P, 1e-6));
            olo_free(P);
        }
        walk_close(&w);
    }
}

TEST(derivative_of_the_nodal_update_spans_the_null_space_at_the_end)
{
    unsigned long long seed = 10;
    const double eps = 1e-6;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        size_t n = (size_t)w.s.system->n, r = (size_t)w.tree->unknowns;
        walk_move(&w, &seed, 0.8);
        olo_null_space_at(w.space, &w.x, false);
        double *P = dense_null_space(&w), *both = olo_alloc(2 * n * r + 1, sizeof *both);
        double *up = olo_alloc(n, sizeof *up);
        for (size_t i = 0; i < n; i++)
            memcpy(both + 2 * r * i, P + r * i, r * sizeof *both);
        for (size_t j = 0; j < r; j++) {
            double u = w.x.u[j];
            w.x.u[j] = u + eps;
            olo_motion_move(w.tree, &w.x);
            memcpy(up, w.x.q1, n * sizeof *up);
            w.x.u[j] = u - eps;
            olo_motion_move(w.tree, &w.x);
            for (size_t i = 0; i < n; i++)
                both[2 * r * i + r + j] = (up[i] - w.x.q1[i]) / (2 * eps);
            w.x.u[j] = u;
        }
        /* the derivative has full rank, and its columns are in the range of P */
        if (r > 0) {
            double *own = olo_alloc(n * r, sizeof *own);
            for (size_t i = 0; i < n; i++)
                memcpy(own + r * i, both + 2 * r * i + r, r * sizeof *own);
            check_equal((int)r, matrix_rank((int)n, (int)r, own, 1e-4));
            check_equal((int)r, matrix_rank((int)n, 2 * (int)r, both, 1e-7));
            olo_free(own);
        }
        olo_free(P);
        olo_free(both);
        olo_free(up);
        walk_close(&w);
    }
}

TEST(predictor_finds_the_increment_of_an_admissible_motion)
{
    unsigned long long seed = 12;
    for (int k = 0; k < MODELS; k++) {
        walk w = walk_open(scene_open(models[k], "reduced"));
        size_t n = (size_t)w.s.system->n, twists = (size_t)w.s.system->twists;
        double *motion = olo_alloc(twists, sizeof *motion), *q1 = olo_alloc(n, sizeof *q1);
        walk_move(&w, &seed, 1e-7);
        memcpy(motion, w.x.motion, twists * sizeof *motion);
        memcpy(q1, w.x.q1, n * sizeof *q1);
        memset(w.x.u, 0, (size_t)w.tree->unknowns * sizeof *w.x.u);
        olo_motion_predict(w.tree, &w.x, motion, 1.0);
        for (size_t i = 0; i < n; i++)
            check_close(q1[i], w.x.q1[i], 1e-13); /* second order in 1e-7 */
        olo_free(motion);
        olo_free(q1);
        walk_close(&w);
    }
}

TEST(k2_internal_null_space_of_triads_that_are_not_orthonormal)
{
    unsigned long long seed = 11;
    walk w = walk_open(scene_open(BODY, "reduced"));
    for (int i = 0; i < 50; i++) {
        for (int j = 0; j < 12; j++)
            w.x.q1[j] = w.x.qm[j] = scene_random(&seed);
        olo_null_space_at(w.space, &w.x, i % 2 == 0);
        check_below(largest_product(&w, w.x.q1), 1e-15);
    }
    walk_close(&w);
}

/* --- rotations --- */

/* exp(theta^) by its series in long double, halved and squared */
static void series(const double theta[3], long double R[9])
{
    enum { HALVINGS = 8 };
    long double t[3], K[9], term[9], next[9];
    for (int i = 0; i < 3; i++)
        t[i] = ldexpl(theta[i], -HALVINGS);
    const long double hat[9] = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
    memcpy(K, hat, sizeof K);
    for (int i = 0; i < 9; i++)
        R[i] = term[i] = i % 4 == 0;
    for (int order = 1; order < 30; order++) {
        for (int i = 0; i < 9; i++) {
            next[i] = 0;
            for (int k = 0; k < 3; k++)
                next[i] += term[3 * (i / 3) + k] * K[3 * k + i % 3] / order;
        }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < 9; i++)
            R[i] += term[i];
    }
    for (int square = 0; square < HALVINGS; square++) {
        for (int i = 0; i < 9; i++) {
            next[i] = 0;
            for (int k = 0; k < 3; k++)
                next[i] += R[3 * (i / 3) + k] * R[3 * k + i % 3];
        }
        memcpy(R, next, sizeof next);
    }
}

static void check_rotation(const double R[9], double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_close(i == j, vec3_dot(R + 3 * i, R + 3 * j), tolerance);
    check_close(1.0, mat3_det(R), tolerance);
}

TEST(k6_exponential_map_is_a_rotation_for_every_angle)
{
    unsigned long long seed = 13;
    const double angles[] = {0,    1e-300, 1e-160, 1e-20, 1e-9, 1e-8, 1e-5,     1e-4, 1e-3,
                             0.01, 0.1,    1,      3,     M_PI, 5,    2 * M_PI, 20};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
        for (int i = 0; i < 10; i++) {
            double axis[3] = {scene_random(&seed), scene_random(&seed), scene_random(&seed)};
            double theta[3], R[9];
            long double expected[9];
            vec3_normalise(axis);
            for (int j = 0; j < 3; j++)
                theta[j] = angles[k] * axis[j];
            rotation_exponential(theta, R);
            series(theta, expected);
            check_rotation(R, 2e-15);
            for (int j = 0; j < 9; j++)
                check_close((double)expected[j], R[j], 2e-15);
            /* the inverse from the columns, up to half a turn, where both signs are right */
            double columns[9], back[3];
            for (int j = 0; j < 9; j++)
                columns[j] = R[3 * (j % 3) + j / 3];
            rotation_logarithm(columns, back);
            const double sign = vec3_dot(theta, back) < 0 ? -1 : 1;
            check_true(sign > 0 || angles[k] >= M_PI);
            for (int j = 0; angles[k] <= M_PI && j < 3; j++)
                check_close(theta[j], sign * back[j], 1e-14);
            /* small angles are exact: the antisymmetric part is theta */
            if (angles[k] < 1e-5 && angles[k] > 0)
                for (int j = 0; j < 3; j++)
                    check_relative(theta[j],
                                   0.5 * (R[3 * ((j + 2) % 3) + (j + 1) % 3] -
                                          R[3 * ((j + 1) % 3) + (j + 2) % 3]),
                                   1e-9);
        }
}

TEST(k6_cayley_map_turns_without_stretching)
{
    unsigned long long seed = 14;
    for (int k = 0; k < 200; k++) {
        double size = pow(10, 6 * scene_random(&seed) - 1), a[3], d[9], dm[9], dd[9], R[9];
        double turn[3], angle, round_off = 5e-16 * (4 + size); /* a x dm */
        for (int i = 0; i < 3; i++) {
            a[i] = size * scene_random(&seed);
            turn[i] = 2 * scene_random(&seed);
        }
        rotation_exponential(turn, d); /* rows: an orthonormal triad */
        for (int I = 0; I < 9; I += 3)
            cayley_apply(a, cayley_scale(a), d + I, dm + I, dd + I);
        /* rotation by 2 atan(|a|/2) about a, from the exponential map */
        angle = cayley_angle(a);
        check_true(angle >= 0 && angle < M_PI + 1e-15);
        check_close(2 * atan(0.5 * vec3_norm(a)), angle, 1e-15);
        for (int i = 0; i < 3; i++)
            turn[i] = angle * a[i] / vec3_norm(a);
        rotation_exponential(turn, R);
        for (int I = 0; I < 9; I += 3) {
            double expected[3], across[3];
            mat3_times(R, d + I, expected);
            vec3_cross(a, dm + I, across);
            for (int i = 0; i < 3; i++) {
                check_close(expected[i], d[I + i] + dd[I + i], round_off);
                check_close(across[i], dd[I + i], round_off);
                check_close(d[I + i] + 0.5 * dd[I + i], dm[I + i], round_off);
            }
        }
        /* the inverse, with all digits of a small vector */
        double back[3];
        directors_cayley(dm, dd, back);
        for (int i = 0; i < 3; i++)
            check_close(a[i], back[i], 3e-15 * vec3_norm(a) * (1 + 0.25 * vec3_dot(a, a)));
    }
}

TEST(k6_cayley_update_against_differences)
{
    unsigned long long seed = 15;
    for (int k = 0; k < 100; k++) {
        const double eps = 1e-5;
        double a[3], spin[3], d0[3], ends[2][3], linear[3];
        for (int i = 0; i < 3; i++) {
            a[i] = 3 * scene_random(&seed);
            spin[i] = scene_random(&seed);
            d0[i] = scene_random(&seed);
        }
        /* d1(a + da) - d1(a - da) = 2 spin x d1(a) + O(eps^3) */
        double d1[3], dm[3], dd[3];
        cayley_apply(a, cayley_scale(a), d0, dm, dd);
        for (int i = 0; i < 3; i++)
            d1[i] = d0[i] + dd[i];
        for (int side = 0; side < 2; side++) {
            double b[3], step[3];
            vec3_copy(a, b);
            for (int i = 0; i < 3; i++)
                step[i] = (side ? eps : -eps) * spin[i];
            cayley_update(b, step);
            cayley_apply(b, cayley_scale(b), d0, dm, dd);
            for (int i = 0; i < 3; i++)
                ends[side][i] = d0[i] + dd[i];
        }
        vec3_cross(spin, d1, linear);
        for (int i = 0; i < 3; i++)
            check_close(linear[i], (ends[1][i] - ends[0][i]) / (2 * eps), 2e-10);
    }
}

TEST(orthonormalised_matrix_is_the_nearest_rotation)
{
    unsigned long long seed = 16;
    for (int k = 0; k < 50; k++) {
        double theta[3], R[9], S[9], A[9];
        for (int i = 0; i < 3; i++)
            theta[i] = 3 * scene_random(&seed);
        rotation_exponential(theta, R);
        /* A = R S with S symmetric and near one: the polar factor is R */
        double size = k % 2 ? 1e-6 : 1e-2;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                S[3 * i + j] = S[3 * j + i] = (i == j) + size * scene_random(&seed);
        mat3_product(R, S, A);
        rotation_orthonormalise(A);
        check_rotation(A, 1e-15);
        for (int i = 0; i < 9; i++)
            check_close(R[i], A[i], 2e-15);
        memcpy(S, A, sizeof S);
        rotation_orthonormalise(A);
        for (int i = 0; i < 9; i++)
            check_close(S[i], A[i], 2.3e-16);
    }
}

TEST_MAIN(cmocka_unit_test(k2_constraint_jacobian_times_null_space_vanishes),
          cmocka_unit_test(k2_one_update_leaves_no_gap),
          cmocka_unit_test(opening_of_a_joint_is_the_distance_to_where_it_is_closed),
          cmocka_unit_test(nodal_update_stays_on_the_constraints),
          cmocka_unit_test(null_space_has_full_rank_and_the_unknowns_are_the_degrees_of_freedom),
          cmocka_unit_test(derivative_of_the_nodal_update_spans_the_null_space_at_the_end),
          cmocka_unit_test(predictor_finds_the_increment_of_an_admissible_motion),
          cmocka_unit_test(k2_internal_null_space_of_triads_that_are_not_orthonormal),
          cmocka_unit_test(k6_exponential_map_is_a_rotation_for_every_angle),
          cmocka_unit_test(k6_cayley_map_turns_without_stretching),
          cmocka_unit_test(k6_cayley_update_against_differences),
          cmocka_unit_test(orthonormalised_matrix_is_the_nearest_rotation))
